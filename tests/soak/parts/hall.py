"""Hall: tables that fail stop alone, and nobody has more of a hall than their share."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any, Final

from scripts.programs.bench.conditions import percentile
from tests.soak.hall_faults import FailingHall
from tests.soak.lan.gathering import ahead_of_others
from tests.soak.oracle.playing import latency
from tests.soak.soak import Soak
from tests.soak.strangers.attacker import stopped
from tests.soak.strangers.hall_siege import HallSiege

SECONDS: Final = 180.0
TABLES: Final = 8
ATTACKERS: Final = 3
"""They need each other to open a second table: nobody has two that are empty."""
ATTACKS: Final = ("rooms", "flood")
SHARE: Final = 0.4
"""The part of the time for each attack; half as much without one before it."""
MOST_DELAY: Final = 2.0
"""Times the 99th percentile without an attack."""
MEGABYTES: Final = 200
TELLING_SECONDS: Final = 20.0
"""A shorter run has too few moves to tell how long they take: one may wait for the machine."""


def run(soak: Soak) -> None:
    """Let tables fail, then attack the hall in each way."""
    fail(soak)
    share = SHARE * soak.seconds
    for attack in ATTACKS:
        withstand(soak, attack, share, TABLES, fills=attack == ATTACKS[0])


def fail(soak: Soak, hangs: bool = True) -> None:
    """Let one table after the other fail; see `FailingHall`."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(FailingHall(soak, Path(folder)).run(hangs))


def withstand(soak: Soak, attack: str, seconds: float, tables: int, fills: bool = False) -> None:
    """Play at all tables, undisturbed and while keys attack; a crowd `fills` the hall after it."""
    with (
        ahead_of_others(),
        tempfile.TemporaryDirectory() as folder,
        HallSiege.open(Path(folder), tables, soak.chance) as hall,
    ):
        quiet = hall.play(soak, seconds / 2)
        attacks = [hall.attack(attack, number) for number in range(1, ATTACKERS + 1)]
        besieged = hall.play(soak, seconds)
        done = stopped(attacks)
        if attack == "rooms":
            hall.hold_tables(soak, ATTACKERS)
        if fills:
            hall.fill(soak)
        hall.host.stop()
    late, limit = percentile(besieged, 0.99), MOST_DELAY * percentile(quiet, 0.99)
    seen: dict[str, Any] = {"attack": attack, "attackers": ATTACKERS, "tables": tables}
    soak.hold("the attack was tried", done["sent"], done=done)
    if seconds >= TELLING_SECONDS:
        soak.hold("99 of 100 moves take no longer than twice", late <= limit, **seen, seconds=late)
    hall.vitals.hold(soak, MEGABYTES, **seen)
    soak.report(
        "hall under attack",
        **seen,
        most_tables=hall.most_tables,
        done=dict(done),
        moves=len(quiet) + len(besieged),
        **latency("quiet", quiet),
        **latency("attack", besieged),
        megabytes=hall.vitals.megabytes,
    )
