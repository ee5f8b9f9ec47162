"""The lobby: joining, leaving, names, bots, and who may start."""

import pytest

from coffeerush.host.table.config import GONE_SECONDS
from coffeerush.host.table.people import bot_name, is_taken, unique_name
from coffeerush.levels import NAMES
from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    Done,
    Emote,
    Emoted,
    GameStarted,
    Hello,
    MoveSeat,
    OrdersDrawn,
    PeopleChanged,
    Ready,
    Refused,
    Remove,
    Rename,
    Renamed,
    Said,
    SeatsMoved,
    SeatView,
    SetFirst,
    Start,
    Sync,
    clean_name,
)
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, played, table_for


def test_people_take_the_first_open_seats() -> None:
    driver = table_for(seats=3)
    assert driver.hello(ANN).seat == 0
    answer = driver.hello(BOB)
    assert (answer.seat, answer.owner, answer.game, answer.view) == (1, False, 0, None)
    assert answer.seq == driver.latest.seq
    assert answer.table == driver.latest.table
    assert [seat.status for seat in answer.table.seats] == ["person", "person", "open"]
    assert answer.table.owner == 0
    assert answer.log == (PeopleChanged("Ann", "joined"), PeopleChanged("Bob", "joined"))


def test_free_seats_and_round_are_those_of_the_stage() -> None:
    driver = table_for(seats=3)
    assert (driver.table.free_seats, driver.table.round) == (3, 0)
    driver.begin(ANN, BOB)
    assert (driver.table.free_seats, driver.table.round) == (0, 0), "in the setup"
    while not driver.table.round:
        driver.play(1)
    assert (driver.table.free_seats, driver.table.round) == (0, 1)
    driver.play()
    assert (driver.table.free_seats, driver.table.round) == (1, 0), "between games"


def test_a_second_hello_keeps_the_seat_and_publishes_nothing() -> None:
    driver = table_for()
    driver.hello(ANN)
    seen = len(driver.updates)
    assert driver.hello(ANN, name="Somebody else").seat == 0
    assert driver.table_view.seats[0].name == "Ann"
    assert len(driver.updates) == seen
    assert driver.code(ANN, Hello(ID, PROTOCOL_VERSION, "\u200b", "player")) == "bad_text"


def test_a_player_who_asks_to_watch_gives_up_the_seat_only_in_the_lobby() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    assert driver.hello(BOB, "spectator").seat == 1
    driver.play()
    assert driver.table_view.stage == "result"
    assert driver.hello(BOB, "spectator").seat == 1
    for key in (ANN, BOB):
        driver.ask(key, Bye(ID))
    driver.hello(BOB)
    assert driver.table_view.stage == "lobby"
    assert driver.hello(BOB, "spectator").seat is None


def test_a_taken_name_gets_a_number() -> None:
    driver = table_for(seats=4)
    for key in (ANN, BOB, CID):
        driver.hello(key, name="ann")
    assert [seat.name for seat in driver.table_view.seats[:3]] == ["ann", "ann 2", "ann 3"]


@pytest.mark.parametrize("name", ["x" * 24, "咖" * 12, "é" * 24, "a b" * 8])
def test_a_numbered_name_keeps_its_width(name: str) -> None:
    numbered = unique_name(clean_name(name), [clean_name(name).upper()])
    assert numbered.endswith(" 2")
    assert clean_name(numbered) == numbered


def test_bots_are_named_after_their_kind() -> None:
    driver = table_for(bots=("path/to/file.py:MyBot", "random"))
    labels = [(seat.name, seat.bot) for seat in driver.table_view.seats]
    assert labels == [("MyBot 1", "MyBot"), ("Limu", "random")]
    assert bot_name("path/to/file.py:MyBot", 0, ["MyBot 1"]) == "MyBot 2"


@pytest.mark.parametrize("kind", NAMES)
def test_a_bot_is_never_called_as_somebody_at_the_table(kind: str) -> None:
    taken: list[str] = []
    for seat in (2, 0, 2, 3, 2, 2):
        name = bot_name(kind, seat, [name.upper() for name in taken])
        assert not is_taken(name, taken)
        taken.append(name)
    first, second, third, fourth = NAMES[kind]
    assert taken == [third, first, fourth, second, f"{kind} 1", f"{kind} 2"]


def test_who_comes_later_has_another_name_than_a_bot() -> None:
    driver = table_for(seats=4, bots=("regular",))
    driver.hello(ANN, name="crema")
    driver.hello(BOB)
    assert driver.code(BOB, Rename(ID, "Crema")) == "name_taken"
    driver.ask(BOB, Rename(ID, "Aroma"))
    assert isinstance(driver.ask(ANN, AddBot(ID, 3, "regular")), Done)
    names = [seat.name for seat in driver.table_view.seats]
    assert names == ["Crema", "crema 2", "Aroma", "Ibrik"]


def test_a_bot_keeps_its_name_in_a_rematch() -> None:
    driver = played(ANN, bots=("regular",))
    driver.ask(ANN, Start(ID))
    assert driver.game == 2
    assert [seat.name for seat in driver.table_view.seats] == ["Crema", "Ann"]


def test_the_log_has_the_kinds_of_bots() -> None:
    driver = table_for(seats=3, bots=("path/to/file.py:MyBot", "random"))
    driver.begin(ANN)
    (note,) = (note for note in driver.noted() if note.code == "game_started")
    assert note.params["players"] == "MyBot 1, Limu (random), Ann"


def test_a_bot_is_seated_by_its_former_name_but_not_one_that_is_not_offered() -> None:
    driver = table_for(seats=3)
    driver.hello(ANN)
    assert isinstance(driver.ask(ANN, AddBot(ID, 2, "greedy")), Done)
    assert driver.table_view.seats[2].bot == "regular"
    assert driver.code(ANN, AddBot(ID, 1, "random")) == "unknown_bot"


def test_the_owner_seats_and_removes_bots_and_guests() -> None:
    driver = table_for(seats=3)
    driver.hello(ANN)
    driver.hello(BOB)
    assert isinstance(driver.ask(ANN, AddBot(ID, 2, "casual")), Done)
    assert driver.table_view.seats[2] == SeatView("bot", "Toffee", "casual", ready=True)
    driver.ask(ANN, Remove(ID, 2))
    driver.ask(ANN, Remove(ID, 1))
    assert [seat.status for seat in driver.table_view.seats] == ["person", "open", "open"]
    assert driver.events()[-1] == PeopleChanged("Bob", "removed")
    assert driver.table.removed == {BOB}
    assert driver.table.keys == {ANN}


def test_a_spectator_takes_an_open_seat_and_becomes_one_again() -> None:
    driver = table_for()
    assert driver.hello(ANN, "spectator").seat is None
    assert driver.table_view.spectators == ("Ann",)
    assert driver.table_view.owner is None
    assert driver.hello(ANN).seat == 0
    assert driver.table_view.spectators == ()
    assert driver.hello(ANN, "spectator").seat is None
    assert driver.table_view.seats[0].status == "open"


def test_chat_is_cleaned_and_comes_from_anybody() -> None:
    driver = table_for()
    driver.hello(CID, "spectator")
    driver.ask(CID, Chat(ID, "good\x1b[2J  coffee"))
    assert driver.latest.events == (Said("Cid", "good[2J coffee"),)
    assert driver.sync(CID).log[-1] == Said("Cid", "good[2J coffee")


def test_a_new_name_shows() -> None:
    driver = table_for()
    driver.hello(ANN)
    driver.ask(ANN, Rename(ID, "  Anna "))
    assert driver.latest.table.seats[0].name == "Anna"
    assert driver.latest.events == (Renamed("Ann", "Anna"),)
    driver.ask(ANN, Rename(ID, "ANNA"))
    assert driver.latest.table.seats[0].name == "ANNA"
    log = driver.sync(ANN).log
    driver.ask(ANN, Rename(ID, "ANNA"))
    assert driver.sync(ANN).log == log, "an unchanged name is not published"


def test_bye_opens_the_seat() -> None:
    driver = table_for()
    driver.hello(ANN)
    driver.hello(BOB)
    assert isinstance(driver.ask(BOB, Bye(ID)), Done)
    assert driver.table_view.seats[1] == SeatView("open")
    assert driver.code(BOB, Chat(ID, "still here")) == "say_hello"
    assert driver.hello(CID).seat == 1


def test_silence_opens_a_seat_and_drops_spectators() -> None:
    driver = table_for()
    driver.hello(BOB)
    driver.hello(CID, "spectator")
    driver.wait(7)
    assert driver.table_view.seats[0].away
    driver.wait(GONE_SECONDS)
    assert driver.table_view.seats[0] == SeatView("open")
    assert driver.table_view.spectators == ()
    changes = [(event.name, event.change) for event in driver.events()[2:]]
    assert sorted(changes) == [("Bob", "away"), ("Bob", "left"), ("Cid", "left")]


def test_the_open_seats_are_dropped_at_the_start() -> None:
    driver = table_for(seats=4)
    driver.hello(ANN)
    driver.hello(BOB)
    driver.hello(CID)
    driver.ask(BOB, Bye(ID))
    driver.ask(CID, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert [seat.name for seat in driver.latest.table.seats] == ["Ann", "Cid"]
    started, *dealt = driver.latest.events
    assert isinstance(started, GameStarted)
    assert started.seats == ("Ann", "Cid")
    assert started.old_seats == (0, 2)
    assert [type(event) for event in dealt] == [OrdersDrawn, OrdersDrawn]
    assert driver.latest.private_revs == (0, 0)
    answer = driver.sync(CID)
    assert answer.seat == 1
    assert answer.view is not None
    assert answer.view.own is not None
    assert answer.view.own.seat == 1


def test_the_start_player_can_be_named() -> None:
    for seed in range(4):
        driver = table_for(seats=3, seed=seed, first="bob")
        driver.begin(ANN, BOB, CID)
        assert driver.state.start == 1


def test_the_owner_moves_seats_with_their_players() -> None:
    driver = table_for(seats=4, bots=("random",), owner=ANN)
    for key in (ANN, BOB):
        driver.hello(key)
    assert isinstance(driver.ask(ANN, MoveSeat(ID, 2, 0)), Done)
    assert driver.latest.events == (SeatsMoved((2, 1, 0, 3)),)
    assert [seat.name for seat in driver.table_view.seats] == ["Bob", "Ann", "Orzo", ""]
    assert (driver.table_view.owner, driver.sync(BOB).seat) == (1, 0)
    driver.ask(ANN, MoveSeat(ID, 1, 3))
    assert driver.sync(ANN).seat == 3
    assert driver.latest.table.owner == 3
    seen = len(driver.updates)
    assert isinstance(driver.ask(ANN, MoveSeat(ID, 1, 1)), Done)
    assert len(driver.updates) == seen, "nothing has moved"


@pytest.mark.slow
def test_the_next_player_begins_the_next_game() -> None:
    driver = table_for(seats=4, seed=3, owner=ANN)
    driver.begin(ANN, BOB, CID)
    for _ in range(3):
        before = driver.state.start
        driver.play()
        assert driver.table_view.next_game.first == (before + 1) % 3, (
            "no open seat, though there is one"
        )
        for key in (ANN, BOB, CID):
            driver.ask(key, Ready(ID, True))
        driver.ask(ANN, Start(ID))
        assert driver.state.start == (before + 1) % 3


def test_the_turn_to_begin_passes_over_who_has_left() -> None:
    driver = played(ANN, BOB, CID, seats=3, owner=ANN, first="Ann")
    assert driver.table_view.next_game.first == 1
    driver.ask(BOB, Bye(ID))
    assert driver.latest.table.next_game.first == 2
    driver.ask(CID, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert (driver.state.start, driver.latest.table.seats[1].name) == (1, "Cid")


def test_the_owner_says_who_begins() -> None:
    driver = table_for(seats=3, owner=ANN, first="Ann")
    for key in (ANN, BOB, CID):
        driver.hello(key)
    assert driver.table_view.next_game.first == 0
    driver.ask(ANN, SetFirst(ID, 2))
    assert driver.table_view.next_game.first == 2
    driver.ask(ANN, MoveSeat(ID, 1, 2))
    assert driver.table_view.next_game.first == 1, "Cid, wherever that is"
    driver.ask(CID, Bye(ID))
    assert driver.table_view.next_game.first == 0, "as without a choice"
    assert driver.code(ANN, SetFirst(ID, 1)) == "no_such_seat"
    driver.now += 5
    driver.ask(ANN, SetFirst(ID, None))
    assert driver.table_view.next_game.first is None
    driver.hello(CID)
    driver.ask(ANN, SetFirst(ID, 1))
    driver.begin(ANN, BOB, CID)
    assert driver.state.start == 1
    driver.play()
    assert driver.table_view.next_game.first == 2, "a choice holds for one game"


def test_who_begins_stays_when_seats_move_after_a_game() -> None:
    driver = played(ANN, BOB, CID, seats=3, owner=ANN, first="Ann")
    for key in (ANN, BOB, CID):
        driver.ask(key, Bye(ID))
    for key in (ANN, BOB, CID):
        driver.hello(key)
    assert (driver.table_view.stage, driver.table_view.next_game.first) == ("lobby", 1)
    driver.ask(ANN, MoveSeat(ID, 0, 2))
    assert [seat.name for seat in driver.table_view.seats] == ["Cid", "Bob", "Ann"]
    assert driver.table_view.next_game.first == 0, "the next after Ann, who began"


def test_a_table_without_owner_starts_when_all_seats_are_ready() -> None:
    driver = table_for(seats=3, bots=("random",), owner="")
    assert driver.table_view.owner is None
    driver.hello(ANN)
    driver.ask(ANN, Ready(ID, True))
    assert driver.table_view.stage == "lobby"
    driver.hello(BOB)
    assert driver.code(CID, Start(ID)) == "say_hello"
    driver.ask(BOB, Ready(ID, True))
    assert driver.latest.table.stage == "game"
    assert [seat.name for seat in driver.latest.table.seats] == ["Orzo", "Ann", "Bob"]


def test_a_full_disk_keeps_the_lobby() -> None:
    driver = table_for(seats=4)
    driver.hello(ANN)
    driver.ask(ANN, AddBot(ID, 1, "regular"))
    driver.journals.full = True
    assert driver.code(ANN, Start(ID)) == "record_failed"
    driver.journals.full = False
    driver.ask(ANN, Start(ID))
    assert driver.latest.game == 1


def test_a_table_without_owner_retries_when_there_is_disk_space() -> None:
    driver = table_for(owner="")
    driver.journals.full = True
    driver.hello(ANN)
    driver.hello(BOB)
    driver.ask(ANN, Ready(ID, True))
    driver.ask(BOB, Ready(ID, True))
    assert driver.table_view.stage == "lobby"
    driver.wait(3, present=(ANN, BOB))
    assert driver.notes().count("record_failed") == 1
    driver.journals.full = False
    driver.now += 2
    assert driver.code(EVE, Sync(ID)) == "say_hello"  # the tick retries
    driver.wait(2, present=(ANN, BOB))
    assert driver.table_view.stage == "game"


def test_a_repeated_request_is_applied_once() -> None:
    driver = table_for()
    driver.hello(ANN)
    said = Chat(b"i" * 16, "once")
    assert driver.ask(ANN, said) == driver.ask(ANN, said)
    assert driver.events().count(Said("Ann", "once")) == 1


def test_a_new_person_cannot_sit_down_during_a_game() -> None:
    driver = table_for(seats=4)
    driver.begin(ANN, BOB)
    answer = driver.ask(DEE, Hello(ID, PROTOCOL_VERSION, "Dee", "player"))
    assert isinstance(answer, Refused)
    assert answer.refusal.code == "table_full"
    snapshot = driver.hello(DEE, "spectator")
    assert snapshot.view is not None
    assert snapshot.view.own is None


def test_a_lobby_without_its_owner_starts_automatically() -> None:
    driver = table_for()
    driver.hello(ANN)
    driver.hello(BOB)
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Bye(ID))
    assert (driver.table_view.stage, driver.table_view.owner) == ("lobby", None)
    driver.hello(CID)
    driver.ask(CID, Ready(ID, True))
    assert driver.table_view.stage == "game"


@pytest.mark.parametrize("owner", [ANN, ""])
def test_without_an_owner_on_a_seat_any_player_starts_once_the_others_are_ready(owner: str) -> None:
    driver = table_for(seats=4, owner=owner)
    for key in (ANN, BOB):
        driver.hello(key)
    if owner:
        assert driver.code(BOB, Start(ID)) == "not_owner"
    driver.ask(ANN, Bye(ID))
    assert driver.code(BOB, Start(ID)) == "too_few_players"
    driver.hello(CID)
    driver.hello(DEE, "spectator")
    assert driver.code(BOB, Start(ID)) == "not_ready"
    driver.ask(CID, Ready(ID, True))
    assert driver.code(DEE, Start(ID)) == "not_owner"
    driver.ask(BOB, Start(ID))
    assert driver.table_view.stage == "game"
    assert {seat.name for seat in driver.table_view.seats} == {"Bob", "Cid"}


def test_an_owner_who_spectates_keeps_the_rights() -> None:
    driver = table_for(3)
    driver.hello(ANN, "spectator")
    driver.hello(BOB)
    assert (driver.sync(ANN).owner, driver.table_view.owner) == (True, None)
    driver.ask(ANN, AddBot(ID, 2, "casual"))
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert driver.table_view.stage == "game"


def test_an_emote_is_told_but_not_kept_and_costs_as_much_as_chat() -> None:
    driver = table_for()
    driver.hello(ANN)
    driver.hello(BOB, "spectator")
    assert isinstance(driver.ask(ANN, Emote(ID, "wow")), Done)
    assert driver.latest.events == (Emoted("Ann", "wow"),)
    assert not [one for one in driver.sync(BOB).log if isinstance(one, Emoted)]
    assert driver.code(BOB, Emote(ID, "wow")) == "not_seated"
    answers = [driver.ask(ANN, Emote(ID, "wow")) for _ in range(10)]
    assert sum(isinstance(one, Refused) for one in answers) > 5
