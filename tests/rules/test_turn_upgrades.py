"""Upgrades (R-UPG-1 to R-UPG-6)."""

from itertools import product

import pytest

from coffeerush.rules import State, legal_intents
from coffeerush.rules.board import amount
from protocol import (
    BOARD,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Ingredient,
    Phase,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Undo,
    Upgrade,
)
from tests.support.positions import Has, finish, in_words, play, position, refused, steps, walk

MEEPLES, DIAGONAL, CORNERS, SPECIALTIES = Upgrade
SEATS = pytest.mark.parametrize("count", [2, 3, 4])


def activations(state: State) -> list[Upgrade]:
    return [one.upgrade for one in legal_intents(state) if isinstance(one, ActivateUpgrade)]


@SEATS
@pytest.mark.parametrize(("completed", "able"), [(0, False), (2, False), (3, True), (7, True)])
def test_three_completed_orders_allow_an_upgrade(count: int, completed: int, able: bool) -> None:
    # R-UPG-1
    state = position(Has(completed=completed), *[Has()] * (count - 1))
    assert state.phase is (Phase.UPGRADE if able else Phase.MOVING)
    assert activations(state) == (list(Upgrade) if able else [])
    if not able:
        refusal = refused(state, ActivateUpgrade(CORNERS))
        assert (refusal.code, refusal.params) == (
            "too_few_completed",
            {"needs": 3, "have": completed},
        )


@SEATS
def test_exactly_three_orders_are_discarded(count: int) -> None:
    # R-UPG-1: they are public in the discards and score nothing; 5 - 3 + 2 for the upgrade
    state = position(Has(completed=5), *[Has()] * (count - 1))
    pile = state.players[0].completed
    after = play(state, ActivateUpgrade(DIAGONAL))
    assert after.players[0].upgrades == 1 << DIAGONAL
    assert after.discards == pile[:3]
    assert after.players[0].completed == pile[3:]
    assert after.deck == state.deck


def test_an_upgrade_is_optional() -> None:
    # R-UPG-1: the player may step instead, or empty a cup first, and it is still offered
    state = position(Has(completed=3, cups=("ice",)), Has(), Has())
    assert walk(state, 1).phase is Phase.MOVING
    emptied = play(state, EmptyCup(1))
    assert activations(emptied) == list(Upgrade)


def test_upgrades_come_first() -> None:
    # R-UPG-1: not after the first step, nor later in the turn
    state = walk(position(Has(completed=3), Has(), Has()), 1)
    assert refused(state, ActivateUpgrade(CORNERS)).code == "wrong_phase"
    assert refused(play(state, ReturnRest()), ActivateUpgrade(CORNERS)).code == "wrong_phase"


def test_orders_of_this_turn_pay_from_the_next_on() -> None:
    # R-UPG-1: the third order is served in this turn
    state = position(Has(("Americano",), ("coffee water",), completed=2), Has(), Has())
    served = play(walk(state, 1), ReturnRest(), Serve(1, 1))
    assert refused(served, ActivateUpgrade(CORNERS)).code == "wrong_phase"
    state = finish(finish(play(served, EndTurn())))
    assert (state.active, state.phase) == (0, Phase.UPGRADE)


def test_one_upgrade_a_turn() -> None:
    # R-UPG-1, where the editions are silent: six orders would pay for two
    state = position(Has(("Mocha",), completed=6), Has(), Has())
    state = play(state, ActivateUpgrade(CORNERS))
    assert (state.phase, activations(state)) == (Phase.MOVING, [])
    refusal = refused(state, ActivateUpgrade(DIAGONAL))
    assert (refusal.code, refusal.params) == (
        "wrong_phase",
        {"phase": "moving", "reason": "upgraded"},
    )
    state = finish(finish(finish(state)))
    assert activations(state) == [MEEPLES, DIAGONAL, SPECIALTIES]


def test_each_upgrade_once() -> None:
    # R-COMP-4: four upgrades, each once
    state = position(Has(completed=3, upgrades=(CORNERS,)), Has(), Has())
    assert refused(state, ActivateUpgrade(CORNERS)).code == "upgrade_is_active"
    done = position(Has(completed=9, upgrades=tuple(Upgrade)), Has(), Has())
    assert done.phase is Phase.MOVING
    assert refused(done, ActivateUpgrade(MEEPLES)).code == "upgrade_is_active"


def test_a_turn_with_all_upgrades_begins_with_moving() -> None:
    # R-UPG-1: there is nothing to choose
    states = position(Has(), Has(completed=9, upgrades=tuple(Upgrade)), Has(completed=3))
    assert finish(states).phase is Phase.MOVING
    assert finish(finish(states)).phase is Phase.UPGRADE


def test_an_upgrade_can_be_undone() -> None:
    state = position(Has(completed=3), Has(), Has())
    assert play(state, ActivateUpgrade(CORNERS), Undo()) == state
    again = play(state, ActivateUpgrade(CORNERS), Undo(), ActivateUpgrade(DIAGONAL))
    assert again.players[0].upgrades == 1 << DIAGONAL


@pytest.mark.parametrize(
    ("upgrade", "walked", "hand"),
    [
        (CORNERS, (0,), "ice ice"),
        (SPECIALTIES, (1,), "milk caramel caramel"),
        (DIAGONAL, (0,), "ice"),
        (MEEPLES, (6,), "ice ice"),
    ],
)
def test_an_upgrade_works_at_once_and_stays(
    upgrade: Upgrade, walked: tuple[int, ...], hand: str
) -> None:
    # R-UPG-1: from the same turn on, and in the next turn without activating anything
    begin = {CORNERS: 4, SPECIALTIES: 9, DIAGONAL: 5, MEEPLES: 5}[upgrade]
    way = {SPECIALTIES: (5, *walked)}.get(upgrade, walked)
    seats = (Has(completed=3, meeples=(begin,)), Has(meeples=(6,)), Has(meeples=(15,)))
    state = walk(play(position(*seats), ActivateUpgrade(upgrade)), *way)
    assert in_words(state.hand) == hand
    later = position(
        Has(meeples=(begin,), upgrades=(upgrade,)), Has(meeples=(6,)), Has(meeples=(15,))
    )
    assert in_words(walk(later, *way).hand) == hand


def test_double_meeples() -> None:
    # R-UPG-2: two tokens if another meeple is on the cell, else one
    seat = Has(meeples=(5,), upgrades=(MEEPLES,))
    state = walk(position(seat, Has(meeples=(6,)), Has(meeples=(12,))), 6, 10)
    assert in_words(state.hand) == "milk ice ice"


def test_double_meeples_counts_the_players_other_meeple() -> None:
    # R-UPG-2 with 2 players: on 6 the same player's, on 2 the other player's, 5 was left
    seat = Has(meeples=(5, 6), upgrades=(MEEPLES,))
    state = position(seat, Has(meeples=(2, 15)))
    assert in_words(walk(state, 6, 2, 1).hand) == "steam steam ice ice caramel"
    assert in_words(walk(state, 6, 5).hand) == "milk ice ice"
    assert in_words(walk(state, 5, 4, meeple=2).hand) == "coffee milk milk"


def test_diagonal_move() -> None:
    # R-UPG-3: in addition to orthogonal steps
    seat = Has(meeples=(5,), upgrades=(DIAGONAL,))
    state = position(seat, Has(meeples=(3,)), Has(meeples=(12,)))
    assert steps(state) == {0, 1, 2, 4, 6, 8, 9, 10}
    assert steps(walk(state, 8)) == {4, 5, 9, 12, 13}
    assert refused(state, Step(1, 7)).code == "not_adjacent"
    edge = position(Has(meeples=(7,), upgrades=(DIAGONAL,)), Has(), Has())
    assert steps(edge) == {2, 3, 6, 10, 11}


@pytest.mark.parametrize(
    ("upgrade", "begin", "cell", "kind"),
    [
        (CORNERS, 1, 0, "ice"),  # R-UPG-4
        (CORNERS, 2, 3, "coffee"),
        (CORNERS, 8, 12, "milk"),
        (CORNERS, 11, 15, "steam"),
        (SPECIALTIES, 2, 1, "caramel"),  # R-UPG-5
        (SPECIALTIES, 3, 7, "water"),
        (SPECIALTIES, 4, 8, "tea"),
        (SPECIALTIES, 15, 14, "chocolate"),
    ],
)
def test_double_corners_and_specialties(upgrade: Upgrade, begin: int, cell: int, kind: str) -> None:
    seat = Has(meeples=(begin,), upgrades=(upgrade,))
    state = walk(position(seat, Has(meeples=(5,)), Has(meeples=(6,))), cell)
    assert in_words(state.hand) == f"{kind} {kind}"


def test_the_example_of_the_rulebook() -> None:
    """Double meeples and double corners: 4 coffee from the corner, then back for the steam."""
    # R-UPG-6: Massimo starts on the steam at 2, Ambra is on the coffee at 3
    massimo = Has(meeples=(2,), upgrades=(MEEPLES, CORNERS))
    state = walk(position(massimo, Has(meeples=(3,)), Has(meeples=(12,))), 3)
    assert in_words(state.hand) == "coffee coffee coffee coffee"
    state = walk(state, 2)
    assert in_words(state.hand) == "coffee coffee coffee coffee steam"
    ended = play(state, ReturnRest(), EndTurn())
    assert ended.players[0].meeples == (2,), "with a step to spare"


def test_a_specialty_cell_with_a_meeple_yields_four() -> None:
    # R-UPG-6: so does a specialty cell with a meeple on it
    seat = Has(meeples=(6,), upgrades=(MEEPLES, SPECIALTIES))
    state = walk(position(seat, Has(meeples=(7,)), Has(meeples=(12,))), 7, 11)
    assert in_words(state.hand) == "coffee water water water water"


def test_a_fourfold_gain_is_limited_by_the_supply() -> None:
    # R-UPG-6 with R-MOVE-3
    seat = Has(meeples=(2,), upgrades=(MEEPLES, CORNERS))
    state = position(seat, Has(meeples=(3,), cups=("coffee " * 15,)), Has(meeples=(12,)))
    state = walk(state, 3, 7)
    assert in_words(state.hand) == "coffee coffee coffee water"
    assert play(state, Pour(Ingredient.WATER, 1)).phase is Phase.POURING


def test_the_gain_of_every_cell_with_every_upgrade() -> None:
    # R-MOVE-3, R-UPG-2, R-UPG-4, R-UPG-5, R-UPG-6
    special = {Ingredient.CARAMEL, Ingredient.TEA, Ingredient.CHOCOLATE, Ingredient.WATER}
    for cell, taken, active in product(range(16), (False, True), range(16)):
        has = {upgrade for upgrade in Upgrade if active >> upgrade & 1}
        doublings = [
            MEEPLES in has and taken,
            CORNERS in has and cell in (0, 3, 12, 15),
            SPECIALTIES in has and BOARD[cell] in special,
        ]
        assert amount(active, cell, taken << cell) == 2 ** sum(doublings)
