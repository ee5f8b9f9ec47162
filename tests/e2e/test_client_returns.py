"""Reconnecting: after the client was killed or suspended, and after the host was."""

import re
import signal
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from time import sleep

import zmq

from tests.support.gamers import Gamer, play_to_the_end, play_until
from tests.support.hosts_and_clients import Deadline, Host, hosting
from tests.support.players import Owner

LOOKS = count(1)


def cups(gamer: Gamer) -> list[str]:
    """Return somebody's printed cups, once all earlier input is processed."""
    look = next(LOOKS)
    gamer.say(f"say look {look}")
    start = len(gamer.read_until(f"says: look {look}\n"))
    gamer.say("cups")
    gamer.say(f"say seen {look}")
    text = gamer.read_until(f"says: seen {look}\n")[start:]
    return re.findall(r"^(?:Cup|In hand).*", text, re.MULTILINE)


def is_in_round_3(gamer: Gamer) -> bool:
    """Return whether somebody's turn in round 3 has come, with cups worth keeping by then."""
    return "Your turn, round 3." in gamer.text


def test_a_killed_client_gets_its_seat_and_its_cups_back(tmp_path: Path) -> None:
    keys = zmq.curve_keypair()
    with (
        hosting(tmp_path / "host", seats=2, bots=("random",), owner=keys[0].decode()) as host,
        Owner(host.port, keys) as owner,
    ):
        join = ("join", f"127.0.0.1:{host.port}", "--name", "Ann")
        with Gamer(tmp_path / "ann", *join) as ann:
            ann.read_until("Type “ready”")
            ann.say("ready")
            play_until([ann], lambda: is_in_round_3(ann))
            before = cups(ann)
            owner.set_pause(True)  # or else a bot plays for Ann if she is away for too long
            ann.process.send_signal(signal.SIGKILL)
            ann.process.wait()
        assert any(": " in cup for cup in before)
        with Gamer(tmp_path / "ann", *join) as again:
            again.read_until("You are at the table as Ann")
            assert cups(again) == before
            owner.set_pause(False)
            play_to_the_end([again], 2)


def test_clients_reconnect_to_a_host_that_was_killed_and_resumed(tmp_path: Path) -> None:
    state, keys = tmp_path / "host", zmq.curve_keypair()
    with (
        hosting(state, seats=2, bots=("random",), owner=keys[0].decode()) as host,
        Gamer(tmp_path / "ann", "join", f"127.0.0.1:{host.port}", "--name", "Ann") as ann,
    ):
        ann.read_until("Type “ready”")
        ann.say("ready")
        play_until([ann], lambda: is_in_round_3(ann))
        before = cups(ann)
        with Owner(host.port, keys) as owner:
            owner.set_pause(True)  # or else a bot plays for Ann if she is away for too long
        host.kill()
        ann.read_until("Connection lost; trying again.")
        ann.say("say is anybody there")
        with resumed(state, host.port), Owner(host.port, keys) as owner:
            ann.read_until("You are connected again.")
            ann.read_until("Ann says: is anybody there")
            assert cups(ann) == before
            owner.set_pause(False)
            play_to_the_end([ann], 2)


def test_clients_reconnect_to_a_host_that_was_suspended(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "host") as host,
        Gamer(tmp_path / "ann", "watch", f"127.0.0.1:{host.port}", "--name", "Ann") as ann,
    ):
        ann.read_until("You are watching as Ann")
        host.send_signal(signal.SIGSTOP)
        ann.read_until("Connection lost; trying again.")
        ann.read_until("is paused; you will be reconnected when its computer wakes.")
        host.send_signal(signal.SIGCONT)
        ann.read_until("You are connected again.")


def test_a_suspended_client_reconnects_by_itself(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", seats=2) as host:
        address = f"127.0.0.1:{host.port}"
        with (
            Gamer(tmp_path / "ann", "join", address, "--name", "Ann") as ann,
            Gamer(tmp_path / "bob", "join", address, "--name", "Bob") as bob,
        ):
            for each in (ann, bob):
                each.read_until("Type “ready”")
                each.say("ready")
            bob.read_until("A game starts")
            ann.process.send_signal(signal.SIGSTOP)
            bob.read_until("Ann is away.")
            ann.process.send_signal(signal.SIGCONT)
            bob.read_until("Ann is back.")
            ann.say("say good morning")
            bob.read_until("Ann says: good morning")


def test_a_game_against_bots_rests_while_its_player_is_suspended(tmp_path: Path) -> None:
    with Gamer(tmp_path, "play", "--name", "Ann", "--bots", "random,random") as ann:
        ann.read_until("Place a meeple: ")
        (record,) = (tmp_path / "records").glob("*.record")
        before, deadline = record.read_bytes(), Deadline()
        ann.process.send_signal(signal.SIGSTOP)
        while "Ann stopped answering" not in (tmp_path / "host.log").read_text():
            deadline.left()
            sleep(0.05)  # nothing tells when the log changes
        ann.process.send_signal(signal.SIGCONT)
        ann.read_until("Ann is back.")
        assert record.read_bytes() == before
        play_to_the_end([ann], 3)


def resumed(state: Path, port: int) -> AbstractContextManager[Host]:
    """Return a host on the same ports that resumes the only record."""
    (record,) = (state / "records").glob("*.record")
    return hosting(state, resume=str(record), port=port)
