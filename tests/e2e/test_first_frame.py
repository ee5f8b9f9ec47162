"""Lazy imports: before its first frame a screen loads nothing that the frame does not need."""

import re
import sys
from pathlib import Path

import pytest

from tests.support.hosts_and_clients import SECONDS, environment
from tests.support.pty_terminal import Terminal

COLUMNS, ROWS = 80, 24
FULL_SCREEN = b"\x1b[?1049h"
"""Sent immediately before the first frame."""
LATER = (
    *("zmq", "zeroconf", "spake2", "segno", "multiprocessing"),
    *("coffeerush.bots", "coffeerush.host", "coffeerush.rules"),
)
"""Packages that a table needs and that are slow to import."""
LOADED = re.compile(r"import time: +\d+ \| +\d+ \| +(\S+)")


@pytest.mark.parametrize("arguments", [(), ("play",), ("join",), ("join", "127.0.0.1")])
def test_the_first_frame_does_not_load_what_only_a_table_needs(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "coffeerush", *arguments]
    came = b""
    with Terminal(command, COLUMNS, ROWS, environment(tmp_path)) as terminal:
        while FULL_SCREEN not in came:
            more = terminal.read(SECONDS)
            assert more, came
            came += more
    loaded = LOADED.findall(came.partition(FULL_SCREEN)[0].decode())
    assert "coffeerush.ui.terminal.fullscreen" in loaded
    assert [name for name in loaded if name.startswith(LATER)] == []
