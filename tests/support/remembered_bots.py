"""Built-in bots for tests; the regular one remembers, as many tests play the same games."""

from functools import lru_cache
from random import Random

from coffeerush.bots import BOTS
from coffeerush.bots.load import load_bot
from protocol import Intent, View


def choose(bot: str, view: View, chance: Random) -> Intent:
    """Return the choice of a built-in bot; the regular one does not use `chance`."""
    return _regular(view) if bot == "regular" else load_bot(bot).choose(view, chance)


@lru_cache(maxsize=10_000)
def _regular(view: View) -> Intent:
    return BOTS["regular"]().choose(view, Random(0))
