"""Steered games: an intent chooser that serves, upgrades and spends rush tokens.

It depends only on the State and a random generator, not on any bot, so that its games, including
perft counts, stay the same when bots change.
"""

from collections.abc import Iterator, Sequence
from random import Random

from coffeerush.rules import Setup, State, advance, deal, legal_intents, standard_deck
from coffeerush.rules.board import unpack
from protocol import (
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Intent,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Step,
    Undo,
)

TABLES = tuple((players, starters) for players in (2, 3, 4) for starters in (False, True))
"""Every kind of table: number of players, and whether starter orders are used."""


def setup_of(players: int, starters: bool, seed: int) -> Setup:
    """Return a setup of the standard deck."""
    return Setup(players, standard_deck(), seed, starters)


def steer(state: State, chance: Random) -> Intent:
    """Return a legal intent that is useful to the active seat, most of the time."""
    legal = [one for one in legal_intents(state) if not isinstance(one, Undo)]
    serves = [one for one in legal if isinstance(one, Serve | ActivateUpgrade)]
    if serves:
        return _any(serves, chance)
    useful = [one for one in legal if isinstance(one, Pour) and _fits(state, one)]
    steps = [one for one in legal if isinstance(one, Step | PlaceMeeple)]
    if steps and (len(state.path) < 4 or chance.random() < 0.3):
        return _any(steps, chance)
    if useful:
        return _any(useful, chance)
    stuck = [one for one in legal if isinstance(one, EmptyCup)]
    if stuck and chance.random() < 0.1:
        return _any(stuck, chance)
    ends = [one for one in legal if isinstance(one, ReturnRest | EndTurn)]
    return _any(ends or legal, chance)


def steered(setup: Setup) -> Iterator[tuple[State, Intent, State]]:
    """Yield (before, intent, after) of a whole steered game."""
    chance = Random(setup.seed)
    state = deal(setup)
    while state.active is not None:
        intent = steer(state, chance)
        before, state = state, advance(state, intent)
        yield before, intent, state


def moves_of(setup: Setup) -> list[tuple[Seat, Intent]]:
    """Return the moves of a whole steered game."""
    return [
        (before.active, intent) for before, intent, _ in steered(setup) if before.active is not None
    ]


def _any(among: Sequence[Intent], chance: Random) -> Intent:
    return among[int(chance.random() * len(among))]


def _fits(state: State, pour: Pour) -> bool:
    """Return whether the cup, with the token added, could still become an open order."""
    assert state.active is not None
    player = state.players[state.active]
    cup = list(unpack(player.cups[pour.cup - 1]))
    cup[pour.ingredient] += 1
    wanted = [state.menu.drinks[card].recipe for slot in player.orders for card in slot]
    return any(all(a <= b for a, b in zip(cup, recipe, strict=True)) for recipe in wanted)
