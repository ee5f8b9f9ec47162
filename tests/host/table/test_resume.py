"""A killed host resumes from its record: nothing acknowledged is lost."""

import pytest
from msgspec.structs import replace

from coffeerush.host.table.config import AWAY_SECONDS, GONE_SECONDS, TableConfig
from coffeerush.host.table.table import agreed_config
from coffeerush.rules import standard_deck, tallies as tallies_of, view_for
from protocol import (
    STAND_IN_SECONDS,
    Accepted,
    Bye,
    Chat,
    Ready,
    SeatView,
    Start,
    Sync,
    encode,
)
from tests.support.records import head_of
from tests.support.tables import ANN, BOB, CID, ID, TableDriver, played, resumed, table_for


def test_a_game_resumes_in_the_middle_of_a_turn() -> None:
    driver = table_for(seats=3, bots=("random",), turn_seconds=30)
    driver.begin(ANN, BOB)
    driver.play_until(1)
    driver.play(2)
    again = resumed(driver)
    assert again.state == driver.state
    assert [seat.name for seat in again.table_view.seats] == ["Orzo", "Ann", "Bob"]
    assert [seat.away for seat in again.table_view.seats] == [False, False, False]
    assert again.table.keys == {ANN, BOB}
    answer = again.sync(BOB)
    assert (answer.epoch, answer.game, answer.rev) == (b"epoch..2", 1, driver.rev)
    assert answer.view == view_for(driver.state, 2)
    assert answer.log[-20:] == driver.sync(BOB).log[-20:]
    assert again.sync(ANN).owner
    assert again.table_view.clock == 30
    again.ask(ANN, Chat(ID, "Where were we?"))
    again.play()
    assert again.journals.record().end is not None
    assert again.notes().count("game_over") == 1


def test_the_private_revs_are_the_same() -> None:
    driver = table_for(seats=3)
    driver.begin(ANN, BOB, CID)
    driver.play(60)
    assert resumed(driver).table._state.private_revs() == driver.latest.private_revs


def test_a_repeat_gets_the_same_answer_but_for_the_epoch() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.play_until(0)
    intent = driver.view(ANN).own
    assert intent is not None
    wish = driver.wish(intent.options[0].intent, b"r" * 16)
    first = driver.ask(ANN, wish)
    assert isinstance(first, Accepted)
    again = resumed(driver)
    answer = again.ask(ANN, wish)
    assert encode(answer) == encode(first).replace(b"epoch..1", b"epoch..2")
    assert len(again.journals.record().moves) == first.rev


def test_the_clock_of_the_new_host_may_show_any_time() -> None:
    driver = table_for(turn_seconds=20)
    driver.begin(ANN, BOB)
    driver.now = 10.0**6
    again = resumed(driver)
    again.now = 10.0**9
    again.sync(ANN)
    again.sync(BOB)
    again.wait(10, present=(ANN, BOB))
    assert again.table_view.clock == 10
    assert again.table.bot_turn() is None


def test_bots_stand_in_for_absent_people() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    again = resumed(driver)
    again.wait(1 + AWAY_SECONDS + STAND_IN_SECONDS)  # they have that long to rejoin
    assert again.table.bot_turn() is None
    again.wait(1)
    again.play()
    assert again.journals.record().end is not None


def test_a_player_who_has_not_come_back_does_not_keep_a_table_open() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    again = resumed(driver)
    assert flags(again) == (False, True)
    again.sync(ANN)
    assert flags(again) == (True, False)
    again.wait(2 + AWAY_SECONDS)
    assert flags(again) == (True, False), "Ann is only silent"
    again.hello(ANN)
    again.ask(ANN, Bye(ID))
    assert flags(again) == (False, True), "Bob was there before the restart only"
    again.sync(BOB)
    assert flags(again) == (True, False)


def flags(driver: TableDriver) -> tuple[bool, bool]:
    """Return whether the table is in use, and whether it is abandoned."""
    return driver.table.is_in_use, driver.table.is_abandoned


def test_a_finished_game_shows_its_result_and_has_a_rematch() -> None:
    driver = played(ANN, BOB, seats=4)
    again = resumed(driver)
    again.wait(3)
    answer = again.sync(ANN)
    assert answer.table.stage == "result"
    assert [seat.status for seat in answer.table.seats] == ["person", "person", "open", "open"]
    assert answer.view == view_for(driver.state, 0)
    again.sync(BOB)
    again.ask(BOB, Ready(ID, True))
    again.ask(ANN, Start(ID))
    assert again.game == 2
    assert len(again.journals.files) == 2


def test_a_resumed_table_starts_automatically_again_when_its_seats_are_taken() -> None:
    driver = played(ANN, BOB, seats=2, owner="")
    again = resumed(driver)
    again.ask(ANN, Bye(ID))
    again.ask(BOB, Bye(ID))
    again.begin(ANN, BOB)
    assert again.game == 2


def test_a_record_with_the_former_name_of_a_bot_goes_on() -> None:
    driver = table_for(seats=2, bots=("greedy",))
    driver.begin(ANN)
    driver.play_until(0)
    again = resumed(driver)
    assert again.table_view.seats[0] == SeatView("bot", "greedy 1", "greedy", ready=True)
    again.play()
    assert again.table_view.stage == "result"


@pytest.mark.slow
def test_a_resumed_table_has_as_many_seats_as_before() -> None:
    driver = played(ANN, BOB, seats=3)
    seats = resumed(driver).sync(ANN).table.seats
    assert [seat.status for seat in seats] == ["person", "person", "open"]


@pytest.mark.slow
def test_the_next_player_begins_the_next_game_after_a_restart_too() -> None:
    driver = table_for(seats=2, bots=("regular", "regular"), owner="", first="Ibrik")
    driver.wait(1)
    assert driver.state.start == 1
    again = resumed(driver)
    for game in range(2, 5):
        again.play()
        assert again.table_view.next_game.first == game % 2
        again.wait(1)
        assert (again.game, again.state.start) == (game, game % 2)
        assert again.table_view.next_game.first is None


def test_a_record_without_a_seat_count() -> None:
    config = TableConfig(name="?", seats=3, deck=standard_deck())
    head = head_of(2)
    assert agreed_config(config, head).seats == 2, "without an owner all seats were taken"
    assert agreed_config(config, replace(head, owner=ANN)).seats == 4


def test_a_missing_result_is_written() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.journals.full_at_end = True
    driver.play()
    driver.journals.full = driver.journals.full_at_end = False
    assert driver.journals.record().end is None
    again = resumed(driver)
    assert again.journals.record().end is not None
    assert again.table_view.stage == "result"


def test_strangers_are_still_strangers_after_a_restart() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    again = resumed(driver)
    assert again.code(CID, Sync(ID)) == "say_hello"


@pytest.mark.slow
def test_tallies_are_the_same_after_an_interruption() -> None:
    driver = table_for(seats=3)
    driver.begin(ANN, BOB, CID)
    driver.play(150)
    again = resumed(driver)
    assert again.sync(ANN).table.tallies == (), "the game is in progress"
    again.ask(ANN, Chat(ID, "Where were we?"))
    again.play()
    tallies = again.latest.table.tallies
    assert tallies == tallies_of(again.journals.record().states())
    assert len(tallies) == 3
    after = resumed(again, b"epoch..3")
    assert after.table_view.stage == "result"
    assert after.sync(BOB).table.tallies == tallies


def test_an_owner_who_left_before_the_restart_is_not_waited_for() -> None:
    driver = table_for(3)
    driver.begin(ANN, BOB, CID)
    driver.play(10)
    driver.ask(ANN, Bye(ID))
    again = resumed(driver)
    again.wait(8 + STAND_IN_SECONDS, present=(BOB, CID))  # so that a bot plays for Ann
    again.play()
    again.wait(GONE_SECONDS + 2, present=(BOB, CID))
    for key in (BOB, CID):
        again.ask(key, Ready(ID, True))
    assert (again.game, again.table_view.owner) == (2, None)
