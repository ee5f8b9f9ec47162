"""A table on a LAN, friends who join with its code, and strangers on the same LAN."""

import json
import os
import select
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, Final, Self

import zmq

from coffeerush.joining.door_server import DOOR_SECONDS
from tests.soak.lan.guests import Guest
from tests.soak.lan.network import Network
from tests.soak.oracle.playing import Players, Vitals
from tests.soak.oracle.taps import Taps
from tests.soak.strangers.attacker import Attack
from tests.soak.strangers.stranger import Orders
from tests.support.hosts_and_clients import Host, door_handshake, start_child

HOST, FRIENDS, STRANGERS = "host", "friends", "strangers"
SEATS: Final = 4
ADDRESSES: Final = 60
"""The number of addresses of the strangers."""
RECORDED_BYTES: Final = 1 << 24
"""The bytes kept of each side of a friend's connection."""
STREAM_BYTES: Final = 4096
"""The bytes of a friend's connection that strangers get to replay."""
JOIN_RETRY_SECONDS: Final = 20.0
"""Anybody not admitted by then gives up."""
_PORT: Final = 47820
_PROGRAM: Final = "tests.soak.strangers.strangers"
_PREFIX: Final = "Honest"


class Gathering(Players):
    """Four players, a spectator, all behind proxies, and a network for strangers."""

    def __init__(
        self, network: Network, host: Host, taps: Taps, stack: ExitStack, chance: Random
    ) -> None:
        self.network = network
        self.host = host
        self.taps = taps
        self.code: str = host.ready["code"]
        self.codes = [self.code]
        self.discovery = Vitals()
        """The process that announces the table."""
        self._stack = stack
        self._fronts = taps.front(range(host.port, host.port + 3))
        self._addresses = network.crowd(STRANGERS, ADDRESSES)
        self._rest = b""
        self._began = time.monotonic()
        names = [f"{_PREFIX} {number}" for number in range(SEATS + 1)]
        *players, watcher = (stack.enter_context(self.guest(name)) for name in names)
        super().__init__(players, watcher, chance)
        self.come(players)

    @classmethod
    @contextmanager
    def open(cls, state: Path, chance: Random, **options: Any) -> Iterator[Self]:
        """Open a table and start a game, with more options for the host."""
        options = {"seats": SEATS, "seed": chance.getrandbits(32), **options}
        with (
            Network([HOST, FRIENDS, STRANGERS]) as network,
            ahead_of_others(),
            ExitStack() as stack,
        ):
            host = Host(state, network.command(HOST), port=_PORT, stop="at_once", **options)
            stack.callback(host.close)
            assert host.port == _PORT, host.text()
            stack.enter_context(network.inside(FRIENDS))
            taps = stack.enter_context(Taps(network.address(HOST), RECORDED_BYTES))
            yield cls(network, host, taps, stack, chance)

    def guest(self, name: str) -> Guest:
        """Return a new guest who has the code."""
        return Guest(self.host.port, name, self._fronts, code=self.code)

    # Strangers

    def attack(self, names: Iterable[str], state: Path) -> list[Attack]:
        inside = self.network.command(STRANGERS)
        attacks = []
        for name in names:
            kept = state / f"received-{name}"
            attacks.append(Attack(_PROGRAM, name, self._orders(kept), kept, inside))
            self._stack.callback(attacks[-1].close)
        for one in attacks:
            one.begin()
        return attacks

    def _orders(self, kept: Path) -> Orders:
        new, old = self.network.address6(HOST), self.network.address(HOST)
        return Orders(
            port=self.host.port,
            key=self.players[0].banner["key"],
            routes=tuple((one, new if ":" in one else old) for one in self._addresses),
            known=tuple(one.keys[0].decode() for one in self.everybody),
            streams=tuple(
                (stream.port - self.host.port, bytes(stream.up[:STREAM_BYTES]).hex())
                for stream in self.taps.streams
            ),
            seed=self._chance.getrandbits(32),
            kept=str(kept),
        )

    # Friends

    def play(self, seconds: float) -> list[float]:
        """Play for this many seconds, game after game.

        Returns:
            For each move, the seconds until everybody had seen it.
        """
        return self.play_on(seconds, self.host.process.pid)

    def forget(self) -> None:
        for guest in self.everybody:
            guest.hear_rest()
            guest.raw.clear()
            guest.sent.clear()

    def finish(self) -> None:
        """Play the game to its end; if it is over, play another one."""
        if self.active is None:
            self.begin(self.players)
        while self.active is not None:
            self.turn()
        for guest in self.everybody:
            guest.hear_of(self.answer["rev"])

    def newcomer(self) -> float | None:
        """Let a newcomer join with the code; return the seconds until the door admitted it."""
        began = time.monotonic()
        while time.monotonic() - began < JOIN_RETRY_SECONDS:
            self.hear_of_codes()
            with suppress(OSError, ValueError):  # the door has closed early, or says nothing
                key = zmq.curve_keypair()[0]
                door = self._fronts[self.host.port]
                answer = door_handshake(door, key, self.code, seconds=DOOR_SECONDS)[1]
                if answer["type"] == "enrolled":
                    return time.monotonic() - began
            self.watcher.hear_tick()
        return None

    def is_found(self, state: Path) -> bool:
        """Return whether a friend finds the table on the network."""
        module = "coffeerush.joining.browsing"
        process, link = start_child(module, state, subprocess.DEVNULL)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        self._stack.callback(link.close)
        address = self.network.address(HOST).encode()
        heard = b""
        deadline = time.monotonic() + JOIN_RETRY_SECONDS
        while address not in heard and (left := deadline - time.monotonic()) > 0:
            if select.select([link], [], [], left)[0]:
                heard += link.recv(1 << 16)
        return address in heard

    def hear_of_codes(self) -> None:
        """Read the codes that the host has drawn since."""
        link = self.host.link
        link.setblocking(False)
        with suppress(BlockingIOError):
            self._rest += link.recv(1 << 16)
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            self.code = json.loads(line)["code"]
            self.codes.append(self.code)

    def people(self) -> set[str]:
        """Return the names of everybody at the table, according to its public state."""
        table = self.watcher.request("sync")["table"]
        return {*(seat["name"] for seat in table["seats"]), *table["spectators"]}

    def seconds(self) -> float:
        return time.monotonic() - self._began

    def look_around(self) -> None:
        """Check the host's other processes, which have lowered their own priority."""
        for status in Path("/proc").glob("[0-9]*/status"):
            with suppress(OSError):  # it has just ended
                if f"PPid:\t{self.host.process.pid}\n" in status.read_text():
                    self.discovery.look(int(status.parent.name))
                    for thread in (status.parent / "task").iterdir():
                        _give_way(int(thread.name))


@contextmanager
def ahead_of_others() -> Iterator[None]:
    """Give host and friends a higher priority than everything else on this machine.

    Real strangers have machines of their own, and cost the host only what they send.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:  # then only the latencies get worse
        yield
        return
    try:
        yield
    finally:
        _give_way(0)


def _give_way(thread: int) -> None:
    """Reset a thread's priority to its niceness."""
    os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
