"""Guests over ssh: strangers at the gateway, many guests, and a gateway that is killed."""

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import asyncssh

from coffeerush.guests.limits import MAX_GUESTS
from coffeerush.host.server.incidents import REPORT_SECONDS
from scripts.programs.bench.conditions import percentile
from scripts.programs.bench.people import Players
from tests.soak.gateway import STRANGER, Gambler, Others, besiege, watch
from tests.soak.oracle.playing import Vitals, latency
from tests.soak.soak import Soak
from tests.support.guests import receiving, screen_of
from tests.support.hosts_and_clients import Deadline, Host
from tests.support.ssh import gateway_pid, ways_of

SECONDS: Final = 300.0
TELLING_SECONDS: Final = 120.0
"""A shorter run has too few moves to measure the 99th percentile."""
MOST_DELAY: Final = 1.5
"""The limit for latency, relative to play without guests."""
MEGABYTES: Final = 200
ABORTED: Final = 100
SOURCES: Final = 4
"""The addresses from which strangers come."""


def run(soak: Soak) -> None:
    """Run all of them, each for its share of the time."""
    abort(soak, ABORTED)
    crowd(soak, MAX_GUESTS - 1, soak.seconds * 0.6)  # one spectator is not a guest
    kill(soak, soak.seconds * 0.3)


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


def crowd(soak: Soak, guests: int, seconds: float) -> None:
    """Play at a table with nobody else, then with strangers at the gateway, then with guests."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        host = Host(Path(folder), guests=True, seats=4, seed=1)
        stack.callback(host.close)
        port = ways_of(host)["ssh_port"]
        players = Players(host.port)
        stack.callback(players.close)
        gateway = gateway_pid(host)
        quiet = _played(players, seconds / 3)
        before = len(os.listdir(f"/proc/{gateway}/fd"))
        vitals = Vitals.from_now(gateway)
        with Others(besiege, port, soak.chance.random(), SOURCES) as strangers:
            besieged = _played(players, seconds / 3)
            vitals.look(gateway)
        done = strangers.counts
        _wait_for(lambda: len(os.listdir(f"/proc/{gateway}/fd")) <= before)
        with Others(watch, port, host.ready["code"], guests):
            _wait_for(lambda: host.text().count(") is watching.") == guests)
            crowded = _played(players, seconds / 3)
        log = host.text()
    soak.report(
        "a crowd",
        guests=guests,
        strangers=dict(done),
        megabytes=vitals.megabytes,
        descriptors=vitals.descriptors,
        **latency("quiet", quiet),
        **latency("guests", crowded),
        **latency("strangers", besieged),
    )
    soak.hold("the gateway is not restarted", "started again" not in log)
    soak.hold("nobody gets in", STRANGER not in log and not done["in"], done=done)
    soak.hold("memory is bounded", vitals.megabytes < MEGABYTES, megabytes=vitals.megabytes)
    complaints, most = log.count("Recent problems"), 2 * (2 + seconds / REPORT_SECONDS)
    soak.hold("a person can read the log", complaints <= most, complaints=complaints)
    if soak.seconds >= TELLING_SECONDS:
        limit = MOST_DELAY * percentile(quiet, 0.99)
        for name, took in (("guests", crowded), ("strangers", besieged)):
            late = percentile(took, 0.99)
            soak.hold("moves take 1.5 times as long at most", late <= limit, with_=name, late=late)


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
