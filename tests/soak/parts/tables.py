"""Tables: people send every request at any time, with kills, resumes and failing bots."""

from collections import Counter
from time import perf_counter
from typing import Final

from tests.soak.soak import Soak
from tests.soak.walk.walking import Finding, shrink, walk

SECONDS: Final = 120.0
SHRINKING_SECONDS: Final = 20.0
MOST_FINDINGS: Final = 5
"""Stop after this many different broken guarantees."""
_MOST: Final = 1500
"""The maximum length of the details, in characters."""


def run(soak: Soak) -> None:
    """Walk until the time is up."""
    figures: Counter[str] = Counter()
    findings: dict[str, Finding] = {}
    times: Counter[str] = Counter()
    began = perf_counter()
    while soak.left() and len(findings) < MOST_FINDINGS:
        found = walk(f"{soak.chance.getrandbits(48):x}", figures)
        if found is not None:
            times[found.promise] += 1
            findings.setdefault(found.promise, found)
    took = perf_counter() - began
    for finding in findings.values():
        tell(soak, shrink(finding, SHRINKING_SECONDS))
    rate = round(figures["steps"] / took)
    soak.report("tables", steps_a_second=rate, findings=times, **_words(figures))


def tell(soak: Soak, finding: Finding) -> None:
    """Report what broke, and how to reproduce it."""
    seen = {name: repr(value)[:_MOST] for name, value in finding.seen.items()}
    said = [one if isinstance(one, str) else repr(one)[:_MOST] for one in finding.said]
    soak.hold(
        finding.promise, None, walk=finding.seed, steps=finding.steps, said=said[-60:], **seen
    )


def _words(figures: Counter[str]) -> dict[str, int]:
    return {what.replace(" ", "_"): count for what, count in sorted(figures.items())}
