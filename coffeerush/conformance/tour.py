"""The people whom `conformance host` brings to a table, and what they know."""

import time
from contextlib import suppress
from typing import Final, Literal, TypeAlias, TypeVar

from coffeerush.joining.hosts import Address
from coffeerush.local.keys import KeyPair, new_keys
from protocol import (
    PROTOCOL_VERSION,
    Answer,
    Bye,
    Done,
    Event,
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

from .rules import Departure, NotTried, Silence, expect
from .visitor import Visitor, events, new_id

Kind = TypeVar("Kind", bound=Answer)
Role: TypeAlias = Literal["player", "spectator"]
KEEPALIVE_SECONDS: Final = 1.5


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
        self.all: list[Visitor] = []
        self._stranger: Visitor | None = None
        self._no_stranger = ""
        """Why there is none."""

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
        return self.all[0].is_here

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

    def hello(self, peer: Visitor, name: str, role: Role = "player") -> Answer:
        """Say hello, and remember the seat and the name."""
        asked = Hello(new_id(), PROTOCOL_VERSION, name, role)
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

    def check_lobby(self) -> None:
        """Raise `NotTried` unless the table is in its lobby."""
        if (stage := self.table().stage) != "lobby":
            raise NotTried(f"the table is not in its lobby, but in stage {stage}")

    def check_refused(self, peer: Visitor, request: Request, code: str) -> None:
        """Check that a request is refused with a code."""
        answer = peer.ask(request)
        given = answer.refusal.code if isinstance(answer, Refused) else None
        expect(given == code, f"{described(answer)} instead of {code}")

    def check_done(self, peer: Visitor, request: Request) -> None:
        """Check that a request is carried out."""
        expected(Done, peer.ask(request))

    def mark(self) -> int:
        """Return the number of messages that the stranger has heard so far."""
        self.stranger.hear()
        return len(self.stranger.heard)

    def hear_event(self, event: Event, since: int) -> None:
        """Wait until an event is published."""
        self.stranger.wait(lambda heard: event in events(heard), f"{event}", since)

    def check_told(self, peer: Visitor, request: Request, event: Event) -> None:
        """Check that a request is carried out, and an event published."""
        since = self.mark()
        self.check_done(peer, request)
        self.hear_event(event, since)

    def keep_alive(self) -> None:
        """Let everybody ask who has been silent for long, and hear what was published."""
        for peer in self.all:
            if time.monotonic() - peer.last_request > KEEPALIVE_SECONDS and peer.name:
                peer.ask(GetView(new_id()))
            peer.hear()

    def kick(self, gone: Visitor, request: Request) -> None:
        """Check that the owner's request kicks somebody, and go on without them."""
        if self._stranger:
            self.part(self._stranger)  # keys that have not joined are forgotten
        self._stranger, self.code = None, ""
        self._no_stranger = "" if self.is_here else "somebody was kicked: the code has changed"
        for peer in self.all:
            peer.expect_cut()
        self.check_done(self.owning, request)
        with suppress(Silence):  # the host may have cut all connections
            said = described(gone.ask(GetView(new_id()), seconds=0.5))
            expect(said == "refused, removed", f"a kicked key gets {said}")
        self.part(gone)
        for peer in self.all:
            peer.await_cut()

    def part(self, left: Visitor) -> None:
        """Go on without somebody."""
        for group in (self.players, self.watching, self.all):
            if left in group:
                group.remove(left)
        left.close()

    def catch_up(self) -> None:
        """Wait until everybody has heard of what has happened so far, and misses nothing more."""
        seq = self.snapshot(self.player).seq
        for peer in self.all:
            peer.wait(lambda heard: heard and heard[-1].seq >= seq, "a tick")
            peer.may_miss = False

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
