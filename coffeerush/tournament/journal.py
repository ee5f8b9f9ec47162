"""Write the course of a tournament to its file, and read it back.

The lines are as in the record of a game: a `CourseHead`, then the entries of the course. They hold
what a host needs after a crash; who won each game is in its record as well.
"""

import os
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal, Self

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.local.files import make_private, open_regular, read_regular
from coffeerush.records.entries import decoded, encode_entry, line_body
from coffeerush.records.writing import LineFile, newest_records, unreadable
from protocol import clean_speaker

from .course import Announced, Course, Later, Registered, RulesChanged

COURSES: Final = "*.tournament"
MAX_COURSE_BYTES: Final = 2**21
OPEN_BYTES: Final = 2**20
"""What entering and new rules may fill; the rest is for what ends a tournament that has begun."""
_MAX_HEAD: Final = 2**10
_TIME: Final = "%Y%m%d-%H%M%S"


class CourseHead(Struct, frozen=True, tag_field="entry", tag="tournament", kw_only=True):
    """The first line: to which host a tournament belongs."""

    version: Literal[1] = 1
    hall: Annotated[str, Meta(min_length=1, max_length=32)]
    """As in the records of its games."""
    port: Annotated[int, Meta(ge=0, le=65535)]
    """Of the door."""


_heads: Final = msgspec.json.Decoder(CourseHead)
_first: Final = msgspec.json.Decoder(Announced)
_entries: Final = msgspec.json.Decoder(Later)


def load_course_head(path: Path) -> CourseHead:
    """Return the head of the file of a tournament; raises `RecordError`."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return _head(path, file.readline(_MAX_HEAD).removesuffix(b"\n"))
    except OSError as error:
        raise unreadable(path, error) from None


def load_course(path: Path) -> Course:
    """Return what has happened in a tournament so far; raises `RecordError`."""
    try:
        return _read(path, read_regular(path, MAX_COURSE_BYTES + 1))[0]
    except OSError as error:
        raise unreadable(path, error) from None


def is_unfinished(directory: Path, since: float) -> bool:
    """Return whether the tournament that was written last, `since` a Unix time, is not over."""
    for path in newest_records(directory, since, (COURSES,)):
        with suppress(RecordError):
            return load_course(path).stage != "over"
    return False


class CourseJournal(LineFile):
    """The file of a tournament that is being played."""

    @classmethod
    def create(
        cls, directory: Path, head: CourseHead, announced: Announced, begun: datetime
    ) -> Self:
        """Begin a new file; a `RecordError` leaves none behind."""
        name = f"{begun:{_TIME}}.tournament"
        return cls.created(directory, name, encode_entry(head) + encode_entry(announced))

    @classmethod
    def resume(cls, path: Path) -> tuple[Self, Course]:
        """Go on with a file, without a torn last line; raises `RecordError`."""
        return cls.reopened(path, partial(_resumable, path))

    def append(self, entry: Later) -> None:
        """Write an entry, and return once it is on disk; raises `RecordError`, `HostError`."""
        is_open = isinstance(entry, Registered | RulesChanged)
        self.append_line(encode_entry(entry), OPEN_BYTES if is_open else MAX_COURSE_BYTES)


def _resumable(path: Path, file: int) -> tuple[Course, int]:
    make_private(file)
    with os.fdopen(os.dup(file), "rb") as reader:
        return _read(path, reader.read(MAX_COURSE_BYTES + 1))


def _read(path: Path, data: bytes) -> tuple[Course, int]:
    """Return the course in a file, and the number of bytes up to a torn last line."""
    if len(data) > MAX_COURSE_BYTES:
        raise RecordError(
            "{path} is full: a record has at most {most} bytes.", path=path, most=MAX_COURSE_BYTES
        )
    good = data.rfind(b"\n") + 1
    head, *lines = data[:good].split(b"\n")[:-1] or [b""]
    _head(path, head)
    try:
        return _course(lines), good
    except RecordError as error:
        raise RecordError("{path}: {reason}", path=path, reason=error) from None


def _course(lines: list[bytes]) -> Course:
    """Return what has happened according to the lines from the second one on."""
    first, *others = lines or [b""]
    course = Course(decoded(2, line_body(2, first), _first))
    for number, line in enumerate(others, 3):
        entry: Later = decoded(number, line_body(number, line), _entries)
        if isinstance(entry, Registered):
            entry = replace(entry, name=clean_speaker(entry.name) or "?")
        try:
            course.take(entry)
        except (KeyError, ValueError):
            raise RecordError("line {line} does not fit the lines before it", line=number) from None
    return course


def _head(path: Path, line: bytes) -> CourseHead:
    try:
        head: CourseHead = decoded(1, line_body(1, line), _heads)
    except RecordError as error:
        raise RecordError("{path}: {reason}", path=path, reason=error) from None
    return head
