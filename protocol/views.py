"""Views: what a seat or a spectator may know of a game (R-INFO-1, R-INFO-2), and of its table."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from .intents import Intent
from .terms import (
    CUPS,
    FREE_STEPS,
    MAX_CARDS,
    MAX_DRINKS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NOTHING,
    RUSH_TOKENS,
    CardCount,
    Cell,
    Counts,
    DrinkIndex,
    Drinks,
    Meeple,
    Phase,
    Round,
    RushCount,
    Seat,
)
from .text import CHAT_CHARACTERS, NAME_CELLS, Name

MAX_OPTIONS: Final = 64
MAX_UNDO: Final = 999
"""More than the intents of a turn: every token poured once, each cup emptied after each pour."""
MAX_TALLY_ROUNDS: Final = 64
"""Of a longer game, a tally has only the latest rounds."""

Score = Annotated[int, Meta(ge=-MAX_CARDS, le=MAX_CARDS)]


class Drink(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One kind of order card. On the wire: an array, in the order of the fields."""

    name: Name
    recipe: Counts
    count: Annotated[int, Meta(ge=1, le=MAX_CARDS)]
    """How many of these cards the whole deck has."""
    specialty: bool
    """Whether it is on the specialty menu and earns a rush token (R-SERVE-2)."""
    starter: bool
    """Whether it is a starter: Ristretto or Espresso (R-COMP-3, R-SETUP-6)."""


class PlayerView(Struct, frozen=True, forbid_unknown_fields=True):
    """What everybody may know about a player."""

    orders: tuple[Drinks, Drinks, Drinks, Drinks]
    """The open orders of slots 1 to 4, oldest first."""
    completed: CardCount
    penalties: CardCount
    rush: RushCount
    upgrades: tuple[bool, bool, bool, bool]
    meeples: Annotated[tuple[Cell, ...], Meta(max_length=2)]
    """The cells of the meeples placed so far."""
    score: Score
    """The score if the game ended now (R-END-2)."""


class Standing(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's place in the result; tied seats have the same rank (R-END-3)."""

    seat: Seat
    rank: Annotated[int, Meta(ge=1, le=MAX_PLAYERS)]
    score: Score


class Tally(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's results by round, once the game is over; all of it was public."""

    scores: Annotated[tuple[Score, ...], Meta(min_length=1, max_length=MAX_TALLY_ROUNDS)]
    """The score at the end of each round; the last is the final score."""
    best_served: Annotated[int, Meta(ge=0, le=CUPS)]
    """The most orders completed in one turn."""
    best_round: Round
    """The round of the first such turn; 0 if no order was completed."""


class Option(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A legal intent of the seat that may act, with a preview."""

    intent: Intent
    gain: Counts = NOTHING
    """The tokens that the step or the placed meeple would take from the supply."""
    rush_cost: RushCount = 0
    """The rush tokens that the step would spend (R-MOVE-2)."""
    order: DrinkIndex | None = None
    """The drink that a serve would complete."""


class OwnView(Struct, frozen=True, forbid_unknown_fields=True):
    """Private data of one seat."""

    seat: Seat
    cups: tuple[Counts, Counts, Counts]
    hand: Counts
    options: Annotated[tuple[Option, ...], Meta(max_length=MAX_OPTIONS)]
    """Every legal intent; empty unless this seat may act."""
    undo: Annotated[int, Meta(ge=0, le=MAX_UNDO)]
    """How many intents of this turn can be undone."""


class View(Struct, frozen=True, forbid_unknown_fields=True):
    """A game as its reader may know it; self-contained: all that drawing or playing needs."""

    players: Annotated[tuple[PlayerView, ...], Meta(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)]
    start: Seat
    active: Seat | None
    """The seat that may act; None when the game is over."""
    phase: Phase
    round: Round
    """Counts from 1; 0 during the setup."""
    closed: bool
    """Whether the token shows CLOSED (R-RUSH-2, R-TIME-2, R-END-4)."""
    supply: Counts
    rush_supply: RushCount
    deck: CardCount
    """Cards left to draw."""
    discards: Annotated[tuple[DrinkIndex, ...], Meta(max_length=48)]
    """Orders discarded for upgrades, oldest first."""
    removed: Annotated[tuple[DrinkIndex, ...], Meta(max_length=4)]
    """Starters that were removed from the game (R-SETUP-6)."""
    path: Annotated[tuple[Cell, ...], Meta(max_length=1 + FREE_STEPS + RUSH_TOKENS)]
    """Cells walked this turn, the starting cell first; empty before the first step."""
    meeple: Meeple | None
    """The meeple that moves this turn, once it has stepped."""
    steps_left: Annotated[int, Meta(ge=0, le=3)]
    """Free steps left (R-MOVE-2)."""
    served: Annotated[int, Meta(ge=0, le=3)]
    """Orders completed this turn (R-RUSH-1)."""
    hand: Counts | None
    """The tokens in the active player's hand; None while they are being poured."""
    menu: Annotated[tuple[Drink, ...], Meta(min_length=1, max_length=MAX_DRINKS)]
    standings: Annotated[tuple[Standing, ...], Meta(max_length=MAX_PLAYERS)]
    """Best first; empty until the game is over."""
    own: OwnView | None = None
    """The reader's own part; None for a spectator and in publications."""


# The table and its seats, as everybody sees them


MAX_SPECTATORS: Final = 16
MAX_STANDBYS: Final = 3
"""The most people in the order of succession."""
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


Rotation = Literal["owner", "loser", "everybody"]
"""Who makes room between games for people in the queue: whom the owner has stand up, the loser of
each game, or everybody in turn."""


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


class NextGame(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who begins the next game, and who wants to play it."""

    first: Seat | None = None
    """The seat that begins; None if it will be drawn, and in stage `game`."""
    queue: Annotated[tuple[Name, ...], Meta(max_length=MAX_SPECTATORS)] = ()
    """The spectators who want to play, in the order in which they get seats."""
    rotation: Rotation = "owner"
    """Who makes room for them."""


Term = Annotated[int, Meta(ge=1, le=2**32 - 1)]
"""How often the table's host has changed, from 1: a client follows only a host of a higher one."""


class Moving(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A handover under way."""

    to: Name
    """Who was asked to host the table."""
    agreed: bool = False
    """Whether they have agreed: the table stands still until they host it or it fails."""


class SeatView(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A seat and who sits there."""

    status: Literal["open", "person", "bot"]
    name: Annotated[str, Meta(max_length=NAME_CELLS)] = ""
    """Empty on an open seat."""
    bot: Annotated[str, Meta(max_length=BOT_NAME_CHARACTERS)] = ""
    """The kind of bot on this seat, or that plays for a person who is away or out of time."""
    ready: bool = False
    away: bool = False
    """The person left or went silent; in a game a bot plays after a moment, until they are back."""
    letter: Letter | None = None
    """The letter that the person has chosen; no two seats have the same."""
    colour: Colour | None = None
    """The colour that the person has chosen, or was given; no two seats have the same."""


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
    next_game: NextGame = NextGame()
    pause: PauseReason | None = None
    """Why the game is paused; None if it is not."""
    letting_in: LettingIn = LettingIn()
    standbys: Annotated[tuple[Name, ...], Meta(max_length=MAX_STANDBYS)] = ()
    """The people whose program could host the table, in the order of succession."""
    moving: Moving | None = None
    """The handover under way; None if there is none."""
    term: Term = 1
    failover: bool = False
    """Whether enough people keep the sealed record that its game can go on without the host."""
