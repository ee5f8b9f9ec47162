"""What is legal, and why the rest is not."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from coffeerush.rules import State, advance, legal_intents
from protocol import (
    SENTENCE_CHARACTERS,
    EndTurn,
    Ingredient,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    Refusal,
    Serve,
    Step,
    Undo,
    Upgrade,
)
from tests.support.positions import Has, begun, dealt, position, ready, refused, walk
from tests.support.refusals import OF_THE_RULES, by_the_rules, three
from tests.support.steering import TABLES, setup_of, steered

# Each refusal code of the rules, provoked once: code, sentence and params


MOCHA = ("coffee chocolate milk steam",)


CASES: dict[str, tuple[str, dict[str, str | int]]] = {
    "wrong_phase": (
        "You cannot do that now. You can: take a step.",
        {"phase": "moving", "allowed": "step"},
    ),
    "wrong_phase/over": ("The game is over.", {"phase": "over"}),
    "wrong_phase/stepped": (
        "You can only activate an upgrade before your first step.",
        {"phase": "moving"},
    ),
    "wrong_phase/upgraded": ("You can only activate one upgrade per turn.", {"phase": "moving"}),
    "cell_taken": (
        "There is already a meeple at row 3, column 2; choose a free cell.",
        {"cell": 9},
    ),
    "not_adjacent": (
        "The cell at row 3, column 3 is not next to your meeple at row 2, column 2.",
        {"cell": 10, "here": 5},
    ),
    "no_steps_left": (
        "You have used your 3 free steps and have no rush tokens for more.",
        {"steps": 3},
    ),
    "would_be_stuck": (
        "There is a meeple at row 2, column 3, and you could not get from there to a free cell.",
        {"cell": 6},
    ),
    "other_meeple": (
        "You have already moved meeple 1 this turn; undo its steps to move meeple 2.",
        {"moved": 1, "meeple": 2},
    ),
    "no_such_meeple": ("With 3 players, each has only one meeple.", {"players": 3}),
    "must_step": ("Take at least one step first.", {}),
    "stands_on_meeple": (
        "There is another meeple at row 2, column 3, so you cannot stop there; "
        "keep going to a free cell.",
        {"cell": 6},
    ),
    "hand_not_empty": (
        "Pour or give back what is in your hand first: coffee, milk and caramel.",
        {"hand": "1, 1, 0, 0, 0, 1, 0, 0"},
    ),
    "hand_empty": ("Your hand is already empty.", {}),
    "not_in_hand": (
        "You have no tea in your hand; it holds caramel.",
        {"ingredient": Ingredient.TEA.value, "hand": "0, 0, 0, 0, 0, 1, 0, 0"},
    ),
    "cup_is_empty": ("Cup 2 is already empty.", {"cup": 2}),
    "cup_does_not_match": (
        "Cup 1 holds milk and 2 ice; that matches none of the orders in slot 2 (Mocha, Lungo).",
        {"cup": 1, "slot": 2, "contents": "0, 1, 0, 2, 0, 0, 0, 0", "wanted": "Mocha, Lungo"},
    ),
    "cup_does_not_match/empty_cup": (
        "Cup 3 is empty, so it matches no order.",
        {"cup": 3, "slot": 4},
    ),
    "cup_does_not_match/empty_slot": ("There are no orders in slot 4.", {"cup": 1, "slot": 4}),
    "too_few_completed": (
        "An upgrade costs 3 completed orders; you have 2.",
        {"needs": 3, "have": 2},
    ),
    "upgrade_is_active": (
        "The upgrade “double corners” is already active.",
        {"upgrade": Upgrade.DOUBLE_CORNERS.value},
    ),
    "nothing_to_undo": ("There is nothing to undo this turn.", {}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_refusal_says_why(case: str) -> None:
    text, params = CASES[case]
    code, _, reason = case.partition("/")
    if reason:
        params = {**params, "reason": reason}
    assert by_the_rules(case) == Refusal(code, text, params)


def test_another_players_turn() -> None:
    text = "It is another player's turn; wait for yours."
    for intent in (EndTurn(), Undo(), PlaceMeeple(3), Step(1, 1)):
        assert refused(three(), intent, seat=2) == Refusal("not_your_turn", text)


def test_every_case_of_the_rules_has_its_sentence() -> None:
    assert CASES.keys() == OF_THE_RULES.keys()


@pytest.mark.parametrize(
    ("make", "intent", "text"),
    [
        (lambda: dealt(3), Undo(), "You cannot do that now. You can: place a meeple."),
        (
            lambda: begun(dealt(2), 0, 1, 2, 3),
            Pour(Ingredient.ICE, 1),
            "Take at least one step first.",
        ),
        (
            lambda: ready(three(Has(cups=("milk",), meeples=(5,)))),
            Pour(Ingredient.ICE, 1),
            "You cannot do that now. You can: empty a cup, end your turn, undo.",
        ),
    ],
)
def test_a_reason_fits_its_position(make: Callable[[], State], intent: Intent, text: str) -> None:
    assert refused(make(), intent).text == text


def test_long_reasons_are_cut() -> None:
    """A cup of 80 tokens and seven orders in a slot still give one sentence that fits the wire."""
    wanted = "Caramel macchiato, Iced caramel latte, Caramel frappe, Caramel mocha, Hot chocolate"
    seat = Has(
        (f"{wanted}, Dirty chai, Iced milk tea",),
        ("coffee milk steam ice chocolate caramel tea water " * 10,),
        (5,),
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


# The table of phases in docs/bots.md matches the rules (R-UPG-1 to R-SERVE-1)


TEXT = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
Ways = dict[tuple[str, str], set[str]]
"""Maps a phase and a kind of intent to the possible next phases."""


def told() -> Ways:
    """Parse the table in the document."""
    rows = [row.split("|")[1:-1] for row in TEXT.splitlines() if row.startswith("| ")]
    cells = [[cell.strip().strip("`") for cell in row] for row in rows]
    start = next(at for at, row in enumerate(cells) if row[0] == "phase")
    intents = cells[start][1:]
    return {
        (phase, intent): {one.strip() for one in cell.split(",")}
        for phase, *leads_to in islice(cells, start + 2, start + 2 + len(Phase))
        for intent, cell in zip(intents, leads_to, strict=True)
        if cell
    }


def states() -> Iterator[State]:
    """Yield the States of games, and of walks without any gain, which are rare in games."""
    for table in TABLES:
        for seed in range(8):
            for before, _, after in steered(setup_of(*table, seed)):
                yield before
                yield after
    mover = Has(("Americano",), ("coffee water",), (1,))
    iced = Has(cups=("ice " * 12,), meeples=(3,), completed=3)
    plain = Has(meeples=(12,))
    for seats in ((mover, plain, iced), (mover, iced, plain)):
        yield walk(position(*seats), 0)
    yield walk(position(iced, plain, mover, active=2, closed=True), 0)


@pytest.mark.slow
def test_the_table_says_what_the_rules_do() -> None:
    found: Ways = {}
    for state in states():
        for intent in legal_intents(state):
            if not isinstance(intent, Undo):
                way = (state.phase.value, type(intent).__name__)
                found.setdefault(way, set()).add(advance(state, intent).phase.value)
    assert told() == found
