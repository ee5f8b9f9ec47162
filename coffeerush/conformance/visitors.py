"""The people whom `conformance host` brings to a table: their keys, sockets and knowledge."""

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from os import urandom
from typing import Final, Literal, TypeAlias, TypeVar

import zmq
from zmq.utils.monitor import parse_monitor_message

from coffeerush.joining.enrolment import Enrolment, Unreachable, Way, enrol
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import KeyPair, new_keys
from protocol import (
    MAX_DOOR_BYTES,
    PROTOCOL_VERSION,
    Answer,
    Bye,
    Done,
    Event,
    GetView,
    Hello,
    Malformed,
    Moved,
    Publication,
    Refused,
    Request,
    Snapshot,
    Sync,
    TableView,
    Tick,
    Update,
    WireError,
    decode_answer,
    decode_publication,
    encode,
    split_publication,
    topic,
)

from .rules import Departure, NotTried, Silence, expect

# One of them: the handshake at the door, a DEALER and a SUB


FIRST_TABLE: Final = 1
"""Where they all meet."""
LINE_SECONDS: Final = 6.0
ANSWER_SECONDS: Final = 4.0
RETRY_SECONDS: Final = 1.0
PAUSE_SECONDS: Final = 0.5
"""Between requests that get `too_fast`."""
PATIENCE_SECONDS: Final = 15.0
"""How long requests that get `too_fast` are sent again."""
PUBLICATION_SECONDS: Final = 4.0
CUT_SECONDS: Final = 1.0
"""How long a host may take to cut connections after a kick; it need not do so at all."""
_BACKLOG: Final = 10_000
"""Messages that may wait to be read; no more are read in one go."""
_HANDSHAKES: Final = (
    zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
)


Heard: TypeAlias = Update | Tick
"""What a host under test publishes: it never loses its tables."""


def new_id() -> bytes:
    """Return 16 random bytes: the id of a request that is no repeat."""
    return urandom(16)


def events(heard: Sequence[Heard]) -> list[Event]:
    """Return the events that were published."""
    return [event for message in heard if isinstance(message, Update) for event in message.events]


class DoorLine:
    """A TCP connection to a door; raises `Silence` if there is none, or no line in time."""

    def __init__(self, address: Address) -> None:
        try:
            self._link = socket.create_connection(address, timeout=LINE_SECONDS)
        except OSError as error:
            raise Silence(f"{address} cannot be reached: {error}") from None

    def read(self) -> bytes:
        """Return the host's next line; empty once it has closed."""
        line, end = b"", time.monotonic() + LINE_SECONDS
        try:
            while not line.endswith(b"\n") and len(line) <= MAX_DOOR_BYTES:
                self._link.settimeout(max(end - time.monotonic(), 0.001))
                if not (more := self._link.recv(1)):
                    break
                line += more
        except OSError as error:
            raise Silence(f"no line from the door: {error}") from None
        return line

    def tell(self, line: bytes) -> bytes:
        """Send a line; return the next one of the host."""
        with suppress(OSError):  # the answer may have come before
            self._link.sendall(line)
        return self.read()

    def __enter__(self) -> "DoorLine":
        return self

    def __exit__(self, *_error: object) -> None:
        self._link.close()


def enrolled(address: Address, keys: KeyPair, code: str) -> Enrolment:
    """Have a key admitted; raises `LinkError` if the door refuses it or proves no code."""
    try:
        return asyncio.run(enrol(Way(address, "", code, keys)))
    except Unreachable as error:
        raise Silence(str(error)) from None


class Visitor:
    """A member of a table that answers nothing by itself, and remembers what it heard."""

    def __init__(self, address: Address, keys: KeyPair, code: str) -> None:
        self.host, self.banner, self.keys, self.is_here = enrolled(address, keys, code)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.updates = self.socket(zmq.SUB, keys)
        self._cuts = self.updates.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self.connect(self.updates).subscribe(topic(FIRST_TABLE))
        self.requests = self.connect(self.socket(zmq.DEALER, keys))
        self.last_request = 0.0
        self.seat: int | None = None
        self.name = ""
        self.heard: list[Heard] = []
        self.faults: list[str] = []
        """What was wrong with publications."""
        self.may_miss = False
        """Whether publications may be missing: the host may cut connections."""
        self._sent: Counter[bytes] = Counter()
        self._answered: Counter[bytes] = Counter()

    def socket(self, kind: int, keys: KeyPair) -> "zmq.Socket[bytes]":
        """Return a socket with these keys, not connected yet."""
        made = self._context.socket(kind)
        made.linger, made.ipv6, made.rcvhwm = 0, True, _BACKLOG
        made.curve_serverkey = self.banner.key.encode()
        made.curve_publickey, made.curve_secretkey = keys
        return made

    def connect(self, made: "zmq.Socket[bytes]") -> "zmq.Socket[bytes]":
        """Connect a socket to its port of the host, and return it."""
        port = self.banner.updates if made.type == zmq.SUB else self.banner.requests
        host = f"[{self.host}]" if ":" in self.host else self.host
        made.connect(f"tcp://{host}:{port}")
        return made

    def can_connect(self, kind: int, keys: KeyPair) -> bool:
        """Return whether the CURVE handshake of a kind of socket succeeds."""
        made = self.socket(kind, keys)
        with made, made.get_monitor_socket(_HANDSHAKES) as monitor:
            self.connect(made)
            if not monitor.poll(int(ANSWER_SECONDS * 1000)):
                raise Silence("the CURVE handshake neither succeeds nor fails")
            event = parse_monitor_message(monitor.recv_multipart())["event"]
            made.disable_monitor()
            return bool(event == zmq.EVENT_HANDSHAKE_SUCCEEDED)

    # Requests

    def send(self, *frames: bytes) -> None:
        """Send the frames of a request, if there is a connection to send them over.

        A DEALER whose handshake was refused never connects again, and would block forever.
        """
        self.last_request = time.monotonic()
        with suppress(zmq.Again):
            self.requests.send_multipart(frames, zmq.NOBLOCK)

    def _receive(self, end: float, id_: bytes | None = None) -> tuple[list[bytes], Answer] | None:
        """Return the next answer, or that to one id, and the frames before it; None if late."""
        while self.requests.poll(max(int((end - time.monotonic()) * 1000), 0)):
            *envelope, body = self.requests.recv_multipart()
            try:
                answer = decode_answer(body)
            except WireError as error:
                raise Departure(f"an answer cannot be decoded: {error}") from None
            self._answered[answer.id] += 1
            if id_ in (None, answer.id):
                return envelope, answer
            if time.monotonic() > end:
                break
        return None

    def ask_raw(
        self, *frames: bytes, id_: bytes | None = None, patient: bool = True, seconds: float = 0
    ) -> tuple[list[bytes], Answer]:
        """Send frames; return the answer and the frames before it.

        Args:
            frames: of the request.
            id_: of the request: it is sent again until its answer comes. None takes any answer.
            patient: whether to ask again after `too_fast`.
            seconds: how long to wait for the answer; 0 for the usual time.
        """
        seconds = seconds or ANSWER_SECONDS
        start = time.monotonic()
        end, patience = start + seconds, start + PATIENCE_SECONDS
        while (now := time.monotonic()) < end:
            if id_:
                self._sent[id_] += 1
            self.send(*frames)
            got = self._receive(min(now + RETRY_SECONDS, end) if id_ else end, id_)
            if got and not (patient and _is_too_fast(got[1]) and now < patience):
                return got
            if got:
                end += PAUSE_SECONDS
                time.sleep(PAUSE_SECONDS)  # the rate limit is about time
        raise Silence(f"no answer within {seconds:.0f} seconds")

    def ask(self, request: Request, patient: bool = True, seconds: float = 0) -> Answer:
        """Return the answer; resend the same bytes until it comes. See `ask_raw`."""
        body, id_ = encode(request), request.id
        return self.ask_raw(b"", body, id_=id_, patient=patient, seconds=seconds)[1]

    def hears(self, request: Request) -> bool:
        """Return whether a request is answered soon."""
        try:
            self.ask(request, seconds=RETRY_SECONDS)
        except Silence:
            return False
        return True

    def unasked(self) -> int:
        """Return the number of answers that came without a request, or twice."""
        for _each in range(_BACKLOG):
            if not self._receive(0):
                break
        known = self._answered.keys() & self._sent.keys()
        return sum(max(self._answered[id_] - self._sent[id_], 0) for id_ in known)

    # Publications

    def hear(self) -> None:
        """Take in what was published."""
        with suppress(zmq.Again):
            for _each in range(_BACKLOG):
                body = self.updates.recv(zmq.NOBLOCK)
                try:
                    self._take(decode_publication(split_publication(body)[1]))
                except WireError as error:
                    self.faults.append(f"a publication cannot be decoded: {error}")

    def _take(self, heard: Publication) -> None:
        if isinstance(heard, Moved):
            self.faults.append("the tables have another host, but nobody was reached")
            return
        is_update, seq = isinstance(heard, Update), self.heard[-1].seq if self.heard else None
        if seq is not None and heard.seq != seq + is_update and not self.may_miss:
            what = "an update" if is_update else "a tick"
            self.faults.append(f"{what} has seq {heard.seq} after {seq}")
        self.heard.append(heard)

    def wait(self, wanted: Callable[[Sequence[Heard]], object], what: str, since: int = 0) -> None:
        """Wait until the publications after the first `since` are as wanted."""
        deadline, before = time.monotonic() + PUBLICATION_SECONDS, len(self.heard)
        self.hear()
        while not wanted(self.heard[since:]):
            left = deadline - time.monotonic()
            if left < 0:
                raise (Silence if len(self.heard) == before else Departure)(
                    f"{what} was not published"
                )
            self.updates.poll(max(int(left * 1000), 1))
            self.hear()

    def expect_cut(self) -> None:
        """Forget earlier cuts; from now on, publications may get lost."""
        self.may_miss = True
        with suppress(zmq.Again):
            for _each in range(_BACKLOG):
                self._cuts.recv_multipart(zmq.NOBLOCK)

    def await_cut(self) -> None:
        """Wait until the host has cut the connection for publications, or had the time for it."""
        self._cuts.poll(int(CUT_SECONDS * 1000))

    def close(self) -> None:
        """Close the sockets."""
        self._context.destroy(0)


def _is_too_fast(answer: Answer) -> bool:
    """Return whether an answer is the refusal that asks for patience."""
    return isinstance(answer, Refused) and answer.refusal.code == "too_fast"


# All of them together at one table


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


class Peers:
    """Peers of a host under test, each with its key.

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
        asked = Hello(new_id(), PROTOCOL_VERSION, name, role, FIRST_TABLE)
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
        return next((message for message in reversed(heard) if isinstance(message, Update)), None)

    def close(self) -> None:
        """Leave with everybody."""
        with suppress(Departure):  # the host may have stopped
            for peer in self.all:
                if peer.name:
                    peer.ask(Bye(new_id()))
        for peer in self.all:
            peer.close()
