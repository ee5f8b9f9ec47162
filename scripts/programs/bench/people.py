"""Minimal clients for benchmarks: blocking sockets, without a model or a screen."""

from collections.abc import Sequence
from os import urandom
from random import Random
from time import perf_counter, sleep
from typing import Final, Literal

import zmq
from msgspec import Struct

from protocol import (
    HALL,
    NO_ID,
    PROTOCOL_VERSION,
    TOPIC_BYTES,
    Accepted,
    Answer,
    Current,
    GetView,
    Hello,
    Intent,
    Ready,
    Request,
    Snapshot,
    Standby,
    Submit,
    TableNumber,
    Undo,
    Update,
    View,
    decode_answer,
    decode_publication,
    encode,
    split_publication,
    topic,
)
from tests.support.hosts_and_clients import curve_client, door_handshake

DEADLINE_MS = 50_000
"""Long enough for a slow machine: a single silence ends everything."""
TICK = b"\xa4tick"
"""The type field of a tick on the wire."""
TURN_SECONDS = 0.016
"""Minimum time between turns: with 4 players each key stays below 20 requests per second."""
GAME_SECONDS = 0.1
"""Minimum time before a game, for the two requests with which each person begins it."""
TURN_SECONDS_BESIDE_BOTS = 0.1
"""As `TURN_SECONDS`: fewer people take turns more often, and all ask in the bots' turns."""


class Silence(Exception):
    """The host did not answer in time."""


class Lan(Struct, frozen=True):
    """A network on which a host is reached from other machines; by default, there is none."""

    host: str = "127.0.0.1"
    """The host's address."""
    code: str = ""
    sources: tuple[str, ...] = ("127.0.0.1",)
    """The addresses of the people, who take turns."""
    keeps: bool = False
    """Whether all of them keep the sealed record, and could host."""


ON_THIS_MACHINE: Final = Lan()


class Person:
    """One enrolled key with a DEALER and a SUB."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        port: int,
        lan: Lan = ON_THIS_MACHINE,
        number: int = 0,
    ) -> None:
        self._lan, source = lan, lan.sources[number % len(lan.sources)]
        self._keys = zmq.curve_keypair()
        door = port, self._keys[0], lan.code, source, DEADLINE_MS / 1000, lan.host
        banner, _answer = door_handshake(*door)
        server = banner["key"].encode()
        self.received: list[int] = []
        """The sizes of the publications received, other than ticks."""
        self._at = f"tcp://{source}:0;{lan.host}"
        self.updates = curve_client(context, zmq.SUB, server, self._keys)
        self.updates.setsockopt(zmq.SUBSCRIBE, topic(HALL))
        self.updates.connect(f"{self._at}:{banner['updates']}")
        self.requests = curve_client(context, zmq.DEALER, server, self._keys)
        self._port = banner["requests"]

    def come(
        self, name: str, role: Literal["player", "spectator"], table: TableNumber | None = None
    ) -> None:
        """Join the table, once publications arrive."""
        if not self.updates.poll(DEADLINE_MS):
            raise Silence
        self.requests.connect(f"{self._at}:{self._port}")  # it has to say something soon
        standby = Standby(self._keys[0].decode(), self._port) if self._lan.keeps else None
        who = PROTOCOL_VERSION, name, role, table
        answer = self.ask(Hello(urandom(16), *who, standby, self._lan.keeps))
        assert isinstance(answer, Snapshot), answer
        self.table = answer.number
        self.updates.setsockopt(zmq.SUBSCRIBE, topic(answer.number))
        self.updates.setsockopt(zmq.UNSUBSCRIBE, topic(HALL))

    def settle(self) -> None:
        """Wait for the first tick of the table, after which no publication is missed."""
        while split_publication(self.updates.recv())[0] == HALL:
            pass

    def send(self, request: Request) -> None:
        """Send without waiting."""
        self.requests.send_multipart([b"", encode(request)])

    def receive(self) -> bytes:
        """Return the body of the next answer."""
        if not self.requests.poll(DEADLINE_MS):
            raise Silence
        return self.requests.recv_multipart()[-1]

    def ask(self, request: Request) -> Answer:
        """Return the answer to a request."""
        self.send(request)
        return decode_answer(self.receive())

    def wait_for_deal(self, game: int) -> View | None:
        """Read publications until the one that starts a game; return what it shows."""
        while True:
            news = decode_publication(self.receive_update())
            if isinstance(news, Update) and news.game == game:
                return news.view

    def receive_update(self) -> bytes:
        """Return the next publication other than a tick, undecoded."""
        while True:
            if not self.updates.poll(DEADLINE_MS):
                raise Silence
            frame = self.updates.recv()
            if TICK not in frame[:20]:
                self.received.append(len(frame))
                return frame[TOPIC_BYTES:]


def check(body: bytes, frames: Sequence[bytes]) -> Accepted:
    """Check that everybody received the same update about an answer, and return the answer."""
    answer, news = decode_answer(body), decode_publication(frames[0])
    assert isinstance(answer, Accepted), answer
    assert isinstance(news, Update), news
    assert news.rev == answer.rev
    assert all(frame == frames[0] for frame in frames)
    return answer


class Players:
    """People who play random games as fast as the rate limit allows, and spectators.

    The first `bots` seats are those of bots that the host has seated.
    """

    def __init__(
        self,
        port: int,
        spectators: int = 1,
        bots: int = 0,
        lan: Lan = ON_THIS_MACHINE,
    ) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.players = [Person(self.context, port, lan, number) for number in range(4 - bots)]
        self._bots = bots
        self._turn_seconds = TURN_SECONDS_BESIDE_BOTS if bots else TURN_SECONDS
        self.guests = [Person(self.context, port, lan) for _ in range(spectators)]
        self.everybody = [*self.players, *self.guests]
        for number, player in enumerate(self.players, 1):
            player.come(f"Player {number}", "player")
        for number, guest in enumerate(self.guests, 1):
            guest.come(f"Guest {number}", "spectator")
        for person in self.everybody:
            person.settle()
        self.chance = Random(1)
        self.games = 0
        self.sample = b"", b""
        """The bytes of the latest answer and publication."""
        self.asked: list[float] = []
        """The seconds of each answer to a person while a bot has its turn."""

    def close(self) -> None:
        """Close the sockets."""
        self.context.destroy(linger=0)

    def play_game(self) -> list[float]:
        """Play one game; return the seconds from each intent until everybody has it."""
        for person in self.everybody:
            self._current(person)  # silent ones count as away
        for player in self.players:
            player.ask(Ready(urandom(16), True))
        sleep(GAME_SECONDS)  # short games would exceed the rate limit otherwise
        took: list[float] = []
        self.games += 1
        view, *_others = [person.wait_for_deal(self.games) for person in self.everybody]
        while view is not None and view.active is not None:
            seat, began = view.active, perf_counter()
            if seat < self._bots:
                view = self._wait_for_bot(seat)
            else:
                view = self._play_turn(seat, took)
                # the pace of a game
                sleep(max(0.0, self._turn_seconds - (perf_counter() - began)))
        return took

    def _play_turn(self, seat: int, took: list[float]) -> View | None:
        player = self.players[seat - self._bots]
        current = self._current(player)
        while current.view is not None and current.view.active == seat:
            current = self._move(player, current, took)
        return current.view

    def _wait_for_bot(self, seat: int) -> View | None:
        """Let everybody ask once while a bot has its turn, then receive all that it does."""
        for person in self.everybody:
            began = perf_counter()
            self._current(person)
            self.asked.append(perf_counter() - began)
        while True:
            first, *_others = self._receive_updates()
            news = decode_publication(first)
            assert isinstance(news, Update), news
            if news.view is None or news.view.active != seat:
                return news.view

    def _current(self, player: Person) -> Current:
        answer = player.ask(GetView(urandom(16)))
        assert isinstance(answer, Current), answer
        return answer

    def _move(self, player: Person, current: Current, took: list[float]) -> Current:
        intent = self._choose(current.view)
        request = Submit(urandom(16), current.game, current.rev, intent)
        began = perf_counter()
        player.send(request)
        frames = self._receive_updates()
        body = player.receive()
        ended = perf_counter()  # the checks that follow are not measured
        while _rev_of(frames[0]) <= request.rev:  # somebody is away, or back
            frames = self._receive_updates()
            ended = perf_counter()
        took.append(ended - began)
        answer = check(body, frames)
        self.sample = body, frames[0]
        return Current(NO_ID, answer.epoch, answer.game, answer.rev, answer.view)

    def _receive_updates(self) -> list[bytes]:
        return [person.receive_update() for person in self.everybody]

    def _choose(self, view: View | None) -> Intent:
        assert view is not None
        assert view.own is not None
        intents = [o.intent for o in view.own.options if not isinstance(o.intent, Undo)]
        return self.chance.choice(intents)


def shares(values: Sequence[float], parts: int) -> tuple[list[float], list[float]]:
    """Return the first and the last of `parts` equal parts of `values`."""
    size = max(1, len(values) // parts)
    return list(values[:size]), list(values[-size:])


def _rev_of(frame: bytes) -> int:
    news = decode_publication(frame)
    assert isinstance(news, Update), news
    return news.rev
