"""The flow of time and penalties (R-TIME-1 to R-TIME-3)."""

import pytest

from tests.support.positions import Has, cards, finish, position

MORE = pytest.mark.parametrize("count", [3, 4])
SEATS = pytest.mark.parametrize("count", [2, 3, 4])
FULL = Has(("Mocha", "Lungo, Granita", "Cortado", "Americano, Babyccino"))


@MORE
def test_open_orders_move_down_one_slot(count: int) -> None:
    # R-TIME-1: all of the active player's orders, and nobody else's
    others = [Has(("Iced tea", "Chai latte"))] * (count - 1)
    state = position(FULL, *others)
    after = finish(state)
    assert after.players[0].orders == (
        (),
        cards("Mocha"),
        cards("Lungo, Granita"),
        cards("Cortado"),
    )
    assert [one.orders for one in after.players[1:]] == [one.orders for one in state.players[1:]]


@SEATS
def test_an_expired_order_is_a_penalty_and_a_rush_token(count: int) -> None:
    # R-TIME-1
    after = finish(position(FULL, *[Has()] * (count - 1)))
    assert after.players[0].penalties == cards("Americano, Babyccino")
    assert (after.players[0].rush, after.rush) == (2, 13)


def test_a_served_order_is_not_a_penalty() -> None:
    # R-TIME-1: served from slot 4 in time
    seat = Has(FULL.orders, ("coffee water",))
    after = finish(position(seat, Has(), Has()), (1, 4))
    assert after.players[0].penalties == cards("Babyccino")


@pytest.mark.parametrize(("others", "gained"), [(13, 2), (14, 1), (15, 0)])
def test_rush_tokens_for_penalties_run_out(others: int, gained: int) -> None:
    # R-TIME-1, where the editions are silent: take what is there
    after = finish(position(FULL, Has(rush=others), Has()))
    assert len(after.players[0].penalties) == 2
    assert (after.players[0].rush, after.rush) == (gained, 15 - others - gained)


@SEATS
@pytest.mark.parametrize(("before", "closes"), [(2, False), (3, True), (4, True)])
def test_five_penalties_close(count: int, before: int, closes: bool) -> None:
    # R-TIME-2: two more; five or six close
    others = [Has(("Iced tea",))] * (count - 1)
    after = finish(position(Has(FULL.orders, penalties=before), *others))
    assert len(after.players[0].penalties) == before + 2
    assert after.closed is closes


def test_penalties_of_several_players_are_not_added_up() -> None:
    # R-TIME-2: four each
    seat = Has(("Mocha",), penalties=4)
    assert not finish(position(seat, seat, seat)).closed


@pytest.mark.parametrize("active", [0, 1])
def test_two_players_draw_one_order_each_turn(active: int) -> None:
    # R-TIME-3: into slot 1, after the others have moved down
    seat = Has(("Mocha", "Lungo"))
    after = finish(position(seat, seat, active=active, deck="Granita, Cortado"))
    assert after.players[active].orders == (cards("Granita"), cards("Mocha"), cards("Lungo"), ())
    assert after.deck == cards("Cortado")
    assert not after.closed


def test_the_drawn_order_can_be_the_last() -> None:
    # R-TIME-3
    after = finish(position(Has(("Mocha",)), Has(), deck="Granita"))
    assert after.players[0].orders == (cards("Granita"), cards("Mocha"), (), ())
    assert (after.deck, after.closed, after.active) == ((), True, 1)


def test_nothing_is_drawn_from_an_empty_deck() -> None:
    # R-TIME-3: in the last turn after the deck closed the game
    state = position(Has(("Mocha",)), Has(("Lungo",)), active=1, deck="", closed=True)
    after = finish(state)
    assert after.players[1].orders == ((), cards("Lungo"), (), ())
    assert after.active is None


@MORE
def test_three_or_four_players_draw_nothing(count: int) -> None:
    # R-TIME-3: with 2 players only
    after = finish(position(*[Has(("Mocha",))] * count, deck="Granita"))
    assert after.deck == cards("Granita")
    assert not after.closed


def test_the_rush_comes_before_the_flow_of_time() -> None:
    # R-RUSH-1 before R-TIME-1 and R-TIME-3: the other player draws first
    seat = Has(("Mocha", "", "", "Americano"), ("coffee water",))
    after = finish(position(seat, Has(), deck="Granita, Cortado"), (1, 4))
    assert after.players[1].orders[0] == cards("Granita")
    assert after.players[0].orders[:2] == (cards("Cortado"), cards("Mocha"))
