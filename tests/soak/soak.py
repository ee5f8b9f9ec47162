"""A run of one part: its time, its chance, its figures, and the promises that broke."""

import time
from random import Random
from typing import Protocol

import msgspec

from scripts.programs.bench.conditions import CONDITIONS


class Part(Protocol):
    """A module of `tests.soak.parts`."""

    SECONDS: float
    """How long it takes at most, where nobody asks for another time."""

    def run(self, soak: "Soak") -> None:
        """Put hosts through it until it is done or the time is up."""


class Soak:
    """What a part is given.

    Args:
        part: its name.
        seconds: after which it begins nothing new; `left` counts them down.
        seed: of all that it leaves to chance.
    """

    def __init__(self, part: str, seconds: float, seed: int = 1) -> None:
        self.part = part
        self.seconds = seconds
        self.chance = Random(f"{seed} {part}")
        self.broken: list[str] = []
        """The promises that broke, with what was seen; the part fails if there is one."""
        self.skipped: list[str] = []
        """What this machine does not allow, and why."""
        self._seed = seed
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left; 0 where the time is up."""
        return max(0.0, self._end - time.monotonic())

    def report(self, what: str, **figures: object) -> None:
        """Print one JSON line: what was seen, the figures, the conditions."""
        how = {"seconds": self.seconds, "seed": self._seed, **CONDITIONS}
        self._print({"soak": self.part, "what": what, **figures, "conditions": how})

    def skip(self, what: str, why: str) -> None:
        """Say what this machine does not allow."""
        self.skipped.append(f"{what}: {why}")
        self._print({"soak": self.part, "skipped": what, "why": why})

    def hold(self, promise: str, kept: object, **seen: object) -> None:
        """Note a promise that is not `kept`, and print what was `seen` of it."""
        if not kept:
            self.broken.append(f"{promise}: {seen}")
            self._print({"soak": self.part, "broken": promise, **seen})

    def _print(self, line: dict[str, object]) -> None:
        print(msgspec.json.encode(line, enc_hook=repr).decode(), flush=True)
