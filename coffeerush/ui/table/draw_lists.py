"""Draw the open list to choose from, and the scrolling panes."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import CloseHost, OpenToGuests, has_room
from coffeerush.client.tournament import podium
from coffeerush.ui.pages.pages import more_line
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import (
    Area,
    Canvas,
    Fragment,
    Parts,
    Target,
    aligned,
    cut,
    fit,
    overlap,
    size,
    width,
    wrap,
)
from coffeerush.ui.terminal.keys import ENTER, TAB
from coffeerush.ui.terminal.parts import AIRY_ROWS, draw_lines, draw_marks
from coffeerush.ui.words.i18n import N_, _, pgettext
from coffeerush.ui.words.names import (
    and_list,
    bot_level,
    counts_line,
    drink_name,
    emote_text,
    seat_player,
    seat_style,
    seat_title,
    sentence_case,
    upgrade_help,
    upgrade_name,
)
from coffeerush.ui.words.table import (
    asked_line,
    first_line,
    guests_come_line,
    hall_line,
    no_guests_line,
    not_in_a_game,
    rules_told,
    watching_lines,
)
from coffeerush.ui.words.tournament import (
    remark,
    resting_line,
    rule_lines,
    scoring_line,
    standing_cells,
    standing_titles,
    tournament_line,
    waiting_line,
)
from protocol import (
    COMPLETED_PER_UPGRADE,
    NAME_CELLS,
    PENALTIES_TO_CLOSE,
    Bye,
    Emote,
    Enter,
    HandOver,
    Hello,
    LookAt,
    MoveSeat,
    Queue,
    Remove,
    Said,
    Seat,
    Serve,
    StandUp,
    TableSummary,
    TakeOver,
    TournamentPlayer,
    Upgrade,
)

from .draw_people import OWN_SPOKEN, SPOKEN, emote_of
from .lists import (
    NEW_TABLE_KEY,
    RULE_KEYS,
    TOURNAMENT_KEY,
    TOURNAMENT_RULE_KEYS,
    Choice,
    choices_of,
    has_values,
    knows_tournament,
    listed_tables,
    marked_choice,
    table_of,
)
from .panes import (
    LOW,
    guide_area,
    log_or_guide,
    newest_lines,
    newest_message,
    open_pane,
    pane_lines,
    pane_names,
    pane_title,
    said_line,
    starts_at_top,
    unread,
)
from .scene import Scene
from .state import TYPING

# Drawing of the scrolling panes: log, other players, chat, supply and menu, guide


SHOWN: Final = "newest message in a pane"
TOLD: Final = "newest message elsewhere"
HALL_MESSAGES: Final = 3
"""The newest messages to all tables that the list of tables shows."""
NEWEST_EDGE: Final = 3
"""Cells around the newest message next to the titles."""
MOST_MESSAGE: Final = 30
"""Cells for which the last titles give way to names, scores and the newest message."""
MIN_MESSAGE: Final = 16
"""Minimum cells next to the titles for the newest message."""


def draw_guide_box(canvas: Canvas, scene: Scene) -> None:
    """Draw the guide over everything between header, or standings, and footer."""
    area = guide_area(scene)
    y, rows = area.y - 1, area.rows + 1
    canvas.fill(0, y, canvas.columns, rows)
    hide_newest(canvas, Area(0, y, canvas.columns, rows))
    canvas.zone(0, y, canvas.columns, rows, Target("key", ENTER))
    canvas.rule(0, y, canvas.columns, pane_title("guide"))
    draw_pane(canvas, scene, area, "guide")


def draw_tabs(
    canvas: Canvas, scene: Scene, area: Area, kind: str, has_scores: bool = False
) -> None:
    """Draw a rule with the titles of the panes, and the newest message if no pane shows it.

    A click on a title opens the pane, on the title of the open one the next. With `has_scores`, the
    other players' names, scores and penalties are the title of their pane.
    """
    canvas.rule(area.x, area.y, area.columns)
    canvas.marks["tabs"] = Area(area.x, area.y, area.columns, 1)
    new = 0 if SHOWN in canvas.marks else unread(scene)
    x, end = area.x + 1, area.x + area.columns - 1
    scores = _score_room(canvas, scene, area.columns - 2, new) if has_scores else 0
    titles = _titles(scene, kind, area.columns - 2 - scores, new)
    for name, title in titles:
        if has_scores and name == "others":
            taken = sum(width(text) for other, text in titles if other != name)
            room = area.columns - 2 - taken
            x = _scores(canvas, scene, x, area.y, room)
            continue
        is_open = name == open_pane(scene, kind)
        style = "class:title" if is_open else "class:tab"
        if name == "chat" and new:
            style = "class:fresh"
        target = Target("key", TAB) if is_open else Target("pane", name)
        canvas.zone(x, area.y, width(title), 1, target)
        x = canvas.put(x, area.y, title, style)
    draw_newest(canvas, scene, Area(x + 1, area.y, end - x - 1, 1))


def _score_room(canvas: Canvas, scene: Scene, columns: int, new: int) -> int:
    """Return the cells that these and the newest message need beyond a pane's title.

    They leave room for this title and the open one.
    """
    title = width(_tab("others", "", 0))
    needed = size(_score_parts(scene, NAME_CELLS)) - title
    needed = max(needed, 0) + _message_room(canvas, scene)
    return min(needed, columns - title - width(_tab("guide", "guide", new)))


def _message_room(canvas: Canvas, scene: Scene) -> int:
    """Return the cells that the newest message needs, of which it can have some more."""
    said = _said_beside(canvas, scene)
    return min(width(said) + NEWEST_EDGE, MOST_MESSAGE) if said else 0


def _scores(canvas: Canvas, scene: Scene, x: int, y: int, room: int) -> int:
    """Draw what is known of the other players, in at most `room` cells; return the end.

    Nothing else on the screen says whose the letters are, so names are shortened before they go.
    This player, who plays after them, is added where nothing has to give way to that.
    """
    parts = fit([_score_parts(scene, cells) for cells in range(NAME_CELLS, -1, -1)], room, size)
    whole = [*_score_parts(scene, NAME_CELLS), *_own_place(scene)]
    parts = whole if size(whole) + _message_room(canvas, scene) <= room else parts
    canvas.zone(x, y, size(parts), 1, Target("pane", "others"))
    return canvas.puts(x, y, parts, room)


def _own_place(scene: Scene) -> Parts:
    """Return this player's place in the order of play, after the others."""
    style = "class:name underline" if scene.turn.is_mine else "class:name"
    you = (style, pgettext("person", "you"))
    return [("class:dim", glyphs.TO), ("", " "), you, ("", " ")]


def _score_parts(scene: Scene, cells: int) -> Parts:
    """Return the other players: letters, names in at most so many cells, scores and penalties.

    Also who is away. They are in the order of play, and who is on is underlined: the top line names
    them, and beside the titles a pointer is for the open pane.
    """
    parts: Parts = [("", " ")]
    for seat in scene.others:
        on = scene.view.active == seat
        parts += [("class:dim", glyphs.TO)] if len(parts) > 1 else []
        parts += [("", " ")]
        style = seat_style(scene.seats, seat) + " underline" * on
        letter, name = scene.letter(seat), cut(scene.name(seat), cells)
        known = f"{letter} {name}" if name else letter
        score = ("class:score", f" {scene.player(seat).score} ")
        gone = [("class:note", " " + pgettext("person", "away"))] * scene.players[seat].away
        parts += [(style, known), *gone, score]
        parts += _penalty_part(scene.player(seat).penalties)
    return parts


def _penalty_part(count: int) -> Parts:
    """Return the number of penalties, if any; of how many, where the next one closes the café."""
    if count == PENALTIES_TO_CLOSE - 1:
        return [("class:urgent", f"{glyphs.PENALTY}{count}/{PENALTIES_TO_CLOSE} ")]
    return [("class:penalty", f"{glyphs.PENALTY}{count} ")] if count else []


def draw_newest(canvas: Canvas, scene: Scene, line: Area) -> None:
    """Draw the newest message if no pane shows it and the line has room; a click opens the chat.

    What this person has just said by a key comes before a message that they have read.
    """
    said = _said_beside(canvas, scene)
    if said and line.columns >= MIN_MESSAGE:
        own = _own_emote(scene)
        style = "class:said" if own or unread(scene) else "class:tab"
        text = f" {cut(said, line.columns - 2)} "
        canvas.zone(line.x, line.y, width(text), 1, Target("pane", "chat"))
        canvas.put(line.x, line.y, text, style)
        canvas.marks[OWN_SPOKEN if own else TOLD] = Area(line.x, line.y, width(text), 1)


def _said_beside(canvas: Canvas, scene: Scene) -> str:
    """Return what stands beside the titles of the panes; "" for nothing."""
    if own := _own_emote(scene):
        return own
    said = newest_message(scene) if SHOWN not in canvas.marks else None
    return said_line(said) if said else ""


def _own_emote(scene: Scene) -> str:
    """Return what this person has just said by a key, unless a message waits to be read."""
    said = "" if scene.me is None or unread(scene) else emote_of(scene, scene.me)
    return f"<{scene.model.name}> {said}" if said else ""


def hide_newest(canvas: Canvas, area: Area) -> None:
    """Forget that a message or an emote is visible if it is in an area that is drawn over."""
    for mark in (SHOWN, TOLD, SPOKEN, OWN_SPOKEN):
        covered = canvas.marks.get(mark)
        if covered and overlap(covered, area):
            del canvas.marks[mark]


def _titles(scene: Scene, kind: str, room: int, new: int) -> list[tuple[str, str]]:
    """Return the panes and their titles, each in its place; as many as fit beside the open one."""
    chosen, found = open_pane(scene, kind), []
    names = [log_or_guide(scene, name) for name in pane_names(kind)]
    titles = {name: _tab(name, chosen, new) for name in names}
    room -= width(titles[chosen])
    for name, title in titles.items():
        room -= 0 if name == chosen else width(title)
        if name == chosen or room >= 0:
            found.append((name, title))
    return found


def _tab(name: str, chosen: str, new: int) -> str:
    title = f"{pane_title(name)} ({new})" if new and name == "chat" else pane_title(name)
    return f"{glyphs.POINTER if name == chosen else ' '} {title} "


def draw_pane(
    canvas: Canvas,
    scene: Scene,
    area: Area,
    name: str,
    scroll: int | None = None,
    wrapped: bool = True,
) -> None:
    """Draw a scrolled pane; arrows at its right show that there is more.

    In one row, lines that are not wrapped but truncated begin with what is most important.
    """
    columns = area.columns - 2 if wrapped else None
    lines = pane_lines(scene, name, columns)
    if scroll is None:  # behind an open list, it is the list that scrolls
        scroll = scene.ui.scroll if scene.ui.mode in ("table", *TYPING) else 0
    inner = replace(area, columns=area.columns - 2)
    shown = draw_lines(canvas, inner, lines, scroll, starts_at_top(scene, name))
    draw_marks(canvas, area, shown, len(lines))
    newest = newest_lines(scene, name, columns, len(lines))
    if newest and newest.start in shown and width(lines[newest.start][1]) <= inner.columns:
        top, rows = area.y + newest.start - shown.start, min(newest.stop, shown.stop) - newest.start
        canvas.marks[SHOWN] = Area(area.x, top, area.columns, rows)


# The open list to choose from: title, entries with their keys, and a remark


_TITLES: Final = {
    "upgrades": N_("Upgrades"),
    "empty": N_("Empty which cup?"),
    "serve": N_("Serve which order?"),
    "bots": N_("Seat which bot?"),
    "seats": N_("Remove whom?"),
    "room": N_("Who plays next?"),
    "agreed": N_("Setup of the next game"),
    "emotes": N_("Say to everybody"),
    "hall": N_("Tables of this host"),
    "host": N_("Who should host the table?"),
    "leaving": N_("Leave the table?"),
    "succeed": N_("Host the table?"),
    "tournament": N_("Tournament"),
}


def list_title(scene: Scene) -> str:
    """Return the title of the open list."""
    return _(_TITLES[scene.ui.mode])


def list_rows(scene: Scene, columns: int) -> int:
    """Return the rows that a box with the open list needs; 0 if none is open."""
    return len(_lines(scene, columns - 4)[0]) + 2 if choices_of(scene) is not None else 0


def draw_choices(canvas: Canvas, scene: Scene, area: Area) -> None:
    """Draw the open list, if any, as a scrollable box over an area."""
    if choices_of(scene) is None:
        return
    room = area.columns - 4
    lines, keys, marked = _lines(scene, room)
    rows = min(len(lines) + 2, area.rows)
    # in a game the list hides the whole area; a lobby stays visible around it
    high = area.rows if scene.stage == "game" else rows
    canvas.fill(area.x, area.y, area.columns, high)
    hide_newest(canvas, Area(area.x, area.y, area.columns, high))
    canvas.zone(area.x, area.y, area.columns, high, Target("row", 0))  # covers the zones below
    canvas.box(area.x, area.y, area.columns, rows, list_title(scene))
    inner = Area(area.x + 1, area.y + 1, room + 2, rows - 2)
    scroll = max(scene.ui.scroll, marked.stop - inner.rows)
    visible = draw_lines(canvas, inner, lines, scroll, keys=keys)
    left = len(lines) - visible.stop
    for number in visible:
        if lines[number][1][1:2] == keys.get(number):  # like a key in the footer, unlike a name
            canvas.tint(Area(inner.x + 1, inner.y + number - visible.start, 1, 1), "class:key")
    more = f" {more_line(left)} " if left else ""
    canvas.put(area.x + 2, area.y + rows - 1, more, "class:more", room)
    if keys:
        _draw_keys(canvas, replace(area, rows=rows), width(list_title(scene)), width(more))


def _draw_keys(canvas: Canvas, area: Area, title: int, more: int) -> None:
    """Say in the lower or the upper edge of a list that its keys need no Enter."""
    text = " " + _("Press a key to choose") + " "
    x = area.x + area.columns - 2 - width(text)
    if more + width(text) <= area.columns - 4:
        canvas.put(x, area.y + area.rows - 1, text, "class:keylabel")
    elif title + 2 + width(text) <= area.columns - 4:
        canvas.put(x, area.y, text, "class:keylabel")


def choices_end(scene: Scene) -> int:
    """Return the number of lines to scroll in a list; slightly too many if it is drawn wide."""
    return len(_lines(scene, scene.ui.size[0] // 2)[0]) - 1


def _lines(scene: Scene, room: int) -> tuple[list[Fragment], dict[int, str], range]:
    """Return the lines, the key that a click on each presses, and which lines are marked."""
    lines: list[Fragment] = []
    keys: dict[int, str] = {}
    chosen, marked = marked_choice(scene), range(0)
    for choice in choices_of(scene) or ():
        text = choice_text(scene, choice)
        if has_values(choice):
            text = f"{text} {glyphs.BACK}{glyphs.POINTER}"
        parts = wrap(text, room - 2, "")
        numbers = range(len(lines), len(lines) + len(parts))
        style = "class:name" if choice.is_open else "class:dim"
        if choice == chosen:
            marked, style = numbers, "class:ask"
        if choice.is_open:
            keys |= dict.fromkeys(numbers, choice.key)
        pointer = glyphs.POINTER if choice == chosen else " "
        first = f"{pointer}{choice.key} {parts[0]}"
        lines += [(style, first), *((style, f"   {part}") for part in parts[1:])]
    return lines + _remarks(scene, room, len(lines)), keys, marked


def _remarks(scene: Scene, room: int, entries: int) -> list[Fragment]:
    """Return the lines below so many with entries, each of at most `room` cells and a blank."""
    if scene.ui.mode != "tournament":
        return _wrapped(list_remarks(scene), room)
    above, below = about_tournament(scene)
    table = [(style, f" {line}") for style, line in standing_rows(scene, room)]
    parts = [part for part in (_wrapped(above, room), table, _wrapped(below, room)) if part]
    rows = scene.ui.size[1]
    needed = entries + sum(map(len, parts)) + len(parts) - 1 + TOURNAMENT_EDGE
    gap = [("", "")] * (rows >= AIRY_ROWS or (rows >= needed and not has_podium(scene)))
    return [line for at, part in enumerate(parts) for line in (*(gap if at else ()), *part)]


def _wrapped(lines: list[Fragment], room: int) -> list[Fragment]:
    return [(style, f" {part}") for style, line in lines for part in wrap(line, room, "") if part]


def choice_text(scene: Scene, choice: Choice) -> str:
    """Return the words of an entry of the open list."""
    match scene.ui.mode:
        case "upgrades":
            return upgrade_text(scene, Upgrade(int(choice.key) - 1))
        case "empty":
            assert scene.own is not None, "it has cups"
            held = scene.own.cups[int(choice.key) - 1]
            return counts_line(held) if any(held) else pgettext("cup", "empty")
        case "serve":
            return _serve(scene, choice)
        case "bots":
            return bot_level(choice.name)
        case "agreed":
            return _agreed(scene, choice)
        case "hall":
            return _table(scene, choice)
        case "tournament":
            return _tournament(scene, choice)
        case "room":
            return _making_room(scene, choice)
        case "host" | "leaving" | "succeed":
            return _hosting(scene, choice)
    if isinstance(choice.wish, Emote):
        return emote_text(choice.wish.emote)
    if isinstance(choice.wish, Remove):
        return seat_title(scene.seats[choice.wish.seat], choice.wish.seat)
    return choice.name


def _hosting(scene: Scene, choice: Choice) -> str:
    """Return what comes of a choice about who hosts the table."""
    match choice.wish:
        case HandOver(to=None):
            return _("stop asking {name}").format(name=choice.name)
        case HandOver(to=name, leaving=True):
            return _("hand the table to {name}, and leave").format(name=name)
        case HandOver(to=name):
            return _("let {name} host, and stay").format(name=name)
        case TakeOver(agreed=True):
            return _("yes, on this computer")
        case TakeOver():
            return _("no")
        case Bye():
            return _("leave; the table stays on this computer")
        case CloseHost() if len(scene.model.tables) > 1:
            return _("close all tables for everybody")
        case CloseHost():
            return _("close the table for everybody")
    return (
        _("{name} is taking over the table").format(name=choice.name) if choice.name else _("stay")
    )


def _sitting(scene: Scene, seat: Seat) -> str:
    """Return the name of the person there now, maybe another than played; "" on an open seat."""
    return seat_player(scene.seats[seat], seat)


def upgrade_text(scene: Scene, upgrade: Upgrade) -> str:
    """Return the name of an upgrade of this player's, and what it does."""
    active = scene.player(scene.me or 0).upgrades[upgrade]
    text = _("{upgrade}, active: {what}") if active else _("{upgrade}: {what}")
    return text.format(upgrade=sentence_case(upgrade_name(upgrade)), what=upgrade_help(upgrade))


def _table(scene: Scene, choice: Choice) -> str:
    """Return a table of the host, and what one does there."""
    if choice.key == NEW_TABLE_KEY:
        return _("open another table")
    keys = [choice.key for choice in choices_of(scene) or ()]
    return _entry(scene, choice, listed_tables(scene)[keys.index(choice.key)])


def _entry(scene: Scene, choice: Choice, table: TableSummary) -> str:
    if isinstance(choice.wish, Queue):
        text = _("{entry} (you are here; play next)")
    elif table.number == scene.model.number:
        text = _("{entry} (you are here)")
    elif has_room(table) and not isinstance(choice.wish, LookAt):
        text = _("{entry} (sit down)")
    else:
        text = _("{entry} (watch)")
    return text.format(entry=hall_line(table, lettered=True))


def _tournament(scene: Scene, choice: Choice) -> str:
    """Return what an entry about the tournament does, or the rule that it changes."""
    view, wish = scene.model.tournament, choice.wish
    if choice.closes or isinstance(wish, LookAt):
        own = (table for table in scene.model.tables if table.number == scene.model.number)
        table = next(own) if choice.closes else table_of(scene, choice)
        assert table is not None, "it is one of the list"
        return _entry(scene, choice, table)
    if meeting := isinstance(wish, Hello) and table_of(scene, choice):
        return _("go to {table}, where everybody meets").format(table=meeting.name)
    if view is None or choice.key == "a":
        return _("announce a tournament that everybody at this host can enter")
    match choice.key:
        case "e" if isinstance(wish, Enter) and wish.entered:
            if view.stage == "entry":
                return _("take part in the tournament")
            return _("take part in the tournament from the next round on")
        case "e":
            if view.stage != "round":
                return _("withdraw from the tournament")
            return _("withdraw from the tournament after this round")
        case "b":
            if view.stage == "round":
                return _("the next round can begin once all games of this one are over")
            if wish is None:
                return _("a round needs at least two people who have entered")
            text = _("begin round {round} of {rounds}")
            return text.format(round=view.round + 1, rounds=max(view.rounds, view.round + 1))
    if choice.key in TOURNAMENT_RULE_KEYS:
        told = rule_lines(replace(view, rules=scene.model.tournament_rules))
        return told[TOURNAMENT_RULE_KEYS.index(choice.key)]
    return _("end the tournament")


def _agreed(scene: Scene, choice: Choice) -> str:
    if isinstance(choice.wish, MoveSeat):
        return _moved(scene, choice.wish)
    if isinstance(choice.wish, OpenToGuests):
        return no_guests_line() if choice.wish.allowed else guests_come_line()
    if choice.key in RULE_KEYS:
        return rules_told(scene.table)[RULE_KEYS.index(choice.key)]
    return first_line(scene.table)


def _moved(scene: Scene, wish: MoveSeat) -> str:
    """Return who changes places, or who moves to an open seat."""
    seats = wish.seat, wish.to
    names = {seat: name for seat in seats if (name := _sitting(scene, seat))}
    if len(names) == len(seats):
        return _("{names} change places").format(names=and_list(names.values()))
    ((before, name),) = names.items()
    to = sum(seats) - before
    return _("{name} moves to seat {number}").format(name=name, number=to + 1)


def _making_room(scene: Scene, choice: Choice) -> str:
    if isinstance(choice.wish, StandUp):
        seat = choice.wish.seat or 0
        if seat == scene.me:
            return _("you stand up")
        text = _("{name} stands up")
        if scene.seats[seat].status == "bot":
            text = _("{name} leaves")
        return text.format(name=_sitting(scene, seat))
    if choice.name == scene.model.queued[0]:
        return _("{name} plays next").format(name=choice.name)
    return _("{name} is waiting: let them play next").format(name=choice.name)


def _serve(scene: Scene, choice: Choice) -> str:
    if not isinstance(choice.wish, Serve):
        return _("none: end the turn")
    return _("{drink} in slot {slot}, with cup {cup}").format(
        drink=drink_name(scene.model, scene.turn.serves[choice.wish]),
        slot=choice.wish.slot,
        cup=choice.wish.cup,
    )


def list_remarks(scene: Scene) -> list[Fragment]:
    """Return what is to be known about the open list, but for a tournament, as (style, line)."""
    if scene.ui.mode == "hall":
        return _about_hall(scene)
    return [("class:dim", line)] if (line := _list_remark(scene)) else []


def _about_hall(scene: Scene) -> list[Fragment]:
    """Return who watches, what is not possible now, and what was said to all tables."""
    lines = [*watching_lines(scene.model)]
    if scene.model.going_to(None) is None:
        lines.append(not_in_a_game())
    if knows_tournament(scene.model) and not scene.ui.touch:
        lines.append(_("“{key}” opens the tournament.").format(key=TOURNAMENT_KEY))
    heard = scene.model.history.since(scene.ui.met)
    said = [event for event in heard if isinstance(event, Said) and event.table]
    return [
        *(("class:dim", line) for line in lines),
        *(("class:said", said_line(event)) for event in said[-HALL_MESSAGES:]),
    ]


# The list of a tournament: how it stands, the standings, and its rules


TOURNAMENT_EDGE: Final = 5
"""Rows around the list: header, edges, message and footer."""
_BRIEF: Final = 3
"""The column of the standings whose title has a shorter wording, and the one after it a mark."""


def about_tournament(scene: Scene) -> tuple[list[Fragment], list[Fragment]]:
    """Return what is said above the standings and below them, as (style, line)."""
    view = scene.model.tournament
    if view is None:
        return [], []
    state = "" if has_podium(scene) else tournament_line(scene.model, scene.round_left)
    rules = (*rule_lines(view), scoring_line()) if view.stage != "over" else ()
    if scene.model.owns_hall and view.stage == "entry":
        rules = rules[-1:]  # the others can be changed above
    people = resting_line(scene.model), waiting_line(scene.model)
    above = [("class:note", state), *(("", line) for line in people)]
    return [line for line in above if line[1]], [("class:dim", line) for line in rules]


def has_podium(scene: Scene) -> bool:
    """Return whether a podium is drawn above the list of a tournament, until that is scrolled."""
    view = scene.model.tournament
    is_over = view is not None and view.stage == "over" and bool(podium(view.players))
    has_room = scene.ui.size[1] >= LOW and not scene.ui.scroll
    return is_over and scene.stage in ("lobby", "result") and has_room


def standing_rows(scene: Scene, room: int) -> list[Fragment]:
    """Return the standings in columns, as (style, line), in the longest wording that fits."""
    view = scene.model.tournament
    players = [player for player in view.players if player.place] if view else []
    if not players:
        return []
    lines = fit(_standing_wordings(scene, players, room), room, _longest)
    own = scene.model.entrant
    styles = [
        "class:mine" if player == own else "class:dim" * player.withdrawn for player in players
    ]
    headed = ["class:label"] * (len(lines) - len(players))
    return [*zip((*headed, *styles), lines, strict=True)]


def _standing_wordings(
    scene: Scene, players: list[TournamentPlayer], room: int
) -> Iterator[list[str]]:
    """Yield the standings: whole, without rounds, with brief titles, without, truncated names."""
    titles, rows = standing_titles(), [standing_cells(player) for player in players]
    if any(remarks := [remark(scene.model, player) for player in players]):
        yield [*aligned((*titles, ""), *(map(_with, rows, remarks)))]
        brief = [row[:-1] for row in rows]
        yield [*aligned((*titles[:-1], ""), *(map(_with, brief, remarks)))]
    yield [*aligned(titles, *rows)]
    rows = [row[:-1] for row in rows]
    yield [*aligned(titles[:-1], *rows)]
    share = pgettext("title of a column", "share")
    titles = (*titles[:_BRIEF], share, glyphs.PENALTY)
    yield [*aligned(titles, *rows)]
    yield (lines := [*aligned(*rows)])
    names = max(width(row[1]) for row in rows) + room - _longest(lines)
    yield [*aligned(*((row[0], cut(row[1], names), *row[2:]) for row in rows))]


def _with(row: tuple[str, ...], last: str) -> tuple[str, ...]:
    return (*row, last)


def _longest(lines: list[str]) -> int:
    return max(map(width, lines))


def _list_remark(scene: Scene) -> str:
    if scene.ui.mode == "succeed":
        return asked_line(scene.model)
    if scene.ui.mode == "empty":
        return _("Its ingredients go back to the supply.")
    if scene.ui.mode == "seats" and scene.stage != "game" and not scene.ui.touch:
        return _("“s” makes them stand up instead, so they can stay and watch.")
    if scene.ui.mode == "agreed":
        return _("Starter orders and the number of seats are chosen when the table is opened.")
    if scene.ui.mode != "upgrades":
        return ""
    text = _(
        "One per turn, before the first step. It scores 2 points but costs {needs} completed "
        "orders, which are worth a point each; you have {have}."
    )
    return text.format(needs=COMPLETED_PER_UPGRADE, have=scene.player(scene.me or 0).completed)
