"""The rules: pure functions from State to State, normative text in the rule ids (R-...)."""

from .deck import Deck as Deck
from .deck import parse_deck as parse_deck
from .deck import standard_deck as standard_deck
from .engine import advance as advance
from .engine import apply as apply
from .engine import replay as replay
from .events import deal_events as deal_events
from .events import events as events
from .legal import ALL_INTENTS as ALL_INTENTS
from .legal import legal_intents as legal_intents
from .sampling import sample_state as sample_state
from .score import standings as standings
from .setup import Setup as Setup
from .setup import deal as deal
from .state import Menu as Menu
from .state import Player as Player
from .state import State as State
from .view import view_for as view_for
