"""Draw a frame of what is being shown over the table: pure, on any layout."""

from collections.abc import Callable, Container, Sequence
from itertools import takewhile
from typing import Final

from msgspec.structs import replace

from coffeerush.ui.pages.pages import ink_style, kinds_of, token_style
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Cells,
    Target,
    fit,
    kind_of,
    pad,
    width,
    wrap,
)
from coffeerush.ui.terminal.parts import big_words
from coffeerush.ui.words.events import over_limit
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import (
    and_list,
    drink_name,
    item_list,
    orders,
    penalties,
    sentence_case,
    upgrade_help,
    upgrade_name,
    upgrade_word,
)
from protocol import BOARD_SIDE, COMPLETED_PER_UPGRADE, MAX_PLAYERS, Ingredient, Seat

from .draw_board import area_of
from .draw_hand import sent_mark
from .panes import TOGETHER
from .scene import Scene
from .state import FRAMES, Layout, Moment, Moments, What, gained, layout_of

FLASH: Final = "class:flash"
BUST: Final = "class:bust"
STRIPE: Final = "  "
"""The room for each ingredient of a drink beside its name, where nothing else sets it."""
CAUSE_FRAMES: Final = 2 * FRAMES // 3
"""The frames for the penalties that begin the last round: that it does is said for longer."""
HEADER: Final = 0
"""The row that tells of players whose names are not on the screen."""


def draw_moments(canvas: Canvas, scene: Scene) -> None:
    """Draw the current frame of the moments that are being shown, if any."""
    shown = scene.ui.moments
    if shown is None or not scene.ui.animated or shown.size != (canvas.columns, canvas.rows):
        return
    if shown.orders and scene.stage == "game":
        area = shown.orders.area
        canvas.paste(area.x, area.y, shown.orders.cells)
        canvas.zone(area.x, area.y, area.columns, area.rows, Target("row", 0))
    for moment in shown.moments:
        stage = "result" if moment.what == "win" else "game"
        if scene.stage == stage and moment.what in _DRAW and _has_place(canvas, scene, moment):
            _DRAW[moment.what](canvas, scene, moment, shown.frame)
    if written := over_board(scene, canvas.columns, canvas.rows):
        _write(canvas, scene, *written)


# Serving


def _serve(canvas: Canvas, scene: Scene, moment: Moment, frame: int) -> None:
    """Flash the order beside the colours of its ingredients, then who gets the orders it sends.

    One's own cup is emptied in steam and shows the point, which is then on the score.
    """
    (drink,) = moment.drinks
    styles = [token_style(kind) for kind in kinds_of(scene.view.menu[drink].recipe)]
    gain = gained(1, moment.rush if "rush" in scene.signs else 0)
    text = f" {glyphs.SERVED} {gain} {drink_name(scene.model, drink)} "
    area = _place(canvas, scene, moment, text + STRIPE * len(styles))
    shift = frame // 2 % len(styles)
    _banner(canvas, area, text, FLASH, styles[shift:] + styles[:shift])
    is_last = frame == FRAMES - 1
    if moment.cup:
        _empty(canvas, *moment.cup, frame)
        if frame and not is_last:
            _put_at(canvas, moment.cup[0], f" {gain} ")
    if moment.seat == scene.me and is_last:
        _tint(canvas, "score", FLASH)
    receivers = _receivers(scene, moment.seat)
    shown = scene.ui.moments
    assert shown is not None
    served = sum((other.what, other.seat) == ("serve", moment.seat) for other in shown.moments)
    if frame >= FRAMES // 2:
        for seat in receivers:
            _receive(canvas, scene, moment.seat, seat, served)
    unseen = [seat for seat in receivers if f"seat{seat}" not in canvas.marks]
    if moment.seat == scene.me and unseen and frame:
        names, letters = (_(", ").join(map(name, unseen)) for name in (scene.name, scene.letter))
        told = ((orders(served), names), (served, names), (orders(served), letters))
        words = _("New orders for {names}").format(names=names)
        wordings = [f" {count} {glyphs.TO} {whom}" for count, whom in told]
        _in_header(canvas, scene, wordings, [f" {words} "])


def _receivers(scene: Scene, seat: Seat) -> list[Seat]:
    """Return the players who get orders when a seat has served (R-RUSH-1)."""
    count = len(scene.view.players)
    if not scene.view.deck:
        return []
    return [(seat + turn) % count for turn in range(1, min(count, 3))]


def _receive(canvas: Canvas, scene: Scene, sender: Seat, seat: Seat, served: int) -> None:
    """Write over another player's counts which orders they get; one's own are told by `_arrive`."""
    place = canvas.marks.get(f"counts{seat}")
    if place is None:
        return
    words = _("from {name}").format(name=scene.name(sender))
    mark = sent_mark(scene, sender)
    wordings = (*(f" {orders(served)} {by}" for by in (words, mark)), mark)
    _tint(canvas, f"seat{seat}", FLASH)
    canvas.put(place.x, place.y, pad(fit(wordings, place.columns, width), place.columns), FLASH)


def _put_at(canvas: Canvas, cup: Area, text: str) -> None:
    """Write a text beside a low cup or, over whole words, in the middle of a high one with room."""
    if cup.rows == 1:
        canvas.put(cup.x + cup.columns + 1, cup.y, text, FLASH)
        return
    if (left := (cup.columns - width(text)) // 2) < 0:
        return
    y = cup.y + cup.rows // 2
    ((under, _styles),) = canvas.copy(replace(cup, y=y, rows=1))
    left, end = _edge(under, left, -1), _edge(under, left + width(text), 1)
    canvas.put(cup.x + left, y, pad(text, end - left), FLASH)


def _edge(row: Sequence[str], at: int, by: int) -> int:
    """Return the next place in a direction that is not inside a word."""
    while 0 < at < len(row) and row[at - 1] != " " and row[at] != " ":
        at += by
    return at


def _empty(canvas: Canvas, area: Area, cells: Cells, frame: int) -> None:
    """Let what was in a cup rise out of it, and steam after it; from a low one, to the left."""
    gone = frame * (area.rows if area.rows > 1 else area.columns) // (FRAMES - 1)
    canvas.fill(area.x, area.y, area.columns, area.rows)
    if area.rows > 1:
        canvas.paste(area.x, area.y, cells[gone:])
        for y in range(area.y + max(area.rows - gone, 0), area.y + area.rows):
            canvas.put(area.x, y, _steam(area.columns, frame + y), "class:dim")
        return
    ((texts, styles),) = cells
    left = _edge(texts, max(area.columns - gone, 0), -1)
    canvas.paste(area.x, area.y, ((texts[:left], styles[:left]),))
    canvas.put(area.x + left, area.y, _steam(area.columns - left, frame), "class:dim")


def _steam(columns: int, shift: int) -> str:
    return "".join("~" if (column + shift) % 3 == 0 else " " for column in range(columns))


# Orders that others have sent


def _arrive(canvas: Canvas, scene: Scene, moment: Moment, frame: int) -> None:
    """Light up the orders, twice: each is whole from the first frame, to be read at once.

    With them, so do all that have come since one's last turn: what is new is seen together. Their
    ingredients keep their colours, which one plans with.
    """
    hidden, areas = list(moment.drinks), list[Area]()
    for index, (order, sender) in enumerate(zip(scene.orders, scene.senders, strict=True)):
        area = canvas.marks.get(f"order{index}")
        if area is None or sender is None:
            continue
        areas.append(area)
        if sender == moment.sender and order.drink in hidden:
            hidden.remove(order.drink)
    if frame % 4 < 2 or frame == FRAMES - 1:
        for area in areas:
            for y in range(area.y, area.y + area.rows):
                ((_texts, styles),) = canvas.copy(replace(area, y=y, rows=1))
                before = takewhile(lambda style: style not in _INGREDIENTS, styles)
                canvas.tint(replace(area, y=y, rows=1, columns=len([*before])), FLASH)
    if hidden and not scene.turn.is_mine:
        text = _("from {name}").format(name=scene.name(moment.sender))
        names = and_list(drink_name(scene.model, drink) for drink in hidden)
        _in_header(canvas, scene, [f" {what} {text}" for what in (names, orders(len(hidden)))])


_INGREDIENTS: Final = {
    "class:need",
    *(style(kind) for kind in Ingredient for style in (token_style, ink_style)),
}


# Upgrades and penalties


def _upgrade(canvas: Canvas, scene: Scene, moment: Moment, frame: int) -> None:
    """Light up the upgrade, twice, with what it costs and brings.

    One's own is told with its use, in place of the cups.
    """
    name = f" {glyphs.ACTIVE} {sentence_case(upgrade_name(moment.upgrade))} "
    cost = _("-{orders}, +2 points").format(orders=orders(COMPLETED_PER_UPGRADE))
    brief = f" -{COMPLETED_PER_UPGRADE}{glyphs.SERVED} +2 "
    style = FLASH if frame % 2 == 0 else "class:upgrade"
    cups = canvas.marks.get("cups") if moment.seat == scene.me else None
    if cups is None:
        wordings = [name + brief, name] if _is_seen(canvas, scene, moment) else [name]
        area = _place(canvas, scene, moment, wordings[0])
        _banner(canvas, area, fit(wordings, area.columns, width), style)
        return
    heads = [f"{name} {cost} "], [name, brief], [name + brief]
    use = [f" {line}" for line in wrap(upgrade_help(moment.upgrade), cups.columns - 2, "")]
    wide = [lines for lines in heads if max(map(width, lines)) <= cups.columns]
    told = fit([*([*lines, *use] for lines in wide), heads[1]], cups.rows, len)
    canvas.fill(cups.x, cups.y, cups.columns, cups.rows, FLASH)
    for y, line in enumerate(told, start=cups.y + (cups.rows - len(told)) // 2):
        canvas.put(cups.x, y, line, f"{FLASH} bold")


def _penalty(canvas: Canvas, scene: Scene, moment: Moment, frame: int) -> None:
    """Cross out each order that has expired, with the point that it costs and what it brings."""
    for index, drink in enumerate(moment.drinks):
        gain = gained(-1, int(index < moment.rush))
        text = f" {glyphs.PENALTY} {gain} {drink_name(scene.model, drink)} "
        if index < len(moment.places):
            _banner(canvas, moment.places[index], text, BUST)
    if not moment.places:
        names = item_list(drink_name(scene.model, drink) for drink in moment.drinks)
        count = len(moment.drinks)
        gain = f"{gained(-count, moment.rush)} " if _is_seen(canvas, scene, moment) else ""
        text = f" {glyphs.PENALTY * count} {gain}{names} "
        _banner(canvas, _place(canvas, scene, moment, text), text, BUST)
    if moment.seat == scene.me:
        _tint(canvas, "penalty", BUST)
    elif frame % 2 == 0:
        _tint(canvas, f"seat{moment.seat}", BUST)


# Words over the board


def over_board(scene: Scene, columns: int, rows: int) -> tuple[Area, list[str], str] | None:
    """Return the cells that a word is written over, its lines and its style; None if none is.

    It is in large letters if there is room, never over this player's meeples, and covers no more
    cells than it needs: what it covers has to be drawn again. What another player has lost leaves
    this player's own walk open too.
    """
    shown = scene.ui.moments
    if shown is None or not scene.ui.animated or shown.size != (columns, rows):
        return None
    style, name, text = _word(scene, shown) if scene.stage == "game" else ("", "", "")
    layout = layout_of(columns, rows, scene.ui.tiles)
    board = _cells_area(layout, range(BOARD_SIDE), range(BOARD_SIDE))
    large = big_words(text, board.columns - 2, scene.ui.ascii) if text else []
    small = _("{name}: {what}").format(name=name, what=text) if name else text
    meeples = () if scene.me is None else scene.player(scene.me).meeples
    walk = (*scene.advised, *scene.path) if name and scene.turn.is_mine else ()
    mine = {cell // BOARD_SIDE for cell in (*meeples, *walk)}
    named = [name, *large] if name and large else large
    for lines, margin in ((named, 2), ([small] if text else [], 0)):
        area = _free_cells(layout, mine, max(map(width, lines), default=0), len(lines) + margin)
        if lines and area:
            return area, lines, style
    return None


def _word(scene: Scene, shown: Moments) -> tuple[str, str, str]:
    """Return the word for what matters most of these moments, after its style and its player.

    "" if they have none, and for the player unless it is another. Of penalties that begin the last
    round, it is first these, then the round.
    """
    moments = shown.moments
    whats = [moment.what for moment in moments]
    if "over" in whats:
        return FLASH, "", _("CLOSED")
    closes = "last round" in whats
    # on a small screen what is told elsewhere too would hide half of the board
    is_small = kind_of(*scene.ui.size) == "narrow"
    if not closes or (shown.frame < CAUSE_FRAMES and not shown.still):
        for moment in () if is_small else moments:
            if moment.what == "penalty" and _is_written(scene, moment, closes):
                name = "" if moment.seat == scene.me else scene.name(moment.seat)
                return BUST, name, penalties(len(moment.drinks)).upper()
    if closes:
        return FLASH, "", _("LAST ROUND")
    served = max((moment.count for moment in moments if moment.what == "serve"), default=1)
    if served > 1:
        return FLASH, "", _("DOUBLE") if served == 2 else _("TRIPLE")
    if not is_small and _is_first_serve(scene, moments):
        return FLASH, "", gained(1, 0)
    mine = [moment for moment in moments if moment.seat == scene.me and not is_small]
    upgrades = [moment.upgrade for moment in mine if moment.what == "upgrade"]
    return FLASH, "", upgrade_word(upgrades[-1]).upper() if upgrades else ""


def _is_first_serve(scene: Scene, moments: Sequence[Moment]) -> bool:
    """Return whether this player serves for the first time in the game."""
    if not any((moment.what, moment.seat) == ("serve", scene.me) for moment in moments):
        return False
    player = scene.player(scene.me or 0)
    return player.completed == 1 and not any(player.upgrades)


def _is_written(scene: Scene, moment: Moment, closes: bool) -> bool:
    """Return whether penalties are written over the board: if they begin the last round, only they.

    Else one's own are, and another player's if they are several.
    """
    if closes:
        return moment.seat in over_limit(scene.view)
    return moment.seat == scene.me or len(moment.drinks) > 1


def _write(canvas: Canvas, scene: Scene, area: Area, lines: Sequence[str], style: str) -> None:
    canvas.fill(area.x, area.y, area.columns, area.rows, style)
    layout = layout_of(canvas.columns, canvas.rows, scene.ui.tiles)
    if layout.tiled and layout.framed:  # like the tiles, it ends with half a row
        foot = glyphs.LOWER * area.columns
        canvas.put(area.x, area.y + area.rows - 1, foot, f"{style} class:foot")
    for y, line in enumerate(lines, start=area.y + (area.rows - len(lines)) // 2):
        canvas.put(area.x + (area.columns - width(line)) // 2, y, line, style)


def _free_cells(layout: Layout, mine: Container[int], columns: int, rows: int) -> Area | None:
    """Return the fewest cells around the middle, in none of these rows, with room for a text.

    They are at most half of the board; beside the text is a column on either side.
    """
    for count in range(1, BOARD_SIDE // 2 + 1):
        bands = [range(start, start + count) for start in range(BOARD_SIDE - count + 1)]
        bands.sort(key=lambda band: abs(band.start + band.stop - BOARD_SIDE))
        free = [band for band in bands if not any(row in mine for row in band)]
        for across in (range(1, BOARD_SIDE - 1), range(BOARD_SIDE)) if free else ():
            area = _cells_area(layout, across, free[0])
            if columns + 2 <= area.columns and rows <= area.rows:
                return area
    return None


def _cells_area(layout: Layout, across: range, down: range) -> Area:
    """Return the area of these columns and rows of cells."""
    first = area_of(layout, down[0] * BOARD_SIDE + across[0])
    last = area_of(layout, down[-1] * BOARD_SIDE + across[-1])
    tall = layout.tiled and layout.framed  # a tile has a foot
    rows = last.y + last.rows + tall - first.y
    return Area(first.x, first.y, last.x + last.columns - first.x, rows)


# The result


NAMED: Final = 3
"""The frame in which the winner appears."""
REVEALED: Final = 4
"""The frame in which everything of the result is there, and confetti begins to fall."""
PIECES: Final = 40
"""Maximum pieces of confetti: each that moves has to be sent."""
CELLS_PER_PIECE: Final = 24
_EVENLY: Final = (0.7549, 0.5698)
"""Multiples of both, without their whole parts, are spread evenly over a square."""
_BLANK: Final = (((" ",) * 3, ("",) * 3),)
_SHAPES: Final = ("*", glyphs.DOT, glyphs.MINE, glyphs.SPECIALTY)


def _win(canvas: Canvas, scene: Scene, moment: Moment, frame: int) -> None:
    """Let the players appear from the last to the first, then the winner in a rain of confetti."""
    if frame >= REVEALED:
        _confetti(canvas, frame - REVEALED)
        return
    marks = ["scores", TOGETHER, "texts", "ended"]
    if frame < NAMED:
        count = len(scene.view.standings)
        best = sum(standing.rank == 1 for standing in scene.view.standings)
        hidden = max(round(count * (1 - frame / NAMED)), best)
        marks += ["winners"]
        marks += [f"{part}{place}" for place in range(hidden) for part in ("place", "podium")]
    areas = [canvas.marks[mark] for mark in marks if mark in canvas.marks]
    for area in areas or [Area(0, HEADER, canvas.columns, 1)]:
        canvas.fill(area.x, area.y, area.columns, area.rows)


def _confetti(canvas: Canvas, frame: int) -> None:
    """Draw confetti around the winner and the podium, not next to any text."""
    winners = canvas.marks.get("podium0") or canvas.marks.get("winners")
    rows = winners.y + winners.rows - 1 if winners else canvas.rows - 3
    for piece in range(min(PIECES, canvas.columns * rows // CELLS_PER_PIECE)):
        x = 1 + int(piece * _EVENLY[0] % 1 * (canvas.columns - 2))
        y = 1 + int((piece * _EVENLY[1] % 1 * rows + frame * (1 + piece % 2)) % rows)
        if canvas.copy(Area(x - 1, y, 3, 1)) == _BLANK:
            style = f"class:seat{piece % MAX_PLAYERS}"
            canvas.put(x, y, _SHAPES[piece // MAX_PLAYERS % len(_SHAPES)], style)


# Banners


def _has_place(canvas: Canvas, scene: Scene, moment: Moment) -> bool:
    """Return whether it has one: in this player's turn the header has no room for others.

    Of two things at once neither would be read, and the log tells it too.
    """
    return not scene.turn.is_mine or moment.what == "win" or _is_seen(canvas, scene, moment)


def _is_seen(canvas: Canvas, scene: Scene, moment: Moment) -> bool:
    """Return whether its player is on the screen, or else it is told in the header."""
    return moment.seat == scene.me or f"seat{moment.seat}" in canvas.marks


def _place(canvas: Canvas, scene: Scene, moment: Moment, text: str) -> Area:
    """Return the place to draw a moment: the order, else beside the name, else the header."""
    if moment.places:
        return moment.places[0]
    if moment.seat == scene.me and (orders := canvas.marks.get("orders")):
        return Area(orders.x + 1, orders.y + 1, orders.columns - 2, 1)
    cells = width(text)
    name = canvas.marks.get(f"seat{moment.seat}")
    if name is None:
        names = (scene.name(moment.seat), scene.letter(moment.seat))
        end = _in_header(canvas, scene, [f" {name}{' ' * cells}" for name in names])
        x = max(end - cells, 0)
        return Area(x, HEADER, min(cells, canvas.columns - x), 1)
    x = name.x + name.columns
    for part in ("counts", "slots"):
        covered = canvas.marks.get(f"{part}{moment.seat}")
        if covered and covered.x < x + cells < (end := covered.x + covered.columns):
            cells = end - x  # all of it, rather than a part
            break
    return Area(x, name.y, min(cells, canvas.columns - x), 1)


def _in_header(
    canvas: Canvas, scene: Scene, wordings: Sequence[str], clearest: Sequence[str] = ()
) -> int:
    """Write the longest wording that fits beside this player's turn and score; return its end.

    If none does, it covers the turn, and at last the whole row. The `clearest` wording covers the
    turn before others are tried.
    """
    score, turn = (canvas.marks.get(mark) for mark in ("score", "turn"))
    ends = [*([score.x - 1] if score else ()), canvas.columns]
    starts = [*([turn.columns + 2] if turn and scene.turn.is_mine else ()), 0]
    places = [(x, end) for end in ends for x in starts]
    tries: list[tuple[int, int, str]]
    tries = [(x, end, text) for x, end in places[: len(starts)] for text in clearest]
    tries += [(x, end, text) for x, end in places for text in wordings]
    x, end, text = fit(tries, 0, lambda tried: tried[0] + width(tried[2]) - tried[1])
    if turn and x:
        cells = canvas.copy(turn)
        canvas.fill(0, HEADER, end, 1, "class:header")
        canvas.paste(1, HEADER, cells)
        canvas.marks["turn"] = replace(turn, x=1)
    canvas.put(x, HEADER, pad(text, end - x), FLASH)
    return min(x + width(text), end)


def _banner(canvas: Canvas, area: Area, text: str, style: str, stripes: Sequence[str] = ()) -> None:
    """Write a text over an area; what it leaves free, or the next row, has stripes, if any."""
    end = area.x + area.columns
    canvas.put(area.x, area.y, pad(text, area.columns), f"{style} bold")
    canvas.fill(area.x, area.y + 1, area.columns, area.rows - 1)
    x, y = min(area.x + width(text), end), area.y
    if area.rows > 1:
        x, y = area.x, area.y + 1
    for left, stripe in zip(range(len(stripes), 0, -1), stripes, strict=True):
        columns = (end - x) // left
        canvas.fill(x, y, columns, 1, stripe)
        x += columns


def _tint(canvas: Canvas, mark: str, style: str) -> None:
    if (area := canvas.marks.get(mark)) is not None:
        canvas.tint(area, style)


_DRAW: Final[dict[What, Callable[[Canvas, Scene, Moment, int], None]]] = {
    "serve": _serve,
    "arrive": _arrive,
    "upgrade": _upgrade,
    "penalty": _penalty,
    "win": _win,
}
