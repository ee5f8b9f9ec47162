"""What a player waits for while thinking: the hint, and the review of a game."""

from collections.abc import Iterator
from time import process_time

from coffeerush.arena.plan import play_game
from coffeerush.bots import RegularBot
from coffeerush.client.model import Model
from coffeerush.rules import Setup, State, advance, deal, standard_deck, view_for
from coffeerush.ui.advice.advice import hint, planned
from coffeerush.ui.advice.review import played_turns, review_turn
from protocol import Intent

from .conditions import percentile, report

GAMES = 6
HINT_BUDGET_MS = 100
REVIEW_BUDGET_SECONDS = 5
TURNS = 40
"""The length of the game that the budget of a review is for."""


def run() -> None:
    """Report the CPU time of hints in every position, and of reviews of 40 turns."""
    for players in (4, 3, 2):
        hints: list[float] = []
        reviews: list[float] = []
        for seed in range(GAMES):
            states, intents = _game(players, seed)
            hints += _hints(states)
            reviews += _reviews(states, intents)
        report(
            "hint",
            players=players,
            n=len(hints),
            p50_ms=round(percentile(hints, 0.5) * 1000, 1),
            p95_ms=round(percentile(hints, 0.95) * 1000, 1),
            max_ms=round(max(hints) * 1000, 1),
            budget_p95_ms=HINT_BUDGET_MS,
        )
        report(
            "review",
            players=players,
            turns=len(reviews),
            seconds_for_40_turns=round(sum(reviews) / len(reviews) * TURNS, 2),
            budget_seconds=REVIEW_BUDGET_SECONDS,
        )


def _game(players: int, seed: int) -> tuple[list[State], list[Intent]]:
    """Return the States and the intents of a game of Regulars."""
    setup = Setup(players, standard_deck(), seed)
    bots = [RegularBot() for _ in range(players)]
    intents = [intent for _seat, intent in play_game(setup, bots).moves]
    states = [deal(setup)]
    for intent in intents:
        states.append(advance(states[-1], intent))
    return states, intents


def _hints(states: list[State]) -> Iterator[float]:
    """Yield the seconds of the hint in each position, as if nothing had been planned before."""
    for state in states:
        if state.active is not None:
            view = view_for(state, state.active)
            model = Model("player", "Ann", status="here", seat=state.active, view=view)
            planned.cache_clear()
            began = process_time()
            hint(model)
            yield process_time() - began


def _reviews(states: list[State], intents: list[Intent]) -> Iterator[float]:
    """Yield the seconds of each reviewed turn."""
    for seat in range(len(states[0].players)):
        for turn in played_turns(states, intents, seat):
            began = process_time()
            review_turn(turn, 1)
            yield process_time() - began
