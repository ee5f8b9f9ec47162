"""Lookup tables for planning: what can be collected from a cell in a number of steps."""

from functools import lru_cache
from typing import Final

from coffeerush.rules.board import CELLS, NEAR, ONE, amount, ingredient, pack
from protocol import MAX_CARDS, Drink, Upgrade

REACH: Final = 5
"""The steps that the tables look ahead: three free ones and two paid with rush tokens."""
UNREACHABLE: Final = REACH + 2
"""The number of steps assumed for what is not in a table."""

StepsByHand = dict[int, int]
"""Packed multiset to the least number of steps that collect it, and perhaps more."""


@lru_cache(maxsize=2048)
def steps_from(upgrades: int, *cells: int) -> StepsByHand:
    """Return the ingredients that can be collected from one of `cells`, with the fewest steps.

    At most `REACH` steps. Other meeples and shortages in the supply are ignored, and so is the
    upgrade *double meeples*.
    """
    by_cell = _steps_by_cell(upgrades & ~(1 << Upgrade.DOUBLE_MEEPLES))
    least = by_cell[cells[0]]
    for cell in cells[1:]:
        others = by_cell[cell]
        least = others | {
            hand: min(steps, others.get(hand, steps)) for hand, steps in least.items()
        }
    return least


@lru_cache(maxsize=8)
def _steps_by_cell(upgrades: int) -> tuple[StepsByHand, ...]:
    near = NEAR[upgrades >> Upgrade.DIAGONAL_MOVE & 1]
    found: list[StepsByHand] = [{0: 0} for _ in CELLS]
    fresh: list[set[int]] = [{0} for _ in CELLS]
    for steps in range(1, REACH + 1):
        # Entering a cell yields any part of its tokens, as what is not wanted goes back.
        entered = [
            {
                hand + part * ONE[ingredient(cell)]
                for hand in fresh[cell]
                for part in range(most + 1)
            }
            for cell in CELLS
            for most in (amount(upgrades, cell, 0),)
        ]
        fresh = [set().union(*(entered[other] for other in near[cell])) for cell in CELLS]
        for cell, hands in enumerate(fresh):
            known = found[cell]
            fresh[cell] = new = {hand for hand in hands if hand not in known}
            known.update(dict.fromkeys(new, steps))
    return tuple(found)


@lru_cache(maxsize=4096)
def parts(whole: int) -> tuple[int, ...]:
    """Return all sub-multisets of a packed multiset, the empty one first."""
    found = [0]
    for one in ONE:
        count = whole // one & 255
        if count:
            found += [part + n * one for n in range(1, count + 1) for part in found]
    return tuple(found)


@lru_cache(maxsize=64)
def steps_per_card(menu: tuple[Drink, ...], upgrades: int) -> tuple[float, ...]:
    """Return for each cell the mean number of steps that collect a card of the whole deck."""
    recipes = [(pack(drink.recipe), drink.count) for drink in menu]
    return tuple(
        sum(steps_from(upgrades, cell).get(recipe, UNREACHABLE) * n for recipe, n in recipes)
        / MAX_CARDS
        for cell in CELLS
    )
