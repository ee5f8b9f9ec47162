"""Count the keys of whole turns: `python -m tests.ui.table.keys_a_turn [GAMES]` prints the figures.

A player steps where the bot Regular would, and otherwise follows the footer: Space if it pours,
else Enter.
"""

import sys
from collections import Counter
from itertools import pairwise
from random import Random
from statistics import median
from typing import NamedTuple

from coffeerush.bots import RegularBot
from coffeerush.ui.table.actions import Action, labels_of, next_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.keys import DIRECTIONS, ENTER
from protocol import BOARD_SIDE, ActivateUpgrade, Step
from tests.support.local import begun
from tests.ui.table.test_on_key import Hands

MOST_KEYS = 100
"""More than any turn takes."""


class Pressed(NamedTuple):
    """A key and what it was for."""

    key: str
    purpose: str


def turns_of(seed: int, bots: tuple[str, ...] = ("regular", "regular")) -> list[list[Pressed]]:
    """Play a game by keys, and return the keys of each turn after the setup."""
    hands, chance, bot = Hands(begun(bots, seed)), Random(seed), RegularBot()
    turns: dict[int, list[Pressed]] = {}
    while (view := hands.link.model.view) is not None and view.active is not None:
        intent = bot.choose(view, chance)
        for one in _keys(hands, intent):
            assert hands.link.model.view is not None
            turns.setdefault(view.round, []).append(one)
            assert len(turns[view.round]) < MOST_KEYS or not view.round
            hands.press(one.key)
    return [keys for number, keys in turns.items() if number]


def _keys(hands: Hands, intent: object) -> list[Pressed]:
    """Return the keys to press next."""
    scene = Scene(hands.link.model, hands.ui)
    if isinstance(intent, Step) and scene.turn.steps:
        meeple = [Pressed("m", "meeple")] if intent.meeple != scene.turn.meeple else []
        assert scene.me is not None
        here = scene.player(scene.me).meeples[intent.meeple - 1]
        row, column = divmod(intent.cell, BOARD_SIDE)
        way = row - here // BOARD_SIDE, column - here % BOARD_SIDE
        key = next(key for key, step in DIRECTIONS.items() if step == way)
        return [*meeple, Pressed(key, "step")]
    if isinstance(intent, ActivateUpgrade):
        return [Pressed("g", "upgrades"), Pressed(str(intent.upgrade + 1), "activate")]
    if labels_of(scene).get(Action.SUGGEST):
        return [Pressed(" ", "pour")]
    coming = next_of(scene)
    assert coming is not None
    if coming.kind == "place" and not coming.wishes:
        return [Pressed("right", "choose"), Pressed("down", "choose")]
    return [Pressed(ENTER, coming.kind)]


def ambiguous(turn: list[Pressed]) -> list[tuple[str, str]]:
    """Return the purposes of keys that are pressed twice in a row for different ones."""
    return [
        (a.purpose, b.purpose)
        for a, b in pairwise(turn)
        if a.key == b.key and a.purpose != b.purpose
    ]


def main() -> None:
    """Print the figures."""
    games = int(sys.argv[1]) if sys.argv[1:] else 10
    turns = [turn for seed in range(games) for turn in turns_of(seed)]
    counts = sorted(map(len, turns))
    high = counts[len(counts) * 9 // 10]
    twice = Counter(pair for turn in turns for pair in ambiguous(turn))
    sys.stdout.write(
        f"{games} games, {len(turns)} turns\n"
        f"keys a turn: median {median(counts):g}, 90 % at most {high}, most {counts[-1]}\n"
        f"the same key twice in a row for two purposes: {dict(twice) or 'never'}\n"
    )


if __name__ == "__main__":
    main()
