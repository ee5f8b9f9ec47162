"""Attackers in processes of their own: how a table starts and stops them, and what they tell.

A program of attacks gets its orders as a line of JSON. It prints `ready`, attacks until another
line arrives, writes everything that it received to a file, and prints its counts.
"""

import select
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Self, TypeVar

import msgspec
from msgspec import Struct

from tests.support.hosts_and_clients import ROOT, SECONDS

Orders = TypeVar("Orders", bound=Struct)


class Attacker:
    """Somebody who attacks until told to stop."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.done: Counter[str] = Counter()
        self.received: dict[bytes, None] = {}

    def goes_on(self) -> bool:
        """Return whether the attack is to continue."""
        return not select.select([sys.stdin], [], [], 0)[0]

    def everything(self) -> Iterable[bytes]:
        return self.received

    def carry_out(self, attack: Callable[[Self], None], kept: str) -> None:
        """Attack, and keep what was received, even if the attack fails."""
        print("ready", flush=True)
        try:
            attack(self)
        finally:
            Path(kept).write_bytes(b"\xc1".join(self.everything()))
        print(msgspec.json.encode(self.done).decode(), flush=True)


def ordered(kind: type[Orders]) -> tuple[str, Orders]:
    """Return the name of the attack and the orders that this program was given."""
    return sys.argv[1], msgspec.json.decode(sys.stdin.readline(), type=kind)


class Attack:
    """The process of an attacker; `kept` has everything that it received, once it has ended."""

    def __init__(
        self, module: str, name: str, orders: Struct, kept: Path, inside: Sequence[str] = ()
    ) -> None:
        self.name = name
        self.kept = kept
        self._process = subprocess.Popen(
            [*inside, sys.executable, "-m", module, name],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._say(msgspec.json.encode(orders))

    def _say(self, line: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def begin(self) -> None:
        """Wait until it has started."""
        assert self._process.stdout
        assert self._process.stdout.readline() == b"ready\n"

    def stop(self) -> None:
        self._say(b"")

    def counts(self) -> Counter[str]:
        """Return what it did, once it has stopped."""
        out, _nothing = self._process.communicate(timeout=SECONDS)
        return Counter(msgspec.json.decode(out, type=dict[str, int]))

    def close(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()


def stopped(attacks: Iterable[Attack]) -> Counter[str]:
    """Stop attacks, and return what all of them did."""
    attacks = list(attacks)
    for one in attacks:
        one.stop()
    return sum((one.counts() for one in attacks), Counter())
