"""The guide at the end of a game: why it ended as it did, and this player's best turn."""

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.rules import view_for
from coffeerush.ui.advice.guide import guide_lines
from protocol import Phase, SeatView, TableView, Tally, Upgrade
from tests.support.positions import Has, position

CORNERS = (Upgrade.DOUBLE_CORNERS,)


def ended(*seats: Has, best_turns: tuple[int, ...] = (1, 1, 1)) -> Model:
    """Return the model of the player of seat 0 after a game that ends so."""
    over = replace(position(*seats), active=None, phase=Phase.OVER, closed=True)
    people = tuple(SeatView("person", name) for name in ("Ann", "Bob", "Cid")[: len(seats)])
    table = TableView("Café", "result", people, None, (), (), False, 0, None)
    table = replace(table, tallies=tuple(Tally((1,), best, 1) for best in best_turns[: len(seats)]))
    return Model("player", "Ann", status="here", seat=0, table=table, view=view_for(over, 0))


@pytest.mark.parametrize(
    ("me", "other", "part"),
    [
        (Has(completed=3), Has(completed=1), "What put you ahead of Bob: 2 more completed orders."),
        (Has(completed=1), Has(completed=3), "What put Bob ahead of you: 2 more completed orders."),
        (Has(upgrades=CORNERS), Has(), "What put you ahead of Bob: 1 more upgrade."),
        (
            Has(completed=2, penalties=1),
            Has(completed=1, penalties=5),
            "What put you ahead of Bob: 1 more completed order and 4 fewer penalties.",
        ),
        (
            Has(completed=2),
            Has(upgrades=CORNERS),
            "What put you ahead of Bob: more completed orders, with equal points.",
        ),
        (
            Has(completed=2),
            Has(completed=2, rush=1),
            "What put Bob ahead of you: more rush tokens, with equal points and completed orders.",
        ),
        (Has(completed=2), Has(completed=2), "You share the victory with Bob"),
    ],
)
def test_who_won_and_why(me: Has, other: Has, part: str) -> None:
    assert part in "\n".join(guide_lines(ended(me, other)))


@pytest.mark.parametrize(
    ("best", "words"),
    [
        ((1, 0), "You served 1 order in one turn, first in round 1."),
        ((3, 2), "You served up to 3 orders in one turn, first in round 1."),
        ((2, 2), "What put Bob ahead of you: 2 more completed orders."),
        ((0, 1), "What put Bob ahead of you: 2 more completed orders."),
    ],
)
def test_the_last_words_are_of_the_turn_that_served_most_if_nobody_else_had_one(
    best: tuple[int, ...], words: str
) -> None:
    model = ended(Has(completed=1), Has(completed=3), best_turns=best)
    assert guide_lines(model)[-1] == words


def test_without_tallies_it_says_why_alone() -> None:
    model = ended(Has(completed=2), Has(completed=1))
    assert model.table
    model = replace(model, table=replace(model.table, tallies=()))
    assert guide_lines(model) == ("What put you ahead of Bob: 1 more completed order.",)
