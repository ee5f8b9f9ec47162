"""The table on a drawn terminal: games by keys, pacing, bell, and when nothing happens."""

import asyncio
import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from statistics import median

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace
from prompt_toolkit.input import create_pipe_input

from coffeerush.client import session
from coffeerush.client.model import Model
from coffeerush.local.settings import SPEEDS, Settings, Speed
from coffeerush.ui.advice.advice import hint
from coffeerush.ui.advice.guide_lessons import FULL_TURNS
from coffeerush.ui.pages.pages import ROWS
from coffeerush.ui.table.actions import SEE_SECONDS, next_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import MOMENT_SECONDS, Ui
from coffeerush.ui.table.table_app import (
    BEAT_SECONDS,
    BEHIND_SECONDS,
    CHARACTER_SECONDS,
    CLOCK_SHARE,
    GUIDED,
    MAX_QUEUE,
    READ_SECONDS,
    STEP_SECONDS,
    Pace,
    Reading,
    due,
    enqueue,
    reading,
    show_next,
    skip as skip_moves,
)
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.fullscreen import REDRAW_SECONDS
from coffeerush.ui.words.i18n import set_language
from coffeerush.ui.words.names import after_colon
from protocol import NO_ID, SLOTS, Chat, EndTurn, Phase, Said, Serve, Step, encode
from tests.support.hosts_and_clients import Deadline
from tests.support.local import LocalLink, LocalTable, begun, choose, play
from tests.support.screen_terminal import (
    BACKSPACE,
    DOWN,
    ENTER,
    ESCAPE,
    F1,
    F3,
    INTERRUPT,
    LEFT,
    PAGE_DOWN,
    PAGE_UP,
    QUIET,
    RIGHT,
    TAB,
    UP,
    Terminal,
    idle,
    run,
    shown,
    skip,
    start_clock,
)

pytestmark = pytest.mark.slow

# Whole turns and games by keys, through the real parser and the real output


def arrows_to(link: LocalLink, chance: Random) -> str:
    """Return a key that makes a legal step."""
    view = link.model.view
    assert view is not None
    assert view.own is not None
    cell = view.players[view.own.seat].meeples[(view.meeple or 1) - 1]
    keys = {-4: UP, 4: DOWN, -1: LEFT, 1: RIGHT, -5: "y", -3: "u", 3: "b", 5: "n"}
    steps = [
        option.intent.cell
        for option in view.own.options
        if isinstance(option.intent, Step) and option.intent.meeple == (view.meeple or 1)
    ]
    return keys[chance.choice(steps) - cell]


async def take_turn(terminal: Terminal, chance: Random) -> None:
    """Follow the screen's suggestions, with keys only, until the turn is over."""
    link = terminal.link
    while link.model.my_turn and link.model.table and link.model.table.stage == "game":
        before = link.model.view
        assert before is not None
        walking = before.phase in (Phase.UPGRADE, Phase.MOVING)
        coming = next_of(Scene(link.model, Ui()))
        assert coming is not None
        if before.phase is Phase.PLACING:
            await terminal.press(chance.choice([UP, DOWN, LEFT, RIGHT]), ENTER)
        elif not coming.wishes or (walking and before.steps_left):
            await terminal.press(arrows_to(link, chance))
        elif isinstance(coming.wishes[0], EndTurn | Serve):
            await terminal.press(ENTER)
        else:
            await terminal.press(" ")
        await terminal.until_moved(before)


@pytest.mark.parametrize(("columns", "rows", "seats"), [(80, 24, 4), (120, 36, 2), (40, 12, 3)])
async def test_a_whole_game_by_keys(columns: int, rows: int, seats: int) -> None:
    bots = ("regular", "random", "regular")[: seats - 1]
    local = LocalTable(seats, bots, seed=seats)
    async with shown(local.link("Ann"), columns, rows) as terminal:
        await terminal.see("Ann")
        await terminal.press(ENTER)
        await terminal.see("place")
        chance = Random(rows)
        for _ in range(60):
            await take_turn(terminal, chance)
            table = terminal.link.model.table
            if table is not None and table.stage == "result":
                break
        await terminal.see("Enter start a rematch")
        assert terminal.link.model.view is not None
        for standing in terminal.link.model.view.standings:
            assert any(f"{standing.rank}. " in line for line in terminal.lines)
        await terminal.press(ENTER)
        await terminal.see("place")


async def test_five_keys_are_a_turn() -> None:
    local = LocalTable(3, ("regular", "regular"), seed=5)
    async with shown(local.link("Ann")) as terminal:
        await terminal.press(ENTER)
        await walk(terminal, 3)
        await terminal.see("Space pours:")
        await terminal.press(" ")
        await terminal.see("end your turn")
        while terminal.link.model.view and terminal.link.model.view.round == 1:
            await terminal.press(ENTER)
        await terminal.see("round 2")


async def test_pouring_by_digits_and_taking_back() -> None:
    local = LocalTable(3, ("regular", "regular"), seed=5)
    async with shown(local.link("Ann")) as terminal:
        await terminal.press(ENTER)
        await walk(terminal, 0)
        before = terminal.link.model.view
        await walk_on(terminal, 3)
        await terminal.see("undo")
        await terminal.press("3")
        await terminal.press("0")
        await terminal.see("back)")
        await terminal.press("2")
        await terminal.see("give back")
        await terminal.press(ENTER)
        await terminal.see("end your turn")
        await terminal.press("u", BACKSPACE)
        await terminal.see("1-3 pour")
        await terminal.press("U")
        await terminal.until(lambda: terminal.link.model.view == before)
        await terminal.press("u")
        await terminal.see("there is nothing to undo")


def test_a_screen_opened_during_a_turn_has_its_clock_at_once() -> None:
    async def main() -> None:
        local = LocalTable(2, turn_seconds=60)
        link = local.link("Ann")
        local.link("Bob")
        local.start()
        skip(20)  # nobody does anything
        async with shown(link) as terminal:
            assert re.search(r" 0:(40|3\d)\b", terminal.text), terminal.text

    run(main(), speedup=1)


@pytest.mark.parametrize("field", ["t", "n", "l", "p"])
async def test_an_input_method_composes_where_the_text_field_is_typed_into(field: str) -> None:
    local = LocalTable(2)
    ann, _bob = local.link("Ann"), local.link("Bob")
    if field == "p":
        local.start()
    async with shown(ann) as terminal:
        await terminal.see("Bob")
        await terminal.press(field, "a")
        await terminal.see(f"a{glyphs.CARET}")
        assert terminal.under_cursor == glyphs.CARET
        await terminal.press(LEFT)
        await terminal.see(f"{glyphs.CARET}a")
        assert terminal.under_cursor == glyphs.CARET
        assert terminal.pyte_output.screen.cursor.hidden
        await terminal.press(ESCAPE)
        cursor = terminal.pyte_output.screen.cursor
        assert (cursor.x, cursor.y) == (0, 0)


async def test_an_input_method_composes_in_the_settings() -> None:
    row = [one.field for one in ROWS].index("name")
    async with shown(LocalTable(2).link("Ann")) as terminal:
        await terminal.press(F3, *[DOWN] * row, ENTER, "a")
        await terminal.see(f"a{glyphs.CARET}")
        assert terminal.under_cursor == glyphs.CARET
        await terminal.press(ESCAPE, ESCAPE)


async def test_chat_and_panes_and_help() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("민준")
    async with shown(ann) as terminal:
        await terminal.see("민준")
        await terminal.press("t", *"q hi", ESCAPE)
        await terminal.press("t", *"hello 민준!", BACKSPACE, ENTER)
        await terminal.see("<Ann> hello 민준")
        assert bob.model.log[-1] == ann.model.log[-1]
        local.start()
        await terminal.see("round" if not ann.model.my_turn else "setting up")
        for title in ("Others", "Chat", "Supply and menu", "Log"):
            await terminal.press(TAB)
            await terminal.see(f"▸ {title} ")
        await terminal.press(PAGE_UP, PAGE_UP, PAGE_DOWN)
        for key in ("?", F1):
            await terminal.press(key)
            await terminal.see("Keys")
            await terminal.press(ESCAPE)
            await terminal.see("Your cups")
        await terminal.press("g")
        await terminal.see("Diagonal move")
        await terminal.press(ESCAPE)


async def test_ctrl_l_draws_over_what_another_program_wrote() -> None:
    async with shown(LocalTable(2).link("Ann")) as terminal:
        await terminal.see("open seat")
        before = terminal.text
        terminal.pyte_output.write(b"\x1b[5;1Hcc1: all warnings being treated as errors")
        assert "warnings" in terminal.text
        await terminal.press("\x0c")
        assert terminal.text == before


async def test_lobby_by_keys() -> None:
    local = LocalTable(3)
    ann, bob = local.link("Ann"), local.link("Bob")
    async with shown(ann) as terminal:
        await terminal.see("open seat")
        await terminal.press(ENTER)
        await terminal.see("these players are not ready: Bob")
        await terminal.press("a")
        await terminal.see("1 Casual")
        await terminal.press("2")
        await terminal.see("Vienna")
        await terminal.press("x")
        await terminal.see("Remove whom?")
        await terminal.press("3")
        await terminal.see("open seat")
        await terminal.press("n", *" Marie", ENTER)
        await terminal.see("Marie")
    assert ann.model.status == "over"
    async with shown(bob) as terminal:
        await terminal.see("Enter ready")
        await terminal.press(ENTER)
        await terminal.see("r not ready")
        await terminal.press("r")
        await terminal.see("Enter ready")


async def test_a_spectator_sees_no_cups() -> None:
    local = LocalTable(2, ("regular",))
    local.link("Ann")
    eve = local.link("Eve", "spectator")
    local.start()
    async with shown(eve) as terminal:
        await terminal.see("watching")
        assert "cups" not in terminal.text
        await terminal.press(UP)
        await terminal.see("Only players can do that. You are watching")


async def test_letters_work_under_other_layouts() -> None:
    link = begun()
    async with shown(link) as terminal:
        for upgrades in ("п", "ㅎ"):
            await terminal.press(upgrades)
            await terminal.see("Diagonal move")
            await terminal.press(upgrades)
            await terminal.see("Your cups")


async def test_resizing_changes_the_layout() -> None:
    link = begun()
    async with shown(link, 120, 36) as terminal:
        await terminal.see("Chocolate")
        await terminal.resize(80, 24)
        await terminal.see("▸ Log ")
        await terminal.resize(39, 12)
        await terminal.see("Too small: 40x12 needed")
        await terminal.resize(40, 12)
        await terminal.see("1 ")


async def test_ascii_where_the_output_is_not_utf8() -> None:
    local = LocalTable(3, ("regular", "regular"))
    link = local.link("Ann민")
    local.start()
    async with shown(link, encoding="latin-1") as terminal:
        await terminal.see("+------+")
        assert terminal.text.isascii()


# The screen between keys: pacing, bell and title, settings, guide, and a lost connection


TITLE = "\x1b]2;Your turn — Coffee Rush\x07".encode()
TITLE_BACK = b"\x1b[23;2t"
BELL = b"\x07"
FOCUS_ON, FOCUS_OFF = b"\x1b[?1004h", b"\x1b[?1004l"
F4 = "\x1bOS"


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    yield
    set_language("en")


def seated(seats: int = 3, seed: int = 5) -> LocalLink:
    """Return a link whose game against bots waits for its first meeple."""
    return begun(("regular",) * (seats - 1), seed)


async def walk(terminal: Terminal, steps: int) -> None:
    """Place the meeple, and walk."""
    await terminal.see("place here")
    await terminal.press(ENTER)
    await terminal.see("3 steps left")
    await walk_on(terminal, steps)


async def walk_on(terminal: Terminal, steps: int) -> None:
    chance = Random(3)
    for _ in range(steps):
        await terminal.press(arrows_to(terminal.link, chance))


def whole_turn(link: LocalLink) -> None:
    """Take a turn at once, including the bots' turns after it."""
    begun = link.model.view
    while begun and link.model.view and link.model.view.round == begun.round:
        link.wish(choose(link, Random(1)))


def rings(terminal: Terminal) -> int:
    """Return how often the bell was rung; a title ends with the same character."""
    return terminal.pyte_output.bytes.count(BELL) - terminal.pyte_output.bytes.count(b"\x1b]")


def test_a_turn_of_bots_is_seen_step_by_step_and_a_key_skips_it() -> None:
    async def main() -> None:
        link = seated()
        while not (link.model.view and link.model.view.round):
            link.wish(choose(link, Random(1)))
        async with shown(link, settings=replace(QUIET, speed="fast")) as terminal:
            await terminal.see("round 1  ▸ YOUR TURN")
            whole_turn(link)
            frames = terminal.frames
            await terminal.see("Crema: moving")
            await terminal.see("Ibrik: moving")
            await terminal.see("round 2  ▸ YOUR TURN")
            assert terminal.frames > frames + 5
            whole_turn(link)
            await terminal.see("Crema: moving")
            view = link.model.view
            await terminal.press(" ")
            assert "round 3  ▸ YOUR TURN" in terminal.lines[0]
            assert link.model.view is view, "the key was pressed for what was there before"

    run(main(), speedup=1)


def test_the_next_player_waits_until_ones_own_penalties_have_been_seen() -> None:
    async def main() -> None:
        link = seated()
        while not (link.model.my_turn and _expires(link.model)):
            link.wish(choose(link, Random(1)))
        settings = replace(QUIET, speed="normal", moments=True)
        async with shown(link, settings=settings) as terminal:
            whole_turn(link)
            await terminal.see(" PENALT")
            screen, clock = terminal.screen, asyncio.get_running_loop().time
            moments, seen = screen.ui.moments, screen.seen
            assert moments
            while screen.seen is seen:
                await idle(STEP_SECONDS["normal"] / 4)
            assert clock() - moments.at >= MOMENT_SECONDS

    run(main(), speedup=1)


def _expires(model: Model) -> bool:
    """Return whether any of this player's orders is about to expire."""
    assert model.view is not None
    return bool(model.view.players[model.seat or 0].orders[SLOTS - 1])


async def idle_until(terminal: Terminal, text: str) -> None:
    """Advance a screen's clock that stands still until a text appears."""
    deadline = Deadline()
    while text not in terminal.text:
        deadline.left()
        await idle(REDRAW_SECONDS)


def test_a_key_that_skips_moves_leaves_what_the_guide_says_of_them() -> None:
    async def main() -> None:
        link, rule = seated(), "The number before an order is its slot."
        async with shown(link, settings=Settings(speed="slow")) as terminal:
            while not (link.model.view and link.model.view.round):
                link.wish(choose(link, Random(1)))
            for _ in range(9):
                if rule not in terminal.text:
                    await terminal.press(" ")
            await terminal.press(" ")
            assert rule in terminal.text
            await idle_until(terminal, "Press Space to go on.")
            assert rule in terminal.text
            await idle(SEE_SECONDS)
            await terminal.press(" ")
            await idle_until(terminal, "YOUR TURN: 3 steps left")
            start_clock()

    run(main(), speedup=0)


def test_a_key_that_skips_to_the_turn_does_not_play_in_it() -> None:
    async def main() -> None:
        link = seated()
        while not (link.model.view and link.model.view.round):
            link.wish(choose(link, Random(1)))
        async with shown(link, settings=replace(QUIET, speed="slow")) as terminal:
            await terminal.see("round 1  ▸ YOUR TURN")
            whole_turn(link)
            await idle(REDRAW_SECONDS)
            await terminal.see("Crema: moving")
            before = link.model.view
            await terminal.press(" ")
            assert terminal.screen.seen.my_turn
            assert link.model.view is before
            start_clock()
            await terminal.press(arrows_to(link, Random(3)))
            assert link.model.view is not before

    run(main(), speedup=0)


def test_keys_that_act_while_others_play_skip_nothing() -> None:
    async def main() -> None:
        link = seated()
        while not (link.model.view and link.model.view.round):
            link.wish(choose(link, Random(1)))
        async with shown(link, settings=replace(QUIET, speed="slow")) as terminal:
            await terminal.see("round 1  ▸ YOUR TURN")
            whole_turn(link)
            await idle(REDRAW_SECONDS)
            await terminal.see("Crema: moving")
            await terminal.press(arrows_to(link, Random(3)))
            await terminal.see("Planned for your turn:")
            seen = []
            for keys in ((TAB, "i", "t", "x", ENTER), ("1",)):
                await terminal.press(*keys)
                seen.append(terminal.screen.seen.my_turn)
            assert seen == [False, True]
            start_clock()

    run(main(), speedup=0)


async def test_keys_from_before_the_first_frame_are_not_for_the_table() -> None:
    with create_pipe_input() as keys:
        terminal = Terminal(seated(), keys, (80, 24), "utf-8", QUIET, "xterm-256color")
        keys.send_text("q" + ENTER)
        async with terminal.running(terminal):
            await terminal.press("?")
            await terminal.see("On the board")
            assert terminal.screen.ui.asked == ""


async def test_an_idle_screen_draws_nothing() -> None:
    link = seated()
    async with shown(link, settings=replace(QUIET, speed="normal")) as terminal:
        await walk(terminal, 1)
        await idle(2 * REDRAW_SECONDS)  # by then the walk's effects are drawn
        frames = terminal.frames
        for second in range(1, 6):  # anybody silent for longer is away
            for message in link.local.table.tick(link.local.now + second):
                link.local.tell(encode(message))
        await terminal.press(DOWN)
        assert terminal.frames == frames + 1


async def test_bell_and_title_tell_of_the_own_turn() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    async with shown(bob) as terminal:
        local.start()
        await terminal.see("Ann: placing")
        assert (rings(terminal), TITLE in terminal.pyte_output.bytes) == (0, False)
        options = ann.model.view.own.options if ann.model.view and ann.model.view.own else ()
        ann.wish(options[0].intent)
        await terminal.see("YOUR TURN")
        assert (rings(terminal), TITLE in terminal.pyte_output.bytes) == (1, True)
        assert TITLE_BACK not in terminal.pyte_output.bytes
        await terminal.press(ENTER)
        await terminal.until(lambda: TITLE_BACK in terminal.pyte_output.bytes)


async def test_the_title_has_only_what_the_terminal_can_show() -> None:
    async with shown(seated(), encoding="euc_kr") as terminal:
        await terminal.press(ENTER)
        assert b"\x1b]2;Your turn - Coffee Rush\x07" in terminal.pyte_output.bytes


async def test_bell_and_title_can_be_off() -> None:
    link = seated()
    off = replace(QUIET, bell=False, title=False)
    async with shown(link, settings=off) as terminal:
        await terminal.see("place here")
        terminal.screen._pressed_at = float("-inf")
        await take_turn(terminal, Random(1))
        assert (rings(terminal), TITLE in terminal.pyte_output.bytes) == (0, False)


FOCUS_OUT, FOCUS_IN = "\x1b[O", "\x1b[I"
NOTIFICATION = b"\x1b]9;Your turn"


@pytest.mark.parametrize(("on", "reports"), [(True, [FOCUS_OUT]), (True, [FOCUS_IN]), (False, [])])
async def test_a_notification_is_for_who_looks_elsewhere(
    on: bool, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setenv("TERM_PROGRAM", "iTerm.app")
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    async with shown(bob, settings=replace(QUIET, notify=on)) as terminal:
        local.start()
        await terminal.see("Ann: placing")
        text = terminal.text
        for report in reports:
            terminal.type(report)
        await terminal.press("\t")  # a key that is answered: the reports were read before it
        assert "[" not in set(terminal.text) - set(text)
        terminal.screen._pressed_at = float("-inf")
        options = ann.model.view.own.options if ann.model.view and ann.model.view.own else ()
        ann.wish(options[0].intent)
        await terminal.see("YOUR TURN")
        sent = NOTIFICATION in terminal.pyte_output.bytes
        assert sent is (reports == [FOCUS_OUT])


async def test_reports_of_the_focus_are_off_after_the_end() -> None:
    async with shown(seated()) as terminal:
        await terminal.see("place here")
        assert terminal.pyte_output.bytes.count(FOCUS_ON) == 1
    assert terminal.pyte_output.bytes.rindex(FOCUS_OFF) > terminal.pyte_output.bytes.rindex(
        FOCUS_ON
    )


async def test_the_last_ten_seconds_look_and_sound_different() -> None:
    link = begun(seed=5, turn_seconds=60)
    local = link.local
    async with shown(link) as terminal:
        await walk(terminal, 1)
        before = rings(terminal)
        for _second in range(20):
            local.now += 1.0
            link.take(session.keepalive(link.model, local.new_id()))
            for message in local.table.tick(local.now):
                local.tell(encode(message))
            await idle(4.0)
        await terminal.see("!0:0")
        assert rings(terminal) == before + 1


@pytest.mark.parametrize(("term", "told"), [("vt100", False), ("xterm", True)])
async def test_a_terminal_without_windows_gets_neither_title_nor_mouse(
    term: str, told: bool
) -> None:
    link = seated()
    async with shown(link, term=term) as terminal:
        terminal.fullscreen.title("Your turn — Coffee Rush")
    assert (b"\x1b]" in terminal.pyte_output.bytes) is told
    assert (b"\x1b[?1000" in terminal.pyte_output.bytes) is told
    assert (FOCUS_ON in terminal.pyte_output.bytes) is told


def test_the_bell_is_not_for_who_is_there() -> None:
    async def main() -> None:
        local = LocalTable(2)
        ann, bob = local.link("Ann"), local.link("Bob")
        async with shown(bob) as terminal:
            local.start()
            await terminal.press("\t")
            options = ann.model.view.own.options if ann.model.view and ann.model.view.own else ()
            ann.wish(options[0].intent)
            await terminal.see("YOUR TURN")
            assert rings(terminal) == 0

    run(main(), speedup=1)


async def test_settings_take_effect_at_once_and_are_kept() -> None:
    async with shown(seated()) as terminal:
        await terminal.see("┌")
        for change in (
            replace(QUIET, ascii=True),
            replace(QUIET, theme="light"),
            replace(QUIET, colours="none"),
        ):
            before = terminal.pyte_output.screen.buffer[0][1]
            terminal.screen._do((replace(terminal.screen._ui, settings=change), ()))
            await terminal.press("\t")
            assert terminal.kept[-1] == change
            if change.ascii:
                await terminal.see("+-")
                assert "┌" not in terminal.text
            else:
                assert terminal.pyte_output.screen.buffer[0][1] != before


async def test_no_color_is_heeded_unless_colours_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with shown(seated()) as terminal:
        await terminal.see("┌")
        assert b"38;" not in terminal.pyte_output.bytes
        assert b"48;" not in terminal.pyte_output.bytes
    async with shown(seated(), settings=replace(QUIET, colours="256")) as terminal:
        await terminal.see("┌")
        assert b"38;5;" in terminal.pyte_output.bytes


async def test_a_hint_is_shown_and_the_guide_is_put_away() -> None:
    link = seated()
    async with shown(link, 120, 36, settings=Settings(speed="at-once")) as terminal:
        await terminal.see("Guide")
        await terminal.press("i")
        await terminal.see(after_colon(hint(link.model))[:40])
        await terminal.press(F4)
        await terminal.until(lambda: "Guide" not in terminal.text)
        await terminal.see("F4 turns it on again")
        assert [one.guided for one in terminal.kept] == [True]
        await terminal.press(F4)
        await terminal.see("Guide")
        assert [one.guided for one in terminal.kept] == [True, False]


async def test_the_guide_ends_with_the_game() -> None:
    link = seated()
    async with shown(link, settings=Settings(speed="at-once")) as terminal:
        await terminal.see("Guide")
        chance = Random(1)
        while not terminal.kept:
            await take_turn(terminal, chance)
        assert terminal.kept[-1].guided
        await terminal.see("What put")
        assert "Guide" not in terminal.text, "its last words have no title"


async def test_a_link_that_drops_in_mid_turn_keeps_the_turn() -> None:
    link = seated()
    async with shown(link) as terminal:
        await walk(terminal, 2)
        walked = link.model.view
        link.set(session.lose(link.model))
        await terminal.see("Connection lost; trying again.")
        await terminal.see("coffeerush host --resume")
        for key in (ENTER, ENTER, "u", RIGHT, " ", "1"):
            await terminal.press(key)
        await terminal.see("You cannot do anything until the host answers again")
        await terminal.press("g", "?")
        await terminal.see("On the board")
        await terminal.press(ESCAPE)
        link.take(session.join(link.model, link.local.new_id()))
        await terminal.see("The host is back")
        assert link.model.view == walked
        await terminal.see("1 step left")
        await terminal.press("u")
        await terminal.see("2 steps left")


async def test_a_turn_whose_time_is_up_is_told() -> None:
    link = begun(seed=5, turn_seconds=30)
    local = link.local
    async with shown(link) as terminal:
        await walk(terminal, 1)
        for _second in range(31):
            local.now += 1.0
            link.take(session.keepalive(link.model, local.new_id()))
            for message in local.table.tick(local.now):
                local.tell(encode(message))
        local.run_bots()
        await terminal.see("Your time was up, and a bot finished your last turn.")


@pytest.mark.parametrize(
    "junk", ["\x1bu", "\x1b\r", "\x1b[1;3A", "\x1b[99~", "hello\r", "\x1b[200~a\r\r\x1b[201~"]
)
async def test_no_strange_input_does_anything(junk: str) -> None:
    link = seated()
    async with shown(link) as terminal:
        await walk(terminal, 3)
        before = link.model
        await terminal.press(junk)
        await terminal.press("\t", "?", ESCAPE)
        assert link.model is before


async def test_pasted_lines_stay_in_the_chat() -> None:
    link = seated()
    async with shown(link) as terminal:
        await walk(terminal, 3)
        view = link.model.view
        await terminal.press("t", "so\rmany\rlines\r")
        await terminal.see("<Ann> so many lines")
        await terminal.press("t", "\x1b[200~and\r\rmore\x1b[201~")
        await terminal.see("Say: and  more")
        assert link.model.view == view


async def test_a_flood_of_updates_does_not_keep_a_key_waiting() -> None:
    local = LocalTable(3, ("regular",), seed=5)
    ann, bob = local.link("Ann"), local.link("Bob")
    local.start()
    async with shown(ann, settings=replace(QUIET, speed="slow")) as terminal:
        await terminal.see("place")
        models = [replace(bob.model, seat=ann.model.seat, name="Ann") for _ in range(3)]
        frames = terminal.frames
        for number in range(3000):
            ann.set(replace(models[number % 3], seq=number))
        ann.set(replace(ann.model))
        await terminal.press("?")
        assert terminal.frames <= frames + 3
        await terminal.see("On the board")
        await terminal.press(INTERRUPT)


# Others' moves are shown one by one, and the screen is never long behind


GAME = 3000


def models(seats: int = 3, most: int = GAME) -> list[Model]:
    """Return every model that a player's screen hears of in a game against bots."""
    local = LocalTable(seats, ("regular",) * (seats - 1), seed=seats)
    link = local.link("Ann")
    found = [link.model]
    link.on_change = found.append
    local.start()
    play(local, Random(1), lambda: None, most)
    return found


MODELS = models()


def watch(
    speed: Speed,
    heard: list[tuple[float, Model]],
    guided: bool = False,
    read_at: float = float("-inf"),
) -> list[tuple[float, Model]]:
    """Return when each model is shown by a screen that nobody touches."""
    pace, shown = Pace(heard[0][1]), []
    for (now, model), (until, _next) in zip(heard, [*heard[1:], (1e9, None)], strict=True):
        pace = enqueue(pace, model, now)
        while (at := due(pace, speed, guided, read_at)) is not None and at <= until:
            at = max(at, now)
            pace = show_next(pace, at)
            shown.append((at, pace.model))
    return shown


def test_a_turn_of_bots_that_comes_at_once_is_shown_step_by_step() -> None:
    begin = next(n for n, m in enumerate(MODELS) if m.view and m.view.round == 3 and m.my_turn)
    mine = next(n for n, m in enumerate(MODELS) if n > begin and not m.my_turn)
    back = next(n for n, m in enumerate(MODELS) if n > mine and m.my_turn)
    heard = [(0.0, model) for model in MODELS[mine - 1 : back + 3]]
    shown = watch("normal", heard)
    paths = [len(model.view.path) for _at, model in shown if model.view]
    assert {2, 3, 4} & set(paths)
    gaps = [after - before for (before, _m), (after, _n) in pairwise(shown)]
    steps = [gap for gap in gaps if gap <= STEP_SECONDS["normal"] + 1e-9]
    assert sum(gap > 0.01 for gap in steps) >= 4
    assert shown[-1][1] is heard[-1][1]


@pytest.mark.parametrize(("guided", "least", "most"), [(False, 2, 3.5), (True, 5, 7.5)])
def test_each_of_a_bots_moves_is_seen_and_their_turn_takes_a_few_seconds(
    guided: bool, least: float, most: float
) -> None:
    turns: list[float] = []
    for begin, (model, after) in enumerate(pairwise(MODELS)):
        if not (model.my_turn and model.view and model.view.round) or after.my_turn:
            continue
        back = next((n for n in range(begin + 1, len(MODELS)) if MODELS[n].my_turn), None)
        if back is None:
            break
        heard = [(0.0, model) for model in MODELS[begin + 1 : back + 1]]
        shown = watch("normal", heard, guided)
        views = [model.view for _at, model in shown if model.view]
        bots = {view.active for view in views} - {MODELS[0].seat}
        turns.append(shown[-1][0] / len(bots))
        for seat in bots:
            assert {Phase.MOVING, Phase.SERVING} <= {v.phase for v in views if v.active == seat}
        served = [at for at, model in shown if model.view and model.view.served]
        assert not served or shown[-1][0] - served[0] >= STEP_SECONDS["normal"] - 1e-9
    assert len(turns) > 3
    assert least <= median(turns) <= most
    assert max(turns) <= BEHIND_SECONDS["normal"] * (GUIDED if guided else 1) / 2


@pytest.mark.parametrize("speed", ["slow", "normal", "fast"])
def test_a_beat_separates_the_turns_of_others_but_not_the_own_one(speed: Speed) -> None:
    begin = next(n for n, m in enumerate(MODELS) if m.view and m.view.round == 3 and m.my_turn)
    mine = next(n for n, m in enumerate(MODELS) if n > begin and not m.my_turn)
    back = next(n for n, m in enumerate(MODELS) if n > mine and m.my_turn)
    shown = watch(speed, [(0.0, model) for model in MODELS[mine - 1 : back + 3]])
    waits: dict[bool, list[float]] = {True: [], False: []}
    for (before, was), (after, now) in pairwise(shown):
        if was.view and now.view and was.view.active != now.view.active and not was.my_turn:
            waits[now.my_turn].append(after - before)
    assert waits[False] == [pytest.approx(BEAT_SECONDS[speed])]
    assert max(waits[True]) <= STEP_SECONDS[speed] + 1e-9


def test_a_turn_clock_shortens_the_lag() -> None:
    """Three bots' turns may not cost the next player half of a short turn."""
    turn = 20
    heard = [
        (0.0, replace(model, table=replace(model.table, turn_seconds=turn)))
        for model in MODELS[200:260]
        if model.table
    ]
    assert watch("slow", heard)[-1][0] <= turn * CLOCK_SHARE + 1e-6


@given(st.sampled_from(SPEEDS), st.booleans(), st.data())
def test_the_screen_is_never_long_behind(speed: Speed, guided: bool, data: st.DataObject) -> None:
    """However much there is to read."""
    begin = data.draw(st.integers(0, len(MODELS) - 60))
    waits = st.sampled_from([0.0, 0.0, 0.0, 0.01, 0.2, 3.0])
    now, heard = 0.0, []
    for model in MODELS[begin : begin + 60]:
        now += data.draw(waits)
        heard.append((now, model))
    shown = watch(speed, heard, guided, read_at=1e9 if guided else float("-inf"))
    assert all(a <= b for (a, _m), (b, _n) in pairwise(shown))
    assert not shown or shown[-1][1] is heard[-1][1]
    came = {id(model): at for at, model in heard}
    most = BEHIND_SECONDS[speed] * (GUIDED if guided else 1)
    assert all(at - came[id(model)] <= most + 1e-6 for at, model in shown)


@pytest.mark.parametrize("guided", [False, True])
def test_at_once_waits_for_nothing(guided: bool) -> None:
    heard = [(0.0, model) for model in MODELS[:200]]
    assert {at for at, _model in watch("at-once", heard, guided, read_at=1e9)} == {0.0}


def test_reading_takes_longer_the_more_is_new() -> None:
    """But what was said before is known."""
    first = reading(Reading(), ("A short one.",), 10.0)
    assert first.until == 10.0 + READ_SECONDS
    both = reading(first, ("A short one.", "x" * 100), 11.0)
    assert both.until == pytest.approx(first.until + 100 * CHARACTER_SECONDS)
    assert reading(both, ("A short one.",), 12.0).until == both.until
    late = reading(both, ("Late.",), 90.0)
    assert late.until == 90.0 + READ_SECONDS
    assert reading(late, ("A short one.",), 99.0).until == late.until


def in_first_turn(seats: int = 2) -> LocalLink:
    """Return a link whose game against bots waits for its first turn."""
    link = seated(seats)
    while not (link.model.view and link.model.view.round):
        link.wish(choose(link, Random(1)))
    return link


@pytest.mark.parametrize("key", [" ", ENTER])
def test_what_the_guide_says_of_others_turns_stays_until_a_key(key: str) -> None:
    async def main() -> None:
        link = in_first_turn()
        async with shown(link, settings=Settings(speed="normal")) as terminal:
            await terminal.see("round 1  ▸ YOUR TURN")
            whole_turn(link)
            await terminal.see("Your turn is over")
            assert "Space continue" in terminal.lines[-1]
            assert "is next" in terminal.text
            assert "Press Space to go on." in terminal.text, "one would wait for a step"
            assert "'s turn: the board shows" not in terminal.text
            await idle(10 * BEHIND_SECONDS["normal"])
            assert not terminal.screen.seen.my_turn
            await terminal.press(key)
            await terminal.see(": moving")  # however long it has been there unseen
            await terminal.see("round 2  ▸ YOUR TURN")
            await terminal.press(key, key)
            assert not terminal.screen.ui.refused, "what comes just after it is no key of the turn"
            whole_turn(link)
            await terminal.press("x")
            assert not terminal.screen.seen.my_turn, "the guide has news, which would go unread"
            await terminal.see("Press Space to go on.")
            await idle(SEE_SECONDS)
            await terminal.press(key)
            await terminal.see("round 3  ▸ YOUR TURN")

    run(main(), speedup=1)


def test_ones_own_penalty_is_read_before_others_move_late_in_a_guided_game_too() -> None:
    async def main() -> None:
        link = in_first_turn()
        while True:
            view = link.model.view
            assert view
            assert view.own
            assert not view.closed, "another seed has orders that expire in time"
            late = view.round > FULL_TURNS and link.model.my_turn and not view.path
            if late and view.players[view.own.seat].orders[SLOTS - 1]:
                break
            link.wish(choose(link, Random(1)))
        async with shown(link, settings=Settings(speed="normal")) as terminal:
            await terminal.see("YOUR TURN")
            whole_turn(link)
            await terminal.see("expired: you took")
            await terminal.see("Press Space to go on.")
            await idle(10 * BEHIND_SECONDS["normal"])
            assert "expired: you took" in terminal.text
            await terminal.press(" ")
            await terminal.see(": moving")
            assert "expired: you took" not in terminal.text

    run(main(), speedup=1)


def test_people_wait_for_a_reader_as_long_as_the_screen_says() -> None:
    """It counts down to when their moves go on by themselves."""

    def play_to(round_: int) -> None:
        while not (ann.model.my_turn and ann.model.view and ann.model.view.round >= round_):
            acting = ann if ann.model.my_turn else bob
            acting.wish(choose(acting, Random(1)))

    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    local.start()

    async def main() -> None:
        play_to(1)
        async with shown(ann, settings=Settings(speed="normal")) as terminal:
            clock = asyncio.get_running_loop().time
            await terminal.see("round 1  ▸ YOUR TURN")
            play_to(2)
            await terminal.see("Your turn is over")
            begun, said = clock(), Scene(terminal.screen.seen, terminal.screen.ui).guide
            for left in ("0:05", "0:04"):
                await terminal.see(f"is next {left}")
            await terminal.see("round 2  ▸ YOUR TURN")
            assert clock() - begun > (len("".join(said[:-1])) - 1) * CHARACTER_SECONDS

    run(main(), speedup=1)


def test_space_for_what_has_just_gone_on_by_itself_is_not_refused() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    local.start()

    def play_to_first_turn() -> None:
        while not (ann.model.my_turn and ann.model.view and ann.model.view.round):
            acting = ann if ann.model.my_turn else bob
            acting.wish(choose(acting, Random(1)))

    async def main() -> None:
        play_to_first_turn()
        async with shown(ann, settings=Settings(speed="normal")) as terminal:
            await terminal.see("round 1  ▸ YOUR TURN")
            while ann.model.my_turn:
                ann.wish(choose(ann, Random(1)))
            while bob.model.my_turn and bob.model.view and not bob.model.view.path:
                bob.wish(choose(bob, Random(1)))
            await terminal.see("Your turn is over")
            while terminal.screen.ui.playing:
                await idle(0.5)
            assert not terminal.screen.seen.my_turn
            await terminal.press(" ")
            assert terminal.screen.ui.note != "It is Bob's turn."
            await idle(10)
            await terminal.press(" ")
            assert terminal.screen.ui.note == "It is Bob's turn."

    run(main(), speedup=1)


def test_a_pause_stops_the_moves_that_are_being_shown() -> None:
    async def main() -> None:
        link = seated()
        while not (link.model.view and link.model.view.round):
            link.wish(choose(link, Random(1)))
        async with shown(link, settings=replace(QUIET, speed="slow")) as terminal:
            await terminal.see("round 1  ▸ YOUR TURN")
            whole_turn(link)
            await terminal.see("Crema: moving")
            await terminal.press("p")
            await terminal.see("PAUSED")
            await idle(2 * BEHIND_SECONDS["slow"])
            await terminal.press(TAB)
            assert terminal.screen.seen.view is not link.model.view
            await terminal.press("p")
            while not terminal.screen.seen.my_turn:
                await idle(0.5)
            await terminal.see("round 2  ▸ YOUR TURN")
            assert "PAUSED" not in terminal.text

    run(main(), speedup=1)


def test_what_oneself_does_and_what_changes_nothing_is_shown_at_once() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    local.start()
    acting, other = (ann, bob) if ann.model.my_turn else (bob, ann)
    pace = Pace(acting.model, at=10.0)
    other.wish(Chat(NO_ID, "hello"))
    pace = enqueue(pace, acting.model, 10.0)
    assert due(pace, "slow") == 10.0
    pace = show_next(pace, 10.0)
    view = acting.model.view
    assert view is not None
    assert view.own is not None
    acting.wish(view.own.options[0].intent)
    pace = enqueue(pace, acting.model, 10.0)
    assert due(pace, "slow") == 10.0
    assert isinstance(acting.model.log[-2], Said) or pace.queue


def test_a_lost_connection_is_said_at_once() -> None:
    pace = Pace(MODELS[0], at=5.0)
    for model in MODELS[:100]:
        pace = enqueue(pace, model, 5.0)
    lost = replace(MODELS[100], status="lost")
    pace = enqueue(pace, lost, 5.0)
    assert due(pace, "slow") == 5.0
    assert show_next(pace, 5.0).model is lost


def test_a_key_skips_to_what_is_known_now() -> None:
    pace = Pace(MODELS[0], at=5.0)
    for model in MODELS[:100]:
        pace = enqueue(pace, model, 5.0)
    pace = skip_moves(pace, 6.0)
    assert (pace.model, pace.queue, pace.at) == (MODELS[99], (), 6.0)
    assert due(pace, "slow") is None
    assert skip_moves(pace, 7.0) is pace


def test_the_last_round_and_the_result_are_not_skipped_unseen() -> None:
    ended = next(n for n, model in enumerate(MODELS) if model.view and model.view.standings)
    before, closing = [
        model for model in MODELS[:ended] if model.view and model.view.path and not model.my_turn
    ][-2:]
    assert closing.view is not None
    closes, ends = replace(closing, view=replace(closing.view, closed=True)), MODELS[ended]
    last = replace(closes, view=replace(closing.view, closed=True, path=()))
    pace = Pace(before)
    for model in (closing, closes, last, ends):
        pace = enqueue(pace, model, 5.0)
    shown = []
    while pace.queue:
        pace = skip_moves(pace, 6.0)
        shown.append(pace.model)
    assert shown == [closes, last, ends], "the last move is seen"


@pytest.mark.parametrize("speed", ["slow", "normal"])
def test_a_flood_does_not_pile_up(speed: Speed) -> None:
    pace = Pace(MODELS[0])
    for number in range(2000):
        pace = enqueue(pace, MODELS[number % len(MODELS)], 1.0)
        assert len(pace.queue) <= MAX_QUEUE


# A screen on which nothing happens: it draws nothing


def test_ticks_and_signs_of_life_draw_nothing() -> None:
    async def main() -> None:
        link = begun(seed=5)
        local = link.local
        async with shown(link) as terminal:
            await terminal.press(TAB)
            app = terminal.app
            asked: list[object] = []
            app.on_invalidate += asked.append
            for _ in range(3):
                local.now += 1.0
                for message in local.table.tick(local.now):
                    local.tell(encode(message))
                before = link.model
                link.take(session.keepalive(link.model, local.new_id()))
                assert link.model is not before
                # a frame that was asked for would come first
                await idle(2 * REDRAW_SECONDS)
            assert not asked
            await terminal.press(TAB)
            assert asked
            start_clock()

    run(main(), speedup=0)
