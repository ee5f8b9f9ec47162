"""The other players: one line each or, if there is room, blocks with orders by name."""

from collections.abc import Container, Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from coffeerush.levels import LEVELS, kind_now
from coffeerush.ui.pages.pages import chips, kinds_of
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Parts,
    Target,
    cut,
    fit,
    kind_of,
    pad,
    size,
    widest,
    width,
    wrap,
)
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import (
    bot_level,
    drink_name,
    emote_text,
    item_list,
    menu_drink,
    seat_style,
    upgrade_name,
)
from protocol import SLOTS, DrinkIndex, Seat, Upgrade

from .draw_hand import counts_words, is_wordy, order_names, penalties_mark, summary, upgrade_boxes
from .scene import Scene
from .state import BIG

MIN_NAME: Final = 6
BLOCK_EDGE: Final = 7
"""Cells of a block's first line that are neither the name nor what is known."""
MARK_CELLS: Final = 3
"""Cells before a name: the turn mark and the letter."""
GAP: Final = 2
"""Cells between a name and what is known."""
_BRIEF: Final = (False, True)


def title(scene: Scene, seat: Seat, brief: bool = False) -> str:
    """Return a seat's letter, name and status; if `brief`, without the level of a bot."""
    return f"{scene.letter(seat)} {scene.name(seat)}{status(scene, seat, brief)}"


def status(scene: Scene, seat: Seat, brief: bool = False) -> str:
    """Return " away", the level of a bot as in " (Expert)", or ""."""
    person = scene.players[seat]
    if person.away:
        return " " + pgettext("person", "away")
    if person.status != "bot" or brief:
        return ""
    return f" ({bot_level(person.bot)})" if kind_now(person.bot) in LEVELS else " " + _("(bot)")


def emote_of(scene: Scene, seat: Seat) -> str:
    """Return the emote that is shown at a seat; empty if there is none."""
    name, now = scene.seats[seat].name, scene.ui.now
    shown = (emote for emote in scene.ui.emotes if emote.name == name and emote.until > now)
    return next((emote_text(emote.emote) for emote in shown), "")


def emote_parts(scene: Scene, marks: Container[str] = ()) -> Parts:
    """Return the newest emote of a player whose seat is not among the marks of the screen."""
    if scene.stage not in ("game", "result"):
        return []
    unseen = [seat for seat in range(len(scene.seats)) if f"seat{seat}" not in marks]
    names = [scene.seats[seat].name for seat in unseen]
    for emote in reversed(scene.ui.emotes):
        if emote.name in names and (text := emote_of(scene, unseen[names.index(emote.name)])):
            return [("class:said", f"<{emote.name}> {text}")]
    return []


# One line per player


_ORDER_PARTS: Final = 5
"""The parts of a line after the counts: orders and upgrades, with their labels."""
_UPGRADE_PARTS: Final = 2
"""The upgrades and their label."""


class PlayerLine(NamedTuple):
    """The name of a player and what is known of them, in one wording."""

    seat: Seat
    name: str
    note: str
    """The status, which is not truncated, as the name is."""
    known: Parts


def draw_lines(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw one line per other player; long names are truncated before anything is left out."""
    seats = scene.others[: area.rows]
    if not seats:
        return
    lines = fit(_wordings(scene, seats), area.columns, _cells)
    room = area.columns - MARK_CELLS - GAP - widest(line.known for line in lines)
    names = min(_most(lines), max(room, MIN_NAME))
    for y, line in enumerate(lines, start=area.y):
        seat, parts = line.seat, line.known
        x = _name(canvas, scene, line, Area(area.x, y, names, 1))
        canvas.puts(x + GAP, y, parts, area.columns - x - GAP)
        counts = Area(x + GAP, y, size(parts[:-_ORDER_PARTS]), 1)
        _emote(canvas, scene, seat, counts, area.columns - x - GAP)
        canvas.marks[f"slots{seat}"] = Area(x + GAP, y, size(parts[:-_UPGRADE_PARTS]), 1)
    canvas.zone(area.x, area.y, area.columns, len(seats), Target("pane", "others"))


def _most(lines: list[PlayerLine]) -> int:
    """Return the width of whole names with their status."""
    return max(width(line.name) + width(line.note) for line in lines)


def _cells(lines: list[PlayerLine]) -> int:
    """Return the width that these lines need, with long names truncated."""
    names = min(_most(lines), MIN_NAME + max(width(line.note) for line in lines))
    return MARK_CELLS + names + GAP + widest(line.known for line in lines)


def _wordings(scene: Scene, seats: Sequence[Seat]) -> Iterator[list[PlayerLine]]:
    """Yield the lines of these players, the longest wording first."""
    *words, marks = count_wordings(scene)
    orders, upgrades = _("orders") + " ", "  " + _("upgrades") + " "
    wordings = (
        *((brief, counts, "  " + orders, upgrades) for brief, counts in product(_BRIEF, words)),
        (False, marks, " " + orders, upgrades),
        (False, marks, " ", " "),
    )
    for brief, counts, before, between in wordings:
        known = {seat: _slot_counts(scene, seat, before, between) for seat in seats}
        yield [_line(scene, seat, brief, [*counts[seat], *known[seat]]) for seat in seats]


def _line(scene: Scene, seat: Seat, brief: bool, known: Parts) -> PlayerLine:
    return PlayerLine(seat, scene.name(seat), status(scene, seat, brief), known)


def _slot_counts(scene: Scene, seat: Seat, before: str, between: str) -> Parts:
    """Return the number of orders in each slot and the upgrades, with a label before each."""
    lines = scene.player(seat).orders
    *slots, last = [f"{slot}:{len(lines[slot - 1])}" for slot in range(1, SLOTS + 1)]
    expires = lines[-1] and scene.is_expiring(seat, SLOTS)
    return [
        ("class:label", before),
        ("class:count", " ".join(slots) + " "),
        ("class:penalty" if expires else "class:count", last),
        ("class:label", between),
        ("class:upgrade", upgrade_boxes(scene, seat)),
    ]


def _emote(canvas: Canvas, scene: Scene, seat: Seat, counts: Area, columns: int) -> None:
    """Draw what a player says, for a moment, over the counts."""
    canvas.marks[f"counts{seat}"] = counts
    if text := emote_of(scene, seat):
        canvas.put(counts.x, counts.y, pad(f" {text} ", counts.columns), "class:said", columns)


def _name(canvas: Canvas, scene: Scene, line: PlayerLine, place: Area) -> int:
    """Draw turn mark, letter, name and status, these in `place.columns`; return the end's x."""
    turn = glyphs.POINTER if scene.view.active == line.seat else " "
    x = canvas.put(place.x, place.y, turn, "class:turn")
    x = canvas.put(x, place.y, scene.letter(line.seat), seat_style(scene.seats, line.seat))
    name = cut(line.name, max(place.columns - width(line.note), 1)) + line.note
    x = canvas.put(x + 1, place.y, pad(name, place.columns), "class:name")
    canvas.marks[f"seat{line.seat}"] = Area(place.x + 1, place.y, x - place.x - 1, 1)
    return x


def count_wordings(scene: Scene) -> list[list[Parts]]:
    """Return all players' score, completed orders, penalties and rush tokens, in columns.

    The longest wording comes first, the marks last; there are words only on a wide screen.
    """
    seats = range(len(scene.view.players))
    words = [
        _in_columns([_word_counts(scene, seat, brief) for seat in seats])
        for brief in _BRIEF
        if is_wordy(scene)
    ]
    return [*words, [_mark_counts(scene, seat) for seat in seats]]


def _word_counts(scene: Scene, seat: Seat, brief: bool) -> Parts:
    score = ("class:score", f"{scene.player(seat).score:>3}  ")
    return [score, *counts_words(scene, seat, brief=brief)]


def _mark_counts(scene: Scene, seat: Seat) -> Parts:
    player = scene.player(seat)
    return [
        ("class:score", f"{player.score:>3} "),
        ("class:count", f" {glyphs.SERVED}{player.completed:<3}"),
        ("class:penalty", f"{penalties_mark(player.penalties):<5}"),
        ("class:rush", f"{glyphs.RUSH}{player.rush:<2}"),
    ]


def _in_columns(rows: list[Parts]) -> list[Parts]:
    """Pad fragments so that those below each other have the same width."""
    columns = [widest([part] for part in column) for column in zip(*rows, strict=True)]
    return [
        [(style, pad(text, cells)) for (style, text), cells in zip(row, columns, strict=True)]
        for row in rows
    ]


# One block per player


def draw_blocks(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the other players below each other, with their orders by name."""
    seats, columns = scene.others, area.columns - 3
    canvas.zone(area.x, area.y, area.columns, area.rows, Target("pane", "others"))
    forms = (_slot_lines, _packed, _flowing)
    wordings = (
        [form(scene, seat, columns) for seat in seats]
        for form in ((_recipes, *forms) if scene.ui.size[0] >= BIG else forms)
    )
    known = fit(wordings, area.rows - len(seats), lambda known: sum(map(len, known)))
    heads = fit(
        _head_wordings(scene),
        area.columns - BLOCK_EDGE,
        lambda heads: _most(heads) + widest(head.known for head in heads),
    )
    y = area.y
    shares = _shares([1 + len(lines) for lines in known], area.rows)
    for head, lines, rows in zip(heads, known, shares, strict=True):
        _block(canvas, scene, head, lines, Area(area.x, y, area.columns, rows))
        y += rows


def _shares(needs: list[int], rows: int) -> list[int]:
    """Split `rows` evenly, but do not give anybody more than they need while others need more."""
    shares = [0] * len(needs)
    for _row in range(rows):
        least = min(
            range(len(needs)), key=lambda index: (shares[index] >= needs[index], shares[index])
        )
        shares[least] += 1
    return shares


def _head_wordings(scene: Scene) -> Iterator[list[PlayerLine]]:
    """Yield the first lines of the blocks, the longest wording first."""
    *words, marks = count_wordings(scene)
    boxes = [("class:upgrade", f" {upgrade_boxes(scene, seat)} ") for seat in scene.others]
    for brief, counts in (*product(_BRIEF, words), (False, marks)):
        yield [
            _line(scene, seat, brief, [*counts[seat], box])
            for seat, box in zip(scene.others, boxes, strict=True)
        ]


def _block(canvas: Canvas, scene: Scene, head: PlayerLine, lines: list[Parts], area: Area) -> None:
    canvas.rule(area.x, area.y, area.columns)
    seat, name, note, known = head
    x = area.x + area.columns - size(known) - 1
    canvas.puts(x, area.y, known)
    _emote(canvas, scene, seat, Area(x, area.y, size(known), 1), size(known))
    room = x - area.x - 6
    active = scene.view.active == seat
    mark = glyphs.POINTER if active else " "
    name = cut(name, max(room - width(note), 1)) + note
    title: Parts = [
        ("class:turn", mark),
        (seat_style(scene.seats, seat), scene.letter(seat)),
        ("class:turn" if active else "class:name", f" {name} "),
    ]
    x = canvas.puts(area.x + 1, area.y, title, room + 4)
    canvas.marks[f"seat{seat}"] = Area(area.x + 2, area.y, x - area.x - 2, 1)
    _known(canvas, lines, Area(area.x + 2, area.y + 1, area.columns - 3, area.rows - 1))


def _known(canvas: Canvas, lines: list[Parts], area: Area) -> None:
    """Draw orders and upgrades, or how many more lines there are."""
    fitting = len(lines) if len(lines) <= area.rows else area.rows - 1
    for offset, parts in enumerate(lines[:fitting]):
        canvas.puts(area.x, area.y + offset, parts, area.columns)
    if fitting < len(lines):
        left = len(lines) - fitting
        more = ngettext("{count} more line", "{count} more lines", left).format(count=left)
        canvas.put(area.x, area.y + fitting, more, "class:dim", area.columns)


def _slots(scene: Scene, seat: Seat) -> Parts:
    """Return the orders of each slot, most urgent first, and the active upgrades."""
    slots = [(_slot_style(line), line) for line in order_names(scene, seat)]
    active = upgrades_line(scene, seat)
    return [*slots, ("class:upgrade", f"{glyphs.ACTIVE}  {active}")] if active else slots


def _slot_style(line: str) -> str:
    return "class:penalty" if line.startswith(f"{SLOTS}!") else ""


def _slot_lines(scene: Scene, seat: Seat, columns: int) -> list[Parts]:
    """Return one line per slot, wrapped if too long."""
    return [
        [(style, part)]
        for style, line in _slots(scene, seat)
        for part in wrap(line, columns, "   ")
    ]


def _recipes(scene: Scene, seat: Seat, columns: int) -> list[Parts]:
    """Return the orders with their recipes, as many as fit on each line; a line has one slot."""
    lines: list[Parts] = []
    for slot in range(SLOTS, 0, -1):
        line: Parts = []
        last = scene.is_expiring(seat, slot)
        for drink in scene.player(seat).orders[slot - 1]:
            order = _order(scene, drink)
            if line and size(line) + 3 + size(order) > columns:
                lines.append(line)
                line = []
            mark = f"{slot}{'!' if last else ' '} " if not line else "   "
            style = "class:urgent" if last else "class:label"
            line += [(style, mark), *order]
        lines += [line] if line else []
    active = upgrades_line(scene, seat)
    return lines + ([[("class:upgrade", f"{glyphs.ACTIVE}  {active}")]] if active else [])


def _order(scene: Scene, drink: DrinkIndex) -> Parts:
    """Return an order's drink and recipe."""
    recipe = chips(kinds_of(menu_drink(scene.model, drink).recipe))
    return [("class:name", drink_name(scene.model, drink)), ("", " "), *recipe]


def _packed(scene: Scene, seat: Seat, columns: int) -> list[Parts]:
    """Return the slots next to each other, as many as fit on each line."""
    lines: list[Parts] = []
    for style, line in _slots(scene, seat):
        text = " ".join(line.split())
        if lines and size(lines[-1]) + 3 + width(text) <= columns:
            lines[-1] += [("", "   "), (style, text)]
        else:
            lines += [[(style, part)] for part in wrap(text, columns, "   ")]
    return lines


def _flowing(scene: Scene, seat: Seat, columns: int) -> list[Parts]:
    """Return the slots as running text; which upgrades are active is left to the boxes."""
    lines: list[Parts] = [[]]
    for line in order_names(scene, seat):
        gap, style = "  ", _slot_style(line)
        slot, first, *words = line.split()
        for word in (f"{slot} {first}", *words):
            if lines[-1] and size(lines[-1]) + len(gap) + width(word) > columns:
                lines.append([])
            lines[-1] += [("", gap if lines[-1] else ""), (style, word)]
            gap = " "
    return lines


def watched_lines(scene: Scene, columns: int) -> list[Parts]:
    """Return all players with their orders as recipes, for a spectator with little room."""
    lines: list[Parts] = []
    for seat in scene.others:
        name = cut(scene.name(seat), columns - width(summary(scene, seat)) - MARK_CELLS)
        lines.append(
            [
                (seat_style(scene.seats, seat), scene.letter(seat)),
                ("class:name", f" {name} "),
                ("", summary(scene, seat).strip()),
            ]
        )
        pieces: list[Parts] = []
        for slot in range(SLOTS, 0, -1):
            for drink in scene.player(seat).orders[slot - 1]:
                style = "class:urgent" if slot == SLOTS else "class:label"
                mark = f"{slot}!" if slot == SLOTS else f"{slot} "
                recipe = chips(kinds_of(menu_drink(scene.model, drink).recipe))
                pieces.append([(style, mark), *recipe])
        if active := upgrades_line(scene, seat):
            pieces.append([("class:upgrade", f"{glyphs.ACTIVE} {active}")])
        lines += _in_lines(pieces, columns)
    return lines


def _in_lines(pieces: list[Parts], columns: int) -> list[Parts]:
    """Return indented lines with as many pieces as fit on each."""
    lines: list[Parts] = []
    for piece in pieces:
        if lines and size(lines[-1]) + 1 + size(piece) <= columns:
            lines[-1] += [("", " "), *piece]
        else:
            lines.append([("", " "), *piece])
    return lines


def upgrades_line(scene: Scene, seat: Seat) -> str:
    """Return the names of a seat's active upgrades."""
    active = scene.player(seat).upgrades
    return item_list(upgrade_name(upgrade) for upgrade in Upgrade if active[upgrade])


def everybody(scene: Scene) -> list[str]:
    """Return the public part of each player in lines for a pane, next to play first."""
    found, short = [], kind_of(*scene.ui.size) == "narrow"
    for seat in [*scene.others, *([] if scene.me is None else [scene.me])]:
        narrow = short and not scene.seats[seat].away
        name = f"{scene.letter(seat)} {scene.name(seat)}" if narrow else title(scene, seat)
        known = summary(scene, seat)
        if is_wordy(scene):
            known = "".join(text for _style, text in count_wordings(scene)[0][seat]).strip()
        parts = [name, known, upgrades_line(scene, seat)]
        if narrow:
            parts = [f"{name} {parts[1].strip()}", parts[2]]
        found.append("  ".join(part for part in parts if part))
        found += [line if short else f"   {line}" for line in order_names(scene, seat)]
    return found
