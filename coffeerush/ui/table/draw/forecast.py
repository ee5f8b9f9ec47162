"""What falls when the own turn ends and what came since the one before, in few words and fewer."""

from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Canvas, Fragment, size, width
from coffeerush.ui.words.i18n import _, ngettext
from protocol import PENALTIES_TO_CLOSE


def draw_fall(canvas: Canvas, scene: Scene, end: int, y: int, room: int) -> None:
    """Write what falls, in the longest words that fit, so that it ends at a column."""
    style, lines = _falls(scene)
    line = next(one for one in [*lines, ""] if width(one) + 2 <= room)
    if line:
        canvas.put(end - width(line) - 2, y, f" {line} ", style)


def draw_sent(canvas: Canvas, scene: Scene, x: int, y: int, room: int) -> None:
    """Write who sent orders, in words or in marks."""
    line = next(one for one in [*_sent(scene), ""] if width(one) + 2 <= room)
    if line:
        canvas.put(x, y, f" {line} ", "class:fresh")


def forecast_parts(scene: Scene, columns: int, falls: bool) -> list[Fragment]:
    """Return who sent orders and, if wanted, what falls: what falls is the last to be left out."""
    if scene.me is None or scene.setting_up:
        return []
    style, lines = _falls(scene) if falls else ("", [""])
    tries = [(fall, new) for new in _sent(scene) for fall in lines] + [(one, "") for one in lines]
    for fall, new in tries:
        gap = "   " if fall and new else ""
        parts = [(style, fall), ("", gap), ("class:fresh", new)]
        if size(parts) <= columns:
            return parts
    return []


def _falls(scene: Scene) -> tuple[str, list[str]]:
    """Return the style and the words, longest first, of what the end of the turn brings."""
    if scene.setting_up:
        return "", []
    player = scene.player(scene.me or 0)
    count = len(player.orders[-1])
    if not count:
        return "class:dim", [_("nothing falls when your turn ends"), _("nothing falls")]
    texts = [
        ngettext(
            "{count} falls when your turn ends: {mark}{penalties} of {most}",
            "{count} fall when your turn ends: {mark}{penalties} of {most}",
            count,
        ),
        ngettext(
            "{count} falls: {mark}{penalties} of {most}",
            "{count} fall: {mark}{penalties} of {most}",
            count,
        ),
    ]
    numbers = {"count": count, "penalties": player.penalties + count, "most": PENALTIES_TO_CLOSE}
    lines = [text.format(mark=glyphs.PENALTY, **numbers) for text in texts]
    marks = f"{count}{glyphs.POINTER}{glyphs.PENALTY}{numbers['penalties']}/{PENALTIES_TO_CLOSE}"
    return "class:urgent", [*lines, marks]


def _sent(scene: Scene) -> list[str]:
    """Return who sent how many orders since the own last turn, in words and in marks."""
    seats = [one.seat for one in scene.sent]
    counts = {seat: seats.count(seat) for seat in seats}
    if not counts:
        return [""]
    senders = _(", ").join(
        ngettext("{count} from {name}", "{count} from {name}", count).format(
            count=count, name=scene.name(seat)
        )
        for seat, count in counts.items()
    )
    marks = " ".join(f"+{count}{scene.letter(seat)}" for seat, count in counts.items())
    return [_("New orders: {senders}").format(senders=senders), marks]
