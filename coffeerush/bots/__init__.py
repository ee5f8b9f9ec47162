"""Bots: they see only Views, like any player."""

from typing import Final

from .bot import Bot as Bot
from .greedy import GreedyBot as GreedyBot
from .random_bot import RandomBot as RandomBot
from .sampling import sample_state as sample_state

BOTS: Final[dict[str, type[Bot]]] = {"greedy": GreedyBot, "random": RandomBot}
"""The bots that come with the game, by the name that `--bot` takes."""
