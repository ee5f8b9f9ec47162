"""`scripts/soak [NAME ...]`: run the parts one by one; exit 1 if a guarantee is broken."""

import argparse
import sys
from importlib import import_module
from pkgutil import iter_modules

from tests.soak import parts

from .soak import Part, Soak

NAMES = sorted(module.name for module in iter_modules(parts.__path__))


def part_named(name: str) -> Part:
    part: Part = import_module(f"{parts.__name__}.{name}")
    return part


def main() -> None:
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="scripts/soak")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(NAMES)}")
    parser.add_argument(
        "--seconds", type=float, help="duration of each part; by default, each has its own"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed")
    asked = parser.parse_args()
    for name in asked.names:
        if name not in NAMES:
            parser.error(f"there is no part {name}; choose from: {', '.join(NAMES)}")
    broken = 0
    for name in asked.names or NAMES:
        part = part_named(name)
        soak = Soak(name, asked.seconds or part.SECONDS, asked.seed)
        part.run(soak)
        soak.report("promises", broken=len(soak.broken))
        broken += len(soak.broken)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
