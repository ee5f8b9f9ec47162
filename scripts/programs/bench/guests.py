"""Guests over ssh: time to the first bytes, and from key to frame next to a local screen."""

import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Final

from tests.support.hosts_and_clients import Host, environment
from tests.support.pty_terminal import Screen, Terminal
from tests.support.ssh import SshScreen, ssh, ways_of

from .conditions import percentile, report
from .keystrokes import COLUMNS, LINES, QUIET_SECONDS, ROWS, typed

CONNECTIONS: Final = 20
DEADLINE_SECONDS: Final = 20.0
FIRST_MS: Final = 150
MOST_RATIO: Final = 1.5
"""To the median of the local screen."""


def run() -> None:
    """Report how long guests wait for the first bytes, and for the frame of each key."""
    if shutil.which("ssh") is None:
        sys.exit("The bench of guests needs OpenSSH's client, ssh.")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        state = Path(folder)
        host = Host(state / "host", guests=True, seats=4)
        stack.callback(host.close)
        port = ways_of(host)["ssh_port"]
        first = [_first_bytes(port) for _ in range(CONNECTIONS)]
        report("guests", what="ssh to first bytes", **_ms(first), budget_p99_ms=FIRST_MS)
        guest = stack.enter_context(SshScreen(port, COLUMNS, ROWS))
        guest.enter(host.ready["code"])
        own = environment(state / "own", {"LANGUAGE": "en"})
        words = ["join", f"127.0.0.1:{host.port}", "--name", "Ben"]
        local = stack.enter_context(
            Screen([sys.executable, "-m", "coffeerush", *words], COLUMNS, ROWS, own)
        )
        local.see("Ben")
        for screen in (guest, local):
            screen.settle(QUIET_SECONDS)
        here, there = list[float](), list[float]()
        for _ in range(LINES):  # in turns, so that whatever else the machine does slows both alike
            here += typed(local, 1)
            there += typed(guest, 1)
        ratio = {
            f"p{int(100 * at)}": round(percentile(there, at) / percentile(here, at), 2)
            for at in (0.5, 0.99)
        }
        report("guests", what="key to frame, local", **_ms(here))
        limit = {"budget_ratio_p50": MOST_RATIO}
        report("guests", what="key to frame, ssh", **_ms(there), ratio=ratio, **limit)


def _first_bytes(port: int) -> float:
    """Return the seconds from the start of ssh to the first bytes of the form."""
    began = perf_counter()
    with Terminal(ssh(port), COLUMNS, ROWS, {}) as terminal:
        assert terminal.read(DEADLINE_SECONDS)
        return perf_counter() - began


def _ms(seconds: list[float]) -> dict[str, float]:
    return {f"p{int(100 * at)}_ms": round(percentile(seconds, at) * 1000, 2) for at in (0.5, 0.99)}
