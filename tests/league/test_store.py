"""The league's database and its merges, brought up to date with real records."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.errors import LeagueError
from coffeerush.league.store import DATABASE, Results, league_directory, load_results
from coffeerush.league.table import MERGES_FILE, load_merges, merge, unmerge
from coffeerush.local.files import STATE_VARIABLE, locked
from coffeerush.records.entries import Entry, Head, Move, Relocation, Removal
from coffeerush.records.writing import begun_at, load_record
from tests.support.leagues import ANN, BOB, MINE, NEW_YEAR, OTHER_ANN, game_of, save
from tests.support.records import lines

FOUR = (ANN, BOB, OTHER_ANN, MINE)


def silent(_done: int, _total: int | None) -> None:
    """Ignore the progress."""


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Return a directory with the records of three games."""
    for number in range(3):
        save(tmp_path / "records", game_of(*FOUR, number=number), number)
    return tmp_path / "records"


def load(records: Path, rebuild: bool = False) -> Results:
    """Load the results with a database next to the records."""
    directory = records.parent / "league"
    directory.mkdir(exist_ok=True)
    return load_results(directory, records, silent, rebuild)


def reads(records: Path) -> list[tuple[int, int | None]]:
    """Load the results, and return what is told of the progress."""
    told: list[tuple[int, int | None]] = []
    (records.parent / "league").mkdir(exist_ok=True)
    load_results(
        records.parent / "league",
        records,
        lambda done, total: told.append((done, total)),
        progress_seconds=0.0,
    )
    return told


def test_every_game_is_read_once(records: Path) -> None:
    assert reads(records) == [(0, 3), (1, 3), (2, 3)]
    assert reads(records) == []
    save(records, game_of(*FOUR, number=9), 9)
    assert reads(records) == [(0, 1)]
    assert [len(one.seats) for one in load(records).games] == [4] * 4
    head = load_record(next(records.iterdir())).head
    assert {one.table for one in load(records).games} == {head.table} != {""}


def test_games_begin_when_their_names_say_so(records: Path) -> None:
    path = save(records, game_of(*FOUR, number=9), 9)
    os.utime(path, (1.0, 1.0))
    assert begun_at(path) == NEW_YEAR.replace(day=10).timestamp()
    for name in ("game.record", "T-20261345-250000-1.record"):
        assert begun_at(path.rename(path.with_name(name))) == 1.0
        path = path.with_name(name)
    assert min(one.begun for one in load(records).games) == 1.0


def test_a_time_far_from_now_breaks_nothing(records: Path) -> None:
    path = save(records, game_of(*FOUR, number=9), 9).rename(records / "far.record")
    for year in (1901, 2300, 9999, 12_000):
        os.utime(path, (at := (year - 1970) * 31_556_952, at))  # some file systems clamp it
        assert len(load(records).games) == 4
        assert 0.0 <= begun_at(path) <= 2**63 / 1e9
    for day in ("00010101", "99991231"):
        path = path.rename(records / f"Table-{day}-235959-1.record")
        assert 0.0 <= begun_at(path) <= 2**63 / 1e9
    assert len(load(records).games) == 4


def test_who_was_absent_is_kept(records: Path) -> None:
    head, *others = game_of(*FOUR, number=9)
    assert isinstance(head, Head)
    save(records, [head, Removal(ANN.key, head.seats.index(ANN)), *others], 9)
    before = load(records)
    assert [len(one.absent) for one in before.games] == [0, 0, 0, 1]
    assert load(records) == before


def test_unfinished_and_damaged_records_are_counted(records: Path) -> None:
    complete = load(records).games
    unfinished = save(records, game_of(*FOUR, number=8)[:-1], 8)
    (records / "cut.record").write_bytes(lines(game_of(*FOUR))[:200])
    (records / "foreign.record").write_bytes(b"\0" * 100)
    os.mkfifo(records / "pipe.record")
    (records / os.fsdecode(b"\xff.record")).write_bytes(b"")
    results = load(records)
    assert (results.games, results.unfinished, results.damaged) == (complete, 1, 3)
    unfinished.write_bytes(lines(game_of(*FOUR, number=8)))
    results = load(records)
    assert (len(results.games), results.unfinished, results.damaged) == (4, 0, 3)


@pytest.mark.slow
def test_what_is_brought_up_to_date_is_what_is_rebuilt(records: Path) -> None:
    chance = Random(7)
    for number in range(3, 9):
        path = save(records, game_of(*chance.sample(FOUR, 4), number=number), number)
        before = load(records)
        chance.choice([path.unlink, lambda: None])()
        after = load(records)
        assert len(before.games) - len(after.games) == (not path.exists())
        assert load(records, rebuild=True) == after


def flip(database: Path) -> None:
    data = bytearray(database.read_bytes())
    for at in range(4096, len(data)):
        data[at] ^= 0x55
    database.write_bytes(data)


def execute(command: str) -> Callable[[Path], None]:
    def change(database: Path) -> None:
        with closing(sqlite3.connect(database)) as connection:
            connection.execute(command)
            connection.commit()

    return change


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(b"no database" * 500), id="foreign"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:5000]), id="cut"),
        pytest.param(flip, id="flipped"),
        pytest.param(execute("DROP TABLE seat"), id="no table"),
        pytest.param(execute("PRAGMA user_version = 99"), id="newer"),
        pytest.param(execute("UPDATE seat SET name = CAST(x'ff' AS TEXT)"), id="no text"),
        pytest.param(execute("DELETE FROM seat"), id="no seats"),
        pytest.param(execute("UPDATE seat SET rank = 'first'"), id="no rank"),
        pytest.param(execute("UPDATE seat SET score = 1e300"), id="no score"),
        pytest.param(execute("UPDATE record SET begun = 1e300"), id="no time"),
        pytest.param(execute("UPDATE record SET game = x'ff'"), id="no id"),
    ],
)
def test_a_damaged_database_is_rebuilt(records: Path, damage: Callable[[Path], None]) -> None:
    expected = load(records)
    damage(records.parent / "league" / DATABASE)
    assert load(records) == expected
    assert reads(records) == [], "it is whole again"


def test_a_database_that_cannot_be_written_is_an_error(records: Path) -> None:
    (records.parent / "league" / DATABASE).mkdir(parents=True)
    with pytest.raises(LeagueError, match=r"results\.sqlite cannot be used: "):
        load(records)


@pytest.mark.slow
def test_two_programs_at_once_do_no_harm(records: Path) -> None:
    for number in range(3, 8):
        save(records, game_of(*FOUR, number=number), number)
    code = (
        "import sys; from pathlib import Path; from coffeerush.league.store import load_results\n"
        "for rebuild in (False, True, True):\n"
        "    found = load_results(*map(Path, sys.argv[1:]), lambda *_: None, rebuild)\n"
        "    print(len(found.games), sum(len(one.seats) for one in found.games), found.damaged)"
    )
    (records.parent / "league").mkdir()
    command = [sys.executable, "-c", code, str(records.parent / "league"), str(records)]
    programs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _program in range(2)
    ]
    for program in programs:
        assert program.communicate() == ("8 32 0\n" * 3, "")
    assert len(load(records).games) == 8


def test_it_says_that_it_waits_for_another_program(records: Path) -> None:
    directory = records.parent / "league"
    directory.mkdir()
    with ExitStack() as other:
        other.enter_context(locked(directory))

        def progress(_done: int, total: int | None) -> None:
            assert total is None
            other.close()

        assert len(load_results(directory, records, progress).games) == 3


def test_the_directory_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    path = league_directory()
    assert path.is_relative_to(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "file"))
    (tmp_path / "file").touch()
    with pytest.raises(LeagueError, match="set COFFEERUSH_STATE"):
        league_directory()


def test_a_merge_is_undone_as_a_whole_or_for_one(tmp_path: Path) -> None:
    merge(tmp_path, "a", "b")
    merge(tmp_path, "b", "c")
    merge(tmp_path, "d", "a")
    merge(tmp_path, "c", "d")
    assert load_merges(tmp_path) == {"a": "b", "b": "c", "d": "c"}, "c is all of them already"
    unmerge(tmp_path, "d")
    assert load_merges(tmp_path) == {"a": "b", "b": "c"}
    unmerge(tmp_path, "b")
    assert load_merges(tmp_path) == {"a": "b"}, "as before b was merged"
    merge(tmp_path, "b", "c")
    unmerge(tmp_path, "c")
    assert load_merges(tmp_path) == {}


@pytest.mark.parametrize("data", [b"", b"{", b'["a"]', b'{"a": 1}', b"\xff"])
def test_merges_that_cannot_be_read_are_never_replaced(tmp_path: Path, data: bytes) -> None:
    (tmp_path / MERGES_FILE).write_bytes(data)
    with pytest.raises(LeagueError, match="which players are the same person"):
        merge(tmp_path, "a", "b")
    assert (tmp_path / MERGES_FILE).read_bytes() == data


def test_a_game_that_moved_counts_once_with_both_records_here(records: Path) -> None:
    head, *others = game_of(*FOUR, number=9)
    moves = [one for one in others if isinstance(one, Move)]
    there = Relocation(20, 2, "T" * 40, "Bob", "Ann")
    moved: list[Entry] = [head, *moves[:20], there, *moves[20:], *others[len(moves) :]]
    before = load(records)
    save(records, moved, 9)
    old = save(records, [head, *moves[:20], replace(there, address="192.0.2.7")], 10)
    after = load(records)
    assert len(after.games) == len(before.games) + 1
    assert old.exists()
    assert load(records, rebuild=True) == after
