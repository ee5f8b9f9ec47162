"""Whose requests count, and how many connections and requests beyond the rate limit a key has."""

import os
import socket
from collections.abc import Iterator
from random import Random
from time import monotonic

import pytest

from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import (
    MAX_OF_A_KEY,
    NEWCOMERS,
    RATION_SECONDS,
    REQUESTS_ALLOWANCE,
    SUBSCRIPTIONS,
    Guard,
    Members,
    Tier,
    Tiers,
)
from coffeerush.host.server.sockets import Sender
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from protocol import Bye, RemoveSpectator
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, table_for


@pytest.fixture
def keyring() -> AdmittedKeyring:
    return AdmittedKeyring()


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def members(keyring: AdmittedKeyring) -> Iterator[Members]:
    guard = Guard({}, Incidents())
    yield Members(keyring, guard, Admission(keyring, Random(1)))
    guard.stop()


def test_an_admitted_key_may_ask(members: Members, keyring: AdmittedKeyring) -> None:
    table = table_for().table
    assert not members.may_ask(BOB, table)
    keyring.admit(BOB)
    assert members.may_ask(BOB, table)


def test_a_second_key_of_somebody_removed_is_not_heard_any_more(
    members: Members, keyring: AdmittedKeyring
) -> None:
    """It is connected already, but has not sent anything."""
    driver = table_for()
    for key in (ANN, BOB, CID, DEE):
        keyring.admit(key)
    driver.hello(ANN)
    driver.hello(CID, "spectator")
    driver.hello(DEE, "spectator")
    members.settle(0.0, driver.table)
    driver.ask(ANN, RemoveSpectator(ID, "Cid"))
    members.settle(0.0, driver.table)
    assert not members.may_ask(BOB, driver.table)
    assert members.may_ask(CID, driver.table), "the table answers with `removed`"
    assert CID not in keyring
    assert members.may_ask(ANN, driver.table)
    assert members.may_ask(DEE, driver.table)


def test_somebody_at_the_table_is_heard_even_if_the_door_forgot_their_key(members: Members) -> None:
    driver = table_for()
    driver.hello(EVE, "spectator")
    assert members.may_ask(EVE, driver.table)


def test_a_key_has_its_ration_of_connections_to_each_port(members: Members) -> None:
    for _each in range(MAX_OF_A_KEY):
        assert members.may_connect(0.0, ANN, 1)
    assert not members.may_connect(0.0, ANN, 1)
    assert members.may_connect(0.0, ANN, 2)
    assert members.may_connect(0.0, BOB, 1)
    assert not members.may_connect(RATION_SECONDS - 0.1, ANN, 1)
    assert members.may_connect(RATION_SECONDS, ANN, 1)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc, mounted: Linux")
def test_a_connection_is_counted_once(server: socket.socket, keyring: AdmittedKeyring) -> None:
    """In the ration of its key while it is new, and then for as long as it lasts."""
    port = server.getsockname()[1]
    guard = Guard({port: REQUESTS_ALLOWANCE}, Incidents())
    members = Members(keyring, guard, Admission(keyring, Random(1)))
    wait_for_a_check(guard, server)
    with socket.create_connection(server.getsockname()), server.accept()[0] as kept:
        now = monotonic()
        assert members.may_connect(now, ANN, port)
        guard.note_message(Sender(ANN, "127.0.0.1", kept.fileno()))
        wait_for_a_check(guard, server)
        assert guard.settled(ANN, port, now)
        # a link that breaks again and again, and whose ends were not noticed yet
        assert [members.may_connect(now + at, ANN, port) for at in (5, 6, 7)] == [True] * 3
        assert not members.may_connect(now + 8, ANN, port)
        assert not members.may_connect(now + RATION_SECONDS, ANN, port), "it is still there"
        late = now + 7 + RATION_SECONDS
        took = [members.may_connect(late, ANN, port) for _each in range(MAX_OF_A_KEY)]
        assert took == [True] * (MAX_OF_A_KEY - 1) + [False]
    guard.stop()


def wait_for_a_check(guard: Guard, server: socket.socket) -> None:
    """Wait until the guard has looked at all connections that are open now."""
    for _each in range(2):  # the first check may have begun already, and not be done
        with socket.create_connection(server.getsockname()) as cut, server.accept()[0] as kept:
            guard.note_message(Sender("cut", "127.0.0.1", kept.fileno()))
            guard.cut_key("cut")
            assert cut.recv(1) == b""


def test_keys_that_were_never_at_the_table_share_a_ration(members: Members) -> None:
    driver = table_for()
    driver.hello(ANN)
    members.settle(0.0, driver.table)
    keys = [f"{number:040}" for number in range(NEWCOMERS + 1)]
    assert [members.may_connect(0.0, key, 1) for key in keys] == [True] * NEWCOMERS + [False]
    assert members.may_connect(0.0, ANN, 1)
    assert members.may_connect(0.0, keys[-1], 2)


def test_the_guard_knows_who_has_a_seat_who_watches_and_who_was_here(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Tiers] = []
    monkeypatch.setattr(members.guard, "set_tiers", told.append)
    driver = table_for()  # Ann owns it
    driver.hello(BOB)
    driver.hello(CID)
    driver.hello(DEE, "spectator")
    driver.ask(CID, Bye(ID))
    members.settle(0.0, driver.table)
    assert [told[0].of(key) for key in (ANN, BOB, DEE, CID, EVE)] == [
        Tier.HAS_A_SEAT,
        Tier.HAS_A_SEAT,
        Tier.WATCHES,
        Tier.WAS_HERE,
        Tier.NONE,
    ]


def test_a_key_has_its_ration_of_subscriptions(members: Members) -> None:
    for _each in range(SUBSCRIPTIONS):
        assert members.may_subscribe(0.0, ANN)
    assert not members.may_subscribe(0.0, ANN)
    assert members.may_subscribe(0.0, BOB)


def test_after_a_kick_all_may_connect_again(members: Members) -> None:
    """For all of their connections are cut."""
    driver = table_for()
    driver.hello(ANN)
    driver.hello(CID, "spectator")
    members.settle(0.0, driver.table)
    for _each in range(MAX_OF_A_KEY):
        assert members.may_connect(0.0, ANN, 1)
    driver.ask(ANN, RemoveSpectator(ID, "Cid"))
    assert members.settle(0.0, driver.table)
    members.cut_all()
    assert members.may_connect(0.0, ANN, 1)
