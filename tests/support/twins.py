"""Twin States that a reader must not be able to tell apart (R-INFO-2), made independently of views.

A twin differs from its State only in what the reader may not know. So any View, event or byte
that differs between the two is a leak.
"""

from collections.abc import Sequence
from itertools import permutations
from random import Random

from msgspec.structs import replace

from coffeerush.rules import Player, State
from coffeerush.rules.board import ONE, kinds
from protocol import EmptyCup, Intent, Phase, Pour, Serve

ORDERS = tuple(permutations((0, 1, 2)))
Shuffles = dict[int, tuple[int, ...]]
"""For each seat, the new order of its cups."""


def remixed(state: State, reader: int | None, chance: Random, drawn: int = 0) -> State:
    """Return a twin: the deck reshuffled and all hidden tokens redistributed.

    Args:
        state: the real State.
        reader: the seat that must not notice, or None for a spectator.
        chance: source of randomness.
        drawn: how many cards of the deck are about to be seen and so stay in place.
    """
    others = [seat for seat in range(len(state.players)) if seat != reader]
    pool = [kind for seat in others for cup in state.players[seat].cups for kind in kinds(cup)]
    hidden = state.active != reader and state.phase in (Phase.FILLING, Phase.POURING)
    pool += kinds(state.hand) if hidden else []
    chance.shuffle(pool)
    hand = state.hand
    if hidden:
        least = 1 if state.phase is Phase.POURING else 0
        taken = chance.randint(least, len(pool))
        hand, pool = sum(ONE[kind] for kind in pool[:taken]), pool[taken:]
    cups = {seat: [0, 0, 0] for seat in others}
    for kind in pool:
        cups[chance.choice(others)][chance.randrange(3)] += ONE[kind]
    players = tuple(
        replace(player, cups=tuple(cups.get(seat, player.cups)))
        for seat, player in enumerate(state.players)
    )
    return replace(_other_deck(state, chance, drawn), players=players, hand=hand)


def shuffles(state: State, reader: int | None, chance: Random) -> Shuffles:
    """Return a new order of the cups for each seat except the reader's."""
    return {seat: chance.choice(ORDERS) for seat in range(len(state.players)) if seat != reader}


def shuffled(state: State, order: Shuffles) -> State:
    """Return a twin with its cups in another order, also in this turn's undo history."""
    players = tuple(_turned(player, order.get(seat)) for seat, player in enumerate(state.players))
    previous = None if state.previous is None else shuffled(state.previous, order)
    return replace(state, players=players, previous=previous)


def shuffled_intent(intent: Intent, order: Sequence[int] | None) -> Intent:
    """Return the intent that does the same in the twin."""
    if order is None or not isinstance(intent, EmptyCup | Pour | Serve):
        return intent
    return replace(intent, cup=1 + order.index(intent.cup - 1))


def _turned(player: Player, order: Sequence[int] | None) -> Player:
    if order is None:
        return player
    one, two, three = (player.cups[index] for index in order)
    return replace(player, cups=(one, two, three))


def _other_deck(state: State, chance: Random, drawn: int) -> State:
    rest = list(state.deck[drawn:])
    chance.shuffle(rest)
    return replace(state, deck=(*state.deck[:drawn], *rest))
