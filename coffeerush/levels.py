"""The levels of the built-in bots, as people choose them."""

from typing import Final

LEVELS: Final = ("casual", "regular", "expert")
"""The kinds of bots that are offered, easiest first; `--bots` takes others, too."""
FORMER_KINDS: Final = {"greedy": "regular"}
"""Earlier names of kinds, in settings, records and requests of older versions."""


def kind_now(kind: str) -> str:
    """Return the name that a kind of bot has now."""
    return FORMER_KINDS.get(kind, kind)
