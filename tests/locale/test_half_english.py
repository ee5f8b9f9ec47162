"""What a library says in English stands in brackets, or there is a word for it in each language."""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import pytest
from msgspec.structs import replace

from coffeerush.bots.load import load_bot
from coffeerush.errors import CoffeeRushError, RecordError
from coffeerush.records.entries import Head, read_record
from coffeerush.rules.deck import parse_deck
from coffeerush.ui.words.errors import error_line
from tests.golden.frames import LANGUAGES, spoken
from tests.support.records import head_of, lines

ROOT = Path(__file__).parents[2]
FOREIGN = tuple(code for code in LANGUAGES if code != "en")
USAGE = (
    "play --seed x",
    "play --turn-seconds x",
    "play --turn-seconds 9999",
    "host --port x",
    "host --seats",
    "play --starters=3",
    "play --sedd 3",
    "play --theme pink",
    "arena --bots regular,regular --games x",
    "arena --bots regular,regular --record setup.cfg",
    "host --resume tests",
    "replay nofile",
    "export tests",
    "deck check nofile",
    "replay",
    "arena",
    "jion",
    "completion csh",
    *("--help", "play --help", "host --help", "deck --help", "deck check --help", "arena --help"),
)
ENGLISH = re.compile(
    r"\b(integer|range|float|path|directory|file|text|options|command|args|choose|not|the|is)\b",
    re.IGNORECASE,
)
SAME = re.compile(
    r"\([^()]*\)|“[^”]*”|«[^»]*»|'[^']*'"  # brackets and quotations
    r"|--?[a-z][-a-z]*|\bFILE(\.py:Class)?\b|coffeerush .*|path/to/file\S*|\[[a-z|_A-Z-]+\]"
)
"""What is the same in every language: what people type."""


def head(**changes: Any) -> bytes:
    """Return a record whose first line is impossible."""
    told = msgspec.to_builtins(head_of(3))
    body = {**told, **{name: value for name, value in changes.items() if name in told}}
    body["setup"] = {**body["setup"], **changes.get("inside", {})}
    return _sealed(msgspec.json.encode(body))


def _sealed(body: bytes) -> bytes:
    return b"%08x %b\n" % (crc32(body), body)


def deck_of(text: str) -> Callable[[Path], object]:
    return lambda _folder: parse_deck(text)


def record_of(data: bytes) -> Callable[[Path], object]:
    return lambda _folder: read_record(data)


def bot_of(source: str) -> Callable[[Path], object]:
    def load(folder: Path) -> object:
        (folder / "mine.py").write_text(source)
        return load_bot(f"{folder / 'mine.py'}:Mine")

    return load


def unknown_to_us(_folder: Path) -> None:
    error = OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))
    raise RecordError("{path}: {reason}", path="a", reason=error)


PROVOKED: dict[str, Callable[[Path], object]] = {
    "toml": deck_of('name = "Mine\n'),
    "toml, deep": deck_of("name = " + "[" * 400),
    "entry": record_of(lines([head_of(2)]) + _sealed(b'{"entry":"move"}')),
    "entry, no JSON": record_of(lines([head_of(2)]) + _sealed(b"{")),
    "entry, no UTF-8": record_of(lines([head_of(2)]) + _sealed(b'{"entry":"guest","key":"\xff"}')),
    "version 1": record_of(head(version=1, guests=["k" * 40])),
    "version 2": record_of(head(version=2, table_seats=4)),
    "seats": record_of(head(table_seats=2)),
    "players": record_of(head(inside={"players": 2})),
    "too many": record_of(head(inside={"players": 5})),
    "first": record_of(head(inside={"first": 3})),
    "seed": record_of(head(inside={"seed": -1})),
    "deck": record_of(head(inside={"deck": {"name": "None", "drinks": []}})),
    "bot": bot_of("class Mine:\n    def __init__(self):\n        raise OSError('the file')\n"),
    "bot, no Python": bot_of("class Mine("),
    "system": unknown_to_us,
}


@pytest.mark.parametrize("case", PROVOKED)
def test_what_a_library_says_stands_in_brackets(case: str, tmp_path: Path) -> None:
    with pytest.raises(CoffeeRushError) as caught:
        PROVOKED[case](tmp_path)
    english = error_line(caught.value)
    for language in FOREIGN:
        with spoken(language):
            line = error_line(caught.value)
        assert line != english
        bare = re.sub(r"\([^()]*(\([^()]*\)[^()]*)*\)", "", line).replace(str(tmp_path), "")
        assert not ENGLISH.search(bare), line


def test_impossible_heads_are_explained_by_us() -> None:
    with pytest.raises(
        RecordError, match="the number of seats does not match the number of players"
    ):
        read_record(head(inside={"players": 2}))
    with pytest.raises(ValueError, match="a seed must be between 0 and "):
        replace(head_of(2), setup=replace(head_of(2).setup, seed=-1))
    assert isinstance(head_of(2), Head)


@pytest.mark.slow
@pytest.mark.parametrize("language", FOREIGN)
def test_wrong_usage_and_help_have_no_english(language: str, tmp_path: Path) -> None:
    """In a program of its own: the texts of commands are translated when they are loaded."""
    program = (
        "import sys; from click.testing import CliRunner; from coffeerush.cli import main;"
        "group = main._load()\n"
        "for words in sys.argv[1:]: print(CliRunner().invoke(group, words.split()).output)"
    )
    environment = {**os.environ, "LANGUAGE": language, "COFFEERUSH_STATE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program, *USAGE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.count("\n\n") >= len(USAGE)
    for line in done.stdout.splitlines():
        found = ENGLISH.search(SAME.sub("", line))
        if found and not (found[0].lower() == "file" and language == "it"):  # Italian has it
            pytest.fail(f"{found[0]!r} in: {line}")
