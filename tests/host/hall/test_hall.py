"""A hall: who gets to which table, what one table learns of another, and what ends one alone."""

import pytest

from coffeerush.errors import HostError
from coffeerush.host.hall.hall import TABLES_A_PERSON
from coffeerush.host.table.config import AWAY_SECONDS, REQUESTS_BURST, RETURN_SECONDS
from protocol import (
    HALL,
    NO_ID,
    PROTOCOL_VERSION,
    Accepted,
    AddBot,
    Bye,
    Chat,
    CloseTable,
    Done,
    GetTables,
    GetView,
    Hello,
    LookAt,
    PeopleChanged,
    Refused,
    Remove,
    RemoveSpectator,
    RenameTable,
    Said,
    SetRules,
    Snapshot,
    Start,
    Sync,
    Update,
    WrongShape,
)
from tests.support.halls import HallDriver
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID


def test_newcomers_sit_down_wherever_a_seat_is_open() -> None:
    hall = HallDriver(tables=2)
    assert [hall.hello(key) for key in (ANN, BOB, CID, DEE)] == [1, 1, 2, 2]
    assert hall.go(EVE, None) == "table_full"
    assert hall.hello(EVE, 2, "spectator") == 2


def test_somebody_comes_back_to_their_own_table() -> None:
    hall = HallDriver(tables=2)
    for key in (ANN, BOB, CID):
        hall.hello(key)
    hall.ask(ANN, Bye(ID))
    assert hall.hello(CID) == 2, "although a seat has become open at the first table"
    assert hall.hello(DEE) == 1


def test_between_games_people_go_over_to_another_table() -> None:
    hall = HallDriver(tables=2)
    hall.hello(ANN)
    assert hall.hello(ANN, 2) == 2
    assert PeopleChanged("Ann", "left", hall.tables().tables[1].name) in hall.events(1)
    assert PeopleChanged("Ann", "joined") in hall.events(2)
    names = [[seat.name for seat in table.seats] for table in hall.tables().tables]
    assert names == [["", ""], ["Ann", ""]], "nobody sits at two tables"


def test_a_player_refused_at_another_table_keeps_the_seat() -> None:
    hall = HallDriver(tables=2)
    for key, table in ((ANN, 1), (BOB, 2), (CID, 2)):
        hall.hello(key, table)
    assert hall.go(ANN, 2) == "table_full"
    assert hall.go(ANN, 3) == "no_such_table"
    assert hall.hello(ANN) == 1
    assert "left" not in [one.change for one in hall.events(1) if isinstance(one, PeopleChanged)]


def test_nobody_leaves_a_game_for_another_table() -> None:
    hall = HallDriver(tables=2)
    hall.hello(ANN)
    hall.hello(BOB)
    hall.begin(ANN, BOB)
    assert hall.go(ANN, 2) == hall.go(ANN, 2, "spectator") == hall.go(ANN, "new") == "wrong_stage"
    hall.ask(ANN, Bye(ID))
    assert hall.hello(ANN, 2) == 2
    assert hall.hello(ANN, 1) == 1, "the seat is kept during the game"


def test_requests_go_to_the_senders_table_and_its_news_to_its_topic() -> None:
    hall = HallDriver(tables=2)
    hall.hello(ANN, 1)
    hall.hello(BOB, 2)
    hall.ask(BOB, Chat(ID, "Hi"))
    assert Said("Bob", "Hi") in hall.events(2)
    assert Said("Bob", "Hi") not in hall.events(1)


def test_private_parts_stay_at_their_table() -> None:
    hall = HallDriver(tables=2)
    for key, table in ((ANN, 1), (BOB, 1), (CID, 2), (DEE, 2)):
        hall.hello(key, table)
    hall.begin(ANN, BOB)
    hall.begin(CID, DEE)
    told = {"Ann", "Bob"}, {"Cid", "Dee"}
    for keys, names in zip(((ANN, BOB), (CID, DEE)), told, strict=True):
        key, _at = next(hall.options(*keys))
        assert isinstance(hall.ask(key, hall.move(*keys)), Accepted)
        answer = hall.ask(key, Sync(ID))
        assert isinstance(answer, Snapshot)
        assert {seat.name for seat in answer.table.seats} == names
        assert answer.rev == 1
    for number, message in hall.published:
        view = message.view if isinstance(message, Update) else None
        assert view is None or view.own is None, number


def test_everybody_may_ask_which_tables_there_are() -> None:
    hall = HallDriver(tables=2)
    hall.hello(ANN)
    hall.hello(BOB)
    hall.begin(ANN, BOB)
    hall.hello(CID, 1, "spectator")
    first, second = hall.tables(EVE).tables
    assert (first.number, first.name, first.stage, first.spectators) == (1, "Kitchen 1", "game", 1)
    assert first.scores == (0, 0)
    assert sorted(seat.name for seat in first.seats) == ["Ann", "Bob"]
    assert (second.number, second.stage, second.scores, second.round) == (2, "lobby", (), 0)


def test_the_list_names_who_has_no_seat_and_who_opened_a_table() -> None:
    hall = HallDriver(owner=ANN)
    hall.hello(ANN)
    hall.hello(BOB, "new")
    hall.hello(CID, 1, "spectator")
    hall.hello(DEE, 2, "spectator")
    listed = hall.tables(ANN)
    assert [table.opened for table in listed.tables] == [False, True]
    assert listed.watching == ("Cid", "Dee")
    assert listed.owner
    assert not hall.tables(BOB).owner, "he owns a table only"
    assert not HallDriver().tables("").owner, "a host without a screen has no owner"


def test_a_look_shows_another_table_as_its_spectators_see_it() -> None:
    hall = HallDriver(tables=2)
    for key, table in ((ANN, 1), (BOB, 1), (CID, 2), (DEE, 2)):
        hall.hello(key, table)
    hall.begin(ANN, BOB)
    hall.begin(CID, DEE)
    seen = hall.ask(ANN, LookAt(ID, 2))
    assert isinstance(seen, Snapshot)
    assert (seen.number, seen.seat, seen.owner, seen.name) == (2, None, False, "Ann")
    assert {seat.name for seat in seen.table.seats} == {"Cid", "Dee"}
    assert seen.view is not None
    assert seen.view.own is None
    own = hall.ask(ANN, Sync(ID))
    assert isinstance(own, Snapshot)
    assert (own.number, own.seat is None) == (1, False), "the seat stays theirs"
    assert hall.code(ANN, LookAt(ID, 3)) == "no_such_table"
    assert hall.code(EVE, LookAt(ID, 2)) == "say_hello"


def test_anyone_who_asks_something_of_the_hall_is_not_away() -> None:
    hall = HallDriver(tables=2)
    hall.hello(ANN)
    for _each in range(AWAY_SECONDS + 2):
        hall.ask(ANN, GetTables(ID))
        hall.tick()
    assert not hall.tables().tables[0].seats[0].away
    hall.tick(AWAY_SECONDS + 1)
    assert hall.tables().tables[0].seats[0].away


def test_a_line_to_all_is_heard_once_at_each_table_with_the_speakers() -> None:
    hall = HallDriver(tables=3)
    hall.hello(ANN, 2)
    request = Chat(hall.chance.randbytes(16), "Pizza!", hall=True)
    assert hall.ask(ANN, request) == hall.ask(ANN, request)
    said = Said("Ann", "Pizza!", "Kitchen 2")
    assert [hall.events(number).count(said) for number in (1, 2, 3)] == [1, 1, 1]
    assert hall.code(ANN, Chat(ID, "\u200b", hall=True)) == "bad_text"
    hall.hello(BOB, 3)
    answer = hall.ask(BOB, Sync(ID))
    assert isinstance(answer, Snapshot)
    assert said in answer.log, "who comes later reads it"


def test_lines_to_all_are_rationed() -> None:
    hall = HallDriver(tables=2)
    hall.hello(ANN)
    hall.tick(5, present=(ANN,))
    asked = [Chat(hall.chance.randbytes(16), "Pizza!", hall=True) for _each in range(10)]
    answers = [hall.hall.handle(hall.now, ANN, one).answer for one in asked]
    assert sum(isinstance(one, Done) for one in answers) < 3
    assert isinstance(hall.hall.handle(hall.now + 4, ANN, asked[-1]).answer, Done)


def test_the_owners_of_a_table_and_of_the_hall_rename_it() -> None:
    hall = HallDriver(owner=ANN)
    hall.hello(ANN)
    hall.hello(BOB, "new")
    hall.hello(CID, 2, "spectator")
    assert isinstance(hall.ask(BOB, RenameTable(ID, " Gar\u200bden> ")), Done)
    assert hall.tables().tables[1].name == "Garden"
    assert hall.code(CID, RenameTable(ID, "Cid's")) == "not_owner"
    assert hall.code(EVE, RenameTable(ID, "Eve's")) == "say_hello"
    assert hall.code(BOB, RenameTable(ID, ">")) == "bad_text"
    assert hall.code(ANN, RenameTable(ID, "GARDEN")) == "name_taken"
    hall.hello(ANN, 2)
    assert isinstance(hall.ask(ANN, RenameTable(ID, "Terrace")), Done), "she owns the hall"
    hall.begin(ANN)
    assert isinstance(hall.ask(BOB, Start(ID)), Done)
    assert hall.code(BOB, RenameTable(ID, "Attic")) == "wrong_stage"
    assert hall.joiner.journals[2].record().head.table == "Terrace"


def test_the_owner_of_the_hall_closes_tables_that_people_opened() -> None:
    hall = HallDriver(owner=ANN)
    hall.hello(ANN)
    hall.hello(BOB, "new")
    assert hall.code(BOB, CloseTable(ID, 2)) == "not_owner"
    assert hall.code(ANN, CloseTable(ID, 1)) == "no_such_table"
    assert hall.code(ANN, CloseTable(ID, 3)) == "no_such_table"
    assert isinstance(hall.ask(ANN, CloseTable(ID, 2)), Done)
    assert [table.number for table in hall.tables().tables] == [1]
    assert hall.joiner.cleared == [2]
    assert hall.code(BOB, GetView(ID)) == "say_hello"
    assert hall.hello(BOB) == 1


def test_people_open_tables_and_own_them() -> None:
    hall = HallDriver()
    hall.hello(ANN)
    assert hall.hello(ANN, "new") == 2
    assert hall.hello(BOB, 2) == 2
    hall.begin(BOB)
    assert isinstance(hall.ask(ANN, Start(ID)), Done)
    assert hall.tables().tables[1].stage == "game"


def test_a_new_table_has_the_rules_of_the_one_where_its_owner_was() -> None:
    hall = HallDriver(owner=ANN)
    hall.hello(ANN)
    hall.done(ANN, SetRules(ID, 90, 3, False, rotation="loser"))
    hall.hello(BOB)
    hall.hello(BOB, "new")
    rules = hall.hall.tables[2].rules
    assert (rules.turn_seconds, rules.bot_seconds, rules.hints) == (90, 3, False)
    hall.done(BOB, SetRules(ID, 60, 0, True))
    hall.hello(CID, 2)
    hall.hello(CID, "new")
    assert hall.hall.tables[3].rules.turn_seconds == 60
    assert hall.hall.tables[1].rules.turn_seconds == 90


def test_a_repeated_request_opens_no_second_table() -> None:
    hall = HallDriver()
    hello = Hello(hall.chance.randbytes(16), PROTOCOL_VERSION, "Ann", "player", "new")
    answers = [hall.ask(ANN, hello) for _try in range(3)]
    assert [one.number for one in answers if isinstance(one, Snapshot)] == [2, 2, 2]


def test_a_person_opens_few_tables_and_a_hall_has_a_limit() -> None:
    hall = HallDriver(most=4)
    for number, guest in enumerate((BOB, CID), 2):
        hall.hello(ANN, "new")
        hall.hello(guest, number)
    answer = hall.ask(ANN, Hello(ID, PROTOCOL_VERSION, "Ann", "player", "new"))
    assert isinstance(answer, Refused)
    assert answer.refusal.params == {"reason": "own", "most": TABLES_A_PERSON}
    hall.hello(DEE, "new")
    assert hall.go(EVE, "new") == "too_many_tables"


@pytest.mark.parametrize("watches", [False, True])
def test_bots_alone_do_not_play_on_once_the_owner_has_gone_to_another_table(watches: bool) -> None:
    hall = HallDriver(owner=ANN)
    hall.hello(ANN, 1, "spectator")
    for seat in (0, 1):
        assert isinstance(hall.ask(ANN, AddBot(ID, seat, "casual")), Done)
    if watches:
        hall.hello(BOB, 1, "spectator")
    hall.hello(ANN, "new")
    hall.tick(3, present=(ANN,))
    assert hall.tables().tables[0].stage == ("game" if watches else "lobby")


def test_an_opened_table_closes_once_everybody_has_left() -> None:
    hall = HallDriver()
    hall.hello(ANN, "new")
    hall.tick()
    assert [table.number for table in hall.tables().tables] == [1, 2]
    hall.ask(ANN, Bye(ID))
    hall.tick()
    assert [table.number for table in hall.tables().tables] == [1]
    assert hall.joiner.cleared == [2]
    assert hall.go(BOB, 2) == "no_such_table"
    assert hall.hello(BOB, "new") == 3, "no number is used twice"


def test_the_tables_of_the_host_stay() -> None:
    hall = HallDriver(tables=3)
    hall.tick(RETURN_SECONDS + 2)
    assert len(hall.hall.tables) == 3


def test_each_tick_tells_of_all_tables_and_last_of_the_hall() -> None:
    hall = HallDriver(tables=3)
    assert [one.table for one in hall.tick()] == [1, 2, 3, HALL]


def test_rations_are_for_the_whole_hall() -> None:
    hall = HallDriver(tables=2)
    for table in (1, 2):
        hall.hello(ANN, table)
    answers = []
    for number in range(2 * REQUESTS_BURST):
        request = GetTables if number % 2 else GetView
        reply = hall.hall.handle(hall.now, ANN, request(hall.chance.randbytes(16)))
        answers.append(reply.answer)
    codes = [one.refusal.code for one in answers if isinstance(one, Refused)]
    assert set(codes) == {"too_fast"}
    assert len(answers) - len(codes) < REQUESTS_BURST


def test_a_key_at_no_table_is_told_to_say_hello() -> None:
    hall = HallDriver(tables=2)
    assert hall.code(EVE, Chat(ID, "Hi")) == "say_hello"


def test_a_kick_from_the_hall_is_for_all_its_tables() -> None:
    hall = HallDriver(owner=ANN)
    hall.hello(ANN)
    hall.hello(BOB, "new")
    hall.hello(CID, 1, "spectator")
    hall.ask(ANN, RemoveSpectator(ID, "Cid"))
    assert hall.hall.removed == {CID}
    assert CID not in hall.hall.keys
    assert hall.code(CID, GetTables(ID)) == "removed"


def test_a_kick_from_somebodys_table_is_for_that_table() -> None:
    hall = HallDriver(owner=ANN)
    hall.hello(BOB, "new")
    hall.hello(CID, 2)
    hall.ask(BOB, Remove(ID, 1))
    assert not hall.hall.removed
    assert hall.go(CID, 2) == "removed"
    assert hall.hello(CID) == 1


def break_table(hall: HallDriver, number: int, error: Exception) -> None:
    """Let the record of a table fail as a failing disk or a bug in the program would."""

    def fail(_entry: object) -> None:
        raise error

    hall.joiner.journals[number].append = fail  # type: ignore[assignment,method-assign]


@pytest.mark.parametrize("error", [HostError("The disk is gone."), ZeroDivisionError("a bug")])
def test_an_error_ends_one_table_alone(error: Exception) -> None:
    hall = HallDriver(tables=2)
    for key, table in ((ANN, 1), (BOB, 1), (CID, 2), (DEE, 2)):
        hall.hello(key, table)
    hall.begin(ANN, BOB)
    hall.begin(CID, DEE)
    break_table(hall, 2, error)
    key, _at = next(hall.options(CID, DEE))
    assert hall.code(key, hall.move(CID, DEE)) == "no_such_table"
    assert [(one.table, one.error) for one in hall.hall.take_accidents()] == [("Kitchen 2", error)]
    assert hall.joiner.cleared == [2]
    assert hall.code(key, GetView(ID)) == "say_hello"
    assert hall.go(key, 2) == "no_such_table"
    key, _at = next(hall.options(ANN, BOB))
    answer = hall.ask(key, hall.move(ANN, BOB))
    assert isinstance(answer, Accepted), "the other table goes on"
    assert [one.table for one in hall.tick()][-2:] == [1, HALL]


def test_a_move_that_may_not_be_on_disk_is_not_answered_and_ends_its_table() -> None:
    hall = HallDriver(tables=2)
    for key, table in ((ANN, 1), (BOB, 1), (CID, 2), (DEE, 2)):
        hall.hello(key, table)
    hall.begin(ANN, BOB)
    hall.begin(CID, DEE)
    outcomes = []
    for people in ((ANN, BOB), (CID, DEE)):
        mover, _at = next(hall.options(*people))
        request = hall.move(*people)
        outcomes.append((request, hall.hall.handle(hall.now, mover, request)))
    error = hall.joiner.failing[2] = HostError("The disk is gone.")
    hall.hall.sync()
    (_move, kept), (_lost, lost) = outcomes
    assert hall.hall.settled(*outcomes[0]) is kept
    assert isinstance(lost.answer, Accepted)
    settled = hall.hall.settled(*outcomes[1])
    assert isinstance(settled.answer, Refused)
    assert settled.answer.refusal.code == "no_such_table"
    assert not settled.published
    assert [one.error for one in hall.hall.take_accidents()] == [error]
    assert [*hall.hall.tables] == [1]


def test_an_error_at_the_only_table_ends_the_host() -> None:
    hall = HallDriver()
    hall.hello(ANN)
    hall.hello(BOB)
    hall.begin(ANN, BOB)
    break_table(hall, 1, HostError("The disk is gone."))
    key, _at = next(hall.options(ANN, BOB))
    with pytest.raises(HostError, match="disk is gone"):
        hall.ask(key, hall.move(ANN, BOB))


def test_malformed_requests_are_answered_wherever_they_come_from() -> None:
    hall = HallDriver(tables=2)
    reply = hall.hall.handle(hall.now, EVE, WrongShape("no"))
    assert reply.answer.id == NO_ID
