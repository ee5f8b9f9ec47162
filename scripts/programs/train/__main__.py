"""`scripts/train`: write the weights of the expert bot, from self-play by seed.

The first generation plays by rank, unvalued; each later one by the weights fitted to all before it,
of which the older ones count less. The earlier generations are fitted by ridge regression on
results. The last one has hasty seats among the others, and is fitted by LSTD. The same options give
the same file, whatever the number of processes.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy: more threads add in another order

import argparse
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from coffeerush import __version__
from coffeerush.bots.values import COUNTS, FEATURES_VERSION, SeatWeights, Weights, with_checksum
from coffeerush.local import files
from coffeerush.local.files import new_draft

from .fitting import Sums
from .games import play

ROOT: Final = Path(__file__).parents[3]
OUTPUT: Final = ROOT / "coffeerush" / "bots" / "weights.json"
TESTED: Final = 8
"""Every eighth block is not fitted, to measure how well the weights explain results."""
KEPT: Final = 0.3
"""What the positions of a generation count in the next one."""
HASTY: Final = 0.4
"""The share of hasty seats in the last generation."""
DECAY: Final = 0.5
"""Of LSTD in the last generation."""
PER_GENERATION: Final = 1_000_000
"""Games that a generation may have."""

Map = Callable[..., Iterable[Sums]]


def generation(
    run: Map, players: int, options: argparse.Namespace, number: int, weights: Weights | None
) -> tuple[Sums, Sums]:
    """Play a generation; return the sums to fit and those to test."""
    is_last = number == options.generations
    games = options.last if is_last else options.games
    block = partial(
        play_block, players, options, weights, HASTY * is_last, DECAY if is_last else 1.0
    )
    first = number * PER_GENERATION
    fitted, tested = Sums(players), Sums(players)
    starts = range(first, first + games, options.block)
    for index, sums in enumerate(run(block, starts)):
        if index % TESTED == TESTED - 1:
            tested += sums
        else:
            fitted += sums
    return fitted, tested


def play_block(
    players: int,
    options: argparse.Namespace,
    weights: Weights | None,
    hasty: float,
    decay: float,
    first: int,
) -> Sums:
    """Return the sums over the games from `first` on."""
    sums = Sums(players)
    for number in range(first, first + options.block):
        for trajectory in play(players, options.seed, number, weights, hasty):
            sums.add(trajectory, decay)
    return sums


def train(run: Map, players: int, options: argparse.Namespace) -> tuple[SeatWeights, float, float]:
    """Return the weights for a number of players, their R2 and the positions of the last fit."""
    total, weights = Sums(players), None
    for number in range(options.generations + 1):
        fitted, tested = generation(run, players, options, number, weights)
        total.fade(KEPT)
        total += fitted
        solved = total.solved()
        explained = tested.explained(solved)
        print(f"{players} players, generation {number}: R2 {explained:.3f}", flush=True)
        weights = Weights(FEATURES_VERSION, "", "", {}, {str(players): solved})
    return solved, round(explained, 3), float(fitted.results[0])


def main() -> None:
    """Train for every number of players and write the file."""
    parser = argparse.ArgumentParser(prog="scripts/train", description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--generations", type=int, default=2, help="after the first one")
    parser.add_argument("--games", type=int, default=300, help="in each generation but the last")
    parser.add_argument("--last", type=int, default=3000, help="games in the last generation")
    parser.add_argument("--block", type=int, default=10, help="games whose sums are added first")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the file to write")
    options = parser.parse_args()
    output: Path = options.output
    try:
        if output.exists() and not output.is_file():
            raise OSError(None, "it is not a file")
        with new_draft(output.parent) as (file, draft):  # before the training, which takes minutes
            text = msgspec.json.format(msgspec.json.encode(trained(options)), indent=1) + b"\n"
            files.write(file, text)
            os.fchmod(file, 0o644)
            os.replace(draft, output)
    except OSError as error:
        sys.exit(f"scripts/train cannot write {output}: {error.strerror}; choose another --output.")
    except KeyboardInterrupt:
        sys.exit("Stopped; no weights were written.")


def trained(options: argparse.Namespace) -> Weights:
    """Train for every number of players."""
    with ProcessPoolExecutor(options.processes) as pool:
        found = {players: train(pool.map, players, options) for players in COUNTS}
    weights = Weights(
        features=FEATURES_VERSION,
        version=__version__,
        command=f"scripts/train --seed {options.seed} --generations {options.generations} "
        f"--games {options.games} --last {options.last} --block {options.block}",
        figures={
            str(players): {"r2": explained, "positions": positions}
            for players, (_, explained, positions) in found.items()
        },
        players={str(players): solved for players, (solved, _, _) in found.items()},
    )
    return with_checksum(weights)


if __name__ == "__main__":
    main()
