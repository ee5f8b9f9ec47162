"""Narrow terminals: long texts are shown over the table, and closed by a key."""

import re
from collections import Counter
from functools import cache
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.client import session
from coffeerush.client.model import Model
from coffeerush.records.entries import read_record
from coffeerush.ui.advice.advice import hint
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import Replay, event_lines
from coffeerush.ui.replay.replay_input import Watch
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import click, press, run_pending
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, Target, cut
from coffeerush.ui.terminal.glyphs import CUT
from coffeerush.ui.words.errors import status_line
from coffeerush.ui.words.i18n import pgettext
from protocol import NO_ID, Chat, Phase, Ready, SetPause
from tests.golden.frames import EXTREMES, spoken
from tests.support import records
from tests.support.local import LocalTable, acting, choose

SIZES = pytest.mark.parametrize(("columns", "rows"), [(40, 12), (60, 16), (79, 23)])
LANGUAGE = pytest.mark.parametrize("language", EXTREMES)
ENTER, ESCAPE, RIGHT = "c-m", "escape", "right"
BOX = Target("key", ENTER)
LATER = 100.0


@cache
def models() -> tuple[Model, ...]:
    """Return a player's models in their turns of a game, from its start."""
    local = LocalTable(4, ("regular",) * 3, seed=5)
    link = local.link("Ann")
    local.start()
    chance = Random(5)
    found: list[Model] = []
    while acting(local) is link and len(found) < 60:
        found.append(link.model)
        link.wish(choose(link, chance))
    return tuple(found)


def words_of(canvas: Canvas) -> str:
    """Return the text of a screen without blanks; of a message beside the board once more."""
    lines = [texts for texts, _styles in canvas.cells(Look())]
    if beside := canvas.marks.get("message"):
        end = beside.y + beside.rows
        lines += [line[beside.x :] for line in lines[beside.y : end]] + lines[end:]
    return "".join("".join(map("".join, lines)).split())


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.slow
@SIZES
@LANGUAGE
def test_a_hint_is_read_to_its_end(language: str, columns: int, rows: int) -> None:
    with spoken(language):
        for model in models():
            ui, _wishes = press(model, Ui(size=(columns, rows)), "i", LATER)
            assert squeezed(hint(model)) in words_of(draw(model, ui, columns, rows))


@SIZES
def test_a_key_puts_a_long_message_away_and_a_click_on_it_does_nothing_else(
    columns: int, rows: int
) -> None:
    model = next(one for one in models() if one.view and one.view.phase is Phase.MOVING)
    ui = Ui(size=(columns, rows), note="word " * 40)
    canvas = draw(model, ui, columns, rows)
    beside = canvas.marks.get("message", Area(columns // 2, rows - 4, 1, 2))
    assert canvas.target_at(beside.x, beside.y + 1) == Target("row", 0)
    clicked, wishes = click(model, ui, Target("row", 0), LATER)
    assert not clicked.note
    assert not wishes
    pressed, wishes = press(model, ui, ESCAPE, LATER)
    assert not pressed.note
    assert not wishes


@pytest.mark.parametrize("words", [1, 10, 20])
def test_what_a_message_covers_is_counted(words: int) -> None:
    note = "word " * words
    for model in models():
        canvas = draw(model, Ui(size=(40, 12), note=note), 40, 12)
        beside = canvas.marks.get("message")
        top = beside.y if beside else 12
        orders = Scene(model, Ui()).orders
        shown = [mark.y for name, mark in canvas.marks.items() if name.startswith("order")]
        shown.remove(canvas.marks["orders"].y)
        assert max(shown, default=0) < top
        if top <= canvas.marks["orders"].y:
            continue  # no row is left to count them
        more = [line[21:].rstrip() for line in [*canvas.lines()][:top]]
        assert len(shown) == len(orders) or f"v {len(orders) - len(shown)} more" in more


@LANGUAGE
def test_a_hint_hides_no_row_of_the_board(language: str) -> None:
    """Unless, with what Space pours, it is too long for the room beside and below the board."""
    size, whole, hidden = (40, 12), 0, 0
    with spoken(language):
        for model in models():
            ui, _wishes = press(model, Ui(size=size), "i", LATER)
            plain, hinted = (draw(model, one, *size) for one in (replace(ui, note=""), ui))
            room = plain.marks["board"].columns
            lines = ([cut(line, room) for line in [*one.lines()][1:9]] for one in (plain, hinted))
            is_whole = next(lines) == next(lines)
            assert is_whole or "message" not in hinted.marks
            whole, hidden = whole + is_whole, hidden + (not is_whole)
    assert whole > 2 * hidden, (whole, hidden)


def test_an_open_list_ends_above_a_message() -> None:
    for mode in ("upgrades", "orders"):
        ui = Ui(size=(40, 12), note="word " * 20, mode=mode)
        lines = [*draw(models()[-1], ui, 40, 12).lines()]
        assert next(line for line in reversed(lines) if line[0] not in " ─").startswith("└─")
        assert squeezed(ui.note) in squeezed("".join(lines))


@pytest.mark.slow
@SIZES
@LANGUAGE
def test_the_guide_is_read_to_its_end_key_by_key(language: str, columns: int, rows: int) -> None:
    with spoken(language):
        for model in models():
            ui = Ui(size=(columns, rows), guide=True)
            ui = apply_update(Model("player", "Ann"), model, ui, 0.0)
            read = Counter[str]()
            while (canvas := draw(model, ui, columns, rows)).target_at(0, 1) == BOX:
                read.update(" ".join(canvas.lines()).split())
                ui, wishes = press(model, ui, RIGHT, LATER)
                assert not wishes
            if read:
                assert not Counter(" ".join(guide_lines(model)).split()) - read


@LANGUAGE
def test_the_guide_is_read_to_its_end_above_what_stays(language: str) -> None:
    reason = "the doorbell rings, back in five minutes"
    local = LocalTable(3, ("regular",) * 2, seed=5)
    ann = local.link("Ann")
    local.start()
    ann.wish(SetPause(NO_ID, True, reason))
    asking = replace(ann.model.invitation, asking=((3, "María José", "333333"),))
    with spoken(language):
        for model in (ann.model, replace(first_turn(), invitation=asking)):
            ui = apply_update(Model("player", "Ann"), model, Ui(size=(40, 12), guide=True), 0.0)
            read = Counter[str]()
            while (canvas := draw(model, ui, 40, 12)).target_at(0, 1) == BOX:
                read.update(" ".join(canvas.lines()).split())
                assert model.pause is None or squeezed(reason) in words_of(canvas)
                ui, _wishes = press(model, ui, RIGHT, LATER)
            assert not Counter(" ".join(guide_lines(model)).split()) - read


def first_turn() -> Model:
    return next(one for one in models() if one.view and one.view.phase is Phase.MOVING)


def test_the_box_of_the_guide_closes_and_comes_again_with_what_is_new() -> None:
    model = first_turn()
    ui = Ui(size=(40, 12), guide=True)
    assert "Guide" in words_of(draw(model, ui, 40, 12))
    while "Guide" in words_of(draw(model, ui, 40, 12)):
        ui, wishes = press(model, ui, ENTER, LATER)
        assert not wishes
    assert ui.guide
    stepped, wishes = press(model, ui, RIGHT, LATER)
    assert wishes or stepped.note
    other = models()[models().index(model) + 1]
    ui = apply_update(model, other, ui, LATER)
    assert "Guide" in words_of(draw(other, ui, 40, 12))
    ui, _wishes = press(other, ui, "f4", LATER)
    assert not ui.guide


def test_keys_typed_ahead_do_not_close_a_box_that_nobody_has_seen() -> None:
    model = first_turn()
    ui = replace(Ui(size=(40, 12), guide=True), typed=(RIGHT, RIGHT))
    after, wishes = run_pending(model, ui, LATER)
    assert not wishes
    assert not after.read
    assert "Guide" in words_of(draw(model, after, 40, 12))


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (80, 24)])
@LANGUAGE
def test_a_lost_link_is_told_in_whole_words(language: str, columns: int, rows: int) -> None:
    with spoken(language):
        model = session.lose(first_turn())
        canvas = draw(model, Ui(size=(columns, rows)), columns, rows)
        assert squeezed(status_line(model)) in words_of(canvas)


@LANGUAGE
def test_what_a_replay_shows_is_told_to_its_end(language: str) -> None:
    replay = Replay(read_record(records.lines(records.play(records.head_of(3)))))
    with spoken(language):
        for rev in range(1, replay.last, 7):
            frame = replay.frame(rev)
            drawn = words_of(draw_replay(replay, Watch(at=rev, page=Ui(size=(40, 12))), 40, 12))
            if frame.model.table and frame.model.table.stage == "game":
                assert squeezed(" ".join(event_lines(frame))) in drawn


def test_no_news_of_a_turn_cover_the_end_of_the_game() -> None:
    local = LocalTable(2, seed=5)
    links = [local.link("Ann"), local.link("Bob")]
    local.start()
    bot, uis, before = RegularBot(), [Ui(size=(40, 12))] * 2, [link.model for link in links]
    while (link := acting(local)) is not None and link.model.view is not None:
        link.wish(bot.choose(link.model.view, Random(5)))
        for seat, other in enumerate(links):
            uis[seat] = apply_update(before[seat], other.model, uis[seat], LATER)
            before[seat] = other.model
    for link, ui in zip(links, uis, strict=True):
        assert "The game is over" in [*draw(link.model, ui, 40, 12).lines()][-2]


def test_the_reason_of_a_pause_is_read_to_its_end() -> None:
    reason = "the doorbell rings, back in five minutes"
    local = LocalTable(2, seed=5)
    ann, _bob = local.link("Ann"), local.link("Bob")
    local.start()
    ann.wish(SetPause(NO_ID, True, reason))
    canvas = draw(ann.model, Ui(size=(40, 12)), 40, 12)
    assert squeezed(f"{reason} Press “p” to go on.") in words_of(canvas)


def test_a_list_that_is_scrolled_leaves_the_log_behind_it() -> None:
    local = LocalTable(4, ("regular",) * 2, seed=5)
    ann, bob = local.link("Ann"), local.link("Bob")
    for number in range(6):
        bob.wish(Chat(NO_ID, f"line {number}"))
    ui = Ui(size=(40, 12))
    before, behind = (
        [line[:10] for line in draw(ann.model, one, 40, 12).lines()][-4:]
        for one in (ui, replace(ui, mode="agreed", scroll=5))
    )
    assert before[:3] == behind[:3]
    assert any("<Bob>" in line for line in before)


@LANGUAGE
def test_a_lobby_says_which_seat_is_ones_own(language: str) -> None:
    local = LocalTable(4, ("regular",), seed=5)
    _ann, bob = local.link("Ann"), local.link("Константин")
    with spoken(language):
        for ready in (False, True):
            bob.wish(Ready(NO_ID, ready))
            lines = draw(bob.model, Ui(size=(40, 12)), 40, 12).lines()
            own = next(line for line in lines if bob.model.name in line)
            assert own.split()[-1] == pgettext("person", "you")


@LANGUAGE
def test_what_expires_is_told_in_words_before_senders_are(language: str) -> None:
    with spoken(language):
        for model in models():
            told = draw(model, Ui(size=(40, 12)), 40, 12).lines()
            line = [*told][-2]
            assert re.match(r" \d▸✗", line) is None or " +1" in line


def test_a_clock_begins_a_header_like_every_other_text() -> None:
    local = LocalTable(2, seed=5, turn_seconds=60)
    ann, bob = local.link("Ann"), local.link("Константин")
    local.start()
    for model in (ann.model, bob.model):
        ui = apply_update(Model("player", "Ann"), model, Ui(size=(40, 12)), 0.0)
        head = next(draw(model, ui, 40, 12).lines())
        assert head[0] == " " != head[1], head
        assert " 1:00 " in head


@LANGUAGE
def test_a_header_says_whose_turn_it_is_and_how_many_steps_are_left(language: str) -> None:
    with spoken(language):
        for model in models():
            if model.view and model.view.phase is Phase.MOVING and model.view.steps_left:
                head = next(draw(model, Ui(size=(40, 12)), 40, 12).lines())
                assert str(model.view.steps_left) in head.partition(CUT)[0].split("  ")[0]


@pytest.mark.parametrize(("is_guest", "way_out"), [(True, "enlarge the window."), (False, "plain")])
def test_only_who_can_start_plain_mode_is_told_of_it(is_guest: bool, way_out: str) -> None:
    model = replace(LocalTable(2).link("Ann").model, keeps_records=not is_guest)
    text = " ".join(line.strip() for line in draw(model, Ui(), 30, 10).lines())
    assert way_out in text
    assert ("plain" in text) is not is_guest
