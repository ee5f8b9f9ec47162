"""The log in a few lines: related events are combined, and undone ones omitted."""

from msgspec.structs import replace

from coffeerush.client.history import History
from coffeerush.ui.words.events import digest
from protocol import (
    CupEmptied,
    Event,
    Ingredient,
    IntentUndone,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    Poured,
    RestReturned,
    Said,
    Stepped,
    TurnStarted,
    Upgrade,
    UpgradeActivated,
)
from tests.golden.frames import spoken
from tests.ui.words.test_words import DRINKS, model

MILK = (0, 1, 0, 0, 0, 0, 0, 0)
TWO_ICE = (0, 0, 0, 2, 0, 0, 0, 0)
TURN: tuple[Event, ...] = (
    TurnStarted(0, 2),
    UpgradeActivated(0, Upgrade.DOUBLE_CORNERS, (0, 1, 0)),
    CupEmptied(0, MILK),
    Stepped(0, 1, 5, MILK),
    Stepped(0, 1, 0, TWO_ICE, rush_spent=1),
    Poured(0),
    Poured(0),
    RestReturned(0, MILK),
    OrderServed(0, 3, 1, rush_gained=1),
    OrderServed(0, 4, 2),
    OrdersDrawn(1, (2,), "order_rush"),
    PenaltiesTaken(0, (1,), rush_gained=1),
    TurnStarted(1, 2),
)


def told(seat: int | None, *log: Event) -> list[Said | str]:
    return digest(replace(model(seat), history=History(log)))


def test_another_ones_turn_is_one_sentence_and_what_came_of_it() -> None:
    assert told(1, *TURN) == [
        "Round 2: it is Ann's turn.",
        "Ann activates double corners; empties a cup (milk); takes milk and 2 ice, for 1 rush "
        "token; "
        f"pours 2 ingredients; gives milk back; serves {DRINKS[3]} and {DRINKS[4]} and earns "
        "1 rush token.",
        f"You get the order {DRINKS[2]}. {DRINKS[1]} expires: Ann takes a penalty and "
        "1 rush token.",
        "Round 2: it is your turn.",
    ]


def test_an_own_turn_is_a_sentence_a_kind_of_deed() -> None:
    lines = told(0, *TURN)
    assert "You take milk and 2 ice, for 1 rush token." in lines
    assert "You pour 2 ingredients." in lines  # a bot did, for this person
    assert f"You serve {DRINKS[3]} and {DRINKS[4]} and earn 1 rush token." in lines
    assert "Round 2: it is Bea's turn." not in lines
    own = (Poured(0, Ingredient(1), 2), Poured(0, Ingredient(3), 1))
    assert told(0, *own) == ["You pour milk into cup 2 and ice into cup 1."]


def test_what_was_taken_back_is_not_told() -> None:
    said = Said("Bea", "hm")
    undone = (Stepped(0, 1, 5, MILK), said, IntentUndone(0), Stepped(0, 1, 0, TWO_ICE))
    assert told(1, *undone) == [said, "Ann takes 2 ice."]
    assert told(1, *TURN, IntentUndone(1)) == told(1, *TURN)
    assert told(1, IntentUndone(0)) == []


def test_the_log_follows_the_language_and_the_names_at_once() -> None:
    here = replace(model(1), history=History(TURN))
    told_before = digest(here)
    with spoken("ko"):
        assert digest(here) != told_before
    assert digest(here) == told_before
    assert here.table
    ann, *others = here.table.seats
    table = replace(here.table, seats=(replace(ann, name="Zoë"), *others))
    assert digest(replace(here, table=table))[0] == "Round 2: it is Zoë's turn."
