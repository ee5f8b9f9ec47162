"""Guests over ssh: strangers at the gateway, many guests, and a gateway that is killed."""

import asyncio
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Final

import asyncssh
import zmq

from coffeerush.guests.places import MAX_GUESTS
from coffeerush.host.server.incidents import REPORT_SECONDS
from scripts.programs.bench.conditions import percentile
from scripts.programs.bench.people import Players
from tests.soak.attacked import MEGABYTES, hold, notice
from tests.soak.gateway import BUSY, Gambler, Newcomer, Others, Typist, watch
from tests.soak.oracle.playing import Vitals, descriptors_of, latency
from tests.soak.soak import Soak
from tests.soak.strangers.ssh import IN, SESSIONS, STRANGER, STRANGERS, besiege
from tests.support.guests import connect, receiving, screen_of
from tests.support.hosts_and_clients import Deadline, Host, Peer, hosting
from tests.support.ssh import gateway_pid, ways_of

SECONDS: Final = 300.0
TELLING_SECONDS: Final = 120.0
"""A shorter run has too few moves to measure the 99th percentile."""
MOST_DELAY: Final = 1.5
"""The limit for latency, relative to play without guests."""
ABORTED: Final = 100
SOURCES: Final = 4
"""The addresses from which strangers come."""
KICK_SECONDS: Final = 3.0
"""In which the gateway hears of the new code, and answers."""
CROWDS: Final = (1, 8, 20, 200)
"""From how many addresses each attack without the code comes."""
MEMBERS: Final = (1, 8)
"""How many sessions keep up what one session can do."""
TRIALS: Final[list[dict[str, int]]] = [
    *({name: sources} for name in STRANGERS for sources in CROWDS),
    *({name: sessions} for name in SESSIONS for sessions in MEMBERS),
    {"sizes_8": 1},
]
"""Attacks, each with the number of addresses from which it comes."""
TOGETHER: Final = dict.fromkeys(STRANGERS, SOURCES) | {"sizes_8": 1}
"""All that people without the code do, at the same time."""


def run(soak: Soak) -> None:
    abort(soak, ABORTED)
    kick(soak)
    withstand(soak, [*TRIALS, TOGETHER], soak.seconds * 0.5)
    crowd(soak, MAX_GUESTS - 1, soak.seconds * 0.3)  # one spectator is not a guest
    kill(soak, soak.seconds * 0.15)


def abort(soak: Soak, connections: int) -> None:
    """Abort connections at random moments: nothing is left of them, neither session nor task."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        host = Host(state / "host", seats=4)
        try:
            left = asyncio.run(_abort(soak, host, state, connections))
        finally:
            host.close()
    soak.report("aborted", connections=connections, left=left)
    soak.hold("nothing is left of aborted connections", not any(left.values()), left=left)


async def _abort(soak: Soak, host: Host, state: Path, connections: int) -> dict[str, int]:
    async with receiving(host, state) as reception:
        for number in range(connections):
            name, source = f"Guest {soak.chance.randrange(9)}", f"127.0.0.{1 + number % 8}"
            connection = await reception.connect(name, local_addr=(source, 0))
            with suppress(asyncssh.Error, OSError, TimeoutError, AssertionError):
                async with asyncio.timeout(soak.chance.uniform(0.0, 0.2)):
                    guest = await screen_of(connection)
                    await guest.enter(reception.code)
                    await asyncio.Future()  # stay until the time is up
            connection.abort()
        await reception.until(lambda: not reception.door.connections)
        await reception.gateway.close()
        with suppress(AssertionError):
            await reception.settled()
        return reception.left


def withstand(soak: Soak, trials: Sequence[dict[str, int]], seconds: float) -> None:
    """Let a guest type, and newcomers come, under one attack after another."""
    each = seconds / (len(trials) + 1)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        host = Host(Path(folder), guests=True, seats=4, seed=1)
        stack.callback(host.close)
        port, code = ways_of(host)["ssh_port"], host.ready["code"]
        runner = stack.enter_context(asyncio.Runner())
        ann, newcomer = Typist(runner, port, code), Newcomer(port)
        stack.callback(ann.close)
        gateway = gateway_pid(host)
        quiet = notice(each, ann.press, newcomer.come)
        hold(soak, "quiet", quiet, quiet, Vitals.from_now(gateway))
        for attacks in trials:
            vitals = Vitals.from_now(gateway)
            with Others(besiege, port, code, soak.chance.random(), attacks) as others:
                others.until_busy()
                under = notice(each, ann.press, newcomer.come)
                vitals.look(gateway)
            name = " ".join(f"{name}/{sources}" for name, sources in attacks.items())
            hold(soak, name, quiet, under, vitals)
            done = dict(others.counts)
            soak.report("attackers", attack=name, done=done)
            soak.hold("nobody gets in", not others.counts[IN], attack=name, done=done)
        soak.hold("no stranger sits down", STRANGER not in host.text())
        soak.hold("it is the same gateway", Path(f"/proc/{gateway}").exists())


def kick(soak: Soak) -> None:
    """Remove a guest, whose other session has given the code before and waits in the form."""
    keys = zmq.curve_keypair()
    with (
        tempfile.TemporaryDirectory() as folder,
        hosting(Path(folder), guests=True, seats=3, owner=keys[0].decode()) as host,
        closing(Peer(host.port, keys)) as owner,
    ):
        owner.hello("Owner")
        asyncio.run(_kick(soak, host, owner))


async def _kick(soak: Soak, host: Host, owner: Peer) -> None:
    port, code = ways_of(host)["ssh_port"], host.ready["code"]
    lines = [await connect(port, "Mallory") for _line in range(3)]
    first, second, third = [await screen_of(line) for line in lines]
    await first.enter(code)
    await second.see("Code")
    second.write(code.replace("-", " ") + "\r")
    await second.see("Somebody here has that name")
    await third.see("Code")
    seats = owner.ask("sync")["table"]["seats"]
    seat = next(n for n, one in enumerate(seats) if one.get("name", "").startswith("Mallory"))
    soak.hold("the owner removes a guest", owner.ask("remove", seat=seat)["type"] != "refused")
    third.write("\x1b[A\x15Eve\x1b[B" + code.replace("-", " ") + "\r")  # at once
    second.write("\x15Bob\r")
    for screen in (second, third):
        until = time.monotonic() + KICK_SECONDS
        while "Seat 1" not in screen.text and time.monotonic() < until:
            await screen.look(0.5)
        soak.hold("the old code lets nobody in", "Seat 1" not in screen.text, text=screen.text)
    seated = [one["name"] for one in owner.ask("sync")["table"]["seats"] if one.get("name")]
    soak.report("kicked", seated=seated)
    for line in lines:
        line.abort()
        await line.wait_closed()


def crowd(soak: Soak, guests: int, seconds: float) -> None:
    """Play at a table with nobody else, then with strangers at the gateway, then with guests.

    On two cores, two busy processes delay any third. So moves are compared with those beside two
    that do nothing but count, in place of the strangers and the gateway.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        host = Host(Path(folder), guests=True, seats=4, seed=1)
        stack.callback(host.close)
        port = ways_of(host)["ssh_port"]
        players = Players(host.port)
        stack.callback(players.close)
        gateway = gateway_pid(host)
        quiet = _played(players, seconds / 4)
        with Others(only_count), Others(only_count):
            beside = _played(players, seconds / 4)
        before = descriptors_of(gateway)
        vitals = Vitals.from_now(gateway)
        code = host.ready["code"]
        with Others(besiege, port, code, soak.chance.random(), TOGETHER) as strangers:
            besieged = _played(players, seconds / 4)
            vitals.look(gateway)
        done = strangers.counts
        _wait_for(lambda: descriptors_of(gateway) <= before)
        with Others(watch, port, host.ready["code"], guests):
            _wait_for(lambda: host.text().count(") is watching.") == guests)
            crowded = _played(players, seconds / 4)
        log = host.text()
    soak.report(
        "a crowd",
        guests=guests,
        strangers=dict(done),
        megabytes=vitals.megabytes,
        descriptors=vitals.descriptors,
        **latency("quiet", quiet),
        **latency("beside", beside),
        **latency("guests", crowded),
        **latency("strangers", besieged),
    )
    soak.hold("the gateway is not restarted", "started again" not in log)
    soak.hold("nobody gets in", STRANGER not in log and not done[IN], done=done)
    vitals.hold(soak, MEGABYTES)
    complaints, most = log.count("Recent problems"), 2 * (2 + seconds / REPORT_SECONDS)
    soak.hold("a person can read the log", complaints <= most, complaints=complaints)
    if soak.seconds >= TELLING_SECONDS:
        limit = MOST_DELAY * max(percentile(took, 0.99) for took in (quiet, beside))
        for name, took in (("guests", crowded), ("strangers", besieged)):
            late = percentile(took, 0.99)
            soak.hold("moves take 1.5 times as long at most", late <= limit, with_=name, late=late)


async def only_count(counts: Counter[str]) -> None:
    """Keep a core busy, and leave the table alone."""
    while True:
        counts[BUSY] += 1
        sum(range(100_000))
        await asyncio.sleep(0)


def kill(soak: Soak, seconds: float) -> None:
    """Kill the gateway while a guest plays: it is back, and so are the seat and the game."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        host = Host(Path(folder) / "host", guests=True, seats=2, bots=["casual"], games=1)
        stack.callback(host.close)
        ways = ways_of(host)
        ann = Gambler(ways["ssh_port"], host.ready["code"])
        kills, back, until = 0, list[float](), time.monotonic() + seconds
        while time.monotonic() < until and host.process.poll() is None:
            at = soak.chance.uniform(0.0, 3.0)
            if ann.play(at):
                break
            began = time.monotonic()
            os.kill(gateway_pid(host), signal.SIGKILL)
            again = ways_of(host)
            back.append(time.monotonic() - began)
            kills += 1
            soak.hold("it is back with the same port and key", again == ways, again=again)
        worst = round(max(back, default=0.0), 2)
        soak.report("kills", kills=kills, rounds=ann.rounds, back_seconds=worst)
        soak.hold("the seat is the same", "(ssh) 2" not in host.text())
        soak.hold("the game goes on", ann.rounds == sorted(ann.rounds), rounds=ann.rounds)


def _played(players: Players, seconds: float) -> list[float]:
    """Play whole games for so long; return the seconds of each move."""
    took, until = list[float](), time.monotonic() + seconds
    while not took or time.monotonic() < until:
        took += players.play_game()
    return took


def _wait_for(wanted: Callable[[], object]) -> None:
    deadline = Deadline()
    while not wanted():
        deadline.left()
        time.sleep(0.05)  # nothing tells when files and processes change
