"""The file of a tournament: what was written is read back, and nothing else."""

import stat
from datetime import datetime
from pathlib import Path

import pytest

from coffeerush.errors import RecordError
from coffeerush.records.entries import encode_entry
from coffeerush.tournament.course import (
    Announced,
    Course,
    Ended,
    Finished,
    Later,
    Paired,
    Registered,
    Reseated,
    RoundBegun,
    RulesChanged,
    Withdrawn,
)
from coffeerush.tournament.journal import (
    MAX_COURSE_BYTES,
    OPEN_BYTES,
    CourseHead,
    CourseJournal,
    is_unfinished,
    load_course,
    load_course_head,
)
from protocol import TournamentRules

ANN, BOB, CID = (letter * 40 for letter in "abc")
HEAD = CourseHead(hall="c0ffee", port=47820)
ENTRIES: tuple[Later, ...] = (
    *(Registered(key, name) for key, name in ((ANN, "Ann"), (BOB, "Bob"), (CID, "Cid"))),
    RulesChanged(TournamentRules(3, fill="regular")),
    RoundBegun((Paired(4, (ANN, BOB)),), (CID,)),
    Reseated(4, 9),
    Finished(9, ((BOB, 2, 3, 1), (ANN, 1, 6, 0))),
    Withdrawn(CID),
    Ended(),
)


def written(directory: Path, *entries: Later) -> Path:
    begun = datetime(2026, 1, 31, 20, 15)
    journal = CourseJournal.create(directory, HEAD, Announced(7, TournamentRules()), begun)
    for entry in entries:
        journal.append(entry)
    journal.close()
    return journal.path


def is_same(one: Course, other: Course) -> bool:
    fields = "stage", "rules", "rounds", "names", "tables", "again", "entered", "last", "open"
    same = [getattr(one, field) == getattr(other, field) for field in fields]
    return all(same) and one.life.standings() == other.life.standings()


@pytest.mark.parametrize("count", range(len(ENTRIES) + 1))
def test_after_each_entry_the_course_is_read_back_as_it_was(tmp_path: Path, count: int) -> None:
    path = written(tmp_path, *ENTRIES[:count])
    course = Course(Announced(7, TournamentRules()))
    for entry in ENTRIES[:count]:
        course.take(entry)
    journal, resumed = CourseJournal.resume(path)
    journal.close()
    assert is_same(resumed, course)
    assert is_same(load_course(path), course)
    assert load_course_head(path) == HEAD


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    assert stat.S_IMODE(written(tmp_path).stat().st_mode) == 0o600


def test_two_tournaments_have_two_files(tmp_path: Path) -> None:
    assert written(tmp_path) != written(tmp_path)
    assert len([*tmp_path.glob("*.tournament")]) == 2


def test_a_line_that_is_cut_off_does_not_count(tmp_path: Path) -> None:
    path = written(tmp_path, *ENTRIES[:3])
    whole = path.read_bytes()
    last = encode_entry(ENTRIES[2])
    for left in range(1, len(last)):
        path.write_bytes(whole[:-left])
        journal, course = CourseJournal.resume(path)
        assert [*course.names.values()] == ["Ann", "Bob"]
        journal.append(ENTRIES[2])
        journal.close()
        assert path.read_bytes() == whole


def refusal(path: Path) -> str:
    with pytest.raises(RecordError) as caught:
        load_course(path)
    return str(caught.value)


def test_what_is_wrong_with_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, *ENTRIES[:2])
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"Bob", b"Bab"))
    assert "line 4 is damaged" in refusal(path)
    path.write_bytes(whole + encode_entry(Withdrawn(CID)))
    assert "line 5 does not fit" in refusal(path)
    path.write_bytes(whole + encode_entry(Finished(4, ())))
    assert "line 5 does not fit" in refusal(path)
    path.write_bytes(encode_entry(HEAD) + encode_entry(ENTRIES[0]))
    assert "line 2 is not a record entry" in refusal(path)
    path.write_bytes(encode_entry(Announced(7, TournamentRules())))
    assert "line 1 is not a record entry" in refusal(path)
    path.write_bytes(b"")
    assert "line 1 is damaged" in refusal(path)
    path.write_bytes(bytes(MAX_COURSE_BYTES + 1))
    assert f"at most {MAX_COURSE_BYTES} bytes" in refusal(path)
    path.unlink()
    assert "cannot be opened" in refusal(path)


def test_a_tournament_can_end_however_many_have_entered(tmp_path: Path) -> None:
    path = written(tmp_path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        journal = CourseJournal(path, file.fileno(), OPEN_BYTES - 1)
        with pytest.raises(RecordError, match="is full"):
            journal.append(ENTRIES[0])
        journal.append(Ended())
    assert size < OPEN_BYTES < path.stat().st_size


def test_a_file_is_written_by_one_host(tmp_path: Path) -> None:
    path = written(tmp_path)
    journal, _course = CourseJournal.resume(path)
    with pytest.raises(RecordError, match="another host"):
        CourseJournal.resume(path)
    journal.close()


def test_the_latest_tournament_may_be_unfinished(tmp_path: Path) -> None:
    assert not is_unfinished(tmp_path, 0.0)
    path = written(tmp_path, *ENTRIES[:-1])
    assert is_unfinished(tmp_path, 0.0)
    assert not is_unfinished(tmp_path, path.stat().st_mtime + 1)
    (tmp_path / "broken.tournament").write_bytes(b"?")
    assert is_unfinished(tmp_path, 0.0)
    path.write_bytes(path.read_bytes() + encode_entry(Ended()))
    assert not is_unfinished(tmp_path, 0.0)
