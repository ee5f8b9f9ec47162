"""The board: ingredients, meeples, the path, and the gain and cost of each legal step."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Final

from coffeerush.ui.pages.pages import token_style
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Fragment,
    Parts,
    Target,
    cut,
    fit,
    pad,
    size,
    width,
)
from coffeerush.ui.words.names import ingredient_code, ingredient_name, seat_style, sentence_case
from protocol import (
    BOARD,
    BOARD_SIDE,
    CORNERS,
    SPECIALTY_CELLS,
    Cell,
    Meeple,
    Option,
    PlaceMeeple,
    Seat,
    Step,
    Upgrade,
)

from .scene import Scene
from .state import NAMED_CELL, Layout

STEP_MARKS: Final = {
    (-1, 0): glyphs.UP,
    (1, 0): glyphs.DOWN,
    (0, -1): glyphs.FROM,
    (0, 1): glyphs.TO,
    (-1, -1): "y",
    (-1, 1): "o",
    (1, -1): "b",
    (1, 1): "n",
}
"""Marks of legal steps: an arrow, or the key of a diagonal step."""
MIN_CHIP: Final = 4
"""Minimum cells of the chip of an ingredient."""


TINTED: Final = 2
"""The most rows of a cell that are tinted: with each step, many cells change."""


def draw_board(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Draw all cells, as tiles or, if the layout has room for it, in a grid."""
    if layout.framed:
        if not layout.tiled:
            _grid(canvas, layout)
        _numbers_around(canvas, layout)
    draw_cell = _whole_tile if layout.tiled else _cell
    for cell in range(len(BOARD)):
        area = area_of(layout, cell)
        high = area.rows + (layout.tiled and layout.framed)
        canvas.zone(area.x, area.y, area.columns, high, Target("cell", cell))
        draw_cell(canvas, scene, layout, cell, area)
    if layout.framed:
        _paths(canvas, scene, layout)


def area_of(layout: Layout, cell: Cell) -> Area:
    """Return the area of a cell, without the lines around it.

    A tile is moved to the right, so that there is a blank after its row's number.
    """
    columns, rows = layout.cell
    row, column = divmod(cell, BOARD_SIDE)
    gap = int(layout.framed)
    x = layout.board.x + gap + (layout.tiled and layout.framed) + column * (columns + gap)
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


def _numbers_around(canvas: Canvas, layout: Layout) -> None:
    """Number rows and columns, which hints speak of."""
    for number in range(BOARD_SIDE):
        column, row = area_of(layout, number), area_of(layout, number * BOARD_SIDE)
        canvas.put(column.x + column.columns // 2, layout.board.y, str(number + 1), "class:label")
        canvas.put(layout.board.x, row.y + row.rows // 2, str(number + 1), "class:label")


def _paths(canvas: Canvas, scene: Scene, layout: Layout) -> None:
    """Mark where others' trails and the path go from cell to cell.

    Between cells that they cross in both directions there is no mark: the numbers tell the order.
    """
    ways = [(trail.cells, _trail_style(scene, trail.seat)) for trail in scene.trails]
    columns, rows = layout.cell
    advised = tuple(scene.advised_steps.values())
    for cells, style in [*ways, (advised, "class:ask"), (scene.path, _path_style(scene))]:
        steps = [*pairwise(cells)]
        for here, there in steps:
            if (there, here) in steps:
                continue
            begin, end = area_of(layout, here), area_of(layout, there)
            way = _way(here, there)
            x = {-1: begin.x - 1, 1: end.x - 1, 0: begin.x + columns // 2}[way[1]]
            y = {-1: begin.y - 1, 1: end.y - 1, 0: begin.y + rows // 2}[way[0]]
            canvas.put(x, y, glyphs.WAYS[way], style)


def _path_style(scene: Scene) -> str:
    """Return the style of the numbered path: of a walk by others, their colour."""
    walker, planned = scene.view.active, scene.plans and scene.ui.turn.ahead
    if walker is None or scene.turn.is_mine or planned:
        return "class:path"
    return seat_style(scene.seats, walker)


def _trail_style(scene: Scene, seat: Seat) -> str:
    return f"{seat_style(scene.seats, seat)} nobold"


def _way(here: Cell, there: Cell) -> tuple[int, int]:
    """Return the rows and columns of a step."""
    row, column = divmod(there, BOARD_SIDE)
    own_row, own_column = divmod(here, BOARD_SIDE)
    return row - own_row, column - own_column


def step_marks(cells: Sequence[Cell]) -> str:
    """Return the marks of the steps from each cell to the next."""
    return "".join(STEP_MARKS[_way(here, there)] for here, there in pairwise(cells))


def _cell(canvas: Canvas, scene: Scene, layout: Layout, cell: Cell, area: Area) -> None:
    option = scene.turn.steps.get(cell)
    place = cell in scene.turn.places or (bool(scene.turn.places) and scene.ui.cursor == cell)
    if _is_mine(scene, cell):
        high = _high(layout)  # the band has the meeple, and also what is next to a low tile
        top = area.y + (high if high > 1 else high + 1 - TINTED)
        canvas.fill(area.x, top, _band(layout), TINTED, "class:here")
    _tile(canvas, scene, layout, cell, area)
    if option is not None or place:
        lit = _lit(layout, area)
        canvas.fill(area.x, lit.start, _band(layout), len(lit), "class:legal")
    marks = _step(scene, option, layout.counted) if option else _place(scene, cell) if place else []
    marks = marks or _doubled(scene, cell)
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


def _tile(canvas: Canvas, scene: Scene, layout: Layout, cell: Cell, area: Area) -> None:
    """Draw the ingredient as a band of its colour, marked if a specialty or a multiple gain."""
    kind, option = BOARD[cell], scene.turn.steps.get(cell)
    name, code = sentence_case(ingredient_name(kind)), ingredient_code(kind)
    star = _star(scene, cell)
    gain = sum(option.gain) if option and not layout.counted else 1
    times = f"x{gain}" if gain != 1 else ""
    band, style = _band(layout), token_style(kind)
    room = band - len(star) - len(times)
    words = (*_shortened(name), name if layout.named else code)
    wordings = words if layout.framed else (code,)
    label = fit(wordings, room, width)
    lead = " " if layout.framed and width(label) < room else ""
    text = lead + cut(label, room) + star
    # a chip as wide as its name: the ingredients are not what the eye should meet first
    chip = min(max(width(text) + 1, MIN_CHIP), band - len(times))
    for y in range(area.y, area.y + _high(layout)):
        canvas.put(area.x, y, " " * chip, style)
    middle = area.y + (_high(layout) - 1) // 2
    x = canvas.put(area.x, middle, pad(text, chip), style)
    canvas.put(x, middle, times, "class:gain")


def _star(scene: Scene, cell: Cell) -> str:
    """Return the mark of a specialty cell, which matters for upgrades alone; "" on others."""
    if cell not in SPECIALTY_CELLS:
        return ""
    return glyphs.SPECIALTY if "cells" in scene.signs else " "


def _shortened(name: str) -> Iterator[str]:
    """Yield an ingredient's name in fewer and fewer letters: a code next to words is a riddle."""
    first = name.partition(" ")[0]
    yield from (name, first)
    yield from (f"{first[:letters]}." for letters in range(len(first) - 2, 0, -1) if letters >= 3)


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
    standing = _standing(scene, cell)
    parts: Parts = []
    for seat, number in standing:
        if seat == scene.me:
            mark = glyphs.MINE if _is_acting(scene, number) else glyphs.MINE_OTHER
            parts.append(("class:mine", _block(scene, mark, layout)))
        else:
            style = under + seat_style(scene.seats, seat)
            parts.append((style, " " + scene.letter(seat)))
    # numbers are before meeples, which come and go: so they keep their place
    if hinted := _hinted(scene, cell):
        blank = " " * layout.framed
        room = columns - size(parts)
        shown = fit([blank + number for number in hinted] + hinted, room, width)
        parts.insert(0, ("class:hint", shown))
    steps = [str(step) for step, walked in enumerate(scene.path) if walked == cell and step]
    if steps:
        numbers = _numbers(steps, columns - size(parts))
        parts.insert(0, (f"{under}{_path_style(scene)}", numbers))
    if size(parts) > columns:  # several meeples: without the blanks around them
        parts = [(style, text.strip()) for style, text in parts]
        apart = [parts[0], *((style, f" {text}") for style, text in parts[1:])]
        parts = apart if size(apart) <= columns else parts
    for seat in _walked(scene, cell):
        mark = f" {_footprint(scene, seat)}"
        if size(parts) + width(mark) <= columns:
            parts.append((f"{under}{_trail_style(scene, seat)}", mark))
    canvas.puts(area.x, row, parts, columns)


def _standing(scene: Scene, cell: Cell) -> list[tuple[Seat, Meeple]]:
    """Return the meeples on a cell, this player's first."""
    return sorted(scene.standing.get(cell, []), key=lambda piece: piece[0] != scene.me)


def _walked(scene: Scene, cell: Cell) -> list[Seat]:
    """Return the others whose trail leads over a cell, and who do not stand on it.

    None if the cell has another mark, which matters more.
    """
    there = {seat for seat, _number in scene.standing.get(cell, [])}
    over = [trail.seat for trail in scene.trails if cell in trail.cells]
    marked = _hinted(scene, cell) or cell in scene.path[1:] or cell in scene.turn.steps
    return [] if marked else [seat for seat in over if seat not in there]


def _footprint(scene: Scene, seat: Seat) -> str:
    """Return a player's letter as on their trail, after a dot: letters alone are keys of steps."""
    return f"{glyphs.DOT}{scene.letter(seat).lower()}"


def _block(scene: Scene, mark: str, layout: Layout) -> str:
    """Return this player's meeple as a block; in ASCII in brackets, which no other piece has."""
    letter = scene.letter(scene.me or 0) if layout.framed else ""
    if scene.ui.ascii:
        return f"[{mark}{letter}]"
    return f" {mark}{letter} " if layout.framed else mark


def _hinted(scene: Scene, cell: Cell, brief: bool = False) -> list[str]:
    """Return the wordings of the mark of a cell on the walk that a hint advises, longest first.

    They have the numbers of all steps onto it, several without the pointer, and at last that of the
    next one; if `brief`, no more than that.
    """
    if scene.advised == (cell,):  # to place a meeple on
        return [glyphs.POINTER]
    steps = [str(step) for step, there in [*scene.advised_steps.items()][1:] if there == cell]
    if brief:
        return steps[:1]
    numbers = glyphs.DOT.join(steps)
    pointed = [f"{glyphs.POINTER}{numbers}"] if len(steps) == 1 else []
    return [*pointed, numbers, glyphs.POINTER + steps[0]] if steps else []


def _numbers(steps: list[str], room: int) -> str:
    """Return as many of the latest step numbers as fit, in order."""
    shown = steps[-1]
    for step in reversed(steps[:-1]):
        if len(step) + 1 + len(shown) > room - 1:
            break
        shown = f"{step}{glyphs.DOT}{shown}"
    return shown if len(shown) >= room else " " + shown


def _step(scene: Scene, option: Option, named: bool) -> Parts:
    """Return the cost of a step and its arrow, and its gain unless that is the usual 1."""
    assert isinstance(option.intent, Step)
    here = scene.player(scene.me or 0).meeples[scene.turn.meeple - 1]
    mark = STEP_MARKS[_way(here, option.intent.cell)]
    if option.intent.cell in scene.standing and option.intent.cell != here:
        mark = glyphs.PASS.get(mark, mark)
    cost = f"-{option.rush_cost}{glyphs.RUSH} " if named else glyphs.RUSH
    gain = sum(option.gain)
    return [
        ("class:legal class:gain", f"x{gain} " if named and gain != 1 else ""),
        ("class:legal class:rush", cost if option.rush_cost else ""),
        ("class:legal class:step", mark + " " * named),
    ]


def _doubled(scene: Scene, cell: Cell) -> Parts:
    """Return the mark of a cell that an upgrade of this player doubles, wherever they stand."""
    active = () if scene.me is None else scene.player(scene.me).upgrades
    kinds = {Upgrade.DOUBLE_CORNERS: CORNERS, Upgrade.DOUBLE_SPECIALTIES: SPECIALTY_CELLS}
    doubled = active and any(active[upgrade] and cell in cells for upgrade, cells in kinds.items())
    return [("class:gain", "x2")] if doubled else []


def _place(scene: Scene, cell: Cell) -> Parts:
    """Return the mark of a cell where a meeple can be placed, or the cursor in brackets."""
    if scene.ui.cursor != cell:
        return [("class:legal class:step", glyphs.DOT)]
    free = PlaceMeeple(cell) in scene.turn.legal
    return [("class:cursor", f"[{glyphs.MINE if free else glyphs.PENALTY}]")]


# Whole tiles, without a grid
#
# A tile is of its ingredient's colour, in whose ink its name is written. All that is laid on it is
# on a ground of its own: meeples on their player's colour, the rest as beside the board.


HEADED, TALL = 2, 4
"""The rows above the last one of a tile from which on meeples have a head, and are broad."""
ROOMY_CELL: Final = 11
"""The columns of a tile from which on there are blanks around what is laid on it."""


def _whole_tile(canvas: Canvas, scene: Scene, layout: Layout, cell: Cell, area: Area) -> None:
    """Draw a tile with its name, and on its last row of cells what is laid on it."""
    columns, style = _band(layout), token_style(BOARD[cell])
    last = area.y + (area.rows - 1 if layout.framed else 1)
    above = last - area.y
    left, right = _laid_on(scene, layout, cell, above)
    canvas.fill(area.x, area.y, columns, last - area.y + 1, style)
    foot, edge = area.y + area.rows - (not layout.framed), f"{style} class:foot"
    if foot > last or not (left or right):
        canvas.put(area.x, foot, glyphs.LOWER * columns, edge)
    _name_on(canvas, scene, layout, cell, Area(area.x, area.y, columns, 1))
    canvas.puts(area.x + columns - size(right), last, right)
    x = area.x
    for one, text in left:
        if text[0] == glyphs.BODY[0] and above >= HEADED:
            _figure(canvas, x, last, (one, text), edge)
        x = canvas.puts(x, last, _outlined((one, text), edge))


def _outlined(piece: Fragment, edge: str) -> Parts:
    """Return a piece; a meeple's outline is of the page's colour, as a tile may be of its own."""
    style, text = piece
    is_meeple = text[0] == glyphs.BODY[0]
    return [(edge, text[0]), (style, text[1:-1]), (edge, text[-1])] if is_meeple else [piece]


def _figure(canvas: Canvas, x: int, y: int, meeple: Fragment, edge: str) -> None:
    """Draw what of a meeple is above the row with its letter: its head, and if broad its chest."""
    style, text = meeple
    inner = text[1:-1]
    if inner.startswith("  "):
        y -= 1
        chest = glyphs.BODY[0] + " " * width(inner) + glyphs.BODY[1]
        canvas.puts(x, y, _outlined((style, chest), edge))
    shoulders = int(inner.startswith(" "))
    left, top, right = glyphs.SHOULDERS if shoulders else glyphs.HEAD
    head = (style.removesuffix(" reverse"), top * (width(inner) - 2 * shoulders))
    canvas.puts(x + shoulders, y - 1, [(edge, left), head, (edge, right)])


def _name_on(canvas: Canvas, scene: Scene, layout: Layout, cell: Cell, line: Area) -> None:
    """Write the ingredient in as many letters as fit, and how many there are on a narrow tile."""
    kind, option = BOARD[cell], scene.turn.steps.get(cell)
    star = _star(scene, cell)
    gain = sum(option.gain) if option and not layout.framed else 1
    times = f"x{gain}" if gain != 1 else ""
    name = sentence_case(ingredient_name(kind))
    wordings = (*(_shortened(name) if layout.framed else [name]), ingredient_code(kind))
    room = line.columns - len(star) - len(times)
    text = fit(wordings, room, width) + star
    style = f"{token_style(kind)} bold"
    inset = layout.cell[0] >= NAMED_CELL and width(text) < room
    canvas.put(line.x + inset, line.y, text, style)
    canvas.put(line.x + line.columns - len(times), line.y, times, style)


def _laid_on(scene: Scene, layout: Layout, cell: Cell, above: int) -> tuple[Parts, Parts]:
    """Return what is at the left and at the right on a tile, in the clearest wording that fits.

    What a step gains and costs is the last to be shortened; before that, a number leaves.
    A small tile has one number beside it, and none beside a cost.
    """
    columns, option = _band(layout), scene.turn.steps.get(cell)
    brief = option is not None and (sum(option.gain) != 1 or option.rush_cost > 0)
    brief = brief and layout.cell[0] < ROOMY_CELL
    rights = _right_wordings(scene, layout, cell, option)
    forms = [
        _meeples(scene, cell, form)
        for form in range((above < TALL) + (above < HEADED), len(_FORMS))
    ]
    if cell not in scene.standing:
        forms = forms[-1:]
    gap = (token_style(BOARD[cell]), " ")
    lefts = [_with_gaps(meeples, gap) for meeples in forms] + forms[-1:]
    inset = _inset(layout, gap)
    marked = [
        left for meeples in lefts for left in _with_mark(scene, cell, inset, meeples, gap, brief)
    ]
    pairs = [*product(marked, rights[:1])]
    if option is None or not option.rush_cost:
        pairs += product(marked, rights[1:2])
    if option is None:  # what is only a reminder leaves before anything
        pairs = [*product(marked, rights)]
    hinted = [("class:hint", number) for number in _hinted(scene, cell, brief)]
    if hinted:  # which is what one looks for, unless it makes a riddle of gain and cost
        beside = rights if option or scene.turn.places else [[]]  # there the cursor may be
        apart = rights[:1] if option and option.rush_cost else beside
        pairs = [
            ([*inset, mark, *between, *meeples, *after], right)
            for mark, right, meeples in product(hinted, apart, lefts)
            for between, after in product(
                *(([gap], []) if parts else ([],) for parts in (meeples, right))
            )
        ]
    pairs += product(lefts, rights)
    left, right = fit(pairs, columns, lambda both: sum(map(size, both)))
    is_next = option and cell in [*scene.advised_steps.values()][1:2]
    if is_next and not any(number in left for number in hinted):  # the arrow stands for its number
        right = [*right[:-1], (hinted[0][0], right[-1][1])]
    for seat in _walked(scene, cell):
        trail = (_trail_style(scene, seat), _footprint(scene, seat))
        room = columns - size(right) - size(left)
        left = left + fit([[*[gap] * bool(left), trail], [trail], []], room, size)
    numbered = hinted or cell in scene.path[1:]
    roomy = above >= HEADED and not numbered and size(left) + size(right) < columns - 1
    return [gap] * roomy + left, right


def _right_wordings(scene: Scene, layout: Layout, cell: Cell, option: Option | None) -> list[Parts]:
    """Return what a step to a tile gains and costs with its arrow, or the cursor that places.

    Other places have no mark, as all but the few tiles with a meeple are free, but what is doubled.
    """
    if option is None and scene.turn.places and scene.ui.cursor == cell:
        return [_place(scene, cell)]
    if option is None:
        doubled = _doubled(scene, cell)
        return [[(token_style(BOARD[cell]), " "), *doubled], []] if doubled else [[]]
    if layout.cell[0] >= ROOMY_CELL:
        return [[("class:legal", " "), *_step(scene, option, named=True)]]
    gain, step = sum(option.gain), _step(scene, option, named=False)
    more = f"x{gain}" if layout.framed and gain != 1 else ""
    wordings = [(" " * bool(more), "-"), (" " * bool(more), ""), ("", "")]
    return [
        [
            ("class:legal class:gain", more + apart),
            ("class:legal class:rush", less * bool(option.rush_cost)),
            *step,
        ]
        for apart, less in wordings
    ]


def _inset(layout: Layout, gap: Fragment) -> Parts:
    """Return what is before the number of a step, which is below the first letter of the name."""
    return [gap] * (layout.cell[0] >= NAMED_CELL)


def _with_mark(
    scene: Scene, cell: Cell, inset: Parts, meeples: Parts, gap: Fragment, brief: bool
) -> Iterator[Parts]:
    """Yield the numbers of the path's steps onto a cell, if `brief` the last, before its meeples.

    Meeples come and go, while a number keeps its place.
    """
    steps = [str(step) for step, walked in enumerate(scene.path) if walked == cell and step]
    apart = [gap] * bool(meeples)
    if steps:
        style = _path_style(scene) + " reverse" * _is_next(scene, cell)
        for first in range(len(steps) - 1 if brief else 0, len(steps)):
            number = style, glyphs.DOT.join(steps[first:])
            yield from ([*inset, number, *between, *meeples] for between in (apart, []))
    else:
        yield meeples


def _with_gaps(parts: Parts, gap: Fragment) -> Parts:
    return [part for piece in parts for part in (gap, piece)][1:]


def _is_next(scene: Scene, cell: Cell) -> bool:
    """Return whether the next token to pour was taken here."""
    if not (scene.turn.can_pour and scene.turn.to_pour):
        return False
    kind = scene.turn.to_pour[0]
    return next((step for step in scene.view.path[1:] if BOARD[step] is kind), None) == cell


_FORMS: Final = (
    glyphs.BODY[0] + "  {mark}{letter}  " + glyphs.BODY[1],
    glyphs.BODY[0] + " {mark}{letter} " + glyphs.BODY[1],
    glyphs.BODY[0] + "{mark}{letter}" + glyphs.BODY[1],
    "{mark}{letter}",
    "{short}",
)
"""A meeple on a tile in fewer and fewer cells: its letter, after a mark if it is this player's."""


def _meeples(scene: Scene, cell: Cell, form: int) -> Parts:
    """Return the meeples on a tile as blocks in their player's colour."""
    parts: Parts = []
    for seat, number in _standing(scene, cell):
        letter, mark = scene.letter(seat), ""
        if seat == scene.me:
            mark = glyphs.MINE if _is_acting(scene, number) else glyphs.MINE_OTHER
        text = _FORMS[form].format(mark=mark, letter=letter, short=mark or letter)
        parts.append((f"{seat_style(scene.seats, seat)} reverse", text))
    return parts
