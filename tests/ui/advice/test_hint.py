"""The hint: a legal move with its reason, based only on what the player may know."""

from itertools import pairwise
from random import Random

import pytest

from coffeerush.bots import RegularBot
from coffeerush.bots.walks import best_walk
from coffeerush.client.model import Model
from coffeerush.rules import State, apply, deal, legal_intents, view_for
from coffeerush.ui.advice.hint import hint
from coffeerush.ui.words.names import direction_name, item_list
from protocol import EndTurn, Phase, PlaceMeeple, Seat, Step
from tests.support.positions import Has, dealt, play, position, ready, walk
from tests.support.steering import TABLES, setup_of
from tests.support.twins import remixed


def model_of(state: State, seat: Seat | None = None) -> Model:
    """Return the model of the active seat, or of another one."""
    seat = state.active if seat is None else seat
    return Model("player", "Ann", status="here", seat=seat, view=view_for(state, seat))


FAR = Has(meeples=(12,)), Has(meeples=(15,))
FULL = ("water", "water", "water")


@pytest.mark.parametrize(
    ("seats", "sentence"),
    [
        (
            (Has(("Iced coffee",), meeples=(5,)), *FAR),
            "Step left, up and take coffee and ice. Cup 1 then holds Iced coffee, ready to serve.",
        ),
        (
            (Has(("", "", "", "Iced coffee"), meeples=(5,)), *FAR),
            "Step left, up and take coffee and ice. Cup 1 then holds Iced coffee, which "
            "would otherwise become a penalty when this turn ends.",
        ),
        (
            (Has(("Mocha",), ("coffee",), meeples=(5,)), *FAR),
            "Step down, right, down and take milk, steam and chocolate. Cup 1 then holds "
            "Mocha, which also earns a rush token.",
        ),
        (
            (Has(("Mocha",), meeples=(5,)), *FAR),
            "Step down, right, down and take milk, steam and chocolate. After that, Mocha still "
            "needs coffee in cup 1.",
        ),
        (
            (Has(("Iced coffee", "Espresso"), ("coffee", "coffee"), meeples=(5,)), *FAR),
            "Step right, up and take steam and ice. Then Espresso and Iced coffee are ready to "
            "serve.",
        ),
        (
            (Has(("Iced coffee",), meeples=(5, 6)), Has(meeples=(14, 15))),
            "With meeple 1, step left, up and take coffee and ice. Cup 1 then holds Iced "
            "coffee, ready to serve.",
        ),
        (
            (
                Has(("", "", "", "Mocha"), ("coffee milk",), meeples=(12,), rush=1),
                Has(meeples=(5,)),
                Has(meeples=(15,)),
            ),
            "Step right, right, up, left and take milk, steam, ice and chocolate, for 1 rush "
            "token. "
            "Cup 1 then holds Mocha, which would otherwise become a penalty when this turn ends.",
        ),
        (
            (Has(("Americano",), ("coffee", "coffee", "coffee"), meeples=(8,)), *FAR),
            "Step up and take coffee. Nothing nearby helps with your orders.",
        ),
        (
            (Has(meeples=(5,)), *FAR),
            "Step up and take caramel. You have no orders.",
        ),
    ],
)
def test_steps_with_what_they_bring_and_why(seats: tuple[Has, ...], sentence: str) -> None:
    assert hint(model_of(position(*seats))) == sentence


@pytest.mark.parametrize(
    ("mine", "cells", "sentence"),
    [
        (
            Has(("Iced coffee",), meeples=(5,)),
            (4, 0),
            "Pour coffee and ice into cup 1. Cup 1 then holds Iced coffee, ready to serve.",
        ),
        (
            Has(("Iced coffee",), meeples=(5,)),
            (6, 7, 11),
            "Pour coffee and ice into cup 1. Give water back. Cup 1 then holds Iced "
            "coffee, ready to serve.",
        ),
        (
            Has(("Mocha",), FULL, meeples=(5,)),
            (6, 7, 11),
            "Empty cup 1. Pour coffee into cup 1. Give ice and water back. After that, Mocha "
            "still needs milk, steam and chocolate in cup 1.",
        ),
        (
            Has(("Iced tea",), meeples=(5,)),
            (4, 5, 9),
            "Give coffee, milk and steam back to the supply: none of your cups can use it.",
        ),
    ],
)
def test_pours_with_what_they_come_to(mine: Has, cells: tuple[int, ...], sentence: str) -> None:
    assert hint(model_of(walk(position(mine, *FAR), *cells))) == sentence


def test_who_may_not_stay_is_told_to_go_on() -> None:
    near = Has(meeples=(6,)), Has(meeples=(15,))
    state = walk(position(Has((), FULL, meeples=(5,)), *near), 6)
    assert hint(model_of(state)).endswith(
        ". You cannot end your move on a cell with another meeple."
    )


@pytest.mark.parametrize(
    ("deck", "beginning"),
    [
        (None, "Activate double corners: it costs 3 orders and scores 2 points, and with 76 cards"),
        (
            "Lungo",
            "Keep your completed orders: an upgrade no longer pays off. Step down, right, down",
        ),
    ],
)
def test_whether_an_upgrade_pays(deck: str | None, beginning: str) -> None:
    state = position(Has(("Mocha",), completed=3), Has(), Has(), deck=deck)
    assert hint(model_of(state)).startswith(beginning)


@pytest.mark.parametrize(
    ("mine", "sentence"),
    [
        (
            Has(("Americano", "", "", "Americano"), ("coffee water",)),
            "Serve Americano from cup 1, or it becomes a penalty when this turn ends.",
        ),
        (
            Has(("Granita", "", "Mocha"), ("coffee milk steam chocolate", "coffee ice ice")),
            "Serve Mocha from cup 1: it also earns a rush token.",
        ),
        (
            Has(("Americano",), ("coffee water",)),
            "Serve Americano from cup 1: a point for you, and more orders for others.",
        ),
        (Has(("Mocha",)), "End the turn: nothing more can be served."),
        (
            Has(("", "", "", "Mocha")),
            "End the turn: nothing more can be served. Mocha becomes a penalty.",
        ),
        (
            Has(("", "", "", "Mocha, Lungo")),
            "End the turn: nothing more can be served. Mocha and Lungo become penalties.",
        ),
    ],
)
def test_what_to_serve_and_when_to_end(mine: Has, sentence: str) -> None:
    assert hint(model_of(ready(position(mine, Has(), Has())))) == sentence


def test_the_setup_too() -> None:
    state = dealt(2)
    placing = hint(model_of(state))
    assert placing.startswith("Place your meeple on ")
    assert ": there and nearby you will find " in placing
    state = play(state, *map(PlaceMeeple, range(4)))
    assert hint(model_of(state)).startswith("Pour ice into cup 1; steam into cup 3. After that, ")
    while not isinstance(legal_intents(state)[0], EndTurn):
        state = play(state, legal_intents(state)[0])
    assert hint(model_of(state)) == "End your setup: everything is poured."


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_wherever_one_may_act_there_is_a_hint_and_nowhere_else(
    players: int, starters: bool
) -> None:
    chance = Random(players)
    state = deal(setup_of(players, starters, players))
    while state.active is not None:
        model = model_of(state)
        told = hint(model)
        assert told.endswith(".")
        assert len(told) < 250
        assert hint(model_of(remixed(state, state.active, chance))) == told  # R-INFO-2
        assert not hint(model_of(state, (state.active + 1) % players))
        view = view_for(state, state.active)
        if state.phase is Phase.MOVING and (walked := best_walk(view).steps):
            assert item_list(_directions(state, walked)) in told
        intent = RegularBot().choose(view, chance)
        if chance.random() < 0.2:
            intent = chance.choice(legal_intents(state))
        state = apply(state, state.active, intent)
    assert not hint(Model("player", "Ann", status="here", seat=0, view=view_for(state, 0)))
    assert not hint(Model("spectator", "Eve", status="here", view=view_for(state, None)))


def _directions(state: State, steps: tuple[Step, ...]) -> list[str]:
    here = state.players[state.active or 0].meeples[steps[0].meeple - 1]
    cells = [here, *(step.cell for step in steps)]
    return [direction_name(one, other) for one, other in pairwise(cells)]
