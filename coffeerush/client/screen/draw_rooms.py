"""The screens around a game: joining, the lobby, the result, a terminal that is too small."""

from coffeerush.client import words
from coffeerush.i18n import _, ngettext
from protocol import SeatView

from . import glyphs
from .canvas import Canvas, Fragment, pad, wrap
from .draw_panes import draw_pane, pane_title
from .draw_people import title, upgrades_line
from .layout import NARROW, Area
from .scene import Scene


def draw_tiny(canvas: Canvas) -> None:
    """Say what a terminal needs, in one line; the game goes on."""
    text = _("Too small: {columns}x{rows} needed; enlarge, or q and play with --plain.")
    line = text.format(columns=NARROW[0], rows=NARROW[1])
    for y, part in enumerate(wrap(line, canvas.columns, "")[: canvas.rows]):
        canvas.put(0, y, part, "class:warning")


def draw_joining(canvas: Canvas, scene: Scene) -> None:
    """Draw what there is before the table is known: how it stands with the host."""
    y = max(canvas.rows // 2 - 2, 0)
    canvas.put(2, y, "Coffee Rush", "class:brand")
    style = "class:warning" if scene.model.status == "over" else ""
    text = words.status_line(scene.model)
    for offset, line in enumerate(wrap(text, canvas.columns - 4, ""), start=2):
        canvas.put(2, y + offset, line, style)


def draw_lobby(canvas: Canvas, scene: Scene, addresses: tuple[str, ...]) -> None:
    """Draw the seats and who is ready, how others come in, and what was said."""
    table = scene.table
    y = _head(canvas, scene, _("Table “{name}”").format(name=table.name))
    for number, seat in enumerate(table.seats):
        y = _seat(canvas, scene, y, number, seat)
    y += canvas.rows >= 18
    for line in _lobby_lines(scene, addresses):
        for part in wrap(line, canvas.columns - 4):
            y = _line(canvas, y, part)
    _log(canvas, scene, y + (canvas.rows >= 18))


def _head(canvas: Canvas, scene: Scene, text: str) -> int:
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    x = canvas.put(1, 0, "Coffee Rush", "class:header class:brand")
    canvas.put(x + 2, 0, text, "class:header")
    if scene.model.status != "here":
        warning = f" {words.status_line(scene.model)} "
        canvas.put(2, 1, warning, "class:warning", canvas.columns - 4)
    return 2


def _line(canvas: Canvas, y: int, text: str, style: str = "") -> int:
    if y < canvas.rows - 2:
        canvas.put(2, y, text, style, canvas.columns - 4)
    return y + 1


def _seat(canvas: Canvas, scene: Scene, y: int, number: int, seat: SeatView) -> int:
    names = 26 if canvas.columns >= 60 else 16
    x = canvas.put(2, y, f"{number + 1} ", "class:label")
    if seat.status == "open":
        canvas.put(x, y, _("open seat"), "class:dim")
        return y + 1
    x = canvas.put(x, y, pad(seat.name, names), "class:name")
    mark = f"{glyphs.SERVED} " if seat.ready or seat.status == "bot" else f"{glyphs.DOT} "
    x = canvas.put(x + 1, y, mark, "class:serve" if seat.ready else "class:dim")
    canvas.put(x, y, ", ".join(_about(scene, number, seat)), "class:note")
    return y + 1


def _about(scene: Scene, number: int, seat: SeatView) -> list[str]:
    about = [_("you")] if number == scene.me else []
    if number == scene.table.owner:
        about.append(_("owner"))
    if seat.status == "bot":
        about.append(_("bot {kind}").format(kind=seat.bot))
    elif seat.away:
        about.append(_("away"))
    else:
        about.append(_("ready") if seat.ready else _("not ready"))
    return about


def _lobby_lines(scene: Scene, addresses: tuple[str, ...]) -> list[str]:
    table = scene.table
    join = _("Others join with: coffeerush join {address}")
    found = [join.format(address=address) for address in addresses]
    if table.starters:
        found.append(_("Starter orders: each player begins with one of the four easy orders."))
    if table.turn_seconds:
        seconds = table.turn_seconds
        text = ngettext("A turn takes {count} second.", "A turn takes {count} seconds.", seconds)
        found.append(text.format(count=seconds))
    if table.spectators:
        found.append(_("Looking on: {names}").format(names=words.item_list(table.spectators)))
    if table.owner is None:
        found.append(_("The game begins when every seat is taken and everybody is ready."))
    elif not scene.model.owner:
        owner = scene.name(table.owner)
        found.append(_("{name} starts the game.").format(name=owner))
    return found


def _log(canvas: Canvas, scene: Scene, y: int) -> None:
    """Draw the log in what is left."""
    rows = canvas.rows - 2 - y - 1
    if rows < 1:
        return
    canvas.rule(0, y, canvas.columns, pane_title("log"))
    draw_pane(canvas, scene, Area(2, y + 1, canvas.columns - 2, rows), "log")


def draw_result(canvas: Canvas, scene: Scene) -> None:
    """Draw the standings, with what they are made of (R-END-2, R-END-3)."""
    y = _head(canvas, scene, _("The result"))
    y = _line(canvas, y, _winners(scene), "class:serve") + (canvas.rows >= 16)
    names = 26 if canvas.columns >= 60 else 14
    for standing in scene.view.standings:
        seat = standing.seat
        style = "class:mine" if seat == scene.me else ""
        x = canvas.put(2, y, f"{standing.rank}. ", "class:label")
        x = canvas.put(x, y, pad(title(scene, seat), names), style or "class:name")
        canvas.puts(x, y, _score(scene, seat), canvas.columns - x - 1)
        y += 1
        upgrades = upgrades_line(scene, seat)
        if upgrades and canvas.rows >= 20:
            y = _line(canvas, y, "   " + upgrades, "class:dim")
    if canvas.rows >= 16:
        y = _line(canvas, y + 1, _how_it_is_counted(), "class:dim")
    ready = [seat.name for seat in scene.seats if seat.ready and seat.status == "person"]
    if ready:
        text = _("Want a rematch: {names}").format(names=words.item_list(ready))
        y = _line(canvas, y + (canvas.rows >= 18), text, "class:note")
    _log(canvas, scene, y + (canvas.rows >= 16))


def _how_it_is_counted() -> str:
    """Return what the marks of the result are worth (R-END-2, R-END-3)."""
    text = _("{served} order +1  {active} upgrade +2  {penalty} penalty -1; ties: {served}, {rush}")
    return text.format(
        served=glyphs.SERVED,
        active=glyphs.ACTIVE,
        penalty=glyphs.PENALTY,
        rush=glyphs.RUSH,
    )


def _winners(scene: Scene) -> str:
    best = [one.seat for one in scene.view.standings if one.rank == 1]
    if best == [scene.me]:
        return _("You have won!")
    names = words.item_list(scene.name(seat) for seat in best)
    if len(best) > 1:
        return _("{names} share the victory.").format(names=names)
    return _("{names} has won.").format(names=names)


def _score(scene: Scene, seat: int) -> list[Fragment]:
    """Return the sum and its parts: orders +1, upgrades +2, penalties -1."""
    player = scene.player(seat)
    upgrades = sum(player.upgrades)
    return [
        ("class:score", f"{player.score:>3}  "),
        ("class:count", f"{glyphs.SERVED}{player.completed:<3} "),
        ("class:upgrade", f"{glyphs.ACTIVE}{upgrades} "),
        ("class:penalty", f"{glyphs.PENALTY}{player.penalties:<2} "),
        ("class:rush", f"{glyphs.RUSH}{player.rush}"),
    ]
