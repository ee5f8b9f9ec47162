"""The record as a file: on disk before `append` returns, one writer, secret until the end."""

import errno
import fcntl
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from coffeerush.errors import HostError, RecordError
from coffeerush.records.entries import (
    MAX_RECORD_BYTES,
    End,
    Guest,
    Head,
    Move,
    Paused,
    Removal,
    encode_entry,
    read_record,
)
from coffeerush.records.writing import Journal, Records, Unsynced, file_name, load_record
from protocol import PlaceMeeple
from tests.support.records import head_of, lines, play

ROOT = Path(__file__).parents[2]
BEGUN = datetime(2026, 1, 31, 20, 15, 0)
HEAD = head_of()
GAME = play(HEAD)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    begun = Journal.create(tmp_path, HEAD, BEGUN)
    yield begun
    begun.close()


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def unfinished(directory: Path, tail: bytes = b"") -> Path:
    """Return the record of a game whose host was killed."""
    path = directory / "killed.record"
    path.write_bytes(lines(GAME[:40]) + tail)
    return path


def run(child: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a child process, with the helpers of these tests imported.

    For tests that limit the size of files or kill the process.
    """
    begin = """
        import os, resource, signal, sys
        from itertools import count
        from pathlib import Path
        from coffeerush.errors import RecordError
        from coffeerush.records.writing import Journal
        from coffeerush.records.entries import encode_entry
        from tests.records.test_writing import BEGUN, GAME, lines

        def limit_files(size: int) -> None:
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size < 0 else size, hard))

        def kill_before(step: int) -> None:
            left = iter(range(step))
            def killing(call):
                def wrapped(*args, **more):
                    if next(left, None) is None:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return call(*args, **more)
                return wrapped
            for name in ("pwrite", "fsync", "link", "rename", "unlink", "fchmod", "dup", "close"):
                setattr(os, name, killing(getattr(os, name)))

        def is_killed(step: int, act) -> bool:
            child = os.fork()
            if not child:
                kill_before(step)
                act()
                os._exit(0)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0

        def refuse(*args, **more):
            raise PermissionError("no such thing here")

        directory = Path(sys.argv[1])
    """
    code = textwrap.dedent(begin) + textwrap.dedent(child)
    words = [sys.executable, "-c", code, str(directory)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def sentence(call: Callable[[], object]) -> str:
    with pytest.raises(RecordError) as caught:
        call()
    return str(caught.value)


def test_a_game_is_on_disk_line_by_line_and_shared_after_its_end(journal: Journal) -> None:
    for count, entry in enumerate(GAME[1:], 2):
        assert mode_of(journal.path) == 0o600
        journal.append(entry)
        assert journal.path.read_bytes() == lines(GAME[:count])
    assert mode_of(journal.path) == 0o644
    assert load_record(journal.path).end == GAME[-1]


def test_a_record_is_private_from_the_start_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = Journal.create(tmp_path / "new" / "place", HEAD, BEGUN)
    finally:
        os.umask(before)
    made.close()
    assert mode_of(made.path) == 0o600


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("Ann's table", "Ann-s-table-20260131-201500-3.record"),
        ("../../etc/x", "etc-x-20260131-201500-3.record"),
        ("커피", "커피-20260131-201500-3.record"),
        ("...", "table-20260131-201500-3.record"),
    ],
)
def test_a_file_name_has_no_path_separators(table: str, name: str) -> None:
    head = Head(table=table, game=3, setup=HEAD.setup, seats=HEAD.seats)
    assert file_name(head, BEGUN) == name


def test_an_existing_file_is_not_overwritten(tmp_path: Path, journal: Journal) -> None:
    before = journal.path.read_bytes()
    another = Journal.create(tmp_path, HEAD, BEGUN)
    another.close()
    assert another.path.name == f"{journal.path.stem}-2.record"
    assert journal.path.read_bytes() == before


def test_a_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot be written" in sentence(lambda: Journal.create(tmp_path / "file", HEAD, BEGUN))


def test_a_game_that_could_not_be_resumed_does_not_start(tmp_path: Path) -> None:
    nameless = Head(table="", game=1, setup=HEAD.setup, seats=HEAD.seats)
    assert "line 1" in sentence(lambda: Journal.create(tmp_path, nameless, BEGUN))
    assert not list(tmp_path.iterdir())


def test_a_torn_line_is_truncated_and_the_game_goes_on(tmp_path: Path) -> None:
    path = unfinished(tmp_path, encode_entry(GAME[40])[:-1])
    journal, record = Journal.resume(path)
    assert path.read_bytes() == lines(GAME[:40])
    assert record == read_record(lines(GAME[:40]))
    for entry in GAME[40:]:
        journal.append(entry)
    journal.close()
    assert path.read_bytes() == lines(GAME)


def test_a_record_has_only_one_writer(tmp_path: Path, journal: Journal) -> None:
    assert "another host" in sentence(lambda: Journal.resume(journal.path))
    path = unfinished(tmp_path)
    first, _ = Journal.resume(path)
    assert "another host" in sentence(lambda: Journal.resume(path))
    first.append(GAME[40])
    first.close()
    second, record = Journal.resume(path)
    second.close()
    assert record.moves[-1] == GAME[40]


def test_a_finished_game_is_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "over.record"
    path.write_bytes(lines(GAME))
    assert "this game is over" in sentence(lambda: Journal.resume(path))


def test_an_invalid_record_is_not_modified(tmp_path: Path) -> None:
    path = unfinished(tmp_path)
    broken = path.read_bytes().replace(b'"rev":20,', b'"rev":21,') + b"torn"
    path.write_bytes(broken)
    assert sentence(lambda: Journal.resume(path)).startswith(f"{path}: line 21 is damaged")
    assert path.read_bytes() == broken


def test_only_regular_files_are_records(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for read in (Journal.resume, load_record):
        assert "Not a regular file" in sentence(partial(read, tmp_path / "pipe"))
        assert "Not a regular file" in sentence(partial(read, Path("/dev/zero")))
        assert "Too many levels of symbolic" in sentence(partial(read, tmp_path / "loop"))
    assert "Is a directory" in sentence(lambda: Journal.resume(tmp_path))
    assert "No such file" in sentence(lambda: Journal.resume(tmp_path / "none"))
    assert "Is a directory" in sentence(lambda: load_record(tmp_path))
    assert "No such file" in sentence(lambda: load_record(tmp_path / "none"))


def test_a_resumed_record_that_others_could_read_becomes_private(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = unfinished(tmp_path)
    for mode, warned in ((0o644, True), (0o600, False)):
        path.chmod(mode)
        caplog.clear()
        Journal.resume(path)[0].close()
        assert mode_of(path) == 0o600
        assert ("could read the cards to come" in caplog.text) == warned


def test_a_file_one_byte_too_large_is_no_record(tmp_path: Path) -> None:
    path = unfinished(tmp_path)
    os.truncate(path, MAX_RECORD_BYTES + 1)
    assert "at most" in sentence(lambda: load_record(path))
    assert "at most" in sentence(lambda: Journal.resume(path))
    assert path.stat().st_size == MAX_RECORD_BYTES + 1
    os.truncate(path, MAX_RECORD_BYTES)
    assert load_record(path).good == len(lines(GAME[:40]))


@pytest.mark.slow
def test_a_full_disk_leaves_the_last_whole_line(tmp_path: Path) -> None:
    size = len(lines(GAME[:10]))
    child = f"""
        journal = Journal.create(directory, GAME[0], BEGUN)
        limit_files({size + 20})
        for entry in GAME[1:10]:
            journal.append(entry)
        for _ in range(2):
            try:
                journal.append(GAME[10])
            except RecordError as error:
                print(error)
        print(journal.path.stat().st_size)
        limit_files(-1)
        for entry in GAME[10:]:
            journal.append(entry)
    """
    first, second, left = run(child, tmp_path).stdout.splitlines()
    assert first == second
    assert "cannot be written: File too large" in first
    assert int(left) == size
    assert next(tmp_path.iterdir()).read_bytes() == lines(GAME)


@pytest.mark.slow
def test_no_file_is_left_if_the_head_does_not_fit(tmp_path: Path) -> None:
    child = f"""
        from datetime import timedelta
        limit_files({len(encode_entry(HEAD)) // 2})
        for second in range(2):
            try:
                Journal.create(directory, GAME[0], BEGUN + timedelta(seconds=second))
            except RecordError as error:
                print(error)
    """
    first, second = run(child, tmp_path).stdout.splitlines()
    assert first == second, "the same each time"
    assert "File too large" in first
    assert not list(tmp_path.iterdir())


def test_a_failed_truncation_is_retried(tmp_path: Path) -> None:
    path = unfinished(tmp_path)
    writable = os.open(path, os.O_RDWR)
    handle = os.open(path, os.O_RDONLY)  # every write and every cut fails
    journal = Journal(path, handle, path.stat().st_size)
    for _try in range(2):
        assert "cannot be written: " in sentence(lambda: journal.append(GAME[40]))
    with path.open("ab") as torn:
        torn.write(encode_entry(GAME[40])[:20])
    os.dup2(writable, handle)
    os.close(writable)
    journal.append(End(()))
    journal.close()
    assert path.read_bytes() == lines(GAME[:40]) + encode_entry(End(()))


def test_a_full_record_still_takes_its_end(tmp_path: Path) -> None:
    path = tmp_path / "full.record"
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    journal = Journal(path, handle, MAX_RECORD_BYTES - 1000)
    for late in (Move(1, 0, PlaceMeeple(0)), Guest("k" * 40), Removal("k" * 40)):
        assert "is full" in sentence(partial(journal.append, late))
    end = GAME[-1]
    assert isinstance(end, End)
    journal.append(end)
    journal.close()
    assert mode_of(path) == 0o644


@pytest.mark.slow
@pytest.mark.parametrize("links", ["", "os.link = refuse"], ids=["links", "no links"])
def test_killed_at_any_moment_of_its_beginning_a_record_is_whole_or_not_there(
    tmp_path: Path, links: str
) -> None:
    child = f"""
        {links}
        for step in count():
            place = directory / str(step)
            place.mkdir()
            if not is_killed(step, lambda: Journal.create(place, GAME[0], BEGUN)):
                break
    """
    assert not run(child, tmp_path).stderr
    assert {len([*place.glob("*.record")]) for place in tmp_path.iterdir()} == {0, 1}
    for path in tmp_path.glob("*/*.record"):
        journal, record = Journal.resume(path)
        journal.close()
        assert record.head == HEAD
        assert mode_of(path) == 0o600


@pytest.mark.slow
def test_killed_at_any_moment_of_its_end_a_game_is_over_or_goes_on(tmp_path: Path) -> None:
    child = """
        for step in count():
            place = directory / str(step)
            place.mkdir()
            path = place / "killed.record"
            path.touch(0o600)
            path.write_bytes(lines(GAME[:-1]))
            journal, _record = Journal.resume(path)
            if not is_killed(step, lambda: journal.append(GAME[-1])):
                break
    """
    assert not run(child, tmp_path).stderr
    paths = [*tmp_path.glob("*/*.record")]
    over = [load_record(path).end is not None for path in paths]
    assert {*over} == {True, False}
    for path, is_over in zip(paths, over, strict=True):
        assert mode_of(path) == 0o600 or is_over, "nobody else reads a game that goes on"


def test_a_file_system_without_locks_is_an_error_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    path = unfinished(tmp_path)
    monkeypatch.setattr(fcntl, "flock", refuse)
    handles = len(os.listdir("/dev/fd"))
    assert "No locks available" in sentence(lambda: Journal.create(tmp_path, HEAD, BEGUN))
    assert "No locks available" in sentence(lambda: Journal.resume(path))
    assert [*tmp_path.iterdir()] == [path]
    assert len(os.listdir("/dev/fd")) == handles


def broken_disk(monkeypatch: pytest.MonkeyPatch, *calls: str) -> None:
    """Make some system calls fail."""

    def fail(*_args: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    for call in calls:
        monkeypatch.setattr(os, call, fail)


def test_a_record_that_cannot_be_renamed_is_an_error_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handles = len(os.listdir("/dev/fd"))
    broken_disk(monkeypatch, "link", "rename")
    assert "Input/output error" in sentence(lambda: Journal.create(tmp_path, HEAD, BEGUN))
    assert not [*tmp_path.iterdir()]
    assert len(os.listdir("/dev/fd")) == handles


def test_a_complete_refused_line_that_cannot_be_truncated_does_not_count(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entry in GAME[1:10]:
        journal.append(entry)
    with monkeypatch.context() as disk:
        broken_disk(disk, "fsync", "ftruncate")
        assert "Input/output error" in sentence(lambda: journal.append(GAME[10]))
        assert len(load_record(journal.path).moves) == 9, "should it be killed now"
        assert "Input/output error" in sentence(lambda: journal.append(GAME[10]))
        assert len(load_record(journal.path).moves) == 9
    for entry in GAME[10:]:
        journal.append(entry)
    assert journal.path.read_bytes() == lines(GAME)


def test_a_host_that_cannot_invalidate_a_line_ends_without_a_refusal(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pwrite

    def write_once(file: int, data: bytes, at: int) -> int:
        broken_disk(monkeypatch, "pwrite")
        return real(file, data, at)

    broken_disk(monkeypatch, "fsync", "ftruncate")
    monkeypatch.setattr(os, "pwrite", write_once)
    with pytest.raises(HostError, match="cannot be written: Input/output error"):
        journal.append(GAME[1])


def test_moves_at_several_tables_are_synced_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsynced, tables = Unsynced(), {}
    for number in (1, 2, 3):
        records = tables[number] = Records(tmp_path)
        records.number, records.unsynced = number, unsynced
        records.begin(HEAD)
    moves = [entry for entry in GAME if isinstance(entry, Move)]
    real, synced, broken = os.fsync, list[int](), tables[2].path.stat().st_ino

    def sync(file: int) -> None:
        synced.append(os.fstat(file).st_ino)
        if synced[-1] == broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(file)

    monkeypatch.setattr(os, "fsync", sync)
    for records in tables.values():
        records.append(moves[0])
        records.append(moves[1])
    assert not synced
    (failed,) = unsynced.sync().items()
    assert failed[0] == 2
    assert "Input/output error" in str(failed[1])
    assert sorted(synced) == sorted(records.path.stat().st_ino for records in tables.values())
    assert unsynced.sync() == {}
    tables[1].append(moves[2])
    tables[1].append(Paused("tea"))
    assert tables[1].path.stat().st_ino == synced[3], "only moves wait"
    tables[1].close()
    assert unsynced.sync() == {}
    assert len(synced) == 4
    for number in (2, 3):
        tables[number].close()
