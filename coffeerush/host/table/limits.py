"""Timeouts and rate limits of a table."""

from typing import Final

AWAY_SECONDS: Final = 6
"""Silence after which a seated person is away, and a bot stands in."""
GONE_SECONDS: Final = 60
"""Silence after which a spectator, or outside a game a seated person, is given up."""
RETURN_SECONDS: Final = 60
"""How long an empty table waits for somebody who was given up to come back."""
PAUSE_ALONE_SECONDS: Final = 3600
"""Silence of all players after which a pause ends: bots finish the game, so that it is over."""
SUSPENDED_SECONDS: Final = 3
"""A longer gap between ticks means that the host has just started or was suspended."""
HOLD_SECONDS: Final = 5
"""Pause before the table's own next step after the record could not be written."""
REQUESTS_A_SECOND: Final = 20
REQUESTS_BURST: Final = 40
"""Rate and size of each key's token bucket."""
UNDOS_A_TURN: Final = 50
"""Each further undo costs a full second's tokens: else an endless turn would fill the record in
an hour, and nobody could play on."""
BROADCAST_COST: Final = 10
"""Tokens for a request that broadcasts something, such as a line of chat."""
PART_COST: Final = 4
"""Tokens for a part of a record, whose answer is large."""
ANSWERS_KEPT: Final = 64
"""Answers kept per key, for repeated requests."""
NOTES_KEPT: Final = 256
MAX_BOT_INTENTS: Final = 200
"""Intents in one turn after which the fallback that ends it replaces every bot intent."""
STAND_IN: Final = "regular"
"""The kind of bot that plays for people who are away or out of time."""
