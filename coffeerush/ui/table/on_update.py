"""A new model at the table: the next state of the screen, and the moments to show. Pure."""

from collections.abc import Iterator
from functools import cache
from itertools import chain
from math import inf
from typing import Final

from msgspec.structs import replace

from coffeerush.client.handover import asks
from coffeerush.client.history import public
from coffeerush.client.model import Model
from coffeerush.client.talk import AnswerOffer, bot_remarks, offered
from coffeerush.client.tournament import podium
from coffeerush.ui.advice.guide import begins_turn, follow
from coffeerush.ui.advice.guide_lessons import remember
from coffeerush.ui.pages.pages import PAGES, Mode
from coffeerush.ui.terminal.canvas import Area, Canvas, Cells, kind_of, wrap
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.events import (
    event_line,
    host_line,
    last_round,
    last_turn,
    may_end_first,
    placed_line,
    since_turn,
    while_away,
)
from coffeerush.ui.words.i18n import _, language, pgettext
from coffeerush.ui.words.names import sentence_case
from coffeerush.ui.words.table import (
    code_line,
    guest_lines,
    has_moved,
    hints_line,
    moved_line,
    new_code_line,
    no_guests_line,
    out_of_line,
    seat_elsewhere,
)
from coffeerush.ui.words.tournament import seat_line, tournament_news
from protocol import (
    NO_ID,
    SLOTS,
    DrinkIndex,
    Emoted,
    Enter,
    Event,
    GameEnded,
    HandoverFailed,
    IntentUndone,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    PeopleChanged,
    Refusal,
    Said,
    Slot,
    TableView,
    TokenClosed,
    TurnStarted,
    TurnTimedOut,
    Upgrade,
    UpgradeActivated,
)

from .actions import OPENERS, can_start, cap_of, hint_now, next_of, next_question, place_in_line
from .draw_game import draw
from .lists import LISTS, TOURNAMENT_KEY, choices_of, marked_choice
from .panes import TALL, followed, open_pane, read_on, with_guide
from .scene import Scene
from .state import (
    FIRST_CELL,
    MIDDLE,
    READING,
    TYPING,
    Moment,
    Moments,
    OrdersBefore,
    ShownEmote,
    Ui,
    closed,
)

# Find the moments in an update, and where on the screen they happen


def moments_in(before: Model, after: Model, ui: Ui, now: float) -> Moments | None:
    """Return the moments to show for an update; None if there are none.

    Others' moments do not replace this player's own, and are not shown on a slow line. That the
    last round begins is everybody's own. What the last move of a game has led to is shown before
    the result, unless something else is open.

    Args:
        before: the model on the screen.
        after: the next one.
        ui: the screen's state, which may forbid that anything moves.
        now: when it is shown.
    """
    fresh = _fresh(before, after)
    if not ui.animated or not ui.settings.moments or not fresh:
        return None
    ended = any(isinstance(event, GameEnded) for event in fresh)
    if ended and (ui.mode != "table" or ui.asked == "leave"):
        return None if ui.slow else Moments((Moment("win"),), now, ui.size)
    shown = ui.moments if ui.moments and ui.moments.size == ui.size else None
    # of several orders served at once, each is shown
    together = shown if before.my_turn and shown and shown.orders and not ended else None
    earlier, orders = (together.moments, together.orders) if together else ((), None)
    screen = cache(lambda: draw(before, replace(ui, moments=None), *ui.size))
    found: list[Moment] = []
    served = _served_before(before, after, fresh)
    for event in fresh:
        served += isinstance(event, OrderServed)
        gone = _gone(event, before)
        orders = _orders(before, after, ui, orders) if gone else orders
        places, orders = _taken(orders, gone)
        cup = _cup(screen(), event) if gone else None
        found += [moment] if (moment := moment_of(event, before, served, places, cup)) else []
    if ended:
        last = [moment for moment in found if moment.what == "penalty"]
        moments = (*last, Moment("over"))
        return Moments(moments, now, ui.size, orders=orders, ending=before, still=ui.slow)
    current = shown.moments if shown else ()
    own_first = ui.slow or any(_is_own(moment, before) for moment in current)
    if not found or (own_first and not any(_is_own(moment, before) for moment in found)):
        return None
    if ui.slow:
        found = [moment for moment in found if _is_own(moment, before)]
    return Moments((*earlier, *found), now, ui.size, orders=orders, still=ui.slow)


def _is_own(moment: Moment, model: Model) -> bool:
    """Return whether a moment is of something that this player has done or suffered."""
    done = moment.what in ("serve", "upgrade", "penalty") and moment.seat == model.seat
    return done or moment.what == "last round"


def _fresh(before: Model, after: Model) -> tuple[Event, ...]:
    """Return the events of a move; () if it undoes something.

    Those of one's own move come with its answer or with its publication, whichever is first. Of
    several turns, only that the last round has begun counts: it is news until the game has ended.
    """
    same = (before.status, before.epoch, before.game) == ("here", after.epoch, after.game)
    if not same or before.view is None:
        return ()
    was, now = before.history.told, after.history.told
    shown = [public(event) for one in was if one not in now for event in one[1]]
    published: list[Event] = []
    for event in after.fresh(before):
        if (bare := public(event)) in shown:
            shown.remove(bare)
        else:
            published.append(event)
    told = (events for at, events in now if (at, events) not in was)
    fresh = (*published, *chain.from_iterable(told))
    turns = sum(isinstance(event, TurnStarted) for event in fresh)
    undone = any(isinstance(event, IntentUndone) for event in fresh)
    if turns > 1:
        ended = any(isinstance(event, GameEnded) for event in fresh)
        return tuple(event for event in fresh if isinstance(event, TokenClosed) and not ended)
    return () if undone else fresh


def _served_before(before: Model, after: Model, fresh: tuple[Event, ...]) -> int:
    """Return how many orders were served in this turn before these events."""
    was, now = before.view, after.view
    if was is None or now is None or (was.active, was.round) != (now.active, now.round):
        return was.served if was else 0
    return now.served - sum(isinstance(event, OrderServed) for event in fresh)  # seen ahead of them


def _gone(event: Event, before: Model) -> list[tuple[Slot, DrinkIndex]]:
    """Return which of this player's orders are gone with an event."""
    match event:
        case OrderServed(seat=seat, drink=drink, slot=slot) if seat == before.seat:
            return [(slot, drink)]
        case PenaltiesTaken(seat=seat, drinks=drinks) if seat == before.seat:
            return [(SLOTS, drink) for drink in drinks]
    return []


def _orders(before: Model, after: Model, ui: Ui, kept: OrdersBefore | None) -> OrdersBefore | None:
    """Return this player's orders on the screen, beside the cups of now; None if not shown.

    Those that are `kept` on it since a moment before stay in their rows.
    """
    assert before.view is not None, "its orders are gone"
    assert before.seat is not None, "they were this player's"
    seats = [*before.view.players]
    if kept:
        seats[before.seat] = replace(seats[before.seat], orders=kept.orders)
    own = after.view.own if after.view else None
    model = replace(before, view=replace(before.view, players=tuple(seats), own=own))
    canvas = draw(model, replace(ui, moments=None), *ui.size)
    area = canvas.marks.get("orders")
    if area is None:
        return None
    orders = enumerate(Scene(model, ui).orders)
    marks = ((order, canvas.marks.get(f"order{index}")) for index, order in orders)
    rows = tuple((order.slot, order.drink, mark) for order, mark in marks if mark)
    return OrdersBefore(
        area, canvas.copy(area), kept.rows if kept else rows, seats[before.seat].orders
    )


def _taken(
    orders: OrdersBefore | None, gone: list[tuple[Slot, DrinkIndex]]
) -> tuple[tuple[Area, ...], OrdersBefore | None]:
    """Return the places of the orders that are gone, and the rows of the others."""
    places: list[Area] = []
    for slot, drink in gone if orders else ():
        assert orders is not None
        row = next((row for row in orders.rows if row[:2] == (slot, drink)), None)
        if row:  # the same drink may be there twice
            at = orders.rows.index(row)
            orders = replace(orders, rows=(*orders.rows[:at], *orders.rows[at + 1 :]))
            places.append(row[2])
    return tuple(places), orders


def _cup(canvas: Canvas, event: Event) -> tuple[Area, Cells] | None:
    """Return the cup on the screen that this player has served from, and what was in it."""
    cup = event.cup if isinstance(event, OrderServed) else None
    area = canvas.marks.get(f"cup{cup}")
    return (area, canvas.copy(area)) if area else None


def moment_of(
    event: Event,
    before: Model,
    served: int,
    places: tuple[Area, ...] = (),
    cup: tuple[Area, Cells] | None = None,
) -> Moment | None:
    """Return the moment that shows an event, if it has one.

    Args:
        event: what has happened.
        before: the model before it.
        served: how many orders have been served in this turn, with this one.
        places: where this player's orders were on the screen that are gone now.
        cup: where this player's cup is on the screen that was served from, and what was in it.
    """
    assert before.view is not None, "events are part of a game"
    match event:
        case OrderServed(seat=seat, drink=drink, rush_gained=rush):
            return Moment("serve", seat, (drink,), rush=rush, places=places, count=served, cup=cup)
        case OrdersDrawn(seat=seat, drinks=drinks, reason="order_rush") if seat == before.seat:
            return Moment("arrive", seat, drinks, sender=before.view.active or 0)
        case PenaltiesTaken(seat=seat, drinks=drinks, rush_gained=rush):
            return Moment("penalty", seat, drinks, rush=rush, places=places)
        case UpgradeActivated(seat=seat, upgrade=upgrade):
            return Moment("upgrade", seat, upgrade=upgrade)
        case TokenClosed():
            return Moment("last round")
    return None


# Model updates at the table: from a new model to the next state of the screen. Pure


EMOTE_SECONDS: Final = 4
ANSWER_SECONDS: Final = 10
SAID_SECONDS: Final = 60
"""How long the newest chat message is shown outside the chat."""
OWN_SAID_SECONDS: Final = 5
"""How long it is shown if this person has written it: they see that it has been sent."""
RESULT_SECONDS: Final = 6
"""How long the result of the last game is shown before the podium of its tournament."""
_CLOSE_WITH_TURN: Final[tuple[Mode, ...]] = ("empty", "serve")
"""Lists that close at the end of the turn."""
NEWS_KEPT: Final = 2
"""The sentences about other people that wait for a key."""
NEWS_SECONDS: Final = 20.0
"""For how long they do so while the game goes on."""
NOTE_ROWS: Final = {False: 2, True: 1}
"""The rows that a note at the start of a turn may take, without and with the guide; one also where
there is little room, or a long line."""


def _check_open(model: Model, ui: Ui) -> Ui:
    """Close a list that is no longer offered, so that it does not reappear by itself."""
    scene = Scene(model, ui)
    if ui.mode in LISTS and choices_of(scene) is None:
        return closed(ui)
    if ui.mode == "orders" and (scene.stage != "game" or not scene.orders):
        return closed(ui)
    return closed(ui) if ui.mode == "invitation" and not model.invitation.addresses else ui


def _check_question(model: Model, ui: Ui) -> Ui:
    """Drop the question whether to start if the open seats have changed."""
    if ui.asked != "start":
        return ui
    scene = Scene(model, ui)
    coming = next_of(scene)
    same = coming is not None and next_question(scene, coming) == ui.note
    return ui if same else replace(ui, asked="", note="")


def _check_refused_start(before: Model, after: Model, ui: Ui) -> Ui:
    """Drop the note about who was not ready once the game could start."""
    refusal = before.refusal
    stale = refusal is not None and refusal is after.refusal and refusal.code == "not_ready"
    if not (stale and ui.refused and can_start(Scene(after, ui))):
        return ui
    return replace(ui, note="", refused=False)


def opened(model: Model, ui: Ui, came: float, said: float) -> Ui:
    """Return the state of a screen that opens now.

    Args:
        model: of the table.
        ui: the settings, and what is known of the display.
        came: when the table was received, if at all.
        said: when its newest message was.
    """
    guide = model.role == "player" and not ui.settings.guided
    clock_until, said_until = _end_of_clock(model.table, came), said + SAID_SECONDS
    ui = replace(ui, guide=guide, clock_until=clock_until, said_until=said_until)
    ui = replace(ui, met=model.history.total)
    if model.table is None:
        return ui
    ui = replace(ui, mode="hall" if model.is_late else "table")
    return replace(ui, note=_place_note(model, ui))


def respoken(model: Model, ui: Ui) -> Ui:
    """Give the hint again, and drop the note, if another language is spoken than before."""
    before, ui = ui.spoken, replace(ui, spoken=language())
    if before in ("", ui.spoken):
        return ui
    scene = Scene(model, ui)
    hint = hint_now(scene) if scene.hint else None
    return replace(ui, hint=hint, note="", news=(), asked="", refused=False)


def apply_update(before: Model, after: Model, ui: Ui, now: float, came: float | None = None) -> Ui:
    """Update the screen's state for a new model, shown `now`; it `came` then, or earlier."""
    done = _check_marked(before, after, _updated(before, after, ui, now, came))
    if (done.mode, done.showing) != (ui.mode, ui.showing):
        done = replace(done, lost_at=now)
    return done if (done.note, done.news) == (ui.note, ui.news) else replace(done, note_at=now)


def _updated(before: Model, after: Model, ui: Ui, now: float, came: float | None) -> Ui:
    if before.number != after.number and not ui.asked:
        ui = replace(ui, note="", refused=False)  # it was about another table
    if before.table is None:
        ui = replace(ui, met=after.history.total)
    ui = _check_people(before, after, ui, now)
    ui = _check_said(before, after, _talk(before, after, ui, now), now)
    ui = replace(ui, now=now, turn=ui.turn.seen(before, after))
    if (after.epoch, after.game, after.rev) != (before.epoch, before.game, before.rev):
        ui = replace(ui, moved_at=now)
    if (after.epoch, after.game) != (before.epoch, before.game):
        ui = replace(ui, plan=(), typed=(), commit_at=None, moments=None, cursor=FIRST_CELL)
        if before.game != after.game and ui.asked == "leave":
            ui = replace(ui, asked="", note="")  # it was about another game
    if _turn_of(after) != _turn_of(before):
        ui = _begin_turn(after, ui, now)
    if before.pause != after.pause:
        ui = replace(ui, plan=(), typed=(), commit_at=None, asked="", note="", refused=False)
    ui = _check_last_round(before, after, ui)
    if before.status != after.status and "lost" in (before.status, after.status):
        ui = _check_status(after, ui, began=_turn_of(after) != _turn_of(before))
    if _is_back(before, after) and (note := while_away(after)):
        ui = replace(ui, note=note, asked="", refused=False)
    if after.refusal is not None and after.refusal is not before.refusal:
        note = refusal_line(after.refusal, after)
        ui = replace(ui, plan=(), typed=(), asked="", note=note, refused=True)
    if not ui.touch and _is_diagonal(after) and before.view and not _is_diagonal(before):
        note = _("Diagonal steps: “y” up-left, “o” up-right, “b” down-left, “n” down-right.")
        ui = replace(ui, note=note, asked="", refused=False)
    ui = _check_hall(before, after, _check_seat(before, after, ui))
    ui = _check_tournament(before, after, ui)
    if after.tournament is not before.tournament:
        ui = replace(ui, round_at=_round_at(after, now if came is None else came))
    ui = _check_code(before, _check_timeout(before, after, ui), after)
    asker = after.asking[0].guest if after.asking else 0
    if asker != ui.asker:
        ui = replace(ui, asker=asker, asker_at=now)
    if after.table is not before.table:
        ui = _check_table(before, after, ui, now if came is None else came)
    ui = _check_podium(before, after, ui)  # a result that comes with the end is seen first
    ui = _check_open(after, _check_question(after, _check_removals(before, after, ui)))
    ui = _check_refused_start(before, after, ui)
    ui = _check_handover(before, after, ui)
    guided = _check_guide(before, after, ui)
    if moments := moments_in(before, after, ui, now):
        guided = replace(guided, moments=moments)
    ui = read_on(Scene(before, ui), guided, after)
    return _check_cursor(before, after, ui)


def _check_last_round(before: Model, after: Model, ui: Ui) -> Ui:
    """Say that the last round has begun, ahead of what else is said."""
    last = last_round(after)
    if not last or last_round(before) or ui.asked == "leave":
        return ui
    # the events may come after the View that they lead to
    own = last_turn(after)
    said = ui.note.removeprefix(own).strip() if own else ui.note  # by a turn that has begun with it
    last = f"{last} {own}".strip()
    note = f"{last} {said}".strip()
    if after.my_turn and said in ("", *since_turn(after)):
        note = _turn_note(after, replace(ui, note=last))
    return replace(ui, note=note, asked="", refused=False)


def _is_diagonal(model: Model) -> bool:
    """Return whether this player may step diagonally: which keys do so is said when that begins."""
    view = model.view
    own = view.own if view and view.round else None
    return bool(view and own and view.players[own.seat].upgrades[Upgrade.DIAGONAL_MOVE])


def _check_said(before: Model, after: Model, ui: Ui, now: float) -> Ui:
    """Show the newest message for a while."""
    said = [event for event in after.fresh(before) if isinstance(event, Said)]
    if not said:
        return ui
    seconds = OWN_SAID_SECONDS if after.has_said(said[-1]) else SAID_SECONDS
    return replace(ui, said_until=now + seconds)


def _begin_turn(after: Model, ui: Ui, now: float) -> Ui:
    """Drop what was about the previous turn, and say what this one begins with."""
    ui = closed(ui) if ui.mode in _CLOSE_WITH_TURN else ui
    turn_at = now if after.my_turn else ui.turn_at
    ui = replace(ui, plan=(), typed=(), commit_at=None, turn_at=turn_at, trails=True)
    ui = followed(after, ui) if after.my_turn else ui
    if ui.note and ui.note == _timeout_note(after):
        note = _("Your time was up, and a bot finished your last turn.")
        return replace(ui, note=note) if after.my_turn else ui
    if ui.asked == "leave" or (
        ui.note == _faster_note(ui) and not (after.view and after.view.round)
    ):
        return ui
    return replace(ui, asked="", note=_turn_note(after, ui), refused=False)


def _faster_note(ui: Ui) -> str:
    """Return why others move faster than in the game before; it is said until they do."""
    if ui.touch:
        return _("The guide is off now, so others move faster.")
    return _("The guide is off now, so others move faster; F4 turns it on.")


def _check_handover(before: Model, after: Model, ui: Ui) -> Ui:
    """Ask this player whether they host the table; tell its owner why somebody does not.

    The question must not cover the board in their turn, but waits in a line, and then opens.
    """
    is_new = not asks(before) or before.my_turn
    if asks(after) and is_new and not after.my_turn and ui.mode not in (*PAGES, *TYPING):
        return replace(closed(ui), mode="succeed", marked="", asked="", note="")
    failed = [event for event in after.fresh(before) if isinstance(event, HandoverFailed)]
    if failed and after.owner and not ui.leaving:
        note = event_line(failed[-1], after)
        return replace(ui, asked="", note=note, refused=failed[-1].reason != "withdrawn")
    return ui


def _check_guide(before: Model, after: Model, ui: Ui) -> Ui:
    """Let the guide follow the game; with the result of a game, it has done its work."""
    if ui.guide and _stage(before) == "game" and _stage(after) == "result":
        ui = replace(ui, settings=replace(ui.settings, guided=True))
    elif _stage(before) == "result" and _stage(after) != "result":
        ends = ui.guide and ui.settings.guided
        ui = replace(ui, guide=ui.guide and not ends)
        would_guide = after.hints and after.seat is not None and _stage(after) == "game"
        if ends and would_guide and not ui.note and ui.settings.speed != "at-once":
            ui = replace(ui, note=_faster_note(ui))
    if ui.guide:
        progress = follow(ui.progress, before, after, ui.turn.aside)
        learned = len(progress.told) > len(ui.progress.told)  # its options may come later
        if (learned or not before.my_turn) and begins_turn(after):
            ui = with_guide(ui)
        return replace(ui, progress=progress)
    return replace(ui, progress=remember(ui.progress, before, after))


def _stage(model: Model) -> str:
    return model.table.stage if model.table else ""


def _turn_note(after: Model, ui: Ui) -> str:
    """Return the words for the beginning of a turn, the longest that leave the rest visible.

    That this round is the last is said until a key is pressed, or until the guide says it, and
    that a turn is this player's last, or may be, when it begins.
    """
    last, own = last_round(after), last_turn(after)
    news: tuple[str, ...] = ()
    if last and not (ui.guide and after.my_turn):
        untouched = ui.note.startswith(last)
        news = (f"{last} {own}".strip(),) if untouched else (own,) if after.my_turn else ()
    if coming := may_end_first(after):
        news = (coming,)
    since = since_turn(after) if after.my_turn else ()
    if ui.guide and after.my_turn and (placed := placed_line(after)):
        since = (placed,)
    wordings = [*(" ".join((*news, line)) for line in since or ("",)), *news]
    kind, columns = kind_of(*ui.size), ui.size[0]
    is_short = kind == "narrow" or (kind == "normal" and columns >= MIDDLE)
    rows = max(NOTE_ROWS[ui.guide or is_short] - len(ui.news), 1)
    fitting = (wording for wording in wordings if len(wrap(wording, ui.size[0] - 2, "")) <= rows)
    return next(fitting, wordings[-1]).strip()


def _is_back(before: Model, after: Model) -> bool:
    """Return whether this player has come back to the table."""
    joined = before.table is None or after.epoch != before.epoch
    return any(
        isinstance(event, PeopleChanged) and (event.name, event.change) == (after.name, "back")
        for event in (after.log if joined else after.fresh(before))
    )


def _talk(before: Model, after: Model, ui: Ui, now: float) -> Ui:
    """Show the newest emote of each player and one bot's remark, and offer an answer."""
    shown = {emote.name: emote for emote in ui.emotes if emote.until > now}
    for event in after.fresh(before):
        if isinstance(event, Emoted):
            shown.pop(event.name, None)
            shown[event.name] = ShownEmote(event.name, event.emote, now + EMOTE_SECONDS)
    remarks = bot_remarks(before, after) if ui.settings.remarks else ()
    if remarks and not any(emote.is_remark for emote in shown.values()):
        name, emote = remarks[-1]
        shown[name] = ShownEmote(name, emote, now + EMOTE_SECONDS, is_remark=True)
    return replace(ui, emotes=tuple(shown.values()), offer=_offered(ui, before, after, now))


def _offered(ui: Ui, before: Model, after: Model, now: float) -> AnswerOffer:
    """Return the answer that is offered, for a few seconds: “Thanks!” is said at once or not."""
    offer = offered(ui.offer, before, after)
    if offer.emote and offer.until == inf:
        offer = replace(offer, until=now + ANSWER_SECONDS)
    return offer if now < offer.until else AnswerOffer()


def _check_table(was: Model, now: Model, ui: Ui, came: float) -> Ui:
    before, after = was.table, now.table
    ui = replace(ui, clock_until=_end_of_clock(after, came))
    if before and after and before.stage != after.stage:
        # an Enter pressed before was not meant for what it does now; a page or a text field stays
        ui = ui if ui.mode in PAGES else replace(ui, scroll=0)
        stays = ui.mode == "hall" and now.seat is None  # whose game it is not
        ui = closed(ui) if (ui.mode in LISTS and not stays) or ui.mode in READING else ui
        ui = replace(ui, turn_at=ui.now, commit_at=None)
        if after.stage == "result":
            ui = replace(ui, result_at=ui.now)
        if ui.showing and after.stage == "game":
            note = _("The next game has begun, so the last one was closed.")
            ui = replace(ui, showing="", note=note, refused=False)
        if ui.guide and after.stage == "game" and not after.hints:
            ui = replace(ui, note=hints_line(after.hints))  # it is why the guide says nothing
    return ui


def _end_of_clock(table: TableView | None, came: float) -> float | None:
    """Return the end of the turn clock; `table` has the seconds left at the time it `came`."""
    return None if table is None or table.clock is None else came + table.clock


def _check_removals(before: Model, after: Model, ui: Ui) -> Ui:
    """Close a list of people if one of its keys now means somebody else."""
    if ui.mode not in ("seats", "room") or not (before.table and after.table):
        return ui
    was, now = (
        {choice.key: choice.name for choice in LISTS[ui.mode](Scene(model, ui))}
        for model in (before, after)
    )
    if all(was.get(key, name) == name for key, name in now.items()):
        return ui
    return replace(closed(ui), note=refusal_line(Refusal("stale", "")), asked="", refused=True)


def _check_marked(before: Model, after: Model, ui: Ui) -> Ui:
    """Keep the marked entry of a list marked; if it is gone, mark nothing, and ask nothing."""
    if ui.mode not in LISTS:
        return ui
    choices = choices_of(Scene(after, ui)) or ()
    keys = {choice.key for choice in choices}
    if ui.asked == "remove" and ui.removing not in {
        choice.key for choice in choices if choice.wish
    }:
        ui = replace(ui, asked="", note="")
    was = marked_choice(Scene(before, ui))
    if was is None:
        return ui
    if was.wish == Enter(NO_ID, True) and was not in choices:  # the same entry withdraws now
        return replace(ui, marked="")
    lost_at = ui.lost_at if was.key in keys else ui.now
    return replace(ui, marked=was.key, lost_at=lost_at)


def _check_status(model: Model, ui: Ui, began: bool) -> Ui:
    """Set a note on the lost or restored connection, unless a turn that `began` meanwhile has one.

    Queued keys are dropped.
    """
    note = ""
    in_game = model.table is not None and model.table.stage == "game"
    if model.status == "lost" and model.owner and in_game:  # else there is nothing to restore
        note = _("If the host has stopped, this resumes the table: coffeerush host --resume FILE")
    elif model.status == "here" and model.my_turn:
        note = ui.note if began else _("The host is back, and your turn is as you left it.")
    return replace(ui, plan=(), typed=(), commit_at=None, asked="", note=note, refused=False)


def _check_people(before: Model, after: Model, ui: Ui, now: float) -> Ui:
    """Say who comes, leaves or is out of time, unless the log on the screen does.

    In a game only its players matter, unless the guide has replaced the log, where news of others
    would be. After a while the next move drops what was said.
    """
    if (_stage(before), before.number) != (_stage(after), after.number):
        return replace(ui, news=())
    in_game = _stage(after) == "game"
    if ui.news and before.view is not after.view and now - ui.note_at > NEWS_SECONDS:
        ui = replace(ui, news=())
    host = host_line(after, before)  # the log that tells it counts as known
    if not in_game and ui.mode in ("table", *TYPING) and not ui.showing:
        # a result may have no room for the log
        return replace(ui, note=host, note_at=now, refused=False) if host else ui
    if in_game and _shows_log(after, ui):
        return ui
    seated = {seat.name for model in (before, after) for seat in model.players}
    news = [
        event_line(event, after)
        for event in after.fresh(before)
        if (isinstance(event, TurnTimedOut) and event.seat != after.seat)
        or (
            isinstance(event, PeopleChanged)
            and event.name != after.name
            and (event.name in seated or not in_game or ui.guide)
        )
    ]
    news += filter(None, [host])
    newest = [*dict.fromkeys(reversed((*ui.news, *news)))][:NEWS_KEPT]
    return replace(ui, news=tuple(reversed(newest)))


def _shows_log(model: Model, ui: Ui) -> bool:
    """Return whether several of the newest lines of the log are on the screen in a game."""
    kind = kind_of(*ui.size)
    is_there = ui.mode == "table" and ui.size[1] >= TALL and not ui.scroll
    return is_there and kind != "narrow" and open_pane(Scene(model, ui), kind) == "log"


def _check_timeout(before: Model, after: Model, ui: Ui) -> Ui:
    """Set a note if this player's turn timed out."""
    for event in after.fresh(before):
        if isinstance(event, TurnTimedOut) and event.seat == after.seat:
            ui = replace(ui, note=_timeout_note(after), asked="", refused=True)
    return ui


def _check_seat(before: Model, after: Model, ui: Ui) -> Ui:
    """Set a note if this person watches from now on, has another place in line, or has a seat."""
    was, note = (place_in_line(Scene(model, ui)) for model in (before, after))
    lost = out_of_line(before, after)
    if after.table is None or (note == was and before.table) or not (note or before.table):
        return replace(ui, note=lost, asked="", refused=False) if lost else ui
    seat = _place_note(after, ui) if note else _("You have a seat now.")
    news = (lost, *_exchange(before, after), seat)
    return replace(ui, note=" ".join(filter(None, news)), asked="", refused=False)


def _place_note(model: Model, ui: Ui) -> str:
    """Return what a spectator can do about a seat, unless that is the next step on the screen."""
    between = model.table is not None and model.table.stage != "game"
    is_step = between and not (model.owner or model.awaits_round)
    return "" if is_step and ui.mode == "table" else place_in_line(Scene(model, ui))


def _exchange(before: Model, after: Model) -> Iterator[str]:
    """Yield who makes room and who sits down, if this person loses or gets a seat."""
    if before.number != after.number or (before.seat is None) is (after.seat is None):
        return
    people = (event for event in after.fresh(before) if isinstance(event, PeopleChanged))
    for event in people:
        sits = event.change == "joined" and event.name != after.name
        if sits or event.change == "made_room":
            yield event_line(event, after)


def _check_hall(before: Model, after: Model, ui: Ui) -> Ui:
    """Show the tables to somebody who came too late for a seat; say what is new of them."""
    if has_moved(before, after):
        ui = replace(ui, note=moved_line(after), asked="", refused=False)
    if ui.mode != "hall":
        tables = sentence_case(pgettext("key", "tables")) if ui.touch else cap_of(OPENERS["hall"])
        note = seat_elsewhere(before, after, tables)
        ui = replace(ui, note=note, asked="", refused=False) if note else ui
    late = after.is_late and not before.is_late
    return replace(ui, mode="hall", scroll=0, marked="") if late and ui.mode == "table" else ui


def _check_tournament(before: Model, after: Model, ui: Ui) -> Ui:
    """Give the news of the tournament in the note; at a seat to which it has led, where that is."""
    called = after.called_to
    if called is not None and called[1] == after.number != before.number:
        return replace(ui, note=f"{seat_line(after)} {ui.note}".strip(), asked="", refused=False)
    how = _("Press “{key}”, then Enter, to take part.").format(key=TOURNAMENT_KEY)
    if ui.touch:
        how = _("Tap “{label}” to take part.").format(label=pgettext("key", "tournament"))
    note = tournament_news(before, after, how)
    was, now = (
        tournament_news(replace(model, tournament=None), model, how) for model in (before, after)
    )
    if not note and ui.note == was != now:  # it counts who has entered, or names who leads
        note = now
    is_known = after.tournament is not None and after.tournament.stage == "break"
    if not note or is_known or ui.mode == "tournament" or ui.asked == "leave":
        return ui  # the result says it anyway
    if called is not None and called[1] == after.number:  # the seat came before the news
        note = f"{note} {ui.note}".strip()
    return replace(ui, note=note, asked="", refused=False)


def _check_podium(before: Model, after: Model, ui: Ui) -> Ui:
    """Show the podium once the tournament is over and the latest result was seen for a moment.

    If the host stops, nothing more will come, so that it is shown at once.
    """
    was, view = before.tournament, after.tournament
    if view is None or view.stage != "over":
        return replace(ui, podium_at=None)
    if was is not None and was.stage != "over" and podium(view.players):
        ui = replace(ui, podium_at=max(ui.now, ui.turn_at + RESULT_SECONDS))
    if ui.podium_at is None or (ui.now < ui.podium_at and after.status != "over"):
        return ui
    ui = replace(ui, podium_at=None)
    is_free = ui.mode == "table" and not ui.asked and not ui.showing and not ui.leaving
    if not is_free or _stage(after) not in ("lobby", "result"):
        return ui  # the key leads there
    return replace(ui, mode="tournament", scroll=0, marked="", note="")


def _round_at(model: Model, came: float) -> float | None:
    """Return when the next round begins by itself; the tournament has the seconds as it `came`."""
    left = model.tournament.next_round if model.tournament else None
    return None if left is None else came + left


def _check_code(before: Model, ui: Ui, after: Model) -> Ui:
    """Set a note if the join code has changed, or guests can join from now on, or no more."""
    known, code = before.invitation, after.invitation.code
    if (known.ssh or known.guests_due) and after.invitation.keeps_guests_out:
        return replace(ui, note=no_guests_line(), asked="", refused=False)
    waits = known.keeps_guests_out or known.guests_due
    if waits and (ways := guest_lines(after.invitation)):
        return replace(ui, note=ways[0], asked="", refused=False)
    if not code or known.code in ("", code):
        return ui
    return replace(ui, note=f"{new_code_line()} {code_line(code)}", asked="", refused=False)


def _timeout_note(model: Model) -> str:
    return "" if model.seat is None else event_line(TurnTimedOut(model.seat), model)


def _turn_of(model: Model) -> tuple[object, ...]:
    """Return the identity of a turn, even if other players' turns in between are not shown."""
    view = model.view
    return (model.epoch, model.game, model.my_turn, *((view.round, view.active) if view else ()))


def _check_cursor(before: Model, after: Model, ui: Ui) -> Ui:
    """Move the cursor to a free cell when a meeple is to be placed."""
    places = Scene(after, ui).turn.places
    if not places or ui.cursor in places or Scene(before, ui).turn.places:
        return ui
    return replace(ui, cursor=min(places))


def drawn_of(model: Model) -> tuple[object, ...]:
    """Return the parts of a model that a frame shows: none changes with ticks and heartbeats."""
    return (
        *(model.status, model.trouble, model.seat, model.owner, model.name, model.game, model.rev),
        *(model.table, model.view, model.history, model.refusal, model.invitation),
        *(model.record, model.tables, model.watching, model.owns_hall, model.tournament),
        *(() if model.looking is None else drawn_of(model.looking)),
    )
