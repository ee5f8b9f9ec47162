"""Games that are not over: the menu offers to go on with them, as they were left."""

import os
import signal
from pathlib import Path

from coffeerush.records.writing import load_record
from tests.support.hosts_and_clients import Person, code_in, host_of, port_in
from tests.support.players import Player

ASKED = "Type a number; 0 quits the program."
ASKED_TOO = "Type a number or a letter; 0 quits the program."
"""In a menu with a game to continue."""
MY_TURN = "type “place” and a row"
HOSTED = ("host", "--name", "Ann", "--plain", "--seats", "2", "--port", "0", "--bind", "127.0.0.1")
RESUMED = ("--bind", "127.0.0.1", "--resume")


def records(state: Path) -> list[Path]:
    return sorted((state / "records").glob("*.record"))


def moves(state: Path) -> int:
    """Return how many moves the only record has."""
    (path,) = records(state)
    return len(load_record(path).moves)


def test_a_game_against_bots_is_continued_as_it_was_left(tmp_path: Path) -> None:
    with Person(tmp_path, "--name", "Ann") as ann:
        assert "Continue" not in ann.read_until(ASKED)
        ann.talk(("1", "Type 1 to start"), ("", MY_TURN))
        made = moves(tmp_path)
        leave(ann, "c. Continue your game: round 1")
        ann.say("0")
        assert ann.wait() == 0, ann.text
    assert moves(tmp_path) == made, "nobody played on for her"
    (path,) = records(tmp_path)
    # under another name, it is still one's own game
    with Person(tmp_path, "--name", "Bea") as bea:
        bea.read_until("c. Continue your game: round 1")
        bea.talk(("c", MY_TURN))
        leave(bea, "You have left the table.")
        bea.say("0")
        assert bea.wait() == 0, bea.text
    assert records(tmp_path) == [path], "it was continued, not started again"
    assert moves(tmp_path) == made
    assert load_record(path).end is None


def start_with_ben(ann: Person, ben: Player) -> None:
    """Let Ben take a seat, and Ann start a game."""
    ben.sit_down("Ben")
    assert ben.ask("ready", ready=True)["type"] == "done"
    ann.talk(("start", MY_TURN))


def leave(ann: Person, then: str) -> str:
    """Leave the table, until a text appears; return what is printed from now on."""
    ann.text = ""
    ann.talk(("leave", "Leave the table?"), ("leave", then))
    return ann.text


def comes_in(state: Path, port: int, code: str) -> bool:
    """Return whether a newcomer with a new key can watch with a code; no other answer will do."""
    with Person(state, "watch", f"127.0.0.1:{port}", code, "--name", "Cid") as cid:
        said = cid.read_until("You are watching as Cid", "That join code is wrong or has changed")
        if "That join code is wrong" in said:
            return False
        cid.say("leave")
        return cid.wait() == 0


def test_a_table_whose_host_crashed_is_opened_again_at_its_port_with_its_code(
    tmp_path: Path,
) -> None:
    # so that Ann places the first meeple
    with Person(tmp_path, *HOSTED, "--first", "Ben") as ann:
        port = port_in(text := ann.read_until("coffeerush join"))
        code = code_in(text)
        with Player(port) as ben:
            start_with_ben(ann, ben)
        os.kill(host_of(tmp_path), signal.SIGKILL)
        ann.process.kill()  # so did the screen
    with Person(tmp_path, "--name", "Ann") as ann:
        assert f"Reopen your table: round 1, port {port}" in ann.read_until(ASKED_TOO)
        ann.talk(("c", MY_TURN))
        log = (tmp_path / "host.log").read_text()
        assert (port_in(log), code_in(log)) == (port, code)
        assert comes_in(tmp_path / "cid", port, code)
        menu = leave(ann, ASKED_TOO)
        assert f"Reopen your table: round 1, port {port}" in menu, (
            "Ben has not come back, nor a bot"
        )
        assert not list((tmp_path / "codes").iterdir()), "the table has ended"
        ann.say("0")
        assert ann.wait() == 0
    assert moves(tmp_path) == 0


def test_a_code_that_was_withdrawn_before_the_crash_is_refused_after_it(tmp_path: Path) -> None:
    with Person(tmp_path, *HOSTED, "--first", "Ben") as ann:
        port = port_in(text := ann.read_until("coffeerush join"))
        code = code_in(text)
        with Player(port) as ben:
            start_with_ben(ann, ben)
            ann.say("remove Ben")
            ann.text = ""
            ann.read_until("The table has a new code")
            changed = code_in(ann.read_until("Code: "))
        os.kill(host_of(tmp_path), signal.SIGKILL)
        leave(ann, "coffeerush host --resume")
        (path,) = records(tmp_path)
        assert ann.wait() == 0
        assert f"coffeerush host --resume {path}\n" in ann.text
    with Person(tmp_path, "host", "--name", "Ann", "--plain", *RESUMED, str(path)) as ann:
        ann.read_until(MY_TURN)
        assert "You are at the table as Ann" in ann.text, "another key would find no seat"
        assert code_in(ann.text) == changed != code
        assert not comes_in(tmp_path / "cid", port, code)
        assert comes_in(tmp_path / "dee", port, changed)


def test_a_table_that_was_closed_has_a_new_code(tmp_path: Path) -> None:
    with Person(tmp_path, *HOSTED, "--first", "Ben") as ann:
        code = code_in(ann.read_until("coffeerush join"))
        with Player(port_in(ann.text)) as ben:
            start_with_ben(ann, ben)
            assert ben.ask("bye")["type"] == "done"
        leave(ann, "coffeerush replay")
        assert ann.wait() == 0
    (path,) = records(tmp_path)
    with Person(tmp_path, "host", "--name", "Ann", "--plain", *RESUMED, str(path)) as ann:
        assert code_in(ann.read_until("coffeerush join")) != code


def test_who_has_another_name_by_now_comes_back_as_the_owner_of_the_table(tmp_path: Path) -> None:
    with Person(tmp_path, *HOSTED) as ann:
        port = port_in(ann.read_until("coffeerush join"))
        joining = "join", f"127.0.0.1:{port}", code_in(ann.text), "--name", "Ben", "--plain"
        with Person(tmp_path / "ben", *joining):
            ann.read_until("Ben sits down")
            ann.say("leave")
            assert ann.wait() == 0
            assert f"coffeerush join 127.0.0.1:{port} --name Ann" in ann.text
            with Person(tmp_path, "--name", "Zoe") as zoe:
                zoe.read_until("b. Back to your table: Ann's table")
                zoe.talk(("b", "Seat 2: Ben, not ready."))
                assert "You are at the table as Ann;" in zoe.text
                assert "Seat 1: Ann, ready." in zoe.text, "the owner's seat"
    os.kill(host_of(tmp_path), signal.SIGTERM)
