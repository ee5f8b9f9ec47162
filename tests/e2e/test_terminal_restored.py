"""However a program ends, its terminal is restored and no child process is left."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.support.hosts_and_clients import Host, hosting
from tests.support.terminals import Terminal, needs_proc

pytestmark = needs_proc

MENU = ((), "Fetch. Pour. Serve.")
PLAY = (("play", "--name", "Ann", "--seed", "5", "--bots", "regular"), "place here")
PLAIN = (
    ("play", "--plain", "--name", "Ann", "--seed", "5", "--bots", "regular"),
    "Place meeple 1 of 2",
)
HOST = (("host", "--name", "Ann", "--bind", "127.0.0.1", "--port", "0"), "Coffee Rush")
HUNG_UP = 128 + signal.SIGHUP


def at(state: Path, program: tuple[tuple[str, ...], str], *ignored: int) -> Terminal:
    """Run a program in a terminal, and wait until it has started."""
    words, seen = program
    terminal = Terminal(state, *words, ignored=ignored)
    terminal.see(seen)
    return terminal


def check_ended(terminal: Terminal, *codes: int) -> None:
    assert terminal.wait() in codes, terminal.errors
    assert not terminal.changed
    assert terminal.errors == ""
    terminal.await_nobody()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A table for one guest after the other."""
    with hosting(tmp_path_factory.mktemp("host"), seats=4, open=True) as host:
        yield host


@pytest.mark.parametrize(
    ("program", "number"),
    [(PLAY, signal.SIGINT), (PLAIN, signal.SIGQUIT)],
)
def test_a_signal_leaves_the_terminal_as_it_was(
    tmp_path: Path, program: tuple[tuple[str, ...], str], number: int
) -> None:
    with at(tmp_path, program) as terminal:
        terminal.process.send_signal(number)
        check_ended(terminal, 128 + number)


def test_a_guests_hangup_leaves_the_terminal_as_it_was(tmp_path: Path, host: Host) -> None:
    with at(tmp_path, (("join", f"127.0.0.1:{host.port}", "--name", "Ann"), "ready")) as terminal:
        terminal.process.send_signal(signal.SIGHUP)
        check_ended(terminal, HUNG_UP)


@pytest.mark.parametrize(
    ("program", "ignored"),
    [
        (MENU, (signal.SIGHUP,)),
        (PLAY, ()),
        (PLAIN, (signal.SIGHUP,)),
        (HOST, ()),
    ],
)
def test_no_process_is_left_when_the_terminal_is_closed(
    tmp_path: Path, program: tuple[tuple[str, ...], str], ignored: tuple[int, ...]
) -> None:
    with at(tmp_path, program, *ignored) as terminal:
        terminal.hang_up()
        assert terminal.wait() == HUNG_UP
        assert terminal.errors == ""
        terminal.await_nobody()
        assert not list(tmp_path.glob("*-error.log"))


def test_under_nohup_a_screen_stays(tmp_path: Path) -> None:
    with at(tmp_path, MENU, signal.SIGHUP) as terminal:
        terminal.process.send_signal(signal.SIGHUP)
        terminal.type(b"\x1b[18~")  # a key without a binding
        terminal.process.send_signal(signal.SIGTERM)
        check_ended(terminal, 128 + signal.SIGTERM)


def random_input(seed: int) -> bytes:
    """Return random input: noise, broken escape sequences, mouse, pastes; but no key that quits."""
    chance = Random(seed)
    pieces = [
        *(bytes([number]) for number in range(256)),
        *(b"\x1b[", b"\x1bO", b"\x1b[1;", b"\x1b[?", b"\x1b]0;", b"\x1bP", b"\x1b\x1b", b"\x1b[M"),
        *(b"\x1b[<0;%d;%dM" % (chance.randrange(-9, 999), chance.randrange(200)) for _ in range(9)),
        *(b"\x1b[<64;9;9M", b"\x1b[<0;;M", b"\x1b[<0;99999999999;1M", b"\x1b[M\xff\xff\xff"),
        *(b"\xff\xfe", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x92", b"\xed\xa0\x80", b"\xc0\x80"),
        *(b"\x1b[200~\x00\xff\x1b[A\x1b[201~", b"\x1b[201~", b"\x1b[24;80R", b"\x1b[0n"),
        *(b"\x1b[200~" + "민준 🎉\u202e\u0301".encode() * 9 + b"\x1b[201~",),
    ]
    never = (b"\x03", b"\x1a", b"\x1c")  # Ctrl-C leaves, Ctrl-Z suspends, Ctrl-\ quits
    pieces = [piece for piece in pieces if piece not in never]
    return b"".join(chance.choice(pieces) for _piece in range(1500))


@pytest.mark.parametrize("program", [MENU, PLAY, PLAIN])
def test_random_input_leaves_the_terminal_as_it_was(
    tmp_path: Path, program: tuple[tuple[str, ...], str]
) -> None:
    with at(tmp_path, program) as terminal:
        terminal.type(random_input(1))
        terminal.process.send_signal(signal.SIGTERM)
        terminal.wait()
        assert not terminal.changed
        assert "Traceback" not in terminal.errors
        assert b"Traceback" not in terminal.output
        assert not os.path.exists(tmp_path / "screen-error.log")
        terminal.await_nobody()
