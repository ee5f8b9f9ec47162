"""Letters and colours that people choose: unique at a table, kept by its record."""

from coffeerush.records.sharing import shared_so_far
from coffeerush.ui.replay.replay import Replay
from protocol import Bye, Done, Ready, SetMark, Start
from tests.support.tables import ANN, BOB, CID, ID, TableDriver, resumed, table_for


def marks(driver: TableDriver) -> list[tuple[int | None, int | None]]:
    return [(seat.letter, seat.colour) for seat in driver.table_view.seats]


def mark(driver: TableDriver, key: str, letter: int | None, colour: int | None) -> None:
    driver.now += 1
    assert isinstance(driver.ask(key, SetMark(ID, letter, colour)), Done)


def test_no_two_seats_have_the_same_letter_or_colour() -> None:
    driver = table_for(seats=3)
    for key in (ANN, BOB, CID):
        driver.hello(key)
    assert marks(driver) == [(None, 0), (None, 1), (None, 2)]
    for key in (ANN, BOB, CID):
        mark(driver, key, 25, 3)
    assert marks(driver) == [(25, 3), (0, 0), (1, 1)]
    mark(driver, CID, None, 2)
    assert marks(driver)[2] == (None, 2)
    heard = len(driver.updates)
    mark(driver, CID, None, 2)
    assert len(driver.updates) == heard, "nothing has changed"
    driver.ask(CID, Bye(ID))
    assert marks(driver)[2] == (None, None)


def test_a_mark_is_for_people_on_seats_between_games() -> None:
    driver = table_for(seats=2)
    for key in (ANN, BOB):
        driver.hello(key)
    driver.hello(CID, "spectator")
    assert driver.code(CID, SetMark(ID, 0, 0)) == "not_seated"
    mark(driver, BOB, 0, 0)
    driver.hello(BOB, "spectator")
    mark(driver, ANN, 0, 0)
    driver.hello(BOB)
    assert marks(driver) == [(0, 0), (1, 1)], "kept while Bob watched, but Ann took them"
    driver.now += 1
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert marks(driver) == [(0, 0), (1, 1)]
    assert driver.code(BOB, SetMark(ID, 0, 0)) == "wrong_stage"
    driver.play()
    mark(driver, BOB, 9, None)
    assert marks(driver) == [(0, 0), (9, 1)]


def test_the_record_keeps_marks_for_a_restart_and_for_the_replay() -> None:
    driver = table_for(seats=3)
    for key in (ANN, BOB):
        driver.hello(key)
    mark(driver, BOB, 25, 3)
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert marks(resumed(driver)) == marks(driver)[:2] == [(None, 0), (25, 3)]
    driver.play()
    record = driver.journals.record()
    copy = shared_so_far(record)
    assert b'"letter":25,"colour":3' in copy.data
    table = Replay(record).frame(0).model.table
    assert table
    assert [(seat.letter, seat.colour) for seat in table.seats] == marks(driver)[:2]
