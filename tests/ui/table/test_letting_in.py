"""Guests who ask to come in, on the full screen: one key lets in the one who is shown."""

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Invitation
from coffeerush.ui.table.actions import SEE_SECONDS
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import HELD_SECONDS
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import ESCAPE
from protocol import NO_ID, LetIn, SetRules
from tests.support.local import LocalTable
from tests.ui.table.test_on_key import Hands

SIZES = [(40, 12), (80, 24), (120, 36), (200, 60)]
LONGEST = "W" * 24


def people(playing: bool = False) -> tuple[LocalTable, Hands, Hands]:
    """Return a table with Ann, who owns it, and Bob."""
    local = LocalTable(2, turn_seconds=60)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    if playing:
        local.start()
    return local, ann, bob


@pytest.mark.parametrize("playing", [False, True])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_the_owner_sees_who_asks_and_the_keys(columns: int, rows: int, playing: bool) -> None:
    local, ann, bob = people(playing)
    local.ask_to_come_in((7, LONGEST), (8, "Vic"))
    line = f"Guest 7 ({LONGEST})"
    text = ann.shown(columns, rows)
    assert line in text
    assert ("“d” lets in" if columns == 40 else "“d” lets in, “D” turns away") in " ".join(
        text.split()
    )
    assert "Vic" not in text, "one at a time"
    assert line not in bob.shown(columns, rows)
    local.ask_to_come_in()
    assert line not in ann.shown(columns, rows)


@pytest.mark.parametrize("keys", ["t", "f", "?", "f3"])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_who_asks_is_seen_whatever_is_open(columns: int, rows: int, keys: str) -> None:
    local, ann, _bob = people(playing=True)
    ann.press(keys)
    assert ann.ui.mode != "table"
    ann.wait(1)
    local.ask_to_come_in((7, "Ute"))
    assert "Guest 7 (Ute) wants to come in" in " ".join(ann.shown(columns, rows).split())
    assert ann.press("d") == []
    ann.press(ESCAPE)
    assert "“d” lets in" in ann.shown(columns, rows)


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_the_host_s_own_screen_also_shows_the_number_to_type(columns: int, rows: int) -> None:
    local, ann, _bob = people()
    local.ask_to_come_in((7, "Ute"), (8, "Vic"))
    ann.look()
    asking = ((8, "Vic", "888888"), (7, "Ute", "042917"))
    model = replace(ann.link.model, invitation=Invitation(asking=asking))
    lines = draw(model, replace(ann.ui, size=(columns, rows)), columns, rows).lines()
    (line,) = (line for line in lines if "Guest 7 (Ute)" in line)
    assert "042917" in line or columns == 40
    assert "“d” lets in" in line


def test_a_name_cannot_pretend_to_be_another_guest() -> None:
    local, ann, _bob = people()
    local.ask_to_come_in((7, "Guest 3 (Ute)"))
    (line,) = (line for line in ann.shown().splitlines() if "Ute" in line)
    assert line.startswith(" Guest 7 (")


def test_one_key_lets_in_and_another_one_turns_away() -> None:
    local, ann, bob = people(playing=True)
    local.ask_to_come_in((7, "Ute"), (8, "Vic"))
    for one in (ann, bob):
        one.look()
    assert bob.press("d", "D") == []
    assert ann.press("d") == [LetIn(NO_ID, 7)]
    assert "Guest 8 (Vic)" in ann.shown()
    ann.wait(3)
    assert ann.press("D") == [LetIn(NO_ID, 8, allowed=False)]
    assert dict(local.table.let_in) == {7: True, 8: False}
    assert ann.press("d") == []


def test_a_click_on_the_line_lets_in() -> None:
    local, ann, _bob = people()
    local.ask_to_come_in((7, "Ute"))
    ann.look()
    canvas = draw(ann.link.model, ann.ui, 80, 24)
    (y,) = (y for y, line in enumerate(canvas.lines()) if "Ute" in line)
    assert canvas.target_at(5, y) == Target("key", "d")
    assert ann.click("key", "d") == [LetIn(NO_ID, 7)]


def test_a_key_is_not_for_somebody_who_has_just_taken_the_place() -> None:
    local, ann, _bob = people()
    local.ask_to_come_in((7, "Ute"))
    ann.look()
    ann.wait(5)
    local.ask_to_come_in((8, "Eve"))
    ann.look()
    assert ann.press("d", seconds=SEE_SECONDS / 2) == []
    assert "check who it is" in ann.shown()
    assert ann.press("d", seconds=3) == [LetIn(NO_ID, 8)]


def test_a_held_key_lets_in_nobody_but_the_first() -> None:
    local, ann, _bob = people()
    local.ask_to_come_in((7, "Ute"), (8, "Eve"))
    ann.look()
    assert ann.press("d") == [LetIn(NO_ID, 7)]
    ann.wait(1)
    assert ann.press(*"d" * 100, seconds=HELD_SECONDS / 4) == []


def test_who_may_let_in_is_a_rule_of_the_table() -> None:
    local, ann, bob = people()
    ann.press("o")
    assert "Only the owner may let in guests" in ann.shown(120, 36)
    assert ann.press("g", ESCAPE) == [SetRules(NO_ID, 60, 0, True, anybody_lets_in=True)]
    assert "Anybody at the table may let in guests who come with a browser." in bob.shown(120, 36)
    local.ask_to_come_in((7, "Ute"))
    bob.look()
    assert "Guest 7 (Ute)" in bob.shown()
    assert bob.press("d") == [LetIn(NO_ID, 7)]
    assert "Guest 7 (Ute)" not in ann.shown()


def test_an_open_list_or_text_field_keeps_its_keys() -> None:
    local, ann, _bob = people()
    local.ask_to_come_in((7, "Ute"))
    assert ann.press("t", "d") == []
    assert ann.ui.draft.text == "d"
    assert ann.press(ESCAPE, "x", "d") == []
    assert ann.press(ESCAPE, "d") == [LetIn(NO_ID, 7)]
