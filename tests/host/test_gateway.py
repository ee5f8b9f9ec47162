"""The host's handle of the gateway: what it believes, and a gateway that cannot be started."""

import logging
import os
import signal
import socket
import sys
from pathlib import Path
from queue import Queue

import pytest

from coffeerush.host.children import CodeSpent, GatewayOptions, GatewayProcess, next_line
from coffeerush.host.server.parent import Ways
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.local.processes import LineLink
from tests.support.children import children, needs_proc
from tests.support.hosts_and_clients import SECONDS, Deadline

OPTIONS = GatewayOptions("127.0.0.1", 1, "x" * 40, "owl", bind="127.0.0.1")


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Queue[Ways]:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return Queue()


@needs_proc
@pytest.mark.slow
def test_a_gateway_that_cannot_be_started_again_is_tried_until_it_can(
    told: Queue[Ways], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As while this program is being updated: its interpreter is not there."""
    gateway = GatewayProcess(OPTIONS, told.put, lambda: None)
    try:
        ways = told.get(timeout=SECONDS)
        with monkeypatch.context() as updating:
            updating.setattr(sys, "executable", "/nowhere/python")
            (pid,) = children(os.getpid(), "coffeerush.guests.process")
            with caplog.at_level(logging.WARNING):
                os.kill(pid, signal.SIGKILL)
                deadline = Deadline()
                while "cannot be started" not in caplog.text:
                    deadline.left()
        assert told.get(timeout=SECONDS) == ways
        assert "that is tried again. No such file or directory." in caplog.text
    finally:
        gateway.stop()


def test_why_the_first_gateway_cannot_serve_is_told_once(told: Queue[Ways], tmp_path: Path) -> None:
    (tmp_path / "guests-ssh.key").write_text("garbage\n")
    gateway = GatewayProcess(OPTIONS, told.put, lambda: None)
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
