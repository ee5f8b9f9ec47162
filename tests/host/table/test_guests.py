"""Guests who may rejoin a table and guests who were removed: both survive a restart."""

from coffeerush.host.table.config import GONE_SECONDS
from coffeerush.host.table.lifecycle import MAX_KNOWN_KEYS
from coffeerush.records.entries import MAX_KEYS
from protocol import (
    PROTOCOL_VERSION,
    Bye,
    Hello,
    PeopleChanged,
    Remove,
    RemoveSpectator,
    Start,
    Sync,
)
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, TableDriver, resumed, table_for


def watched_game() -> TableDriver:
    """Return a game of Ann, its owner, and Bob; Cid spectated before it, Dee since its start."""
    driver = table_for()
    driver.hello(CID, "spectator")
    driver.begin(ANN, BOB)
    driver.hello(DEE, "spectator")
    driver.play(10)
    return driver


def may_rejoin(driver: TableDriver, key: str) -> bool:
    """Return whether a resumed table still admits somebody without its code."""
    return key in resumed(driver).table.keys


def test_the_owner_can_remove_a_spectator_at_any_time() -> None:
    driver = watched_game()
    driver.ask(ANN, RemoveSpectator(ID, "Cid"))
    assert driver.events()[-1] == PeopleChanged("Cid", "removed")
    assert driver.table_view.spectators == ("Dee",)
    assert driver.code(CID, Sync(ID)) == "removed"
    assert driver.code(CID, Hello(ID, PROTOCOL_VERSION, "Sid", "player")) == "removed"
    assert driver.table.removed == {CID}
    assert CID not in driver.table.keys
    assert "removed" in driver.notes()


def test_an_owner_who_spectates_cannot_be_removed() -> None:
    driver = table_for()
    driver.hello(ANN, "spectator")
    assert driver.code(ANN, RemoveSpectator(ID, "Ann")) == "no_such_spectator"


def test_guests_are_on_record() -> None:
    driver = watched_game()
    record = driver.journals.record()
    assert record.head.guests == (CID,)
    assert record.guests == (DEE,)
    assert resumed(driver).table.keys == {ANN, BOB, CID, DEE}


def test_a_guest_can_rejoin_after_leaving_and_after_a_restart() -> None:
    driver = watched_game()
    driver.ask(CID, Bye(ID))
    driver.wait(GONE_SECONDS + 1, present=(ANN, BOB))
    assert not driver.table_view.spectators
    assert {CID, DEE} <= driver.table.keys
    again = resumed(driver)
    again.hello(DEE, "spectator")
    again.hello(CID, "spectator")
    assert again.journals.record().guests == (DEE,), "a guest is on record once"


def test_a_removed_guest_stays_out_after_a_restart() -> None:
    driver = watched_game()
    driver.ask(ANN, RemoveSpectator(ID, "Dee"))
    driver.ask(ANN, RemoveSpectator(ID, "Cid"))
    again = resumed(resumed(driver))
    assert again.table.removed == {CID, DEE}
    assert again.table.keys == {ANN, BOB}
    assert again.code(CID, Hello(ID, PROTOCOL_VERSION, "Cid", "spectator")) == "removed"


def test_a_bot_keeps_the_seat_of_a_removed_guest_after_a_restart() -> None:
    driver = watched_game()
    driver.play_until(1)
    driver.ask(ANN, Remove(ID, 1))
    driver.play(5)
    again = resumed(driver)
    assert again.state == driver.state
    assert [seat.status for seat in again.table_view.seats] == ["person", "bot"]
    assert again.table.removed == {BOB}
    assert again.code(BOB, Sync(ID)) == "removed"
    again.hello(ANN)
    again.play()
    assert again.journals.record().end is not None


def test_a_removed_guest_stays_out_of_the_next_game_and_its_record() -> None:
    driver = table_for(bots=("regular",))
    driver.hello(ANN)
    driver.hello(EVE, "spectator")
    driver.ask(ANN, RemoveSpectator(ID, "Eve"))
    driver.ask(ANN, Start(ID))
    assert driver.journals.record().head.removed == (EVE,)
    assert resumed(driver).table.removed == {EVE}


def test_a_guest_removed_before_the_result_is_recorded_stays_out() -> None:
    driver = watched_game()
    driver.journals.full_at_end = True
    driver.play()
    assert driver.code(ANN, Remove(ID, 1)) == "record_failed"
    driver.journals.full = driver.journals.full_at_end = False
    driver.ask(ANN, Remove(ID, 1))
    again = resumed(driver)
    assert again.table_view.stage == "result"
    assert again.table.removed == {BOB}


def test_nobody_is_admitted_or_removed_if_the_record_cannot_be_written() -> None:
    driver = watched_game()
    driver.journals.full = True
    assert driver.code(EVE, Hello(ID, PROTOCOL_VERSION, "Eve", "spectator")) == "record_failed"
    assert driver.code(ANN, RemoveSpectator(ID, "Cid")) == "record_failed"
    assert driver.code(ANN, Remove(ID, 1)) == "record_failed"
    driver.hello(CID, "spectator")  # is on record already
    assert not driver.table.removed
    driver.journals.full = False
    driver.hello(EVE, "spectator")
    assert may_rejoin(driver, EVE)


def test_a_stream_of_new_guests_does_not_fill_the_record() -> None:
    driver = watched_game()
    size = 0
    for number in range(2 * MAX_KNOWN_KEYS):
        key = f"{number:040}"
        driver.hello(key, "spectator", name=f"guest {number}")
        driver.ask(key, Bye(ID))
        assert key in driver.table.keys or number >= MAX_KNOWN_KEYS - 10
        size = size if number >= MAX_KNOWN_KEYS else len(driver.journals.files[-1])
    assert len(driver.journals.files[-1]) == size
    assert may_rejoin(driver, DEE)


def test_the_latest_guests_are_known_when_the_next_game_begins() -> None:
    driver = table_for(bots=("regular",))
    driver.hello(DEE, "spectator")
    driver.hello(ANN)
    for number in range(MAX_KNOWN_KEYS):
        driver.hello(f"{number:040}", "spectator", name=f"guest {number}")
        driver.ask(f"{number:040}", Bye(ID))
    driver.ask(ANN, Start(ID))
    guests = driver.journals.record().head.guests
    assert len(guests) < MAX_KNOWN_KEYS
    assert DEE in guests, "people at the table are never dropped"
    assert f"{MAX_KNOWN_KEYS - 1:040}" in guests
    assert f"{0:040}" not in guests


def test_beyond_the_limit_the_latest_removed_keys_stay_out() -> None:
    driver = table_for(bots=("regular",))
    driver.hello(ANN)
    for number in range(MAX_KEYS + 1):
        driver.hello(f"{number:040}", "spectator", name=f"guest {number}")
        driver.ask(ANN, RemoveSpectator(ID, f"guest {number}"))
        driver.now += 1
    driver.ask(ANN, Start(ID))
    assert len(resumed(driver).table.removed) == MAX_KEYS
    assert f"{MAX_KEYS:040}" in driver.table.removed
