"""A planner with a learned value and one round of lookahead, frozen: `FILE.py:LookaheadBot`.

The first expert bot searched as little as this: two samples of what is hidden. Never improve it,
and import only rules and messages: it must go on choosing as it did. The search and the weights are
copies of those in `coffeerush/bots/` at that time.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import heappushpop, nlargest
from itertools import combinations, islice, product
from math import fsum
from operator import itemgetter, mul
from random import Random
from statistics import fmean
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from coffeerush.rules import advance, legal_intents, view_for
from coffeerush.rules.board import (
    BITS,
    CELLS,
    NEAR,
    ONE,
    amount,
    common,
    count,
    ingredient,
    kinds,
    pack,
    size,
    within,
)
from coffeerush.rules.engine import activate, end_turn
from coffeerush.rules.legal import steps_left
from coffeerush.rules.state import (
    Cards,
    Player,
    State,
    acting,
    cards_of,
    menu_of,
    shuffled,
    with_player,
)
from coffeerush.rules.view import score
from protocol import (
    COMPLETED_PER_UPGRADE,
    CUPS,
    FREE_STEPS,
    MAX_CARDS,
    PENALTIES_TO_CLOSE,
    SLOTS,
    SUPPLY,
    ActivateUpgrade,
    Drink,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Upgrade,
    View,
)

REACH: Final = 5
UNREACHABLE: Final = REACH + 2
StepsByHand = dict[int, int]


@lru_cache(maxsize=2048)
def steps_from(upgrades: int, *cells: int) -> StepsByHand:
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
    found = [0]
    for one in ONE:
        count = whole // one & 255
        if count:
            found += [part + n * one for n in range(1, count + 1) for part in found]
    return tuple(found)


@lru_cache(maxsize=64)
def steps_per_card(menu: tuple[Drink, ...], upgrades: int) -> tuple[float, ...]:
    recipes = [(pack(drink.recipe), drink.count) for drink in menu]
    return tuple(
        sum(steps_from(upgrades, cell).get(recipe, UNREACHABLE) * n for recipe, n in recipes)
        / MAX_CARDS
        for cell in CELLS
    )


MOST_RUSH: Final = 3
MANY_HANDS: Final = 6000
RUSH_RANK: Final = 0.35
ENDINGS_EACH: Final = 6
_Layer = dict[int, set[int]]


class WalkStart(Struct, frozen=True):
    upgrade: Upgrade | None
    upgrades: int
    meeple: int
    cell: int
    standing: int
    hand: int
    begun: bool
    free: int
    rush: int

    @property
    def steps(self) -> int:
        return self.free + self.rush


class Ending(Struct, frozen=True):
    start: WalkStart
    cell: int
    rush: int


def starts(state: State, upgrades: bool = True, most_rush: int = MOST_RUSH) -> list[WalkStart]:
    _, player = acting(state)
    begun, walks = bool(state.path), state.phase in (Phase.UPGRADE, Phase.MOVING)
    offered: list[Upgrade | None] = [None]
    if upgrades and state.phase is Phase.UPGRADE:
        offered += [one for one in Upgrade if not player.upgrades >> one & 1]
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
        for meeple in _movable(state, player)
    ]


def _movable(state: State, player: Player) -> range:
    if state.meeple is None:
        return range(len(player.meeples))
    return range(state.meeple, state.meeple + 1)


def _gains(start: WalkStart) -> tuple[int, ...]:
    return tuple(amount(start.upgrades, cell, start.standing) for cell in CELLS)


def _layers(start: WalkStart, limit: int) -> list[_Layer]:
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
    kind = ingredient(cell)
    mask, one = 255 << BITS * kind, ONE[kind]
    most = limit & mask
    return {
        hand + gain * one if (hand & mask) + gain * one <= most else hand & ~mask | most
        for hand in hands
    }


class Collecting:
    def __init__(self, begins: Sequence[WalkStart], limit: int) -> None:
        self._limit = limit
        self.endings: list[Ending] = []
        self.by_hand: dict[int, int] = {}
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
        by_hand = self.by_hand
        ones = [(one, one * 255) for one in ONE if self._limit & one * 255]
        by_size: list[list[int]] = [[] for _ in range(max(map(size, by_hand), default=0) + 1)]
        for hand in by_hand:
            by_size[size(hand)].append(hand)
        for tokens in range(len(by_size) - 1, 0, -1):
            for hand in by_size[tokens]:
                mask = by_hand[hand]
                for one, kind in ones:
                    if not hand & kind:
                        continue
                    part = hand - one
                    if part in by_hand:
                        by_hand[part] |= mask
                    else:
                        by_hand[part] = mask
                        by_size[tokens - 1].append(part)

    def steps(self, ending: Ending, hand: int) -> tuple[Step, ...]:
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
    def __init__(self, collecting: Collecting, cells: Sequence[float]) -> None:
        self.collecting = collecting
        self._ranked = sorted(
            (
                (cells[one.cell] - RUSH_RANK * one.rush, 1 << bit)
                for bit, one in enumerate(collecting.endings)
            ),
            reverse=True,
        )
        self._best: dict[int, float] = {}

    def best(self, hand: int) -> float:
        if hand not in self._best:
            mask = self.collecting.by_hand[hand]
            self._best[hand] = next(rank for rank, bit in self._ranked if mask & bit)
        return self._best[hand]

    def gaps(self, hand: int) -> list[tuple[float, Ending]]:
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


SERVE_RANK: Final = (1.0, 1.15, 1.4, 2.0)
SPECIALTY_RANK: Final = 0.3
PROGRESS_RANK: Final = (0.5, 0.55, 0.6, 0.02)
DISTANCE_RANK: Final = 0.1
ROUNDING: Final = 1e-9
Cups = tuple[int, ...]


class TurnOutcome(Struct, frozen=True):
    rank: float
    collecting: Collecting
    ending: Ending
    emptied: Cups
    poured: Cups


def outcomes(
    state: State, most: int, upgrades: bool = True, most_rush: int = MOST_RUSH
) -> list[TurnOutcome]:
    by_upgrade: dict[int, list[WalkStart]] = {}
    for start in starts(state, upgrades, most_rush):
        by_upgrade.setdefault(start.upgrades, []).append(start)
    search = _Search(state)
    return [one for begins in by_upgrade.values() for one in search.best(begins, most)]


def demand(state: State) -> int:
    _, player = acting(state)
    recipes = tuple(state.menu.by_recipe)
    opened = [recipes[drink] for orders in player.orders for drink in orders]
    return sum(
        sum(sorted((count(recipe, kind) for recipe in opened), reverse=True)[:CUPS]) << BITS * kind
        for kind in range(8)
    )


def after(state: State, outcome: TurnOutcome) -> State:
    ending = outcome.ending
    if ending.start.upgrade is not None:
        state = activate(state, ActivateUpgrade(ending.start.upgrade))
    seat, player = acting(state)
    cups, supply = list(player.cups), state.supply + state.hand
    for cup in outcome.emptied:
        supply += cups[cup]
        cups[cup] = 0
    for cup, added in enumerate(outcome.poured):
        supply -= added
        cups[cup] += added
    orders, completed = [list(slot) for slot in player.orders], list(player.completed)
    rush, left = player.rush - ending.rush, state.rush + ending.rush
    for cup, slot, drink in _serves(state, cups):
        orders[slot].remove(drink)
        completed.append(drink)
        supply += cups[cup]
        cups[cup] = 0
        if state.menu.specialty[drink] and left:  # R-SERVE-2
            rush, left = rush + 1, left - 1
    meeples = list(player.meeples)
    meeples[ending.start.meeple] = ending.cell
    served = replace(
        player,
        orders=tuple(map(tuple, orders)),
        meeples=tuple(meeples),
        cups=tuple(cups),
        completed=tuple(completed),
        rush=rush,
    )
    return replace(
        state,
        players=with_player(state, seat, served),
        supply=supply,
        rush=left,
        phase=Phase.SERVING,
        standing=ending.start.standing,
        hand=0,
        path=(ending.cell,),
        meeple=ending.start.meeple,
        served=state.served + len(completed) - len(player.completed),
        previous=None,
    )


def _serves(state: State, cups: list[int]) -> list[tuple[int, int, int]]:
    _, player = acting(state)
    waiting = [list(slot) for slot in player.orders]
    found = []
    for cup, contents in enumerate(cups):
        drink = state.menu.by_recipe.get(contents)
        slots = [slot for slot, orders in enumerate(waiting) if drink in orders]
        if drink is not None and slots:
            waiting[slots[-1]].remove(drink)
            found.append((cup, slots[-1], drink))
    return found


def intents(state: State, outcome: TurnOutcome) -> tuple[Intent, ...]:
    ending = outcome.ending
    chosen: list[Intent] = []
    if ending.start.upgrade is not None:
        chosen.append(ActivateUpgrade(ending.start.upgrade))
    chosen += [EmptyCup(cup + 1) for cup in outcome.emptied]
    chosen += outcome.collecting.steps(ending, sum(outcome.poured))
    for intent in chosen:
        state = advance(state, intent)
    pours = [
        Pour(Ingredient(kind), cup)
        for cup, added in enumerate(outcome.poured, start=1)
        for kind in kinds(added)
    ]
    chosen += pours
    if state.hand != sum(outcome.poured):
        chosen.append(ReturnRest())
    _, player = acting(state)
    cups = [held + added for held, added in zip(player.cups, outcome.poured, strict=True)]
    serves = [Serve(cup + 1, slot + 1) for cup, slot, _ in _serves(state, cups)]
    return (*chosen, *serves, EndTurn())


_Filling = tuple[int, float, int]
_Choice = tuple[float, Cups, Cups, RankedEndings | None]
_NO_CHOICE: Final[_Choice] = (float("-inf"), (), (), None)


class _Search:
    def __init__(self, state: State) -> None:
        _, player = acting(state)
        self._state, self._cups = state, player.cups
        self._sorted: dict[tuple[int, bool], list[_Filling]] = {}
        self._slot: dict[int, int] = {}
        self._many: set[int] = set()
        opened = [(drink, slot) for slot, orders in enumerate(player.orders) for drink in orders]
        for drink, slot in opened:
            if drink in self._slot:
                self._many.add(drink)
            self._slot[drink] = slot
        recipes = tuple(state.menu.by_recipe)
        self._recipe = {drink: recipes[drink] for drink in self._slot}
        self._demand = demand(state)

    def best(self, begins: Sequence[WalkStart], most: int) -> list[TurnOutcome]:
        cells = self._cell_ranks(begins[0].upgrades)
        ranked: dict[int, RankedEndings] = {}
        # Each filling's best ending has the filling's rank, so more fillings would find no better.
        choices: list[_Choice] = [_NO_CHOICE] * most
        for emptied in self._emptyings():
            # R-POUR-3: what is emptied before the walk can be picked up again
            returned = sum(self._cups[cup] for cup in emptied)
            limit = common(self._demand, self._state.supply + self._state.hand + returned)
            if limit not in ranked:
                ranked[limit] = RankedEndings(Collecting(begins, limit), cells)
            self._choose(choices, emptied, ranked[limit])
        found = [
            TurnOutcome(rank + more, endings.collecting, ending, emptied, poured)
            for rank, emptied, poured, endings in sorted(choices, reverse=True)
            if endings is not None
            for more, ending in endings.gaps(sum(poured))
        ]
        return nlargest(most, found, key=lambda outcome: outcome.rank)

    def _cell_ranks(self, upgrades: int) -> tuple[float, ...]:
        recipes = [self._recipe[drink] for drink, slot in self._slot.items() if slot < 3]
        return tuple(
            -DISTANCE_RANK
            * (
                per_card
                + sum(steps_from(upgrades, cell).get(one, UNREACHABLE) for one in recipes)
                / (len(recipes) or 1)
            )
            for cell, per_card in enumerate(steps_per_card(self._state.menu.drinks, upgrades))
        )

    def _emptyings(self) -> Iterator[Cups]:
        yield ()
        if self._state.phase is not Phase.SERVING:
            filled = [cup for cup, contents in enumerate(self._cups) if contents]
            for n in range(1, len(filled) + 1):
                for emptied in combinations(filled, n):
                    if sum(self._is_useful(cup) for cup in emptied) <= 1:
                        yield emptied

    def _is_useful(self, cup: int) -> bool:
        return any(within(self._cups[cup], recipe) for recipe in self._recipe.values())

    def _choose(self, best: list[_Choice], emptied: Cups, endings: RankedEndings) -> None:
        reachable, many, end = endings.collecting.by_hand, self._many, endings.best
        one, two, three = (self._reachable(cup, cup in emptied, reachable) for cup in range(CUPS))
        if not (one and two and three):
            return
        alike, last_alike = (self._alike(cup, cup + 1, emptied) for cup in range(CUPS - 1))
        most_b, most_c = two[0][1], three[0][1]
        for a, rank_a, drink_a in one:
            if rank_a + most_b + most_c + end(a) < best[0][0] - ROUNDING:
                continue
            for b, rank_b, drink_b in two:
                both, rank = a + b, rank_a + rank_b
                if both not in reachable or (alike and b < a):
                    continue
                if drink_a == drink_b >= 0 and drink_a not in many:
                    continue
                # more tokens never make the ending better
                most = rank + end(both)
                for c, rank_c, drink_c in three:
                    if most + rank_c < best[0][0] - ROUNDING:
                        break
                    hand = both + c
                    if hand not in reachable or (last_alike and c < b):
                        continue
                    if drink_c >= 0 and drink_c in (drink_a, drink_b) and drink_c not in many:
                        continue
                    total = rank + rank_c + end(hand)
                    if total >= best[0][0]:
                        heappushpop(best, (total, emptied, (a, b, c), endings))

    def _reachable(
        self, cup: int, is_emptied: bool, reachable: Mapping[int, int]
    ) -> list[_Filling]:
        if (cup, is_emptied) not in self._sorted:
            found = self._fillings(cup, is_emptied)
            self._sorted[cup, is_emptied] = sorted(found, key=itemgetter(1), reverse=True)
        return [one for one in self._sorted[cup, is_emptied] if one[0] in reachable]

    def _alike(self, cup: int, other: int, emptied: Cups) -> bool:
        return self._cups[cup] == self._cups[other] and (cup in emptied) == (other in emptied)

    def _fillings(self, cup: int, is_emptied: bool) -> list[_Filling]:
        base = 0 if is_emptied else self._cups[cup]
        whole = is_emptied and self._is_useful(cup)
        best: dict[int, _Filling] = {} if is_emptied else {0: (0, 0.0, -1)}
        for drink, recipe in self._recipe.items():
            if not within(base, recipe):
                continue
            for added in (recipe,) if whole else parts(recipe - base):
                rank = self._rank(drink, recipe, base + added)
                if added == 0 and not is_emptied:
                    best[0] = (0, max(rank, best[0][1]), -1)
                elif added and (added not in best or best[added][1] < rank):
                    best[added] = (added, rank, drink)
        return list(best.values())

    def _rank(self, drink: int, recipe: int, contents: int) -> float:
        slot = self._slot[drink]
        served = SERVE_RANK[slot] + SPECIALTY_RANK * self._state.menu.specialty[drink]
        if contents == recipe:
            return served
        return PROGRESS_RANK[slot] * served * size(contents) / size(recipe)


SERVE_WORTH: Final = (0.0, 1.1, 1.3, 2.0)
SPECIALTY_WORTH: Final = 0.3
RUSH_WORTH: Final = 0.35
MOST_RUSH_NEXT: Final = 2
WIDEST_GAP: Final = 3


class LaterOrder(Struct, frozen=True, gc=False):
    drink: int
    recipe: int
    slot: int
    specialty: bool

    @property
    def worth(self) -> float:
        return SERVE_WORTH[self.slot] + SPECIALTY_WORTH * self.specialty


class NextTurn(Struct, frozen=True, gc=False):
    worth: float
    steps: int
    serves: tuple[tuple[int, LaterOrder], ...]

    @property
    def rush(self) -> int:
        return max(0, self.steps - FREE_STEPS)


def open_after(state: State) -> tuple[LaterOrder, ...]:
    _, player = acting(state)
    recipes = tuple(state.menu.by_recipe)
    return tuple(
        LaterOrder(drink, recipes[drink], slot, state.menu.specialty[drink])
        for slot, orders in enumerate(player.orders[: SLOTS - 1], start=1)
        for drink in orders
    )


def next_turn(state: State, rush: int) -> NextTurn:
    _, player = acting(state)
    orders, table = open_after(state), steps_from(player.upgrades, *player.meeples)
    most = FREE_STEPS + min(rush, MOST_RUSH_NEXT)
    best = NextTurn(0.0, 0, ())
    partial: list[_PartialPlan] = [(0, 0.0, 0, -1, ())]
    more, earlier = partial, -1
    for base, cup in sorted(_bases(player, orders)):
        # of cups that are alike, the first ones are used, for orders in their order
        alike = base == earlier
        before, more = more if alike else partial, []
        for number, order in enumerate(orders):
            lacking, worth = order.recipe - base, order.worth
            if not within(base, order.recipe) or table.get(lacking, UNREACHABLE) > most:
                continue
            for hand, gained, taken, last, serves in before:
                needed = hand + lacking
                steps = table.get(needed, UNREACHABLE)
                if steps > most or taken >> number & 1 or (alike and last >= number):
                    continue
                total = gained + worth
                done = (*serves, (cup, order))
                more.append((needed, total, taken | 1 << number, number, done))
                net = total - RUSH_WORTH * max(0, steps - FREE_STEPS) - 0.001 * steps
                if net > best.worth:
                    best = NextTurn(net, steps, done)
        partial = partial + more
        earlier = base
    return best


_Serves = tuple[tuple[int, LaterOrder], ...]
_PartialPlan = tuple[int, float, int, int, _Serves]


def _bases(player: Player, orders: Sequence[LaterOrder]) -> Iterator[tuple[int, int]]:
    for cup, contents in enumerate(player.cups):
        yield contents if any(within(contents, one.recipe) for one in orders) else 0, cup


class AfterTurn(Struct, frozen=True):
    penalties: int
    rush: int
    deck: int
    drawn: tuple[int, ...]
    closed: bool
    turns: tuple[bool, ...]


def after_turn(state: State) -> AfterTurn:
    seat, player = acting(state)
    count, deck = len(state.players), len(state.deck)
    expired = len(player.orders[SLOTS - 1])
    penalties = len(player.penalties) + expired
    drawn = [0] * count
    for left in range(1, min(count, 3)):
        drawn[left] = min(state.served, deck)
        deck -= drawn[left]
    if count == 2:
        drawn[0] = min(1, deck)
        deck -= drawn[0]
    waiting = any(drawn) or any(
        any(one.orders[: SLOTS - 1] if number == seat else one.orders)
        for number, one in enumerate(state.players)
    )
    closed = state.closed or not deck or penalties >= PENALTIES_TO_CLOSE or not waiting
    left_in_round = (state.start - seat - 1) % count
    return AfterTurn(
        penalties=penalties,
        rush=player.rush + min(expired, state.rush),
        deck=deck,
        drawn=tuple(drawn),
        closed=closed,
        turns=tuple(not closed or 1 <= left <= left_in_round for left in range(count)),
    )


def features(state: State, after: AfterTurn) -> list[float]:
    return _closed_features(state, after) if after.closed else _open_features(state, after)


def _open_features(state: State, after: AfterTurn) -> list[float]:
    seat, player = acting(state)
    late = 1 - after.deck / MAX_CARDS
    plan = next_turn(state, after.rush)
    others = _others(state)
    own = score(player) + len(player.penalties) - after.penalties
    gaps = [own - score(one) for one in others]
    active = [float(player.upgrades >> upgrade & 1) for upgrade in Upgrade]
    per_card = steps_per_card(state.menu.drinks, player.upgrades)
    common = [
        sum(gaps) / len(gaps) / 4,
        min(gaps) / 4,
        after.penalties / 4,
        *_plan_features(plan),
        *_order_features(open_after(state), plan, player),
        *(float(after.rush >= n) for n in (1, 2, 3)),
    ]
    rest = [
        1.0,
        late,
        late * late,
        float(after.penalties == PENALTIES_TO_CLOSE - 1),
        float(max(len(one.penalties) for one in others) == PENALTIES_TO_CLOSE - 1),
        sum(len(one.penalties) for one in others) / 8,
        float((seat - state.start) % len(state.players)) / 4,
        float(state.served),
        max(0, after.rush - 3) / 2,
        float(len(player.completed) >= COMPLETED_PER_UPGRADE) * (1 - late),
        *active,
        *(one * late for one in active),
        min(per_card[cell] for cell in player.meeples) - 4,
    ]
    for left, one in enumerate(others, start=1):
        rest += _other_features(one, after.drawn[left], gaps[left - 1], late)
    return rest + common + [late * one for one in common]


def _others(state: State) -> list[Player]:
    seat, count = acting(state)[0], len(state.players)
    return [state.players[(seat + left) % count] for left in range(1, count)]


def _plan_features(plan: NextTurn) -> list[float]:
    slots = [order.slot for _, order in plan.serves]
    return [
        plan.worth / 2,
        *(float(len(slots) >= n) for n in (1, 2, 3)),
        *(float(slots.count(slot)) for slot in (2, 3)),
        float(sum(order.specialty for _, order in plan.serves)),
        plan.rush / 2,
        max(0, FREE_STEPS - plan.steps) / 3,
    ]


def _order_features(orders: Sequence[LaterOrder], plan: NextTurn, player: Player) -> list[float]:
    served = [order for _, order in plan.serves]
    left = list(orders)
    for order in served:
        left.remove(order)
    used = {cup for cup, _ in plan.serves}
    spare = [contents for cup, contents in enumerate(player.cups) if cup not in used and contents]
    useful = [held for held in spare if any(within(held, one.recipe) for one in orders)]
    table = steps_from(player.upgrades, *player.meeples)
    counts, steps = [0.0] * SLOTS, [0.0] * SLOTS
    for order in left:
        lacking = min(
            [order.recipe - held for held in useful if within(held, order.recipe)],
            key=size,
            default=order.recipe,
        )
        counts[order.slot] += 1
        steps[order.slot] += table.get(lacking, UNREACHABLE) / 4
    return [
        *counts[1:],
        *steps[1:],
        float(len(left) >= 4),
        float(len(spare) - len(useful)),
        float(len(useful)),
        sum(map(size, useful)) / 3,
    ]


def _other_features(other: Player, drawn: int, gap: int, late: float) -> list[float]:
    one, two, three, four = map(len, other.orders)
    orders = one + two + three + four + drawn
    rush, upgrades = min(other.rush, 4) / 2, float(other.upgrades.bit_count())
    return [
        float(one + drawn),
        float(two),
        float(three),
        float(four),
        float(orders == 0),
        rush,
        rush * late,
        upgrades,
        upgrades * late,
        gap / 4,
        gap / 4 * late,
        orders / 4 * late,
    ]


def _closed_features(state: State, after: AfterTurn) -> list[float]:
    _, player = acting(state)
    others = _others(state)
    own = score(player) + len(player.penalties) - after.penalties
    last = [one for left, one in enumerate(others, start=1) if after.turns[left]]
    done = [one for one in others if one not in last]
    drawn = [after.drawn[left] for left in range(1, len(others) + 1) if after.turns[left]]
    last_gap = min([own - score(one) for one in last], default=WIDEST_GAP)
    done_gap = min([own - score(one) for one in done], default=WIDEST_GAP)
    both = min(last_gap, done_gap)
    return [
        1.0,
        sum(own - score(one) for one in others) / len(others) / 4,
        max(-6, both) / 4,
        *_near(last_gap),
        *_near(done_gap),
        len(last) / 2,
        float(len(player.completed) > max(len(one.completed) for one in others)),
        after.rush / 4,
        sum(len(one.orders[SLOTS - 1]) for one in last) / 2,
        sum(map(_open, last)) / 4,
        sum(drawn) / 4,
        sum(min(one.rush, 3) for one in last) / 2,
        sum(one.upgrades.bit_count() for one in last) / 2,
        float(both > 0) * sum(min(one.rush, 3) for one in last) / 2,
        float(both > 0) * sum(map(_open, last)) / 4,
    ]


def _open(player: Player) -> int:
    return sum(map(len, player.orders))


def _near(gap: int) -> list[float]:
    gap = max(-WIDEST_GAP, min(WIDEST_GAP, gap))
    return [float(gap == one) for one in range(-WIDEST_GAP, WIDEST_GAP + 1)]


MARGIN_WORTH: Final = 0.08


class SeatWeights(Struct, frozen=True):
    open: tuple[float, ...]
    closed: tuple[float, ...]


class Weights(Struct, frozen=True):
    players: dict[str, SeatWeights]

    def value(self, state: State) -> float:
        after = after_turn(state)
        if after.closed and not any(after.turns):
            return result(_final_scores(state, after), acting(state)[0])
        seats = self.players[str(len(state.players))]
        weights = seats.closed if after.closed else seats.open
        return fsum(map(mul, weights, features(state, after)))


def _final_scores(state: State, after: AfterTurn) -> list[tuple[int, int, int]]:
    seat, player = acting(state)
    scores = scores_of(state)
    lost = after.penalties - len(player.penalties)
    scores[seat] = (score(player) - lost, len(player.completed), after.rush)
    return scores


def scores_of(state: State) -> list[tuple[int, int, int]]:
    return [(score(one), len(one.completed), one.rush) for one in state.players]


def result(scores: Sequence[tuple[int, int, int]], seat: int) -> float:
    own = scores[seat]
    others = [one for number, one in enumerate(scores) if number != seat]
    share = 1 / (1 + others.count(own)) if own >= max(others) else 0.0
    return share - 1 / len(scores) + MARGIN_WORTH * (own[0] - max(one[0] for one in others))


def sample_state(view: View, seed: int, likely: bool = False) -> State:
    chance = Random(seed)
    hand, cups = _tokens(view, chance, likely)
    deck, piles = _cards(view, chance)
    players = tuple(
        Player(
            orders=player.orders,
            meeples=player.meeples,
            cups=cups[seat],
            completed=piles[seat][0],
            penalties=piles[seat][1],
            rush=player.rush,
            upgrades=sum(active << index for index, active in enumerate(player.upgrades)),
        )
        for seat, player in enumerate(view.players)
    )
    return State(
        menu=menu_of(view.menu),
        players=players,
        deck=deck,
        supply=pack(view.supply),
        rush=view.rush_supply,
        discards=view.discards,
        removed=view.removed,
        start=view.start,
        active=view.active,
        phase=view.phase,
        standing=_standing(view),
        round=view.round,
        closed=view.closed,
        hand=hand,
        path=view.path,
        meeple=None if view.meeple is None else view.meeple - 1,
        served=view.served,
    )


def _standing(view: View) -> int:
    moving = (view.active, view.meeple)
    return sum(
        1 << cell
        for seat, player in enumerate(view.players)
        for index, cell in enumerate(player.meeples, start=1)
        if (seat, index) != moving
    )


def _tokens(view: View, chance: Random, likely: bool) -> tuple[int, list[tuple[int, int, int]]]:
    own = view.own
    cups = [[0, 0, 0] for _ in view.players]
    hand = None if view.hand is None else pack(view.hand)
    if own is not None:
        cups[own.seat] = [pack(cup) for cup in own.cups]
        if own.seat == view.active:
            hand = pack(own.hand)
    known = pack(view.supply) + (hand or 0) + sum(sum(three) for three in cups)
    hidden = shuffled(kinds(pack(SUPPLY) - known), chance)
    if hand is None:
        # a hand has at least one token in phase `pouring`, and at most two in `filling`
        most = len(hidden) if view.phase is Phase.POURING else min(2, len(hidden))
        least = 1 if view.phase is Phase.POURING else 0
        taken = least + int(chance.random() * (most - least + 1))
        hand, hidden = sum(ONE[kind] for kind in hidden[:taken]), hidden[taken:]
    others = [seat for seat in range(len(cups)) if own is None or seat != own.seat]
    recipes = [_recipes(view, seat) if likely else [] for seat in range(len(cups))]
    places = [(seat, cup) for seat in others for cup in range(CUPS)]
    for kind in hidden:
        fitting = [
            (seat, cup)
            for seat, cup in places
            if any(within(cups[seat][cup] + ONE[kind], recipe) for recipe in recipes[seat])
        ]
        among = fitting or places
        seat, cup = among[int(chance.random() * len(among))]
        cups[seat][cup] += ONE[kind]
    return hand, [(one, two, three) for one, two, three in cups]


def _recipes(view: View, seat: int) -> list[int]:
    return [pack(view.menu[drink].recipe) for slot in view.players[seat].orders for drink in slot]


def _cards(view: View, chance: Random) -> tuple[Cards, list[tuple[Cards, Cards]]]:
    unseen = cards_of(view.menu, None)
    for drink in (*view.discards, *view.removed):
        unseen.remove(drink)
    for player in view.players:
        for drink in (drink for slot in player.orders for drink in slot):
            unseen.remove(drink)
    pool = iter(shuffled(unseen, chance))
    piles = [
        (tuple(islice(pool, player.completed)), tuple(islice(pool, player.penalties)))
        for player in view.players
    ]
    return tuple(pool), piles


MANY_VALUED: Final = 12
MANY_FIRST: Final = 8


class Candidate(Struct, frozen=True):
    value: float
    state: State
    outcome: TurnOutcome


def candidates(
    state: State, weights: Weights, most: int = MANY_VALUED, upgrades: bool = True
) -> list[Candidate]:
    found = []
    for outcome in outcomes(state, most, upgrades):
        played = after(state, outcome)
        found.append(Candidate(weights.value(played), played, outcome))
    return sorted(found, key=lambda one: -one.value)


def best_place(state: State, weights: Weights) -> PlaceMeeple:
    places = [one for one in legal_intents(state) if isinstance(one, PlaceMeeple)]
    return max(places, key=lambda place: _worth(_placed(state, place), weights))


def best_filling(state: State, weights: Weights) -> tuple[Intent, ...]:
    tokens = kinds(state.hand)
    ways = [
        [Pour(Ingredient(kind), cup) for kind, cup in zip(tokens, into, strict=True)]
        for into in product(range(1, CUPS + 1), repeat=len(tokens))
    ]
    return (*max(ways, key=lambda pours: _worth(_filled(state, pours), weights)), EndTurn())


def _placed(state: State, place: PlaceMeeple) -> State:
    _, player = acting(state)
    meeples = (*player.meeples, place.cell)
    return _begun(state, meeples, [ONE[ingredient(cell)] for cell in meeples])


def _filled(state: State, pours: Sequence[Intent]) -> State:
    _, player = acting(state)
    cups = list(player.cups)
    for pour in pours:
        if isinstance(pour, Pour):
            cups[pour.cup - 1] += ONE[pour.ingredient]
    return _begun(state, player.meeples, cups)


def _begun(state: State, meeples: tuple[int, ...], cups: list[int]) -> State:
    seat, player = acting(state)
    one, two, three = (*cups, 0, 0, 0)[:CUPS]
    placed = replace(player, meeples=meeples, cups=(one, two, three))
    standing = state.standing | sum(1 << cell for cell in meeples if cell not in player.meeples)
    return replace(
        state,
        players=with_player(state, seat, placed),
        phase=Phase.MOVING,
        standing=standing,
        hand=0,
        previous=None,
    )


def _worth(begun: State, weights: Weights) -> float:
    return candidates(begun, weights, MANY_FIRST)[0].value


def _situation(view: View) -> tuple[object, ...]:
    own = view.own
    assert own is not None  # bots are never spectators
    return (view.round, view.phase, view.path, view.players[own.seat], own.cups, own.hand)


SAMPLES: Final = 2
MANY_COMPARED: Final = 8
CLOSE: Final = 0.1
MANY_NEXT: Final = 4


class LookaheadBot:
    def __init__(self) -> None:
        self._weights = WEIGHTS
        self._rest: tuple[Intent, ...] = ()
        self._expected: tuple[object, ...] = ()

    def choose(self, view: View, chance: Random) -> Intent:
        state = sample_state(view, 0)
        if not self._rest or _situation(view) != self._expected:
            self._rest = self._planned(view, state, chance)
        intent, *rest = self._rest
        self._rest = tuple(rest)
        if rest:
            self._expected = _situation(view_for(advance(state, intent), state.active))
        return intent

    def _planned(self, view: View, state: State, chance: Random) -> tuple[Intent, ...]:
        match view.phase:
            case Phase.PLACING:
                return (best_place(state, self._weights),)
            case Phase.FILLING:
                return best_filling(state, self._weights)
        found = candidates(state, self._weights)
        return intents(state, self._best(view, found, chance).outcome)

    def _best(self, view: View, found: list[Candidate], chance: Random) -> Candidate:
        near = [one for one in found[:MANY_COMPARED] if one.value > found[0].value - CLOSE]
        drawn = [
            sample_state(view, int(chance.random() * 2**32), likely=True) for _ in range(SAMPLES)
        ]

        def worth(one: Candidate) -> float:
            later = (_next_turn(after(state, one.outcome), self._weights) for state in drawn)
            return fmean([one.value, *later])

        return max(near, key=worth)


def _next_turn(state: State, weights: Weights) -> float:
    seat = state.active
    assert seat is not None  # a turn is to be ended
    state = end_turn(state)
    while state.active not in (seat, None):
        [hasty] = outcomes(state, 1, upgrades=False, most_rush=1)
        state = end_turn(after(state, hasty))
    if state.active is None:
        return result(scores_of(state), seat)
    return candidates(state, weights, MANY_NEXT, upgrades=False)[0].value


WEIGHTS: Final = msgspec.json.decode(
    """
{"players":{"2":{"open":[-0.09916, 0.11781, -0.01477, -0.05975, 0.02296, 0.28777, 0.55186,
0.05352, 0.07337, 0.07762, 0.21774, 0.06337, 0.28278, 0.28475, -0.36572, -0.25751, -0.31602,
-0.49701, -0.00417, -0.04564, 0.00418, 0.02574, 0.04735, 0.0, -0.22914, -0.0425, -0.52818,
0.67722, 0.17921, 0.09769, 0.28451, 0.17921, 0.17921, -0.32838, 0.14575, 0.02837, 0.07799, 0.0973,
-0.01147, -0.04618, 0.11307, -0.109, 0.1948, -0.05554, -0.10376, -0.0745, -0.06318, -0.02345,
0.01259, -0.00729, 0.02172, 0.02007, 0.10505, 0.09971, 0.12049, 0.12744, 0.09769, 0.09769,
-0.31112, 0.03045, 0.14641, 0.04339, -0.02491, -0.09434, -0.13663, -0.06686, -0.05927, 0.05351,
0.09801, 0.03158, -0.15575, 0.03711, -0.01648, -0.06715, -0.01589, -0.02789, -0.01112, 0.02396,
0.06937, 0.01873, 0.02018], "closed":[-0.09792, 0.22027, 0.22026, -0.0482, -0.09898, -0.08146,
-0.00635, -0.09275, 0.15713, 0.0727, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.09792, -0.04896, 0.05268,
-0.00837, 0.26415, -0.15408, 0.04507, -0.22416, -0.06839, -0.11513, 0.24876]},
"3":{"open":[-0.48237, -0.00277, -0.00731, -0.02562, -0.00989, -0.02495, 0.21347, -0.10984,
0.02413, 0.03115, 0.12817, 0.02269, 0.45289, 0.16333, -0.22624, -0.1321, -0.60736, -0.3261,
0.0185, 0.0292, 0.00208, 0.01735, 0.02581, 0.0, -0.1414, 0.00924, -0.23653, 0.21502, 0.25946,
-0.05289, 0.12009, 0.11414, 0.03604, 0.03432, 0.04955, 0.0, -0.15219, 0.00475, -0.34143, 0.34717,
0.17523, 0.10574, 0.04622, 0.21734, 0.13615, -0.12998, 0.21711, 0.06619, 0.13198, 0.20042,
-0.0495, -0.13307, 0.12033, -0.12434, 0.20142, 0.0079, -0.06678, -0.08284, -0.09525, -0.0514,
0.00273, -0.00963, 0.04397, 0.0445, 0.12648, 0.12784, 0.14146, 0.16086, 0.02643, 0.30836,
-0.07604, -0.0163, 0.08207, -0.01509, -0.12117, 0.03812, 0.03886, -0.08302, -0.0129, 0.08268,
-0.02266, 0.01864, -0.08824, 0.09528, 0.03171, -0.01835, -0.0479, 0.05643, -0.05746, -0.00839,
0.03881, -0.0261, 0.00213], "closed":[0.00649, 0.21855, 0.39294, -0.04805, -0.11527, -0.10835,
-0.04068, -0.01399, 0.16328, 0.16957, 0.02283, -0.07249, -0.13425, 0.04993, 0.07539, 0.0346,
0.03048, -0.05505, 0.09381, 0.00574, 0.16552, -0.07166, -0.0216, -0.14567, -0.05366, -0.09354,
0.11634]}, "4":{"open":[-0.62258, 0.05579, -0.01255, -0.0006, -0.01228, -0.00832, 0.18919,
-0.05688, 0.03866, -0.01633, 0.18256, -0.07746, 0.32721, 0.06859, -0.30528, -0.05313, -0.5235,
-0.22275, 0.0071, 0.05511, 0.02841, 0.02957, 0.0326, 0.0, -0.06984, -0.01145, -0.09686, 0.05693,
0.25036, -0.03325, 0.10265, 0.03991, 0.01377, 0.02088, 0.02798, 0.0, -0.09024, 0.00804, -0.12272,
0.11545, 0.11479, 0.0467, -0.01955, 0.09101, 0.03998, 0.03004, 0.0338, -0.01779, -0.1008, 0.01807,
-0.14866, 0.1461, 0.10685, 0.1187, 0.05488, 0.15733, 0.06883, -0.2568, 0.18998, 0.05376, 0.12731,
0.13689, -0.03961, -0.11585, 0.12422, -0.14598, 0.26063, -0.02425, -0.10541, -0.10745, -0.10892,
-0.05752, 0.00637, -0.02734, 0.06536, 0.04332, 0.15654, 0.13972, 0.16362, 0.1479, 0.04405,
0.28136, -0.14978, 0.01979, 0.14243, -0.00411, -0.08106, 0.01995, 0.02122, -0.09482, 0.02566,
0.03843, -0.0207, 0.04274, -0.08873, 0.10592, 0.02742, -0.03219, -0.00271, -0.00809, -0.06194,
0.00462, 6e-05, -0.04691, -0.00737], "closed":[0.0648, 0.24872, 0.46186, 0.03388, -0.03717,
-0.07591, -0.08625, -0.04564, 0.10819, 0.16771, 0.03243, -0.0981, -0.18793, 0.05749, 0.15582,
0.09659, 0.0085, -0.04969, 0.12938, 0.02685, 0.11509, -0.05489, -0.04949, -0.08624, -0.05599,
-0.07363, 0.09569]}}}
""",
    type=Weights,
)
