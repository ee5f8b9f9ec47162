"""The components of the game (R-COMP-1 to R-COMP-5)."""

from collections import Counter

import pytest

from coffeerush.rules import deal, standard_deck
from protocol import (
    BOARD,
    CORNERS,
    CUPS,
    RUSH_TOKENS,
    SLOTS,
    SPECIALTY_CELLS,
    SUPPLY,
    Ingredient,
    Phase,
    Pour,
    Upgrade,
)
from tests.rules.checks import assert_conserved, assert_meeples_apart
from tests.support.positions import Has, begun, dealt, play, position, tokens, walk
from tests.support.steering import TABLES, setup_of, steered

ROWS = """
ice      caramel  steam      coffee
coffee   milk     ice        water
tea      steam    milk       coffee
milk     ice      chocolate  steam
"""


def test_the_board() -> None:
    # R-COMP-1
    assert [kind.name.lower() for kind in BOARD] == ROWS.split()
    assert CORNERS == (0, 3, 12, 15)
    special = sorted(BOARD[cell].name for cell in SPECIALTY_CELLS)
    assert special == ["CARAMEL", "CHOCOLATE", "TEA", "WATER"]


def test_the_engine_walks_on_this_board() -> None:
    # R-COMP-1: 24 pairs of neighbours are walked both ways, each cell yields its ingredient
    for cell in range(16):
        for other in range(16):
            rows, columns = abs(cell // 4 - other // 4), abs(cell % 4 - other % 4)
            if rows + columns != 1:
                continue
            others = [free for free in range(16) if free not in (cell, other)][:2]
            state = position(*(Has(meeples=(one,)) for one in (cell, *others)))
            assert walk(state, other).hand == tokens(ROWS.split()[other])


def test_the_supply() -> None:
    # R-COMP-2
    assert SUPPLY == (18, 12, 12, 12, 12, 12, 12, 12)
    assert sum(SUPPLY) == 102
    assert Ingredient(0) is Ingredient.COFFEE, "coffee is the one of which there are 18"
    assert RUSH_TOKENS == 15
    fresh = dealt(4)
    assert fresh.supply == tokens("coffee " * 18) + sum(
        tokens(f"{kind.name} " * 12) for kind in list(Ingredient)[1:]
    )
    assert fresh.rush == 15


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_cards(players: int) -> None:
    # R-COMP-3: 80 cards, four of them starters, some on the specialty menu
    state = dealt(players)
    held = Counter(state.deck)
    for player in state.players:
        held.update(card for slot in player.orders for card in slot)
    drinks = state.menu.drinks
    assert held.total() == 80
    assert {drinks[card].name: n for card, n in held.items() if drinks[card].starter} == {
        "Ristretto": 2,
        "Espresso": 2,
    }
    assert any(drinks[card].specialty for card in held)
    assert drinks == standard_deck().drinks


@pytest.mark.parametrize(("players", "meeples"), [(2, 2), (3, 1), (4, 1)])
def test_the_pieces_of_a_player(players: int, meeples: int) -> None:
    # R-COMP-4
    state = begun(dealt(players), *range(players * meeples))
    assert (CUPS, SLOTS, len(Upgrade)) == (3, 4, 4)
    for player in state.players:
        assert len(player.meeples) == meeples
        assert len(player.cups) == 3
        assert len(player.orders) == 4
        assert player.completed == player.penalties == ()
        assert player.rush == player.upgrades == 0


def test_a_cup_has_no_capacity() -> None:
    # R-COMP-4: one cup holds all but one of the 102 tokens
    full = "coffee " * 18 + "milk steam ice chocolate caramel tea " * 12 + "water " * 11
    state = position(Has(cups=(full,), meeples=(3,)), Has(), Has())
    poured = play(walk(state, 7), Pour(Ingredient.WATER, 1))
    assert poured.players[0].cups == (tokens(full + "water"), 0, 0)
    assert poured.supply == 0
    assert poured.phase is Phase.SERVING


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_tokens_and_cards_are_conserved(players: int, starters: bool) -> None:
    # R-COMP-5
    for seed in range(10):
        setup = setup_of(players, starters, seed)
        assert_conserved(deal(setup), setup)
        for _, _, after in steered(setup):
            assert_conserved(after, setup)
            assert_meeples_apart(after)
