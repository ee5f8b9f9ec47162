"""The first greedy bot, frozen: the yardstick of all bots, `FILE.py:GreedyBot` in the arena.

Never improve it, and import only rules and messages: it must go on choosing as it did.
"""

from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.rules import State, advance, legal_intents
from coffeerush.rules.board import NEAR, common, count, ingredient, kinds, pack, size, within
from coffeerush.rules.state import Player, menu_of
from protocol import (
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Option,
    OwnView,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Slot,
    Step,
    Upgrade,
    View,
)

UPGRADE_ORDER: Final = (
    Upgrade.DOUBLE_CORNERS,
    Upgrade.DIAGONAL_MOVE,
    Upgrade.DOUBLE_SPECIALTIES,
    Upgrade.DOUBLE_MEEPLES,
)
CARDS_FOR_UPGRADE: Final = 40


class GreedyBot:
    def choose(self, view: View, chance: Random) -> Intent:
        own = view.own
        assert own is not None  # bots are never spectators
        match view.phase:
            case Phase.PLACING:
                return best_place(view, own)
            case Phase.UPGRADE if upgrade := best_upgrade(view):
                return upgrade
            case Phase.UPGRADE | Phase.MOVING:
                return _move(view, own)
            case Phase.FILLING | Phase.POURING:
                return _pour(view, own)
        return _serve(view)


def best_place(view: View, own: OwnView) -> PlaceMeeple:
    orders = wanted_orders(view, own.seat)
    need = [sum(count(order.recipe, kind) for order in orders) for kind in range(8)]

    def worth(cell: int) -> float:
        return need[ingredient(cell)] * 1.5 + sum(
            need[ingredient(other)] for other in NEAR[0][cell]
        )

    cells = [o.intent.cell for o in options_of(view) if isinstance(o.intent, PlaceMeeple)]
    return PlaceMeeple(max(cells, key=worth))


def best_upgrade(view: View) -> ActivateUpgrade | None:
    if view.closed or view.deck < CARDS_FOR_UPGRADE:
        return None
    offered = [o.intent for o in options_of(view) if isinstance(o.intent, ActivateUpgrade)]
    return min(offered, key=lambda one: UPGRADE_ORDER.index(one.upgrade), default=None)


def _move(view: View, own: OwnView) -> Intent:
    walk = best_walk(view)
    if walk.steps:
        return walk.steps[0]
    return _pour(view, own) if any(own.hand) else _serve(view)


def _pour(view: View, own: OwnView) -> Intent:
    plan = plan_pours(own_cups(own), pack(own.hand), wanted_orders(view, own.seat))
    intents = [option.intent for option in options_of(view)]
    # when filling, tokens that no order needs must still go into a cup (R-SETUP-5)
    wishes = [*plan.intents, ReturnRest(), EndTurn(), *intents]
    return next(wish for wish in wishes if wish in intents)


def _serve(view: View) -> Intent:
    serves = [o.intent for o in options_of(view) if isinstance(o.intent, Serve)]
    return max(serves, key=lambda serve: serve.slot, default=EndTurn())


def options_of(view: View) -> tuple[Option, ...]:
    return view.own.options if view.own else ()


SERVE_WORTH: Final = {1: 1.15, 2: 1.3, 3: 1.6, 4: 2.2}
SPECIALTY_WORTH: Final = 0.3
PROGRESS_WORTH: Final = {1: 0.4, 2: 0.5, 3: 0.6}


class WantedOrder(Struct, frozen=True):
    slot: Slot
    recipe: int
    specialty: bool


class PourPlan(Struct, frozen=True):
    worth: float
    pours: tuple[tuple[int, int], ...]
    empty_first: tuple[int, ...]

    @property
    def intents(self) -> tuple[Intent, ...]:
        pours = [Pour(Ingredient(kind), cup) for kind, cup in self.pours]
        return (*map(EmptyCup, self.empty_first), *pours)


def wanted_orders(view: View, seat: int) -> tuple[WantedOrder, ...]:
    wanted = [
        WantedOrder(slot, pack(view.menu[drink].recipe), view.menu[drink].specialty)
        for slot, orders in enumerate(view.players[seat].orders, start=1)
        for drink in orders
    ]
    return tuple(sorted(wanted, key=lambda order: (-order.slot, size(order.recipe))))


def own_cups(own: OwnView) -> tuple[int, ...]:
    return tuple(pack(cup) for cup in own.cups)


def plan_pours(cups: tuple[int, ...], hand: int, orders: tuple[WantedOrder, ...]) -> PourPlan:
    recipes = [order.recipe for order in orders]
    junk = {
        cup
        for cup, contents in enumerate(cups, start=1)
        if contents and not any(within(contents, recipe) for recipe in recipes)
    }
    free = {cup: 0 if cup in junk else contents for cup, contents in enumerate(cups, start=1)}
    pours: list[tuple[int, int]] = []
    worth, waiting = 0.0, []
    for order in orders:
        cup = _cup_to_complete(free, hand, order.recipe)
        if cup is None:
            waiting.append(order)
            continue
        missing = order.recipe - free.pop(cup)
        hand -= missing
        pours += [(kind, cup) for kind in kinds(missing)]
        worth += SERVE_WORTH[order.slot] + SPECIALTY_WORTH * order.specialty
    for order in waiting:
        if order.slot not in PROGRESS_WORTH or not free:
            continue
        cup, gain = _cup_to_fill(free, hand, order.recipe)
        if not cup:
            continue
        filled = free.pop(cup) + gain
        hand -= gain
        pours += [(kind, cup) for kind in kinds(gain)]
        share = size(filled) / size(order.recipe)
        worth += PROGRESS_WORTH[order.slot] * share * SERVE_WORTH[order.slot]
    return PourPlan(worth, tuple(pours), tuple(sorted(junk & {cup for _, cup in pours})))


def _cup_to_complete(free: dict[int, int], hand: int, recipe: int) -> int | None:
    fitting = [
        (size(recipe - contents), cup)
        for cup, contents in free.items()
        if within(contents, recipe) and within(recipe - contents, hand)
    ]
    return min(fitting)[1] if fitting else None


def _cup_to_fill(free: dict[int, int], hand: int, recipe: int) -> tuple[int, int]:
    best, found = 0, (0, 0)
    for cup, contents in free.items():
        if within(contents, recipe):
            gain = common(hand, recipe - contents)
            if size(contents + gain) > best:
                best, found = size(contents + gain), (cup, gain)
    return found


RUSH_COST: Final = 0.35
STEP_COST: Final = 0.001
MAX_STEPS: Final = 5
MIN_STEPS: Final = 3
MANY_PLACES: Final = 500


class Walk(Struct, frozen=True):
    steps: tuple[Step, ...]
    hand: int
    rush: int
    pours: PourPlan


def best_walk(view: View) -> Walk:
    own = view.own
    assert own is not None  # spectators do not move
    state = begin = _state(view, own)
    search = _deepest(_Search(own_cups(own), wanted_orders(view, own.seat), MIN_STEPS), state)
    steps: list[Step] = []
    while (step := search.best_step(state)) is not None:
        steps.append(step)
        state = advance(state, step)
    pours = plan_pours(search.cups, state.hand, search.orders)
    return Walk(tuple(steps), state.hand, state.rush - begin.rush, pours)


class _Search(Struct):
    cups: tuple[int, ...]
    orders: tuple[WantedOrder, ...]
    depth: int
    pours: dict[int, float] = {}
    places: dict[tuple[int, ...], float] = {}

    def worth(self, state: State) -> float:
        place = (state.meeple or 0, state.path[-1], state.hand, len(state.path))
        if place not in self.places:
            onward = [self._after(state, step) for step in self.steps(state)]
            self.places[place] = max([self.stopping(state), *onward])
        return self.places[place]

    def best_step(self, state: State) -> Step | None:
        found, best = None, self.stopping(state)
        for step in self.steps(state):
            worth = self._after(state, step)
            if worth > best:
                found, best = step, worth
        return found

    def steps(self, state: State) -> list[Step]:
        legal = legal_intents(state)
        if len(state.path) > self.depth and _may_stop(legal):
            return []
        return [intent for intent in legal if isinstance(intent, Step)]

    def stopping(self, state: State) -> float:
        if not _may_stop(legal_intents(state)):
            return float("-inf")
        if state.hand not in self.pours:
            self.pours[state.hand] = plan_pours(self.cups, state.hand, self.orders).worth
        return self.pours[state.hand]

    def _after(self, state: State, step: Step) -> float:
        after = advance(state, step)
        return self.worth(after) - RUSH_COST * (after.rush - state.rush) - STEP_COST


def _deepest(search: _Search, state: State) -> _Search:
    search.best_step(state)
    while search.depth < MAX_STEPS and len(search.places) < MANY_PLACES:
        search = _Search(search.cups, search.orders, search.depth + 1, search.pours)
        search.best_step(state)
    return search


def _may_stop(legal: tuple[Intent, ...]) -> bool:
    return any(isinstance(one, (ReturnRest, EndTurn)) for one in legal)


def _state(view: View, own: OwnView) -> State:
    one, two, three = own_cups(own)
    players = tuple(
        Player(
            orders=player.orders,
            meeples=player.meeples,
            cups=(one, two, three) if seat == own.seat else (0, 0, 0),
            rush=player.rush,
            upgrades=sum(active << index for index, active in enumerate(player.upgrades)),
        )
        for seat, player in enumerate(view.players)
    )
    standing = sum(
        1 << cell
        for seat, player in enumerate(view.players)
        for index, cell in enumerate(player.meeples, start=1)
        if (seat, index) != (view.active, view.meeple)
    )
    return State(
        menu=menu_of(view.menu),
        players=players,
        deck=(),
        supply=pack(view.supply),
        rush=view.rush_supply,
        discards=(),
        removed=(),
        start=view.start,
        active=view.active,
        phase=view.phase,
        standing=standing,
        hand=pack(own.hand),
        path=view.path,
        meeple=None if view.meeple is None else view.meeple - 1,
    )
