"""A table at which some play and others attack it with keys of their own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Final, Self

import msgspec
import zmq
from msgspec import Struct

from scripts.soaking.guests import Guest
from tests.e2e.support import ROOT, SECONDS, Deadline, Fields, Host, KeyPair, hosting

HONEST: Final = 3
TURN_SECONDS: Final = 1
"""Of the clock that goes on without a player who does not play."""
CAPTURED: Final = 30
_MEEK: Final = ("undo", "empty_cup", "return_rest")
_REFUSED: Final = ("not_your_turn", "not_seated", "stale", "too_fast", "say_hello", "id_reused")


class Attack(Struct):
    """An attacker's process."""

    name: str
    seat: int | None
    process: "subprocess.Popen[bytes]"
    kept: Path
    """The file with what it received, once it has ended."""

    def end(self) -> dict[str, int]:
        """Tell it that it is enough, and return what it has done."""
        out, _nothing = self.process.communicate(b"\n", timeout=SECONDS)
        done: dict[str, int] = msgspec.json.decode(out)
        return done


class Vitals(Struct):
    """What a host process has taken of the machine at most."""

    megabytes: float = 0.0
    descriptors: int = 0

    def look(self, pid: int) -> None:
        """Look at a process."""
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                self.megabytes = max(self.megabytes, round(int(line.split()[1]) / 1024, 1))
        self.descriptors = max(self.descriptors, len(os.listdir(f"/proc/{pid}/fd")))


class Siege:
    """A host, three who play, one who looks on, and the keys of two attackers, one with a seat."""

    def __init__(self, host: Host, state: Path, stack: ExitStack, chance: Random) -> None:
        self.host = host
        self.state = state
        self.vitals = Vitals()
        self.accepted_for_others = 0
        """How often a captured request of somebody else was carried out."""
        self._chance = chance
        self._stack = stack
        keys = [zmq.curve_keypair() for _each in range(2)]
        self.player_keys, self.spectator_keys = keys
        names = [f"Honest {number}" for number in range(1, HONEST + 1)]
        self.players = [stack.enter_context(Guest(host.port, name)) for name in names]
        self.watcher = stack.enter_context(Guest(host.port, "Honest Watcher"))
        self.mallory = stack.enter_context(Guest(host.port, "Mallory", keys=self.player_keys))
        self.watcher.hear()
        self.watcher.come("spectator")
        for guest in (*self.players, self.mallory):
            guest.come()
            guest.request("ready", ready=True)
        self._seen = 0.0
        self.answer = self.players[0].request("view")

    @classmethod
    @contextmanager
    def open(cls, state: Path, chance: Random) -> Iterator[Self]:
        """Open a table whose game has begun."""
        options = ("--seats", str(HONEST + 1), "--bind", "127.0.0.1")
        clock = ("--turn-seconds", str(TURN_SECONDS), "--seed", str(chance.getrandbits(32)))
        with hosting(state, *options, *clock) as host, ExitStack() as stack:
            yield cls(host, state, stack, chance)

    @property
    def everybody(self) -> list[Guest]:
        """Those who mean well."""
        return [*self.players, self.watcher]

    def begin(self, name: str, keys: KeyPair) -> Attack:
        """Start an attack with a key."""
        kept = self.state / f"received-{name}-{keys[0].hex()[:8]}"
        arguments = [name, str(self.host.port), str(self._chance.getrandbits(32)), str(kept)]
        process = subprocess.Popen(
            [sys.executable, "-m", "scripts.soaking.attacks", *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._stack.callback(_ended, process)
        captured = [body.hex() for guest in self.everybody for body in guest.sent[-CAPTURED:]]
        lines = (keys[0].decode(), keys[1].decode(), " ".join(captured))
        assert process.stdin
        assert process.stdout
        process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"ready\n"
        seat = self.mallory.seat if keys is self.player_keys else None
        return Attack(name, seat, process, kept)

    # Playing on

    def play(self, seconds: float, moves: int = 1 << 30) -> list[float]:
        """Play for so long, or so many moves, or to the end.

        Returns:
            Of each move the seconds until all who mean well had seen it.
        """
        took: list[float] = []
        until = time.monotonic() + seconds
        while time.monotonic() < until and len(took) < moves and self._look() is not None:
            if self.active == self.mallory.seat:
                self._wait_for_clock()
            else:
                took += self._move()
            self.vitals.look(self.host.process.pid)
        return took

    def finish(self) -> None:
        """Play to the end; the attackers have stopped, and a bot takes their seat."""
        deadline = Deadline(60)
        while _is_too_fast(self.mallory.request("bye")):
            self.mallory.hear_until(lambda heard: heard["type"] == "tick")
        while self._look() is not None:
            deadline.left()
            if self.active == self.mallory.seat:
                self._wait_for_clock()
            else:
                self._steps(self.players[self.active or 0])
        for guest in self.everybody:
            guest.hear_of(self.answer["rev"])

    @property
    def active(self) -> int | None:
        """The seat that may act, when last looked at."""
        seat: int | None = self.answer["view"]["active"]
        return seat

    def _look(self) -> int | None:
        """Return the seat that may act now, as one who looks on sees it from time to time."""
        now = time.monotonic()
        if now - self._seen > 1:
            self._seen = now
            self._view(self.watcher)
        return self.active

    def _view(self, guest: Guest) -> Fields:
        answer = guest.request("view")
        deadline = Deadline()
        while answer["type"] != "current":  # only an attacker's own key has been too fast
            deadline.left()
            guest.hear_until(lambda heard: heard["type"] == "tick")
            answer = guest.request("view")
        self.answer = answer
        return answer

    def _wait_for_clock(self) -> None:
        seat = self.mallory.seat
        self.answer = self.watcher.hear_until(
            lambda heard: bool(heard.get("view")) and heard["view"]["active"] != seat
        )

    def _move(self) -> list[float]:
        """Let who may act move until the turn is over; return what each move took."""
        assert self.active is not None
        return self._steps(self.players[self.active], self.everybody)

    def _steps(self, guest: Guest, witnesses: Sequence[Guest] = ()) -> list[float]:
        took: list[float] = []
        answer = self._view(guest)
        while answer["type"] != "refused" and answer["view"]["active"] == guest.seat:
            options = [option["intent"] for option in answer["view"]["own"]["options"]]
            plain = [one for one in options if one["type"] not in _MEEK]
            where = {"game": answer["game"], "rev": answer["rev"]}
            if witnesses and self._chance.random() < 0.2:
                self._run_ahead(guest, {**where, "intent": (plain or options)[0]})
            began = time.perf_counter()
            wanted = self._chance.choice(plain or options)
            answer = guest.request("intent", **where, intent=wanted)
            if answer["type"] == "accepted":
                for one in witnesses:
                    one.hear_of(answer["rev"])
                took.append(time.perf_counter() - began)
                self.answer = answer
        return took

    def _run_ahead(self, guest: Guest, fields: Fields) -> None:
        """Send under Mallory's key, ahead of them, what somebody is about to send."""
        answer = self.mallory.request("intent", **fields)
        refused = answer["type"] == "refused" and answer["refusal"]["code"] in _REFUSED
        self.accepted_for_others += not refused


def _is_too_fast(answer: Fields) -> bool:
    return answer["type"] == "refused" and bool(answer["refusal"]["code"] == "too_fast")


def _ended(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
