"""The complete, immutable state of a game; every change makes a new State (persistent data)."""

from functools import lru_cache
from typing import Self

from msgspec import Struct

from protocol import Drink, Phase

from .multiset import pack

# gc=False below: frozen structs cannot form reference cycles, so the collector can skip them.

Cards = tuple[int, ...]
"""Order cards, as indices into the menu."""
OpenOrders = tuple[Cards, Cards, Cards, Cards]


class DrinkMenu(Struct, frozen=True):
    """The drinks of a deck, with lookup tables for the engine."""

    drinks: tuple[Drink, ...]
    by_recipe: dict[int, int]
    """Packed recipe to drink; no two drinks have the same recipe (R-COMP-3)."""
    specialty: tuple[bool, ...]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, DrinkMenu) and self.drinks == other.drinks)


@lru_cache(maxsize=8)
def menu_of(drinks: tuple[Drink, ...]) -> DrinkMenu:
    """Return the menu of `drinks`."""
    return DrinkMenu(
        drinks,
        {pack(drink.recipe): index for index, drink in enumerate(drinks)},
        tuple(drink.specialty for drink in drinks),
    )


class Player(Struct, frozen=True, gc=False):
    """The pieces and cards of one seat (R-COMP-4)."""

    orders: OpenOrders
    meeples: tuple[int, ...] = ()
    """The cell of each meeple placed."""
    cups: tuple[int, int, int] = (0, 0, 0)
    """Packed multisets; private to the owner (R-INFO-2)."""
    completed: Cards = ()
    penalties: Cards = ()
    rush: int = 0
    upgrades: int = 0
    """Bit mask by `Upgrade` value."""


class State(Struct, frozen=True, gc=False):
    """A game at one moment, secrets included."""

    menu: DrinkMenu
    players: tuple[Player, ...]
    deck: Cards
    """The cards left, the next one first; nobody may know their order (R-INFO-2)."""
    supply: int
    """Packed multiset (R-COMP-2, R-COMP-5)."""
    rush: int
    """Rush tokens in the supply."""
    discards: Cards
    removed: Cards
    start: int
    active: int | None
    phase: Phase
    standing: int
    """Bit mask of the cells with a meeple, except the meeple that moves, from its first step on."""
    round: int = 0
    closed: bool = False
    hand: int = 0
    """Packed multiset of the tokens that the active player has picked up and not poured."""
    path: tuple[int, ...] = ()
    """Cells walked this turn, the starting cell first; empty before the first step."""
    meeple: int | None = None
    """Index of the meeple that moves this turn, once it has stepped."""
    served: int = 0
    """Orders completed this turn (R-RUSH-1)."""
    previous: Self | None = None
    """The State before the last intent of this turn; None if nothing can be undone."""


def with_player(state: State, seat: int, player: Player) -> tuple[Player, ...]:
    """Return the players of `state` with that of `seat` replaced."""
    players = list(state.players)
    players[seat] = player
    return tuple(players)


def acting(state: State) -> tuple[int, Player]:
    """Return the active seat and its player; the game must not be over."""
    assert state.active is not None  # callers play legal intents, which do not exist after the end
    return state.active, state.players[state.active]
