"""The board: ingredients, meeples, the path, and the gain and cost of each legal step."""

from itertools import pairwise
from typing import Final

from coffeerush.ui.pages.pages import token_style
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Parts, Target, cut, pad, size, width
from coffeerush.ui.words.names import ingredient_code, ingredient_name, seat_style, sentence_case
from protocol import (
    BOARD,
    BOARD_SIDE,
    SPECIALTY_CELLS,
    Cell,
    Meeple,
    Option,
    PlaceMeeple,
    Seat,
    Step,
)

from .scene import Scene
from .state import Layout

STEP_MARKS: Final = {
    (-1, 0): "^",
    (1, 0): "v",
    (0, -1): "<",
    (0, 1): ">",
    (-1, -1): "y",
    (-1, 1): "o",
    (1, -1): "b",
    (1, 1): "n",
}
"""Marks of legal steps: an arrowhead, or the key of a diagonal step."""
MIN_CHIP: Final = 4
"""Minimum cells of the chip of an ingredient."""


TINTED: Final = 2
"""The most rows of a cell that are tinted: with each step, many cells change."""


def draw_board(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw all cells, with a grid if the layout has room for it."""
    if layout.framed:
        _grid(canvas, layout)
        _paths(canvas, scene, layout)
    for cell in range(len(BOARD)):
        area = area_of(layout, cell)
        canvas.zone(area.x, area.y, area.columns, area.rows, Target("cell", cell))
        _cell(canvas, scene, layout, cell, area)


def area_of(layout: Layout, cell: Cell) -> Area:
    """Return the area of a cell, without the grid."""
    columns, rows = layout.cell
    row, column = divmod(cell, BOARD_SIDE)
    gap = int(layout.framed)
    x = layout.board.x + gap + column * (columns + gap)
    return Area(x, layout.board.y + gap + row * (rows + gap), columns, rows)


def _grid(canvas: Canvas, layout: Layout) -> None:
    area, (columns, rows) = layout.board, layout.cell
    bars = glyphs.LINE * columns
    edges = {
        0: (glyphs.DOWN_RIGHT, glyphs.TEE_DOWN, glyphs.DOWN_LEFT),
        BOARD_SIDE: (glyphs.UP_RIGHT, glyphs.TEE_UP, glyphs.UP_LEFT),
    }
    wall = (glyphs.WALL + " " * columns) * BOARD_SIDE + glyphs.WALL
    for line in range(BOARD_SIDE + 1):
        y = area.y + line * (rows + 1)
        left, middle, right = edges.get(line, (glyphs.TEE_RIGHT, glyphs.CROSS, glyphs.TEE_LEFT))
        canvas.put(area.x, y, left + middle.join([bars] * BOARD_SIDE) + right, "class:frame")
        for inner in range(y + 1, y + 1 + rows if line < BOARD_SIDE else y):
            canvas.put(area.x, inner, wall, "class:frame")


def _paths(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Mark where others' trails and the path cross the grid."""
    ways = [(trail.cells, _trail_style(scene, trail.seat)) for trail in scene.trails]
    columns, rows = layout.cell
    for cells, style in [*ways, (scene.path, "class:path")]:
        for here, there in pairwise(cells):
            begin, end = area_of(layout, here), area_of(layout, there)
            way = _way(here, there)
            x = {-1: begin.x - 1, 1: end.x - 1, 0: begin.x + columns // 2}[way[1]]
            y = {-1: begin.y - 1, 1: end.y - 1, 0: begin.y + rows // 2}[way[0]]
            canvas.put(x, y, glyphs.WAYS[way], style)


def _trail_style(scene: Scene, seat: Seat) -> str:
    return f"{seat_style(scene.seats, seat)} nobold"


def _way(here: Cell, there: Cell) -> tuple[int, int]:
    """Return the rows and columns of a step."""
    row, column = divmod(there, BOARD_SIDE)
    own_row, own_column = divmod(here, BOARD_SIDE)
    return row - own_row, column - own_column


def _cell(canvas: Canvas, scene: Scene, layout: Layout, cell: Cell, area: Area) -> None:
    option = scene.turn.steps.get(cell)
    place = cell in scene.turn.places or (bool(scene.turn.places) and scene.ui.cursor == cell)
    if _is_mine(scene, cell):
        high = _high(layout)  # the band has the meeple, and next to a low tile that, too
        top = area.y + (high if high > 1 else high + 1 - TINTED)
        canvas.fill(area.x, top, _band(layout), TINTED, "class:here")
    _tile(canvas, layout, cell, area, option)
    if option is not None or place:
        lit = _lit(layout, area)
        canvas.fill(area.x, lit.start, _band(layout), len(lit), "class:legal")
    marks = _step(scene, option, layout.counted) if option else _place(scene, cell) if place else []
    end = area.x + area.columns - size(marks)
    # with only one line below the name, marks and meeples share it
    last = area.y + 1 if not layout.framed else area.y + area.rows - 1
    shared = last == area.y + _high(layout)
    _pieces(canvas, scene, layout, cell, area, end - area.x if shared else area.columns)
    canvas.puts(end, last, marks)


def _band(layout: Layout) -> int:
    """Return the columns of a tile; without a grid, tiles are separated by blanks."""
    return layout.cell[0] - (not layout.framed)


def _high(layout: Layout) -> int:
    """Return the rows of a tile."""
    return max(layout.cell[1] // 2, 1) if layout.framed else 1


def _lit(layout: Layout, area: Area) -> range:
    """Return the rows of a cell that are tinted if a step to it is legal."""
    if not layout.framed:
        return range(area.y + 1, area.y + 2)
    return range(area.y + max(_high(layout), area.rows - TINTED), area.y + area.rows)


def _tile(canvas: Canvas, layout: Layout, cell: Cell, area: Area, option: Option | None) -> None:
    """Draw the ingredient as a band of its colour, marked if a specialty or a multiple gain."""
    kind = BOARD[cell]
    label = sentence_case(ingredient_name(kind)) if layout.named else ingredient_code(kind)
    star = glyphs.SPECIALTY if cell in SPECIALTY_CELLS else ""
    gain = sum(option.gain) if option and not layout.counted else 1
    times = f"x{gain}" if gain != 1 else ""
    band, style = _band(layout), token_style(kind)
    room = band - len(star) - len(times)
    if width(label) > room:
        label = label.partition(" ")[0]  # "Folhas" says more than "Folhas de…"
    lead = " " if layout.framed and width(label) < room else ""
    text = lead + cut(label, room) + star
    # a chip as wide as its name: the ingredients are not what the eye should meet first
    chip = min(max(width(text) + 1, MIN_CHIP), band - len(times))
    for y in range(area.y, area.y + _high(layout)):
        canvas.put(area.x, y, " " * chip, style)
    middle = area.y + (_high(layout) - 1) // 2
    x = canvas.put(area.x, middle, pad(text, chip), style)
    canvas.put(x, middle, times, "class:gain")


def _is_mine(scene: Scene, cell: Cell) -> bool:
    """Return whether this player stands on a cell, in their turn with the meeple that moves."""
    return any(
        seat == scene.me and _is_acting(scene, number)
        for seat, number in scene.standing.get(cell, [])
    )


def _is_acting(scene: Scene, number: Meeple) -> bool:
    """Return whether this player's meeple may be the one that moves."""
    one = len(scene.player(scene.me or 0).meeples) == 1
    return one or number == scene.turn.meeple or not scene.turn.is_mine


def _pieces(
    canvas: Canvas, scene: Scene, layout: Layout, cell: Cell, area: Area, columns: int
) -> None:
    """Draw the meeples on a cell, the numbers of the path's steps onto it, and others' trails."""
    row = area.y + _high(layout)
    legal = (cell in scene.turn.steps or cell in scene.turn.places) and row in _lit(layout, area)
    under = "class:legal " if legal else ""
    under = "class:here " if _is_mine(scene, cell) else under
    standing = sorted(scene.standing.get(cell, []), key=lambda piece: piece[0] != scene.me)
    parts: Parts = []
    for seat, number in standing:
        if seat == scene.me:
            mark = glyphs.MINE if _is_acting(scene, number) else glyphs.MINE_OTHER
            parts.append(("class:mine", _block(scene, mark, layout)))
        else:
            style = under + seat_style(scene.seats, seat)
            parts.append((style, " " + scene.letter(seat)))
    steps = [str(step) for step, walked in enumerate(scene.path) if walked == cell and step]
    if steps:
        parts.append((f"{under}class:path", _numbers(steps, columns - size(parts))))
    if size(parts) > columns:  # several meeples: without the blanks around them
        parts = [(style, text.strip()) for style, text in parts]
        apart = [parts[0], *((style, f" {text}") for style, text in parts[1:])]
        parts = apart if size(apart) <= columns else parts
    there = {seat for seat, _number in standing}
    walked = (
        trail.seat for trail in scene.trails if cell in trail.cells and trail.seat not in there
    )
    for seat in walked:
        if size(parts) + 2 <= columns:
            parts.append((f"{under}{_trail_style(scene, seat)}", f" {scene.letter(seat).lower()}"))
    canvas.puts(area.x, row, parts, columns)


def _block(scene: Scene, mark: str, layout: Layout) -> str:
    """Return this player's meeple as a block; in ASCII in brackets, which no other piece has."""
    letter = scene.letter(scene.me or 0) if layout.framed else ""
    if scene.ui.ascii:
        return f"[{mark}{letter}]"
    return f" {mark}{letter} " if layout.framed else mark


def _numbers(steps: list[str], room: int) -> str:
    """Return as many of the latest step numbers as fit, in order."""
    shown = steps[-1]
    for step in reversed(steps[:-1]):
        if len(step) + 1 + len(shown) > room - 1:
            break
        shown = f"{step}{glyphs.DOT}{shown}"
    return shown if len(shown) >= room else " " + shown


def _step(scene: Scene, option: Option, named: bool) -> Parts:
    """Return the gain and cost of a step, and its arrowhead."""
    assert isinstance(option.intent, Step)
    here = scene.player(scene.me or 0).meeples[scene.turn.meeple - 1]
    mark = STEP_MARKS[_way(here, option.intent.cell)]
    cost = f"-{option.rush_cost}{glyphs.RUSH} " if named else glyphs.RUSH
    return [
        ("class:legal class:gain", f"+{sum(option.gain)} " if named else ""),
        ("class:legal class:rush", cost if option.rush_cost else ""),
        ("class:legal class:step", mark + " " * named),
    ]


def _place(scene: Scene, cell: Cell) -> Parts:
    """Return the mark of a cell where a meeple can be placed, or the cursor in brackets."""
    if scene.ui.cursor != cell:
        return [("class:legal class:step", glyphs.DOT)]
    free = PlaceMeeple(cell) in scene.turn.legal
    return [("class:cursor", f"[{glyphs.MINE if free else glyphs.PENALTY}]")]
