"""The process that started this host and shows a person's screen, at the other end of a socket.

It says which table it wants, is told where that is, and is heard when it goes: neither takes the
other down, and no host stays behind that nobody knows of.
"""

import socket
from typing import Final, Literal, TypeAlias

from msgspec import Struct, json

from protocol import DOOR_PORT

TABLE_NAME: Final = "Coffee Rush"
GRACE_SECONDS: Final = 60.0
"""Time to come back after a screen that broke, before a table without people stops."""
GOODBYE: Final = b"."
"""Said by a screen that was left on purpose: no need to wait for it."""

StopPolicy: TypeAlias = Literal["at_once", "alone"]
"""A host stops when its parent goes, or once besides nobody is at the table."""


class HostOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line, which the parent says: what is to be hosted, as `coffeerush host` has it."""

    table: str = TABLE_NAME
    seats: int | None = None
    """None for as many as fit."""
    bots: tuple[str, ...] = ()
    port: int = DOOR_PORT
    bind: str = "*"
    open: bool = False
    deck: str | None = None
    starters: bool = False
    first: str = ""
    turn_seconds: int = 0
    seed: int | None = None
    record: str | None = None
    resume: str | None = None
    resume_latest: bool = False
    games: int = 0
    owner: str = ""
    """The CURVE key, in Z85, of whom the table belongs to; empty for nobody."""
    stop: StopPolicy = "alone"


class HostReady(Struct, frozen=True, tag="ready"):
    """The line that says that the host listens."""

    local: str
    """The address at which this machine reaches it."""
    port: int
    """The door's."""
    requests: int
    updates: int
    addresses: tuple[str, ...]
    """At which others join, the likeliest first."""
    code: str = ""
    """The join code; empty at an open table."""


class NewCode(Struct, frozen=True, tag="new_code"):
    """A later line: the join code has changed."""

    code: str


class Failed(Struct, frozen=True, tag="failed"):
    """The line that says why the host does not start."""

    error: str
    wrong_usage: bool


class ParentLink:
    """The host's end.

    Args:
        link: connected to the process that started this one.
        stop: when the host is to stop.
    """

    def __init__(self, link: socket.socket, stop: StopPolicy) -> None:
        self._link = link
        self._stop = stop
        self._deadline: float | None = None
        link.setblocking(False)

    def fileno(self) -> int | None:
        """Return the descriptor to poll; None once it is gone."""
        return None if self._deadline is not None else self._link.fileno()

    def tell(self, line: HostReady | NewCode | Failed) -> None:
        """Say a line; where nobody listens any more, the next `hear` notices."""
        try:
            self._link.send(json.encode(line) + b"\n")
        except OSError:
            return

    def hear(self, now: float) -> bool:
        """Notice that it goes; `fileno` is readable.

        Returns:
            Whether its screen was left on purpose.
        """
        try:
            heard = self._link.recv(16)
        except OSError:
            heard = b""
        on_purpose = heard == GOODBYE
        at_once = on_purpose or self._stop == "at_once"
        self._deadline = now if at_once else now + GRACE_SECONDS
        return on_purpose

    def ends(self, now: float, table_is_in_use: bool) -> bool:
        """Tell whether the host has nobody left to go on for."""
        if self._deadline is None or now < self._deadline:
            return False
        return self._stop == "at_once" or not table_is_in_use
