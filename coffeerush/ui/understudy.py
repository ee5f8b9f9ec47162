"""The host that a player's program starts when it takes over the tables of another host."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from msgspec.structs import replace

from coffeerush.errors import CoffeeRushError, HostError
from coffeerush.joining.hosts import Address
from coffeerush.local.files import make_directory, state_directory
from protocol import DOOR_PORT, NO_ID, Listening, Standby

if TYPE_CHECKING:
    from coffeerush.host.children import HostProcess
    from coffeerush.host.server.parent import HostOptions


class HostUnderstudy:
    """Starts a host on this machine, in a child process; may be used from several threads.

    Args:
        records: the directory of this user's records.
        on_begin: called with the host once it has the tables.
        options: of the host, but for what it gets with the tables; None for the usual ones.
    """

    def __init__(
        self,
        records: Path,
        on_begin: Callable[["HostProcess"], None],
        options: "HostOptions | None" = None,
    ) -> None:
        self._records = records
        self._on_begin = on_begin
        self._options = options
        self._lock = Lock()
        self._key = ""
        self._wanted = False
        self._prepared: HostProcess | None = None
        self.process: HostProcess | None = None
        """The host that has the tables."""

    def offer(self) -> Standby | None:
        """Return how this machine could host; None if its key cannot be kept."""
        # imported late, in a thread: loading ZeroMQ would delay the first frame
        from coffeerush.local.keys import host_key

        try:
            state_directory()  # created first, owner-only
            make_directory(self._records)
            self._key = host_key(self._records).public.decode()
        except (OSError, CoffeeRushError):
            return None
        return Standby(self._key, DOOR_PORT)

    def prepare(self, tables: bytes, owner: str, name: str) -> Listening:
        """Start a host that waits to begin; raises `CoffeeRushError`."""
        process = self._spawn(inherited=tables, owner=owner, person=name)
        addresses = process.ready.numeric[:4]
        return Listening(NO_ID, self._key, addresses, process.port)

    def go_on(self, table: bytes, owner: str, name: str) -> Address:
        """Start a host that waits for others who have lost theirs; raises `CoffeeRushError`."""
        if self.process:  # it has handed over the table, and still has the port
            self.process.stop()
            self.process = None
        process = self._spawn(port=DOOR_PORT, failover=table, owner=owner, person=name)
        return Address(process.address, process.port)

    def _spawn(self, **wanted: bytes | str | int) -> "HostProcess":
        """Start a host that does not have the tables yet; raises `CoffeeRushError`."""
        from coffeerush.host.children import spawn_host
        from coffeerush.host.server.parent import HostOptions

        self._wanted = True
        options = replace(self._options or HostOptions(), record=str(self._records))
        process = spawn_host(replace(options, **wanted))
        with self._lock:
            if self._wanted:
                self._prepared = process
        if self._prepared is not process:
            process.stop()
            raise HostError("The host was stopped before it received the table.")
        return process

    def begin(self) -> None:
        """Let it begin: the tables are its own."""
        with self._lock:
            self.process, self._prepared = self._prepared, None
        if self.process:
            self.process.begin()
            self._on_begin(self.process)

    def withdraw(self) -> bool:
        """End it unless it has the tables; return whether it has ended."""
        with self._lock:
            process = self._prepared
        if process and not process.withdraw():
            return False
        self.stop()
        return True

    def stop(self) -> None:
        """End it: the tables stay where they are."""
        with self._lock:
            self._wanted = False
            process, self._prepared = self._prepared, None
        if process:
            process.stop()
