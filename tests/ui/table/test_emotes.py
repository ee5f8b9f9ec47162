"""Emotes on the full screen: shown at the seat for a moment."""

from typing import get_args

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.on_update import EMOTE_SECONDS
from coffeerush.ui.terminal.keys import ENTER
from coffeerush.ui.words.names import emote_text
from protocol import NO_ID, Emote, EmoteName
from tests.golden.frames import EXTREMES, spoken
from tests.support.local import LocalLink, LocalTable
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
    assert eve.press("f", "2") == [], "only at a seat"
    eve.ui = replace(eve.ui, note="")
    assert bob.press("f") == []
    assert "2 Bravo!" in shown(bob, columns, rows)
    assert bob.press("2") == [Emote(NO_ID, "bravo")]
    for one in people:
        one.look()
        assert "Bravo!" in shown(one, columns, rows).split("── Log")[0]
        one.ui = replace(one.ui, now=one.ui.now + EMOTE_SECONDS)
        assert "Bravo!" not in shown(one, columns, rows).split("─ Log")[0].split("▸ Log")[0]


def test_nothing_of_the_counts_is_left_beside_an_emote() -> None:
    ann, bob = (Hands(link) for link in two_in_a_game())
    for one in (ann, bob):
        one.look()
    bob.link.wish(Emote(NO_ID, "wow"))
    ann.look()
    line = next(one for one in shown(ann, 80, 24).splitlines() if "Bob" in one and "Wow!" in one)
    assert line.split("Wow!")[1].split()[0] == "orders"


def test_a_digit_after_the_key_says_something_and_does_not_pour() -> None:
    ann, bob = (Hands(link) for link in two_in_a_game())
    acting = ann if ann.link.model.my_turn else bob
    acting.look()
    acting.press("f")
    assert acting.press("1") == [Emote(NO_ID, "hello")]
    assert acting.ui.mode == "table"
    acting.press("f")
    assert acting.press("f") == []
    assert acting.ui.mode == "table"


def two_in_a_game() -> tuple[LocalLink, LocalLink]:
    local = LocalTable(2)
    links = local.link("Ann"), local.link("Bob")
    local.start()
    return links


def test_a_newer_emote_replaces_that_of_the_same_player() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    local.start()
    for one in (ann, bob):
        one.look()
    bob.press("f", "1", "f", "6", seconds=0.1)
    ann.press("f", "down", "down", ENTER, seconds=0.1)
    ann.look()
    assert [(one.name, one.emote) for one in ann.ui.emotes] == [("Bob", "hurry"), ("Ann", "thanks")]


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36), (200, 60)])
@pytest.mark.parametrize("role", ["player", "spectator"])
def test_an_emote_leaves_no_half_words_beside_it(
    language: str, size: tuple[int, int], role: Role
) -> None:
    local = LocalTable(3)
    people = {name: Hands(local.link(name)) for name in ("Ann", "Bob", "Cid")}
    people |= {"Eve": Hands(local.link("Eve", "spectator"))}
    local.start()
    looking = people["Ann" if role == "player" else "Eve"]
    with spoken(language):
        looking.look()
        before = shown(looking, *size).split("\n")
        for emote in get_args(EmoteName):
            people["Bob"].link.wish(Emote(NO_ID, emote))
            looking.look()
            said = emote_text(emote)
            lines = shown(looking, *size).split("\n")
            beside = [line.partition(f" {said} ") for line in lines if f" {said} " in line]
            assert beside, said
            head, _said, rest = beside[0]
            assert "Bob" in head
            assert {*rest.split()} <= {*" ".join(before).split()}, rest
