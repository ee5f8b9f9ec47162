"""A game on the page: board, cups, orders, other players, and what happened. Pure."""

from typing import Final

from coffeerush.ui.pages.pages import token_style
from coffeerush.ui.plain.sentences import cell_line, cup_lines, order_lines
from coffeerush.ui.table.draw_game import turn_parts
from coffeerush.ui.table.draw_hand import (
    drink_of,
    forecast_parts,
    hand_parts,
    order_names,
    sent_mark,
)
from coffeerush.ui.table.draw_people import emote_of, status, upgrades_line
from coffeerush.ui.table.panes import SCROLLED, menu_lines, pane_title, said_line
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import (
    cell_name,
    ingredient_code,
    ingredient_name,
    item_list,
    penalties,
    seat_colours,
    sentence_case,
    tokens,
)
from protocol import (
    BOARD,
    PENALTIES_TO_CLOSE,
    SLOTS,
    SPECIALTY_CELLS,
    Cell,
    Ingredient,
    Said,
    Seat,
)

from .elements import Element, Part, box, line, look_of

LOG_LINES: Final = 30
"""The most lines of the log on the page; the latest ones."""
ALL_COLUMNS: Final = 1000
"""Columns for the longest wording: a browser wraps lines."""


def top_of_game(scene: Scene) -> Element:
    """Return whose turn it is, the clock, and this player's counts."""
    view, counts = scene.view, None
    whole = _("setting up") if scene.setting_up else _("round {round}").format(round=view.round)
    deck = _("deck {count}").format(count=view.deck)
    last = Element("span", "warning", _("LAST ROUND")) if view.closed else None
    if scene.me is not None:
        score = _("You {score}").format(score=scene.player(scene.me).score)
        counts = box("span", "counts", Element("span", "score", score), *_counts(scene, scene.me))
    look = "top yours" if scene.turn.is_mine else "top"
    turn = line("span", "turns", turn_parts(scene))
    game = line("span", "game", [("", whole), ("", deck)])
    return box("header", look, turn, last, game, counts, key="top")


def _counts(scene: Scene, seat: Seat) -> list[Element]:
    """Return a player's penalties as boxes, their rush tokens and upgrades, if any."""
    player = scene.player(seat)
    gone = glyphs.PENALTY * player.penalties
    left = glyphs.FREE * max(PENALTIES_TO_CLOSE - player.penalties, 0)
    rush = f"{glyphs.RUSH}{player.rush}"
    return [
        Element("span", "penalty", gone + left, name=penalties(player.penalties), role="img"),
        Element("span", "rush", rush, name=tokens(player.rush), role="img"),
    ]


def seat_look(scene: Scene, seat: Seat) -> str:
    """Return the look of a seat's letter and name."""
    return f"seat{seat_colours(scene.players)[seat]}"


# The board


def board(scene: Scene) -> Element:
    """Return the tiles, each with its ingredient, who is there, and what a step brings."""
    title = Element("h2", "reader", _("Board"))
    tiles = (_tile(scene, cell) for cell in range(len(BOARD)))
    return box("section", "board", title, box("div", "tiles", *tiles), key="board")


def _tile(scene: Scene, cell: Cell) -> Element:
    kind, option = BOARD[cell], scene.turn.steps.get(cell)
    can = option is not None or cell in scene.turn.places
    looks = [
        "tile",
        look_of(token_style(kind)),
        "can" if can else "",
        "here" if scene.turn.is_mine and cell == scene.turn.position else "",
    ]
    star = Element("span", "mark", glyphs.SPECIALTY) if cell in SPECIALTY_CELLS else None
    label = Element("span", "kind", sentence_case(ingredient_name(kind)))
    words = [cell_name(cell), cell_line(scene.model, scene.view, cell)]
    gain: Part = None
    if option is not None:
        cost = f" {glyphs.RUSH}{option.rush_cost}" if option.rush_cost else ""
        gain = Element("span", "gain", f"+{sum(option.gain)}{cost}")
        words.append(gain.text)
    steps = [str(step) for step, walked in enumerate(scene.path) if walked == cell and step]
    look = "path" if scene.path == scene.view.path else "path planned"
    path = Element("span", look, glyphs.DOT.join(steps)) if steps else None
    return _tappable(
        *(scene, Target("cell", cell), " ".join(filter(None, looks))),
        *(label, star, gain, path, _trails(scene, cell), _pieces(scene, cell)),
        name=sentence_case(item_list(words)),
    )


def _tappable(
    scene: Scene, act: Target, look: str, *parts: Part, name: str, key: str = ""
) -> Element:
    """Return a button with parts; in a replay, where it would do nothing, a picture."""
    if scene.ui.replayed:
        return box("div", look, *parts, name=name, role="img", key=key)
    return box("button", look, *parts, act=act, name=name, key=key)


def _pieces(scene: Scene, cell: Cell) -> Part:
    """Return the meeples on a cell."""
    standing = [
        Element(
            *("span", f"meeple {seat_look(scene, seat)}{' me' if seat == scene.me else ''}"),
            scene.letter(seat),
        )
        for seat, _number in scene.standing.get(cell, [])
    ]
    return box("span", "pieces", *standing) if standing else None


def _trails(scene: Scene, cell: Cell) -> Part:
    """Return in lower case who went over a cell, and is not there."""
    there = {seat for seat, _number in scene.standing.get(cell, [])}
    walked = [
        Element("span", f"trail {seat_look(scene, trail.seat)}", scene.letter(trail.seat).lower())
        for trail in scene.trails
        if cell in trail.cells and trail.seat not in there
    ]
    return box("span", "trails", *walked) if walked else None


# Cups and orders


def mine(scene: Scene) -> Element | None:
    """Return this player's cups, hand and orders; None for a spectator."""
    if scene.own is None or scene.me is None:
        return None
    title = Element("h2", "reader", _("Your cups"))
    return box(
        *("section", "own", title, cups(scene), hand(scene), orders(scene)),
        line("p", "forecast", _forecast(scene), key="forecast"),
        key="mine",
    )


def cups(scene: Scene) -> Element:
    """Return a player's cups."""
    assert scene.own is not None, "only an owner sees cups (R-INFO-2)"
    mugs = (_cup(scene, number) for number in range(1, len(scene.own.cups) + 1))
    return box("div", "cups", *mugs, key="cups")


def hand(scene: Scene) -> Element:
    """Return what is in the hand of the player whose turn it is."""
    return line("p", "hand", hand_parts(scene), key="hand")


def _forecast(scene: Scene) -> list[tuple[str, str]]:
    """Return what expires when this turn ends, and who has sent orders since the last one."""
    return forecast_parts(scene, ALL_COLUMNS, expiring=True)


def _cup(scene: Scene, number: int) -> Element:
    assert scene.own is not None, "only an owner sees cups (R-INFO-2)"
    held = scene.own.cups[number - 1]
    layers = (
        Element("span", f"layer {look_of(token_style(kind))}", _layer(kind, count))
        for kind, count in zip(Ingredient, held, strict=True)
        if count
    )
    order, caption = scene.purposes.get(number), pgettext("cup", "empty")
    if order is not None:
        caption = drink_of(scene, order)
    elif any(held):
        caption = "" if number in scene.purposes else pgettext("cup", "fits no order")
    look = "mug serves" if order is not None and order.serve else "mug"
    if scene.turn.can_pour and scene.turn.to_pour:
        look += " can"
    return _tappable(
        *(scene, Target("cup", number), look, box("span", "glass", *layers)),
        Element("span", "caption", f"{number} {caption}".rstrip()),
        name=cup_lines(scene.model, scene.view)[number - 1],
    )


def _layer(kind: Ingredient, count: int) -> str:
    name = ingredient_name(kind)
    return f"{name} x{count}" if count > 1 else name


def orders(scene: Scene) -> Element:
    """Return a player's orders."""
    title = None if scene.ui.replayed else Element("h2", "reader", _("Your orders"))
    look = "orders long" if scene.ui.replayed else "orders"  # with no button for keys to go to
    words = order_lines(scene.model, scene.view)[1:]
    cards: list[Part] = [_order(scene, index, words[index]) for index in range(len(scene.orders))]
    return box("div", look, title, *(cards or [_("no open orders")]), key="orders")


def _order(scene: Scene, index: int, words: str) -> Element:
    order, sender = scene.orders[index], scene.senders[index]
    last = scene.is_expiring(scene.me or 0, order.slot)
    left = SLOTS - order.slot + 1
    when = ngettext("{count} turn left", "{count} turns left", left).format(count=left)
    ready = not order.lacks
    note = [("urgent", _("last turn"))] if last else []
    if not (last or scene.view.closed):  # else the game ends before
        note.append(("when", when))
    if ready:
        note.append(("serve", _("SERVE {cup}").format(cup=order.cup)))
    if sender is not None:
        note.append(("fresh", sent_mark(scene, sender)))
    chips: list[Element] = []  # in the same places, whatever the cup holds
    for kind, here, away in zip(Ingredient, order.held, order.missing, strict=True):
        chips += [_chip(kind, "chip", ingredient_code(kind))] * here
        chips += [_chip(kind, "chip need", glyphs.MISSING + ingredient_code(kind))] * away
    looks = ("order", "ready" if ready else "", "hot" if last else "")
    star = glyphs.SPECIALTY if scene.view.menu[order.drink].specialty else ""
    slot = f"{order.slot}{'!' if last else ''} {star}"
    return _tappable(
        *(scene, Target("order", index), " ".join(filter(None, looks))),
        Element("span", "drink", slot + drink_of(scene, order)),
        line("span", "notes", note),
        box("span", "chips", *chips),
        name=words,
        key=f"{order.drink} {[one.drink for one in scene.orders[index:]].count(order.drink)}",
    )


def _chip(kind: Ingredient, look: str, text: str) -> Element:
    return Element("span", f"{look} {look_of(token_style(kind))}", text)


# The other players


def others(scene: Scene) -> Element:
    """Return the other players: score, penalties, rush tokens, upgrades, orders, what they say."""
    title = Element("h2", "reader", pane_title("others"))
    people = (player(scene, seat) for seat in scene.others)
    return box("section", "others", title, box("ul", "people", *people), key="others")


def player(scene: Scene, seat: Seat, *more: Part, act: Target | None = None) -> Element:
    """Return what is public of a player, and what else there is; `act` is what their name does."""
    look = "player active" if scene.view.active == seat else "player"
    said = emote_of(scene, seat)
    name = scene.name(seat) + status(scene, seat)
    named = Element("button", "name", name, act=act) if act else box("span", "name", name)
    head = box(
        *("p", "head", Element("span", f"badge {seat_look(scene, seat)}", scene.letter(seat))),
        *(named, Element("span", "score", str(scene.player(seat).score)), *_counts(scene, seat)),
        Element("span", "bubble", f"“{said}”") if said else None,
    )
    slots = (
        Element("span", "urgent" if "!" in known[:2] else "slot", " ".join(known.split()))
        for known in order_names(scene, seat)
    )
    active = upgrades_line(scene, seat)
    upgrades = Element("p", "upgrade", f"{glyphs.ACTIVE} {active}") if active else None
    return box("li", look, head, *more, upgrades, box("p", "waiting", *slots), key=str(seat))


# What happened


def news(scene: Scene) -> Element:
    """Return the log with the chat, the latest first."""
    lines = SCROLLED["log"](scene)
    first = max(len(lines) - LOG_LINES, 0)
    told = (
        Element(
            *("li", "said" if isinstance(one, Said) else ""),
            said_line(one) if isinstance(one, Said) else one,
            key=str(number),
        )
        for number, one in reversed([*enumerate(lines)][first:])
    )
    title = Element("h2", "", pane_title("log"))
    return box("section", "news", title, box("ol", "log", *told, key="log"), key="news")


def supply(scene: Scene) -> Element:
    """Return the supply and every drink with its recipe, to be opened."""
    title = Element("summary", "", pane_title("menu"))
    lines = (Element("li", "", " ".join(known.split())) for known in menu_lines(scene))
    return box("details", "supply", title, box("ul", "", *lines), key="supply")
