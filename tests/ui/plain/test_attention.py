"""What calls for attention in plain mode: a turn that begins, and its last seconds."""

import pytest

from coffeerush.ui.plain.conversation import Reply, Session
from coffeerush.ui.words.table import SLOW_SECONDS
from protocol import NO_ID, Chat, SetPause
from tests.support.tables import BOB, CID, ID, table_for
from tests.ui.plain.test_plain import KNOWING, Seat, in_turn, seated
from tests.ui.table.test_draw_game import before_a_bot


def after(seat: Seat, seconds: float) -> Reply:
    """Return what is said once the table is so old."""
    return seat.session.changed(seat.wire.model, seconds)


def test_the_last_ten_seconds_of_a_turn_are_told_once() -> None:
    seat = in_turn(turn_seconds=60)
    assert after(seat, 49.9) == Reply()
    assert after(seat, 50.2) == Reply(("10 seconds left.",), call="time")
    assert after(seat, 51.2) == Reply()
    seat.type("right down left")
    seat.type("rest end")
    assert after(seat, 55.0) == Reply(), "it is somebody else's turn"
    seat.wait()
    assert after(seat, 0.0) == Reply()
    assert after(seat, 52.5) == Reply(("8 seconds left.",), call="time")


def test_a_turn_that_is_short_from_the_start_is_not_hurried_twice() -> None:
    seat = in_turn(turn_seconds=10)
    assert after(seat, 1.0) == Reply()


def test_no_time_passes_in_a_pause() -> None:
    seat = in_turn(turn_seconds=60)
    seat.type("pause")
    assert after(seat, 59.0) == Reply()


@pytest.mark.parametrize("bots", [1, 2])
def test_the_time_is_told_in_the_setup_too(bots: int) -> None:
    seat = seated(("random",) * bots, turn_seconds=60)
    said, places = seat.type("start") + seat.wait(), 0
    cells = iter(f"place {row} {column}" for row in (2, 3, 1, 4) for column in (2, 3, 1, 4))
    while any(line.startswith(("Place a meeple", "Place meeple")) for line in said):
        assert said.count("You have 60 seconds.") == 1
        places += 1
        said = seat.type(next(cells)) + seat.wait()
    assert places == 3 - bots
    assert said.count("You have 60 seconds.") == 1
    if bots == 1:  # two players fill their cups
        assert said[-1].startswith("Pour ")
        assert "You have 60 seconds." not in seat.type("1")


def test_an_empty_line_tells_the_time_that_is_left() -> None:
    seat = in_turn(turn_seconds=60)
    assert not [line for line in seat.type("right") if "seconds" in line]
    assert "You have 35 seconds." in seat.session.line(seat.wire.model, "", 25.5).lines


def test_a_turn_that_begins_calls() -> None:
    driver = table_for(3)
    people = [Seat(driver), Seat(driver, BOB), Seat(driver, CID)]
    for one in people[1:]:
        one.type("ready")
    people[0].type("start")
    for cell in ("2 2", "3 3"):
        for one in people:
            one.settle()
            one.calls.clear()
        active = next(one for one in people if one.wire.model.my_turn)
        active.type(f"place {cell}")
        for one in people:
            one.settle()
            assert one.calls == ["turn"] * one.wire.model.my_turn


def test_who_comes_back_in_their_turn_is_called() -> None:
    seat = in_turn()
    assert "turn" in Seat(seat.wire.driver).calls
    seat.wire.driver.ask(seat.wire.key, SetPause(ID, True))
    seat.settle()
    seat.calls.clear()
    seat.wire.driver.ask(seat.wire.key, SetPause(ID, False))
    seat.settle()
    assert seat.calls == []


def test_a_bot_without_a_move_for_seconds_is_still_thinking() -> None:
    link = before_a_bot()
    assert link.model.table is not None
    session = Session(KNOWING)
    reply = session.changed(link.model)
    assert reply.slow_after == SLOW_SECONDS + link.model.table.bot_seconds
    link.wish(Chat(NO_ID, "Well?"))
    assert session.changed(link.model).slow_after is None, "its time has begun already"
    (line,) = session.slow(link.model).lines
    assert line == "Crema is still thinking; a bot has at most 10 seconds for each move."
    link.wish(SetPause(NO_ID, True))
    assert session.changed(link.model).slow_after is None
    assert session.slow(link.model) == Reply(), "nobody is to move"
    link.wish(SetPause(NO_ID, False))
    assert session.changed(link.model).slow_after is not None
    link.local.bots_play = True
    link.local.tick()
    session.changed(link.model)
    assert session.slow(link.model) == Reply()
