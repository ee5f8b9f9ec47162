"""The rules of a table that its owner sets: clock, pace and hints."""

import pytest
from msgspec.structs import replace

from coffeerush.table_rules import changes
from protocol import Done, PlaceMeeple, Ready, SetRules, Start
from tests.support.tables import ANN, BOB, CID, ID, TableDriver, resumed, table_for


def rules(driver: TableDriver, turn_seconds: int, bot_seconds: int, hints: bool) -> None:
    answer = driver.ask(ANN, SetRules(ID, turn_seconds, bot_seconds, hints))
    assert isinstance(answer, Done)


def test_everybody_sees_the_rules_and_only_the_owner_sets_them() -> None:
    driver = table_for(3, turn_seconds=60)
    for key in (ANN, BOB):
        driver.hello(key)
    seen = driver.hello(CID, "spectator").table
    assert (seen.turn_seconds, seen.bot_seconds, seen.hints) == (60, 0, True)
    rules(driver, 90, 3, False)
    for seen in (driver.latest.table, driver.sync(CID).table):
        assert (seen.turn_seconds, seen.bot_seconds, seen.hints) == (90, 3, False)
    assert driver.code(BOB, SetRules(ID, 0, 0, True)) == "not_owner"
    driver.ask(BOB, Ready(ID, True))
    driver.now += 5
    driver.ask(ANN, Start(ID))
    assert driver.code(ANN, SetRules(ID, 0, 0, True)) == "wrong_stage"


def test_the_clock_is_that_of_the_next_game() -> None:
    driver = table_for(2)
    driver.hello(ANN)
    rules(driver, 20, 0, True)
    driver.begin(ANN, BOB)
    assert driver.table_view.clock == 20
    driver.wait(22, (ANN, BOB))
    assert "turn_timed_out" in driver.notes()


def test_rules_hold_for_later_games_and_for_a_host_that_resumes() -> None:
    driver = table_for(2, turn_seconds=60)
    driver.hello(ANN)
    rules(driver, 90, 2, False)
    driver.begin(ANN, BOB)
    for again in (driver, resumed(driver)):
        table = again.table_view
        assert (table.turn_seconds, table.bot_seconds, table.hints) == (90, 2, False)


def turn_of_a_bot(bot_seconds: int) -> TableDriver:
    """Return a game in which a bot has begun its turn."""
    driver = table_for(2, ("regular",), bot_seconds=bot_seconds, owner=ANN)
    driver.begin(ANN)
    while driver.state.active != 0 or not driver.state.round:
        if driver.table.bot_turn():
            driver.bot()
        elif driver.active_key == ANN:
            driver.person()
        driver.wait(1, (ANN,))
    return driver


def moved(driver: TableDriver) -> float:
    """Play the bot's turn, a second at a time; return how long it took."""
    since, turn = driver.now, driver.state.round
    while driver.state.active == 0 and driver.state.round == turn:
        for _ in range(50):
            driver.bot()
        driver.wait(1, (ANN,))
    return driver.now - since


def test_a_bot_waits_before_it_ends_its_turn() -> None:
    slow, fast = turn_of_a_bot(8), turn_of_a_bot(0)
    assert moved(fast) <= 2
    assert 6 <= moved(slow) <= 10
    assert "bot_fell_back" not in slow.notes()


def test_a_bot_waits_before_it_places_a_meeple() -> None:
    driver = table_for(2, ("regular",), bot_seconds=5, owner=ANN)
    driver.begin(ANN)
    while driver.active_key == ANN:
        driver.person()
    rev = driver.rev
    assert driver.bot(PlaceMeeple(next(iter({*range(16)} - {*taken(driver)}))))
    assert driver.rev == rev
    assert driver.table.bot_turn() is None
    driver.wait(6, (ANN,))
    assert driver.bot()
    assert driver.rev == rev + 1


def taken(driver: TableDriver) -> list[int]:
    """Return the cells with a meeple."""
    return [cell for player in driver.view(ANN).players for cell in player.meeples]


@pytest.mark.parametrize(
    ("rule", "name", "values"),
    [
        (0, "turn_seconds", (30, 60, 90, 120, 180, 300, 0)),
        (1, "bot_seconds", (1, 2, 3, 5, 8, 0)),
        (2, "hints", (False, True)),
        (3, "anybody_lets_in", (True, False)),
        (4, "rotation", ("loser", "everybody", "owner")),
    ],
)
def test_a_rule_goes_through_its_values(rule: int, name: str, values: tuple[object, ...]) -> None:
    request = agreed = SetRules(ID, 0, 0, True)
    for value in values:
        request = changes(request)[rule]
        assert request == replace(agreed, **{name: value})


def test_a_time_that_was_typed_is_followed_by_the_next_longer_one() -> None:
    clock, pace, *_others = changes(SetRules(ID, 45, 30, True))
    assert (clock.turn_seconds, pace.bot_seconds) == (60, 0)
