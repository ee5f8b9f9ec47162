"""Hand, supply, suggested pours, forecasts and other short summaries."""

from typing import Final

from coffeerush.ui.pages.pages import chips, spaced, tally, token_style
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Canvas, Fragment, Parts, kind_of, size, width
from coffeerush.ui.words.events import drink_list
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import ingredient_code, tokens
from protocol import (
    PENALTIES_TO_CLOSE,
    SLOTS,
    EmptyCup,
    Ingredient,
    Intent,
    Pour,
    ReturnRest,
    Seat,
    Serve,
)

WORDY_COLUMNS: Final = 100
"""Columns from which on counts are in words instead of marks."""


def draw_cards(canvas: Canvas, scene: Scene, x: int, y: int, columns: int) -> None:
    """Draw the line with the hand and the supply, which is left out if there is too little room."""
    for counted, dense in _FORMS:
        hand, supply = hand_parts(scene, counted), _supply(scene, dense)
        if size(hand) + 3 + size(supply) <= columns:
            canvas.puts(x + columns - size(supply), y, supply)
            if dense:
                canvas.put(x + columns - size(supply) - 2, y, glyphs.WALL, "class:frame")
            break
    else:
        hand = _hand_alone(scene, columns)
    canvas.puts(x, y, hand, columns)


_FORMS: Final = ((False, False), (False, True), (True, True))
"""(Whether the hand is counted, whether the supply is dense), longest first."""


def newest_room(scene: Scene, columns: int) -> int:
    """Return the number of cells that the hand's line has left if the supply does not fit."""
    for counted, dense in _FORMS:
        if size(hand_parts(scene, counted)) + 3 + size(_supply(scene, dense)) <= columns:
            return 0
    return max(columns - size(_hand_alone(scene, columns)) - 1, 0)


def _hand_alone(scene: Scene, columns: int) -> list[Fragment]:
    whole = hand_parts(scene)
    return whole if size(whole) <= columns else hand_parts(scene, True)


def _supply(scene: Scene, dense: bool) -> list[Fragment]:
    label: list[Fragment] = [] if dense else [("class:label", _("Supply") + " ")]
    rush = scene.view.rush_supply
    counts = tally(scene.view.supply, "" if dense else " ")
    return [*label, *counts, ("class:rush", f" {glyphs.RUSH}"), ("class:count", str(rush))]


def hand_parts(scene: Scene, counted: bool = False) -> list[Fragment]:
    """Return the hand; tokens that are set aside are in parentheses."""
    holder = scene.view.active
    text = _("In hand:")
    if holder is not None and not scene.my_turn:
        text = _("{letter} holds:").format(letter=scene.letter(holder))
    label = ("class:label", text + " ")
    hand = scene.hand
    if hand is None:
        return [label, ("class:dim", pgettext("hand", "being poured"))]
    if not any(hand):
        return [label, ("class:dim", pgettext("hand", "nothing"))]
    aside = list(scene.aside)
    kept = scene.to_pour
    parts = [label, *_next_marked(scene, _counted(kept) if counted else chips(kept))]
    if aside:
        back = pgettext("hand", "back")
        parts += [("class:dim", " ("), *chips(aside), ("class:dim", f" {back})")]
    return parts


def _next_marked(scene: Scene, held: Parts) -> Parts:
    """Mark the first token, if it is the one that a cup's key pours now."""
    if not (scene.can_pour and scene.to_pour):
        return held
    (style, text), *rest = held
    return [("class:cup", glyphs.POINTER), (f"{style} underline", text), *rest]


def _counted(kinds: list[Ingredient]) -> list[Fragment]:
    return spaced(
        [(token_style(kind), ingredient_code(kind)), ("class:count", str(kinds.count(kind)))]
        for kind in dict.fromkeys(kinds)
    )


def suggestion_parts(scene: Scene, columns: int) -> list[Fragment]:
    """Return the suggested pours, token by token, without what does not fit: label, wide gaps."""
    wishes = (*scene.suggestion, *scene.then_served)
    parts = [part for intent in wishes for part in _suggested(scene, intent)]
    label = ("class:label", _("Space pours:"))
    if size([label, *parts]) <= columns:
        return [label, *parts]
    narrow = [(style, text.replace("  ", " ")) for style, text in parts]
    return (parts if size(parts[1:]) <= columns else narrow)[1:]


def _suggested(scene: Scene, intent: Intent) -> list[Fragment]:
    match intent:
        case EmptyCup(cup=cup):
            return [("", "  "), ("class:note", pgettext("pour", "empty {cup}").format(cup=cup))]
        case Pour(ingredient=kind, cup=cup):
            chip = (token_style(kind), ingredient_code(kind))
            return [("", "  "), chip, ("class:note", f"{glyphs.TO}{cup}")]
        case ReturnRest():
            back = ("class:note", " " + pgettext("hand", "back"))
            return [("", "  "), *chips(scene.given_back), back]
        case Serve(cup=cup):
            return [("", "  "), ("class:serve", _("SERVE {cup}").format(cup=cup))]
    return []


def order_names(scene: Scene, seat: int) -> list[str]:
    """Return a player's open orders, one line per slot, most urgent first."""
    found = []
    for slot in range(SLOTS, 0, -1):
        drinks = scene.player(seat).orders[slot - 1]
        if drinks:
            mark = "!" if scene.is_expiring(seat, slot) else " "
            found.append(f"{slot}{mark} {drink_list(scene.model, drinks)}")
    return found or [_("no open orders")]


def summary(scene: Scene, seat: int) -> str:
    """Return a player's score, completed orders, penalties and rush tokens, in a few cells."""
    player = scene.player(seat)
    return (
        f"{player.score:>2} {glyphs.SERVED}{player.completed} "
        f"{glyphs.PENALTY}{player.penalties} {glyphs.RUSH}{player.rush}"
    )


def header_counts(scene: Scene) -> list[Parts]:
    """Return this player's counts and the deck for the header, longest wording first."""
    view = scene.view
    deck: Parts = [("class:header", "  " + _("deck {count}").format(count=view.deck))]
    if view.closed:
        deck = [("class:warning", "  " + _("LAST ROUND"))]
    if scene.me is None:
        return [[("class:header", _("watching")), *deck], deck, []]
    me = scene.player(scene.me)
    counts: Parts = [
        ("class:header", f" {glyphs.SERVED}{me.completed} "),
        ("class:header class:rush", f"{glyphs.RUSH}{me.rush} "),
        ("class:header class:penalty", penalties_mark(me.penalties)),
    ]
    score: Parts = [("class:header class:score", _("You {score}").format(score=me.score))]
    # other layouts have the upgrades above the cups
    narrow = kind_of(*scene.ui.size) == "narrow"
    upgrades = upgrade_boxes(scene, scene.me) if narrow else ""
    boxes: Parts = [("class:header class:upgrade", "  " + upgrades)] if narrow else []
    short: Parts = [("class:header class:score", str(me.score)), *counts]
    words: Parts = [
        *score,
        ("class:header", "   "),
        *counts_words(scene, scene.me, "class:header "),
    ]
    return [
        *([[*words, ("class:header", " "), *deck]] if is_wordy(scene) else []),
        [*score, *counts, *boxes, *deck],
        [*score, *counts, *deck],
        [*short, *deck],
        short,
        # completed orders are part of the score anyway
        [short[0], ("class:header", " "), *counts[1:]],
    ]


def counts_words(scene: Scene, seat: int, style: str = "", brief: bool = False) -> Parts:
    """Return a player's completed orders, penalties and rush tokens in words, for wide screens.

    If `brief`, the rush tokens have a mark.
    """
    player = scene.player(seat)
    done = _("completed {count}").format(count=player.completed)
    more = player.penalties > PENALTIES_TO_CLOSE
    penalties = _("penalties {count}") if more else _("penalties {count} of {most}")
    penalties = penalties.format(count=player.penalties, most=PENALTIES_TO_CLOSE)
    gap = " " * (2 if brief else 3)
    rush = f"{glyphs.RUSH}{player.rush}" if brief else tokens(player.rush)
    return [
        (f"{style}class:count", done),
        (f"{style}class:penalty", gap + penalties),
        (f"{style}class:rush", gap + rush),
    ]


def penalties_mark(count: int) -> str:
    """Return a count of penalties in a few cells, and until it is reached, how many close."""
    most = "" if count > PENALTIES_TO_CLOSE else f"/{PENALTIES_TO_CLOSE}"
    return f"{glyphs.PENALTY}{count}{most}"


def is_wordy(scene: Scene) -> bool:
    """Return whether the screen is wide enough for words instead of marks."""
    return scene.ui.size[0] >= WORDY_COLUMNS


def upgrade_boxes(scene: Scene, seat: int) -> str:
    """Return one box per upgrade, filled if active."""
    active = scene.player(seat).upgrades
    return "".join(glyphs.ACTIVE if one else glyphs.INACTIVE for one in active)


def draw_expiring(canvas: Canvas, scene: Scene, end: int, y: int, room: int) -> None:
    """Draw what expires, right-aligned at `end`, in the longest wording that fits."""
    style, lines = _expiring(scene)
    line = next(one for one in [*lines, ""] if width(one) + 2 <= room)
    if line:
        canvas.put(end - width(line) - 2, y, f" {line} ", style)


def draw_sent(canvas: Canvas, scene: Scene, x: int, y: int, room: int) -> None:
    """Draw who sent orders, in words or in marks."""
    line = next(one for one in [*_sent(scene), ""] if width(one) + 2 <= room)
    if line:
        canvas.put(x, y, f" {line} ", "class:note")


def forecast_parts(scene: Scene, columns: int, expiring: bool) -> list[Fragment]:
    """Return the senders of orders and, if `expiring`, the orders that expire, in longer words."""
    if scene.me is None or scene.setting_up:
        return []
    style, lines = _expiring(scene) if expiring else ("", [""])
    words, marks = lines[:_EXPIRING_WORDS], lines[_EXPIRING_WORDS:]
    tries = [(one, new) for part in (words, marks) for new in _sent(scene) for one in part]
    tries += [(one, "") for one in lines]
    for expire, new in tries:
        parts = [(style, expire), ("", "   " if expire and new else ""), ("class:note", new)]
        if size(parts) <= columns:
            return parts
    return []


_EXPIRING_WORDS: Final = 2
"""How many of the wordings of what expires are words; marks are the last."""


def _expiring(scene: Scene) -> tuple[str, list[str]]:
    """Return the style and wordings, longest first, of the orders that expire with the turn."""
    if scene.setting_up:
        return "", []
    me = scene.me or 0
    player = scene.player(me)
    if not scene.is_expiring(me, SLOTS):
        return "class:dim", [_("nothing expires any more"), _("nothing expires")]
    count = len(player.orders[-1])
    if not count:
        return "class:dim", [_("nothing expires when your turn ends"), _("nothing expires")]
    numbers = {"count": count, "penalties": player.penalties + count, "most": PENALTIES_TO_CLOSE}
    mark = pgettext("title of a column", "penalties") + " " if is_wordy(scene) else glyphs.PENALTY
    lines = [text.format(mark=mark, **numbers) for text in _expiring_texts(**numbers)]
    marks = f"{count}{glyphs.POINTER}{penalties_mark(numbers['penalties'])}"
    return "class:urgent", [*lines, marks]


def _expiring_texts(count: int, penalties: int, most: int) -> list[str]:
    """Return the wordings of what expires; penalties beyond the most are a count of nothing."""
    if penalties > most:
        return [
            ngettext(
                "{count} expires when your turn ends: {mark}{penalties}",
                "{count} expire when your turn ends: {mark}{penalties}",
                count,
            ),
            ngettext(
                "{count} expires: {mark}{penalties}",
                "{count} expire: {mark}{penalties}",
                count,
            ),
        ]
    return [
        ngettext(
            "{count} expires when your turn ends: {mark}{penalties} of {most}",
            "{count} expire when your turn ends: {mark}{penalties} of {most}",
            count,
        ),
        ngettext(
            "{count} expires: {mark}{penalties} of {most}",
            "{count} expire: {mark}{penalties} of {most}",
            count,
        ),
    ]


def _sent(scene: Scene) -> list[str]:
    """Return the numbers of orders by sender since this player's last turn, in words and marks."""
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
    marks = " ".join(f"{count}{sent_mark(scene, seat)}" for seat, count in counts.items())
    return [_("New orders: {senders}").format(senders=senders), marks]


def sent_mark(scene: Scene, seat: Seat) -> str:
    """Return the mark of orders that a seat has sent."""
    return f"{glyphs.FROM}{scene.letter(seat)}"
