"""Each refusal code of the rules, provoked once: code, sentence and params."""

from collections.abc import Callable

import msgspec
import pytest

from coffeerush.rules import State
from protocol import (
    REFUSAL_CODES,
    SENTENCE_CHARACTERS,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    Refusal,
    ReturnRest,
    Serve,
    Step,
    Undo,
    Upgrade,
)
from tests.support.positions import Has, begun, dealt, finish, play, position, ready, refused, walk

OF_THE_RULES = REFUSAL_CODES[: REFUSAL_CODES.index("say_hello")]
MOCHA = ("coffee chocolate milk steam",)


def three(seat: Has = Has(meeples=(5,))) -> State:  # noqa: B008 - a constant
    return position(seat, Has(meeples=(6,)), Has(meeples=(12,)))


def two() -> State:
    return position(Has(meeples=(5, 15)), Has(meeples=(0, 3)))


CASES: dict[str, tuple[Callable[[], State], Intent, str, dict[str, str | int]]] = {
    "wrong_phase": (
        three,
        PlaceMeeple(1),
        "That cannot be done while moving; choose one of the options.",
        {"phase": "moving"},
    ),
    "cell_taken": (
        lambda: play(dealt(3), PlaceMeeple(9)),
        PlaceMeeple(9),
        "A meeple stands on that cell; choose a free one.",
        {"cell": 9},
    ),
    "not_adjacent": (
        three,
        Step(1, 10),
        "That cell is not next to the meeple.",
        {"cell": 10, "here": 5},
    ),
    "no_steps_left": (
        lambda: walk(three(), 1, 5, 1),
        Step(1, 5),
        "No steps and no rush tokens are left; go on with what you have.",
        {},
    ),
    "would_be_stuck": (
        lambda: walk(three(), 1, 5),
        Step(1, 6),
        "Another meeple stands there, and no step would be left to end on a free cell.",
        {"cell": 6},
    ),
    "other_meeple": (
        lambda: walk(two(), 6),
        Step(2, 11),
        "Only one meeple moves in a turn; undo the steps to move this one.",
        {},
    ),
    "no_such_meeple": (
        three,
        Step(2, 1),
        "With three or four players each has one meeple.",
        {},
    ),
    "must_step": (three, EndTurn(), "Take at least one step first.", {}),
    "stands_on_meeple": (
        lambda: walk(three(), 6),
        ReturnRest(),
        "Another meeple stands here; step on to a free cell.",
        {},
    ),
    "hand_not_empty": (
        lambda: walk(three(), 1, 5, 4),
        EndTurn(),
        "Pour or return what is in your hand first: coffee, milk, caramel.",
        {},
    ),
    "hand_empty": (
        lambda: walk(three(Has(cups=("caramel " * 12,), meeples=(5,))), 1),
        ReturnRest(),
        "Your hand is empty already.",
        {},
    ),
    "not_in_hand": (
        lambda: walk(three(), 1),
        Pour(Ingredient.TEA, 2),
        "There is no tea in your hand; it holds caramel.",
        {"ingredient": Ingredient.TEA.value},
    ),
    "cup_is_empty": (three, EmptyCup(2), "Cup 2 is empty already.", {"cup": 2}),
    "cup_does_not_match": (
        lambda: ready(three(Has(("", "Mocha, Lungo"), ("milk ice",), (5,)))),
        Serve(1, 2),
        "Cup 1 holds milk, ice; it matches no order in slot 2: Mocha, Lungo.",
        {"cup": 1, "slot": 2},
    ),
    "too_few_completed": (
        lambda: three(Has(completed=2)),
        ActivateUpgrade(Upgrade.DIAGONAL_MOVE),
        "An upgrade costs 3 completed orders; you have 2.",
        {"needs": 3, "have": 2},
    ),
    "upgrade_is_active": (
        lambda: three(Has(completed=3, upgrades=(Upgrade.DOUBLE_CORNERS,))),
        ActivateUpgrade(Upgrade.DOUBLE_CORNERS),
        "That upgrade is active already.",
        {"upgrade": Upgrade.DOUBLE_CORNERS.value},
    ),
    "nothing_to_undo": (three, Undo(), "There is nothing to take back in this turn.", {}),
}


@pytest.mark.parametrize("code", CASES)
def test_a_refusal_says_why(code: str) -> None:
    make, intent, text, params = CASES[code]
    assert refused(make(), intent) == Refusal(code, text, params)  # type: ignore[arg-type]  # a literal


def test_another_players_turn() -> None:
    text = "It is another player's turn; wait for yours."
    for intent in (EndTurn(), Undo(), PlaceMeeple(3), Step(1, 1)):
        assert refused(three(), intent, seat=2) == Refusal("not_your_turn", text)


def test_every_code_of_the_rules_is_provoked() -> None:
    assert {*CASES, "not_your_turn"} == set(OF_THE_RULES)


@pytest.mark.parametrize(
    ("make", "intent", "text"),
    [
        (
            lambda: walk(three(Has(completed=3, meeples=(5,))), 1),
            ActivateUpgrade(Upgrade.DIAGONAL_MOVE),
            "An upgrade is activated before the first step; choose one of the options.",
        ),
        (
            lambda: play(
                three(Has(completed=6, cups=("ice",))),
                ActivateUpgrade(Upgrade.DOUBLE_CORNERS),
                EmptyCup(1),
            ),
            ActivateUpgrade(Upgrade.DIAGONAL_MOVE),
            "One upgrade a turn is activated; choose one of the options.",
        ),
        (
            lambda: dealt(3),
            Undo(),
            "That cannot be done while placing; choose one of the options.",
        ),
        (
            lambda: begun(dealt(2), 0, 1, 2, 3),
            Pour(Ingredient.ICE, 1),
            "Take at least one step first.",
        ),
        (
            lambda: ready(three()),
            Serve(3, 4),
            "Cup 3 holds nothing; it matches no order in slot 4: none.",
        ),
    ],
)
def test_a_reason_fits_its_position(make: Callable[[], State], intent: Intent, text: str) -> None:
    assert refused(make(), intent).text == text


def test_when_the_game_is_over_there_is_nothing_to_choose() -> None:
    over = finish(position(Has(("Mocha",)), Has(penalties=5), active=1))
    assert over.phase is Phase.OVER
    expected = Refusal(
        "wrong_phase", "The game is over; nothing more is played.", {"phase": "over"}
    )
    assert refused(over, EndTurn(), seat=0) == expected


def test_long_reasons_are_cut() -> None:
    """A cup of 40 tokens and nine orders in a slot still give one sentence that fits the wire."""
    wanted = "Caramel macchiato, Iced caramel latte, Caramel frappe, Caramel mocha, Hot chocolate"
    seat = Has(
        (f"{wanted}, Dirty chai, Iced milk tea",), ("chocolate " * 12 + "caramel " * 12,), (5,)
    )
    refusal = refused(ready(three(seat)), Serve(1, 1))
    assert len(refusal.text) == SENTENCE_CHARACTERS
    assert msgspec.convert(msgspec.to_builtins(refusal), Refusal) == refusal
    hand = walk(three(Has(meeples=(5,), rush=15)), *[1, 5] * 9)
    assert len(refused(hand, EndTurn()).text) <= SENTENCE_CHARACTERS


def test_a_refusal_leaves_the_state_as_it_was() -> None:
    state = walk(three(Has(("Mocha",), MOCHA, (5,))), 1)
    before = msgspec.msgpack.encode(state)
    for intent in (Serve(1, 1), EndTurn(), Step(2, 1), Pour(Ingredient.TEA, 1)):
        refused(state, intent)
    assert msgspec.msgpack.encode(state) == before
    assert state.phase is Phase.MOVING
