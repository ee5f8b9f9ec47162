"""A person at a real screen who plays well: the same game in this process says what to press.

Dealt from the same seed, against bots that leave nothing to chance, the two games are one.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from coffeerush.bots import GreedyBot
from coffeerush.client.model import Model
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.pours import suggested_pours
from coffeerush.ui.table.draw.screen import draw
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from protocol import (
    BOARD_SIDE,
    NO_ID,
    ActivateUpgrade,
    EndTurn,
    Intent,
    Phase,
    PlaceMeeple,
    Serve,
    Start,
    Step,
    View,
)
from tests.support.local import LocalTable
from tests.support.pty_terminal import Screen

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
ENTER, ESCAPE, TAB = "\r", "\x1b", "\t"
_STEPS: Final = {
    (-1, 0): UP,
    (1, 0): DOWN,
    (0, 1): RIGHT,
    (0, -1): LEFT,
    (-1, -1): "y",
    (-1, 1): "u",
    (1, -1): "b",
    (1, 1): "n",
}
"""Keys by the rows and columns that a step leads."""
FIRST_CURSOR: Final = 5
"""Where the cursor is when a meeple is to be placed, unless somebody stands there."""
ENTER_SECONDS: Final = 0.35
"""Longer than an Enter is ignored after a turn began, or after another one."""


class Seat:
    """A person at a screen that shows `play` with a seed and greedy bots."""

    def __init__(self, screen: Screen, name: str, bots: int, seed: int) -> None:
        self.screen = screen
        local = LocalTable(bots + 1, ("greedy",) * bots, seed=f"{seed} games")
        self._link = local.link(name)
        self._link.wish(Start(NO_ID))
        self._bot, self._chance = GreedyBot(), Random(1)
        self._wait("")

    @property
    def model(self) -> Model:
        """The table as it is to be on the screen."""
        return self._link.model

    @property
    def view(self) -> View:
        """The game as it is to be on the screen."""
        assert self.model.view is not None, "a seat is only taken in a game"
        return self.model.view

    def play_to(self, round_number: int, phase: Phase | None = None, steps: int = 0) -> None:
        """Play until it is the own turn in a round, in that phase or further, or the game ends."""
        while self.view.active is not None:
            walked = max(len(self.view.path) - 1, 0)
            here = phase is None or self.view.phase is phase
            if self.view.round >= round_number and here and walked >= steps:
                return
            self.play_on()

    def play_on(self) -> None:
        """Press what a good player presses next, and wait until it is done."""
        keys, intents = self._next()
        for intent in intents:
            self._link.wish(intent)
        *first, last = keys
        for key in first:
            self.screen.write(key)
            self.screen.settle(0.1)
        self._wait(last)

    def _wait(self, key: str) -> None:
        """Press a key, and wait until the screen is as far as we are."""
        if key == ENTER:
            self.screen.settle(ENTER_SECONDS)
        self.screen.write(key)
        self.screen.until(self._is_there)

    def _is_there(self) -> bool:
        """Tell whether the header of the screen is that of our game."""
        cells = self.screen.cells
        ui = Ui(settings=Settings(guided=True), size=(cells.columns, cells.lines))
        wanted = next(draw(self.model, ui, cells.columns, cells.lines).lines())
        return self.screen.lines[0].rstrip() == wanted.rstrip()

    def _next(self) -> tuple[Sequence[str], Sequence[Intent]]:
        """Return keys, and the intents that they come to."""
        view = self.view
        if pours := suggested_pours(view) if not self._walks() else ():
            return [" "], pours
        intent = self._bot.choose(view, self._chance)
        match intent:
            case PlaceMeeple(cell):
                return [*self._way_to(cell), ENTER], [intent]
            case ActivateUpgrade(upgrade):
                return ["g", str(upgrade + 1)], [intent]
            case Step(meeple, cell):
                assert view.own is not None
                here = view.players[view.own.seat].meeples[meeple - 1]
                return [_STEPS[_apart(here, cell)]], [intent]
            case Serve() | EndTurn():
                first = Scene(self.model, Ui()).serves
                return [ENTER], [first[0].intent if first else EndTurn()]
        raise AssertionError(f"a good player does not {intent}")

    def _walks(self) -> bool:
        """Tell whether a step comes next."""
        if self.view.phase not in (Phase.UPGRADE, Phase.MOVING):
            return self.view.phase is Phase.PLACING
        return isinstance(self._bot.choose(self.view, self._chance), Step | ActivateUpgrade)

    def _way_to(self, cell: int) -> Iterator[str]:
        """Yield the arrows from where the cursor is to a cell."""
        places = Scene(self.model, Ui()).places
        down, right = _apart(FIRST_CURSOR if FIRST_CURSOR in places else min(places), cell)
        yield from [DOWN if down > 0 else UP] * abs(down)
        yield from [RIGHT if right > 0 else LEFT] * abs(right)


def _apart(here: int, there: int) -> tuple[int, int]:
    """Return the rows and columns from one cell to another."""
    row, column = divmod(there, BOARD_SIDE)
    own_row, own_column = divmod(here, BOARD_SIDE)
    return row - own_row, column - own_column
