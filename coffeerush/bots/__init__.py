"""Bots: a View in, an intent out, with a time limit per move; imports rules, for searching."""

from typing import Final

from .bot import Bot as Bot
from .casual import CasualBot as CasualBot
from .expert import ExpertBot as ExpertBot
from .random_bot import RandomBot as RandomBot
from .regular import RegularBot as RegularBot
from .sampling import sample_state as sample_state

BOTS: Final[dict[str, type[Bot]]] = {
    "casual": CasualBot,
    "regular": RegularBot,
    "expert": ExpertBot,
    "random": RandomBot,
}
"""The built-in bots, by their name in `--bot`; `coffeerush.levels` has those that are offered."""
