"""A good player at a real screen, steered by an identical game in this process.

With the same seed and deterministic bots, both games are the same.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from coffeerush.bots import RegularBot
from coffeerush.client.model import Model
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import following_serves, suggested_pours
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from protocol import (
    BOARD_SIDE,
    ActivateUpgrade,
    EndTurn,
    Intent,
    Phase,
    PlaceMeeple,
    Serve,
    Step,
    View,
)
from tests.support.local import LocalLink

from .window import Window

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
ENTER, ESCAPE, TAB = "\r", "\x1b", "\t"
_STEPS: Final = {
    (-1, 0): UP,
    (1, 0): DOWN,
    (0, 1): RIGHT,
    (0, -1): LEFT,
    (-1, -1): "y",
    (-1, 1): "o",
    (1, -1): "b",
    (1, 1): "n",
}
"""Keys by the rows and columns of a step."""
FIRST_CURSOR: Final = 5
"""The cursor's first cell when placing a meeple, unless it is occupied."""
PAUSE_SECONDS: Final = 0.1
ENTER_SECONDS: Final = 0.35
"""Longer than the screen ignores an Enter after a turn starts or after another Enter."""


class Seat:
    """A player at a screen, and the same player at the identical table in this process.

    Args:
        screen: a screen of the real table.
        link: the link of the same player to the other table.
        pause: how many seconds a screen stays still before each key, at least.
    """

    def __init__(self, screen: Window, link: LocalLink, pause: float = PAUSE_SECONDS) -> None:
        self.screen = screen
        self._link = link
        self._pause = pause
        self._bot, self._chance = RegularBot(), Random(1)

    @property
    def model(self) -> Model:
        """The model that the screen should show."""
        return self._link.model

    @property
    def view(self) -> View:
        """The View that the screen should show."""
        assert self.model.view is not None, "a seat is always in a game"
        return self.model.view

    def play_to(self, round_number: int, phase: Phase | None = None, steps: int = 0) -> None:
        """Play until one's turn in a round, in that phase or later, or the end of the game."""
        while self.view.active is not None:
            walked = max(len(self.view.path) - 1, 0)
            here = phase is None or self.view.phase is phase
            if self.view.round >= round_number and here and walked >= steps:
                return
            self.play_on()

    def play_on(self) -> None:
        """Press a good player's next keys, and wait for the result."""
        keys, intents = self._next()
        for intent in intents:
            self._link.wish(intent)
        for key in keys:
            self.press(key)
        self.catch_up()

    def press(self, key: str) -> None:
        """Press a key once the screen has been still."""
        self.screen.settle(max(self._pause, ENTER_SECONDS) if key == ENTER else self._pause)
        self.screen.write(key)

    def catch_up(self) -> None:
        """Wait until the screen has caught up with the game here."""
        self.screen.until(self._is_there)

    def _is_there(self) -> bool:
        """Return whether the screen's header matches the game here."""
        cells = self.screen.cells
        ui = Ui(settings=Settings(guided=True), size=(cells.columns, cells.lines))
        wanted = next(draw(self.model, ui, cells.columns, cells.lines).lines())
        return self.screen.lines[0].rstrip() == wanted.rstrip()

    def _next(self) -> tuple[Sequence[str], Sequence[Intent]]:
        """Return the next keys, and the intents that they produce."""
        view = self.view
        if pours := suggested_pours(view) if not self._walks() else ():
            return [" "], (*pours, *following_serves(view))
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
                first = Scene(self.model, Ui()).turn.urgent
                return [ENTER], [first[0] if first else EndTurn()]
        raise AssertionError(f"a good player does not {intent}")

    def _walks(self) -> bool:
        """Return whether the next intent is a step."""
        if self.view.phase not in (Phase.UPGRADE, Phase.MOVING):
            return self.view.phase is Phase.PLACING
        return isinstance(self._bot.choose(self.view, self._chance), Step | ActivateUpgrade)

    def _way_to(self, cell: int) -> Iterator[str]:
        """Yield the arrow keys from the cursor to a cell."""
        places = Scene(self.model, Ui()).turn.places
        down, right = _apart(FIRST_CURSOR if FIRST_CURSOR in places else min(places), cell)
        yield from [DOWN if down > 0 else UP] * abs(down)
        yield from [RIGHT if right > 0 else LEFT] * abs(right)


def _apart(here: int, there: int) -> tuple[int, int]:
    """Return the distance between two cells in rows and columns."""
    row, column = divmod(there, BOARD_SIDE)
    own_row, own_column = divmod(here, BOARD_SIDE)
    return row - own_row, column - own_column
