"""Errors before joining a table: one sentence and an exit code, never a traceback."""

import socket
from pathlib import Path

import pytest

from tests.support.gamers import Gamer
from tests.support.hosts import closed_port

JOINING = "Joining the table…\n"
"""Comes first whenever that takes more than two seconds, as it may on a busy machine."""


@pytest.mark.parametrize("command", ["join", "watch"])
def test_nothing_is_hosting(tmp_path: Path, command: str) -> None:
    with Gamer(tmp_path, command, f"127.0.0.1:{closed_port()}") as person:
        assert person.wait() == 1
        said = person.text.removeprefix(JOINING)
        assert said.startswith("Error: No host is running at ")
        assert said.count("\n") == 1
        assert said.endswith(".\n")


def test_a_slow_connection_attempt_is_announced(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with Gamer(tmp_path, "join", address) as ann:
            assert ann.read_until("\n") == JOINING
