"""The host's link to its parent process, which shows its owner's screen.

The parent sends its options and gets the ports and addresses back; the host notices when it
exits. Neither takes the other down, and no forgotten host keeps running.
"""

import socket
from collections.abc import Callable
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from coffeerush.local.processes import LineLink
from coffeerush.table_rules import TableRules
from coffeerush.tournament.course import TournamentPlan
from protocol import MAX_TABLES, GuestNumber, Name

TABLE_NAME: Final = "Coffee Rush"
GRACE_SECONDS: Final = 60.0
"""Time to return after the parent died unexpectedly, before an empty table stops."""

StopPolicy: TypeAlias = Literal["at_once", "alone"]
"""When a host without its parent stops: at once, or once the table is empty."""


class HostOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of `coffeerush host`; to a child process, the parent's first line."""

    table: str = ""
    """Empty if nobody has named it."""
    seats: int | None = None
    """None for the maximum."""
    bots: tuple[str, ...] = ()
    """Kinds of bot seated from the start."""
    port: int | None = None
    """The door's; 0 picks a free one; None for that of the resumed game, else `DOOR_PORT`."""
    bind: str = "*"
    """Address to listen on; see `open_sockets`."""
    open: bool = False
    """Admit anybody who reaches the door, without a join code."""
    deck: str | None = None
    rules: TableRules = TableRules()
    first: str = ""
    seed: int | None = None
    """Makes deals and bots reproducible; None for unpredictable ones, as at a real table."""
    record: str | None = None
    resume: str | None = None
    """The record of a game to resume."""
    resume_latest: bool = False
    """Resume the latest game on record if it was interrupted."""
    games: int = 0
    """How many to play at each table; 0 for no limit."""
    tables: int = 1
    """How many to begin with."""
    most_tables: Annotated[int, Meta(ge=1, le=MAX_TABLES)] = MAX_TABLES
    """How many there may be at once."""
    tournament: TournamentPlan | None = None
    """The tournament that is held; then the host stops."""
    guests: bool = False
    """Let guests in who have only ssh or a browser."""
    tls_cert: str = ""
    """The file with the certificate for browsers; empty for plain HTTP."""
    tls_key: str = ""
    """The file with its key; empty if it is in the same file."""
    owner: str = ""
    """The owner's CURVE key in Z85; empty for no owner."""
    inherited: bytes = b""
    """The tables that another host hands over, as `StateOfHall`; they decide about all the rest."""
    failover: bytes = b""
    """The table with which a standby goes on without its host, as `Failover`."""
    person: str = ""
    """The owner's name there."""
    stop: StopPolicy = "alone"


class Goodbye(Struct, frozen=True, tag="goodbye"):
    """Sent by a parent that exits on purpose: no grace period is needed."""


class Begin(Struct, frozen=True, tag="begin"):
    """Sent by the parent of a host that takes over tables, once these are its own."""


class Withdraw(Struct, frozen=True, tag="withdraw"):
    """Sent by the parent of a host that waits for others: end, unless the table is here by now."""


class LetGuestsJoin(Struct, frozen=True, tag="let_guests_join"):
    """Sent by the parent when others may also join who have only ssh or a browser, or no more."""

    allowed: bool


class HostReady(Struct, frozen=True, tag="ready"):
    """The host's reply once it listens."""

    local: str
    """The address by which this machine reaches it."""
    port: int
    """The door's port."""
    requests: int
    updates: int
    addresses: tuple[str, ...]
    """Where others join, most likely first."""
    code: str = ""
    """The join code; empty at an open table."""
    numeric: tuple[str, ...] = ()
    """The addresses without the port."""


class NewCode(Struct, frozen=True, tag="new_code"):
    """A later line: the join code has changed."""

    code: str


class Addresses(Struct, frozen=True, tag="addresses"):
    """A later line: this machine's addresses have changed."""

    addresses: tuple[str, ...]
    """Where others join, most likely first."""


Port: TypeAlias = Annotated[int, Meta(ge=0, le=65535)]
Printable: TypeAlias = Annotated[str, Meta(pattern=r"^[ -~]{0,100}$")]
"""A text that is shown in a log as it is."""


class Ways(Struct, frozen=True, tag="ways"):
    """A line from the gateway, and from a host to its parent: how guests come in."""

    ssh_port: Port
    fingerprint: Printable
    """Of the ssh host key, as ssh shows it."""
    web_port: Port = 0
    """0 if there is none."""
    web_tls: bool = False
    """Whether browsers come in by https."""
    asking: Annotated[tuple[tuple[GuestNumber, Name, Printable], ...], Meta(max_length=16)] = ()
    """The guests with a browser who ask to come in, and the number for each to type there."""
    failed: str = ""
    """Why guests cannot come in, a sentence; then nothing else is known."""


NO_WAYS: Final = Ways(0, "")
"""Guests do not come in any more, as their entrance is closed."""


class GoesOn(Struct, frozen=True, tag="goes_on"):
    """The host's reply to `Goodbye` if others are still at the table; if it ends, it just does."""


class Failed(Struct, frozen=True, tag="failed"):
    """The host's reply when it cannot start."""

    error: str
    wrong_usage: bool


Line: TypeAlias = HostReady | NewCode | Addresses | Ways | GoesOn | Failed


class ParentLink:
    """The host's end of the link to its parent process.

    While the parent does not read, as when it is suspended, the latest line of each type waits.
    """

    def __init__(self, link: socket.socket, stop: StopPolicy) -> None:
        self._link: LineLink[Goodbye | Begin | Withdraw | LetGuestsJoin] = LineLink(
            link, Goodbye | Begin | Withdraw | LetGuestsJoin
        )
        self._stop = stop
        self.is_private = stop == "at_once"
        """Whether the table is for the parent's person alone, who plays against bots."""
        self.on_guests: Callable[[bool], None] | None = None
        """Called with whether guests may join who have only ssh or a browser."""
        self._deadline: float | None = None

    def fileno(self) -> int | None:
        """Return the file descriptor to poll; None once the parent is gone."""
        return None if self._deadline is not None else self._link.fileno()

    def tell(self, line: Line) -> None:
        """Send a line now or by a later `send_waiting`; thread-safe.

        If the parent is gone, the next `hear` notices.
        """
        self._link.tell(line)

    def send_waiting(self) -> None:
        """Send what waits, as far as there is room for it; call now and then."""
        self._link.send_waiting()

    def may_inherit(self, ready: HostReady, seconds: float) -> bool:
        """Wait, with a host that is ready, for the tables to be its own; False if they stay."""
        self.tell(ready)
        try:
            return isinstance(self._link.receive_within(seconds), Begin)
        except (EOFError, ValueError):
            return False

    def hear(self, now: float) -> bool:
        """Hear the parent, once `fileno` is readable; return whether it is going on purpose."""
        try:
            line = self._link.receive_within(0)
            if isinstance(line, LetGuestsJoin) and self.on_guests:
                self.on_guests(line.allowed)
            if not isinstance(line, Goodbye):
                return False  # a standby's host has begun by itself
            on_purpose = True
        except (EOFError, ValueError):
            on_purpose = False
        at_once = on_purpose or self._stop == "at_once"
        self._deadline = now if at_once else now + GRACE_SECONDS
        return on_purpose

    def ends(self, now: float, table_is_in_use: bool) -> bool:
        """Return whether the host should stop now."""
        if self._deadline is None or now < self._deadline:
            return False
        return self._stop == "at_once" or not table_is_in_use
