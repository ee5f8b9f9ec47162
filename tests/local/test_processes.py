"""Child processes: what they import, and what ends them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coffeerush.local.processes import LinkedChild, child, child_environment

SECONDS = 30.0
WORK = """
import asyncio, resource
from coffeerush.local.processes import MULTICAST_MEMORY_BYTES, serve

def fail():
    raise {error}

async def work():
    asyncio.get_running_loop().call_soon(fail)
    await asyncio.sleep(0)  # meanwhile it fails
    print("goes on", resource.getrlimit(resource.RLIMIT_AS)[0] == MULTICAST_MEMORY_BYTES,
          flush=True)
    await asyncio.get_running_loop().create_future()

serve(work())
"""


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [("ValueError('a packet')", 0, b"goes on True\n"), ("MemoryError", 1, b"")],
)
def test_malformed_packets_are_ignored_but_not_out_of_memory(
    error: str, code: int, said: bytes
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WORK.format(error=error)],
        env=child_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as working:
        assert working.stdin
        assert working.stdout
        assert working.stdout.readline() == said
        working.stdin.close()
        assert working.wait(SECONDS) == code


@pytest.mark.parametrize(
    "module", ["coffeerush", "coffeerush.bots.process", "coffeerush.joining.browsing"]
)
def test_nothing_of_the_working_directory_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "string.py").write_text("print('executed', flush=True)\n" * 2)
    words, options = child(module, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with subprocess.Popen(words, **options) as started:
        said, _error = started.communicate(timeout=SECONDS)
    assert b"executed" not in said


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory from which child processes import modules."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


SPEAKER = """
import signal, socket, subprocess, sys
link = socket.socket(fileno=int(sys.argv[-1]))
{first}
sleeper = subprocess.Popen(["sleep", "1000"], pass_fds=[link.fileno()])
link.send(b"%d" % sleeper.pid)
signal.pause()
"""


@pytest.mark.parametrize(
    ("first", "seconds"),
    [("", 0.0), ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", 0.01)],
    ids=["at once", "when its time is over"],
)
def test_a_child_is_killed_with_its_process_group(
    directory: Path, first: str, seconds: float
) -> None:
    (directory / "speaker.py").write_text(SPEAKER.format(first=first))
    speaker = LinkedChild("speaker")
    speaker.link.settimeout(SECONDS)
    assert speaker.link.recv(16)
    other = speaker.link.dup()
    speaker.end(seconds)
    assert not speaker.is_running()
    with other:
        assert other.recv(1) == b""


def test_a_child_may_stop_gracefully(directory: Path) -> None:
    text = "import signal; signal.signal(signal.SIGTERM, lambda *_: (link.send(b'bye'), exit()))"
    (directory / "speaker.py").write_text(SPEAKER.format(first=text))
    speaker = LinkedChild("speaker")
    speaker.link.settimeout(SECONDS)
    sleeper = int(speaker.link.recv(16))
    other = speaker.link.dup()
    speaker.end(SECONDS)
    os.kill(sleeper, 9)
    with other:
        assert other.recv(16) == b"bye"
