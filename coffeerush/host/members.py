"""Who may connect, and whence they do: follows whom the table knows and whom it has sent away."""

from coffeerush.host.gate import Gate
from coffeerush.host.guard import Guard
from coffeerush.host.keyring import Keyring
from coffeerush.host.table import Table


class Members:
    """Keeps the keys that ZAP lets in, and cuts off who is removed.

    ZeroMQ does not end the connections of a key. So all that come from the address at which it was
    heard last are cut: who is let in still connects anew by itself. And as whoever was removed
    knows the join code, it becomes another one.

    Args:
        keyring: the keys that ZAP lets in.
        guard: cuts connections.
        gate: has the code.
    """

    def __init__(self, keyring: Keyring, guard: Guard, gate: Gate) -> None:
        self.keyring = keyring
        self._guard = guard
        self._gate = gate
        self._addresses: dict[str, str] = {}

    def hear(self, key: str, address: str) -> None:
        """Note whence somebody was heard who is let in."""
        self._addresses[key] = address

    def settle(self, table: Table) -> None:
        """Let in whom the table knows, and cut off those whom it has sent away since."""
        keys = table.keys
        gone = self.keyring.keep(keys, table.removed)
        if gone:
            self._gate.change_code()
        for key in gone:
            if key in self._addresses:
                self._guard.cut(self._addresses[key])
        self._addresses = {key: at for key, at in self._addresses.items() if key in keys}
