"""Awards at the end of a game: each is true, and nobody has that of another."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.rules import view_for
from coffeerush.ui.terminal.canvas import width
from coffeerush.ui.words.awards import Award, For, award_text, awards
from coffeerush.ui.words.table import result_lines
from protocol import Phase, Tally, Upgrade, View
from tests.golden.frames import LANGUAGES, spoken
from tests.support.local import LocalTable, play
from tests.support.positions import Has, position

CORNERS, DIAGONAL = (Upgrade.DOUBLE_CORNERS,), (Upgrade.DIAGONAL_MOVE,)
SMALLEST = 28
"""The cells that the smallest screen has for an award, next to a few rounds."""


def over(*seats: Has, deck: str | None = None) -> View:
    state = position(*seats, deck=deck, closed=True)
    return view_for(replace(state, active=None, phase=Phase.OVER), None)


def tally(*scores: int, best: int = 1) -> Tally:
    return Tally(scores, best, 1)


LAST = Has(penalties=4)
TWO = (Has(completed=5, rush=1), Has(completed=3, penalties=1))


@pytest.mark.parametrize(
    ("view", "tallies", "seat", "award"),
    [
        (over(*TWO), (tally(1, 5), tally(3, 2)), 0, Award(For.COMEBACK, 2)),
        (over(*TWO), (tally(2, 5), tally(3, 2)), 0, Award(For.SERVED_MOST, 5)),
        (over(*TWO), (tally(2, 5), tally(1, 2)), 0, Award(For.ALWAYS_AHEAD)),
        (over(*TWO), (tally(2, 5), tally(2, 2, best=3)), 1, Award(For.FULL_TURN, 3)),
        (over(*TWO), (tally(2, 5), tally(2, 2, best=2)), 1, Award(For.BEST_TURN, 2)),
        (over(*TWO), (tally(2, 5, best=2), tally(2, 2, best=2)), 1, None),
        (over(*TWO), (tally(2, 5, best=3), tally(2, 2, best=3)), 1, None),
        (over(*TWO), (tally(2, 4), tally(0, 3)), 1, Award(For.BEST_ROUND, 3)),
        (over(*TWO), (), 1, None),
        (over(Has(completed=9), Has(penalties=5)), (), 1, Award(For.CLOSED, 5)),
        (over(Has(completed=9), Has(penalties=5), deck=""), (), 1, None),
        (
            over(Has(completed=9, penalties=6), Has(penalties=5)),
            (),
            1,
            Award(For.FEWEST_PENALTIES, 5),
        ),
        (over(Has(completed=4), Has(completed=4), Has()), (), 2, None),
        (over(Has(completed=4), Has(completed=2), LAST), (), 1, Award(For.NEARLY, 2)),
        (over(Has(completed=5), Has(completed=2), LAST), (), 1, None),
        (over(Has(completed=4), Has(completed=3, penalties=1), Has(completed=2)), (), 2, None),
        (over(Has(completed=5), Has(completed=2, rush=2), LAST), (), 1, Award(For.RUSH, 2)),
        (
            over(Has(completed=3), Has(completed=4, penalties=1), LAST),
            (),
            1,
            Award(For.TIE_BREAK),
        ),
        (over(Has(completed=1), Has(upgrades=CORNERS), LAST), (), 1, Award(For.SERVED_MOST, 3, 3)),
        (
            over(Has(completed=4), Has(completed=1, upgrades=CORNERS), Has(completed=4)),
            (),
            1,
            Award(For.UPGRADES, 1),
        ),
        (over(Has(completed=2), Has(completed=2, rush=1), LAST), (), 0, Award(For.LEVEL)),
        (over(Has(completed=9, penalties=1), Has(), LAST), (), 1, Award(For.NO_PENALTY)),
    ],
)
def test_an_award_is_for_what_is_true_of_one_player(
    view: View, tallies: tuple[Tally, ...], seat: int, award: Award | None
) -> None:
    assert awards(view, tallies)[seat] == award


def test_who_lost_a_tie_by_orders_is_not_praised_for_most_orders() -> None:
    """The winner kept five of the five orders served, the other one five of eight."""
    tied = over(Has(completed=5), Has(completed=5, upgrades=CORNERS, penalties=2), LAST)
    assert tied.players[0].score == tied.players[1].score
    kept = over(Has(completed=5), Has(completed=3, upgrades=CORNERS), LAST)
    assert kept.players[0].score == kept.players[1].score
    assert awards(kept, ())[0] == Award(For.TIE_BREAK)
    assert For.SERVED_MOST not in {award.what for award in awards(kept, ()) if award}
    # who shares the victory lost nothing
    assert {award.what for award in awards(tied, ()) if award} >= {For.SERVED_MOST}


def test_nobody_who_shares_the_victory_came_back_or_was_always_ahead() -> None:
    view = over(Has(completed=2), Has(completed=2))
    found = {one.what for one in awards(view, (tally(0, 2), tally(2, 2))) if one}
    assert not found & {For.COMEBACK, For.ALWAYS_AHEAD}


@pytest.mark.parametrize(
    ("winner", "scores", "award"),
    [
        ((0, 0, 0, 0, 9, 9), (1, 1, 1, 1, 3, 5), Award(For.LED, 4)),
        ((4, 5, 3, 6, 6, 7), (0, 0, 4, 4, 4, 4), Award(For.START, 4)),
        ((0, 2, 2, 2, 4, 5), (-2, -2, -2, -2, 0, 2), Award(For.FINISH, 4)),
        ((0, 1, 4, 5, 7), (1, 1, 1, 1, 1), Award(For.FIRST, 1)),
        ((0, 0, 4, 5, 7), (0, 1, 1, 1, 1), Award(For.FIRST, 2)),
        ((-1, 1, 1, 1, 1, 4), (0, 1, 1, 1, 1, 1), None),
    ],
)
def test_who_lost_has_an_award_for_a_part_of_the_game(
    winner: tuple[int, ...], scores: tuple[int, ...], award: Award | None
) -> None:
    view = replace(over(Has(completed=9), Has(completed=3, penalties=1)), round=len(scores))
    assert awards(view, (tally(*winner), tally(*scores)))[1] == award


def test_of_a_game_longer_than_its_tallies_the_first_round_is_no_gain() -> None:
    view = replace(over(*TWO), round=70)
    assert awards(view, (tally(9, 10), tally(9, 9)))[1] is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_nobody_has_the_award_of_another(seed: int) -> None:
    local = LocalTable(4, ("regular", "casual"), seed)
    ann, _bob = local.link("Ann"), local.link("Bob")
    local.start()
    play(local, Random(seed), lambda: None)
    view, table = ann.model.view, ann.model.table
    assert view
    assert table
    assert view.standings
    found = awards(view, table.tallies)
    texts = [award_text(one) for one in found if one]
    assert len(found) == 4
    assert len(texts) == len({*texts})
    told = [line for line in result_lines(ann.model, view) if line.startswith("Award")]
    assert told == [
        f"Award for {table.seats[one.seat].name}: {award_text(award)}."
        for one in view.standings
        if (award := found[one.seat])
    ]


def test_nobody_has_an_award_for_what_another_did_as_well() -> None:
    view = over(Has(completed=9), *[Has(completed=3, penalties=1)] * 2)
    assert awards(view, [tally(9, best=2)] + [tally(3, best=2)] * 2)[1:] == (None, None)


def test_orders_spent_on_upgrades_are_told_apart_where_there_is_room() -> None:
    award = Award(For.SERVED_MOST, 14, 6)
    assert award_text(award) == "most orders served: 14 (6 for upgrades)"
    assert award_text(award, brief=True) == "most orders served: 8+6"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [1, 2, 5, 21])
def test_every_award_fits_next_to_a_few_rounds(language: str, count: int) -> None:
    with spoken(language):
        texts = [award_text(Award(what, count)) for what in For]
    assert len({*texts}) == len(For) - 1, "two of them are the number of orders in one turn"
    assert all(width(text) <= SMALLEST for text in texts), texts
