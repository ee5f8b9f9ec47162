"""People in plain mode, as processes on pipes: errors, whole games, and coming back."""

import re
import signal
import socket
from contextlib import AbstractContextManager, ExitStack
from itertools import count, pairwise
from pathlib import Path
from time import sleep
from typing import Any

import msgpack
import msgspec
import pytest
import zmq
from click.testing import CliRunner

from coffeerush.cli.commands import group
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.records.sharing import shared_so_far
from coffeerush.records.writing import load_record
from coffeerush.rules import view_for
from tests.support.gamers import Gamer, play_to_the_end, play_until
from tests.support.hosts import closed_port
from tests.support.hosts_and_clients import (
    SECONDS,
    Deadline,
    Fields,
    Host,
    Peer,
    hosting,
    running,
)
from tests.support.players import Owner, is_over

# Errors before joining a table: one sentence and an exit code, never a traceback


JOINING = "Joining the table…\n"
"""Comes first whenever that takes more than two seconds, as it may on a busy machine."""


@pytest.mark.parametrize("command", ["join", "watch"])
def test_nothing_is_hosting(tmp_path: Path, command: str) -> None:
    with Gamer(tmp_path, command, f"127.0.0.1:{closed_port()}") as person:
        assert person.wait() == 1
        said = person.text.removeprefix(JOINING)
        assert said.startswith("Error: No host is running at ")
        assert said.count("\n") == 1
        assert said.endswith(".\n")


def test_a_slow_connection_attempt_is_announced(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with Gamer(tmp_path, "join", address) as ann:
            assert ann.read_until("\n") == JOINING


# Whole games, with bots and spectators


def test_a_game_against_bots_on_this_machine(tmp_path: Path) -> None:
    with Gamer(tmp_path, "play", "--bots", "regular,random", "--name", "Ann", "--seed", "4") as ann:
        play_to_the_end([ann], 3)
        ann.say("log")
        ann.say("leave")
        assert ann.wait() == 0
        left, records = ann.text.splitlines()[-2:]
        assert left == "You have left the table."
        (record,) = tmp_path.rglob("*.record")
        assert f"are in {record.parent};" in records
        assert "Traceback" not in ann.text


def test_the_end_of_the_input_leaves_even_if_leaving_was_to_be_confirmed(tmp_path: Path) -> None:
    with Gamer(tmp_path, "play", "--bots", "random", "--name", "Ann") as ann:
        ann.read_until("A game starts")
        ann.say("leave")
        ann.read_until("Leave the table? Type “leave” again")
        assert ann.wait() == 0  # which ends the input
        assert "You have left the table." in ann.text


def test_people_bots_and_spectators_see_the_same_game(tmp_path: Path) -> None:
    with ExitStack() as stack:
        host = stack.enter_context(hosting(tmp_path / "host", bots=("random",)))
        address = f"127.0.0.1:{host.port}"

        def person(name: str, command: str = "join") -> Gamer:
            own = ("--plain", "--name", name.title())
            return stack.enter_context(Gamer(tmp_path / name, command, address, *own))

        wim = stack.enter_context(Peer(host.port))
        wim.hello("Wim", "spectator")
        cid = person("cid", "watch")
        cid.read_until("You are watching as Cid")
        ann, ben = person("ann"), person("ben")
        for one in (ann, ben):
            one.read_until("Type “ready” when you are.")
        ann.say("ready")
        ben.say("say hello from Ben")
        ben.say("ready")
        words = ("bot", address, "--bot", "regular", "--name", "Bo", "--games", "1")
        bot = stack.enter_context(running(tmp_path / "bo", *words))
        play_to_the_end([ann, ben, cid], 4)
        assert ann.result() == ben.result() == cid.result()
        for one in (ann, cid):
            assert "Ben says: hello from Ben" in one.text
        assert "into cup" not in cid.text
        assert re.search(r"^Ben pours (an ingredient into a cup|\d ingredients)\.$", ann.text, re.M)
        assert bot.wait(SECONDS) == 0
        over = wim.hear_until(lambda heard: bool(heard.get("view")) and is_over(heard["view"]))
        check_updates([msgpack.unpackb(frame) for frame in wim.raw if frame])
        # again, for a guest who is silent for a minute is given up
        assert wim.hello("Wim", "spectator")["view"] == over["view"]
        part = wim.ask("record", game=1, offset=5000)
        assert 0 < len(part["part"]) < part["size"]  # and the rest is never asked for
        eva = person("eva", "watch")
        eva.read_until("You are watching as Eva")
        eva.process.kill()  # while it gets the record, or just before or after that
        eva = person("eva", "watch")
        record_in(tmp_path / "eva")
        eva.say("leave")
        assert eva.wait() == 0
        host.stop()
        for one in (ann, ben, cid):
            assert one.wait() == 0
            assert "The host has closed the table." in one.text.splitlines()[-2]
            assert "step through one with: coffeerush replay FILE" in one.text.splitlines()[-1]
    theirs = {record_in(tmp_path / name) for name in ("ann", "ben", "cid", "eva")}
    record = load_record(*(tmp_path / "host").rglob("*.record"))
    assert theirs == {shared_so_far(record).data}
    for name in ("ann", "cid"):
        assert league_of_one(tmp_path / name) == league_of_one(tmp_path / "host") != ""
    assert record.end is not None
    *_states, end = record.states()
    assert over["rev"] == len(record.moves)
    assert over["view"] == msgpack.unpackb(msgspec.msgpack.encode(view_for(end, None)))
    names = [seated.name for seated in record.head.seats]
    scores = [f"{names[one.seat]}: {one.score}" for one in record.end.standings]
    assert ", ".join(scores) in (tmp_path / "bo" / "bot.out").read_text()


def check_updates(heard: list[Fields]) -> None:
    """Check that no update was missed, and that revs only grow."""
    updates = [each for each in heard if each["type"] == "update"]
    assert all(later["seq"] == sooner["seq"] + 1 for sooner, later in pairwise(updates))
    revs = [(each["game"], each["rev"]) for each in updates]
    assert revs == sorted(revs)


def record_in(state: Path) -> bytes:
    """Wait for the only record in a state directory, and return its bytes."""
    deadline = Deadline()
    while not (found := list(state.rglob("*.record"))):
        deadline.left()
        sleep(0.005)  # nothing tells when a record appears
    (path,) = found
    return path.read_bytes()


def league_of_one(state: Path) -> str:
    """Return what the league prints about the only game."""
    runner = CliRunner(env={STATE_VARIABLE: str(state)})
    return runner.invoke(group, ["league", "--json"], catch_exceptions=False).stdout


def test_the_end_of_the_input_sends_a_bye(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", seats=2) as host, Peer(host.port) as peer:
        address = f"127.0.0.1:{host.port}"
        peer.hello("Eva", "spectator")
        with Gamer(tmp_path / "ann", "join", address, "--name", "Ann") as ann:
            ann.say("ready")
            assert ann.wait() == 0  # closes its input
            assert ann.text.splitlines()[-1] == "You have left the table."
            ready = {"status": "person", "name": "Ann", "ready": True}
            peer.hear_until(lambda heard: ready.items() <= (_first_seat(heard) or {}).items())
            peer.hear_until(lambda heard: _first_seat(heard) == {"status": "open"})
        with Gamer(tmp_path / "cid", "watch", address, "--name", "Cid") as cid:
            cid.read_until("You are watching as Cid")
            cid.close_input()
            peer.ask("chat", text="hi")
            cid.read_until("Eva says: hi")  # else what the host says last could be too early
            host.stop()
            cid.read_until("The host has closed the table.")


def test_a_remembered_letter_and_colour_come_along(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "settings.json").write_text('{"letter": 25, "colour": 3}')
    with hosting(tmp_path / "host", seats=2) as host, Peer(host.port) as peer:
        peer.hello("Eva", "spectator")
        with Gamer(tmp_path / "ann", "join", f"127.0.0.1:{host.port}", "--name", "Ann"):
            marked = {"status": "person", "name": "Ann", "letter": 25, "colour": 3}
            peer.hear_until(lambda heard: _first_seat(heard) == marked)


def _first_seat(heard: Fields) -> Any:
    return heard["table"]["seats"][0] if heard["type"] == "update" else None


# Reconnecting: after the client was killed or suspended, and after the host was


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
            bob.read_until("Ann is away; a bot takes over in 20 seconds.")
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
