"""Strangers: attackers without the code try every way in while friends play."""

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from coffeerush.host.server.incidents import REPORT_SECONDS
from scripts.programs.bench.conditions import percentile
from tests.soak.killing import newest_record
from tests.soak.lan.gathering import Gathering
from tests.soak.lan.network import unavailable
from tests.soak.oracle.leaks import Inspection, look_at_door, look_at_network, truth_of
from tests.soak.oracle.playing import Vitals, latency
from tests.soak.oracle.truth import exported
from tests.soak.soak import Soak
from tests.soak.strangers.attacker import stopped
from tests.soak.strangers.stranger import ENROLLED, GOT_IN, KNOWN
from tests.soak.strangers.strangers import ATTACKS

SECONDS: Final = 600.0
QUIET: Final = 0.25
"""The share of an attack's time for which friends play before and after it."""
TELLING_SECONDS: Final = 300.0
"""A shorter run has too few moves to measure the 99th percentile."""
MEGABYTES: Final = 200
DESCRIPTORS: Final = 512
MOST_DELAY: Final = 2.0
"""The limit for latency, relative to undisturbed play."""
TOGETHER: Final = "all together"


def run(soak: Soak) -> None:
    """Run each attack, and then all of them together."""
    if why := unavailable():
        soak.skip("all", why)
        return
    trials = {**{name: [name] for name in ATTACKS}, TOGETHER: [*ATTACKS]}
    besiege(soak, trials, soak.seconds / (len(trials) * (1 + QUIET)))


def besiege(
    soak: Soak, trials: Mapping[str, Sequence[str]], seconds: float, **options: Any
) -> Counter[str]:
    """Play at one table while strangers try one attack after another; return their counts.

    `trials` has, for each trial, the names of the attacks that run at the same time.
    """
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        with Gathering.open(state, soak.chance, **options) as table:
            trying = _Trying(soak, table, state, seconds)
            for name, attacks in trials.items():
                trying.attack(name, attacks)
            soak.hold("the table is found in the network", table.is_found(state))
            table.finish()
            _inspect(soak, table, state, trying.received)
    return trying.all_done


class _Trying:
    """A table, and the attacks on it so far."""

    def __init__(self, soak: Soak, table: Gathering, state: Path, seconds: float) -> None:
        self._soak = soak
        self._table = table
        self._state = state
        self._seconds = seconds
        self._people = table.people()
        self.all_done: Counter[str] = Counter()
        self.received: list[bytes] = []
        """Everything that strangers received."""
        self._before = table.play(QUIET * seconds)

    def attack(self, name: str, attacks: Sequence[str]) -> None:
        """Let strangers attack for a while, and check the effects."""
        table, soak = self._table, self._soak
        table.forget()
        table.look_around()
        table.vitals = Vitals.from_now(table.host.process.pid)
        strangers = table.attack(attacks, self._state)
        took = table.play(self._seconds / 2)
        table.look_around()
        newcomer = table.newcomer()
        soak.hold("who has the code is let in", newcomer is not None, attack=name)
        took += table.play(self._seconds / 2)
        done = stopped(strangers)
        self.all_done += done
        self.received += [one.kept.read_bytes() for one in strangers]
        after = table.play(QUIET * self._seconds)
        quiet = [*self._before, *after]
        self._before = after
        vitals = table.vitals
        soak.report(
            name,
            done=dict(done),
            moves=len(took),
            **latency("quiet", quiet),
            **latency("attack", took),
            newcomer_seconds=newcomer and round(newcomer, 2),
            megabytes=vitals.megabytes,
            descriptors=vitals.descriptors,
            discovery_megabytes=table.discovery.megabytes,
            codes=len(table.codes),
        )
        self._hold(name, done, quiet, took)

    def _hold(
        self, name: str, done: Counter[str], quiet: Sequence[float], took: Sequence[float]
    ) -> None:
        soak, table = self._soak, self._table
        people = table.people()
        soak.hold("nobody gets in", not done[GOT_IN], attack=name, done=done)
        soak.hold("the door lets nobody in", done[ENROLLED] == done[KNOWN], attack=name, done=done)
        soak.hold("nobody is at the table", people == self._people, attack=name, people=people)
        soak.hold("friends play on", took, attack=name)
        table.vitals.hold(soak, MEGABYTES, DESCRIPTORS, attack=name)
        if soak.seconds < TELLING_SECONDS:
            return
        for share in (0.5, 0.99):
            limit = MOST_DELAY * percentile(quiet, share)
            late = percentile(took, share)
            seen = {"attack": name, "share": share, "seconds": late, "limit": limit}
            soak.hold("latency stays within twice the quiet one", late <= limit, **seen)


def _inspect(soak: Soak, table: Gathering, state: Path, received: Sequence[bytes]) -> None:
    """Check all traffic on the network, and everything that strangers received."""
    door, streams = table.host.port, table.taps.streams
    look_at_door(soak, streams, door)
    truth = truth_of(exported(newest_record(state)), table.watcher)
    look = Inspection(soak, truth)
    log = table.host.text().encode()
    look.look_at_text(log, "log")
    complaints, most = log.count(b"Recent problems"), 2 + table.seconds() / REPORT_SECONDS
    soak.hold("a person can read the log", complaints <= most, complaints=complaints, most=most)
    for each in received:
        look.look_at_received(each, None, "a stranger")
    secrets = [word for code in table.codes if code for word in (code, code.replace("-", " "))]
    seen = [bytes(side) for one in streams for side in (one.up, one.down)]
    for where, parts in (("what strangers got", received), ("what the network sees", seen)):
        told = any(word.encode() in part for word in secrets for part in parts)
        soak.hold(f"no code in {where}", not told)
    soak.report(
        "all that was seen",
        **look_at_network(soak, streams, door),
        marks=look.marks,
        received_bytes=look.bytes,
        complaints=complaints,
        took_seconds=round(table.seconds()),
    )
