"""States that a reader may not tell apart (R-INFO-2): made without a look at how views are made.

A twin of a State differs from it in nothing but what its reader may not know. So a View, an event
or a byte that differs between the two gives something away.
"""

from collections.abc import Sequence
from itertools import permutations
from random import Random

from msgspec.structs import replace

from coffeerush.rules import Player, State
from coffeerush.rules.multiset import ONE, kinds
from protocol import EmptyCup, Intent, Phase, Pour, Serve

ORDERS = tuple(permutations((0, 1, 2)))
Shuffles = dict[int, tuple[int, ...]]
"""For a seat, which of its cups comes first, second and third."""


def remixed(state: State, reader: int | None, chance: Random, drawn: int = 0) -> State:
    """Return a twin: other cards to come, and all hidden tokens dealt out anew.

    Args:
        state: the truth.
        reader: the seat that must not notice, or None for a spectator.
        chance: decides what changes.
        drawn: how many cards of the deck are about to be seen, and stay where they are.
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
    """Return another order of the cups for each seat but the reader's."""
    return {seat: chance.choice(ORDERS) for seat in range(len(state.players)) if seat != reader}


def shuffled(state: State, order: Shuffles) -> State:
    """Return a twin whose cups stand in another order, in the past of this turn too."""
    players = tuple(_turned(player, order.get(seat)) for seat, player in enumerate(state.players))
    previous = None if state.previous is None else shuffled(state.previous, order)
    return replace(state, players=players, previous=previous)


def shuffled_intent(intent: Intent, order: Sequence[int] | None) -> Intent:
    """Return what does the same in the twin, where the cup stands elsewhere."""
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
