"""Missing ingredients of orders, and suggested pours."""

from random import Random

import pytest

from coffeerush.bots import RegularBot
from coffeerush.bots.outcomes import sample_state
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
from coffeerush.ui.advice.advice import open_orders, planned, suggested_pours
from protocol import EmptyCup, Ingredient, Phase, Pour, ReturnRest, Seat, Serve, View
from tests.support.local import acting, begun
from tests.support.positions import Has, dealt, play, position


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
