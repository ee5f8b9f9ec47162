"""`coffeerush bot`: a person's bot as a guest, its errors, and stopping it."""

import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.hosts_and_clients import SECONDS, Deadline, Fields, Host, hosting, running
from tests.support.players import Player

BOTS = """
import signal

from protocol import EndTurn

class Illegal:
    def choose(self, view, chance):
        return EndTurn()

class Nonsense:
    def choose(self, view, chance):
        return ["up"]

class Hangs:
    def choose(self, view, chance):
        open("thinks", "w").close()
        while True:
            signal.pause()

class Late:
    calls = 0
    def choose(self, view, chance):
        self.calls += 1
        if self.calls > 1:
            return view.own.options[1].intent
        open("thinks", "w").close()
        open("go").close()  # once the test also opens it
        return view.own.options[0].intent
"""


def guest(stack: ExitStack, state: Path, host: Host, name: str) -> "subprocess.Popen[bytes]":
    """Run a bot of the file above."""
    (state / "bots.py").write_text(BOTS)
    words = ("bot", f"127.0.0.1:{host.port}", "--bot", f"bots.py:{name}")
    process: subprocess.Popen[bytes] = stack.enter_context(running(state, *words))
    return process


def ended(process: "subprocess.Popen[bytes]", state: Path) -> tuple[int, str]:
    """Wait for the exit; return the code and all output."""
    code = process.wait(SECONDS)
    said = (state / "bot.out").read_text()
    assert "Traceback" not in said
    return code, said


@pytest.mark.parametrize("name", ["Illegal", "Nonsense"])
def test_an_illegal_choice_ends_the_bot_with_an_error(
    stack: ExitStack, tmp_path: Path, name: str
) -> None:
    host = stack.enter_context(hosting(tmp_path / "host", seats=2, bots=("random",)))
    code, said = ended(guest(stack, tmp_path, host, name), tmp_path)
    assert code == 1
    seated, error = said.splitlines()
    assert seated == f"{name} sits down at the table."
    assert error.startswith(f"Error: bots.py:{name} chose ")


def wait_for_its_turn(ann: Player, state: Path) -> None:
    """Wait until the bot, which places the first meeple, is asked for that."""
    while not (state / "thinks").exists():
        ann.hear_view()  # a bot stands in for a player who is silent for long


@pytest.mark.parametrize("by", ["ctrl-c", "host"])
def test_a_hanging_bot_can_be_stopped(stack: ExitStack, tmp_path: Path, by: str) -> None:
    host = stack.enter_context(hosting(tmp_path / "host", seats=2, first="Ann"))
    ann = stack.enter_context(Player(host.port))
    ann.sit_down("Ann")
    process = guest(stack, tmp_path, host, "Hangs")
    ann.ask("ready", ready=True)
    wait_for_its_turn(ann, tmp_path)
    if by == "host":
        host.stop()
    else:
        process.send_signal(signal.SIGINT)
    code, _said = ended(process, tmp_path)
    assert code == (0 if by == "host" else 130)


def test_a_bots_choice_for_an_earlier_position_is_dropped(stack: ExitStack, tmp_path: Path) -> None:
    options = {"seats": 2, "first": "Ann", "seed": 1, "rules": {"turn_seconds": 8}}
    host = stack.enter_context(hosting(tmp_path / "host", **options))
    ann = stack.enter_context(Player(host.port))
    seat = ann.sit_down("Ann")
    os.mkfifo(tmp_path / "go")
    process = guest(stack, tmp_path, host, "Late")
    ann.ask("ready", ready=True)
    wait_for_its_turn(ann, tmp_path)
    process.send_signal(signal.SIGSTOP)
    while (answer := ann.hear_view())["view"]["active"] != seat:
        pass  # until the time is up, and a bot of the host has placed the meeple
    process.send_signal(signal.SIGCONT)
    while ann.ask("sync")["table"]["seats"][1 - seat].get("away"):
        ann.hear()
    first, *_others, last = [option["intent"] for option in answer["view"]["own"]["options"]][:-1]
    assert first["cell"] == 0  # the bot's choice would also be legal now
    assert ann.ask("intent", game=1, rev=answer["rev"], intent=last)["type"] == "accepted"
    (tmp_path / "go").write_bytes(b"")

    def bots_meeples(heard: Fields) -> list[int]:
        found: list[int] = heard["view"]["players"][1 - seat]["meeples"] if "view" in heard else []
        return found

    heard = ann.hear_until(lambda heard: len(bots_meeples(heard)) == 2)
    assert 0 not in bots_meeples(heard)


def test_a_bot_at_a_full_table_waits_for_a_seat(stack: ExitStack, tmp_path: Path) -> None:
    host = stack.enter_context(hosting(tmp_path / "host", seats=2))
    ann, bob = (stack.enter_context(Player(host.port)) for _ in range(2))
    ann.sit_down("Ann")
    seat = bob.sit_down("Bob")
    process = guest(stack, tmp_path, host, "Late")
    queue = {"queue": ["Late"]}
    ann.hear_until(lambda heard: "table" in heard and heard["table"].get("next_game") == queue)
    bob.ask("bye")
    there = {"status": "person", "name": "Late"}.items()
    ann.hear_until(
        lambda heard: "table" in heard and there <= heard["table"]["seats"][seat].items()
    )
    host.stop()
    code, said = ended(process, tmp_path)
    assert said.splitlines()[0] == "Late wants to play next."
    assert code == 0


def at_table(stack: ExitStack, host: Host, name: str, table: int) -> Player:
    """Let somebody take a seat at a table."""
    player = stack.enter_context(Player(host.port, table=table))
    answer = player.ask("hello", protocol=6, name=name, role="player", table=table)
    assert answer["number"] == table, answer
    return player


def others(player: Player) -> list[str]:
    """Wait until others have a seat at a player's table; return their names."""
    deadline = Deadline()
    while True:
        deadline.left()
        snapshot = player.ask("sync")
        people = [seat for seat in snapshot["table"]["seats"] if seat["status"] == "person"]
        if len(people) > 1:
            del people[snapshot["seat"]]
            return [one["name"] for one in people]
        player.hear()


def test_a_bot_without_a_seat_takes_one_that_opens_at_another_table(
    stack: ExitStack, tmp_path: Path
) -> None:
    host = stack.enter_context(hosting(tmp_path / "host", tables=2, seats=2))
    ann, _bob = (at_table(stack, host, name, 1) for name in ("Ann", "Bob"))
    cid, dee = (at_table(stack, host, name, 2) for name in ("Cid", "Dee"))
    guest(stack, tmp_path, host, "Late")
    queue = {"queue": ["Late"]}
    ann.hear_until(lambda heard: "table" in heard and heard["table"].get("next_game") == queue)
    dee.ask("bye")
    assert others(cid) == ["Late"]


@pytest.mark.slow
def test_after_a_game_a_bot_goes_to_where_somebody_waits(stack: ExitStack, tmp_path: Path) -> None:
    host = stack.enter_context(hosting(tmp_path / "host", tables=2, seats=2))
    ann = at_table(stack, host, "Ann", 2)
    for name in ("First", "Second"):
        words = ("bot", f"127.0.0.1:{host.port}", "--bot", "random", "--name", name)
        stack.enter_context(running(tmp_path / name, *words))
    assert others(ann) in (["First"], ["Second"])
