"""Serving orders (R-SERVE-1, R-SERVE-2) and the order rush (R-RUSH-1, R-RUSH-2)."""

import pytest

from coffeerush.rules import State, legal_intents
from protocol import EndTurn, Ingredient, Phase, Pour, ReturnRest, Serve, Undo
from tests.support.positions import Has, cards, finish, play, position, ready, refused, tokens, walk

SEATS = pytest.mark.parametrize("count", [2, 3, 4])


def serves(state: State) -> set[tuple[int, int]]:
    return {(one.cup, one.slot) for one in legal_intents(state) if isinstance(one, Serve)}


@SEATS
def test_a_cup_that_equals_an_order_completes_it(count: int) -> None:
    # R-SERVE-1
    seat = Has(("", "Hot chocolate"), ("", "steam chocolate milk"))
    state = ready(position(seat, *[Has()] * (count - 1)))
    assert serves(state) == {(2, 2)}
    after = play(state, Serve(2, 2))
    assert after.players[0].cups == (0, 0, 0)
    assert after.supply == state.supply + tokens("milk steam chocolate")
    assert after.players[0].orders == ((), (), (), ())
    assert after.players[0].completed == cards("Hot chocolate")
    assert (after.players[0].rush, after.served, after.phase) == (0, 1, Phase.SERVING)


@pytest.mark.parametrize(
    "cup",
    ["coffee milk", "coffee milk steam steam", "coffee milk ice", "coffee coffee milk steam", ""],
)
def test_a_cup_needs_exactly_the_recipe(cup: str) -> None:
    # R-SERVE-1: a Caffe latte is coffee, milk and steam
    state = ready(position(Has(("Caffe latte",), (cup,)), Has(), Has()))
    assert serves(state) == set()
    refusal = refused(state, Serve(1, 1))
    told = (
        {
            "contents": ", ".join(str(cup.split().count(one.name.lower())) for one in Ingredient),
            "wanted": "Caffe latte",
        }
        if cup
        else {"reason": "empty_cup"}
    )
    assert refusal.code == "cup_does_not_match"
    assert refusal.params == {"cup": 1, "slot": 1, **told}


def test_how_often_a_token_is_in_the_cup_matters() -> None:
    # R-SERVE-1: as a multiset, coffee ice and coffee ice ice are different drinks
    seat = Has(("Iced coffee", "Granita"), ("coffee ice ice", "ice coffee"))
    assert serves(ready(position(seat, Has(), Has()))) == {(1, 2), (2, 1)}


@pytest.mark.parametrize("slot", [1, 2, 3, 4])
def test_the_slot_does_not_matter(slot: int) -> None:
    # R-SERVE-1
    orders = ["Mocha"] * 4
    orders[slot - 1] = "Mocha, Americano"
    state = ready(position(Has(tuple(orders[:4]), ("", "", "water coffee")), Has(), Has()))
    assert serves(state) == {(3, slot)}
    after = play(state, Serve(3, slot))
    assert after.players[0].orders == (cards("Mocha"),) * 4


def test_one_of_two_equal_orders() -> None:
    # R-SERVE-1: one cup serves one card; which one is chosen by the slot
    seat = Has(("Americano, Mocha, Americano", "", "", "Americano"), ("coffee water",))
    state = ready(position(seat, Has(), Has()))
    assert serves(state) == {(1, 1), (1, 4)}
    after = play(state, Serve(1, 1))
    assert after.players[0].orders == (cards("Mocha, Americano"), (), (), cards("Americano"))
    assert serves(after) == set()


def test_other_players_orders_cannot_be_served() -> None:
    # R-SERVE-1: only the player's own open orders
    state = ready(position(Has(cups=("coffee water",)), Has(("Americano",)), Has()))
    assert serves(state) == set()


def test_three_cups_in_one_turn_and_no_pouring_between() -> None:
    # R-SERVE-1
    seat = Has(
        ("Americano", "Lungo", "", "Pot of tea"),
        ("tea water", "coffee water", "coffee steam water"),
    )
    state = ready(position(seat, Has(), Has()))
    state = play(state, Serve(3, 2))
    assert not any(isinstance(one, Pour) for one in legal_intents(state))
    assert refused(state, ReturnRest()).code == "wrong_phase"
    state = play(state, Serve(1, 4), Serve(2, 1))
    assert (state.served, len(state.players[0].completed)) == (3, 3)
    assert serves(state) == set()


def test_a_cup_filled_this_turn_serves() -> None:
    # R-SERVE-1: an iced coffee from coffee already in the cup and ice from the walk
    seat = Has(("Iced coffee",), ("coffee",), (5,))
    state = walk(position(seat, Has(meeples=(3,)), Has(meeples=(12,))), 6)
    poured = play(state, *[one for one in legal_intents(state) if isinstance(one, Pour)][:1])
    assert serves(poured) == {(1, 1)}


def test_a_serve_can_be_undone() -> None:
    state = ready(position(Has(("Mocha",), ("coffee chocolate milk steam",)), Has(), Has()))
    assert play(state, Serve(1, 1), Undo()) == state


@SEATS
def test_the_specialty_menu_earns_a_rush_token(count: int) -> None:
    # R-SERVE-2: the Mocha does, the Americano does not
    seat = Has(("Mocha", "Americano"), ("coffee chocolate milk steam", "coffee water"))
    state = ready(position(seat, *[Has()] * (count - 1)))
    after = play(state, Serve(1, 1))
    assert (after.players[0].rush, after.rush) == (1, 14)
    after = play(after, Serve(2, 2))
    assert (after.players[0].rush, after.rush) == (1, 14)


def test_each_specialty_order_earns_one_while_there_are_any() -> None:
    # R-SERVE-2, where the editions are silent: one token is left for two orders
    seat = Has(("Mocha", "Dirty chai"), ("coffee chocolate milk steam", "coffee tea milk steam"))
    state = ready(position(seat, Has(rush=10), Has(rush=4)))
    assert state.rush == 1
    state = play(state, Serve(1, 1))
    assert (state.players[0].rush, state.rush) == (1, 0)
    state = play(state, Serve(2, 2))
    assert (state.players[0].rush, state.rush) == (1, 0)
    assert len(state.players[0].completed) == 2


DECK = "Ristretto, Espresso, Lungo, Cortado, Granita, Babyccino, Marocchino, Shakerato"
TWO = Has(("Americano", "Pot of tea, Mocha"), ("coffee water", "tea water"))


def slot_1(state: State) -> list[tuple[int, ...]]:
    return [player.orders[0] for player in state.players]


def test_an_order_rush_of_four() -> None:
    # R-RUSH-1: two served by seat 1: seat 2 draws two, then seat 3 two, seat 0 none
    state = position(Has(), TWO, Has(("Mocha",)), Has(), active=1, deck=DECK)
    after = finish(state, (1, 1), (2, 2))
    assert slot_1(after) == [(), (), cards("Mocha, Ristretto, Espresso"), cards("Lungo, Cortado")]
    assert after.deck == cards(DECK)[4:]


def test_the_order_rush_goes_around_the_table() -> None:
    # R-RUSH-1: from seat 3 to 0 and 1
    after = finish(position(Has(), Has(), Has(), TWO, active=3, deck=DECK), (1, 1))
    assert slot_1(after) == [cards("Ristretto"), cards("Espresso"), (), ()]


def test_an_order_rush_of_three() -> None:
    # R-RUSH-1: both others, the next one first
    after = finish(position(Has(), Has(), TWO, active=2, deck=DECK), (2, 2), (1, 1))
    assert slot_1(after)[:2] == [cards("Ristretto, Espresso"), cards("Lungo, Cortado")]


def test_an_order_rush_of_two() -> None:
    # R-RUSH-1: the other player; then the active one draws (R-TIME-3)
    after = finish(position(TWO, Has(), deck=DECK), (1, 1), (2, 2))
    assert slot_1(after) == [cards("Lungo"), cards("Ristretto, Espresso")]


@SEATS
def test_no_order_rush_without_orders(count: int) -> None:
    # R-RUSH-1: nobody draws, except by R-TIME-3 with 2 players
    after = finish(position(TWO, *[Has()] * (count - 1), deck=DECK))
    assert slot_1(after) == [cards("Ristretto") if count == 2 else (), *[()] * (count - 1)]


def test_orders_of_an_earlier_turn_do_not_count() -> None:
    # R-RUSH-1: only those completed this turn
    after = finish(finish(position(TWO, Has(), Has(), deck=DECK), (1, 1)))
    assert after.deck == cards(DECK)[2:]
    assert after.served == 0


def test_the_last_call_deals_the_remaining_cards_in_order() -> None:
    # R-RUSH-2: three cards left for two players who draw two each
    state = position(TWO, Has(), Has(), Has(), deck="Lungo, Cortado, Granita")
    after = finish(state, (1, 1), (2, 2))
    assert slot_1(after)[1:] == [cards("Lungo, Cortado"), cards("Granita"), ()]
    assert (after.deck, after.closed) == ((), True)


def test_a_deck_that_runs_out_exactly_closes() -> None:
    # R-RUSH-2, where the editions differ: the last card drawn closes
    after = finish(position(TWO, Has(), Has(), deck="Lungo, Cortado"), (1, 1))
    assert slot_1(after)[1:] == [cards("Lungo"), cards("Cortado")]
    assert after.closed
    more = finish(position(TWO, Has(), Has(), deck="Lungo, Cortado, Granita"), (1, 1))
    assert not more.closed


def test_the_last_call_of_two() -> None:
    # R-RUSH-2: the other player draws the last card, so none is left for the active one
    after = finish(position(TWO, Has(), deck="Lungo"), (1, 1), (2, 2))
    assert slot_1(after) == [(), cards("Lungo")]
    assert after.closed


def test_nothing_is_drawn_before_the_turn_ends() -> None:
    # R-RUSH-1: so serving can be undone
    state = play(ready(position(TWO, Has(), Has(), deck=DECK)), Serve(1, 1))
    assert state.deck == cards(DECK)
    assert play(state, EndTurn()).deck == cards(DECK)[2:]
