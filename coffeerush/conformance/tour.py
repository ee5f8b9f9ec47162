"""The people whom `conformance host` brings to a table, and what they know."""

import time
from contextlib import suppress
from ipaddress import ip_address
from typing import Final, TypeVar

from coffeerush.joining.address import Address
from coffeerush.local.keys import KeyPair, new_keys
from protocol import (
    PROTOCOL_VERSION,
    Answer,
    Bye,
    Done,
    GetView,
    Hello,
    Malformed,
    Refused,
    Request,
    Snapshot,
    Sync,
    TableView,
    Update,
)

from .rules import Departure, NotTried, expect
from .visitor import Visitor, new_id

Kind = TypeVar("Kind", bound=Answer)
KEEPALIVE_SECONDS: Final = 1.5
_CUT_SECONDS: Final = 0.5
"""How long a host may take to cut connections after somebody was kicked."""


def described(answer: Answer) -> str:
    """Return an answer's kind, with the code of a refusal."""
    if isinstance(answer, Refused):
        return f"refused, {answer.refusal.code}"
    return f"malformed, {answer.code}" if isinstance(answer, Malformed) else type(answer).__name__


def expected(kind: type[Kind], answer: Answer) -> Kind:
    """Return an answer that has to be of a kind; raise `Departure` if it is not."""
    if not isinstance(answer, kind):
        raise Departure(described(answer))
    return answer


class Tour:
    """A visit to a host under test with several keys.

    Args:
        address: of its door.
        code: its join code; empty for none.
        owner: the keys of the table's owner, if known.
    """

    def __init__(self, address: Address, code: str, owner: KeyPair | None) -> None:
        self.address = address
        self.code = code
        self.owner = owner
        self.players: list[Visitor] = []
        self.watching: list[Visitor] = []
        self._stranger: Visitor | None = None
        self._no_stranger = ""
        """Why there is none."""
        self.all: list[Visitor] = []

    def new_visitor(self, keys: KeyPair | None = None) -> Visitor:
        """Return somebody whose key the door has admitted."""
        peer = Visitor(self.address, keys or new_keys(), self.code)
        self.all.append(peer)
        return peer

    @property
    def stranger(self) -> Visitor:
        """Somebody who has not said hello, and hears publications."""
        if self._stranger is None:
            if self._no_stranger:
                raise NotTried(self._no_stranger)
            self._no_stranger = "no connection"
            self._stranger = self.new_visitor()
            self._stranger.wait(bool, "a tick")
        return self._stranger

    @property
    def is_here(self) -> bool:
        """Whether the host is on this machine: it then admits keys without a code."""
        return ip_address(self.all[0].host).is_loopback

    @property
    def player(self) -> Visitor:
        """The first player; the owner, if the owner's keys are known."""
        if not self.players:
            raise NotTried("no seat was open")
        return self.players[0]

    @property
    def second(self) -> Visitor:
        """A player who does not own the table."""
        if len(self.players) < 2:
            raise NotTried("fewer than two seats were open")
        return self.players[1]

    @property
    def spectator(self) -> Visitor:
        """Somebody who watches."""
        if not self.watching:
            raise NotTried("nobody watches")
        return self.watching[0]

    @property
    def owning(self) -> Visitor:
        """The owner."""
        if not self.owner:
            raise NotTried("needs the key of the table's owner: --key")
        return self.player

    def hello(self, peer: Visitor, name: str, role: str = "player") -> Answer:
        """Say hello, and remember the seat and the name."""
        asked = Hello(new_id(), PROTOCOL_VERSION, name, role)  # type: ignore[arg-type]  # a literal
        answer = peer.ask(asked)
        if isinstance(answer, Snapshot):
            peer.seat = answer.seat
            peer.name = name if answer.seat is None else answer.table.seats[answer.seat].name
        return answer

    def table(self) -> TableView:
        """Return the table as it is now."""
        return self.snapshot(self.spectator).table

    def snapshot(self, peer: Visitor) -> Snapshot:
        """Return a new snapshot for a peer."""
        return expected(Snapshot, peer.ask(Sync(new_id())))

    def check_refused(self, peer: Visitor, request: Request, code: str) -> None:
        """Check that a request is refused with a code, and changes nothing."""
        answer = peer.ask(request)
        given = answer.refusal.code if isinstance(answer, Refused) else None
        expect(given == code, f"{described(answer)} instead of {code}")

    def check_done(self, peer: Visitor, request: Request) -> None:
        """Check that a request is carried out."""
        expected(Done, peer.ask(request))

    def keep_alive(self) -> None:
        """Let everybody ask who has been silent for long, and hear what was published."""
        for peer in self.all:
            if time.monotonic() - peer.last_request > KEEPALIVE_SECONDS and peer.name:
                peer.ask(GetView(new_id()))
            peer.hear()

    def drop(self, *gone: Visitor) -> None:
        """Check that kicked keys get `removed`, then wait until all others hear ticks again."""
        for one in gone:
            try:
                said = described(one.ask(GetView(new_id()), seconds=1))
            except Departure:
                continue  # the host may have cut all connections
            expect(said == "refused, removed", f"a kicked key gets {said}")
        for left in (*gone, self.stranger):  # keys that have not joined are forgotten
            for group in (self.players, self.watching, self.all):
                if left in group:
                    group.remove(left)
            left.close()
        deadline = time.monotonic() + _CUT_SECONDS
        while time.monotonic() < deadline:
            self.keep_alive()
            time.sleep(_CUT_SECONDS / 5)
        for peer in self.all:
            peer.allow_gap()
            peer.wait(bool, "a tick", len(peer.heard))
        self._stranger, self.code = None, ""
        self._no_stranger = "" if self.is_here else "somebody was kicked: the code has changed"

    def latest(self) -> Update | None:
        """Return the latest update that the spectator heard."""
        heard = self.spectator.heard
        return next((one for one in reversed(heard) if isinstance(one, Update)), None)

    def close(self) -> None:
        """Leave with everybody."""
        with suppress(Departure):  # the host may have stopped
            for peer in self.all:
                if peer.name:
                    peer.ask(Bye(new_id()))
        for peer in self.all:
            peer.close()
