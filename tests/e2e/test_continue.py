"""Games that are not over: the menu offers to go on with them, as they were left."""

import os
import re
import signal
from pathlib import Path

from coffeerush.records.writing import load_record
from tests.support.hosts_and_clients import Person, port_in
from tests.support.players import Player

ASKED = "Type a number; 0 quits the program."
MY_TURN = "Place a meeple: type"


def records(state: Path) -> list[Path]:
    return sorted((state / "records").glob("*.record"))


def moves(state: Path) -> int:
    """Return how many moves the only record has."""
    (path,) = records(state)
    return len(load_record(path).moves)


def test_a_game_against_bots_is_continued_as_it_was_left(tmp_path: Path) -> None:
    with Person(tmp_path, "--name", "Ann") as ann:
        assert "Continue" not in ann.read_until(ASKED)
        ann.say("1")
        ann.read_until("Type 1 to start")
        ann.say("")
        ann.read_until(MY_TURN)
        made = moves(tmp_path)
        ann.say("leave")
        ann.read_until("Leave the table?")
        ann.say("leave")
        ann.read_until("1. Continue your game: round 1")
        ann.say("0")
        assert ann.wait() == 0, ann.text
    assert moves(tmp_path) == made, "nobody played on for her"
    (path,) = records(tmp_path)
    # under another name, it is still one's own game
    with Person(tmp_path, "--name", "Bea") as bea:
        bea.read_until("1. Continue your game: round 1")
        bea.say("1")
        bea.read_until(MY_TURN)
        bea.say("leave")
        bea.read_until("Leave the table?")
        bea.say("leave")
        bea.read_until("You have left the table.")
        bea.say("0")
        assert bea.wait() == 0, bea.text
    assert records(tmp_path) == [path], "it was continued, not started again"
    assert moves(tmp_path) == made
    assert load_record(path).end is None


def test_a_table_whose_host_crashed_is_opened_again_at_its_port(tmp_path: Path) -> None:
    words = ("host", "--name", "Ann", "--plain", "--open", "--seats", "2", "--port", "0")
    # so that Ann places the first meeple
    with Person(tmp_path, *words, "--bind", "127.0.0.1", "--first", "Ben") as ann:
        port = port_in(ann.read_until("coffeerush join"))
        with Player(port) as ben:
            ben.sit_down("Ben")
            assert ben.ask("ready", ready=True)["type"] == "done"
            ann.say("start")
            ann.read_until(MY_TURN)
        log = (tmp_path / "host.log").read_text()
        pid = re.search(r"kill (\d+)", log)
        assert pid
        os.kill(int(pid[1]), signal.SIGKILL)
        ann.say("leave")
        ann.read_until("Leave the table?")
        ann.say("leave")
        ann.read_until("coffeerush host --resume")
        assert ann.wait() == 0
    with Person(tmp_path, "--name", "Ann") as ann:
        assert "Reopen your table: round 1" in ann.read_until(ASKED)
        ann.say("1")
        ann.read_until(MY_TURN)
        assert port_in((tmp_path / "host.log").read_text()) == port
        ann.say("leave")
        ann.read_until("Leave the table?")
        ann.say("leave")
        ann.read_until("You have left the table.")
        ann.say("0")
        assert ann.wait() == 0
    assert ann.text.count("Reopen your table: round 1") == 2, "Ben has not come back, nor a bot"
    assert moves(tmp_path) == 0
