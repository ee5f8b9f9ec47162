"""A pause of the whole table on the full screen."""

import pytest
from msgspec.structs import replace

from coffeerush.ui.table.actions import Action, labels_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from protocol import NO_ID, AddBot, Bye, SetPause, Start, TableView
from tests.support.local import LocalTable
from tests.ui.table.test_on_key import Hands

SIZES = [(40, 12), (80, 24), (120, 36)]


def playing() -> tuple[Hands, Hands, Hands]:
    """Return Ann, who owns the table, Bob, and Eve, who watches."""
    local = LocalTable(2, turn_seconds=60)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    eve = Hands(local.link("Eve", "spectator"))
    local.start()
    for one in (ann, bob, eve):
        one.look()
    return ann, bob, eve


def table(hands: Hands) -> TableView:
    found = hands.link.model.table
    assert found is not None
    return found


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_everybody_sees_the_pause_and_its_reason(columns: int, rows: int) -> None:
    people = ann, bob, eve = playing()
    assert ann.press("p", *"Pizza!", ENTER) == [SetPause(NO_ID, True, "Pizza!")]
    for one in people:
        text = one.shown(columns, rows)
        assert "PAUSED" in text
        assert "The game is paused: Pizza!" in text
    assert bob.press("p") == []
    assert eve.press("p") == []
    assert ann.press("p") == [SetPause(NO_ID, False)]
    assert "PAUSED" not in bob.shown(columns, rows)


def test_keys_of_a_turn_say_that_the_game_is_paused() -> None:
    ann, bob, _eve = playing()
    ann.press("p", ENTER)
    active = ann if ann.link.model.my_turn else bob
    active.look()
    assert active.press("right", ENTER, " ") == []
    assert active.ui.note == "The game is paused."
    assert active.link.model.my_turn
    ann.press("p")
    active.look()
    assert active.press(ENTER) != []


@pytest.mark.parametrize("columns", [80, 120])
def test_with_the_guide_one_can_pause_and_talk_while_others_place(columns: int) -> None:
    owner = playing()[0]
    owner.press("f4")
    assert owner.ui.guide
    while owner.link.model.my_turn:
        owner.press(ENTER)
    footer = owner.shown(columns, 24).splitlines()[-1]
    assert [part for part in ("p pause", "t chat", "f say") if part not in footer] == []


def test_the_reason_can_be_left_out_and_the_question_cancelled() -> None:
    ann, *_others = playing()
    assert ann.press("p", "x", ESCAPE) == []
    assert table(ann).pause is None
    assert ann.press("p", ENTER) == [SetPause(NO_ID, True)]
    assert labels_of(Scene(ann.link.model, ann.ui))[Action.PAUSE] == "resume"


def test_a_person_alone_pauses_without_giving_a_reason() -> None:
    local = LocalTable(2)
    ann = Hands(local.link("Ann"))
    ann.link.wish(AddBot(NO_ID, 1, "regular"))
    ann.look()
    ann.link.wish(Start(NO_ID))
    ann.look()
    assert ann.press("p") == [SetPause(NO_ID, True)]
    assert (ann.ui.mode, table(ann).pause) == ("table", "")
    assert ann.press("p") == [SetPause(NO_ID, False)]
    Hands(local.link("Eve", "spectator")).look()
    ann.look()
    assert ann.press("p") == []
    assert ann.ui.mode == "pause", "Eve would like to know why"


def test_the_clock_stands_on_the_screen() -> None:
    ann, *_others = playing()
    ann.press("p", ENTER)
    left = table(ann).clock
    assert left
    later = replace(ann.ui, now=ann.now + 1000.0)
    assert Scene(ann.link.model, later).clock == left


def test_a_player_can_go_on_once_the_owner_has_left() -> None:
    ann, bob, eve = playing()
    ann.press("p", ENTER)
    assert bob.press("p") == []
    ann.link.wish(Bye(NO_ID))
    for one in (bob, eve):
        one.look()
    assert eve.press("p") == []
    assert bob.press("p") == [SetPause(NO_ID, False)]
    assert table(bob).pause is None


def test_no_player_is_told_to_go_on_while_the_owner_watches() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann", "spectator")), Hands(local.link("Bob"))
    cid = Hands(local.link("Cid"))
    local.start()
    for one in (ann, bob, cid):
        one.look()
    ann.press("p", ENTER)
    assert bob.press("p") == []
    late = Hands(local.link("Bob", key=bob.link.key))
    late.look()
    assert late.press("p") == []
    ann.link.wish(Bye(NO_ID))
    bob.look()
    assert bob.press("p") == [SetPause(NO_ID, False)]
    assert table(bob).pause is None
