"""The page of a table: what there is to see in each stage, list and page, and what to tap. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final
from zlib import crc32

from msgspec.structs import replace

from coffeerush.guests.visit import Entrance, rows_of
from coffeerush.local.settings import LANGUAGES
from coffeerush.ui.advice.guide import hint_line
from coffeerush.ui.pages.form import FormRow
from coffeerush.ui.pages.pages import (
    OWN_NAMES,
    PAGES,
    ROWS,
    TABS,
    Mode,
    Page,
    page_title,
    setting_rows,
)
from coffeerush.ui.pages.rules_text import rules_sections
from coffeerush.ui.plain.sentences import order_lines
from coffeerush.ui.table.actions import (
    AT_THE_DOOR,
    OPENERS,
    ROWS as ACTIONS,
    Action,
    gives_back,
    is_offered,
    key_of,
    label_of,
    labels_of,
    lit_of,
    next_of,
    place_in_line,
)
from coffeerush.ui.table.draw_game import message_parts, news_parts, reading_clock, what_to_do
from coffeerush.ui.table.draw_hand import forecast_parts, suggestion_parts
from coffeerush.ui.table.draw_lists import choice_text, list_remarks, list_title
from coffeerush.ui.table.draw_lobby import lobby_step
from coffeerush.ui.table.draw_people import emote_of, title
from coffeerush.ui.table.draw_result import (
    award_texts,
    in_order,
    in_ranks,
    outcome,
    reasons,
    result_notes,
    result_step,
    together_columns,
    together_heading,
)
from coffeerush.ui.table.lists import (
    Choice,
    Choices,
    choices_of,
    knows_tournament,
    marked_choice,
    table_of,
)
from coffeerush.ui.table.panes import guide_tells, newest_message, together_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import TYPING, ending_of
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from coffeerush.ui.words.errors import status_line
from coffeerush.ui.words.events import has_turn_left, since_lines, since_turn, why_over
from coffeerush.ui.words.i18n import N_, _, language, pgettext
from coffeerush.ui.words.league import left_line
from coffeerush.ui.words.names import (
    and_list,
    bot_level,
    drink_name,
    ingredient_code,
    ingredient_name,
    item_list,
    name_or_you,
    orders as order_count,
    seat_player,
    sentence_case,
    upgrade_name,
)
from coffeerush.ui.words.table import (
    asker_line,
    option_lines,
    step_on_line,
    ties,
)
from protocol import (
    BOARD,
    GameEnded,
    GameStarted,
    Hello,
    Ingredient,
    PlaceMeeple,
    Said,
    Seat,
    Serve,
    Upgrade,
)

from .elements import Element, Part, Tag, box, line
from .game_page import (
    board,
    chip,
    layer,
    mine,
    moments,
    news,
    others,
    plan_note,
    saying,
    seat_look,
    supply,
    top_of_game,
    turns_meanwhile,
    turns_told,
)
from .tournament_page import is_apart, tournament, tournament_parts

if TYPE_CHECKING:
    from coffeerush.league.table import Together

ABOUT: Final = {
    "speed": N_("How fast other players' turns are shown."),
    "bell": N_(
        "The phone vibrates, if it can, when your turn begins, and when ten seconds of it are left."
    ),
}
"""What these settings do, to those who have no key to skip to their turn, and no terminal."""
UNNEEDED: Final = ("colours", "ascii", "mouse", "notify", "standby", "name")
"""The settings that only terminals or hosts follow, or that are asked for at the entrance."""
UNMARKED: Final = ("emotes", "upgrades", "empty", "serve")
"""The lists of a game, in which no entry is marked for who taps."""
READY: Final = f"{glyphs.SERVED}1"
STEPS: Final = f"{glyphs.UP} {glyphs.FROM} {glyphs.TO} {glyphs.DOWN}"
TRAILS: Final = f"{glyphs.DOT}b {glyphs.DOT}x"
SENT: Final = "from B"
MARKS: Final = (
    *(STEPS, TRAILS),
    *(glyphs.SPECIALTY, glyphs.RUSH, f"{glyphs.SERVED} {glyphs.PENALTY}{glyphs.FREE}"),
    *(glyphs.ACTIVE + 3 * glyphs.INACTIVE, SENT, glyphs.MISSING, READY),
)
"""The marks of the help that are also on the page; the first and last ones look different there."""
TAPS: Final = (
    N_("Tap a cell to walk there; in others' turns, that plans your next walk."),
    N_("Tap a cup to pour the first token in your hand into it."),
    N_("Tap an order to serve it, or to read what it still needs."),
    N_("All else is under “{button}”: giving a token back, say, or emptying a cup."),
)
"""What to tap on the table, where the buttons do not say it."""
FEW_SAID: Final = 3
"""The messages that a result shows; the log has all."""
ALL_COLUMNS: Final = 1000
"""Columns for the longest wording: a browser wraps lines."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?]) ")


def table_page(scene: Scene, address: str = "") -> Element:
    """Return the whole page of a table; `address` is where it is for the next guest."""
    if scene.ui.mode in PAGES:
        return read_page(scene.ui)
    match scene.stage:
        case "joining":
            return _joining(scene)
        case _ if is_apart(scene):
            parts = top_of_table(scene), _main(scene, tournament(scene))
        case "lobby":
            lobby = _seats(scene), _options(scene), _way_in(address), _in_short(), news(scene)
            parts = top_of_table(scene), _main(scene, *lobby)
        case "result":
            parts = top_of_table(scene), _main(scene, result(scene), _seats(scene), news(scene))
        case _:
            whole = board(scene), mine(scene), others(scene), news(scene), supply(scene)
            parts = top_of_game(scene), _main(scene, *whole)
    looks = ["page", scene.stage, "live", *["lively"] * scene.ui.settings.moments]
    looks += ["guided"] * scene.guided
    return box("div", " ".join(looks), *parts, _dock(scene), moments(scene))


def _main(scene: Scene, *parts: Part) -> Element:
    return box("div", "main", *parts, key=f"main {scene.stage}")  # each begins at its top


def _joining(scene: Scene) -> Element:
    look = "warning" if scene.model.status == "over" else ""
    return box("div", "page joining", Element("p", look, status_line(scene.model)))


def top_of_table(scene: Scene) -> Element:
    """Return the name of the table, and what is wrong with the connection."""
    name = Element("span", "turns", scene.table.name)
    lost = scene.model.status != "here"
    trouble = Element("span", "warning", status_line(scene.model)) if lost else None
    return box("header", "top", name, trouble, key="top")


# Below everything: what is said, what is to be answered, what to do next, and all other actions


def _dock(scene: Scene) -> Element:
    sheet, labels = _sheet(scene), labels_of(scene)
    primary, lit, message = _primary(scene, labels), _lit(scene, labels), _message(scene)
    said_below = primary.text if sheet is None else ""
    if message and len(message.parts) == 1 and said_below.startswith(message.parts[0].text):
        message = None
    elif message:  # what is said below is not said here, too
        parts = tuple(part for part in message.parts if part.text != said_below)
        message = replace(message, parts=parts)
    meanwhile = turns_meanwhile(scene) if scene.stage == "game" else None
    words = " ".join(part.text for part in message.parts) if message else ""
    guide = _guide(scene, f"{said_below} {words}")
    asked = _asker(scene), *_talk(scene), message
    said = *asked, _since(scene), meanwhile, plan_note(scene), guide
    if sheet is not None:
        return box("footer", "dock open", *asked, sheet, key="dock")
    beside, under = _offers(scene, lit, labels)
    told = box("div", "told wide", *said, key="told")
    offers = box("div", "offers", *under, key="offers") if under else None
    speech = box("div", "speech", told, offers, key="speech")
    if scene.ui.mode in TYPING:  # nothing that is said could be tapped
        return box("footer", "dock", speech, key="dock")
    marks = None
    if scene.stage == "game" and not scene.model.home:
        marks = button("why", Target("key", TABS["help"]), "?", name=page_title("help"), key="why")
    return box(
        *("footer", "dock", speech, box("div", "first", primary, *beside, key="first")),
        box("nav", "row", *_in_reach(scene), marks, _more(scene, labels), key="row"),
        key="dock",
    )


def _offers(
    scene: Scene, lit: set[Action], labels: dict[Action, str]
) -> tuple[list[Element], list[Element]]:
    """Return the buttons of what has become possible: beside the main one, and above it."""
    near = [action for action in Action if action in lit and action.value.told(scene)]
    under = [_lit_button(scene, action, labels) for action in lit.difference(near)]
    if scene.ui.asked == "leave":  # not where “Leave” was: a double tap must not leave
        label = label_of(scene, Action.LEAVE)
        under.append(button("stop", key_of(Action.LEAVE), label, key="stop"))
    return [_lit_button(scene, action, labels) for action in near], under


def _lit_button(scene: Scene, action: Action, labels: dict[Action, str]) -> Element:
    to = scene.ui.offer.to if action is Action.ANSWER else None
    if to is not None:
        badge = Element("span", f"badge {seat_look(scene, to)}", scene.letter(to))
        name = f"{labels[action]} {glyphs.TO} {scene.name(to)}"
        parts = badge, labels[action]
        return box("button", "beside", *parts, act=key_of(action), name=name, key=action.name)
    look = "beside" if action is Action.ANSWER else "lit"  # nobody has to answer
    return button(look, key_of(action), labels[action], key=action.name)


def _lit(scene: Scene, labels: dict[Action, str]) -> set[Action]:
    """Return the actions that stand out, apart from the main button's: not among the others."""
    lit = {action for action in lit_of(scene, labels) if "apart" not in action.value.on_page}
    return lit | {action for action, label in labels.items() if label and action.value.told(scene)}


def button(look: str, target: Target, text: str, **more: object) -> Element:
    """Return a button."""
    return Element("button", look, sentence_case(text), act=target, **more)  # type: ignore[arg-type]


def _asker(scene: Scene) -> Element | None:
    """Return who asks to come in, and the answers."""
    answers = [action for action in AT_THE_DOOR if is_offered(scene, action)]
    if not answers:
        return None
    asker = scene.model.asking[0]
    buttons = (
        button("", key_of(action), label_of(scene, action), key=f"{asker.guest} {action.name}")
        for action in answers
    )
    words = Element("p", "ask", asker_line(asker))
    return box("div", "asker", words, *buttons, key="asker", role="status")


def newest(scene: Scene) -> Element | None:
    """Return the newest message, as long as it is new."""
    said = newest_message(scene)
    return saying(scene, said, "p", "bubble", "newest") if said else None


def _talk(scene: Scene) -> list[Element | None]:
    """Return the newest message while it is new; at a result, the last few since the game.

    What was said before the game is out of date in it, and would need the room of the table.
    """
    log, begins = scene.model.log, GameStarted if scene.stage == "game" else GameEnded
    begun = max((at for at, event in enumerate(log) if isinstance(event, begins)), default=-1)
    since = [(at, event) for at, event in enumerate(log) if at > begun and isinstance(event, Said)]
    if scene.stage == "game":
        return [newest(scene) if since else None, *_emotes(scene)]
    if scene.stage != "result":
        return [newest(scene)]
    last = [saying(scene, event, "p", "bubble", f"said {at}") for at, event in since[-FEW_SAID:]]
    return [*last, None if last else newest(scene), *_emotes(scene)]


def _emotes(scene: Scene) -> Iterator[Element]:
    """Yield what has just been said by a button, unless it is read at a name in view."""
    for seat in _in_bubbles(scene):
        if text := emote_of(scene, seat):
            said = Said(scene.seats[seat].name, text)
            yield saying(scene, said, "p", "bubble", f"emote {seat}")


def _in_bubbles(scene: Scene) -> Sequence[Seat]:
    """Return whose emotes have bubbles of their own: in a game, others' are at their names."""
    if scene.stage == "result":
        return range(len(scene.seats))
    return () if scene.stage != "game" or scene.me is None else (scene.me,)


def _message(scene: Scene) -> Element | None:
    """Return what is to be said about the last tap, or about what can be done."""
    ui = scene.ui
    if scene.turn.is_mine and not ui.asked:  # each is told of on a line of its own
        told = next(filter(ui.note.endswith, since_turn(scene.model)), "")
        ui = replace(ui, note=ui.note.removesuffix(told).strip())
    # as if the upgrades were open: that one can be activated now is said by a button
    ui = replace(ui, mode="upgrades")
    shown = [f"seat{seat}" for seat in _in_bubbles(scene)]
    parts = message_parts(Scene(scene.model, ui), shown)
    pours = scene.stage == "game" and scene.tells_pours
    if pours and not ui.asked and not ui.note and scene.model.pause is None:
        parts = suggestion_parts(scene, 1)
    if not parts and scene.model.is_queuing:
        parts = [("class:note", place_in_line(scene))]  # the button beside it leaves the line
    parts = [*news_parts(scene), *parts]
    return line("p", "message", parts, key="message", role="status") if parts else None


def _since(scene: Scene) -> Element | None:
    """Return what has happened since this player's last turn, until they take a step."""
    if scene.stage != "game" or not scene.turn.is_mine or scene.guide:  # which needs the room
        return None
    if scene.setting_up or len(scene.view.path) > 1:
        return None
    return turns_told(scene, since_lines(scene.model), key="since")


def _guide(scene: Scene, said: str) -> Element | None:
    """Return what the guide says, but for what is said beside it.

    In others' turns, and on phones, it begins in two lines, to be opened: there is the table to
    look at. Those are sentences that the page has not shown yet, so each has a name of its own.
    A hint that was asked for is all that it says until it is followed.
    """
    if scene.hint and guide_tells(scene, scene.hint.text):
        return Element("p", "guide", scene.guide[-1], key="hint", role="status")
    lines = [text for text in scene.guide if text not in said]
    if not lines:
        return None
    if scene.stage != "game":
        return box("div", "guide", *(Element("p", "", text) for text in lines), key="guide")
    if scene.ui.touch:  # folded, it shows its beginning
        lines.sort(key=lambda text: not text.startswith(hint_line("")))
    told = dict.fromkeys(text for line in lines for text in _SENTENCE_END.split(line))
    new = (text for text in told if text not in said)
    spans = (Element("span", "", text, key=f"{crc32(text.encode()):x}") for text in new)
    return box("details", "guide", box("summary", "told-once", *spans), key="guide")


def _primary(scene: Scene, labels: dict[Action, str]) -> Element:
    """Return the one thing to do next, or what is waited for."""
    if ending_of(scene.ui):  # the last move is shown, and the result comes by itself
        return Element("p", "go wait", glyphs.CUT, key="go")
    if scene.ui.asked == "leave":
        return button("go", Target("key", ESCAPE), pgettext("key", "cancel"), key="go")
    if labels.get(Action.SUGGEST) and scene.suggestion:
        drinks = and_list(drink_name(scene.model, drink) for drink in scene.then_drinks)
        text = _("Pour and serve {drinks}").format(drinks=drinks) if drinks else ""
        if gives_back(scene):  # it says so, and can be undone: no question
            text = text and _("Pour, give back, serve {drinks}").format(drinks=drinks)
            text = text or pgettext("key", "pour, give back")
            return button("go stop", key_of(Action.SUGGEST), text, key="go")
        # it would end the walk, or keep from a step that the hint pays rush tokens for
        look = "go" if scene.tells_pours and not scene.view.steps_left else "go early"
        return button(look, key_of(Action.SUGGEST), text or labels[Action.SUGGEST], key="go")
    if Action.BACK in labels:
        return button("go", key_of(Action.BACK), _("Back to your table"), key="go")
    if scene.ui.playing == "reading" and (label := labels.get(Action.SUGGEST)):
        go = button("go", key_of(Action.SUGGEST), label, key="go")
        # until it goes on by itself; who reads for the first time is not hurried
        if scene.setting_up or not (left := reading_clock(scene)):
            return go
        return replace(
            go, text="", parts=(Element("span", text=go.text), Element("span", "left", left))
        )
    taps_a_tile = scene.ui.touch and scene.stage == "game" and scene.turn.places
    if not taps_a_tile and (label := labels.get(Action.NEXT)):
        return button("go", key_of(Action.NEXT), _next_label(scene, label), key="go")
    if scene.turn.must_step_on:  # there is no way to pour, and the head does not say why
        return Element("p", "go wait stuck", step_on_line(), key="go")
    if scene.turn.options and not scene.turn.places and (warning := _warning(scene)):
        return Element("p", "go wait warns", warning, key="go")
    return Element("p", "go wait", _wait(scene), key="go")


def _warning(scene: Scene) -> str:
    """Return what expires with this turn, which the head does not say; "" if nothing does."""
    told = forecast_parts(scene, ALL_COLUMNS, expiring=True)
    return next((text for style, text in told if "urgent" in style), "")


def _next_label(scene: Scene, label: str) -> str:
    coming = next_of(scene)
    match coming.wishes if coming else ():
        case (Serve() as serve,):
            drink = drink_name(scene.model, scene.turn.serves[serve])
            return _("Serve {drink}").format(drink=drink)
        case (PlaceMeeple(cell),):
            kind = ingredient_name(BOARD[cell])
            return _("{label}: {value}").format(label=sentence_case(label), value=kind)
    return label


def _wait(scene: Scene) -> str:
    """Return what this person is waiting for, or has to do on the board."""
    match scene.stage:
        case "lobby":
            return lobby_step(scene)
        case "result":
            return result_step(scene)
    if scene.turn.places:
        return _("Tap a cell to place your meeple there.")
    if scene.turn.options:
        return sentence_case(what_to_do(scene))
    if scene.model.status != "here" or scene.view.active is None or scene.turn.is_mine:
        return glyphs.CUT
    now = _("It is {name}'s turn.").format(name=scene.name(scene.view.active))
    return _next_players(scene, scene.view.active) or now  # which the head says


def _next_players(scene: Scene, active: Seat) -> str:
    """Return who plays after this turn, until it is this player's turn; "" if nobody does."""
    if scene.setting_up:  # in another order
        return ""
    count = len(scene.players)
    after = [(active + turn) % count for turn in range(1, count)]
    names = []
    for seat in after:
        if has_turn_left(seat, scene.view):
            names.append(pgettext("person", "you") if seat == scene.me else scene.name(seat))
        if seat == scene.me:
            break
    return _("Next: {names}.").format(names=item_list(names)) if names else ""


def _in_reach(scene: Scene) -> list[Element]:
    """Return the buttons that keep their places, the most important first."""
    rows = ACTIONS.items() if not scene.model.home else ()
    here = [action for action, row in rows if scene.stage in row.on_page]
    rules = [_page_button("rules")] if scene.stage == "lobby" else []  # for who is new
    asked = Action.LEAVE if scene.ui.asked == "leave" else None  # another button confirms it
    return [
        button("", key_of(action), label, off=not is_offered(scene, action) or action is asked)
        for action in sorted(here, key=lambda action: -ACTIONS[action].weight)
        if (label := label_of(scene, action)) and not _is_said_there(scene, action)
    ] + rules


def _page_button(page: Mode) -> Element:
    return button("", Target("key", TABS[page]), page_title(page), key=page)


def _is_said_there(scene: Scene, action: Action) -> bool:
    """Return whether to write is among what can be said: one button for all talk."""
    return action is OPENERS["chat"] and is_offered(scene, OPENERS["emotes"])


def _more(scene: Scene, labels: dict[Action, str]) -> Element:
    """Return all other actions, and the pages, to be opened.

    What keeps its place, whether it is offered or not, fills the lines at the bottom; above them,
    what comes and goes has lines of its own, so that it moves nothing.
    """
    lit = {Action.NEXT, *_lit(scene, labels)}
    if Action.HALL in labels:  # there is no other way to it
        labels = labels | {Action.HALL: pgettext("key", "tables")}
    stays = _staying(scene)
    passing = (
        button("passing", key_of(action), _whole(action, label), key=action.name)
        for action, label in labels.items()
        if label and action not in {*lit, *stays, Action.LEAVE} and _is_among_more(scene, action)
    )
    staying = (
        button("", key_of(action), label, off=action not in labels, key=action.name)
        for action, label in stays.items()
    )
    leave: Part = None
    if (label := labels.get(Action.LEAVE)) and _is_among_more(scene, Action.LEAVE):
        leave = button("leave", key_of(Action.LEAVE), label, key="leave")
    beside = "rules" if scene.stage == "lobby" else ""
    pages = (_page_button(page) for page in TABS if page != beside)
    summary = Element("summary", "", sentence_case(pgettext("key", "more")))
    whole = box("div", "all", *passing, *staying, *pages, leave, key="all")
    return box("details", "more", summary, whole, key="more")


def _whole(action: Action, label: str) -> str:
    whole = ACTIONS[action].whole
    return _(whole) if whole else label


def _staying(scene: Scene) -> dict[Action, str]:
    """Return the actions that keep their places under “More” for as long as a game goes on."""
    if scene.stage != "game" or scene.me is None or scene.model.home:
        return {}
    stays = ((action, ACTIONS[action].stays(scene)) for action in Action)
    return {stay: label for stay, label in stays if label and not _is_said_there(scene, stay)}


def _is_among_more(scene: Scene, action: Action) -> bool:
    row = ACTIONS[action]
    if _is_said_there(scene, action):
        return False
    return row.clickable and not {"apart", scene.stage} & {*row.on_page}


# An open list


def _sheet(scene: Scene) -> Element | None:
    """Return the open list; None if none is open."""
    if scene.ui.mode == "orders":
        return own_orders(scene)
    choices = choices_of(scene)
    if choices is None:
        return None
    # it is what Enter takes: to who taps, it would look like what has been chosen
    marked = None if scene.ui.touch and scene.ui.mode in UNMARKED else marked_choice(scene)
    entries = [
        _choice(scene, choice, "choice marked" if choice == marked else "choice")
        for choice in choices
    ]
    remarks = [Element("p", "note", line) for _s, line in list_remarks(scene)]
    below: Iterable[Part] = ()
    if scene.ui.mode == "tournament":
        remarks, below = [], () if is_apart(scene) else tournament_parts(scene)
    return box(
        "section",
        "sheet",
        Element("h2", "", list_title(scene)),
        *remarks,  # what it costs
        *(box("div", "choices", *entries, *_of_tables(scene, choices), _writing(scene)), *below),
        button("close", Target("key", ESCAPE), pgettext("key", "close")),
        key=f"sheet {scene.ui.mode}",
        role="dialog",
        name=list_title(scene),
    )


def _choice(scene: Scene, choice: Choice, look: str) -> Element:
    """Return an entry; the name of an upgrade is set off from what it does."""
    act, text = Target("key", choice.key), sentence_case(choice_text(scene, choice))
    if scene.ui.mode == "empty":
        text = _("{label}: {value}").format(label=choice.key, value=text)
    whole = button(look, act, text, off=choice.wish is None, key=choice.key)
    if scene.ui.mode != "upgrades":
        return whole
    name = sentence_case(upgrade_name(Upgrade(int(choice.key) - 1)))
    parts = Element("span", "name", name), Element("span", text=text.removeprefix(name))
    return replace(whole, text="", parts=parts, name=text)


def _writing(scene: Scene) -> Element | None:
    """Return what can be said in words of one's own, below those that are said at once."""
    if scene.ui.mode != "emotes":
        return None
    return button("choice own-words", key_of(OPENERS["chat"]), _("in your own words"), key="chat")


def _of_tables(scene: Scene, choices: Choices) -> Iterator[Element]:
    """Yield what else can be done in the list of tables, where an entry is not marked first."""
    if scene.ui.mode != "hall":
        return
    for choice in choices:
        table = table_of(scene, choice)
        if table is not None and isinstance(choice.wish, Hello):
            text = _("Watch {table}").format(table=table.name)
            yield button("choice", Target("look", table.number), text, key=f"look {choice.key}")
    label = label_of(scene, Action.SAY_TO_ALL)
    yield button("choice", key_of(Action.SAY_TO_ALL), label, key="say")
    if knows_tournament(scene.model):
        title = list_title(Scene(scene.model, replace(scene.ui, mode="tournament")))
        yield button("choice", key_of(OPENERS["tournament"]), title, key="tournament")


def own_orders(scene: Scene) -> Element:
    """Return this player's orders in sentences."""
    heading, *lines = order_lines(scene.model, scene.view)
    orders = box("ul", "", *(Element("li", "", text) for text in lines))
    close = button("close", Target("key", ESCAPE), pgettext("key", "close"))
    return box("section", "sheet", Element("h2", "", heading), orders, close, key="sheet orders")


# The lobby


def _seats(scene: Scene) -> Element:
    """Return the seats, each with who sits there."""
    seats = (_seat(scene, number) for number in range(len(scene.seats)))
    name = Element("h2", "reader", _("Seats"))
    return box("section", "seats", name, box("ol", "people", *seats), key="seats")


def _seat(scene: Scene, number: Seat) -> Element:
    seat = scene.seats[number]
    if seat.status == "open":
        return Element("li", "seat open", _("open seat"))
    words = [pgettext("person", "you")] if number == scene.me else []
    if number == scene.table.owner:
        words.append(pgettext("person", "owner"))
    if seat.status == "bot":
        words.append(_("bot, {level}").format(level=bot_level(seat.bot)))
    state = pgettext("person", "ready") if seat.ready else pgettext("person", "not ready")
    words.append(pgettext("person", "away") if seat.away else state)
    said = emote_of(scene, number)
    letter = Element("span", f"badge {seat_look(scene, number)}", scene.letter(number))
    parts = (
        letter,
        Element("span", "name", seat_player(seat, number)),
        Element("span", "serve" if seat.ready else "note", item_list(words)),
        Element("span", "bubble", f"“{said}”") if said else None,
    )
    return box("li", "seat", *parts, key=str(number))


def _options(scene: Scene) -> Element:
    lines = (Element("li", "", text) for text in option_lines(scene.model))
    return box("section", "options", box("ul", "", *lines), key="options")


def _way_in(address: str) -> Element | None:
    """Return the page's address, also as the QR code at `/qr.svg`, to be shown to a friend."""
    if not address:
        return None
    text = _("With a browser: {address}").format(address=address)
    code = Element("div", "qr", name=text, role="img")
    return box("section", "way-in", code, Element("p", "", text), key="way in")


def _in_short() -> Element:
    """Return the goal of the game and the parts of a turn, for who waits at a large window."""
    goal, _pieces, _setup, turn, *_rest = rules_sections()
    parts: list[Part] = []
    for section in (goal, turn):
        parts += [Element("h2", "", section.title), Element("p", "", section.paragraphs[0])]
    return box("section", "rules", *parts, key="rules")


# The result


def result(scene: Scene) -> Element:
    """Return who has won and how, the podium, awards, scores, and the games together."""
    winner = Element("h1", "winner", outcome(scene))
    together = together_of(scene)
    return box(
        *("section", "outcome", winner, _podium(scene), _ties(scene)),
        Element("p", "note", why_over(scene.model, scene.view)),
        *(Element("p", "note", text) for text in reasons(scene)),
        *(_awards(scene), _standings(scene)),
        _rounds(scene) if scene.table.tallies else None,
        _together(scene, together) if together else None,
        *(Element("p", "note", text) for text in result_notes(scene) if not scene.ui.replayed),
        key="outcome",
    )


def _podium(scene: Scene) -> Element:
    """Return a step for each player, best first; the style sheet puts the second at the left."""
    steps = (
        box(
            *("li", f"step rank{place.rank}"),
            Element("span", "name", sentence_case(name_or_you(scene.model, place.seat))),
            Element("span", "score", str(place.score)),
            Element("span", f"block {seat_look(scene, place.seat)}", str(place.rank)),
        )
        for place in scene.view.standings
    )
    return box("ol", "podium", *steps)


def _ties(scene: Scene) -> Element | None:
    """Return why players with the same points are on different steps; the title has the first."""
    found = ties(scene.model, scene.view)
    lines = [box("li", "", _named(scene, seat), text) for seat, text in found]
    return box("ul", "ties", *lines) if lines else None


def _awards(scene: Scene) -> Element:
    lines = (
        box("li", "", _named(scene, seat), Element("span", "star", text))
        for seat, text in zip(in_ranks(scene), award_texts(scene), strict=True)
        if text
    )
    return box("div", "awards", Element("h2", "", _("Awards")), box("ul", "", *lines))


def _named(scene: Scene, seat: Seat, tag: Tag = "span") -> Element:
    """Return a player's letter and name, or that it is this player."""
    letter = Element("span", f"badge {seat_look(scene, seat)}", scene.letter(seat))
    if seat == scene.model.played:
        return box(tag, "name", letter, sentence_case(pgettext("person", "you")))
    return box(tag, "name", letter, title(scene, seat).partition(" ")[2])


def _standings(scene: Scene) -> Element:
    score = pgettext("title of a column", "score")
    served, active, penalty = glyphs.SERVED, glyphs.ACTIVE, glyphs.PENALTY
    best = pgettext("title of a column", "best turn")
    titles = ["", "", score, f"{served} +1", f"{active} +2", f"{penalty} -1", glyphs.RUSH]
    tallies = scene.table.tallies
    rows = []
    for standing in scene.view.standings:
        seat, player = standing.seat, scene.player(standing.seat)
        numbers = (player.score, player.completed, sum(player.upgrades), player.penalties)
        cells = [*map(str, numbers), str(player.rush)]
        cells += [order_count(tallies[seat].best_served)] if tallies else []
        rows.append((f"{standing.rank}.", seat, cells))
    return _grid(scene, [*titles, *([best] if tallies else [])], rows, "standings")


def _rounds(scene: Scene) -> Element:
    """Return the scores by round."""
    count = len(scene.table.tallies[0].scores)
    first = scene.view.round - count + 1
    titles = ["", pgettext("title of a row", "round")]
    titles += [str(number) for number in range(first, first + count)]
    scores = (scene.table.tallies[seat].scores for seat in in_ranks(scene))
    rows = [("", seat, [*map(str, own)]) for seat, own in zip(in_ranks(scene), scores, strict=True)]
    return _grid(scene, titles, rows, "rounds")


def _together(scene: Scene, together: "Together") -> Element:
    """Return the results of the people at the table over all their games."""
    people = in_order(scene, together.everybody)
    columns = together_columns(scene, together, people, scene.name)
    titles = ["", "", *(column.title for column in columns)]
    rows = [
        (
            "",
            person.seats[0] if person.seats else person.career.entry.name,
            [column.cells[row] for column in columns],
        )
        for row, person in enumerate(people)
    ]
    heading = Element("h2", "", together_heading(together))
    left = left_line(together.everybody, scene.name)
    below = Element("p", "", left) if left else None
    return box("div", "together", heading, _grid(scene, titles, rows, "games"), below)


def _grid(
    scene: Scene, titles: list[str], rows: Sequence[tuple[str, Seat | str, list[str]]], look: str
) -> Element:
    """Return a table with a line for each player; those who are not at the table have a name."""
    head = box("tr", "", *(Element("td" if not text else "th", "", text) for text in titles))
    lines = (
        box(
            *("tr", "winner" if rank == "1." else ""),
            Element("td", "rank", rank),
            Element("th", "name", who) if isinstance(who, str) else _named(scene, who, "th"),
            *(Element("td", "", cell) for cell in cells),
        )
        for rank, who, cells in rows
    )
    table = box("table", look, box("thead", "", head), box("tbody", "", *lines))
    return box("div", "wide", table)


# The pages: help, rules, settings; and the form at the entrance


def read_page(ui: Page) -> Element:
    """Return the open page."""
    tabs = (
        button("tab open" if page == ui.mode else "tab", Target("key", key), page_title(page))
        for page, key in TABS.items()
        if page != ui.mode
    )
    head = box("header", "top", Element("h1", "turns", page_title(ui.mode)), key="top")
    close = button("go", Target("key", ESCAPE), pgettext("key", "close"), key="go")
    row = box("nav", "row", *tabs, key="row")
    if ui.mode == "settings":
        body = [*_settings(ui)]
    else:
        body = [*(_rules() if ui.mode == "rules" else _help(ui))]
    main = box("div", "main reading", *body, key=f"main {ui.mode}")
    return box("div", "page text", head, main, box("footer", "dock", close, row, key="dock"))


def _rules() -> Iterator[Element]:
    """Yield the rules, with a picture below each of the first two headings."""
    pictures = iter((_pictured_order(), _pictured_ingredients()))
    for section in rules_sections():
        yield Element("h2", "", section.title)
        if picture := next(pictures, None):
            yield picture
        for paragraph in section.paragraphs:
            yield Element("p", "", paragraph)


def _pictured_order() -> Element:
    """Return an order, and the cup that serves it."""
    name, needs = pgettext("drink", "Cappuccino"), [*Ingredient][:3]
    chips = (chip(kind, "chip", ingredient_code(kind)) for kind in needs)
    order = box("div", "order", Element("span", "drink", name), box("span", "chips", *chips))
    glass = box("span", "glass", *(layer(kind, 1) for kind in needs))
    caption = Element("span", "caption", _("{label}: {value}").format(label=1, value=name))
    cup = box("div", "mug serves", glass, caption)
    words = _("{label}: {value}").format(label=name, value=item_list(map(ingredient_name, needs)))
    gain = Element("span", "gain", f"{glyphs.SERVED} +1")
    arrow = Element("span", "", glyphs.TO)
    return box("div", "pictured", order, arrow, cup, gain, name=words, role="img")


def _pictured_ingredients() -> Element:
    """Return the ingredients in their colours."""
    kinds = (chip(kind, "chip", sentence_case(ingredient_name(kind))) for kind in Ingredient)
    return box("div", "chips pictured", *kinds)


def _help(ui: Page) -> Iterator[Element]:
    """Yield what to tap and the explanations of the marks, or of these and the keys."""
    if ui.touch:
        more = sentence_case(pgettext("key", "more"))
        yield from (Element("p", "", _(text).format(button=more)) for text in TAPS)
    for heading, marks in ui.help.marks:
        yield Element("h2", "", _(heading))
        yield _explained([(_shown(mark), _(text)) for mark, text in marks if mark in MARKS])
    for heading, rows in () if ui.touch else ui.help.keys:
        yield Element("h2", "", _(heading))
        yield _explained([(" ".join(map(_, caps)), _(text)) for caps, text in rows])


def _shown(mark: str) -> Part:
    """Return a mark as it looks on the page."""
    if mark == STEPS:
        return "+1 1 2 3"
    if mark == TRAILS:
        return box("span", "", *(Element("span", f"trail seat{n}", "bx"[n]) for n in (0, 1)))
    if mark == SENT:
        return f"{glyphs.FROM}B"
    if mark == glyphs.MISSING:
        return Element("span", "chip need", ingredient_code(Ingredient.COFFEE))
    return _("SERVE {cup}").format(cup=1) if mark == READY else mark


def _explained(rows: Iterable[tuple[Part, str]]) -> Element:
    lines = (box("tr", "", box("th", "cap", cap), Element("td", "", text)) for cap, text in rows)
    return box("table", "explained", box("tbody", "", *lines))


def _settings(ui: Page) -> Iterator[Element]:
    for number, (setting, row) in enumerate(zip(ROWS, setting_rows(ui.settings), strict=True)):
        if setting.field == "language":
            yield _languages(row)
        elif setting.field not in UNNEEDED:
            yield _form_row(number, row)
        if setting.field not in UNNEEDED:
            about = ABOUT.get(setting.field) if ui.touch else None
            yield Element("p", "note", _(about) if about else row.about)


def _languages(row: FormRow) -> Element:
    """Return a button for each language, in that language, as on the page to come in by."""
    buttons = (
        button(
            "choice marked" if code == language() else "choice",
            *(Target("language", code), OWN_NAMES[code]),
            key=code,
        )
        for code in LANGUAGES[1:]
    )
    label = Element("h2", "", row.label)
    return box("section", "languages", label, box("div", "choices", *buttons), key="languages")


def _form_row(number: int, row: FormRow) -> Element:
    """Return a row of a form as a button that changes it, opens it, or is typed into."""
    value = Element("span", "value", row.value) if row.value else None
    label = Element("span", "label", row.label)
    return box("button", "setting", label, value, act=Target("row", number), key=f"row{number}")


def entrance_page(form: Entrance, table: str) -> Element:
    """Return the form of somebody who has to choose another name, or how to come in."""
    rows = (_form_row(number, row) for number, row in enumerate(rows_of(form).values()))
    note = Element("p", "refusal", form.note, role="alert") if form.note else None
    head = box("header", "top", Element("h1", "turns", table or _("Coffee Rush")), key="top")
    enter = button("go", Target("key", ENTER), pgettext("key", "connect"), key="go")
    dock = box("footer", "dock", note, enter, key="dock")
    return box("div", "page text", head, box("div", "main reading", *rows, key="main"), dock)
