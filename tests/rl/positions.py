"""Positions of whole games in which orders are served and upgrades activated."""

from functools import cache
from random import Random

from coffeerush.bots import BOTS
from coffeerush.rules import Setup, State, advance, deal, legal_intents, standard_deck, view_for
from protocol import Intent, Undo


@cache
def positions(players: int, starters: bool = False) -> tuple[State, ...]:
    """Return every State of a game, the last included: a bot's moves and some random ones."""
    chance = Random(5)
    bot = next(bot for name, bot in BOTS.items() if name != "random")()
    states = [deal(Setup(players, standard_deck(), 5, starters))]
    while (seat := (state := states[-1]).active) is not None:
        if chance.random() < 0.3:
            legal = [one for one in legal_intents(state) if not isinstance(one, Undo)]
            intent: Intent = legal[int(chance.random() * len(legal))]
        else:
            intent = bot.choose(view_for(state, seat), chance)
        states.append(advance(state, intent))
    return tuple(states)
