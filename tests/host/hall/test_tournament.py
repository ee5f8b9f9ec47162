"""A tournament at a hall: entering, being called to a table, results, and the next round."""

from typing import Any

import pytest

from coffeerush.host.table.config import AWAY_SECONDS, RETURN_SECONDS
from coffeerush.tournament.course import TournamentPlan
from coffeerush.tournament.tournament import Score, scores
from protocol import (
    HALL,
    MAX_ENTRANTS,
    MAX_TABLES,
    PROTOCOL_VERSION,
    STAND_IN_SECONDS,
    Answer,
    BeginRound,
    BeginTournament,
    Bye,
    Done,
    EndTournament,
    Enter,
    GetView,
    Hello,
    PeopleChanged,
    Queue,
    Ready,
    Refused,
    Remove,
    SetMark,
    SetRules,
    Snapshot,
    Start,
    Sync,
    Tick,
    TournamentPlayer,
    TournamentRules,
    TournamentView,
)
from tests.support.halls import HallDriver
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID

PEOPLE = (ANN, BOB, CID, DEE, EVE)


class TournamentDriver(HallDriver):
    """Drives a hall whose owner, Ann, holds a tournament."""

    def __init__(self, *entrants: str, tables: int = 3, **rules: Any) -> None:
        super().__init__(tables=tables, seats=4, owner=ANN, most=rules.pop("most", MAX_TABLES))
        self.hello(ANN, 1, "spectator")
        self.done(ANN, BeginTournament(ID, TournamentRules(**rules)))
        for key in entrants:
            self.enter(key)

    def enter(self, key: str) -> None:
        """Let somebody join the hall, and enter."""
        if key != ANN:
            self.hello(key)
        self.done(key, Enter(ID, True))

    def begin_round(self, number: int) -> None:
        self.done(ANN, BeginRound(ID, number))

    def play_round(self, *present: str) -> None:
        """Let bots play the games of a round, as everybody is away, and take the results.

        Those who are `present` have come to their table.
        """
        for key in present:
            self.back(key)
        self.tick(AWAY_SECONDS + STAND_IN_SECONDS + 2)
        self.play(*self.round_tables())
        self.tick()

    def round_tables(self) -> list[int]:
        stranger = "s" * 40  # who asks is not away any more
        players = self.view(stranger).players
        return sorted({one.table for one in players if one.table is not None})

    def view(self, key: str = ANN) -> TournamentView:
        view = self.tables(key).tournament
        assert view is not None
        return view

    def player(self, name: str) -> TournamentPlayer:
        return next(one for one in self.view().players if one.name == name)

    def table_of(self, name: str) -> int:
        table = self.player(name).table
        assert table is not None
        return table

    def back(self, key: str, table: Any = None, role: Any = "player") -> Snapshot:
        answer = self.ask(key, Hello(ID, PROTOCOL_VERSION, "Guest", role, table))
        assert isinstance(answer, Snapshot), answer
        return answer

    def tick_rev(self) -> int:
        """Return the rev of the hall's tick."""
        hall = self.tick()[-1]
        assert hall.table == HALL
        assert isinstance(hall.message, Tick)
        return hall.message.rev


def test_nobody_can_enter_before_the_owner_of_the_hall_announces_a_tournament() -> None:
    hall = HallDriver(tables=2, seats=4, owner=ANN)
    hall.hello(ANN)
    hall.hello(BOB, "new")
    assert hall.tables().tournament is None
    assert hall.code(BOB, Enter(ID, True)) == "no_tournament"
    answer = hall.ask(BOB, BeginTournament(ID, TournamentRules()))
    assert isinstance(answer, Refused)
    assert answer.refusal.params == {"reason": "hall"}, "although Bob owns a table"
    hall.done(ANN, BeginTournament(ID, TournamentRules()))
    hall.done(BOB, Enter(ID, True))
    assert hall.code(EVE, Enter(ID, True)) == "say_hello"


def test_everybody_sees_who_has_entered_and_under_which_name() -> None:
    hall = TournamentDriver(turn_seconds=30)
    for key, name in ((BOB, "Bo"), (CID, "Bo")):
        hall.ask(key, Hello(ID, PROTOCOL_VERSION, name, "player", "new"))
        hall.done(key, Enter(ID, True))
    view = hall.view(CID)
    assert (view.stage, view.round, view.rounds, view.next_round) == ("entry", 0, 2, None)
    assert view.rules == TournamentRules(turn_seconds=30)
    assert view.players == (TournamentPlayer("Bo"), TournamentPlayer("Bo 2"))
    assert view.entered == "Bo 2"
    assert hall.view(ANN).entered is None


def test_the_tables_of_a_round_have_the_rules_of_the_first_one_as_they_are_now() -> None:
    hall = TournamentDriver(ANN, BOB, turn_seconds=30)
    hall.done(ANN, SetRules(ID, 0, 3, hints=False))
    hall.begin_round(1)
    rules = hall.hall.tables[hall.table_of("Ann")].rules
    assert (rules.turn_seconds, rules.bot_seconds, rules.hints) == (30, 3, False)


def test_who_withdraws_before_the_first_round_leaves_no_trace() -> None:
    hall = TournamentDriver(ANN, BOB)
    hall.done(BOB, Enter(ID, False))
    hall.done(BOB, Enter(ID, False))
    assert hall.view(BOB).players == (TournamentPlayer("Ann"),)
    assert hall.view(BOB).entered is None


def test_the_rules_change_until_the_first_round() -> None:
    hall = TournamentDriver(ANN, BOB)
    hall.done(ANN, BeginTournament(ID, TournamentRules(rounds=5)))
    assert hall.view().rounds == 5
    assert len(hall.view().players) == 2
    hall.begin_round(1)
    hall.back(ANN)
    assert hall.code(ANN, BeginTournament(ID, TournamentRules())) == "tournament_begun"


def test_a_bot_that_the_table_does_not_have_cannot_fill_seats() -> None:
    hall = TournamentDriver()
    unknown = BeginTournament(ID, TournamentRules(fill="nobody"))
    assert hall.code(ANN, unknown) == "unknown_bot"


def test_a_round_seats_everybody_at_tables_of_their_own_that_start_at_once() -> None:
    hall = TournamentDriver(*(f"p{number:039}" for number in range(7)))
    hall.begin_round(1)
    tables = {table.number: table for table in hall.tables().tables}
    assert hall.view().stage == "round"
    assert [len(tables[number].seats) for number in hall.round_tables()] == [4, 3]
    for one in hall.view().players:
        at = tables[hall.table_of(one.name)]
        assert at.stage == "game"
        assert one.name in [seat.name for seat in at.seats]
        assert (one.leads, one.sits_out, one.place) == (True, False, 0), "nobody has points yet"


def test_a_player_learns_by_a_refusal_that_a_seat_waits_elsewhere() -> None:
    hall = TournamentDriver(BOB, CID)
    hall.begin_round(1)
    tables = {table.number: table.name for table in hall.tables().tables}
    assert PeopleChanged("Bob", "left", tables[hall.table_of("Bob")]) in hall.events(1)
    assert hall.code(BOB, GetView(ID)) == hall.code(BOB, Sync(ID)) == "say_hello"
    came = hall.back(BOB)
    assert (came.number, came.seat is None, came.name) == (hall.table_of("Bob"), False, "Bob")
    assert came.view is not None


@pytest.mark.parametrize(("table", "role"), [(1, "player"), ("new", "player"), (2, "spectator")])
def test_whatever_table_a_called_player_names_they_come_to_their_seat(
    table: Any, role: Any
) -> None:
    hall = TournamentDriver(BOB, CID)
    hall.begin_round(1)
    came = hall.back(BOB, table, role)
    assert (came.number, came.seat is None) == (hall.table_of("Bob"), False)
    again = hall.back(BOB, 1, role)
    assert (again.number, again.seat) == (came.number, came.seat), "it was on its way before"


def test_once_the_game_of_a_round_is_over_its_players_may_go_elsewhere() -> None:
    hall = TournamentDriver(BOB, CID)
    hall.begin_round(1)
    hall.play_round(BOB, CID)
    assert hall.hello(BOB, 1) == 1


def test_who_does_not_come_is_away_and_a_bot_plays() -> None:
    hall = TournamentDriver(BOB, CID)
    hall.begin_round(1)
    number = hall.table_of("Bob")
    assert hall.hall.bot_turn(number) is None
    hall.tick(AWAY_SECONDS + STAND_IN_SECONDS + 1)
    assert hall.hall.bot_turn(number) is not None
    hall.back(BOB)
    assert PeopleChanged("Bob", "back") in hall.events(number)


def test_marks_come_along_to_the_table_of_a_round() -> None:
    hall = TournamentDriver()
    for key in (BOB, CID):
        hall.hello(key, "new")
        hall.done(key, SetMark(ID, 2, 3))
        hall.done(key, Enter(ID, True))
    hall.begin_round(1)
    seats = hall.back(BOB).table.seats
    assert sorted((seat.letter, seat.colour) for seat in seats) == [(2, 3), (3, 0)]


def test_results_make_the_standings() -> None:
    hall = TournamentDriver(BOB, CID, DEE)
    hall.begin_round(1)
    hall.play_round()
    journal = hall.joiner.journals[hall.table_of("Bob")]
    record = journal.record()
    assert record.end is not None
    *_, state = record.states()
    by_seat = sorted(record.end.standings, key=lambda one: one.seat)
    penalties = [len(player.penalties) for player in state.players]
    gained = scores(
        [(one.rank, one.score, some) for one, some in zip(by_seat, penalties, strict=True)]
    )
    names = [seated.name for seated in record.head.seats]
    wanted = sorted(zip(gained, names, strict=True), key=lambda each: each[0].order)
    view = hall.view()
    assert (view.stage, view.round, view.rounds) == ("break", 1, 2)
    assert [one.name for one in view.players] == [name for _score, name in wanted]
    assert [(one.wins, one.points, one.penalties, one.rounds) for one in view.players] == [
        (*figures(score), 1) for score, _name in wanted
    ]
    assert [one.leads for one in view.players] == [one.wins > 0 for one in view.players]


def figures(score: Score) -> tuple[int, int, int]:
    """Return what the wire has for a score."""
    return round(score.wins * 1000), round(score.points * 1000), int(score.penalties)


def test_of_five_one_sits_out_and_then_another() -> None:
    hall = TournamentDriver(*PEOPLE)
    rested = []
    for number in (1, 2):
        hall.begin_round(number)
        (resting,) = [one for one in hall.view().players if one.sits_out]
        assert resting.table is None
        rested.append(resting.name)
        for key in PEOPLE:
            hall.back(key)
        hall.play_round()
    assert rested[0] != rested[1]
    assert hall.view().stage == "break", "five play three rounds"


@pytest.mark.slow
@pytest.mark.parametrize("entrants", [2, 5])
def test_bots_fill_tables_up_and_are_in_no_standings(entrants: int) -> None:
    hall = TournamentDriver(*PEOPLE[:entrants], fill="casual")
    hall.begin_round(1)
    tables = [one for one in hall.tables().tables if one.number in hall.round_tables()]
    assert [len(one.seats) for one in tables] == [4] * len(tables)
    seats = [seat for one in tables for seat in one.seats]
    assert sum(seat.status == "person" for seat in seats) == entrants
    bots = [seat for seat in seats if seat.status == "bot"]
    assert {bot.bot for bot in bots} == {"casual"}
    assert len({bot.name for bot in bots}) == len(bots), "no two of the round have one name"
    hall.play_round()
    players = hall.view().players
    assert len(players) == entrants
    assert sum(one.wins for one in players) <= 1000 * len(tables)
    assert not any(one.sits_out for one in players)


def test_the_owner_begins_each_round_once_the_last_game_is_over() -> None:
    hall = TournamentDriver(*(f"p{number:039}" for number in range(7)))
    hall.begin_round(1)
    hall.tick(AWAY_SECONDS + STAND_IN_SECONDS + 2)
    first, second = hall.round_tables()
    hall.play(first)
    hall.tick()
    assert hall.view().stage == "round"
    assert hall.code(ANN, BeginRound(ID, 2)) == "round_begun"
    hall.play(second)
    hall.tick()
    assert hall.view().stage == "break"
    assert hall.code(ANN, BeginRound(ID, 3)) == "round_begun"
    hall.begin_round(1)
    assert hall.view().round == 1, "a repeated request begins nothing"
    for number in range(7):
        hall.back(f"p{number:039}")
    hall.begin_round(2)
    assert (hall.view().stage, hall.view().round) == ("round", 2)
    assert not {first, second} & {*hall.round_tables()}


def test_rounds_begin_by_themselves_if_the_rules_say_so() -> None:
    hall = TournamentDriver(BOB, CID, rounds=2, break_seconds=30)
    for key in (BOB, CID):
        hall.done(key, Enter(ID, True))
    hall.begin_round(1)
    hall.play_round()
    assert hall.view().next_round == 29
    for key in (BOB, CID):
        hall.back(key)
    hall.tick(30)
    assert (hall.view().stage, hall.view().round, hall.view().next_round) == ("round", 2, None)
    hall.play_round()
    view = hall.view()
    assert (view.stage, view.next_round) == ("over", None)
    assert [one.rounds for one in view.players] == [2, 2]


def test_a_tournament_whose_players_have_gone_is_over() -> None:
    hall = TournamentDriver(BOB, CID, break_seconds=5)
    hall.begin_round(1)
    hall.play_round()
    hall.tick(5)
    assert hall.view().stage == "over"
    assert [one.rounds for one in hall.view().players] == [1, 1]


@pytest.mark.slow
def test_latecomers_play_from_the_next_round_on_and_leavers_no_more() -> None:
    hall = TournamentDriver(BOB, CID, DEE, rounds=3)
    hall.begin_round(1)
    hall.enter(EVE)
    assert hall.view(EVE).entered == "Eve"
    assert hall.player("Eve") == TournamentPlayer("Eve")
    for key in (BOB, CID, DEE):
        hall.back(key)
    hall.done(CID, Enter(ID, False))
    hall.ask(DEE, Bye(ID))
    assert hall.player("Cid").table is not None, "Cid plays the round to its end"
    hall.play_round()
    hall.begin_round(2)
    at = {one.name: one.table for one in hall.view().players}
    assert at["Bob"] == at["Eve"] is not None
    assert at["Cid"] is at["Dee"] is None
    assert [hall.player(name).withdrawn for name in ("Bob", "Cid", "Dee")] == [False, True, True]
    hall.back(BOB)
    hall.back(EVE)
    hall.hello(DEE)
    hall.done(DEE, Enter(ID, True))
    hall.play_round()
    hall.begin_round(3)
    assert hall.player("Dee").table is not None, "Dee has come back"


def test_a_round_needs_two_who_are_here() -> None:
    hall = TournamentDriver(BOB, CID)
    hall.ask(CID, Bye(ID))
    answer = hall.ask(ANN, BeginRound(ID, 1))
    assert isinstance(answer, Refused)
    assert answer.refusal.params == {"needs": 2, "have": 1, "reason": "tournament"}
    assert len(hall.view().players) == 2, "a refusal changes nothing"


def test_no_other_game_begins_at_the_table_of_an_entrant_until_the_end() -> None:
    hall = TournamentDriver(BOB)
    hall.hello(CID)
    hall.done(CID, Ready(ID, True))
    assert hall.code(ANN, Start(ID)) == "wrong_stage"
    hall.hello(DEE, 2)
    hall.hello(EVE, 2)
    hall.done(BOB, Enter(ID, False))
    hall.done(BOB, Ready(ID, True))
    hall.done(ANN, Start(ID))


def test_after_the_end_those_at_a_table_may_play_again() -> None:
    hall = TournamentDriver(BOB, CID, rounds=1)
    hall.begin_round(1)
    number = hall.table_of("Bob")
    hall.play_round(BOB, CID)
    assert hall.view().stage == "over"
    for key in (BOB, CID):
        assert hall.back(key).number == number
        hall.done(key, Ready(ID, True))
    hall.tick()
    table = next(one for one in hall.tables().tables if one.number == number)
    assert table.stage == "game"
    assert hall.view().players[0].wins == 1000, "which counts no more"


def test_between_rounds_ready_people_start_nothing() -> None:
    hall = TournamentDriver(BOB, CID, rounds=2)
    hall.begin_round(1)
    hall.play_round(BOB, CID)
    for key in (BOB, CID):
        hall.done(key, Ready(ID, True))
    hall.tick(2, present=(BOB, CID))
    assert hall.view().stage == "break"
    assert {one.stage for one in hall.tables().tables} == {"lobby", "result"}


def test_nobody_takes_a_seat_in_a_round_from_its_player() -> None:
    hall = TournamentDriver(BOB, CID)
    hall.begin_round(1)
    number = hall.table_of("Bob")
    assert hall.go(DEE, number) == "table_full"
    hall.hello(DEE, number, "spectator")
    hall.done(DEE, Queue(ID, True))
    assert {seat.name for seat in hall.back(BOB).table.seats} == {"Bob", "Cid"}


def test_a_table_that_everybody_has_left_plays_on() -> None:
    hall = TournamentDriver(BOB, CID)
    hall.begin_round(1)
    for key in (BOB, CID):
        hall.back(key)
        hall.ask(key, Bye(ID))
    hall.play_round()
    assert hall.view().stage == "break"


@pytest.mark.parametrize("replay", [True, False])
def test_a_table_that_breaks_off_plays_once_more_or_counts_as_it_stood(replay: bool) -> None:
    hall = TournamentDriver(BOB, CID, replay=replay)
    hall.begin_round(1)
    before = hall.table_of("Bob")
    break_table(hall, before)
    hall.tick()
    if not replay:
        assert hall.view().stage == "break"
        assert [one.wins for one in hall.view().players] == [500, 500]
        return
    again = hall.table_of("Bob")
    assert again != before
    assert hall.back(BOB).number == again
    break_table(hall, again)
    hall.tick()
    assert hall.view().stage == "break", "a second time it counts"


def break_table(hall: HallDriver, number: int) -> None:
    """End a table by an error of the program."""
    table = hall.hall.tables[number]
    table.bot_turn = lambda: 1 // 0  # type: ignore[method-assign,assignment,return-value]
    assert hall.hall.bot_turn(number) is None
    assert number not in hall.hall.tables


def test_a_game_whose_record_cannot_be_written_begins_later() -> None:
    hall = TournamentDriver(BOB, CID)
    made = hall.joiner.make

    def full(number: int, owner: str, rules: Any) -> Any:
        table = made(number, owner, rules)
        hall.joiner.journals[number].full = True
        return table

    hall.joiner.make = full  # type: ignore[method-assign,assignment]
    hall.begin_round(1)
    hall.tick(10)
    number = hall.table_of("Bob")
    assert hall.hall.tables[number].stage == "lobby"
    hall.joiner.journals[number].full = False
    hall.tick(10)
    assert hall.hall.tables[number].stage == "game"


def test_the_owner_ends_a_tournament_early() -> None:
    hall = TournamentDriver(BOB, CID, DEE, EVE)
    hall.begin_round(1)
    hall.done(ANN, EndTournament(ID))
    view = hall.view()
    assert (view.stage, view.round) == ("over", 1)
    assert [one.rounds for one in view.players] == [0] * 4
    assert hall.code(BOB, GetView(ID)) == "say_hello"
    hall.back(BOB)
    hall.tick(AWAY_SECONDS + STAND_IN_SECONDS + 2)
    assert hall.code(BOB, Enter(ID, True)) == "no_tournament"
    hall.done(ANN, EndTournament(ID))
    hall.done(ANN, BeginTournament(ID, TournamentRules()))
    assert hall.view().players == ()


def test_tables_of_earlier_rounds_make_room() -> None:
    hall = TournamentDriver(BOB, CID, tables=1, rounds=3, most=2)
    hall.begin_round(1)
    first = hall.table_of("Bob")
    hall.play_round(BOB, CID)
    hall.hello(DEE, first, "spectator")
    hall.begin_round(2)
    assert [one.number for one in hall.tables().tables] == [1, hall.table_of("Bob")]
    assert hall.code(DEE, GetView(ID)) == "say_hello"
    hall.hello(DEE)


def test_without_room_for_its_tables_no_round_begins() -> None:
    hall = TournamentDriver(BOB, CID, tables=1, most=1)
    assert hall.code(ANN, BeginRound(ID, 1)) == "too_many_tables"
    assert hall.view().stage == "entry"


def test_a_tournament_has_a_limit() -> None:
    hall = TournamentDriver()
    for number in range(MAX_ENTRANTS):
        key = f"p{number:039}"
        hall.hello(key, role="spectator")
        hall.done(key, Enter(ID, True))
        hall.ask(key, Bye(ID))
    hall.hello(BOB)
    assert hall.code(BOB, Enter(ID, True)) == "tournament_full"


def test_the_tick_of_the_hall_tells_that_something_has_changed() -> None:
    hall = TournamentDriver()
    before = hall.tick_rev()
    assert hall.tick_rev() == before
    hall.enter(BOB)
    hall.enter(CID)
    entered = hall.tick_rev()
    assert entered > before
    hall.begin_round(1)
    begun = hall.tick_rev()
    assert begun > entered
    hall.play_round()
    assert hall.tick_rev() > begun


def test_requests_about_a_tournament_are_rationed() -> None:
    hall = TournamentDriver()
    hall.hello(BOB)
    answers: list[Answer] = [
        hall.hall.handle(hall.now, BOB, Enter(bytes([number + 1] * 16), True)).answer
        for number in range(10)
    ]
    assert isinstance(answers[0], Done)
    assert isinstance(answers[-1], Refused)
    assert answers[-1].refusal.code == "too_fast"


def test_a_kicked_player_plays_no_further_round() -> None:
    hall = TournamentDriver(BOB, CID, DEE)
    seats = [seat.name for seat in hall.tables().tables[0].seats]
    hall.done(ANN, Remove(ID, seats.index("Dee")))
    hall.begin_round(1)
    assert [one.name for one in hall.view().players] == ["Bob", "Cid"]
    assert hall.code(DEE, Enter(ID, True)) == "removed"


# What is on record survives a crash


def test_in_a_round_everybody_is_back_at_their_table_with_their_game() -> None:
    hall = TournamentDriver(*PEOPLE, rounds=2)
    hall.begin_round(1)
    hall.back(BOB)
    before, at = hall.view(), hall.table_of("Bob")
    hall.restart()
    assert hall.hall.keys >= {*PEOPLE}
    came = hall.back(BOB)
    assert (came.number, came.seat is None, came.table.stage) == (at, False, "game")
    assert hall.view() == before
    hall.play_round()
    assert hall.view().stage == "break"
    assert all(one.rounds for one in hall.view().players)


def test_between_rounds_the_standings_are_as_they_were_and_it_goes_on() -> None:
    hall = TournamentDriver(*PEOPLE, rounds=2)
    hall.begin_round(1)
    hall.play_round(*PEOPLE)
    hall.done(EVE, Enter(ID, False))
    before, last = hall.view(), max(hall.hall.tables)
    hall.restart()
    hall.hello(ANN)
    assert hall.view() == before
    hall.begin_round(2)  # before the others have come back
    assert min(hall.round_tables()) > last, "a number is never used again"
    assert [one.name for one in hall.view().players if one.table or one.sits_out] == (
        [one.name for one in before.players if one.name != "Eve"]
    )
    hall.play_round()
    assert hall.view().stage == "over"


def test_who_does_not_come_back_in_time_plays_no_further_round() -> None:
    hall = TournamentDriver(*PEOPLE, rounds=2)
    hall.restart()
    present = PEOPLE[:3]
    for key in present:
        hall.hello(key)
    hall.tick(RETURN_SECONDS + 2, present)
    hall.begin_round(1)
    assert {one.name for one in hall.view().players if not one.withdrawn} == {"Ann", "Bob", "Cid"}


def test_a_table_that_was_not_dealt_yet_is_dealt() -> None:
    hall = TournamentDriver(*PEOPLE, rounds=2)
    hall.begin_round(1)
    before = hall.view()
    for number in hall.round_tables():
        del hall.joiner.journals[number]
    hall.restart()
    hall.tick()
    assert hall.back(BOB).view is not None
    assert [one.table for one in hall.view().players] == [one.table for one in before.players]


def test_a_result_that_is_on_record_counts() -> None:
    hall = TournamentDriver(ANN, BOB, CID)
    hall.begin_round(1)
    hall.tick(AWAY_SECONDS + STAND_IN_SECONDS + 2)
    hall.play(*hall.round_tables())
    assert hall.view().stage == "round", "the game is over, but no tick has noticed"
    hall.restart()
    hall.tick()
    assert hall.view().stage == "break"
    assert sum(one.wins for one in hall.view().players) in range(998, 1001)


def test_what_cannot_be_written_down_does_not_happen() -> None:
    hall = TournamentDriver(ANN, BOB)
    before = hall.view()
    hall.hello(CID)
    hall.courses.fails = True
    assert hall.code(CID, Enter(ID, True)) == "record_failed"
    assert hall.code(ANN, BeginRound(ID, 1)) == "record_failed"
    assert hall.code(ANN, EndTournament(ID)) == "record_failed"
    assert hall.view() == before
    hall.courses.fails = False
    hall.begin_round(1)
    hall.courses.fails = True
    hall.play_round()
    assert hall.view().stage == "round"
    hall.courses.fails = False
    hall.tick()
    assert hall.view().stage == "break"


# A tournament that the hall holds by itself


def planned(players: int, **rules: Any) -> HallDriver:
    rules = {"break_seconds": 1, **rules}
    return HallDriver(tables=2, seats=2, plan=TournamentPlan(players, TournamentRules(**rules)))


def shown(hall: HallDriver) -> TournamentView:
    view = hall.tables("s" * 40).tournament  # a stranger: who asks is not away
    assert view is not None
    return view


def test_without_an_owner_everybody_who_comes_enters_and_it_begins_once_enough_are_there() -> None:
    hall = planned(3, rounds=1)
    hall.hello(EVE, 2, "spectator")
    for key in (ANN, BOB):
        hall.hello(key, 1)
    hall.begin(ANN, BOB)
    hall.tick()
    assert {one.name for one in shown(hall).players} == {"Ann", "Bob"}, "but not who watches"
    assert hall.hall.tables[1].stage == "lobby", "no other game begins"
    hall.hello(CID, 1, "spectator")
    hall.done(CID, Queue(ID, True))
    hall.tick()
    assert (shown(hall).stage, len(shown(hall).players)) == ("round", 3)
    hall.tick(AWAY_SECONDS + STAND_IN_SECONDS + 2)
    hall.play(*{one.table for one in shown(hall).players if one.table})
    before = hall.hall.all_played
    hall.tick()
    assert (before, hall.hall.all_played, shown(hall).stage) == (False, True, "over")
    for key in (ANN, BOB, CID):
        hall.ask(key, Hello(ID, PROTOCOL_VERSION, "Guest", "player"))
        hall.done(key, Ready(ID, True))
    hall.tick()
    assert not any(table.stage == "game" for table in hall.hall.tables.values()), "no rematch"
    codes = [noted.note.code for noted in hall.hall.take_notes() if not noted.table]
    told = ["tournament", "entered", "entered", "entered", "round", "round_over", "tournament_over"]
    assert codes == told


def test_who_withdraws_is_not_entered_again_but_may_enter() -> None:
    hall = planned(3)
    for key in (ANN, BOB):
        hall.hello(key)
    hall.tick()
    hall.done(BOB, Enter(ID, False))
    hall.tick()
    assert [one.name for one in shown(hall).players] == ["Ann"]
    hall.done(BOB, Enter(ID, True))
    assert len(shown(hall).players) == 2


def test_a_planned_tournament_goes_on_after_a_crash() -> None:
    hall = planned(2, rounds=2)
    for key in (ANN, BOB):
        hall.hello(key)
    hall.tick()
    assert shown(hall).round == 1
    hall.restart()
    hall.tick(AWAY_SECONDS + STAND_IN_SECONDS + 2)
    assert (shown(hall).stage, shown(hall).round) == ("round", 1)
    hall.play(*{one.table for one in shown(hall).players if one.table})
    hall.tick(3)
    assert (shown(hall).stage, shown(hall).round) == ("round", 2)
