"""A player that knows only what the screen shows, with keys or a mouse."""

import re
from collections.abc import Callable
from itertools import cycle

from coffeerush.ui.table.draw_board import area_of
from coffeerush.ui.table.state import layout_of
from coffeerush.ui.terminal.canvas import width
from coffeerush.ui.terminal.glyphs import MINE
from protocol import BOARD_SIDE
from tests.support.hosts_and_clients import SECONDS
from tests.support.tmux import Tmux

IGNORED_SECONDS = 0.5
"""Longer than the screen ignores an Enter: press it again if nothing has happened by then."""
WAYS = {"Up": (-1, 0), "Down": (1, 0), "Left": (0, -1), "Right": (0, 1)}


class ScreenReader:
    """Reads the header and the footer, and chooses the next key."""

    def __init__(self) -> None:
        self._ways = cycle(("Down", "Right", "Up", "Right", "Down", "Left", "Up", "Left"))

    def wanted(self, text: str) -> str:
        """Return the key to press, by its name in the footer or an arrow; empty to wait."""
        header, *_body, footer = text.splitlines()
        _before, _key, label = footer.partition("Enter ")  # and what follows, maybe at one blank
        if "rematch" in label:
            return ""  # the result's header is not shown yet
        if label.startswith("place") and not label.startswith("place here"):
            return next(self._ways)
        if re.search(r"[1-9] steps? left", header):
            return next(self._ways)
        if "Space" in footer:
            return "Space"
        if label:
            return "Enter"
        return next(self._ways) if "arrows step" in footer else ""  # on another's meeple


class Hand:
    """Replaces keys by clicks: on a footer label, or on the cell that an arrow leads to."""

    def __init__(self, terminal: Tmux) -> None:
        self._terminal = terminal
        lines = terminal.lines
        layout = layout_of(len(lines[0]), len(lines), tiles=True)
        self._cells = [area_of(layout, cell) for cell in range(BOARD_SIDE * BOARD_SIDE)]

    def act(self, wanted: str) -> None:
        """Do what a key would do, with the mouse."""
        lines = self._terminal.lines
        if wanted not in WAYS:
            before, label, _after = lines[-1].partition(f"{wanted} ")
            if label:  # else the screen has changed since it was read
                self._terminal.click(width(before), len(lines) - 1)
            return
        if "place" in lines[-1]:
            free = next(cell for cell in range(len(self._cells)) if "·" in self._text(lines, cell))
            self._click_cell(free)
            return
        down, right = WAYS[wanted]
        (here, *_other) = [c for c in range(len(self._cells)) if MINE in self._text(lines, c)]
        row, column = here // BOARD_SIDE + down, here % BOARD_SIDE + right
        if 0 <= row < BOARD_SIDE and 0 <= column < BOARD_SIDE:
            self._click_cell(row * BOARD_SIDE + column)

    def _click_cell(self, cell: int) -> None:
        area = self._cells[cell]
        self._terminal.click(area.x, area.y)

    def _text(self, lines: list[str], cell: int) -> str:
        area = self._cells[cell]
        return "".join(
            line[area.x : area.x + area.columns] for line in lines[area.y : area.y + area.rows]
        )


def play(terminal: Tmux, act: Callable[[str], None], until: str = "The result") -> str:
    """Play until a text is shown, and return the screen's text.

    `act` presses a key by its name, or does the same with the mouse.
    """
    player, text = ScreenReader(), terminal.text
    while until not in text:
        before, wanted = text, player.wanted(text)
        if wanted:
            act(wanted)
        text = terminal.until_changed(before, IGNORED_SECONDS if wanted else SECONDS)
        assert wanted or text != before, text
    return text
