"""What a table is opened with, where it writes its record, and what it hands to the host around it.

Beside these go only the messages of the protocol.
"""

from typing import Protocol

from msgspec import Struct

from coffeerush.records.entries import Head, Later
from coffeerush.rules import Deck
from protocol import Answer, Game, Rev, Seat, Update, View


class TableConfig(Struct, frozen=True):
    """What is decided when a table is opened."""

    name: str
    seats: int
    """2 to 4."""
    deck: Deck
    starters: bool = False
    """Play with the starter orders (R-SETUP-6)."""
    turn_seconds: int = 0
    """The turn clock; 0 for none."""
    owner: str = ""
    """The key that owns the table for as long as it stands, at the table or not; "" for no owner.
    While it has no seat, games start by themselves."""
    first: str = ""
    """Name of the start player; "", or nobody of that name: drawn from the seed (R-SETUP-1)."""
    games: int = 0
    """Deal no more after so many; 0 for no limit."""
    bots: tuple[str, ...] = ("greedy", "random")
    """The kinds of bot that can be seated."""


class Journals(Protocol):
    """Where the table writes its record; `RecordError` means that nothing was written."""

    def begin(self, head: Head) -> None:
        """Open the record of a new game; raises `RecordError`."""

    def append(self, entry: Later) -> None:
        """Put an entry on record for good before returning; raises `RecordError`."""


class Outcome(Struct, frozen=True):
    """What a request leads to: an answer to the asker, and updates to everybody."""

    answer: Answer
    updates: tuple[Update, ...] = ()


class BotTurn(Struct, frozen=True):
    """A bot has to choose an intent for `seat`, knowing `view` and nothing else."""

    seat: Seat
    bot: str
    """The kind of bot: that of the seat, or `STAND_IN`."""
    game: Game
    rev: Rev
    view: View


class Note(Struct, frozen=True):
    """A fact that is worth a line in a log; never a private one.

    code, and what is in `params`:
        joined, watching, left, away, back, removed, replaced_by_bot: name
        renamed: name, before
        bot_seated: name
        game_started: game, players (names), first (name)
        turn_timed_out: name
        bot_fell_back: name, bot, reason (`no_answer`, `illegal`, `too_long`)
        game_over: game, standings (text: `Ann 12, Bob 9`)
        back_to_lobby, stopping: nothing
        resumed: game, rev
        record_failed: text
    """

    code: str
    params: dict[str, str | int]
