"""A game on the page: board, cups, orders, other players, and what happened. Pure."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from coffeerush.ui.pages.pages import token_style
from coffeerush.ui.plain.sentences import cell_line, cup_lines, order_lines
from coffeerush.ui.table.draw_game import turn_parts
from coffeerush.ui.table.draw_hand import (
    deck_line,
    drink_of,
    hand_parts,
    penalty_boxes,
    sent_mark,
)
from coffeerush.ui.table.draw_people import emote_of, status, upgrades_line
from coffeerush.ui.table.panes import SCROLLED, menu_lines, pane_title, said_line
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Moment, What, gained
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Target, width
from coffeerush.ui.words.events import drink_list, event_line, others_turns
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import (
    and_list,
    cell_name,
    drink_name,
    emote_text,
    ingredient_code,
    ingredient_name,
    item_list,
    orders as order_count,
    penalties,
    seat_colours,
    sentence_case,
    tokens,
    upgrade_name,
)
from protocol import (
    BOARD,
    SLOTS,
    SPECIALTY_CELLS,
    Cell,
    Emoted,
    Ingredient,
    Said,
    Seat,
)

from .elements import Element, Part, Tag, box, line, look_of

LOG_LINES: Final = 30
"""The most lines of the log on the page; the latest ones."""
FEW_ORDERS: Final = 6
"""With more, each is drawn smaller."""
CONFETTI: Final = 12
"""The pieces of confetti for the winners, in their colours."""
LINE_CELLS: Final = 22
"""The columns that a phone has for whose turn it is; what is longer is in small letters."""
LAYER_CELLS: Final = 9
"""The columns that a cup has for what it holds; what is longer is in small letters."""


def top_of_game(scene: Scene) -> Element:
    """Return whose turn it is, the clock, and this player's counts."""
    view, counts = scene.view, None
    whole = _("setting up") if scene.setting_up else _("round {round}").format(round=view.round)
    last = Element("span", "warning", _("LAST ROUND")) if view.closed else None
    if scene.me is not None:
        score = _("You {score}").format(score=scene.player(scene.me).score)
        numbers = *_counts(scene, scene.me), _owned(scene, scene.me)
        counts = box("span", "counts", Element("span", "score", score), *numbers)
    look, parts = "top yours" if scene.turn.is_mine else "top", turn_parts(_unhurried(scene))
    is_long = width(" ".join(text for _style, text in parts)) > LINE_CELLS
    turn = line("span", "turns dense" if is_long else "turns", parts)
    game = line("span", "game", [("", whole), ("", deck_line(view.deck))])
    scores = None if scene.ui.replayed else _scores(scene)
    return box("header", look, turn, scores, last, game, counts, key="top")


def _unhurried(scene: Scene) -> Scene:
    """Return the scene without how long is left to read, which the button says."""
    return Scene(scene.model, replace(scene.ui, reads_until=None))


def _scores(scene: Scene) -> Element:
    """Return the others' scores, for windows in which their orders have to be scrolled to."""
    scores = (
        box(
            *("span", "", Element("span", f"badge {seat_look(scene, seat)}", scene.letter(seat))),
            Element("span", "score", str(scene.player(seat).score)),
            key=str(seat),
        )
        for seat in scene.others
    )
    return box("span", "scores", *scores, key="scores")


def _counts(scene: Scene, seat: Seat) -> list[Element]:
    """Return a player's completed orders, their penalties as boxes, and their rush tokens."""
    player = scene.player(seat)
    done, rush = f"{glyphs.SERVED}{player.completed}", f"{glyphs.RUSH}{player.rush}"
    boxes = penalty_boxes(player.penalties)
    return [
        Element("span", "done", done, name=order_count(player.completed), role="img"),
        Element("span", "penalty", boxes, name=penalties(player.penalties), role="img"),
        Element("span", "rush", rush, name=tokens(player.rush), role="img"),
    ]


def _owned(scene: Scene, seat: Seat) -> Element | None:
    """Return a mark for each active upgrade."""
    marks = glyphs.ACTIVE * sum(scene.player(seat).upgrades)
    names = upgrades_line(scene, seat)
    return Element("span", "upgrade", marks, name=names, role="img") if marks else None


def seat_look(scene: Scene, seat: Seat) -> str:
    """Return the look of a seat's letter and name."""
    return f"seat{seat_colours(scene.players)[seat]}"


# The board


def board(scene: Scene) -> Element:
    """Return the tiles, each with its ingredient, who is there, and what a step brings."""
    title, way = Element("h2", "reader", _("Board")), _hinted(scene)
    tiles = (_tile(scene, cell, way.get(cell, [])) for cell in range(len(BOARD)))
    sees = scene.turn.steps or scene.turn.places or scene.ui.replayed  # who comes from the review
    look = "board placing" if scene.turn.places else "board"
    look += " see" if sees else ""
    if not (scene.turn.is_mine or scene.ui.replayed):
        look = "board watched see"  # where the others' steps are
    return box("section", look, title, box("div", "tiles", *tiles), key="board")


def _hinted(scene: Scene) -> dict[Cell, list[str]]:
    """Return the marks of the cells that a hint or the guide names, until it is followed."""
    if scene.turn.planned or scene.ui.turn.ahead:
        return {}  # a plan has numbers of its own
    if scene.turn.places:
        return {cell: [sentence_case(pgettext("key", "hint"))] for cell in scene.advised}
    marks: dict[Cell, list[str]] = {}
    for number, cell in [*scene.advised_steps.items()][1:]:
        marks.setdefault(cell, []).append(str(number))
    return marks


def _tile(scene: Scene, cell: Cell, marks: list[str]) -> Element:
    kind, option = BOARD[cell], scene.turn.steps.get(cell)
    can = option is not None or cell in scene.turn.places
    chosen = scene.turn.places and not scene.ui.touch and cell == scene.ui.cursor
    looks = [
        "tile",
        look_of(token_style(kind)),
        "can" if can else "",
        "here" if chosen or (scene.turn.is_mine and cell == scene.turn.position) else "",
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
    planned = scene.path != scene.view.path
    look = "path planned" if planned else "path"
    path = Element("span", look, glyphs.DOT.join(steps)) if steps else None
    tap = Element("span", "hinted", glyphs.DOT.join(marks)) if marks else None
    return _tappable(
        *(scene, Target("cell", cell), " ".join(filter(None, looks))),
        *(label, star, gain, path, tap, _pieces(scene, cell)),
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
    """Return in lower case who went over a cell, and is not there; then the meeples on it."""
    there = {seat for seat, _number in scene.standing.get(cell, [])}
    walked = [
        Element("span", f"trail {seat_look(scene, trail.seat)}", scene.letter(trail.seat).lower())
        for trail in scene.trails
        if cell in trail.cells and trail.seat not in there
    ]
    standing = [
        Element(
            *("span", f"meeple {seat_look(scene, seat)}{' me' if seat == scene.me else ''}"),
            scene.letter(seat),
        )
        for seat, _number in scene.standing.get(cell, [])
    ]
    return box("span", "pieces", *walked, *standing) if walked or standing else None


# Cups and orders


def mine(scene: Scene) -> Element | None:
    """Return this player's cups, hand and orders; None for a spectator."""
    if scene.own is None or scene.me is None:
        return None
    title = Element("h2", "reader", _("Your cups"))
    pour = box("div", "pour see" if _pours(scene) else "pour", cups(scene), hand(scene), key="pour")
    below = _active(scene, scene.me)
    return box("section", "own", orders(scene), title, pour, below, key="mine")


def _pours(scene: Scene) -> bool:
    """Return whether there is nothing to do on the board: one looks at orders and cups."""
    return scene.turn.can_pour and not scene.turn.steps and not scene.ui.replayed


def _active(scene: Scene, seat: Seat) -> Element | None:
    """Return a player's active upgrades."""
    active = upgrades_line(scene, seat)
    return Element("p", "upgrade", f"{glyphs.ACTIVE} {active}") if active else None


def cups(scene: Scene) -> Element:
    """Return a player's cups."""
    assert scene.own is not None, "only an owner sees cups (R-INFO-2)"
    mugs = (_cup(scene, number) for number in range(1, len(scene.own.cups) + 1))
    return box("div", "cups", *mugs, key="cups")


def hand(scene: Scene) -> Element:
    """Return what is in the hand of the player whose turn it is."""
    return line("p", "hand", hand_parts(scene), key="hand")


def _cup(scene: Scene, number: int) -> Element:
    assert scene.own is not None, "only an owner sees cups (R-INFO-2)"
    held = scene.own.cups[number - 1]
    layers = (layer(kind, count) for kind, count in zip(Ingredient, held, strict=True) if count)
    order, caption = scene.purposes.get(number), pgettext("cup", "empty")
    if order is not None:
        caption = drink_of(scene, order)
    elif any(held):
        caption = "" if number in scene.purposes else pgettext("cup", "fits no order")
    if caption:
        caption = _("{label}: {value}").format(label=number, value=caption)
    look = "mug serves" if order is not None and order.serve else "mug"
    if scene.turn.can_pour and scene.turn.to_pour:
        look += " can"
    return _tappable(
        *(scene, Target("cup", number), look, box("span", "glass", *layers)),
        Element("span", "caption", caption or str(number)),
        name=cup_lines(scene.model, scene.view)[number - 1],
    )


def layer(kind: Ingredient, count: int) -> Element:
    """Return what a cup holds of an ingredient."""
    name = ingredient_name(kind)
    text = f"{name} x{count}" if count > 1 else name
    look = "layer long" if width(text) > LAYER_CELLS else "layer"
    return Element("span", f"{look} {look_of(token_style(kind))}", text)


def orders(scene: Scene) -> Element:
    """Return a player's orders, most urgent first, in an order that no pour or serve changes."""
    title = None if scene.ui.replayed else Element("h2", "reader", _("Your orders"))
    look = "orders many" if len(scene.orders) > FEW_ORDERS else "orders"
    look += " long" if scene.ui.replayed else ""  # with no button for keys to go to
    words = order_lines(scene.model, scene.view)[1:]
    cards: list[Part] = [_order(scene, index, words[index]) for index in _as_drawn(scene)]
    return box("div", look, title, *(cards or [_("no open orders")]), key="orders")


def _as_drawn(scene: Scene) -> list[int]:
    """Return the indices of a player's orders by slot, and as they came: cups do not matter."""
    if scene.me is None:
        return []
    known = [(order.slot, order.drink) for order in scene.orders]
    slots = [*enumerate(scene.player(scene.me).orders, start=1)]
    found: list[int] = []
    for order in ((slot, drink) for slot, drinks in reversed(slots) for drink in drinks):
        same = (index for index, shown in enumerate(known) if shown == order and index not in found)
        found.append(next(same))
    return found


def _order(scene: Scene, index: int, words: str) -> Element:
    order, sender = scene.orders[index], scene.senders[index]
    last = scene.is_expiring(scene.me or 0, order.slot)
    ready, notes = not order.lacks, []
    if last or not scene.view.closed:  # else the game ends before
        notes.append(Element("span", "urgent" if last else "when", turns_left(order.slot, last)))
    if sender is not None:
        look = f"from {seat_look(scene, sender)}"
        notes.append(Element("span", look, sent_mark(scene, sender)))
    chips: list[Element] = []  # in the same places, whatever the cup holds
    for kind, here, away in zip(Ingredient, order.held, order.missing, strict=True):
        chips += [chip(kind, "chip", ingredient_code(kind))] * here
        chips += [chip(kind, "chip need", ingredient_code(kind))] * away
    serve = Element("span", "serve", _("SERVE {cup}").format(cup=order.cup)) if ready else None
    looks = ("order", "ready" if ready else "", "hot" if last else "")
    star = glyphs.SPECIALTY if scene.view.menu[order.drink].specialty else ""
    return _tappable(
        *(scene, Target("order", index), " ".join(filter(None, looks))),
        box("span", "due", *notes) if notes else None,
        Element("span", "drink", star + drink_of(scene, order)),
        box("span", "chips", *chips),
        serve,  # over these: nothing else moves
        name=words,
        key=f"{order.drink} {[later.drink for later in scene.orders[index:]].count(order.drink)}",
    )


def chip(kind: Ingredient, look: str, text: str) -> Element:
    """Return a token of an ingredient."""
    return Element("span", f"{look} {look_of(token_style(kind))}", text)


# Moments: over the page for a second, in nobody's way


def moments(scene: Scene) -> Element | None:
    """Return what has just happened, as stamps over the page; None once it has been shown."""
    shown = scene.ui.moments
    if shown is None or not scene.ui.animated:
        return None
    stamps: list[Part] = [
        _MOMENTS[moment.what](scene, moment)
        for moment in shown.moments
        if scene.stage == ("result" if moment.what == "win" else "game")
    ]
    served = [
        moment for moment in shown.moments if moment.what == "serve" and scene.stage == "game"
    ]
    most = max((moment.count for moment in served), default=1)
    if most > 1:
        why = ngettext("{count} order in one turn", "{count} orders in one turn", most)
        shout = _("DOUBLE") if most == 2 else _("TRIPLE")
        stamps.append(box("p", "shout", shout, Element("span", "why", why.format(count=most))))
    if points := [moment.rush for moment in served if moment.seat == scene.me]:
        gain = gained(len(points), sum(points))
        stamps.append(Element("span", "point", gain))  # which flies to the score
    return box("div", "moments", *stamps, key="moments") if stamps else None


def _stamp(scene: Scene, moment: Moment, text: str, *more: Part) -> Element:
    """Return a stamp with whose moment it is, unless it is this player's."""
    name = Element("span", f"badge {seat_look(scene, moment.seat)}", scene.letter(moment.seat))
    owner = None if moment.seat == scene.me else name
    look = "stamp mine" if owner is None else "stamp"
    parts = owner, Element("span", "drink", text), *more
    return box("p", f"{look} {moment.what}", *parts, key=f"{moment.what} {moment.seat} {text}")


def _drinks(scene: Scene, moment: Moment) -> str:
    return and_list(drink_name(scene.model, drink) for drink in moment.drinks)


def _served(scene: Scene, moment: Moment) -> Element:
    gain = Element("span", "gain", gained(1, moment.rush))
    return _stamp(scene, moment, f"{glyphs.SERVED} {_drinks(scene, moment)}", gain)


def _arrived(scene: Scene, moment: Moment) -> Element:
    sender = _("from {name}").format(name=scene.name(moment.sender))
    sent = Element("span", f"from {seat_look(scene, moment.sender)}", sender)
    return _stamp(scene, moment, _drinks(scene, moment), sent)


def _expired(scene: Scene, moment: Moment) -> Element:
    count = len(moment.drinks)
    marks = Element("span", "penalty", f"{glyphs.PENALTY * count} {gained(-count, moment.rush)}")
    return _stamp(scene, moment, _drinks(scene, moment), marks)


def _upgraded(scene: Scene, moment: Moment) -> Element:
    name = sentence_case(upgrade_name(moment.upgrade))
    return _stamp(scene, moment, f"{glyphs.ACTIVE} {name}")


def _last_round(scene: Scene, moment: Moment) -> Element:
    return Element("p", "shout", _("LAST ROUND"), key="last round")


def _over(scene: Scene, moment: Moment) -> Element:
    return Element("p", "shout", _("CLOSED"), key="over")


def _won(scene: Scene, moment: Moment) -> Element:
    winners = (standing.seat for standing in scene.view.standings if standing.rank == 1)
    looks = [seat_look(scene, seat) for seat in winners]
    bits = (Element("span", looks[number % len(looks)]) for number in range(CONFETTI))
    return box("div", "confetti", *bits, key="confetti")


_MOMENTS: Final[dict[What, Callable[[Scene, Moment], Element]]] = {
    "serve": _served,
    "arrive": _arrived,
    "penalty": _expired,
    "upgrade": _upgraded,
    "last round": _last_round,
    "over": _over,
    "win": _won,
}


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
    waiting = box("p", "waiting", *_waiting(scene, seat))
    return box("li", look, head, *more, _active(scene, seat), waiting, key=str(seat))


def _waiting(scene: Scene, seat: Seat) -> Iterator[Element]:
    """Yield a player's orders by the turns that are left for them, as on this player's own."""
    orders = [*enumerate(scene.player(seat).orders, start=1)]
    for slot, drinks in reversed(orders):
        if drinks:
            last, text = scene.is_expiring(seat, slot), drink_list(scene.model, drinks)
            if last or not scene.view.closed:  # else the game ends before
                when = sentence_case(turns_left(slot, last))
                text = _("{label}: {value}").format(label=when, value=text)
            yield Element("span", "urgent" if last else "slot", text)
    if not any(drinks for _slot, drinks in orders):
        yield Element("span", "slot", _("no open orders"))


def turns_left(slot: int, last: bool) -> str:
    """Return how long an order in a slot waits, or that its last turn has come."""
    left = SLOTS - slot + 1
    turns = ngettext("{count} turn", "{count} turns", left).format(count=left)
    return _("last turn") if last else turns


# What happened


def turns_meanwhile(scene: Scene) -> Element | None:
    """Return others' turns since this player's last one; None in it.

    While the guide speaks, which needs the room, it is the latest turn alone.
    """
    if scene.turn.is_mine or scene.setting_up:
        return None
    turns = [(seat, text) for seat, text in others_turns(scene.model) if text]
    if scene.guide:
        del turns[:-1]
    return turns_told(scene, turns, key="meanwhile")


def plan_note(scene: Scene) -> Element | None:
    """Return how to plan the next turn while others play, if nothing is planned or said yet."""
    if (
        scene.stage != "game"
        or scene.turn.is_mine
        or scene.guide
        or not scene.plans
        or scene.ui.turn.ahead
        or scene.ui.note
    ):
        return None
    return Element("p", "note", _("Choose cells to plan your next walk."), key="plan")


def turns_told(scene: Scene, turns: Sequence[tuple[Seat, str]], key: str) -> Element | None:
    """Return what players did in their turns; on a small phone in a line each, to be opened."""
    if not turns:
        return None
    lines = [
        box(
            *("span", "told-turn"),
            Element("span", f"badge {seat_look(scene, seat)}", scene.letter(seat)),
            Element("span", "", text),
            key=f"{seat}",
        )
        for seat, text in turns
    ]
    if not lines[1:]:
        return box("p", "turns-told", *lines, key=f"{key} one")
    return box("details", "deeds", box("summary", "turns-told", *lines), key=key)


def saying(scene: Scene, said: Said, tag: Tag, look: str, key: str) -> Element:
    """Return a chat message with its speaker's letter and name; one to all tables in words."""
    if said.table:
        return Element(tag, look, said_line(said), key=key)
    seats = (seat for seat, player in enumerate(scene.players) if player.name == said.name)
    badge: Part = None
    for seat in seats:
        badge = Element("span", f"badge {seat_look(scene, seat)}", scene.letter(seat))
    return box(tag, look, badge, Element("span", "name", said.name), said.text, key=key)


def news(scene: Scene) -> Element:
    """Return the log with the chat, the latest first."""
    lines, model = SCROLLED["log"](scene), scene.model
    first = max(len(lines) - LOG_LINES, 0)
    emotes = {event_line(event, model): event for event in model.log if isinstance(event, Emoted)}
    told = []
    for number, entry in reversed([*enumerate(lines)][first:]):
        emote = emotes.get(entry) if isinstance(entry, str) else None
        said = Said(emote.name, emote_text(emote.emote)) if emote else entry
        told.append(
            saying(scene, said, "li", "said", str(number))
            if isinstance(said, Said)
            else Element("li", "", said, key=str(number))
        )
    title = Element("h2", "", pane_title("log"))
    return box("section", "news long", title, box("ol", "log", *told, key="log"), key="news")


def supply(scene: Scene) -> Element:
    """Return every drink with its recipe, after the supply, to be opened."""
    title = Element("summary", "", sentence_case(_("all drinks with their ingredients")))
    lines = (Element("li", "", " ".join(known.split())) for known in menu_lines(scene))
    return box("details", "supply", title, box("ul", "", *lines), key="supply")
