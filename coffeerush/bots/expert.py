"""The expert bot: a planner that looks one round ahead, into samples of what is hidden.

Values of outcomes differ by less than their error. To tell the best ones apart, each is played on
in the same samples: the others play hasty turns, then the seat's own next turn is valued. The
budget is a number of samples, so that a game can be replayed on any machine.
"""

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from random import Random
from statistics import fmean
from typing import Final

from msgspec.structs import replace

from coffeerush.rules import Player, State, advance
from coffeerush.rules.board import common
from coffeerush.rules.engine import end_turn
from coffeerush.rules.state import acting
from protocol import EndTurn, Intent, View

from .features import after_turn
from .outcomes import TurnOutcome, after, demand, outcomes
from .planner import Candidate, PlannerBot, candidates
from .sampling import sample_state
from .weights import Weights, result, scores_of, shipped_weights

STAGES: Final = (1, 2, 4)
"""Samples by stage; each stage has half as many outcomes to compare."""
MANY_COMPARED: Final = {2: 8, 3: 16, 4: 16}
"""By number of players: a sample takes longer with two, as a seat then has two meeples."""
CLOSE: Final = 0.2
"""Outcomes that the planner values lower than its best by more than this are not compared."""
MANY_NEXT: Final = 4
"""How many outcomes of the seat's next turn are valued."""


def lookahead(
    view: View, turns: Sequence[Sequence[Intent]], samples: int, seed: int
) -> list[float]:
    """Return the value of each way to play a turn one round later, in the unit of plans' values.

    Args:
        view: of the seat whose turn it is, in any phase of the turn.
        turns: for each way, the legal intents of the rest of the turn; `EndTurn` may be missing.
        samples: how often the hidden cards and tokens are drawn; the same ones for all ways.
        seed: for the samples.
    """
    chance = Random(seed)
    drawn = [(_sample(view, chance), RestOfRound(shipped_weights())) for _ in range(samples)]
    return [fmean(rest.value(_played(state, turn)) for state, rest in drawn) for turn in turns]


def _sample(view: View, chance: Random) -> State:
    return sample_state(view, int(chance.random() * 2**32), likely=True)


def _played(state: State, turn: Sequence[Intent]) -> State:
    for intent in turn:
        if not isinstance(intent, EndTurn):
            state = advance(state, intent)
    return replace(state, previous=None)


class RestOfRound:
    """Play a sample on until the seat's next turn, for each of several ways to play this one.

    The others play hasty turns: those with the best rank, without upgrades, and with at most one
    rush token.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._hasty: dict[tuple[Player, int, int], TurnOutcome] = {}
        """The others' turns, by all that they depend on."""

    def value(self, state: State) -> float:
        """Return the value of the active seat's next turn; `state` is before `EndTurn`.

        The States differ in the active seat's turn only. The deck and the others' cups are taken as
        they are.
        """
        seat, count = acting(state)[0], len(state.players)
        piles = [list(state.deck[first::count]) for first in range(count)]
        state = _end_turn(state, piles)
        while state.active not in (seat, None):
            state = _end_turn(self._others_turn(state), piles)
        if state.active is None:
            return result(scores_of(state), seat)
        return candidates(state, self._weights, MANY_NEXT, upgrades=False)[0].value

    def _others_turn(self, state: State) -> State:
        _, player = acting(state)
        same = player, state.standing, common(demand(state), state.supply)
        if same not in self._hasty:
            [self._hasty[same]] = outcomes(state, 1, upgrades=False, most_rush=1)
        return after(state, self._hasty[same])


def _end_turn(state: State, piles: Sequence[list[int]]) -> State:
    """End a turn; each seat draws from a pile of its own while there is one.

    So the cards that a seat draws do not depend on how many others draw, which would be noise.
    """
    seat, drawn = acting(state)[0], after_turn(state).drawn
    deck = [
        (piles[(seat + left) % len(piles)] or max(piles, key=len)).pop()
        for left in (*range(1, len(piles)), 0)
        for _ in range(drawn[left])
    ]
    return end_turn(replace(state, deck=(*deck, *chain.from_iterable(piles))))


class ExpertBot(PlannerBot):
    """Play the outcome that is worth most one round later."""

    def found(self, state: State) -> list[Candidate]:
        """Return twice as many candidates as are compared."""
        return candidates(state, self._weights, 2 * MANY_COMPARED[len(state.players)])

    def best(self, view: View, found: list[Candidate], chance: Random) -> Candidate:
        """Return the best of the candidates that are about as good as the first one.

        The better half of them goes on to the next stage. The planner's value counts like a sample,
        since that of a few samples is also uncertain.
        """
        most, least = MANY_COMPARED[len(view.players)], found[0].value - CLOSE
        left = [(one.value, one) for one in found[:most] if one.value > least]
        for samples in STAGES:
            if len(left) == 1:
                break
            for _ in range(samples):
                state, rest = _sample(view, chance), RestOfRound(self._weights)
                left = [(total + rest.value(after(state, one.outcome)), one) for total, one in left]
            left = sorted(left, key=itemgetter(0), reverse=True)[: (len(left) + 1) // 2]
        return left[0][1]
