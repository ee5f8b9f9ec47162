"""Host processes, and clients written from the specification, but for the proof of a code."""

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Self, TypeAlias

import msgpack
import zmq

from coffeerush.joining.door import CodeProof
from protocol import NO_ID, TOPIC_BYTES, topic

SECONDS = 300.0
"""The deadline of all tests: only what hangs takes so long, on however busy a machine."""
REPEAT_SECONDS = 5.0
"""After which a request is repeated, as it is lost if its connection is cut."""
ROOT = Path(__file__).parents[2]

Fields: TypeAlias = dict[str, Any]
KeyPair: TypeAlias = tuple[bytes, bytes]


class Deadline:
    """A timeout shared by several waits; raises once it has passed."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("what the test waits for did not happen")
        return left


class Patience:
    """A timeout that starts again with each change of what a test looks at."""

    def __init__(self) -> None:
        self._seen: object = None
        self._deadline = Deadline()

    def look(self, seen: object) -> None:
        """Look; raise `TimeoutError` if this has been the same for too long."""
        if seen != self._seen:
            self._seen, self._deadline = seen, Deadline()
        try:
            self._deadline.left()
        except TimeoutError as error:
            raise TimeoutError(f"this has not changed for too long: {seen}") from error


def environment(state: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a coffeerush process with its state directory in `state`."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "COFFEERUSH_STATE": str(state), **(more or {})}


def coffeerush(*arguments: str) -> list[str]:
    """Return the command line of a coffeerush command."""
    return [sys.executable, "-m", "coffeerush", *arguments]


def start_child(
    module: str, state: Path, log: IO[bytes] | int, inside: Sequence[str] = ()
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a child process of ours; return it and this process's end of its link."""
    state.mkdir(parents=True, exist_ok=True)
    link, theirs = socket.socketpair()
    with theirs:
        end = theirs.fileno()
        process = subprocess.Popen(
            [*inside, sys.executable, "-m", module, str(end)],
            env=environment(state),
            cwd=state,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[end],
        )
    return process, link


def start_host(
    state: Path,
    log: IO[bytes] | int,
    inside: Sequence[str] = (),
    module: str = "coffeerush.cli.host_child",
    **options: Any,
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a host process; return it and this process's end of the parent link."""
    process, link = start_child(module, state, log, inside)
    # tests must not reach the machine's real network
    where = {} if inside else {"bind": "127.0.0.1"}
    link.sendall(json.dumps({"port": 0, **where, **options}).encode() + b"\n")
    return process, link


class Host:
    """A host process, started the way our own programs start it; see `start_host`."""

    def __init__(self, state: Path, inside: Sequence[str] = (), **options: Any) -> None:
        state.mkdir(parents=True, exist_ok=True)
        self.log = state / f"log-{len(list(state.glob('log-*')))}"
        with self.log.open("wb") as log:
            self.process, self.link = start_host(state, log, inside, **options)
        self.link.settimeout(SECONDS)
        with self.link.makefile("rb") as lines:
            self.ready: Fields = json.loads(lines.readline() or b"{}")
        self.port: int = self.ready.get("port", 0)

    def send_signal(self, number: int) -> None:
        self.process.send_signal(number)

    def wait(self) -> int:
        return self.process.wait(SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(SECONDS)

    def stop(self) -> None:
        """Stop it cleanly."""
        self.send_signal(signal.SIGTERM)
        assert self.wait() == 0, self.text()

    def text(self) -> str:
        """Return its log."""
        return self.log.read_text()

    def close(self) -> None:
        """Kill it if it still runs, and close the link."""
        self.link.close()
        self.process.kill()
        self.process.wait(SECONDS)


@contextmanager
def hosting(state: Path, **options: Any) -> Iterator[Host]:
    """Run a host, on free ports unless told otherwise, with its state directory in `state`."""
    host, deadline = Host(state, **options), Deadline()
    while "is in use" in host.ready.get("error", ""):  # a connection took it between two hosts
        deadline.left()
        host.close()
        host = Host(state, **options)
    try:
        assert host.ready.get("type") == "ready", host.text()
        yield host
    finally:
        host.close()


def door_handshake(
    port: int,
    key: bytes,
    code: str = "",
    source: str = "127.0.0.1",
    seconds: float = SECONDS,
    host: str = "127.0.0.1",
) -> tuple[Fields, Fields]:
    """Enrol a public key at the door, with the join code if one is given.

    Returns:
        The banner, and the last answer; the host has proved the code if it is `enrolled`.
    """
    with (
        socket.create_connection((host, port), seconds, (source, 0)) as door,
        door.makefile("rb") as lines,
    ):
        said = lines.readline()

        def ask(**fields: str) -> Fields:
            nonlocal said
            line = json.dumps(fields).encode() + b"\n"
            door.sendall(line)
            said += line + (answer := lines.readline())
            heard: Fields = json.loads(answer)
            return heard

        banner = json.loads(said)
        if not code:
            return banner, ask(type="enrol", key=key.decode())
        proof = CodeProof("client", code, key.decode(), banner["key"])
        answer = ask(type="enrol", key=key.decode(), share=proof.share)
        if answer["type"] == "challenge":
            proofs = proof.proofs(answer["share"], said)
            answer = ask(type="proof", proof=proofs.client)
            assert answer["type"] != "enrolled" or proofs.host_fits(answer["proof"])
        return banner, answer


def curve_client(
    context: "zmq.Context[zmq.Socket[bytes]]", kind: int, server: bytes, keys: KeyPair
) -> "zmq.Socket[bytes]":
    """Return a socket that knows a host's public key and has keys of its own, not yet connected."""
    made = context.socket(kind)
    made.linger = 0
    made.curve_serverkey = server
    made.curve_publickey, made.curve_secretkey = keys
    return made


class Peer:
    """A client with a DEALER and a SUB that does nothing by itself, not even keepalives."""

    def __init__(
        self,
        port: int,
        keys: KeyPair | None = None,
        enrol: bool = True,
        source: str = "127.0.0.1",
        code: str = "",
        table: int = 1,
    ) -> None:
        self.keys = keys or zmq.curve_keypair()
        self._source = source
        key = self.keys[0] if enrol else zmq.curve_keypair()[0]
        self.banner, answer = door_handshake(port, key, code)
        assert answer["type"] == "enrolled", answer
        self._context = zmq.Context()
        self.dealer = self._socket(zmq.DEALER, self.banner["requests"])
        self.sub = self._socket(zmq.SUB, self.banner["updates"])
        self.sub.setsockopt(zmq.SUBSCRIBE, topic(table))
        self.raw: list[bytes] = []
        """Every frame received, on both sockets, but for topics."""

    def _socket(self, kind: int, port: int) -> "zmq.Socket[bytes]":
        made = curve_client(self._context, kind, self.banner["key"].encode(), self.keys)
        made.rcvtimeo = int(SECONDS * 1000)
        made.rcvhwm = 100_000
        made.connect(f"tcp://{self._source}:0;127.0.0.1:{port}")
        return made

    def new_id(self) -> bytes:
        """Return a random id; a counter's zero bytes could look like a cup."""
        return os.urandom(16)

    def send(self, kind: str, **fields: object) -> bytes:
        """Send a request; return its body."""
        body: bytes = msgpack.packb({"type": kind, "id": self.new_id(), **fields})
        self.dealer.send_multipart([b"", body])
        return body

    def receive(self) -> Fields:
        frames = self.dealer.recv_multipart()
        assert frames[0] == b""
        assert len(frames) == 2
        self.raw += frames
        answer: Fields = msgpack.unpackb(frames[1])
        return answer

    def answer_to(self, body: bytes) -> Fields:
        """Return the answer to a request that was sent; ignore late ones to repeated requests."""
        deadline = Deadline()
        while True:
            if not self.dealer.poll(int(1000 * min(REPEAT_SECONDS, deadline.left()))):
                self.dealer.send_multipart([b"", body])
            elif (id_ := (answer := self.receive())["id"]) in body or id_ == NO_ID:  # malformed
                return answer

    def ask(self, kind: str, **fields: object) -> Fields:
        """Send a request and return its answer; if throttled, wait for a tick and retry."""
        while True:
            answer = self.answer_to(self.send(kind, **fields))
            if answer["type"] != "refused" or answer["refusal"]["code"] != "too_fast":
                return answer
            self.hear_tick()

    def hello(self, name: str, role: str = "player") -> Fields:
        """Join the table; return the Snapshot."""
        answer = self.ask("hello", protocol=6, name=name, role=role)
        assert answer["type"] == "snapshot", answer
        return answer

    def view(self) -> Any:
        """Return this peer's View; None before a game."""
        answer = self.ask("view")
        assert answer["type"] == "current", answer
        return answer["view"]

    def hear(self) -> Fields:
        return self._published(self.sub.recv_multipart())

    def _published(self, frames: list[bytes]) -> Fields:
        assert len(frames) == 1
        body = frames[0][TOPIC_BYTES:]
        self.raw.append(body)
        publication: Fields = msgpack.unpackb(body)
        return publication

    def hear_until(self, wanted: Callable[[Fields], bool]) -> Fields:
        """Wait for the first publication that is `wanted`."""
        deadline = Deadline()
        while not wanted(heard := self.hear()):
            deadline.left()
        return heard

    def hear_tick(self) -> Fields:
        """Wait for the next tick."""
        return self.hear_until(lambda heard: bool(heard["type"] == "tick"))

    def hear_of_its_end(self) -> Fields:
        """Wait until the host says that it is stopping."""
        stopping = {"type": "host_stopping"}
        return self.hear_until(lambda heard: stopping in heard.get("events", ()))

    def hear_rest(self) -> list[Fields]:
        """Return the publications that have arrived already."""
        heard = []
        with suppress(zmq.Again):
            while True:
                heard.append(self._published(self.sub.recv_multipart(zmq.NOBLOCK)))
        return heard

    def close(self) -> None:
        """Close the sockets without a bye."""
        self.dealer.close()
        self.sub.close()
        self._context.term()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


@contextmanager
def running(state: Path, *arguments: str, stdin: int = subprocess.DEVNULL) -> Iterator[Any]:
    """Run a coffeerush command as a process; kill it if the test leaves it running."""
    state.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        log = stack.enter_context((state / f"{arguments[0]}.out").open("wb"))
        process = subprocess.Popen(
            coffeerush(*arguments),
            env=environment(state),
            cwd=state,
            stdin=stdin,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait(SECONDS)
            if process.stdin:
                process.stdin.close()


class Person:
    """Somebody in plain mode: a command with its input and output on pipes.

    `inside` is a command prefix, such as one that enters a network namespace.
    """

    def __init__(self, state: Path, *arguments: str, inside: Sequence[str] = ()) -> None:
        state.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [*inside, *coffeerush(*arguments)],
            env=environment(state),
            cwd=state,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self.process.stdin
        assert self.process.stdout
        self._stdin, self._stdout = self.process.stdin, self.process.stdout
        self._decoder = getincrementaldecoder("utf-8")()
        self.text = ""

    def say(self, line: str) -> None:
        self._stdin.write(f"{line}\n".encode())
        self._stdin.flush()

    def talk(self, *lines: tuple[str, str]) -> None:
        """Type each line, and wait until its answer is printed after it."""
        for line, answer in lines:
            before, self.text = self.text, ""
            self.say(line)
            self.read_until(answer)
            self.text = before + self.text

    def read_until(self, *texts: str) -> str:
        """Wait until one of `texts` is printed; return all output so far."""
        deadline = Deadline()
        while not any(text in self.text for text in texts):
            came = select.select([self._stdout], [], [], deadline.left())[0]
            assert came, f"{texts!r} is not in {self.text!r}"
            assert self.read_more(), f"{texts!r} is not in {self.text!r}"
        return self.text

    def read_more(self) -> bool:
        """Wait for new output and read it; return False at its end."""
        read = os.read(self._stdout.fileno(), 65536)
        self.text += self._decoder.decode(read)  # it may end in the middle of a character
        return bool(read)

    def wait(self) -> int:
        """Wait for the exit, after which `text` is complete; return the exit code."""
        rest, _nothing = self.process.communicate(timeout=SECONDS)
        self.text += self._decoder.decode(rest, final=True)
        return self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.wait(SECONDS)
        self._stdin.close()
        self._stdout.close()


def code_in(text: str) -> str:
    """Return the latest join code that a host shows."""
    return str(re.findall(r"coffeerush join \S+ ([^\W\d_-]+(?:-[^\W\d_-]+){2})", text)[-1])


def host_of(state: Path) -> int:
    """Return the process id of the host that has written the log of a screen."""
    found = re.search(r"kill (\d+)", (state / "host.log").read_text())
    assert found
    return int(found[1])


def port_in(text: str) -> int:
    """Return the port of the first address in a host's join notice."""
    found = re.search(r"coffeerush join \S+:(\d+)", text)
    assert found, text
    return int(found[1])
