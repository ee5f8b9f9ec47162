"""Invariants of every State, as assertion helpers."""

from collections import Counter

from coffeerush.rules import Setup, State
from coffeerush.rules.state import cards_of
from protocol import SUPPLY


def assert_conserved(state: State, setup: Setup) -> None:
    """Count every token, rush token, card and meeple of a game (R-COMP-5)."""
    cups = [cup for player in state.players for cup in player.cups]
    held = [_counts(packed) for packed in (state.supply, state.hand, *cups)]
    assert tuple(map(sum, zip(*held, strict=True))) == SUPPLY
    assert state.rush + sum(player.rush for player in state.players) == 15
    assert min(state.rush, *(player.rush for player in state.players)) >= 0
    piles = [state.deck, state.discards, state.removed]
    for player in state.players:
        piles += [*player.orders, player.completed, player.penalties]
    assert Counter(card for pile in piles for card in pile) == Counter(
        cards_of(setup.deck.drinks, None)
    )
    assert sum(map(len, piles)) == 80


def assert_meeples_apart(state: State) -> None:
    """Check that no two meeples share a cell, except one in the middle of its walk (R-MOVE-4)."""
    cells = [
        cell
        for seat, player in enumerate(state.players)
        for index, cell in enumerate(player.meeples)
        if (seat, index) != (state.active, state.meeple)
    ]
    assert len(set(cells)) == len(cells)
    assert state.standing == sum(1 << cell for cell in cells)


def _counts(packed: int) -> list[int]:
    counts = [packed >> 8 * kind & 255 for kind in range(8)]
    assert packed >> 64 == 0, "a count went below zero, or over its bits"
    return counts
