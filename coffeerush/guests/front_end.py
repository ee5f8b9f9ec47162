"""What ssh and the web have in common: frames out, keys and clicks in, and the time to share."""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import copy_context
from functools import partial
from operator import methodcaller
from time import thread_time
from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.local.settings import Colours, Settings
from coffeerush.rates import TokenBucket
from coffeerush.ui.terminal.canvas import Look, Target
from coffeerush.ui.terminal.fullscreen import Program, saved_bug
from coffeerush.ui.terminal.output import look_in
from coffeerush.ui.words.i18n import set_language

from .places import (
    FRAME_SECONDS,
    GRACE_SECONDS,
    GUEST_SHARE,
    INPUTS_AT_ONCE,
    INPUTS_PER_SECOND,
    LARGEST,
    PASTE_CHARACTERS,
    PIECE_SECONDS,
    SHARE_SECONDS,
    STRANGERS_SHARE,
)
from .register import Identity

# The time of the gateway's loop, shared among guests
#
# All guests are drawn, and their keys handled, in one event loop, where one piece of work delays
# all others. So a turn of the loop does one piece, and the guest who has used least comes first:
# what others send meanwhile is heard before the next piece, and a key waits for one at most.


_AT_ONCE: Final = 0.001
"""A debt that is refilled within so many seconds is none; timers are no more exact."""


class Shares:
    """The shares of all guests, and the work that they have asked for."""

    def __init__(self) -> None:
        now = _now()
        self.strangers = TokenBucket(STRANGERS_SHARE, SHARE_SECONDS, now)
        """What those who have not given the code may use together."""
        self._asked: dict[Share, float] = {}
        """When the work of each is due at the earliest."""
        self._next: asyncio.Handle | None = None

    def share(self, work: Callable[[], None]) -> "Share":
        """Return the share of a guest, who has not given the code; `work` does a piece of work."""
        return Share(self, work)

    def ask(self, share: "Share", at: float) -> None:
        """Do a piece of a guest's work soon, but not before a time of the loop."""
        self._asked[share] = min(at, self._asked.get(share, at))
        self._plan()

    def _plan(self) -> None:
        """Plan the next turn."""
        if self._next:
            self._next.cancel()
            self._next = None
        if self._asked:
            loop, now = asyncio.get_running_loop(), _now()
            due = min(self._due(share, now) for share in self._asked)
            ready = due <= now
            self._next = loop.call_soon(self._turn) if ready else loop.call_at(due, self._turn)

    def _turn(self) -> None:
        """Do a piece of work for who is due and has the most left."""
        self._next, now = None, _now()
        due = [share for share in self._asked if self._due(share, now) <= now]
        if not due:
            self._plan()
            return
        share = max(due, key=lambda share: share.seconds.left(now))
        del self._asked[share]
        began = thread_time()
        try:
            share.work()
        finally:
            share.spend(thread_time() - began)
            self._plan()

    def _due(self, share: "Share", now: float) -> float:
        """Return the earliest time for a guest's work; a guest in debt has to wait."""
        wait = max(ration.wait(now) for ration in share.rations)
        return max(self._asked[share], now + wait if wait > _AT_ONCE else now)


class Share:
    """A guest's share of the loop's time.

    Args:
        shares: all of them.
        work: does a piece of work.
    """

    def __init__(self, shares: Shares, work: Callable[[], None]) -> None:
        self._shares = shares
        self.work = work
        self.seconds = TokenBucket(GUEST_SHARE, SHARE_SECONDS, _now())
        """The CPU time that is left."""
        self.is_in = False
        """Whether the guest has given the code."""

    @property
    def rations(self) -> list[TokenBucket]:
        """What the guest's work is paid from."""
        return [self.seconds] if self.is_in else [self.seconds, self._shares.strangers]

    def spend(self, seconds: float) -> None:
        """Pay for work, in seconds of CPU time."""
        for ration in self.rations:
            ration.spend(_now(), seconds)

    def ask(self, at: float = float("-inf")) -> None:
        """Do a piece of work soon, but not before a time of the loop."""
        self._shares.ask(self, at)


def _now() -> float:
    return asyncio.get_running_loop().time()


# What ssh and the web have in common: frames out, keys and clicks in, one program at a time


Action: TypeAlias = Callable[[Program], None]


class FrontEnd(ABC):
    """A guest's connection, as the rest of the gateway sees it.

    A front end implements `show`, `bell` and `title`, and calls `press`, `paste`, `click`, `wheel`
    and `resize` with what the guest does. It is handled, and a frame is shown, in the next turn of
    the loop, or as soon as the guest's share of the loop's time allows it.

    Args:
        shares: of the loop's time.
        address: the numeric address from which the guest comes.
        columns: of their screen.
        rows: of their screen.
        encoding: of what they can be shown.
    """

    kind: str
    """Follows their name at the table: `ssh` or `web`."""
    grace_seconds: float = GRACE_SECONDS
    """How long they stay at the table if the connection breaks."""

    def __init__(
        self, shares: Shares, address: str, columns: int, rows: int, encoding: str = "utf-8"
    ) -> None:
        self._share = shares.share(lambda: self.speaks(self._work))
        self._jobs: deque[Callable[[], None]] = deque()
        """What the guest has sent, in order."""
        self.address = address
        self.encoding = encoding
        self.size = _bounded(columns, rows)
        self.context = copy_context()
        """In which the guest's language is spoken."""
        self._stage: GuestDisplay | None = None
        self._frame: Iterator[None] | None = None
        """The frame that is being drawn."""
        self._paused = False
        self._inputs = TokenBucket(INPUTS_PER_SECOND, INPUTS_AT_ONCE, _now())

    @abstractmethod
    def show(self, program: Program, look: Look, settings: Settings) -> Iterator[None]:
        """Send a frame, or what has changed since the one before; yield between parts of it."""

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

    def admitted(self) -> None:
        """Hear that the guest is at the table; may be called again."""
        self._share.is_in = True

    @property
    def is_slow(self) -> bool:
        """Whether the line has been too slow for animations lately."""
        return False

    def colours(self, settings: Settings) -> Colours:
        """Return the colours of the guest's screen, never `auto`."""
        return "true" if settings.colours == "auto" else settings.colours

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
        self.redraw()

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
        if self._stage is None or self._inputs.left(now) < 1 or len(self._jobs) >= INPUTS_AT_ONCE:
            return
        self._inputs.spend(now, 1)
        self._do(partial(self._stage.hear, action))

    def _do(self, job: Callable[[], None]) -> None:
        """Do a part of handling input after what came before."""
        self._jobs.append(job)
        self._share.ask()

    def _work(self) -> None:
        """Do a piece of work: go on with a frame, or handle input and begin the next frame."""
        until = thread_time() + PIECE_SECONDS
        if self._frame is None:
            while self._jobs and thread_time() < until:
                self._jobs.popleft()()
            self._frame = self._stage.frame_if_due() if self._stage else None
        while self._frame and thread_time() < until:
            if next(self._frame, self) is self:
                self._frame = None
        if self._frame or self._jobs:
            self._share.ask()

    def draw_at(self, at: float) -> None:
        """See whether a frame is due, at a time of the loop."""
        self._share.ask(at)

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
        self._look = self._usual_look()
        self.look = replace(self._look, touch=front.touch)
        self.focused: bool | None = None
        self._drawn_at = float("-inf")
        """When the latest frame was complete."""
        self._outdated = False
        """Whether a frame has to be drawn."""
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
            self.title("")
        if self._bug:
            raise saved_bug(self._bug) from self._bug

    def hear(self, action: Action) -> None:
        """Let the program handle input, in the guest's language."""
        if self._closed.is_set():
            return
        try:
            action(self.program)
            self._apply_settings()
        except Exception as bug:  # noqa: BLE001 - ends this guest's screen, and no other
            self.close(bug)
        self.redraw()

    def _apply_settings(self) -> None:
        before, self._settings = self._settings, self.program.settings
        if self._settings.language != before.language:
            set_language(self._settings.language or None)
        self._look = self._usual_look()

    def _usual_look(self) -> Look:
        """Return the look on a fast line."""
        front, settings = self._front, self._settings
        look = look_in(front.encoding, settings, front.colours(settings))
        return replace(look, is_guest=True)

    def redraw(self) -> None:
        """Draw a frame soon, but not right after the one before."""
        self._outdated = True
        self._front.draw_at(self._drawn_at + FRAME_SECONDS)

    def frame_if_due(self) -> Iterator[None] | None:
        """Return a frame to draw and send, part by part, if something has changed."""
        if not self._outdated or self._closed.is_set() or not self._front.can_show:
            return None
        if _now() < self._drawn_at + FRAME_SECONDS:
            self._front.draw_at(self._drawn_at + FRAME_SECONDS)
            return None
        self._outdated = False
        return self._draw()

    def _draw(self) -> Iterator[None]:
        """Draw a frame in the guest's language, and send it; yield between parts of it."""
        self.look = replace(self._look, slow=self._front.is_slow, touch=self._front.touch)
        try:
            yield from self._front.show(self.program, self.look, self._settings)
        except Exception as bug:  # noqa: BLE001 - ends this guest's screen, and no other
            self.close(bug)
        self._drawn_at = _now()

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
