"""What plain mode prints on outputs that lack some characters."""

import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.ui.person import LocalPerson, plain_text, wrapped
from tests.support.hosts_and_clients import SECONDS, environment
from tests.support.terminals import needs_proc

TEXT = "“Caffè” ’s Loading… ×2 — «Кофе» ¿Sí?\n"


def printed(
    monkeypatch: pytest.MonkeyPatch, encoding: str, *, ascii_only: bool = False, locale: str = ""
) -> str:
    """Return what a person reads who is told `TEXT`."""
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    person = LocalPerson(plain=True)
    person.settings = replace(person.settings, ascii=ascii_only)
    output = BytesIO()
    monkeypatch.setattr("sys.stdout", TextIOWrapper(output, encoding, errors="replace"))
    person.tell([TEXT.removesuffix("\n")])
    return output.getvalue().decode(encoding)


def test_utf8_shows_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed(monkeypatch, "utf-8") == TEXT


@pytest.mark.parametrize(
    ("encoding", "read"),
    [
        ("ascii", '"Caff?" \'s Loading... x2 - "????" S??\n'),
        ("latin-1", '"Caffè" \'s Loading... x2 - "????" Sí?\n'),
        ("koi8-r", '"Caff?" \'s Loading... x2 - "Кофе" S??\n'),
    ],
)
def test_signs_become_ascii_and_letters_question_marks(
    monkeypatch: pytest.MonkeyPatch, encoding: str, read: str
) -> None:
    assert printed(monkeypatch, encoding) == read


@pytest.mark.parametrize(("ascii_only", "locale"), [(True, ""), (False, "C"), (False, "POSIX")])
def test_ascii_is_for_signs_only_if_the_output_has_the_letters(
    monkeypatch: pytest.MonkeyPatch, ascii_only: bool, locale: str
) -> None:
    read = printed(monkeypatch, "utf-8", ascii_only=ascii_only, locale=locale)
    assert read == '"Caffè" \'s Loading... x2 - "Кофе" ¿Sí?\n'


def test_a_text_in_ascii_stays_as_it_is() -> None:
    assert plain_text('Bob\'s "tea" ...', "ascii", True) == 'Bob\'s "tea" ...'


def test_a_terminal_breaks_no_word() -> None:
    line = "Type “start” to start the game: https://192.168.0.12:47821/"
    assert list(wrapped(line, 20)) == [
        "Type “start” to",
        "start the game:",
        "https://192.168.0.12:47821/",
    ]
    assert list(wrapped("한국어 커피", 6)) == ["한국어", "커피"]
    assert list(wrapped(line, 80)) == list(wrapped(line, 0)) == [line]
    assert list(wrapped("", 20)) == [""]


SUSPENDED = """
import _thread, os, signal, sys, termios
from pathlib import Path
from threading import Thread
from coffeerush.ui.person import LocalPerson

def come_unnoticed():
    "Handle a signal as if it had come just before the system call that waits for the terminal."
    waits = Path("/proc/self/wchan")
    while waits.read_text().startswith(("0", "futex")):  # it runs, or waits for this thread
        pass
    _thread.interrupt_main(signal.SIGTERM)

person = LocalPerson(plain=True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
termios.tcflow(1, termios.TCOOFF)
Thread(target=come_unnoticed, daemon=True).start()
person.tell(["Place meeple 1 of 2"])
"""


@needs_proc
def test_a_signal_ends_a_sentence_to_a_suspended_terminal(tmp_path: Path) -> None:
    _ours, theirs = os.openpty()
    ended = subprocess.run(
        [sys.executable, "-c", SUSPENDED],
        env=environment(tmp_path),
        stdin=theirs,
        stdout=theirs,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 7
