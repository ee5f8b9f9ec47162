"""The other players: a line each, or a box with their open orders by name."""

from coffeerush.client import words
from coffeerush.i18n import _, ngettext
from protocol import SLOTS, Seat, Upgrade

from . import glyphs
from .canvas import Canvas, Fragment, cut, width, wrap
from .draw_own import order_names, summary, upgrade_boxes
from .layout import Area
from .scene import Scene


def title(scene: Scene, seat: Seat) -> str:
    """Return a seat's letter and name, with what is to be known of who sits there."""
    return f"{scene.letter(seat)} {scene.name(seat)}{status(scene, seat)}"


def status(scene: Scene, seat: Seat) -> str:
    """Return ` (bot)` or ` away`, or nothing."""
    person = scene.seats[seat]
    if person.away:
        return " " + _("away")
    return " " + _("(bot)") if person.status == "bot" else ""


def draw_lines(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw each other player as one line: score, tokens, counts of orders by slot, upgrades."""
    names = max(18, area.columns - 62)
    for line, seat in enumerate(scene.others[: area.rows]):
        y = area.y + line
        turn = glyphs.POINTER if scene.view.active == seat else " "
        x = canvas.put(area.x, y, turn, "class:turn")
        x = canvas.put(x, y, scene.letter(seat), "class:meeple")
        note = status(scene, seat)
        name = cut(scene.name(seat), names - width(note)) + note
        canvas.put(x + 1, y, name, "class:name")
        x = canvas.puts(x + 2 + names, y, _summary(scene, seat))
        canvas.puts(x + 1, y, _counts(scene, seat), area.columns - x - 1)


def _counts(scene: Scene, seat: Seat) -> list[Fragment]:
    orders = scene.player(seat).orders
    slots = " ".join(f"{slot}:{len(orders[slot - 1])}" for slot in range(1, SLOTS + 1))
    return [
        ("class:label", _("orders") + " "),
        ("class:count", slots),
        ("class:label", "  " + _("upgrades") + " "),
        ("class:upgrade", upgrade_boxes(scene, seat)),
    ]


def _summary(scene: Scene, seat: Seat) -> list[Fragment]:
    player = scene.player(seat)
    return [
        ("class:score", f"{player.score:>3} "),
        ("class:count", f" {glyphs.SERVED}{player.completed:<3}"),
        ("class:penalty", f"{glyphs.PENALTY}{player.penalties:<3}"),
        ("class:rush", f"{glyphs.RUSH}{player.rush:<2}"),
    ]


def draw_boxes(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the other players side by side, each with its orders by name."""
    seats = scene.others
    columns = area.columns // len(seats)
    for index, seat in enumerate(seats):
        x = area.x + index * columns
        last = index == len(seats) - 1
        wide = area.columns - index * columns if last else columns
        canvas.box(x, area.y, wide, area.rows, title(scene, seat))
        if scene.view.active == seat:
            canvas.put(x + 1, area.y, glyphs.POINTER, "class:turn")
        draw_person(canvas, scene, seat, Area(x + 2, area.y + 1, wide - 4, area.rows - 2))


def draw_person(canvas: Canvas, scene: Scene, seat: Seat, area: Area) -> None:
    """Draw all that is known of a seat: its tokens, upgrades by name, orders by slot."""
    canvas.puts(area.x, area.y, _summary(scene, seat), area.columns)
    lines = [line for one in order_names(scene, seat) for line in wrap(one, area.columns, "   ")]
    active = upgrades_line(scene, seat)
    lines = ([active] if active else []) + lines
    fitting = len(lines) if len(lines) < area.rows else area.rows - 2
    for offset, text in enumerate(lines[:fitting], start=1):
        urgent = text.startswith(f"{SLOTS}!")
        canvas.put(area.x, area.y + offset, text, "class:urgent" if urgent else "", area.columns)
    if fitting < len(lines):
        left = len(lines) - fitting
        more = ngettext("{count} line more", "{count} lines more", left).format(count=left)
        canvas.put(area.x, area.y + area.rows - 1, more, "class:dim", area.columns)


def upgrades_line(scene: Scene, seat: Seat) -> str:
    """Return the names of a seat's active upgrades."""
    active = scene.player(seat).upgrades
    return words.item_list(words.upgrade_name(one) for one in Upgrade if active[one])


def everybody(scene: Scene) -> list[str]:
    """Return lines with all that is known of the other players, for a pane."""
    found = []
    for seat in scene.others:
        parts = [title(scene, seat), summary(scene, seat), upgrades_line(scene, seat)]
        found.append("  ".join(part for part in parts if part))
        found += [f"   {line}" for line in order_names(scene, seat)]
    return found
