"""Walking (R-MOVE-1 to R-MOVE-5): cells are 0 to 15, row 0 at the top.

ice      caramel  steam      coffee       0  1  2  3
coffee   milk     ice        water        4  5  6  7
tea      steam    milk       coffee       8  9 10 11
milk     ice      chocolate  steam       12 13 14 15
"""

from itertools import combinations

import pytest

from coffeerush.rules import legal_intents
from coffeerush.rules.board import can_enter
from protocol import EmptyCup, EndTurn, Ingredient, Phase, Pour, ReturnRest, Serve, Step, Upgrade
from tests.support.positions import Has, in_words, play, position, refused, steps, tokens, walk

THREE = (Has(meeples=(5,)), Has(meeples=(3,)), Has(meeples=(12,)))


def near(cell: int, diagonal: bool) -> set[int]:
    row, column = divmod(cell, 4)
    found = set()
    for other in range(16):
        rows, columns = abs(other // 4 - row), abs(other % 4 - column)
        if other != cell and max(rows, columns) == 1 and (diagonal or rows + columns == 1):
            found.add(other)
    return found


def test_a_step_leads_to_an_orthogonal_neighbour() -> None:
    # R-MOVE-1
    assert steps(position(*THREE)) == {1, 4, 6, 9}
    assert steps(position(Has(meeples=(0,)), *THREE[1:])) == {1, 4}
    assert steps(position(Has(meeples=(11,)), *THREE[1:])) == {7, 10, 15}
    for cell in (0, 2, 7, 10, 5, 13):
        refusal = refused(position(*THREE), Step(1, cell))
        assert (refusal.code, refusal.params) == ("not_adjacent", {"cell": cell, "here": 5})


def test_rows_do_not_wrap_around() -> None:
    # R-MOVE-1: 7 and 8 are on opposite sides
    assert refused(position(Has(meeples=(7,)), *THREE[1:]), Step(1, 8)).code == "not_adjacent"


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_player_must_move(count: int) -> None:
    # R-MOVE-1: nothing else before the first step, not even serving a matching cup
    state = position(Has(("Americano",), ("coffee water",)), *[Has()] * (count - 1))
    for intent in (EndTurn(), ReturnRest(), Pour(Ingredient.ICE, 1), Serve(1, 1)):
        assert refused(state, intent).code == "must_step"


def test_one_two_or_three_steps() -> None:
    # R-MOVE-1, R-MOVE-2: each may be the last; a fourth costs what the player does not have
    state = position(*THREE)
    for cell, left in ((6, 2), (10, 1), (9, 0)):
        state = walk(state, cell)
        assert ReturnRest() in legal_intents(state)
        assert bool(steps(state)) is bool(left)
    assert refused(state, Step(1, 5)).code == "no_steps_left"


def test_each_step_takes_what_the_cell_shows() -> None:
    # R-MOVE-3: ice, milk and steam; not the milk of the starting cell
    state = walk(position(*THREE), 6, 10, 9)
    assert state.hand == tokens("ice milk steam")
    assert state.supply == position(*THREE).supply - tokens("ice milk steam")
    assert state.path == (5, 6, 10, 9)


def test_the_starting_cell_yields_when_entered_again() -> None:
    # R-MOVE-3, R-MOVE-5: back to the starting cell, and over a cell twice
    state = walk(position(*THREE), 6, 5, 6)
    assert in_words(state.hand) == "milk ice ice"
    back = walk(position(*THREE), 6, 5)
    assert in_words(back.hand) == "milk ice"
    assert play(back, ReturnRest(), EndTurn()).players[0].meeples == (5,)


@pytest.mark.parametrize(
    ("cup", "gain"), [("ice " * 10, "ice ice"), ("ice " * 11, "ice"), ("ice " * 12, "")]
)
def test_a_short_supply_yields_what_is_left(cup: str, gain: str) -> None:
    # R-MOVE-3: a doubled corner with two, one and no tokens in the supply
    seat = Has(meeples=(1,), upgrades=(Upgrade.DOUBLE_CORNERS,))
    state = walk(position(seat, Has(cups=(cup,)), Has()), 0)
    assert in_words(state.hand) == gain
    assert in_words(state.supply).count("ice") == 12 - cup.count("ice") - gain.count("ice")


def test_a_walk_that_brings_nothing_ends_without_pouring() -> None:
    # R-MOVE-3: with an empty hand, the player may serve at once or keep walking
    seat = Has(("Americano",), ("coffee water",), (1,))
    state = walk(position(seat, Has(cups=("ice " * 12,)), Has()), 0)
    assert state.hand == 0
    assert refused(state, ReturnRest()).code == "hand_empty"
    assert refused(state, Pour(Ingredient.ICE, 1)).code == "not_in_hand"
    assert set(legal_intents(state)) >= {Step(1, 1), Step(1, 4), Serve(1, 1), EndTurn()}


@pytest.mark.parametrize("first", [Pour(Ingredient.ICE, 3), ReturnRest()])
def test_pouring_ends_the_walk(first: Pour | ReturnRest) -> None:
    # R-MOVE-1: then the player pours
    state = play(walk(position(*THREE), 6), first)
    assert refused(state, Step(1, 10)).code == "wrong_phase"


def test_serving_ends_the_walk() -> None:
    seat = Has(("Americano",), ("coffee water",), (1,))
    state = walk(position(seat, Has(cups=("ice " * 12,)), Has()), 0)
    assert refused(play(state, Serve(1, 1)), Step(1, 4)).code == "wrong_phase"


def test_rush_tokens_allow_further_steps() -> None:
    # R-MOVE-2: three free, then one token each, back in the supply at once; any number
    seat = Has(meeples=(5,), rush=4)
    state = walk(position(seat, *THREE[1:]), 6, 10, 9)
    assert (state.players[0].rush, state.rush) == (4, 11)
    for spent, cell in enumerate((5, 6, 10, 9), start=1):
        state = walk(state, cell)
        assert (state.players[0].rush, state.rush) == (4 - spent, 11 + spent)
    assert refused(state, Step(1, 5)).code == "no_steps_left"
    assert in_words(state.hand) == "milk milk milk steam steam ice ice"


def test_all_fifteen_rush_tokens_in_one_turn() -> None:
    # R-MOVE-2: eighteen steps
    state = walk(position(Has(meeples=(5,), rush=15), *THREE[1:]), *[6, 5] * 9)
    assert (state.players[0].rush, state.rush, len(state.path)) == (0, 15, 19)
    assert in_words(state.hand) == ("milk " * 9 + "ice " * 9).strip()


@pytest.mark.parametrize("count", [3, 4])
def test_three_or_four_players_have_one_meeple_each(count: int) -> None:
    # R-COMP-4, R-MOVE-1
    state = position(*[Has()] * count)
    assert refused(state, Step(2, 1)).code == "no_such_meeple"


def test_two_players_move_one_of_their_meeples() -> None:
    # R-MOVE-1: either, but only one in a turn
    state = position(Has(meeples=(5, 15)), Has(meeples=(0, 3)))
    moves = {(one.meeple, one.cell) for one in legal_intents(state) if isinstance(one, Step)}
    assert moves == {(1, 1), (1, 4), (1, 6), (1, 9), (2, 11), (2, 14)}
    second = walk(state, 14, meeple=2)
    assert second.players[0].meeples == (5, 14)
    assert steps(second) == {10, 13, 15}
    assert refused(second, Step(1, 6)).code == "other_meeple"
    assert refused(walk(state, 6), Step(2, 14)).code == "other_meeple"


def test_the_other_meeple_may_move_in_the_next_turn() -> None:
    # R-MOVE-1
    state = position(Has(meeples=(5, 15)), Has(meeples=(0, 3)))
    state = play(walk(state, 6), ReturnRest(), EndTurn())
    state = play(walk(state, 1), ReturnRest(), EndTurn())
    assert walk(state, 14, meeple=2).players[0].meeples == (6, 14)


def test_a_step_onto_a_meeple_yields_but_cannot_be_the_last() -> None:
    # R-MOVE-4: over 6, where another meeple stands; every way of ending there is refused
    state = walk(position(Has(meeples=(5,)), Has(meeples=(6,)), Has(meeples=(12,))), 6)
    assert in_words(state.hand) == "ice"
    for intent in (ReturnRest(), Pour(Ingredient.ICE, 1), EndTurn(), Serve(1, 1)):
        assert refused(state, intent).code == "stands_on_meeple"
    state = walk(state, 7)
    assert play(state, ReturnRest(), EndTurn()).players[0].meeples == (7,)


def test_a_cup_may_be_emptied_while_standing_on_a_meeple() -> None:
    # R-POUR-3 with R-MOVE-4
    seat = Has(cups=("ice",), meeples=(5,))
    state = walk(position(seat, Has(meeples=(6,)), Has(meeples=(12,))), 6)
    assert play(state, EmptyCup(1)).phase is Phase.MOVING


@pytest.mark.parametrize(("rush", "allowed"), [(0, False), (1, True)])
def test_the_last_step_ends_on_a_free_cell(rush: int, allowed: bool) -> None:
    # R-MOVE-4: the third step may enter 6 only if a rush token pays for another step
    seats = (Has(meeples=(5,), rush=rush), Has(meeples=(6,)), Has(meeples=(12,)))
    state = walk(position(*seats), 9, 10)
    assert (6 in steps(state)) is allowed
    if not allowed:
        refusal = refused(state, Step(1, 6))
        assert (refusal.code, refusal.params) == ("would_be_stuck", {"cell": 6})


def test_a_players_other_meeple_blocks_too() -> None:
    # R-MOVE-4 with 2 players: 6 is taken, and 5, which the moving meeple left, is free
    state = position(Has(meeples=(5, 6)), Has(meeples=(0, 3)))
    beside = walk(state, 9, 10)
    assert refused(beside, Step(1, 6)).code == "would_be_stuck"
    passed = walk(state, 6)
    assert refused(passed, EndTurn()).code == "stands_on_meeple"
    assert ReturnRest() in legal_intents(walk(passed, 5))


def test_three_meeples_around_a_corner() -> None:
    # R-MOVE-4: meeples on 0, 1 and 4; from 0, one step leads to no free cell
    others = (Has(meeples=(0,)), Has(meeples=(1,)), Has(meeples=(4,)))
    state = walk(position(Has(meeples=(9,)), *others), 5)
    assert steps(state) == {1, 4, 6, 9}, "two steps left: each leads on"
    state = walk(state, 1)
    assert steps(state) == {2, 5}, "one step left: not into the corner, nor on to a meeple"
    assert refused(state, Step(1, 0)).code == "would_be_stuck"


@pytest.mark.parametrize(("rush", "corner"), [(0, False), (1, False), (2, True), (3, True)])
def test_rush_tokens_lead_out_of_the_corner(rush: int, corner: bool) -> None:
    # R-MOVE-4: on 0 after the third step, one token is not enough to get out, two are
    others = (Has(meeples=(0,)), Has(meeples=(1,)), Has(meeples=(4,)))
    state = walk(position(Has(meeples=(9,), rush=rush), *others), 5, 1)
    assert (0 in steps(state)) is corner


def test_the_corner_with_diagonal_moves() -> None:
    # R-MOVE-4, R-UPG-3: from 0 there is the diagonal to 5
    others = (Has(meeples=(0,)), Has(meeples=(1,)), Has(meeples=(4,)))
    seat = Has(meeples=(9,), upgrades=(Upgrade.DIAGONAL_MOVE,))
    assert 0 in steps(walk(position(seat, *others), 5))
    assert 0 not in steps(walk(position(seat, *others), 6, 5))


@pytest.mark.parametrize("diagonal", [False, True])
def test_every_ring_of_meeples(diagonal: bool) -> None:
    """A cell can be entered if and only if some walk from there ends on a free cell.

    All positions of three other meeples (R-MOVE-4), against exhaustive search of walks.
    """

    def free_end(cell: int, others: tuple[int, ...], left: int) -> bool:
        if cell not in others:
            return True
        return left > 0 and any(free_end(on, others, left - 1) for on in near(cell, diagonal))

    for others in combinations(range(16), 3):
        standing = sum(1 << cell for cell in others)
        for cell in others:
            for left in range(4):
                expected = free_end(cell, others, left)
                assert can_enter(cell, standing, left, diagonal) is expected
