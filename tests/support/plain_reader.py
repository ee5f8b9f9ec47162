"""A plain-mode player that knows only the printed sentences."""

import re
from itertools import cycle

STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
_WAYS = ("down", "right", "up", "right", "down", "left", "up", "left")
_LEFT = re.compile(r"(?:Your turn, round \d+\. )?(\d+) steps?(?: left)?, (\d+) rush")
_HERE = re.compile(r"(?:You are|Meeple 1 is) on .*, row (\d), column (\d)\.")


class Reader:
    """Gets line after line, and answers prompts."""

    def __init__(self) -> None:
        self.over = False
        self._left = 0
        self._here = (1, 1)
        self._stepped = False
        self._tried = 0
        """Steps that were refused since the last one: on some cells none is possible."""
        self._serve = ""
        self._cells = cycle((row, column) for row in (2, 3, 1, 4) for column in (2, 3, 1, 4))
        self._cups = cycle("112223")
        self._ways = cycle(_WAYS)

    def forget(self) -> None:
        """Wait for no reply any more."""
        self._stepped = False

    def hear(self, line: str) -> str:
        """Return the reply to a line; empty for none."""
        if found := _LEFT.match(line):
            self._left = int(found[1]) + int(found[2])
        elif found := _HERE.match(line):
            self._here = (int(found[1]), int(found[2]))
            self._stepped, self._tried = self._left > 0, 0
            return self._step() if self._left else ""
        elif "could not get from there" in line:
            self._tried += 1
            if self._tried < len(_WAYS):
                return self._step()
            self._stepped = False
            return next(self._cups)
        elif line.startswith("Your hand is empty") and self._tried >= len(_WAYS):
            return "end"
        elif line.startswith(("Place a meeple", "Place meeple")) or "choose a free cell" in line:
            return "place {} {}".format(*next(self._cells))
        elif found := re.search(r"type “(serve \d)”\.", line):
            self._serve = found[1]
        return self._finish(line)

    def _finish(self, line: str) -> str:
        if line.startswith("Rank 1:"):
            self.over = True
        elif line.startswith("Everything is poured"):
            return "end"
        elif line.startswith(("Pour ", "Type “end” to end")):
            if self._stepped:
                self._stepped = False  # printed along with the steps; one is in flight
            elif line.startswith("Pour "):
                return next(self._cups)
            else:
                typed, self._serve = self._serve or "end", ""
                return typed
        return ""

    def _step(self) -> str:
        row, column = self._here
        for way in self._ways:
            down, right = STEPS[way]
            if 1 <= row + down <= 4 and 1 <= column + right <= 4:
                return way
        raise AssertionError("there is always a step")
