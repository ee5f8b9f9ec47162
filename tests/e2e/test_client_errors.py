"""Errors before joining a table: one sentence and an exit code, never a traceback."""

import socket
from pathlib import Path

import pytest

from tests.support.gamers import Gamer
from tests.support.hosts_and_clients import hosting

JOINING = "Joining the table…\n"
"""Comes first whenever that takes more than two seconds, as it may on a busy machine."""


def said(state: Path, *arguments: str) -> tuple[int, str]:
    with Gamer(state, *arguments) as person:
        code = person.wait()
        return code, person.text


def one_sentence(text: str) -> bool:
    text = text.removeprefix(JOINING)
    return text.startswith("Error: ") and text.count("\n") == 1 and text.endswith(".\n")


def test_nothing_is_hosting(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for command in ("join", "watch"):
        code, text = said(tmp_path, command, f"127.0.0.1:{port}")
        assert code == 1
        assert one_sentence(text)
        assert "No host is running at" in text


def test_a_slow_connection_attempt_is_announced(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with Gamer(tmp_path, "join", address) as ann:
            assert ann.read_until("\n") == JOINING


@pytest.mark.parametrize("address", ["1.2.3.4:x", "a b", "[::1"])
def test_no_address(tmp_path: Path, address: str) -> None:
    code, text = said(tmp_path, "join", address)
    assert code == 1
    assert one_sentence(text)


@pytest.mark.parametrize("command", ["join", "watch", "bot"])
@pytest.mark.parametrize(
    ("code", "text"),
    [
        (("apple", "tigger", "moon"), "“tigger” is not a code word; did you mean “tiger”?\n"),
        (("apple-tiger",), "A code is three words, such as apple tiger moon;"),
    ],
)
def test_no_code(tmp_path: Path, command: str, code: tuple[str, ...], text: str) -> None:
    bot = ("--bot", "random") if command == "bot" else ()
    exit_code, heard = said(tmp_path, command, "127.0.0.1:9", *code, *bot)
    assert exit_code == 2
    assert heard.startswith(f"Error: {text}")


@pytest.mark.parametrize("command", ["join", "watch", "bot"])
@pytest.mark.parametrize("code", ["apple tiger moon", "apple-tiger-moon", "apple tiger-moon"])
def test_a_code_without_an_address(tmp_path: Path, command: str, code: str) -> None:
    bot = ("--bot", "random") if command == "bot" else ()
    exit_code, heard = said(tmp_path, command, *code.split(), *bot)
    assert exit_code == 1
    assert heard.startswith(f"Error: “{code}” is not an address; give one like 192.168.0.12, ")


def test_a_full_table(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", seats=2, bots=("random", "random")) as host:
        code, text = said(tmp_path / "ann", "join", f"127.0.0.1:{host.port}")
        assert code == 1
        assert one_sentence(text)
        assert "or come back later" in text  # whether or not the bots play already


def test_a_name_that_cannot_be_shown(tmp_path: Path) -> None:
    code, text = said(tmp_path, "join", "127.0.0.1", "--name", "\u200b")
    assert code == 2
    assert one_sentence(text)


@pytest.mark.parametrize("bots", ["", "regular,regular,regular,regular", "clever"])
def test_opponents_that_do_not_exist(tmp_path: Path, bots: str) -> None:
    code, text = said(tmp_path, "play", "--bots", bots)
    assert code == (1 if bots == "clever" else 2)
    assert one_sentence(text)


def test_a_state_directory_with_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "keys").write_text("in the way")
    with hosting(tmp_path / "host") as host:
        code, text = said(tmp_path / "ann", "join", f"127.0.0.1:{host.port}")
        assert code == 1
        assert one_sentence(text)
        assert "Your key cannot be saved" in text
