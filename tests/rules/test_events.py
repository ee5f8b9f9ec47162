"""Events, each one as the seat's owner and as others see it."""

from collections import Counter
from typing import get_args

import pytest

from coffeerush.rules import State, deal, deal_events, events, view_for
from coffeerush.rules.board import unpack
from protocol import (
    ActivateUpgrade,
    CupEmptied,
    EmptyCup,
    EndTurn,
    GameEnded,
    GameEvent,
    Ingredient,
    Intent,
    IntentUndone,
    MeeplePlaced,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    PlaceMeeple,
    Pour,
    Poured,
    RestReturned,
    ReturnRest,
    Serve,
    StartTaken,
    Step,
    Stepped,
    TokenClosed,
    TurnStarted,
    Undo,
    Upgrade,
    UpgradeActivated,
)
from tests.support.positions import Has, cards, dealt, play, position, ready, tokens, walk
from tests.support.steering import TABLES, setup_of, steered

READERS = (None, 0, 1, 2)
DECK = "Ristretto, Espresso, Lungo, Cortado"


def told(state: State, intent: Intent, reader: int | None = None) -> tuple[GameEvent, ...]:
    return events(state, intent, play(state, intent), reader)


def assert_public(state: State, intent: Intent, *expected: GameEvent) -> None:
    for reader in (None, *range(len(state.players))):
        assert told(state, intent, reader) == expected


def three(seat: Has) -> State:
    return position(seat, Has(("Mocha",), meeples=(3,)), Has(meeples=(12,)), deck=DECK)


def test_the_deal() -> None:
    # R-SETUP-2: seat by seat from the start player on, slot 1 and then slot 2
    state = dealt(3, first=1)
    assert deal_events(state) == tuple(
        OrdersDrawn(seat, (*state.players[seat].orders[0], *state.players[seat].orders[1]), "deal")
        for seat in (1, 2, 0)
    )
    assert [len(one.drinks) for one in deal_events(state) if isinstance(one, OrdersDrawn)] == [
        3,
        2,
        2,
    ]


def test_placing() -> None:
    # R-SETUP-3, R-SETUP-5: after the last meeple all take their token and the first turn starts
    state = dealt(3)
    assert_public(state, PlaceMeeple(1), MeeplePlaced(2, 1, 1))
    state = play(state, PlaceMeeple(1), PlaceMeeple(3))
    assert_public(
        state,
        PlaceMeeple(7),
        MeeplePlaced(0, 1, 7),
        StartTaken(0, unpack(tokens("water"))),
        StartTaken(1, unpack(tokens("coffee"))),
        StartTaken(2, unpack(tokens("caramel"))),
        TurnStarted(0, 1),
    )


def test_filling() -> None:
    # R-SETUP-5 with 2 players: what is taken is public, which cup it goes to is not
    state = play(dealt(2), *map(PlaceMeeple, (0, 1, 2)))
    taken = StartTaken(1, unpack(tokens("ice steam")))
    assert_public(state, PlaceMeeple(3), MeeplePlaced(0, 2, 3), taken)
    state = play(state, PlaceMeeple(3))
    assert told(state, Pour(Ingredient.ICE, 2), 1) == (Poured(1, Ingredient.ICE, 2),)
    assert told(state, Pour(Ingredient.ICE, 2), 0) == (Poured(1),)
    state = play(state, Pour(Ingredient.ICE, 2), Pour(Ingredient.STEAM, 1))
    assert_public(state, EndTurn(), StartTaken(0, unpack(tokens("caramel coffee"))))
    state = play(state, EndTurn(), Pour(Ingredient.CARAMEL, 2), Pour(Ingredient.COFFEE, 1))
    assert_public(state, EndTurn(), TurnStarted(0, 1))


def test_an_upgrade() -> None:
    # R-UPG-1: discarded orders are public
    state = three(Has(completed=4))
    gone = state.players[0].completed[:3]
    assert_public(
        state,
        ActivateUpgrade(Upgrade.DOUBLE_CORNERS),
        UpgradeActivated(0, Upgrade.DOUBLE_CORNERS, gone),
    )


def test_steps() -> None:
    # R-MOVE-2, R-MOVE-3: the gain and the cost of a step
    state = three(Has(meeples=(1,), rush=1, upgrades=(Upgrade.DOUBLE_CORNERS,)))
    ice = unpack(tokens("ice ice"))
    assert_public(state, Step(1, 0), Stepped(0, 1, 0, ice))
    fourth = walk(state, 0, 1, 5)
    assert_public(fourth, Step(1, 6), Stepped(0, 1, 6, unpack(tokens("ice")), rush_spent=1))
    dry = three(Has(cups=("ice " * 12,), meeples=(1,)))
    assert_public(dry, Step(1, 0), Stepped(0, 1, 0, unpack(0)))


@pytest.mark.parametrize("reader", READERS)
def test_pouring_and_emptying(reader: int | None) -> None:
    # R-INFO-2: others learn only that it happened, and what the supply shows
    state = walk(three(Has(cups=("", "tea milk"), meeples=(5,))), 6, 10)
    mine = reader == 0
    poured = Poured(0, Ingredient.ICE, 3) if mine else Poured(0)
    assert told(state, Pour(Ingredient.ICE, 3), reader) == (poured,)
    emptied = CupEmptied(0, unpack(tokens("milk tea")), 2 if mine else None)
    assert told(state, EmptyCup(2), reader) == (emptied,)
    rest = RestReturned(0, unpack(tokens("milk")))
    assert told(play(state, Pour(Ingredient.ICE, 3)), ReturnRest(), reader) == (rest,)
    assert told(play(state, Pour(Ingredient.ICE, 3)), Undo(), reader) == (IntentUndone(0),)


@pytest.mark.parametrize("reader", READERS)
def test_serving(reader: int | None) -> None:
    # R-SERVE-1, R-SERVE-2, R-INFO-2: others learn that a cup matched, not which one
    state = ready(three(Has(("", "Mocha"), ("", "coffee chocolate milk steam"))))
    cup = 2 if reader == 0 else None
    expected = OrderServed(0, cards("Mocha")[0], 2, rush_gained=1, cup=cup)
    assert told(state, Serve(2, 2), reader) == (expected,)


def test_events_at_the_end_of_a_turn_are_in_order() -> None:
    # R-RUSH-1, R-TIME-1, R-TIME-2, R-END-1: rush, penalties, closed, next turn
    seat = Has(("Americano", "", "", "Granita"), ("coffee water",), penalties=4)
    state = play(ready(three(seat)), Serve(1, 1))
    lungo = cards(DECK)
    assert_public(
        state,
        EndTurn(),
        OrdersDrawn(1, lungo[:1], "order_rush"),
        OrdersDrawn(2, lungo[1:2], "order_rush"),
        PenaltiesTaken(0, cards("Granita"), rush_gained=1),
        TokenClosed("penalties"),
        TurnStarted(1, 2),
    )


def test_the_end_of_a_turn_of_two() -> None:
    # R-RUSH-1, R-TIME-3, R-RUSH-2
    seat = Has(("Americano",), ("coffee water",))
    state = position(seat, Has(("Mocha",)), deck="Lungo, Granita")
    assert_public(
        play(ready(state), Serve(1, 1)),
        EndTurn(),
        OrdersDrawn(1, cards("Lungo"), "order_rush"),
        OrdersDrawn(0, cards("Granita"), "flow_of_time"),
        TokenClosed("deck"),
        TurnStarted(1, 2),
    )


def test_a_turn_in_which_nothing_happens() -> None:
    assert_public(ready(three(Has(("Mocha",)))), EndTurn(), TurnStarted(1, 2))


def test_a_new_round() -> None:
    state = position(Has(("Mocha",)), Has(), Has(), active=2, round=4)
    assert_public(ready(state), EndTurn(), TurnStarted(0, 5))


def test_closed_because_nobody_has_an_order() -> None:
    # R-END-4
    state = ready(position(Has(), Has(), Has()))
    assert_public(state, EndTurn(), TokenClosed("no_orders"), TurnStarted(1, 2))


def test_the_end_of_the_game() -> None:
    # R-END-1, R-END-3: closed and over with one turn; the victory is shared
    seats = (Has(completed=3), Has(("", "", "", "Mocha"), completed=7, penalties=3, rush=0))
    state = ready(position(*seats, active=1, deck="Lungo"))
    assert told(state, EndTurn())[-2:] == (TokenClosed("deck"), GameEnded((1,)))
    over = ready(position(Has(completed=3), Has(completed=3), active=1, deck="", closed=True))
    assert_public(over, EndTurn(), GameEnded((0, 1)))


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_events_add_up_to_the_game(players: int, starters: bool) -> None:
    """The cards and tokens in all events add up to those of the final State."""
    kinds: Counter[type[GameEvent]] = Counter()
    for seed in range(40):
        setup = setup_of(players, starters, seed)
        state = deal(setup)
        tally: Counter[tuple[str, int]] = Counter()
        for event in deal_events(state):
            assert isinstance(event, OrdersDrawn)
            tally["drawn", event.seat] += len(event.drinks)
        for before, intent, after in steered(setup):
            for event in events(before, intent, after, None):
                kinds[type(event)] += 1
                count(event, tally)
            state = after
        for seat, player in enumerate(view_for(state, None).players):
            opened = sum(map(len, player.orders))
            assert tally["served", seat] == player.completed + 3 * sum(player.upgrades)
            assert tally["lost", seat] == player.penalties
            assert tally["drawn", seat] == opened + tally["served", seat] + tally["lost", seat]
            assert tally["rush", seat] == player.rush
    missing = set(get_args(GameEvent)) - set(kinds)
    assert missing <= {IntentUndone}


def count(event: GameEvent, tally: Counter[tuple[str, int]]) -> None:
    match event:
        case OrdersDrawn(seat=seat, drinks=drinks):
            tally["drawn", seat] += len(drinks)
        case OrderServed(seat=seat, rush_gained=rush):
            tally["served", seat] += 1
            tally["rush", seat] += rush
        case PenaltiesTaken(seat=seat, drinks=drinks, rush_gained=rush):
            tally["lost", seat] += len(drinks)
            tally["rush", seat] += rush
        case Stepped(seat=seat, rush_spent=rush):
            tally["rush", seat] -= rush
