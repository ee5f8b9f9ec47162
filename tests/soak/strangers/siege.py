"""A table at which some play while others attack it with admitted keys."""

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Final, Self

import zmq

from protocol import HALL, topic
from tests.soak.lan.guests import Guest
from tests.soak.oracle.playing import Players
from tests.soak.strangers.attacker import Attack
from tests.soak.strangers.attacks import Orders
from tests.soak.strangers.curve import RawConnection
from tests.support.hosts_and_clients import SECONDS, Deadline, Fields, Host, KeyPair, hosting

HONEST: Final = 3
TURN_SECONDS: Final = 1
"""The turn clock, which passes the turn of an attacker who does not play."""
CAPTURED: Final = 30
AHEAD: Final = 0.2
"""How often a captured request is replayed before its sender sends it."""
_TICK_BYTES: Final = 80
"""More than a ping has, and less than a tick."""
_LOOK_SECONDS: Final = 5.0
_REFUSED: Final = ("not_your_turn", "not_seated", "stale", "too_fast", "say_hello", "id_reused")


class Siege(Players):
    """A host, three players, its owner as a spectator, and the keys of two attackers.

    The first attacker is at the table in the given role.
    """

    def __init__(
        self, host: Host, state: Path, stack: ExitStack, chance: Random, owner: KeyPair, role: str
    ) -> None:
        self.host = host
        self.state = state
        self.not_refused: list[Fields] = []
        """Answers to somebody else's captured requests, but for the expected refusals."""
        self._stack = stack
        self.player_keys, self.spectator_keys = (zmq.curve_keypair() for _each in range(2))
        names = [f"Honest {number}" for number in range(1, HONEST + 1)]
        players = [stack.enter_context(Guest(host.port, name)) for name in names]
        watcher = stack.enter_context(Guest(host.port, "Honest Watcher", keys=owner))
        super().__init__(players, watcher, chance)
        self.mallory = stack.enter_context(Guest(host.port, "Mallory", keys=self.player_keys))
        if role == "player":
            self.come([*players, self.mallory])
        else:
            self.mallory.come(role)
            self.come(players)
        self._seen = 0.0

    @classmethod
    @contextmanager
    def open(cls, state: Path, chance: Random, role: str = "player") -> Iterator[Self]:
        """Open a table and start a game."""
        clock = {"rules": {"turn_seconds": TURN_SECONDS}, "seed": chance.getrandbits(32)}
        owner = zmq.curve_keypair()
        options = {"owner": owner[0].decode(), **clock}
        seats = HONEST + (role == "player")
        with hosting(state, seats=seats, **options) as host, ExitStack() as stack:
            yield cls(host, state, stack, chance, owner, role)

    def attack(self, name: str, keys: KeyPair, size: int = 0) -> Attack:
        """Start an attack with a key; `size` is the connections of a swarm."""
        kept = self.state / f"received-{name}-{keys[0].hex()[:8]}"
        orders = Orders(
            port=self.host.port,
            keys=(keys[0].decode(), keys[1].decode()),
            captured=tuple(
                body.hex() for guest in self.everybody for body in guest.sent[-CAPTURED:]
            ),
            size=size,
            seed=self._chance.getrandbits(32),
            kept=str(kept),
        )
        attack = Attack("tests.soak.strangers.attacks", name, orders, kept)
        self._stack.callback(attack.close)
        attack.begin()
        return attack

    def come_back(self, guest: Guest) -> float:
        """Connect once more with somebody's key.

        Returns:
            The seconds until both ports let in connections that then heard of the table.
        """
        began = time.monotonic()
        deadline = Deadline()
        while True:
            deadline.left()
            with suppress(OSError), RawConnection(guest, "SUB") as updates, RawConnection(guest):
                took = time.monotonic() - began
                updates.link.sendall(updates.sealed(b"\1" + topic(HALL)))
                updates.link.settimeout(deadline.left())
                if b"\x07MESSAGE" in updates.link.recv(_TICK_BYTES, socket.MSG_WAITALL):
                    return took

    def bring_another(self) -> KeyPair:
        """Return the key of one more who has come to watch."""
        keys = zmq.curve_keypair()
        with Guest(self.host.port, "Minion", keys=keys) as guest:
            guest.come("spectator")
        return keys

    def remove_mallory(self) -> None:
        """Let the owner remove the attacker who watches; all are connected again after it."""
        assert self.watcher.request("remove_spectator", name="Mallory")["type"] == "done"
        for guest in self.everybody:
            guest.hear_rest()
            for _each in range(2):  # all connections are cut before the second one
                guest.hear_tick()

    # Playing on

    def play_games(self, seconds: float) -> list[float]:
        """Play game after game, at least a turn; the attacker who watches has no seat."""
        took: list[float] = []
        until = time.monotonic() + seconds
        while not took or time.monotonic() < until:
            self.view(self.watcher)  # who would be given up without a word
            took += self.play_on(
                min(_LOOK_SECONDS, until - time.monotonic()), self.host.process.pid
            )
        return took

    def play(self, seconds: float) -> list[float]:
        """Play for this many seconds, at least a turn, or to the end.

        Returns:
            For each move, the seconds until all honest guests had seen it.
        """
        took: list[float] = []
        until, deadline = time.monotonic() + seconds, Deadline(seconds + SECONDS)
        while self._look() is not None and (not took or time.monotonic() < until):
            deadline.left()
            took += self.turn(self.everybody)
            self.vitals.look(self.host.process.pid)
        return took

    def finish(self) -> None:
        """Play to the end; the attackers have stopped, and a bot takes over their seat."""
        deadline = Deadline()
        while _is_too_fast(self.mallory.request("bye")):
            self.mallory.hear_tick()
        while self._look() is not None:
            deadline.left()
            self.turn()
        for guest in self.everybody:
            guest.hear_of(self.answer["rev"])

    def _look(self) -> int | None:
        """Return the active seat, as a spectator sees it now and then."""
        now = time.monotonic()
        if now - self._seen > 1:
            self._seen = now
            self.view(self.watcher)
        return self.active

    def turn(self, witnesses: Sequence[Guest] = ()) -> list[float]:
        """Let the active guest move, or the clock pass the attacker's turn."""
        seat = self.mallory.seat
        if self.active != seat:
            return super().turn(witnesses)
        self.answer = self.watcher.hear_until(
            lambda heard: bool(heard.get("view")) and heard["view"]["active"] != seat
        )
        return []

    def before_move(self, fields: Fields) -> None:
        """Now and then send, under Mallory's key, a request that somebody else is about to send."""
        if self.mallory.seat is None or self._chance.random() >= AHEAD:
            return
        answer = self.mallory.request("intent", **fields)
        if answer["type"] != "refused" or answer["refusal"]["code"] not in _REFUSED:
            self.not_refused.append({"type": answer["type"], "refusal": answer.get("refusal")})


def _is_too_fast(answer: Fields) -> bool:
    return answer["type"] == "refused" and bool(answer["refusal"]["code"] == "too_fast")
