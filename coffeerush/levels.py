"""The levels of the built-in bots, as people choose them, and the names that hosts give bots."""

from functools import lru_cache
from typing import Final

from protocol import clean_speaker

LEVELS: Final = ("casual", "regular", "expert")
"""The kinds of bots that are offered, easiest first; `--bots` also takes others."""
FORMER_KINDS: Final = {"greedy": "regular"}
"""Earlier names of kinds, in settings, records and requests of older versions."""


def kind_now(kind: str) -> str:
    """Return the name that a kind of bot has now."""
    return FORMER_KINDS.get(kind, kind)


@lru_cache(maxsize=64)  # each frame asks about the same bots
def is_made_up(name: str, bot: str) -> bool:
    """Return whether the host names a bot of this kind so: `regular 1`."""
    stem, _blank, number = name.rpartition(" ")
    label = clean_speaker(bot.rpartition(":")[2])
    return bool(stem) and number.isdecimal() and label.startswith(stem)
