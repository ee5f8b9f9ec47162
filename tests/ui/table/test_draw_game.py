"""Frames without colours, and the meaning of clicks on them."""

import re
from collections import Counter
from functools import cache
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.pages.pages import kinds_of
from coffeerush.ui.table.draw_board import area_of
from coffeerush.ui.table.draw_game import draw, slow_line, what_to_do
from coffeerush.ui.table.draw_hand import order_names, suggestion_parts
from coffeerush.ui.table.draw_people import everybody
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.panes import open_pane
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui, layout_of
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Canvas, Look, Target, kind_of, width
from coffeerush.ui.terminal.keys import TAB
from coffeerush.ui.words.i18n import pgettext
from coffeerush.ui.words.names import (
    drink_name,
    ingredient_code,
    ingredient_name,
    sentence_case,
)
from coffeerush.ui.words.table import SLOW_SECONDS
from protocol import (
    BOARD,
    NAME_CELLS,
    NO_ID,
    PENALTIES_TO_CLOSE,
    SLOTS,
    Chat,
    EmptyCup,
    Ingredient,
    OrderServed,
    PenaltiesTaken,
    Phase,
    PlaceMeeple,
    RestReturned,
    Seat,
    Serve,
    Stepped,
    TurnStarted,
)
from tests.golden.frames import EXTREMES, LANGUAGES, spoken
from tests.golden.moments import played
from tests.support.local import LocalLink, LocalTable, acting, begun, choose
from tests.support.once import copied
from tests.support.stretched import speaking

SIZES = [(80, 24), (120, 36), (200, 60), (40, 12), (79, 23)]


def lines_of(canvas: Canvas, look: Look) -> list[str]:
    return [*canvas.lines(look)]


def reached(phase: Phase, least: int) -> LocalLink:
    """Return a link whose own turn is in a phase, some rounds into a game."""
    link = begun(seed=5)
    local = link.local
    chance = Random(5)
    while acting(local) is link:
        view = link.model.view
        assert view is not None
        if view.phase is phase and (view.round >= least or not view.round):
            return link
        link.wish(choose(link, chance))
    pytest.fail(f"the game has no {phase} from round {least} on")


@cache
def playing(phase: Phase, least: int = 2) -> Model:
    """Return what the owner of `reached` sees."""
    return reached(phase, least).model


@copied
def before_a_bot() -> LocalLink:
    """Return Ann's link while a bot does not come to its move."""
    local = LocalTable(2, ("regular",))
    link = local.link("Ann")
    local.bots_play = False
    local.start()
    if acting(local):
        link.wish(choose(link, Random(1)))
    return link


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_bot_without_a_move_for_seconds_is_still_thinking(
    language: str, columns: int, rows: int
) -> None:
    model = before_a_bot().model
    assert model.table is not None
    with spoken(language):
        for least in (0, 10):
            known = replace(model, table=replace(model.table, bot_seconds=least))
            size = (columns, rows)
            ui = apply_update(Model("player", "Ann"), known, Ui(size=size), 100.0)
            told = []
            for seconds in (SLOW_SECONDS + least - 1, SLOW_SECONDS + least):
                shown = replace(apply_update(known, known, ui, 100.0 + seconds), note="")
                canvas = draw(known, shown, *size)
                told.append(" ".join(" ".join(canvas.lines()).split()))
                line = slow_line(Scene(known, shown))
            begin, _name, end = line.partition("Crema")
            assert "10" in end
            words = [*begin.split(), *end.split()]
            assert [all(word in text for word in words) for text in told] == [False, True]
        paused = replace(known, table=replace(model.table, pause=""))
        assert not slow_line(Scene(paused, shown)), "nobody is to move"


@pytest.mark.parametrize("letter", ["", "가"])
@pytest.mark.parametrize("drawn", [Look(), Look(ascii=True)])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_ingredients_differ_by_their_letters(
    columns: int, rows: int, drawn: Look, letter: str
) -> None:
    model = playing(Phase.MOVING)
    with speaking(letter):
        assert {width(ingredient_code(kind)) for kind in Ingredient} == {2}
        lines = lines_of(draw(model, Ui(size=(columns, rows)), columns, rows), drawn)
        layout = layout_of(columns, rows)
        first = {}
        for cell, kind in enumerate(BOARD):
            area = area_of(layout, cell)
            band = "\n".join(lines[area.y : area.y + max(area.rows // 2, 1)])
            name = sentence_case(ingredient_name(kind))
            code = ingredient_code(kind)
            assert name[:3] in band if layout.named else name in band or code in band
            first[kind] = code
    assert len(set(first.values())) == len(Ingredient)


@pytest.mark.parametrize(("size", "least"), [((100, 30), 7), ((120, 30), 8), ((120, 36), 8)])
def test_ingredients_have_their_names_on_usual_terminals(size: tuple[int, int], least: int) -> None:
    canvas = draw(playing(Phase.MOVING), Ui(size=size), *size)
    area, lines = canvas.marks["board"], [*canvas.lines()]
    text = "".join(line[area.x : area.columns] for line in lines[area.y : area.y + area.rows])
    names = [sentence_case(ingredient_name(kind)) for kind in Ingredient]
    assert sum(name in text for name in names) == least
    assert all(name[:5] in text for name in names)


@pytest.mark.parametrize("drawn", [Look(), Look(ascii=True)])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_what_falls_and_the_own_meeple_are_marked(columns: int, rows: int, drawn: Look) -> None:
    model = playing(Phase.MOVING, least=4)
    scene = Scene(model, Ui())
    text = "\n".join(lines_of(draw(model, Ui(size=(columns, rows)), columns, rows), drawn))
    assert text.count("◆" if not drawn.ascii else "@") == 1
    assert any(order.slot == SLOTS for order in scene.orders)
    assert "4!" in text
    assert "EXPIRES" in text or columns < 80


def targets(canvas: Canvas) -> set[Target]:
    found = {canvas.target_at(x, y) for x in range(canvas.columns) for y in range(canvas.rows)}
    return {one for one in found if one is not None}


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("phase", [Phase.PLACING, Phase.MOVING, Phase.POURING, Phase.SERVING])
def test_all_that_a_hand_would_touch_is_a_target(columns: int, rows: int, phase: Phase) -> None:
    model = playing(phase)
    canvas = draw(model, Ui(size=(columns, rows)), columns, rows)
    found = targets(canvas)
    assert {one.value for one in found if one.kind == "cell"} == set(range(len(BOARD)))
    assert {one.value for one in found if one.kind == "cup"} == {1, 2, 3}
    orders = {one.value for one in found if one.kind == "order"}
    scene = Scene(model, Ui())
    most = len(scene.orders) if columns > 40 else min(len(scene.orders), 4)
    assert orders == set(range(most))
    # while moving, only a step goes on
    onward = Target("key", " " if phase is Phase.POURING else "c-m")
    assert (onward in found) == (phase is not Phase.MOVING)
    if columns >= 80:
        assert Target("key", "c-i") in found
        assert Target("pane", "menu") in found
        assert Target("pane", "others") in found


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_click_lands_where_the_thing_is(columns: int, rows: int) -> None:
    model = playing(Phase.SERVING)
    scene = Scene(model, Ui())
    canvas = draw(model, Ui(size=(columns, rows)), columns, rows)
    layout = layout_of(columns, rows)
    for cell in range(len(BOARD)):
        area = area_of(layout, cell)
        for x, y in ((area.x, area.y), (area.x + area.columns - 1, area.y + area.rows - 1)):
            assert canvas.target_at(x, y) == Target("cell", cell)
    lines = list(canvas.lines())
    for index, order in enumerate(scene.orders):
        if order.serve:
            mark = f"✓{order.serve.cup} "
            y = next(y for y, line in enumerate(lines) if mark in line)
            assert canvas.target_at(lines[y].index(mark), y) == Target("order", index)


def test_long_names_leave_room_for_their_recipes() -> None:
    model = playing(Phase.SERVING)
    view = model.view
    assert view is not None
    longest = max(range(len(view.menu)), key=lambda one: len(view.menu[one].name))
    me = model.seat or 0
    player = replace(view.players[me], orders=((longest,), (longest,), (longest,), (longest,)))
    players = (*view.players[:me], player, *view.players[me + 1 :])
    model = replace(model, view=replace(view, players=players))
    for columns, rows in ((80, 24), (90, 30)):
        lines = list(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
        name, first = view.menu[longest].name, kinds_of(view.menu[longest].recipe)[0]
        recipe = re.compile(rf"{name} +{glyphs.MISSING}?{ingredient_code(first)}")
        assert len([line for line in lines if recipe.search(line)]) == SLOTS


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 36), (200, 60)])
def test_a_spectator_sees_each_order_once(columns: int, rows: int) -> None:
    local = LocalTable(2, ("regular",), seed=5)
    local.link("Ann")
    zoe = local.link("Zoë", "spectator")
    local.start()
    view = zoe.model.view
    assert view is not None
    lines = list(draw(zoe.model, Ui(size=(columns, rows)), columns, rows).lines())
    side = "\n".join(line[layout_of(columns, rows).side.x :] for line in lines[: rows // 2])
    for player in view.players:
        for drinks in player.orders:
            for drink in drinks:
                name = view.menu[drink].name
                owned = sum(list(one).count(drink) for p in view.players for one in p.orders)
                assert side.count(name) == owned


@pytest.mark.parametrize("size", [(120, 25), (100, 30), (120, 30), (139, 35), (180, 35)])
def test_with_many_columns_others_orders_are_named_beside_the_log(size: tuple[int, int]) -> None:
    for phase in (Phase.MOVING, Phase.SERVING):
        scene = Scene(playing(phase), Ui(size=size))
        lines = [*draw(scene.model, scene.ui, *size).lines()][layout_of(*size).cards + 1 :]
        assert " Log " in lines[0]
        right = " ".join(line[int(size[0] * 0.45) :] for line in lines)
        for seat in scene.others:
            assert scene.name(seat) in right
            for drinks in scene.player(seat).orders:
                assert all(drink_name(scene.model, drink) in right for drink in drinks)


@pytest.mark.parametrize("columns", [100, 139])
def test_with_few_rows_others_orders_are_named_or_counted(columns: int) -> None:
    model = dict(played())["another's turn"]
    scene = Scene(model, Ui(size=(columns, 24)))
    canvas, counted = draw(model, scene.ui, columns, 24), False
    lines = [*canvas.lines()]
    for seat in scene.others:
        line = canvas.marks[f"seat{seat}"]
        known = re.split(r" *│| {2,}", lines[line.y + 1][line.x :].rstrip())
        unnamed = sum(
            len(drinks)
            for drinks in scene.player(seat).orders
            if not all(drink_name(model, drink) in " ".join(known) for drink in drinks)
        )
        assert not unnamed or f"{unnamed} more" in known
        counted |= bool(unnamed)
    assert counted or columns > 100


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_cups_are_drawn_with_what_they_hold(columns: int, rows: int) -> None:
    model = playing(Phase.SERVING)
    view = model.view
    assert view is not None
    assert view.own is not None
    full = (3, 1, 1, 1, 1, 1, 1, 1)
    for cups in ((full, view.own.cups[1], view.own.cups[2]), (full, full, full)):
        own = replace(view.own, cups=cups)
        model = replace(model, view=replace(view, own=own))
        scene = Scene(model, Ui())
        assert scene.turn.emptyable == {
            option.intent.cup for option in own.options if isinstance(option.intent, EmptyCup)
        }
        text = "\n".join(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
        if columns > 40:
            assert "Te" in text.split("Supply")[0]


@pytest.mark.parametrize(("look", "dot"), [(Look(), glyphs.DOT), (Look(ascii=True), ".")])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_without_tiles_a_dot_marks_where_a_meeple_may_be_placed(
    columns: int, rows: int, look: Look, dot: str
) -> None:
    model, ui = playing(Phase.PLACING), Ui(size=(columns, rows), cursor=0, ascii=look.ascii)
    scene, layout = Scene(model, ui), layout_of(columns, rows)
    lines = lines_of(draw(model, ui, columns, rows), look)
    for cell in range(1, len(BOARD)):
        area = area_of(layout, cell)
        text = "".join(line[area.x :][: area.columns] for line in lines[area.y :][: area.rows])
        assert text.rstrip().endswith(dot) is (cell in scene.turn.places)


def test_the_cursor_shows_where_a_meeple_would_stand() -> None:
    model = playing(Phase.PLACING)
    scene = Scene(model, Ui())
    free = [cell for cell in range(len(BOARD)) if PlaceMeeple(cell) in scene.turn.legal]
    taken = [cell for cell in range(len(BOARD)) if cell not in free]
    for cell, mark in [(free[0], "[◆]"), *[(one, "[✗]") for one in taken[:1]]]:
        for columns, rows in SIZES:
            text = "".join(draw(model, Ui(cursor=cell), columns, rows).lines())
            assert mark in text


def test_the_cursor_is_seen_on_the_cell_that_the_hint_suggests() -> None:
    model = playing(Phase.PLACING)
    ui, _ = press(model, Ui(), "i", 1.0)
    (cell,) = Scene(model, ui).advised
    assert cell != ui.cursor
    for columns, rows in SIZES:
        for cursor, marks in ((ui.cursor, ("[◆]", glyphs.POINTER)), (cell, ("[◆]",))):
            for tiles in (False, True):
                shown = replace(ui, cursor=cursor, size=(columns, rows), tiles=tiles)
                text = "".join(draw(model, shown, columns, rows).lines())
                assert all(mark in text for mark in marks)


@pytest.mark.parametrize("columns", [80, 84, 90, 100, 110])
@pytest.mark.parametrize("closed", [False, True])
def test_the_header_leaves_out_the_same_in_each_turn(columns: int, closed: bool) -> None:
    model, begins, ends = playing(Phase.MOVING), set[str](), set[str]()
    view = model.view
    assert view is not None
    for seat, phase in product(range(len(view.players)), (Phase.MOVING, Phase.SERVING)):
        for left in (0, 3):
            shown = replace(view, active=seat, phase=phase, steps_left=left, closed=closed)
            canvas = draw(replace(model, view=shown), Ui(size=(columns, 24)), columns, 24)
            begin, pointer, end = next(canvas.lines()).partition("▸")
            begins.add(begin)
            ends.add(end[end.index("You") :] if pointer else end)
    assert len(begins) == len(ends) == 1


def test_a_serve_names_its_cup() -> None:
    model = playing(Phase.SERVING)
    scene = Scene(model, Ui())
    cups = {intent.cup for intent in scene.turn.legal if isinstance(intent, Serve)}
    assert cups
    for columns, rows in SIZES:
        text = "\n".join(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
        assert all(re.search(rf"✓{cup} +SERVE", text) for cup in cups)


def test_what_space_serves_is_named_where_there_is_room() -> None:
    link, chance, found = begun(("regular",), seed=3), Random(3), 0
    lost = ""
    while acting(link.local) is link:
        scene = Scene(link.model, Ui())
        for serve, drink in zip(scene.then_served, scene.then_drinks, strict=True):
            assert isinstance(serve, Serve)
            name = drink_name(link.model, drink)
            wide = "".join(text for _, text in suggestion_parts(scene, 200))
            least = "".join(text for _, text in suggestion_parts(scene, 1))
            assert f"✓{serve.cup} {name}" in wide.partition("SERVE ")[2]
            assert f"✓{serve.cup}" in least.partition("SERVE ")[2]
            # the key, which is also in the last line, and the cup, which is also in the pours, go
            # before the name
            bare = wide.removeprefix("Space pours:  ").replace(f" →{serve.cup}", "")
            names = "".join(text for _, text in suggestion_parts(scene, len(bare)))
            assert name in names
            found += 1
        if scene.suggestion and scene.me is not None and scene.is_expiring(scene.me, SLOTS):
            left = [*scene.player(scene.me).orders[SLOTS - 1]]
            wide = "".join(text for _, text in suggestion_parts(scene, 200))
            served = [one for one in scene.then_served if isinstance(one, Serve)]
            assert ("expire" in wide) == (len(left) > sum(one.slot == SLOTS for one in served))
            lost += wide
        link.wish(choose(link, chance))
    assert found
    assert "expire" in lost


def test_it_is_said_why_space_serves_what_expires_later_unless_a_hint_says_it() -> None:
    link, chance, said = begun(("regular",), seed=5), Random(5), 0
    while acting(link.local) is link and link.model.view and link.model.view.round < 2:
        scene, guided = (Scene(link.model, Ui(guide=on)) for on in (False, True))
        *shorter, wide = (
            "".join(text for _, text in suggestion_parts(one, room))
            for one, room in ((scene, 78), (guided, 200), (scene, 200))
        )
        assert not any("instead" in text for text in shorter)
        if "instead" in wide:
            (serve,) = scene.then_served
            assert isinstance(serve, Serve)
            assert scene.me is not None
            sooner = scene.player(scene.me).orders[serve.slot :]
            names = [drink_name(link.model, drink) for slot in sooner for drink in slot]
            assert any(f"Serving {name} instead" in wide for name in names)
            said += 1
        link.wish(choose(link, chance))
    assert said


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 36), (79, 23), (60, 24)])
def test_the_guide_stands_where_the_log_is_and_hides_nothing_of_the_turn(
    columns: int, rows: int
) -> None:
    model = playing(Phase.MOVING)
    said = guide_lines(model)
    assert said
    canvas = draw(model, Ui(size=(columns, rows), guide=True), columns, rows)
    lines = list(canvas.lines())
    text = " ".join(" ".join(line.split()) for line in lines)
    assert " Guide " in text
    assert " Log " not in text
    assert said[0].split(".")[0][:30] in text
    found = targets(canvas)
    assert {one.value for one in found if one.kind == "cup"} == {1, 2, 3}
    assert {one.value for one in found if one.kind == "cell"} == set(range(len(BOARD)))
    assert {one.value for one in found if one.kind == "order"} == set(
        range(len(Scene(model, Ui()).orders))
    )
    if columns >= 80:
        assert all(one.split()[-1] in text for one in said)


@pytest.mark.parametrize("size", SIZES[:3])
def test_the_guide_keeps_its_pane_once_it_has_told_all_of_a_turn(size: tuple[int, int]) -> None:
    """Then it shows what others do, until another pane is chosen."""
    model, ui = dict(played())["another's turn"], Ui(size=size, guide=True)
    scene, kind = Scene(model, ui), kind_of(*size)
    assert not scene.guide
    assert open_pane(scene, kind) == "guide"
    text = "\n".join(draw(model, ui, *size).lines())
    assert re.search(r"▸ Guide\b(?!.*\bLog\b)", text)
    assert "민준 takes steam and chocolate." in text
    other, _wishes = press(model, ui, TAB, 1.0)
    assert open_pane(Scene(model, other), kind) == "others"


@pytest.mark.parametrize("size", [(40, 12), (60, 20)])
def test_a_small_screen_has_the_end_of_what_others_do_in_the_guides_pane(
    size: tuple[int, int],
) -> None:
    model = dict(played())["another's turn"]
    text = "\n".join(draw(model, Ui(size=size, guide=True, pane="log"), *size).lines())
    assert "and chocolate." in text
    assert "Ann sits down" not in text


@pytest.mark.parametrize("letter", ["", "x", "가"])
@pytest.mark.parametrize("language", EXTREMES)
def test_next_to_the_guide_are_the_penalties_of_others(language: str, letter: str) -> None:
    model = playing(Phase.MOVING, least=1)
    assert model.view is not None
    assert model.table is not None
    long = NAME_CELLS // width(letter) if letter else 0
    for counts in ((0, 0, 0), (1, 2, 3), (4, 4, 4), (0, 4, 1)):
        players = [*model.view.players]
        seats = [*model.table.seats]
        for seat, count in zip(Scene(model, Ui()).others, counts, strict=False):
            players[seat] = replace(players[seat], penalties=count)
            if letter:
                seats[seat] = replace(seats[seat], name=f"{letter * (long - 1)}{seat}")
        view = replace(model.view, players=tuple(players))
        table = replace(model.table, seats=tuple(seats))
        with spoken(language):
            shown = replace(model, view=view, table=table)
            canvas = draw(shown, Ui(size=(80, 24), guide=True), 80, 24)
        line = canvas.marks["tabs"].y
        found = re.findall(r"✗(\d/5|\d)", lines_of(canvas, Look())[line])
        told = {0: [], PENALTIES_TO_CLOSE - 1: ["4/5"]}
        others = counts[: len(players) - 1]
        assert found == [one for count in others for one in told.get(count, [str(count)])]


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("letters", [3, NAME_CELLS])
def test_next_to_the_guide_is_who_is_away(language: str, letters: int) -> None:
    model = playing(Phase.MOVING, least=1)
    assert model.table is not None
    gone = Scene(model, Ui()).others[-1]
    names = [
        replace(seat, name=name * letters)
        for seat, name in zip(model.table.seats, "wxyz", strict=False)
    ]
    for away in (False, True):
        seats = [*names]
        seats[gone] = replace(seats[gone], away=away)
        with spoken(language):
            shown = replace(model, table=replace(model.table, seats=tuple(seats)))
            canvas = draw(shown, Ui(size=(80, 24), guide=True), 80, 24)
            word = pgettext("person", "away")
        line = lines_of(canvas, Look())[canvas.marks["tabs"].y]
        assert (f" {word} " in line) is away


@pytest.mark.slow
@pytest.mark.parametrize("phase", [Phase.MOVING, Phase.POURING, Phase.SERVING])
def test_undo_is_in_the_footer_of_every_screen(phase: Phase) -> None:
    link = reached(phase, least=4)
    scene = Scene(link.model, Ui())
    if not scene.turn.undoable:
        link.wish(next(iter(scene.turn.options)).intent)
    assert Scene(link.model, Ui()).turn.undoable
    for size, language in product(SIZES, LANGUAGES):
        with spoken(language):
            footer = list(draw(link.model, Ui(size=size), *size).lines())[-1]
            words = f" u {pgettext('key', 'undo')} "
        assert words in footer, (size, language)


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("phase", [Phase.MOVING, Phase.POURING, Phase.SERVING])
def test_an_order_says_in_any_language_what_it_needs_and_that_it_falls(
    phase: Phase, language: str
) -> None:
    model = playing(phase, least=4)
    scene = Scene(model, Ui())
    with spoken(language):
        canvas = draw(model, Ui(), 80, 24)
        lines = list(canvas.lines())
        seen = 0
        for y, line in enumerate(lines):
            target = canvas.target_at(32, y)
            if target is None or target.kind != "order" or canvas.target_at(77, y) != target:
                continue
            order = scene.orders[int(target.value)]
            seen += 1
            said = [f"{glyphs.SERVED}{order.cup}"]
            missing = kinds_of(order.missing)
            if missing:
                said = [glyphs.MISSING + ingredient_code(missing[0])]
            assert any(one in line for one in said), line
            assert order.slot != SLOTS or "4!" in line
        assert seen >= 3


def test_two_players_are_told_which_of_two_meeples_to_place() -> None:
    ann = begun(("random",), seed=5)
    told = []
    while (scene := Scene(ann.model, Ui())).turn.places:
        told.append(what_to_do(scene))
        ann.wish(PlaceMeeple(scene.turn.places[0]))
    assert told == ["place meeple 1 of 2", "place meeple 2 of 2"]


def test_a_board_of_lines_has_whole_names_where_they_fit_and_numbers() -> None:
    lines = [*draw(playing(Phase.MOVING), Ui(), 80, 24).lines()]
    assert re.findall(r"\d", lines[1][:29]) == ["1", "2", "3", "4"]
    assert [line[0] for line in lines[3:15:3]] == ["1", "2", "3", "4"]
    assert "Coffee" in lines[2][:29]
    assert "Cara.★" in lines[2][:29], "Caramel has no room"


def test_latest_turns_have_the_room_of_the_chat_until_somebody_speaks() -> None:
    link = begun(("regular", "regular", "regular"), seed=5)
    chance, size = Random(5), (120, 36)
    served, expired = 0, 0
    while acting(link.local) is link and link.model.view and link.model.view.round < 5:
        scene = Scene(link.model, Ui(size=size))
        lines = [line[71:] for line in draw(scene.model, scene.ui, *size).lines()]
        if scene.setting_up:
            assert not any("Latest turns" in line for line in lines)
            link.wish(choose(link, chance))
            continue
        (top,) = [y for y, line in enumerate(lines) if "Latest turns" in line]
        for seat in scene.others:
            start = f"{scene.letter(seat)} {scene.name(seat)}"
            (line,) = [line for line in lines[top:] if line.lstrip().startswith(start)]
            turn = latest_turn(link.model, seat)
            chips = [ingredient_code(Ingredient(kind)) for kind in sorted(turn["taken"].elements())]
            assert line.split()[2 : 2 + len(chips)] == chips
            assert (glyphs.SERVED in line) == bool(turn["served"])
            assert (glyphs.PENALTY in line) == bool(turn["expired"])
            served, expired = served + bool(turn["served"]), expired + bool(turn["expired"])
        link.wish(choose(link, chance))
    assert min(served, expired) > 0
    for more in range(24):  # whatever the length of the names, none touches the edge of the screen
        menu = [replace(one, name=one.name + "x" * more) for one in scene.view.menu]
        model = replace(scene.model, view=replace(scene.view, menu=tuple(menu)))
        lines = [*draw(model, Ui(size=size), *size).lines()]
        assert all(len(line.rstrip()) < size[0] for line in lines[top + 1 : -2])
    link.wish(Chat(NO_ID, "Hello!"))
    text = "\n".join(draw(link.model, Ui(size=size), *size).lines())
    assert "Latest turns" not in text
    assert " Chat " in text


def latest_turn(model: Model, seat: Seat) -> dict[str, Counter[int]]:
    """Return what a seat's latest turn took, served and let expire, from the log."""
    found = {what: Counter[int]() for what in ("taken", "served", "expired")}
    for event in model.log:
        match event:
            case TurnStarted(seat=here) if here == seat:
                found = {what: Counter[int]() for what in found}
            case Stepped(seat=here, gain=gain) if here == seat:
                found["taken"].update(kinds_of(gain))
            case RestReturned(seat=here, returned=returned) if here == seat:
                found["taken"].subtract(kinds_of(returned))
            case OrderServed(seat=here, drink=drink) if here == seat:
                found["served"][drink] += 1
            case PenaltiesTaken(seat=here, drinks=drinks) if here == seat:
                found["expired"].update(drinks)
    return found


def test_players_see_who_watches_where_the_title_has_room() -> None:
    local = LocalTable(2)
    ann = local.link("Ann")
    local.link("Bob")
    local.link("Zoë", "spectator")
    local.start()
    sizes = (120, 36), (40, 24)
    wide, narrow = (next(draw(ann.model, Ui(size=size), *size).lines()) for size in sizes)
    assert "watching: Zoë" in wide
    assert "Zoë" not in narrow


def test_the_pane_of_the_others_has_their_orders_below_the_lines_with_all_else() -> None:
    scene = Scene(reached(Phase.MOVING, 8).model, Ui(size=(80, 24)))
    lines = everybody(scene)
    assert [line[0] for line in lines] == [scene.letter(seat) for seat in scene.others]
    for seat, line in zip(scene.others, lines, strict=True):
        names = " ".join(" ".join(order_names(scene, seat)).split())
        assert all(word in line for word in names.split())
        assert scene.name(seat) not in line
    canvas = draw(scene.model, replace(scene.ui, pane="others"), 80, 24)
    text = " ".join(" ".join(canvas.lines()).split())
    assert all(f"{scene.letter(seat)} {scene.name(seat)}" in text for seat in scene.others)
