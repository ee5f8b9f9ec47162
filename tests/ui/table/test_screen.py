"""The screen between keys: pacing, bell and title, settings, guide, and a lost connection."""

from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace
from prompt_toolkit.input import create_pipe_input

from coffeerush.client import session
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import hint
from coffeerush.ui.terminal.fullscreen import REDRAW_SECONDS
from coffeerush.ui.words.i18n import set_language
from protocol import encode
from tests.support.local import LocalLink, LocalTable, begun, choose
from tests.support.screen_terminal import (
    DOWN,
    ENTER,
    ESCAPE,
    INTERRUPT,
    QUIET,
    RIGHT,
    UP,
    Terminal,
    idle,
    run,
    shown,
)
from tests.ui.table.test_app import arrows_to, take_turn

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
    for _ in range(steps):
        await terminal.press(arrows_to(terminal.link, Random(3)))


def whole_turn(link: LocalLink) -> None:
    """Take a turn at once, including the bots' turns after it."""
    begun = link.model.view
    while begun and link.model.view and link.model.view.round == begun.round:
        link.wish(choose(link, Random(1)))


def rings(terminal: Terminal) -> int:
    """Return how often the bell was rung; a title ends with the same character."""
    return terminal.pyte_output.bytes.count(BELL) - terminal.pyte_output.bytes.count(b"\x1b]")


@pytest.mark.slow
def test_a_turn_of_bots_is_seen_step_by_step_and_a_key_skips_it() -> None:
    async def main() -> None:
        link = seated()
        while not (link.model.view and link.model.view.round):
            link.wish(choose(link, Random(1)))
        async with shown(link, settings=replace(QUIET, speed="fast")) as terminal:
            await terminal.see("round 1  ▸ YOUR TURN")
            whole_turn(link)
            frames = terminal.frames
            await terminal.see("Bot 1: moving")
            await terminal.see("Bot 2: moving")
            await terminal.see("round 2  ▸ YOUR TURN")
            assert terminal.frames > frames + 5
            whole_turn(link)
            await terminal.see("Bot 1: moving")
            view = link.model.view
            await terminal.press(UP)
            assert "round 3  ▸ YOUR TURN" in terminal.lines[0]
            assert link.model.view is view, "the key was pressed for what was there before"

    run(main(), speedup=1)


def test_a_key_that_skips_to_the_turn_does_not_play_in_it() -> None:
    async def main() -> None:
        link = seated()
        while not (link.model.view and link.model.view.round):
            link.wish(choose(link, Random(1)))
        async with shown(link, settings=replace(QUIET, speed="slow")) as terminal:
            await terminal.see("round 1  ▸ YOUR TURN")
            whole_turn(link)
            await terminal.see("Bot 1: moving")
            before = link.model.view
            await terminal.press(arrows_to(link, Random(3)))
            assert terminal.screen.seen.my_turn
            assert link.model.view is before
            await terminal.press(arrows_to(link, Random(3)))
            assert link.model.view is not before

    run(main())


def test_keys_from_before_the_first_frame_are_not_for_the_table() -> None:
    async def main() -> None:
        with create_pipe_input() as keys:
            terminal = Terminal(seated(), keys, (80, 24), "utf-8", QUIET, "xterm-256color")
            keys.send_text("q" + ENTER)
            async with terminal.running(terminal):
                await terminal.press("?")
                await terminal.see("this help")
                assert terminal.screen.ui.asked == ""

    run(main())


def test_an_idle_screen_draws_nothing() -> None:
    async def main() -> None:
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

    run(main())


def test_bell_and_title_tell_of_the_own_turn() -> None:
    async def main() -> None:
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

    run(main())


def test_the_title_has_only_what_the_terminal_can_show() -> None:
    async def main() -> None:
        async with shown(seated(), encoding="euc_kr") as terminal:
            await terminal.press(ENTER)
            assert b"\x1b]2;Your turn - Coffee Rush\x07" in terminal.pyte_output.bytes

    run(main())


def test_bell_and_title_can_be_off() -> None:
    async def main() -> None:
        link = seated()
        off = replace(QUIET, bell=False, title=False)
        async with shown(link, settings=off) as terminal:
            await terminal.see("place here")
            terminal.screen._pressed_at = float("-inf")
            await take_turn(terminal, Random(1))
            assert (rings(terminal), TITLE in terminal.pyte_output.bytes) == (0, False)

    run(main())


FOCUS_OUT, FOCUS_IN = "\x1b[O", "\x1b[I"
NOTIFICATION = b"\x1b]9;Your turn"


@pytest.mark.parametrize(("on", "reports"), [(True, [FOCUS_OUT]), (True, [FOCUS_IN]), (False, [])])
def test_a_notification_is_for_who_looks_elsewhere(
    on: bool, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setenv("TERM_PROGRAM", "iTerm.app")

    async def main() -> None:
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

    run(main())


def test_reports_of_the_focus_are_off_after_the_end() -> None:
    async def main() -> None:
        async with shown(seated()) as terminal:
            await terminal.see("place here")
            assert terminal.pyte_output.bytes.count(FOCUS_ON) == 1
        assert terminal.pyte_output.bytes.rindex(FOCUS_OFF) > terminal.pyte_output.bytes.rindex(
            FOCUS_ON
        )

    run(main())


def test_the_last_ten_seconds_look_and_sound_different() -> None:
    async def main() -> None:
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

    run(main())


@pytest.mark.parametrize(("term", "told"), [("vt100", False), ("xterm", True)])
def test_a_terminal_without_windows_gets_neither_title_nor_mouse(term: str, told: bool) -> None:
    async def main() -> None:
        link = seated()
        async with shown(link, term=term) as terminal:
            terminal.fullscreen.title("Your turn — Coffee Rush")
        assert (b"\x1b]" in terminal.pyte_output.bytes) is told
        assert (b"\x1b[?1000" in terminal.pyte_output.bytes) is told
        assert (FOCUS_ON in terminal.pyte_output.bytes) is told

    run(main())


@pytest.mark.slow
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


def test_settings_take_effect_at_once_and_are_kept() -> None:
    async def main() -> None:
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

    run(main())


def test_no_color_is_heeded_unless_colours_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def main() -> None:
        async with shown(seated()) as terminal:
            await terminal.see("┌")
            assert b"38;" not in terminal.pyte_output.bytes
            assert b"48;" not in terminal.pyte_output.bytes
        async with shown(seated(), settings=replace(QUIET, colours="256")) as terminal:
            await terminal.see("┌")
            assert b"38;5;" in terminal.pyte_output.bytes

    run(main())


def test_a_hint_is_shown_and_the_guide_is_put_away() -> None:
    async def main() -> None:
        link = seated()
        async with shown(link, 120, 36, settings=Settings(speed="at-once")) as terminal:
            await terminal.see("Guide")
            await terminal.press("i")
            await terminal.see(hint(link.model)[:40])
            await terminal.press(F4)
            await terminal.until(lambda: "Guide" not in terminal.text)
            await terminal.see("F4 turns it on again")
            assert [one.guided for one in terminal.kept] == [True]
            await terminal.press(F4)
            await terminal.see("Guide")
            assert [one.guided for one in terminal.kept] == [True, False]

    run(main())


def test_the_guide_ends_with_the_game() -> None:
    async def main() -> None:
        link = seated()
        async with shown(link, settings=Settings(speed="at-once")) as terminal:
            await terminal.see("Guide")
            chance = Random(1)
            while not terminal.kept:
                await take_turn(terminal, chance)
            assert terminal.kept[-1].guided
            await terminal.see("The game ended because")
            await terminal.press(ENTER)
            assert "Guide" not in terminal.text

    run(main())


def test_a_link_that_drops_in_mid_turn_keeps_the_turn() -> None:
    async def main() -> None:
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
            await terminal.see("Keys")
            await terminal.press(ESCAPE)
            link.take(session.join(link.model, link.local.new_id()))
            await terminal.see("The host is back")
            assert link.model.view == walked
            await terminal.see("1 step left")
            await terminal.press("u")
            await terminal.see("2 steps left")

    run(main())


def test_a_turn_whose_time_is_up_is_told() -> None:
    async def main() -> None:
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

    run(main())


@pytest.mark.slow
@pytest.mark.parametrize(
    "junk",
    ["\x1bu", "\x1b\r", "\x1b[1;3A", "\x1b[99~", "hello\r", "\x1b[200~a\r\r\x1b[201~"],
)
def test_no_strange_input_does_anything(junk: str) -> None:
    async def main() -> None:
        link = seated()
        async with shown(link) as terminal:
            await walk(terminal, 3)
            before = link.model
            await terminal.press(junk)
            await terminal.press("\t", "?", ESCAPE)
            assert link.model is before

    run(main())


def test_pasted_lines_stay_in_the_chat() -> None:
    async def main() -> None:
        link = seated()
        async with shown(link) as terminal:
            await walk(terminal, 3)
            view = link.model.view
            await terminal.press("t", "so\rmany\rlines\r")
            await terminal.see("<Ann> so many lines")
            await terminal.press("t", "\x1b[200~and\r\rmore\x1b[201~")
            await terminal.see("Say: and  more")
            assert link.model.view == view

    run(main())


def test_a_flood_of_updates_does_not_keep_a_key_waiting() -> None:
    async def main() -> None:
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
            await terminal.see("Keys")
            await terminal.press(INTERRUPT)

    run(main())
