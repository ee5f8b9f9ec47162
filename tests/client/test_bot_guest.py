"""Where a bot from outside goes in a hall."""

import pytest
from msgspec.structs import replace

from coffeerush.client.bot_guest import LOOK_SECONDS, SeatSearch, better_table
from coffeerush.client.model import Model
from protocol import (
    GetTables,
    SeatView,
    TableSummary,
    TableView,
    TournamentRules,
    TournamentView,
)

OPEN = SeatView("open")
BOT = SeatView("bot", "Crema", "regular")
PERSON = SeatView("person", "Ann")


def summary(number: int, *seats: SeatView, stage: str = "lobby") -> TableSummary:
    return TableSummary(number, f"Kitchen {number}", stage, seats)  # type: ignore[arg-type]


def model(seat: int | None, stage: str = "result", *tables: TableSummary) -> Model:
    """Return a bot's at table 1, which knows these others."""
    table = TableView(
        name="Kitchen 1",
        stage=stage,  # type: ignore[arg-type]
        seats=(PERSON, PERSON),
        owner=None,
        bots=("regular",),
        spectators=(),
        starters=False,
        turn_seconds=0,
        clock=None,
    )
    own = summary(1, PERSON, PERSON, stage="result")
    here = Model("player", "Robusta", seat=seat, table=table, number=1, status="here")
    return replace(here, epoch=b"one", game=1, tables=(own, *tables))


LONELY = summary(2, PERSON, BOT, OPEN)
EMPTY = summary(3, OPEN, OPEN, BOT)
BOTS = summary(4, BOT, BOT, OPEN)
PLAYING = summary(5, PERSON, PERSON, OPEN, stage="game")


def test_a_bot_with_a_seat_goes_where_one_player_is_needed() -> None:
    assert better_table(model(0, "result", EMPTY, BOTS, PLAYING)) is None
    assert better_table(model(0, "result", EMPTY, LONELY)) is LONELY


def test_a_bot_without_a_seat_goes_wherever_one_is_open() -> None:
    assert better_table(model(None, "game", PLAYING)) is None
    assert better_table(model(None, "game", PLAYING, BOTS)) is BOTS


@pytest.mark.parametrize("stage", ["round", "break"])
def test_in_a_tournament_the_host_decides(stage: str) -> None:
    rules = TournamentRules()
    held = TournamentView(stage, rules, 3, 1)  # type: ignore[arg-type]
    for seat in (0, None):
        at = model(seat, "result", LONELY)
        assert better_table(replace(at, tournament=held)) is None
        assert better_table(replace(at, tournament=replace(held, stage="over"))) is LONELY


def test_it_looks_once_after_each_game() -> None:
    search, after = SeatSearch(), model(0, "result", LONELY)
    asked = search.wish(after, 1.0)
    assert isinstance(asked, GetTables)
    assert search.wish(replace(after, pending=(asked,)), 1.0) is None, "the answer is to come"
    going = search.wish(after, 1.0)
    assert going is not None
    assert going == after.going_to(LONELY)
    assert search.wish(after, 100.0) is None
    assert isinstance(search.wish(replace(after, game=2), 100.0), GetTables)


def test_without_a_seat_it_looks_again_and_again() -> None:
    search, waits = SeatSearch(), model(None, "game", PLAYING)
    assert isinstance(search.wish(waits, 1.0), GetTables)
    assert search.wish(waits, 1.0) is None
    assert search.wish(waits, 1.0 + LOOK_SECONDS / 2) is None
    assert isinstance(search.wish(waits, 1.0 + LOOK_SECONDS), GetTables)


def test_during_a_game_it_does_not_look() -> None:
    assert SeatSearch().wish(model(0, "game", LONELY), 1.0) is None
