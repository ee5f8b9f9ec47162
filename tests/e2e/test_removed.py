"""Removed people are cut off, and stay out after the host is killed; guests can still rejoin."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import zmq
from zmq.utils.monitor import parse_monitor_message

from tests.support.hosts_and_clients import SECONDS, Host, Peer, door_handshake, hosting

KEYS = {name: zmq.curve_keypair() for name in ("Ann", "Bob", "Cid", "Dee", "Eve")}


@pytest.fixture
def host(tmp_path: Path, stack: ExitStack) -> Host:
    return stack.enter_context(hosting(tmp_path, seats=2, owner=KEYS["Ann"][0].decode()))


def come(stack: ExitStack, host: Host, name: str, role: str) -> Peer:
    peer = stack.enter_context(Peer(host.port, KEYS[name]))
    peer.hello(name, role)
    peer.hear()
    return peer


@contextmanager
def ending(*watched: "zmq.Socket[bytes]") -> Iterator[None]:
    """After the body, wait until each connection has been cut and then refused."""
    with ExitStack() as stack:
        monitors = [watch(stack, each) for each in watched]
        yield
        for monitor in monitors:
            seen = []
            while zmq.EVENT_HANDSHAKE_FAILED_AUTH not in seen:
                seen.append(parse_monitor_message(monitor.recv_multipart())["event"])
            assert zmq.EVENT_HANDSHAKE_SUCCEEDED not in seen


def watch(stack: ExitStack, watched: "zmq.Socket[bytes]") -> "zmq.Socket[bytes]":
    """Return a monitor for the socket's events from now on."""
    monitor: zmq.Socket[bytes] = watched.get_monitor_socket(
        zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_HANDSHAKE_SUCCEEDED
    )
    stack.callback(monitor.close)
    stack.callback(watched.disable_monitor)
    monitor.rcvtimeo = int(SECONDS * 1000)
    return monitor


def refusal_at_the_door(host: Host, name: str) -> str:
    _banner, answer = door_handshake(host.port, KEYS[name][0])
    return str(answer["refusal"]["code"]) if answer["type"] == "refused" else ""


def test_only_the_removed_spectator_is_cut_off(stack: ExitStack, host: Host) -> None:
    ann = come(stack, host, "Ann", "player")
    cid, dee = (come(stack, host, name, "spectator") for name in ("Cid", "Dee"))
    with ending(cid.dealer, cid.sub):
        assert ann.ask("remove_spectator", name="Cid")["type"] == "done"
        # since Cid knows the old one; anyone who is told has it before this answer
        assert "New join code: " in host.text()
    assert refusal_at_the_door(host, "Cid") == "removed"
    # All connections were cut, and those still admitted have reconnected.
    snapshot = dee.ask("sync")
    assert snapshot["table"]["spectators"] == ["Dee"]
    dee.hear_until(lambda heard: heard["type"] == "tick" and heard["seq"] == snapshot["seq"])
    assert ann.ask("sync")["owner"]


def test_a_second_key_of_somebody_removed_is_cut_off_even_at_another_address(
    stack: ExitStack, host: Host
) -> None:
    ann = come(stack, host, "Ann", "player")
    come(stack, host, "Cid", "spectator")
    second = stack.enter_context(Peer(host.port, KEYS["Eve"], source="127.0.0.2"))
    second.hear()
    with ending(second.sub):
        assert ann.ask("remove_spectator", name="Cid")["type"] == "done"


def test_a_killed_host_still_knows_its_guests_and_removed_keys(
    tmp_path: Path, stack: ExitStack, host: Host
) -> None:
    ann, bob = (come(stack, host, name, "player") for name in ("Ann", "Bob"))
    assert bob.ask("ready", ready=True)["type"] == "done"
    assert ann.ask("start")["type"] == "done"
    cid, _dee = (come(stack, host, name, "spectator") for name in ("Cid", "Dee"))
    with ending(cid.dealer):  # Ann is cut as well, and has reconnected by then
        assert ann.ask("remove_spectator", name="Cid")["type"] == "done"
    assert ann.ask("remove", seat=1)["type"] == "done"
    host.kill()

    (path,) = (tmp_path / "records").glob("*.record")
    again = stack.enter_context(hosting(tmp_path, resume=str(path), port=host.port))
    assert refusal_at_the_door(again, "Bob") == refusal_at_the_door(again, "Cid") == "removed"
    # Dee's key is admitted without enrolling at the door again.
    dee = stack.enter_context(Peer(again.port, KEYS["Dee"], enrol=False))
    seats = dee.hello("Dee", "spectator")["table"]["seats"]
    assert [seat["status"] for seat in seats] == ["person", "bot"]


def test_incidents_make_one_line_in_the_log(stack: ExitStack, host: Host) -> None:
    ann = come(stack, host, "Ann", "player")
    for _each in range(3):
        assert ann.ask("start")["refusal"]["code"] == "too_few_players"
    ann.dealer.send_multipart([b"", b"\xc1"])
    assert ann.receive()["code"] == "not_messagepack"
    host.stop()
    lines = [line for line in host.text().splitlines() if "Recent problems" in line]
    assert all(line.endswith(" from 127.0.0.1.") for line in lines)
    assert sum(line.count("too few players") for line in lines) in (1, 2)
    assert len(lines) <= 2, "one at once, and one at the end"
