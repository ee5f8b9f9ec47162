"""Count the taps of whole turns: `python -m tests.guests.web.taps_a_turn [GAMES]` prints them.

A player with a page walks as the bot Regular would, and otherwise taps the main button. Each tap
hits what the page shows.
"""

import sys
from random import Random
from statistics import median

from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.bots.walks import best_walk
from coffeerush.guests.web.elements import Element, acts
from coffeerush.guests.web.front import SIZE
from coffeerush.guests.web.page import table_page
from coffeerush.ui.advice.advice import walk_to
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.canvas import Target
from protocol import ActivateUpgrade, Step, View
from tests.guests.web.test_page import with_look
from tests.support.local import begun
from tests.ui.table.keys_a_turn import MOST_KEYS
from tests.ui.table.test_on_key import Hands


def turns_of(seed: int, bots: tuple[str, ...] = ("regular", "regular")) -> list[list[Target]]:
    """Play a game by taps, and return what was tapped in each turn after the setup."""
    hands, chance, bot = Hands(begun(bots, seed)), Random(seed), RegularBot()
    hands.ui = replace(hands.ui, size=SIZE, touch=True)
    turns: dict[int, list[Target]] = {}
    while (view := hands.link.model.view) is not None and view.active is not None:
        intent = bot.choose(view, chance)
        for target in _targets(hands, view, intent):
            turns.setdefault(view.round, []).append(target)
            assert len(turns[view.round]) < MOST_KEYS or not view.round
            assert target in acts(_page(hands)), target
            hands.click(target.kind, target.value)  # type: ignore[arg-type]  # none of a replay
    return [taps for number, taps in turns.items() if number]


def _targets(hands: Hands, view: View, intent: object) -> list[Target]:
    """Return what to tap next."""
    scene = Scene(hands.link.model, hands.ui)
    if scene.turn.places:
        return [Target("cell", min(scene.turn.places))]
    if isinstance(intent, ActivateUpgrade):
        return [Target("key", "g"), Target("key", str(intent.upgrade + 1))]
    if isinstance(intent, Step) and scene.turn.steps:
        return _walk(scene, view, best_walk(view).steps or (intent,))
    return [go.act for go in with_look(_page(hands), "go") if go.act]


def _walk(scene: Scene, view: View, steps: tuple[Step, ...]) -> list[Target]:
    """Return the tap that goes furthest along a walk."""
    for many in range(len(steps), 1, -1):
        cell = steps[many - 1].cell
        found = walk_to(view, scene.turn.meeple, cell)
        if cell not in scene.turn.steps and found and found.steps == steps[:many]:
            return [Target("cell", cell)] * (2 if found.rush and view.steps_left else 1)
    assert view.own is not None
    other = view.players[view.own.seat].meeples[steps[0].meeple - 1]
    first = [] if steps[0].meeple == scene.turn.meeple else [Target("cell", other)]
    return [*first, Target("cell", steps[0].cell)]


def _page(hands: Hands) -> Element:
    return table_page(Scene(hands.link.model, hands.ui))


def main() -> None:
    """Print the figures."""
    games = int(sys.argv[1]) if sys.argv[1:] else 10
    for others in (1, 2, 3):
        turns = [one for seed in range(games) for one in turns_of(seed, ("regular",) * others)]
        counts = sorted(map(len, turns))
        high = counts[len(counts) * 9 // 10]
        longest = max(turns, key=len)
        sys.stdout.write(
            f"{games} games of {others + 1}, {len(turns)} turns\n"
            f"taps a turn: median {median(counts):g}, 90 % at most {high}, most {counts[-1]}, "
            f"more than 7: {sum(one > 7 for one in counts)}\n{[t.value for t in longest]}\n"
        )


if __name__ == "__main__":
    main()
