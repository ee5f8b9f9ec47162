"""The table and its seats, as everybody sees them."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from .terms import MAX_PLAYERS, MIN_PLAYERS, Seat
from .text import CHAT_CHARACTERS, NAME_CELLS, Name
from .views import Tally

MAX_SPECTATORS: Final = 16
BOT_NAME_CHARACTERS: Final = 24

BotName = Annotated[str, Meta(min_length=1, max_length=BOT_NAME_CHARACTERS)]
TurnSeconds = Annotated[int, Meta(ge=0, le=3600)]
"""The turn clock; 0 for none."""
BotSeconds = Annotated[int, Meta(ge=0, le=30)]
"""How long a bot's turn takes at least."""
LETTERS: Final = 26
Letter = Annotated[int, Meta(ge=0, le=LETTERS - 1)]
"""A letter that a player has chosen: A is 0, Z is 25. No others: each is one cell, and unlike."""
Colour = Annotated[int, Meta(ge=0, le=MAX_PLAYERS - 1)]
"""A colour that a player has chosen, by the number of the seat whose colour it is by default."""
EmoteName = Literal["hello", "bravo", "thanks", "oops", "wow", "hurry"]
PauseReason = Annotated[str, Meta(max_length=CHAT_CHARACTERS)]
"""Why a game is paused; empty if no reason was given."""
GuestNumber = Annotated[int, Meta(ge=1, le=999)]
"""Given to each guest who asks to come in; after 999, they begin again."""


class Asker(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody with a browser who asks to come in."""

    guest: GuestNumber
    name: Name


class LettingIn(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who asks to come in, and who may let them in."""

    asking: Annotated[tuple[Asker, ...], Meta(max_length=16)] = ()
    """The first one first."""
    by_anybody: bool = False
    """Whether anybody at the table may let them in, or only the owner."""


class SeatView(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A seat and who sits there."""

    status: Literal["open", "person", "bot"]
    name: Annotated[str, Meta(max_length=NAME_CELLS)] = ""
    """Empty on an open seat."""
    bot: Annotated[str, Meta(max_length=BOT_NAME_CHARACTERS)] = ""
    """The kind of bot on this seat, or that plays for a person who is away or out of time."""
    ready: bool = False
    away: bool = False
    """The person left or went silent; a bot plays until they return."""
    letter: Letter | None = None
    """The letter that the person has chosen; no two seats have the same."""
    colour: Colour | None = None
    """The colour that the person has chosen; no two seats have the same."""


class TableView(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table and the people at it."""

    name: Name
    stage: Literal["lobby", "game", "result"]
    seats: Annotated[tuple[SeatView, ...], Meta(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)]
    owner: Seat | None
    """The owner's seat; None without an owner: the table then starts games by itself."""
    bots: Annotated[tuple[BotName, ...], Meta(max_length=16)]
    """The kinds of bot that this host can seat."""
    spectators: Annotated[tuple[Name, ...], Meta(max_length=MAX_SPECTATORS)]
    starters: bool
    """Whether games use the starter orders (R-SETUP-6)."""
    turn_seconds: TurnSeconds
    clock: Annotated[int, Meta(ge=0, le=3600)] | None
    """Seconds left of the turn when this was made; None if no clock is running."""
    tallies: Annotated[tuple[Tally, ...], Meta(max_length=MAX_PLAYERS)] = ()
    """Of the game that is over, by seat; empty except in stage `result`."""
    bot_seconds: BotSeconds = 0
    hints: bool = True
    """Whether clients may give advice."""
    first: Seat | None = None
    """The seat that begins the next game; None if it will be drawn, and in stage `game`."""
    pause: PauseReason | None = None
    """Why the game is paused; None if it is not."""
    letting_in: LettingIn = LettingIn()
