"""Positions for tests of the rules: States written in words.

Every position keeps R-COMP-5: tokens in no cup are in the supply, and cards in no hand are in the
deck. Tokens are written `milk ice ice`, orders `Mocha, Lungo`, in the words of the standard deck.
"""

from collections.abc import Iterable
from typing import NamedTuple

import pytest

from coffeerush.rules import Player, Setup, State, apply, deal, legal_intents, standard_deck
from coffeerush.rules.board import ONE, kinds, pack
from coffeerush.rules.legal import may_upgrade
from coffeerush.rules.state import Cards, cards_of, menu_of
from protocol import (
    CUPS,
    RUSH_TOKENS,
    SLOTS,
    SUPPLY,
    EndTurn,
    IllegalIntent,
    Ingredient,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    Refusal,
    ReturnRest,
    Serve,
    Step,
    Upgrade,
)

DRINKS = standard_deck().drinks
STANDING = {2: ((0, 1), (14, 15)), 3: ((0,), (3,), (12,)), 4: ((0,), (3,), (12,), (15,))}
"""Default cells of each seat's meeples, by player count."""


class Has(NamedTuple):
    """The pieces and cards of a seat in a position."""

    orders: tuple[str, ...] = ()
    """The open orders of slots 1 to 4; slots left out are empty."""
    cups: tuple[str, ...] = ()
    """The contents of cups 1 to 3; cups left out are empty."""
    meeples: tuple[int, ...] = ()
    completed: int = 0
    penalties: int = 0
    rush: int = 0
    upgrades: tuple[Upgrade, ...] = ()


def tokens(words: str) -> int:
    """Return `milk ice ice` as a packed multiset."""
    return sum(ONE[Ingredient[word.upper()]] for word in words.split())


def in_words(packed: int) -> str:
    """Return a packed multiset as `milk ice ice`, in the order of the ingredients."""
    return " ".join(Ingredient(kind).name.lower() for kind in kinds(packed))


def cards(names: str) -> Cards:
    """Return `Mocha, Lungo` as indices into the standard menu."""
    menu = [drink.name for drink in DRINKS]
    return tuple(menu.index(name.strip()) for name in names.split(",") if name.strip())


def position(
    *seats: Has,
    active: int = 0,
    start: int = 0,
    deck: str | None = None,
    closed: bool = False,
    round: int = 2,  # noqa: A002 - the field that it sets
) -> State:
    """Return a State at the start of `active`'s turn.

    Args:
        seats: what each has, 2 to 4 of them.
        active: the seat whose turn it is.
        start: the start player's seat.
        deck: the cards to draw, next one first; the others are discarded. None: all cards that
        are nowhere else, in the order of the menu.
        closed: whether the token shows CLOSED.
        round: counts from 1.
    """
    pool = cards_of(DRINKS, None)
    opened = [_taken(pool, map(cards, _padded(seat.orders, SLOTS))) for seat in seats]
    drawn = None if deck is None else _taken(pool, [cards(deck)])[0]
    players = tuple(
        _player(seat, slots, pool, STANDING[len(seats)][index])
        for index, (seat, slots) in enumerate(zip(seats, opened, strict=True))
    )
    return State(
        menu=menu_of(DRINKS),
        players=players,
        deck=tuple(pool) if drawn is None else drawn,
        supply=pack(SUPPLY) - sum(cup for player in players for cup in player.cups),
        rush=RUSH_TOKENS - sum(player.rush for player in players),
        discards=() if drawn is None else tuple(pool),
        removed=(),
        start=start,
        active=active,
        phase=Phase.UPGRADE if may_upgrade(players[active]) else Phase.MOVING,
        standing=sum(1 << cell for player in players for cell in player.meeples),
        round=round,
        closed=closed,
    )


def _player(seat: Has, slots: list[Cards], pool: list[int], standing: tuple[int, ...]) -> Player:
    one, two, three, four = slots
    first, second, third = map(tokens, _padded(seat.cups, CUPS))
    return Player(
        orders=(one, two, three, four),
        meeples=seat.meeples or standing,
        cups=(first, second, third),
        completed=tuple(pool.pop() for _ in range(seat.completed)),
        penalties=tuple(pool.pop() for _ in range(seat.penalties)),
        rush=seat.rush,
        upgrades=sum(1 << upgrade for upgrade in seat.upgrades),
    )


def _padded(words: tuple[str, ...], length: int) -> tuple[str, ...]:
    return (*words, *[""] * (length - len(words)))


def _taken(pool: list[int], piles: Iterable[Cards]) -> list[Cards]:
    taken = list(piles)
    for card in (card for pile in taken for card in pile):
        pool.remove(card)
    return taken


def play(state: State, *intents: Intent) -> State:
    """Return the State after intents of the active player."""
    for intent in intents:
        assert state.active is not None
        state = apply(state, state.active, intent)
    return state


def walk(state: State, *cells: int, meeple: int = 1) -> State:
    """Return the State after the active player's meeple stepped over `cells`."""
    return play(state, *(Step(meeple, cell) for cell in cells))


def ready(state: State) -> State:
    """Return the State in which the active player, after a step without ingredients, may serve."""
    for step in (one for one in legal_intents(state) if isinstance(one, Step)):
        stepped = play(state, step)
        if ReturnRest() in legal_intents(stepped):
            return play(stepped, ReturnRest())
    raise AssertionError("nowhere to go")


def finish(state: State, *serves: tuple[int, int]) -> State:
    """Return the State after a turn: one step without ingredients, and serves (cup, slot)."""
    return play(ready(state), *(Serve(cup, slot) for cup, slot in serves), EndTurn())


def refused(state: State, intent: Intent, seat: int | None = None) -> Refusal:
    """Return why `intent` is refused; by default for the active seat."""
    asking = state.active if seat is None else seat
    assert asking is not None
    with pytest.raises(IllegalIntent) as caught:
        apply(state, asking, intent)
    return caught.value.refusal


def dealt(players: int, seed: int = 1, first: int | None = 0) -> State:
    """Return a game of the standard deck before the first meeple is placed."""
    return deal(Setup(players, standard_deck(), seed, False, first))


def begun(state: State, *cells: int) -> State:
    """Return the State after placing meeples on `cells`, in turn; all tokens go into cup 1."""
    state = play(state, *(PlaceMeeple(cell) for cell in cells))
    while state.phase is Phase.FILLING:
        state = play(state, legal_intents(state)[0])
    return state


def steps(state: State) -> set[int]:
    """Return the cells that the first meeple, or the one that moves, may step to."""
    index = state.meeple or 0
    legal = (one for one in legal_intents(state) if isinstance(one, Step))
    return {step.cell for step in legal if step.meeple == index + 1}


def pours(state: State) -> set[tuple[str, int]]:
    legal = (one for one in legal_intents(state) if isinstance(one, Pour))
    return {(pour.ingredient.name.lower(), pour.cup) for pour in legal}
