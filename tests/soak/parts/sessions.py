"""Sessions: whole clients over a wire that loses, duplicates and reorders, in simulated time.

The host is killed and resumed, cables are unplugged, people leave and come back. Nobody may be
disconnected for good, nothing may hang, and in the end all clients must agree with the host.
"""

from collections import Counter
from itertools import count
from typing import Final

from tests.soak.sessions.session import play
from tests.soak.soak import Soak

SECONDS: Final = 600.0


def run(soak: Soak) -> None:
    """Play sessions until the time is up, at least one."""
    first = soak.chance.randrange(1 << 32)
    figures: Counter[str] = Counter()
    for seed in count(first):
        seen = play(seed)
        soak.hold("nobody is thrown out or stuck", not seen.faults, session=seed, seen=seen.faults)
        figures["sessions"] += 1
        for name in ("games", "restarts", "visits", "intents", "compared", "repeated"):
            figures[name] += getattr(seen, name)
        if not soak.left():
            break
    soak.report("lossy sessions", first_session=first, **figures)
