"""`coffeerush host --headless --tournament`: bots come and play, and the host says who won."""

import json
from contextlib import ExitStack
from pathlib import Path

from coffeerush.tournament.journal import load_course
from tests.support.hosts_and_clients import SECONDS, Deadline, running

HOST = ("host", "--headless", "--bind", "127.0.0.1", "--port", "0", "--open", "--seed", "1")
TOURNAMENT = ("--tournament", "2", "--rounds", "1", "--break-seconds", "1", "--json")


def test_bots_play_a_tournament_and_the_host_stops_with_the_standings(tmp_path: Path) -> None:
    with ExitStack() as stack:
        host = stack.enter_context(running(tmp_path / "host", *HOST, *TOURNAMENT))
        output, deadline = tmp_path / "host" / "host.out", Deadline()
        while "join 127.0.0.1:" not in output.read_text():
            deadline.left()
        address = output.read_text().partition(" join ")[2].split()[0]
        for name in ("Ann", "Bob"):
            bot = ("bot", address, "open", "--bot", "random", "--name", name)
            stack.enter_context(running(tmp_path / name, *bot))
        assert host.wait(SECONDS) == 0, output.read_text()
    lines = output.read_text().splitlines()
    found = [json.loads(line) for line in lines if line.startswith("{")]
    assert {line["name"] for line in found} == {"Ann", "Bob"}
    assert [line["place"] for line in found] in ([1, 2], [1, 1])
    assert [line["rounds"] for line in found] == [1, 1]
    assert sum(line["wins"] for line in found) == 1
    assert any("Round 1 is over: 1. " in line for line in lines)
    (path,) = (tmp_path / "host" / "records").glob("*.tournament")
    assert load_course(path).stage == "over"
