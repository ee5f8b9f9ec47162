"""A replay without a terminal: keys, clicks, time, and drawing."""

from functools import cache
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.local.settings import Settings
from coffeerush.records.entries import read_record
from coffeerush.ui.pages.pages import Page, page_lines
from coffeerush.ui.replay.draw_replay import draw_replay, paint_replay
from coffeerush.ui.replay.replay import Replay
from coffeerush.ui.replay.replay_input import (
    RATES,
    REPLAY_HELP,
    REPLAY_KEYS,
    REPLAY_UI,
    ReplayAction,
    Watch,
    click,
    play_on,
    press,
    wheel,
)
from coffeerush.ui.terminal.canvas import Canvas, Target, width
from coffeerush.ui.terminal.keys import BACKSPACE, ENTER, ESCAPE, INTERRUPT, TAB
from protocol import GameEnded, OrderServed, PenaltiesTaken, Poured, RestReturned, TurnStarted
from tests.support.records import head_of, lines, play
from tests.support.stretched import speaking
from tests.ui.table.test_terminal_sizes import LETTERS, Watched

SIZES = [(40, 12), (60, 16), (80, 24), (100, 30), (120, 36), (200, 60)]


@cache
def replay_of(players: int = 4) -> Replay:
    return Replay(read_record(lines(play(head_of(players)))))


REPLAY = replay_of()
LAST = REPLAY.last


def at(rev: int, columns: int = 80, rows: int = 24) -> Watch:
    return Watch(at=rev, page=replace(REPLAY_UI, size=(columns, rows)))


def pressed(watch: Watch, *keys: str) -> Watch:
    for key in keys:
        watch = press(REPLAY, watch, key)
    return watch


def drawn(watch: Watch, replay: Replay = REPLAY) -> list[str]:
    return [*draw_replay(replay, watch, *watch.page.size).lines()]


def text_of(watch: Watch) -> str:
    return "\n".join(drawn(watch))


# Keys


@pytest.mark.parametrize("key", ["right", "l", " ", ENTER, "ㅣ", "д"])
def test_a_step_on(key: str) -> None:
    assert pressed(at(7), key).at == 8
    assert pressed(at(LAST), key).at == LAST


@pytest.mark.parametrize("key", ["right", "down", "n"])
def test_no_step_leads_into_the_result(key: str) -> None:
    """Before it, the last action is seen on the board; then it says which key leads on."""
    stopped = pressed(at(REPLAY.turns[-2]), *[key] * 40)
    assert stopped.at == REPLAY.stop == LAST - 1
    told = "The game is over: “End” shows the result."
    for watch in (stopped, pressed(stopped, key), wheel(REPLAY, at(LAST - 2), 9)):
        assert watch.at == LAST - 1
        assert told in text_of(watch)
    assert told not in text_of(at(LAST - 1))
    assert pressed(stopped, "end").at == LAST
    assert "This is the end." in text_of(pressed(at(LAST), key))


@pytest.mark.parametrize("key", ["left", "h", BACKSPACE, "ㅗ", "р"])
def test_a_step_back(key: str) -> None:
    assert pressed(at(7), key).at == 6
    assert pressed(at(0), key).at == 0


def test_start_and_end() -> None:
    assert pressed(at(9), "home").at == 0
    assert pressed(at(9), "end").at == LAST


@pytest.mark.parametrize(("back", "on"), [("up", "down"), ("k", "j"), ("pageup", "pagedown")])
def test_turns(back: str, on: str) -> None:
    begins = [0]
    while (rev := pressed(at(begins[-1]), on).at) < REPLAY.stop:
        begins.append(rev)
    assert rev == REPLAY.stop
    begins.append(LAST)
    for rev in begins[1:]:
        told = REPLAY.frame(rev).events
        assert any(isinstance(event, TurnStarted | GameEnded) for event in told)
        assert pressed(at(rev), back, on).at == min(rev, REPLAY.stop)
    assert pressed(at(begins[2] + 1), back).at == begins[2]
    assert pressed(at(0), back).at == 0
    assert len(begins) == 1 + sum(
        isinstance(event, TurnStarted | GameEnded)
        for rev in range(LAST)
        for event in REPLAY.frame(rev).events
    )


def test_what_ends_the_game_is_on_the_board() -> None:
    """As the penalties that close the café are, of players who had fewer before."""
    before, stop, last = (REPLAY.frame(rev).model for rev in (LAST - 2, LAST - 1, LAST))
    assert before.view
    assert stop.view == last.view != before.view
    assert (stop.table and stop.table.stage, last.table and last.table.stage) == ("game", "result")
    assert "The game is over" in text_of(at(LAST - 1))
    assert f"step {REPLAY.stop}/{REPLAY.stop} " in text_of(at(LAST - 1))
    assert f"step {REPLAY.stop}/{REPLAY.stop} " in text_of(at(LAST))


@pytest.mark.parametrize(("back", "on"), [("up", "down"), ("pageup", "pagedown")])
def test_a_list_of_orders_is_scrolled_back_as_far_as_on(back: str, on: str) -> None:
    listed = pressed(at(30), "v", on, on)
    assert listed.page.scroll > 0
    assert pressed(listed, back).page.scroll == pressed(at(30), "v", on).page.scroll
    assert pressed(listed, back, back, back).page.scroll == 0


def test_orders_that_are_served_or_late() -> None:
    watch, found = pressed(at(0), "n"), []
    while watch.at < REPLAY.stop:
        found.append(watch.at)
        watch = pressed(watch, "n")
    assert found
    wanted = [
        rev
        for rev in range(LAST + 1)
        if any(isinstance(e, OrderServed | PenaltiesTaken) for e in REPLAY.frame(rev).events)
    ]
    assert [rev for rev in wanted if rev < REPLAY.stop] == found
    assert pressed(at(found[1]), "N").at == found[0]
    assert pressed(at(found[0]), "N").at == 0


@pytest.mark.parametrize(
    ("keys", "rev"),
    [
        (("5", "7", ENTER), 57),
        (("5", "7", "g"), 57),
        (("g", "5", "7", ENTER), 57),
        (("5", "7", BACKSPACE, ENTER), 5),
        (("9",) * 20 + (ENTER,), LAST),
        (("5", ESCAPE), 30),
        (("g", ENTER), 30),
        (("g", "g"), 30),
        (("g", BACKSPACE), 30),
        (("5", " "), 31),
        (("5", "7", "left", "left", "1", "right", BACKSPACE, ENTER), 17),
        (("7", "home", "5", "end", "c-w", "4", ENTER), 4),
        (("0", ENTER), 0),
    ],
)
def test_going_to_a_number(keys: tuple[str, ...], rev: int) -> None:
    watch = pressed(at(30), *keys)
    assert (watch.at, watch.typed, watch.left) == (rev, None, False)


def test_what_is_typed_is_shown() -> None:
    assert f"Go to (0 to {REPLAY.stop}), then Enter: 57" in text_of(pressed(at(3), "5", "7"))


def test_playing_stops_at_the_end_and_begins_anew() -> None:
    watch = pressed(at(LAST - 2), "p")
    assert watch.playing
    watch = play_on(REPLAY, watch)
    assert (watch.at, watch.playing) == (LAST - 1, True)
    watch = play_on(REPLAY, watch)
    assert (watch.at, watch.playing) == (LAST, False)
    watch = pressed(watch, "p")
    assert (watch.at, watch.playing) == (0, True)
    assert not pressed(watch, "p").playing


def test_playing_passes_over_all_but_the_last_of_the_pours_in_a_row() -> None:
    watch, seen = pressed(at(0), "p"), [0]
    while watch.playing:
        watch = play_on(REPLAY, watch)
        seen.append(watch.at)

    def pours(rev: int) -> bool:
        return all(isinstance(one, Poured | RestReturned) for one in REPLAY.frame(rev).events)

    left_out = [rev for rev in range(LAST) if rev not in seen]
    assert left_out == [rev for rev in range(LAST) if pours(rev) and pours(rev + 1)]
    assert len(left_out) > LAST // 9


@pytest.mark.parametrize("key", ["right", "left", "up", "home", "n", "g", "?", "f2", "f3"])
def test_stepping_or_reading_stops_playing(key: str) -> None:
    assert not pressed(at(9), "p", key).playing


@pytest.mark.parametrize("key", [TAB, "s-tab", "+", "-"])
def test_other_keys_let_it_play(key: str) -> None:
    assert pressed(at(9), "p", key).playing


def test_the_speed_has_ends() -> None:
    assert pressed(at(0), "+").rate > at(0).rate > pressed(at(0), "-").rate
    assert pressed(at(0), *["="] * 20).rate == RATES[-1]
    assert pressed(at(0), *["-"] * 20).rate == RATES[0]
    assert "16 steps/s" in text_of(pressed(at(0), *["+"] * 20))


def test_whose_eyes() -> None:
    watch, seen = at(30), []
    for _seat in range(5):
        watch = pressed(watch, TAB)
        seen.append(watch.viewpoint)
    assert seen == [0, 1, 2, 3, None]
    assert pressed(at(30), "s-tab").viewpoint == 3
    assert "Bob: cups" in text_of(replace(at(30), viewpoint=1))
    assert "Bob: orders" in text_of(replace(at(31), viewpoint=1))


def test_by_itself_it_shows_who_moves() -> None:
    names = ("Ann", "Bob", "Cid", "Regular")
    for rev in REPLAY.turns[1:-1]:
        view = REPLAY.frame(rev).model.view
        active = view.active if view else None
        assert active is not None
        assert f"{names[active]}: cups" in text_of(at(rev))
        mover = REPLAY.frame(rev + 1).mover
        assert mover == active
        assert f"{names[active]}: cups" in text_of(at(rev + 1))


@pytest.mark.parametrize("key", ["q", ESCAPE, INTERRUPT, "й", "ㅂ"])
def test_leaving(key: str) -> None:
    assert pressed(at(3), key).left


def test_pages_open_and_close() -> None:
    for key, word in (("?", "Keys"), ("f1", "Keys"), ("f3", "Language")):
        opened = pressed(at(3), key)
        assert word in text_of(opened)
        assert pressed(opened, ESCAPE).page.mode == "table"
        assert not pressed(opened, ESCAPE).left
    assert pressed(at(3), "f2").page.mode == "rules"
    assert pressed(at(3), "?", INTERRUPT).left


def test_settings_are_changed_in_place() -> None:
    watch = pressed(at(3), "f3", "down", "right")
    assert watch.page.settings != Settings()
    assert watch.at == 3


def test_a_key_without_meaning_does_nothing() -> None:
    assert pressed(at(3), "x", "é", "f9", "²") == at(3)


# The help and the footer


def test_the_help_tells_every_key() -> None:
    helped = "\n".join(
        line for _style, line in page_lines(Page(mode="help", help=REPLAY_HELP), 300)
    )
    for binding in REPLAY_KEYS.bindings:
        assert binding.text in helped
        for cap, key in binding.shown:
            assert cap in helped
            assert key in binding.keys
    told = {action for one in REPLAY_KEYS.bindings for action in one.keys.values()}
    assert told == {*ReplayAction}
    assert "Keys" in text_of(pressed(at(0), "?"))


def keys_on(canvas: Canvas, y: int) -> set[str]:
    found = {canvas.target_at(x, y) for x in range(canvas.columns)}
    return {str(one.value) for one in found if one and one.kind == "key"}


@pytest.mark.parametrize("size", SIZES)
def test_what_the_footer_says_can_be_clicked(size: tuple[int, int]) -> None:
    canvas = draw_replay(REPLAY, at(30, *size), *size)
    keys = keys_on(canvas, size[1] - 1)
    assert {"?", "left", "right", "p"} <= keys
    for key in keys:
        assert click(REPLAY, at(30), Target("key", key)) == pressed(at(30), key)
        assert pressed(at(30), key) != at(30)


# The mouse


@pytest.mark.slow
def test_a_click_on_the_bar_goes_there() -> None:
    for size in SIZES[::2]:
        y = size[1] - 2
        revs = []
        canvas = draw_replay(REPLAY, at(30, *size), *size)
        for x in range(size[0]):
            target = canvas.target_at(x, y)
            if target:
                gone = click(REPLAY, at(30, *size), target)
                mark = drawn(gone)[y].index("◆")
                assert mark == x, "the mark comes to where the click was"
                revs.append(gone.at)
        assert revs[0] == 0
        assert revs[-1] == LAST
        assert revs == sorted(set(revs))


def test_a_click_on_a_player_takes_their_eyes_and_gives_them_back() -> None:
    canvas = draw_replay(REPLAY, at(30), 80, 24)
    y = next(y for y, line in enumerate(canvas.lines()) if " B Bob " in line)
    target = canvas.target_at(5, y)
    assert target == Target("seat", 1)
    watch = click(REPLAY, at(30), target)
    assert watch.viewpoint == 1
    assert click(REPLAY, watch, target).viewpoint is None


def test_the_wheel_steps_and_scrolls_pages() -> None:
    assert wheel(REPLAY, at(30), 1).at == 31
    assert wheel(REPLAY, at(30), -1).at == 29
    opened = pressed(at(30, 60, 16), "f2")
    rolled = wheel(REPLAY, opened, 1)
    assert (rolled.at, rolled.page.scroll) == (30, 1)
    assert wheel(REPLAY, rolled, -1).page.scroll == 0
    orders = wheel(REPLAY, pressed(at(30), "v"), 1)
    assert (orders.at, orders.page.scroll, orders.page.mode) == (30, 1, "orders")


def test_a_click_on_a_setting_changes_it() -> None:
    opened = pressed(at(30), "f3")
    assert click(REPLAY, opened, Target("row", 1)).page.settings != Settings()
    assert click(REPLAY, at(30), Target("row", 1)) == at(30)
    assert click(REPLAY, at(30), Target("cell", 1)) == at(30)


# Frames


@pytest.mark.slow
def test_forwards_and_backwards_are_the_same_frames() -> None:
    replay = replay_of(3)
    watch, on = at(0), [drawn(at(0), replay)]
    while watch.at < replay.stop:
        watch = press(replay, watch, "right")
        on.append(drawn(replace(watch, note=""), replay))
    back = [drawn(replace(watch, note=""), replay)]
    while watch.at > 0:
        watch = press(replay, watch, "left")
        back.append(drawn(watch, replay))
    assert on == back[::-1]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "players"), [((40, 12), 4), ((120, 36), 2)])
def test_every_frame_says_where_it_is_and_what_was_done(
    size: tuple[int, int], players: int
) -> None:
    replay = replay_of(players)
    for rev in range(replay.last + 1):
        shown = drawn(at(rev, *size), replay)
        assert f"{min(rev, replay.stop)}/{replay.stop}" in shown[-2]
        if rev < replay.last:
            assert any(f"{rev}. " in line for line in shown)


def test_nobody_stands_on_the_board_before_the_first_meeple() -> None:
    board = "".join(line[:29] for line in drawn(at(0))[1:14])
    assert "◆" not in board


def test_the_end_is_the_result_with_its_rounds() -> None:
    table = REPLAY.frame(LAST).model.table
    assert table is not None
    assert len(table.tallies) == 4
    before = REPLAY.frame(LAST - 1).model.table
    assert before is not None
    assert before.tallies == ()
    assert "Score by round, and awards" in text_of(at(LAST))


def test_everybodys_cups_and_hand_are_open() -> None:
    rev, event = next(
        (rev, event)
        for rev in range(LAST)
        for event in REPLAY.frame(rev).events
        if isinstance(event, Poured) and rev > REPLAY.turns[1]
    )
    shown = text_of(at(rev))
    assert "+" in next(line for line in drawn(at(rev)) if f"│ {event.cup} " in line)
    assert "being poured" not in shown
    held = next(
        rev
        for rev in range(LAST)
        if (view := REPLAY.frame(rev).model.view) and view.hand and sum(view.hand) > 2
    )
    assert "In hand:" in text_of(at(held))


@pytest.mark.slow
@pytest.mark.parametrize(("letter", "players"), [*zip(LETTERS, (2, 4, 2), strict=True)])
def test_every_moment_fits_any_terminal(letter: str, players: int) -> None:
    replay, chance = replay_of(players), Random(players)
    keys = ["", TAB, "p", "g", "f2", "f3", "?"]
    with speaking(letter):
        for rev in [*range(0, replay.last, 3), replay.last, replay.last]:
            columns, rows = chance.randint(40, 200), chance.randint(12, 60)
            watch = press(replay, at(rev, columns, rows), chance.choice(keys))
            canvas = Watched(columns, rows)
            paint_replay(canvas, replay, watch)
            for line in canvas.lines():
                assert width(line) == columns


def test_a_terminal_that_is_too_small_says_so() -> None:
    assert "Too small" in drawn(at(3, 30, 8))[0]


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_one_key_shows_all_orders_of_a_player(columns: int, rows: int) -> None:
    watch = at(LAST // 2, columns, rows)
    frame = REPLAY.frame(watch.at)
    view = frame.model.view
    assert view is not None
    assert view.active is not None
    names = {view.menu[one].name for slot in view.players[view.active].orders for one in slot}
    seen, listed = "", press(REPLAY, watch, "v")
    for _order in range(20):
        seen += "\n".join(drawn(listed))
        listed = press(REPLAY, listed, "down")
    assert listed.at == watch.at
    assert all(name in seen for name in names)
    assert press(REPLAY, listed, "v").page.mode == press(REPLAY, listed, ESCAPE).page.mode
    assert press(REPLAY, press(REPLAY, listed, "v"), "right").at == watch.at + 1
