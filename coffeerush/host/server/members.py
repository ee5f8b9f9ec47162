"""Who may connect and be heard: follows whom the table knows and whom it has sent away."""

from coffeerush.host.table.table import Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring

from .flood_guard import Guard


class Members:
    """Keeps the keys that ZAP lets in, and cuts off who is removed.

    ZeroMQ neither ends the connections of a key nor tells which these are, and whoever was removed
    may have come with a second one. So all connections are cut: who is let in still connects anew
    by itself, within the time of a blink.

    Args:
        keyring: the keys that ZAP lets in.
        guard: cuts connections.
        gate: lets in at the door.
    """

    def __init__(self, keyring: AdmittedKeyring, guard: Guard, gate: Admission) -> None:
        self.keyring = keyring
        self._guard = guard
        self._gate = gate

    def may_ask(self, key: str, table: Table) -> bool:
        """Tell whether a request counts: its connection may be older than a removal.

        Who was removed is answered, by the table, with just that.
        """
        return key in self.keyring or key in table.keys or key in table.removed

    def settle(self, table: Table) -> None:
        """Let in whom the table knows, and cut off those whom it has sent away since."""
        if self._gate.settle(table.keys, table.removed):
            self._guard.cut_all()
