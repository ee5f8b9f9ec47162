"""Bots: a View in, an intent out, with a time limit per move; imports rules, for searching."""

from typing import Final

from .bot import Bot as Bot
from .greedy import GreedyBot as GreedyBot
from .random_bot import RandomBot as RandomBot
from .sampling import sample_state as sample_state

BOTS: Final[dict[str, type[Bot]]] = {"greedy": GreedyBot, "random": RandomBot}
"""The built-in bots, by their name in `--bot`."""
