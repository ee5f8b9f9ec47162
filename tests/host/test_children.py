"""A host in a child process: its options, log, errors and shutdown."""

import logging
import os
import signal
import socket
import sys
import threading
from contextlib import ExitStack, suppress
from logging.handlers import QueueHandler
from pathlib import Path
from queue import Queue
from select import select

import pytest
from msgspec.structs import replace

from coffeerush.errors import CoffeeRushError, HostError, UsageError
from coffeerush.host.children import (
    LOG_NAME,
    CodeSpent,
    GatewayOptions,
    GatewayProcess,
    HostProcess,
    next_line,
    spawn_host,
)
from coffeerush.host.run import OTHER_TABLES
from coffeerush.host.server.parent import NO_WAYS, HostOptions, Ways
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.local.processes import LineLink
from coffeerush.ui.words.errors import error_line
from protocol import DOOR_PORT
from tests.golden.frames import spoken
from tests.support.children import children, needs_proc
from tests.support.hosts_and_clients import SECONDS, Deadline, Peer

pytestmark = pytest.mark.slow

# A host in a child process: its options, log, errors and shutdown


OPTIONS = HostOptions(bind="127.0.0.1", port=0)


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))


def test_each_host_has_a_log_with_its_code_that_only_its_owner_can_read(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / LOG_NAME).touch(0o644)
    with spawn_host(OPTIONS) as first:
        with spawn_host(OPTIONS) as second:
            for name, host in ((LOG_NAME, first), ("host-2.log", second)):
                assert host.code in (tmp_path / name).read_text()
                assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        with spawn_host(OPTIONS) as third:
            text = (tmp_path / "host-2.log").read_text()
            assert third.code in text
            assert second.code not in text
    assert sorted(path.name for path in tmp_path.glob("*.log")) == ["host-2.log", LOG_NAME]


@needs_proc
def test_a_table_opens_beside_however_many_others() -> None:
    address = "127.0.0.9"  # Linux has it; no other test listens there
    held = set[int]()
    with ExitStack() as stack:
        for door in range(DOOR_PORT, DOOR_PORT + 10 * OTHER_TABLES, OTHER_TABLES):
            with suppress(OSError):  # somebody else's table has it
                stack.enter_context(socket.create_server((address, door)))
                held.add(door)
        assert stack.enter_context(spawn_host(HostOptions(bind=address))).port not in held


def test_a_file_in_the_current_directory_does_not_shadow_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the host nor in its bots' process, even with a bot from that directory."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("string.py").write_text("open('executed', 'w')")
    Path("beside.py").write_text("class Mine:\n    def choose(self, view, chance): ...")
    Path("my_bot.py").write_text("import string; from beside import Mine")
    spawn_host(replace(OPTIONS, bots=("my_bot.py:Mine",))).stop()
    assert not Path("executed").exists()


@pytest.mark.parametrize(
    ("language", "options", "error"),
    [
        (
            "ko",
            replace(OPTIONS, seats=2, bots=("random",) * 3),
            UsageError(
                "{seats} seats are too few for {taken} players; choose fewer bots.",
                seats=2,
                taken=3,
            ),
        ),
        (
            "en",
            replace(OPTIONS, bind="192.0.2.77"),
            HostError(
                "{address} is not an address of this machine; leave out --bind to "
                "listen on all its addresses.",
                address="192.0.2.77",
            ),
        ),
    ],
)
def test_it_reports_a_failed_start_in_our_language(
    language: str, options: HostOptions, error: CoffeeRushError
) -> None:
    with spoken(language):
        with pytest.raises(type(error)) as told:
            spawn_host(options)
        assert told.value.text == error_line(error)


def test_a_host_that_cannot_be_started_is_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(HostError, match="cannot be started: No such file or directory"):
        spawn_host(OPTIONS)


def test_a_host_says_that_it_goes_on_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long its parent would wait for its exit."""
    monkeypatch.setattr("coffeerush.host.children.LEAVE_SECONDS", 10 * SECONDS)
    with spawn_host(OPTIONS) as process, Peer(process.port) as ben:
        ben.hello("Ben")
        goes_on: list[bool] = []
        leaving = threading.Thread(target=lambda: goes_on.append(process.leave()), daemon=True)
        leaving.start()
        leaving.join(SECONDS)
        assert goes_on == [True]


def test_a_host_without_others_is_waited_for_until_its_exit() -> None:
    with spawn_host(OPTIONS) as process:
        with Peer(process.port) as ben:
            ben.hello("Ben")
            ben.ask("bye")
        assert not process.leave()
        assert not process.is_running()


def test_a_host_whose_tables_have_moved_is_not_waited_for() -> None:
    with spawn_host(OPTIONS) as process:
        os.kill(process.pid, signal.SIGSTOP)  # it cannot answer
        try:
            assert not process.leave(has_moved=True)
            assert process.is_running()
        finally:
            os.kill(process.pid, signal.SIGCONT)


@needs_proc
def test_a_host_that_runs_lets_guests_join_once_it_is_told() -> None:
    with spawn_host(OPTIONS) as process:
        assert process.guests_due is False
        for _again in range(2):
            process.let_guests_join(allowed=True)
        before = process.guests_due
        assert ways_of(process, there=True).ssh_port
        assert (before, process.guests_due) == (True, False)
        assert len(children(process.pid, "coffeerush.guests.process")) == 1
        for _again in range(2):
            process.let_guests_join(allowed=False)
        ways_of(process, there=False)
        assert not process.guests_due
        assert not children(process.pid, "coffeerush.guests.process")


@needs_proc
def test_a_host_lets_guests_join_again_right_after_it_let_in_no_more() -> None:
    with spawn_host(OPTIONS) as process:
        process.let_guests_join(allowed=True)
        ways_of(process, there=True)
        process.let_guests_join(allowed=False)
        process.let_guests_join(allowed=True)
        ways_of(process, there=False)
        assert ways_of(process, there=True).ssh_port
        assert len(children(process.pid, "coffeerush.guests.process")) == 1


def ways_of(process: HostProcess, there: bool) -> Ways:
    """Wait until guests can join, or no more, and return how."""
    deadline = Deadline()
    while (process.ways is not None) != there:
        select([process], [], [], deadline.left())
        assert process.hear()
    ways = process.ways or NO_WAYS
    assert not ways.failed
    return ways


def test_it_ends_when_the_start_is_interrupted(tmp_path: Path) -> None:
    pipe, host, bot = tmp_path / "pipe", tmp_path / "host", tmp_path / "waits.py"
    os.mkfifo(pipe)
    bot.write_text(
        f"import os\nopen({str(host)!r}, 'w').write(str(os.getppid()))\nopen({str(pipe)!r}).read()"
    )
    ends: list[int] = []

    def interrupt() -> None:
        ends.append(os.open(pipe, os.O_WRONLY))  # the host is now waiting for its bot
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        spawn_host(replace(OPTIONS, bots=(f"{bot}:Waits",)))
    with pytest.raises(ProcessLookupError):
        os.kill(int(host.read_text()), 0)
    os.close(ends[0])


# The host's handle of the gateway: what it believes, and a gateway that cannot be started


GATEWAY = GatewayOptions("127.0.0.1", 1, "x" * 40, "owl", bind="127.0.0.1")


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Queue[Ways]:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return Queue()


@needs_proc
def test_a_gateway_that_cannot_be_started_again_is_tried_until_it_can(
    told: Queue[Ways], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while this program is being updated: its interpreter is not there."""
    logged: Queue[logging.LogRecord] = Queue()
    monkeypatch.setattr(logging.getLogger(), "handlers", [QueueHandler(logged)])
    gateway = GatewayProcess(GATEWAY, told.put, lambda: None)
    try:
        ways = told.get(timeout=SECONDS)
        with monkeypatch.context() as updating:
            updating.setattr(sys, "executable", "/nowhere/python")
            (pid,) = children(os.getpid(), "coffeerush.guests.process")
            os.kill(pid, signal.SIGKILL)
            while "cannot be started" not in (line := logged.get(timeout=SECONDS).getMessage()):
                pass
        assert told.get(timeout=SECONDS) == ways
        assert "that is tried again. No such file or directory." in line
    finally:
        gateway.stop()


def test_why_the_first_gateway_cannot_serve_is_told_once(told: Queue[Ways], tmp_path: Path) -> None:
    (tmp_path / "guests-ssh.key").write_text("garbage\n")
    gateway = GatewayProcess(GATEWAY, told.put, lambda: None)
    reason = gateway.wait()
    gateway.stop()
    assert "does not hold a host's key" in reason
    assert told.get_nowait() == Ways(0, "", failed=reason)
    assert told.empty()


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"\xff\n",
        b'{"type":"ways","ssh_port":1,"fingerprint":"\xff"}\n',
        b'{"type":"ways","ssh_port":1,"fingerprint":"\\u001b[2J"}\n',
        b'{"type":"ways","ssh_port":70000,"fingerprint":""}\n',
        b'{"type":"ways","ssh_port":1,"fingerprint":"","asking":[[1,"Ann","\\n1"]]}\n',
        b'{"type":"ways","x":' + b"[" * 100_000 + b"\n",
    ],
)
def test_a_line_that_no_gateway_sends_is_ignored(line: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link: LineLink[Ways | CodeSpent] = LineLink(ours, Ways | CodeSpent)
        theirs.sendall(line + b'{"type":"code_spent"}\n')
        assert next_line(link) == CodeSpent()
        theirs.close()
        assert next_line(link) is None
