"""A host with several tables is killed: all of them come back."""

from contextlib import ExitStack
from pathlib import Path
from random import Random

from tests.support.hosts_and_clients import Deadline, hosting
from tests.support.players import Player, chosen


def move(player: Player, chance: Random) -> int:
    """Make one move as soon as it is the player's turn; return the new rev."""
    deadline = Deadline()
    while not (wanted := chosen(current := player.ask("view"), chance)):
        deadline.left()
        player.hear()
    answer = player.ask("intent", **wanted)
    assert answer["type"] == "accepted", (answer, current)
    rev: int = answer["rev"]
    return rev


def sit_down(stack: ExitStack, port: int, name: str, table: int) -> Player:
    """Let somebody take the seat beside the bot of a table, so that its game begins."""
    player = stack.enter_context(Player(port, table=table))
    answer = player.ask("hello", protocol=6, name=name, role="player", table=table)
    assert answer["number"] == table, answer
    assert player.ask("ready", ready=True)["type"] == "done"
    return player


def test_all_tables_come_back_after_a_kill(tmp_path: Path) -> None:
    options = {"tables": 3, "seats": 2, "bots": ("regular",), "resume_latest": True}
    with ExitStack() as stack:
        host = stack.enter_context(hosting(tmp_path, **options))
        people = [sit_down(stack, host.port, name, at) for at, name in ((1, "Ann"), (3, "Bob"))]
        chance = Random(1)
        revs = [move(person, chance) for person in people for _each in range(3)][2::3]
        host.kill()
        again = stack.enter_context(hosting(tmp_path, port=host.port, **options))
        for person, rev in zip(people, revs, strict=True):
            snapshot = person.ask("sync")
            assert snapshot["game"] == 1, "it is the game that was played"
            assert snapshot["rev"] >= rev, "bots may have gone on"
        tables = people[0].ask("tables")["tables"]
        stages = [table["stage"] for table in tables]
        assert [stage == "lobby" for stage in stages] == [False, True, False]
        again.stop()
