"""Search the walks of a turn for the one that leads to the pours that are worth most."""

from statistics import fmean
from typing import Final

from msgspec import Struct

from coffeerush.rules.board import BITS, CELLS, NEAR, ONE, amount, count, ingredient, pack
from protocol import CUPS, OwnView, Step, Upgrade, View

from .pouring import (
    Filling,
    OrderFit,
    PourPlan,
    fill_cups,
    order_fits,
    own_cups,
    plan_pours,
    wanted_orders,
)
from .tables import UNREACHABLE, StepsByHand, steps_from, steps_per_card

RUSH_COST: Final = {2: 0.45, 3: 0.35, 4: 0.35}
"""By number of players, the value of a rush token that is not spent, in points."""
AWAY_COST: Final = 0.05
"""Points per step from the last cell to what a waiting order, and an average one, needs."""
STEP_COST: Final = 0.001
"""Points per step: a tie-breaker in favour of the shorter walk."""
MAX_STEPS: Final = 5
"""The most steps of a turn that are searched, including those paid with rush tokens."""
Layer = dict[int, set[int]]
"""The hands that walks of one length end with, by the cell they end on."""


class Walk(Struct, frozen=True):
    """The rest of a turn: where to go, and what to do there with the hand."""

    steps: tuple[Step, ...]
    """Empty if it is best to stop."""
    hand: int
    """Packed multiset of the hand afterwards."""
    rush: int
    """Rush tokens that the steps cost."""
    pours: PourPlan


class Ground(Struct, frozen=True):
    """The board as one meeple finds it in this turn."""

    start: int
    hand: int
    """Packed multiset of the hand there."""
    near: tuple[tuple[int, ...], ...]
    gains: tuple[tuple[int, ...], ...]
    """By cell, and by the count of its ingredient in hand: what entering it adds to the hand."""
    occupied: int
    """Bit mask of the cells where it may not stop (R-MOVE-4)."""


def best_walk(
    view: View, fits: tuple[OrderFit, ...] | None = None, max_steps: int = MAX_STEPS
) -> Walk:
    """Return the best walk for the owner of a View, who is to move; deterministic.

    Args:
        view: of the owner.
        fits: of the orders to walk for; None for all of them.
        max_steps: the most steps to search, including those of this turn that are taken.
    """
    own = view.own
    assert own is not None  # spectators do not move
    cups, orders = own_cups(own), wanted_orders(view, own.seat)
    fits = order_fits(cups, orders) if fits is None else fits
    depth = max_steps - max(0, len(view.path) - 1)
    fillings: dict[int, Filling] = {}
    found: tuple[float, int, tuple[int, ...]] | None = None
    for meeple in (
        [view.meeple] if view.meeple else range(1, len(view.players[own.seat].meeples) + 1)
    ):
        ground = ground_of(view, own, meeple, useful_hand(fits))
        away = Away(view, own.seat, meeple)
        worth, cells = _search(view, ground, depth, fits, away, fillings)
        if found is None or worth > found[0]:
            found = worth, meeple, cells
    assert found is not None  # everybody has a meeple
    _worth, meeple, cells = found
    everything = ground_of(view, own, meeple, None)
    hand = everything.hand
    for cell in cells:
        hand = entered(everything, cell, hand)
    steps = tuple(Step(meeple, cell) for cell in cells)
    rush = max(0, len(steps) - view.steps_left)
    return Walk(steps, hand, rush, plan_pours(cups, hand, orders, fits))


class Away:
    """What it costs to end a meeple's walk away from what orders need, by cell."""

    def __init__(self, view: View, seat: int, meeple: int) -> None:
        player = view.players[seat]
        upgrades = sum(active << index for index, active in enumerate(player.upgrades))
        self._tables = [steps_from(upgrades, cell) for cell in CELLS]
        self._others = [
            self._tables[cell]
            for index, cell in enumerate(player.meeples, start=1)
            if index != meeple
        ]
        self._per_card = steps_per_card(view.menu, upgrades)
        self._costs: dict[tuple[int, ...], tuple[float, ...]] = {}

    def costs(self, waiting: tuple[int, ...]) -> tuple[float, ...]:
        """Return the cost by cell if these packed recipes are still wanted."""
        if waiting not in self._costs:
            self._costs[waiting] = tuple(
                AWAY_COST * (per_card + self._steps(table, waiting))
                for table, per_card in zip(self._tables, self._per_card, strict=True)
            )
        return self._costs[waiting]

    def _steps(self, table: StepsByHand, waiting: tuple[int, ...]) -> float:
        """Return the mean number of steps to a recipe, by whichever meeple is nearer."""
        tables = [table, *self._others]
        steps = [min(one.get(recipe, UNREACHABLE) for one in tables) for recipe in waiting]
        return fmean(steps) if steps else 0.0


def useful_hand(fits: tuple[OrderFit, ...]) -> int:
    """Return the packed multiset of the most tokens of each kind that the cups can use at once."""
    lacking = [[cup_lacks for _cup, cup_lacks in order.cups] for order in fits if order.cups]
    return sum(
        sum(sorted(max(count(one, kind) for one in each) for each in lacking)[-CUPS:]) * ONE[kind]
        for kind in range(len(ONE))
    )


def ground_of(view: View, own: OwnView, meeple: int, useful: int | None) -> Ground:
    """Return the board for a meeple; tokens beyond the packed multiset `useful` do not count.

    Without them there are few hands to tell apart. None counts all tokens.
    """
    mine = view.players[own.seat]
    upgrades = sum(active << index for index, active in enumerate(mine.upgrades))
    occupied = sum(
        1 << cell
        for seat, player in enumerate(view.players)
        for index, cell in enumerate(player.meeples, start=1)
        if (seat, index) != (own.seat, meeple)
    )
    gains = []
    for cell in CELLS:
        kind = ingredient(cell)
        begin, there = own.hand[kind], view.supply[kind]
        most = begin + there if useful is None else count(useful, kind)
        most_here = amount(upgrades, cell, occupied)
        gains.append(
            tuple(
                max(0, min(most_here, begin + there - held, most - held)) * ONE[kind]
                for held in range(max(begin, most) + 1)
            )
        )
    near = NEAR[mine.upgrades[Upgrade.DIAGONAL_MOVE]]
    start = mine.meeples[meeple - 1]
    return Ground(start, pack(own.hand), near, tuple(gains), occupied)


def entered(ground: Ground, cell: int, hand: int) -> int:
    """Return the hand after entering `cell`."""
    return hand + ground.gains[cell][hand >> BITS * ingredient(cell) & 255]


def next_layer(ground: Ground, layer: Layer) -> Layer:
    """Return the cells that one more step leads to, and the hands there."""
    onward: Layer = {}
    for cell, hands in layer.items():
        for other in ground.near[cell]:
            gains, shift = ground.gains[other], BITS * ingredient(other)
            reached = {hand + gains[hand >> shift & 255] for hand in hands}
            if other in onward:
                onward[other] |= reached
            else:
                onward[other] = reached
    return onward


def _search(
    view: View,
    ground: Ground,
    depth: int,
    fits: tuple[OrderFit, ...],
    away: Away,
    fillings: dict[int, Filling],
) -> tuple[float, tuple[int, ...]]:
    """Return the worth of the best walk of a meeple, and the cells it enters.

    Args:
        view: of the owner.
        ground: of the meeple.
        depth: the most steps, unless none of so few may be the last.
        fits: of the owner's orders and cups.
        away: of the meeple.
        fillings: by hand; filled in here, for the other meeple.
    """
    assert view.own is not None  # see best_walk
    left = view.steps_left + view.players[view.own.seat].rush
    rush_cost = RUSH_COST[len(view.players)]
    layers: list[Layer] = [{ground.start: {ground.hand}}]
    stops: dict[int, tuple[float, tuple[float, ...]]] = {}
    best: tuple[float, int, int, int] | None = None
    while True:
        length = len(layers) - 1
        if length or view.path:
            cost = rush_cost * max(0, length - view.steps_left) + STEP_COST * length
            for cell, hands in layers[-1].items():
                if ground.occupied >> cell & 1:  # R-MOVE-4
                    continue
                for hand in hands:
                    if hand not in stops:
                        if hand not in fillings:
                            fillings[hand] = fill_cups(fits, hand)
                        filling = fillings[hand]
                        stops[hand] = filling.worth, away.costs(filling.waiting)
                    held, costs = stops[hand]
                    worth = held - costs[cell] - cost
                    if best is None or worth >= best[0]:
                        found = worth, -length, cell, hand
                        best = max(best or found, found)
        if length >= (left if best is None else min(depth, left)):
            break
        layers.append(next_layer(ground, layers[-1]))
    assert best is not None  # R-MOVE-4: every walk that is begun can end
    return best[0], _cells(ground, layers[: 1 - best[1]], *best[2:])


def _cells(ground: Ground, layers: list[Layer], cell: int, hand: int) -> tuple[int, ...]:
    """Return the cells entered by a walk that stops in the last layer on `cell` with this hand."""
    cells: list[int] = []
    for layer in reversed(layers[:-1]):
        cells.append(cell)
        cell, hand = next(
            (before, held)
            for before in ground.near[cell]
            for held in sorted(layer.get(before, ()))
            if entered(ground, cell, held) == hand
        )
    return tuple(reversed(cells))
