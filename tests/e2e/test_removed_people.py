"""An owner kicks people in plain mode: they are told why, and the others play on."""

from pathlib import Path

from tests.support.hosts_and_clients import Person, port_in


def test_an_owner_removes_a_spectator_and_a_player(tmp_path: Path) -> None:
    told = "The owner has removed you from the table."
    words = ("--bind", "127.0.0.1", "--port", "0", "--seats", "3", "--plain", "--name", "Ann")
    with Person(tmp_path / "ann", "host", *words) as ann:
        address = f"127.0.0.1:{port_in(ann.read_until('Seat 1: Ann'))}"
        come = (address, "--plain", "--name")
        with (
            Person(tmp_path / "bob", "join", *come, "Bob") as bob,
            Person(tmp_path / "eve", "watch", *come, "Eve") as eve,
        ):
            ann.read_until("Bob sits down at the table.")
            ann.read_until("Eve is watching.")
            ann.say("remove eve")
            eve.read_until(told)
            assert eve.wait() == 1
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
        assert ann.wait() == 0
