"""The commands and links in the README and the documents work as written."""

import json
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from coffeerush.cli.commands import COMMANDS, group
from coffeerush.local.settings import LANGUAGES

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BOTS = ROOT / "docs" / "bots.md"
DOCUMENTS = (README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md"))
TRANSLATIONS = {code: ROOT / f"README.{code}.md" for code in LANGUAGES if code not in {"", "en"}}


def blocks(path: Path, language: str) -> list[str]:
    """Return the fenced code blocks of a language."""
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def shell_lines(path: Path) -> list[list[str]]:
    """Return the words of every line for a shell, without its comment."""
    lines = [line for block in blocks(path, "sh") for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines]


def commands(path: Path) -> list[list[str]]:
    """Return the words of every `coffeerush` line, without its comment."""
    return [words for words in shell_lines(path) if words[:1] == ["coffeerush"]]


def links(text: str) -> list[str]:
    """Return the files that a text links to."""
    return re.findall(r"\]\((?!http)([^)#]+)\)", text)


LINES = commands(README)
ALL_LINES = [words for path in DOCUMENTS for words in commands(path)]
FINITE = [
    words
    for words in LINES + commands(BOTS)
    if words[1] == "arena" or {"--headless", "--games"} <= {*words}
]
"""The commands that exit by themselves."""


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a `coffeerush` line in `folder`."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "coffeerush", *words[1:]],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, "COFFEERUSH_STATE": str(folder / "state")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("words", FINITE, ids=" ".join)
def test_commands_that_exit_by_themselves_succeed(words: list[str], tmp_path: Path) -> None:
    (bot,) = blocks(BOTS, "python")
    (tmp_path / "my_bot.py").write_text(bot, encoding="utf-8")
    if words[1] == "host":
        words = [*words, "--port", "0", "--bind", "127.0.0.1"]
    if "--tables" in words:
        words = [*words, "--tables", "2"]
    done = run([*words, "--games", "1"], tmp_path)  # the last one counts
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_bot_of_the_page_on_bots_serves_orders(tmp_path: Path) -> None:
    (bot,) = blocks(BOTS, "python")
    (tmp_path / "my_bot.py").write_text(bot, encoding="utf-8")
    line = shlex.split("coffeerush arena --bots my_bot.py:MyBot,casual,casual --games 12 --json")
    found = [json.loads(told) for told in run(line, tmp_path).stdout.splitlines()]
    mine = next(one for one in found if one.get("bot") == "my_bot.py:MyBot")
    assert mine["completed"] > 3


def test_enough_commands_are_found() -> None:
    assert len(FINITE) >= 3
    assert len(ALL_LINES) > len(LINES)
    assert {words[1] for words in ALL_LINES} <= set(COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize("words", ALL_LINES, ids=" ".join)
def test_every_option_in_the_documents_exists(words: list[str]) -> None:
    inner = [word for word in words[2:3] if word in {"ladder", "tournament"}]
    done = CliRunner().invoke(group, [*words[1:2], *inner, "--help"])
    assert done.exit_code == 0
    for option in (word for word in words if word.startswith("--")):
        assert option in done.stdout


def test_the_scripts_in_the_readme_exist() -> None:
    named = set(re.findall(r"scripts/\w+", README.read_text(encoding="utf-8")))
    assert {"scripts/play", "scripts/test", "scripts/check", "scripts/bench"} == named
    assert all(os.access(ROOT / name, os.X_OK) for name in named)


@pytest.mark.parametrize("path", [*DOCUMENTS, *TRANSLATIONS.values()], ids=lambda path: path.name)
def test_every_linked_file_exists(path: Path) -> None:
    found = links(path.read_text(encoding="utf-8"))
    assert all((path.parent / link).exists() for link in found)
    assert found or path != README


@pytest.mark.parametrize("path", [README, *TRANSLATIONS.values()], ids=lambda path: path.name)
def test_every_readme_begins_with_links_to_all_others(path: Path) -> None:
    beginning = path.read_text(encoding="utf-8").splitlines()[:5]
    others = {one.name for one in (README, *TRANSLATIONS.values())} - {path.name}
    assert others == {link for link in links("\n".join(beginning)) if link.startswith("README")}


def renamed(words: list[str]) -> list[str]:
    """Return a command with a table's name that is the same in every language."""
    return ["Kitchen" if before == "--table" else word for before, word in pairwise(["", *words])]


@pytest.mark.parametrize(("code", "path"), TRANSLATIONS.items())
def test_a_translated_readme_has_commands_of_the_english_one(code: str, path: Path) -> None:
    lines = [renamed(words) for words in shell_lines(path)]
    assert {*map(tuple, lines)} <= {tuple(renamed(words)) for words in shell_lines(README)}
    assert {"host", "join", "watch"} <= {words[1] for words in commands(path)}
    assert ["scripts/play"] in lines
    assert f"docs/pictures/language-{code}.png" in links(path.read_text(encoding="utf-8"))
