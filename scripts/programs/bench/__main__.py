"""`scripts/bench [NAME ...]`: run benchmarks and print one JSON line per figure."""

import sys

from scripts.programs.bench import (
    advice,
    agents,
    engine,
    guests,
    hall,
    latency,
    moves,
    screen,
    startup,
    web,
)

BENCHES = {
    "engine": engine.run,
    "advice": advice.run,
    "latency": latency.run,
    "bots": latency.run_bots,
    "session": latency.run_session,
    "hall": hall.run,
    "moves": moves.run,
    "screen": screen.run,
    "startup": startup.run,
    "guests": guests.run,
    "web": web.run,
    "rl": agents.run,
}


def main() -> None:
    """Run the benchmarks named on the command line, or all."""
    names = sys.argv[1:] or list(BENCHES)
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        sys.exit(f"There is no bench {unknown[0]}; name some of: {', '.join(BENCHES)}.")
    for name in names:
        BENCHES[name]()


if __name__ == "__main__":
    main()
