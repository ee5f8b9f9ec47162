"""Errors before joining a table: one sentence and an exit code, never a traceback."""

import socket
from pathlib import Path

from tests.support.gamers import Gamer
from tests.support.hosts import closed_port
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
    for command in ("join", "watch"):
        code, text = said(tmp_path, command, f"127.0.0.1:{closed_port()}")
        assert code == 1
        assert one_sentence(text)
        assert "No host is running at" in text


def test_a_slow_connection_attempt_is_announced(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with Gamer(tmp_path, "join", address) as ann:
            assert ann.read_until("\n") == JOINING


def test_a_full_table(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", seats=2, bots=("random", "random")) as host:
        code, text = said(tmp_path / "ann", "join", f"127.0.0.1:{host.port}")
        assert code == 1
        assert one_sentence(text)
        assert "or come back later" in text  # whether or not the bots play already


def test_a_state_directory_with_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "keys").write_text("in the way")
    with hosting(tmp_path / "host") as host:
        code, text = said(tmp_path / "ann", "join", f"127.0.0.1:{host.port}")
        assert code == 1
        assert one_sentence(text)
        assert "Your key cannot be saved" in text
