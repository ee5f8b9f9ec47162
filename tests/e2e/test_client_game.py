"""Whole games of people in plain mode, as processes on pipes, with bots and spectators."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from coffeerush.records.sharing import shared_so_far
from coffeerush.records.writing import load_record
from tests.support.gamers import Gamer, play_to_the_end
from tests.support.hosts_and_clients import Deadline, Fields, Peer, coffeerush, environment, hosting


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


def test_people_a_bot_and_a_spectator_see_the_same_game(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "host", seats=3, bots=("random",)) as host,
        Gamer(tmp_path / "ann", "join", f"127.0.0.1:{host.port}", "--name", "Ann") as ann,
        Gamer(tmp_path / "ben", "join", f"127.0.0.1:{host.port}", "--name", "Ben") as ben,
        Gamer(tmp_path / "cid", "watch", f"127.0.0.1:{host.port}", "--name", "Cid") as cid,
    ):
        address = f"127.0.0.1:{host.port}"
        cid.read_until("You are watching as Cid")
        for person in (ann, ben):
            person.read_until("Type “ready” when you are.")
        ann.say("ready")
        ben.say("say hello from Ben")
        ben.say("ready")
        play_to_the_end([ann, ben, cid], 3)
        assert ann.result() == ben.result() == cid.result()
        for person in (ann, cid):
            assert "Ben says: hello from Ben" in person.text
        assert "into cup" not in cid.text
        assert re.search(r"^Ben pours (an ingredient into a cup|\d ingredients)\.$", ann.text, re.M)
        with Peer(host.port) as dee:
            dee.hello("Dee", "spectator")
            part = dee.ask("record", game=1, offset=5000)
            assert len(part["part"]) == part["size"] - 5000  # and the rest is never asked for
        with Gamer(tmp_path / "eva", "watch", address, "--name", "Eva") as eva:
            eva.read_until("You are watching as Eva")
            eva.process.kill()  # while it gets the record, or just before or after that
        with Gamer(tmp_path / "eva", "watch", address, "--name", "Eva") as eva:
            record_in(tmp_path / "eva")
            eva.say("leave")
            assert eva.wait() == 0
        host.stop()
        for person in (ann, ben, cid):
            assert person.wait() == 0
            assert "The host has closed the table." in person.text.splitlines()[-2]
            assert "step through one with: coffeerush replay FILE" in person.text.splitlines()[-1]
    theirs = {record_in(tmp_path / name) for name in ("ann", "ben", "cid", "eva")}
    assert len(theirs) == 1
    original = load_record(*(tmp_path / "host").rglob("*.record"))
    assert theirs == {shared_so_far(original).data}
    for name in ("ann", "cid"):
        assert league_of_one(tmp_path / name) == league_of_one(tmp_path / "host")


def record_in(state: Path) -> bytes:
    """Wait for the only record in a state directory, and return its bytes."""
    deadline = Deadline()
    while not (found := list(state.rglob("*.record"))):
        deadline.left()
        os.sched_yield()
    (path,) = found
    return path.read_bytes()


def league_of_one(state: Path) -> str:
    """Return what the league prints about the only game."""
    return subprocess.run(
        coffeerush("league", "--json"),
        env=environment(state),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_end_of_the_input_sends_a_bye(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", seats=2) as host, Peer(host.port) as peer:
        address = f"127.0.0.1:{host.port}"
        peer.hello("Eva", "spectator")
        with Gamer(tmp_path / "ann", "join", address, "--name", "Ann") as ann:
            ann.say("ready")
            assert ann.wait() == 0  # closes its input
            assert ann.text.splitlines()[-1] == "You have left the table."
            ready = {"status": "person", "name": "Ann", "ready": True}
            peer.hear_until(lambda heard: _first_seat(heard) == ready)
            peer.hear_until(lambda heard: _first_seat(heard) == {"status": "open"})
        with Gamer(tmp_path / "cid", "watch", address, "--name", "Cid") as cid:
            cid.read_until("You are watching as Cid")
            cid.close_input()
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
