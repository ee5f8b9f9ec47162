"""What guests may use of the gateway: places, time and input."""

from typing import Final

MAX_GUESTS: Final = 16
"""The guests at the table at the same time, players and spectators."""
GUESTS_PER_SOURCE: Final = 8
"""Those of one source, so that nobody with the code can take all places; of the gateway's own
machine, from which tunnels and proxies connect, any number."""
MAX_VISITORS: Final = 32
"""The connections of people who have not given the code yet."""
VISITORS_PER_SOURCE: Final = 8
"""Those of one source, an address or a /64 network."""
ENTRANCE_SECONDS: Final = 180.0
"""The time to give the code."""
GRACE_SECONDS: Final = 6.0
"""How long a guest whose connection broke stays at the table; then a bot stands in, and all see it.

As long as any other player may be silent."""
INPUTS_PER_SECOND: Final = 60.0
INPUTS_AT_ONCE: Final = 240
"""Keys and clicks of one guest; further ones are dropped. A held key repeats 30 times a second."""
GUEST_SHARE: Final = 0.05
"""The share of the gateway's loop that one guest's keys and frames may take for long."""
STRANGERS_SHARE: Final = 0.1
"""That of all together who have not given the code."""
SHARE_SECONDS: Final = 1.0
"""The CPU time that may be used at once; a guest in debt waits, and loses no key."""
PIECE_SECONDS: Final = 0.004
"""The CPU time of one guest's keys after which others get their turn."""
FRAME_SECONDS: Final = 0.02
"""The minimum time from one frame of a guest to the next."""
LARGEST: Final = (250, 100)
"""The largest screen drawn for a guest, in columns and rows."""
PASTE_CHARACTERS: Final = 1000
