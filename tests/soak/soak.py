"""One run of a soak test: its deadline, random source, figures and broken guarantees."""

import time
from random import Random
from typing import Protocol

import msgspec

from scripts.programs.bench.conditions import CONDITIONS


class Part(Protocol):
    """A module of `tests.soak.parts`."""

    SECONDS: float
    """The default time limit."""

    def run(self, soak: "Soak") -> None:
        """Run the part until it is done or the time is up."""


class Soak:
    """The context of a running part; after so many seconds it starts nothing new."""

    def __init__(self, part: str, seconds: float, seed: int = 1) -> None:
        self.part = part
        self.seconds = seconds
        self.chance = Random(f"{seed} {part}")
        self.broken: list[str] = []
        """The broken guarantees, with details; the part fails if there are any."""
        self.skipped: list[str] = []
        """What this machine does not support, and why."""
        self._seed = seed
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def report(self, what: str, **figures: object) -> None:
        """Print one JSON line: the results, the figures, the conditions."""
        how = {"seconds": self.seconds, "seed": self._seed, **CONDITIONS}
        self._print({"soak": self.part, "what": what, **figures, "conditions": how})

    def skip(self, what: str, why: str) -> None:
        """Note something that this machine does not support."""
        self.skipped.append(f"{what}: {why}")
        self._print({"soak": self.part, "skipped": what, "why": why})

    def hold(self, promise: str, kept: object, **seen: object) -> None:
        """Note a guarantee that is not `kept`, and print what was `seen`."""
        if not kept:
            self.broken.append(f"{promise}: {seen}")
            self._print({"soak": self.part, "broken": promise, **seen})

    def _print(self, line: dict[str, object]) -> None:
        print(msgspec.json.encode(line, enc_hook=repr).decode(), flush=True)
