"""The limits of a table: how long somebody may be silent, and how much a key may ask."""

from typing import Final

AWAY_SECONDS: Final = 6
"""Silence after which a seated person is away, and a bot stands in."""
GONE_SECONDS: Final = 60
"""Silence after which a spectator, or outside of a game a seat, is given up."""
RETURN_SECONDS: Final = 60
"""How long an empty table is kept for somebody who was given up and may still come back."""
SUSPENDED_SECONDS: Final = 3
"""A longer time without a tick: the host has just started, or its computer slept."""
HOLD_SECONDS: Final = 5
"""How long nothing is tried by the table itself after the record could not be written."""
REQUESTS_A_SECOND: Final = 20
REQUESTS_AT_ONCE: Final = 40
"""The token bucket of each key."""
UNDOS_A_TURN: Final = 50
"""After so many each takes as many tokens as come in a second: else a turn without an end would
fill the record in an hour, and nobody could play on."""
NEWS_PRICE: Final = 10
"""Tokens that it takes to tell everybody something, such as a line of chat."""
OUTCOMES_KEPT: Final = 64
"""How many answers of each key can be asked for again."""
NOTES_KEPT: Final = 256
MAX_BOT_INTENTS: Final = 200
"""Intents of one turn after which a bot only gets the fallback that ends it."""
STAND_IN: Final = "greedy"
"""The kind of bot that plays for whoever is away or out of time."""
