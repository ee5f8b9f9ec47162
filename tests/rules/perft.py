"""Perft: the number of sequences of legal intents, without Undo, from counted positions.

    python -m tests.rules.perft     counts again and writes perft.json next to this file

If a number changes, a rule has changed; only write the file for that reason.
"""

from itertools import islice
from pathlib import Path

import msgspec

from coffeerush.rules import State, advance, deal, legal_intents
from protocol import Undo
from tests.support.steering import setup_of, steered

FILE = Path(__file__).with_name("perft.json")


class Position(msgspec.Struct, frozen=True):
    """A State of a steered game, and the number of sequences from there."""

    says: str
    """Why this position is worth counting."""
    players: int
    starters: bool
    seed: int
    moves: int
    """The number of moves of the steered game that lead to it."""
    counts: tuple[int, ...]
    """The number of sequences of length 1, 2 and so on."""


def state_of(position: Position) -> State:
    """Return the State of a position."""
    setup = setup_of(position.players, position.starters, position.seed)
    state = deal(setup)
    for _, _, after in islice(steered(setup), position.moves):
        state = after
    return state


def perft(state: State, depth: int) -> tuple[int, ...]:
    """Return the number of sequences of each length from 1 to `depth`."""
    counts = [0] * depth
    _count(state, 0, counts)
    return tuple(counts)


def _count(state: State, done: int, counts: list[int]) -> None:
    legal = [intent for intent in legal_intents(state) if not isinstance(intent, Undo)]
    counts[done] += len(legal)
    if done + 1 < len(counts):
        for intent in legal:
            _count(advance(state, intent), done + 1, counts)


def positions() -> tuple[Position, ...]:
    """Load the counted positions."""
    return msgspec.json.decode(FILE.read_bytes(), type=tuple[Position, ...])


def write() -> None:
    """Count all positions again, to their present depths, and write the file."""
    counted = [
        msgspec.structs.replace(one, counts=perft(state_of(one), len(one.counts)))
        for one in positions()
    ]
    lines = b",\n".join(map(msgspec.json.encode, counted))
    FILE.write_bytes(b"[\n" + lines + b"\n]\n")


if __name__ == "__main__":
    write()
