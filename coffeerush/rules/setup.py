"""Setup: the parameters of a game, the shuffle and the deal (R-SETUP-*)."""

from random import Random
from typing import NamedTuple

from msgspec import Struct

from coffeerush.errors import FieldError
from protocol import MAX_PLAYERS, MIN_PLAYERS, RUSH_TOKENS, SUPPLY, Drink, Phase

from .deck import Deck
from .multiset import pack
from .state import Cards, Player, State, menu_of


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
