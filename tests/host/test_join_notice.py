"""How a host's log says how to join, and the QR code on a terminal."""

import logging
import os
import pty
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from termios import TIOCSWINSZ
from typing import TextIO

import pytest
from msgspec.structs import replace
from segno import make

from coffeerush.host.run import ASKERS_AT_ONCE, ASKERS_PER_SECOND, GuestNotice, invite
from coffeerush.host.server.parent import Ways
from coffeerush.joining.code import QUIET, half_blocks, qr_modules

ADDRESSES = ("192.168.0.12", "[2001:db8::12]:47820")
CODE = "apple-tiger-moon"
COMMAND = f"coffeerush join {ADDRESSES[0]} {CODE}"


@contextmanager
def terminal(columns: int, encoding: str = "utf-8") -> Iterator[tuple[TextIO, int]]:
    """Yield a terminal's stream, and the descriptor of the pty's other end."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    try:
        with open(theirs, "w", encoding=encoding) as stream:
            yield stream, ours
    finally:
        os.close(ours)


def shown(columns: int, encoding: str = "utf-8") -> str:
    """Return what the terminal shows apart from the log."""
    with terminal(columns, encoding) as (stream, ours):
        invite(ADDRESSES, 47820, CODE, stream)
        stream.write("end")
        stream.flush()
        text = b""
        while not text.endswith(b"end"):
            text += os.read(ours, 65536)
    return text.decode(encoding)[: -len("end")]


@pytest.fixture(autouse=True)
def ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Isolate the tests from the terminal that they run in."""
    monkeypatch.setenv("TERM", "xterm")


def test_the_log_has_the_join_command(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), terminal(80) as (stream, _ours):
        invite(ADDRESSES, 47820, CODE, stream)
    assert caplog.messages == [
        f"Join with: {COMMAND}",
        f"Join with: coffeerush join {ADDRESSES[1]} {CODE}",
    ]


def test_the_log_explains_an_open_table(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), terminal(80) as (stream, _ours):
        invite(ADDRESSES[:1], 47820, "", stream)
    assert caplog.messages == [
        "Join with: coffeerush join 192.168.0.12 open",
        "No join code is needed: anybody who can reach port 47820 can join.",
    ]


def test_a_terminal_shows_a_qr_code_of_the_command() -> None:
    rows = shown(80).split("\r\n")[:-1]
    assert all(row.startswith("\x1b[30;47m") and row.endswith("\x1b[0m") for row in rows)
    bare = [row.removeprefix("\x1b[30;47m").removesuffix("\x1b[0m") for row in rows]
    assert bare == half_blocks(qr_modules(COMMAND))


def test_no_qr_code_is_written_if_it_could_not_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(80)
    assert not shown(36)
    assert not shown(80, "latin-1")
    monkeypatch.setenv("TERM", "dumb")
    assert not shown(80)


@pytest.mark.parametrize("quiet", [0, 1, QUIET])
@pytest.mark.parametrize("text", [COMMAND, "a", "x" * 90])
def test_half_blocks_are_the_modules_two_by_two(text: str, quiet: int) -> None:
    rows = half_blocks(qr_modules(text, quiet))
    halves = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
    pixels = [[halves[one][half] for one in row] for row in rows for half in (0, 1)]
    matrix = make(text, error="l", micro=False).matrix
    size = len(matrix)
    inner = [row[quiet : quiet + size] for row in pixels[quiet : quiet + size]]
    assert inner == [list(row) for row in matrix]
    assert sum(map(sum, pixels)) == sum(map(sum, matrix)), "the edge is light"


def told(caplog: pytest.LogCaptureFixture, notice: GuestNotice, ways: Ways, now: float) -> int:
    """Tell of guests who ask, and return how many lines are logged."""
    caplog.clear()
    with caplog.at_level(logging.INFO):
        notice.tell(ways, now)
    return len(caplog.messages)


def test_the_log_has_each_guest_who_asks_but_not_those_of_a_flood(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notice, ways = GuestNotice(("192.168.0.12",)), Ways(1, "SHA256:key", 2)
    assert told(caplog, notice, ways, 0) == 3
    ann = replace(ways, asking=((1, "Ann", "123456"),))
    assert told(caplog, notice, ann, 0) == 1
    assert caplog.messages == ["Guest 1 (Ann) asks to join with a browser. The number: 123456"]
    assert told(caplog, notice, ann, 0) == 0
    flood = [replace(ways, asking=((guest, "Eve", "1"),)) for guest in range(2, 900)]
    assert sum(told(caplog, notice, each, 0) for each in flood) == ASKERS_AT_ONCE - 1
    bea = replace(ways, asking=((900, "Bea", "654321"),))
    assert told(caplog, notice, bea, 0) == 0
    assert told(caplog, notice, bea, 2 / ASKERS_PER_SECOND) == 1


def test_the_log_says_why_guests_cannot_join(caplog: pytest.LogCaptureFixture) -> None:
    notice = GuestNotice(("192.168.0.12",))
    assert told(caplog, notice, Ways(0, "", failed="Port 1 is in use."), 0) == 1
    assert caplog.messages == ["Guests without this program cannot join: Port 1 is in use."]
