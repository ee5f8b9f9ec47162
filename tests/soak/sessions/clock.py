"""An event loop in simulated time: its clock jumps to the next timer."""

import asyncio
from collections.abc import Callable
from selectors import SelectorKey, SelectSelector
from typing import Final

MOST_TURNS: Final = 10_000
"""Iterations of the loop without time passing: far more than any session needs."""


class StandstillError(Exception):
    """Simulated time has stopped."""


class _Jumping(SelectSelector):
    """A selector that waits only for timers."""

    def __init__(self, jump: Callable[[float | None], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Let time pass; no file is ever ready."""
        self._jump(timeout)
        return []


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose seconds take no time; the same seed always gives the same order."""

    def __init__(self) -> None:
        self._now = 0.0
        self._turns = 0
        super().__init__(_Jumping(self._pass))

    def time(self) -> float:
        return self._now

    def _pass(self, seconds: float | None) -> None:
        if seconds is None:
            raise StandstillError("everybody waits, and nothing will ever happen")
        self._now += seconds
        self._turns = 0 if seconds else self._turns + 1
        if self._turns > MOST_TURNS:
            raise StandstillError(f"somebody is kept awake at {self._now}, and no time passes")


async def elapse(seconds: float) -> None:
    """Let simulated time pass, which takes none."""
    await asyncio.sleep(seconds)
