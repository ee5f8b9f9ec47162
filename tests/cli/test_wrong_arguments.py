"""Wrong arguments: one sentence and an exit code, before there is a table or a connection."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from coffeerush.cli.commands import group
from coffeerush.local.files import STATE_VARIABLE


def failure(state: Path, *words: str) -> tuple[int, str]:
    """Return the exit code of a command that fails, and its one line."""
    done = CliRunner(env={STATE_VARIABLE: str(state)}).invoke(group, words, catch_exceptions=False)
    usage, error, said = done.stderr.rpartition("Error: ")
    assert error
    assert not usage or usage.startswith("Usage: ")
    assert said.count("\n") == 1
    return done.exit_code, said.rstrip()


@pytest.mark.parametrize("address", ["1.2.3.4:x", "a b", "[::1"])
def test_no_address(tmp_path: Path, address: str) -> None:
    code, said = failure(tmp_path, "join", address)
    assert code == 1
    assert said.endswith((".", "47820."))


@pytest.mark.parametrize("command", ["join", "watch", "bot"])
@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("apple", "tigger", "moon"), "“tigger” is not a code word; did you mean “tiger”?"),
        (("apple-tiger",), "A code is three words, such as apple tiger moon;"),
    ],
)
def test_no_code(tmp_path: Path, command: str, typed: tuple[str, ...], said: str) -> None:
    bot = ("--bot", "random") if command == "bot" else ()
    code, text = failure(tmp_path, command, "127.0.0.1:9", *typed, *bot)
    assert (code, text[: len(said)]) == (2, said)


@pytest.mark.parametrize(
    "words",
    [
        "127.0.0.1:1 apple tiger moon",
        "coffeerush join 127.0.0.1:1 apple-tiger-moon",
    ],
)
@pytest.mark.parametrize("quoted", [False, True])
def test_address_and_code_in_any_number_of_words(tmp_path: Path, words: str, quoted: bool) -> None:
    typed = [words] if quoted else words.split()
    _code, text = failure(tmp_path, "bot", *typed, "--bot", "random")
    assert text.startswith("No host is running at 127.0.0.1:1;"), text


@pytest.mark.parametrize("command", ["join", "watch", "bot"])
@pytest.mark.parametrize("typed", ["apple tiger moon", "apple-tiger-moon", "apple tiger-moon"])
def test_a_code_without_an_address(tmp_path: Path, command: str, typed: str) -> None:
    bot = ("--bot", "random") if command == "bot" else ()
    code, text = failure(tmp_path, command, *typed.split(), *bot)
    assert code == 1
    assert text.startswith(f"“{typed}” is not an address; give one like 192.168.0.12, ")


@pytest.mark.parametrize("words", [("join", "127.0.0.1"), ("host",)])
def test_a_name_that_cannot_be_shown(tmp_path: Path, words: tuple[str, ...]) -> None:
    code, text = failure(tmp_path, *words, "--name", "\u200b")
    assert code == 2
    assert "--name" in text


def test_more_tables_than_there_may_be(tmp_path: Path) -> None:
    code, text = failure(tmp_path, "host", "--headless", "--tables", "9", "--most-tables", "8")
    assert (code, text) == (2, "--most-tables 8 is less than --tables 9.")


@pytest.mark.slow
@pytest.mark.parametrize("bots", ["", "regular,regular,regular,regular", "clever"])
def test_opponents_that_do_not_exist(tmp_path: Path, bots: str) -> None:
    code, text = failure(tmp_path, "play", "--bots", bots)
    assert code == (1 if bots == "clever" else 2)
    assert bots != "clever" or "“clever”" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--deck", "nowhere.toml"], 1, "nowhere.toml"),
        (["--bots", "nobody"], 1, "nobody"),
        (["--bots", "broken.py:Bot"], 1, "broken.py"),
        (["--record", "broken.py/records"], 1, "--record"),
        (["--seats", "2", "--bots", "random,random,random"], 2, "2 seats"),
        (["--table", "\u200b"], 2, "--table"),
        (["--resume", "some.record", "--turn-seconds", "9"], 2, "--turn-seconds"),
        (["--seats", "5"], 2, "--seats"),
        (["--port", "65534"], 2, "--port"),
    ],
)
def test_a_host_that_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("class Bot: pass\nraise RuntimeError('no')\n")
    (tmp_path / "some.record").touch()
    found, text = failure(tmp_path, "host", "--headless", *arguments)
    assert found == code
    assert said in text
