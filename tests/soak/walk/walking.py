"""Walks: a table, a number of steps, and an end; a failing walk is reduced to fewer steps."""

import time
import traceback
from collections import Counter
from collections.abc import Collection
from random import Random
from typing import Final

from msgspec import Struct

from tests.soak.walk import acts, ending

from .checks import Broken, check_recorded
from .world import World

MOST_STEPS: Final = 160


class Finding(Struct):
    """A broken invariant, found on a walk."""

    seed: str
    promise: str
    seen: dict[str, object]
    steps: list[int]
    """The steps of the walk that it takes."""
    said: list[object]
    """The steps, requests and answers."""


def walk(seed: str, figures: Counter[str], keep: Collection[int] | None = None) -> Finding | None:
    """Walk, and return the finding, if any.

    `keep` is which steps to take; all by default. Each step has its own random source.
    """
    length = Random(f"{seed} length").randint(1, MOST_STEPS)
    steps = [at for at in range(length) if keep is None or at in keep]
    figures["tables"] += 1
    world: World | None = None
    try:
        world = World(seed, figures)
        for at in steps:
            figures["steps"] += 1
            acts.step(world, Random(f"{seed} {at}"))
        _finish(world, Random(f"{seed} end"))
    except Broken as broken:
        said = world.said if world else []
        return Finding(seed, broken.promise, broken.seen, steps, said)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        said = world.said if world else []
        where = traceback.format_exc().splitlines()[-7:]
        promise = f"nothing raises: {type(error).__name__}"
        return Finding(seed, promise, {"error": where}, steps, said)
    return None


def _finish(world: World, chance: Random) -> None:
    ending.settle(world)
    check_recorded(world.state, [*world.journals.records()])
    ending.end_game(world)
    ending.play_another(world, chance)
    check_recorded(world.state, records := [*world.journals.records()])
    world.memory.check_records(records)


def shrink(finding: Finding, seconds: float) -> Finding:
    """Return the finding with fewer steps, as far as time allows."""
    end = time.monotonic() + seconds
    size = max(len(finding.steps) // 2, 1)
    while time.monotonic() < end:
        smaller = _without_some(finding, size, end)
        if smaller is not None:
            finding = smaller
            size = min(size, max(len(finding.steps) // 2, 1))
        elif size == 1:
            break
        else:
            size //= 2
    return finding


def _without_some(finding: Finding, size: int, end: float) -> Finding | None:
    """Return the finding without some consecutive steps, if it still fails."""
    steps = finding.steps
    for at in range(0, len(steps), size):
        if time.monotonic() > end:
            return None
        found = walk(finding.seed, Counter(), {*steps[:at], *steps[at + size :]})
        if found is not None and found.promise == finding.promise:
            return found
    return None
