"""A terminal for tests: keys go through the real parser, frames through the real output to pyte."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Literal, Protocol, TypeAlias

import pyte
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import ColorDepth

from coffeerush.local.settings import Settings
from coffeerush.ui.table.app import Screen
from coffeerush.ui.table.key_timing import TURN_PAUSE_SECONDS
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.output import DiffOutput
from tests.support.local import LocalLink

Kind: TypeAlias = Literal["key", "cell", "cup", "order", "row", "pane"]
"""What a click can mean at a table."""
DEADLINE_SECONDS = 20.0
QUICKER = 50
"""How many seconds of the screen's clock one second takes: nobody waits for a held key here."""
FINGER_SECONDS = 2 * TURN_PAUSE_SECONDS
"""How long a finger takes, on the screen's clock, from one key to another."""

QUIET = Settings(speed="at-once", guided=True)
"""Settings of a test that waits for nothing and is taught nothing."""

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
ENTER, ESCAPE, TAB, BACKSPACE, INTERRUPT = "\r", "\x1b", "\t", "\x7f", "\x03"
PAGE_UP, PAGE_DOWN, F1 = "\x1b[5~", "\x1b[6~", "\x1bOP"


class QuickLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock runs faster, and can be put forward."""

    def __init__(self, quicker: float) -> None:
        self._quicker = quicker
        self._ahead = 0.0
        super().__init__()

    def time(self) -> float:
        return super().time() * self._quicker + self._ahead

    def skip(self, seconds: float) -> None:
        """Put the clock forward."""
        self._ahead += seconds


def run(main: Coroutine[Any, Any, None], quicker: float = QUICKER) -> None:
    """Run a test on a quick clock; an exception that nobody caught fails it."""
    with asyncio.Runner(loop_factory=lambda: QuickLoop(quicker)) as runner:
        runner.run(main)


def skip(seconds: float) -> None:
    """Let so much time of the screen's clock have gone by."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QuickLoop)
    loop.skip(seconds)


async def idle(seconds: float) -> None:
    """Let so much time of the screen's clock go by, and all happen that was due by then."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    loop.call_later(seconds, done.set_result, None)
    skip(seconds)
    await done


class Glass(io.RawIOBase):
    """Bytes of the output, drawn by pyte."""

    def __init__(self, columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.bytes = bytearray()
        """All that was sent."""

    @property
    def sent(self) -> int:
        """How many bytes were sent."""
        return len(self.bytes)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.feed(bytes(data))
        self.bytes += data
        return len(data)


class Runnable(Protocol):
    """A screen of the program."""

    app: Application[None]

    async def run(self) -> None:
        """Show it until it is left."""


class Tty:
    """A terminal with hands and eyes."""

    def __init__(
        self,
        keys: PipeInput,
        size: tuple[int, int],
        encoding: str = "utf-8",
        term: str = "xterm-256color",
    ) -> None:
        self.glass = Glass(*size)
        stdout = io.TextIOWrapper(
            io.BufferedWriter(self.glass), encoding=encoding, write_through=True
        )
        self.output = DiffOutput(
            stdout,
            lambda: Size(rows=self.glass.screen.lines, columns=self.glass.screen.columns),
            term=term,
            default_color_depth=ColorDepth.DEPTH_24_BIT,
            enable_cpr=False,
        )
        self._keys = keys
        self.frames = 0
        self._drawn = asyncio.Event()

    @asynccontextmanager
    async def running(self, screen: Runnable) -> AsyncIterator[None]:
        """Show a screen; at the end the person leaves, and the screen must end."""
        screen.app.after_render += self._count
        self._resized = screen.app._on_resize
        running = asyncio.create_task(screen.run())
        await self.until(lambda: self.frames > 0)
        yield
        while not running.done():
            self._keys.send_text(INTERRUPT)
            await asyncio.wait([running], timeout=2.0)
        await running

    def _count(self, _app: object) -> None:
        self.frames += 1
        self._drawn.set()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.glass.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    async def until(self, seen: Callable[[], bool]) -> None:
        """Wait for something to be true after some frame."""
        # the loop's clock is quick: the deadline is one of real seconds
        async with asyncio.timeout(DEADLINE_SECONDS * QUICKER):
            while not seen():
                self._drawn.clear()
                await self._drawn.wait()

    async def see(self, text: str) -> None:
        """Wait until a text is on the screen."""
        try:
            await self.until(lambda: text in self.text)
        except TimeoutError:
            raise AssertionError(f"no {text!r} in\n{self.text}") from None

    async def press(self, *keys: str) -> None:
        """Press keys, each one after the frame that the one before it made."""
        for key in keys:
            # by then no key counts as held, or as pressed for what was there before the turn
            skip(FINGER_SECONDS)
            frames = self.frames
            self._keys.send_text(key)
            await self.until(lambda frames=frames: self.frames > frames)  # type: ignore[misc]  # mypy cannot infer a lambda with a default

    async def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self.glass.screen.resize(rows, columns)
        frames = self.frames
        self._resized()
        await self.until(lambda: self.frames > frames)


class Terminal(Tty):
    """A terminal with the screen of a link on it."""

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
        self.screen = Screen(link, settings, self.kept.append, keys, self.output)

    async def click(self, kind: Kind, value: str | int) -> None:
        """Press and release the left button where a click means that, and wait for the frame."""
        x, y = self.where(kind, value)
        await self.press(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")

    def where(self, kind: Kind, value: str | int) -> tuple[int, int]:
        """Return the last cell of the frame on which a click means that."""
        canvas = self.screen._fullscreen.canvas
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
    """Show a link on a terminal; at the end the person leaves, and the screen must end."""
    with create_pipe_input() as keys:
        terminal = Terminal(link, keys, (columns, rows), encoding, settings, term)
        async with terminal.running(terminal.screen):
            yield terminal
