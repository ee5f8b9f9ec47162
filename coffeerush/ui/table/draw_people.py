"""The other players: one line each or, if there is room, blocks with orders by name."""

from collections.abc import Container, Iterator
from itertools import product
from typing import Final

from msgspec.structs import replace

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
    width,
    wrap,
)
from coffeerush.ui.words.events import LatestTurn, drink_list, latest_turns
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import (
    bot_mark,
    bot_word,
    drink_name,
    emote_text,
    item_list,
    level_mark,
    menu_drink,
    orders,
    seat_style,
    upgrade_name,
)
from protocol import NAME_CELLS, NOTHING, SLOTS, DrinkIndex, Seat, Upgrade

from .draw_hand import (
    BARRED_COLUMNS,
    LONG_BAR,
    SHORT_BAR,
    order_names,
    slot_texts,
    standing_parts,
    summary,
    tokens_parts,
    upgrades_in,
)
from .scene import Scene
from .state import BIG, MIDDLE

LEAST_TAKEN: Final = 8
"""The cells of the three tokens of a turn without rush tokens or upgrades."""
MARK_CELLS: Final = 3
"""Cells before a name: the turn mark and the letter."""
GAP: Final = 2
"""Cells between a name and what is known."""
_INDENT: Final = "   "
"""Before a player's orders in a pane."""
_BRIEF: Final = (False, True)


def title(scene: Scene, seat: Seat, brief: bool = False) -> str:
    """Return a seat's letter, name and status; if `brief`, a bot's without its level."""
    return f"{scene.letter(seat)} {scene.name(seat)}{status(scene, seat, brief)}"


def status(scene: Scene, seat: Seat, brief: bool = False) -> str:
    """Return " away", the level of a bot as in " (Expert)", if `brief` only " (bot)", or ""."""
    person = scene.players[seat]
    if person.away:
        return " " + pgettext("person", "away")
    return bot_mark(person) if brief else level_mark(person)


def emote_of(scene: Scene, seat: Seat) -> str:
    """Return the emote that is shown at a seat; empty if there is none."""
    name, now = scene.seats[seat].name, scene.ui.now
    shown = (emote for emote in scene.ui.emotes if emote.name == name and emote.until > now)
    return next((emote_text(emote.emote) for emote in shown), "")


def emote_parts(scene: Scene, marks: Container[str] = ()) -> Parts:
    """Return the newest emote of a player whose seat is not among the marks of the screen."""
    return next(_emote_wordings(scene, marks), [])


SPOKEN: Final = "spoken"
"""The mark of the place of an emote in the line of the hand."""


OWN_SPOKEN: Final = "own spoken"
"""The mark of the place of this person's own emote."""


def draw_spoken(canvas: Canvas, scene: Scene, line: Area) -> bool:
    """Draw the newest emote at the end of a line, if it has room for it; return whether it has."""
    for parts in _emote_wordings(scene, canvas.marks):
        if size(parts) < line.columns:
            x = line.x + line.columns - size(parts)
            canvas.marks[SPOKEN] = Area(x, line.y, size(parts), 1)
            canvas.puts(x, line.y, parts)
            return True
    return False


def _emote_wordings(scene: Scene, marks: Container[str]) -> Iterator[Parts]:
    """Yield the newest emote of a player who is not seen: with the name, then with the letter."""
    if scene.stage not in ("game", "result") or SPOKEN in marks:
        return
    narrow = kind_of(*scene.ui.size) == "narrow"
    for emote in reversed(scene.ui.emotes):
        for seat, sitting in enumerate(scene.seats):
            text = emote_of(scene, seat) if sitting.name == emote.name else ""
            seen = f"seat{seat}" in marks or (seat == scene.me and OWN_SPOKEN in marks)
            if text and not seen and (narrow or not emote.is_remark):
                yield [("class:said", f"<{emote.name}> {text}")]
                played = seat < len(scene.view.players)
                if played and scene.name(seat) == emote.name:  # others may sit there at a result
                    letter = seat_style(scene.seats, seat), scene.letter(seat)
                    yield [letter, ("class:said", f" {text}")]
                return


# One line per player


BAR_COLUMNS: Final = 100
"""Columns from which on these lines have a bar of the score."""


def draw_lines(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw one line per other player, in columns that stay where they are from turn to turn."""
    cells = LONG_BAR if area.columns >= BAR_COLUMNS else 0
    known = [_order_counts(scene, seat) for seat in scene.others]
    widths = [max(width(texts[at]) for texts in known) for at in (0, 1)]
    for y, seat in enumerate(scene.others[: area.rows], start=area.y):
        x = _name(canvas, scene, seat, Area(area.x, y, NAME_CELLS, 1)) + GAP
        end = canvas.puts(x, y, standing_parts(scene, seat, cells))
        canvas.marks[f"counts{seat}"] = Area(x, y, end - x, 1)
        end += 1
        for style, text, room in zip(("", "class:penalty"), known[y - area.y], widths, strict=True):
            end = canvas.put(end, y, pad(text, room), style) + GAP * bool(room)
        end -= GAP
        room = area.x + area.columns - end - GAP
        canvas.put(end + GAP, y, upgrades_in(scene, seat, room), "class:upgrade", room)
        _emote(canvas, scene, seat, Area(end + GAP - 1, y, room + 1, 1))
        canvas.marks[f"slots{seat}"] = Area(x, y, end - x, 1)
    rows = min(len(scene.others), area.rows)
    canvas.zone(area.x, area.y, area.columns, rows, Target("pane", "others"))


def _order_counts(scene: Scene, seat: Seat) -> tuple[str, str]:
    """Return the number of a player's open orders, and of those that expire next."""
    lines = scene.player(seat).orders
    last = len(lines[-1]) if scene.is_expiring(seat, SLOTS) else 0
    expiring = ngettext("{drinks} expires", "{drinks} expire", last).format(drinks=last)
    return orders(sum(map(len, lines))), expiring if last else ""


def _emote(canvas: Canvas, scene: Scene, seat: Seat, rest: Area) -> None:
    """Draw what a player says, for a moment: after the name, else at the end of their line.

    If it fits neither there, it is in place of the name: a turn needs the counts.
    """
    if not (said := emote_of(scene, seat)):
        return
    line = canvas.marks[f"seat{seat}"]
    name = replace(line, x=line.x + MARK_CELLS - 1, columns=line.columns - MARK_CELLS + 1)
    used = width(scene.name(seat))
    after = replace(name, x=name.x + used, columns=name.columns - used + GAP)
    texts = _("“{text}”").format(text=said), said
    for place, text in product((after, rest, name), texts):
        if width(text) + 2 <= place.columns:
            canvas.put(place.x, place.y, pad(f" {text} ", place.columns), "class:said")
            return


def _name(canvas: Canvas, scene: Scene, seat: Seat, place: Area) -> int:
    """Draw turn mark, letter, name and status, these in `place.columns`; return the end's x."""
    active = scene.view.active == seat
    x = canvas.put(place.x, place.y, glyphs.POINTER if active else " ", "class:turn")
    x = canvas.put(x, place.y, scene.letter(seat), seat_style(scene.seats, seat))
    style = "class:turn" if active else "class:name"
    name = pad(_name_with_status(scene, seat, place.columns), place.columns)
    x = canvas.put(x + 1, place.y, name, style)
    canvas.marks[f"seat{seat}"] = Area(place.x + 1, place.y, x - place.x - 1, 1)
    return x


def _name_with_status(scene: Scene, seat: Seat, cells: int) -> str:
    """Return a name and its status, which is shorter, or left out, before a name is cut."""
    name = scene.name(seat)
    notes = (*(status(scene, seat, brief) for brief in _BRIEF), "")
    if scene.players[seat].away:  # which has to be seen
        return cut(name, cells - width(notes[0])) + notes[0]
    return fit([name + note for note in notes], cells, width)


# What everybody did in their latest turn, where there is no chat yet


def draw_turns(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw what each other player took, served and let expire, spaced if there is room."""
    turns, seats = latest_turns(scene.model), scene.others
    taken = {seat: chips(kinds_of(turns[seat].taken)) if seat in turns else [] for seat in seats}
    names = max(width(scene.name(seat)) for seat in seats)
    tokens = max(LEAST_TAKEN, *map(size, taken.values()))
    by = 1 + (area.rows >= 2 * len(seats) - 1)
    for y, seat in zip(range(area.y, area.y + area.rows, by), seats, strict=False):
        x = canvas.put(area.x, y, scene.letter(seat), seat_style(scene.seats, seat)) + 1
        canvas.put(x, y, scene.name(seat), "class:name")
        x += names + GAP
        canvas.puts(x, y, taken[seat])
        x += tokens + GAP
        room = area.x + area.columns - x
        done = turns.get(seat, LatestTurn())
        canvas.puts(x, y, fit(_done_wordings(scene, done), room, size), room)
    canvas.zone(area.x, area.y, area.columns, area.rows, Target("pane", "others"))


def _done_wordings(scene: Scene, turn: LatestTurn) -> Iterator[Parts]:
    """Yield what was served and what expired: by name, the latter as a count, both as counts."""
    for named in ((True, True), (True, False), (False, False)):
        parts: Parts = []
        for style, mark, drinks, name in (
            ("class:serve", glyphs.SERVED, turn.served, named[0]),
            ("class:penalty", glyphs.PENALTY, turn.expired, named[1]),
        ):
            what = f" {drink_list(scene.model, drinks)}" if name else str(len(drinks))
            parts += [("", "  " * bool(parts)), (style, mark + what)] if drinks else []
        yield parts


# One block per player


def draw_blocks(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the other players below each other, with their orders by name."""
    seats, columns = scene.others, area.columns - 3
    canvas.zone(area.x, area.y, area.columns, area.rows, Target("pane", "others"))
    known = _known_in(scene, columns, area.rows - len(seats))
    y = area.y
    shares = _shares([1 + len(lines) for lines in known], area.rows)
    for seat, lines, rows in zip(seats, known, shares, strict=True):
        _block(canvas, scene, seat, lines, Area(area.x, y, area.columns, rows))
        y += rows


def _known_in(scene: Scene, columns: int, rows: int) -> list[list[Parts]]:
    """Return the others' orders in the roomiest form that fits; if none does, some as counts."""
    forms = (_slot_lines, _packed, _flowing)
    wordings = (
        [form(scene, seat, columns) for seat in scene.others]
        for form in ((_recipes, *forms) if scene.ui.size[0] >= BIG else forms)
    )
    known = fit(wordings, rows, lambda known: sum(map(len, known)))
    while sum(map(len, known)) > rows and max(map(len, known)) > 1:
        longest = max(range(len(known)), key=lambda index: len(known[index]))
        known[longest] = [_counted(scene, scene.others[longest], columns)]
    return known


def _shares(needs: list[int], rows: int) -> list[int]:
    """Split `rows` evenly, but do not give anybody more than they need while others need more."""
    shares = [0] * len(needs)
    for _row in range(rows):
        least = min(
            range(len(needs)), key=lambda index: (shares[index] >= needs[index], shares[index])
        )
        shares[least] += 1
    return shares


def _block(canvas: Canvas, scene: Scene, seat: Seat, lines: list[Parts], area: Area) -> None:
    """Draw a player's line, and their orders below it; columns stay where they are."""
    y, end = area.y, area.x + area.columns
    x = _name(canvas, scene, seat, Area(area.x, y, NAME_CELLS, 1)) + GAP
    # whole names and the boxes of upgrades come before the bar
    room = area.columns - (x - area.x) - size(standing_parts(scene, seat, 0)) - GAP - len(Upgrade)
    cells = next((cells for cells in (LONG_BAR, SHORT_BAR) if cells <= room), 0)
    at = canvas.puts(x, y, standing_parts(scene, seat, cells))
    word = upgrades_in(scene, seat, end - at - GAP)
    after = canvas.put(at + GAP - 1, y, word, "class:upgrade", end - at - GAP) + bool(word)
    canvas.marks[f"counts{seat}"] = Area(x, y, at - x, 1)
    _emote(canvas, scene, seat, Area(after, y, end - after, 1))
    _known(canvas, lines, Area(area.x + 2, y + 1, area.columns - 3, area.rows - 1))


def _known(canvas: Canvas, lines: list[Parts], area: Area) -> None:
    """Draw orders and upgrades, or how many more lines there are."""
    fitting = len(lines) if len(lines) <= area.rows else max(area.rows - 1, 0)
    for offset, parts in enumerate(lines[:fitting]):
        canvas.puts(area.x, area.y + offset, parts, area.columns)
    if fitting < len(lines) and area.rows:
        left = len(lines) - fitting
        more = ngettext("{count} more line", "{count} more lines", left).format(count=left)
        canvas.put(area.x, area.y + fitting, more, "class:dim", area.columns)


def _slots(scene: Scene, seat: Seat) -> Parts:
    """Return the orders of each slot, most urgent first."""
    return [(_slot_style(line), line) for line in order_names(scene, seat)]


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
    return lines


def _order(scene: Scene, drink: DrinkIndex) -> Parts:
    """Return an order's drink and recipe."""
    return [("class:name", drink_name(scene.model, drink)), ("", " "), *_needs(scene, drink)]


def _needs(scene: Scene, drink: DrinkIndex) -> Parts:
    """Return a recipe, of which nobody else knows what is in a cup."""
    return tokens_parts(NOTHING, menu_drink(scene.model, drink).recipe)


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
    """Return the slots as running text."""
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


def _counted(scene: Scene, seat: Seat, columns: int) -> Parts:
    """Return the slots in one line: the most urgent by name, if there is room, else a count."""
    lines = (" ".join(line.split()) for line in order_names(scene, seat))
    names = [(_slot_style(line), line) for line in lines]
    left = [len(drinks) for drinks in reversed(scene.player(seat).orders) if drinks]
    wordings: list[Parts] = [names]
    wordings += [
        [*names[:end], ("class:dim", _("{count} more").format(count=sum(left[end:])))]
        for end in range(len(names) - 1, 0, -1)
    ]
    wordings.append([("", text) for text in _order_counts(scene, seat) if text])
    known = fit(wordings, columns, lambda line: size(line) + 2 * len(line) - 2)
    return [part for group in known for part in (("", "  "), group)][1:]


def watched_lines(scene: Scene, columns: int) -> list[Parts]:
    """Return all players with their orders as recipes, for a spectator with little room."""
    lines: list[Parts] = []
    for seat in scene.others:
        known = summary(scene, seat)
        name = cut(scene.name(seat), columns - width(known) - MARK_CELLS)
        lines.append(
            [
                (seat_style(scene.seats, seat), scene.letter(seat)),
                ("class:name", f" {name} "),
                ("", known),
            ]
        )
        word = bot_word(scene.players[seat])
        pieces: list[Parts] = [[("class:label", word)]] if word else []
        for slot in range(SLOTS, 0, -1):
            for drink in scene.player(seat).orders[slot - 1]:
                style = "class:urgent" if slot == SLOTS else "class:label"
                mark = f"{slot}!" if slot == SLOTS else f"{slot} "
                pieces.append([(style, mark), *_needs(scene, drink)])
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
    """Return the public part of each player in lines for a pane, next to play first.

    Where a pane is broad but low, several slots share a line. Where each other player has a line
    above it with all else, it has their orders alone.
    """
    narrow = kind_of(*scene.ui.size) == "narrow"
    low = not narrow and scene.ui.size[0] < MIDDLE
    if low and scene.me is not None:
        return [f"{scene.letter(seat)}  {_in_a_row(scene, seat)}" for seat in scene.others]
    found: list[str] = []
    for seat in [*scene.others, *([] if scene.me is None else [scene.me])]:
        brief = narrow and not scene.seats[seat].away
        name = title(scene, seat, brief=brief)
        known = summary(scene, seat)
        if scene.ui.size[0] >= BARRED_COLUMNS:
            known = "".join(text for _style, text in standing_parts(scene, seat, LONG_BAR))
        parts = [name, known.rstrip(), upgrades_line(scene, seat)]
        if brief:
            parts = [f"{name} {parts[1].strip()}", parts[2]]
        found.append("  ".join(part for part in parts if part))
        lines = [_in_a_row(scene, seat)] if low else order_names(scene, seat)
        found += [_INDENT * (not narrow) + line for line in lines]
    return found


def _in_a_row(scene: Scene, seat: Seat) -> str:
    """Return a player's open orders, most urgent first, as one text."""
    return "  ".join(slot_texts(scene, seat))
