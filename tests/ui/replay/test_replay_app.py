"""A record on a drawn terminal: real keys and a real mouse, from the first frame to the last."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace
from prompt_toolkit.input import create_pipe_input

from coffeerush.errors import RecordError
from coffeerush.local.settings import Settings
from coffeerush.records.entries import read_record
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import Replay
from coffeerush.ui.replay.replay_app import ReplayScreen, show_replay
from coffeerush.ui.replay.replay_input import REPLAY_UI, Watch
from tests.support.records import head_of, lines, play
from tests.support.screen_terminal import DOWN, ENTER, ESCAPE, LEFT, RIGHT, TAB, UP, Tty

HOME, END, PAGE_UP, F3 = "\x1b[H", "\x1b[F", "\x1b[5~", "\x1bOR"


@cache
def replay() -> Replay:
    return Replay(read_record(lines(play(head_of(3)))))


class Seen(Tty):
    """A terminal with a replay on it."""

    kept: list[Settings]

    def at(self) -> str:
        return next(word for word in self.lines[-2].split() if "/" in word)

    async def click(self, x: int, y: int) -> None:
        await self.press(f"\x1b[<0;{x + 1};{y + 1}M")


@asynccontextmanager
async def shown(columns: int = 80, rows: int = 24) -> AsyncIterator[Seen]:
    with create_pipe_input() as keys:
        terminal = Seen(keys, (columns, rows))
        terminal.kept = []
        screen = ReplayScreen(
            replay(), Settings(), terminal.kept.append, input=keys, output=terminal.output
        )
        async with terminal.running(screen):
            yield terminal


def expected(rev: int, columns: int = 80, rows: int = 24) -> list[str]:
    ui = replace(REPLAY_UI, size=(columns, rows), tiles=True, animated=True)
    watch = Watch(at=rev, page=ui)
    return [line.rstrip() for line in draw_replay(replay(), watch, columns, rows).lines()]


@pytest.mark.slow
async def test_to_the_end_and_back_by_keys() -> None:
    last = replay().last
    async with shown() as terminal:
        for rev in range(1, 10):
            await terminal.press(RIGHT)
            assert terminal.lines == expected(rev)
        await terminal.press(END)
        assert terminal.lines == expected(last)
        for rev in range(last - 1, last - 10, -1):
            await terminal.press(LEFT)
            assert terminal.lines == expected(rev)
        await terminal.press(HOME)
        assert terminal.lines == expected(0)
        await terminal.press(DOWN, DOWN, UP)
        assert terminal.lines == expected(replay().turns[1])
        await terminal.press("5", "7", ENTER)
        assert terminal.lines == expected(57)
        await terminal.press(PAGE_UP)
        assert int(terminal.at().split("/")[0]) in replay().turns


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 12), (120, 36)])
async def test_it_plays_to_the_end_by_itself(size: tuple[int, int]) -> None:
    stop, last = replay().stop, replay().last
    async with shown(*size) as terminal:
        await terminal.press(*str(last - 6), ENTER, "+", "+", "+", "p")
        await terminal.until(lambda: terminal.lines[:-2] == expected(last, *size)[:-2])
        assert terminal.at() == f"{stop}/{stop}"


async def test_the_mouse() -> None:
    stop, result = replay().stop, expected(replay().last)
    async with shown() as terminal:
        await terminal.click(terminal.lines[-2].rindex("─"), 22)
        assert terminal.lines == result
        await terminal.press("\x1b[<64;10;10M")
        assert terminal.at() == f"{stop}/{stop}"
        assert terminal.lines != result
        await terminal.press("\x1b[<65;10;10M")
        assert terminal.lines[1:] != result[1:], "no step leads into the result"
        await terminal.click(len(f" step {terminal.at()} "), 22)
        assert terminal.at() == f"0/{stop}"
        await terminal.click(terminal.lines[-1].index("→"), 23)
        assert terminal.at() == f"1/{stop}"
        await terminal.click(terminal.lines[-1].index("leave"), 23)


async def test_eyes_pages_and_a_setting() -> None:
    async with shown() as terminal:
        await terminal.press(TAB, TAB)
        await terminal.see("Bob: orders")
        await terminal.press("?")
        await terminal.see("the player whose cups are shown")
        await terminal.press(F3, DOWN, RIGHT, ESCAPE)
        await terminal.see("Bob: orders")
        assert len(terminal.kept) == 1
        await terminal.resize(120, 36)
        await terminal.see("Bob: orders")


async def test_a_review_goes_on_while_keys_are_pressed() -> None:
    turns = len(replay().turns_of(0))
    async with shown() as terminal:
        await terminal.press("w")
        await terminal.see("Ann's turns: ")
        await terminal.press(HOME, RIGHT)
        assert terminal.at().startswith("1/")
        await terminal.until(lambda: "Ann's turns: " not in "\n".join(terminal.lines))
        assert f"{turns} of {turns} done" not in "\n".join(terminal.lines)
        await terminal.press(ESCAPE)
        await terminal.see("show turn")
        await terminal.press(ESCAPE)
        await terminal.until(lambda: "show turn" not in "\n".join(terminal.lines))
        await terminal.press("w", "q")


@pytest.mark.slow
async def test_a_step_sends_little() -> None:
    async with shown(120, 36) as terminal:
        for _step in range(60):
            sent = terminal.pyte_output.sent
            await terminal.press(RIGHT)
            assert terminal.pyte_output.sent - sent < 4000
        sent = terminal.pyte_output.sent
        await terminal.press("x")
        assert terminal.pyte_output.sent - sent < 100


def test_a_game_that_is_on_stays_secret(tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_bytes(lines(play(head_of())[:-1]))
    with pytest.raises(RecordError, match="not over"):
        show_replay(path, Settings(), lambda _settings: None)
