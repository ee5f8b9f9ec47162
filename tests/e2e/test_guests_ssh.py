"""Guests over ssh, with OpenSSH's own client: whole games, cut connections, and nothing else."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import zmq

from coffeerush.errors import UsageError
from coffeerush.host.children import check_installed
from coffeerush.records.writing import load_record
from protocol import FREE_STEPS
from tests.support.gamers import Gamer
from tests.support.hosts_and_clients import SECONDS, Deadline, Host, Patience, Person, hosting
from tests.support.players import Owner
from tests.support.ssh import SshScreen, gateway_pid, needs_ssh, new_key, ssh, ways_of
from tests.support.web_guests import made_certificate

pytestmark = needs_ssh
ARROWS = "\x1b[A\x1b[B\x1b[C\x1b[D"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path / "host", guests=True, seats=3, bots=["casual"]) as host:
        yield host


def code_of(host: Host) -> str:
    code: str = host.ready["code"]
    return code


@pytest.mark.slow
def test_a_game_with_a_guest_a_client_and_a_bot_to_its_end(house: Host, tmp_path: Path) -> None:
    """In the middle the guest's connection is cut, and they go on in a terminal of another size."""
    port = ways_of(house)["ssh_port"]
    key = new_key(tmp_path, "key")
    join = ("join", f"127.0.0.1:{house.port}", "--name", "Ben", "--plain")
    with ExitStack() as stack:
        ann = stack.enter_context(SshScreen(port, key=key))
        ann.enter(code_of(house))
        ann.choose("Others' moves", "instant")
        ben = stack.enter_context(Gamer(tmp_path / "ben", *join))
        ben.read_until("Ann (ssh)")
        ben.say("ready")
        ben.catch_up()
        patience, cut = Patience(), False
        while not (ann.is_over and ben.result()):
            ann.play()
            ben.play_what_came()
            if not cut and "round 3" in ann.text:
                ann.cut()
                ann, cut = stack.enter_context(SshScreen(port, 130, 40, key=key)), True
            patience.look((ann.text, ben.text))
        assert cut
        ann.see("Ann (ssh)")  # after the moment in which the result comes


def test_a_gateway_gives_nothing_but_the_table_and_comes_back_until_its_host_stops(
    house: Host, tmp_path: Path
) -> None:
    ways = ways_of(house)
    port, key = ways["ssh_port"], new_key(tmp_path, "key")
    for more in (
        ["id"],
        ["-s", "sftp"],
        ["-N", "-R", "0:127.0.0.1:1", "-o", "ExitOnForwardFailure=yes"],
    ):
        done = subprocess.run(
            ssh(port, *more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode
        assert b"uid" not in done.stdout
    with ExitStack() as stack:
        ann = stack.enter_context(SshScreen(port, key=key))
        ann.enter(code_of(house))
        ann.see("Ann (ssh)")
        ben = stack.enter_context(SshScreen(port, user="Ben"))
        ben.enter(code_of(house))
        os.kill(gateway_pid(house), signal.SIGKILL)
        assert ways_of(house) == ways
        ann = stack.enter_context(SshScreen(port, key=key))
        ann.see("Ben (ssh)")
        assert "Ann (ssh) 2" not in ann.text
        ben = stack.enter_context(SshScreen(port, user="Ben"))
        ben.enter(code_of(house))
        ben.see("Ben (ssh)")
        assert "Ben (ssh) 2" not in ben.text
        house.stop()
        ann.see("The host has closed the table.")
        assert ann.process.wait(SECONDS) == 0


def insist(screen: SshScreen, key: str, text: str) -> None:
    """Press a key until a text comes: right after a list has opened or closed, keys are ignored."""
    deadline = Deadline()
    while text not in screen.text:
        deadline.left()
        screen.write(key)
        for _each in range(10):
            screen.look(0.2)
            if text in screen.text:
                break


def test_a_guest_who_comes_too_late_opens_a_table_and_watches_another(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "host", guests=True, seats=2, bots=["casual", "regular"]) as house,
        SshScreen(ways_of(house)["ssh_port"], user="Ben") as ben,
    ):
        ben.see("Code")
        ben.write(code_of(house).replace("-", " ") + "\r")
        ben.see("Without a seat: Ben (ssh)")
        insist(ben, "n", "Seat 1")
        insist(ben, "z", "(watch)")
        insist(ben, "w", "Esc takes you back to Coffee Rush 2.")
        insist(ben, "\x1b", "Seat 1")


@pytest.mark.slow
def test_a_killed_gateway_loses_no_move_that_a_guest_saw_accepted(tmp_path: Path) -> None:
    """Nor does it make one twice: the turn goes on with exactly what is on record."""
    key, patience, keys = new_key(tmp_path, "key"), Patience(), zmq.curve_keypair()
    options = {"seats": 2, "bots": ["casual"], "owner": keys[0].decode()}
    with (
        hosting(tmp_path / "host", guests=True, **options) as house,
        Owner(house.port, keys) as owner,
    ):
        ways = ways_of(house)
        with SshScreen(ways["ssh_port"], 120, 36, key=key) as ann:
            ann.enter(code_of(house))
            ann.see("Ann (ssh)")
            while not (turn_of(ann) and accepted(ann) == 2):
                ann.play()
                patience.look(ann.text)
            number = turn_of(ann)
            ann.write(2 * ARROWS)  # any number of these keys may have become a move
            os.kill(gateway_pid(house), signal.SIGKILL)
        owner.set_pause(True)  # or else a bot plays for Ann if she is away for too long
        assert ways_of(house) == ways
        with SshScreen(ways["ssh_port"], 120, 36, key=key) as ann:
            ann.see("The game is paused.")
            owner.set_pause(False)
            ann.see(f"round {number} ")
            ann.see("undo ")
            assert accepted(ann) == on_record(tmp_path / "host", number) >= 2
            while turn_of(ann) == number:
                ann.play()
                patience.look(ann.text)


def turn_of(screen: SshScreen) -> int:
    """Return the round that a screen shows; 0 in the setup."""
    found = re.search(r"[Rr]ound (\d+)", screen.text)
    return int(found[1]) if found else 0


def accepted(screen: SshScreen) -> int:
    """Return how many steps of the turn the host has accepted, as the first line tells."""
    if found := re.search(r"YOUR TURN: (\d) steps? left", screen.text):
        return FREE_STEPS - int(found[1])
    return FREE_STEPS if "YOUR TURN: no steps left" in screen.text else 0


def on_record(state: Path, number: int) -> int:
    """Return how many moves of Ann's are on record in a round."""
    (path,) = (state / "records").glob("*.record")
    record = load_record(path)
    (seat,) = (seat for seat, one in enumerate(record.head.seats) if one.name == "Ann (ssh)")
    played = zip(record.states(), record.moves, strict=False)
    return sum((state.round, move.seat) == (number, seat) for state, move in played)


def test_the_owner_reads_how_guests_join(tmp_path: Path) -> None:
    hosted = ("host", "--plain", "--name", "Ann", "--port", "0", "--guests", "--bind", "127.0.0.1")
    with Person(tmp_path, *hosted) as ann:
        text = ann.read_until("The host key that ssh shows: SHA256:")
        assert re.search(r"Without this program: ssh -p \d+ 127\.0\.0\.1\n", text)
        assert "The table has a new code" not in text
        ann.say("leave")
        assert ann.wait() == 0


def test_the_owner_of_an_open_table_lets_guests_in_and_out_and_in(tmp_path: Path) -> None:
    hosted = ("host", "--plain", "--name", "Ann", "--port", "0", "--bind", "127.0.0.1")
    key = new_key(tmp_path, "key")
    with Person(tmp_path, *hosted) as ann:
        code = re.search(r"Code: (.+)\n", ann.read_until("Code: ", "\nSeat"))
        ann.talk(("admit", "The host key that ssh shows: SHA256:"))
        port = ssh_port(ann)
        with SshScreen(port, user="Ben", key=key) as ben:
            ben.enter(code[1] if code else "")
            ann.read_until("Ben (ssh) ")
            ann.talk(("reject", "Type the same again to confirm."))
            ann.talk(("reject", "Guests with only a browser or ssh cannot join.\n"))
            ben.see("closed")
            assert ben.process.wait(SECONDS) == 0
        assert "Ben (ssh) leaves.\n" in ann.text
        ann.talk(("admit", "The host key that ssh shows: SHA256:"))
        with SshScreen(ssh_port(ann), user="Ben", key=key) as ben:
            ben.see("Ben (ssh)")  # and is known still
        ann.say("leave")
        assert ann.wait() == 0


def ssh_port(owner: Person) -> int:
    """Return the port at which guests join, which an owner in plain mode has just read."""
    found = re.findall(r"Without this program: ssh -p (\d+) 127\.0\.0\.1\n", owner.text)
    return int(found[-1])


@pytest.mark.slow
def test_a_gateway_beside_somebody_elses_table(house: Host, tmp_path: Path) -> None:
    where = ("guests", f"127.0.0.1:{house.port}")
    with Person(tmp_path / "wrong", *where, "apple", "apple", "apple") as wrong:
        assert wrong.wait() == 1
    with Person(tmp_path / "open", *where, "open") as unlocked:
        assert "This table has a code" in unlocked.read_until("code;")
        assert unlocked.wait() == 2
    certificate, key = made_certificate(tmp_path)
    options = ("--port", "0", "--bind", "127.0.0.1", "--tls-cert", str(certificate))
    with Person(tmp_path / "unusable", *where, code_of(house), *options) as without_key:
        assert without_key.wait() == 2
    with_key = (*options, "--tls-key", str(key))
    with Person(tmp_path / "own", *where, code_of(house), *with_key) as beside:
        told = beside.read_until("SHA256:")
        found = re.search(r"ssh -p (\d+) 127", told)
        assert found
        assert "With a browser: https://127.0.0.1:" in told
        with SshScreen(int(found[1]), user="Eve") as eve:
            eve.enter(code_of(house))
            eve.see("Eve (ssh)")


def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncssh", None)
    command = re.escape(f"{sys.executable} -m pip install asyncssh")
    with pytest.raises(UsageError, match=f"install them with: {command}$"):
        check_installed()
    monkeypatch.setitem(sys.modules, "websockets", None)
    with pytest.raises(UsageError, match=f"{command} websockets$"):
        check_installed()
