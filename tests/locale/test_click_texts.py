"""click's built-in texts are in the catalogues, and appear in the user's language."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from click.testing import CliRunner

from coffeerush.ui.words import i18n
from coffeerush.ui.words.i18n import set_language
from scripts.programs.translate.catalogues import COMPLETE, po_bytes
from scripts.programs.translate.click_texts import TEXTS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Speak a language that is English in brackets."""
    catalog = Catalog(locale="it")
    for text in TEXTS:
        catalog.add(text, f"[{text}]" if isinstance(text, str) else [f"[{one}]" for one in text])
    path = tmp_path / "it" / "LC_MESSAGES" / "coffeerush.po"
    path.parent.mkdir(parents=True)
    path.write_bytes(po_bytes(catalog))
    monkeypatch.setattr(i18n, "LOCALE", tmp_path)
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))
    # click keeps this option in the language of the first request for help
    monkeypatch.setattr(import_module("coffeerush.cli.commands").group, "_help_option", None)
    set_language("it")
    yield
    monkeypatch.undo()
    set_language("en")


def said(*words: str) -> str:
    """Return all that our command line answers."""
    group = import_module("coffeerush.cli.commands").group
    return CliRunner().invoke(group, words).output


def test_help_is_said_in_the_language(marked: None) -> None:
    told = said("--help")
    assert told.startswith("[Usage:] ")
    assert "\n[Options]:\n" in told
    assert "\n[Commands]:\n" in told
    assert "  [Show this message and exit.]" in told


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("jion",), "[Error: [No such command 'jion'."),
        (("jion",), "[Try 'group --help' for help.]"),
        (("jion",), "[Did you mean 'join'?]"),
        (("replay",), "[Missing argument]"),
        (("arena",), "[Missing option]"),
        (("deck",), "[Usage:]"),
        (("replay", "a", "b"), "[Got unexpected extra argument (b)]"),
        (("play", "--sedd"), "[No such option '--sedd'."),
        (("play", "--seed"), "[Option '--seed' requires an argument.]"),
        (("play", "--starters=3"), "[Option '--starters' does not take a value.]"),
        (("play", "--seed", "x"), "[Invalid value for '--seed': ['x' is not a valid integer.]]"),
        (("host", "--port", "x"), "[Invalid value for '--port': ['x' is not a valid integer.]]"),
        (("arena", "--bots", "regular,regular", "--jobs", "0"), "[0 is not in the range x>=1.]"),
        (("completion", "csh"), "['csh' is not one of 'bash', 'zsh', 'fish'.]"),
        (("completion",), "[Choose from:\n"),
        (("bot", "--help"), "[required]"),
        (("arena", "--help"), "[default: 100]"),
    ],
)
def test_wrong_usage_is_told_so_too(words: tuple[str, ...], text: str, marked: None) -> None:
    assert text in said(*words)


@pytest.mark.slow
@pytest.mark.parametrize("code", COMPLETE)
def test_the_whole_help_is_in_the_language(code: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "coffeerush", "--help"],
        cwd=ROOT,
        env={**os.environ, "LANGUAGE": code, "COFFEERUSH_STATE": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    for english in ("Usage", "Options", "Commands", "Show", "Host a table"):
        assert english not in done.stdout
