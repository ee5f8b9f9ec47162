"""Whose requests count, and how many connections and requests beyond the rate limit a key has."""

import os
import socket
from collections.abc import Iterator
from random import Random
from time import monotonic

import pytest

from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import (
    EXEMPT,
    MAX_OF_A_KEY,
    NEWCOMERS,
    RATION_SECONDS,
    REQUESTS_ALLOWANCE,
    SUBSCRIPTIONS,
    Guard,
    Members,
    Rations,
    Tier,
    Tiers,
    connections_to_cut,
    ranks_of,
)
from coffeerush.host.server.sockets import Sender
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from protocol import Bye, RemoveSpectator
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, hall_of, table_for

# Whose requests count, and how many connections and requests beyond the rate limit a key has


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
    table = hall_of(table_for().table)
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
    members.settle(0.0, hall_of(driver.table))
    driver.ask(ANN, RemoveSpectator(ID, "Cid"))
    members.settle(0.0, hall_of(driver.table))
    assert not members.may_ask(BOB, hall_of(driver.table))
    assert members.may_ask(CID, hall_of(driver.table)), "the table answers with `removed`"
    assert CID not in keyring
    assert members.may_ask(ANN, hall_of(driver.table))
    assert members.may_ask(DEE, hall_of(driver.table))


def test_somebody_at_the_table_is_heard_even_if_the_door_forgot_their_key(members: Members) -> None:
    driver = table_for()
    driver.hello(EVE, "spectator")
    assert members.may_ask(EVE, hall_of(driver.table))


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
    members.settle(0.0, hall_of(driver.table))
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
    members.settle(0.0, hall_of(driver.table))
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
    members.settle(0.0, hall_of(driver.table))
    for _each in range(MAX_OF_A_KEY):
        assert members.may_connect(0.0, ANN, 1)
    driver.ask(ANN, RemoveSpectator(ID, "Cid"))
    assert members.settle(0.0, hall_of(driver.table))
    members.cut_all()
    assert members.may_connect(0.0, ANN, 1)


# What a key did lately, in simulated time


def test_a_ration_is_for_each_key_and_each_thing() -> None:
    rations = Rations()
    assert [rations.take(0.0, "Ann", "pour", 2) for _each in range(3)] == [True, True, False]
    assert rations.take(0.0, "Bob", "pour", 2)
    assert rations.take(0.0, "Ann", "step", 2)


def test_what_was_refused_is_not_counted() -> None:
    rations = Rations()
    assert rations.take(0.0, "Ann", "pour", 1)
    assert not rations.take(RATION_SECONDS / 2, "Ann", "pour", 1)
    assert rations.take(RATION_SECONDS, "Ann", "pour", 1)


def test_nothing_is_left_where_the_ration_is_less_than_nothing() -> None:
    assert not Rations().take(0.0, "Ann", "pour", -1)


def test_pruning_forgets_only_the_idle() -> None:
    rations = Rations()
    rations.take(0.0, "Ann", "pour", 1)
    rations.take(RATION_SECONDS - 1, "Bob", "pour", 1)
    rations.prune(RATION_SECONDS)
    assert rations.take(RATION_SECONDS, "Ann", "pour", 1)
    assert not rations.take(RATION_SECONDS, "Bob", "pour", 1)
    rations.clear()
    assert rations.take(RATION_SECONDS, "Bob", "pour", 1)


# Which connections are cut when there are too many


PLAYERS = ("Ann", "Bob", "Cid")
TABLE = Tiers(seated={*PLAYERS}, here={*PLAYERS, "Dee"}, known={*PLAYERS, "Dee", "Eve"})
HOMES = {key: f"home of {key}" for key in ("Ann", "Bob", "Cid", "Dee", "Eve")}


def nameless(*sources: str) -> list[tuple[str, str]]:
    return [(source, "") for source in sources]


def at_home(*keys: str) -> list[tuple[str, str]]:
    return [(HOMES[key], key) for key in keys for _port in range(2)]


def strangers(number: int, key: str = "") -> list[tuple[str, str]]:
    return [(f"address {each}", key and f"{key} {each}") for each in range(number)]


def cut(connections: list[tuple[str, str]], excess: int, tiers: Tiers = TABLE) -> list[int]:
    sources = [source for source, _key in connections]
    return [*connections_to_cut(sources, [*ranks_of(connections, tiers, HOMES)], excess)]


def test_the_newest_connections_of_the_most_crowded_source_are_cut() -> None:
    assert [*connections_to_cut("aabbbabc", (), 3)] == [6, 5, 4]


def test_of_equally_crowded_sources_the_newest_is_cut_or_the_oldest_that_said_nothing() -> None:
    assert cut(strangers(5, "Mallory"), 2) == [4, 3]
    assert cut(strangers(5), 2) == [0, 1]


def test_the_standing_of_a_key() -> None:
    wanted = [Tier.HAS_A_SEAT, Tier.WATCHES, Tier.WAS_HERE, Tier.NONE]
    assert [TABLE.of(key) for key in ("Ann", "Dee", "Eve", "Mallory")] == wanted


def test_any_number_of_members_without_a_place_go_before_those_who_have_one() -> None:
    """However new these are, and from however many addresses the others come."""
    crowd = [*strangers(100, "Mallory"), *at_home("Eve", "Dee", *PLAYERS)]
    gone = cut(crowd, 110)
    assert [crowd[number][1] for number in gone[100:104]] == ["Eve", "Eve", "Dee", "Dee"]
    assert {crowd[number][1] for number in gone[104:]} == {*PLAYERS}
    assert {crowd[number][1].partition(" ")[0] for number in gone[:100]} == {"Mallory"}


def test_spectators_do_not_crowd_out_players_who_come_back() -> None:
    watching = Tiers(TABLE.seated, {*PLAYERS, *(f"Dee {each}" for each in range(200))})
    crowd = [*strangers(200, "Dee"), *nameless(HOMES["Ann"], HOMES["Ann"])]
    gone = cut(crowd, 200, watching)
    assert {crowd[number][1].partition(" ")[0] for number in gone} == {"Dee"}


def test_one_who_comes_back_does_not_compete_with_many_strangers() -> None:
    for key in HOMES:
        crowd = [*strangers(200), (HOMES[key], "")]
        assert max(cut(crowd, 73)) < 200
        later = [*strangers(200, "Mallory"), (HOMES[key], "")]
        assert max(cut(later, 73)) < 200


def test_only_so_many_connections_of_a_players_source_are_ahead_of_others() -> None:
    crowd = [*nameless(*[HOMES["Ann"]] * (EXEMPT + 4)), *at_home("Ann"), *strangers(1, "Mallory")]
    gone = cut(crowd, 6)
    assert gone == [EXEMPT + 3, EXEMPT + 2, EXEMPT + 1, EXEMPT, len(crowd) - 1, EXEMPT - 1]


def test_all_may_be_cut_or_none() -> None:
    crowd = [*at_home("Ann"), *nameless("a", HOMES["Ann"])]
    assert sorted(cut(crowd, 4)) == [0, 1, 2, 3]
    assert not cut(crowd, -1)
