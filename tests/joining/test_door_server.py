"""The door's TCP server: the handshake, and its defence against slow or many visitors."""

import errno
import gc
import os
import selectors
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from random import Random
from time import monotonic, thread_time
from typing import Any

import pytest
import zmq

from coffeerush.host.server.incidents import Incidents
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.door import CodeProof
from coffeerush.joining.door_server import (
    MAX_NUISANCES,
    MAX_OF_A_SOURCE,
    MAX_VISITORS,
    SECONDS_AT_ONCE,
    SHARE_OF_TIME,
    Door,
    _Budget,
)
from protocol import (
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    AskTerm,
    Banner,
    Challenge,
    DoorRefused,
    Enrol,
    Enrolled,
    Proof,
    TermProof,
    decode_banner,
    decode_door_answer,
    encode_line,
)
from tests.support.hosts_and_clients import SECONDS, door_handshake

ELSEWHERE = "127.0.0.7"
KEY = zmq.curve_keypair()[0].decode()
BANNER = Banner(PROTOCOL_NAME, PROTOCOL_OLDEST, PROTOCOL_VERSION, "Ann's", 1001, 1002, KEY)


@pytest.fixture
def keyring() -> AdmittedKeyring:
    return AdmittedKeyring()


@pytest.fixture
def admission(keyring: AdmittedKeyring) -> Admission:
    return Admission(keyring, Random(1))


@pytest.fixture
def incidents() -> Incidents:
    return Incidents()


@pytest.fixture
def port(admission: Admission, incidents: Incidents) -> Iterator[int]:
    listening = socket.create_server(("127.0.0.1", 0))
    port: int = listening.getsockname()[1]
    door = Door(listening, BANNER, admission, incidents.count)
    yield port
    door.stop()
    listening.close()


def connected(port: int, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), SECONDS, (source, 0))


def answer_to_a_key(port: int, source: str = "127.0.0.1") -> str:
    """Return the answer to a new key that needs no code."""
    with connected(port, source) as visitor, visitor.makefile("rb") as lines, suppress(OSError):
        assert lines.readline()
        visitor.sendall(encode_line(Enrol(zmq.curve_keypair()[0].decode())))
        answer = decode_door_answer(lines.readline())
        return answer.refusal.code if isinstance(answer, DoorRefused) else "enrolled"
    return "closed"


def exchange(port: int, line: bytes) -> list[bytes]:
    """Return the lines that the door sends to a visitor who sends `line`."""
    with connected(port) as visitor, visitor.makefile("rb") as lines:
        visitor.sendall(line)
        return list(lines)


def test_the_banner_has_the_ports_of_the_table(port: int) -> None:
    with connected(port) as visitor, visitor.makefile("rb") as lines:
        assert decode_banner(lines.readline()) == BANNER


def test_a_local_key_is_admitted(port: int, keyring: AdmittedKeyring) -> None:
    banner, answer = exchange(port, encode_line(Enrol(KEY)))
    assert decode_banner(banner) == BANNER
    assert decode_door_answer(answer) == Enrolled()
    assert KEY in keyring


def test_a_host_that_asks_for_its_game_needs_no_code(port: int) -> None:
    _banner, answer = exchange(port, encode_line(AskTerm("0" * 16, 3, "0" * 64)))
    assert decode_door_answer(answer) == TermProof(3)


def test_both_sides_prove_the_code(
    port: int, admission: Admission, keyring: AdmittedKeyring
) -> None:
    assert door_handshake(port, KEY.encode(), admission.code)[1]["type"] == "enrolled"
    assert KEY in keyring


def test_another_code_is_refused_and_counted(
    port: int, keyring: AdmittedKeyring, incidents: Incidents
) -> None:
    _banner, answer = door_handshake(port, KEY.encode(), "apple-apple-apple")
    assert answer["refusal"]["code"] == "wrong_code"
    assert KEY not in keyring
    assert "1 from 127.0.0.1" in incidents.take()


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xfe\n",
        b'{"type":"enrol"}\n',
        encode_line(Enrol(KEY))[:-2],
        encode_line(Enrol("#" * 40)),  # Z85 characters, but more than 32 bits in five of them
        encode_line(Enrol("~" * 40)),
        encode_line(Enrol("é" * 40)),
        b'{"type":"enrol","key":"%b"}' % (b"a" * 600) + b"\n",
        b"[" * 500 + b"\n",
        b"x" * 100_000,
    ],
    ids=lambda one: one[:20].decode(errors="replace") if isinstance(one, bytes) else None,
)
def test_other_lines_are_refused(port: int, keyring: AdmittedKeyring, line: bytes) -> None:
    with connected(port) as visitor, visitor.makefile("rb") as lines:
        assert decode_banner(lines.readline()) == BANNER
        with suppress(OSError):  # the door may have closed the connection before
            visitor.sendall(line)
            visitor.shutdown(socket.SHUT_WR)
        answer = decode_door_answer(lines.readline())
    assert isinstance(answer, DoorRefused)
    assert answer.refusal.code == "bad_key"
    assert KEY not in keyring


@pytest.mark.slow
def test_a_silent_visitor_is_dropped(port: int) -> None:
    with connected(port) as visitor, visitor.makefile("rb") as lines:
        assert len(list(lines)) == 1


def test_a_crowd_from_one_address_blocks_nobody_else(port: int) -> None:
    with ExitStack() as crowd:
        for _visitor in range(MAX_OF_A_SOURCE):
            lines = crowd.enter_context(crowd.enter_context(connected(port)).makefile("rb"))
            assert lines.readline()
        _banner, answer = exchange(port, b"")
        refused = decode_door_answer(answer)
        assert isinstance(refused, DoorRefused)
        assert refused.refusal.code == "door_busy"
        assert answer_to_a_key(port, ELSEWHERE) == "enrolled"
    # The crowd has disconnected: the door notices that one by one, and soon has room again.
    while answer_to_a_key(port) != "enrolled":
        pass


def test_silent_visitors_make_room(port: int, incidents: Incidents) -> None:
    with ExitStack() as crowd:
        for number in range(MAX_VISITORS):
            lines = crowd.enter_context(connected(port, f"127.0.1.{number % 4}")).makefile("rb")
            assert crowd.enter_context(lines).readline()
        while answer_to_a_key(port, ELSEWHERE) != "enrolled":
            pass
    assert "tries to join that timed out: 1;" in incidents.take()


def test_a_nuisance_takes_little_room(port: int, admission: Admission) -> None:
    admission.note_timeout(monotonic(), ELSEWHERE)
    with ExitStack() as crowd:
        for _visitor in range(MAX_NUISANCES):
            lines = crowd.enter_context(connected(port, ELSEWHERE)).makefile("rb")
            assert crowd.enter_context(lines).readline()
        assert answer_to_a_key(port, ELSEWHERE) == "door_busy"
        assert answer_to_a_key(port) == "enrolled"


def test_visitors_who_have_sent_a_line_keep_their_place(port: int, admission: Admission) -> None:
    """Even an incomplete proof is more than nothing."""
    mine = CodeProof("client", admission.code, KEY, BANNER.key)
    enrol = encode_line(Enrol(KEY, mine.share))
    with connected(port) as visitor, visitor.makefile("rb") as lines, ExitStack() as crowd:
        visitor.sendall(enrol)
        said = [lines.readline(), enrol, lines.readline()]
        for number in range(MAX_VISITORS):
            crowd.enter_context(connected(port, f"127.0.1.{number % 4}"))
        while answer_to_a_key(port, ELSEWHERE) != "enrolled":
            pass
        challenge = decode_door_answer(said[-1])
        assert isinstance(challenge, Challenge)
        proofs = mine.proofs(challenge.share, b"".join(said))
        visitor.sendall(encode_line(Proof(proofs.client)))
        assert decode_door_answer(lines.readline()) == Enrolled(proofs.host)


def test_a_line_may_come_in_pieces(port: int) -> None:
    line = encode_line(Enrol(KEY))
    with connected(port) as visitor, visitor.makefile("rb") as lines:
        assert lines.readline()
        for at in range(len(line)):
            visitor.sendall(line[at : at + 1])
        assert decode_door_answer(lines.readline()) == Enrolled()


def test_a_visitor_who_disconnects_leaves_room(port: int, admission: Admission) -> None:
    for _visitor in range(MAX_OF_A_SOURCE + 1):
        with connected(port) as visitor:
            visitor.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            visitor.sendall(encode_line(Enrol(KEY))[:-1])
    while answer_to_a_key(port) != "enrolled":
        pass


class ScarceSelector(selectors.DefaultSelector):
    """Fails to register the first visitor once, as if the system were short of memory."""

    is_scarce = True

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        if self.is_scarce and fileobj.family == socket.AF_INET and not _listens(fileobj):
            self.is_scarce = False
            raise OSError(errno.ENOSPC, "no watch is left")
        return super().register(fileobj, events, data)


def _listens(link: socket.socket) -> bool:
    return bool(link.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def test_a_visitor_who_cannot_be_registered_leaks_nothing(
    admission: Admission, incidents: Incidents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "DefaultSelector", ScarceSelector)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        door = Door(listening, BANNER, admission, incidents.count)
        with connected(port) as visitor, suppress(OSError):
            assert not visitor.recv(1)
        with ExitStack() as crowd:
            for _visitor in range(MAX_OF_A_SOURCE - 1):
                lines = crowd.enter_context(crowd.enter_context(connected(port)).makefile("rb"))
                assert lines.readline()
            assert answer_to_a_key(port) == "enrolled"  # the failed one does not take a place
        door.stop()


def test_a_closed_door_disconnects_visitors(admission: Admission, incidents: Incidents) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        door = Door(listening, BANNER, admission, incidents.count)
        with connected(port) as visitor, visitor.makefile("rb") as lines:
            assert lines.readline()
            door.stop()
            assert not lines.read()


@pytest.mark.slow
def test_a_closed_door_leaks_no_descriptor(admission: Admission, incidents: Incidents) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        gc.collect()  # collect the garbage of other tests before counting
        before = len(os.listdir("/dev/fd"))
        door = Door(listening, BANNER, admission, incidents.count)
        assert len(os.listdir("/dev/fd")) > before
        door.stop()
        assert len(os.listdir("/dev/fd")) <= before


def test_a_thread_over_budget_pauses_until_its_share_is_a_tenth() -> None:
    begun, before = monotonic(), thread_time()
    budget, used = _Budget(), thread_time()
    assert budget.seconds_to_rest() == 0
    while thread_time() - used < 2 * SECONDS_AT_ONCE:
        pass
    least = thread_time() - used - SECONDS_AT_ONCE
    rest = budget.seconds_to_rest()
    most = thread_time() - before - SECONDS_AT_ONCE
    elapsed = monotonic() - begun
    assert least / SHARE_OF_TIME - elapsed <= rest <= most / SHARE_OF_TIME


def test_a_thread_within_budget_does_not_pause() -> None:
    budget, used = _Budget(), thread_time()
    while thread_time() - used < SECONDS_AT_ONCE / 2:
        pass
    assert budget.seconds_to_rest() == 0
