"""Pouring, returning and emptying (R-POUR-1 to R-POUR-3)."""

import pytest

from coffeerush.rules import legal_intents
from protocol import (
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
from tests.support.positions import Has, in_words, play, position, pours, refused, tokens, walk

ICE, MILK, STEAM, TEA = Ingredient.ICE, Ingredient.MILK, Ingredient.STEAM, Ingredient.TEA
OTHERS = (Has(meeples=(3,)), Has(meeples=(12,)))


def test_the_hand_is_split_freely() -> None:
    # R-POUR-1: three tokens, each into any cup, one by one
    state = walk(position(Has(meeples=(5,)), *OTHERS), 6, 10, 6)
    assert pours(state) == {(kind, cup) for kind in ("ice", "milk") for cup in (1, 2, 3)}
    state = play(state, Pour(ICE, 1))
    assert (state.phase, in_words(state.hand)) == (Phase.POURING, "milk ice")
    state = play(state, Pour(ICE, 3))
    assert pours(state) == {("milk", cup) for cup in (1, 2, 3)}
    state = play(state, Pour(MILK, 3))
    assert state.players[0].cups == (tokens("ice"), 0, tokens("milk ice"))
    assert (state.phase, state.hand) == (Phase.SERVING, 0)


def test_all_may_go_into_one_cup_on_top_of_what_is_there() -> None:
    # R-POUR-1
    seat = Has(cups=("", "milk tea"), meeples=(5,))
    state = play(walk(position(seat, *OTHERS), 6, 5), Pour(ICE, 2), Pour(MILK, 2))
    assert state.players[0].cups == (0, tokens("milk milk tea ice"), 0)


@pytest.mark.parametrize("poured", [0, 1, 2])
def test_unwanted_tokens_are_returned(poured: int) -> None:
    # R-POUR-1: all, some or none of it; afterwards the hand is empty
    begin = position(Has(meeples=(5,)), *OTHERS)
    state = play(walk(begin, 6, 10, 9), *[Pour(ICE, 1), Pour(MILK, 1)][:poured], ReturnRest())
    kept = tokens(["", "ice", "milk ice"][poured])
    assert (state.hand, state.players[0].cups) == (0, (kept, 0, 0))
    assert state.supply == begin.supply - kept
    assert state.phase is Phase.SERVING


def test_only_what_is_in_hand_is_poured() -> None:
    # R-POUR-1
    state = walk(position(Has(meeples=(5,)), *OTHERS), 6, 10)
    assert refused(state, Pour(TEA, 1)).code == "not_in_hand"
    poured = play(state, Pour(ICE, 1))
    refusal = refused(poured, Pour(ICE, 1))
    assert refusal.code == "not_in_hand"
    assert refusal.text == "You have no ice in your hand; it holds milk."


def test_the_turn_does_not_go_on_with_a_full_hand() -> None:
    # R-POUR-1: no serving, no end of the turn
    state = walk(position(Has(("Americano",), ("coffee water",), (5,)), *OTHERS), 6, 10)
    for there in (state, play(state, Pour(ICE, 1))):
        assert refused(there, Serve(1, 1)).code == "hand_not_empty"
        assert refused(there, EndTurn()).code == "hand_not_empty"


def test_a_poured_token_stays_in_its_cup() -> None:
    # R-POUR-2: tokens leave a cup only by emptying or serving, and never go back to the hand
    seat = Has(cups=("tea", "milk"), meeples=(5,))
    state = play(walk(position(seat, *OTHERS), 6, 10), Pour(ICE, 1))
    assert pours(state) == {("milk", cup) for cup in (1, 2, 3)}
    assert refused(state, Pour(TEA, 2)).code == "not_in_hand"
    after = play(state, Pour(MILK, 3))
    assert after.players[0].cups == (tokens("tea ice"), tokens("milk"), tokens("milk"))
    for intent in legal_intents(after):
        assert isinstance(intent, EmptyCup | EndTurn | Undo)


def test_a_cup_is_emptied_completely() -> None:
    # R-POUR-3
    state = position(Has(cups=("tea milk ice", "milk"), meeples=(5,)), *OTHERS)
    after = play(state, EmptyCup(1))
    assert after.players[0].cups == (0, tokens("milk"), 0)
    assert after.supply == state.supply + tokens("tea milk ice")
    refusal = refused(after, EmptyCup(1))
    assert (refusal.code, refusal.params) == ("cup_is_empty", {"cup": 1})


def test_cups_can_be_emptied_at_any_time_in_the_turn() -> None:
    # R-POUR-3, a frequent question: also before moving, and before an upgrade
    seat = Has(
        ("Americano",),
        ("tea", "coffee water", "milk"),
        (5,),
        completed=3,
        upgrades=(Upgrade.DOUBLE_CORNERS,),
    )
    state = play(position(seat, *OTHERS), EmptyCup(1), ActivateUpgrade(Upgrade.DIAGONAL_MOVE))
    state = play(state, EmptyCup(3), Step(1, 6))
    assert EmptyCup(2) in legal_intents(state)
    state = play(state, Step(1, 10), Pour(ICE, 1), EmptyCup(1), Pour(MILK, 1))
    assert state.phase is Phase.SERVING
    state = play(state, Serve(2, 1), EmptyCup(1), EndTurn())
    assert state.players[0].cups == (0, 0, 0)


def test_pouring_goes_on_after_emptying() -> None:
    # R-POUR-3: a cup emptied in the middle of pouring can take the rest of the hand
    state = walk(position(Has(cups=("tea",), meeples=(5,)), *OTHERS), 6, 10)
    state = play(state, Pour(ICE, 1), EmptyCup(1))
    assert (state.phase, in_words(state.hand)) == (Phase.POURING, "milk")
    assert play(state, Pour(MILK, 1)).players[0].cups == (tokens("milk"), 0, 0)


def test_an_emptied_token_is_picked_up_again() -> None:
    # R-POUR-3: all 12 ice are in cups; after emptying one mid-walk, they are available at once
    seats = (Has(cups=("ice " * 7,), meeples=(5,)), Has(cups=("ice " * 5,), meeples=(3,)), Has())
    dry = walk(position(*seats), 6)
    assert dry.hand == 0
    state = walk(play(dry, EmptyCup(1)), 5, 6)
    assert in_words(state.hand) == "milk ice"
    assert in_words(state.supply).count("ice") == 6


def test_other_players_cannot_empty_cups() -> None:
    # R-POUR-3: only in the player's own turn
    state = position(Has(cups=("tea",)), Has(cups=("milk",)), Has())
    assert refused(state, EmptyCup(1), seat=1).code == "not_your_turn"


def test_pours_are_undone_one_by_one() -> None:
    walked = walk(position(Has(cups=("tea",), meeples=(5,)), *OTHERS), 6, 10)
    one = play(walked, Pour(ICE, 1))
    two = play(one, Pour(MILK, 2))
    assert play(two, EmptyCup(1), Undo()) == two
    assert play(two, Undo()) == one
    assert play(one, ReturnRest(), Undo(), Undo()) == walked
