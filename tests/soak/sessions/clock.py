"""An event loop in simulated time: its clock jumps to whatever is due next."""

import asyncio
from collections.abc import Callable
from selectors import SelectorKey, SelectSelector
from typing import Final

MOST_TURNS: Final = 10_000
"""Of the loop, without time passing: by far more than any session takes."""


class StandstillError(Exception):
    """No time passes any more."""


class _Jumping(SelectSelector):
    """Waits for nothing but the time."""

    def __init__(self, jump: Callable[[float | None], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Let the time pass; no file is ever ready."""
        self._jump(timeout)
        return []


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Runs a second in no time; from the same seed everything happens in the same order."""

    def __init__(self) -> None:
        self._now = 0.0
        self._turns = 0
        super().__init__(_Jumping(self._pass))

    def time(self) -> float:
        """Return the simulated time, in seconds."""
        return self._now

    def _pass(self, seconds: float | None) -> None:
        if seconds is None:
            raise StandstillError("everybody waits, and nothing will ever happen")
        self._now += seconds
        self._turns = 0 if seconds else self._turns + 1
        if self._turns > MOST_TURNS:
            raise StandstillError(f"somebody is kept awake at {self._now}, and no time passes")
