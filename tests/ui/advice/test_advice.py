"""Help with a turn: pours, walks, hints."""

import re
from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.bots.outcomes import sample_state
from coffeerush.bots.planner import ABOUT_EQUAL, Plan, plan_turn
from coffeerush.bots.values import after_turn, next_turn
from coffeerush.client.model import Model
from coffeerush.client.turn import tokens_to_pour
from coffeerush.rules import (
    Setup,
    State,
    advance,
    apply,
    deal,
    legal_intents,
    standard_deck,
    view_for,
)
from coffeerush.rules.board import kinds
from coffeerush.ui.advice.advice import (
    ShortWalk,
    advised,
    cup_purposes,
    following_drinks,
    hint,
    open_orders,
    plan_words,
    planned,
    pour_line,
    pours_of,
    suggested_pours,
    walk_to,
)
from coffeerush.ui.words.names import direction_name, drink_name, ingredient_name, item_list
from protocol import (
    SLOTS,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Meeple,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Step,
    Upgrade,
    View,
)
from tests.support.local import acting, begun
from tests.support.positions import Has, cards, dealt, in_words, play, position, ready, tokens, walk
from tests.support.steering import TABLES, setup_of, steered
from tests.support.twins import remixed

# Missing ingredients of orders, and suggested pours


def views(players: int, seed: int) -> list[tuple[State, Seat, View]]:
    """Return every State of a random game with the active seat's View."""
    chance = Random(seed)
    state = deal(Setup(players, standard_deck(), seed))
    found: list[tuple[State, Seat, View]] = []
    while state.active is not None and len(found) < 1500:
        seat = state.active
        found.append((state, seat, view_for(state, seat)))
        intent = chance.choice(legal_intents(state))
        if chance.random() < 0.8:
            intent = RegularBot().choose(found[-1][2], chance)
        state = apply(state, seat, intent)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_suggestion_is_legal_to_its_end_and_empties_the_hand(players: int) -> None:
    poured = 0
    for state, seat, view in views(players, players):
        suggestion = suggested_pours(view)
        can_pour = any(isinstance(one, Pour) for one in legal_intents(state))
        assert bool(suggestion) == can_pour
        for intent in suggestion:
            state = apply(state, seat, intent)
        if suggestion:
            poured += 1
            assert state.hand == 0
            assert all(isinstance(one, Pour | EmptyCup | ReturnRest) for one in suggestion)
    assert poured


@pytest.mark.slow
def test_what_a_plan_keeps_is_counted_for_the_next_turn_and_nothing_in_a_last_one() -> None:
    kept = 0
    for state, _seat, view in views(3, 13):
        if not view.round:
            continue
        plan = plan_turn(view)
        pours = [one for one in plan.intents if isinstance(one, Pour)]
        serving = {one.cup for one in plan.intents if isinstance(one, Serve)}
        sample = play(sample_state(view, 0), *plan.intents[:-1])
        end = after_turn(sample)
        if end.turns[0]:
            assert plan.next_turn == next_turn(sample, end.rush)
            kept += any(one.cup not in serving for one in pours)
        elif view.closed:
            assert {one.cup for one in pours} <= serving
        assert state.active == sample.active
    assert kept


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, 11])
def test_no_pour_of_a_plan_makes_the_next_one_serve_less(seed: int) -> None:
    link, compared = begun(("regular", "casual"), seed=seed), 0
    while acting(link.local) is link:
        view = link.model.view
        assert view is not None
        plan = planned(view)
        if view.round and isinstance(plan.intents[0], Pour):
            state = sample_state(view, 0)
            for pour in {one for one in plan.intents if isinstance(one, Pour)}:
                then = planned(view_for(advance(state, pour), state.active))
                assert len(then.served) >= len(plan.served)
                compared += 1
        link.wish(plan.intents[0])
    assert compared


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_pours_name_each_cup_once_in_the_order_in_which_keys_pour_the_hand(players: int) -> None:
    unlike = 0
    for _state, _seat, view in views(players, players):
        pours = [one for one in suggested_pours(view) if isinstance(one, Pour)]
        if view.own is None or len(pours) < 2 or ReturnRest() in suggested_pours(view):
            continue
        told = pour_line(view.own, suggested_pours(view))
        kinds_told = [pour.ingredient for pour in pours]
        assert kinds_told == tokens_to_pour(view.own.hand, (), view.path)
        cups = [*dict.fromkeys(pour.cup for pour in pours)]
        assert re.findall(r"into cup (\d)", told) == [str(cup) for cup in cups]
        unlike += cups != sorted(cups)
        named = [
            ingredient_name(one)
            for cup in cups
            for one in dict.fromkeys(pour.ingredient for pour in pours if pour.cup == cup)
        ]
        assert re.findall("|".join(map(ingredient_name, Ingredient)), told) == named
    assert unlike


@pytest.mark.parametrize("seed", range(20))
def test_before_the_first_turn_no_cup_is_emptied(seed: int) -> None:
    """After any manual pours, a token that fits no order stays where it is (R-SETUP-5)."""
    state = dealt(2, seed)
    while state.phase is not Phase.FILLING:
        state = play(state, legal_intents(state)[0])
    for cup in (1, 2, 3):
        poured = play(state, Pour(Ingredient(kinds(state.hand)[0]), cup))
        seat = poured.active or 0
        assert play(poured, *suggested_pours(view_for(poured, seat))).hand == 0


def pouring(orders: tuple[str, ...], cups: tuple[str, ...], hand: str) -> State:
    """Return the position of a player who has walked and has a hand to pour."""
    state = position(Has(orders, cups), Has(), Has())
    held = tokens(hand)
    return replace(
        state,
        phase=Phase.POURING,
        hand=held,
        supply=state.supply - held,
        path=(0, 1),
        meeple=0,
        standing=state.standing & ~1,
    )


def test_pours_keep_an_order_that_expires_when_another_way_looks_as_good() -> None:
    """Either serves one order."""
    orders = ("Flat white, Caffe latte", "", "", "Cappuccino")
    state = pouring(orders, ("", "coffee steam"), "coffee milk milk steam")
    view = view_for(state, state.active or 0)
    assert following_drinks(view) == cards("Cappuccino")


@pytest.mark.parametrize(
    ("orders", "cups", "hand", "left"),
    [
        # an order one token away, rather than two orders further away
        (("Caffe latte, Cappuccino", "Espresso"), ("coffee",), "milk coffee steam", "coffee milk"),
        (("Cappuccino", "Espresso, Caffe latte"), ("coffee",), "milk coffee steam", "coffee milk"),
        # two cups for the same order are of no use
        (("Chai latte, Granita",), (), "milk tea", "milk tea"),
    ],
)
def test_of_pours_that_serve_the_same_one_leaves_the_most(
    orders: tuple[str, ...], cups: tuple[str, ...], hand: str, left: str
) -> None:
    state = pouring(orders, cups, hand)
    intents = planned(view_for(state, 0)).intents
    player = play(state, *intents[:-1]).players[0]
    assert sum(map(len, player.orders)) == sum(map(len, state.players[0].orders)) - bool(cups)
    assert sorted(filter(None, map(in_words, player.cups))) == [left]


@pytest.mark.slow
def test_what_is_set_aside_goes_back() -> None:
    for _state, _seat, view in views(3, 7):
        if view.phase is Phase.FILLING or not suggested_pours(view) or view.own is None:
            continue
        kind = next(one for one in Ingredient if view.own.hand[one])
        suggestion = suggested_pours(view, (kind,))
        assert suggestion[-1] == ReturnRest()
        poured = [one.ingredient for one in suggestion if isinstance(one, Pour)]
        assert poured.count(kind) < view.own.hand[kind]


def test_orders_come_by_urgency_with_what_their_best_cup_lacks() -> None:
    for _state, seat, view in views(3, 9):
        orders = open_orders(view, seat)
        assert [order.slot for order in orders] == sorted((o.slot for o in orders), reverse=True)
        assert len(orders) == sum(map(len, view.players[seat].orders))
        assert view.own is not None
        full: set[int | None] = set()
        for order in orders:
            recipe = view.menu[order.drink].recipe
            whole = tuple(a + b for a, b in zip(order.held, order.missing, strict=True))
            assert whole == recipe
            fitting = [
                sum(recipe) - sum(cup)
                for number, cup in enumerate(view.own.cups, start=1)
                if number not in full
                and all(have <= want for have, want in zip(cup, recipe, strict=True))
            ]
            assert order.lacks == min(fitting, default=sum(recipe))
            if not order.lacks:
                full.add(order.cup)


def test_two_orders_of_one_drink_have_a_cup_each() -> None:
    has = Has(orders=("", "", "Pot of tea", "Pot of tea"), cups=("", "tea", "tea"))
    view = view_for(position(has, Has(), Has()), 0)
    assert [order.cup for order in open_orders(view, 0)] == [2, 3]


def test_cups_that_fit_one_order_are_not_all_for_it() -> None:
    has = Has(orders=("Pot of tea", "Espresso"), cups=("tea", "tea", "milk"))
    view = view_for(position(has, Has(), Has()), 0)
    assert view.own is not None
    purposes = cup_purposes(view, view.own, open_orders(view, 0))
    first = purposes.pop(1)
    assert first is not None
    assert first.slot == 1
    assert purposes == {2: None}, "cup 3 fits no order"


def test_a_full_cup_is_ready_for_one_order_only() -> None:
    recipe = "tea water"
    has = Has(orders=("", "Pot of tea", "", "Pot of tea"), cups=("", recipe, ""))
    orders = open_orders(view_for(position(has, Has(), Has()), 0), 0)
    assert [(order.slot, order.lacks > 0) for order in orders] == [(4, False), (2, True)]
    assert orders[1].cup != orders[0].cup


def test_a_serve_is_marked_once_and_only_where_it_is_legal() -> None:
    marked = 0
    for players in (2, 3):
        for _state, seat, view in views(players, 31):
            assert view.own is not None
            legal = [one.intent for one in view.own.options if isinstance(one.intent, Serve)]
            serves = [order.serve for order in open_orders(view, seat) if order.serve]
            assert set(serves) <= set(legal)
            assert len({serve.cup for serve in serves}) == len(serves)
            assert bool(serves) == bool(legal)
            marked += len(serves)
    assert marked


def test_of_others_only_the_recipes_are_known() -> None:
    _state, seat, view = views(3, 2)[0]
    other = (seat + 1) % 3
    assert all(order.cup is None for order in open_orders(view, other))


# Walks to a cell some steps away: the shortest, legal to the last step, with what orders need


def found(state: State, cell: int, meeple: Meeple = 1) -> ShortWalk | None:
    return walk_to(view_for(state, state.active), meeple, cell)


def cells(walked: ShortWalk | None) -> list[int]:
    assert walked is not None
    return [step.cell for step in walked.steps]


FAR_AWAY = Has((), meeples=(3,)), Has((), meeples=(15,))


@pytest.mark.parametrize(
    ("cups", "way"), [((), [9, 8]), (("coffee",), [9, 8]), (("steam",), [4, 8])]
)
def test_of_equally_short_ways_that_with_what_the_orders_need(
    cups: tuple[str, ...], way: list[int]
) -> None:
    me = Has(("Espresso",), cups, meeples=(5,))
    assert cells(found(position(me, *FAR_AWAY), 8)) == way


@pytest.mark.parametrize(
    ("orders", "cups", "way"),
    [
        (("Iced tea", "", "", "Mocha"), ("milk chocolate",), [2, 3]),
        (("Babyccino", "", "", "Americano"), (), [7, 3]),
    ],
)
def test_of_ways_that_orders_need_as_much_the_one_that_serves(
    orders: tuple[str, ...], cups: tuple[str, ...], way: list[int]
) -> None:
    me = Has(orders, cups, meeples=(6,), rush=0)
    state = walk(position(me, Has((), meeples=(12,)), Has((), meeples=(15,))))
    assert cells(found(state, 3)) == way


def test_of_equally_good_ways_the_one_that_pours_more_and_not_that_of_the_hint() -> None:
    me = Has(("", "", "", "Chai latte, Cortado"), ("steam", "steam"), meeples=(15,), rush=1)
    state = position(me, Has((), meeples=(0,)), Has((), meeples=(13,)))
    steps = [one for one in planned(view_for(state, 0)).intents if isinstance(one, Step)]
    assert [step.cell for step in steps] == [14, 10, 11], "with chocolate, which goes back"
    assert cells(found(state, 10)) == [11, 10]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_cell_that_the_hint_leads_through_is_reached_without_loss(seed: int) -> None:
    for state, _intent, _after in steered(setup_of(3, False, seed)):
        if state.phase is not Phase.MOVING or state.path:
            continue
        view, sample = view_for(state, state.active), sample_state(view_for(state, state.active), 0)
        plan = planned(view)
        steps = [one for one in plan.intents if isinstance(one, Step)]
        walked = walk_to(view, steps[0].meeple, steps[-1].cell)
        if isinstance(plan.intents[0], Step) and walked and len(walked.steps) == len(steps):
            for step in walked.steps:
                sample = advance(sample, step)
            assert plan_turn(view_for(sample, sample.active)).value >= plan.value - ABOUT_EQUAL


def test_a_longer_walk_costs_rush_tokens() -> None:
    me = Has(("Espresso",), meeples=(0,), rush=2)
    free, paid, too_far = (found(position(me, *FAR_AWAY), cell) for cell in (9, 14, 15))
    assert free is not None
    assert (len(free.steps), free.rush) == (3, 0)
    assert paid is not None
    assert (len(paid.steps), paid.rush) == (5, 2)
    assert too_far is None


def test_steps_that_were_taken_count() -> None:
    state = walk(position(Has((), meeples=(0,)), *FAR_AWAY), 1)
    assert cells(found(state, 9)) == [5, 9]
    assert found(state, 13) is None


def test_another_meeple_is_passed_but_no_walk_ends_on_it() -> None:
    """R-MOVE-4."""
    state = position(Has((), meeples=(0,)), Has((), meeples=(1,)), Has((), meeples=(3,)))
    assert cells(found(state, 2)) == [1, 2]
    assert found(state, 3) is None


def test_the_nearer_meeple_walks_and_of_two_the_chosen_one() -> None:
    """R-MOVE-1: and once one has stepped, only that one."""
    state = position(Has((), meeples=(0, 2)), Has((), meeples=(14, 15)))
    nearer = found(state, 11)
    assert nearer is not None
    assert {step.meeple for step in nearer.steps} == {2}
    for meeple in (1, 2):
        chosen = found(state, 9, meeple)
        assert chosen is not None
        assert {step.meeple for step in chosen.steps} == {meeple}
    begun = found(walk(state, 4), 11)
    assert begun is None
    assert cells(found(walk(state, 4), 6)) == [5, 6]


def test_the_diagonal_upgrade_shortens_a_walk() -> None:
    """R-UPG-3."""
    me = Has((), meeples=(0,), upgrades=(Upgrade.DIAGONAL_MOVE,))
    walked = found(position(me, *FAR_AWAY), 10)
    assert walked == ShortWalk((Step(1, 5), Step(1, 10)), 0)


# The hint: a legal plan with its reason, based only on what the player may know


def model_of(state: State, seat: Seat | None = None) -> Model:
    """Return the model of the active seat, or of another one."""
    seat = state.active if seat is None else seat
    return Model("player", "Ann", status="here", seat=seat, view=view_for(state, seat))


def plan_by_hand(state: State, intents: tuple[Intent, ...]) -> Plan:
    """Return the plan of these intents and `EndTurn`, with what they bring."""
    served = []
    for intent in intents:
        if isinstance(intent, Serve):
            cups = state.players[state.active or 0].cups
            served.append((state.menu.by_recipe[cups[intent.cup - 1]], intent.slot))
        state = play(state, intent)
    coming = next_turn(state, after_turn(state).rush)
    return Plan((*intents, EndTurn()), 0.0, tuple(served), coming)


def told(state: State, *intents: Intent) -> str:
    """Return what the hint would say about a plan."""
    model = model_of(state)
    assert model.view is not None
    assert model.view.own is not None
    return plan_words(model, model.view, model.view.own, plan_by_hand(state, intents))


def steps(*cells: int, meeple: int = 1) -> tuple[Intent, ...]:
    return tuple(Step(meeple, cell) for cell in cells)


def pours(cup: int, words: str) -> tuple[Intent, ...]:
    return tuple(Pour(Ingredient[word.upper()], cup) for word in words.split())


FAR = Has(meeples=(12,)), Has(meeples=(15,))
ICED = (*steps(4, 0), *pours(1, "coffee ice"))
MOCHA = (*steps(9, 10, 14), *pours(1, "milk steam chocolate"))


@pytest.mark.parametrize(
    ("seats", "intents", "sentence"),
    [
        (
            (Has(("Iced coffee",), meeples=(5,)), *FAR),
            (*ICED, Serve(1, 1)),
            "Step left, up and take coffee and ice. That serves Iced coffee.",
        ),
        (
            (Has(("Espresso", "", "", "Iced coffee"), meeples=(5,)), *FAR),
            (*ICED, Serve(1, 4)),
            "Step left, up and take coffee and ice. That serves Iced coffee and saves 1 penalty; "
            "next turn, Espresso is 3 steps away.",
        ),
        (
            (Has(("Iced coffee", "", "", "Espresso"), meeples=(5,)), *FAR),
            (*ICED, Serve(1, 1)),
            "Step left, up and take coffee and ice. That serves Iced coffee. Espresso becomes a "
            "penalty.",
        ),
        (
            (Has(("Mocha",), ("coffee",), meeples=(5,)), *FAR),
            (*MOCHA, Serve(1, 1)),
            "Step down, right, down and take steam, milk and chocolate. That serves Mocha and "
            "earns 1 rush token.",
        ),
        (
            (Has(("", "", "", "Mocha"), ("coffee",), meeples=(5,)), *FAR),
            (*MOCHA, Serve(1, 4)),
            "Step down, right, down and take steam, milk and chocolate. That serves Mocha, saves "
            "1 penalty and earns 1 rush token.",
        ),
        (
            (Has(("Mocha",), meeples=(5,)), *FAR),
            MOCHA,
            "Step down, right, down and take steam, milk and chocolate. Next turn, Mocha is 2 "
            "steps away.",
        ),
        (
            (Has(("", "", "", "Mocha"), meeples=(5,)), *FAR),
            MOCHA,
            "Step down, right, down and take steam, milk and chocolate. None of your orders needs "
            "that now. Mocha can no longer be served, and becomes a penalty.",
        ),
        (
            (Has(("Iced coffee",), ("tea", "tea", "tea"), meeples=(5,)), *FAR),
            (EmptyCup(1), *ICED, Serve(1, 1)),
            "First empty cup 1. Step left, up and take coffee and ice. That serves Iced coffee.",
        ),
        (
            (Has(("Iced coffee",), meeples=(5, 6)), Has(meeples=(14, 15))),
            (*ICED, Serve(1, 1)),
            "With the meeple on milk, row 2, column 2: step left, up and take coffee and ice. That "
            "serves Iced coffee.",
        ),
        (
            (
                Has(("", "", "", "Mocha"), ("coffee milk",), meeples=(12,), rush=1),
                Has(meeples=(5,)),
                Has(meeples=(15,)),
            ),
            (*steps(13, 14, 10, 9), *pours(1, "steam chocolate"), ReturnRest(), Serve(1, 4)),
            "Step right, right, up, left and take ice, chocolate, milk and steam, for 1 rush "
            "token. That serves Mocha, saves 1 penalty and earns 1 rush token.",
        ),
        (
            (Has(("Americano",), ("coffee", "coffee", "coffee"), meeples=(8,)), *FAR),
            (*steps(4), ReturnRest()),
            "Step up and take coffee. Next turn, Americano is 3 steps away.",
        ),
        (
            (Has(meeples=(5,)), *FAR),
            (*steps(1), *pours(1, "caramel")),
            "Step up and take caramel. You have no orders.",
        ),
        (
            (Has(("Mocha",), completed=3), Has(), Has()),
            (ActivateUpgrade(Upgrade.DOUBLE_CORNERS), *steps(1), ReturnRest()),
            "Activate double corners: twice the ingredients on the four corners. Then: step right "
            "and take caramel.",
        ),
    ],
)
def test_steps_with_what_they_bring(
    seats: tuple[Has, ...], intents: tuple[Intent, ...], sentence: str
) -> None:
    assert told(position(*seats), *intents) == sentence


@pytest.mark.parametrize(
    ("mine", "cells", "intents", "sentence"),
    [
        (
            Has(("Iced coffee",), meeples=(5,)),
            (4, 0),
            (*pours(1, "coffee ice"), Serve(1, 1)),
            "Pour coffee and ice into cup 1. That serves Iced coffee.",
        ),
        (
            Has(("Iced coffee",), meeples=(5,)),
            (6, 7, 11),
            (*pours(1, "coffee ice"), ReturnRest(), Serve(1, 1)),
            "Pour coffee and ice into cup 1. Give water back to the supply. None of your orders "
            "needs that now. That serves Iced coffee.",
        ),
        (
            Has(("", "", "Caramel mocha"), ("water", "water", "water"), meeples=(5,)),
            (6, 7, 11),
            (EmptyCup(1), *pours(1, "coffee"), ReturnRest()),
            "Empty cup 1. Pour coffee into cup 1. Give ice and water back to the supply. None of "
            "your orders needs that now. After that, Caramel mocha still needs milk, chocolate "
            "and caramel in cup 1.",
        ),
        (
            Has(("", "", "", "Iced tea"), meeples=(5,)),
            (4, 5, 9),
            (ReturnRest(),),
            "Give coffee, milk and steam back to the supply. None of your orders needs that now.",
        ),
        (
            Has(("Lungo",), ("milk", "milk", "milk"), meeples=(5,)),
            (4,),
            (ReturnRest(),),
            "Give coffee back to the supply. None of your cups can take that now.",
        ),
        (
            Has(("Lungo",), meeples=(5,)),
            (4,),
            (ReturnRest(),),
            "Give coffee back to the supply.",
        ),
        (
            Has(("", "", "", "Iced tea"), meeples=(5,)),
            (4,),
            pours(2, "coffee"),
            "Pour coffee into cup 2. None of your orders needs that now.",
        ),
    ],
)
def test_pours_with_what_they_bring(
    mine: Has, cells: tuple[int, ...], intents: tuple[Intent, ...], sentence: str
) -> None:
    assert told(walk(position(mine, *FAR), *cells), *intents) == sentence


@pytest.mark.parametrize(
    ("closed", "sentence"),
    [
        (
            False,
            "Pour 2 coffee into cup 1; coffee into cup 2. Give water back to the supply. None of "
            "your orders needs that now. Next turn, Caffe latte and Shakerato are 3 steps away.",
        ),
        (True, "Give 3 coffee and water back to the supply. Nothing more can be served."),
    ],
)
def test_an_empty_cup_keeps_what_another_order_needs(closed: bool, sentence: str) -> None:
    orders = ("Iced coffee, Marocchino", "Caffe latte", "Shakerato")
    me = Has(orders, meeples=(15,), upgrades=(Upgrade.DOUBLE_CORNERS,))
    state = walk(position(me, Has(meeples=(0,)), Has(meeples=(12,)), closed=closed), 11, 7, 3)
    assert hint(model_of(state)) == sentence


@pytest.mark.parametrize(
    ("me", "closed", "is_choice"),
    [
        (Has(("Cortado, Iced coffee", "", "", "Hot chocolate"), meeples=(5,)), False, True),
        (Has(("Cortado, Iced coffee", "", "", "Hot chocolate"), meeples=(5,)), True, False),
        (Has(("Cortado", "", "", "Hot chocolate"), completed=3, meeples=(0,)), False, False),
        (Has(("Cortado", "", "", "Hot chocolate"), completed=3, meeples=(0,)), True, False),
    ],
)
def test_serving_what_expires_is_only_spoken_of_if_it_is_in_reach(
    me: Has, closed: bool, is_choice: bool
) -> None:
    """An upgrade could bring it within reach, and that is said."""
    said = hint(model_of(position(me, *FAR, closed=closed)))
    instead = "Serving what expires would bring less."
    assert (instead in said) is is_choice
    assert ("without an upgrade" in said) is bool(me.completed)


@pytest.mark.parametrize(
    ("me", "ways"),
    [
        (Has(("Dirty chai",), rush=1, meeples=(0,)), "4 steps (1 rush token) away."),
        (
            Has(("Dirty chai", "", "", "Mocha"), meeples=(0,)),
            "4 steps (with the penalty’s rush token) away.",
        ),
    ],
)
def test_a_fourth_step_of_the_next_turn_is_paid_for(me: Has, ways: str) -> None:
    said = hint(model_of(ready(position(me, *FAR))))
    assert said.endswith(f"Next turn, Dirty chai is {ways}")


@pytest.mark.parametrize("closed", [False, True])
def test_a_rush_token_is_only_worth_a_word_before_the_last_turn(closed: bool) -> None:
    me = Has(("Mocha",), ("coffee milk steam", "coffee milk steam chocolate"), meeples=(10,))
    walked = hint(model_of(position(me, *FAR, closed=closed)))
    served = hint(model_of(ready(position(me, *FAR, closed=closed))))
    assert "That serves Mocha" in walked
    assert "Serve Mocha from cup 2" in served
    assert ["rush token" in said for said in (walked, served)] == 2 * [not closed]


def test_who_may_not_stay_is_told_to_go_on() -> None:
    near = Has(meeples=(6,)), Has(meeples=(15,))
    state = walk(position(Has((), meeples=(5,)), *near), 6)
    sentence = told(state, *steps(7), *pours(1, "water"), ReturnRest())
    assert sentence.endswith(". You cannot end your move on a cell with another meeple.")


@pytest.mark.parametrize(
    ("mine", "serves", "sentence"),
    [
        (
            Has(("Americano", "", "", "Americano"), ("coffee water",)),
            (Serve(1, 4),),
            "Serve Americano from cup 1, or it becomes a penalty when this turn ends. "
            "Next turn, Americano is 3 steps away.",
        ),
        (
            Has(("Granita", "", "Mocha"), ("coffee milk steam chocolate", "coffee ice ice")),
            (Serve(1, 3), Serve(2, 1)),
            "Serve Mocha from cup 1: it also earns a rush token.",
        ),
        (
            Has(("Americano",), ("coffee water",)),
            (Serve(1, 1),),
            "Serve Americano from cup 1: it scores a point.",
        ),
        (
            Has(("", "", "", "Mocha")),
            (),
            "End the turn: nothing more can be served. Mocha becomes a penalty.",
        ),
        (
            Has(("", "", "", "Mocha, Lungo")),
            (),
            "End the turn: nothing more can be served. Mocha and Lungo become penalties.",
        ),
        (
            Has(("Iced coffee",)),
            (),
            "End the turn: nothing more can be served. Next turn, Iced coffee is 2 steps away.",
        ),
    ],
)
def test_what_to_serve_and_when_to_end(mine: Has, serves: tuple[Serve, ...], sentence: str) -> None:
    assert told(ready(position(mine, Has(), Has())), *serves) == sentence


def test_the_setup_too() -> None:
    state = dealt(2)
    placing = hint(model_of(state))
    assert placing.startswith("Place your meeple on ")
    assert placing.split(": ")[1].startswith(("from there you can serve ", "a good start "))
    state = play(state, *map(PlaceMeeple, range(4)))
    assert hint(model_of(state)).startswith("Pour ")
    while not isinstance(legal_intents(state)[0], EndTurn):
        state = play(state, legal_intents(state)[0])
    assert hint(model_of(state)) == "End your setup: everything is poured."


def test_nothing_comes_after_the_last_turn() -> None:
    """The active seat has orders left, and no turn to serve them."""
    mine = Has(("Iced coffee, Espresso, Pot of tea, Flat white, Americano",), meeples=(5,))
    state = position(mine, *FAR, start=1, closed=True)
    assert "ext turn" not in hint(model_of(state))
    assert "ext turn" in hint(model_of(position(mine, *FAR, start=1)))


@pytest.mark.parametrize(
    ("orders", "names"),
    [
        (("Iced coffee", "", "Mocha, Flat white"), "Mocha and Flat white"),
        (("Iced coffee", "", "Mocha", "Ristretto"), "Mocha"),
        (("Iced coffee", "", "Mocha, Granita"), "Mocha and Granita"),  # one of them is planned
        (("", "", "Iced coffee"), ""),  # served in this turn
        (("Iced coffee", "", "Espresso"), ""),  # planned for the next one
    ],
)
def test_what_expires_a_turn_later_is_named_in_time(orders: tuple[str, ...], names: str) -> None:
    state = position(Has(orders, meeples=(5,)), *FAR)
    begins = [hint(model_of(state), brief) for brief in (False, True)]
    end = f" Expiring after your next turn: {names}."
    assert all(said.endswith(end) if names else "Expiring" not in said for said in begins)
    step = next(one for one in planned(view_for(state, 0)).intents if isinstance(one, Step))
    others = position(Has(orders, meeples=(5,)), *FAR, start=1, closed=True), play(state, step)
    assert not any("Expiring" in hint(model_of(other)) for other in others)


@pytest.mark.parametrize(
    ("orders", "end"),
    [
        ("Iced coffee, Pot of tea", "That serves Iced coffee."),
        ("Caramel macchiato", "Nothing more can be served."),
    ],
)
def test_a_hint_for_the_last_turn_collects_for_no_later_one(orders: str, end: str) -> None:
    said = [
        hint(model_of(position(Has((orders,), meeples=(5,)), *FAR, closed=closed, round=5)))
        for closed in (True, False)
    ]
    assert [one.endswith(end) for one in said] == [True, False]


def test_a_brief_hint_leaves_the_next_turn_out_if_this_one_serves() -> None:
    orders = ("Iced coffee, Espresso, Pot of tea, Flat white, Americano",)
    serving = model_of(position(Has(orders, meeples=(5,)), *FAR))
    waiting = model_of(ready(position(Has(("Iced coffee",)), Has(), Has())))
    assert "That serves " in hint(serving)
    assert hint(serving) != hint(serving, brief=True)
    assert "ext turn" not in hint(serving, brief=True)
    assert "Next turn" in hint(waiting, brief=True)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_wherever_one_may_act_there_is_a_hint_and_nowhere_else(
    players: int, starters: bool
) -> None:
    chance = Random(players)
    state = deal(setup_of(players, starters, players))
    while state.active is not None:
        model = model_of(state)
        sentences = hint(model)
        assert sentences.endswith(".")
        assert len(sentences) < 350
        assert hint(model_of(remixed(state, state.active, chance))) == sentences  # R-INFO-2
        assert not hint(model_of(state, (state.active + 1) % players))
        assert_played_as_said(state, model, sentences)
        intent = RegularBot().choose(view_for(state, state.active), chance)
        if chance.random() < 0.2:
            intent = chance.choice(legal_intents(state))
        state = apply(state, state.active, intent)
    assert not hint(Model("player", "Ann", status="here", seat=0, view=view_for(state, 0)))
    assert not hint(Model("spectator", "Eve", status="here", view=view_for(state, None)))


def assert_played_as_said(state: State, model: Model, sentences: str) -> None:
    """Play the plan behind a hint: it is legal, and does what is said."""
    assert state.active is not None
    assert model.view is not None
    seat, plan = state.active, advised(model.view)
    walked = [one for one in plan.intents if isinstance(one, Step)]
    if suggested := suggested_pours(model.view):
        assert bool(walked) or pours_of(plan.intents) == suggested
    if walked and not isinstance(plan.intents[0], ActivateUpgrade):
        assert item_list(_directions(state, walked)) in sentences
    before = state.players[seat]
    for intent in plan.intents:
        assert intent in legal_intents(state)
        last, state = state, advance(state, intent)
    if last.phase in (Phase.PLACING, Phase.FILLING):
        return
    mine = last.players[seat]
    served = sorted(drink for drink, _slot in plan.served)
    cost = 3 * isinstance(plan.intents[0], ActivateUpgrade)
    assert len(mine.completed) == len(before.completed) - cost + len(served)
    assert served == sorted(_removed(before.orders, mine.orders))
    saved = sum(slot == SLOTS for _drink, slot in plan.served)
    assert len(before.orders[SLOTS - 1]) - len(mine.orders[SLOTS - 1]) == saved
    if "That serves" in sentences:
        assert all(drink_name(model, drink) in sentences for drink in served)
        assert (f"saves {saved} penalt" in sentences) == bool(saved)
        assert all(drink_name(model, drink) in sentences for drink in mine.orders[SLOTS - 1])
        if mine.orders[SLOTS - 1]:
            assert re.search("becomes a penalty|become penalties", sentences)
            return  # instead of what can be served next turn
    waiting = [drink for slot in state.players[seat].orders for drink in slot]
    for _cup, order in plan.next_turn.serves:
        assert order.drink in waiting
        assert cost or drink_name(model, order.drink) in sentences


def _removed(before: tuple[tuple[int, ...], ...], now: tuple[tuple[int, ...], ...]) -> list[int]:
    """Return the orders of all slots that are gone."""
    left = [drink for slot in before for drink in slot]
    for drink in (drink for slot in now for drink in slot):
        left.remove(drink)
    return left


def _directions(state: State, walked: list[Step]) -> list[str]:
    here = state.players[state.active or 0].meeples[walked[0].meeple - 1]
    cells = [here, *(step.cell for step in walked)]
    return [direction_name(one, other) for one, other in pairwise(cells)]


@pytest.mark.slow
def test_of_cups_that_hold_the_same_a_plan_uses_the_first() -> None:
    for state, _intent, _after in steered(setup_of(3, False, 2)):
        view = view_for(state, state.active)
        if view.own is None or not view.round:
            continue
        used = [
            intent.cup
            for intent in planned(view).intents
            if isinstance(intent, EmptyCup | Pour | Serve)
        ]
        cups = view.own.cups
        for at, cup in enumerate(used):
            before = range(1, cup)
            assert all(cups[first - 1] != cups[cup - 1] or first in used[:at] for first in before)
