"""The file with a table's join code: it survives a crash, and nothing that was withdrawn does."""

import os
import shutil
import stat
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.host.run import KeptCode, RecordsWithCode
from coffeerush.joining.admission import TABLE_TRIES, Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.records.entries import End, Removal
from coffeerush.records.writing import Journal
from protocol import RefusedError
from tests.support.records import KEY, head_of, play

CODE, OTHER = "apple-tiger-moon", "winter-butterfly-coffee"
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
    records.port = 47820
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
