"""A tournament that a host holds by itself: bots come and play, and a crash interrupts nothing."""

import json
from contextlib import ExitStack
from pathlib import Path

from coffeerush.tournament.journal import load_course
from tests.support.hosts_and_clients import Fields, Peer, Person, hosting, running

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
    assert "stopped answering" not in host.text, "the bots play themselves"
    lines = host.text.splitlines()
    found = [json.loads(line) for line in lines if line.startswith("{")]
    assert {line["name"] for line in found} == {"Ann", "Bob"}
    assert [line["place"] for line in found] in ([1, 2], [1, 1])
    assert [line["rounds"] for line in found] == [1, 1]
    assert sum(line["wins"] for line in found) == 1
    assert any("Round 1 is over: 1. " in line for line in lines)
    (path,) = (tmp_path / "host" / "records").glob("*.tournament")
    assert load_course(path).stage == "over"
    with Person(tmp_path / "host", "league", "evening") as evening:
        assert evening.wait() == 0, evening.text
    best = f"1. {found[0]['name']}, {found[1]['place']}. {found[1]['name']}"
    (told,) = (line for line in evening.text.splitlines() if "Tournament" in line)
    assert told.split(maxsplit=1)[1] == f"{best} (after round 1 of 1)"


def tournament(peer: Peer, stage: str) -> Fields:
    """Wait until the tournament is in this stage; return it as somebody sees it."""
    while (answer := peer.ask("tables")).get("tournament", {}).get("stage") != stage:
        peer.hear_tick()
    found: Fields = answer["tournament"]
    return found


def test_after_a_kill_everybody_is_back_in_their_round_without_a_code(tmp_path: Path) -> None:
    rules = {"rounds": 2, "break_seconds": 1}
    plan = {"players": 2, "rules": rules}
    options = {"tables": 2, "tournament": plan, "resume_latest": True}
    with ExitStack() as stack:
        host = stack.enter_context(hosting(tmp_path, **options))
        people = [stack.enter_context(Peer(host.port)) for _each in range(2)]
        for person, name in zip(people, ("Ann", "Bob"), strict=True):
            person.hello(name)
        before = tournament(people[0], "round")
        host.kill()
        again = stack.enter_context(hosting(tmp_path, port=host.port, **options))
        assert again.ready["code"] == host.ready["code"]
        assert tournament(people[0], "round") == before
        numbers = {person.hello("Guest")["number"] for person in people}
        assert numbers == {one["table"] for one in before["players"]}
        again.stop()
