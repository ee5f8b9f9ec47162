"""`coffeerush host` on a laptop: a host and a person's screen, neither of which kills the other."""

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

from tests.support.hosts_and_clients import (
    Deadline,
    Peer,
    Person,
    code_in,
    door_handshake,
    host_of,
    port_in,
)


def said_code(text: str) -> str:
    """Return the last printed join code; check that its command and its words agree."""
    code = code_in(text)
    assert f"Code: {code.replace('-', ' ')}\n" in text
    return code


def hosted(state: Path, *arguments: str) -> Person:
    return Person(state, "host", "--plain", "--name", "Ann", "--port", "0", *arguments)


def wait_until_closed(port: int) -> None:
    """Wait until nothing listens on a port."""
    deadline = Deadline()
    while True:
        with socket.socket() as probe:
            probe.settimeout(deadline.left())
            if probe.connect_ex(("127.0.0.1", port)):
                return
            with suppress(ConnectionResetError):  # the host may exit at this very moment
                probe.recv(1)


def test_the_addresses_are_shown_and_friends_join(tmp_path: Path) -> None:
    with hosted(tmp_path / "ann") as ann:
        port = port_in(ann.read_until("Type “start”"))
        with Person(tmp_path / "ben", "join", f"127.0.0.1:{port}", "--name", "Ben") as ben:
            ann.read_until("Ben sits down")
            ben.say("leave")
            assert ben.wait() == 0
        ann.say("leave")
        assert ann.wait() == 0, ann.text
        assert "stays open" not in ann.text
        wait_until_closed(port)


def test_the_owner_removes_a_spectator_and_a_player_and_the_code_changes(tmp_path: Path) -> None:
    told = "The owner has removed you from the table."
    with hosted(tmp_path / "ann", "--seats", "3") as ann:
        code = said_code(ann.read_until("Type “start”"))
        come = (f"127.0.0.1:{port_in(ann.text)}", "--plain", "--name")
        with (
            Person(tmp_path / "bob", "join", *come, "Bob") as bob,
            Person(tmp_path / "eve", "watch", *come, "Eve") as eve,
        ):
            ann.read_until("Bob sits down at the table.")
            ann.read_until("Eve is watching.")
            ann.say("remove eve")
            eve.read_until(told)
            assert eve.wait() == 1
            ann.read_until("The table has a new code")
            bob.say("say I am still here")
            ann.read_until("Bob says: I am still here")
            ann.say("remove 2")
            bob.read_until(told)
            assert bob.wait() == 1
        for state, command, name in (("bob", "join", "Bob"), ("eve", "watch", "Eve")):
            with Person(tmp_path / state, command, *come, name) as back:
                back.read_until(told)
                assert back.wait() == 1
        ann.say("leave")
        assert ann.wait() == 0, ann.text
        assert said_code(ann.text.partition("The table has a new code")[2]) != code


def test_the_owner_may_leave_and_the_others_play_on(tmp_path: Path) -> None:
    with hosted(tmp_path) as ann:
        port = port_in(ann.read_until("Type “start”"))
        with Peer(port) as ben:
            assert ben.hello("Ben")["table"]["turn_seconds"] == 0, "somebody rules here"
            ann.read_until("Ben sits down")
            ann.say("leave")
            assert ann.wait() == 0, ann.text
            assert f"coffeerush join 127.0.0.1:{port} --name Ann" in ann.text
            ben.hear_tick()
            assert ben.ask("sync")["type"] == "snapshot"
            with Person(tmp_path, "--name", "Ann") as again:
                again.read_until("b. Back to your table: Ann's table")
                again.talk(("b", "Type “start”"))  # shown to the owner only
                assert said_code(again.text) == said_code(ann.text), "how others join, too"
                again.talk(("leave", "again"), ("leave", "b. Back to your table: Ann's table"))
                assert "come back with" not in again.text, "the key does the same"
                again.say("0")
                assert again.wait() == 0, again.text
                assert f"coffeerush join 127.0.0.1:{port} --name Ann" in again.text
            ben.ask("bye")
            wait_until_closed(port)


def test_a_second_table_of_one_person_has_another_name(tmp_path: Path) -> None:
    with hosted(tmp_path) as ann:
        port = port_in(ann.read_until("Type “start”"))
        with Peer(port) as ben:
            assert ben.hello("Ben")["table"]["name"] == "Ann's table"
            ann.say("leave")
            assert ann.wait() == 0, ann.text
            with hosted(tmp_path) as again:
                second = port_in(again.read_until("Type “start”"))
                with Peer(second) as cid:
                    assert cid.hello("Cid")["table"]["name"] == "Ann's table 2"
                    cid.ask("bye")
                again.say("leave")
                assert again.wait() == 0, again.text
            wait_until_closed(second)
            ben.ask("bye")
    wait_until_closed(port)


def test_the_owner_may_close_the_table_for_everybody(tmp_path: Path) -> None:
    with hosted(tmp_path / "ann") as ann:
        port = port_in(ann.read_until("Type “start”"))
        come = ("join", f"127.0.0.1:{port}", "--plain", "--name", "Bob")
        with Person(tmp_path / "bob", *come) as bob:
            ann.read_until("Bob sits down")
            bob.talk(("leave all", "Only the owner of the table can do that."))
            _close_for_everybody(ann, bob)
            assert ann.wait() == 0, ann.text
        wait_until_closed(port)


def test_an_owner_who_has_come_back_may_close_the_table_too(tmp_path: Path) -> None:
    with hosted(tmp_path / "ann") as ann:
        port = port_in(ann.read_until("Type “start”"))
        come = ("join", f"127.0.0.1:{port}", "--plain", "--name", "Bob")
        with Person(tmp_path / "bob", *come) as bob:
            ann.read_until("Bob sits down")
            ann.say("leave")
            assert ann.wait() == 0, ann.text
            with Person(tmp_path / "ann", "--name", "Ann") as again:
                again.read_until("b. Back to your table: Ann's table")
                again.talk(("b", "Type “start”"))
                _close_for_everybody(again, bob)
                again.read_until("1. Play against bots")
                assert "Back to your table" not in again.text.rpartition("Type the same")[2]
                again.say("0")
                assert again.wait() == 0, again.text
        wait_until_closed(port)


def _close_for_everybody(owner: Person, friend: Person) -> None:
    owner.talk(("leave all", "Close Ann's table? Type the same again"))
    owner.say("leave all")
    friend.read_until("The host has closed the table.")
    assert friend.wait() == 0, friend.text


def test_a_friend_who_leaves_has_a_way_back_until_the_table_is_closed(tmp_path: Path) -> None:
    state = tmp_path / "bob"
    # a table nearby that has the same name would be taken for this one
    with hosted(tmp_path / "ann", "--name", "Abigail") as ann:
        port = port_in(ann.read_until("Type “start”"))
        with Person(state, "join", f"127.0.0.1:{port}", "--plain", "--name", "Bob") as bob:
            bob.talk(("leave", "You have left the table."))
            assert bob.wait() == 0, bob.text
        with Person(state, "--name", "Bob") as bob:
            bob.read_until("b. Back to your table: Abigail's table")
            bob.talk(("b", "You are at the table as Bob"))
            bob.text = ""
            bob.talk(("leave", "b. Back to your table: Abigail's table"))
            ann.say("leave")
            assert ann.wait() == 0, ann.text
            wait_until_closed(port)
            bob.text = ""
            bob.talk(("b", "No host is running"), ("", "1. "))
            assert "Back to your table" not in bob.text.rpartition("No host is running")[2]


def test_a_killed_screen_leaves_the_host_running(tmp_path: Path) -> None:
    with hosted(tmp_path) as ann:
        port = port_in(ann.read_until("Type “start”"))
        with Peer(port) as ben:
            ben.hello("Ben")
            ann.process.kill()
            ann.wait()
            ben.hear_tick()
            banner, _answer = door_handshake(port, ben.keys[0])
            assert banner["updates"] == port + 2
            os.kill(host_of(tmp_path), signal.SIGTERM)
            ben.hear_of_its_end()
            wait_until_closed(port)


def test_no_key_is_made_beside_a_file_that_is_no_record(tmp_path: Path) -> None:
    note = tmp_path / "notes" / "a.record"
    note.parent.mkdir()
    note.write_text("milk\n")
    with hosted(tmp_path / "ann", "--resume", str(note)) as ann:
        assert ann.wait() == 1
        assert "is not a Coffee Rush record" in ann.text
    assert [*note.parent.iterdir()] == [note]
