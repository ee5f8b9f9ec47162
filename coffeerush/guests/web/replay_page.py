"""The replay and the review of a game as a page: what there is to see, and to tap. Pure."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from coffeerush.ui.advice.review import Review, ReviewedTurn
from coffeerush.ui.pages.pages import PAGES
from coffeerush.ui.plain.sentences import cup_lines
from coffeerush.ui.replay.draw_replay import cups_parts, line_label, typed_label
from coffeerush.ui.replay.replay import (
    Frame,
    Replay,
    Reviewing,
    balance,
    fine_line,
    judgement,
    line_note,
    name_of,
    notes,
    penalty_lines,
    praise,
    why,
)
from coffeerush.ui.replay.replay_input import Watch, turn_revs
from coffeerush.ui.table.panes import pane_title
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import INTERRUPT
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import sentence_case
from protocol import CUPS, Seat, Step

from .elements import Element, Part, box, line
from .game_page import board, cups, hand, orders, player, top_of_game
from .page import button, newest, own_orders, read_page, result, top_of_table

NO_CELL: Final = -1
"""The cursor where nothing can be placed."""


def replay_page(replay: Replay, watch: Watch, table: Scene) -> Element:
    """Return the page of a position in a replay; `table` is what goes on at the table."""
    if watch.page.mode in PAGES:
        return read_page(watch.page)
    shown = watch.shown(replay)
    frame = shown.frame(watch.at)
    scene = Scene(frame.model, watch.page)
    own = _own(shown, frame, watch)
    known = watch.reviewing
    good, curve, review = None, None, None
    if known and known.review and shown is replay:  # a better line has only one of its positions
        good = _good(replay, known.review, watch.own)
        curve, review = _curve(known, known.review, watch.at), _review(replay, known.review)
    if scene.stage == "result":
        stage, top = "result", top_of_table(scene)
        parts = [good, curve, review] if review else [result(scene)]
    else:
        stage, top = "game", top_of_game(scene)
        people = _players(shown, frame, scene, own.me)
        if shown is replay and not curve:
            curve = _rounds(replay, scene)
        parts = [board(_with_way(scene, watch)), curve, _cups(own), people, good, review]
    if not (watch.page.touch or _is_whole(watch, replay)):  # a number to type, of this position
        place = Element("span", "place", shown.place(watch.at))
        top = replace(top, parts=(*top.parts, place))
    told = box("div", "told long", *_told(replay, watch, frame, table), key="story")
    dock = box("footer", "dock", told, _next(watch, shown), _row(watch, shown), key="dock")
    if watch.page.mode == "orders":
        dock = box("footer", "dock open", own_orders(own), key="dock")
    main = box("div", "main", *parts, key="main")
    return box("div", f"page {stage} replayed", top, main, dock)


def _is_whole(watch: Watch, replay: Replay) -> bool:
    """Return whether a finished review is shown as a whole, in place of the result."""
    known = watch.reviewing
    return bool(watch.at == replay.last and known and known.review and not known.line)


def _with_way(scene: Scene, watch: Watch) -> Scene:
    """Return the scene with the whole walk of a turn that a review judges, where it begins."""
    known = watch.reviewing
    turn = known.turn_at(watch.at) if known and not known.line else None
    if turn is None or turn.turn.rev != watch.at:
        return scene
    walked = [intent.cell for intent in turn.turn.intents if isinstance(intent, Step)]
    view = replace(scene.view, path=(NO_CELL, *walked))
    return Scene(replace(scene.model, view=view), scene.ui)


def _rounds(replay: Replay, scene: Scene) -> Element:
    """Return buttons that lead to where each round begins."""
    buttons = (
        button("lit" if number == scene.view.round else "", Target("rev", rev), str(number))
        for number, rev in enumerate(replay.rounds, 1)
    )
    title = sentence_case(pgettext("title of a row", "round"))
    return box("section", "curve", Element("p", "note", title), box("div", "bars", *buttons))


def _own(replay: Replay, frame: Frame, watch: Watch) -> Scene:
    """Return the scene from the point of view that is shown."""
    seat = frame.viewpoint if watch.viewpoint is None else watch.viewpoint
    return Scene(replay.seen_by(frame, seat), replace(watch.page, cursor=NO_CELL))


def _cups(own: Scene) -> Element:
    """Return the cups of one player, the hand, and the orders, which may be many."""
    title = Element("h2", "", own.name(own.me or 0))
    return box("section", "own", title, hand(own), cups(own), orders(own), key="mine")


def _players(replay: Replay, frame: Frame, scene: Scene, above: Seat | None) -> Element:
    """Return all players with their cups, unless these are above; a tap on a name shows them."""
    people = (
        player(
            *(scene, seat, _held(replay, frame, seat) if seat != above else None),
            act=Target("seat", seat),
        )
        for seat in range(replay.players)
    )
    title = Element("h2", "reader", pane_title("others"))
    return box("section", "others", title, box("ul", "people", *people), key="others")


def _held(replay: Replay, frame: Frame, seat: Seat) -> Element:
    """Return what is in a player's cups."""
    model = replay.seen_by(frame, seat)
    assert model.view is not None, "a frame always has one"
    words = " ".join(cup_lines(model, model.view)[:CUPS])
    return line("p", "hand", cups_parts(frame, seat), name=words, role="img")


# The review: what was good first, then what cost most


def _good(replay: Replay, review: Review, own: Seat | None) -> Element:
    """Return whose turns a finished review is about, and what was good."""
    name = name_of(replay, review.seat)
    title = _("Analysis for {name}").format(name=name)
    you = _("Here, “you” is {name}.").format(name=name) if own != review.seat else ""
    return box(
        *("section", "review", Element("h2", "", title)),
        Element("p", "note", you) if you else None,
        *(Element("p", "serve", text) for text in praise(review)),
        key="good",
    )


def _review(replay: Replay, review: Review) -> Element:
    """Return what cost most, and the sum; a tap on a turn leads to it."""
    worst = sorted(review.marked, key=lambda turn: -turn.cost)
    turns = (
        button("choice", Target("rev", turn.turn.rev), f"{judgement(turn)} {why(replay, turn)}")
        for turn in worst
    )
    whole = (*penalty_lines(replay, review), *balance(review))
    texts = (Element("p", "", text) for text in whole)
    return box("section", "review", *turns, *texts, key="review")


def _curve(known: Reviewing, review: Review, at: int) -> Element:
    """Return the chance to win after each turn as a bar; a tap on one leads to the turn."""
    here = known.turn_at(at)
    text = _("Your chance to win after each turn, in percent:")
    title = Element("p", "note", text) if here is None else None  # else there is less room
    most = max((turn.chance for turn in known.done), default=0)
    bars = (
        box("div", "turn here" if turn is here else "turn", _bar(turn, review, most))
        for turn in known.done
    )
    return box("section", "curve", title, box("div", "bars", *bars, key="bars"), key="curve")


def _bar(turn: ReviewedTurn, review: Review, most: int) -> Element:
    """Return a turn's bar, its round below it; the colour of a turn that cost much has a mark."""
    mark = glyphs.PENALTY if turn.cost else glyphs.SERVED
    mark = glyphs.DOT if turn.turn.by_bot else mark
    stick = Element("span", f"stick h{round(10 * turn.chance / max(most, 1))}")
    parts = str(turn.chance), stick, f"{mark} {turn.turn.begun.round}"
    name = judgement(turn) if turn.cost else fine_line(turn, review)
    return box("button", f"bar {turn.grade}", *parts, act=Target("rev", turn.turn.rev), name=name)


# Below everything: what has happened, what the review says of it, and where to go


def _told(replay: Replay, watch: Watch, frame: Frame, table: Scene) -> Iterator[Part]:
    yield newest(table)
    shown = watch.shown(replay)
    leads_on = _leads_back(watch, shown) or _is_whole(watch, shown)
    if line_label(shown, watch) and not leads_on:
        yield button("lit", Target("key", "b"), _line_label(watch), key="line")
    if watch.reviewing and (note := _note(replay, watch.reviewing, watch.at)):
        yield Element("p", "note", note, key="note", role="status")
    if _is_whole(watch, shown):  # the last turn is among those that it judges
        return
    if watch.typed is not None:
        text = f"{typed_label(shown)} {watch.typed.text}"
    elif frame.begins_turn:
        text = " ".join(shown.turn_so_far(_end_of_told(watch, frame.rev)))
    else:
        text = " ".join(event_line(event, frame.model) for event in frame.events)
    yield Element("p", "message", text, key="message", role="status")


def _end_of_told(watch: Watch, rev: int) -> int:
    """Return until where a turn is told: the one that a review judges here, not the one before."""
    known = watch.reviewing
    turn = known.turn_at(rev) if known and not known.line else None
    return turn.turn.end if turn else rev


def _note(replay: Replay, known: Reviewing, at: int) -> str:
    """Return what the review says of a position; "" if nothing."""
    if known.line:
        return line_note(replay, known, at)
    return next(notes(replay, known, at), "")


def _line_label(watch: Watch) -> str:
    """Return the label of the button that leads to the better line of a turn, or back."""
    shows = watch.reviewing is not None and watch.reviewing.line is not None
    return _("Back to the turn as played") if shows else _("See the better turn")


def _leads_back(watch: Watch, replay: Replay) -> bool:
    """Return whether a better line has come to its end."""
    return bool(watch.at == replay.last and watch.reviewing and watch.reviewing.line)


def _next(watch: Watch, replay: Replay) -> Element:
    """Return the main button: at the end it leads to the result or, of a better line, back."""
    if _leads_back(watch, replay):
        return button("on go", Target("key", "b"), _line_label(watch), key="go")
    if _is_whole(watch, replay):
        return button("on go", Target("key", INTERRUPT), _("The result"), key="go")
    if watch.at == replay.last:
        return Element("p", "go wait", _("The result"), key="go")
    if watch.at == replay.stop:
        analysis = pgettext("key of a replay", "analysis")
        text = analysis if watch.reviewing else _("The result")
        return button("on go", Target("key", "end"), text, key="go")
    return button(
        "on go", Target("key", "down"), pgettext("button of a replay", "next turn"), key="go"
    )


def _is_first(watch: Watch, replay: Replay) -> bool:
    """Return whether no turn begins earlier to which a button could lead."""
    return all(rev >= watch.at for rev in turn_revs(replay, watch))


def _row(watch: Watch, replay: Replay) -> Element | None:
    """Return the other buttons, each in its place; none below a whole review, which leads on."""
    known, last = watch.reviewing, watch.at == replay.last
    stop, play = pgettext("key of a replay", "stop"), pgettext("key of a replay", "play")
    keys = [
        ("up", pgettext("button of a replay", "previous turn"), _is_first(watch, replay)),
        ("p", stop if watch.playing else play, last and not watch.playing),
    ]
    analysis = pgettext("key of a replay", "analysis")
    if known is None or watch.viewpoint not in (None, known.seat):
        keys.append(("w", analysis, False))
    elif _is_whole(watch, replay):
        return None
    elif known.review and not known.line:
        keys.append(("end", analysis, False))
    keys.append((INTERRUPT, pgettext("key", "close"), False))  # all of it
    buttons = (button("", Target("key", key), text, off=off, key=key) for key, text, off in keys)
    return box("nav", "row", *buttons, key="row")
