"""The board: ingredients, meeples, the path walked, and what each legal step gives and costs."""

from coffeerush.client import words
from protocol import BOARD, BOARD_SIDE, SPECIALTY_CELLS, Cell, Option, PlaceMeeple, Step

from . import glyphs
from .canvas import Canvas, Fragment, width
from .keys import STEP_MARKS
from .layout import Layout
from .scene import Scene
from .tokens import token_style


def draw_board(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw all cells, with frames where the layout has room for them."""
    if layout.framed:
        _grid(canvas, layout)
    for cell in range(len(BOARD)):
        _cell(canvas, scene, layout, cell)


def _grid(canvas: Canvas, layout: Layout) -> None:
    area, (columns, rows) = layout.board, layout.cell
    bars = glyphs.LINE * columns
    edges = {
        0: (glyphs.DOWN_RIGHT, glyphs.TEE_DOWN, glyphs.DOWN_LEFT),
        BOARD_SIDE: (glyphs.UP_RIGHT, glyphs.TEE_UP, glyphs.UP_LEFT),
    }
    for line in range(BOARD_SIDE + 1):
        y = area.y + line * (rows + 1)
        left, middle, right = edges.get(line, (glyphs.TEE_RIGHT, glyphs.CROSS, glyphs.TEE_LEFT))
        canvas.put(area.x, y, left + middle.join([bars] * BOARD_SIDE) + right, "class:frame")
        for inner in range(y + 1, y + 1 + rows if line < BOARD_SIDE else y):
            for column in range(BOARD_SIDE + 1):
                canvas.put(area.x + column * (columns + 1), inner, glyphs.WALL, "class:frame")


def _cell(canvas: Canvas, scene: Scene, layout: Layout, cell: Cell) -> None:
    columns, rows = layout.cell
    row, column = divmod(cell, BOARD_SIDE)
    gap = int(layout.framed)
    x = layout.board.x + gap + column * (columns + gap)
    y = layout.board.y + gap + row * (rows + gap)
    last = y + rows - 1
    option = scene.steps.get(cell)
    _ingredient(canvas, layout, cell, x, y)
    _pieces(canvas, scene, layout, cell, x, last if rows == 2 else last - 1)
    if option is not None:
        _gain(canvas, option, x + columns, y if rows == 2 else last)
        _step(canvas, scene, option, x + columns, last)
    elif cell in scene.places or (scene.places and scene.ui.cursor == cell):
        _place(canvas, scene, cell, x + columns, last)


def _ingredient(canvas: Canvas, layout: Layout, cell: Cell, x: int, y: int) -> None:
    kind = BOARD[cell]
    wide = layout.kind == "wide"
    label = (
        words.sentence_case(words.ingredient_name(kind)) if wide else words.ingredient_code(kind)
    )
    star = 1 if cell in SPECIALTY_CELLS else 0
    begin = x + int(layout.framed)
    room = layout.cell[0] - int(layout.framed) - star
    end = canvas.put(begin, y, label, token_style(kind), room)
    if star:
        canvas.put(end, y, glyphs.SPECIALTY, "class:star")


def _pieces(canvas: Canvas, scene: Scene, layout: Layout, cell: Cell, x: int, y: int) -> None:
    """Draw who stands there and which step of the path it was."""
    parts: list[Fragment] = []
    for seat, number in sorted(scene.standing.get(cell, []), key=lambda one: one[0] != scene.me):
        if seat == scene.me:
            acting = len(scene.player(seat).meeples) == 1 or number == scene.meeple
            mark = glyphs.MINE if acting or not scene.my_turn else glyphs.MINE_OTHER
            letter = scene.letter(seat) if layout.framed else ""
            parts.append(("class:mine", mark + letter))
        else:
            parts.append(("class:meeple", scene.letter(seat)))
    steps = [str(step) for step, walked in enumerate(scene.view.path) if walked == cell and step]
    if steps:
        room = layout.cell[0] - 1 - sum(width(text) for _, text in parts)
        parts.append(("class:path", _numbers(steps, room - (2 if cell in scene.steps else 0))))
    canvas.puts(x + 1, y, parts, layout.cell[0] - 1)


def _numbers(steps: list[str], room: int) -> str:
    """Return as many of the latest step numbers as there is room for, the earliest first."""
    shown = steps[-1]
    for step in reversed(steps[:-1]):
        if len(step) + 1 + len(shown) > room - 1:
            break
        shown = f"{step}{glyphs.DOT}{shown}"
    return shown if len(shown) >= room else " " + shown


def _gain(canvas: Canvas, option: Option, end: int, y: int) -> None:
    """Say what a step gives where it is not one token (R-MOVE-3)."""
    gain = sum(option.gain)
    if gain != 1:
        canvas.put(end - 2, y, f"x{gain}", "class:gain")


def _step(canvas: Canvas, scene: Scene, option: Option, end: int, y: int) -> None:
    assert isinstance(option.intent, Step)
    here = scene.player(scene.me or 0).meeples[scene.meeple - 1]
    row, column = divmod(option.intent.cell, BOARD_SIDE)
    own_row, own_column = divmod(here, BOARD_SIDE)
    mark = STEP_MARKS[row - own_row, column - own_column]
    canvas.put(end - 1, y, mark, "class:step")
    if option.rush_cost:
        canvas.put(end - 2, y, glyphs.RUSH, "class:rush")


def _place(canvas: Canvas, scene: Scene, cell: Cell, end: int, y: int) -> None:
    """Mark where a meeple can be placed, and the cursor: in brackets where it can."""
    if scene.ui.cursor != cell:
        canvas.put(end - 1, y, glyphs.DOT, "class:step")
        return
    free = PlaceMeeple(cell) in scene.legal
    canvas.put(end - 3, y, f"[{glyphs.MINE if free else glyphs.PENALTY}]", "class:cursor")
