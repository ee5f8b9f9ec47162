"""A host from start to stop, in this process."""

import logging
import os
import pty
import shutil
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from fcntl import ioctl
from pathlib import Path
from random import Random
from termios import TIOCSWINSZ
from typing import TextIO

import pytest
from msgspec.structs import replace
from segno import make

from coffeerush.errors import RecordError
from coffeerush.host.run import (
    ASKERS_AT_ONCE,
    ASKERS_PER_SECOND,
    GuestNotice,
    KeptCode,
    RecordsWithCode,
    invite,
)
from coffeerush.host.server.parent import Ways
from coffeerush.joining.admission import TABLE_TRIES, Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.code import QUIET, half_blocks, qr_modules
from coffeerush.records.entries import End, Removal
from coffeerush.records.writing import Journal
from protocol import RefusedError
from tests.support.hosts_and_clients import ROOT, SECONDS, environment
from tests.support.records import KEY, head_of, play

# A host from start to stop, in this process


_HOST = ("host", "--headless", "--bind", "127.0.0.1", "--port", "0")
_STOPPED_AS_SOON_AS_IT_SAYS_HOW = """
import logging, os, signal
from coffeerush.cli.main import main

class Reader(logging.Handler):
    def emit(self, record):
        if record.msg.startswith("Stop with"):
            os.kill(os.getpid(), signal.SIGTERM)

logging.basicConfig(level=logging.INFO, handlers=[Reader()])
main()
"""


@pytest.mark.slow
def test_a_host_that_says_how_to_stop_it_can_be_stopped(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_AS_SOON_AS_IT_SAYS_HOW, *_HOST],
        env=environment(tmp_path),
        cwd=ROOT,
        timeout=SECONDS,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


# How a host's log says how to join, and the QR code on a terminal


ADDRESSES = ("192.168.0.12", "[2001:db8::12]:47820")
CODE = "apple-tiger-moon"
COMMAND = f"coffeerush join {ADDRESSES[0]} {CODE}"


@contextmanager
def terminal(columns: int, encoding: str = "utf-8") -> Iterator[tuple[TextIO, int]]:
    """Yield a terminal's stream, and the descriptor of the pty's other end."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    try:
        with open(theirs, "w", encoding=encoding) as stream:
            yield stream, ours
    finally:
        os.close(ours)


def shown(columns: int, encoding: str = "utf-8") -> str:
    """Return what the terminal shows apart from the log."""
    with terminal(columns, encoding) as (stream, ours):
        invite(ADDRESSES, 47820, CODE, stream)
        stream.write("end")
        stream.flush()
        text = b""
        while not text.endswith(b"end"):
            text += os.read(ours, 65536)
    return text.decode(encoding)[: -len("end")]


@pytest.fixture(autouse=True)
def ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Isolate the tests from the terminal that they run in."""
    monkeypatch.setenv("TERM", "xterm")


def test_the_log_has_the_join_command(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), terminal(80) as (stream, _ours):
        invite(ADDRESSES, 47820, CODE, stream)
    assert caplog.messages == [
        f"Join with: {COMMAND}",
        f"Join with: coffeerush join {ADDRESSES[1]} {CODE}",
    ]


def test_the_log_explains_an_open_table(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), terminal(80) as (stream, _ours):
        invite(ADDRESSES[:1], 47820, "", stream)
    assert caplog.messages == [
        "Join with: coffeerush join 192.168.0.12 open",
        "No join code is needed: anybody who can reach port 47820 can join.",
    ]


def test_a_terminal_shows_a_qr_code_of_the_command() -> None:
    rows = shown(80).split("\r\n")[:-1]
    assert all(row.startswith("\x1b[30;47m") and row.endswith("\x1b[0m") for row in rows)
    bare = [row.removeprefix("\x1b[30;47m").removesuffix("\x1b[0m") for row in rows]
    assert bare == half_blocks(qr_modules(COMMAND))


def test_no_qr_code_is_written_if_it_could_not_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(80)
    assert not shown(36)
    assert not shown(80, "latin-1")
    monkeypatch.setenv("TERM", "dumb")
    assert not shown(80)


@pytest.mark.parametrize("quiet", [0, 1, QUIET])
@pytest.mark.parametrize("text", [COMMAND, "a", "x" * 90])
def test_half_blocks_are_the_modules_two_by_two(text: str, quiet: int) -> None:
    rows = half_blocks(qr_modules(text, quiet))
    halves = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
    pixels = [[halves[one][half] for one in row] for row in rows for half in (0, 1)]
    matrix = make(text, error="l", micro=False).matrix
    size = len(matrix)
    inner = [row[quiet : quiet + size] for row in pixels[quiet : quiet + size]]
    assert inner == [list(row) for row in matrix]
    assert sum(map(sum, pixels)) == sum(map(sum, matrix)), "the edge is light"


def told(caplog: pytest.LogCaptureFixture, notice: GuestNotice, ways: Ways, now: float) -> int:
    """Tell of guests who ask, and return how many lines are logged."""
    caplog.clear()
    with caplog.at_level(logging.INFO):
        notice.tell(ways, now)
    return len(caplog.messages)


def test_the_log_has_each_guest_who_asks_but_not_those_of_a_flood(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notice, ways = GuestNotice(("192.168.0.12",)), Ways(1, "SHA256:key", 2)
    assert told(caplog, notice, ways, 0) == 3
    ann = replace(ways, asking=((1, "Ann", "123456"),))
    assert told(caplog, notice, ann, 0) == 1
    assert caplog.messages == ["Guest 1 (Ann) asks to join with a browser. The number: 123456"]
    assert told(caplog, notice, ann, 0) == 0
    flood = [replace(ways, asking=((guest, "Eve", "1"),)) for guest in range(2, 900)]
    assert sum(told(caplog, notice, each, 0) for each in flood) == ASKERS_AT_ONCE - 1
    bea = replace(ways, asking=((900, "Bea", "654321"),))
    assert told(caplog, notice, bea, 0) == 0
    assert told(caplog, notice, bea, 2 / ASKERS_PER_SECOND) == 1


def test_the_log_says_why_guests_cannot_join(caplog: pytest.LogCaptureFixture) -> None:
    notice = GuestNotice(("192.168.0.12",))
    assert told(caplog, notice, Ways(0, "", failed="Port 1 is in use."), 0) == 1
    assert caplog.messages == ["Guests without this program cannot join: Port 1 is in use."]


# The file with a table's join code: it survives a crash, and nothing that was withdrawn does


OTHER = "winter-butterfly-coffee"
REMOVAL = Removal("r" * 40)
END = play(head_of())[-1]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def kept() -> KeptCode:
    return KeptCode()


@pytest.fixture
def records(tmp_path: Path, kept: KeptCode) -> RecordsWithCode:
    """Return the records of a table with the code `CODE`, at which a game has begun."""
    (tmp_path / "state").mkdir()
    kept.change(CODE)
    records = RecordsWithCode(tmp_path / "records", kept)
    records.port, records.hall, records.number = 47820, "c0ffee", 2
    records.begin(head_of())
    return records


def files(state: Path) -> list[Path]:
    return list((state / "codes").glob("*")) if (state / "codes").exists() else []


def crash(records: RecordsWithCode) -> Path:
    """Leave everything as it is on disk; return the record."""
    path = records.path
    records.close()
    return path


def resumed(path: Path) -> str:
    """Return the code with which the game of a record is resumed."""
    journal, record = Journal.resume(path)
    journal.close()
    return KeptCode().resume(path, record.head)


def test_a_resumed_table_has_the_code_from_before(records: RecordsWithCode, state: Path) -> None:
    (file,) = files(state)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert resumed(crash(records)) == CODE


def test_the_code_is_in_no_record(records: RecordsWithCode) -> None:
    text = crash(records).read_text()
    assert not [word for word in CODE.split("-") if word in text]


def test_a_changed_code_replaces_the_one_before(
    records: RecordsWithCode, kept: KeptCode, state: Path
) -> None:
    kept.change(OTHER)
    assert CODE not in "".join(path.read_text() for path in files(state))
    assert resumed(crash(records)) == OTHER


def test_a_code_that_somebody_kicked_knows_is_gone_before_the_kick_is_on_record(
    records: RecordsWithCode, kept: KeptCode, state: Path
) -> None:
    records.append(REMOVAL)
    assert not files(state)
    kept.change(OTHER)
    assert resumed(crash(records)) == OTHER


def test_a_host_that_crashes_in_the_middle_of_a_kick_has_a_new_code(
    records: RecordsWithCode,
) -> None:
    records.append(REMOVAL)
    assert resumed(crash(records)) == ""


def test_each_game_has_the_code_until_it_is_over(
    records: RecordsWithCode, kept: KeptCode, state: Path
) -> None:
    assert isinstance(END, End)
    records.append(END)
    assert not files(state)
    kept.change(OTHER)
    assert not files(state), "nothing can be resumed between two games"
    records.begin(replace(head_of(), game=4))
    assert len(files(state)) == 1
    assert resumed(crash(records)) == OTHER


def test_a_game_that_replaces_another_takes_the_code_along(
    records: RecordsWithCode, state: Path
) -> None:
    first = records.path
    records.begin(replace(head_of(), game=4))
    assert len(files(state)) == 1
    assert resumed(first) == ""


def test_a_table_that_ends_leaves_no_code(
    records: RecordsWithCode, kept: KeptCode, state: Path
) -> None:
    kept.end()
    kept.change(OTHER)
    assert not files(state)
    assert resumed(crash(records)) == ""


def test_an_open_table_keeps_no_code(records: RecordsWithCode, kept: KeptCode, state: Path) -> None:
    kept.change("")
    assert not files(state)


def test_a_game_that_cannot_begin_changes_nothing(
    records: RecordsWithCode, tmp_path: Path, state: Path
) -> None:
    before = [path.read_bytes() for path in files(state)]
    (tmp_path / "records").rename(tmp_path / "moved")
    (tmp_path / "records").touch()
    with pytest.raises(RecordError):
        records.begin(head_of())
    assert before
    assert [path.read_bytes() for path in files(state)] == before


@pytest.mark.parametrize("where", ["records/copy.record", "other/{name}"])
def test_a_copied_record_has_a_new_code(
    records: RecordsWithCode, tmp_path: Path, where: str
) -> None:
    path = crash(records)
    copy = tmp_path / where.format(name=path.name)
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(path, copy)
    assert resumed(copy) == ""
    assert resumed(path) == CODE


def test_on_another_machine_the_code_is_new(
    records: RecordsWithCode, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path / "another"))
    assert resumed(crash(records)) == ""


def test_a_link_to_the_directory_of_the_record_makes_no_difference(
    records: RecordsWithCode, tmp_path: Path
) -> None:
    path = crash(records)
    (tmp_path / "link").symlink_to(path.parent)
    assert resumed(tmp_path / "link" / path.name) == CODE


def test_another_game_in_the_same_file_has_a_new_code(
    records: RecordsWithCode, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = crash(records)
    other = Journal.create(tmp_path / "other", head_of(seed=8), datetime.now())
    other.close()
    shutil.move(other.path, path)
    assert resumed(path) == ""
    assert "does not hold the join code of this game" in caplog.text


def _linked(file: Path) -> None:
    file.rename(file.with_suffix(".real"))
    file.symlink_to(file.with_suffix(".real"))


def _fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o600)


def _directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _edited(old: bytes, new: bytes) -> Callable[[Path], None]:
    def edit(file: Path) -> None:
        text = file.read_bytes()
        assert old in text
        file.write_bytes(text.replace(old, new))

    return edit


def _foreign(file: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file away")
    os.chown(file, 65534, -1)


@pytest.mark.parametrize(
    "spoil",
    [
        _linked,
        _fifo,
        _directory,
        _foreign,
        lambda file: file.chmod(0o640),
        lambda file: file.chmod(0o602),
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(b"\xff" * 9999),
        _edited(b"\n", b""),
        _edited(b"\n", b"\n\n"),
        _edited(b"tiger-", b""),
        _edited(b"tiger", b"nonsense"),
        _edited(b"tiger", b"-"),
        _edited(b"tiger", b"monkey"),
        _edited(CODE.encode(), b"open"),
        _edited(CODE.encode(), b""),
    ],
)
def test_a_file_that_cannot_be_trusted_means_a_new_code(
    records: RecordsWithCode,
    state: Path,
    caplog: pytest.LogCaptureFixture,
    spoil: Callable[[Path], None],
) -> None:
    (file,) = files(state)
    spoil(file)
    path = crash(records)
    caplog.clear()
    assert resumed(path) == ""
    (line,) = caplog.messages
    assert str(file) in line
    assert "tiger" not in line


def test_a_link_in_its_place_is_replaced_and_not_followed(
    records: RecordsWithCode, kept: KeptCode, state: Path, tmp_path: Path
) -> None:
    (file,) = files(state)
    (tmp_path / "precious").write_text("mine")
    file.unlink()
    file.symlink_to(tmp_path / "precious")
    kept.change(OTHER)
    assert (tmp_path / "precious").read_text() == "mine"
    assert resumed(crash(records)) == OTHER


def test_a_code_that_cannot_be_replaced_is_deleted_at_least(
    records: RecordsWithCode,
    kept: KeptCode,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def full(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        kept.change(OTHER)
    assert "will not survive a crash" in caplog.text
    assert OTHER not in caplog.text
    assert not files(state)
    assert resumed(crash(records)) == ""


def test_after_too_many_wrong_tries_the_new_code_is_the_one_that_comes_back(
    records: RecordsWithCode, kept: KeptCode
) -> None:
    admission = Admission(AdmittedKeyring(), Random(1), code=CODE, on_change=kept.change)
    for number in range(TABLE_TRIES):
        admission.begin(now := float(number), source := f"192.0.2.{number}")
        with pytest.raises(RefusedError):
            admission.prove(now, source, KEY, "")
    assert admission.code != CODE
    assert resumed(crash(records)) == admission.code
