"""Somebody who plays by what the screen shows, and knows nothing else of the game."""

import re
from collections.abc import Callable
from itertools import cycle

from tests.e2e.support import SECONDS
from tests.e2e.tmux import Tmux

IGNORED_SECONDS = 0.5
"""Longer than the screen ignores an Enter: who sees nothing happen by then presses again."""
_LABEL = re.compile(r"Enter (\S+(?: \S+)*)")


class Onlooker:
    """Looks at the header and the footer, and says what to press."""

    def __init__(self) -> None:
        self._ways = cycle(("Down", "Right", "Up", "Right", "Down", "Left", "Up", "Left"))

    def wanted(self, text: str) -> str:
        """Return the key to press, by its name in the footer or an arrow; empty to wait."""
        header, *_body, footer = text.splitlines()
        label = _LABEL.search(footer)
        if label and label[1].startswith(("step", "place")) and label[1] != "place here":
            return next(self._ways)
        if re.search(r"[1-9] steps? left", header):
            return next(self._ways)
        if "Space" in footer:
            return "Space"
        return "Enter" if label else ""


def play(terminal: Tmux, act: Callable[[str], None]) -> str:
    """Play until the result is shown, and return what the screen shows then.

    Args:
        terminal: that shows a game.
        act: does what a key would do, given its name.
    """
    player, text = Onlooker(), terminal.text
    while "The result" not in text:
        before, wanted = text, player.wanted(text)
        if wanted:
            act(wanted)
        text = terminal.until_changed(before, IGNORED_SECONDS if wanted else SECONDS)
        assert wanted or text != before, text
    return text
