"""The random bot: chooses uniformly among the legal intents."""

from random import Random

from protocol import Intent, Undo, View

from .bot import options_of


class RandomBot:
    """Choose any option except undo, so that every game ends."""

    def choose(self, view: View, chance: Random) -> Intent:
        """Return one of the options, all equally likely."""
        intents = [o.intent for o in options_of(view) if not isinstance(o.intent, Undo)]
        return intents[int(chance.random() * len(intents))]
