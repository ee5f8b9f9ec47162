"""The game's constants and basic types: ingredients, upgrades, phases, board, bounds (R-COMP-*)."""

from enum import IntEnum, StrEnum
from typing import Annotated, Final

from msgspec import Meta


class Ingredient(IntEnum):
    """The eight kinds of token; the value is the index into any `Counts` (R-COMP-2)."""

    COFFEE = 0
    MILK = 1
    STEAM = 2
    ICE = 3
    CHOCOLATE = 4
    CARAMEL = 5
    TEA = 6
    WATER = 7


class Upgrade(IntEnum):
    """The four upgrades; the value is the index into `PlayerView.upgrades` (R-UPG-2 to R-UPG-5)."""

    DOUBLE_MEEPLES = 0
    DIAGONAL_MOVE = 1
    DOUBLE_CORNERS = 2
    DOUBLE_SPECIALTIES = 3


class Phase(StrEnum):
    """The phase of a game; `placing` and `filling` are the setup, `over` is the end."""

    PLACING = "placing"
    """Meeples are placed one by one (R-SETUP-3, R-SETUP-4)."""
    FILLING = "filling"
    """With 2 players, each pours the ingredients under their meeples (R-SETUP-5)."""
    UPGRADE = "upgrade"
    """The active player may activate an upgrade or take a step (R-UPG-1)."""
    MOVING = "moving"
    """The active player moves a meeple; the first pour ends the phase (R-MOVE-1)."""
    POURING = "pouring"
    """The hand is poured into cups (R-POUR-1)."""
    SERVING = "serving"
    """Orders are served, then the turn ends (R-SERVE-1)."""
    OVER = "over"
    """The game is finished and scored (R-END-1, R-END-2)."""


MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 4
CUPS: Final = 3
SLOTS: Final = 4
FREE_STEPS: Final = 3
RUSH_TOKENS: Final = 15
COMPLETED_PER_UPGRADE: Final = 3
PENALTIES_TO_CLOSE: Final = 5
MAX_CARDS: Final = 80
MAX_DRINKS: Final = 40
MAX_ROUND: Final = 1_000_000
SUPPLY: Final = (18, 12, 12, 12, 12, 12, 12, 12)
"""The tokens of each ingredient in the game, 102 in total (R-COMP-2)."""

BOARD_SIDE: Final = 4
_I = Ingredient
BOARD: Final[tuple[Ingredient, ...]] = (
    _I.ICE, _I.CARAMEL, _I.STEAM, _I.COFFEE,
    _I.COFFEE, _I.MILK, _I.ICE, _I.WATER,
    _I.TEA, _I.STEAM, _I.MILK, _I.COFFEE,
    _I.MILK, _I.ICE, _I.CHOCOLATE, _I.STEAM,
)  # fmt: skip
"""The ingredient of each cell; cell = 4 * row + column, row 0 at the top (R-COMP-1)."""
CORNERS: Final = (0, 3, 12, 15)
SPECIALTY_CELLS: Final = tuple(
    cell for cell, kind in enumerate(BOARD) if kind in (_I.CARAMEL, _I.CHOCOLATE, _I.TEA, _I.WATER)
)

Seat = Annotated[int, Meta(ge=0, le=MAX_PLAYERS - 1)]
"""A seat at the table, counted clockwise from 0."""
Cell = Annotated[int, Meta(ge=0, le=BOARD_SIDE * BOARD_SIDE - 1)]
Cup = Annotated[int, Meta(ge=1, le=CUPS)]
Slot = Annotated[int, Meta(ge=1, le=SLOTS)]
Meeple = Annotated[int, Meta(ge=1, le=2)]
"""The first or second meeple of a seat; always 1 with 3 or 4 players (R-COMP-4)."""
TokenCount = Annotated[int, Meta(ge=0, le=max(SUPPLY))]
Counts = tuple[
    TokenCount, TokenCount, TokenCount, TokenCount, TokenCount, TokenCount, TokenCount, TokenCount
]
"""The number of tokens of each ingredient, by `Ingredient` value."""
NOTHING: Final[Counts] = (0, 0, 0, 0, 0, 0, 0, 0)
Round = Annotated[int, Meta(ge=0, le=MAX_ROUND)]
RushCount = Annotated[int, Meta(ge=0, le=RUSH_TOKENS)]
CardCount = Annotated[int, Meta(ge=0, le=MAX_CARDS)]
DrinkIndex = Annotated[int, Meta(ge=0, le=MAX_DRINKS - 1)]
"""An index into `View.menu`."""
Drinks = Annotated[tuple[DrinkIndex, ...], Meta(max_length=16)]
"""Order cards that are in one slot or move together."""
