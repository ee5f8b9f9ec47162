"""Players without a person: a View in, an intent out, each move within a time limit.

Imports rules, to search; `process` runs them outside of the host.
"""

from typing import Final

from .bot import Bot as Bot
from .greedy import GreedyBot as GreedyBot
from .random_bot import RandomBot as RandomBot
from .sampling import sample_state as sample_state

BOTS: Final[dict[str, type[Bot]]] = {"greedy": GreedyBot, "random": RandomBot}
"""The bots that come with the game, by the name that `--bot` takes."""
