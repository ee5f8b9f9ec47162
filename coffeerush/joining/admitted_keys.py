"""The CURVE keys that may connect: the door adds them, the ZAP thread looks them up."""

from collections.abc import Set
from threading import RLock
from typing import Final

MAX_KEYS: Final = 256
"""Many times the people at a table; bounds what strangers can add."""
KEYS_A_TABLE: Final = 32
"""As many more for each table beside the first one."""


class AdmittedKeyring:
    """A bounded, thread-safe set of keys in Z85; evicts the oldest that nobody at the table has."""

    def __init__(self, most: int = MAX_KEYS) -> None:
        self.most = most
        """How many keys it holds; grows with the number of tables."""
        self.lock = RLock()
        """Hold it to keep other threads from changing the keys."""
        self._keys: dict[str, None] = {}
        self._kept: Set[str] = frozenset()
        self._removed: Set[str] = frozenset()

    def admit(self, key: str) -> None:
        """Admit a key, unless the owner kicked it."""
        with self.lock:
            if key in self._removed:
                return
            self._keys.pop(key, None)
            self._keys[key] = None
            if len(self._keys) > self.most:
                oldest = next((old for old in self._keys if old not in self._kept), key)
                del self._keys[oldest]

    def keep(self, keys: Set[str], removed: Set[str] = frozenset()) -> Set[str]:
        """Admit and never evict `keys`; return those that were kicked since the last call.

        After a kick all keys that nobody at the table has are forgotten: they may belong to the
        same person.

        Args:
            keys: of the people at the table, or admitted permanently.
            removed: all keys that the owner kicked.
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
        """Return whether the owner kicked a key."""
        with self.lock:
            return key in self._removed

    def __contains__(self, key: object) -> bool:
        with self.lock:
            return key in self._keys
