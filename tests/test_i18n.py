"""The one function that translates, with a catalogue of two texts."""

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from coffeerush import i18n
from coffeerush.i18n import N_, _, ngettext, set_language

KOREAN = {
    "": "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=1; plural=0;\n",
    "cup": "컵",
    "{n} step\0{n} steps": "{n}걸음",
}


def catalogue(texts: dict[str, str]) -> bytes:
    """Return the bytes of a .mo file: header, two tables of (length, offset), the texts."""
    pairs = sorted((key.encode(), text.encode()) for key, text in texts.items())
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    tables, texts_at, body = b"", 28 + 16 * len(pairs), b""
    for column in zip(*pairs, strict=True):
        for text in column:
            tables += struct.pack("<2I", len(text), texts_at + len(body))
            body += text + b"\0"
    return head + tables + body


@pytest.fixture(autouse=True)
def korean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "ko" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "coffeerush.mo").write_bytes(catalogue(KOREAN))
    monkeypatch.setattr(i18n, "_LOCALE", tmp_path)
    yield
    set_language("en")


def test_language_changes_at_run_time() -> None:
    marked = N_("cup")
    set_language("ko")
    assert (_(marked), ngettext("{n} step", "{n} steps", 2)) == ("컵", "{n}걸음")
    set_language("en")
    assert (_(marked), ngettext("{n} step", "{n} steps", 2)) == ("cup", "{n} steps")


def test_what_is_not_translated_is_english() -> None:
    set_language("ko")
    assert _("saucer") == "saucer"
    set_language("eo")
    assert _("cup") == "cup"


def test_empty_text_is_no_header() -> None:
    set_language("ko")
    assert _("") == ""


@pytest.mark.parametrize(
    ("variables", "word"),
    [
        ({"LANGUAGE": "ko", "LANG": "en_US.UTF-8"}, "컵"),
        ({"LANG": "ko_KR.UTF-8"}, "컵"),
        ({"LC_ALL": "C.UTF-8", "LANG": "ko_KR.UTF-8"}, "cup"),
        ({"LANGUAGE": "eo:ko"}, "컵"),
        ({"LANGUAGE": "en_GB:ko"}, "cup"),
        ({}, "cup"),
    ],
)
def test_the_environment_chooses(
    variables: dict[str, str], word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    set_language()
    assert _("cup") == word
