"""The table in sentences for plain mode: the state of a game, prompts, announcements."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.client.model import UNINVITED, Model, tellable
from coffeerush.client.turn import Turn, seconds_left, tokens_to_pour
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import (
    OpenOrder,
    hinted_walk,
    open_orders,
    pour_line,
    suggested_pours,
)
from coffeerush.ui.pages.form import SettingRow, value_word
from coffeerush.ui.pages.pages import ROWS as SETTINGS
from coffeerush.ui.words.command_words import said, upgrade_command
from coffeerush.ui.words.errors import error_line, status_line
from coffeerush.ui.words.events import (
    drink_names,
    event_line,
    expiring_lines,
    has_turn_left,
    has_two_meeples,
    host_line,
    last_round,
    last_turn,
    may_end_first,
    sent_lines,
    while_away,
)
from coffeerush.ui.words.i18n import Lines, _, ngettext, pgettext
from coffeerush.ui.words.league import together_lines
from coffeerush.ui.words.names import (
    after_colon,
    and_list,
    cell_ingredient,
    cell_marks,
    cell_name,
    colour_name,
    counts_line,
    counts_phrase,
    direction_name,
    drink_name,
    drink_title,
    ingredient_name,
    item_list,
    letter_named,
    menu_drink,
    numbered,
    orders,
    penalties,
    seat_colours,
    seat_letters,
    seat_name,
    seat_name_and_level,
    seat_title,
    sentence_case,
    steps,
    tokens,
    upgrade_help,
    upgrade_name,
)
from coffeerush.ui.words.table import (
    asking_lines,
    guest_lines,
    has_moved,
    hints_line,
    invitation_lines,
    lobby_lines,
    moved_line,
    new_code_line,
    no_guests_line,
    out_of_line,
    result_lines,
    step_on_line,
    waiting_lines,
)
from protocol import (
    BOARD_SIDE,
    COMPLETED_PER_UPGRADE,
    HALL,
    MAX_PLAYERS,
    SLOTS,
    Cell,
    Colour,
    CupEmptied,
    Drink,
    Event,
    Ingredient,
    Option,
    OwnView,
    Phase,
    Poured,
    Said,
    Seat,
    Serve,
    TableView,
    Upgrade,
    View,
)

LOG_LINES = 10
_BETWEEN_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+")


def sentences(text: str) -> Lines:
    """Split a text into sentences."""
    return tuple(filter(None, _BETWEEN_SENTENCES.split(text)))


def order_lines(model: Model, view: View) -> Lines:
    """Return the player's orders, most urgent first, with what each still needs."""
    if view.own is None:
        return ()
    found = open_orders(view, view.own.seat)
    if not found:
        return (_("You have no orders."),)
    return (_("Your orders, most urgent first:"), *(_order(model, view, order) for order in found))


def _order(model: Model, view: View, order: OpenOrder) -> str:
    last = order.slot == SLOTS and has_turn_left(model.seat or 0, view)
    if order.serve is not None:
        text = _("Slot {slot}: {drink} is ready in cup {cup}.")
        if last:
            text = _("Slot {slot}, last chance: {drink} is ready in cup {cup}.")
    elif not any(order.held):
        text = _("Slot {slot}: {drink} needs {missing} in an empty cup.")
        if last:
            text = _("Slot {slot}, last chance: {drink} needs {missing} in an empty cup.")
    elif not order.lacks:
        text = _("Slot {slot}: {drink} is complete in cup {cup}.")
        if last:
            text = _("Slot {slot}, last chance: {drink} is complete in cup {cup}.")
    else:
        text = _("Slot {slot}: {drink} needs {missing} in cup {cup}.")
        if last:
            text = _("Slot {slot}, last chance: {drink} needs {missing} in cup {cup}.")
    return text.format(
        slot=order.slot,
        drink=_ordered(menu_drink(model, order.drink)),
        cup=order.cup,
        missing=counts_phrase(order.missing),
    )


def _ordered(drink: Drink) -> str:
    """Return a drink's name, and whether its order earns a rush token."""
    text = _("{drink} (specialty)") if drink.specialty else "{drink}"
    return text.format(drink=drink_title(drink))


def cup_lines(model: Model, view: View) -> Lines:
    """Return the contents of the player's cups and hand."""
    if model.seat is None:
        return (_("Only players have cups."),)
    own = view.own
    if own is None:
        return (_("Loading your cups…"),)
    cups = tuple(
        _("Cup {cup}: {contents}.").format(cup=number, contents=counts_line(cup))
        if any(cup)
        else _("Cup {cup} is empty.").format(cup=number)
        for number, cup in enumerate(own.cups, start=1)
    )
    return (*cups, _hand_line(view, own)) if any(own.hand) else cups


def _hand_line(view: View, own: OwnView) -> str:
    """Return the contents of the hand, in the order in which it is poured."""
    order = tokens_to_pour(own.hand, (), view.path)
    return _("In hand: {contents}.").format(contents=counts_line(own.hand, order))


def board_lines(model: Model, view: View) -> Lines:
    """Return the board, one row per line (R-COMP-1)."""
    return tuple(
        _("Row {row}: {cells}.").format(
            row=row + 1,
            cells=item_list(
                cell_line(model, view, BOARD_SIDE * row + column) for column in range(BOARD_SIDE)
            ),
        )
        for row in range(BOARD_SIDE)
    )


def cell_line(model: Model, view: View, cell: Cell) -> str:
    """Return the contents of a cell, and the players there."""
    found = (*cell_marks(cell), *_standing_on(model, view, cell))
    if not found:
        return cell_ingredient(cell)
    return _("{ingredient} ({details})").format(
        ingredient=cell_ingredient(cell), details=item_list(found)
    )


def _standing_on(model: Model, view: View, cell: Cell) -> Lines:
    """Return the owners of the meeples on a cell."""
    return tuple(
        pgettext("on a cell", "you") if seat == model.seat else seat_name(model, seat)
        for seat, player in enumerate(view.players)
        if cell in player.meeples
    )


def player_lines(model: Model, view: View) -> Lines:
    """Return the public part of each player (R-INFO-1)."""
    return tuple(_player(model, view, seat) for seat in range(len(view.players)))


def _player(model: Model, view: View, seat: Seat) -> str:
    player = view.players[seat]
    waiting = [
        _("{drinks} in slot {slot}").format(slot=slot, drinks=drink_names(model, drinks))
        for slot, drinks in enumerate(player.orders, start=1)
        if drinks
    ]
    active = [upgrade_name(upgrade) for upgrade in Upgrade if player.upgrades[upgrade]]
    text = (
        _(
            "You: score {score}, {completed} completed, {penalties}, {rush}; position: "
            "{cells}; orders: {orders}; upgrades: {upgrades}."
        )
        if seat == model.seat
        else _(
            "{name}: score {score}, {completed} completed, {penalties}, {rush}; "
            "position: {cells}; orders: {orders}; upgrades: {upgrades}."
        )
    )
    return text.format(
        name=seat_name_and_level(model, seat),
        score=player.score,
        completed=orders(player.completed),
        penalties=penalties(player.penalties),
        rush=tokens(player.rush),
        cells=and_list([cell_name(cell) for cell in player.meeples]) or _("none yet"),
        orders=item_list(waiting) or pgettext("orders", "none"),
        upgrades=item_list(active) or pgettext("upgrades", "none"),
    )


def supply_lines(view: View) -> Lines:
    """Return the tokens left in the supply, and the cards left in the deck."""
    counts = item_list(
        _("{count} {ingredient}").format(count=count, ingredient=ingredient_name(kind))
        for kind, count in zip(Ingredient, view.supply, strict=True)
    )
    deck = ngettext("The deck has {count} card.", "The deck has {count} cards.", view.deck)
    cafe = _("The café closes: this round is the last.") if view.closed else _("The café is open.")
    return (
        _("Supply: {counts}, {rush}.").format(counts=counts, rush=tokens(view.rush_supply)),
        deck.format(count=view.deck),
        cafe,
    )


def menu_lines(view: View) -> Lines:
    """Return every drink with its recipe."""
    return tuple(_drink(drink) for drink in view.menu)


def _drink(drink: Drink) -> str:
    text = _("{drink}, specialty: {recipe}.") if drink.specialty else _("{drink}: {recipe}.")
    return text.format(drink=drink_title(drink), recipe=counts_line(drink.recipe))


def upgrade_help_lines(view: View) -> Lines:
    """Return the effect and the cost of each upgrade, and which are active."""
    player = view.players[view.own.seat] if view.own else None
    active = player.upgrades if player else (False,) * len(Upgrade)
    found = tuple(
        (_("{upgrade}, active: {what}") if active[upgrade] else _("{upgrade}: {what}")).format(
            upgrade=sentence_case(upgrade_name(upgrade)), what=upgrade_help(upgrade)
        )
        for upgrade in Upgrade
    )
    if player is None:
        return found
    text = _(
        "One per turn, before the first step. It costs {needs} completed orders; you have {have}."
    )
    return (*found, text.format(needs=COMPLETED_PER_UPGRADE, have=player.completed))


def pour_lines(model: Model, pours: Sequence[Poured]) -> Lines:
    """Combine another player's pours into one sentence; only their number is public."""
    if len(pours) < 2:
        return tuple(event_line(pour, model) for pour in pours)
    count, name = len(pours), seat_name(model, pours[0].seat)
    text = ngettext("{name} pours {count} ingredient.", "{name} pours {count} ingredients.", count)
    return (text.format(name=name, count=count),)


def log_lines(model: Model) -> Lines:
    """Return the latest events; another player's pours are combined."""
    lines: Lines = ()
    for seat, group in groupby(tellable(model, LOG_LINES), partial(_pourer, model)):
        events = [*group]
        pours = [event for event in events if isinstance(event, Poured) and seat is not None]
        lines += pour_lines(model, pours) or tuple(event_line(event, model) for event in events)
    return lines


def _pourer(model: Model, event: Event) -> Seat | None:
    """Return the other player who pours."""
    return event.seat if isinstance(event, Poured) and event.seat != model.seat else None


def _situation_lines(model: Model, view: View, time: Lines) -> Lines:
    """Return the situation at the start of the player's turn: steps, `time`, orders, cups."""
    player = view.players[model.seat or 0]
    turn = _("Your turn, round {round}. {steps}, {rush}.").format(
        round=view.round, steps=sentence_case(steps(view.steps_left)), rush=tokens(player.rush)
    )
    return (turn, *time, *sent_lines(model), *order_lines(model, view), *cup_lines(model, view))


def time_lines(model: Model, age: float, hurry: bool = False) -> Lines:
    """Return the time that the player has, or that it is nearly up, if there is a turn clock.

    `age` is how old the table is, in seconds: so much less time is left.
    """
    if not (left := seconds_left(model, age)):
        return ()
    text = ngettext("You have {count} second.", "You have {count} seconds.", left)
    if hurry:
        text = ngettext("{count} second left.", "{count} seconds left.", left)
    return (text.format(count=left),)


# Prompts of plain mode for each phase of the player's turn, derived from the options


def prompt_lines(turn: Turn, time: Lines) -> Lines:
    """Return the player's possible actions, and the `time` for them: steps of a meeple, pours."""
    model, view = turn.model, turn.view
    match view.phase:
        case Phase.PLACING:
            return (*time, *_place(model, view))
        case Phase.FILLING | Phase.POURING:
            return (*time, *_pour(turn))
        case Phase.SERVING:
            return (*time, *serve_lines(turn))
    begun = has_begun(turn)
    opening = time if begun else _situation_lines(model, view, time)
    if not begun and view.round == 1:
        text = _("Type one or more directions to step, as in “{right} {down} {left}”.")
        text = text.format(right=said("right"), down=said("down"), left=said("left"))
        opening = (*opening, text)
    walking = _steps_left(model, view) if begun else ()
    stop = _pour(turn) if turn.can_pour else ()
    if turn.can_end:
        stop = serve_lines(turn)
    elif turn.must_step_on:
        stop = (step_on_line(),)
    return (*opening, *upgrade_lines(turn), *walking, *direction_lines(turn), *stop)


def has_begun(turn: Turn) -> bool:
    """Return whether the player has done anything in this turn yet."""
    return bool(turn.view.path or turn.undoable)


def _place(model: Model, view: View) -> Lines:
    text = _("Place a meeple: type “{place}” and a row and a column, as in “{place} 2 3”.")
    if has_two_meeples(model):
        text = _(
            "Place meeple {number} of 2: type “{place}” and a row and a column, as in "
            "“{place} 2 3”."
        )
    number = len(view.players[model.seat or 0].meeples) + 1
    where = _("Type “{board}” for the board, row by row.")
    return (
        *order_lines(model, view),
        where.format(board=said("board")),
        text.format(place=said("place"), number=number),
    )


def _steps_left(model: Model, view: View) -> Lines:
    rush = view.players[model.seat or 0].rush
    return (_("{steps} left, {rush}.").format(steps=steps(view.steps_left), rush=tokens(rush)),)


def direction_lines(turn: Turn) -> Lines:
    """Return a meeple's position, and the gain and cost of its legal steps."""
    meeples, here = turn.meeples, turn.position
    assert here is not None, "a meeple that steps is placed"
    where = _("You are on {ingredient}, {cell}.")
    if len(meeples) > 1:
        where = _("Meeple {number} is on {ingredient}, {cell}.")
    found = [
        _direction(turn.model, turn.view, here, there, option)
        for there, option in turn.steps.items()
    ]
    text = where.format(number=turn.meeple, ingredient=cell_ingredient(here), cell=cell_name(here))
    if len(meeples) > 1 and turn.view.meeple is None:
        found.append(_("Type “{other}” to move your other meeple.").format(other=said("other")))
    return (text, *found)


def _direction(model: Model, view: View, here: Cell, there: Cell, option: Option) -> str:
    none = _("nothing: the supply has no {ingredient}")
    nothing = none.format(ingredient=cell_ingredient(there))
    gain = counts_line(option.gain) if any(option.gain) else nothing
    details = [*cell_marks(there), *_standing(model, view, there)]
    if option.rush_cost:
        details.append(_("for {rush}").format(rush=tokens(option.rush_cost)))
    return _("{direction}: {gain}.").format(
        direction=sentence_case(direction_name(here, there)), gain=item_list((gain, *details))
    )


def _standing(model: Model, view: View, cell: Cell) -> Lines:
    return tuple(
        _("your other meeple is there")
        if seat == model.seat
        else _("{name} is there").format(name=seat_name(model, seat))
        for seat, player in enumerate(view.players)
        if cell in player.meeples
    )


def _pour(turn: Turn) -> Lines:
    """Return the hand, the suggestion, and a question about the first token."""
    view, own = turn.view, turn.own
    hand: Lines = (_hand_line(view, own),) if sum(own.hand) > 1 else ()
    if hand and turn.model.hints and not hinted_walk(view):  # else two would advise
        text = _("Suggestion: {advice} Type “{pour}” to follow it.")
        advice = after_colon(pour_line(own, suggested_pours(view, turn.aside)))
        hand = (*hand, text.format(advice=advice, pour=said("pour")))
    if not turn.to_pour:
        text = _("Everything is poured; type “{end}”.")
        return (text.format(end=said("end")),) if turn.can_end else ()
    text = _("Pour {ingredient} into cup 1, 2 or 3?")
    if turn.can_return:
        text = _("Pour {ingredient} into cup 1, 2 or 3, or 0 to give it back?")
    return (*hand, text.format(ingredient=ingredient_name(turn.to_pour[0])))


def serve_lines(turn: Turn) -> Lines:
    """Return the orders that can be served, and how to continue."""
    ready = tuple(
        _("Cup {cup} is ready for {drink}, slot {slot}: type “{command}”.").format(
            cup=serve.cup,
            drink=drink_name(turn.model, turn.serves[serve]),
            slot=serve.slot,
            command=serve_command(turn, serve),
        )
        for serve in turn.urgent
    )
    if not turn.can_end:
        return ready
    falls = expiring_lines(turn.model, last=True)
    falls = (*falls, *sentences(may_end_first(turn.model)))
    return (*ready, *falls, _("Type “{end}” to end your turn.").format(end=said("end")))


def serve_command(turn: Turn, serve: Serve) -> str:
    """Return what serves an order: the cup alone is for the most urgent order that it matches."""
    most_urgent = next((other for other in turn.urgent if other.cup == serve.cup), None)
    slot = "" if serve == most_urgent else f" {serve.slot}"
    return f"{said('serve')} {serve.cup}{slot}"


def upgrade_lines(turn: Turn) -> Lines:
    """Return the upgrades that can be activated (R-UPG-1)."""
    if not turn.upgrades:
        return ()
    return (
        _("For 3 completed orders you may activate an upgrade:"),
        *(
            _("“{command}”: {what}").format(
                command=upgrade_command(upgrade), what=upgrade_help(upgrade)
            )
            for upgrade in turn.upgrades
        ),
    )


# Announcements of plain mode: connection, invitation, new events, what to wait for


FIRST_EVENTS = 5
"""How many past events are reported after joining a table."""


def status_lines(before: Model | None, model: Model) -> Lines:
    """Return the state of the connection, if it has changed."""
    was = before.status if before else "joining"
    if model.elsewhere:
        return ()  # the offer says it
    if before and was == model.status == "lost" and model.trouble is not before.trouble:
        return (error_line(model.trouble),) if model.trouble else ()
    found: Lines = ()
    if restarted(before, model):
        found = (host_line(model, before) or _welcome(model, before),)
    if was == model.status or model.status == "over":
        return found
    if was == "lost":
        return (_("You are connected again."), *found)
    if model.status == "here":
        return tuple(filter(None, (_welcome(model), while_away(model))))
    return (status_line(model),)


def restarted(before: Model | None, model: Model) -> bool:
    """Return whether the host was restarted, perhaps with a different table."""
    return before is not None and before.epoch not in (b"", model.epoch)


def invited_lines(before: Model | None, model: Model) -> Lines:
    """Return the ways to join for others, if they have changed and are known."""
    known = before.invitation if before else UNINVITED
    if model.invitation == known:
        return ()
    if known.addresses and model.invitation.code == known.code:
        if replace(model.invitation, asking=()) == replace(known, asking=()):
            return asking_lines(model.invitation, known)
        if model.invitation.addresses != known.addresses:
            return (_("This machine's address has changed."), *invitation_lines(model.invitation))
        if model.invitation.keeps_guests_out:
            return (no_guests_line(),)
        return guest_lines(model.invitation)
    lines = invitation_lines(model.invitation)
    return (new_code_line(), *lines) if lines and known.code else lines


def _welcome(model: Model, before: Model | None = None) -> str:
    if has_moved(before, model):
        return moved_line(model)
    if before and model.table and before.number not in (HALL, model.number):
        here = _("You are at {table} now.").format(table=model.table.name)
        return f"{out_of_line(before, model)} {here}".strip()
    if model.seat is None:
        text = _("You are watching as {name}; type “{help}” for the commands.")
    else:
        text = _("You are at the table as {name}; type “{help}” for the commands.")
    return text.format(name=model.name, help=said("help"))


def record_lines(before: Model | None, model: Model) -> Lines:
    """Return the state of the record of the game whose result is shown."""
    fetch, known = model.record, before.record if before else None
    is_result = model.table is not None and model.table.stage == "result"
    if fetch is None or fetch is known or not is_result or fetch.game != model.game:
        return ()
    if fetch.trouble:
        return (error_line(fetch.trouble),)
    lines: Lines = ()
    if fetch.is_kept and not (known and known.game == fetch.game and known.is_kept):
        text = _(
            "The game is recorded: “{replay}” steps through it, “{analysis}” analyses its turns."
        )
        lines = (text.format(replay=said("replay"), analysis=said("analysis")),)
    counted = known.together if known and known.game == fetch.game else None
    if fetch.together is None or fetch.together == counted:
        return lines
    told = together_lines(fetch.together, partial(seat_name, model))
    if counted is not None:  # another table has ended a game: who has won how many is the news
        return (*lines, next(told))
    return (*lines, *told)


def fresh_events(before: Model | None, model: Model) -> list[Event]:
    """Return the events since `before`."""
    fresh = len(model.fresh(before))
    if before is None or before.table is None:
        fresh = min(fresh, FIRST_EVENTS)
    return tellable(model, fresh)


def awaits_details(before: Model | None, model: Model) -> bool:
    """Return whether the answer is still to come that says what this player has just poured."""
    fresh = model.fresh(before) if model.waiting and model.status == "here" else ()
    pours = (event for event in fresh if isinstance(event, Poured | CupEmptied))
    return any(event.seat == model.played and event.cup is None for event in pours)


def last_turn_lines(before: Model | None, model: Model) -> Lines:
    """Return which turn is this player's last, once the last round is told and as it begins."""
    if not last_round(model):
        return ()
    known = before is not None and bool(last_round(before))
    begins = model.my_turn and not (before and before.my_turn)
    return sentences(last_turn(model)) if begins or not known else ()


def is_game_on(model: Model | None) -> bool:
    """Return whether a game is played at the table."""
    return model is not None and model.table is not None and model.table.stage == "game"


def look_lines(before: Model | None, model: Model) -> Lines:
    """Return what has happened at another table at which this person looks, or begins to."""
    was, now = before.looking if before else None, model.looking
    if now is None or now.table is None:
        ended = was is not None and model.status == "here" and was.home == model.number
        return (_("You have stopped watching the other table."),) if ended else ()
    if was is None or was.number != now.number:
        text = _("You are watching {table}; “{back}” takes you back. You keep your seat.")
        begun = text.format(table=now.table.name, back=said("back"))
        players = player_lines(now, now.view) if now.view and now.table.stage == "game" else ()
        return (begun, *players, *waiting_lines(now))
    events = (event for event in fresh_events(was, now) if not isinstance(event, Poured | Said))
    text = _("{table}: {line}")
    return tuple(text.format(table=now.table.name, line=event_line(event, now)) for event in events)


def closed_line() -> str:
    """Return that a game that was looked at has made room for the next one."""
    return _("The next game has begun, so the last one was closed.")


def is_in_game(model: Model) -> bool:
    """Return whether this person is one of the players of a game that is on."""
    return model.seat is not None and is_game_on(model)


def playing(model: Model) -> bool:
    """Return whether a game is past its setup."""
    return bool(is_game_on(model) and model.view and model.view.round)


def stage_lines(model: Model, before: TableView | None, guided: bool, starting: bool) -> Lines:
    """Return the news before a game, or after it, or why its guide will say nothing.

    Args:
        model: the new model.
        before: the table before, if it was known.
        guided: whether this person has done with the guide.
        starting: whether the first game starts by itself, without an announced lobby.
    """
    table = model.table
    if table is None:
        return ()
    if table.stage == "game":
        silent = before and before.stage != "game" and not table.hints and model.role == "player"
        return (hints_line(table.hints),) if silent and not guided else ()
    if before and before.stage == table.stage:
        return lobby_lines(model, before)
    if table.stage == "lobby" or model.view is None:
        return () if starting else lobby_lines(model)
    return result_lines(model, model.view)


def awaited_lines(model: Model) -> Lines:
    """Return the event that the player waits for, orders received, and orders about to expire."""
    ahead = (*sent_lines(model), *expiring_lines(model)) if playing(model) else ()
    return (*waiting_lines(model), *ahead)


def not_now(model: Model) -> str:
    """Return why game commands are not possible now."""
    if not is_game_on(model):
        return _("No game is being played right now.")
    if model.my_turn:
        return _("Your time is up; a bot finishes your turn.")
    return _("It is not your turn; wait until it is.")


# A person's settings, and the letter and colour by which full screens mark them


def setting_line(settings: Settings, row: SettingRow) -> str:
    """Return the name of a setting and its value."""
    return _("{label}: {value}.").format(label=_(row.label), value=value_word(settings, row))


def changed_lines(before: Settings, after: Settings) -> Lines:
    """Describe the settings that changed, in the new language."""
    rows = [row for row in SETTINGS if getattr(before, row.field) != getattr(after, row.field)]
    told = tuple(setting_line(after, row) for row in rows)
    if before.guided == after.guided:
        return told
    return (*told, _("The guide is off.") if after.guided else _("The guide is on."))


Mark: TypeAlias = tuple[str, Colour]
"""The letter and the colour of a seat."""


def mark_of(model: Model) -> Mark | None:
    """Return the letter and the colour by which this person is marked now."""
    if model.table is None or model.seat is None or model.seat >= len(model.table.seats):
        return None
    seats = model.table.seats
    return seat_letters(seats)[model.seat], seat_colours(seats)[model.seat]


def mark_news(before: Mark | None, now: Mark | None, chosen: Settings) -> Lines:
    """Return the letter and the colour that a person was given, other than those chosen."""
    if before is None or now is None:
        return ()
    (letter, colour), lines = now, []
    if letter != before[0] and letter_named(letter) != chosen.letter:
        lines.append(_("Your letter is now {letter}.").format(letter=letter))
    if colour not in (before[1], chosen.colour):
        lines.append(_("Your colour is now {colour}.").format(colour=colour_name(colour)))
    return tuple(lines)


def letter_lines(model: Model) -> Lines:
    """Return everybody's letter, in one sentence."""
    if model.table is None:
        return ()
    seats = model.table.seats
    shown = _("{name} has {letter}")
    letters = item_list(
        shown.format(name=seat_title(sitting, seat), letter=letter)
        for seat, (sitting, letter) in enumerate(zip(seats, seat_letters(seats), strict=True))
        if sitting.status != "open"
    )
    text = _("On the full screen, a letter marks each player: {letters}.")
    return (text.format(letters=letters),)


def colour_lines(model: Model) -> Lines:
    """Return all colours, and whose they are."""
    seats = model.table.seats if model.table else ()
    names = {
        colour: seat_title(seats[seat], seat)
        for seat, colour in enumerate(seat_colours(seats))
        if seats[seat].status != "open"
    }
    line = _("{colour}: {name}.")
    lines = (
        line.format(colour=name, name=names[colour]) if colour in names else f"{name}."
        for colour in range(MAX_PLAYERS)
        for name in (sentence_case(colour_name(colour)),)
    )
    head = _("The colours of letters and names on the full screen, as in the dark theme:")
    return (head, *numbered(lines))
