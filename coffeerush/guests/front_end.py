"""What ssh and the web have in common: frames out, keys and clicks in, one program at a time."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextvars import copy_context
from operator import methodcaller
from typing import TypeAlias

from msgspec.structs import replace

from coffeerush.local.settings import Settings
from coffeerush.rates import TokenBucket
from coffeerush.ui.terminal.canvas import Canvas, Look, Target
from coffeerush.ui.terminal.capabilities import look_in
from coffeerush.ui.terminal.display import Program
from coffeerush.ui.terminal.fullscreen import saved_bug
from coffeerush.ui.words.i18n import set_language

from .identity import Identity
from .limits import (
    FRAME_SECONDS,
    GRACE_SECONDS,
    INPUTS_AT_ONCE,
    INPUTS_PER_SECOND,
    LARGEST,
    PASTE_CHARACTERS,
)

Action: TypeAlias = Callable[[Program], None]


class FrontEnd(ABC):
    """A guest's connection, as the rest of the gateway sees it.

    A front end implements `show`, `bell` and `title`, and calls `press`, `paste`, `click`, `wheel`
    and `resize` with what the guest does. After each of them a frame is shown, soon.

    Args:
        address: the numeric address from which the guest comes.
        columns: of their screen.
        rows: of their screen.
        encoding: of what they can be shown.
    """

    kind: str
    """Follows their name at the table: `ssh` or `web`."""
    grace_seconds: float = GRACE_SECONDS
    """How long they stay at the table if the connection breaks."""

    def __init__(self, address: str, columns: int, rows: int, encoding: str = "utf-8") -> None:
        self.address = address
        self.encoding = encoding
        self.size = _bounded(columns, rows)
        self.context = copy_context()
        """In which the guest's language is spoken."""
        self._stage: GuestDisplay | None = None
        self._paused = False
        self._inputs = TokenBucket(INPUTS_PER_SECOND, INPUTS_AT_ONCE, _now())

    @abstractmethod
    def show(self, canvas: Canvas, look: Look, settings: Settings) -> None:
        """Send a frame, or what has changed since the one before."""

    @abstractmethod
    def bell(self) -> None:
        """Ring the bell: the guest's turn begins."""

    @abstractmethod
    def title(self, text: str) -> None:
        """Set the title of the window; "" restores the original one."""

    identity: Identity | None = None
    """By what the guest is recognized, if that is known already: a key, or a token."""
    touch: bool = False
    """Whether the guest taps on the screen, and may have no keyboard."""
    is_own: bool = True
    """Whether nobody else can have the identity, so that a new connection replaces an older one."""

    asks_code: bool = True
    """Whether the join code may be typed here: not where others can listen."""

    @abstractmethod
    def identify(self, name: str) -> Identity:
        """Return by what to recognize this guest later, whose name it is; they gave the code."""

    @abstractmethod
    def admitted(self) -> None:
        """Hear that the guest is at the table; may be called again."""

    @property
    def is_slow(self) -> bool:
        """Whether the line has been too slow for animations lately."""
        return False

    # Input

    def press(self, *keys: str) -> None:
        """Press keys: characters, or prompt_toolkit's key names."""
        for key in keys:
            self._hear(methodcaller("press", key))

    def paste(self, text: str) -> None:
        """Paste text."""
        self._hear(lambda program: program.paste(text[:PASTE_CHARACTERS]))

    def click(self, target: Target) -> None:
        """Click on a zone of the latest canvas."""
        self._hear(lambda program: program.click(target))

    def wheel(self, target: Target | None, lines: int) -> None:
        """Turn the wheel over a zone of the latest canvas, if any; `lines` is -1 or 1."""
        self._hear(lambda program: program.wheel(target, lines))

    def resize(self, columns: int, rows: int) -> None:
        """Draw for another size from now on."""
        self.size = _bounded(columns, rows)
        self._hear(lambda _program: None)

    def pause(self) -> None:
        """Draw nothing: the guest reads too slowly."""
        self._paused = True

    def resume(self) -> None:
        """Draw again, first of all what was missed."""
        self._paused = False
        self.redraw()

    def redraw(self) -> None:
        """Draw a frame soon."""
        if self._stage:
            self._stage.redraw()

    def _hear(self, action: Action) -> None:
        now = _now()
        if self._stage is None or self._inputs.left(now) < 1:
            return
        self._inputs.spend(now, 1)
        self._stage.hear(action)

    # Programs

    def display(self, program: Program) -> "GuestDisplay":
        """Return the display of a program; it shows while its `run` does."""
        return GuestDisplay(self, program)

    @property
    def can_show(self) -> bool:
        """Whether frames can be sent now."""
        return not self._paused

    def enter(self, stage: "GuestDisplay | None") -> None:
        """Direct input to a display, or to none."""
        self._stage = stage

    def close_stage(self) -> None:
        """Close what is shown now: the guest goes on through another connection."""
        if self._stage:
            self._stage.close()

    def speaks(self, action: Callable[[], None]) -> None:
        """Run something in the guest's language, wherever it is called from."""
        self.context.copy().run(action)


class GuestDisplay:
    """A display of one program, shown by a front end."""

    def __init__(self, front: FrontEnd, program: Program) -> None:
        self._front = front
        self.program = program
        self._settings = program.settings
        self.look = self._look = look_in(front.encoding, self._settings)
        self.focused: bool | None = None
        self._drawn_at = float("-inf")
        self._drawing: asyncio.TimerHandle | None = None
        self._closed = asyncio.Event()
        self._bug: BaseException | None = None

    async def run(self) -> None:
        """Show the program until closed; raises `CoffeeRushError` for a bug."""
        self._front.enter(self)
        try:
            self.redraw()
            await self._closed.wait()
        finally:
            self._front.enter(None)
            if self._drawing:
                self._drawing.cancel()
            self.title("")
        if self._bug:
            raise saved_bug(self._bug) from self._bug

    def hear(self, action: Action) -> None:
        """Let the program handle input, then draw."""
        if not self._closed.is_set():
            self._front.speaks(lambda: self._hear(action))

    def _hear(self, action: Action) -> None:
        try:
            action(self.program)
            self._apply_settings()
        except Exception as bug:  # noqa: BLE001 - ends this guest's screen, and no other
            self.close(bug)
        if self._drawing is None and _now() >= self._drawn_at + FRAME_SECONDS:
            self._draw_if_shown()
        else:
            self.redraw()

    def _apply_settings(self) -> None:
        before, self._settings = self._settings, self.program.settings
        if self._settings.language != before.language:
            set_language(self._settings.language or None)
        self._look = look_in(self._front.encoding, self._settings)

    def redraw(self) -> None:
        """Draw a frame: at once, unless the one before was drawn a moment ago."""
        if self._drawing is None and not self._closed.is_set():
            at = self._drawn_at + FRAME_SECONDS
            self._drawing = asyncio.get_running_loop().call_at(at, self._draw_in_context)

    def _draw_in_context(self) -> None:
        self._drawing = None
        self._front.speaks(self._draw_if_shown)

    def _draw_if_shown(self) -> None:
        if not self._closed.is_set() and self._front.can_show:
            self._draw()

    def _draw(self) -> None:
        self._drawn_at = _now()
        still = self._look.still or self._front.is_slow
        self.look = replace(self._look, still=still, touch=self._front.touch)
        try:
            canvas = self.program.frame(*self._front.size)
            self._front.show(canvas, self.look, self._settings)
        except Exception as bug:  # noqa: BLE001 - ends this guest's screen, and no other
            self.close(bug)

    def bell(self) -> None:
        """Ring the bell."""
        self._front.bell()

    def notify(self, text: str) -> None:
        """Show nothing: a guest's desktop cannot be reached."""

    def title(self, text: str) -> None:
        """Set the title of the window."""
        self._front.title(text)

    def close(self, bug: BaseException | None = None) -> None:
        """Close the display; `run` reports the bug if there was one."""
        self._bug = self._bug or bug
        self._closed.set()


def _bounded(columns: int, rows: int) -> tuple[int, int]:
    return max(1, min(columns, LARGEST[0])), max(1, min(rows, LARGEST[1]))


def _now() -> float:
    return asyncio.get_running_loop().time()
