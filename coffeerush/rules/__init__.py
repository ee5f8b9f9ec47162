"""The rules engine: pure functions from State to State. Grep for a rule's id, as `# R-MOVE-4`."""

from .deck import Deck as Deck, parse_deck as parse_deck, standard_deck as standard_deck
from .engine import advance as advance, apply as apply, replay as replay
from .events import deal_events as deal_events, events as events
from .legal import ALL_INTENTS as ALL_INTENTS, legal_intents as legal_intents
from .scoring import standings as standings, tallies as tallies
from .setup import Setup as Setup, deal as deal
from .state import Player as Player, State as State
from .view import view_for as view_for, with_own as with_own
