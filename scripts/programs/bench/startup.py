"""Startup time from exec to the first frame in a real terminal, next to bare prompt_toolkit."""

import os
import sys
import tempfile
from time import perf_counter

from coffeerush.host.children import spawn_host
from coffeerush.host.server.parent import HostOptions
from tests.support.hosts_and_clients import SECONDS
from tests.support.pty_terminal import Silence, Terminal

from .conditions import percentile, report

RUNS = 15
BUDGET_MS = 250
FULL_SCREEN = b"\x1b[?1049h"
"""Sent by a full-screen program immediately before its first frame."""
PAUSE_SECONDS = 0.005
"""A frame ends when no output comes for this long, which is less than the frame interval."""
BARE = """
from prompt_toolkit import Application
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
Application(Layout(Window(FormattedTextControl("Coffee Rush"))), full_screen=True).run()
"""


def run() -> None:
    """Report each way to start, interleaved so that a slow moment of the machine affects all."""
    with tempfile.TemporaryDirectory() as state:
        environment = _environment(state)
        with spawn_host(HostOptions(port=0, bind="127.0.0.1", record=state)) as host:
            ours = [sys.executable, "-m", "coffeerush"]
            commands = {
                "coffeerush": [*ours, "--name", "Ann"],
                "coffeerush play": [*ours, "play", "--bots", "regular,regular", "--name", "Ann"],
                "coffeerush join": [*ours, "join", f"127.0.0.1:{host.port}", "--name", "Ann"],
                "bare prompt_toolkit": [sys.executable, "-c", BARE],
            }
            took: dict[str, list[float]] = {name: [] for name in commands}
            for command in commands.values():
                _first_frame(command, environment)
            for _ in range(RUNS):
                for name, command in commands.items():
                    took[name].append(_first_frame(command, environment))
    for name, seconds in took.items():
        p50, slowest = (round(percentile(seconds, share) * 1000) for share in (0.5, 0.99))
        budget = {} if name.startswith("bare") else {"budget_ms": BUDGET_MS}
        report("first frame", of=name, runs=RUNS, p50_ms=p50, slowest_ms=slowest, **budget)


def _environment(state: str) -> dict[str, str]:
    """Return an environment with a bytecode cache, as installed programs have one."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "COFFEERUSH_STATE": state, "PYTHONPYCACHEPREFIX": state}


def _first_frame(command: list[str], environment: dict[str, str]) -> float:
    """Return the seconds from exec until the whole first frame has come."""
    began = perf_counter()
    with Terminal(command, 80, 24, environment) as terminal:
        seen = b""
        while FULL_SCREEN not in seen:
            came = terminal.read(SECONDS)
            if not came:
                raise Silence(f"{' '.join(command)} shows no frame: {seen!r}")
            seen += came
        done = perf_counter()
        while terminal.read(PAUSE_SECONDS):
            done = perf_counter()
        return done - began
