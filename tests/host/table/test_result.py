"""The result, the rematch, and the return to the lobby when too few players stay."""

import pytest

from coffeerush.host.table.config import GONE_SECONDS
from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    GameStarted,
    Hello,
    OrdersDrawn,
    PeopleChanged,
    Ready,
    Remove,
    Said,
    StandUp,
    Start,
)
from tests.support.tables import ANN, BOB, CID, DEE, ID, played, table_for


def test_the_owner_starts_the_rematch() -> None:
    driver = played(ANN, BOB, seats=2)
    driver.ask(BOB, Chat(ID, "again?"))
    assert [seat.ready for seat in driver.table_view.seats] == [True, False]
    assert driver.code(ANN, Start(ID)) == "not_ready"
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert (driver.game, driver.rev, driver.latest.private_revs) == (2, 0, (0, 0))
    log = driver.sync(ANN).log
    assert Said("Bob", "again?") in log
    assert {type(event) for event in log} == {Said, GameStarted, OrdersDrawn}
    assert isinstance(driver.latest.events[0], GameStarted)
    driver.play()
    assert driver.notes().count("game_over") == 2
    assert driver.journals.record(0).head.setup.seed != driver.journals.record(1).head.setup.seed


@pytest.mark.parametrize("leaving", [Bye(ID), StandUp(ID), None])
@pytest.mark.parametrize("owner", ["", CID])
def test_an_agreement_to_a_rematch_counts_for_those_who_were_there(
    owner: str, leaving: Bye | StandUp | None
) -> None:
    driver = played(CID, ANN, BOB, seats=3, owner=owner)
    driver.ask(ANN, Ready(ID, True))
    driver.ask(BOB, Ready(ID, True))
    assert driver.table_view.stage == "result"
    if leaving is None:
        driver.wait(GONE_SECONDS + 2, present=(ANN, BOB))
    else:
        driver.ask(CID, leaving)
    assert driver.table_view.stage == "result"
    assert not any(seat.ready for seat in driver.table_view.seats)
    driver.ask(ANN, Ready(ID, True))
    driver.ask(BOB, Ready(ID, True))
    assert driver.latest.game == 2
    assert [seat.name for seat in driver.latest.table.seats] == ["Ann", "Bob"]
    assert driver.sync(BOB).seat == 1


def test_an_owner_who_stays_may_start_a_rematch_without_one_who_leaves() -> None:
    driver = played(ANN, BOB, CID, seats=3)
    driver.ask(BOB, Ready(ID, True))
    driver.ask(CID, Bye(ID))
    assert driver.table_view.seats[1].ready
    driver.ask(ANN, Start(ID))
    assert driver.game == 2


def test_after_its_last_game_a_table_deals_no_more() -> None:
    driver = played(ANN, BOB, seats=2, owner="", games=1)
    assert driver.table.all_played
    driver.ask(ANN, Ready(ID, True))
    driver.ask(BOB, Ready(ID, True))
    assert (driver.game, driver.table_view.stage) == (1, "result")
    owned = played(ANN, BOB, seats=2, games=1)
    owned.ask(BOB, Ready(ID, True))
    assert owned.code(ANN, Start(ID)) == "wrong_stage"


def test_a_player_who_returns_in_time_plays_the_rematch() -> None:
    driver = played(ANN, BOB, seats=2)
    driver.ask(BOB, Bye(ID, stand_in=True))
    assert driver.table_view.seats[1].away
    assert driver.table_view.seats[1].name == "Bob"
    assert driver.code(ANN, Start(ID)) == "too_few_players"
    driver.hello(BOB)
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert driver.game == 2


def test_a_newcomer_joins_for_the_rematch_and_sees_no_cups() -> None:
    driver = played(ANN, BOB, seats=3)
    assert [seat.status for seat in driver.table_view.seats] == ["person", "person", "open"]
    answer = driver.hello(CID)
    assert answer.seat == 2
    assert answer.view is not None
    assert answer.view.own is None
    driver.ask(BOB, Ready(ID, True))
    driver.ask(CID, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert len(driver.state.players) == 3


def test_taking_somebodys_seat_does_not_reveal_their_cups() -> None:
    driver = played(ANN, BOB, CID, seats=3)
    assert driver.view(CID).own is not None
    driver.ask(ANN, Remove(ID, 2))
    answer = driver.hello(DEE)
    assert answer.seat == 2
    assert answer.view is not None
    assert answer.view.own is None
    assert driver.view(DEE).own is None


def test_the_names_of_a_result_stay_until_somebody_takes_a_seat_that_was_left() -> None:
    driver = played(ANN, BOB, CID, seats=3)
    assert driver.code(DEE, Hello(ID, PROTOCOL_VERSION, "Dee", "player")) == "table_full"
    driver.ask(CID, Bye(ID, stand_in=True))
    assert [seat.name for seat in driver.table_view.seats] == ["Ann", "Bob", "Cid"]
    told = driver.table.summary()
    assert [seat.status for seat in told.seats] == ["person", "person", "open"]
    assert driver.table.free_seats == 1
    assert driver.hello(DEE).seat == 2
    assert driver.table_view.stage == "result"
    assert driver.hello(CID, "spectator").seat is None


def test_a_seat_that_is_kept_in_a_game_is_not_free() -> None:
    driver = table_for(seats=3)
    driver.begin(ANN, BOB)
    driver.ask(BOB, Bye(ID))
    assert {seat.status for seat in driver.table.summary().seats} == {"person"}
    assert driver.table.free_seats == 0


def test_with_one_player_left_a_newcomer_returns_the_table_to_the_lobby() -> None:
    driver = played(ANN, BOB, seats=2)
    driver.ask(BOB, Bye(ID, stand_in=True))
    assert driver.table_view.stage == "result"
    answer = driver.hello(CID)
    assert answer.table.stage == "lobby"
    assert (answer.seat, answer.view, answer.game) == (1, None, 1)
    assert driver.latest.private_revs == ()
    driver.ask(CID, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert driver.game == 2


def test_when_all_have_left_the_lobby_is_back() -> None:
    driver = played(ANN, BOB, seats=2)
    driver.wait(7)
    assert [seat.away for seat in driver.table_view.seats] == [True, True]
    driver.wait(GONE_SECONDS)
    assert driver.table_view.stage == "lobby"
    assert [seat.status for seat in driver.table_view.seats] == ["open", "open"]
    assert driver.events()[-1] == PeopleChanged("Bob", "left")


def test_bots_join_and_leave_between_games() -> None:
    driver = played(ANN, BOB, seats=3)
    driver.ask(ANN, AddBot(ID, 2, "casual"))
    driver.ask(ANN, Remove(ID, 1))
    driver.ask(ANN, Start(ID))
    assert [seat.name for seat in driver.table_view.seats] == ["Ann", "Toffee"]
    driver.play()
    assert driver.notes().count("game_over") == 2


def test_only_the_result_stage_has_tallies() -> None:
    driver = played(ANN, BOB, CID, seats=3)
    tallies = driver.latest.table.tallies
    final = {one.seat: one.score for one in driver.view(ANN).standings}
    assert [one.scores[-1] for one in tallies] == [final[seat] for seat in range(3)]
    assert [len(one.scores) for one in tallies] == [driver.state.round] * 3
    assert any(one.best_served for one in tallies)
    assert not any(update.table.tallies for update in driver.updates[:-1])
    driver.ask(BOB, Ready(ID, True))
    driver.ask(CID, Ready(ID, True))
    assert driver.latest.table.tallies == tallies
    driver.ask(ANN, Start(ID))
    assert not driver.latest.table.tallies
    driver.play()
    assert [len(one.scores) for one in driver.latest.table.tallies] == [driver.state.round] * 3


def test_people_who_join_after_the_end_get_the_tallies() -> None:
    driver = played(ANN, BOB, seats=3)
    tallies = driver.latest.table.tallies
    assert driver.hello(ANN).table.tallies == tallies
    assert driver.hello(DEE, "spectator").table.tallies == tallies
    assert driver.hello(CID).table.tallies == tallies


def test_the_lobby_after_a_game_has_no_tallies() -> None:
    driver = played(ANN, BOB, seats=2)
    driver.wait(GONE_SECONDS + 1)
    assert driver.table_view.stage == "lobby"
    assert driver.latest.table.tallies == ()


@pytest.mark.parametrize("stage", ["game", "result"])
def test_a_table_whose_owner_has_left_starts_rematches_automatically(stage: str) -> None:
    driver = table_for(3)
    driver.begin(ANN, BOB, CID)
    if stage == "game":
        driver.ask(ANN, Bye(ID, stand_in=True))
        assert driver.table_view.owner is None
    driver.play()
    if stage == "result":
        assert driver.table_view.owner == 0
        driver.ask(ANN, Bye(ID, stand_in=True))
    driver.ask(BOB, Ready(ID, True))
    driver.ask(CID, Ready(ID, True))
    assert (driver.game, driver.table_view.owner) == (2, None)
    assert [seat.name for seat in driver.table_view.seats] == ["Bob", "Cid"]


def test_a_long_silent_owner_is_not_waited_for() -> None:
    driver = played(ANN, BOB, CID, seats=3)
    driver.sync(ANN)
    driver.wait(GONE_SECONDS, present=(BOB, CID))
    assert (driver.game, driver.table_view.owner) == (1, 0)
    driver.wait(2, present=(BOB, CID))
    for key in (BOB, CID):
        driver.ask(key, Ready(ID, True))
    assert (driver.game, driver.table_view.owner) == (2, None)


def test_an_owner_who_comes_back_owns_the_table_again() -> None:
    driver = played(ANN, BOB, CID, seats=3)
    driver.ask(ANN, Bye(ID, stand_in=True))
    driver.ask(BOB, Ready(ID, True))
    assert driver.code(BOB, Remove(ID, 2)) == "not_owner"
    answer = driver.hello(ANN)
    assert (answer.owner, answer.table.owner) == (True, 0)
    driver.ask(CID, Ready(ID, True))
    assert driver.game == 1
    driver.ask(ANN, Start(ID))
    assert driver.game == 2


def test_with_its_owner_gone_and_only_bots_left_a_table_waits() -> None:
    driver = table_for(2)
    driver.hello(BOB, "spectator")
    driver.hello(ANN)
    driver.ask(ANN, AddBot(ID, 1, "casual"))
    driver.ask(ANN, Start(ID))
    driver.ask(ANN, Bye(ID, stand_in=True))
    driver.play()
    driver.wait(3, present=(BOB,))
    assert (driver.table_view.stage, driver.table_view.owner) == ("lobby", None)
    driver.hello(BOB)
    driver.ask(BOB, Ready(ID, True))
    assert driver.game == 2
