"""Parts of a host: sockets, startup self-test, signals, key file, parent link, frames, notes."""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any, Self

import msgspec
import pytest
import zmq
from zmq.utils import z85

from coffeerush.errors import HostError
from coffeerush.host.run import remember_signals
from coffeerush.host.server.incidents import SENTENCES, sentence
from coffeerush.host.server.parent import (
    GRACE_SECONDS,
    Failed,
    GoesOn,
    HostReady,
    NewCode,
    ParentLink,
    Ways,
)
from coffeerush.host.server.sockets import (
    PROBE_SECONDS,
    PROBES,
    Sender,
    Sockets,
    check_strangers_are_refused,
    domain_of,
    open_sockets,
    refusal,
    split_frames,
    zap_reply,
)
from coffeerush.host.table.config import Note
from coffeerush.local.keys import HOST_KEY_FILE, host_key, new_keys
from tests.support.hosts_and_clients import SECONDS, Deadline

# Parts of a host: sockets, startup self-test, signals, key file, parent link, frames, notes


KEYS = new_keys()


@pytest.fixture
def sockets() -> Iterator[Sockets]:
    opened = open_sockets("*", 0, KEYS)
    yield opened
    opened.close()


# Sockets


def test_three_ports_in_a_row_are_bound(sockets: Sockets) -> None:
    assert sockets.ports == (sockets.port + 1, sockets.port + 2)
    for each, port in zip((sockets.requests, sockets.updates), sockets.ports, strict=True):
        endpoint = each.getsockopt(zmq.LAST_ENDPOINT)
        assert isinstance(endpoint, bytes)
        assert endpoint.endswith(b":%d" % port)


def test_a_door_on_all_addresses_is_dual_stack(sockets: Sockets) -> None:
    addresses = ["127.0.0.1", *(["::1"] if socket.has_dualstack_ipv6() else [])]
    for address in addresses:
        socket.create_connection((address, sockets.port), timeout=SECONDS).close()


def test_the_options_are_those_that_were_measured(sockets: Sockets) -> None:
    for each, port, most in zip(
        (sockets.requests, sockets.updates), sockets.ports, (16384, 512), strict=True
    ):
        wanted: dict[int, Any] = {
            zmq.LINGER: 1000,
            zmq.IPV6: 1,
            zmq.MAXMSGSIZE: most,
            zmq.RCVHWM: 0,
            zmq.HEARTBEAT_IVL: 0,
            zmq.TCP_KEEPALIVE: 1,
            zmq.TCP_KEEPALIVE_IDLE: 1,
            zmq.TCP_KEEPALIVE_INTVL: 1,
            zmq.TCP_KEEPALIVE_CNT: 3,
            zmq.TCP_MAXRT: 3000,
            zmq.HANDSHAKE_IVL: 3000,
            zmq.CURVE_SERVER: 1,
            zmq.MECHANISM: zmq.CURVE,
            zmq.ZAP_DOMAIN: domain_of(port),
            zmq.ZAP_ENFORCE_DOMAIN: 1,
        }
        assert {option: each.getsockopt(option) for option in wanted} == wanted
    assert (sockets.requests.sndhwm, sockets.updates.sndhwm) == (64, 256)
    assert sockets.updates.rcvbuf == 4096


@pytest.mark.parametrize("place", range(3))
def test_any_of_the_three_ports_may_be_the_one_in_use(place: int) -> None:
    freed = open_sockets("127.0.0.1", 0, KEYS)
    freed.close()
    port = freed.ports[0] - 1
    with (
        socket.create_server(("127.0.0.1", port + place)),
        pytest.raises(HostError, match=f"Port {port + place} is in use.*--port"),
    ):
        open_sockets("127.0.0.1", port, KEYS)


@pytest.mark.parametrize("address", ["192.0.2.77", "2001:db8::77", "nosuch.invalid", "1.2.3"])
def test_an_address_of_another_machine(address: str) -> None:
    with pytest.raises(HostError, match="not an address of this machine"):
        open_sockets(address, 0, KEYS)


def test_a_door_too_high_for_two_more_ports_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    highest = [65535, 65534]
    create_server = socket.create_server

    def high_at_first(address: tuple[str, int], **options: Any) -> socket.socket:
        return create_server((address[0], highest.pop() if highest else address[1]), **options)

    monkeypatch.setattr(socket, "create_server", high_at_first)
    opened = open_sockets("127.0.0.1", 0, KEYS)
    opened.close()
    assert opened.ports[1] < 65536
    assert not highest


def test_an_old_libzmq_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zmq, "zmq_version_info", lambda: (4, 3, 4))
    with pytest.raises(HostError, match=r"4\.3\.5 or newer"):
        open_sockets("127.0.0.1", 0, KEYS)


# The self-test


def test_the_self_test_passes_if_strangers_are_refused(sockets: Sockets) -> None:
    check_strangers_are_refused(sockets, KEYS, frozenset())


def test_the_self_test_fails_if_strangers_are_admitted(sockets: Sockets) -> None:
    class Everybody(frozenset[str]):
        def __contains__(self, key: object) -> bool:
            return True

    with pytest.raises(HostError, match="lets strangers in"):
        check_strangers_are_refused(sockets, KEYS, Everybody())


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_self_test_fails_if_the_machine_cannot_reach_itself(sockets: Sockets) -> None:
    """As while its loopback interface is down; at once, not after all probes have timed out."""
    sockets.requests.unbind(sockets.requests.get_string(zmq.LAST_ENDPOINT))
    deadline = Deadline()
    while is_listening(sockets.ports[0]):  # libzmq closes it in another thread
        deadline.left()
    with pytest.raises(HostError, match="bring its loopback interface up"):
        check_strangers_are_refused(sockets, KEYS, frozenset())


class Slow(frozenset[str]):
    """Nobody's keys; to look at them takes longer than a probe, the first few times."""

    def __init__(self, slow: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self._slow, self._now = 0, slow, time.monotonic
        self._late = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self._now() + self._late)

    def __new__(cls, *_arguments: object) -> Self:
        return super().__new__(cls)

    def __contains__(self, key: object) -> bool:
        self.asked += 1
        if self.asked <= self._slow:
            self._late += 2 * PROBE_SECONDS
        return False


def test_the_self_test_probes_again_after_a_pause(
    sockets: Sockets, monkeypatch: pytest.MonkeyPatch
) -> None:
    admitted = Slow(PROBES - 1, monkeypatch)
    check_strangers_are_refused(sockets, KEYS, admitted)
    assert admitted.asked == PROBES + 1, "once more for the other port"


def test_the_self_test_tells_silence_from_strangers_let_in(
    sockets: Sockets, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(HostError, match="did not answer"):
        check_strangers_are_refused(sockets, KEYS, Slow(PROBES, monkeypatch))


def test_a_host_interrupted_during_its_self_test_exits() -> None:
    """On Ctrl-C: a socket left open would block the shutdown forever."""

    class Interrupted(frozenset[str]):
        def __contains__(self, key: object) -> bool:
            raise KeyboardInterrupt

    opened = open_sockets("127.0.0.1", 0, KEYS)
    with pytest.raises(KeyboardInterrupt) as caught:
        check_strangers_are_refused(opened, KEYS, Interrupted())
    closing = Thread(target=opened.close, daemon=True)
    closing.start()
    closing.join(SECONDS)
    assert not closing.is_alive()
    assert caught.tb is not None  # keeps the traceback's frames alive until here


# Signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_start_is_not_lost(number: int) -> None:
    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    before = {each: signal.getsignal(each) for each in ending}
    signal.signal(number, signal.default_int_handler)
    calls = []
    try:
        with remember_signals() as on_signal:
            with pytest.raises(KeyboardInterrupt):  # swallowed, so lost
                signal.raise_signal(number)
            on_signal(lambda: calls.append("stop"))
            assert calls == ["stop"]
            signal.raise_signal(number)
        assert calls == ["stop"] * 2
        assert signal.getsignal(number) is signal.SIG_IGN, "the program is about to end"
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def test_without_a_signal_nothing_is_stopped() -> None:
    before = signal.getsignal(signal.SIGINT)
    with remember_signals() as on_signal:
        on_signal(pytest.fail)
    assert signal.getsignal(signal.SIGINT) is before


# The key


def test_the_key_file_is_readable_only_by_its_owner(tmp_path: Path) -> None:
    keys = host_key(tmp_path)
    assert host_key(tmp_path) == keys
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o666, 0o640, 0o604])
def test_a_key_file_that_others_could_access_becomes_private_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int
) -> None:
    keys, path = host_key(tmp_path), tmp_path / HOST_KEY_FILE
    path.chmod(mode)
    assert host_key(tmp_path) == keys
    assert path.stat().st_mode & 0o777 == 0o600
    assert f"could read or change {path}; it is private now" in caplog.text
    caplog.clear()
    assert host_key(tmp_path) == keys
    assert not caplog.text


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, os.mkdir, lambda path: os.symlink(HOST_KEY_FILE, path)],
    ids=["pipe", "directory", "loop"],
)
def test_a_key_is_read_from_a_regular_file_only(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / HOST_KEY_FILE)
    with pytest.raises(HostError, match="cannot be saved"):
        host_key(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"nonsense", b"%s %s\n" % (KEYS.public, b"x" * 40)],
    ids=["empty", "nonsense", "no-pair"],
)
def test_a_file_without_a_key_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / HOST_KEY_FILE
    path.write_bytes(content)
    with pytest.raises(HostError, match="move that file out of the way"):
        host_key(tmp_path)
    assert path.read_bytes() == content


def test_a_key_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="make its directory writable"):
        host_key(tmp_path / "nowhere")


# The parent


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield the host's end of the link and the parent's."""
    own, other = socket.socketpair()
    with own, other:
        yield own, other


def test_a_parent_receives_one_line(pair: tuple[socket.socket, socket.socket]) -> None:
    own, other = ParentLink(pair[0], "alone"), pair[1]
    ready = HostReady("127.0.0.1", 1, 2, 3, ("a",))
    own.tell(ready)
    line = other.recv(1000)
    assert line.endswith(b"\n")
    assert msgspec.json.decode(line, type=HostReady | Failed) == ready
    other.close()
    own.tell(ready)  # to nobody


def test_a_parent_that_did_not_read_receives_the_latest_line_of_each_kind(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    """A suspended screen learns the current join code, however much was told before."""
    own, other = ParentLink(pair[0], "alone"), pair[1]
    asking = tuple((guest, "W" * 24, "123") for guest in range(1, 17))
    ways = [Ways(port, "SHA256:x", asking=asking) for port in range(1, 1000)]
    for each in ways:
        own.tell(each)
    for code in ("old code", "new code"):
        own.tell(NewCode(code))
    own.tell(GoesOn())
    other.settimeout(SECONDS)
    heard = b""
    while not heard.endswith(b'"goes_on"}\n'):
        own.send_waiting()
        heard += other.recv(1 << 16)
    lines = [msgspec.json.decode(line, type=Ways | NewCode | GoesOn) for line in heard.splitlines()]
    assert lines[-3:] == [ways[-1], NewCode("new code"), GoesOn()]
    assert lines[:-3] == ways[: len(lines) - 3], "no line is cut off in the middle"


@pytest.mark.parametrize(
    ("stop", "said", "alone", "in_company"),
    [
        ("at_once", b"", 0.0, 0.0),
        ("alone", b'{"type":"goodbye"}\n', 0.0, None),
        ("alone", b"", GRACE_SECONDS, None),
    ],
)
def test_when_a_host_stops_after_its_parent_exits(
    pair: tuple[socket.socket, socket.socket],
    stop: Any,
    said: bytes,
    alone: float,
    in_company: float | None,
) -> None:
    own, other = ParentLink(pair[0], stop), pair[1]
    assert own.fileno() is not None
    assert not own.ends(1000.0, False)
    other.send(said)
    other.close()
    assert own.hear(50.0) == bool(said)
    assert own.fileno() is None
    for in_use, seconds in ((False, alone), (True, in_company)):
        if seconds is None:
            assert not own.ends(1e9, in_use)
        else:
            assert own.ends(50.0 + seconds, in_use)
            assert not seconds or not own.ends(49.9 + seconds, in_use)


# Frames and notes


@pytest.mark.parametrize(
    ("frames", "envelope", "body"),
    [
        ([b"r", b"", b"x"], (b"r", b""), b"x"),
        ([b"r", b"corr", b"", b"x"], (b"r", b"corr", b""), b"x"),
        ([b"r", b"", b""], (b"r", b""), b""),
        ([b"r", b"x"], (b"r", b""), None),
        ([b"r", b""], (b"r", b""), None),
        ([b"r"], (b"r", b""), None),
        ([b"r", b"a", b"b"], (b"r", b""), None),
        ([b"r", b"a", b""], (b"r", b""), None),
        ([b"r", b"", b"a", b"b"], (b"r", b""), None),
    ],
)
def test_an_envelope_ends_with_the_first_empty_frame(
    frames: list[bytes], envelope: tuple[bytes, ...], body: bytes | None
) -> None:
    sender = Sender("key", "192.0.2.7", 7)
    opened = split_frames(frames, sender)
    assert (opened.envelope, opened.sender, opened.body) == (envelope, sender, body)


def test_every_note_has_a_sentence() -> None:
    assert Note.__doc__
    codes = {
        word.rstrip(":,")
        for line in Note.__doc__.splitlines()[3:]
        if ":" in line
        for word in line.partition(":")[0].split()
    }
    assert codes == SENTENCES.keys()
    assert sentence(Note("joined", {"name": "Ann"})) == "Ann took a seat."


# ZAP requests as libzmq sends them: a malformed one is refused, and none raises


KEY = zmq.curve_keypair()[0].decode()
PORT = 47821
ASKED = [b"1.0", b"7", domain_of(PORT), b"127.0.0.1", b"", b"CURVE", z85.decode(KEY)]


def test_a_known_key_is_admitted_under_its_own_name() -> None:
    assert zap_reply(ASKED, {KEY}) == [b"1.0", b"7", b"200", b"OK", KEY.encode(), b""]


def test_an_unknown_key_is_refused() -> None:
    assert zap_reply(ASKED, set())[1:3] == [b"7", b"400"]


def test_a_refused_peer_is_identified_by_its_address() -> None:
    assert refusal(ASKED, zap_reply(ASKED, {KEY})) is None
    assert refusal(ASKED, zap_reply(ASKED, set())) == ("stranger", "127.0.0.1")
    assert refusal([], zap_reply([], set())) == ("stranger", "")


def test_a_key_with_enough_connections_is_told_to_come_back_later() -> None:
    asked: list[tuple[str, int]] = []

    def may_connect(key: str, port: int) -> bool:
        asked.append((key, port))
        return False

    reply = zap_reply(ASKED, {KEY}, may_connect)
    assert (reply[2], asked) == (b"300", [(KEY, PORT)])
    assert refusal(ASKED, reply) == ("too_often", "127.0.0.1")
    assert zap_reply(ASKED, set(), may_connect)[2] == b"400"


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [b"1.0"],
        ASKED[:-1],
        [*ASKED, b""],
        [b"2.0", *ASKED[1:]],
        [*ASKED[:2], b"other", *ASKED[3:]],
        [*ASKED[:5], b"NULL"],
        [*ASKED[:5], b"NULL", z85.decode(KEY)],
        [*ASKED[:5], b"PLAIN", b"user", b"word"],
        [*ASKED[:6], b"short"],
        [*ASKED[:6], KEY.encode()],
    ],
)
def test_any_malformed_request_is_refused(frames: list[bytes]) -> None:
    assert zap_reply(frames, {KEY})[2] == b"400"
