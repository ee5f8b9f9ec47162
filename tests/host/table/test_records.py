"""The record of a finished game: who gets it, when, and what is in it."""

from typing import Any

import pytest
from msgspec.structs import replace

from coffeerush.records.entries import Record, read_record
from coffeerush.records.sharing import SharedRecord, shared_so_far
from protocol import (
    MAX_PART_BYTES,
    MAX_SHARED_BYTES,
    Bye,
    Chat,
    GetRecord,
    Ready,
    RecordPart,
    Refused,
    Remove,
    RemoveSpectator,
    Start,
)
from tests.support.once import copied
from tests.support.tables import ANN, BOB, CID, DEE, ID, TableDriver, resumed, table_for


@copied
def finished(**settings: Any) -> TableDriver:
    """Return a table after a game of Ann and Bob, which Cid watches."""
    driver = table_for(**settings)
    driver.hello(CID, "spectator")
    driver.begin(ANN, BOB)
    driver.play()
    driver.now += 10
    return driver


def code(driver: TableDriver, key: str, game: int, offset: int = 0) -> str:
    driver.now += 1
    return driver.code(key, GetRecord(ID, game, offset))


def fetched(driver: TableDriver, key: str, game: int = 1) -> bytes:
    """Return the bytes of a record, part by part."""
    data, size = b"", 1
    while len(data) < size:
        driver.now += 1
        answer = driver.ask(key, GetRecord(ID, game, len(data)))
        assert isinstance(answer, RecordPart), answer
        data, size = data + answer.part, answer.size
    assert len(data) == size
    return data


def rematch(driver: TableDriver) -> None:
    for key in (ANN, BOB):
        driver.ask(key, Ready(ID, True))
    driver.ask(ANN, Start(ID))


def test_players_and_spectators_get_the_whole_game() -> None:
    driver = finished()
    data = fetched(driver, ANN)
    assert data == fetched(driver, BOB) == fetched(driver, CID)
    mine, theirs = driver.journals.record(), read_record(data)
    assert theirs.end == mine.end is not None
    assert [(one.seat, one.intent) for one in theirs.moves] == [
        (one.seat, one.intent) for one in mine.moves
    ]
    assert list(theirs.states()) == list(mine.states())


def test_a_long_record_comes_in_parts() -> None:
    driver = finished()
    data = fetched(driver, ANN)
    first = driver.ask(ANN, GetRecord(ID, 1, 0))
    middle = driver.ask(ANN, GetRecord(ID, 1, 100))
    assert isinstance(first, RecordPart)
    assert isinstance(middle, RecordPart)
    assert first.part == data[:MAX_PART_BYTES]
    assert middle.part == data[100:][:MAX_PART_BYTES]
    assert len(data) > MAX_PART_BYTES


def test_nobody_gets_it_before_the_end() -> None:
    driver = table_for()
    assert driver.hello(ANN).table.stage == "lobby"
    assert code(driver, ANN, 0) == code(driver, ANN, 1) == "no_record"
    driver.begin(ANN, BOB)
    driver.play(50)
    assert code(driver, ANN, 1) == code(driver, BOB, 1) == "no_record"
    driver.play()
    assert fetched(driver, BOB)


def test_strangers_and_people_who_left_get_nothing() -> None:
    driver = finished()
    assert code(driver, DEE, 1) == "say_hello"
    driver.ask(BOB, Bye(ID, stand_in=True))
    assert code(driver, BOB, 1) == "say_hello"
    driver.ask(ANN, Remove(ID, 1))
    assert code(driver, BOB, 1) in ("removed", "say_hello")


def test_nothing_but_the_latest_finished_game_is_there() -> None:
    driver = finished()
    first = fetched(driver, CID)
    assert code(driver, CID, 2) == code(driver, CID, 0) == "no_record"
    assert code(driver, CID, 1, len(first)) == "no_record"
    rematch(driver)
    assert fetched(driver, CID) == first, "during the next game"
    driver.play()
    assert code(driver, CID, 1) == "no_record"
    assert read_record(fetched(driver, CID, 2)).head.game == 2


def test_the_copy_has_no_secrets_of_the_host() -> None:
    driver = finished(first="Bob", turn_seconds=30, seats=3, bots=("regular",))
    record = driver.journals.record()
    assert record.head.guests == (CID,)
    head = read_record(fetched(driver, CID)).head
    assert (head.owner, head.first, head.port) == ("", "", 0)
    assert head.guests == head.removed == ()
    assert [one.key for one in head.seats] == [one.key for one in record.head.seats]
    copy = read_record(fetched(driver, CID))
    assert not any(one.id for one in copy.moves)
    assert [one.key for one in copy.moves] == [one.key for one in record.moves]
    assert not copy.guests
    assert CID.encode() not in fetched(driver, CID)


def test_the_copy_shows_which_moves_a_bot_made_for_somebody() -> None:
    driver = table_for()
    driver.hello(CID, "spectator")
    driver.begin(ANN, BOB)
    driver.play(60)
    left = driver.rev
    driver.ask(BOB, Bye(ID, stand_in=True))
    driver.play()
    driver.now += 10
    copy = read_record(fetched(driver, CID))
    bob = next(seat for seat, one in enumerate(copy.head.seats) if one.key == BOB)
    assert copy.stand_ins() == tuple(move.seat == bob and move.rev > left for move in copy.moves)
    assert copy.stand_ins() == driver.journals.record().stand_ins()
    assert sum(copy.stand_ins()) > 60


def test_a_game_in_which_nobody_moved_was_played_by_bots() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    for key in (ANN, BOB):
        driver.ask(key, Bye(ID, stand_in=True))
    driver.play()
    driver.now += 10
    record = driver.journals.record()
    assert not any(one.key for one in record.moves)
    assert all(record.stand_ins())


def test_the_folder_of_a_bot_stays_on_its_machine() -> None:
    record = finished(bots=("regular",), seats=3).journals.record()
    bot = "/home/ann/secret/my_bot.py:MyBot"
    seats = tuple(replace(one, bot=bot) if one.bot else one for one in record.head.seats)
    data = SharedRecord(replace(record.head, seats=seats)).data
    assert b"my_bot.py:MyBot" in data
    assert b"ann/secret" not in data


def test_a_kick_is_in_the_copy_only_if_it_had_a_seat() -> None:
    driver = table_for(seats=3)
    driver.begin(ANN, BOB, CID)
    driver.hello(DEE, "spectator")
    driver.play(30)
    driver.ask(ANN, RemoveSpectator(ID, "Dee"))
    driver.ask(ANN, Remove(ID, 2))
    driver.play()
    driver.now += 10
    mine, theirs = driver.journals.record(), read_record(fetched(driver, BOB))
    assert [one.seat for one in mine.removals] == [None, 2]
    assert [one.seat for one in theirs.removals] == [2]


def test_a_full_disk_delays_the_record() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.journals.full_at_end = True
    driver.play()
    assert code(driver, BOB, 1) == "no_record"
    driver.journals.full = driver.journals.full_at_end = False
    driver.wait(6, (ANN, BOB))
    assert read_record(fetched(driver, BOB)).end


@pytest.mark.parametrize("at", [40, 10_000])
def test_a_resumed_host_has_the_whole_record(at: int) -> None:
    driver = table_for(owner="")
    driver.begin(ANN, BOB)
    driver.play(at)
    driver = resumed(driver)
    driver.wait(10)  # bots play on
    driver.play()
    driver.hello(BOB)
    assert fetched(driver, BOB) == copy_of(driver.journals.record())


def copy_of(record: Record) -> bytes:
    return shared_so_far(record).data


def test_asking_for_parts_has_a_limit_of_its_own() -> None:
    driver = finished()
    codes = []
    for _each in range(12):
        answer = driver.ask(BOB, GetRecord(ID, 1, 0))
        codes.append(answer.refusal.code if isinstance(answer, Refused) else "")
    assert codes == [""] * 10 + ["too_fast"] * 2
    assert not isinstance(driver.ask(ANN, Chat(ID, "Oi")), Refused), "a limit of each key"


def test_a_record_that_is_too_large_is_not_sent() -> None:
    record = finished().journals.record()
    copy = SharedRecord(record.head)
    move = record.moves[0]
    head = len(copy.data)
    copy.append(move)
    fitting = (MAX_SHARED_BYTES - head) // (len(copy.data) - head)
    for _each in range(fitting - 1):
        copy.append(move)
    assert copy.data
    copy.append(move)
    assert not copy.data
    assert record.end
    copy.append(record.end)
    assert not copy.data
