"""What frames every game: whose turn it is above, a message and the keys below."""

from coffeerush.client import words
from coffeerush.i18n import _, ngettext, pgettext
from protocol import PENALTIES_TO_CLOSE, Phase

from . import glyphs
from .canvas import Canvas, Fragment, size, width, wrap
from .draw_own import suggestion_parts, upgrade_boxes
from .footer import draw_keys, footer_items
from .forecast import forecast_parts
from .keys import Action
from .layout import kind_of
from .offers import offers_of, undo_label
from .scene import Scene

Parts = list[Fragment]


def draw_header(canvas: Canvas, scene: Scene) -> None:
    """Draw the line on top, in the longest words that fit."""
    canvas.fill(0, 0, canvas.columns, 1, "class:header")
    lefts, rights = _lefts(scene), _rights(scene)
    pairs = [(left, right) for right in rights for left in lefts]
    fitting = (pair for pair in pairs if size(pair[0]) + size(pair[1]) + 3 <= canvas.columns)
    # words are cut before numbers are left out
    left, right = next(fitting, (lefts[-1], rights[-1]))
    end = canvas.columns - 1 - size(right)
    canvas.puts(1, 0, left, end - 2)
    canvas.puts(end, 0, right)


def _lefts(scene: Scene) -> list[Parts]:
    turn = _turn(scene)
    if scene.setting_up:
        rounds = [_("setting up"), ""]
    else:
        rounds = [
            _("round {round}").format(round=scene.view.round),
            _("R{round}").format(round=scene.view.round),
        ]
    brand: Parts = [("class:header class:brand", _("Coffee Rush")), ("class:header", "  ")]
    long: Parts = [("class:header", rounds[0] + "  "), *turn]
    short: Parts = [("class:header", rounds[1] + " " if rounds[1] else ""), *turn]
    return [[*brand, *long], long, short, turn]


def _turn(scene: Scene) -> Parts:
    """Return whose turn it is and what they do, or what is wrong with the connection."""
    status = scene.model.status
    if status != "here":
        return [("class:warning", " " + words.status_line(scene.model) + " ")]
    clock = "" if scene.clock is None else f" {scene.clock // 60}:{scene.clock % 60:02}"
    if scene.bot_finishes:
        return [("class:header", f"{glyphs.POINTER} " + _("a bot finishes your turn"))]
    if scene.my_turn:
        text = _("YOUR TURN: {what}").format(what=_what_to_do(scene))
        return [("class:header class:turn", f"{glyphs.POINTER} {text}{clock}")]
    name = scene.name(scene.view.active or 0)
    what = words.phase_name(scene.view.phase)
    text = _("{name}: {what}").format(name=name, what=what)
    return [("class:header", f"{glyphs.POINTER} {text}{clock}")]


def _what_to_do(scene: Scene) -> str:
    match scene.view.phase:
        case Phase.PLACING:
            return pgettext("what to do", "place a meeple")
        case Phase.FILLING:
            return pgettext("what to do", "fill your cups")
        case Phase.POURING:
            return pgettext("what to do", "pour")
        case Phase.SERVING:
            return pgettext("what to do", "serve or end")
    left = scene.view.steps_left
    if left:
        return ngettext("{count} step left", "{count} steps left", left).format(count=left)
    rush = scene.player(scene.me or 0).rush
    return (
        _("each step {rush}1 now").format(rush=glyphs.RUSH)
        if rush
        else pgettext("what to do", "no step left")
    )


def _rights(scene: Scene) -> list[Parts]:
    """Return the own counts and the deck, longest first."""
    view = scene.view
    deck: Parts = [("class:header", "  " + _("deck {count}").format(count=view.deck))]
    if view.closed:
        deck = [("class:warning", "  " + _("LAST ROUND"))]
    if scene.me is None:
        return [[("class:header", _("looking on")), *deck], deck, []]
    me = scene.player(scene.me)
    counts: Parts = [
        ("class:header", f" {glyphs.SERVED}{me.completed} "),
        ("class:header class:rush", f"{glyphs.RUSH}{me.rush} "),
        ("class:header class:penalty", f"{glyphs.PENALTY}{me.penalties}/{PENALTIES_TO_CLOSE}"),
    ]
    score: Parts = [("class:header class:score", _("You {score}").format(score=me.score))]
    # where there are boxes, they stand over the cups
    narrow = kind_of(*scene.ui.size) == "narrow"
    upgrades = upgrade_boxes(scene, scene.me) if narrow else ""
    boxes: Parts = [("class:header class:upgrade", "  " + upgrades)] if narrow else []
    short: Parts = [("class:header class:score", str(me.score)), *counts]
    return [[*score, *counts, *boxes, *deck], [*score, *counts, *deck], [*short, *deck], short]


def draw_message(canvas: Canvas, scene: Scene, y: int) -> None:
    """Draw the line that speaks to the person: what is typed, asked, refused or suggested.

    A sentence that is longer takes the line above as well: it has to be read now.
    """
    parts, room = message_parts(scene), canvas.columns - 2
    if len(parts) > 1 or size(parts) <= room:
        canvas.puts(1, y, parts, room)
        return
    (style, text), *_none = parts
    first, *others = wrap(text, room, "")
    canvas.fill(0, y - 1, canvas.columns, 1)
    canvas.put(1, y - 1, first, style, room)
    canvas.put(1, y, " ".join(others), style, room)


def message_parts(scene: Scene) -> Parts:
    """Return the most important thing to say now."""
    ui = scene.ui
    if ui.mode in ("chat", "name"):
        label = _("Say:") if ui.mode == "chat" else _("New name:")
        room = max(canvas_room(ui.size[0]) - width(label), 8)
        return [("class:label", label + " "), ("class:draft", _tail(ui.draft, room) + glyphs.CARET)]
    if ui.asked:
        return [("class:ask", ui.note)]
    if ui.note:
        return [("class:refusal" if ui.refused else "class:note", ui.note)]
    if scene.stage != "game":
        return []
    kind, room = kind_of(*ui.size), ui.size[0] - 2
    if scene.suggestion:
        return suggestion_parts(scene, room)
    # where there are frames, they say what falls; in the widest, what came too
    return [] if kind == "wide" else forecast_parts(scene, room, falls=kind == "narrow")


def canvas_room(columns: int) -> int:
    """Return the cells that a typed line may take."""
    return columns - 5


def _tail(text: str, room: int) -> str:
    """Return the end of a text: what is being typed stays in sight."""
    if width(text) <= room:
        return text
    while width(text) > room - 1:
        text = text[1:]
    return glyphs.CUT + text


def draw_footer(canvas: Canvas, scene: Scene, y: int) -> None:
    """Draw the keys that do something now."""
    offers, caps = offers_of(scene), {Action.UNDO: undo_label(scene)}
    label = offers.get(Action.UNDO)
    if label and all(one.label != label for one in footer_items(offers, canvas.columns, caps)):
        # how many can be taken back stays where the words do not fit
        offers[Action.UNDO] = str(scene.undo + len(scene.aside))
    draw_keys(canvas, y, offers, caps)
