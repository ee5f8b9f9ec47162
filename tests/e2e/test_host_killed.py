"""Killing a host in mid-turn or a client in mid-game: nothing is lost."""

import os
import resource
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

import pytest
import zmq

from coffeerush.local.processes import HOST_MEMORY_BYTES
from coffeerush.records.writing import load_record
from tests.support.hosts_and_clients import (
    ROOT,
    SECONDS,
    Deadline,
    Fields,
    Host,
    Peer,
    door_handshake,
    hosting,
    running,
)
from tests.support.players import Player, chosen, is_over, play


def table_of(stack: ExitStack, state: Path) -> tuple[Host, dict[int, Player]]:
    """Return a host and two people in a started game, the first of them at seat 1."""
    host = stack.enter_context(hosting(state, seats=3, bots=("regular",)))
    players = {}
    for name in ("Ann", "Ben"):
        player = stack.enter_context(Player(host.port))
        players[player.sit_down(name)] = player
    for player in players.values():
        assert player.ask("ready", ready=True)["type"] == "done"
    return host, players


def resumed(stack: ExitStack, state: Path, port: int) -> Host:
    """Return a host that resumes the only record, at the port of its game."""
    (path,) = (state / "records").glob("*.record")
    again = stack.enter_context(hosting(state, resume=str(path), port=None))
    assert again.port == load_record(path).head.port == port
    return again


def has_poured(view: Fields) -> bool:
    """Return whether the reader is in mid-turn with tokens in cups and hand."""
    own = view["own"]
    return view["phase"] == "pouring" and any(map(any, own["cups"])) and any(own["hand"])


def test_a_killed_host_resumes_in_mid_turn(tmp_path: Path, stack: ExitStack) -> None:
    host, players = table_of(stack, tmp_path)
    before = play(players, Random(1), has_poured)
    seat = before["own"]["seat"]
    current = players[seat].ask("view")
    wanted = chosen(current, Random(2))
    assert wanted
    last = players[seat].send("intent", **wanted)
    accepted = players[seat].receive()
    assert accepted["type"] == "accepted"
    host.kill()

    again = resumed(stack, tmp_path, host.port)
    player = players[seat]
    banner, _enrolled = door_handshake(again.port, player.keys[0])
    assert banner["hall"] == player.banner["hall"] != ""
    snapshot = player.ask("sync")
    assert snapshot["epoch"] != accepted["epoch"]
    assert (snapshot["seat"], snapshot["rev"]) == (seat, accepted["rev"])
    assert snapshot["view"] == accepted["view"]  # the same cups and hand, to the last token
    # Repeating the same bytes gets the same answer and changes nothing.
    player.dealer.send_multipart([b"", last])
    assert {**player.receive(), "epoch": accepted["epoch"]} == accepted
    assert player.ask("sync")["rev"] == accepted["rev"]

    for other in players.values():
        other.ask("view")  # keepalive
    play(players, Random(3), is_over)
    again.stop()
    record = load_record(next((tmp_path / "records").glob("*.record")))
    assert record.end is not None


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs the call prlimit: Linux")
def test_a_host_that_exceeds_its_memory_limit_exits_and_resumes(
    tmp_path: Path, stack: ExitStack
) -> None:
    host, players = table_of(stack, tmp_path)
    before = play(players, Random(1), has_poured)
    seat = before["own"]["seat"]
    latest = players[seat].ask("view")
    pid = host.process.pid
    assert resource.prlimit(pid, resource.RLIMIT_AS)[0] == HOST_MEMORY_BYTES
    stranger = stack.enter_context(Peer(host.port))
    resource.prlimit(pid, resource.RLIMIT_AS, (memory_of(pid), HOST_MEMORY_BYTES))
    deadline = Deadline()
    while host.process.poll() is None:
        deadline.left()
        with suppress(zmq.Again):
            stranger.dealer.send(bytes(16000), zmq.NOBLOCK | zmq.SNDMORE)
    assert host.wait() != 0

    resumed(stack, tmp_path, host.port)
    snapshot = players[seat].ask("sync")
    assert (snapshot["seat"], snapshot["rev"]) == (seat, latest["rev"])
    assert snapshot["view"] == latest["view"]


def memory_of(pid: int) -> int:
    """Return the address space of a process, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def test_a_host_exits_if_any_of_its_threads_dies() -> None:
    told = "from coffeerush.local.processes import exit_if_a_thread_fails as end; end();"
    fails = "from threading import Thread; Thread(target=[].pop).start(); input()"
    with subprocess.Popen(
        [sys.executable, "-c", f"{told} {fails}"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        assert process.wait(SECONDS) == os.EX_SOFTWARE
        assert process.stderr
        assert b"pop from empty list" in process.stderr.read()


def test_a_killed_network_bot_rejoins(tmp_path: Path, stack: ExitStack) -> None:
    host = stack.enter_context(hosting(tmp_path, seats=2))
    ann = stack.enter_context(Player(host.port))
    ann.sit_down("Ann")
    ann.ask("ready", ready=True)
    words = ("bot", f"127.0.0.1:{host.port}", "--bot", "random", "--name", "Bo", "--games", "1")
    with running(tmp_path / "bo", *words) as killed:
        view = play({0: ann}, Random(6), lambda view: view["round"] > 1)
        killed.kill()
        killed.wait(SECONDS)
    meeples = view["players"][1]["meeples"]
    with running(tmp_path / "bo", *words) as back:
        over = play({0: ann}, Random(7), is_over)
        assert back.wait(SECONDS) == 0, (tmp_path / "bo" / "bot.out").read_text()
    assert len(meeples) == len(over["players"][1]["meeples"]) == 2
    seats = ann.ask("sync")["table"]["seats"]
    assert [seat["name"] for seat in seats][:2] == ["Ann", "Bo"]
    host.stop()


def test_a_paused_host_that_is_killed_resumes_paused(tmp_path: Path, stack: ExitStack) -> None:
    keys = zmq.curve_keypair()
    rules, owner = {"turn_seconds": 60}, keys[0].decode()
    options = {"seats": 2, "bots": ("regular",), "rules": rules, "owner": owner}
    host = stack.enter_context(hosting(tmp_path, **options))
    ann = stack.enter_context(Peer(host.port, keys))
    assert ann.hello("Ann")["owner"]
    ann.hear()  # from now on, she misses no update
    assert ann.ask("start")["type"] == "done"
    assert ann.ask("set_pause", paused=True, reason="Pizza!")["type"] == "done"
    told = ann.hear_until(lambda one: one["type"] == "update" and one["table"].get("pause"))
    host.kill()
    resumed(stack, tmp_path, host.port)
    ann = stack.enter_context(Peer(host.port, keys))
    table = ann.ask("sync")["table"]
    assert table["pause"] == "Pizza!"
    ticks = [ann.hear_tick() for _ in range(3)]
    assert {tick["rev"] for tick in ticks} == {told["rev"]}, "the bot stands"
    assert ann.ask("set_pause", paused=False)["type"] == "done"
    ann.hear_until(lambda one: one["rev"] > told["rev"] or ann.view()["own"]["options"])
