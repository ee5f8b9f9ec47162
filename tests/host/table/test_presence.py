"""Silence, leaving, rejoining, the turn clock, and stand-in bots."""

import pytest

from coffeerush.host.table.limits import GONE_SECONDS, MAX_BOT_INTENTS, RETURN_SECONDS
from coffeerush.rules import legal_intents, view_for
from protocol import (
    Accepted,
    Bye,
    Chat,
    EndTurn,
    GetView,
    Intent,
    PeopleChanged,
    PlaceMeeple,
    Ready,
    Remove,
    Step,
    Sync,
    TurnTimedOut,
    Undo,
)
from tests.support.tables import ANN, BOB, CID, ID, NAMES, Visit, table_for


def in_use(visit: Visit) -> bool:
    return visit.table.is_in_use


def other(key: str) -> str:
    return BOB if key == ANN else ANN


def test_a_bot_stands_in_for_a_silent_player_who_returns_to_the_same_cups() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.play_until(0)
    key, seat = visit.active_key, 0
    assert visit.table.bot_turn() is None
    cups = visit.state.players[seat].cups
    visit.wait(7, present=(other(key),))
    assert visit.latest.table.seats[seat].away
    assert visit.latest.table.seats[seat].bot == "greedy"
    turn = visit.table.bot_turn()
    assert turn is not None
    assert (turn.seat, turn.bot, turn.view) == (seat, "greedy", view_for(visit.state, seat))
    answer = visit.sync(key)
    assert answer.seat == seat
    assert answer.view is not None
    assert answer.view.own == view_for(visit.state, seat).own
    assert visit.state.players[seat].cups == cups
    assert visit.table.bot_turn() is None
    assert visit.events()[-1] == PeopleChanged(NAMES[key], "back")
    visit.person()


@pytest.mark.parametrize("first", ["tick", "request"])
def test_nobody_counts_as_silent_while_the_host_is_suspended(first: str) -> None:
    visit = table_for(turn_seconds=30)
    visit.begin(ANN, BOB)
    visit.wait(2)
    clock = visit.sync(ANN).table.clock
    visit.now += 100  # as when the computer sleeps: without a tick in between
    if first == "request":
        visit.sync(ANN)
    visit.wait(1)
    assert not [seat for seat in visit.table_view.seats if seat.away]
    assert visit.table.bot_turn() is None
    assert clock is not None
    assert visit.sync(ANN).table.clock in (clock, clock - 1)
    visit.wait(6)
    assert "away" in visit.notes()


def test_a_bots_move_is_ignored_if_its_person_came_back() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.wait(7)
    turn = visit.table.bot_turn()
    assert turn is not None
    visit.sync(visit.active_key)
    truth = visit.truth()
    assert visit.table.bot_move(visit.now, turn, legal_intents(visit.state)[0]) == ()
    assert visit.truth() == truth
    assert visit.table.take_counters() == {"late_bot": 1}
    assert not visit.table.take_counters()


def test_a_game_is_played_to_its_end_when_everybody_is_gone() -> None:
    visit = table_for(seats=3)
    visit.begin(ANN, BOB, CID)
    for key in (ANN, BOB):
        visit.ask(key, Bye(ID))
    visit.wait(7)
    visit.play()
    assert visit.shelf.record().end is not None
    assert all(move.key == "" for move in visit.shelf.record().moves)


def test_bye_in_a_game_keeps_the_seat_until_the_next_hello() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.play_until(1)
    visit.ask(BOB, Bye(ID))
    assert visit.events()[-1] == PeopleChanged("Bob", "left")
    assert visit.table_view.seats[1].away
    assert visit.code(BOB, Sync(ID)) == "say_hello"
    assert visit.bot()
    cups = visit.state.players[1].cups
    answer = visit.hello(BOB)
    assert answer.seat == 1
    assert visit.state.players[1].cups == cups
    assert visit.events()[-1] == PeopleChanged("Bob", "back")


def test_a_player_silent_for_half_a_minute_plays_the_rematch() -> None:
    visit = table_for(3, owner="")
    visit.begin(ANN, BOB, CID)
    visit.play()
    for key in (ANN, CID):
        visit.ask(key, Ready(ID, True))
    visit.wait(45, present=(ANN, CID))
    assert visit.table_view.stage == "result"
    assert visit.hello(BOB).seat == 1
    visit.ask(BOB, Ready(ID, True))
    assert visit.table_view.stage == "game"


def test_silent_players_are_given_up_eventually() -> None:
    visit = table_for(3, owner="")
    visit.begin(ANN, BOB, CID)
    visit.play()
    for key in (ANN, CID):
        visit.ask(key, Ready(ID, True))
    visit.wait(GONE_SECONDS + 2, present=(ANN, CID))
    assert visit.table_view.stage == "game"
    assert [seat.name for seat in visit.table_view.seats] == ["Ann", "Cid"]


@pytest.mark.parametrize("role", ["player", "spectator"])
def test_a_table_is_in_use_until_its_people_have_been_silent_for_long(role: str) -> None:
    visit = table_for()
    assert not in_use(visit)
    visit.hello(BOB, role)
    visit.wait(GONE_SECONDS)
    assert len(visit.notes()) == (2 if role == "player" else 1)  # "away" is not "left"
    assert in_use(visit)
    visit.wait(1)
    assert visit.notes()[-1] == "left"
    visit.wait(RETURN_SECONDS)
    assert in_use(visit)
    visit.wait(1)
    assert not in_use(visit)


def test_a_player_away_during_a_game_has_not_left_the_table() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.ask(ANN, Bye(ID))
    visit.wait(GONE_SECONDS + RETURN_SECONDS + 2)
    assert in_use(visit)
    visit.hello(BOB)
    visit.ask(BOB, Bye(ID))
    assert not in_use(visit)


def test_a_suspended_host_keeps_its_table_for_as_long() -> None:
    visit = table_for()
    visit.hello(BOB)
    visit.wait(GONE_SECONDS + 1)
    visit.now += 1000
    visit.wait(RETURN_SECONDS - 1)
    assert in_use(visit)


@pytest.mark.parametrize("says_bye", [True, False])
def test_an_owner_who_closes_the_screen_has_left(says_bye: bool) -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    if says_bye:
        visit.ask(ANN, Bye(ID))
    visit._publish(visit.table.let_owner_go(visit.now))
    assert visit.events().count(PeopleChanged("Ann", "left")) == 1
    assert visit.table_view.seats[0].away
    visit.ask(BOB, Bye(ID))
    assert not in_use(visit)


def test_a_guest_removed_during_a_game_is_replaced_for_good() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.ask(ANN, Remove(ID, 1))
    assert visit.events()[-1] == PeopleChanged("Bob", "replaced_by_bot")
    assert visit.table_view.seats[1].status == "bot"
    assert visit.code(BOB, Sync(ID)) == "removed"
    visit.play()
    assert visit.table_view.stage == "result"


def test_a_turn_that_takes_too_long_is_finished_by_a_bot() -> None:
    visit = table_for(turn_seconds=20)
    visit.begin(ANN, BOB)
    visit.play_until(0)
    assert visit.table_view.clock == 20
    visit.wait(19, present=(ANN, BOB))
    assert visit.table_view.clock == 1
    assert visit.table.bot_turn() is None
    visit.wait(1, present=(ANN, BOB))
    assert visit.latest.events == (TurnTimedOut(0),)
    assert visit.table_view.clock == 0
    assert [seat.bot for seat in visit.table_view.seats] == ["greedy", ""]
    intent = legal_intents(visit.state)[0]
    assert visit.code(ANN, visit.wish(intent)) == "not_your_turn"
    while visit.state.active == 0:
        assert visit.bot()
    assert visit.table.bot_turn() is None
    assert not any(seat.bot for seat in visit.table_view.seats)
    assert visit.table_view.clock == 20
    visit.wait(5, present=(ANN, BOB))
    assert visit.events().count(TurnTimedOut(0)) == 1
    assert "turn_timed_out" in visit.notes()


def test_each_placed_meeple_is_a_turn_of_its_own() -> None:
    visit = table_for(turn_seconds=20)
    visit.begin(ANN, BOB)
    visit.wait(15, present=(ANN, BOB))
    assert visit.table_view.clock == 5
    visit.submit(visit.active_key, PlaceMeeple(0))
    assert visit.table_view.clock == 20


def test_no_clock_runs_without_a_person_to_wait_for() -> None:
    visit = table_for(bots=("random",), turn_seconds=20)
    assert visit.table_view.clock is None
    visit.begin(ANN)
    while visit.table.bot_turn() is None:
        visit.person()
    assert visit.table_view.clock is None
    visit.wait(30, present=(ANN,))
    assert not any(isinstance(event, TurnTimedOut) for event in visit.events())


def test_a_player_who_is_away_does_not_time_out_as_well() -> None:
    visit = table_for(turn_seconds=20)
    visit.begin(ANN, BOB)
    visit.wait(30)
    assert not any(isinstance(event, TurnTimedOut) for event in visit.events())


@pytest.mark.parametrize("intent", [None, EndTurn(), Undo(), Step(2, 15)])
def test_a_bot_without_a_legal_intent_gets_one(intent: Intent | None) -> None:
    visit = table_for(seats=2, bots=("random", "greedy"), owner="")
    visit.wait(1)
    rev = visit.rev
    assert visit.bot(intent)
    assert visit.rev == rev + 1
    assert not isinstance(visit.shelf.record().moves[-1].intent, Undo)
    assert visit.table.take_counters()["bot_fell_back"] == 1
    assert "bot_fell_back" in visit.notes()


def test_bots_that_never_answer_play_whole_games() -> None:
    visit = table_for(seats=3, bots=("random", "greedy", "greedy"), owner="")
    visit.wait(1)
    while visit.bot(None):
        pass
    assert visit.table_view.stage == "result"


def test_a_bot_that_goes_in_circles_has_its_turn_ended() -> None:
    visit = table_for(seats=2, bots=("random", "random"), owner="")
    visit.wait(1)
    while not visit.state.round:
        visit.bot()
    seat = visit.state.active
    moves = 0
    while visit.state.active == seat:
        legal = legal_intents(visit.state)
        visit.bot(Undo() if visit.state.previous else legal[0])
        moves += 1
    assert MAX_BOT_INTENTS < moves <= MAX_BOT_INTENTS + 10
    assert visit.shelf.record().moves[-1].intent == EndTurn()


def test_a_persons_intents_do_not_count_against_the_stand_in_bot() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.play_until(0)
    key = visit.active_key
    for _ in range(MAX_BOT_INTENTS // 2):
        for intent in (legal_intents(visit.state)[0], Undo()):
            assert isinstance(visit.submit(key, intent), Accepted)
            visit.now += 2  # undoing so often is throttled
    assert visit.active_key == key
    visit.wait(7, present=(other(key),))
    while visit.state.active == 0:
        assert visit.bot()
    assert visit.table.take_counters()["bot_fell_back"] == 0


def test_a_thinking_person_is_not_away() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    for _ in range(4):
        visit.wait(5)
        visit.ask(ANN, GetView(ID))
        visit.ask(BOB, Chat(ID, "take your time"))
    assert not any(isinstance(event, PeopleChanged) for event in visit.events()[3:])


def test_an_intent_of_somebody_who_was_away_counts() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.wait(7)
    key = visit.active_key
    answer = visit.submit(key, PlaceMeeple(0))
    assert isinstance(answer, Accepted)


def test_a_player_given_up_after_a_game_has_to_get_ready_again() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.play()
    visit.ask(BOB, Ready(ID, True))
    visit.wait(GONE_SECONDS + 1, present=(ANN,))
    assert PeopleChanged("Bob", "left") in visit.events()
    visit.hello(BOB)
    _ann, bob = visit.table_view.seats
    assert (bob.away, bob.ready) == (False, False)
