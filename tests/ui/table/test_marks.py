"""A letter and a colour of one's own, chosen in the lobby and drawn wherever a seat is marked."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.host.table.config import GONE_SECONDS
from coffeerush.ui.pages.pages import ROWS
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.canvas import Look
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from coffeerush.ui.words.names import seat_colours, seat_letters
from protocol import NO_ID, Done, PeopleChanged, SeatView, SetMark, SetPause, StandUp
from tests.support.local import LocalTable, play
from tests.ui.table.test_on_key import Hands

Z = 25


def styles_of(hands: Hands, letter: str, size: tuple[int, int]) -> set[str]:
    """Return the seats' styles in which a letter stands on the screen."""
    cells = draw(hands.link.model, replace(hands.ui, size=size), *size).cells(Look())
    return {
        word
        for texts, styles in cells
        for text, style in zip(texts, styles, strict=True)
        for word in style.split()
        if text == letter and word.startswith("class:seat")
    }


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36), (200, 60)])
def test_a_chosen_mark_is_drawn_everywhere(size: tuple[int, int]) -> None:
    local = LocalTable(3)
    ann, bob, cid = (Hands(local.link(name)) for name in ("Ann", "Bob", "Cid"))
    ann.look()
    assert styles_of(ann, "B", size) >= {"class:seat1"}
    assert bob.press("l", "z", ENTER) == [SetMark(NO_ID, Z, None)]
    assert bob.press("h") == [SetMark(NO_ID, Z, 3)]
    assert (bob.ui.settings.letter, bob.ui.settings.colour) == (Z, 3)
    ann.look()
    assert styles_of(ann, "Z", size) == {"class:seat3"}
    local.start()
    for _stage in ("game", "result"):
        play(local, Random(1), lambda: None, most=200 if _stage == "game" else 3000)
        ann.look()
        assert ann.link.model.table
        assert ann.link.model.table.stage == _stage
        assert styles_of(ann, "Z", size) == {"class:seat3"}
        assert "class:seat1" not in styles_of(ann, "C", size)
    assert Scene(cid.link.model, cid.ui).letters == ("A", "Z", "C")


def test_the_second_to_choose_gets_another() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    ann.press("l", "z", ENTER, "h")
    bob.look()
    bob.press("l", "z", ENTER)
    table = bob.link.model.table
    assert table
    assert [seat.letter for seat in table.seats] == [Z, 0]
    bob.press("h")
    assert bob.ui.settings.colour == 3, "Ann has 2"
    assert bob.press("l", "7", ENTER) == []
    assert bob.ui.note == "Choose one of the letters A to Z."
    assert bob.press("l", "q", ESCAPE) == []
    assert bob.press("l", ENTER) == [SetMark(NO_ID, None, 3)]
    assert Scene(bob.link.model, bob.ui).letters == ("Z", "B")


def test_a_colour_is_offered_as_long_as_one_is_free() -> None:
    local = LocalTable(4)
    everybody = [Hands(local.link(name)) for name in ("Ann", "Bob", "Cid", "Dee")]
    ann, dee = everybody[0], everybody[-1]
    ann.look()
    assert ann.press("h") == []
    dee.link.wish(StandUp(NO_ID))
    ann.look()
    assert ann.press("h") == [SetMark(NO_ID, None, 3)]


def test_a_mark_is_asked_for_at_the_next_table_once() -> None:
    local = LocalTable(2)
    local.link("Ann")
    bob = local.unjoined("Bob")
    bob.set(replace(bob.model, mark=SetMark(NO_ID, Z, 0)))
    bob.take(session.join(bob.model, local.new_id()))
    assert not bob.model.mark_due
    assert bob.model.table
    assert (bob.model.table.seats[1].letter, bob.model.table.seats[1].colour) == (Z, 1)
    assert seat_colours(bob.model.table.seats) == (0, 1), "Ann keeps hers"
    eve = local.unjoined("Eve", "spectator")
    eve.set(replace(eve.model, mark=SetMark(NO_ID, Z, 0)))
    eve.take(session.join(eve.model, local.new_id()))
    assert eve.model.mark
    assert eve.model.refusal is None


ROW_OF = {row.field: number for number, row in enumerate(ROWS)}


def changed_by_settings(hands: Hands, field: str, times: int = 1) -> list[object]:
    """Change a row of the settings page at the table; return what was asked for."""
    hands.press("f3", "pageup", *["down"] * ROW_OF[field])
    wished = hands.press(*["right"] * times)
    hands.press(ESCAPE)
    return wished


def test_the_settings_page_at_a_table_asks_for_them_too() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    ann.look()
    assert changed_by_settings(ann, "letter", 2) == [SetMark(NO_ID, 0), SetMark(NO_ID, 1)]
    assert changed_by_settings(ann, "colour", 3)[-1] == SetMark(NO_ID, 1, 2)
    assert changed_by_settings(ann, "bell") == []
    ann.press("f3")
    assert ann.click("row", ROW_OF["letter"]) == [SetMark(NO_ID, 2, 2)]
    ann.press(ESCAPE)
    bob.look()
    assert Scene(bob.link.model, bob.ui).letters == ("C", "B")


def test_what_is_set_in_a_game_is_asked_for_after_it() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    local.start()
    for hands in (ann, bob):
        hands.look()
    changed_by_settings(ann, "letter", 2)
    changed_by_settings(ann, "colour", 4)
    assert ann.link.model.refusal is None
    assert Scene(ann.link.model, ann.ui).letters == ("A", "B")
    play(local, Random(1), lambda: None)
    ann.look()
    assert ann.link.model.table
    assert ann.link.model.table.stage == "result"
    assert (ann.link.model.table.seats[0].letter, ann.link.model.table.seats[0].colour) == (1, 3)
    assert Scene(ann.link.model, ann.ui).letters == ("B", "O")


def test_only_the_last_of_several_wishes_follows_one_under_way() -> None:
    local = LocalTable(2)
    model = local.link("Ann").model
    model, first = session.wish(model, SetMark(NO_ID, 0), b"1" * 16)
    assert [one.letter for one in first if isinstance(one, SetMark)] == [0]
    for letter in (1, 2, Z):
        model, requests = session.wish(model, SetMark(NO_ID, letter), b"2" * 16)
        assert requests == ()
    model, then = session.answer(model, Done(b"1" * 16), b"3" * 16)
    assert then == (SetMark(b"3" * 16, Z),)
    assert not model.mark_due


def test_a_mark_that_the_host_has_forgotten_is_asked_for_again() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    bob.wish(SetMark(NO_ID, Z, 2))
    for _each in range(GONE_SECONDS + 1):
        local.now += 1
        ann.take(session.keepalive(ann.model, local.new_id()))
        local.tick()
    assert PeopleChanged("Bob", "left") in ann.model.log, "Bob's program joins again by itself"
    assert ann.model.table
    assert (ann.model.table.seats[1].letter, ann.model.table.seats[1].colour) == (Z, 2)
    ann.wish(SetMark(NO_ID, 0, 0))
    assert not bob.model.pending


def test_a_mark_that_another_has_is_not_asked_for_again_and_again() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    ann.wish(SetMark(NO_ID, Z, 2))
    bob.wish(SetMark(NO_ID, Z, 2))
    assert bob.model.table
    assert bob.model.table.seats[1].letter == 0
    assert not bob.model.mark_due
    assert not bob.model.pending


def test_the_keys_are_for_the_lobby_and_steps_keep_theirs() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    eve = Hands(local.link("Eve", "spectator"))
    assert eve.press("l", "h") == []
    local.start()
    local.links[0].wish(SetPause(NO_ID, True))
    for hands in (ann, bob):
        hands.look()
        assert hands.press("h") == []
        assert hands.ui.mode == "table"
        assert "paused" in hands.ui.note


def test_letters_and_colours_are_unlike_whatever_a_host_sends() -> None:
    same = tuple(SeatView("person", "Ann", letter=0, colour=1) for _seat in range(4))
    assert seat_letters(same) == ("A", "N", "B", "C")
    assert seat_colours(same) == (1, 0, 2, 3)
    mixed = (SeatView("person", "Zoe"), SeatView("bot", "Z"), SeatView("person", "Ann", letter=Z))
    assert seat_letters(mixed) == ("O", "A", "Z")
    opened = (SeatView("bot", "Crema", "regular"), SeatView("open"), SeatView("person", "Ann"))
    assert seat_letters(opened)[::2] == ("C", "A")
    assert seat_colours((SeatView("open"),) * 4) == (0, 1, 2, 3)
    others = (SeatView("bot", "Crema", "regular"),) * 3
    assert seat_colours((*others, SeatView("person", "Ann", colour=0))) == (3, 1, 2, 0), "a swap"
