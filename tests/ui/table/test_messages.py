"""Chat messages and emotes: visible at every moment, for a while."""

from pathlib import Path
from random import Random
from typing import get_args

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model, Role
from coffeerush.ui.table.draw_game import draw, show
from coffeerush.ui.table.on_update import EMOTE_SECONDS, OWN_SAID_SECONDS, SAID_SECONDS
from coffeerush.ui.table.state import ShownEmote, Ui
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import emote_text
from protocol import NAME_CELLS, NO_ID, Chat, Emote, EmoteName
from tests.golden.frames import EXTREMES, spoken
from tests.support import screen_terminal as terminals
from tests.support.local import LocalLink, LocalTable, acting, choose, play
from tests.support.once import copied
from tests.support.screen_terminal import shown
from tests.ui.table.test_on_key import Hands
from tests.ui.table.test_result import GUIDED, over

# The newest chat message: visible at every moment, for a minute


LANGUAGE = pytest.mark.parametrize("language", EXTREMES)
SIZES = ((40, 12), (60, 20), (80, 24), (120, 36), (200, 60))
SIZE = pytest.mark.parametrize("size", SIZES)
SAID = "gg Ann, rematch?"
LOOK = "Ann, look at me"
NOW = 1000.0


def text(model: Model, ui: Ui) -> str:
    return "\n".join(draw(model, ui, *ui.size).lines())


# The result


@pytest.mark.slow
@SIZE
async def test_a_message_is_seen_at_the_result_with_the_guide_and_without(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    _local, ann, bob = over(tmp_path)
    async with shown(ann, *size, settings=GUIDED) as terminal:
        bob.wish(Chat(NO_ID, SAID))
        await terminal.see(f"<Bob> {SAID}")
        while "─ Guide" in terminal.text and size[0] < 120:
            assert SAID in terminal.text
            await terminal.press(terminals.ENTER)
        assert SAID in terminal.text
        bob.wish(Chat(NO_ID, "Hello?"))
        await terminal.see("<Bob> Hello?")


@pytest.mark.slow
@LANGUAGE
@SIZE
@pytest.mark.parametrize("guide", [True, False])
def test_messages_and_emotes_at_the_result_in_every_language(
    tmp_path: Path, language: str, size: tuple[int, int], guide: bool
) -> None:
    _local, ann, bob = over(tmp_path)
    bob.wish(Chat(NO_ID, SAID))
    bob.wish(Emote(NO_ID, "bravo"))
    emote = ShownEmote("Bob", "bravo", NOW + EMOTE_SECONDS)
    with spoken(language):
        ui = Ui(size=size, guide=guide, emotes=(emote,), now=NOW)
        assert f"<Bob> {SAID}" in text(ann.model, ui)
        assert f"<Bob> {emote_text('bravo')}" in text(ann.model, ui)


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_one_answers_from_the_box_of_the_guide(tmp_path: Path, size: tuple[int, int]) -> None:
    _local, ann, bob = over(tmp_path)
    async with shown(ann, *size, settings=GUIDED) as terminal:
        bob.wish(Chat(NO_ID, SAID))
        await terminal.see(f"<Bob> {SAID}")
        assert size[0] < 80 or "t chat" in terminal.lines[-1]
        await terminal.press("t", *"yes", terminals.ENTER)
        await terminal.see("<Ann> yes")


@pytest.mark.slow
@pytest.mark.parametrize(("key", "guided"), [("v", False), ("w", True)])
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
async def test_a_message_is_seen_in_the_replay_and_after_it(
    tmp_path: Path, size: tuple[int, int], guided: bool, key: str
) -> None:
    _local, ann, bob = over(tmp_path)
    async with shown(ann, *size, settings=replace(GUIDED, guided=guided)) as terminal:
        await terminal.press(key)
        await terminal.until(lambda: terminal.screen._inset is not None)
        bob.wish(Chat(NO_ID, SAID))
        await terminal.see(f"<Bob> {SAID}")
        await terminal.press("l")
        assert SAID not in terminal.text
        await terminal.press("q")
        await terminal.until(lambda: terminal.screen._inset is None)
        await terminal.see(f"<Bob> {SAID}")


# The lobby


@LANGUAGE
@SIZE
def test_a_message_is_seen_in_the_lobby_under_a_list(language: str, size: tuple[int, int]) -> None:
    local = LocalTable(4)
    ann, bea = local.link("Ann"), local.link("Bea")
    bea.wish(Chat(NO_ID, LOOK))
    with spoken(language):
        for mode in ("table", "agreed", "emotes"):
            assert LOOK in text(ann.model, Ui(size=size, mode=mode))


# A game


@copied
def two(size: tuple[int, int]) -> tuple[LocalTable, Hands, LocalLink]:
    """Return a game of four, in which it is Ann's turn, and somebody to talk."""
    local = LocalTable(4, ("regular",) * 2, seed=5)
    ann, bea = local.link("Ann"), local.link("Bea")
    local.start()
    chance = Random(5)
    while (link := acting(local)) is not ann or not ann.model.view or not ann.model.view.round:
        assert link is not None
        link.wish(choose(link, chance))
    hands = Hands(ann)
    hands.ui = replace(hands.ui, size=size)
    return local, hands, bea


def whole(size: tuple[int, int]) -> str:
    """Return what has to be seen of the message: on the smallest terminal, a pane wraps it."""
    return LOOK if size[0] > 40 else "at me"


def looks(hands: Hands) -> str:
    """Let somebody look at the screen, and return it."""
    canvas, hands.ui = show(hands.link.model, hands.ui, *hands.ui.size)
    return "\n".join(canvas.lines())


@pytest.mark.slow
@LANGUAGE
@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("guide", [True, False])
@SIZE
def test_a_message_is_seen_after_ten_more_events(
    language: str, size: tuple[int, int], seen: bool, guide: bool
) -> None:
    with spoken(language):
        local, hands, bea = two(size)
        hands.ui = replace(hands.ui, guide=guide, pane="log")
        bea.wish(Chat(NO_ID, LOOK))
        hands.look()
        if seen:
            assert whole(size) in looks(hands)
        total, chance = hands.link.model.history.total, Random(5)
        while hands.link.model.history.total < total + 10:
            link = acting(local)
            assert link is not None
            link.wish(choose(link, chance))
        hands.look()
        assert whole(size) in looks(hands)


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
@pytest.mark.parametrize("seen", [True, False])
def test_a_message_counts_as_read_when_somebody_has_looked_and_pressed_a_key(
    size: tuple[int, int], seen: bool
) -> None:
    local, hands, bea = two(size)
    bea.wish(Chat(NO_ID, LOOK))
    hands.look()
    assert not seen or " Chat (1) " not in looks(hands), "the log shows it"
    play(local, Random(5), lambda: None, most=20)
    hands.look()
    assert " Chat (1) " in looks(hands)
    hands.press("f2", ESCAPE)
    drawn = looks(hands)
    assert LOOK in drawn
    assert (" Chat (1) " in drawn) is not seen
    while not seen and " Chat (1) " in looks(hands):
        hands.press("c-i")
    hands.press("f2", ESCAPE)
    assert " Chat (" not in looks(hands)


def test_a_message_above_the_footer_stays_while_the_box_of_the_guide_scrolls(
    tmp_path: Path,
) -> None:
    _local, ann, bob = over(tmp_path)
    bob.wish(Chat(NO_ID, SAID))
    hands = Hands(ann)
    hands.ui = replace(hands.ui, size=(40, 12), guide=True)
    for _page in range(2):
        assert SAID in looks(hands)
        hands.press(ENTER)


# What is old


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
def test_a_message_leaves_after_a_while_but_stays_in_the_chat(size: tuple[int, int]) -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    local.start()
    ann.look()
    ann.ui = replace(ann.ui, size=size, pane="others")
    bob.link.wish(Chat(NO_ID, "gg"))
    ann.look()
    assert "<Bob> gg" in text(ann.link.model, ann.ui)
    aged = replace(ann.ui, now=ann.ui.now + SAID_SECONDS)
    assert "<Bob> gg" not in text(ann.link.model, aged)
    assert "<Bob> gg" in text(ann.link.model, replace(aged, pane="chat"))


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
def test_an_own_message_leaves_soon(size: tuple[int, int]) -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    local.start()
    ann.look()
    ann.ui = replace(ann.ui, size=size, pane="others")
    bob.link.wish(Chat(NO_ID, "gg"))
    ann.look()
    ann.press(ESCAPE)
    ann.link.wish(Chat(NO_ID, "Thanks"))
    ann.look()
    assert "<Ann> Thanks" in text(ann.link.model, ann.ui)
    aged = replace(ann.ui, now=ann.ui.now + OWN_SAID_SECONDS)
    assert "<Ann> Thanks" not in text(ann.link.model, aged)


@SIZE
def test_an_emote_is_shown_once_at_a_time(size: tuple[int, int]) -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    local.start()
    for one in (ann, bob):
        one.look()
    ann.ui = replace(ann.ui, size=size)
    bob.link.wish(Emote(NO_ID, "wow"))
    ann.look()
    assert text(ann.link.model, ann.ui).count("Wow!") == 1
    later = replace(ann.ui, now=ann.ui.now + EMOTE_SECONDS, pane="log")
    assert text(ann.link.model, later).count("Bob says: Wow!") == 1


# Emotes on the full screen: shown at the seat for a moment


def emote_shown(hands: Hands, columns: int, rows: int) -> str:
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
    assert "2 Bravo!" in emote_shown(bob, columns, rows)
    assert bob.press("2") == [Emote(NO_ID, "bravo")]
    for one in people:
        one.look()
        assert "Bravo!" in emote_shown(one, columns, rows).split("── Log")[0]
        one.ui = replace(one.ui, now=one.ui.now + EMOTE_SECONDS)
        assert "Bravo!" not in emote_shown(one, columns, rows).split("─ Log")[0].split("▸ Log")[0]


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36)])
@pytest.mark.parametrize("name", ["Bob", "B" * NAME_CELLS])
def test_an_emote_hides_no_counts(name: str, size: tuple[int, int]) -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), local.link(name)
    local.start()
    ann.look()
    before = emote_shown(ann, *size).splitlines()
    (y,) = (y for y, line in enumerate(before) if name in line and glyphs.RUSH in line)
    bob.wish(Emote(NO_ID, "hurry"))
    ann.look()
    line = emote_shown(ann, *size).splitlines()[y]
    assert "Hurry up!" in line
    _letter, counts = before[y].split(name)
    assert {*counts.replace(glyphs.LINE, "").split()} <= {*line.split()}


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


@pytest.mark.slow
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
        before = emote_shown(looking, *size).split("\n")
        for emote in get_args(EmoteName):
            people["Bob"].link.wish(Emote(NO_ID, emote))
            looking.look()
            said = emote_text(emote)
            shown = emote_shown(looking, *size).replace(_("“{text}”").format(text=said), said)
            lines = shown.split("\n")
            beside = [line.partition(f" {said} ") for line in lines if f" {said} " in line]
            assert beside, said
            head, _said, rest = beside[0]
            assert "Bob" in head
            assert {*rest.split()} <= {*" ".join(before).split()}, rest
