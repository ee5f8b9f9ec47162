"""`scripts/mutate [PACKAGE ...]`: run mutation tests and print the mutants that survive."""

import argparse
import signal
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

from .mutants import Mutant, sample
from .nearest import Imports
from .scratch import Scratch

ROOT: Final = Path(__file__).parents[3]
PRODUCT: Final = ("coffeerush", "protocol")
FIRST: Final = 8
"""Number of test files run for each mutant, the fastest first."""
LATER: Final = 40
"""Number of further test files, run for mutants that survive the first ones."""


def sources(root: Path, package: str) -> dict[str, bytes]:
    """Return the modules in a package: a path or its start, at the top or in coffeerush/."""
    paths = [path for top in PRODUCT for path in (root / top).rglob("*.py")]
    names = {path.relative_to(root).as_posix(): path for path in paths}
    starts = (package, f"coffeerush/{package}")
    return {name: path.read_bytes() for name, path in names.items() if name.startswith(starts)}


def measure(root: Path, samples: dict[str, list[Mutant]]) -> Counter[str]:
    """Try the mutants of each package, print those that survive, and return how many did."""
    survived: Counter[str] = Counter()
    imports = Imports(root)
    tests = {
        mutant.path: imports.tests_of(mutant.path) for found in samples.values() for mutant in found
    }
    with Scratch(root) as scratch:
        seconds = scratch.seconds(
            sorted({test for found in tests.values() for test in found[:FIRST]})
        )
        for package, mutants in samples.items():
            for mutant in mutants:
                nearest = tests[mutant.path]
                first = sorted(nearest[:FIRST], key=seconds.__getitem__)
                later = nearest[FIRST : FIRST + LATER]
                if all(scratch.survives(mutant, some) for some in (first, later) if some):
                    survived[package] += 1
                    print(mutant.told((scratch.path / mutant.path).read_bytes()), flush=True)
    return survived


def main() -> None:
    """Measure the packages named on the command line, or everything."""
    parser = argparse.ArgumentParser(prog="scripts/mutate")
    parser.add_argument(
        "packages",
        nargs="*",
        metavar="PACKAGE",
        help="such as rules or host/table; by default, everything",
    )
    parser.add_argument("--count", type=int, default=25, help="number of changes in each package")
    parser.add_argument("--seed", type=int, default=1, help="random seed")
    asked = parser.parse_args()
    samples: dict[str, list[Mutant]] = {}
    for package in asked.packages or PRODUCT:
        found = sources(ROOT, package)
        if not found:
            parser.error(f"there is no module at {package}")
        samples[package] = sample(found, asked.count, Random(f"{asked.seed} {package}"))
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(1))  # so that the copy is deleted
    survived = measure(ROOT, samples)
    for package, mutants in samples.items():
        print(f"{package}: {survived[package]} of {len(mutants)} survived")
    total = sum(map(len, samples.values()))
    print(f"all: {survived.total()} of {total} survived, {survived.total() / total:.1%}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
