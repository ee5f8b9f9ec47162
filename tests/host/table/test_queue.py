"""The queue for a seat: waiting, standing up, and who makes room between games."""

from typing import Any

import pytest

from coffeerush.host.table.config import GONE_SECONDS
from protocol import (
    MAX_SPECTATORS,
    AddBot,
    Bye,
    PeopleChanged,
    Queue,
    QueueFirst,
    Ready,
    Remove,
    Rename,
    Rotation,
    SetRules,
    StandUp,
    Start,
)
from tests.support.tables import (
    ANN,
    BOB,
    CID,
    DEE,
    EVE,
    ID,
    NAMES,
    TableDriver,
    resumed,
    table_for,
)

WAIT, GO_ON = Queue(ID, True), Queue(ID, False)


def full(*waiting: str, rotation: Rotation = "owner", **settings: Any) -> TableDriver:
    """Return Ann's table, full with Bob, and who waits there for a seat."""
    driver = table_for(rotation=rotation, seats=2, **settings)
    for key in (ANN, BOB):
        driver.hello(key)
    for key in waiting:
        driver.hello(key, "spectator")
        driver.ask(key, WAIT)
    return driver


def after_a_game(*waiting: str, rotation: Rotation = "owner", **settings: Any) -> TableDriver:
    """Return the same table after a game."""
    driver = full(*waiting, rotation=rotation, **settings)
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    driver.play()
    assert driver.table_view.stage == "result"
    return driver


def seated(driver: TableDriver) -> list[str]:
    return [seat.name for seat in driver.table_view.seats]


def ranked(driver: TableDriver) -> list[str]:
    """Return the names of those who played Ann's game with Bob, best first."""
    view = driver.sync(ANN).view
    assert view is not None
    return [("Ann", "Bob")[one.seat] for one in view.standings]


def test_spectators_wait_in_the_order_in_which_they_came() -> None:
    driver = full(DEE, CID)
    assert driver.table_view.next_game.queue == ("Dee", "Cid")
    assert driver.latest.events == (PeopleChanged("Cid", "waiting"),)
    seen = len(driver.updates)
    driver.ask(DEE, WAIT)
    assert driver.table_view.next_game.queue == ("Dee", "Cid"), "they wait already"
    assert len(driver.updates) == seen
    driver.ask(CID, Rename(ID, "Carl"))
    driver.ask(DEE, GO_ON)
    assert driver.table_view.next_game.queue == ("Carl",)


def test_the_queue_is_open_during_a_game_and_moves_up_after_it() -> None:
    driver = full()
    driver.begin(ANN, BOB)
    driver.hello(CID, "spectator")
    driver.ask(CID, WAIT)
    driver.play()
    assert (seated(driver), driver.table_view.next_game.queue) == (["Ann", "Bob"], ("Cid",))
    driver.ask(BOB, StandUp(ID))
    assert (seated(driver), driver.table_view.next_game.queue) == (["Ann", "Cid"], ())
    assert driver.latest.events == (
        PeopleChanged("Bob", "watching"),
        PeopleChanged("Cid", "joined"),
    )
    assert driver.sync(CID).seat == 1
    assert driver.sync(BOB).seat is None
    assert driver.code(ANN, Start(ID)) == "not_ready"
    driver.ask(CID, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert driver.game == 2


def test_who_stands_up_keeps_the_view_of_the_game_that_is_over() -> None:
    driver = after_a_game()
    driver.ask(BOB, StandUp(ID))
    view = driver.sync(BOB).view
    assert view is not None
    assert view.own is not None
    assert view.own.seat == 1
    driver.ask(BOB, WAIT)
    assert driver.sync(BOB).seat == 1, "the seat is still open"


@pytest.mark.parametrize("vacates", [Bye(ID, stand_in=True), StandUp(ID)])
def test_the_first_in_line_gets_a_seat_that_opens_in_the_lobby(vacates: Bye | StandUp) -> None:
    driver = full(CID, DEE)
    driver.ask(BOB, vacates)
    assert (seated(driver), driver.table_view.next_game.queue) == (["Ann", "Cid"], ("Dee",))


def test_a_seat_that_was_kept_goes_to_the_first_in_line_after_the_game() -> None:
    driver = full(CID)
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    driver.ask(BOB, Bye(ID, stand_in=True))
    assert seated(driver) == ["Ann", "Bob"]
    driver.play()
    assert (driver.table_view.stage, seated(driver)) == ("result", ["Ann", "Cid"])
    assert driver.hello(BOB, "spectator").seat is None


def test_a_seat_is_open_again_once_nobody_waits() -> None:
    driver = full(CID)
    driver.ask(CID, GO_ON)
    driver.ask(BOB, StandUp(ID))
    assert seated(driver) == ["Ann", ""]
    driver.ask(CID, WAIT)
    assert seated(driver) == ["Ann", "Cid"], "and anyone who wants it has it at once"
    assert driver.latest.events == (PeopleChanged("Cid", "joined"),)


def test_who_leaves_or_falls_silent_waits_no_longer() -> None:
    driver = full(CID, DEE)
    driver.ask(CID, Bye(ID, stand_in=True))
    assert driver.table_view.next_game.queue == ("Dee",)
    driver.wait(GONE_SECONDS + 2, (ANN, BOB))
    assert driver.table_view.next_game.queue == ()
    driver.hello(CID, "spectator")
    assert driver.table_view.next_game.queue == ()


def test_the_owner_says_who_stands_up_and_who_is_first_in_line() -> None:
    driver = full(CID, DEE)
    driver.ask(ANN, QueueFirst(ID, "Dee"))
    assert driver.table_view.next_game.queue == ("Dee", "Cid")
    driver.ask(ANN, StandUp(ID, 1))
    assert (seated(driver), driver.table_view.next_game.queue) == (["Ann", "Dee"], ("Cid",))
    assert driver.table.removed == frozenset(), "nobody is banned"
    driver.now += 5
    driver.ask(ANN, StandUp(ID))
    assert seated(driver) == ["Cid", "Dee"]
    assert driver.sync(ANN).owner
    driver.ask(ANN, StandUp(ID, 0))
    assert seated(driver) == ["", "Dee"], "an owner who watches may still do that"
    driver.ask(ANN, AddBot(ID, 0, "regular"))
    driver.ask(ANN, StandUp(ID, 0))
    assert seated(driver) == ["", "Dee"]


def test_a_seat_whose_person_left_after_the_game_can_be_opened() -> None:
    driver = after_a_game()
    driver.ask(BOB, Bye(ID, stand_in=True))
    driver.ask(ANN, StandUp(ID, 1))
    assert seated(driver) == ["Ann", ""]
    assert driver.table_view.spectators == ()


def test_with_too_many_spectators_nobody_stands_up() -> None:
    driver = full()
    for index in range(MAX_SPECTATORS):
        driver.hello(f"{index:040}", "spectator", name=f"guest {index}")
    assert driver.code(BOB, StandUp(ID)) == "too_many_spectators"
    driver.ask(f"{0:040}", WAIT)
    assert driver.table_view.next_game.queue == ("guest 0",)


def test_the_loser_makes_room_for_one_and_waits_in_turn() -> None:
    driver = after_a_game(CID, DEE, rotation="loser")
    winner, loser = ranked(driver)
    assert {*seated(driver)} == {winner, "Cid"}
    assert driver.table_view.next_game.queue == ("Dee", loser)
    assert driver.latest.events[-2:] == (
        PeopleChanged(loser, "made_room"),
        PeopleChanged("Cid", "joined"),
    )


def test_the_loser_makes_room_also_for_who_waits_only_after_the_game() -> None:
    driver = after_a_game(rotation="loser")
    assert seated(driver) == ["Ann", "Bob"]
    winner, loser = ranked(driver)
    driver.hello(CID, "spectator")
    driver.ask(CID, WAIT)
    assert {*seated(driver)} == {winner, "Cid"}
    assert driver.table_view.next_game.queue == (loser,)
    driver.ask(CID, StandUp(ID))
    assert {*seated(driver)} == {"Ann", "Bob"}, "then the loser is back"


def test_nobody_makes_room_for_who_has_just_played() -> None:
    driver = after_a_game(rotation="everybody")
    driver.ask(BOB, StandUp(ID))
    driver.hello(CID)
    driver.ask(BOB, WAIT)
    assert (seated(driver), driver.table_view.next_game.queue) == (["Ann", "Cid"], ("Bob",))


@pytest.mark.slow
def test_everybody_plays_in_turn() -> None:
    driver = full(CID, rotation="everybody", owner="")
    games = []
    for _ in range(6):
        driver.now += 5
        for name in seated(driver):
            driver.ask(next(key for key, known in NAMES.items() if known == name), Ready(ID, True))
        assert driver.table_view.stage == "game"
        games.append({*seated(driver)})
        driver.play()
    assert all(len(players) == 2 for players in games)
    sat_out = [next(iter({"Ann", "Bob", "Cid"} - players)) for players in games]
    for three in zip(sat_out, sat_out[1:], sat_out[2:], strict=False):
        assert {*three} == {"Ann", "Bob", "Cid"}, sat_out


def test_as_many_make_room_as_wait() -> None:
    driver = after_a_game(CID, DEE, EVE, rotation="everybody")
    assert {*seated(driver)} == {"Cid", "Dee"}
    assert driver.table_view.next_game.queue == ("Eve", *reversed(ranked(driver)))


@pytest.mark.parametrize("rotation", ["loser", "everybody"])
def test_bots_make_room_before_players(rotation: Rotation) -> None:
    driver = table_for(bots=("random",), rotation=rotation, seats=2)
    driver.hello(ANN)
    driver.hello(CID, "spectator")
    driver.ask(CID, WAIT)
    driver.ask(ANN, Start(ID))
    driver.play()
    assert seated(driver) == ["Cid", "Ann"]
    assert driver.table_view.spectators == ()


def test_after_the_last_game_nobody_makes_room() -> None:
    driver = after_a_game(CID, rotation="loser", games=1)
    assert (seated(driver), driver.table_view.next_game.queue) == (["Ann", "Bob"], ("Cid",))


def test_the_owner_changes_the_rule_while_people_wait() -> None:
    driver = after_a_game(CID)
    driver.ask(ANN, SetRules(ID, 0, 0, True, rotation="loser"))
    assert driver.table_view.next_game.rotation == "loser"
    assert "Cid" in seated(driver)


def test_a_kick_makes_room_too() -> None:
    driver = full(CID)
    driver.ask(ANN, Remove(ID, 1))
    assert seated(driver) == ["Ann", "Cid"]


def test_a_resumed_table_keeps_the_rule_and_has_an_empty_queue() -> None:
    driver = full(CID, rotation="loser")
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    driver.play(20)
    again = resumed(driver)
    assert (again.table_view.next_game.rotation, again.table_view.next_game.queue) == ("loser", ())
    again.hello(CID, "spectator")
    again.ask(CID, WAIT)
    again.play()
    assert "Cid" in seated(again)
