"""The table's interface to its host, apart from protocol messages."""

from typing import Protocol

from msgspec import Struct

from coffeerush.levels import LEVELS
from coffeerush.records.entries import Head, Later
from coffeerush.rules import Deck
from protocol import Answer, Game, Rev, Seat, Update, View


class TableConfig(Struct, frozen=True):
    """Settings of a table; its owner can change the clock, the pace of bots, and the hints."""

    name: str
    seats: int
    """2 to 4."""
    deck: Deck
    starters: bool = False
    """Play with the starter orders (R-SETUP-6)."""
    turn_seconds: int = 0
    """Turn time limit; 0 for none."""
    bot_seconds: int = 0
    """How long a bot's turn takes at least."""
    hints: bool = True
    """Whether clients may give advice."""
    anybody_lets_in: bool = False
    """Whether anybody at the table may let guests with a browser in, or only the owner."""
    owner: str = ""
    """The key that owns the table for its whole life, present or not; "" for no owner.
    While the owner has no seat, games start automatically."""
    first: str = ""
    """Name of the first game's start player; drawn from the seed if "" or not at the table
    (R-SETUP-1). Later games are begun by the next player."""
    games: int = 0
    """How many games to deal; 0 for no limit."""
    bots: tuple[str, ...] = LEVELS
    """The kinds of bot that can be seated."""


class Journals(Protocol):
    """Where the table writes its record; `RecordError` means that nothing was written."""

    def begin(self, head: Head) -> None:
        """Open the record of a new game; raises `RecordError`."""

    def append(self, entry: Later) -> None:
        """Write an entry durably before returning; raises `RecordError`."""


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
        joined, watching, left, away, back, removed, replaced_by_bot: name
        renamed: name, before
        bot_seated: name
        game_started: game, players (names), first (name)
        turn_timed_out, paused: name
        let_in, turned_away: name, guest (name)
        bot_fell_back: name, bot, reason (`no_answer`, `illegal`, `too_long`)
        game_over: game, standings (text: `Ann 12, Bob 9`)
        went_on, back_to_lobby, stopping: nothing
        resumed: game, rev
        record_failed: text
    """

    code: str
    params: dict[str, str | int]
