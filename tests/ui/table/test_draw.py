"""Frames over whole games: nothing raises, no line is wider than the terminal."""

import re
from collections import Counter
from itertools import groupby
from random import Random

import pytest
from msgspec.structs import replace
from prompt_toolkit.utils import get_cwidth

from coffeerush.client import session
from coffeerush.client.history import History
from coffeerush.errors import LinkError
from coffeerush.ui.advice.advice import advised
from coffeerush.ui.pages.pages import kinds_of
from coffeerush.ui.table.actions import HELP, KEYMAP
from coffeerush.ui.table.draw_board import area_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_lobby import STEAM_SECONDS
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Hint, Ui, layout_of
from coffeerush.ui.terminal.canvas import Canvas, Look, kind_of
from coffeerush.ui.words.names import ingredient_name, sentence_case
from protocol import BOARD, CUPS, EmptyCup, Ingredient, PlaceMeeple, Pour, Serve, Step, Undo
from tests.support.local import LocalLink, LocalTable, acting, begun, choose, invited, play
from tests.ui.table.test_keys import on_another_meeple


def frame(link: LocalLink, ui: Ui, columns: int, rows: int) -> str:
    """Draw a frame, and check the invariants of all frames."""
    texts = []
    for look in (Look(), Look(ascii=True, encoding="ascii")):
        canvas = draw(invited(link.model), ui, columns, rows)
        lines = [*canvas.lines(look)]
        text = "\n".join(lines)
        assert len(lines) == rows
        for line in lines:
            assert sum(get_cwidth(one) for one in line) == columns
            assert line.isprintable()
        texts.append(text)
    assert texts[1].isascii()
    return texts[0]


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (10, 3), (39, 12), (40, 11), (0, 0)])
def test_too_small_a_terminal_says_so(columns: int, rows: int) -> None:
    link = begun(("regular",))
    canvas = draw(link.model, Ui(), columns, rows)
    assert kind_of(columns, rows) == "tiny"
    assert next(canvas.lines()).strip()


def cell_text(canvas: Canvas, cell: int, columns: int, rows: int) -> str:
    """Return the text in a cell of the board, with its lines joined."""
    area = area_of(layout_of(columns, rows), cell)
    lines = list(canvas.lines())[area.y : area.y + area.rows]
    return "".join(line[area.x : area.x + area.columns] for line in lines)


@pytest.mark.slow
def test_a_cup_fits_no_order_only_where_it_fits_none() -> None:
    """Of two orders for the same drink and two equal cups, each order matches one cup."""
    told = 0
    local = LocalTable(3, ("regular", "regular"), seed=8)
    ann = local.link("Ann")

    def look() -> None:
        nonlocal told
        view = ann.model.view
        if view is None or view.own is None or view.active is None:
            return
        slots = view.players[view.own.seat].orders
        recipes = [view.menu[drink].recipe for drinks in slots for drink in drinks]
        lines = frame(ann, Ui(), 80, 24).split("\n")
        for number, cup in enumerate(view.own.cups, start=1):
            line = lines[number + 1]
            fits = any(all(a <= b for a, b in zip(cup, one, strict=True)) for one in recipes)
            assert ("fits no order" in line) == (any(cup) and not fits)
            told += "→" in line

    local.start()
    play(local, Random(4), look)
    assert told


def test_a_choice_over_a_lobby_hides_what_it_needs_and_no_more() -> None:
    ann = LocalTable(4).link("Ann")
    open_ = frame(ann, Ui(mode="bots", size=(80, 24)), 80, 24)
    for seen in ("Seat which bot?", "Others join", "Seat 4"):
        assert seen in open_


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 36), (40, 12), (200, 60)])
def test_all_that_is_legal_is_marked_and_nothing_else(columns: int, rows: int) -> None:
    ann = begun(("regular", "random"), seed=8)
    chance = Random(4)
    served = steps = 0
    while (link := acting(ann.local)) is not None:
        view = link.model.view
        assert view is not None
        assert view.own is not None
        canvas = draw(link.model, Ui(size=(columns, rows)), columns, rows)
        serves = {o.intent.cup for o in view.own.options if isinstance(o.intent, Serve)}
        # the last lines say what Space would do: that includes serves that are not legal yet
        cups = "\n".join([*canvas.lines()][:-3])
        for cup in (1, 2, 3):
            marked = re.search(rf"✓{cup} +SERVE", cups) is not None
            assert marked == (cup in serves) or len(serves) > 1
        served += bool(serves)
        legal = {o.intent.cell for o in view.own.options if isinstance(o.intent, Step)}
        steps += bool(legal)
        for cell in range(len(BOARD)):
            marked = any(mark in cell_text(canvas, cell, columns, rows) for mark in "↑←→↓⇡⇠⇢⇣")
            assert marked == (cell in legal)
        link.wish(choose(link, chance))
    assert served
    assert steps
    assert ann.model.table is not None
    assert ann.model.table.stage == "result"


def test_every_cell_and_every_own_thing_is_on_the_small_screen() -> None:
    link = begun(("regular",), seed=3)
    text = frame(link, Ui(), 80, 24)
    for kind in set(BOARD):
        assert text.count("Water★" if kind.name == "WATER" else kind.name[:1]) > 0
    for word in ("Your cups", "Your orders", "Supply", "Crema", "Log"):
        assert word in text
    assert "deck: 75 orders" in frame(link, Ui(size=(100, 30)), 100, 30)


def test_a_lobby_tells_where_others_join() -> None:
    local = LocalTable(2)
    link = local.link("Ann")
    text = frame(link, Ui(), 80, 24)
    assert "coffeerush join 192.168.0.12:47820" in text


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
def test_joining_is_drawn_without_a_table(size: tuple[int, int]) -> None:
    link = LocalTable(2).unjoined("Ann")
    assert "Joining the table…" in frame(link, Ui(size=size), *size)
    link.set(session.fail(link.model, LinkError("Nothing is hosting there.")))
    assert "Nothing is hosting there." in frame(link, Ui(size=size), *size)


@pytest.mark.parametrize("tiles", [True, False])
def test_steam_moves_while_a_table_is_joined(tiles: bool) -> None:
    link = LocalTable(2).unjoined("Ann")
    ui = Ui(size=(80, 24), animated=True, tiles=tiles)
    first, second = (frame(link, replace(ui, now=now), 80, 24) for now in (0.0, STEAM_SECONDS))
    assert first != second
    letters = str.maketrans("", "", "~()\n ")
    assert first.translate(letters) == second.translate(letters), "nothing else does"
    still = replace(ui, animated=False, now=STEAM_SECONDS)
    assert frame(link, still, 80, 24) == first
    link.set(session.fail(link.model, LinkError("Nothing is hosting there.")))
    over = {frame(link, replace(ui, now=now), 80, 24) for now in (0.0, STEAM_SECONDS)}
    assert len(over) == 1


def test_the_narrow_screen_tells_what_happened_where_it_has_room() -> None:
    link = begun(seed=5)
    assert "A game starts" in frame(link, Ui(size=(79, 23)), 79, 23)
    assert "── Log" not in frame(link, Ui(size=(40, 12)), 40, 12)


def test_a_long_sentence_takes_two_lines() -> None:
    link = begun(seed=5)
    note = "Another meeple is here: keep stepping until you reach a free cell."
    lines = frame(link, Ui(note=note), 40, 12).split("\n")
    assert " ".join(line.strip() for line in lines[-3:-1]) == note


def test_the_result_says_how_it_is_counted() -> None:
    link = begun(("regular",), seed=5)
    play(link.local, Random(5), lambda: None)
    text = frame(link, Ui(size=(80, 24)), 80, 24)
    assert "orders  upgrades +2  penalties -1" in text
    assert "Tab" not in text.split("\n")[-1]


def test_a_turn_clock_counts_down() -> None:
    local = LocalTable(2, ("regular",), turn_seconds=90)
    link = local.link("Ann")
    before = link.model
    local.start()
    ui = apply_update(before, link.model, Ui(now=1000.0), 1000.0)
    assert "1:30" in frame(link, ui, 80, 24)
    for left, bar in ((90, "▬▬▬▬▬▬▬▬ 1:30"), (45, "▬▬▬▬···· 0:45"), (0, "········ !0:00!")):
        wide = replace(ui, now=1000.0 + 90 - left, size=(120, 36))
        assert bar in frame(link, wide, 120, 36)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 36), (40, 12)])
def test_all_of_the_help_can_be_read(columns: int, rows: int) -> None:
    link = LocalTable(2, ("regular",)).link("Ann")
    ui = Ui(mode="help", help=HELP, size=(columns, rows))
    read = ""
    for now in range(20):
        read += frame(link, ui, columns, rows)
        ui, _wishes = press(link.model, ui, "pagedown", now)
    squeezed = "".join(read.split())
    for binding in KEYMAP.bindings:
        assert "".join(binding.text[:20].split()) in squeezed
    assert "becomesapenalty" in squeezed.replace("\n", "") or columns == 40


def test_upgrades_can_be_read_on_the_narrowest_screen() -> None:
    link = begun(("regular",))
    ui = replace(Ui(size=(40, 12)), mode="upgrades")
    first = frame(link, ui, 40, 12)
    ui, _wishes = press(link.model, ui, "pagedown", 1.0)
    second = frame(link, ui, 40, 12)
    assert "more lines: PgDn" in first
    for name in ("Double meeples", "Diagonal move", "Double corners", "Double specialties"):
        assert name in first + second


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_space_pours_is_not_told_while_the_hint_walks_on(size: tuple[int, int]) -> None:
    link, chance, seen = begun(("regular",), seed=3), Random(3), Counter[bool]()
    hint: Hint | None = None
    while acting(link.local) is link and (link.model.view is None or link.model.view.round < 4):
        scene = Scene(link.model, Ui(size=size, guide=True))
        if not scene.view.path:
            asked, _wishes = press(link.model, Ui(size=size), "i", 60.0)
            hint = asked.hint
        if scene.suggestion and not scene.setting_up:
            walks = any(isinstance(one, Step) for one in advised(scene.view).intents)
            seen[walks] += 1
            assert ("Space pours:" in frame(link, scene.ui, *size)) is not walks
            assert "Space pours:" in frame(link, Ui(size=size), *size)
            assert "Space pours:" not in frame(link, Ui(size=size, mode="orders"), *size)
            pressed, wishes = press(link.model, scene.ui, " ", 60.0)
            assert [*wishes, *pressed.plan] == [*scene.suggestion, *scene.then_served]
            followed = Scene(link.model, Ui(size=size, hint=hint))
            told = "Space pours:" in frame(link, followed.ui, *size)
            assert told is (followed.hint is None or len(followed.advised_steps) < 2)
        link.wish(choose(link, chance))
    assert min(seen[walks] for walks in (False, True)) > 0


@pytest.mark.slow
def test_a_question_leaves_what_space_pours_in_its_place() -> None:
    link, asked = begun(("regular",), seed=3), 0
    chance = Random(3)
    while (acting(link.local)) is link:
        before = draw(link.model, Ui(), 80, 24)
        ui, wishes = press(link.model, Ui(), "c-m", 60.0)
        if ui.asked == "pour" and not wishes:
            lines = [*draw(link.model, ui, 80, 24).lines()]
            assert lines[22] == [*before.lines()][22]
            assert "Space pours:" in lines[22]
            asked += 1
        link.wish(choose(link, chance))
    assert asked


def test_a_note_from_before_has_its_age() -> None:
    link = begun(("regular",), seed=3)
    lost = session.lose(link.model)
    ui = apply_update(lost, link.model, apply_update(link.model, lost, Ui(), 60.0), 100.0)
    assert "as you left it" in ui.note
    texts = {
        second: "\n".join(draw(link.model, replace(ui, now=second), 80, 24).lines())
        for second in (100.0, 159.0, 161.0, 300.0)
    }
    assert "ago" not in texts[100.0] + texts[159.0]
    assert "(1 minute ago)" in texts[161.0]
    assert "(3 minutes ago)" in texts[300.0]
    long = replace(ui, note="x" * 70, now=300.0)
    assert "ago" not in "\n".join(draw(link.model, long, 80, 24).lines()), "no line for it alone"
    later, _wishes = press(link.model, replace(ui, now=300.0), "k", 300.0)
    assert "ago" not in "\n".join(draw(link.model, later, 80, 24).lines())


def test_on_the_smallest_screen_a_letter_beside_the_own_mark_is_set_off() -> None:
    """`◆C` would say that the letter is this player's."""
    link = on_another_meeple()
    scene = Scene(link.model, Ui(size=(40, 12)))
    assert scene.me is not None
    cell = scene.player(scene.me).meeples[0]
    (other,) = [seat for seat, _number in scene.standing[cell] if seat != scene.me]
    drawn = cell_text(draw(link.model, scene.ui, 40, 12), cell, 40, 12)
    assert f"◆ {scene.letter(other)}" in drawn


def test_a_cup_shows_its_ingredients_in_the_order_poured() -> None:
    link, chance, size = begun(("regular",) * 2, seed=5), Random(4), (120, 36)
    cups: list[list[Ingredient]] = [[] for _cup in range(CUPS)]
    past: list[list[list[Ingredient]]] = []
    mixed = 0
    while link.model.view and not link.model.view.standings:
        intent = choose(link, chance)
        link.wish(intent)
        past.append([[*one] for one in cups])
        match intent:
            case Undo():
                past.pop()
                cups = past.pop()
            case Pour(ingredient=kind, cup=cup):
                cups[cup - 1].append(kind)
            case Serve(cup=cup) | EmptyCup(cup=cup):
                cups[cup - 1].clear()
            case PlaceMeeple():  # which fills the first cup by itself
                assert link.model.view.own
                cups[0] = kinds_of(link.model.view.own.cups[0])
        scene = Scene(link.model, Ui(size=size, tiles=True))
        if scene.stage != "game":
            break
        assert [[*one] for one in scene.layers] == cups
        canvas = draw(link.model, scene.ui, *size)
        area = canvas.marks.get("cup1")
        if area and len({*cups[0]}) > 1:
            rows = reversed(["".join(row).strip() for row, _styles in canvas.copy(area)])
            runs = [
                (sentence_case(ingredient_name(kind)), len([*one]))
                for kind, one in groupby(cups[0])
            ]
            mixed += [row for row in rows if row] == [
                f"{name} x{count}" if count > 1 else name for name, count in runs
            ]
    assert mixed
    # who has come back knows less, and what was there before lies below
    lost = replace(link.model, history=History())
    assert lost.view
    assert lost.view.own
    assert all(sorted(one) == [*one] for one in Scene(lost, Ui()).layers)
