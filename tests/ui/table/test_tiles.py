"""The board as whole coloured tiles: what is on them can be read, and a click finds its cell."""

import re
from functools import cache
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace
from prompt_toolkit.styles import Style

from coffeerush.client.model import Model
from coffeerush.local.settings import THEMES, Theme
from coffeerush.ui.table.draw_board import STEP_MARKS, area_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.scene import Scene, hinted_at
from coffeerush.ui.table.state import Hint, Ui, layout_of, looking_as
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, Target
from coffeerush.ui.terminal.theme import style_of
from coffeerush.ui.words.names import ingredient_code, ingredient_name, seat_style, sentence_case
from protocol import BOARD, BOARD_SIDE, CORNERS, SPECIALTY_CELLS, Ingredient, Phase, Step, Upgrade
from tests.golden.frames import spoken
from tests.support.local import begun, choose
from tests.ui.table.test_draw_game import SIZES, playing
from tests.ui.table.test_planning import a_walk, waiting
from tests.ui.terminal.test_theme import DEPTHS, SIGHTS, contrast

PHASES = (Phase.PLACING, Phase.MOVING, Phase.POURING, Phase.SERVING)


@cache
def tiled(phase: Phase, size: tuple[int, int]) -> Canvas:
    """Return a frame with tiles."""
    return draw(playing(phase), Ui(size=size, tiles=True), *size)


def text_in(canvas: Canvas, area: Area) -> str:
    """Return what is written in an area."""
    lines = [*canvas.lines()][area.y : area.y + area.rows]
    return "\n".join(line[area.x : area.x + area.columns] for line in lines)


def tiles(model: Model, size: tuple[int, int]) -> tuple[Scene, Canvas, list[str]]:
    """Return a position, its frame, and the text of each cell."""
    scene, layout = Scene(model, Ui(size=size, tiles=True)), layout_of(*size, tiles=True)
    canvas = draw(model, scene.ui, *size)
    return scene, canvas, [text_in(canvas, area_of(layout, cell)) for cell in range(len(BOARD))]


@pytest.mark.parametrize("size", SIZES)
def test_a_free_tile_has_no_mark_while_one_places_a_meeple(size: tuple[int, int]) -> None:
    scene, canvas, found = tiles(playing(Phase.PLACING), size)
    plain = [cell for cell in scene.turn.places if cell != scene.ui.cursor]
    assert plain
    for cell in plain:
        assert re.sub(r"[\w .★▄]", "", found[cell]).strip() == "", cell
    assert "◆" in found[scene.ui.cursor]
    assert len([*canvas.lines()]) == size[1]


@pytest.mark.parametrize("language", ["it", "ru"])
@pytest.mark.parametrize("solid", [False, True])
def test_the_ingredients_of_a_small_board_are_all_words(language: str, solid: bool) -> None:
    size, model = (80, 24), playing(Phase.PLACING)
    with spoken(language):
        canvas, layout = draw(model, Ui(size=size, tiles=solid), *size), layout_of(*size, solid)
        for cell, kind in enumerate(BOARD):
            text = text_in(canvas, area_of(layout, cell)).split()[0].rstrip(f".{glyphs.SPECIALTY}")
            name = sentence_case(ingredient_name(kind))
            assert name.startswith(text)
            assert len(text) > 2 or name.split()[0] == text, text


@pytest.mark.parametrize("size", SIZES)
def test_a_tile_has_all_that_is_on_its_cell(size: tuple[int, int]) -> None:
    for phase in PHASES:
        scene, _canvas, texts = tiles(playing(phase), size)
        free, passed = set("↑←→↓"), set("⇡⇠⇢⇣")
        for cell, (kind, text) in enumerate(zip(BOARD, texts, strict=True)):
            name, code = sentence_case(ingredient_name(kind)), ingredient_code(kind)
            assert name in text or code in text
            assert (glyphs.SPECIALTY in text) == (cell in SPECIALTY_CELLS)
            is_free = cell not in scene.standing or cell == scene.turn.position
            assert bool(free & set(text)) == (cell in scene.turn.steps and is_free)
            assert bool(passed & set(text)) == (cell in scene.turn.steps and not is_free)
            for seat, _number in scene.standing.get(cell, []):
                mine = seat == scene.me
                assert (glyphs.MINE if mine else scene.letter(seat)) in text
            walked = [step for step, on in enumerate(scene.view.path) if on == cell and step]
            assert not walked or str(walked[-1]) in text
    assert "".join(texts).count(glyphs.MINE) == 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("solid", [True, False])
def test_cells_that_an_upgrade_doubles_say_so_in_the_turns_of_others(
    size: tuple[int, int], solid: bool
) -> None:
    model = waiting()[0].link.model
    view = model.view
    assert view is not None
    me, layout = model.seat or 0, layout_of(*size, tiles=solid)
    doubles = {Upgrade.DOUBLE_CORNERS: CORNERS, Upgrade.DOUBLE_SPECIALTIES: SPECIALTY_CELLS}
    for one, doubled in doubles.items():
        players = [replace(player, meeples=(5,)) for player in view.players]
        players[me] = replace(players[me], upgrades=tuple(kind is one for kind in Upgrade))
        upgraded = replace(model, view=replace(view, players=tuple(players), path=()))
        canvas = draw(upgraded, Ui(size=size, tiles=solid), *size)
        found = [text_in(canvas, area_of(layout, cell)) for cell in range(len(BOARD))]
        assert [cell for cell, text in enumerate(found) if "x2" in text] == sorted(doubled)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("solid", [True, False])
@pytest.mark.parametrize("gain", [1, 2])
def test_each_step_of_a_hint_has_its_number_also_where_it_returns(
    size: tuple[int, int], solid: bool, gain: int
) -> None:
    model = playing(Phase.MOVING)
    view = model.view
    assert view is not None
    assert view.own is not None
    begin, layout = view.players[view.own.seat].meeples[0], layout_of(*size, tiles=solid)
    beside = [option for option in view.own.options if isinstance(option.intent, Step)]
    kind = BOARD[beside[0].intent.cell if isinstance(beside[0].intent, Step) else 0]
    more = tuple(gain * (one is kind) for one in Ingredient)
    own = replace(view.own, options=tuple(replace(one, gain=more) for one in beside))
    model = replace(model, view=replace(view, own=own))
    first = next(one.intent.cell for one in beside if isinstance(one.intent, Step))
    others = [first + by for by in (1, -1, BOARD_SIDE, -BOARD_SIDE)]
    second = next(
        cell for cell in others if near(first, cell) and cell not in Scene(model, Ui()).standing
    )
    walk = (begin, first, second, first)
    hint = Hint("", walk, hinted_at(model, walk))
    canvas = draw(model, Ui(size=size, tiles=solid, hint=hint), *size)
    once, twice = (text_in(canvas, area_of(layout, cell)) for cell in (second, first))
    assert "▸2" in once
    # of what is on a small tile, what is needed next
    assert ("1·3" in twice) is (gain == 1 or not solid or size[0] >= 100)
    assert "1" in twice
    assert gain == 1 or re.search("[+x]2", twice)
    board = text_in(canvas, layout.board)
    assert "▸1·3" not in board
    assert len(re.findall("[▴▾◄►]", board)) == layout.framed, "the numbers tell the way back"


def near(here: int, there: int) -> bool:
    """Return whether one straight step leads from one cell of the board to the other."""
    ways = [abs(one - other) for one, other in zip(divmod(here, 4), divmod(there, 4), strict=True)]
    return there in range(len(BOARD)) and sum(ways) == 1


@pytest.mark.parametrize("size", SIZES[:3])
def test_a_step_tells_apart_what_it_gains_and_costs(size: tuple[int, int]) -> None:
    """Where there is no room for all, a hint's number leaves, and its arrow is lit."""
    model = playing(Phase.MOVING)
    scene = Scene(model, Ui())
    assert scene.own is not None
    options = tuple(
        replace(option, gain=tuple(2 * (kind is BOARD[cell]) for kind in Ingredient), rush_cost=1)
        for cell, option in scene.turn.steps.items()
    )
    model = replace(model, view=replace(scene.view, own=replace(scene.own, options=options)))
    layout, near = layout_of(*size, tiles=True), next(iter(scene.turn.steps))
    begin = scene.player(scene.me or 0).meeples[0]
    for walk in ((), (begin, near)):
        hint = Hint("", walk, hinted_at(model, walk)) if walk else None
        ui = Ui(size=size, tiles=True, hint=hint)
        assert Scene(model, ui).advised == walk
        canvas = draw(model, ui, *size)
        for cell in scene.turn.steps:
            area = area_of(layout, cell)
            assert re.search(rf"x2 -?1?{glyphs.RUSH} ?[↑↓←→⇡⇣⇠⇢]", text_in(canvas, area))
            assert size[0] > 80 or re.findall(r"\d", text_in(canvas, area)) == ["2"], "no riddle"
            styles = [style for _text, line in canvas.copy(area) for style in line]
            assert ("class:hint" in styles) == (cell in walk)


@pytest.mark.parametrize("size", SIZES)
def test_a_click_on_a_tile_is_one_on_its_cell_also_at_its_foot(size: tuple[int, int]) -> None:
    layout, canvas = layout_of(*size, tiles=True), tiled(Phase.MOVING, size)
    for cell in range(len(BOARD)):
        area = area_of(layout, cell)
        for y in range(area.y, area.y + area.rows + layout.framed):
            assert canvas.target_at(area.x, y) == Target("cell", cell)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_rows_and_columns_are_numbered(size: tuple[int, int]) -> None:
    layout, canvas = layout_of(*size, tiles=True), tiled(Phase.MOVING, size)
    numbers = [str(number + 1) for number in range(BOARD_SIDE)]
    board = layout.board
    assert text_in(canvas, Area(board.x, board.y, board.columns, 1)).split() == numbers
    assert text_in(canvas, Area(board.x, board.y, 1, board.rows)).split() == numbers


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_all_on_a_tile_can_be_read(theme: Theme) -> None:
    styles = {
        style
        for phase, size in product(PHASES, SIZES)
        for y, row in enumerate(tiled(phase, size).cells(Look()))
        for x, (text, style) in enumerate(zip(*row, strict=True))
        if (text.isalnum() or text in "★◆·+" + "".join(STEP_MARKS.values()))
        if (target := tiled(phase, size).target_at(x, y)) and target.kind == "cell"
    }
    assert {f"class:{kind.name.lower()} bold" for kind in BOARD} <= styles
    for depth, sight in product(DEPTHS[:2], SIGHTS):
        for style in styles:
            shown = Style.from_dict(style_of(theme, depth)).get_attrs_for_style_str(style)
            if shown.reverse:
                shown = shown._replace(color=shown.bgcolor, bgcolor=shown.color)
            assert round(contrast(shown, depth, sight), 2) >= 4.5, style


@pytest.mark.parametrize("solid", [False, True])
@pytest.mark.parametrize("size", SIZES[:3])
def test_a_walk_of_others_is_numbered_in_their_colour(size: tuple[int, int], solid: bool) -> None:
    link, chance = begun(("regular",), seed=3), Random(3)
    found: list[Model] = []
    link.on_change = found.append
    while link.model.view and link.model.view.round < 2:
        link.wish(choose(link, chance))
    model = next(one for one in found if one.view and len(one.view.path) > 2 and not one.my_turn)
    scene = Scene(model, Ui())
    canvas = draw(model, Ui(size=size, tiles=solid), *size)
    area = area_of(layout_of(*size, solid), scene.path[-1])
    styles = {
        style
        for texts, line in canvas.copy(area)
        for text, style in zip(texts, line, strict=True)
        if text == str(len(scene.path) - 1)
    }
    assert styles == {seat_style(scene.seats, scene.view.active or 0)}


def test_the_token_to_pour_next_is_marked_on_the_path() -> None:
    scene, canvas, _texts = tiles(playing(Phase.POURING), (80, 24))
    marked = {
        target.value
        for y, (_row, styles) in enumerate(canvas.cells(Look()))
        for x, style in enumerate(styles)
        if style == "class:path reverse" and (target := canvas.target_at(x, y))
    }
    first = next(cell for cell in scene.view.path[1:] if BOARD[cell] is scene.turn.to_pour[0])
    assert marked == {first}


def test_a_planned_walk_is_numbered() -> None:
    hands, _playing = waiting()
    hands.press(*a_walk(hands))
    for size in SIZES:
        ui = replace(hands.ui, size=size, tiles=True)
        canvas, layout = draw(hands.link.model, ui, *size), layout_of(*size, tiles=True)
        for number, step in enumerate(hands.ui.turn.ahead, start=1):
            assert str(number) in text_in(canvas, area_of(layout, step.cell))


@pytest.mark.parametrize(("size", "rows"), [((80, 24), 1), ((120, 36), 2), ((200, 60), 3)])
def test_a_meeple_is_a_block_in_its_players_colour(size: tuple[int, int], rows: int) -> None:
    scene, canvas, _texts = tiles(playing(Phase.SERVING), size)
    layout = layout_of(*size, tiles=True)
    for seat, player in enumerate(scene.view.players):
        own = seat_style(scene.seats, seat)
        for cell in player.meeples:
            area = area_of(layout, cell)
            lines = [styles for _texts, styles in canvas.copy(area)]
            assert sum(any(own in style.split() for style in line) for line in lines) == rows


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_a_meeple_has_an_outline_that_is_not_of_its_tiles_colour(size: tuple[int, int]) -> None:
    """The theme has each player's colour stand out from that of the page."""
    scene, canvas, texts = tiles(playing(Phase.SERVING), size)
    layout, lefts = layout_of(*size, tiles=True), (glyphs.HEAD[0], glyphs.SHOULDERS[0])
    outlined = [cell for cell in scene.standing if glyphs.BODY[0] in texts[cell]]
    assert outlined
    for cell in outlined:
        edge = f"class:{BOARD[cell].name.lower()} class:foot"
        own = {seat_style(scene.seats, seat) for seat, _number in scene.standing[cell]}
        drawn = canvas.copy(area_of(layout, cell))
        assert any(text in lefts for line, _styles in drawn for text in line) == (size[0] > 80)
        for line, styles in drawn:
            marked = [*zip(line, styles, strict=True)]
            edges = (*lefts, *glyphs.BODY, glyphs.HEAD[2], glyphs.SHOULDERS[2])
            assert {style for text, style in marked if text in edges} <= {edge}
            assert {style for text, style in marked if text == glyphs.HEAD[1]} <= own


def test_tiles_are_for_many_colours_and_all_characters() -> None:
    assert looking_as(Ui(), Look(rich=True)).tiles
    assert not looking_as(Ui(tiles=True), Look(rich=True, ascii=True)).tiles
    assert not looking_as(Ui(tiles=True), Look()).tiles


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("solid", [True, False])
def test_the_numbers_of_steps_keep_their_place_as_meeples_come_and_go(
    size: tuple[int, int], solid: bool
) -> None:
    model, columns, walked = playing(Phase.POURING), set[int](), 0
    view, layout = model.view, layout_of(*size, tiles=solid)
    assert view is not None
    for meeples in ((0,), (5,), (10,)):
        players = [replace(player, meeples=meeples) for player in view.players[:2]]
        standing = replace(view, players=(*players, *view.players[2:]))
        canvas = draw(replace(model, view=standing), Ui(size=size, tiles=solid), *size)
        for cell in view.path[1:]:
            for line in text_in(canvas, area_of(layout, cell)).splitlines()[1:]:
                if number := re.search(r"\d", line):
                    columns.add(number.start())
                    walked += 1
    assert walked > 3
    assert max(columns) - min(columns) <= (not solid), "with little room, without the blank"
