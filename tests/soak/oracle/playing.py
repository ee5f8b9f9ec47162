"""Honest players who play at random, and measurements of their latency."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, Self

from msgspec import Struct

from scripts.programs.bench.conditions import percentile
from tests.soak.lan.guests import Guest
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import SECONDS, Deadline, Fields

_MEEK: Final = ("undo", "empty_cup", "return_rest")


def descriptors_of(pid: int) -> int:
    """Return how many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


class Vitals(Struct):
    """The peak use of resources by a process."""

    megabytes: float = 0.0
    descriptors: int = 0

    @classmethod
    def from_now(cls, pid: int) -> Self:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
        return cls()

    def look(self, pid: int) -> None:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                self.megabytes = max(self.megabytes, round(int(line.split()[1]) / 1024, 1))
        self.descriptors = max(self.descriptors, descriptors_of(pid))

    def hold(self, soak: Soak, megabytes: int, descriptors: int = sys.maxsize, **seen: Any) -> None:
        """Check that a process stayed within bounds."""
        little, few = self.megabytes < megabytes, self.descriptors < descriptors
        soak.hold("memory is bounded", little, **seen, megabytes=self.megabytes)
        soak.hold("descriptors are bounded", few, **seen, descriptors=self.descriptors)


def latency(when: str, took: Sequence[float]) -> dict[str, float]:
    """Return figures in milliseconds."""
    if not took:
        return {}
    shares = {"p50": 0.5, "p99": 0.99, "max": 1.0}
    return {
        f"{when}_{name}_ms": round(percentile(took, share) * 1000, 2)
        for name, share in shares.items()
    }


class Players:
    """Honest guests with seats, and a spectator; not every seat needs one of them."""

    def __init__(self, players: Sequence[Guest], watcher: Guest, chance: Random) -> None:
        self.players = list(players)
        self.watcher = watcher
        self.vitals = Vitals()
        self.answer: Fields = {}
        self._chance = chance

    def come(self, players: Sequence[Guest]) -> None:
        """Let everybody join, and start the game."""
        self.watcher.hear()
        self.watcher.come("spectator")
        for guest in players:
            guest.come()
        self.begin(players)

    def begin(self, players: Sequence[Guest]) -> None:
        """Get ready for the next game, and wait until it starts."""
        for guest in players:
            guest.request("ready", ready=True)
        self.view(players[0])

    @property
    def everybody(self) -> list[Guest]:
        return [*self.players, self.watcher]

    @property
    def active(self) -> int | None:
        """The active seat at the last look."""
        seat: int | None = self.answer["view"]["active"]
        return seat

    def view(self, guest: Guest) -> Fields:
        """Return a guest's current View, with its own part."""
        answer = guest.request("view")
        deadline = Deadline()
        while answer["type"] != "current":  # the request was too fast
            deadline.left()
            guest.hear_tick()
            answer = guest.request("view")
        self.answer = answer
        return answer

    def play_on(self, seconds: float, pid: int) -> list[float]:
        """Play for so long, but at least a turn, game after game, and look at the host's process.

        Returns:
            Of each move the seconds until everybody had seen it.
        """
        took: list[float] = []
        until, deadline = time.monotonic() + seconds, Deadline(max(seconds, 0.0) + SECONDS)
        while not took or time.monotonic() < until:
            deadline.left()
            if self.active is None:
                self.begin(self.players)
            else:
                took += self.turn(self.everybody)
            self.vitals.look(pid)
        return took

    def turn(self, witnesses: Sequence[Guest] = ()) -> list[float]:
        """Let the active guest move until the turn is over.

        Returns:
            For each move, the seconds until all witnesses had seen it.
        """
        assert self.active is not None
        guest = self.players[self.active]
        took: list[float] = []
        answer = self.view(guest)
        while answer["type"] != "refused" and answer["view"]["active"] == guest.seat:
            options = [option["intent"] for option in answer["view"]["own"]["options"]]
            plain = [one for one in options if one["type"] not in _MEEK]
            where = {"game": answer["game"], "rev": answer["rev"]}
            if witnesses:
                self.before_move({**where, "intent": (plain or options)[0]})
            began = time.perf_counter()
            wanted = self._chance.choice(plain or options)
            answer = guest.request("intent", **where, intent=wanted)
            if answer["type"] == "accepted":
                for one in witnesses:
                    one.hear_of(answer["rev"])
                took.append(time.perf_counter() - began)
                self.answer = answer
        return took

    def before_move(self, fields: Fields) -> None:
        """A hook called before an intent is sent."""
