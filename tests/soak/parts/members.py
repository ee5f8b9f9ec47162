"""Members: the keys of a player and a spectator do their worst while others play."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from coffeerush.records.writing import load_record
from tests.soak.killing import newest_record
from tests.soak.oracle.leaks import Inspection, truth_of
from tests.soak.oracle.playing import Vitals, latency
from tests.soak.oracle.truth import exported
from tests.soak.soak import Soak
from tests.soak.strangers.attacks import ATTACKS
from tests.soak.strangers.siege import Siege

SECONDS: Final = 240.0
FRAMES: Final = 100_000
SHARES: Final = 24
"""The time is divided by this: one part per attack, and as much again for setup and checks."""
MEGABYTES: Final = 200
DESCRIPTORS: Final = 512


def run(soak: Soak) -> None:
    """Run each attack, then fuzz until enough frames were sent."""
    share = soak.seconds / SHARES
    frames = 0
    for name in ATTACKS:
        done = siege(soak, [name], soak.chance, share, share / 2)
        frames += done["sent"] if name == "fuzz" else 0
    while frames < FRAMES and soak.left() > share:
        frames += siege(soak, ["fuzz"], soak.chance, share, 0)["sent"]
    soak.report("fuzz", frames=frames)


def siege(
    soak: Soak,
    names: Sequence[str],
    chance: Random,
    seconds: float,
    quiet_seconds: float,
) -> Counter[str]:
    """Play undisturbed and under attack, check everything; return the attackers' counts.

    The first of two names is the player's attack, the second the spectator's.
    """
    with tempfile.TemporaryDirectory() as folder, Siege.open(Path(folder), chance) as table:
        quiet = table.play(quiet_seconds)
        keys = (table.player_keys, table.spectator_keys)
        kinds = names if len(names) == len(keys) else [*names] * len(keys)
        attacks = [table.attack(name, key) for name, key in zip(kinds, keys, strict=True)]
        besieged = table.play(seconds)
        done = sum((Counter(attack.end()) for attack in attacks), Counter[str]())
        table.finish()
        path = newest_record(table.state)
        record = load_record(path)
        truth = truth_of(exported(path), table.watcher)
        look = Inspection(soak, truth)
        for guest in table.everybody:
            look.look_at_bytes(guest)
            look.look_at_messages(guest)
        for attack in attacks:
            look.look_at_received(attack.kept.read_bytes(), attack.seat, attack.name)
        log = table.host.text()
        look.look_at_text(log.encode(), "log")
    soak.hold("the record is whole and legal", record.end)
    soak.hold("nobody acts for others", not table.accepted_for_others)
    soak.hold("others play on", besieged)
    vitals = table.vitals
    _hold_bounds(soak, vitals)
    soak.report(
        "members",
        attacks=list(names),
        done=dict(done),
        moves=len(quiet) + len(besieged),
        **latency("quiet", quiet),
        **latency("attack", besieged),
        megabytes=vitals.megabytes,
        descriptors=vitals.descriptors,
        log_lines=log.count("\n"),
        record_bytes=record.good,
        marks=look.marks,
        received_bytes=look.bytes,
    )
    return done


def _hold_bounds(soak: Soak, vitals: Vitals) -> None:
    few, little = vitals.descriptors < DESCRIPTORS, vitals.megabytes < MEGABYTES
    soak.hold("memory is bounded", little, megabytes=vitals.megabytes)
    soak.hold("descriptors are bounded", few, descriptors=vitals.descriptors)
