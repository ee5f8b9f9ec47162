"""Plan a whole turn by the learned value; the bot Expert also looks one round ahead."""

from collections.abc import Sequence
from itertools import chain, product
from operator import itemgetter
from random import Random
from statistics import fmean
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.rules import Player, State, advance, legal_intents, view_for
from coffeerush.rules.board import ONE, common, ingredient, kinds, size, within
from coffeerush.rules.engine import end_turn
from coffeerush.rules.state import acting, with_player
from protocol import (
    CUPS,
    SLOTS,
    Cup,
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

from .outcomes import ROUNDING, TurnOutcome, after, demand, intents, outcomes, sample_state
from .values import NextTurn, Weights, after_turn, next_turn, result, scores_of, shipped_weights

MANY_VALUED: Final = 12
"""How many outcomes are fully valued for each choice of an upgrade."""
MANY_FIRST: Final = 8
"""The same for a first turn, while meeples are placed."""
ABOUT_EQUAL: Final = 0.05
"""Values that differ by less are about the same: their error is larger."""


class Candidate(Struct, frozen=True):
    """An outcome of a turn and what it is worth."""

    value: float
    """The expected result, in the unit of `Weights.value`."""
    state: State
    """The State before `EndTurn`; its hidden parts are those that the search was given."""
    outcome: TurnOutcome


class Plan(Struct, frozen=True):
    """A plan for the rest of a turn."""

    intents: tuple[Intent, ...]
    """All intents to the end of the turn; `EndTurn` is the last. Placing is one intent."""
    value: float
    """The expected result: a win is worth 1 and par 0, with a little for the margin."""
    served: tuple[tuple[int, int], ...]
    """The drink and the slot, from 1, of each order that the plan serves; in the setup, those that
    the first turn can serve."""
    next_turn: NextTurn
    """What can be served in the turn after it; nothing if the game ends before that."""
    forgone: int = 0
    """How many orders more could be served in this turn, if the next one served fewer."""
    unsaved: int = 0
    """How many orders fewer would expire if as many others were served, for less in the end."""
    saving: int = 0
    """How many orders at most are served by a turn in which fewer expire; 0 if none is known."""


def candidates(
    state: State, weights: Weights, most: int = MANY_VALUED, upgrades: bool = True
) -> list[Candidate]:
    """Return the best outcomes of the active seat's turn, the most valuable first.

    What is hidden from the seat makes no difference.

    Args:
        state: the active seat is in any phase of a turn.
        weights: for the values.
        most: how many outcomes are fully valued for each choice of an upgrade.
        upgrades: whether to consider upgrades.
    """
    valued = []
    for outcome in outcomes(state, most, upgrades):
        played = after(state, outcome)
        valued.append(Candidate(weights.value(played), played, outcome))
    return sorted(valued, key=lambda candidate: -candidate.value)


def plan_turn(view: View, upgrades: bool = True) -> Plan:
    """Plan the rest of the turn of the View's owner, who is active, or the rest of the setup.

    It activates an upgrade only if it also uses it: who just paid for one wants to see it work.
    `upgrades`: whether to consider upgrades.
    """
    # any sample will do: only what is public, or the owner's, counts
    state, weights = sample_state(view, 0), shipped_weights()
    match view.phase:
        case Phase.PLACING:
            place = best_place(state, weights)
            return _setup_plan((place,), _placed(state, place), weights)
        case Phase.FILLING:
            pours = best_filling(state, weights)
            return _setup_plan(pours, _filled(state, pours), weights)
    found = candidates(state, weights, upgrades=upgrades)
    if not found:  # no real game: a View that contradicts itself
        return Plan((EndTurn(),), 0.0, (), NextTurn(0.0, 0, ()))
    chosen = _serving_most(found, _surest(_with_used_upgrades(state, found)))
    if view.phase is Phase.POURING:
        chosen = _fullest(found, chosen)
    left, expiring = _left(chosen)
    plan = plan_of(state, chosen)
    if after_turn(chosen.state).turns[0]:
        plan = _keeping(state, chosen, plan)
    elif state.closed:
        plan = _pouring_to_serve(plan)
    busiest = min(found, key=lambda candidate: (_left(candidate)[0], -candidate.value))
    forgone = left - _left(busiest)[0]
    if forgone and len(plan_of(state, busiest).next_turn.serves) >= len(plan.next_turn.serves):
        forgone = 0
    others = [_left(candidate) for candidate in found]
    return replace(
        plan,
        forgone=forgone,
        unsaved=expiring - min(other[1] for other in others if other[0] == left),
        saving=max(
            (len(plan.served) + left - other[0] for other in others if other[1] < expiring),
            default=0,
        ),
    )


def _with_used_upgrades(state: State, found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without those of an upgrade that the turn after it would not use."""
    groups: dict[Upgrade | None, list[Candidate]] = {}
    for candidate in found:
        groups.setdefault(candidate.outcome.ending.start.upgrade, []).append(candidate)
    idle = {upgrade for upgrade, group in groups.items() if not _is_used(state, _surest(group))}
    return [turn for turn in found if turn.outcome.ending.start.upgrade not in idle]


def _is_used(state: State, candidate: Candidate) -> bool:
    """Return whether a candidate's turn needs the upgrade that it activates, if it does."""
    if candidate.outcome.ending.start.upgrade is None:
        return True
    turn = intents(state, candidate.outcome)
    for intent in turn:
        if isinstance(intent, EmptyCup | Step):
            if intent not in legal_intents(state):
                return True
            state = advance(state, intent)
    return not within(
        sum(ONE[intent.ingredient] for intent in turn if isinstance(intent, Pour)), state.hand
    )


def _surest(found: Sequence[Candidate]) -> Candidate:
    """Return the candidate that serves most, of those about as good as the best one.

    Else a plan would drop an order in the middle of a turn that it could still serve. Of those that
    serve as many, it is one that lets fewest expire. And no cup is emptied for what another can
    hold as well.
    """
    good = [candidate for candidate in found if candidate.value > found[0].value - ABOUT_EQUAL]
    best = min(good, key=lambda candidate: (_left(candidate), -candidate.value))
    equal = (
        candidate
        for candidate in good
        if _left(candidate) == _left(best) and candidate.value > best.value - ROUNDING
    )
    return min(equal, key=lambda candidate: len(candidate.outcome.emptied))


def _serving_most(found: Sequence[Candidate], chosen: Candidate) -> Candidate:
    """Return the candidate that serves most, of those with the same walk.

    Who has collected for two orders wants to serve both, and to keep one wins no more games.
    """
    walk = chosen.outcome.ending, chosen.outcome.collecting
    same = (turn for turn in found if (turn.outcome.ending, turn.outcome.collecting) == walk)
    return min(same, key=lambda turn: (_left(turn), -turn.value, len(turn.outcome.emptied)))


def _fullest(found: Sequence[Candidate], chosen: Candidate) -> Candidate:
    """Return the candidate that leaves most for later, of those that serve the same.

    The value likes to spread tokens over cups, which wins no more games and is hard to follow.
    """
    _, player = acting(chosen.state)
    same = (candidate for candidate in found if acting(candidate.state)[1].orders == player.orders)
    return max(same, key=lambda candidate: (*_prepared(candidate.state), candidate.value))


def _prepared(state: State) -> tuple[int, int]:
    """Return what is in cups for orders that stay open, an order per cup; and the least lack."""
    _, player = acting(state)
    recipes, cups = tuple(state.menu.by_recipe), player.cups
    waiting = [recipes[drink] for slot in player.orders[: SLOTS - 1] for drink in slot]
    fitting = [[at for at, recipe in enumerate(waiting) if within(cup, recipe)] for cup in cups]
    most = 0
    for way in product(*([-1, *fits[:CUPS]] for fits in fitting)):
        taken = [at for at in way if at >= 0]
        if len(set(taken)) == len(taken):
            most = max(most, sum(size(cup) for cup, at in zip(cups, way, strict=True) if at >= 0))
    lacks = [
        size(cup) - size(waiting[at])
        for cup, fits in zip(cups, fitting, strict=True)
        for at in fits
    ]
    return most, max(lacks, default=0)


def _keeping(state: State, chosen: Candidate, plan: Plan) -> Plan:
    """Return the plan with what it would give back in cups for orders that wait, if that is free.

    The search pours into each cup for one order only. A cup can be emptied at any time, so that a
    token in it costs nothing, unless the next turn could then serve less.
    """
    if ReturnRest() not in plan.intents:
        return plan
    rush = after_turn(chosen.state).rush
    at = plan.intents.index(ReturnRest())
    for intent in plan.intents[:at]:
        state = advance(state, intent)
    serving = {intent.cup for intent in plan.intents if isinstance(intent, Serve)}
    kept, coming = chosen.state, plan.next_turn
    pours: list[Pour] = []
    for kind in kinds(state.hand):
        ways = [
            (_prepared(filled), -cup, filled)
            for cup in range(1, CUPS + 1)
            if cup not in serving
            for filled in [_with_token(kept, cup, kind)]
        ]
        prepared, cup, filled = max(ways, key=itemgetter(0, 1), default=(_prepared(kept), 0, kept))
        then = next_turn(filled, rush)
        if prepared[0] > _prepared(kept)[0] and then.worth >= coming.worth:
            kept, coming = filled, then
            pours.append(Pour(Ingredient(kind), -cup))
    rest = () if len(pours) == size(state.hand) else (ReturnRest(),)
    turn = (*plan.intents[:at], *pours, *rest, *plan.intents[at + 1 :])
    return replace(plan, intents=turn, next_turn=coming)


def _pouring_to_serve(plan: Plan) -> Plan:
    """Return the plan of a last turn without what is done to cups that serve nothing.

    What is emptied before a walk stays, since the walk may pick it up again.
    """
    serving = {intent.cup for intent in plan.intents if isinstance(intent, Serve)}
    walks = any(isinstance(intent, Step) for intent in plan.intents)
    useless = Pour if walks else Pour | EmptyCup
    idle = [one for one in plan.intents if isinstance(one, useless) and one.cup not in serving]
    if not idle:
        return plan
    turn = [one for one in plan.intents if one not in idle and one != ReturnRest()]
    poured = [at for at, one in enumerate(turn) if isinstance(one, EmptyCup | Step | Pour)]
    at = max(poured, default=-1) + 1
    return replace(plan, intents=(*turn[:at], ReturnRest(), *turn[at:]))


def _with_token(state: State, cup: Cup, kind: int) -> State:
    """Return the State with one more token in a cup of the active seat."""
    seat, player = acting(state)
    cups = list(player.cups)
    cups[cup - 1] += ONE[kind]
    one, two, three = cups
    filled = replace(player, cups=(one, two, three))
    return replace(state, players=with_player(state, seat, filled))


def _left(candidate: Candidate) -> tuple[int, int]:
    """Return how many orders a candidate leaves open, and how many of these expire."""
    orders = acting(candidate.state)[1].orders
    return sum(map(len, orders)), len(orders[-1])


def most_promising(states: Sequence[State]) -> int:
    """Return the first of these States of one turn from which a plan is about as good as can be."""
    weights = shipped_weights()
    plans = [_surest(candidates(state, weights)) for state in states]
    best = _surest(sorted(plans, key=lambda plan: -plan.value))
    good = (plan.value > best.value - ABOUT_EQUAL and _left(plan) == _left(best) for plan in plans)
    return [*good].index(True)


def _setup_plan(actions: tuple[Intent, ...], begun: State, weights: Weights) -> Plan:
    """Return the plan that consists of `actions`, with the results of the first turn after them."""
    first = _surest(candidates(begun, weights, MANY_FIRST))
    return replace(plan_of(begun, first), intents=actions)


def plan_of(state: State, chosen: Candidate) -> Plan:
    """Return the plan that leads from `state` to a candidate."""
    actions = intents(state, chosen.outcome)
    seat, _ = acting(state)
    served = []
    for intent in actions:
        if isinstance(intent, Serve):
            drink = state.menu.by_recipe[state.players[seat].cups[intent.cup - 1]]
            served.append((drink, intent.slot))
        if not isinstance(intent, EndTurn):
            state = advance(state, intent)
    end = after_turn(chosen.state)
    coming = next_turn(chosen.state, end.rush) if end.turns[0] else NextTurn(0.0, 0, ())
    return Plan(actions, chosen.value, tuple(served), coming)


def before_end(state: State, turn: Sequence[Intent]) -> State:
    """Return the State after the intents of a turn, before its `EndTurn`; nothing can be undone."""
    for intent in turn:
        if not isinstance(intent, EndTurn):
            state = advance(state, intent)
    return replace(state, previous=None)


def best_place(state: State, weights: Weights) -> PlaceMeeple:
    """Return the cell for the active seat's next meeple whose first turn is worth most."""
    places = [intent for intent in legal_intents(state) if isinstance(intent, PlaceMeeple)]
    return max(places, key=lambda place: _worth(_placed(state, place), weights))


def best_filling(state: State, weights: Weights) -> tuple[Intent, ...]:
    """Return the best pours of the first meeples' tokens: into one cup, or each into its own."""
    tokens = kinds(state.hand)
    ways = [
        [Pour(Ingredient(kind), cup) for kind, cup in zip(tokens, into, strict=True)]
        for into in product(range(1, CUPS + 1), repeat=len(tokens))
    ]
    return (*max(ways, key=lambda pours: _worth(_filled(state, pours), weights)), EndTurn())


def _placed(state: State, place: PlaceMeeple) -> State:
    """Return the State in which the active seat's first turn begins after its next meeple."""
    _, player = acting(state)
    meeples = (*player.meeples, place.cell)
    return _begun(state, meeples, [ONE[ingredient(cell)] for cell in meeples])


def _filled(state: State, pours: Sequence[Intent]) -> State:
    """Return the State in which the active seat's first turn begins after pouring."""
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
    """Return the value of the active seat's first turn."""
    return candidates(begun, weights, MANY_FIRST)[0].value


class PlannerBot:
    """Play the outcome with the best value, without looking beyond the turn."""

    def __init__(self) -> None:
        self._weights = shipped_weights()
        self._rest: tuple[Intent, ...] = ()
        """What is left of the plan for the turn."""
        self._expected: tuple[object, ...] = ()
        """The situation in which it goes on."""

    def choose(self, view: View, chance: Random) -> Intent:
        """Return the next intent of the plan; plan if there is none, or if it no longer fits."""
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
        return intents(state, self.best(view, self.found(state), chance).outcome)

    def found(self, state: State) -> list[Candidate]:
        """Return the candidates for a turn, the most valuable first."""
        return candidates(state, self._weights)

    def best(self, view: View, found: list[Candidate], chance: Random) -> Candidate:
        """Return the candidate to play, of those found, which are sorted by value."""
        return found[0]


def _situation(view: View) -> tuple[object, ...]:
    """Return all that a plan depends on and that changes while it is carried out."""
    own = view.own
    assert own is not None  # bots are never spectators
    return (view.round, view.phase, view.path, view.players[own.seat], own.cups, own.hand)


# The expert bot: a planner that looks one round ahead, into samples of what is hidden
#
# Values of outcomes differ by less than their error. To tell the best ones apart, each is played on
# in the same samples: the others play hasty turns, then the seat's own next turn is valued. The
# budget is a number of samples, so that a game can be replayed on any machine.


STAGES: Final = (1, 2, 4)
"""Samples by stage; each stage has half as many outcomes to compare."""
MANY_COMPARED: Final = {2: 8, 3: 16, 4: 16}
"""By number of players: a sample takes longer with two, as a seat then has two meeples."""
CLOSE: Final = 0.2
"""Outcomes that the planner values lower than its best by more than this are not compared."""
MANY_NEXT: Final = 4
"""How many outcomes of the seat's next turn are valued."""


def lookahead(
    view: View, turns: Sequence[Sequence[Intent]], samples: int, seed: int
) -> list[float]:
    """Return the value of each way to play a turn one round later, in the unit of plans' values.

    Args:
        view: of the seat whose turn it is, in any phase of the turn.
        turns: for each way, the legal intents of the rest of the turn; `EndTurn` may be missing.
        samples: how often the hidden cards and tokens are drawn; the same ones for all ways.
        seed: for the samples.
    """
    chance = Random(seed)
    drawn = [(_sample(view, chance), _RestOfRound(shipped_weights())) for _ in range(samples)]
    return [fmean(rest.value(before_end(state, turn)) for state, rest in drawn) for turn in turns]


def _sample(view: View, chance: Random) -> State:
    return sample_state(view, int(chance.random() * 2**32), likely=True)


class _RestOfRound:
    """Play a sample on until the seat's next turn, for each of several ways to play this one.

    The others play hasty turns: those with the best rank, without upgrades, and with at most one
    rush token.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._hasty: dict[tuple[Player, int, int], TurnOutcome] = {}
        """The others' turns, by all that they depend on."""

    def value(self, state: State) -> float:
        """Return the value of the active seat's next turn; `state` is before `EndTurn`.

        The States differ in the active seat's turn only. The deck and the others' cups are taken as
        they are.
        """
        seat, count = acting(state)[0], len(state.players)
        piles = [list(state.deck[first::count]) for first in range(count)]
        state = _end_turn(state, piles)
        while state.active not in (seat, None):
            state = _end_turn(self._others_turn(state), piles)
        if state.active is None:
            return result(scores_of(state), seat)
        return candidates(state, self._weights, MANY_NEXT, upgrades=False)[0].value

    def _others_turn(self, state: State) -> State:
        _, player = acting(state)
        same = player, state.standing, common(demand(state), state.supply)
        if same not in self._hasty:
            [self._hasty[same]] = outcomes(state, 1, upgrades=False, most_rush=1)
        return after(state, self._hasty[same])


def _end_turn(state: State, piles: Sequence[list[int]]) -> State:
    """End a turn; each seat draws from a pile of its own while there is one.

    So the cards that a seat draws do not depend on how many others draw, which would be noise.
    """
    seat, drawn = acting(state)[0], after_turn(state).drawn
    deck = [
        (piles[(seat + left) % len(piles)] or max(piles, key=len)).pop()
        for left in (*range(1, len(piles)), 0)
        for _ in range(drawn[left])
    ]
    return end_turn(replace(state, deck=(*deck, *chain.from_iterable(piles))))


class ExpertBot(PlannerBot):
    """Play the outcome that is worth most one round later."""

    def found(self, state: State) -> list[Candidate]:
        """Return twice as many candidates as are compared."""
        return candidates(state, self._weights, 2 * MANY_COMPARED[len(state.players)])

    def best(self, view: View, found: list[Candidate], chance: Random) -> Candidate:
        """Return the best of the candidates that are about as good as the first one.

        The better half of them goes on to the next stage. The planner's value counts like a sample,
        since that of a few samples is also uncertain.
        """
        most, least = MANY_COMPARED[len(view.players)], found[0].value - CLOSE
        left = [(first.value, first) for first in found[:most] if first.value > least]
        for samples in STAGES:
            if len(left) == 1:
                break
            for _ in range(samples):
                state, rest = _sample(view, chance), _RestOfRound(self._weights)
                left = [(sum_ + rest.value(after(state, c.outcome)), c) for sum_, c in left]
            left = sorted(left, key=itemgetter(0), reverse=True)[: (len(left) + 1) // 2]
        return left[0][1]
