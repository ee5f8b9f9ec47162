"""Emotes on the full screen: shown at the seat for a moment."""

import pytest
from msgspec.structs import replace

from coffeerush.ui.table.draw.screen import draw
from coffeerush.ui.table.on_update import EMOTE_SECONDS
from protocol import NO_ID, Emote
from tests.support.local import LocalTable
from tests.ui.table.test_on_key import Hands


def shown(hands: Hands, columns: int, rows: int) -> str:
    ui = replace(hands.ui, size=(columns, rows))
    return "\n".join(draw(hands.link.model, ui, columns, rows).lines())


@pytest.mark.parametrize("stage", ["lobby", "game"])
@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (80, 24), (120, 36)])
def test_an_emote_is_shown_at_the_seat_for_a_moment(columns: int, rows: int, stage: str) -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    eve = Hands(local.link("Eve", "spectator"))
    if stage == "game":
        local.start()
    people = (ann, bob, eve)
    for one in people:
        one.look()
    assert eve.press("f5") == [], "only at a seat"
    eve.ui = replace(eve.ui, note="")
    assert bob.press("f6") == [Emote(NO_ID, "bravo")]
    for one in people:
        one.look()
        assert "Bravo!" in shown(one, columns, rows).split("── Log")[0]
        one.ui = replace(one.ui, now=one.ui.now + EMOTE_SECONDS)
        assert "Bravo!" not in shown(one, columns, rows).split("─ Log")[0].split("▸ Log")[0]


def test_a_newer_emote_replaces_that_of_the_same_player() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    local.start()
    for one in (ann, bob):
        one.look()
    bob.press("f5", "f10")
    ann.press("f7")
    ann.look()
    assert [(one.name, one.emote) for one in ann.ui.emotes] == [("Bob", "hurry"), ("Ann", "thanks")]
