"""Members: the keys of a player and of spectators do their worst while others play."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from coffeerush.host.server.members import RATION_SECONDS
from coffeerush.records.writing import load_record
from scripts.programs.bench.conditions import percentile
from tests.soak.killing import newest_record
from tests.soak.lan.gathering import ahead_of_others
from tests.soak.oracle.leaks import Inspection, truth_of
from tests.soak.oracle.playing import Vitals, latency
from tests.soak.oracle.truth import exported
from tests.soak.soak import Soak
from tests.soak.strangers.attacker import stopped
from tests.soak.strangers.attacks import ATTACKS
from tests.soak.strangers.siege import Siege

SECONDS: Final = 1200.0
FRAMES: Final = 5_000
SHARES: Final = 120
"""The time is divided by this: one part per attack, and as much again for setup and checks."""
SWARM_SHARES: Final = 6
"""Parts per swarm; the quiet before it takes half as many."""
MEGABYTES: Final = 200
SWARM_MEGABYTES: Final = 100
SWARM_SIZES: Final = ((1, 100), (10, 10), (10, 100))
"""The number of keys, and the connections of each."""
CROWD_SIZE: Final = 250
"""Connections of a hundred keys who ask to watch: more than there is room for."""
MOST_DELAY: Final = 2.0
"""Times the 99th percentile without an attack."""
KICKED_AFTER: Final = 0.8
"""The part of a swarm's time after which the owner kicks one of them."""
LONGEST_SECONDS: Final = 1.0
COMING_BACK_SECONDS: Final = 1.0
HALVES: Final = 400
"""Incomplete handshakes at once."""
TELLING_SECONDS: Final = 20.0
"""A shorter run has too few moves to tell how long they take: one may wait for the machine."""
DESCRIPTORS: Final = 1024
"""Many connections may be opened between two checks of the flood guard."""


def run(soak: Soak) -> None:
    """Run each attack, then fuzz until enough frames were sent."""
    share = soak.seconds / SHARES
    frames = 0
    for name in ATTACKS:
        done = siege(soak, [name], soak.chance, share, share / 2)
        frames += done["sent"] if name == "fuzz" else 0
    come_back(soak, SWARM_SHARES * share)
    for name in ("unfinished", "topics", "syncs"):
        for keys, size in SWARM_SIZES:
            besiege(soak, name, keys, size, SWARM_SHARES * share)
    besiege(soak, "newcomers", 1, CROWD_SIZE, SWARM_SHARES * share)
    while frames < FRAMES and soak.left() > share:
        frames += siege(soak, ["fuzz"], soak.chance, share, 0)["sent"]
    soak.report("fuzz", frames=frames)


def siege(
    soak: Soak, names: Sequence[str], chance: Random, seconds: float, quiet_seconds: float
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
        done = stopped(attacks)
        table.finish()
        path = newest_record(table.state)
        record = load_record(path)
        truth = truth_of(exported(path), table.watcher)
        look = Inspection(soak, truth)
        for guest in table.everybody:
            look.look_at_bytes(guest)
            look.look_at_messages(guest)
        for attack, seat in zip(attacks, (table.mallory.seat, None), strict=True):
            look.look_at_received(attack.kept.read_bytes(), seat, attack.name)
        log = table.host.text()
        look.look_at_text(log.encode(), "log")
    soak.hold("the record is whole and legal", record.end)
    soak.hold("nobody acts for others", not table.not_refused, answers=table.not_refused)
    soak.hold("others play on", besieged)
    vitals = table.vitals
    vitals.hold(soak, MEGABYTES, DESCRIPTORS)
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


def besiege(soak: Soak, name: str, keys: int, size: int, seconds: float) -> Counter[str]:
    """Play in quiet, and while each of so many keys has a swarm of connections.

    The owner removes one of them while they are at it. Returns what they did.
    """
    with (
        ahead_of_others(),
        tempfile.TemporaryDirectory() as folder,
        Siege.open(Path(folder), soak.chance, "spectator") as table,
    ):
        quiet = table.play_games(seconds / 2)
        table.vitals = Vitals.from_now(table.host.process.pid)
        table.mallory.request("view")  # and then no more: a minute later nobody would be there
        others = [table.bring_another() for _each in range(keys - 1)]
        attacks = [table.attack(name, pair, size) for pair in (table.player_keys, *others)]
        besieged = table.play_games(KICKED_AFTER * seconds)
        table.remove_mallory()
        besieged += table.play_games((1 - KICKED_AFTER) * seconds)
        done = stopped(attacks)
        table.host.stop()
        log = table.host.text()
    limit, late = (MOST_DELAY * percentile(quiet, 0.99), percentile(besieged, 0.99))
    seen: dict[str, Any] = {"attack": name, "keys": keys, "size": size}
    soak.hold("connections are cut during the attack", done["cut"], **seen, done=done)
    soak.hold("the log says so", "Recent problems" in log, **seen)
    if seconds >= TELLING_SECONDS:
        soak.hold("99 of 100 moves take no longer than twice", late <= limit, **seen, seconds=late)
        soak.hold("no move takes long", max(besieged) < LONGEST_SECONDS, **seen, took=max(besieged))
    soak.hold("others play on", besieged, **seen)
    table.vitals.hold(soak, SWARM_MEGABYTES, **seen)
    soak.report(
        "swarm",
        **seen,
        done=dict(done),
        moves=len(quiet) + len(besieged),
        **latency("quiet", quiet),
        **latency("attack", besieged),
        megabytes=table.vitals.megabytes,
        descriptors=table.vitals.descriptors,
    )
    return done


def come_back(soak: Soak, seconds: float) -> list[float]:
    """Let members connect again while strangers hold half handshakes; return how long that took."""
    took: list[float] = []
    with (
        ahead_of_others(),
        tempfile.TemporaryDirectory() as folder,
        Siege.open(Path(folder), soak.chance, "spectator") as table,
    ):
        attack = table.attack("halves", table.spectator_keys, HALVES)
        rounds = 1 + int(seconds / RATION_SECONDS)
        for each in range(rounds):
            table.play_games(RATION_SECONDS if each else 0.0)
            took += [table.come_back(guest) for guest in table.everybody]
        done = stopped([attack])
    if rounds > 1:  # within one, none of them has timed out
        soak.hold("half handshakes are cut", done["cut"], done=done)
    if seconds >= TELLING_SECONDS:
        soak.hold("members come back", max(took) < COMING_BACK_SECONDS, took=took)
    soak.report("coming back", done=done, times=len(took), **latency("return", took))
    return took
