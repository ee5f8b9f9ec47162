"""Built-in bots for tests; the greedy one remembers, as many tests play the same games."""

from functools import lru_cache
from random import Random

from coffeerush.bots import BOTS
from protocol import Intent, View


def choose(bot: str, view: View, chance: Random) -> Intent:
    """Return the choice of a built-in bot; only the random one uses `chance`."""
    return _greedy(view) if bot == "greedy" else BOTS[bot]().choose(view, chance)


@lru_cache(maxsize=10_000)
def _greedy(view: View) -> Intent:
    return BOTS["greedy"]().choose(view, Random(0))
