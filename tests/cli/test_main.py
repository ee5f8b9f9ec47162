"""The program as a process: how it ends when a signal comes and something is in its way."""

import os
import signal
import subprocess
import sys

import pytest

from tests.support.hosts_and_clients import ROOT, SECONDS

_WITH_TEXT_FOR_A_FULL_PIPE = """
import os, signal, sys
from contextlib import suppress
from coffeerush.cli import main

main._CLEANUP_SECONDS = 0.5
main.end_on_signals()
os.set_blocking(1, False)
with suppress(BlockingIOError):
    while True:
        os.write(1, b"x")
os.set_blocking(1, True)
print("still in the buffer")
sys.stderr.write("ready")
sys.stderr.flush()
signal.pause()
"""


def test_a_signal_ends_a_program_whose_output_nobody_reads() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WITH_TEXT_FOR_A_FULL_PIPE],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr
        assert process.stderr.read(5) == b"ready"
        process.send_signal(signal.SIGTERM)
        # while it shuts down the interpreter flushes the output, and blocks
        try:
            assert process.wait(SECONDS) == -signal.SIGALRM
        finally:
            process.kill()


_BUSY = """
import asyncio, os, signal, sys
from coffeerush.cli.main import end_on_signals

async def end():
    os.kill(os.getpid(), int(sys.argv[1]))
    await asyncio.Future()

async def main():
    tasks = [asyncio.create_task(end())]
    await asyncio.Future()

end_on_signals()
asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_while_a_task_runs_ends_the_program_quietly(number: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BUSY, str(int(number))],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (128 + number, b"")


_IMPATIENT = """
import atexit, os, signal, sys, click
from coffeerush.cli.commands import group
from coffeerush.cli.main import main

def press():
    os.kill(os.getpid(), signal.SIGINT)

@group.command()
@click.pass_context
def wait(context):
    context.call_on_close(press)
    try:
        press()
    finally:
        press()

signal.signal(signal.SIGINT, signal.default_int_handler)  # else a shell may ignore it
atexit.register(press)
sys.argv = ["coffeerush", "wait"]
main()
"""


def test_control_c_may_be_pressed_again_and_again() -> None:
    """While the first one is handled, while the command ends, and while the interpreter does."""
    done = subprocess.run(
        [sys.executable, "-c", _IMPATIENT],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout) == (128 + signal.SIGINT, b"")
