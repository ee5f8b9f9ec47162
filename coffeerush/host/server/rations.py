"""Ration what a key may do over all its connections. Sans-I/O; `now` is in seconds."""

from collections.abc import Hashable
from typing import Final

from coffeerush.rates import SlidingWindow

RATION_SECONDS: Final = 10.0


class Rations:
    """Counts what each key did in the last `RATION_SECONDS`."""

    def __init__(self) -> None:
        self._windows: dict[tuple[str, Hashable], SlidingWindow] = {}

    def take(self, now: float, key: str, what: Hashable, most: int) -> bool:
        """Count one of `what` by a key; tell whether that was within `most`."""
        window = self._windows.setdefault((key, what), SlidingWindow(RATION_SECONDS))
        if window.count(now) >= most:
            return False
        window.add(now)
        return True

    def clear(self) -> None:
        """Give all keys their full rations again."""
        self._windows.clear()

    def prune(self, now: float) -> None:
        """Forget keys that did nothing lately."""
        self._windows = {who: one for who, one in self._windows.items() if one.count(now)}
