"""Who may connect, and how often: the table's members within their rations, kicked ones never."""

from collections.abc import Set
from typing import Final

from coffeerush.host.table.table import Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring

from .crowding import Tiers
from .flood_guard import MAX_OF_A_KEY, Guard
from .rations import RATION_SECONDS, Rations

NEWCOMERS: Final = 32
"""Connections to a port in `RATION_SECONDS`, of all keys together that were never at the table:
one person may have any number of keys."""
SUBSCRIPTIONS: Final = 8
"""Of a key in `RATION_SECONDS`; a client sends one over each connection."""
MAX_TOO_FAST: Final = 100
"""Requests beyond the rate limit in `RATION_SECONDS`, after which a key's connections are cut."""


class Members:
    """Updates the keys that ZAP admits, and cuts off anybody who is kicked.

    ZeroMQ can neither close the connections of a key nor say which they are, and somebody who was
    kicked may have a second key. So all connections are cut; clients still admitted reconnect
    by themselves within a fraction of a second.

    Args:
        keyring: the keys that ZAP admits.
        guard: cuts connections.
        admission: admits keys at the door.
    """

    def __init__(self, keyring: AdmittedKeyring, guard: Guard, admission: Admission) -> None:
        self.keyring = keyring
        self.guard = guard
        self._admission = admission
        self._rations = Rations()
        self._at_table: Set[str] = frozenset()

    def may_connect(self, now: float, key: str, port: int) -> bool:
        """Return whether a key may have one more connection to a port, and count it.

        The older connections that it still has count, too; the newer ones are in its ration.
        """
        left = MAX_OF_A_KEY - self.guard.settled(key, port, now - RATION_SECONDS)
        is_newcomer = key not in self._at_table
        return self._rations.take(now, key, port, left) and (
            not is_newcomer or self._rations.take(now, "", port, NEWCOMERS)
        )

    def may_subscribe(self, now: float, key: str) -> bool:
        """Return whether a key may subscribe once more, and count it."""
        return self._rations.take(now, key, "subscription", SUBSCRIPTIONS)

    def note_too_fast(self, now: float, key: str) -> None:
        """Note a request beyond the rate limit; after too many of them cut the key off."""
        if not self._rations.take(now, key, "too_fast", MAX_TOO_FAST):
            self.guard.cut_key(key)

    def may_ask(self, key: str, table: Table) -> bool:
        """Return whether to pass on a request: its connection may be older than a kick.

        A removed key may ask too: the table answers it with `removed`.
        """
        return key in self.keyring or key in table.keys or key in table.removed

    def settle(self, now: float, table: Table) -> bool:
        """Admit the table's members and rank them; return whether to `cut_all` after a kick.

        Then the code has changed as well.
        """
        self._at_table = table.keys
        self.guard.set_tiers(Tiers(table.seated_keys, table.keys_here, table.keys))
        self._rations.prune(now)
        return self._admission.settle(table.keys, table.removed)

    def cut_all(self) -> None:
        """Cut all connections, so that those who are not admitted any more lose theirs."""
        self.guard.cut_all()
        self._rations.clear()
