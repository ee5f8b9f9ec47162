"""Flood protection on real sockets: unfinished messages, idle connections, how many there are."""

import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from time import monotonic

import pytest

from coffeerush.host.server import members
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import NAMELESS_SECONDS, Allowance, Guard, Tiers
from coffeerush.host.server.sockets import Sender
from tests.support.hosts_and_clients import SECONDS

pytestmark = pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="needs /proc, mounted: Linux"
)
MOST = 6


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut nobody for sending nothing while a slow machine is busy with something else."""
    monkeypatch.setattr(members, "NAMELESS_SECONDS", 10 * SECONDS)


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def incidents() -> Incidents:
    return Incidents()


@pytest.fixture
def guard(server: socket.socket, incidents: Incidents) -> Iterator[Guard]:
    guard = Guard({server.getsockname()[1]: Allowance(1000)}, incidents, MOST)
    yield guard
    guard.stop()


def connected(
    server: socket.socket, source: str = "127.0.0.1"
) -> tuple[socket.socket, socket.socket]:
    """Return both ends of a new connection."""
    client = socket.create_connection(server.getsockname(), SECONDS, (source, 0))
    accepted, _address = server.accept()
    accepted.settimeout(SECONDS)
    return client, accepted


def test_only_the_connection_that_sends_too_much_is_cut(
    server: socket.socket, guard: Guard, incidents: Incidents
) -> None:
    glutton, kept = connected(server)
    modest, other = connected(server)
    with glutton, kept, modest, other:
        modest.sendall(bytes(900))
        glutton.sendall(bytes(1100))
        assert glutton.recv(1) == b""
        modest.sendall(b"still here")
        assert other.recv(900) == bytes(900)
        assert other.recv(10) == b"still here"
    assert incidents.take() == (
        "Recent problems: connections closed for sending too much: 1; 1 from 127.0.0.1."
    )


@pytest.mark.slow
def test_whole_messages_are_no_flood(server: socket.socket, guard: Guard) -> None:
    busy, kept = connected(server)
    with busy, kept:
        for _each in range(5):
            busy.sendall(bytes(900))
            assert kept.recv(900, socket.MSG_WAITALL) == bytes(900)
            for _check in range(2):  # what came before the check before a message belongs to it
                guard.note_message(Sender("Ann", "127.0.0.1", kept.fileno()))
                wait_for_a_check(server)
        busy.sendall(b"still here")
        assert kept.recv(10) == b"still here"


def test_heartbeats_are_no_flood(server: socket.socket, incidents: Incidents) -> None:
    guard = Guard({server.getsockname()[1]: Allowance(1000, 20_000)}, incidents)
    try:
        idle, kept = connected(server)
        with idle, kept:
            for size in (900, 150, 150):
                idle.sendall(bytes(size))
                assert kept.recv(size, socket.MSG_WAITALL) == bytes(size)
                wait_for_a_check(server)
            idle.sendall(b"still here")
            assert kept.recv(10) == b"still here"
    finally:
        guard.stop()


def test_a_message_does_not_excuse_what_comes_after_it(server: socket.socket, guard: Guard) -> None:
    glutton, kept = connected(server)
    with glutton, kept:
        glutton.sendall(bytes(1100))
        guard.note_message(Sender("Eve", "127.0.0.1", kept.fileno()))
        assert glutton.recv(1) == b""


def test_a_message_of_another_address_came_over_an_older_connection(
    server: socket.socket, guard: Guard
) -> None:
    new, kept = connected(server)
    with new, kept:
        guard.note_message(Sender("Eve", "127.0.0.9", kept.fileno()))
        wait_for_a_check(server)
        guard.cut_key("Eve")
        wait_for_a_check(server)
        new.sendall(b"still here")
        assert kept.recv(10) == b"still here"


def test_a_key_is_cut_off_and_no_other(
    server: socket.socket, guard: Guard, incidents: Incidents
) -> None:
    pairs = {name: connected(server) for name in ("Eve", "Ann")}
    for name, (_client, accepted) in pairs.items():
        guard.note_message(Sender(name, "127.0.0.1", accepted.fileno()))
    guard.cut_key("Eve")
    assert pairs["Eve"][0].recv(1) == b""
    pairs["Ann"][0].sendall(b"still here")
    assert pairs["Ann"][1].recv(10) == b"still here"
    for pair in pairs.values():
        for one in pair:
            one.close()


def test_a_connection_may_be_as_old_as_the_check_that_did_not_see_it(
    server: socket.socket, guard: Guard
) -> None:
    port = server.getsockname()[1]
    wait_for_a_check(server)
    before = monotonic()
    wait_for_a_check(server)
    ann, kept = connected(server)
    accepted_at = monotonic()
    with ann, kept:
        guard.note_message(Sender("Ann", "127.0.0.1", kept.fileno()))
        wait_for_a_check(server)
        assert guard.settled("Ann", port, accepted_at) == 1
        assert guard.settled("Ann", port, before) == 0
        assert guard.settled("Eve", port, accepted_at) == 0
        assert guard.settled("Ann", port + 1, accepted_at) == 0


@pytest.mark.slow
def test_who_says_nothing_is_cut_and_who_did_is_counted(
    server: socket.socket, guard: Guard, incidents: Incidents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "NAMELESS_SECONDS", NAMELESS_SECONDS)
    port = server.getsockname()[1]
    guard.set_tiers(Tiers(here={"Ann"}))
    silent, _its_end = connected(server)
    ann, kept = connected(server)
    with silent, _its_end, ann, kept:
        guard.note_message(Sender("Ann", "127.0.0.1", kept.fileno()))
        assert silent.recv(1) == b""
        assert guard.settled("Ann", port, monotonic()) == 1
        ann.sendall(b"still here")
        assert kept.recv(10) == b"still here"
    assert "connections closed for sending nothing: 1" in incidents.take()


def test_while_it_is_crowded_who_has_no_place_at_the_table_is_cut_soon(
    server: socket.socket, guard: Guard, incidents: Incidents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "PLACELESS_SECONDS", 0.0)
    guard.set_tiers(Tiers(here={"Ann", "Bob", "Cid"}))
    with ExitStack() as stack:

        def come(name: str) -> tuple[socket.socket, socket.socket]:
            client, accepted = map(stack.enter_context, connected(server))
            guard.note_message(Sender(name, "127.0.0.1", accepted.fileno()))
            return client, accepted

        (eve, its_end), (ann, kept) = come("Eve"), come("Ann")
        wait_for_a_check(server)
        eve.sendall(b"still here")
        assert its_end.recv(10) == b"still here", "there is room enough"
        (bob, _end), _cid = come("Bob"), come("Cid")
        assert eve.recv(1) == b""
        guard.set_tiers(Tiers(here={"Ann", "Cid", "Dee"}, known={"Bob"}))
        come("Dee")
        assert bob.recv(1) == b""
        ann.sendall(b"still here")
        assert kept.recv(10) == b"still here"
    assert "connections closed for having no place at the table: " in incidents.take()


def test_another_port_is_not_watched(server: socket.socket, guard: Guard) -> None:
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        free, its_end = connected(elsewhere)
        glutton, kept = connected(server)
        with free, its_end, glutton, kept:
            free.sendall(bytes(5000))
            glutton.sendall(bytes(5000))
            assert glutton.recv(1) == b""  # by now the guard has checked
            its_end.sendall(b"still here")
            assert free.recv(10) == b"still here"


def test_beyond_the_limit_the_newest_connections_are_cut(
    server: socket.socket, guard: Guard
) -> None:
    first = [connected(server) for _each in range(MOST)]
    late = [connected(server) for _each in range(2)]
    for client, _accepted in late:
        assert client.recv(1) == b""
    for client, accepted in first:
        accepted.sendall(b"still here")
        assert client.recv(10) == b"still here"
    for pair in [*first, *late]:
        for one in pair:
            one.close()


def test_all_are_cut_on_demand(server: socket.socket, guard: Guard, incidents: Incidents) -> None:
    pairs = [connected(server), connected(server, "127.0.0.2")]
    guard.cut_all()
    for client, accepted in pairs:
        assert client.recv(1) == b""
        client.close()
        accepted.close()
    back, accepted = connected(server)
    with back, accepted:
        accepted.sendall(b"welcome")
        assert back.recv(10) == b"welcome"
    assert not incidents.take(), "being cut on demand is no incident"


def test_a_member_is_cut_after_those_who_said_nothing(server: socket.socket, guard: Guard) -> None:
    strangers = [connected(server, f"127.0.0.{number}") for number in range(2, MOST + 2)]
    ann, kept = connected(server)
    guard.note_message(Sender("Ann", "127.0.0.1", kept.fileno()))
    gone, _its_end = strangers[0]
    assert gone.recv(1) == b""
    ann.sendall(b"still here")
    assert kept.recv(10) == b"still here"
    for pair in [*strangers, (ann, kept)]:
        for one in pair:
            one.close()


def test_it_still_works_when_descriptors_run_out(server: socket.socket, guard: Guard) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        glutton, _kept = (stack.enter_context(one) for one in connected(server))
        resource.setrlimit(resource.RLIMIT_NOFILE, (open_descriptors() + 20, hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with suppress(OSError):
            while True:
                stack.enter_context(socket.socket())
        glutton.sendall(bytes(1100))
        assert glutton.recv(1) == b""


def wait_for_a_check(server: socket.socket) -> None:
    """Wait until the guard has looked at all connections that are open now."""
    for _each in range(2):  # the first check may have begun already, and not be done
        glutton, kept = connected(server)
        with glutton, kept:
            glutton.sendall(bytes(5000))
            assert glutton.recv(1) == b""


def open_descriptors() -> int:
    return max(map(int, os.listdir("/proc/self/fd")))
