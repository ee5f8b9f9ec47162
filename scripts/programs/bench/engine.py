"""Rules engine benchmark: random play, the cost of each function, and OpenSpiel if installed."""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from random import Random
from time import perf_counter
from typing import TypeVar

from coffeerush.rules import (
    Setup,
    State,
    advance,
    apply,
    deal,
    legal_intents,
    standard_deck,
    view_for,
)
from protocol import Intent

from .conditions import report

SECONDS = 3.0
PEERS = ("hanabi(players=4)", "hearts", "backgammon", "gin_rummy")
"""Compiled OpenSpiel games, driven from Python by the same loop."""

Move = Callable[[State, Intent], State]
_Each = TypeVar("_Each")


def run() -> None:
    """Report random play with 2 to 4 players, each function by itself, and OpenSpiel's games."""
    for players in (4, 3, 2):
        for name, move in (("advance", advance), ("apply", _checked)):
            report("engine", players=players, move=name, **_random_play(players, move))
    for name, nanoseconds in _parts(4).items():
        report("engine part", players=4, part=name, nanoseconds=nanoseconds)
    if find_spec("pyspiel"):
        for game in PEERS:
            report("engine peer", peer=f"OpenSpiel {game}", **_peer(game))


def _checked(state: State, intent: Intent) -> State:
    assert state.active is not None
    return apply(state, state.active, intent)


def _random_play(players: int, move: Move) -> dict[str, object]:
    """Play for some seconds: list the legal intents, choose one at random, but never Undo."""
    deck, chance = standard_deck(), Random(1).random
    actions = games = 0
    began = perf_counter()
    while perf_counter() - began < SECONDS:
        state = deal(Setup(players, deck, games))
        while state.active is not None:
            legal = legal_intents(state)
            undo = state.previous is not None
            state = move(state, legal[int(chance() * (len(legal) - undo))])
            actions += 1
        games += 1
    took = perf_counter() - began
    return {
        "actions_per_second": round(actions / took),
        "games_per_second": round(games / took),
        "actions_per_game": round(actions / games, 1),
    }


def _parts(players: int) -> dict[str, int]:
    """Return the mean cost of each function over the positions of random games."""
    positions = list(_positions(players, games=40))
    states = [state for state, _intent in positions]
    return {
        "legal_intents": _mean(legal_intents, states),
        "advance": _mean(lambda position: advance(*position), positions),
        "apply": _mean(lambda position: _checked(*position), positions),
        "view_for a seat": _mean(lambda state: view_for(state, state.active), states),
        "view_for a spectator": _mean(lambda state: view_for(state, None), states),
    }


def _positions(players: int, games: int) -> Iterable[tuple[State, Intent]]:
    deck, chance = standard_deck(), Random(2).random
    for seed in range(games):
        state = deal(Setup(players, deck, seed))
        while state.active is not None:
            legal = legal_intents(state)
            undo = state.previous is not None
            intent = legal[int(chance() * (len(legal) - undo))]
            yield state, intent
            state = advance(state, intent)


def _mean(call: Callable[[_Each], object], each: Sequence[_Each]) -> int:
    """Return nanoseconds per call, the best of five rounds."""
    rounds = []
    for _ in range(5):
        began = perf_counter()
        for one in each:
            call(one)
        rounds.append(perf_counter() - began)
    return round(min(rounds) / len(each) * 1e9)


def _peer(name: str) -> dict[str, object]:
    pyspiel = import_module("pyspiel")

    game, chance = pyspiel.load_game(name), Random(1).random
    actions = games = 0
    began = perf_counter()
    while perf_counter() - began < SECONDS:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(chance() * len(outcomes))][0])
                continue
            legal = state.legal_actions()
            state.apply_action(legal[int(chance() * len(legal))])
            actions += 1
        games += 1
    took = perf_counter() - began
    return {"actions_per_second": round(actions / took), "games_per_second": round(games / took)}
