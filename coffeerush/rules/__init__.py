"""The rules engine: pure functions from State to State. Grep for a rule's id, as `# R-MOVE-4`."""

from .deck import Deck as Deck, parse_deck as parse_deck, standard_deck as standard_deck
from .engine import advance as advance, apply as apply, replay as replay
from .legal import ALL_INTENTS as ALL_INTENTS, legal_intents as legal_intents
from .state import Player as Player, Setup as Setup, State as State, deal as deal
from .view import (
    deal_events as deal_events,
    events as events,
    standings as standings,
    tallies as tallies,
    view_for as view_for,
    with_own as with_own,
)
