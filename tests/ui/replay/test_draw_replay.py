"""A replay on terminals without room for everything: nothing is cut or covered silently."""

import re

import pytest
from msgspec.structs import replace

from coffeerush.ui.advice.review import Reason, ReviewedTurn
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import balance, penalty_lines, praise, turning_points, why
from coffeerush.ui.replay.replay_input import REPLAY_UI, Watch, press, review_on
from coffeerush.ui.terminal.canvas import EVERYTHING, Area, width
from coffeerush.ui.terminal.glyphs import CUT
from coffeerush.ui.terminal.parts import big_words
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import drink_name
from protocol import OrderServed, PenaltiesTaken
from tests.golden.frames import EXTREMES, spoken
from tests.support.screen_terminal import QUIET

from .test_reviewing import MARKED, of_four, pressed, replay

NARROW, NORMAL = (40, 12), (80, 24)
SIZES = pytest.mark.parametrize("size", [NARROW, NORMAL], ids=str)
LANGUAGE = pytest.mark.parametrize("language", EXTREMES)
SIDE = 21
"""The column of the orders on a narrow terminal."""
ARROWS = "↑↓ "
SLOTS = ("4!", "3 ", "2 ", "1 ")


def reviewed(size: tuple[int, int]) -> Watch:
    """Return a review with two marked turns, whose better lines are as long as what was played."""
    watch = press(replay(), Watch(page=replace(REPLAY_UI, size=size)), "w")
    assert watch.reviewing is not None
    for number, turn in enumerate(watch.reviewing.turns):
        cost = 30 if number in MARKED else 0
        done = ReviewedTurn(turn, turn.intents, 20, 20 + cost, Reason.SERVE, 1)
        watch = review_on(replay(), watch, done)
    return watch


def lines(watch: Watch) -> list[str]:
    return [*draw_replay(replay(), watch, *watch.page.size).lines()]


def squeezed(*texts: str) -> str:
    return "".join("".join(texts).split())


def read_through(watch: Watch) -> str:
    """Return the review at the end of a game, read on by a key until all of it was shown."""
    watch = press(replay(), watch, "home")
    shown = [line.rstrip(ARROWS) for line in noted(watch)]
    while (on := press(replay(), watch, "down")) != watch:
        if on.read > watch.read:
            shown.append(noted(on)[-1].rstrip(ARROWS))
        watch = on
    return squeezed(*shown)


def noted(watch: Watch) -> list[str]:
    """Return the lines of the review's page, above the progress bar."""
    return lines(watch)[1:-2]


@SIZES
@LANGUAGE
def test_a_note_is_read_to_its_end(language: str, size: tuple[int, int]) -> None:
    with spoken(language):
        watch = reviewed(size)
        assert watch.reviewing is not None
        assert watch.reviewing.review is not None
        known, review = watch.reviewing, watch.reviewing.review
        page = read_through(watch)
        assert page.startswith(
            squeezed(_("Your best turn was in round {round}: {deeds}.").split("{")[0])
        )
        told = [*praise(review), *penalty_lines(replay(), review), *balance(review)]
        assert all(squeezed(text) in page for text in told)
        assert squeezed(turning_points(review)) in page
        for turn in known.done:
            watch = replace(watch, at=turn.turn.rev)
            *rows, _bar, _footer = lines(watch)
            if turn in known.marked:
                assert squeezed(*rows).endswith(squeezed(why(replay(), turn)))
            assert CUT not in rows[-1]


@SIZES
@LANGUAGE
def test_a_lost_game_without_marks_is_read_to_its_end(language: str, size: tuple[int, int]) -> None:
    watch = press(replay(), Watch(page=replace(REPLAY_UI, size=size)), "w")
    assert watch.reviewing is not None
    for number, turn in enumerate(watch.reviewing.turns):
        chance = 20 if number > 4 else 40
        done = ReviewedTurn(turn, turn.intents, chance, chance, Reason.SERVE, 1)
        watch = review_on(replay(), watch, done)
    assert watch.reviewing is not None
    assert watch.reviewing.review is not None
    with spoken(language):
        told = [*balance(watch.reviewing.review)]
        assert told
        assert squeezed(*told) in read_through(replace(watch, at=replay().last))


@SIZES
def test_a_result_ends_with_the_latest_event(size: tuple[int, int]) -> None:
    rows = lines(Watch(at=replay().last, page=replace(REPLAY_UI, size=size)))
    said = [y for y, row in enumerate(rows) if "The game is over; Bob wins." in row]
    assert said in ([size[1] - 3], [])
    assert said or size == NORMAL


def test_leaving_says_where_it_leads() -> None:
    """To a shell, or back to a result or the menu."""
    for goes_back, label in ((False, "q leave"), (True, "q back")):
        watch = Watch(page=replace(REPLAY_UI, size=(80, 24)), goes_back=goes_back)
        assert label in lines(watch)[-1]


def test_the_keys_between_orders_show_what_they_stop_at() -> None:
    assert " N n next order " in lines(Watch(page=replace(REPLAY_UI, size=(100, 24))))[-1]


@SIZES
@LANGUAGE
def test_the_pace_has_its_label(language: str, size: tuple[int, int]) -> None:
    with spoken(language):
        watch = Watch(page=replace(REPLAY_UI, size=size))
        for key, speed in (("+", 4), ("-", 2)):
            watch = pressed(watch, key)
            pace = ngettext("{count} step/s", "{count} steps/s", speed).format(count=speed)
            assert lines(watch)[-2].rstrip().endswith(pace)


@pytest.mark.parametrize("size", [NARROW, NORMAL, (120, 36)])
def test_the_header_says_how_everybody_stands(size: tuple[int, int]) -> None:
    at = replay().last // 2
    header = lines(Watch(at=at, page=replace(REPLAY_UI, size=size)))[0]
    view = replay().frame(at).model.view
    assert view
    names = ("Ann", "Bob", "Regular") if size == (120, 36) else "ABR"
    scores = [player.score for player in view.players]
    stands = (f"{name} {score}" for name, score in zip(names, scores, strict=True))
    assert " ".join(stands) in header


@pytest.mark.parametrize("size", [NARROW, NORMAL, (120, 36)], ids=str)
@LANGUAGE
def test_the_header_says_that_it_is_a_replay(language: str, size: tuple[int, int]) -> None:
    with spoken(language):
        for watch, title in (
            (Watch(page=replace(REPLAY_UI, size=size)), _("Replay")),
            (reviewed(size), _("Analysis")),
        ):
            for at in range(0, replay().last + 1, replay().last // 4):
                assert title in lines(replace(watch, at=at))[0]
            assert title in lines(replace(watch, at=replay().last))[0]


def test_a_list_of_orders_is_above_no_note() -> None:
    watch = pressed(reviewed(NARROW), "w", "v")
    *rows, bottom, _bar, _footer = lines(watch)
    assert rows[1].startswith("┌─ Ann: orders")
    assert bottom.startswith("└─")


@pytest.mark.parametrize("is_reviewed", [False, True])
def test_covered_orders_are_counted(is_reviewed: bool) -> None:
    watch = reviewed(NARROW) if is_reviewed else Watch(page=replace(REPLAY_UI, size=NARROW))
    for rev in range(0, replay().last, 3):
        frame = replay().frame(rev)
        rows = [row[SIDE:] for row in lines(replace(watch, at=rev))[5:-2]]
        shown = sum(row.startswith(SLOTS) for row in rows)
        assert frame.model.view is not None
        orders = sum(len(slot) for slot in frame.model.view.players[frame.viewpoint].orders)
        assert shown in (0, orders) or f"v {orders - shown} more" in "\n".join(rows)


@pytest.mark.slow
def test_the_players_are_shown_together_or_not_at_all() -> None:
    watch = reviewed(NORMAL)
    for rev in range(replay().last):
        rows = lines(replace(watch, at=rev))
        assert sum(row[1:6] in ("A Ann", "B Bob", "R Reg") for row in rows) in (0, 3)


@pytest.mark.slow
@pytest.mark.parametrize("is_reviewed", [False, True])
@pytest.mark.parametrize("size", [NORMAL, (120, 36)], ids=str)
def test_players_and_log_keep_their_places(size: tuple[int, int], is_reviewed: bool) -> None:
    """However many lines the review says in a frame."""
    watch = reviewed(size) if is_reviewed else Watch(page=replace(REPLAY_UI, size=size))
    assert watch.reviewing is None or watch.reviewing.marked
    found = {
        tuple(y for y, row in enumerate(rows) if row[1:6] in ("A Ann", "B Bob", "R Reg", "─ Log"))
        for rows in (lines(replace(watch, at=rev)) for rev in range(0, replay().last, 4))
    }
    found -= {()} if is_reviewed and size == NORMAL else set()  # they give way to a long note
    assert len(found) == 1
    assert () not in found


@pytest.mark.parametrize("size", [NORMAL, (120, 36)], ids=str)
@LANGUAGE
def test_the_last_round_stands_apart_from_the_scores(language: str, size: tuple[int, int]) -> None:
    watch = Watch(page=replace(REPLAY_UI, size=size), at=of_four().stop - 1)
    with spoken(language):
        canvas = draw_replay(of_four(), watch, *size)
        ((_texts, styles),) = canvas.copy(Area(0, 0, size[0], 1))
        alarm = canvas.marks["warning"]
        assert styles[alarm.x : alarm.x + alarm.columns] == ("class:warning",) * alarm.columns
        assert canvas.copy(alarm)[0][0][0].strip()
        assert styles[alarm.x - 1] == "class:header"


@pytest.mark.parametrize(("size", "most"), [((120, 30), 8), ((100, 24), 4), ((80, 24), -1)])
def test_cups_are_pictures_where_each_order_keeps_a_line(size: tuple[int, int], most: int) -> None:
    seen = set[bool]()
    for at in range(0, of_four().last, 5):
        frame = of_four().frame(at)
        own = of_four().seen_by(frame, frame.viewpoint).view
        assert own
        assert own.own
        count = sum(map(len, own.players[own.own.seat].orders))
        watch = Watch(at=at, page=replace(REPLAY_UI, size=size, tiles=True))
        pictured = "▀ 2 ▀" in "".join(draw_replay(of_four(), watch, *size).lines())
        assert pictured == (count <= most), (at, count)
        seen.add(pictured)
    assert (True in seen) == (most > 0)


def test_a_log_begins_with_the_start_of_a_sentence() -> None:
    for at in range(replay().last):
        rows = lines(Watch(at=at, page=replace(REPLAY_UI, size=NORMAL)))
        players = next(y for y, row in enumerate(rows) if row[1:6] == "R Reg")
        assert not rows[players + 1].startswith("   "), rows


def test_orders_and_supply_have_one_place_in_all_steps() -> None:
    watch, edges, supplies = Watch(page=replace(REPLAY_UI, size=NORMAL)), set(), set()
    for at in range(replay().last):
        rows = lines(replace(watch, at=at))
        edges |= {y for y, row in enumerate(rows) if "└──" in row[SIDE:]}
        supplies |= {y for y, row in enumerate(rows) if "Supply" in row}
    assert edges == {13}
    assert supplies == {14}


def test_a_player_has_one_colour_in_every_point_of_view() -> None:
    colours = set()
    for viewpoint in range(2):
        watch = Watch(at=100, viewpoint=viewpoint, page=replace(REPLAY_UI, size=NORMAL))
        cells = [*draw_replay(replay(), watch, *NORMAL).cells(EVERYTHING)]
        (style,) = (styles[1] for marks, styles in cells if "".join(marks)[1:6] == "A Ann")
        assert ("reverse" in style) == (viewpoint == 0)
        colours.add(style.removesuffix(" reverse"))
    assert len(colours) == 1


def test_the_number_of_the_step_has_no_hole_and_moves_nothing() -> None:
    bars = [lines(Watch(at=at, page=replace(REPLAY_UI, size=NORMAL)))[-2] for at in (0, 10, 100)]
    for at, bar in zip((0, 10, 100), bars, strict=True):
        assert bar.startswith(f" step {at}/{replay().stop} ")
        assert len(bar.split("2 steps/s")[0]) == len(bars[0].split("2 steps/s")[0])


def test_the_columns_of_the_players_have_titles_and_one_place_in_all_steps() -> None:
    starts, titles = set(), set()
    for at in range(0, replay().last, 3):
        rows = lines(Watch(at=at, page=replace(REPLAY_UI, size=NORMAL)))
        ((y, titled),) = ((y, row) for y, row in enumerate(rows) if "orders by slot" in row)
        assert [row[1:6] for row in rows[y + 1 : y + 4]] == ["A Ann", "B Bob", "R Reg"]
        titles.add(titled)
        cups = titled.index("cups")
        assert titled.index("orders by slot") + len("orders by slot") == cups - 2
        for row, held in zip(rows[y + 1 :], replay().frame(at).cups, strict=False):
            assert re.search(r" 1:\d 2:\d 3:\d 4:\d  $", row[:cups])
            starts |= {cups + width(row[cups:][:place]) for place in (0, 9, 18)}
            for place, cup in zip((0, 9, 18), held, strict=True):
                assert len(row[cups + place :][:9].strip()) == max(2 * sum(cup), 1)
    assert len(titles) == 1
    assert len(starts) == 3


def test_the_players_are_shown_in_a_turn_of_an_analysis() -> None:
    watch = reviewed(NORMAL)
    assert watch.reviewing
    turn = watch.reviewing.done[0]
    assert turn not in watch.reviewing.marked
    rows = lines(replace(watch, at=turn.turn.rev))
    assert [row[1:6] for row in rows if row[1:6] in ("A Ann", "B Bob", "R Reg")]
    assert any("Round 1, a good turn" in row for row in rows)
    assert any(f" {turn.turn.rev}. " in row for row in rows)


def test_on_a_narrow_screen_a_good_turn_leaves_room_for_orders() -> None:
    """Its note gives up what is less important."""
    watch = reviewed(NARROW)
    assert watch.reviewing
    first, *others = watch.reviewing.done
    told = replace(first, coming=(0, 1, 2), other=first.best, other_chance=9)
    watch = replace(watch, reviewing=replace(watch.reviewing, done=(told, *others)))
    rows = lines(replace(watch, at=first.turn.rev))
    (y,) = (y for y, row in enumerate(rows) if row.startswith(" Round 1, a good turn"))
    assert len(rows) - 2 - y <= 3
    assert any(row[SIDE:].startswith(SLOTS) for row in rows)


# What happens in a step, as at the table


LIVELY = replace(REPLAY_UI, size=NORMAL, animated=True)


def served(count: int) -> tuple[int, OrderServed]:
    """Return where a turn's order of this number is served, and the event."""
    for rev in replay().marks:
        view, event = replay().frame(rev).model.view, replay().frame(rev).events[0]
        if view and view.served == count and isinstance(event, OrderServed):
            return rev, event
    raise AssertionError("no turn serves so many")


def test_an_order_that_is_served_is_stamped_where_it_was() -> None:
    rev, event = served(1)
    name = drink_name(replay().frame(rev).model, event.drink)
    before, after = (lines(Watch(at=at, page=LIVELY)) for at in (rev - 1, rev))
    (y,) = (y for y, row in enumerate(after) if f" ✓ +1 {name}" in row or f"↯ {name} " in row)
    assert name in before[y][SIDE:]
    for page in (replace(LIVELY, animated=False), replace(LIVELY, settings=QUIET)):
        assert not any("+1 " in row for row in lines(Watch(at=rev, page=page)))


def test_a_double_is_written_over_the_board() -> None:
    banner = big_words("DOUBLE", 40)
    for count, is_written in ((1, False), (2, True)):
        rows = lines(Watch(at=served(count)[0], page=LIVELY))
        assert any(banner[0] in row for row in rows) is is_written


def test_what_expires_is_shown_beside_the_name() -> None:
    rev = next(
        rev
        for rev in replay().marks
        if any(isinstance(event, PenaltiesTaken) for event in replay().frame(rev).events)
    )
    rows = lines(Watch(at=rev, page=LIVELY))
    assert [row for row in rows if re.match(r".[ABR] \w+ .*✗ -1 ", row)]
