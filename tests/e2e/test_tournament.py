"""`coffeerush host --headless --tournament`: bots come and play, and the host says who won."""

import json
from contextlib import ExitStack
from pathlib import Path

from coffeerush.tournament.journal import load_course
from tests.support.hosts_and_clients import Person, running

HOST = ("host", "--headless", "--bind", "127.0.0.1", "--port", "0", "--open", "--seed", "1")
TOURNAMENT = ("--tournament", "2", "--rounds", "1", "--break-seconds", "1", "--json")


def test_bots_play_a_tournament_and_the_host_stops_with_the_standings(tmp_path: Path) -> None:
    with ExitStack() as stack:
        host = stack.enter_context(Person(tmp_path / "host", *HOST, *TOURNAMENT))
        address = host.read_until(" open\n").partition(" join ")[2].split()[0]
        for name in ("Ann", "Bob"):
            bot = ("bot", address, "open", "--bot", "random", "--name", name)
            stack.enter_context(running(tmp_path / name, *bot))
        assert host.wait() == 0, host.text
    lines = host.text.splitlines()
    found = [json.loads(line) for line in lines if line.startswith("{")]
    assert {line["name"] for line in found} == {"Ann", "Bob"}
    assert [line["place"] for line in found] in ([1, 2], [1, 1])
    assert [line["rounds"] for line in found] == [1, 1]
    assert sum(line["wins"] for line in found) == 1
    assert any("Round 1 is over: 1. " in line for line in lines)
    (path,) = (tmp_path / "host" / "records").glob("*.tournament")
    assert load_course(path).stage == "over"
