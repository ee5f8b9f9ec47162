"""Whose requests count: admitted keys and the table's, not those of somebody removed."""

from collections.abc import Iterator
from random import Random

import pytest

from coffeerush.host.server.flood_guard import Guard
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import Members
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from protocol import RemoveSpectator
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, table_for


@pytest.fixture
def keyring() -> AdmittedKeyring:
    return AdmittedKeyring()


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
    members.settle(driver.table)
    driver.ask(ANN, RemoveSpectator(ID, "Cid"))
    members.settle(driver.table)
    assert not members.may_ask(BOB, driver.table)
    assert members.may_ask(CID, driver.table), "the table answers with `removed`"
    assert CID not in keyring
    assert members.may_ask(ANN, driver.table)
    assert members.may_ask(DEE, driver.table)


def test_somebody_at_the_table_is_heard_even_if_the_door_forgot_their_key(members: Members) -> None:
    driver = table_for()
    driver.hello(EVE, "spectator")
    assert members.may_ask(EVE, driver.table)
