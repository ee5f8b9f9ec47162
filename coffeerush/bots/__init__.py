"""Bots: a View in, an intent out, with a time limit per move; imports rules, for searching."""

from typing import Final

from .bot import Bot as Bot
from .outcomes import sample_state as sample_state
from .planner import ExpertBot as ExpertBot
from .simple import CasualBot as CasualBot, RandomBot as RandomBot, RegularBot as RegularBot

BOTS: Final[dict[str, type[Bot]]] = {
    "casual": CasualBot,
    "regular": RegularBot,
    "expert": ExpertBot,
    "random": RandomBot,
}
"""The built-in bots, by their name in `--bot`; `coffeerush.levels` has those that are offered."""
