"""A host from start to stop, in this process."""

import subprocess
import sys
from pathlib import Path

from tests.support.hosts_and_clients import ROOT, SECONDS, environment

_HOST = ("host", "--headless", "--bind", "127.0.0.1", "--port", "0")
_STOPPED_AS_SOON_AS_IT_SAYS_HOW = """
import logging, os, signal
from coffeerush.cli.main import main

class Reader(logging.Handler):
    def emit(self, record):
        if record.msg.startswith("Stop with"):
            os.kill(os.getpid(), signal.SIGTERM)

logging.basicConfig(level=logging.INFO, handlers=[Reader()])
main()
"""


def test_a_host_that_says_how_to_stop_it_can_be_stopped(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_AS_SOON_AS_IT_SAYS_HOW, *_HOST],
        env=environment(tmp_path),
        cwd=ROOT,
        timeout=SECONDS,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
