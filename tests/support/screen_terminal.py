"""A terminal for tests: real key parser, and real output rendered by pyte."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

import pyte
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import ColorDepth

from coffeerush.local.settings import Settings
from coffeerush.ui.replay.replay_app import open_replay
from coffeerush.ui.table.actions import KEYMAP
from coffeerush.ui.table.input import TURN_PAUSE_SECONDS
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.fullscreen import FullScreen, Program
from coffeerush.ui.terminal.output import DiffOutput
from protocol import View
from tests.support.hosts_and_clients import SECONDS
from tests.support.local import LocalLink

Kind: TypeAlias = Literal["key", "cell", "cup", "order", "row", "pane", "look"]
"""The kinds of click targets at a table."""
SPEEDUP = 50
"""Seconds of the screen's clock per real second, so that timeouts pass quickly."""
KEY_GAP_SECONDS = 2 * TURN_PAUSE_SECONDS
"""Time between two keys, on the screen's clock."""

QUIET = Settings(speed="at-once", guided=True, moments=False)
"""Settings without animations and without the first-game guide."""

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
ENTER, ESCAPE, TAB, BACKSPACE, INTERRUPT = "\r", "\x1b", "\t", "\x7f", "\x03"
PAGE_UP, PAGE_DOWN, F1, F3 = "\x1b[5~", "\x1b[6~", "\x1bOP", "\x1bOR"


class QuickLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock runs faster and can be advanced."""

    def __init__(self, speedup: float) -> None:
        self.speedup: float = speedup
        self._ahead = 0.0
        super().__init__()

    def time(self) -> float:
        return super().time() * self.speedup + self._ahead

    def skip(self, seconds: float) -> None:
        self._ahead += seconds


def run(main: Coroutine[Any, Any, None], speedup: float = SPEEDUP) -> None:
    """Run a test on a fast clock; an unhandled exception fails it."""
    with asyncio.Runner(loop_factory=lambda: QuickLoop(speedup)) as runner:
        runner.run(main)


def skip(seconds: float) -> None:
    """Advance the screen's clock."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QuickLoop)
    loop.skip(seconds)


def start_clock() -> None:
    """Let the screen's clock run if it has stood still, with a `speedup` of 0."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QuickLoop)
    loop.speedup = SPEEDUP


async def idle(seconds: float) -> None:
    """Advance the screen's clock, and run everything that is due by then."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    loop.call_later(seconds, done.set_result, None)
    skip(seconds)
    await done


class PyteOutput(io.RawIOBase):
    """The output stream, rendered by pyte."""

    def __init__(self, columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.bytes = bytearray()
        """All bytes written."""

    @property
    def sent(self) -> int:
        return len(self.bytes)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.feed(bytes(data))
        self.bytes += data
        return len(data)


class Runnable(Protocol):
    """A full-screen app."""

    app: Application[None]

    async def run(self) -> None:
        """Show it until the person leaves."""


class Tty:
    """A terminal to type into and to read from."""

    def __init__(
        self,
        keys: PipeInput,
        size: tuple[int, int],
        encoding: str = "utf-8",
        term: str = "xterm-256color",
    ) -> None:
        self.pyte_output = PyteOutput(*size)
        stdout = io.TextIOWrapper(
            io.BufferedWriter(self.pyte_output), encoding=encoding, write_through=True
        )
        self.output = DiffOutput(
            stdout,
            lambda: Size(
                rows=self.pyte_output.screen.lines, columns=self.pyte_output.screen.columns
            ),
            term=term,
            default_color_depth=ColorDepth.DEPTH_24_BIT,
            enable_cpr=False,
        )
        self.output.clock = lambda: 0.0  # no frame is late, however busy this machine is
        self._keys = keys
        self.frames = 0
        self._drawn = asyncio.Event()

    @asynccontextmanager
    async def running(self, screen: Runnable) -> AsyncIterator[None]:
        """Run an app; at the end the person leaves, and the app must exit."""
        app = screen.app
        app.after_render += self.count
        self._resized = app._on_resize
        running = asyncio.create_task(screen.run())
        await self.until(lambda: self.frames > 0)
        yield
        while not running.done():
            self._keys.send_text(INTERRUPT)
            await asyncio.wait([running], timeout=2.0)
        await running

    def count(self, _app: object) -> None:
        """Count a frame of an app."""
        self.frames += 1
        self._drawn.set()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.pyte_output.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def under_cursor(self) -> str:
        """The character in the cell of the terminal's own cursor."""
        screen = self.pyte_output.screen
        return screen.buffer[screen.cursor.y][screen.cursor.x].data

    async def until(self, seen: Callable[[], bool]) -> None:
        """Wait until `seen` is true after a frame."""
        # the loop's clock is fast, the deadline is in real seconds
        async with asyncio.timeout(SECONDS * SPEEDUP):
            while not seen():
                self._drawn.clear()
                await self._drawn.wait()

    async def until_drawn(self, frames: int) -> None:
        """Wait until more than so many frames have been drawn."""
        await self.until(lambda: self.frames > frames)

    async def see(self, text: str) -> None:
        try:
            await self.until(lambda: text in self.text)
        except TimeoutError:
            raise AssertionError(f"no {text!r} in\n{self.text}") from None

    async def press(self, *keys: str) -> None:
        """Press keys, each after the frame of the previous one."""
        for key in keys:
            # afterwards no key counts as held, or as meant for the screen before the turn
            skip(KEY_GAP_SECONDS)
            frames = self.frames
            self._keys.send_text(key)
            await self.until_drawn(frames)

    def type(self, text: str) -> None:
        """Send characters that cause no frame."""
        self._keys.send_text(text)

    async def resize(self, columns: int, rows: int) -> None:
        self.pyte_output.screen.resize(rows, columns)
        frames = self.frames
        self._resized()
        await self.until_drawn(frames)


class Terminal(Tty):
    """A terminal that shows a link's table."""

    def __init__(
        self,
        link: LocalLink,
        keys: PipeInput,
        size: tuple[int, int],
        encoding: str,
        settings: Settings,
        term: str,
    ) -> None:
        super().__init__(keys, size, encoding, term)
        self.link = link
        self.kept: list[Settings] = []
        opener = partial(open_replay, self.kept.append)
        self.screen = Screen(link, settings, self.kept.append, self._show, opener)

    def _show(self, program: Program) -> FullScreen:
        self.fullscreen = FullScreen(program, KEYMAP.names, self._keys, self.output)
        self.app = self.fullscreen.app
        return self.fullscreen

    async def run(self) -> None:
        await self.screen.run()

    async def until_moved(self, before: View | None) -> None:
        """Wait until the View is another one than `before`."""
        await self.until(lambda: self.link.model.view is not before)

    async def click(self, kind: Kind, value: str | int) -> None:
        """Click on a target with the left button, and wait for the frame."""
        x, y = self.where(kind, value)
        await self.press(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")

    def where(self, kind: Kind, value: str | int) -> tuple[int, int]:
        """Return the last cell of a click target in the current frame."""
        canvas = self.fullscreen.canvas
        found = [
            (x, y)
            for y in range(canvas.rows)
            for x in range(canvas.columns)
            if canvas.target_at(x, y) == Target(kind, value)
        ]
        assert found, f"no {kind} {value!r} in\n{self.text}"
        return found[-1]


@asynccontextmanager
async def shown(
    link: LocalLink,
    columns: int = 80,
    rows: int = 24,
    encoding: str = "utf-8",
    settings: Settings = QUIET,
    term: str = "xterm-256color",
) -> AsyncIterator[Terminal]:
    """Show a link on a terminal; at the end the person leaves, and the app must exit."""
    with create_pipe_input() as keys:
        terminal = Terminal(link, keys, (columns, rows), encoding, settings, term)
        async with terminal.running(terminal):
            yield terminal
