"""What one seat, or a spectator, may know of a game (R-INFO-1, R-INFO-2)."""

from typing import Annotated, Final

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
from .text import Name

MAX_OPTIONS: Final = 64
MAX_UNDO: Final = 999
"""More intents than a turn can have: every token poured once, each cup emptied after each pour."""
MAX_TALLY_ROUNDS: Final = 64
"""Of a longer game a tally has the latest rounds."""

Score = Annotated[int, Meta(ge=-MAX_CARDS, le=MAX_CARDS)]


class Drink(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One kind of order card. On the wire an array, in the order of the fields."""

    name: Name
    recipe: Counts
    count: Annotated[int, Meta(ge=1, le=MAX_CARDS)]
    """How many such cards the whole deck has."""
    specialty: bool
    """On the specialty menu: earns a rush token (R-SERVE-2)."""
    starter: bool
    """One of Ristretto and Espresso (R-COMP-3, R-SETUP-6)."""


class PlayerView(Struct, frozen=True, forbid_unknown_fields=True):
    """What everybody knows of a player."""

    orders: tuple[Drinks, Drinks, Drinks, Drinks]
    """The open orders of slots 1 to 4, oldest first."""
    completed: CardCount
    penalties: CardCount
    rush: RushCount
    upgrades: tuple[bool, bool, bool, bool]
    meeples: Annotated[tuple[Cell, ...], Meta(max_length=2)]
    """The cells of the meeples that are placed."""
    score: Score
    """R-END-2, as it would be if the game ended now."""


class Standing(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's place in the result; equal ranks share it (R-END-3)."""

    seat: Seat
    rank: Annotated[int, Meta(ge=1, le=MAX_PLAYERS)]
    score: Score


class Tally(Struct, frozen=True, forbid_unknown_fields=True):
    """How a seat fared from round to round, once the game is over; all of it was public."""

    scores: Annotated[tuple[Score, ...], Meta(min_length=1, max_length=MAX_TALLY_ROUNDS)]
    """The score at the end of each round, that of the end of the game last."""
    best_served: Annotated[int, Meta(ge=0, le=CUPS)]
    """The most orders that were completed in one turn."""
    best_round: Round
    """The round of the first such turn; 0 where none was completed."""


class Option(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A legal intent of the seat that may act, with its preview."""

    intent: Intent
    gain: Counts = NOTHING
    """What a step or a placed meeple would take from the supply."""
    rush_cost: RushCount = 0
    """Rush tokens that a step would spend (R-MOVE-2)."""
    order: DrinkIndex | None = None
    """The drink that a serve would complete."""


class OwnView(Struct, frozen=True, forbid_unknown_fields=True):
    """What only the owner of a seat knows."""

    seat: Seat
    cups: tuple[Counts, Counts, Counts]
    hand: Counts
    options: Annotated[tuple[Option, ...], Meta(max_length=MAX_OPTIONS)]
    """Every legal intent; empty unless this seat may act."""
    undo: Annotated[int, Meta(ge=0, le=MAX_UNDO)]
    """How many intents of this turn can be taken back."""


class View(Struct, frozen=True, forbid_unknown_fields=True):
    """A game as its reader may know it; needs nothing beside itself to be drawn or played."""

    players: Annotated[tuple[PlayerView, ...], Meta(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)]
    start: Seat
    active: Seat | None
    """The seat that may act; None when the game is over."""
    phase: Phase
    round: Round
    """Counts from 1 with the first turn; 0 during the setup."""
    closed: bool
    """The token shows CLOSED (R-RUSH-2, R-TIME-2, R-END-4)."""
    supply: Counts
    rush_supply: RushCount
    deck: CardCount
    """Cards left to draw."""
    discards: Annotated[tuple[DrinkIndex, ...], Meta(max_length=48)]
    """Orders discarded for upgrades, oldest first."""
    removed: Annotated[tuple[DrinkIndex, ...], Meta(max_length=4)]
    """Starters that left the game (R-SETUP-6)."""
    path: Annotated[tuple[Cell, ...], Meta(max_length=1 + FREE_STEPS + RUSH_TOKENS)]
    """Cells walked this turn, the starting cell first; empty before the first step."""
    meeple: Meeple | None
    """The meeple that moves this turn, once it has stepped."""
    steps_left: Annotated[int, Meta(ge=0, le=3)]
    """Free steps left (R-MOVE-2)."""
    served: Annotated[int, Meta(ge=0, le=3)]
    """Orders completed this turn (R-RUSH-1)."""
    hand: Counts | None
    """Tokens the active player picked up and holds; None while they are being poured."""
    menu: Annotated[tuple[Drink, ...], Meta(min_length=1, max_length=MAX_DRINKS)]
    standings: Annotated[tuple[Standing, ...], Meta(max_length=MAX_PLAYERS)]
    """Best first; empty until the game is over."""
    own: OwnView | None = None
    """The reader's own part; None for a spectator and in publications."""
