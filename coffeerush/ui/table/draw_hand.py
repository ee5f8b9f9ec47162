"""Draw what this player has: hand, cups, orders, and the belt of orders."""

from collections.abc import Iterator, Sequence
from itertools import groupby, product
from math import ceil
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.ui.advice.guide_signs import Sign
from coffeerush.ui.pages.pages import (
    chips,
    ink_style,
    kinds_of,
    more_line,
    spaced,
    tally,
    token_style,
)
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Fragment,
    Parts,
    Target,
    cut,
    fit,
    kind_of,
    pad,
    size,
    width,
)
from coffeerush.ui.terminal.parts import bar, window
from coffeerush.ui.words.events import drink_list
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import (
    drink_name,
    ingredient_code,
    ingredient_name,
    item_list,
    menu_drink,
    orders as order_count,
    seat_style,
    sentence_case,
    upgrade_word,
)
from protocol import (
    CUPS,
    PENALTIES_TO_CLOSE,
    RUSH_TOKENS,
    SLOTS,
    Counts,
    Cup,
    DrinkIndex,
    EmptyCup,
    Ingredient,
    Intent,
    Phase,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Slot,
    Upgrade,
)

from .scene import Scene

if TYPE_CHECKING:
    from coffeerush.ui.advice.advice import OpenOrder


BARRED_COLUMNS: Final = 100
"""Columns from which on the header has bars, and a forecast of penalties has a word for them."""
BAR_POINTS: Final = 12
"""The points that fill the bar of a score, unless somebody has more."""
LONG_BAR: Final = BAR_POINTS
"""The cells of a bar with one point per cell."""
SHORT_BAR: Final = BAR_POINTS // 2
"""The cells of a bar with two points per cell."""


def draw_cards(canvas: Canvas, scene: Scene, x: int, y: int, columns: int) -> None:
    """Draw the line with the hand and the supply, which is left out if there is too little room."""
    hand, supply = _cards(scene, columns)
    canvas.puts(x + columns - size(supply), y, supply)
    canvas.puts(x, y, hand, columns)


def newest_room(scene: Scene, columns: int) -> int:
    """Return the number of cells that the hand's line has left if the supply does not fit."""
    hand, supply = _cards(scene, columns)
    return 0 if supply else max(columns - size(hand) - 1, 0)


def _cards(scene: Scene, columns: int) -> tuple[Parts, Parts]:
    """Return the hand and the supply, with the gap before it, in the longest wording that fits."""
    return fit(_card_wordings(scene), columns, lambda both: sum(map(size, both)))


def _card_wordings(scene: Scene) -> Iterator[tuple[Parts, Parts]]:
    named, lettered = (
        [hand_parts(scene, counted, lettered) for counted in (False, True)]
        for lettered in (False, True)
    )
    supply = _supply(scene)
    yield from ((hand, supply) for hand in (*named, *lettered))
    # news shares the line of a narrow terminal
    alone = lettered if kind_of(*scene.ui.size) == "narrow" else (*named, *lettered)
    yield from ((hand, []) for hand in alone)


def _supply(scene: Scene) -> Parts:
    """Return the supply, in the same cells whatever is in hand."""
    label = ("class:label", "  " + _("Supply") + " ")
    count = ("class:count", pad(str(scene.view.rush_supply), len(str(RUSH_TOKENS))))
    rush = met(scene, "rush", [("class:rush", f" {glyphs.RUSH}"), count])
    return met(scene, "supply", [label, *tally(scene.view.supply), *rush])


def met(scene: Scene, sign: Sign, parts: Parts) -> Parts:
    """Return the parts of a sign, or as many blanks until a guided game shows it."""
    if sign in scene.signs:
        return parts
    return [(style if "header" in style else "", " " * width(text)) for style, text in parts]


def hand_parts(scene: Scene, counted: bool = False, lettered: bool = False) -> list[Fragment]:
    """Return the hand, and whose it is; tokens that are set aside are in parentheses.

    While meeples are placed, nobody has a hand yet.
    """
    holder = scene.view.active
    text = _("In hand:")
    if holder is not None and not scene.turn.is_mine:
        name = scene.letter(holder) if lettered else scene.name(holder)
        text = _("{name} holds:").format(name=name)
    label = ("class:label", text + " ")
    hand = scene.turn.hand
    if hand is None:
        return [label, ("class:dim", pgettext("hand", "being poured"))]
    if not any(hand):
        places = scene.view.phase is Phase.PLACING
        return [] if places else [label, ("class:dim", pgettext("hand", "nothing"))]
    aside = list(scene.turn.aside)
    kept = scene.turn.to_pour
    parts = [label, *_next_marked(scene, _counted(kept) if counted else chips(kept))]
    if aside:
        back = pgettext("hand", "back")
        parts += [("class:dim", " ("), *chips(aside), ("class:dim", f" {back})")]
    return parts


def _next_marked(scene: Scene, held: Parts) -> Parts:
    """Mark the first token, if it is the one that a cup's key pours now."""
    if not (scene.turn.can_pour and scene.turn.to_pour):
        return held
    (style, text), *rest = held
    return [("class:cup", glyphs.POINTER), (f"{style} underline", text), *rest]


def _counted(kinds: list[Ingredient]) -> list[Fragment]:
    return spaced(
        [(token_style(kind), ingredient_code(kind)), ("class:count", str(kinds.count(kind)))]
        for kind in dict.fromkeys(kinds)
    )


def suggestion_parts(scene: Scene, columns: int) -> list[Fragment]:
    """Return the suggested pours and serves, in the longest wording that fits.

    With room, drinks are named, and so are the orders that expire if nothing more is served; and
    it is said why not one that expires sooner is.
    """
    return fit(_suggestion_wordings(scene), columns, size)


def _suggestion_wordings(scene: Scene) -> Iterator[Parts]:
    label = ("class:label", _("Space pours:"))
    pours = [part for intent in scene.suggestion for part in _suggested(scene, intent)]
    lost, expiring = _left_to_expire(scene), list[Fragment]()
    if lost:
        text = ngettext("{drinks} expires", "{drinks} expire", len(lost))
        named = text.format(drinks=item_list(drink_name(scene.model, drink) for drink in lost))
        expiring = [("", "  "), ("class:urgent", f" {named} ")]
    if scene.why_not_sooner:
        why = [("", "  "), ("class:dim", scene.why_not_sooner)]
        yield [label, *pours, *_then_served(scene), *expiring, *why]
    if lost:
        yield [label, *pours, *_then_served(scene), *expiring]
    yield [label, *pours, *_then_served(scene)]
    yield [label, *pours, *_then_served(scene, cups=False)]
    yield [*pours, *_then_served(scene, cups=False)][1:]
    parts = [*pours, *_then_served(scene, names=False)]
    yield [label, *parts]
    yield parts[1:]
    yield [(style, text.replace("  ", " ")) for style, text in parts[1:]]


def _then_served(scene: Scene, cups: bool = True, names: bool = True) -> Parts:
    """Return the serves that follow the suggested pours: cups, names of their drinks, or both."""
    served = [
        f"{glyphs.SERVED}{serve.cup} " * cups + drink_name(scene.model, drink) * names
        for serve, drink in zip(scene.then_served, scene.then_drinks, strict=True)
        if isinstance(serve, Serve)
    ]
    if not served:
        return []
    drinks = item_list(served) if names else "".join(served).strip()
    text = _("{mark} SERVE {drink}").format(mark="", drink=drinks).strip()
    return [("", "  "), ("class:serve", text)]


def _left_to_expire(scene: Scene) -> list[DrinkIndex]:
    """Return the orders that expire with the turn if nothing but the suggestion is served."""
    if scene.me is None or scene.setting_up or not scene.is_expiring(scene.me, SLOTS):
        return []
    left = [*scene.player(scene.me).orders[SLOTS - 1]]
    for serve, drink in zip(scene.then_served, scene.then_drinks, strict=True):
        if isinstance(serve, Serve) and serve.slot == SLOTS:
            left.remove(drink)
    return left


def _suggested(scene: Scene, intent: Intent) -> list[Fragment]:
    match intent:
        case EmptyCup(cup=cup):
            return [("", "  "), ("class:note", pgettext("pour", "empty {cup}").format(cup=cup))]
        case Pour(ingredient=kind, cup=cup):
            chip = (token_style(kind), ingredient_code(kind))
            return [("", "  "), chip, ("class:note", f"{glyphs.TO}{cup}")]
        case ReturnRest():
            back = ("class:urgent", " " + pgettext("hand", "back"))
            return [("", "  "), *chips(scene.given_back), back]
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


def slot_texts(scene: Scene, seat: int) -> list[str]:
    """Return the same to be joined and wrapped: a slot's number stays beside its first name."""
    lines = (" ".join(line.split()) for line in order_names(scene, seat))
    return [line.replace(" ", "\N{NO-BREAK SPACE}", 1) for line in lines]


def summary(scene: Scene, seat: int) -> str:
    """Return a player's score, penalties and rush tokens, in a few cells."""
    player = scene.player(seat)
    return f"{player.score} {penalty_boxes(player.penalties)} {glyphs.RUSH}{player.rush}"


def penalty_boxes(count: int) -> str:
    """Return one box per penalty until the café closes; a number if there are more."""
    free = PENALTIES_TO_CLOSE - count
    return glyphs.PENALTY * count + glyphs.FREE * free if free >= 0 else f"{glyphs.PENALTY}{count}"


def penalty_parts(count: int) -> Parts:
    """Return these boxes in two styles, always in the same cells."""
    boxes = pad(penalty_boxes(count), PENALTIES_TO_CLOSE)
    free = glyphs.FREE * boxes.count(glyphs.FREE)
    return [("class:penalty", boxes.removesuffix(free)), ("class:dim", free)]


def score_parts(scene: Scene, seat: Seat, cells: int, under: str = "") -> Parts:
    """Return a player's score, and a bar of it in their colour.

    A cell is a whole number of points, for all players the same.
    """
    most = max(BAR_POINTS, *(player.score for player in scene.view.players))
    points = ceil(most / max(cells, 1))
    full, empty = bar(scene.player(seat).score // points, max(cells, 1), cells)
    return [
        (f"{under}class:score", f"{scene.player(seat).score:>2} "),
        (f"{under}{seat_style(scene.seats, seat)} nobold", full),
        (under, " " * len(empty)),
    ]


def standing_parts(scene: Scene, seat: Seat, cells: int) -> Parts:
    """Return a player's score with a bar of so many cells, penalties and rush tokens.

    They take the same cells in every turn, and for every player.
    """
    player = scene.player(seat)
    return [
        *score_parts(scene, seat, cells),
        ("", "  "),
        *met(scene, "penalties", penalty_parts(player.penalties)),
        *met(scene, "rush", [("class:rush", f"  {glyphs.RUSH}{player.rush:<2}")]),
    ]


def header_counts(scene: Scene) -> list[Parts]:
    """Return this player's counts and, with room, the deck for the header, longest wording first.

    In place of the deck is the last round.
    """
    deck, wide = _deck_parts(scene), scene.ui.size[0] >= BARRED_COLUMNS
    if scene.me is None and scene.ui.replayed:
        scores: Parts = []
        for seat, player in enumerate(scene.view.players):
            who = scene.name(seat) if wide else scene.letter(seat)
            scores += [
                ("class:header", f" {who} "),
                ("class:header class:score", str(player.score)),
            ]
        return [[*scores, *deck], scores, deck, []]
    if scene.me is None:
        return [[("class:header", _("watching")), *deck], deck, []]
    me = scene.player(scene.me)
    (done,) = met(scene, "served", [("class:header", f" {glyphs.SERVED}{me.completed} ")])
    rest: Parts = [
        *met(scene, "rush", [("class:header class:rush", f"{glyphs.RUSH}{me.rush} ")]),
        *met(
            scene,
            "penalties",
            [("class:header class:penalty", penalty_boxes(me.penalties))],
        ),
    ]
    you = _("You {score}").format(score=me.score)
    score: Parts = [("class:header class:score", you)]
    # other layouts have the upgrades above the cups
    narrow = kind_of(*scene.ui.size) == "narrow"
    upgrades = upgrade_boxes(scene, scene.me) if narrow else ""
    marked: Parts = [("class:header class:upgrade", "  " + upgrades)] if narrow else []
    boxes = met(scene, "upgrades", marked)
    short: Parts = [("class:header class:score", str(me.score)), done, *rest]
    _number, *drawn_bar = score_parts(scene, scene.me, LONG_BAR, "class:header ")
    barred: Parts = [*score, ("class:header", " "), *drawn_bar, ("class:header", " ")]
    return [
        *([[*barred, done, *rest, *deck]] if wide else []),
        [*score, done, *rest, *boxes, *deck],
        [*score, done, *rest, *deck],
        [*short, *deck],
        short,
        # completed orders are part of the score anyway
        [short[0], ("class:header", " "), *rest],
    ]


def _deck_parts(scene: Scene) -> Parts:
    """Return how many orders are left, where there is room, or that the round is the last."""
    if scene.ended:
        return []
    if scene.view.closed:
        return [("class:header", "  "), ("class:warning", _("LAST ROUND"))]
    if scene.ui.size[0] < BARRED_COLUMNS:
        return []
    return met(scene, "deck", [("class:header", "  " + deck_line(scene.view.deck))])


def deck_line(count: int) -> str:
    """Return how many orders are left to draw."""
    return _("deck: {orders}").format(orders=order_count(count))


def upgrade_boxes(scene: Scene, seat: int) -> str:
    """Return one box per upgrade, filled if active."""
    active = scene.player(seat).upgrades
    return "".join(glyphs.ACTIVE if is_active else glyphs.INACTIVE for is_active in active)


def upgrades_in(scene: Scene, seat: int, columns: int) -> str:
    """Return the names of a player's upgrades if everybody's fit, or one box per upgrade."""
    names = [
        " ".join(upgrade_word(upgrade) for upgrade in Upgrade if player.upgrades[upgrade])
        for player in scene.view.players
    ]
    if not names[seat] or max(map(width, names)) <= columns:
        return names[seat]
    return upgrade_boxes(scene, seat)


def draw_expiring(canvas: Canvas, scene: Scene, end: int, y: int, room: int) -> None:
    """Draw what expires, right-aligned at `end`, in the longest wording that fits."""
    style, words, marks = _expiring(scene)
    if line := fit([*words, *marks, ""], room - 2, width):
        canvas.put(end - width(line) - 2, y, f" {line} ", style)


def draw_sent(canvas: Canvas, scene: Scene, x: int, y: int, room: int) -> None:
    """Draw who sent orders, in words or in marks."""
    if line := fit([*_sent(scene), ""], room - 2, width):
        canvas.put(x, y, f" {line} ", "class:note")


def forecast_parts(scene: Scene, columns: int, expiring: bool) -> list[Fragment]:
    """Return the senders of orders and, if `expiring`, the orders that expire, in longer words."""
    if scene.me is None or scene.setting_up:
        return []
    style, words, marks = _expiring(scene) if expiring else ("", [""], [])
    wordings = [
        [(style, old), ("", "   " if old and new else ""), ("class:note", new)]
        for part in (words, marks)
        for new in (*_sent(scene), "")
        for old in part
    ]
    return fit([*wordings, []], columns, size)


def _expiring(scene: Scene) -> tuple[str, list[str], list[str]]:
    """Return the style of the orders that expire with the turn, their wordings, and their marks.

    The wordings are in the order in which they are preferred.
    """
    if scene.setting_up:
        return "", [], []
    me = scene.me or 0
    player, shown = scene.player(me), scene.ui.moments
    if (
        shown
        and scene.ui.animated
        and any((moment.what, moment.seat) == ("penalty", me) for moment in shown.moments)
    ):
        return "", [], []  # it would be about other orders than those that are crossed out
    if not scene.is_expiring(me, SLOTS):
        return "class:dim", [_("nothing more will expire"), _("nothing expires")], []
    count = len(player.orders[-1])
    if not count:
        return "class:dim", [_("nothing expires when your turn ends"), _("nothing expires")], []
    numbers = {"count": count, "penalties": player.penalties + count, "most": PENALTIES_TO_CLOSE}
    wordy = scene.ui.size[0] >= BARRED_COLUMNS
    mark = pgettext("title of a column", "penalties") + " " if wordy else glyphs.PENALTY
    closes = numbers["penalties"] >= PENALTIES_TO_CLOSE and not scene.view.closed
    texts = _closing_texts(count) if closes else _expiring_texts(**numbers)
    words = [text.format(mark=mark, **numbers) for text in texts]
    marks = f"{count}{glyphs.POINTER}{penalty_boxes(numbers['penalties'])}"
    return "class:urgent", words, [marks]


def _closing_texts(count: int) -> list[str]:
    """Return the wordings of what expires if so many penalties make it the last round."""
    return [
        ngettext(
            "{count} expires when your turn ends: {mark}{penalties} (limit {most}), the last round",
            "{count} expire when your turn ends: {mark}{penalties} (limit {most}), the last round",
            count,
        ),
        ngettext(
            "{count} expires: {mark}{penalties} (limit {most}), last round",
            "{count} expire: {mark}{penalties} (limit {most}), last round",
            count,
        ),
        ngettext(
            "{count} expires: {mark}{penalties}, last round",
            "{count} expire: {mark}{penalties}, last round",
            count,
        ),
    ]


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
    """Return the numbers of orders by sender since this player's last turn, in words and fewer.

    They are told until the first step.
    """
    walked = scene.turn.is_mine and bool(scene.view.path)
    seats = [] if walked else [sent.seat for sent in scene.sent]
    counts = {seat: seats.count(seat) for seat in seats}
    if not counts:
        return [""]
    named, lettered = (
        _(", ").join(
            ngettext("{count} from {name}", "{count} from {name}", count).format(
                count=count, name=name(seat)
            )
            for seat, count in counts.items()
        )
        for name in (scene.name, scene.letter)
    )
    return [_("New orders: {senders}").format(senders=named), named, lettered]


def sent_mark(scene: Scene, seat: Seat) -> str:
    """Return the mark of orders that a seat has sent."""
    return f"{glyphs.FROM}{scene.letter(seat)}"


# This player's orders as a list, most urgent first, one per line
#
# Columns are as wide as the longest drink and recipe of the menu need them, so that they are the
# same in each turn. If they do not fit, the words of the status are left out, which marks also say;
# on a narrow line, the name comes last, if it fits. What is missing, the serving cup and an
# expiring order always show.


ALL_ORDERS_KEY: Final = "v"
"""The key that shows all orders with whole names."""
MARK_CELLS: Final = 3
MIN_NAME: Final = 8
"""With fewer cells, a name is left out instead of being cut."""
LIST_GAP: Final = 4
"""Cells between two lists of orders next to each other."""
HALF_GAP: Final = 1
"""At least so many cells are between two orders that share a line; most have no cup before it."""
LEAST_NAME: Final = 2
"""The fewest cells of the letters of a name that is shortened."""
CUP_CELLS: Final = 2
"""Cells of the closest cup."""
SENDER_EDGE: Final = 1
"""The cell after the words that a sender may also take."""


class OrderColumns(Struct, frozen=True):
    """The columns of a list of orders, in one wording."""

    names: int
    """The width of the names."""
    named: bool
    """Whether recipes are in whole words."""
    recipes: int
    words: int
    """The width of what can be done with an order, in words; 0 without words."""
    gap: int
    """Cells between columns."""

    @property
    def cells(self) -> int:
        """The width of a line."""
        words = self.gap + self.words + self.gap + SENDER_EDGE if self.words else 0
        status = CUP_CELLS + words
        return MARK_CELLS + self.names + self.gap + self.recipes + 1 + status


def draw_orders(canvas: Canvas, scene: Scene, area: Area, across: int = 1) -> bool:
    """Draw this player's orders, one per line of each of the columns `across`, as many as fit.

    If they do not fit, the newest ones share lines, with shorter names. If they still do not, the
    line of the key that shows all says how many are missing; those that are ready, or expire, are
    the last to be left out.

    Returns whether all names are whole, or the key that shows them is drawn.
    """
    orders, rows = scene.orders, area.rows
    if not orders:
        canvas.put(area.x, area.y, _("no open orders"), "class:dim", area.columns)
        return True
    room, whole = (area.columns - LIST_GAP * (across - 1)) // across, True
    columns = order_columns(scene, room)
    places = [
        Area(area.x + column * (room + LIST_GAP), area.y + row, room, 1)
        for column, row in product(range(across), range(rows))
    ]
    if across == 1:
        places = _shared(scene, places, len(orders))
    shown = _most_important(scene, range(len(orders)), len(places))
    for line, index in zip(places, shown, strict=False):
        _make_clickable(canvas, line, index)
        if line.columns < room:
            whole &= _half_line(canvas, scene, index, line)
        elif columns.cells > room:
            whole &= _short(canvas, scene, index, line)
        else:
            _line(canvas, scene, index, columns, line)
    below = places[len(shown) :]
    if left := len(orders) - len(shown):
        draw_more_orders(canvas, below[0], _("{count} more").format(count=left))
        return True
    if not whole and below:
        draw_more_orders(canvas, below[0], pgettext("key", "whole names"))
        return True
    return whole


def _shared(scene: Scene, lines: list[Area], count: int) -> list[Area]:
    """Return places for so many orders: the last lines have room for two each, if need be."""
    half = (lines[0].columns - HALF_GAP) // 2 if lines else 0
    alone = 2 * len(lines) - count
    if alone >= len(lines) or half < MARK_CELLS + recipe_cells(scene) + CUP_CELLS:
        return lines
    alone = max(alone, 0)
    return lines[:alone] + [
        replace(line, x=x, columns=half)
        for line in lines[alone:]
        for x in (line.x, line.x + line.columns - half)
    ]


def _most_important(scene: Scene, indices: Sequence[int], lines: int) -> Sequence[int]:
    """Return those of these orders that have a line, in their order: first those that are ready.

    Unless all fit, the last line is left for the number of the others.
    """
    if len(indices) <= lines:
        return indices
    ready = [index for index in indices if not scene.orders[index].lacks]
    rest = [index for index in indices if scene.orders[index].lacks]
    return sorted([*ready, *rest][: lines - 1])


def draw_more_orders(canvas: Canvas, line: Area, text: str) -> None:
    """Draw what is not shown of the orders, and the key that shows it."""
    x = canvas.put(line.x, line.y, ALL_ORDERS_KEY, "class:key", line.columns) + 1
    canvas.put(x, line.y, text, "class:keylabel", line.x + line.columns - x)
    canvas.zone(line.x, line.y, line.columns, line.rows, Target("key", ALL_ORDERS_KEY))


def draw_order_list(canvas: Canvas, scene: Scene, area: Area, title: str = "") -> None:
    """Draw all orders over an area, in two lines each if their names would not fit in one.

    `title` says whose they are, unless they are this player's.
    """
    room, orders = area.columns - 4, scene.orders
    columns = order_columns(scene, room)
    high = 1 if columns.cells <= room else 2
    rows = min(high * len(orders) + 2, area.rows)
    canvas.fill(area.x, area.y, area.columns, area.rows)
    canvas.zone(area.x, area.y, area.columns, area.rows, Target("row", 0))
    canvas.box(area.x, area.y, area.columns, rows, title or _("Your orders  1▸2▸3▸4▸✗"))
    inner = (rows - 2) // high
    shown = window(len(orders), inner, scene.ui.scroll)
    for y, index in zip(range(area.y + 1, area.y + rows, high), shown, strict=False):
        line = Area(area.x + 2, y, room, 1)
        _make_clickable(canvas, replace(line, rows=high), index)
        if high == 1:
            _line(canvas, scene, index, columns, line)
        else:
            _two_lines(canvas, scene, index, line)
    left = len(orders) - shown.stop
    if left:
        canvas.put(area.x + 2, area.y + rows - 1, f" {more_line(left)} ", "class:more", room)


def _two_lines(canvas: Canvas, scene: Scene, index: int, line: Area) -> None:
    """Draw an order's name, and below it its recipe and status."""
    order, end = scene.orders[index], line.x + line.columns
    x = canvas.puts(line.x, line.y, slot_parts(scene, order))
    canvas.put(x, line.y, drink_of(scene, order), "class:name", end - x)
    x = canvas.puts(x, line.y + 1, recipe_parts(order), end - x)
    x = line.x + MARK_CELLS + recipe_cells(scene)
    canvas.puts(x, line.y + 1, fitting_status(scene, index, end - x), end - x)


def _make_clickable(canvas: Canvas, line: Area, index: int) -> None:
    canvas.zone(line.x, line.y, line.columns, line.rows, Target("order", index))
    canvas.marks[f"order{index}"] = line


def order_columns(scene: Scene, room: int) -> OrderColumns:
    """Return the longest wording of the columns that fits, or the shortest."""
    names = max(width(drink_name(scene.model, index)) for index in range(len(scene.view.menu)))
    codes, words = recipe_cells(scene), _word_cells()
    wordings = (
        OrderColumns(names, True, recipe_cells(scene, named=True), words, GAP),
        *(OrderColumns(names, False, codes, words, gap) for gap in (GAP, 1)),
        *(OrderColumns(names, False, codes, 0, gap) for gap in (GAP, 1)),
    )
    return fit(wordings, room, lambda columns: columns.cells)


GAP: Final = 2
CODE_CELLS: Final = 2


def recipe_cells(scene: Scene, named: bool = False) -> int:
    """Return the cells that the longest recipe of the menu takes, in codes or names."""
    cells = [1 + (width(ingredient_name(kind)) if named else CODE_CELLS) for kind in Ingredient]
    return max(
        sum(count * cell for count, cell in zip(drink.recipe, cells, strict=True))
        for drink in scene.view.menu
    )


def _word_cells() -> int:
    return max(width(_("SERVE")), width(_("EXPIRES")))


def _line(canvas: Canvas, scene: Scene, index: int, columns: OrderColumns, line: Area) -> None:
    """Draw an order in columns."""
    order = scene.orders[index]
    x = canvas.puts(line.x, line.y, slot_parts(scene, order))
    canvas.put(x, line.y, drink_of(scene, order), name_style(scene, order), columns.names)
    x += columns.names + columns.gap
    instead = order.serve and not columns.words and size(_ready(scene, order)) <= columns.recipes
    known = _ready(scene, order) if instead else recipe_parts(order, columns.named)
    canvas.puts(x, line.y, known)
    x += columns.recipes + 1
    canvas.puts(x, line.y, [] if instead else [cup_part(order)])
    x += CUP_CELLS + columns.gap
    if columns.words and size([word_part(scene, order)]):
        x = canvas.puts(x, line.y, [word_part(scene, order)]) + columns.gap
    canvas.puts(x, line.y, sender_parts(scene, index, line.x + line.columns - x))


def _half_line(canvas: Canvas, scene: Scene, index: int, line: Area) -> bool:
    """Draw an order on half a line like those with a whole one; return whether its name is whole.

    A name is shortened to what the recipe leaves, with which it stays the same in all turns.
    """
    order, name = scene.orders[index], drink_of(scene, scene.orders[index])
    known = (
        _ready(scene, order) if order.serve else [*recipe_parts(order), _padded(cup_part(order))]
    )
    x, end = canvas.puts(line.x, line.y, slot_parts(scene, order)), line.x + line.columns
    begin = end - size(known)
    shown = shortened(name, begin - 1 - x)
    canvas.put(x, line.y, shown, name_style(scene, order))
    canvas.puts(begin, line.y, known)
    return shown == name


def shortened(name: str, cells: int) -> str:
    """Return a name, or as many of its letters as fit with a full stop; "" if these are too few."""
    if width(name) <= cells:
        return name
    letters = next(
        (name[:end] for end in range(len(name) - 1, 0, -1) if width(name[:end]) < cells), ""
    )
    return f"{letters.rstrip()}." if width(letters) >= LEAST_NAME else ""


def _short(canvas: Canvas, scene: Scene, index: int, line: Area) -> bool:
    """Draw an order in a few cells; return whether it has its name."""
    parts, has_name = on_one_line(scene, index, line.columns)
    canvas.puts(line.x, line.y, parts, line.columns)
    return has_name


def on_one_line(scene: Scene, index: int, columns: int) -> tuple[Parts, bool]:
    """Return an order with its recipe or what serves it, then its name if it fits; and whether."""
    order, room = scene.orders[index], recipe_cells(scene)
    known = _ready(scene, order) if order.serve else recipe_parts(order)
    style = name_style(scene, order, "class:dim")
    parts = [
        *slot_parts(scene, order),
        *known,
        ("", " " * (room - size(known))),
        _padded(("", "") if order.serve else cup_part(order)),
    ]
    name, left = drink_of(scene, order), columns - size(parts) - 1
    if width(name) <= left:
        return [*parts, ("", " "), (style, name)], True
    if order.serve:  # then the room for a recipe is the name's
        parts = [*slot_parts(scene, order), *known]
        left = columns - size(parts) - 1
    if left < MIN_NAME:
        return parts, False
    return [*parts, ("", " "), (style, cut(name, left))], width(name) <= left


def _padded(part: Fragment) -> Fragment:
    style, text = part
    return style, pad(text, CUP_CELLS)


def drink_of(scene: Scene, order: "OpenOrder") -> str:
    """Return the name of an order's drink."""
    return drink_name(scene.model, order.drink)


def name_style(scene: Scene, order: "OpenOrder", style: str = "class:name") -> str:
    """Return the style of an order's name; one that expires with this turn is the loudest."""
    return "class:urgent" if scene.is_expiring(scene.me or 0, order.slot) else style


def slot_parts(scene: Scene, order: "OpenOrder") -> Parts:
    """Return the slot, with marks for an expiring order and for a specialty."""
    last = scene.is_expiring(scene.me or 0, order.slot)
    star = menu_drink(scene.model, order.drink).specialty
    slot = order.slot if "slots" in scene.signs or not scene.setting_up else " "
    return [
        ("class:urgent" if last else "class:label", f"{slot}{'!' if last else ' '}"),
        ("class:star", glyphs.SPECIALTY if star and "specialty" in scene.signs else " "),
    ]


def cup_part(order: "OpenOrder") -> Fragment:
    """Return the closest cup, marked if it has all that the order needs; "" if none is close.

    If something serves the order now, it is the cup of that.
    """
    if order.serve:
        return "class:serve", f"{glyphs.SERVED}{order.serve.cup}"
    if order.cup is None or not any(order.held):
        return "", ""
    if order.lacks:
        return "class:cup", f"{glyphs.TO}{order.cup}"
    return "class:serve", f"{glyphs.SERVED}{order.cup}"


def word_part(scene: Scene, order: "OpenOrder") -> Fragment:
    """Return whether an order can be served now, or else expires with the turn; or ""."""
    if order.serve:
        return "class:serve", _("SERVE")
    last = scene.is_expiring(scene.me or 0, order.slot)
    return ("class:urgent", _("EXPIRES")) if last else ("", "")


def _ready(scene: Scene, order: "OpenOrder") -> Parts:
    """Return what serves an order now, in the room of its recipe."""
    return [("", " "), cup_part(order), ("", " "), word_part(scene, order)]


def sender_parts(scene: Scene, index: int, columns: int) -> Parts:
    """Return who sent an order since this player's last turn, if that fits."""
    wordings: list[Parts] = [[part] for part in _sender_wordings(scene, index)]
    return fit([*wordings, []], columns, size)


def _sender_wordings(scene: Scene, index: int) -> list[Fragment]:
    sender = scene.senders[index]
    if sender is None:
        return []
    style, names = seat_style(scene.seats, sender), (scene.name(sender), scene.letter(sender))
    return [(style, _("from {name}").format(name=name)) for name in names]


def fitting_status(scene: Scene, index: int, columns: int) -> Parts:
    """Return an order's cup, what can be done with it, and its sender, as many as fit."""
    order = scene.orders[index]
    word = word_part(scene, order)
    cup = _padded(cup_part(order))
    parts = fit([[cup, ("", " "), word], [cup]] if word[1] else [[cup]], columns, size)
    sender = sender_parts(scene, index, columns - size(parts) - 1)
    return [*parts, ("", " "), *sender] if sender else parts


def recipe_parts(order: "OpenOrder", named: bool = False) -> Parts:
    """Return an order's recipe: what is in the closest cup, and what is missing."""
    return tokens_parts(order.held, order.missing, named)


def tokens_parts(held: Counts, missing: Counts, named: bool = False) -> Parts:
    """Return a recipe, always in the same places: what a cup holds as chips.

    What is missing is letters in its colour, after a mark.
    """
    text = ingredient_name if named else ingredient_code
    parts: Parts = []
    for kind, here, away in zip(Ingredient, held, missing, strict=True):
        parts += [("", " "), (token_style(kind), text(kind))] * here
        parts += [("class:need", glyphs.MISSING), (ink_style(kind), text(kind))] * away
    return parts


# This player's cups: one line each or, if there is room, pictures filled from the bottom


HANDLE_CELLS: Final = 2
UNDER_CELLS: Final = 2
"""Lines below a cup's contents: its bottom, and what it is for."""


BRACKETED: Final = 40
"""The columns from which on there is room for brackets around what a cup of one line holds."""


def draw_cups(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw one line per cup: its contents, in brackets if there is room, and what it is for."""
    end = area.x + area.columns
    for cup, contents in enumerate(_cups(scene), start=1):
        y, held = area.y + cup - 1, chips(kinds_of(contents))
        canvas.zone(area.x, y, area.columns, 1, Target("cup", cup))
        begin = x = canvas.put(area.x, y, f"{cup} ", "class:cup")
        inside = held or [("class:dim", pgettext("cup", "empty"))]
        cells = size(inside)
        if area.columns >= BRACKETED:  # as wide as the longest recipe, unless it holds more
            cells = max(recipe_cells(scene) - 1, cells)
            begin = canvas.put(x, y, "[", "class:cup")
            x = canvas.put(begin + cells, y, "]", "class:cup")
        x = max(canvas.puts(begin, y, inside, end - begin), x) + 1
        if not held:
            continue
        canvas.marks[f"cup{cup}"] = Area(begin, y, cells, 1)
        style, texts, _drink = _purpose(scene, cup)
        # the list of orders shows what it is for
        shortest = glyphs.SERVED if style == "class:serve" else ""
        canvas.put(x, y, fit([*texts, shortest], end - x, width), style, end - x)


def draw_pictures(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw pictures of the cups side by side."""
    columns = (area.columns + 2) // CUPS
    cups = _cups(scene)
    for cup, contents in enumerate(cups, start=1):
        place = Area(area.x + (cup - 1) * columns, area.y, columns - 2, area.rows)
        canvas.zone(place.x, place.y, place.columns, place.rows, Target("cup", cup))
        (_solid_picture if scene.ui.tiles else _picture)(canvas, place, cup)
        inside = Area(
            place.x + 1, place.y, place.columns - HANDLE_CELLS - 2, place.rows - UNDER_CELLS
        )
        if any(contents):
            canvas.marks[f"cup{cup}"] = inside
            _fill(canvas, contents, scene.layers[cup - 1], inside)
        else:
            text = pgettext("cup", "empty")
            canvas.put(inside.x + 1, inside.y + inside.rows - 1, text, "class:dim", inside.columns)

    y, end = area.y + area.rows - 1, area.x + area.columns
    for x, (style, text) in _below(scene, area, columns):
        canvas.put(x, y, text, style, min(end - x, width(text)))


def _below(scene: Scene, area: Area, columns: int) -> list[tuple[int, Fragment]]:
    """Return the lines below the pictures, each with its x: below its cup, or nearby if long."""
    filled = [cup for cup, contents in enumerate(_cups(scene), start=1) if any(contents)]
    places = [area.x + (cup - 1) * columns for cup in filled]
    end = area.x + area.columns
    # a line may be a little wider than its cup, or go on below an empty one
    rooms = [
        min(columns * (1 if cup + 1 in filled else 2) - 1, end - x)
        for cup, x in zip(filled, places, strict=True)
    ]
    purposes = [_purpose(scene, cup) for cup in filled]
    short = [(style, texts[-1]) for style, texts, _drink in purposes]
    # alone on a line, a name loses its mark before it is truncated
    lines = [
        (style, fit([*texts, drink, texts[-1]], room, width))
        for (style, texts, drink), room in zip(purposes, rooms, strict=True)
    ]
    if any(width(text) > room for (_style, text), room in zip(lines, rooms, strict=True)):
        moved = _apart(places, [width(text) for _style, text in short], end)
        if moved[0] >= area.x:
            return [*zip(moved, short, strict=True)]
    cells = zip(lines, rooms, strict=True)
    return [*zip(places, [(style, cut(text, room)) for (style, text), room in cells], strict=True)]


def _apart(places: list[int], widths: list[int], end: int) -> list[int]:
    """Move lines to the right, and back to the left, until none is over another or the end."""
    moved: list[int] = []
    begin = places[0]
    for place, cells in zip(places, widths, strict=True):
        moved.append(max(place, begin))
        begin = moved[-1] + cells + 1
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], end - widths[index])
        end = moved[index] - 1
    return moved


def _cups(scene: Scene) -> tuple[Counts, ...]:
    assert scene.own is not None, "only an owner sees cups (R-INFO-2)"
    return scene.own.cups


def _picture(canvas: Canvas, area: Area, cup: Cup) -> None:
    """Draw an empty cup: walls, bottom with its number, and handle."""
    walls = area.rows - UNDER_CELLS
    right = area.x + area.columns - HANDLE_CELLS - 1
    for y in range(area.y, area.y + walls):
        canvas.put(area.x, y, glyphs.WALL, "class:cup")
        canvas.put(right, y, glyphs.WALL, "class:cup")
    line = glyphs.LINE * (right - area.x - 1)
    bottom = area.y + walls
    canvas.put(area.x, bottom, glyphs.UP_RIGHT + line + glyphs.UP_LEFT, "class:cup")
    canvas.put(area.x + (right - area.x) // 2 - 1, bottom, f" {cup} ", "class:title")
    canvas.put(right, area.y, glyphs.TEE_RIGHT + glyphs.LINE + glyphs.DOWN_LEFT, "class:cup")
    for y in range(area.y + 1, bottom - 1):
        canvas.put(right + HANDLE_CELLS, y, glyphs.WALL, "class:cup")
    canvas.put(right, bottom - 1, glyphs.TEE_RIGHT + glyphs.LINE + glyphs.UP_LEFT, "class:cup")


def _solid_picture(canvas: Canvas, area: Area, cup: Cup) -> None:
    """Draw the same of half blocks, which the contents touch."""
    left, _right, bottom_left, bottom_right = glyphs.CUP
    top, middle, low = glyphs.HANDLE
    end, bottom = area.x + area.columns - HANDLE_CELLS - 1, area.y + area.rows - UNDER_CELLS
    for y in range(area.y, bottom):
        canvas.put(area.x, y, left, "class:cup")
        canvas.put(end, y, top if y == area.y else low if y == bottom - 1 else middle, "class:cup")
    label, cells = f" {cup} ", end - area.x - 1
    before = (cells - len(label)) // 2
    floor = glyphs.UPPER * before + label + glyphs.UPPER * (cells - len(label) - before)
    canvas.put(area.x, bottom, bottom_left + floor + bottom_right, "class:cup")


def _fill(canvas: Canvas, contents: Counts, poured: Sequence[Ingredient], area: Area) -> None:
    """Draw a cup's contents as layers, as they were poured, or as chips if they are too many."""
    layers = [(kind, len([*same])) for kind, same in groupby(poured)]
    if len(layers) > area.rows:  # of each kind one
        layers = [(kind, contents[kind]) for kind in dict.fromkeys(poured)]
    bottom = area.y + area.rows - 1
    if len(layers) <= area.rows:
        for height, (kind, count) in enumerate(layers):
            name = sentence_case(ingredient_name(kind))
            text = f" {name} x{count}" if count > 1 else f" {name}"
            canvas.put(area.x, bottom - height, pad(text, area.columns), token_style(kind))
        return
    single: list[list[Fragment]] = [[*chips([kind])] for kind in kinds_of(contents)]
    across = (area.columns - 1) // 3
    if len(single) > across * area.rows:
        single = [[*chips([kind]), ("class:count", f"{count:<2}")] for kind, count in layers]
        across = (area.columns - 1) // 5
    for height, begin in enumerate(range(0, len(single), across)):
        parts = [part for piece in single[begin : begin + across] for part in (*piece, ("", " "))]
        canvas.puts(area.x + 1, bottom - height, parts[:-1], area.columns - 1)


def _purpose(scene: Scene, cup: Cup) -> tuple[str, list[str], str]:
    """Return the purpose of a filled cup: the order it serves, or the one it is closest to.

    That is its style, its wordings, longest first, and the name of the drink alone.
    """
    if cup not in scene.purposes:
        text = pgettext("cup", "fits no order")
        return "class:penalty", [text], text
    order = scene.purposes[cup]
    if order is None:
        return "class:dim", [""], ""
    drink = drink_of(scene, order)
    if order.serve:
        text = _("{mark} SERVE {drink}").format(mark=glyphs.POINTER, drink=drink)
        return "class:serve", [text, f"{glyphs.SERVED} {drink}"], drink
    return "class:note", [f"{glyphs.TO} {drink}"], drink


# This player's orders as a belt across the screen: one lane per slot, and the expiring edge


LANE_EDGE: Final = 3
"""Columns between the orders of two lanes."""
CARD_LINES: Final = 2
"""The lines of an order: its name, and its recipe with its status."""
AIRY_LANE: Final = 12
"""The rows of a lane from which on there is a blank line below an order if that fits."""


def draw_belt(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the lanes 1 to 4 from left to right, with their orders; or a list, if one is full."""
    # without the edge below them, which is about the turn to come
    canvas.marks["orders"] = replace(area, rows=area.rows - 1)
    if belt_rows(scene) > area.rows:
        _belt_list(canvas, scene, area)
        return
    _frame(canvas, scene, area)
    lane_columns = (area.columns - 1) // SLOTS - LANE_EDGE
    status = CUP_CELLS + 1 + _word_cells()
    named = 1 + recipe_cells(scene, named=True) + 1 + status <= lane_columns
    for slot in range(1, SLOTS + 1):
        begin, end = _edge(area, slot - 1), _edge(area, slot)
        lane = Area(begin + 2, area.y + 1, end - begin - LANE_EDGE, area.rows - 2)
        _lane(canvas, scene, slot, lane, named)


def belt_rows(scene: Scene) -> int:
    """Return the rows of a belt in whose lanes all orders have room."""
    return max(len(_places(scene, slot)) for slot in range(1, SLOTS + 1)) * CARD_LINES + 2


def _belt_list(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the orders in two lists next to each other, in which every name is whole."""
    title = _("Your orders  1▸2▸3▸4▸✗")
    if scene.ui.tiles:
        bar = Area(area.x + 1, area.y, area.columns - 2, 1)
        canvas.put(bar.x, bar.y, pad(f" {title}", bar.columns), "class:header class:brand")
    else:
        canvas.box(area.x, area.y, area.columns, area.rows, title)
    inner = Area(area.x + 2, area.y + 1, area.columns - 4, area.rows - 2)
    draw_orders(canvas, scene, inner, across=2)
    _draw_news(canvas, scene, area)


def _edge(area: Area, lane: int) -> int:
    """Return the x of the line left of a lane; for `SLOTS`, that of the right edge."""
    return area.x + lane * (area.columns - 1) // SLOTS


def _places(scene: Scene, slot: Slot) -> list[int]:
    """Return the indices of the orders in a slot."""
    return [index for index, order in enumerate(scene.orders) if order.slot == slot]


def _frame(canvas: Canvas, scene: Scene, area: Area) -> None:
    (_bars if scene.ui.tiles else _walls)(canvas, scene, area)
    _draw_news(canvas, scene, area)


def _draw_news(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw below the orders which are new, and which expire."""
    half, bottom = area.columns // 2 - 4, area.y + area.rows - 1
    draw_sent(canvas, scene, area.x + 2, bottom, half)
    draw_expiring(canvas, scene, area.x + area.columns - 3, bottom, half)


def _bars(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw a bar above each lane; where orders expire, it is an alarm."""
    for slot in range(1, SLOTS + 1):
        begin, end = _edge(area, slot - 1) + 1, _edge(area, slot) - 1
        last = scene.is_expiring(scene.me or 0, slot)
        style, text = "class:header class:brand", f" {slot}{'!' if last else ''} "
        if slot == 1:
            title = cut(_("Your orders"), end - begin - width(text) - 3)
            text = f" {title} {text}"
        if last and _expires(scene):
            style, text = "class:bust", text + " " + _("EXPIRES")
        canvas.put(begin, area.y, pad(text, end - begin), style)
        if slot < SLOTS:
            canvas.put(end - 2, area.y, glyphs.POINTER, style)


def _walls(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw a frame around all lanes, and arrows between them."""
    canvas.box(area.x, area.y, area.columns, area.rows)
    bottom = area.y + area.rows - 1
    for lane in range(1, SLOTS):
        x = _edge(area, lane)
        canvas.put(x, area.y, glyphs.TEE_DOWN, "class:frame")
        canvas.put(x, bottom, glyphs.TEE_UP, "class:frame")
        for y in range(area.y + 1, bottom):
            canvas.put(x, y, glyphs.POINTER, "class:frame")
    _heads(canvas, scene, area)
    if _expires(scene):
        for y in range(area.y + 1, bottom):
            canvas.put(_edge(area, SLOTS), y, glyphs.PENALTY, "class:urgent")


def _heads(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Write the slot's number above each lane."""
    title = cut(_("Your orders"), _edge(area, 1) - area.x - 10)
    x = canvas.put(area.x + 2, area.y, f" {title} ", "class:title")
    canvas.put(x + 1, area.y, " 1 ", "class:title")
    for slot in range(2, SLOTS + 1):
        last = scene.is_expiring(scene.me or 0, slot)
        style = "class:urgent" if last and _expires(scene) else "class:title"
        x = canvas.put(_edge(area, slot - 1) + 2, area.y, f" {slot}{'!' if last else ''} ", style)
        if style == "class:urgent":
            canvas.put(x, area.y, " " + _("EXPIRES") + " ", style)


def _expires(scene: Scene) -> bool:
    """Return whether there are orders that expire when this player's turn ends."""
    me = scene.me or 0
    return bool(scene.player(me).orders[-1]) and scene.is_expiring(me, SLOTS)


class _Room(Struct, frozen=True):
    """Free cells of a card's line."""

    y: int
    begin: int
    end: int

    def has(self, part: Fragment) -> bool:
        """Return whether a part fits."""
        return width(part[1]) <= self.end - self.begin


def _lane(canvas: Canvas, scene: Scene, slot: Slot, lane: Area, named: bool) -> None:
    """Draw the orders of a slot, and who sent them: of all in the same place, if that fits."""
    places = _places(scene, slot)
    airy = lane.rows >= max(AIRY_LANE, (CARD_LINES + 1) * len(places))
    high = CARD_LINES + airy
    sent: list[list[tuple[Fragment, _Room]]] = []
    for y, index in zip(range(lane.y, lane.y + lane.rows, high), places, strict=False):
        card = Area(lane.x, y, lane.columns, high)
        canvas.zone(card.x, card.y, card.columns, card.rows, Target("order", index))
        canvas.marks[f"order{index}"] = card
        rooms = _card(canvas, scene, index, card, named)
        sent.append([*product(_sender_wordings(scene, index), rooms)])
    sent = [ways for ways in sent if ways]
    same = (ways for ways in zip(*sent, strict=True) if all(room.has(way) for way, room in ways))
    found = next(same, None) or [
        way for ways in sent for way in [way for way in ways if way[1].has(way[0])][:1]
    ]
    for (style, text), room in found:
        canvas.put(room.end - width(text), room.y, text, style)


def _card(canvas: Canvas, scene: Scene, index: int, card: Area, named: bool) -> tuple[_Room, _Room]:
    """Draw an order; return the room below its name, and after it."""
    order, end = scene.orders[index], card.x + card.columns
    x = canvas.puts(card.x, card.y, slot_parts(scene, order)[1:])
    x = canvas.put(x, card.y, drink_of(scene, order), name_style(scene, order), end - x)
    under = canvas.puts(card.x + 1, card.y + 1, recipe_parts(order, named), card.columns - 1)
    status = [cup_part(order), *([("", " "), word_part(scene, order)] if order.serve else [])]
    begin = end - size(status)
    canvas.puts(begin, card.y + 1, status)
    gap = int(begin < end)
    return _Room(card.y + 1, under + 1, begin - gap), _Room(card.y, x + 1, end)
