"""What others notice of an attack on the gateway: a guest's keys, newcomers, and its memory."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from msgspec import Struct

from scripts.programs.bench.conditions import percentile
from tests.soak.oracle.playing import Vitals, latency
from tests.soak.soak import Soak

MEGABYTES: Final = 150
MOST_DELAY: Final = 3.0
"""The limit for the 99th percentile of keys, relative to those without an attack."""
QUIET_SECONDS: Final = 0.005
"""The least that counts as the 99th percentile without an attack; what a machine's clock ticks."""
LONGEST_SECONDS: Final = 0.5
"""The limit for every key."""
NEWCOMER_SECONDS: Final = 3.0
"""The limit for the first screen of a newcomer from an address that does not attack."""
PATIENCE: Final = 20.0
"""Nobody waits longer for an answer."""
KEY_GAP_SECONDS: Final = 0.1
"""As fast as somebody may type."""
TELLING_KEYS: Final = 100
"""Fewer keys have no 99th percentile; a short run, beside other tests, says nothing of times."""


class Noticed(Struct):
    """Seconds from a key to its frame, and from a newcomer's connection to the first screen."""

    keys: list[float] = []
    newcomers: list[float] = []


def notice(seconds: float, press: Callable[[], float], come: Callable[[], float]) -> Noticed:
    """Press keys for a while, while somebody new comes every few seconds."""
    noticed, end, next_newcomer = Noticed(), time.monotonic() + seconds, 0.0
    with ThreadPoolExecutor(1) as others:
        coming: Future[float] | None = None
        while (now := time.monotonic()) < end:
            noticed.keys.append(press())
            if coming and coming.done():
                noticed.newcomers.append(coming.result())
                coming = None
            if coming is None and now >= next_newcomer:
                coming = others.submit(come)
                next_newcomer = now + NEWCOMER_SECONDS
            time.sleep(KEY_GAP_SECONDS)
        if coming:
            noticed.newcomers.append(coming.result())
    return noticed


def hold(soak: Soak, attack: str, quiet: Noticed, under: Noticed, vitals: Vitals) -> None:
    """Report what was noticed of an attack, and check what is promised to those who are here."""
    usual = max(percentile(quiet.keys, 0.99), QUIET_SECONDS)
    late, longest = percentile(under.keys, 0.99), max(under.keys)
    waited = max(under.newcomers, default=0.0)
    print(
        f"{attack:32} key {1000 * percentile(under.keys, 0.5):6.1f}{1000 * late:7.1f}"
        f"{1000 * longest:7.0f} ms  x{late / usual:4.1f}  newcomer {waited:5.2f} s"
        f"  {vitals.megabytes:4.0f} MB",
        flush=True,
    )
    soak.report(
        attack,
        keys=len(under.keys),
        **latency("quiet", quiet.keys),
        **latency("key", under.keys),
        **latency("newcomer", under.newcomers),
        megabytes=vitals.megabytes,
        descriptors=vitals.descriptors,
    )
    seen = {"attack": attack, "usual": usual, "late": late, "longest": longest}
    if len(under.keys) >= TELLING_KEYS:
        soak.hold("keys take three times as long at most", late <= MOST_DELAY * usual, **seen)
        soak.hold("no key takes half a second", longest <= LONGEST_SECONDS, **seen)
        soak.hold("a newcomer is heard soon", waited <= NEWCOMER_SECONDS, **seen, waited=waited)
    soak.hold("a newcomer is heard", waited < PATIENCE, attack=attack, waited=waited)
    vitals.hold(soak, MEGABYTES, attack=attack)
