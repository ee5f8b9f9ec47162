"""Keep the admitted keys in step with the table: its members may connect, kicked ones may not."""

from coffeerush.host.table.table import Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring

from .flood_guard import Guard


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
        self._guard = guard
        self._admission = admission

    def may_ask(self, key: str, table: Table) -> bool:
        """Tell whether to pass on a request: its connection may be older than a kick.

        A removed key may ask too: the table answers it with `removed`.
        """
        return key in self.keyring or key in table.keys or key in table.removed

    def settle(self, table: Table) -> None:
        """Admit the table's members, and cut off those kicked since the last call."""
        if self._admission.settle(table.keys, table.removed):
            self._guard.cut_all()
