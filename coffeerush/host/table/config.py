"""The table's interface to its host, apart from protocol messages; timeouts and rate limits."""

from typing import Final, Protocol

from msgspec import Struct

from coffeerush.levels import LEVELS
from coffeerush.records.entries import Head, Later
from coffeerush.rules import Deck
from coffeerush.table_rules import TableRules
from protocol import Answer, Game, Rev, Seat, Term, Update, View


class TableConfig(Struct, frozen=True):
    """Settings of a table; its owner can change the rules between games."""

    name: str
    seats: int
    """2 to 4."""
    deck: Deck
    rules: TableRules = TableRules()
    owner: str = ""
    """The key that owns the table for its whole life, present or not; "" for no owner.
    While the owner has no seat, games start automatically."""
    first: str = ""
    """Name of the first game's start player; drawn from the seed if "" or not at the table
    (R-SETUP-1). Later games are begun by the next player."""
    games: int = 0
    """How many games to deal; 0 for no limit."""
    host: str = ""
    """The host's public key: programs of its person are no standbys."""
    addresses: frozenset[str] = frozenset()
    """Those of the host's machine: a share that is dealt to a program there would go with it."""
    term: Term = 1
    """How often the table's host has changed, from 1."""
    bots: tuple[str, ...] = LEVELS
    """The kinds of bot that can be seated."""


class Journals(Protocol):
    """Where the table writes its record; `RecordError` means that nothing was written."""

    def begin(self, head: Head) -> Head:
        """Open the record of a new game, and return its head as written; raises `RecordError`."""

    def append(self, entry: Later) -> None:
        """Write an entry durably before returning; raises `RecordError`."""

    def read(self) -> bytes:
        """Return the record of the latest game; empty if there is none. Raises `RecordError`."""


class Outcome(Struct, frozen=True):
    """The result of a request: an answer to the sender, and updates for everybody."""

    answer: Answer
    updates: tuple[Update, ...] = ()


class BotTurn(Struct, frozen=True):
    """A turn in which a bot has to choose an intent for `seat`, from `view` alone."""

    seat: Seat
    bot: str
    """The kind of bot: the seat's own, or `STAND_IN`."""
    game: Game
    rev: Rev
    view: View


class Note(Struct, frozen=True):
    """A fact worth a line in the log; never private.

    Codes and their `params`:
        joined, watching, waiting, made_room, left, away, back, removed, replaced_by_bot: name
        went_over: name, table
        renamed, table_renamed: name, before
        bot_seated: name
        game_started: game, players (names), first (name)
        turn_timed_out, paused: name
        let_in, turned_away: name, guest (name)
        bot_fell_back: name, bot, reason (`no_answer`, `illegal`, `too_long`)
        game_over: game, standings (text: `Ann 12, Bob 9`)
        went_on, back_to_lobby, stopping: nothing
        resumed: game, rev
        bot_replaced: name, bot
        moved: name, address, port
        record_failed: text
        tournament: nothing
        entered: name, count (who have entered)
        withdrawn, rests: name
        round: round, rounds
        round_over: round, standings (text: `1. Ann, 2. Bob`)
        round_waits: reason
        tournament_over: rounds
    """

    code: str
    params: dict[str, str | int]


# Timeouts and rate limits of a table


AWAY_SECONDS: Final = 6
"""Silence after which a seated person is away."""
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
HALL_TALK_COST: Final = 40
"""Tokens for a line of chat to all tables: one in two seconds."""
PART_COST: Final = 4
"""Tokens for a part of a record, whose answer is large."""
ANSWERS_KEPT: Final = 64
"""Answers kept per key, for repeated requests."""
NOTES_KEPT: Final = 256
MAX_BOT_INTENTS: Final = 200
"""Intents in one turn after which the fallback that ends it replaces every bot intent."""
STAND_IN: Final = "regular"
"""The kind of bot that plays for people who are away or out of time."""
