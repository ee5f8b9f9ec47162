"""Keys pressed by accident do nothing irreversible."""

from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from coffeerush.client.model import Model, Wish
from coffeerush.ui.table.actions import KEYMAP
from coffeerush.ui.table.input import press
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.table.text_input import paste
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT, split_paste
from protocol import NO_ID, Chat, EndTurn, Phase, PlaceMeeple, Ready, Remove, SetPause, Start, Undo
from tests.support.local import LocalTable
from tests.ui.table.test_on_key import Hands, at, ready_to_serve, walked

FINAL = (EndTurn, PlaceMeeple, Start)
DELAYS = (0.25, 0.5, 0.66, 1.0)
"""Keyboards' delays before they first repeat a held key."""


def hold(hands: Hands, key: str, delay: float, repeats: int = 40) -> list[object]:
    """Return the wishes while a key is held for more than a second."""
    wished = list(hands.press(key))
    hands.wait(delay - 0.033)
    return wished + hands.press(*[key] * repeats, seconds=0.033)


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("phase", [Phase.MOVING, Phase.POURING, Phase.SERVING, Phase.FILLING])
def test_a_held_enter_does_at_most_one_thing_that_is_final(phase: Phase, delay: float) -> None:
    hands = at(phase, seats=2 if phase is Phase.FILLING else 3)
    first = next_final(hands)
    wished = hold(hands, ENTER, delay)
    assert sum(isinstance(one, FINAL) for one in wished) == first


def next_final(hands: Hands) -> int:
    """Return how many final things the next Enter does."""
    ui = replace(hands.ui, now=0.0)
    _ui, wishes = press(hands.link.model, ui, ENTER, hands.now + 5)
    return sum(isinstance(one, FINAL) for one in wishes)


@pytest.mark.parametrize("delay", DELAYS)
def test_a_held_enter_places_one_meeple(delay: float) -> None:
    local = LocalTable(2, ("regular",), seed=4)
    hands = Hands(local.link("Ann"))
    local.start()
    hands.wait(1.0)
    wished = hold(hands, ENTER, delay)
    assert sum(isinstance(one, PlaceMeeple) for one in wished) == 1


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("key", ["q", INTERRUPT])
def test_a_held_key_does_not_leave(key: str, delay: float) -> None:
    hands = at(Phase.MOVING)
    hold(hands, key, delay)
    assert not hands.ui.leaving
    assert "Leave the table?" in hands.ui.note
    hands.press(key, seconds=3.0)
    assert hands.ui.leaving


@pytest.mark.parametrize("key", ["up", "left", " ", "u", "U", "1", "0", "e", "s", "g", "m", "c-h"])
def test_what_other_held_keys_do_can_be_taken_back(key: str) -> None:
    for hands in (at(Phase.MOVING), walked(3), ready_to_serve()):
        before = hands.link.model.view
        wished = hold(hands, key, 0.5)
        assert not any(isinstance(one, FINAL) for one in wished)
        assert hands.link.model.my_turn
        assert before is not None
        if before.own and not before.own.undo:
            hands.press(ESCAPE)
            while Scene(hands.link.model, hands.ui).turn.undoable:
                hands.press("U")
            assert hands.link.model.view == before


def test_a_held_r_makes_ready_once() -> None:
    local = LocalTable(2)
    local.link("Ann")
    hands = Hands(local.link("Bob"))
    assert hold(hands, "r", 0.5)[1:] == [Ready(NO_ID, False)]
    local = LocalTable(2)
    local.link("Ann")
    hands = Hands(local.link("Bob"))
    assert hands.press(*["r"] * 20, seconds=0.033) == [Ready(NO_ID, True)]


def test_enter_twice_ends_the_turn_a_moment_later() -> None:
    hands = at(Phase.SERVING)
    while Scene(hands.link.model, hands.ui).turn.serves:
        hands.press(ENTER)
    hands.ui = replace(hands.ui, key=ENTER, key_at=hands.now)
    hands.wait(0.5)
    hands.wished = []
    hands._do(press(hands.link.model, hands.ui, ENTER, hands.now))
    assert hands.wished == []
    hands.wait(0.1)
    assert hands.wished == []
    hands.wait(0.1)
    assert hands.wished == [EndTurn()]


def test_another_key_takes_a_waiting_enter_back() -> None:
    hands = at(Phase.SERVING)
    while Scene(hands.link.model, hands.ui).turn.serves:
        hands.press(ENTER)
    hands.ui = replace(hands.ui, key=ENTER, key_at=hands.now)
    hands.wait(0.5)
    hands._do(press(hands.link.model, hands.ui, ENTER, hands.now))
    assert hands.press("u", seconds=0.05) == [Undo()]
    assert hands.ui.commit_at is None


@pytest.mark.parametrize(
    ("came", "text", "keys"),
    [
        (["u"], "", ["u"]),
        (["up"], "", ["up"]),
        (["1", "1", "1"], "", ["1", "1", "1"]),
        (["1", "2", "3"], "", ["1", "2", "3"]),
        (["up", "left", "up"], "", ["up", "left", "up"]),
        ([ENTER, ENTER], "", [ENTER, ENTER]),
        (list("hello"), "hello", []),
        (["x", "2"], "x2", []),
        ([*"hi", ENTER], "hi", [ENTER]),
        ([*"hi", ENTER, *"you"], "hi you", []),
        (["1", "c-j"], "1", [ENTER]),
        ([" ", ENTER, ENTER], "", [" ", ENTER, ENTER]),
        ([ESCAPE], "", [ESCAPE]),
        ([ESCAPE, "u"], "", []),
        ([ESCAPE, ENTER], "", []),
        ([ESCAPE, "[", "9", "z"], "", []),
        (["ㄷ", "1"], "", ["ㄷ", "1"]),
        (["녀", ENTER], "", ["녀", ENTER]),
        (["가", "나", "다"], "가나다", []),
    ],
)
def test_what_comes_at_once_is_sifted(came: list[str], text: str, keys: list[str]) -> None:
    parts = [*split_paste(came)]
    assert "".join(pasted for pasted, _pressed in parts) == text
    assert [key for _pasted, pressed in parts for key in pressed] == keys


def test_a_key_before_or_after_pasted_text_is_a_key() -> None:
    came = ["left", *"hi", "end", *"you", ENTER]
    assert [*split_paste(came)] == [("", ("left",)), ("hi", ()), ("", ("end",)), ("you", (ENTER,))]


def test_pasted_text_belongs_to_a_typed_line_only() -> None:
    model = at(Phase.MOVING).link.model
    ui = paste(Ui(), "so\nmany", 10.0)
    assert ("Pasted text" in ui.note, ui.draft.text) == (True, "")
    assert press(model, ui, ENTER, 10.0)[1] == ()
    assert press(model, ui, "up", 10.1)[1] == ()
    assert press(model, ui, "up", 11.0)[1] != ()
    typing = paste(Ui(mode="chat"), "so\nmany", 10.0)
    assert (typing.draft.text, typing.pasted_at) == ("so many", float("-inf"))


Hit: TypeAlias = tuple[float, list[str]]
"""Seconds of waiting, then keys that come at once."""
KEYS = sorted({*KEYMAP.keys} - {ENTER, INTERRUPT, "q", "t", "n"})
others = st.one_of(st.sampled_from(KEYS), st.sampled_from(["ж", "ㅕ", "녀", "c-x", "f7", "Z", "é"]))
waits = st.sampled_from([0.0, 0.01, 0.1, 0.5, 5.0])
hits = st.one_of(
    st.tuples(waits, st.lists(others, min_size=1, max_size=4)),
    st.tuples(waits, st.text("abc 12\r", min_size=2, max_size=9).map(lambda text: [*text])),
    st.tuples(waits, st.just([ESCAPE, ENTER])),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.sampled_from([Phase.MOVING, Phase.POURING, Phase.SERVING]), st.lists(hits, max_size=25))
def test_a_turn_ends_by_enter_alone_and_all_else_can_be_taken_back(
    phase: Phase, played: list[Hit]
) -> None:
    """Any keys at any moments, pasted text with line ends among them, but no Enter by hand."""
    hands = at(phase)
    start = hands.link.model
    undone = whole_turn_back(hands)
    for wait, keys in played:
        hands.wait(wait)
        strike(hands, [ENTER if key == "\r" else key for key in keys])
    hands.wait(5.0)
    assert hands.link.model.my_turn
    assert not hands.ui.leaving
    assert whole_turn_back(hands) == undone
    assert start.seat == hands.link.model.seat


def strike(hands: Hands, keys: list[str]) -> None:
    """Press keys with no time in between, queued by the screen."""
    if ENTER in keys and not "".join(keys).replace(ENTER, "").strip():
        return
    for text, pressed in split_paste(keys):
        if text:
            hands.ui = paste(hands.ui, text, hands.now)
        for key in pressed:
            hands._do(press(hands.link.model, hands.ui, key, hands.now))


def whole_turn_back(hands: Hands) -> object:
    """Undo everything, also after a pause; return the resulting state."""
    if hands.link.model.table and hands.link.model.table.pause is not None:
        hands.link.wish(SetPause(NO_ID, paused=False))
        hands.look()
    while Scene(hands.link.model, hands.ui).turn.undoable:
        hands.link.wish(Undo())
    hands.look()
    return hands.link.model.view


def test_nobody_is_removed_by_pasted_text() -> None:
    local = LocalTable(3, ("regular", "regular"))
    hands = Hands(local.link("Ann"))
    chance = Random(1)
    for _ in range(200):
        text = "".join(chance.choices("x2 3a\r", k=chance.randrange(2, 9)))
        if len(set(text)) > 1:
            hands.wait(1.0)
            wished: list[Wish | object] = []
            hands.wished = wished
            strike(hands, [ENTER if one == "\r" else one for one in text])
            assert not any(isinstance(one, Remove | Start | Chat) for one in wished)


def test_a_key_of_before_the_turn_is_not_carried_into_it() -> None:
    hands = at(Phase.MOVING)
    model: Model = hands.link.model
    ui = replace(hands.ui, turn_at=10.0, drawn_at=9.0)
    assert press(model, ui, "up", 10.1)[1] == ()
    ui = replace(ui, drawn_at=10.0)
    assert press(model, ui, "?", 10.0)[0].mode == "help"
    assert press(model, ui, ENTER, 10.2)[1] == ()
    assert press(model, ui, "up", 10.2)[1] != ()
