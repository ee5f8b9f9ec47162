"""The lobby: joining, leaving, names, bots, and who may start."""

import pytest

from coffeerush.host.table.limits import GONE_SECONDS
from coffeerush.host.table.people import bot_name, unique_name
from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    Done,
    GameStarted,
    Hello,
    OrdersDrawn,
    PeopleChanged,
    Ready,
    Refused,
    Remove,
    Rename,
    Renamed,
    Said,
    SeatView,
    Start,
    Sync,
    clean_name,
)
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, table_for


def test_people_take_the_first_open_seats() -> None:
    visit = table_for(seats=3)
    assert visit.hello(ANN).seat == 0
    answer = visit.hello(BOB)
    assert (answer.seat, answer.owner, answer.game, answer.view) == (1, False, 0, None)
    assert answer.seq == visit.latest.seq
    assert answer.table == visit.latest.table
    assert [seat.status for seat in answer.table.seats] == ["person", "person", "open"]
    assert answer.table.owner == 0
    assert answer.log == (PeopleChanged("Ann", "joined"), PeopleChanged("Bob", "joined"))


def test_a_second_hello_keeps_the_seat_and_publishes_nothing() -> None:
    visit = table_for()
    visit.hello(ANN)
    seen = len(visit.updates)
    assert visit.hello(ANN, name="Somebody else").seat == 0
    assert visit.table_view.seats[0].name == "Ann"
    assert len(visit.updates) == seen


def test_a_taken_name_gets_a_number() -> None:
    visit = table_for(seats=4)
    for key in (ANN, BOB, CID):
        visit.hello(key, name="ann")
    assert [seat.name for seat in visit.table_view.seats[:3]] == ["ann", "ann 2", "ann 3"]


@pytest.mark.parametrize("name", ["x" * 24, "咖" * 12, "é" * 24, "a b" * 8])
def test_a_numbered_name_keeps_its_width(name: str) -> None:
    numbered = unique_name(clean_name(name), [clean_name(name).upper()])
    assert numbered.endswith(" 2")
    assert clean_name(numbered) == numbered


def test_bots_are_named_after_their_kind() -> None:
    assert bot_name("greedy", ["greedy 1"]) == "greedy 2"
    visit = table_for(bots=("path/to/file.py:MyBot", "random"))
    labels = [(seat.name, seat.bot) for seat in visit.table_view.seats]
    assert labels == [("MyBot 1", "MyBot"), ("random 1", "random")]


def test_the_owner_seats_and_removes_bots_and_guests() -> None:
    visit = table_for(seats=3)
    visit.hello(ANN)
    visit.hello(BOB)
    assert isinstance(visit.ask(ANN, AddBot(ID, 2, "random")), Done)
    assert visit.table_view.seats[2] == SeatView("bot", "random 1", "random", ready=True)
    visit.ask(ANN, Remove(ID, 2))
    visit.ask(ANN, Remove(ID, 1))
    assert [seat.status for seat in visit.table_view.seats] == ["person", "open", "open"]
    assert visit.events()[-1] == PeopleChanged("Bob", "removed")
    assert visit.table.removed == {BOB}
    assert visit.table.keys == {ANN}


def test_a_spectator_takes_an_open_seat_and_becomes_one_again() -> None:
    visit = table_for()
    assert visit.hello(ANN, "spectator").seat is None
    assert visit.table_view.spectators == ("Ann",)
    assert visit.table_view.owner is None
    assert visit.hello(ANN).seat == 0
    assert visit.table_view.spectators == ()
    assert visit.hello(ANN, "spectator").seat is None
    assert visit.table_view.seats[0].status == "open"


def test_chat_is_cleaned_and_comes_from_anybody() -> None:
    visit = table_for()
    visit.hello(CID, "spectator")
    visit.ask(CID, Chat(ID, "good\x1b[2J  coffee"))
    assert visit.latest.events == (Said("Cid", "good[2J coffee"),)
    assert visit.sync(CID).log[-1] == Said("Cid", "good[2J coffee")


def test_a_new_name_shows() -> None:
    visit = table_for()
    visit.hello(ANN)
    visit.ask(ANN, Rename(ID, "  Anna "))
    assert visit.latest.table.seats[0].name == "Anna"
    assert visit.latest.events == (Renamed("Ann", "Anna"),)
    visit.ask(ANN, Rename(ID, "ANNA"))
    assert visit.latest.table.seats[0].name == "ANNA"
    log = visit.sync(ANN).log
    visit.ask(ANN, Rename(ID, "ANNA"))
    assert visit.sync(ANN).log == log, "an unchanged name is not published"


def test_bye_opens_the_seat() -> None:
    visit = table_for()
    visit.hello(ANN)
    visit.hello(BOB)
    assert isinstance(visit.ask(BOB, Bye(ID)), Done)
    assert visit.table_view.seats[1] == SeatView("open")
    assert visit.code(BOB, Chat(ID, "still here")) == "say_hello"
    assert visit.hello(CID).seat == 1


def test_silence_opens_a_seat_and_drops_spectators() -> None:
    visit = table_for()
    visit.hello(BOB)
    visit.hello(CID, "spectator")
    visit.wait(7)
    assert visit.table_view.seats[0].away
    visit.wait(GONE_SECONDS)
    assert visit.table_view.seats[0] == SeatView("open")
    assert visit.table_view.spectators == ()
    changes = [(event.name, event.change) for event in visit.events()[2:]]
    assert sorted(changes) == [("Bob", "away"), ("Bob", "left"), ("Cid", "left")]


def test_the_open_seats_are_dropped_at_the_start() -> None:
    visit = table_for(seats=4)
    visit.hello(ANN)
    visit.hello(BOB)
    visit.hello(CID)
    visit.ask(BOB, Bye(ID))
    visit.ask(CID, Ready(ID, True))
    visit.ask(ANN, Start(ID))
    assert [seat.name for seat in visit.latest.table.seats] == ["Ann", "Cid"]
    started, *dealt = visit.latest.events
    assert isinstance(started, GameStarted)
    assert started.seats == ("Ann", "Cid")
    assert [type(event) for event in dealt] == [OrdersDrawn, OrdersDrawn]
    assert visit.latest.private_revs == (0, 0)
    answer = visit.sync(CID)
    assert answer.seat == 1
    assert answer.view is not None
    assert answer.view.own is not None
    assert answer.view.own.seat == 1


def test_the_start_player_can_be_named() -> None:
    for seed in range(4):
        visit = table_for(seats=3, seed=seed, first="bob")
        visit.begin(ANN, BOB, CID)
        assert visit.state.start == 1


def test_a_table_without_owner_starts_when_all_seats_are_ready() -> None:
    visit = table_for(seats=3, bots=("random",), owner="")
    assert visit.table_view.owner is None
    visit.hello(ANN)
    visit.ask(ANN, Ready(ID, True))
    assert visit.table_view.stage == "lobby"
    visit.hello(BOB)
    assert visit.code(BOB, Start(ID)) == "not_owner"
    visit.ask(BOB, Ready(ID, True))
    assert visit.latest.table.stage == "game"
    assert [seat.name for seat in visit.latest.table.seats] == ["random 1", "Ann", "Bob"]


def test_a_full_disk_keeps_the_lobby() -> None:
    visit = table_for(seats=4)
    visit.hello(ANN)
    visit.ask(ANN, AddBot(ID, 1, "greedy"))
    visit.shelf.full = True
    assert visit.code(ANN, Start(ID)) == "record_failed"
    visit.shelf.full = False
    visit.ask(ANN, Start(ID))
    assert visit.latest.game == 1


def test_a_table_without_owner_retries_when_there_is_disk_space() -> None:
    visit = table_for(owner="")
    visit.shelf.full = True
    visit.hello(ANN)
    visit.hello(BOB)
    visit.ask(ANN, Ready(ID, True))
    visit.ask(BOB, Ready(ID, True))
    assert visit.table_view.stage == "lobby"
    visit.wait(3, present=(ANN, BOB))
    assert visit.notes().count("record_failed") == 1
    visit.shelf.full = False
    visit.now += 2
    assert visit.code(EVE, Sync(ID)) == "say_hello"  # the tick retries
    visit.wait(2, present=(ANN, BOB))
    assert visit.table_view.stage == "game"


def test_a_repeated_request_is_applied_once() -> None:
    visit = table_for()
    visit.hello(ANN)
    said = Chat(b"i" * 16, "once")
    assert visit.ask(ANN, said) == visit.ask(ANN, said)
    assert visit.events().count(Said("Ann", "once")) == 1


def test_a_new_person_cannot_sit_down_during_a_game() -> None:
    visit = table_for(seats=4)
    visit.begin(ANN, BOB)
    answer = visit.ask(DEE, Hello(ID, PROTOCOL_VERSION, "Dee", "player"))
    assert isinstance(answer, Refused)
    assert answer.refusal.code == "table_full"
    snapshot = visit.hello(DEE, "spectator")
    assert snapshot.view is not None
    assert snapshot.view.own is None


def test_a_lobby_without_its_owner_starts_automatically() -> None:
    visit = table_for()
    visit.hello(ANN)
    visit.hello(BOB)
    visit.ask(BOB, Ready(ID, True))
    visit.ask(ANN, Bye(ID))
    assert (visit.table_view.stage, visit.table_view.owner) == ("lobby", None)
    visit.hello(CID)
    visit.ask(CID, Ready(ID, True))
    assert visit.table_view.stage == "game"


def test_an_owner_who_spectates_keeps_the_rights() -> None:
    visit = table_for(3)
    visit.hello(ANN, "spectator")
    visit.hello(BOB)
    assert (visit.sync(ANN).owner, visit.table_view.owner) == (True, None)
    visit.ask(ANN, AddBot(ID, 2, "random"))
    visit.ask(BOB, Ready(ID, True))
    visit.ask(ANN, Start(ID))
    assert visit.table_view.stage == "game"
