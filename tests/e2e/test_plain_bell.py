"""The bell of plain mode rings when a turn begins, in a terminal only."""

import json
from pathlib import Path

import pytest

from coffeerush.local.settings import FILE_NAME
from tests.support.hosts_and_clients import Person
from tests.support.terminals import Terminal, needs_proc

PLAY = ("play", "--plain", "--seed", "5", "--bots", "regular")
MINE = "Place a meeple"


@needs_proc
@pytest.mark.parametrize(("bell", "rings"), [(True, 1), (False, 0)])
def test_the_bell_rings_when_a_turn_begins_if_it_is_on(
    tmp_path: Path, bell: bool, rings: int
) -> None:
    (tmp_path / FILE_NAME).write_text(json.dumps({"bell": bell}), encoding="utf-8")
    with Terminal(tmp_path, *PLAY) as terminal:
        terminal.see(MINE)
        assert terminal.output.count(b"\a") == rings


def test_a_pipe_gets_no_bell(tmp_path: Path) -> None:
    with Person(tmp_path, *PLAY) as ann:
        assert "\a" not in ann.read_until(MINE)
