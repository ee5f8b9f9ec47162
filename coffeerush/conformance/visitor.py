"""One key at a host under test: the handshake at its door, its DEALER and its SUB."""

import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from os import urandom
from typing import Final

import zmq
from zmq.utils.monitor import parse_monitor_message

from coffeerush.errors import LinkError
from coffeerush.joining.address import Address
from coffeerush.joining.door_client import ClientConversation
from coffeerush.joining.trust import Known
from coffeerush.local.keys import KeyPair
from protocol import (
    MAX_DOOR_BYTES,
    Answer,
    Banner,
    Publication,
    Refused,
    Request,
    Update,
    WireError,
    decode_answer,
    decode_publication,
    encode,
)

from .rules import Departure, Silence, expect

LINE_SECONDS: Final = 6.0
ANSWER_SECONDS: Final = 4.0
RETRY_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 15.0
"""How long `too_fast` is asked again."""
PUBLICATION_SECONDS: Final = 4.0
_BACKLOG: Final = 10_000
"""Messages that may wait to be read; no more are read in one go."""
_HANDSHAKES: Final = (
    zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
)


def new_id() -> bytes:
    """Return the id of a new request."""
    return urandom(16)


def is_too_fast(answer: Answer | None) -> bool:
    """Tell whether an answer is the refusal that asks for patience."""
    return isinstance(answer, Refused) and answer.refusal.code == "too_fast"


class DoorLine:
    """A connection to a door."""

    def __init__(self, address: Address) -> None:
        try:
            self._link = socket.create_connection(address, timeout=LINE_SECONDS)
        except OSError as error:
            raise Silence(f"{address} cannot be reached: {error}") from None
        self.host: str = self._link.getpeername()[0]

    def read(self) -> bytes:
        """Return the host's next line; empty once it has closed."""
        line, end = b"", time.monotonic() + LINE_SECONDS
        try:
            while not line.endswith(b"\n") and len(line) <= MAX_DOOR_BYTES:
                self._link.settimeout(max(end - time.monotonic(), 0.001))
                more = self._link.recv(1)
                if not more:
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


def enrol(address: Address, keys: KeyPair, code: str) -> tuple[str, Banner]:
    """Have a key admitted; return the numeric address of the host, and its banner.

    Raises:
        LinkError: the door refuses the key, or does not prove the code.
        Departure: the door does not answer.
    """
    talk = ClientConversation(address, Known(code, here=not code))
    with DoorLine(address) as door:
        banner = talk.hear_banner(door.read())
        reply = talk.enrol(keys.public.decode())
        while reply:
            reply = talk.hear(door.tell(reply))
        return door.host, banner


class Visitor:
    """A member of a table that answers nothing by itself, and remembers what it heard."""

    def __init__(self, address: Address, keys: KeyPair, code: str) -> None:
        try:
            self.host, self.banner = enrol(address, keys, code)
        except LinkError as error:
            raise Departure(f"the door does not admit a key: {error}") from None
        self.keys = keys
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.updates = self.connect(zmq.SUB, self.banner.updates, keys)
        self.updates.subscribe(b"")
        self.requests = self.connect(zmq.DEALER, self.banner.requests, keys)
        self.last_request = 0.0
        self.seat: int | None = None
        self.name = ""
        self.heard: list[Publication] = []
        self.faults: list[str] = []
        """What was wrong with publications."""
        self._seq: int | None = None
        self._sent: Counter[bytes] = Counter()
        self._answered: Counter[bytes] = Counter()

    def connect(self, kind: int, port: int, keys: KeyPair) -> "zmq.Socket[bytes]":
        """Return a socket that connects to a port with these keys."""
        made = self._context.socket(kind)
        made.linger, made.ipv6, made.rcvhwm = 0, True, _BACKLOG
        made.curve_serverkey = self.banner.key.encode()
        made.curve_publickey, made.curve_secretkey = keys
        host = f"[{self.host}]" if ":" in self.host else self.host
        made.connect(f"tcp://{host}:{port}")
        return made

    def can_connect(self, kind: int, port: int, keys: KeyPair) -> bool:
        """Tell whether the CURVE handshake succeeds."""
        made = self.connect(kind, port, keys)
        with made, made.get_monitor_socket(_HANDSHAKES) as monitor:
            told = monitor.poll(int(ANSWER_SECONDS * 1000))
            event = parse_monitor_message(monitor.recv_multipart())["event"] if told else 0
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

    def receive(self, seconds: float | None = None) -> tuple[list[bytes], Answer]:
        """Return the frames before the next answer, and the answer; raises `Silence`."""
        seconds = ANSWER_SECONDS if seconds is None else seconds
        if not self.requests.poll(int(seconds * 1000)):
            raise Silence(f"no answer within {seconds:.0f} seconds")
        *envelope, body = self.requests.recv_multipart()
        try:
            answer = decode_answer(body)
        except WireError as error:
            raise Departure(f"an answer cannot be decoded: {error}") from None
        self._answered[answer.id] += 1
        return envelope, answer

    def ask_raw(self, *frames: bytes) -> tuple[list[bytes], Answer]:
        """Send frames, and return what comes back first; again after `too_fast`."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            self.send(*frames)
            envelope, answer = self.receive()
            if not is_too_fast(answer) or time.monotonic() > end:
                return envelope, answer
            time.sleep(RETRY_SECONDS / 2)

    def ask(self, request: Request, patient: bool = True, seconds: float | None = None) -> Answer:
        """Return the answer; resend the same bytes until it comes.

        Args:
            request: what to ask.
            patient: whether to ask again after `too_fast`.
            seconds: how long to wait; None for the usual time.
        """
        seconds = ANSWER_SECONDS if seconds is None else seconds
        deadline = time.monotonic() + seconds
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            answer = self._try(request)
            if patient and is_too_fast(answer) and time.monotonic() < end:
                deadline += RETRY_SECONDS / 2
                time.sleep(RETRY_SECONDS / 2)
            elif answer:
                return answer
        raise Silence(f"{type(request).__name__} got no answer within {seconds:.0f} seconds")

    def _try(self, request: Request) -> Answer | None:
        self._sent[request.id] += 1
        self.send(b"", encode(request))
        until = time.monotonic() + RETRY_SECONDS
        with suppress(Silence):
            while (left := until - time.monotonic()) > 0:
                _envelope, answer = self.receive(left)
                if answer.id == request.id:
                    return answer
        return None

    def unasked(self) -> int:
        """Return how many answers came that were not asked for, or twice."""
        with suppress(Silence):
            for _each in range(_BACKLOG):
                self.receive(0)
        known = self._answered.keys() & self._sent.keys()
        return sum(max(self._answered[id_] - self._sent[id_], 0) for id_ in known)

    # Publications

    def hear(self) -> None:
        """Take in what was published."""
        with suppress(zmq.Again):
            for _each in range(_BACKLOG):
                body = self.updates.recv(zmq.NOBLOCK)
                try:
                    self._take(decode_publication(body))
                except WireError as error:
                    self.faults.append(f"a publication cannot be decoded: {error}")

    def _take(self, heard: Publication) -> None:
        is_update = isinstance(heard, Update)
        if self._seq is not None and heard.seq != self._seq + is_update:
            what = "an update" if is_update else "a tick"
            self.faults.append(f"{what} has seq {heard.seq} after {self._seq}")
        self._seq = heard.seq
        self.heard.append(heard)

    def allow_gap(self) -> None:
        """Let the next publication have any seq: the host may have cut the connections."""
        self.hear()
        self._seq = None

    def wait(
        self, wanted: Callable[[Sequence[Publication]], object], what: str, since: int = 0
    ) -> None:
        """Wait until the publications after the first `since` are as wanted."""
        deadline = time.monotonic() + PUBLICATION_SECONDS
        while True:
            self.hear()
            if wanted(self.heard[since:]):
                return
            left = deadline - time.monotonic()
            expect(left > 0, f"{what} was not published")
            self.updates.poll(max(int(left * 1000), 1))

    def close(self) -> None:
        """Close the sockets."""
        self._context.destroy(0)
