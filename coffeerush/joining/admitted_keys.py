"""The CURVE keys that may connect: the door adds them, ZAP looks them up, in two threads."""

from collections.abc import Set
from threading import RLock
from typing import Final

MAX_KEYS: Final = 256
"""Many times more than a table has people; a stranger cannot make it grow beyond."""


class AdmittedKeyring:
    """A bounded set of keys in Z85; the oldest that nobody at the table needs goes first."""

    def __init__(self, most: int = MAX_KEYS) -> None:
        self._most = most
        self.lock = RLock()
        """What keeps other threads from changing them."""
        self._keys: dict[str, None] = {}
        self._kept: Set[str] = frozenset()
        self._removed: Set[str] = frozenset()

    def admit(self, key: str) -> None:
        """Let a key in from now on, unless the owner sent it away."""
        with self.lock:
            if key in self._removed:
                return
            self._keys.pop(key, None)
            self._keys[key] = None
            if len(self._keys) > self._most:
                oldest = next((old for old in self._keys if old not in self._kept), key)
                del self._keys[oldest]

    def keep(self, keys: Set[str], removed: Set[str] = frozenset()) -> Set[str]:
        """Let in, and never forget, some keys; return those that were sent away since last time.

        Where there are any, all others are forgotten as well that nobody at the table needs: they
        may be of the same person.

        Args:
            keys: of those who are at the table, or have been let in for good.
            removed: all that the owner sent away.
        """
        with self.lock:
            gone = removed - self._removed
            if gone:
                self._keys.clear()
            self._kept, self._removed = keys - removed, removed
            for key in self._kept:
                self._keys.setdefault(key)
            for key in removed:
                self._keys.pop(key, None)
            return gone

    def is_removed(self, key: str) -> bool:
        """Tell whether the owner sent a key away."""
        with self.lock:
            return key in self._removed

    def __contains__(self, key: object) -> bool:
        with self.lock:
            return key in self._keys
