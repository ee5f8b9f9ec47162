"""The State of a game, and the Setup that it is dealt from."""

from functools import lru_cache
from random import Random
from typing import NamedTuple, Self

from msgspec import Struct

from coffeerush.errors import FieldError
from protocol import MAX_PLAYERS, MIN_PLAYERS, RUSH_TOKENS, SUPPLY, Drink, Phase

from .board import pack
from .deck import Deck

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
    """Return drinks with their lookup tables; the same object for the same few menus."""
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


# Setup: the parameters of a game, the shuffle and the deal (R-SETUP-*)


class Setup(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that determines a game except the players' intents.

    `seed` determines the order of the deck, the starters and, if `first` is None, the start player.
    """

    players: int
    deck: Deck
    seed: int
    starters: bool = False
    first: int | None = None

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= self.players <= MAX_PLAYERS:
            raise FieldError(
                "a game has {least} to {most} players", least=MIN_PLAYERS, most=MAX_PLAYERS
            )
        if self.first is not None and not 0 <= self.first < self.players:
            raise FieldError(
                "the start player's seat must be between 0 and {most}", most=self.players - 1
            )


def shuffled(cards: list[int], chance: Random) -> list[int]:
    """Return `cards` shuffled; Python guarantees stable results for `Random.random` alone."""
    mixed = list(cards)
    for last in range(len(mixed) - 1, 0, -1):
        other = int(chance.random() * (last + 1))
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return mixed


def cards_of(drinks: tuple[Drink, ...], starter: bool | None) -> list[int]:
    """Return all cards of a menu in its order, or only those that are (not) starters."""
    return [
        index
        for index, drink in enumerate(drinks)
        if starter is None or drink.starter is starter
        for _ in range(drink.count)
    ]


class Piles(NamedTuple):
    """The random parts of a game: the shuffled piles and the start player."""

    deck: Cards
    """Every card of the deck, in the order in which they are drawn."""
    starters: Cards
    """The starters in the order in which they are handed out (R-SETUP-6); empty without them."""
    start: int
    """The start player's seat (R-SETUP-1)."""


def piles(setup: Setup) -> Piles:
    """Return the shuffled cards and the start player; secret until the game is over."""
    chance = Random(setup.seed)
    drinks = setup.deck.drinks
    deck = shuffled(cards_of(drinks, False if setup.starters else None), chance)
    starters = shuffled(cards_of(drinks, True), chance) if setup.starters else []
    drawn = int(chance.random() * setup.players)
    start = drawn if setup.first is None else setup.first  # R-SETUP-1
    return Piles(tuple(deck), tuple(starters), start)


def deal(setup: Setup) -> State:
    """Deal the cards; in the State returned, the first meeple is to be placed."""
    drawn, handed_out, start = piles(setup)
    deck, starters = list(drawn), list(handed_out)
    seats = [(start + turn) % setup.players for turn in range(setup.players)]
    dealt = dict(zip(seats, _first_orders(deck, starters, setup.players), strict=True))
    players = tuple(Player(orders=(*dealt[seat], (), ())) for seat in sorted(seats))
    return State(
        menu=menu_of(setup.deck.drinks),
        players=players,
        deck=tuple(deck),
        supply=pack(SUPPLY),
        rush=RUSH_TOKENS,
        discards=(),
        removed=tuple(starters),
        start=start,
        active=(start - 1) % setup.players,  # R-SETUP-3, R-SETUP-4
        phase=Phase.PLACING,
        standing=0,
    )


def _first_orders(deck: list[int], starters: list[int], players: int) -> list[tuple[Cards, Cards]]:
    """Draw slots 1 and 2 of each seat from the front of the piles, start player first."""
    if not starters:  # R-SETUP-2
        return [
            (tuple(deck.pop(0) for _ in range(1 if turn else 2)), (deck.pop(0),))
            for turn in range(players)
        ]
    # R-SETUP-6: the start player's third order is drawn after everybody has two
    (first, second), *others = [((starters.pop(0),), (deck.pop(0),)) for _ in range(players)]
    return [((*first, deck.pop(0)), second), *others]
