"""Whole games of people in plain mode, as processes on pipes, with bots and spectators."""

import re
from pathlib import Path
from typing import Any

from tests.support.gamers import Gamer, play_to_the_end
from tests.support.hosts_and_clients import Fields, Peer, hosting


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
        host.stop()
        for person in (ann, ben, cid):
            assert person.wait() == 0
            assert person.text.splitlines()[-1] == "The host has closed the table."


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


def _first_seat(heard: Fields) -> Any:
    return heard["table"]["seats"][0] if heard["type"] == "update" else None
