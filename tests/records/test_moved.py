"""The record of a game that moved to another host: only that one goes on with it."""

from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.local.keys import host_key
from coffeerush.records.entries import Relocation, encode_entry, read_record
from coffeerush.records.export import export_lines
from coffeerush.records.listing import unfinished_game
from coffeerush.records.sharing import shared_so_far
from coffeerush.records.writing import Journal, newest_records
from coffeerush.ui.replay.replay import Replay
from protocol import TableMoved
from tests.support.tables import ANN, BOB, TableDriver, played, table_for

THERE = "T" * 40
MOVED = Relocation(0, 2, THERE, "Bob", "Ann", BOB, "192.0.2.7", 47830)
BEGUN = datetime(2026, 1, 31, 20, 15)


def game(intents: int = 12) -> TableDriver:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.play(intents)
    return driver


def left(driver: TableDriver, host: str = THERE) -> bytes:
    """Return the record of a game that has gone to a host."""
    rev = len(driver.journals.record().moves)
    return driver.journals.read() + encode_entry(replace(MOVED, rev=rev, host=host))


def test_a_host_that_lost_its_game_refuses_it_and_says_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.record"
    path.write_bytes(left(game()))
    with pytest.raises(RecordError, match=r"moved to Bob's computer.* 192\.0\.2\.7:47830"):
        Journal.resume(path, "H" * 40)
    path.write_bytes(left(game()))
    journal, record = Journal.resume(path, THERE)
    journal.close()
    assert (record.owner, record.term) == (BOB, 2)


def test_the_menu_offers_a_game_that_is_here_and_none_that_has_gone(tmp_path: Path) -> None:
    own = host_key(tmp_path).public.decode()
    (tmp_path / "x.record").write_bytes(left(game()))
    assert unfinished_game(tmp_path) is None
    (tmp_path / "y.record").write_bytes(left(game(), own))
    found = unfinished_game(tmp_path)
    assert found is not None
    assert found.path.name == "y.record"
    assert found.owner is not None
    assert found.owner.name == "Bob"


def test_an_incoming_record_is_found_once_it_is_kept(tmp_path: Path) -> None:
    data = left(game())
    journal, other = (Journal.adopt(tmp_path, data, BEGUN) for _each in range(2))
    assert newest_records(tmp_path) == []
    journal.keep()
    assert [path.name for path in newest_records(tmp_path)] == [journal.path.name]
    assert journal.read() == data == journal.path.read_bytes()
    assert journal.path.stat().st_mode & 0o077 == 0
    other.discard()
    assert [*tmp_path.iterdir()] == [journal.path]
    journal.close()
    with pytest.raises(RecordError):
        Journal.adopt(tmp_path, data[9:], BEGUN)


@pytest.mark.parametrize(
    ("one", "wrong"),
    [
        (replace(MOVED, rev=13), "has rev 13 instead of 12"),
        (replace(MOVED, term=1), "moves the table to term 1, which is not later"),
    ],
)
def test_a_move_that_cannot_be(one: Relocation, wrong: str) -> None:
    with pytest.raises(RecordError, match=wrong):
        read_record(game().journals.read() + encode_entry(one))


def test_replay_export_and_copies_name_both_hosts() -> None:
    lines = played(ANN, BOB).journals.read().splitlines(keepends=True)
    moved = encode_entry(replace(MOVED, rev=20))
    record = read_record(b"".join((*lines[:21], moved, *lines[21:])))
    assert TableMoved("Bob") in Replay(record).frame(20).events
    line = b'{"type":"moved","rev":20,"from":"Ann","to":"Bob"}\n'
    exported = [*export_lines(record)]
    assert exported.index(line) == 21
    (copied,) = read_record(shared_so_far(record).data).relocations
    assert copied == replace(MOVED, rev=20, owner="", address="", port=0)
    assert [one for one in exported if one != line] == [*export_lines(read_record(b"".join(lines)))]
