"""Small and big terminals, and any size at any moment: all fits, and nothing is lost."""

import re
from collections import Counter
from functools import cache
from random import Random

import pytest
from hypothesis import Phase as HypothesisPhase, given, settings, strategies as st
from msgspec.structs import replace
from prompt_toolkit.utils import get_cwidth

from coffeerush.bots import RegularBot
from coffeerush.client import session
from coffeerush.client.model import Model
from coffeerush.records.entries import read_record
from coffeerush.ui.advice.advice import hint
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.pages.pages import Mode, kinds_of
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import Replay, event_lines
from coffeerush.ui.replay.replay_input import REPLAY_UI, Watch
from coffeerush.ui.table.draw_game import draw, paint
from coffeerush.ui.table.input import click, press, run_pending
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.panes import pane_lines, pane_title
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui, layout_of, looking_as
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, Target, cut, width
from coffeerush.ui.terminal.glyphs import CUT
from coffeerush.ui.words.errors import status_line
from coffeerush.ui.words.i18n import pgettext
from coffeerush.ui.words.names import drink_title, ingredient_code
from protocol import CHAT_CHARACTERS, NO_ID, Chat, Phase, Ready, SetPause
from tests.golden.frames import EXTREMES, spoken
from tests.golden.moments import moments, played
from tests.support import records
from tests.support.local import LocalLink, LocalTable, acting, choose, invited, play
from tests.support.stretched import speaking

pytestmark = pytest.mark.slow

# Narrow terminals: long texts are shown over the table, and closed by a key


SIZES = pytest.mark.parametrize(("columns", "rows"), [(40, 12), (60, 16), (79, 23)])
LANGUAGE = pytest.mark.parametrize("language", EXTREMES)
SCREEN = pytest.mark.parametrize(
    ("language", "columns", "rows"),
    [*((language, 40, 12) for language in EXTREMES), ("ru", 60, 16), ("en", 79, 23)],
)
"""All languages where there is least room; where there is more, that with the longest words."""
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
@SCREEN
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


@pytest.mark.slow
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
@SCREEN
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
                assert not Counter(" ".join(guide_lines(model, ui.progress)).split()) - read


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
    assert squeezed(f"{reason} Press “p” to resume.") in words_of(canvas)


def test_a_list_that_is_scrolled_leaves_the_log_behind_it() -> None:
    local = LocalTable(4, ("regular",) * 2, seed=5)
    ann, bob = local.link("Ann"), local.link("Bob")
    for number in range(6):
        bob.wish(Chat(NO_ID, f"line {number}"))
    ui = Ui(size=(40, 12))
    before, behind = (
        [*draw(ann.model, one, 40, 12).lines()][-2]
        for one in (ui, replace(ui, mode="agreed", scroll=5))
    )
    assert before == behind
    assert "<Bob> line 5" in before


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
            assert re.match(r" \d▸✗", line) is None


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
    link, look = LocalTable(2).link("Ann"), Look(is_guest=is_guest)
    ui, watch = looking_as(Ui(), look), Watch(page=looking_as(REPLAY_UI, look))
    replay = Replay(read_record(records.lines(records.play(records.head_of(2)))))
    for canvas in (draw(link.model, ui, 30, 10), draw_replay(replay, watch, 30, 10)):
        text = " ".join(line.strip() for line in canvas.lines())
        assert way_out in text
        assert ("plain" in text) is not is_guest


# Big screens: words instead of marks, a bigger board, and the recipes of rivals' orders


PENALTIES = re.compile(rf"{glyphs.PENALTY}\d+/")


def lines_of(name: str, columns: int, rows: int) -> list[str]:
    moment = next(one for one in moments() if one.name == name)
    return [*moment.paint(columns, rows, False).lines()]


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize(("columns", "rows"), [(100, 30), (120, 36), (200, 60)])
def test_penalties_are_boxes_or_in_words(language: str, columns: int, rows: int) -> None:
    """One box for each that closes the café, of every player; what expires is in words."""
    with spoken(language):
        text = "\n".join(lines_of("moving", columns, rows))
        assert not PENALTIES.search(text)
        for size in ((columns, rows), (80, 24)):
            boxes = re.findall(r"✗*▫+", "\n".join(lines_of("moving", *size)))
            assert sorted(boxes) == sorted(["▫" * 5, "▫" * 5, "✗" + "▫" * 4, "✗" + "▫" * 4])


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize(("columns", "rows"), [(120, 36), (200, 60)])
def test_a_replay_has_words_for_counts_and_whole_names(
    language: str, columns: int, rows: int
) -> None:
    names = ("Alexandra-Maria Lee", "민준이네 커피", "Bob")
    head = records.head_of(3)
    seats = tuple(replace(one, name=name) for one, name in zip(head.seats, names, strict=True))
    record = read_record(records.lines(records.play(replace(head, seats=seats))))
    replay = Replay(record)
    watch = Watch(at=replay.last // 2, page=Ui(size=(columns, rows), replayed=True))
    with spoken(language):
        lines = [*draw_replay(replay, watch, columns, rows).lines()]
        for name in names:
            assert any(line[3:].startswith(name) for line in lines)
        assert not PENALTIES.search("\n".join(lines))


def test_a_bot_has_its_level_if_it_fits() -> None:
    """As it just does in English on the smallest wide terminal."""
    assert any(" C Crema (Regular) " in line for line in lines_of("moving", 120, 36))


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
def test_a_big_screen_has_the_recipes_of_all_open_orders(language: str) -> None:
    view = dict(played())["spectator"].view
    assert view is not None
    with spoken(language):
        text = "\n".join(lines_of("spectator", 160, 45))
        for player in view.players:
            for drink in [view.menu[one] for slot in player.orders for one in slot]:
                codes = (ingredient_code(kind) for kind in kinds_of(drink.recipe))
                needs = "".join(f"{glyphs.MISSING}{code}" for code in codes)
                assert f"{drink_title(drink)} {needs}" in text


def test_a_board_grows_with_the_screen() -> None:
    sizes = [layout_of(*size).board for size in ((120, 36), (160, 45), (200, 60), (240, 70))]
    cells = [area.columns * area.rows for area in sizes]
    assert cells == sorted(set(cells))


def test_a_big_screen_has_more_room_for_people_and_log_than_for_tiles() -> None:
    middle, big = layout_of(120, 36), layout_of(200, 60)
    assert 2 * big.below.rows >= 3 * middle.below.rows
    assert big.side.columns > big.board.columns + big.board.columns // 4
    columns, rows = big.cell
    assert columns / rows == pytest.approx(middle.cell[0] / middle.cell[1], abs=0.7)


BIG_SIZES = pytest.mark.parametrize(("columns", "rows"), [(120, 36), (200, 60)])


def shown_by(model: Model, mode: Mode, columns: int, rows: int) -> list[str]:
    return [*draw(model, Ui(mode=mode, size=(columns, rows)), columns, rows).lines()]


@pytest.mark.slow
@BIG_SIZES
@pytest.mark.parametrize("language", EXTREMES)
def test_a_list_in_a_game_leaves_the_cups(language: str, columns: int, rows: int) -> None:
    """Only at 120x36 does a list of upgrades in long words also need their place."""
    model = dict(played())["upgrade"]
    scene = Scene(model, Ui())
    modes: tuple[Mode, ...] = ("emotes", "empty", "seats", "upgrades")
    with spoken(language):
        for mode in modes[: 4 if columns == 200 else 3]:
            before, after = (shown_by(model, one, columns, rows) for one in ("table", mode))
            third = f"{glyphs.LINE} 3 {glyphs.LINE}"
            cups = next(y for y, line in enumerate(before) if third in line)
            assert after[1 : cups + 2] == before[1 : cups + 2]
            assert after[cups + 2] != before[cups + 2]
            text = "\n".join(after[cups : layout_of(columns, rows).belt.y])
            assert columns < 200 or all(scene.name(seat) in text for seat in scene.others)


@pytest.mark.slow
@BIG_SIZES
@pytest.mark.parametrize("language", EXTREMES)
def test_a_list_next_to_a_game_is_in_the_log_or_over_whole_rows_at_the_bottom(
    language: str, columns: int, rows: int
) -> None:
    local = LocalTable(3, ("regular",))
    owner, guest = (local.link(name) for name in ("Ann", "Bob"))
    guest.wish(Chat(NO_ID, "w" * CHAT_CHARACTERS))
    modes: tuple[Mode, ...] = ("agreed", "seats", "emotes")
    with spoken(language):
        for model in (invited(owner.model), dict(played())["result"]):
            for mode in modes:
                before, after = (shown_by(model, one, columns, rows) for one in ("table", mode))
                y = next(y for y, line in enumerate(after) if before[y] != line)
                x = after[y].index(glyphs.DOWN_RIGHT)
                if f" {pane_title('log')} {glyphs.LINE}" in before[y - 1]:
                    # above the footer is the message that the list covers
                    x = width(after[y][:x])
                    both = zip(before[:-2], after[:-2], strict=True)
                    assert all(cut(was, x)[:-1] == cut(line, x)[:-1] for was, line in both)
                else:
                    assert {line.rstrip()[0] for line in after[y:-2]} <= {*"┌│└"}
                    assert {line.rstrip()[-1] for line in after[y:-2]} <= {*"┐│┘"}
                assert not any("www" in line and glyphs.WALL in line[x:] for line in after[y:])


@pytest.mark.parametrize(("columns", "rows"), [(160, 45), (200, 60)])
def test_the_cell_one_stands_on_has_a_band_below_its_tile(columns: int, rows: int) -> None:
    """Not next to the lowest line of the tile only."""
    model, ui = dict(played())["moving"], Ui(size=(columns, rows))
    cells = [*draw(model, ui, columns, rows).cells(Look())]
    band = layout_of(columns, rows).cell[0]
    here = [sum("class:here" in style for style in styles) for _texts, styles in cells]
    assert [count for count in here if count][-1] == band


@pytest.mark.slow
@BIG_SIZES
@pytest.mark.parametrize("language", EXTREMES)
def test_panes_of_players_and_drinks_are_in_columns(language: str, columns: int, rows: int) -> None:
    model = dict(played())["moving"]
    with spoken(language):
        scene = Scene(model, Ui(size=(columns, rows)))
        players = [line for _style, line in pane_lines(scene, "others", 60)]
        orders = [line for line in players if re.match(r" *[1-4][ !] ", line)]
        assert orders
        assert all(line.startswith("   ") for line in orders)
        assert not any(glyphs.SERVED in line for line in players)
        drinks = [line for _style, line in pane_lines(scene, "menu", 200) if "(x" in line]
        assert all(line[:2] in ("  ", f"{glyphs.SPECIALTY} ") for line in drinks)
        assert {line[:2] for line in drinks} == {"  ", f"{glyphs.SPECIALTY} "}


# Whole games at any size, in long words and wide letters, resized at any moment: all fits


KEYS = [
    *"hjklyubn1230 seugmUtrai",
    "c-m",
    "c-i",
    "pageup",
    "pagedown",
    "escape",
    "f1",
    "f2",
    "x",
    "?",
    "c-c",
]
LETTERS = ["", "xx", "가"]
"""English, words twice as long, and letters twice as wide."""

FRAME = {"", " ", *"─│┌┐└┘┬┴├┤┼▴▾◄►╲╱·▄"}
"""Lines, separators and the feet of tiles, over which text may be drawn."""


class Watched(Canvas):
    """A canvas that fails on text over other text or outside, which would be cut off silently."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(columns, rows)
        self.clearing = False

    def put(self, x: int, y: int, text: str, style: str = "", cells: int | None = None) -> int:
        inside = 0 <= x < self.columns and 0 <= y < self.rows
        assert inside or not text.strip() or cells == 0, f"{text!r} at {x}, {y}"
        before = self._text[y][:] if inside else []
        styles = self._style[y][:] if inside else []
        end = super().put(x, y, text, style, cells)
        if not self.clearing:
            for place in range(x, end):
                free = text == CUT or before[place] in FRAME or "class:frame" in styles[place]
                assert free, f"{text!r} is written over {''.join(before).strip()!r}"
        return end

    def fill(self, x: int, y: int, columns: int, rows: int, style: str = "") -> None:
        self.clearing = True
        super().fill(x, y, columns, rows, style)
        self.clearing = False


def check(link: LocalLink, ui: Ui) -> None:
    columns, rows = ui.size
    canvas = Watched(columns, rows)
    paint(canvas, invited(link.model), ui)
    for look in (Look(), Look(ascii=True, encoding="ascii")):
        lines = [*canvas.lines(look)]
        assert len(lines) == rows
        for line in lines:
            assert sum(get_cwidth(one) for one in line) == columns
            assert line.isprintable()
            assert line.isascii() or not look.ascii


# Games do not shrink: a failing one is as good as another.
@pytest.mark.slow
@pytest.mark.parametrize("letter", LETTERS)
@settings(
    max_examples=1,
    phases=[HypothesisPhase.explicit, HypothesisPhase.reuse, HypothesisPhase.generate],
)
@given(seats=st.integers(2, 4), seed=st.integers(0, 999))
def test_any_moment_fits_any_terminal(letter: str, seats: int, seed: int) -> None:
    chance = Random(seed)
    local = LocalTable(seats, ("regular",) * (seats - 2), seed=seed)
    links = [local.link("Ann"), local.link("민준" * 6), local.link("Zoë", "spectator")]
    uis = [Ui(guide=chance.random() < 0.5, tiles=chance.random() < 0.5) for _link in links]
    seen = [link.model for link in links]
    now = 0.0

    def look() -> None:
        nonlocal now
        for number, link in enumerate(links):
            now += 1.0
            size = (chance.randint(40, 200), chance.randint(12, 60))
            ui = apply_update(seen[number], link.model, uis[number], now)
            ui = replace(ui, size=size)
            seen[number] = link.model
            # the keys' wishes are not sent: the game is played independently
            uis[number], _wishes = press(link.model, ui, chance.choice(KEYS), now)
            check(link, uis[number])

    with speaking(letter):
        look()
        local.start()
        play(local, chance, look, 60)
        look()
