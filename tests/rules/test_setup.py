"""Dealing and placing (R-SETUP-1 to R-SETUP-6), with 2, 3 and 4 players."""

from random import Random

import pytest

from coffeerush.rules import Setup, State, deal, legal_intents, standard_deck
from coffeerush.rules.board import count
from coffeerush.rules.state import cards_of, piles
from protocol import EndTurn, Ingredient, Phase, PlaceMeeple, Pour, Undo
from tests.support.positions import begun, cards, dealt, in_words, play, pours, refused

SEATS = pytest.mark.parametrize("players", [2, 3, 4])
DECK = standard_deck()


def cups(state: State) -> list[list[str]]:
    return [[in_words(cup) for cup in player.cups] for player in state.players]


@SEATS
def test_the_deck_is_shuffled_by_the_seed_alone(players: int) -> None:
    # R-SETUP-1
    orders = [piles(Setup(players, DECK, seed)).deck for seed in range(20)]
    assert len(set(orders)) == 20
    assert all(sorted(order) == cards_of(DECK.drinks, None) for order in orders)
    assert deal(Setup(players, DECK, 5)) == deal(Setup(players, DECK, 5))
    assert piles(Setup(players, DECK, 5, first=1)).deck == orders[5]


def test_a_seed_deals_the_same_in_every_version() -> None:
    # R-SETUP-1: records are replayed from their seed, so this may never change
    deck, _, start = piles(Setup(4, DECK, 2024))
    names = [DECK.drinks[card].name for card in deck]
    assert (names[:3], names[-1], start) == (
        ["Iced americano", "Iced tea", "Caramel mocha"],
        "Marocchino",
        1,
    )
    order, chance = cards_of(DECK.drinks, None), Random(2024)
    for last in range(79, 0, -1):  # Fisher and Yates
        other = int(chance.random() * (last + 1))
        order[last], order[other] = order[other], order[last]
    assert deck == tuple(order)
    assert start == int(chance.random() * 4)


@SEATS
def test_the_start_player_is_drawn_or_named(players: int) -> None:
    # R-SETUP-1, and where the editions differ: drawn from the seed; --first sets it
    drawn = [deal(Setup(players, DECK, seed)).start for seed in range(60)]
    assert all(drawn.count(seat) >= 60 // players // 3 for seat in range(players))
    for first in range(players):
        assert deal(Setup(players, DECK, 5, first=first)).start == first
    with pytest.raises(ValueError, match=f"must be between 0 and {players - 1}"):
        Setup(players, DECK, 5, first=players)


@pytest.mark.parametrize("players", [0, 1, 5])
def test_a_game_has_two_to_four_players(players: int) -> None:
    with pytest.raises(ValueError, match="2 to 4 players"):
        Setup(players, DECK, 1)


@SEATS
def test_play_goes_to_the_left(players: int) -> None:
    # R-SETUP-1: clockwise, from the start player on; seats are counted clockwise
    state = begun(dealt(players, first=1), *range(4 if players == 2 else players))
    assert (state.active, state.round) == (1, 1)


@SEATS
def test_the_first_orders(players: int) -> None:
    # R-SETUP-2: drawn seat by seat from the start player on; face up, so they are public
    state = dealt(players, first=1)
    deck = list(piles(Setup(players, DECK, 1)).deck)
    assert state.players[1].orders == ((deck[0], deck[1]), (deck[2],), (), ())
    for turn in range(1, players):
        seat = (1 + turn) % players
        one, two = deck[1 + 2 * turn : 3 + 2 * turn]
        assert state.players[seat].orders == ((one,), (two,), (), ())
    assert state.deck == tuple(deck[1 + 2 * players :])


@pytest.mark.parametrize(("players", "order"), [(3, [0, 2, 1]), (4, [0, 3, 2, 1])])
def test_meeples_are_placed_to_the_right(players: int, order: list[int]) -> None:
    # R-SETUP-3: the start player is seat 1, the player to its right seat 0
    state = dealt(players, first=1)
    for cell, seat in enumerate(order):
        assert (state.phase, state.active) == (Phase.PLACING, seat)
        state = play(state, PlaceMeeple(cell))
        assert state.players[seat].meeples == (cell,)
    assert (state.phase, state.active) == (Phase.MOVING, 1)


@pytest.mark.parametrize("first", [0, 1])
def test_two_players_alternate(first: int) -> None:
    # R-SETUP-4: the other player first
    state = dealt(2, first=first)
    for cell, seat in enumerate([1 - first, first, 1 - first, first]):
        assert (state.phase, state.active) == (Phase.PLACING, seat)
        state = play(state, PlaceMeeple(cell + 4))
    assert state.players[1 - first].meeples == (4, 6)
    assert state.players[first].meeples == (5, 7)


@SEATS
def test_a_cell_holds_one_meeple(players: int) -> None:
    # R-SETUP-3, R-SETUP-4: with 2 players, not even two of the same player
    state = dealt(players)
    for placed in range(4 if players == 2 else players):
        free = [one.cell for one in legal_intents(state) if isinstance(one, PlaceMeeple)]
        assert free == [cell for cell in range(16) if not 4 <= cell < 4 + placed]
        if placed:
            assert refused(state, PlaceMeeple(4)).code == "cell_taken"
        state = play(state, PlaceMeeple(4 + placed))


def test_a_placed_meeple_stays() -> None:
    state = play(dealt(4), PlaceMeeple(3))
    assert Undo() not in legal_intents(state)
    assert refused(state, Undo()).code == "wrong_phase"


def test_the_first_ingredients_with_more_players() -> None:
    # R-SETUP-5: seats 2, 1 and 0 place, on caramel, coffee and water
    state = play(dealt(3), PlaceMeeple(1), PlaceMeeple(3))
    assert cups(state) == [["", "", ""]] * 3
    state = play(state, PlaceMeeple(7))
    assert cups(state) == [["water", "", ""], ["coffee", "", ""], ["caramel", "", ""]]
    assert [count(state.supply, kind) for kind in range(8)] == [17, 12, 12, 12, 12, 11, 12, 11]


def test_two_players_pour_as_they_like() -> None:
    # R-SETUP-5: seat 1 stands on ice and steam, seat 0 (the start player) on caramel and coffee
    state = play(dealt(2), *map(PlaceMeeple, (0, 1, 2, 3)))
    assert (state.phase, state.active, in_words(state.hand)) == (Phase.FILLING, 1, "steam ice")
    assert pours(state) == {(kind, cup) for kind in ("ice", "steam") for cup in (1, 2, 3)}
    state = play(state, Pour(Ingredient.ICE, 2), Pour(Ingredient.STEAM, 2))
    assert legal_intents(state) == (EndTurn(), Undo())
    state = play(state, EndTurn())
    assert (state.phase, state.active, in_words(state.hand)) == (Phase.FILLING, 0, "coffee caramel")
    state = play(state, Pour(Ingredient.COFFEE, 1), Pour(Ingredient.CARAMEL, 3), EndTurn())
    assert cups(state) == [["coffee", "", "caramel"], ["", "steam ice", ""]]
    assert (state.phase, state.active, state.round) == (Phase.MOVING, 0, 1)


def test_all_first_ingredients_must_be_poured() -> None:
    # R-SETUP-5: they are put in cups, so nothing is returned
    state = play(dealt(2), *map(PlaceMeeple, (0, 1, 2, 3)))
    assert refused(state, EndTurn()).code == "hand_not_empty"
    state = play(state, Pour(Ingredient.ICE, 2))
    assert refused(state, EndTurn()).code == "hand_not_empty"
    assert refused(state, Pour(Ingredient.ICE, 2)).code == "not_in_hand"


def test_filling_can_be_undone_until_it_ends() -> None:
    filling = play(dealt(2), *map(PlaceMeeple, (0, 1, 2, 3)))
    assert refused(filling, Undo()).code == "nothing_to_undo"
    poured = play(filling, Pour(Ingredient.ICE, 2), Pour(Ingredient.STEAM, 3))
    assert play(poured, Undo(), Undo()) == filling
    assert refused(play(poured, EndTurn()), Undo()).code == "nothing_to_undo"


@SEATS
def test_starter_orders(players: int) -> None:
    # R-SETUP-6: all draw one into slot 2, then the start player one more into slot 1
    setup = Setup(players, DECK, seed=1, starters=True, first=1)
    state, (deck, starters, _) = deal(setup), piles(setup)
    four = cards("Ristretto, Ristretto, Espresso, Espresso")
    assert sorted(starters) == sorted(four)
    assert sorted((*deck, *starters)) == cards_of(DECK.drinks, None)
    for turn in range(players):
        one, two, *rest = state.players[(1 + turn) % players].orders
        extra = (deck[players],) if turn == 0 else ()
        assert one == (starters[turn], *extra)
        assert two == (deck[turn],)
        assert rest == [(), ()]
    assert state.deck == deck[players + 1 :]
    assert state.removed == starters[players:]
    assert len(state.removed) == 4 - players


def test_starters_are_handed_out_at_random() -> None:
    # R-SETUP-6
    got = {deal(Setup(2, DECK, seed, True, 0)).players[0].orders[0][0] for seed in range(30)}
    assert got == set(cards("Ristretto, Espresso"))


def test_without_the_variant_starters_are_cards_like_others() -> None:
    # R-SETUP-6 is off by default
    state = dealt(4)
    assert state.removed == ()
    held = [card for player in state.players for slot in player.orders for card in slot]
    ristretto, espresso = cards("Ristretto, Espresso")
    assert (*held, *state.deck).count(ristretto) == (*held, *state.deck).count(espresso) == 2
