"""A host with a script: the real table on real sockets, and a hook at each message."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random, SystemRandom
from secrets import token_bytes
from typing import Final, NamedTuple

import zmq
from msgspec.structs import replace

from coffeerush.bots import BOTS
from coffeerush.errors import HostError
from coffeerush.host.hall.hall import Hall
from coffeerush.host.hall.tournament import Tournaments
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.sockets import (
    PortInUse,
    RawRequest,
    Sender,
    Sockets,
    open_sockets,
    receive,
    receive_subscription,
    zap_reply,
)
from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Buckets, Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.door_server import Door
from coffeerush.joining.hosts import Address
from coffeerush.joining.interfaces import join_addresses
from coffeerush.local.keys import KeyPair, new_keys
from coffeerush.moving.replica import Replica
from coffeerush.records.entries import Relocation
from coffeerush.records.writing import Journal, Records, newest_records
from coffeerush.rules import standard_deck
from coffeerush.table_rules import TableRules
from coffeerush.tournament.course import Announced, Later
from protocol import (
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Answer,
    Banner,
    Current,
    Destination,
    Elsewhere,
    GetView,
    Hello,
    Moved,
    Publication,
    Ready,
    Refused,
    Remove,
    Request,
    SealedPart,
    SeatView,
    Snapshot,
    Start,
    Submit,
    Successor,
    TableNumber,
    Update,
    WireError,
    decode_request,
    encode,
    malformed,
    topic,
)

from .rules import Departure, NotTried, Say, Silence

TURN_SECONDS: Final = 60.0
_FREE_PORTS: Final = range(20000, 32000)
"""Below those that systems choose from for a program that does not mind."""
"""How long a client may think, and the turn clock of the table."""
SEATS: Final = 4
OWNER, GUEST, KEEPER = (new_keys().public.decode() for _ in range(3))
"""The keys of the script's own people: a spectator who owns the table, a player who leaves, and one
who stays, keeps the sealed record, and could host the table."""
_MACHINES: Final = {KEEPER: "192.0.2.2"}
"""The addresses from which they seem to come."""
_CLIENTS: Final = "192.0.2.1"
"""That of the client, which need not be on another machine."""
_STEP_SECONDS: Final = 2.5
"""Longer gaps between ticks would count as a suspended host."""


class Heard(NamedTuple):
    """A request of the client."""

    raw: RawRequest
    body: bytes
    request: Request
    at: float

    @property
    def id(self) -> bytes:
        """The id of the request."""
        return self.request.id


Reply = Callable[[Heard], Sequence[bytes]]
Publish = Callable[[Publication], Sequence[bytes]]


class Unwritten:
    """The journals of tournaments that need not survive."""

    def begin(self, announced: Announced) -> None:
        """Do nothing."""

    def append(self, entry: Later) -> None:
        """Do nothing."""


class Stage:
    """A table that a client under test plays at.

    Args:
        directory: for its records.
        address: to listen on.
        port: of its door; 0 for a free one.
        is_open: whether it asks for no code.
        say: gets what the author of the client has to know or do.
        tick: seconds between ticks.
    """

    def __init__(
        self, directory: Path, address: str, port: int, is_open: bool, say: Say, tick: float = 1.0
    ) -> None:
        self._directory, self._address, self._is_open = directory, address, is_open
        self.port, self.say, self._tick_seconds = port, say, tick
        self._keys = new_keys()
        self._ahead = 0.0
        """How far the table's clock is ahead of the real one."""
        self.client = ""
        """The key of the client under test; empty until it has said hello."""
        self.name = ""
        self.heard: list[Heard] = []
        self.wrong: list[str] = []
        """What was wrong with the client's requests."""
        self.reply: Reply = self.handle
        self.publish: Publish = lambda message: [encode(message)]
        self.accepted = 0
        """Submits that the table has accepted."""
        self.subscribers: set[str] = set()
        self.stage = "lobby"
        self.seats: Sequence[SeatView] = ()
        self.active: int | None = None
        self._next_tick = 0.0
        self._gone: tuple[Door, Sockets, Destination] | None = None
        """The host that the table has left, which tells where it is."""
        self.standbys: tuple[Successor, ...] = ()
        """What snapshots tell of standbys."""
        self._closing = ExitStack()
        """Closes what is open."""
        self.wants_rematch = True
        """Whether the client may still get ready after a game, as far as it has been seen."""
        self.open(resumes=False)

    # Its life

    def open(self, resumes: bool) -> None:
        """Open the table, or resume its latest game on the same port, with the same key."""
        self.keyring = AdmittedKeyring()
        config = TableConfig(
            *("Conformance", SEATS, standard_deck()),
            TableRules(turn_seconds=int(TURN_SECONDS)),
            owner=OWNER,
        )
        epoch, chance = token_bytes(8), SystemRandom()
        if resumes:
            journal, record = Journal.resume(newest_records(self._directory)[0], self.key)
            self._records = Records(self._directory, journal)
            self.table = Table.resume(record, config, self._records, epoch, chance)
        else:
            self._records = Records(self._directory)
            self.table = Table(config, self._records, epoch, chance, ("random",))
        self._closing.callback(self._records.close)
        tournaments = Tournaments(Unwritten(), chance)
        self.hall = Hall([self.table], self, Buckets(), token_bytes(8), tournaments, most=1)
        self.sockets = open_sockets(self._address, self.port, self._keys)
        self._closing.callback(self.sockets.close)
        self.port = self.sockets.port
        self.keyring.keep(self.table.keys, self.table.removed)
        self._admission = Admission(self.keyring, SystemRandom(), is_open=self._is_open)
        versions = PROTOCOL_OLDEST, PROTOCOL_VERSION
        banner = Banner(
            PROTOCOL_NAME, *versions, config.name, *self.sockets.ports, self.key, not self._is_open
        )
        self._door = Door(self.sockets.door, banner, self._admission, Incidents().count)
        self._closing.callback(self._door.stop)
        self.cast = [OWNER]
        """The script's own people at the table."""
        self.own(Hello(token_bytes(16), PROTOCOL_VERSION, "Script", "spectator"))
        if resumes and KEEPER in (seat.key for seat in record.head.seats):
            self.keep()
        addresses = (str(Address(address, self.port)) for address in join_addresses(self._address))
        self.say(f"Join: {' or '.join(addresses)} {self._admission.code or 'open'}")

    def close(self) -> None:
        """Close everything without a word, as a crash does."""
        self.forget_old()
        self._closing.close()

    def restart(self) -> None:
        """Close without a word, and resume the game."""
        self._check_game()
        self.close()
        self.open(resumes=True)

    def _check_game(self) -> None:
        """Raise `NotTried` if there is no game to resume: it may have just ended."""
        if self.table.stage != "game":
            raise NotTried("the game is over")

    @property
    def key(self) -> str:
        """The public key of the host."""
        return self._keys.public.decode()

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where it can be reached."""
        return tuple(join_addresses(self._address))[:4]

    def destination(self, term: int) -> Destination:
        """Return this host as the one to which the table has gone."""
        return Destination(term, "Script", self.key, self.addresses, self.port)

    def move(self) -> None:
        """Let the table go on at another host; this one tells where, until `forget_old`."""
        self._check_game()
        old = self._door, self.sockets
        self._leave(new_keys())
        self._closing.pop_all()
        self._records.close()
        self.port = 0
        self.open(resumes=True)
        self._gone = *old, self.destination(self.table.term)

    def forget_old(self) -> None:
        """Close the host that the table has left."""
        if self._gone:
            self._gone[0].stop()
            self._gone[1].close()
            self._gone = None

    def fall_silent(self, keys: KeyPair, port: int) -> None:
        """Close this host without a word; the one that `open` opens then has these keys."""
        self._check_game()
        self._leave(keys)
        self.close()
        self.port = port

    def free_port(self) -> int:
        """Return a port where a host can listen a while later: no system gives it to a program."""
        for port in SystemRandom().sample(_FREE_PORTS, len(_FREE_PORTS)):
            with suppress(PortInUse):
                open_sockets(self._address, port, self._keys).close()
                return port
        raise HostError("No three consecutive ports are free.")

    def liar(self) -> "Stage":
        """Return a host with another table, at which the client is known."""
        other = Stage(self._directory / "liar", self._address, 0, self._is_open, lambda _line: None)
        other.keyring.admit(self.client)
        return other

    def _leave(self, keys: KeyPair) -> None:
        key = keys.public.decode()
        self.table.record_move(Relocation(0, self.table.term + 1, key, "Script"))
        self._keys = keys

    def make(self, number: TableNumber, owner: str, rules: TableRules) -> Table:
        """Never open a second table."""
        raise NotImplementedError

    def clear(self, number: TableNumber) -> None:
        """Do nothing: the only table never goes."""

    def sync(self) -> dict[TableNumber, Exception]:
        """Do nothing: the only table syncs its moves by itself."""
        return {}

    def begin_again(self) -> None:
        """Open a new table on the same port, for a client that joins again."""
        self.close()
        self.client, self.name, self.subscribers = "", "", set()
        self.open(resumes=False)

    # Its own people

    def own(self, request: Request, key: str = OWNER) -> Answer:
        """Let one of the script's own people ask, or the client; raise `NotTried` if refused."""
        outcome = self.hall.handle(self.now(), key, request, _MACHINES.get(key, ""))
        self._send([published.message for published in outcome.published])
        if isinstance(outcome.answer, Refused):
            what = type(request).__name__
            raise NotTried(f"{what} of the script was refused: {outcome.answer.refusal.text}")
        return outcome.answer

    def keep(self) -> None:
        """Let somebody sit down who keeps the sealed record."""
        hello = Hello(token_bytes(16), PROTOCOL_VERSION, "Keeper", "player", keeps=True)
        self.own(hello, KEEPER)
        self.cast.append(KEEPER)

    def replica(self) -> Replica:
        """Return the sealed record as its keeper has it; raises `NotTried` without a share."""
        replica = Replica(is_due=True)
        while replica.lacks:
            part = self.own(replica.request(token_bytes(16)), KEEPER)
            if not isinstance(part, SealedPart):
                raise NotTried("nobody has a share")
            replica = replica.told(part)
        return replica

    def start(self) -> None:
        """Let the owner start a game."""
        self._get_ready()
        self.own(Start(token_bytes(16)))

    def _get_ready(self) -> None:
        """Let the one who keeps the record be ready for a game."""
        if KEEPER in self.cast:
            self.own(Ready(token_bytes(16), True), KEEPER)

    def call(self) -> None:
        """Let the table keep the client's seat until it says hello, as if it was called there."""
        self._send(self.table.let_go(self.now(), self.client))

    def kick(self) -> None:
        """Let the owner kick the client."""
        if self.place is None:
            raise NotTried("the client has no seat")
        self.own(Remove(token_bytes(16), self.seats.index(self.place)))
        self._admission.settle(self.table.keys, self.table.removed)

    # Time

    def now(self) -> float:
        """Return the table's time."""
        return time.monotonic() + self._ahead

    def let_time_run_out(self) -> None:
        """Advance the table's clock by a whole turn, while everybody stays present."""
        end = self.now() + TURN_SECONDS + 1
        while self.now() < end:
            self._ahead += _STEP_SECONDS
            self.table.handle(self.now(), self.client, GetView(token_bytes(16)))
            self._tick()

    def pump(self, done: Callable[[], object], seconds: float) -> bool:
        """Serve until something is done; return whether it was within that time."""
        deadline = time.monotonic() + seconds
        while not done():
            now = time.monotonic()
            if now >= deadline:
                return False
            if now >= self._next_tick:
                self._next_tick = now + self._tick_seconds
                self._tick()
            self._serve(min(deadline, self._next_tick) - now)
        return True

    def _tick(self) -> None:
        *messages, last = self.hall.tick(self.now())
        self._send([published.message for published in messages])
        self.sockets.updates.send(topic(last.table) + encode(last.message))
        for key in self.cast:  # a keepalive that is too fast after much chat comes a second later
            kept = self.hall.handle(self.now(), key, GetView(token_bytes(16)))
            self._send([published.message for published in kept.published])
        self.keyring.keep(self.table.keys, self.table.removed)
        if self.stage == "result" and self.is_ready:
            self._get_ready()
        if self._gone:
            moved = topic(self.table.number) + encode(Moved(self._gone[2]))
            self._gone[1].updates.send(moved)

    def _serve(self, seconds: float) -> None:
        zap, requests = self.sockets.zap, self.sockets.requests
        moved = self._move_bot() or self._move_keeper()
        self._serve_old()
        poller = zmq.Poller()
        for each in (zap, requests, self.sockets.updates):
            poller.register(each, zmq.POLLIN)
        ready = dict(poller.poll(0 if moved else math.ceil(max(seconds, 0) * 1000)))
        if zap in ready:
            zap.send_multipart(zap_reply(zap.recv_multipart(), self.keyring))
        if self.sockets.updates in ready:
            self._hear_subscription(*receive_subscription(self.sockets.updates))
        if requests in ready:
            self._hear(receive(requests))

    def _serve_old(self) -> None:
        """Answer at the host that the table has left."""
        if self._gone is None:
            return
        _door, sockets, to = self._gone
        with suppress(zmq.Again):
            frames = sockets.zap.recv_multipart(zmq.NOBLOCK)
            sockets.zap.send_multipart(zap_reply(frames, self.keyring))
        with suppress(zmq.ZMQError, WireError):
            raw = receive(sockets.requests)
            elsewhere = encode(Elsewhere(decode_request(raw.body or b"").id, to))
            sockets.requests.send_multipart([*raw.envelope, elsewhere], zmq.NOBLOCK)

    def _move_keeper(self) -> bool:
        """Let the one who keeps the record move, if it is their turn."""
        turn = next((s for s, seat in enumerate(self.seats) if seat.name == "Keeper"), None)
        if KEEPER not in self.cast or self.stage != "game" or self.active != turn or self._waits:
            return False
        look = self.hall.handle(self.now(), KEEPER, GetView(token_bytes(16))).answer
        if not isinstance(look, Current) or look.view is None:
            return False  # too fast
        choice = BOTS["random"]().choose(look.view, Random(look.rev))
        submit = Submit(token_bytes(16), look.game, look.rev, choice)
        outcome = self.hall.handle(self.now(), KEEPER, submit)
        self._send([published.message for published in outcome.published])
        return not isinstance(outcome.answer, Refused)

    def _hear_subscription(self, sender: Sender | None, wanted: TableNumber | None) -> None:
        if sender is not None and wanted is None:
            self.wrong.append("a subscription to something else than a topic of 4 bytes")
        if sender is not None and wanted == self.table.number:
            self.subscribers.add(sender.key)

    def _move_bot(self) -> bool:
        turn = self.table.bot_turn()
        if turn is None or self._waits:
            return False
        choice = BOTS[turn.bot]().choose(turn.view, Random(turn.rev))
        self._send(self.table.bot_move(self.now(), turn, choice))
        return True

    @property
    def _waits(self) -> bool:
        """Whether the game waits for the client."""
        return bool(self.client) and (self.place is None or self.place.away)

    @property
    def subscribes(self) -> bool:
        """Whether the client follows the publications."""
        return self.client in self.subscribers

    @property
    def place(self) -> SeatView | None:
        """The client's seat, if it has one."""
        return next((seat for seat in self.seats if seat.name and seat.name == self.name), None)

    @property
    def is_ready(self) -> bool:
        """Whether the client is ready for a game."""
        return self.place is not None and self.place.ready

    # Messages

    def _hear(self, raw: RawRequest) -> None:
        try:
            request = decode_request(raw.body or b"")
        except WireError as error:
            self.wrong.append(f"a request that is {error.code}: {error}")
            self.send(raw, [encode(malformed(error))])
            return
        heard = Heard(raw, raw.body or b"", request, time.monotonic())
        if not self.name and isinstance(request, Hello) and request.role == "player":
            self.client = raw.sender.key
        if raw.sender.key != self.client:
            self.send(raw, self.handle(heard))
            return
        if any(other.id == heard.id and other.body != heard.body for other in self.heard):
            self.wrong.append(f"{type(request).__name__} has the id of another request")
        self.heard.append(heard)
        self.send(raw, self.reply(heard))

    def send(self, raw: RawRequest, bodies: Sequence[bytes]) -> None:
        """Send answers to a request, unless it had too many frames to be answered."""
        for body in bodies if raw.envelope else ():
            with suppress(zmq.ZMQError):  # it has gone
                self.sockets.requests.send_multipart([*raw.envelope, body], zmq.NOBLOCK)

    def handle(self, heard: Heard) -> list[bytes]:
        """Hand a request to the table; return the answer as the table gives it."""
        key = heard.raw.sender.key
        outcome = self.hall.handle(self.now(), key, heard.request, _CLIENTS)
        answer = outcome.answer
        if isinstance(answer, Snapshot):
            answer = replace(answer, standbys=self.standbys)
        if isinstance(answer, Snapshot) and answer.seat is not None:
            self.name = answer.table.seats[answer.seat].name
        is_accepted = isinstance(heard.request, Submit) and not isinstance(answer, Refused)
        self.accepted += is_accepted and heard.raw.sender.key == self.client
        self._send([published.message for published in outcome.published])
        return [encode(answer)]

    def _send(self, messages: Sequence[Publication]) -> None:
        for message in messages:
            if isinstance(message, Update):
                self.stage, self.seats = message.table.stage, message.table.seats
                self.active = message.view.active if message.view else None
            self.publish_all(self.publish(message))

    def publish_all(self, bodies: Sequence[bytes]) -> None:
        """Publish messages."""
        for body in bodies:
            self.sockets.updates.send(topic(self.table.number) + body)

    # Waiting for the client

    def wait(self, done: Callable[[], object], what: str, seconds: float) -> None:
        """Serve until something is done; raise `Departure` if it is not in time."""
        before = len(self.heard)
        if not self.pump(done, seconds):
            kind = Silence if len(self.heard) == before else Departure
            raise kind(f"{what} within {seconds:.0f} seconds")

    def since(self, start: int, *kinds: type) -> list[Heard]:
        """Return the client's requests of some kinds after the first `start`."""
        return [heard for heard in self.heard[start:] if isinstance(heard.request, kinds)]
