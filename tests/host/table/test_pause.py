"""Pauses of the whole table by its owner."""

from typing import Any

from coffeerush.host.table.config import PAUSE_ALONE_SECONDS
from protocol import Accepted, Bye, Chat, Done, GamePaused, GameResumed, GetView, Refused, SetPause
from tests.support.tables import ANN, BOB, CID, ID, TableDriver, resumed, table_for


def playing(*keys: str, **settings: Any) -> TableDriver:
    """Return a game in its first round."""
    driver = table_for(seats=len(keys), **settings)
    driver.begin(*keys)
    while not driver.state.round:
        driver.play(1)
    return driver


def pause(driver: TableDriver, reason: str = "") -> None:
    assert isinstance(driver.ask(ANN, SetPause(ID, True, reason)), Done)


def go_on(driver: TableDriver, key: str = ANN) -> None:
    assert isinstance(driver.ask(key, SetPause(ID, False)), Done)


def test_nobody_can_move_during_a_pause_and_everybody_is_told_why() -> None:
    driver = playing(ANN, BOB)
    pause(driver, " Piz\u200bza! ")
    assert driver.events()[-1] == GamePaused("Ann", "Pizza!")
    assert driver.table_view.pause == "Pizza!"
    key = driver.active_key
    own = driver.view(key).own
    assert own
    move = driver.wish(own.options[0].intent)
    answer = driver.ask(key, move)
    assert isinstance(answer, Refused)
    assert answer.refusal.text == "The game is paused (“Pizza!”); wait until it goes on."
    pause(driver)
    answer = driver.ask(key, move)
    assert isinstance(answer, Refused)
    assert answer.refusal.text == "The game is paused; wait until it goes on."
    assert isinstance(driver.ask(BOB, Chat(ID, "Hm")), Done)
    driver.now += 5
    go_on(driver)
    assert driver.events()[-1] == GameResumed("Ann")
    assert driver.table_view.pause is None
    assert isinstance(driver.ask(key, move), Accepted)


def test_only_the_owner_pauses_and_goes_on_while_here() -> None:
    driver = playing(ANN, BOB)
    driver.hello(CID, "spectator")
    assert driver.code(BOB, SetPause(ID, True)) == "not_owner"
    pause(driver)
    assert driver.code(BOB, SetPause(ID, False)) == "not_owner"
    assert driver.code(CID, SetPause(ID, False)) == "not_owner"


def test_any_player_can_go_on_once_the_owner_has_gone() -> None:
    for silent in (False, True):
        driver = playing(ANN, BOB)
        driver.hello(CID, "spectator")
        pause(driver)
        if silent:
            driver.wait(8, (BOB, CID))
        else:
            driver.ask(ANN, Bye(ID))
        assert driver.code(CID, SetPause(ID, False)) == "not_seated"
        assert driver.code(BOB, SetPause(ID, True)) == "not_owner"
        go_on(driver, BOB)
        assert driver.latest.events == (GameResumed("Bob"),)
        seen = len(driver.updates)
        go_on(driver, BOB)
        assert len(driver.updates) == seen, "it goes on already"


def test_the_clock_stands_during_a_pause() -> None:
    driver = playing(ANN, BOB, turn_seconds=30)
    while not driver.table_view.clock:
        driver.play(1)
    driver.wait(10, (ANN, BOB))
    left = driver.table_view.clock
    pause(driver)
    driver.wait(60, (ANN, BOB))
    assert driver.table_view.clock == left
    assert "turn_timed_out" not in driver.notes()
    driver.now += 1000.0  # the host's computer sleeps
    driver.ask(BOB, GetView(ID))
    go_on(driver)
    assert driver.table_view.clock == left
    driver.wait(left + 1, (ANN, BOB))
    assert "turn_timed_out" in driver.notes()


def test_bots_stop_even_while_they_think() -> None:
    driver = table_for(3, ("regular", "regular"))
    driver.begin(ANN)
    while (turn := driver.table.bot_turn()) is None:
        driver.play(1)
    rev = driver.rev
    pause(driver)
    assert driver.table.bot_turn() is None
    intent = next(one for one in (turn.view.own.options if turn.view.own else ())).intent
    assert driver.table.bot_move(driver.now, turn, intent) == ()
    driver.wait(20, (ANN,))
    assert driver.rev == rev
    go_on(driver)
    assert driver.bot()
    assert driver.rev == rev + 1


def test_nobody_stands_in_for_who_is_away_during_a_pause() -> None:
    driver = playing(ANN, BOB)
    pause(driver)
    rev = driver.rev
    driver.wait(100)
    assert all(seat.away for seat in driver.table_view.seats)
    assert driver.table.bot_turn() is None
    driver.ask(ANN, GetView(ID))
    go_on(driver)
    assert driver.rev == rev


def test_a_pause_survives_a_restart_of_the_host() -> None:
    driver = playing(ANN, BOB, turn_seconds=30)
    pause(driver, "Pizza!")
    again = resumed(driver)
    assert again.sync(BOB).table.pause == "Pizza!"
    again.wait(40, (ANN, BOB))
    assert again.table_view.clock in (None, 30)
    go_on(again)
    assert resumed(again).sync(ANN).table.pause is None


def test_a_pause_ends_once_nobody_comes_back() -> None:
    driver = playing(ANN, BOB)
    pause(driver)
    driver.ask(BOB, Bye(ID))
    driver.wait(PAUSE_ALONE_SECONDS - 10)
    assert driver.table_view.pause is not None
    driver.wait(20)
    assert driver.latest.events == (GameResumed(None),)
    assert driver.table.bot_turn() is not None


def test_a_pause_ends_at_once_when_all_have_left() -> None:
    driver = playing(ANN, BOB)
    pause(driver)
    for key in (ANN, BOB):
        driver.ask(key, Bye(ID))
    driver.wait(1)
    assert driver.table_view.pause is None


def test_a_pause_that_cannot_be_recorded_is_none() -> None:
    driver = playing(ANN, BOB)
    driver.journals.full = True
    assert driver.code(ANN, SetPause(ID, True)) == "record_failed"
    driver.journals.full = False
    pause(driver)
    driver.journals.full = True
    assert driver.code(ANN, SetPause(ID, False)) == "record_failed"
    assert driver.table_view.pause == ""
