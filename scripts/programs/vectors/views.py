"""Views of 2, 3 and 4 players and of a spectator, in four phases, with a menu of four drinks."""

from typing import Final

from protocol import (
    NOTHING,
    SUPPLY,
    Counts,
    Drink,
    EmptyCup,
    EndTurn,
    Ingredient,
    Option,
    OwnView,
    Phase,
    PlayerView,
    Pour,
    ReturnRest,
    Serve,
    Standing,
    Step,
    Undo,
    View,
)

MENU: Final = (
    Drink("Ristretto", (2, 0, 0, 0, 0, 0, 0, 0), 2, False, True),
    Drink("Espresso", (1, 0, 0, 0, 0, 0, 0, 1), 2, False, True),
    Drink("Cappuccino", (1, 1, 1, 0, 0, 0, 0, 0), 48, False, False),
    Drink("Iced caramel latte", (1, 1, 0, 1, 0, 1, 0, 0), 28, True, False),
)
_NO_UPGRADES: Final = (False, False, False, False)
_COFFEE: Final[Counts] = (1, 0, 0, 0, 0, 0, 0, 0)
_MILK: Final[Counts] = (0, 1, 0, 0, 0, 0, 0, 0)
_TEA: Final[Counts] = (0, 0, 0, 0, 0, 0, 1, 0)
_WATER: Final[Counts] = (0, 0, 0, 0, 0, 0, 0, 1)
_CAPPUCCINO: Final[Counts] = (1, 1, 1, 0, 0, 0, 0, 0)
_COFFEE_WATER: Final[Counts] = (1, 0, 0, 0, 0, 0, 0, 1)


def _without(*taken: Counts) -> Counts:
    a, b, c, d, e, f, g, h = (
        total - sum(counts[kind] for counts in taken) for kind, total in enumerate(SUPPLY)
    )
    return a, b, c, d, e, f, g, h


TWO_MOVING: Final = View(
    players=(
        PlayerView(((2, 3), (2,), (), ()), 0, 0, 0, _NO_UPGRADES, (4, 15), 0),
        PlayerView(((3,), (0,), (), ()), 0, 0, 1, _NO_UPGRADES, (5, 12), 0),
    ),
    start=0,
    active=0,
    phase=Phase.MOVING,
    round=1,
    closed=False,
    supply=_without(_COFFEE, _TEA, _COFFEE, _MILK, _MILK),
    rush_supply=14,
    deck=75,
    discards=(),
    removed=(),
    path=(8, 4),
    meeple=1,
    steps_left=2,
    served=0,
    hand=_COFFEE,
    menu=MENU,
    standings=(),
    own=OwnView(
        seat=0,
        cups=(_TEA, _COFFEE, NOTHING),
        hand=_COFFEE,
        options=(
            Option(Step(1, 0), (0, 0, 0, 1, 0, 0, 0, 0)),
            Option(Step(1, 5), _MILK),
            Option(Step(1, 8), _TEA),
            Option(EmptyCup(1)),
            Option(EmptyCup(2)),
            Option(Pour(Ingredient.COFFEE, 1)),
            Option(Pour(Ingredient.COFFEE, 2)),
            Option(Pour(Ingredient.COFFEE, 3)),
            Option(ReturnRest()),
            Option(Undo()),
        ),
        undo=1,
    ),
)
"""Seat 0 of two has taken one step, from tea to coffee; its hand is public."""

THREE_POURING: Final = View(
    players=(
        PlayerView(((), (2,), (3,), (2,)), 1, 0, 0, _NO_UPGRADES, (0,), 1),
        PlayerView(((2,), (), (1, 2), ()), 2, 1, 1, (False, True, False, False), (7,), 3),
        PlayerView(((3, 3), (2,), (), ()), 0, 2, 2, _NO_UPGRADES, (14,), -2),
    ),
    start=2,
    active=1,
    phase=Phase.POURING,
    round=5,
    closed=False,
    supply=_without(_CAPPUCCINO, _COFFEE_WATER, _TEA, _WATER),
    rush_supply=12,
    deck=61,
    discards=(2, 2, 3),
    removed=(0,),
    path=(10, 7),
    meeple=1,
    steps_left=2,
    served=0,
    hand=None,
    menu=MENU,
    standings=(),
    own=OwnView(
        seat=1,
        cups=(_CAPPUCCINO, NOTHING, NOTHING),
        hand=_WATER,
        options=(
            Option(Pour(Ingredient.WATER, 1)),
            Option(Pour(Ingredient.WATER, 2)),
            Option(Pour(Ingredient.WATER, 3)),
            Option(ReturnRest()),
            Option(EmptyCup(1)),
            Option(Undo()),
        ),
        undo=2,
    ),
)
"""Seat 1 of three pours; only its own View shows the rest of its hand."""

FOUR_SERVING: Final = View(
    players=(
        PlayerView(((2,), (), (), (2,)), 4, 1, 1, (True, False, False, False), (1,), 5),
        PlayerView(((), (3,), (), ()), 3, 0, 0, _NO_UPGRADES, (6,), 3),
        PlayerView(((2, 2), (3,), (), ()), 2, 5, 0, (False, False, True, True), (9,), 1),
        PlayerView(((1,), (), (2,), ()), 1, 0, 3, _NO_UPGRADES, (13,), 1),
    ),
    start=3,
    active=0,
    phase=Phase.SERVING,
    round=9,
    closed=True,
    supply=_without(_CAPPUCCINO, _CAPPUCCINO, _COFFEE_WATER),
    rush_supply=11,
    deck=12,
    discards=(2, 2, 2, 2, 3, 3, 1, 2, 2),
    removed=(),
    path=(3, 2, 1, 0, 1),
    meeple=1,
    steps_left=0,
    served=1,
    hand=NOTHING,
    menu=MENU,
    standings=(),
    own=OwnView(
        seat=0,
        cups=(NOTHING, _CAPPUCCINO, NOTHING),
        hand=NOTHING,
        options=(
            Option(Serve(2, 1), order=2),
            Option(Serve(2, 4), order=2),
            Option(EmptyCup(2)),
            Option(EndTurn()),
            Option(Undo()),
        ),
        undo=7,
    ),
)
"""Seat 0 of four has served one order and may serve another; the token shows CLOSED."""

SPECTATOR_OVER: Final = View(
    players=FOUR_SERVING.players,
    start=3,
    active=None,
    phase=Phase.OVER,
    round=9,
    closed=True,
    supply=_without(_CAPPUCCINO, _CAPPUCCINO, _COFFEE_WATER),
    rush_supply=11,
    deck=12,
    discards=FOUR_SERVING.discards,
    removed=(),
    path=(),
    meeple=None,
    steps_left=3,
    served=0,
    hand=NOTHING,
    menu=MENU,
    standings=(Standing(0, 1, 5), Standing(1, 2, 3), Standing(3, 3, 1), Standing(2, 4, 1)),
)
"""The public View at the end of a four-player game."""
