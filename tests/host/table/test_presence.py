"""Silence, leaving, rejoining, the turn clock, and stand-in bots."""

from random import Random

import pytest

from coffeerush.bots import RegularBot
from coffeerush.host.table.config import (
    AWAY_SECONDS,
    GONE_SECONDS,
    MAX_BOT_INTENTS,
    RETURN_SECONDS,
    STAND_IN,
)
from coffeerush.rules import legal_intents, view_for
from protocol import (
    STAND_IN_SECONDS,
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
from tests.support.tables import ANN, BOB, CID, ID, NAMES, TableDriver, played, table_for

GONE = AWAY_SECONDS + STAND_IN_SECONDS + 1
"""The seconds of silence after which a bot plays."""


def in_use(driver: TableDriver) -> bool:
    return driver.table.is_in_use


def is_abandoned(driver: TableDriver) -> bool:
    return driver.table.is_abandoned


def is_unattended(driver: TableDriver) -> bool:
    return driver.table.is_unattended


def other(key: str) -> str:
    return BOB if key == ANN else ANN


def test_a_bot_stands_in_for_a_silent_player_who_returns_to_the_same_cups() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.play_until(0)
    key, seat = driver.active_key, 0
    assert driver.table.bot_turn() is None
    cups = driver.state.players[seat].cups
    driver.wait(AWAY_SECONDS + 1, present=(other(key),))
    assert driver.latest.table.seats[seat].away
    driver.wait(STAND_IN_SECONDS - 2, present=(other(key),))
    assert driver.latest.table.seats[seat].bot == ""
    assert driver.table.bot_turn() is None, "there is time to come back"
    driver.wait(2, present=(other(key),))
    assert driver.latest.table.seats[seat].bot == "regular"
    turn = driver.table.bot_turn()
    assert turn is not None
    assert (turn.seat, turn.bot, turn.view) == (seat, "regular", view_for(driver.state, seat))
    answer = driver.sync(key)
    assert answer.seat == seat
    assert answer.view is not None
    assert answer.view.own == view_for(driver.state, seat).own
    assert driver.state.players[seat].cups == cups
    assert driver.table.bot_turn() is None
    assert driver.events()[-1] == PeopleChanged(NAMES[key], "back")
    driver.person()


@pytest.mark.parametrize("first", ["tick", "request"])
def test_nobody_counts_as_silent_while_the_host_is_suspended(first: str) -> None:
    driver = table_for(turn_seconds=30)
    driver.begin(ANN, BOB)
    driver.wait(2)
    clock = driver.sync(ANN).table.clock
    driver.now += 100  # as when the computer sleeps: without a tick in between
    if first == "request":
        driver.sync(ANN)
    driver.wait(1)
    assert not [seat for seat in driver.table_view.seats if seat.away]
    assert driver.table.bot_turn() is None
    assert clock is not None
    assert driver.sync(ANN).table.clock in (clock, clock - 1)
    driver.wait(6)
    assert "away" in driver.notes()


def test_a_bots_move_is_ignored_if_its_person_came_back() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.wait(GONE)
    turn = driver.table.bot_turn()
    assert turn is not None
    driver.sync(driver.active_key)
    truth = driver.truth()
    assert driver.table.bot_move(driver.now, turn, legal_intents(driver.state)[0]) == ()
    assert driver.truth() == truth
    assert driver.table.take_counters() == {"late_bot": 1}
    assert not driver.table.take_counters()


def test_a_game_is_played_to_its_end_when_everybody_is_gone() -> None:
    driver = table_for(seats=3)
    driver.begin(ANN, BOB, CID)
    for key in (ANN, BOB):
        driver.ask(key, Bye(ID))
    driver.wait(GONE)
    driver.play()
    assert driver.journals.record().end is not None
    assert all(move.key == "" for move in driver.journals.record().moves)


def test_bye_in_a_game_keeps_the_seat_until_the_next_hello() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.play_until(1)
    driver.ask(BOB, Bye(ID))
    assert driver.events()[-1] == PeopleChanged("Bob", "left")
    assert driver.table_view.seats[1].away
    assert driver.code(BOB, Sync(ID)) == "say_hello"
    driver.wait(STAND_IN_SECONDS, present=(ANN,))
    assert not driver.bot()
    driver.wait(1, present=(ANN,))
    assert driver.bot()
    cups = driver.state.players[1].cups
    answer = driver.hello(BOB)
    assert answer.seat == 1
    assert driver.state.players[1].cups == cups
    assert driver.events()[-1] == PeopleChanged("Bob", "back")


def test_a_bot_plays_at_once_for_a_player_who_leaves_for_good() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.play_until(1)
    driver.ask(BOB, Bye(ID, stand_in=True))
    assert driver.latest.events == (PeopleChanged("Bob", "left"),)
    assert driver.table_view.seats[1].bot == "regular"
    assert driver.bot()
    driver.hello(BOB)
    assert not driver.table_view.seats[1].bot
    driver.ask(BOB, Bye(ID))
    assert driver.table.bot_turn() is None, "the next time they may come back again"


def test_nobody_waits_for_an_absent_player_beyond_the_turn_clock() -> None:
    driver = table_for(turn_seconds=10)
    driver.begin(ANN, BOB)
    driver.play_until(1)
    driver.ask(BOB, Bye(ID))
    driver.wait(10, present=(ANN,))
    assert driver.latest.events == (TurnTimedOut(1),)
    assert driver.bot()


def test_a_player_silent_for_half_a_minute_plays_the_rematch() -> None:
    driver = played(ANN, BOB, CID, seats=3, owner="")
    for key in (ANN, CID):
        driver.ask(key, Ready(ID, True))
    driver.wait(45, present=(ANN, CID))
    assert driver.table_view.stage == "result"
    assert driver.hello(BOB).seat == 1
    driver.ask(BOB, Ready(ID, True))
    assert driver.table_view.stage == "game"


def test_silent_players_are_given_up_eventually() -> None:
    driver = played(ANN, BOB, CID, seats=3, owner="")
    driver.wait(GONE_SECONDS + 2, present=(ANN, CID))
    for key in (ANN, CID):
        driver.ask(key, Ready(ID, True))
    assert driver.table_view.stage == "game"
    assert [seat.name for seat in driver.table_view.seats] == ["Ann", "Cid"]


@pytest.mark.parametrize("role", ["player", "spectator"])
def test_a_table_is_in_use_until_its_people_have_been_silent_for_long(role: str) -> None:
    driver = table_for()
    assert not in_use(driver)
    driver.hello(BOB, role)
    driver.wait(GONE_SECONDS)
    assert len(driver.notes()) == (2 if role == "player" else 1)  # "away" is not "left"
    assert in_use(driver)
    driver.wait(1)
    assert driver.notes()[-1] == "left"
    driver.wait(RETURN_SECONDS)
    assert in_use(driver)
    driver.wait(1)
    assert not in_use(driver)


def test_a_player_away_during_a_game_has_not_left_the_table() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.ask(ANN, Bye(ID))
    driver.wait(GONE_SECONDS + RETURN_SECONDS + 2)
    assert in_use(driver)
    driver.hello(BOB)
    driver.ask(BOB, Bye(ID))
    assert not in_use(driver)


def test_a_game_is_abandoned_once_each_player_has_said_bye() -> None:
    driver = table_for(3, bots=("regular",))
    assert not is_abandoned(driver), "nobody was there"
    driver.begin(ANN, BOB)
    driver.hello(CID, "spectator")
    driver.ask(ANN, Bye(ID))
    driver.wait(GONE_SECONDS + 1, present=(CID,))
    assert not is_abandoned(driver), "Bob is only silent"
    driver.hello(BOB)
    driver.ask(BOB, Bye(ID))
    assert is_abandoned(driver)
    driver.hello(ANN)
    assert not is_abandoned(driver)


def test_a_game_that_its_owner_watches_is_not_abandoned() -> None:
    driver = table_for(2)
    driver.hello(ANN, "spectator")
    driver.begin(BOB, CID)
    driver.ask(BOB, Bye(ID))
    driver.ask(CID, Bye(ID))
    assert not is_abandoned(driver), "bots finish the game for her"
    driver.ask(ANN, Bye(ID))
    assert is_abandoned(driver)


def test_a_table_is_unattended_while_its_players_are_away_and_nobody_watches() -> None:
    driver = table_for(3, bots=("regular",))
    assert not is_unattended(driver), "nobody was there"
    driver.begin(ANN, BOB)
    driver.wait(AWAY_SECONDS + 1, present=(BOB,))
    assert not is_unattended(driver), "Bob plays"
    driver.ask(BOB, Bye(ID))
    assert is_unattended(driver)
    driver.hello(CID, "spectator")
    assert not is_unattended(driver)
    driver.ask(CID, Bye(ID))
    assert is_unattended(driver)
    driver.ask(ANN, GetView(ID))
    assert not is_unattended(driver)


def test_a_suspended_host_keeps_its_table_for_as_long() -> None:
    driver = table_for()
    driver.hello(BOB)
    driver.wait(GONE_SECONDS + 1)
    driver.now += 1000
    driver.wait(RETURN_SECONDS - 1)
    assert in_use(driver)


@pytest.mark.parametrize("says_bye", [True, False])
def test_an_owner_who_closes_the_screen_has_left(says_bye: bool) -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    if says_bye:
        driver.ask(ANN, Bye(ID))
    driver._publish(driver.table.let_go(driver.now, ANN))
    assert driver.events().count(PeopleChanged("Ann", "left")) == 1
    assert driver.table_view.seats[0].away
    driver.ask(BOB, Bye(ID))
    assert not in_use(driver)


def test_a_guest_removed_during_a_game_is_replaced_for_good() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.ask(ANN, Remove(ID, 1))
    assert driver.events()[-1] == PeopleChanged("Bob", "replaced_by_bot")
    assert driver.table_view.seats[1].status == "bot"
    assert driver.code(BOB, Sync(ID)) == "removed"
    driver.play()
    assert driver.table_view.stage == "result"


def test_a_turn_that_takes_too_long_is_finished_by_a_bot() -> None:
    driver = table_for(turn_seconds=20)
    driver.begin(ANN, BOB)
    driver.play_until(0)
    assert driver.table_view.clock == 20
    driver.wait(19, present=(ANN, BOB))
    assert driver.table_view.clock == 1
    assert driver.table.bot_turn() is None
    driver.wait(1, present=(ANN, BOB))
    assert driver.latest.events == (TurnTimedOut(0),)
    assert driver.table_view.clock == 0
    assert [seat.bot for seat in driver.table_view.seats] == ["regular", ""]
    intent = legal_intents(driver.state)[0]
    assert driver.code(ANN, driver.wish(intent)) == "not_your_turn"
    while driver.state.active == 0:
        assert driver.bot()
    assert driver.table.bot_turn() is None
    assert not any(seat.bot for seat in driver.table_view.seats)
    assert driver.table_view.clock == 20
    driver.wait(5, present=(ANN, BOB))
    assert driver.events().count(TurnTimedOut(0)) == 1
    assert "turn_timed_out" in driver.notes()


def test_each_placed_meeple_is_a_turn_of_its_own() -> None:
    driver = table_for(turn_seconds=20)
    driver.begin(ANN, BOB)
    driver.wait(15, present=(ANN, BOB))
    assert driver.table_view.clock == 5
    driver.submit(driver.active_key, PlaceMeeple(0))
    assert driver.table_view.clock == 20


def test_no_clock_runs_without_a_person_to_wait_for() -> None:
    driver = table_for(bots=("random",), turn_seconds=20)
    assert driver.table_view.clock is None
    driver.begin(ANN)
    while driver.table.bot_turn() is None:
        driver.person()
    assert driver.table_view.clock is None
    driver.wait(30, present=(ANN,))
    assert not any(isinstance(event, TurnTimedOut) for event in driver.events())


def test_a_player_who_is_away_does_not_time_out_as_well() -> None:
    driver = table_for(turn_seconds=30)
    driver.begin(ANN, BOB)
    driver.wait(40)
    assert driver.table.bot_turn()
    assert not any(isinstance(event, TurnTimedOut) for event in driver.events())


@pytest.mark.parametrize("intent", [None, EndTurn(), Undo(), Step(2, 15)])
def test_a_bot_without_a_legal_intent_gets_one(intent: Intent | None) -> None:
    driver = table_for(seats=2, bots=("random", "regular"), owner="")
    driver.wait(1)
    rev = driver.rev
    assert driver.bot(intent)
    assert driver.rev == rev + 1
    assert not isinstance(driver.journals.record().moves[-1].intent, Undo)
    assert driver.table.take_counters()["bot_fell_back"] == 1
    assert "bot_fell_back" in driver.notes()


def test_a_bot_that_gave_no_answer_does_not_hold_up_the_rest_of_its_turn() -> None:
    driver = table_for(seats=2, bots=("random", "random"), owner="")
    driver.wait(1)
    driver.play(6)
    seat = driver.state.active
    driver.bot(None)
    while driver.state.active == seat:
        turn = driver.table.bot_turn()
        assert turn
        assert turn.bot == STAND_IN
        driver.bot()
    later = driver.table.bot_turn()
    assert later
    assert later.bot == "random"


def test_a_bot_that_gave_no_answer_loses_no_turn() -> None:
    driver = table_for(seats=2, bots=("random", "random"), owner="")
    driver.wait(1)
    while not driver.state.round or driver.state.active:
        driver.bot()
    turn = driver.table.bot_turn()
    assert turn
    best = RegularBot().choose(turn.view, Random(1))
    driver.bot(None)
    assert driver.journals.record().moves[-1].intent == best
    assert isinstance(best, Step)


def test_bots_that_never_answer_play_whole_games() -> None:
    driver = table_for(seats=3, bots=("random", "regular", "regular"), owner="")
    driver.wait(1)
    while driver.bot(None):
        pass
    assert driver.table_view.stage == "result"


def test_a_bot_that_goes_in_circles_has_its_turn_ended() -> None:
    driver = table_for(seats=2, bots=("random", "random"), owner="")
    driver.wait(1)
    while not driver.state.round:
        driver.bot()
    seat = driver.state.active
    moves = 0
    while driver.state.active == seat:
        legal = legal_intents(driver.state)
        driver.bot(Undo() if driver.state.previous else legal[0])
        moves += 1
    assert MAX_BOT_INTENTS < moves <= MAX_BOT_INTENTS + 10
    assert driver.journals.record().moves[-1].intent == EndTurn()


def test_a_persons_intents_do_not_count_against_the_stand_in_bot() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.play_until(0)
    key = driver.active_key
    for _ in range(MAX_BOT_INTENTS // 2):
        for intent in (legal_intents(driver.state)[0], Undo()):
            assert isinstance(driver.submit(key, intent), Accepted)
            driver.now += 2  # undoing so often is throttled
    assert driver.active_key == key
    driver.wait(GONE, present=(other(key),))
    while driver.state.active == 0:
        assert driver.bot()
    assert driver.table.take_counters()["bot_fell_back"] == 0


def test_a_thinking_person_is_not_away() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    for _ in range(4):
        driver.wait(5)
        driver.ask(ANN, GetView(ID))
        driver.ask(BOB, Chat(ID, "take your time"))
    assert not any(isinstance(event, PeopleChanged) for event in driver.events()[3:])


def test_an_intent_of_somebody_who_was_away_counts() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.wait(7)
    key = driver.active_key
    answer = driver.submit(key, PlaceMeeple(0))
    assert isinstance(answer, Accepted)


def test_a_player_given_up_after_a_game_has_to_get_ready_again() -> None:
    driver = played(ANN, BOB)
    driver.ask(BOB, Ready(ID, True))
    driver.wait(GONE_SECONDS + 1, present=(ANN,))
    assert PeopleChanged("Bob", "left") in driver.events()
    driver.hello(BOB)
    _ann, bob = driver.table_view.seats
    assert (bob.away, bob.ready) == (False, False)
