"""Child processes: what they import, and what ends them."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from coffeerush.local.processes import (
    DESCRIPTORS_AT_ONCE,
    MAX_LINE,
    LineLink,
    LinkedChild,
    first_message,
)
from tests.support.hosts_and_clients import ROOT, SECONDS
from tests.support.terminals import needs_proc

WORK = """
import asyncio, resource
from coffeerush.local.processes import LineLink, MULTICAST_MEMORY_BYTES, parent_socket, serve
from tests.local.test_processes import Text

def fail():
    raise {error}

async def work():
    asyncio.get_running_loop().call_soon(fail)
    await asyncio.sleep(0)  # meanwhile it fails
    limited = resource.getrlimit(resource.RLIMIT_AS)[0] == MULTICAST_MEMORY_BYTES
    link.send(Text(f"goes on {{limited}}"))
    await asyncio.get_running_loop().create_future()

link = LineLink(parent_socket(), None)
serve(work(), link)
"""


class Text(Struct, frozen=True):
    """A message of these tests."""

    text: str


class Number(Struct, frozen=True):
    """A message of another type."""

    number: int


@pytest.mark.slow
def test_malformed_packets_are_ignored(directory: Path) -> None:
    (directory / "worker.py").write_text(WORK.format(error="ValueError('a packet')"))
    worker: LinkedChild[Text] = LinkedChild("worker", Text)
    assert worker.link.receive_within(SECONDS) == Text("goes on True")
    worker.link.end.close()
    assert worker.wait(SECONDS) == 0


def test_discovery_ends_out_of_memory(directory: Path) -> None:
    (directory / "worker.py").write_text(WORK.format(error="MemoryError"))
    worker: LinkedChild[Text] = LinkedChild("worker", Text)
    with pytest.raises(EOFError):
        worker.link.receive_within(SECONDS)
    assert worker.wait(SECONDS) == 1
    worker.end()


def test_discovery_ends_gracefully(directory: Path) -> None:
    (directory / "worker.py").write_text(WORK.format(error="ValueError"))
    worker: LinkedChild[Text] = LinkedChild("worker", Text)
    assert worker.link.receive_within(SECONDS)
    worker.end(SECONDS)
    assert worker.wait() == 0


def test_nothing_of_the_working_directory_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "string.py").write_text("print('executed', flush=True)\n" * 2)
    with Path("said").open("wb") as said:
        started: LinkedChild[None] = LinkedChild("coffeerush", None, stdout=said)
    started.link.end.close()
    assert started.wait(SECONDS) is not None
    assert "executed" not in Path("said").read_text()


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory from which child processes import modules."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


@pytest.fixture
def ends() -> Iterator[tuple[LineLink[Text], socket.socket]]:
    """Yield a link and the socket at its other end."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(SECONDS)
    with ours, theirs:
        yield LineLink(ours, Text), theirs


def test_a_link_reads_one_message_at_a_time(ends: tuple[LineLink[Text], socket.socket]) -> None:
    link, other = ends
    assert link.receive_within(0) is None
    other.send(b'{"text"')
    assert link.receive_within(0) is None
    other.send(b':"a"}\n{"text":"b"}\n')
    assert link.receive_within(0) == Text("a")
    assert link.end.recv(100) == b'{"text":"b"}\n'
    assert link.receive_within(0.0) is None
    other.close()
    with pytest.raises(EOFError):
        link.receive()


@pytest.mark.parametrize(
    "line",
    [b"\n", b"\xff\n", b'{"text":"\xff"}\n', b'{"text":1}\n', b'{"x":' + b"[" * 9999 + b"\n"],
)
def test_bytes_that_are_no_message(ends: tuple[LineLink[Text], socket.socket], line: bytes) -> None:
    link, other = ends
    other.sendall(line + b'{"text":"next"}\n')
    with pytest.raises(ValueError, match="no message"):
        link.receive()
    assert link.receive() == Text("next")


def test_a_line_without_end_is_not_kept(ends: tuple[LineLink[Text], socket.socket]) -> None:
    link, other = ends
    part = bytes(1 << 16)
    for _part in range(MAX_LINE // len(part)):
        other.sendall(part)
        assert link.receive_within(0) is None
    other.send(b"\0")
    with pytest.raises(ValueError, match="too long"):
        link.receive()
    other.send(b'{"text":"next"}\n')
    assert link.receive() == Text("next")


def test_a_link_does_not_wait_for_an_end_that_does_not_read(
    ends: tuple[LineLink[Text], socket.socket],
) -> None:
    link, other = ends
    with pytest.raises(TimeoutError):
        link.send(Text("x" * (1 << 24)), 0.0)
    other.close()
    with pytest.raises(BrokenPipeError):
        link.send(Text("x"))


def test_while_the_other_end_does_not_read_the_latest_message_of_each_type_waits(
    ends: tuple[LineLink[Text], socket.socket],
) -> None:
    link, other = ends
    for number in range(999):
        link.tell(Text(f"{number} {1000 * 'x'}"))
        link.tell(Number(number))
    heard = b""
    while not heard.endswith(b'{"number":998}\n'):
        link.send_waiting()
        heard += other.recv(1 << 16)
    assert heard.splitlines()[-2].startswith(b'{"text":"998 ')


def test_the_first_message_may_have_any_file_name() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link: LineLink[None] = LineLink(ours, None)
        link.send(Text("\udcff.py"))
        link.send(Text("rest"))
        assert first_message(theirs, Text) == Text("\udcff.py")
        assert theirs.recv(100) == b'{"text":"rest"}\n'
        ours.close()
        with pytest.raises(SystemExit):
            first_message(theirs, Text)


SPEAKER = """
import signal, socket, subprocess, sys
link = socket.socket(fileno=int(sys.argv[-1]))
{first}
sleeper = subprocess.Popen(["sleep", "1000"], pass_fds=[link.fileno()])
link.send(b"%d\\n" % sleeper.pid)
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
    speaker: LinkedChild[int] = LinkedChild("speaker", int)
    assert speaker.link.receive_within(SECONDS)
    other = speaker.link.end.dup()
    other.settimeout(SECONDS)
    speaker.end(seconds)
    assert not speaker.is_running()
    with other:
        assert other.recv(1) == b""


def test_a_child_may_stop_gracefully(directory: Path) -> None:
    text = "import signal; signal.signal(signal.SIGTERM, lambda *_: (link.send(b'bye'), exit()))"
    (directory / "speaker.py").write_text(SPEAKER.format(first=text))
    speaker: LinkedChild[int] = LinkedChild("speaker", int)
    sleeper = speaker.link.receive_within(SECONDS)
    assert sleeper
    other = speaker.link.end.dup()
    other.settimeout(SECONDS)
    speaker.end(SECONDS)
    os.kill(sleeper, 9)
    with other:
        assert other.recv(16) == b"bye"


@needs_proc
def test_the_table_of_descriptors_need_not_grow() -> None:
    asked = (
        "from pathlib import Path; from coffeerush.local.processes import limit_process;"
        "limit_process(); print(Path('/proc/self/status').read_text())"
    )
    status = subprocess.run(
        [sys.executable, "-c", asked], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    size = next(line.split()[1] for line in status.splitlines() if line.startswith("FDSize:"))
    assert int(size) >= DESCRIPTORS_AT_ONCE


THREADS = """
import threading
from pathlib import Path
from coffeerush.local.processes import limit_process

def size():
    return int(Path("/proc/self/statm").read_text().split()[0]) * 4096

def allocate():
    kept.append([bytes(1000) for _each in range(1000)])
    ready.wait()
    done.wait()

limit_process()
before, kept = size(), []
ready, done = threading.Barrier(13), threading.Event()
for _each in range(12):
    threading.Thread(target=allocate).start()
ready.wait()
print((size() - before) >> 20)
done.set()
"""


def test_threads_of_a_host_do_not_use_up_its_memory_limit() -> None:
    done = subprocess.run(
        [sys.executable, "-c", THREADS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 12 * 48, "megabytes; a stack has 8, an arena of glibc 64"
