"""The guide at the end of a game: why it ended as it did, and what to try next."""

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.rules import view_for
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.advice.guide_lessons import Progress
from protocol import Phase, SeatView, TableView, Tally, TokenClosed, Upgrade
from tests.support.local import recorded
from tests.support.positions import Has, position

CORNERS = (Upgrade.DOUBLE_CORNERS,)


def ended(
    *seats: Has, deck: str | None = None, bots: tuple[str, ...] = (), best_turns: int = 1
) -> Model:
    """Return the model of the player of seat 0 after a game that ends so; `bots` play the rest."""
    over = replace(position(*seats, deck=deck), active=None, phase=Phase.OVER, closed=True)
    people = tuple(SeatView("person", name) for name in ("Ann", "Bob", "Cid")[: len(seats)])
    people = (*people[: len(people) - len(bots)], *(SeatView("bot", one, bot=one) for one in bots))
    table = TableView("Café", "result", people, None, (), (), False, 0, None)
    table = replace(table, tallies=tuple(Tally((1,), best_turns, 1) for _ in seats))
    return Model("player", "Ann", status="here", seat=0, table=table, view=view_for(over, 0))


def spoken(model: Model, plain: bool = False) -> str:
    return "\n".join(guide_lines(model, Progress(is_whole=True), plain))


def said(*seats: Has, deck: str | None = None, plain: bool = False) -> str:
    """Return what the guide says to the player of seat 0 after a game that ends so."""
    return spoken(ended(*seats, deck=deck), plain)


@pytest.mark.parametrize(
    ("me", "other", "part"),
    [
        (Has(completed=3), Has(completed=1), "What put you ahead of Bob: 2 more orders."),
        (Has(completed=1), Has(completed=3), "What put Bob ahead of you: 2 more orders."),
        (Has(upgrades=CORNERS), Has(), "What put you ahead of Bob: 1 more upgrade."),
        (
            Has(completed=2, penalties=1),
            Has(completed=1, penalties=5),
            "What put you ahead of Bob: 1 more order and 4 fewer penalties.",
        ),
        (
            Has(completed=2),
            Has(upgrades=CORNERS),
            "What put you ahead of Bob: more completed orders, with equal points.",
        ),
        (
            Has(completed=2),
            Has(completed=2, rush=1),
            "What put Bob ahead of you: more rush tokens, with equal points and orders.",
        ),
        (Has(completed=2), Has(completed=2), "You share the victory with Bob"),
    ],
)
def test_who_won_and_why(me: Has, other: Has, part: str) -> None:
    assert part in said(me, other)


def test_the_points_are_added_up() -> None:
    me = Has(completed=4, upgrades=CORNERS, penalties=2, rush=1)
    text = said(me, Has())
    assert "Your 4 points: 4 orders (+1 each), 1 upgrade (+2 each), 2 penalties (-1 each)." in text


@pytest.mark.parametrize(
    ("others", "deck", "part"),
    [
        (Has(penalties=5), None, "The game ended because somebody had 5 penalties or more."),
        (Has(), "", "The game ended because the deck ran out."),
        (Has(), None, "The game ended because nobody had an order left."),
    ],
)
def test_why_it_ended(others: Has, deck: str | None, part: str) -> None:
    assert part in said(Has(completed=1), others, deck=deck)


def test_what_closed_the_game_is_why_it_ended() -> None:
    """Though in the last round the deck ran out, too."""
    model = ended(Has(completed=1), Has(penalties=5), deck="")
    history = replace(model.history, events=(TokenClosed("penalties"),))
    assert "The game ended because somebody had 5 penalties or more." in spoken(
        replace(model, history=history)
    )


@pytest.mark.parametrize(
    ("me", "part"),
    [
        (Has(penalties=5, rush=3), "serve the orders in slots 4 and 3 first"),
        (Has(completed=2, rush=3), "activate an upgrade as soon as you have 3 completed orders"),
        (Has(upgrades=CORNERS, rush=3), "spend your rush tokens on steps"),
        (Has(upgrades=CORNERS), "fill two cups in one turn"),
    ],
)
def test_what_to_try_next_time(me: Has, part: str) -> None:
    assert f"Next time, {part}" in said(me, Has(completed=7)).replace("\n", " ")


@pytest.mark.parametrize(
    ("bots", "part"),
    [
        (("casual", "casual"), "try stronger bots"),
        (("casual",), "fill two cups in one turn"),
        (("regular", "casual"), "fill two cups in one turn"),
    ],
)
def test_stronger_bots_are_for_who_beats_the_weakest(bots: tuple[str, ...], part: str) -> None:
    model = ended(Has(upgrades=CORNERS, completed=9), Has(), Has(), bots=bots)
    assert f"Next time, {part}" in spoken(model)


@pytest.mark.parametrize("best", [2, 3])
def test_nobody_is_told_to_learn_what_they_have_done(best: int) -> None:
    me = Has(upgrades=CORNERS, completed=9)
    assert "Next time" not in spoken(ended(me, Has(), best_turns=best))


def test_it_names_only_what_this_person_has() -> None:
    friends, replay = "play with friends", "A replay shows this game again"
    alone, among = ended(Has(), Has(), bots=("casual",)), ended(Has(), Has())
    assert friends in spoken(replace(alone, owner=True))
    for model in (alone, among, replace(among, owner=True)):
        assert friends not in spoken(model)
    assert replay in spoken(recorded(among))
    assert replay not in spoken(among), "a guest over ssh has no records"


def test_what_did_not_come_up_is_explained() -> None:
    text = said(Has(completed=1), Has())
    for rule in ("An upgrade costs 3", "A penalty costs", "A rush token pays", "empty a cup"):
        assert rule in text.partition("This did not come up: ")[2]
    met = said(Has(completed=1, penalties=1, upgrades=CORNERS), Has())
    assert "An upgrade costs" not in met
    assert "A penalty costs" not in met


def test_plain_mode_has_a_line_for_each_thing_that_did_not_come_up() -> None:
    lines = said(Has(completed=1), Has(), plain=True).splitlines()
    begun = lines.index("This did not come up:")
    rules = (
        *("An upgrade costs 3", "A penalty costs", "An order for a specialty", "A rush token pays"),
        "Nothing moves from cup",
    )
    for line, rule in zip(lines[begun + 1 :], rules, strict=False):
        assert line.startswith(rule)
