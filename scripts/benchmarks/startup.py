"""From exec to the first frame, in a real terminal; beside a bare prompt_toolkit canvas."""

import os
import pty
import select
import signal
import sys
import tempfile
from time import perf_counter

from .conditions import percentile, report

RUNS = 15
TITLE = b"Coffee Rush"
DEADLINE_SECONDS = 10.0
BARE = f"""
from prompt_toolkit import Application
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
text = "{TITLE.decode()}"
Application(Layout(Window(FormattedTextControl(text))), full_screen=True).run()
"""


def run() -> None:
    """Report both, taken in turn so that a slow moment of the machine hits both."""
    ours: list[float] = []
    bare: list[float] = []
    with tempfile.TemporaryDirectory() as state:
        environment = {**os.environ, "COFFEERUSH_STATE": state, "TERM": "xterm-256color"}
        for _ in range(RUNS):
            play = [sys.executable, "-m", "coffeerush", "play", "--bots", "greedy,greedy"]
            ours.append(_first_frame(play, environment))
            bare.append(_first_frame([sys.executable, "-c", BARE], environment))
    for name, seconds in (("coffeerush play", ours), ("bare prompt_toolkit", bare)):
        milliseconds = [round(percentile(seconds, share) * 1000) for share in (0.5, 0.99)]
        report(
            "first frame", of=name, runs=RUNS, p50_ms=milliseconds[0], slowest_ms=milliseconds[1]
        )


def _first_frame(command: list[str], environment: dict[str, str]) -> float:
    """Return the seconds from exec until the title is on the terminal."""
    began = perf_counter()
    pid, terminal = pty.fork()
    if not pid:
        os.execvpe(command[0], command, environment)
    try:
        os.set_blocking(terminal, False)
        seen = b""
        while TITLE not in seen:
            ready, _, _ = select.select([terminal], [], [], DEADLINE_SECONDS)
            if not ready:
                sys.exit(f"{' '.join(command)} shows no {TITLE.decode()}")
            seen += os.read(terminal, 65536)
        return perf_counter() - began
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
