"""The rules of a table on the full screen: the owner's list, and a table without hints."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.ui.table.actions import Action, labels_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.keys import ENTER
from protocol import NO_ID, Phase, SetRules
from tests.support.local import LocalTable, acting, choose
from tests.ui.table.test_on_key import Hands

NO_HINTS = "This table plays without hints."


def test_the_owner_changes_the_rules_one_by_one() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    assert ann.press("o", "c", "p", "h") == [
        SetRules(NO_ID, 30, 0, True),
        SetRules(NO_ID, 30, 1, True),
        SetRules(NO_ID, 30, 1, False),
    ]
    text = bob.shown()
    for line in ("Each turn may take up to 30 seconds.", NO_HINTS):
        assert line in text
    assert "A bot's turn takes at least 1 second." in text
    assert "30 s per turn, bots 1 s, no hints" in bob.shown(40, 12)
    assert ann.press("h") == [SetRules(NO_ID, 30, 1, True)]
    assert NO_HINTS not in bob.shown()


@pytest.mark.parametrize("hints", [True, False])
def test_a_table_without_hints_gives_no_advice_and_says_why(hints: bool) -> None:
    local = LocalTable(2, hints=hints)
    ann, bob = (local.link(name) for name in ("Ann", "Bob"))
    hands = {0: Hands(ann), 1: Hands(bob)}
    for one in hands.values():
        one.ui = replace(one.ui, guide=True)
    local.start()
    for one in hands.values():
        one.look()
        assert bool(Scene(one.link.model, one.ui).guide) is hints
        assert (one.ui.note == NO_HINTS) is not hints
    chance = Random(1)
    while True:
        link = acting(local)
        assert link is not None
        assert link.model.view is not None
        if link.model.view.phase is Phase.POURING:
            break
        link.wish(choose(link, chance))
    one = next(hand for hand in hands.values() if hand.link is link)
    one.ui = replace(one.ui, guide=False)
    one.look()
    scene = Scene(link.model, one.ui)
    assert bool(scene.suggestion) is hints
    assert {Action.HINT in labels_of(scene), Action.SUGGEST in labels_of(scene)} == {hints}
    if not hints:
        for key in ("i", " "):
            assert one.press(key) == []
            assert one.ui.note == NO_HINTS
        assert one.press(ENTER) == []
        assert one.ui.note.startswith("This table plays without hints: press 1-3")
        assert len(one.press("1")) == 1
