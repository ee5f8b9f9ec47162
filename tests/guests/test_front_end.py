"""One loop for all guests: what one asks for does not delay the frames and keys of others."""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from time import thread_time
from typing import Any

from coffeerush.guests.front_end import FrontEnd, Shares
from coffeerush.guests.places import INPUTS_AT_ONCE, LARGEST, PIECE_SECONDS, SHARE_SECONDS
from coffeerush.guests.register import AddressAndName, Identity
from coffeerush.local.settings import Settings
from coffeerush.ui.terminal.canvas import Canvas, Look, Target
from coffeerush.ui.terminal.fullscreen import Program as Screened
from tests.support.hosts_and_clients import SECONDS

FEW = 20
"""Inputs that take far less than a piece of work may."""


class Program:
    """Remembers its keys, and may take its time."""

    settings = Settings()

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.seconds_a_key = 0.0
        self.on_key: Callable[[], None] = lambda: None

    def frame(self, columns: int, rows: int) -> Canvas:
        return Canvas(columns, rows)

    def press(self, key: str) -> None:
        until = thread_time() + self.seconds_a_key
        while thread_time() < until:
            pass
        self.keys.append(key)
        self.on_key()

    def paste(self, text: str) -> None: ...

    def click(self, target: Target) -> None: ...

    def wheel(self, target: Target | None, lines: int) -> None: ...


class Front(FrontEnd):
    """Remembers the frames of a guest, who has a log with others."""

    kind = "test"

    def __init__(self, shares: Shares, name: str, log: list[str]) -> None:
        super().__init__(shares, "127.0.0.1", 80, 24)
        self.name = name
        self.program = Program()
        self.frames: list[Canvas] = []
        self.parts, self.seconds_a_part = 1, 0.0
        """Of what a frame takes to be sent."""
        self._log = log
        self._news = asyncio.Event()
        self._showing = asyncio.create_task(self.display(self.program).run())

    @property
    def share(self) -> Any:
        return self._share

    def show(self, program: Screened, look: Look, settings: Settings) -> Iterator[None]:
        canvas = program.frame(*self.size)
        yield
        for _part in range(self.parts):
            until = thread_time() + self.seconds_a_part
            while thread_time() < until:
                pass
            self._news.set()
            yield
        self.frames.append(canvas)
        self._log.append(self.name)
        self._news.set()

    def bell(self) -> None: ...

    def title(self, text: str) -> None: ...

    def identify(self, name: str) -> Identity:
        return AddressAndName("", name)

    async def is_shown(self) -> None:
        await self.until(lambda: self.frames)

    async def until(self, wanted: Callable[[], object]) -> None:
        async with asyncio.timeout(SECONDS):
            while not wanted():
                self._news.clear()
                await self._news.wait()


async def test_what_comes_together_is_drawn_once() -> None:
    shares = Shares()
    ann = Front(shares, "Ann", [])
    await ann.is_shown()
    for one in range(FEW):  # handled in one piece, however slow the machine
        ann.resize(*LARGEST) if one % 2 else ann.resize(100, 30)
        ann.press(str(one))
    ann.resize(100, 30)
    await ann.until(lambda: len(ann.frames) > 1)
    sizes = [(one.columns, one.rows) for one in ann.frames]
    assert sizes == [(80, 24), (100, 30)]
    assert ann.program.keys == [str(one) for one in range(FEW)]


async def test_every_key_is_heard_of_as_many_as_may_come_together() -> None:
    shares = Shares()
    ann = Front(shares, "Ann", [])
    await ann.is_shown()
    for one in range(INPUTS_AT_ONCE - 1):
        ann.press(str(one))
    ann.press("last")
    await ann.until(lambda: ann.program.keys[-1:] == ["last"])
    assert ann.program.keys[:-1] == [str(one) for one in range(INPUTS_AT_ONCE - 1)]


async def test_who_has_used_less_comes_first() -> None:
    shares = Shares()
    came: list[str] = []
    crowd = [Front(shares, name, []) for name in ("Eve", "Mallory", "Ann")]
    for front in crowd:
        front.admitted()
        await front.is_shown()
        front.program.on_key = partial(came.append, front.name)
    eve, mallory, _ann = crowd
    eve.share.spend(SHARE_SECONDS / 2)
    mallory.share.spend(SHARE_SECONDS / 4)
    for front in crowd:
        front.press("x")
    await eve.until(lambda: len(came) == len(crowd))
    assert came == ["Ann", "Mallory", "Eve"]


async def test_keys_that_take_long_let_others_come_in_between() -> None:
    shares = Shares()
    eve, ann = Front(shares, "Eve", []), Front(shares, "Ann", [])
    await eve.is_shown()
    await ann.is_shown()
    eve.program.seconds_a_key = 2 * PIECE_SECONDS
    eve.press(*"abcdef")
    await eve.until(lambda: eve.program.keys)
    frames = len(ann.frames)
    ann.press("x")
    await ann.until(lambda: len(ann.frames) > frames)
    assert len(eve.program.keys) < len("abcdef")


async def test_a_frame_that_takes_long_lets_others_come_in_between() -> None:
    shares = Shares()
    log: list[str] = []
    eve, ann = Front(shares, "Eve", log), Front(shares, "Ann", log)
    await eve.is_shown()
    await ann.is_shown()
    log.clear()
    eve.parts, eve.seconds_a_part = 4, PIECE_SECONDS
    eve.press("x")
    await eve.until(lambda: eve.program.keys)
    ann.press("x")
    await eve.until(lambda: len(log) == 2)
    assert log == ["Ann", "Eve"]


async def test_who_is_in_debt_waits_and_loses_no_key() -> None:
    shares = Shares()
    log: list[str] = []
    eve, ann = Front(shares, "Eve", log), Front(shares, "Ann", log)
    await eve.is_shown()
    await ann.is_shown()
    log.clear()
    eve.share.spend(SHARE_SECONDS + 0.01)
    eve.press("x", "y")
    ann.press("x")
    ann.admitted()  # else Eve's debt is also hers
    await ann.until(lambda: log)
    assert (log, eve.program.keys) == (["Ann"], [])
    await eve.until(lambda: log == ["Ann", "Eve"])
    assert eve.program.keys == ["x", "y"]


async def test_those_without_the_code_have_one_share_together() -> None:
    shares = Shares()
    log: list[str] = []
    eves = [Front(shares, f"Eve {one}", log) for one in range(2)]
    ann, newcomer = Front(shares, "Ann", log), Front(shares, "Newcomer", log)
    ann.admitted()
    for one in (*eves, ann, newcomer):
        await one.is_shown()
    log.clear()
    for eve in eves:
        eve.share.spend(SHARE_SECONDS * 0.51)
        eve.press("x")
    newcomer.press("x")
    ann.press("x")
    await newcomer.until(lambda: len(log) == 2)
    assert sorted(log) == ["Ann", "Newcomer"]


async def test_a_bug_in_the_work_of_one_does_not_stop_the_others() -> None:
    shares = Shares()
    done = asyncio.Event()
    errors: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, about: errors.append(about))
    shares.share(_bug).ask()
    shares.share(done.set).ask()
    await asyncio.wait_for(done.wait(), SECONDS)
    assert len(errors) == 1


def _bug() -> None:
    raise RuntimeError
