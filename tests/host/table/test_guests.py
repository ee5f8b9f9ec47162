"""Guests who may rejoin a table and guests who were removed: both survive a restart."""

from coffeerush.host.table.guest_list import MAX_GUESTS
from coffeerush.host.table.limits import GONE_SECONDS
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
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, Visit, resumed, table_for


def watched_game() -> Visit:
    """Return a game of Ann, its owner, and Bob; Cid spectated before it, Dee since its start."""
    visit = table_for()
    visit.hello(CID, "spectator")
    visit.begin(ANN, BOB)
    visit.hello(DEE, "spectator")
    visit.play(10)
    return visit


def may_rejoin(visit: Visit, key: str) -> bool:
    """Tell whether a resumed table still admits somebody without its code."""
    return key in resumed(visit).table.keys


def test_the_owner_can_remove_a_spectator_at_any_time() -> None:
    visit = watched_game()
    visit.ask(ANN, RemoveSpectator(ID, "Cid"))
    assert visit.events()[-1] == PeopleChanged("Cid", "removed")
    assert visit.table_view.spectators == ("Dee",)
    assert visit.code(CID, Sync(ID)) == "removed"
    assert visit.code(CID, Hello(ID, PROTOCOL_VERSION, "Sid", "player")) == "removed"
    assert visit.table.removed == {CID}
    assert CID not in visit.table.keys
    assert "removed" in visit.notes()


def test_an_owner_who_spectates_cannot_be_removed() -> None:
    visit = table_for()
    visit.hello(ANN, "spectator")
    assert visit.code(ANN, RemoveSpectator(ID, "Ann")) == "no_such_spectator"


def test_guests_are_on_record() -> None:
    visit = watched_game()
    record = visit.shelf.record()
    assert record.head.guests == (CID,)
    assert record.guests == (DEE,)
    assert resumed(visit).table.keys == {ANN, BOB, CID, DEE}


def test_a_guest_can_rejoin_after_leaving_and_after_a_restart() -> None:
    visit = watched_game()
    visit.ask(CID, Bye(ID))
    visit.wait(GONE_SECONDS + 1, present=(ANN, BOB))
    assert not visit.table_view.spectators
    assert {CID, DEE} <= visit.table.keys
    again = resumed(visit)
    again.hello(DEE, "spectator")
    again.hello(CID, "spectator")
    assert again.shelf.record().guests == (DEE,), "a guest is on record once"


def test_a_removed_guest_stays_out_after_a_restart() -> None:
    visit = watched_game()
    visit.ask(ANN, RemoveSpectator(ID, "Dee"))
    visit.ask(ANN, RemoveSpectator(ID, "Cid"))
    again = resumed(resumed(visit))
    assert again.table.removed == {CID, DEE}
    assert again.table.keys == {ANN, BOB}
    assert again.code(CID, Hello(ID, PROTOCOL_VERSION, "Cid", "spectator")) == "removed"


def test_a_bot_keeps_the_seat_of_a_removed_guest_after_a_restart() -> None:
    visit = watched_game()
    visit.play_until(1)
    visit.ask(ANN, Remove(ID, 1))
    visit.play(5)
    again = resumed(visit)
    assert again.state == visit.state
    assert [seat.status for seat in again.table_view.seats] == ["person", "bot"]
    assert again.table.removed == {BOB}
    assert again.code(BOB, Sync(ID)) == "removed"
    again.hello(ANN)
    again.play()
    assert again.shelf.record().end is not None


def test_a_removed_guest_stays_out_of_the_next_game_and_its_record() -> None:
    visit = table_for(bots=("greedy",))
    visit.hello(ANN)
    visit.hello(EVE, "spectator")
    visit.ask(ANN, RemoveSpectator(ID, "Eve"))
    visit.ask(ANN, Start(ID))
    assert visit.shelf.record().head.removed == (EVE,)
    assert resumed(visit).table.removed == {EVE}


def test_a_guest_removed_before_the_result_is_recorded_stays_out() -> None:
    visit = watched_game()
    visit.shelf.full_at_end = True
    visit.play()
    assert visit.code(ANN, Remove(ID, 1)) == "record_failed"
    visit.shelf.full = visit.shelf.full_at_end = False
    visit.ask(ANN, Remove(ID, 1))
    again = resumed(visit)
    assert again.table_view.stage == "result"
    assert again.table.removed == {BOB}


def test_nobody_is_admitted_or_removed_if_the_record_cannot_be_written() -> None:
    visit = watched_game()
    visit.shelf.full = True
    assert visit.code(EVE, Hello(ID, PROTOCOL_VERSION, "Eve", "spectator")) == "record_failed"
    assert visit.code(ANN, RemoveSpectator(ID, "Cid")) == "record_failed"
    assert visit.code(ANN, Remove(ID, 1)) == "record_failed"
    visit.hello(CID, "spectator")  # is on record already
    assert not visit.table.removed
    visit.shelf.full = False
    visit.hello(EVE, "spectator")
    assert may_rejoin(visit, EVE)


def test_a_stream_of_new_guests_does_not_fill_the_record() -> None:
    visit = watched_game()
    size = 0
    for number in range(2 * MAX_GUESTS):
        key = f"{number:040}"
        visit.hello(key, "spectator", name=f"guest {number}")
        visit.ask(key, Bye(ID))
        assert key in visit.table.keys or number >= MAX_GUESTS - 10
        size = size if number >= MAX_GUESTS else len(visit.shelf.files[-1])
    assert len(visit.shelf.files[-1]) == size
    assert may_rejoin(visit, DEE)


def test_the_latest_guests_are_known_when_the_next_game_begins() -> None:
    visit = table_for(bots=("greedy",))
    visit.hello(DEE, "spectator")
    visit.hello(ANN)
    for number in range(MAX_GUESTS):
        visit.hello(f"{number:040}", "spectator", name=f"guest {number}")
        visit.ask(f"{number:040}", Bye(ID))
    visit.ask(ANN, Start(ID))
    guests = visit.shelf.record().head.guests
    assert len(guests) < MAX_GUESTS
    assert DEE in guests, "people at the table are never dropped"
    assert f"{MAX_GUESTS - 1:040}" in guests
    assert f"{0:040}" not in guests


def test_beyond_the_limit_the_latest_removed_keys_stay_out() -> None:
    visit = table_for(bots=("greedy",))
    visit.hello(ANN)
    for number in range(MAX_KEYS + 1):
        visit.hello(f"{number:040}", "spectator", name=f"guest {number}")
        visit.ask(ANN, RemoveSpectator(ID, f"guest {number}"))
        visit.now += 1
    visit.ask(ANN, Start(ID))
    assert len(resumed(visit).table.removed) == MAX_KEYS
    assert f"{MAX_KEYS:040}" in visit.table.removed
