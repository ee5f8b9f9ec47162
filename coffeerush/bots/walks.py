"""The walks of a turn: what can be collected on the way, and the one that is worth most."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Final

from msgspec import Struct

from coffeerush.rules import State
from coffeerush.rules.board import (
    BITS,
    CELLS,
    NEAR,
    ONE,
    amount,
    common,
    count,
    ingredient,
    pack,
    size,
    within,
)
from coffeerush.rules.legal import steps_left
from coffeerush.rules.state import acting
from protocol import CUPS, MAX_CARDS, Drink, OwnView, Phase, Step, Upgrade, View

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

# All walks of the rest of a turn, in layers by steps: what they collect, and where they end
#
# A walk takes of each ingredient the sum of what its cells yield, or all that is in the supply. So
# the order of the cells matters only for its end, and walks with the same end and hand are one.


MOST_RUSH: Final = 3
"""The most rush tokens that a search spends in a turn."""
MANY_HANDS: Final = 6000
"""A layer with more hands than this is the last: paid steps lead nowhere much better then."""

RUSH_RANK: Final = 0.35
"""The value of a rush token, in orders served."""
ENDINGS_EACH: Final = 6

_Layer = dict[int, set[int]]
"""Cell to the packed hands with which walks of one length can get there."""


class WalkStart(Struct, frozen=True):
    """Where the rest of a turn begins: one meeple, before or in the middle of its walk."""

    upgrade: Upgrade | None
    """To activate before the first step."""
    upgrades: int
    """Bit mask of the upgrades that are active while walking."""
    meeple: int
    """An index, as in `State.meeple`."""
    cell: int
    standing: int
    hand: int
    begun: bool
    """Whether the turn's first step has been taken, so that the walk may stop at once."""
    free: int
    """Free steps left."""
    rush: int
    """Rush tokens that may be spent."""

    @property
    def steps(self) -> int:
        """The most steps to search."""
        return self.free + self.rush


class Ending(Struct, frozen=True):
    """A cell where a walk can end."""

    start: WalkStart
    cell: int
    rush: int
    """Rush tokens spent."""


def starts(state: State, upgrades: bool = True, most_rush: int = MOST_RUSH) -> list[WalkStart]:
    """Return the ways to begin the rest of the turn: by upgrade and meeple (R-UPG-1, R-MOVE-1).

    The first ones are without an upgrade; the others are left out unless `upgrades`. At most
    `most_rush` rush tokens are spent.
    """
    _, player = acting(state)
    begun, walks = bool(state.path), state.phase in (Phase.UPGRADE, Phase.MOVING)
    offered: list[Upgrade | None] = [None]
    if upgrades and state.phase is Phase.UPGRADE:
        offered += [upgrade for upgrade in Upgrade if not player.upgrades >> upgrade & 1]
    meeples = range(len(player.meeples)) if state.meeple is None else (state.meeple,)
    return [
        WalkStart(
            upgrade=upgrade,
            upgrades=player.upgrades | (0 if upgrade is None else 1 << upgrade),
            meeple=meeple,
            cell=player.meeples[meeple],
            standing=state.standing if begun else state.standing & ~(1 << player.meeples[meeple]),
            hand=state.hand,
            begun=begun,
            free=steps_left(state) if walks else 0,
            rush=min(player.rush, most_rush) if walks else 0,
        )
        for upgrade in offered
        for meeple in meeples
    ]


def _gains(start: WalkStart) -> tuple[int, ...]:
    return tuple(amount(start.upgrades, cell, start.standing) for cell in CELLS)


def _layers(start: WalkStart, limit: int) -> list[_Layer]:
    """Return the hands by cell after each number of steps, cut to `limit`."""
    near, gains = NEAR[start.upgrades >> Upgrade.DIAGONAL_MOVE & 1], _gains(start)
    layers: list[_Layer] = [{start.cell: {common(start.hand, limit)}}]
    for _ in range(start.steps):
        entered: dict[int, set[int]] = {}
        for cell, hands in layers[-1].items():
            for other in near[cell]:
                entered.setdefault(other, set()).update(hands)
        layer = {
            cell: _picked_up(hands, cell, gains[cell], limit) for cell, hands in entered.items()
        }
        layers.append(layer)
        if sum(map(len, layer.values())) > MANY_HANDS and len(layers) > start.free:
            break
    return layers


def _picked_up(hands: set[int], cell: int, gain: int, limit: int) -> set[int]:
    """Return the hands after entering `cell`, cut to `limit`."""
    kind = ingredient(cell)
    mask, token = 255 << BITS * kind, ONE[kind]
    most = limit & mask
    return {
        hand + gain * token if (hand & mask) + gain * token <= most else hand & ~mask | most
        for hand in hands
    }


class Collecting:
    """What can be collected in the rest of a turn, if each ingredient is limited to `limit`."""

    def __init__(self, begins: Sequence[WalkStart], limit: int) -> None:
        self._limit = limit
        self.endings: list[Ending] = []
        """Where walks end; in the order of the bits of `by_hand`."""
        self.by_hand: dict[int, int] = {}
        """Packed hand to a bit mask of the endings at which it can be poured: closed downwards."""
        bits: dict[tuple[int, int, int], int] = {}
        for number, start in enumerate(begins):
            for steps, layer in enumerate(_layers(start, limit)):
                if not steps and not start.begun:
                    continue
                rush = max(0, steps - start.free)
                for cell in layer:
                    if start.standing >> cell & 1:  # R-MOVE-4
                        continue
                    if (number, cell, rush) not in bits:
                        bits[number, cell, rush] = 1 << len(self.endings)
                        self.endings.append(Ending(start, cell, rush))
                    bit = bits[number, cell, rush]
                    for hand in layer[cell]:
                        self.by_hand[hand] = self.by_hand.get(hand, 0) | bit
        self._close()

    def _close(self) -> None:
        """Add every part of each hand, as the rest can be returned (R-POUR-1)."""
        by_hand = self.by_hand
        ones = [(token, token * 255) for token in ONE if self._limit & token * 255]
        by_size: list[list[int]] = [[] for _ in range(max(map(size, by_hand), default=0) + 1)]
        for hand in by_hand:
            by_size[size(hand)].append(hand)
        for tokens in range(len(by_size) - 1, 0, -1):
            for hand in by_size[tokens]:
                mask = by_hand[hand]
                for token, kind in ones:
                    if not hand & kind:
                        continue
                    part = hand - token
                    if part in by_hand:
                        by_hand[part] |= mask
                    else:
                        by_hand[part] = mask
                        by_size[tokens - 1].append(part)

    def steps(self, ending: Ending, hand: int) -> tuple[Step, ...]:
        """Return the steps of a shortest walk to `ending` that collects at least `hand`."""
        start = ending.start
        layers = _layers(start, self._limit)
        for length in range(0 if start.begun else 1, len(layers)):
            if max(0, length - start.free) != ending.rush:
                continue
            for held in sorted(layers[length].get(ending.cell, ())):
                if within(hand, held):
                    cells = self._cells(start, layers[: length + 1], ending.cell, held)
                    return tuple(Step(start.meeple + 1, cell) for cell in cells)
        raise AssertionError("the ending has this hand")

    def _cells(self, start: WalkStart, layers: list[_Layer], cell: int, hand: int) -> Iterator[int]:
        """Return the cells entered on the way to the hand in the last layer, in order."""
        near, gains = NEAR[start.upgrades >> Upgrade.DIAGONAL_MOVE & 1], _gains(start)
        walked = []
        for layer in reversed(layers[:-1]):
            walked.append(cell)
            earlier = (
                (other, held)
                for other in near[cell]
                for held in sorted(layer.get(other, ()))
                if _picked_up({held}, cell, gains[cell], self._limit) == {hand}
            )
            cell, hand = next(earlier)
        return reversed(walked)


class RankedEndings:
    """The endings of walks, the best first."""

    def __init__(self, collecting: Collecting, cells: Sequence[float]) -> None:
        self.collecting = collecting
        self._ranked = sorted(
            (
                (cells[ending.cell] - RUSH_RANK * ending.rush, 1 << bit)
                for bit, ending in enumerate(collecting.endings)
            ),
            reverse=True,
        )
        self._best: dict[int, float] = {}

    def best(self, hand: int) -> float:
        """Return the rank of the best ending with a packed hand."""
        if hand not in self._best:
            mask = self.collecting.by_hand[hand]
            self._best[hand] = next(rank for rank, bit in self._ranked if mask & bit)
        return self._best[hand]

    def gaps(self, hand: int) -> list[tuple[float, Ending]]:
        """Return the best endings with a packed hand, and how much worse each is than the best."""
        mask, best = self.collecting.by_hand[hand], self.best(hand)
        found: dict[tuple[int, int], tuple[float, Ending]] = {}
        for rank, bit in self._ranked:
            if mask & bit:
                ending = self.collecting.endings[bit.bit_length() - 1]
                # the first one of a cell spends the least rush tokens
                found.setdefault((ending.start.meeple, ending.cell), (rank - best, ending))
                if len(found) == ENDINGS_EACH:
                    break
        return list(found.values())


# Lookup tables for planning: what can be collected from a cell in a number of steps


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
    by_cell: list[StepsByHand] = [{0: 0} for _ in CELLS]
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
            known = by_cell[cell]
            fresh[cell] = new = {hand for hand in hands if hand not in known}
            known.update(dict.fromkeys(new, steps))
    return tuple(by_cell)


@lru_cache(maxsize=4096)
def parts(whole: int) -> tuple[int, ...]:
    """Return all sub-multisets of a packed multiset, the empty one first."""
    subsets = [0]
    for token in ONE:
        most = whole // token & 255
        subsets += [part + n * token for n in range(1, most + 1) for part in subsets]
    return tuple(subsets)


@lru_cache(maxsize=64)
def steps_per_card(menu: tuple[Drink, ...], upgrades: int) -> tuple[float, ...]:
    """Return for each cell the mean number of steps that collect a card of the whole deck."""
    recipes = [(pack(drink.recipe), drink.count) for drink in menu]
    return tuple(
        sum(steps_from(upgrades, cell).get(recipe, UNREACHABLE) * n for recipe, n in recipes)
        / MAX_CARDS
        for cell in CELLS
    )


# Search the walks of a turn for the one that leads to the pours that are worth most


RUSH_COST: Final = {2: 0.45, 3: 0.35, 4: 0.35}
"""By number of players, the value of a rush token that is not spent, in points."""
AWAY_COST: Final = 0.05
"""Points per step from the last cell to what a waiting order, and an average one, needs."""
STEP_COST: Final = 0.001
"""Points per step: a tie-breaker in favour of the shorter walk."""
MAX_STEPS: Final = 5
"""The most steps of a turn that are searched, including those paid with rush tokens."""


class Walk(Struct, frozen=True):
    """The rest of a turn: where to go, and what to do there with the hand."""

    steps: tuple[Step, ...]
    """Empty if it is best to stop."""
    hand: int
    """Packed multiset of the hand afterwards."""
    rush: int
    """Rush tokens that the steps cost."""
    pours: PourPlan


class _Ground(Struct, frozen=True):
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
    best: tuple[float, int, tuple[int, ...]] | None = None
    for meeple in (
        [view.meeple] if view.meeple else range(1, len(view.players[own.seat].meeples) + 1)
    ):
        ground = _ground_of(view, own, meeple, _useful_hand(fits))
        away = _Away(view, own.seat, meeple)
        worth, cells = _search(view, ground, depth, fits, away, fillings)
        if best is None or worth > best[0]:
            best = worth, meeple, cells
    assert best is not None  # everybody has a meeple
    _worth, meeple, cells = best
    everything = _ground_of(view, own, meeple, None)
    hand = everything.hand
    for cell in cells:
        hand = entered(everything, cell, hand)
    steps = tuple(Step(meeple, cell) for cell in cells)
    rush = max(0, len(steps) - view.steps_left)
    return Walk(steps, hand, rush, plan_pours(cups, hand, orders, fits))


class _Away:
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
        steps = [min(by_hand.get(recipe, UNREACHABLE) for by_hand in tables) for recipe in waiting]
        return fmean(steps) if steps else 0.0


def _useful_hand(fits: tuple[OrderFit, ...]) -> int:
    """Return the packed multiset of the most tokens of each kind that the cups can use at once."""
    lacking = [[lacks for _cup, lacks in order.cups] for order in fits if order.cups]
    most = (
        sorted(max(count(lacks, kind) for lacks in cups) for cups in lacking)[-CUPS:]
        for kind in range(len(ONE))
    )
    return sum(sum(counts) * token for counts, token in zip(most, ONE, strict=True))


def _ground_of(view: View, own: OwnView, meeple: int, useful: int | None) -> _Ground:
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
    return _Ground(start, pack(own.hand), near, tuple(gains), occupied)


def entered(ground: _Ground, cell: int, hand: int) -> int:
    """Return the hand after entering `cell`."""
    return hand + ground.gains[cell][hand >> BITS * ingredient(cell) & 255]


def _next_layer(ground: _Ground, layer: _Layer) -> _Layer:
    """Return the cells that one more step leads to, and the hands there."""
    onward: _Layer = {}
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
    ground: _Ground,
    depth: int,
    fits: tuple[OrderFit, ...],
    away: _Away,
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
    layers: list[_Layer] = [{ground.start: {ground.hand}}]
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
                        stop = worth, -length, cell, hand
                        best = max(best or stop, stop)
        if length >= (left if best is None else min(depth, left)):
            break
        layers.append(_next_layer(ground, layers[-1]))
    assert best is not None  # R-MOVE-4: every walk that is begun can end
    return best[0], _cells(ground, layers[: 1 - best[1]], *best[2:])


def _cells(ground: _Ground, layers: list[_Layer], cell: int, hand: int) -> tuple[int, ...]:
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
