"""Prompts of plain mode for each phase of the player's turn, derived from the options."""

from coffeerush.client.model import Model
from coffeerush.client.turn import TurnDraft, tokens_to_pour
from coffeerush.ui.advice.advice import pour_line, suggested_pours
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.events import expiring_lines
from coffeerush.ui.words.i18n import Lines, _
from coffeerush.ui.words.names import (
    cell_ingredient,
    cell_marks,
    cell_name,
    counts_line,
    direction_name,
    drink_name,
    ingredient_name,
    item_list,
    seat_name,
    sentence_case,
    steps,
    tokens,
    upgrade_help,
    upgrade_name,
)
from protocol import (
    ActivateUpgrade,
    Cell,
    EndTurn,
    Meeple,
    Option,
    OwnView,
    Phase,
    Pour,
    ReturnRest,
    Serve,
    Step,
    View,
)

from .sentences import hand_line, order_lines, situation_lines


def prompt_lines(
    model: Model, view: View, own: OwnView, meeple: Meeple, draft: TurnDraft, time: Lines
) -> Lines:
    """Return the player's possible actions, and the `time` for them: steps of `meeple`, pours."""
    match view.phase:
        case Phase.PLACING:
            return (*time, *_place(model, view))
        case Phase.FILLING | Phase.POURING:
            return (*time, *_pour(model, view, own, draft))
        case Phase.SERVING:
            return (*time, *serve_lines(model, own))
    begun = has_begun(view, own)
    opening = time if begun else situation_lines(model, view, time)
    if not begun and view.round == 1:
        text = _("Type one or more directions to step, as in “{right} {down} {left}”.")
        ways = {way: said(way) for way in ("right", "down", "left")}
        opening = (*opening, text.format(**ways))
    walking = _steps_left(model, view) if begun else ()
    may_pour = any(isinstance(option.intent, Pour) for option in own.options)
    stop = _pour(model, view, own, draft) if may_pour else ()
    if any(isinstance(option.intent, EndTurn) for option in own.options):
        stop = serve_lines(model, own)
    elif view.path and not stop:
        stop = (_("Another meeple is here: keep stepping until you reach a free cell."),)
    directions = direction_lines(model, view, own, meeple)
    return (*opening, *upgrade_lines(own), *walking, *directions, *stop)


def has_begun(view: View, own: OwnView) -> bool:
    """Return whether the player has done anything in this turn yet."""
    return bool(view.path or own.undo)


def _place(model: Model, view: View) -> Lines:
    text = _("Place a meeple: type “{place}” and a row and a column, as in “{place} 2 3”.")
    where = _("Type “{board}” for the board, row by row.")
    return (
        *order_lines(model, view),
        where.format(board=said("board")),
        text.format(place=said("place")),
    )


def _steps_left(model: Model, view: View) -> Lines:
    rush = view.players[model.seat or 0].rush
    return (_("{steps} left, {rush}.").format(steps=steps(view.steps_left), rush=tokens(rush)),)


def direction_lines(model: Model, view: View, own: OwnView, meeple: Meeple) -> Lines:
    """Return a meeple's position, and the gain and cost of its legal steps."""
    meeples = view.players[own.seat].meeples
    here = meeples[meeple - 1]
    where = _("You are on {ingredient}, {cell}.")
    if len(meeples) > 1:
        where = _("Meeple {number} is on {ingredient}, {cell}.")
    found = [
        _direction(model, view, here, option.intent.cell, option)
        for option in own.options
        if isinstance(option.intent, Step) and option.intent.meeple == meeple
    ]
    text = where.format(number=meeple, ingredient=cell_ingredient(here), cell=cell_name(here))
    if len(meeples) > 1 and view.meeple is None:
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


def _pour(model: Model, view: View, own: OwnView, draft: TurnDraft) -> Lines:
    """Return the hand, the suggestion, and a question about the first token."""
    left = tokens_to_pour(own.hand, draft.aside, view.path)
    hand: Lines = (hand_line(view, own),) if sum(own.hand) > 1 else ()
    if hand and model.hints:
        text = _("Suggestion: {advice} Type “{pour}” to follow it.")
        advice = pour_line(own, suggested_pours(view, draft.aside))
        hand = (*hand, text.format(advice=advice, pour=said("pour")))
    if not left:
        done = any(isinstance(option.intent, EndTurn) for option in own.options)
        return (_("Everything is poured; type “{end}”.").format(end=said("end")),) if done else ()
    back = any(isinstance(option.intent, ReturnRest) for option in own.options)
    text = _("Pour {ingredient} into cup 1, 2 or 3?")
    if back:
        text = _("Pour {ingredient} into cup 1, 2 or 3, or 0 to give it back?")
    return (*hand, text.format(ingredient=ingredient_name(left[0])))


def serve_lines(model: Model, own: OwnView) -> Lines:
    """Return the orders that can be served, and how to continue."""
    ready = tuple(
        _("Cup {cup} is ready for {drink}, slot {slot}: type “{serve} {cup}”.").format(
            serve=said("serve"),
            cup=option.intent.cup,
            drink=drink_name(model, option.order),
            slot=option.intent.slot,
        )
        for option in own.options
        if isinstance(option.intent, Serve) and option.order is not None
    )
    end = any(isinstance(option.intent, EndTurn) for option in own.options)
    if not end:
        return ready
    falls = expiring_lines(model, last=True)
    return (*ready, *falls, _("Type “{end}” to end your turn.").format(end=said("end")))


def upgrade_lines(own: OwnView) -> Lines:
    """Return the upgrades that can be activated (R-UPG-1)."""
    found = [o.intent.upgrade for o in own.options if isinstance(o.intent, ActivateUpgrade)]
    if not found:
        return ()
    return (
        _(
            "For 3 completed orders you may activate an upgrade; type “{upgrade}” and its name:"
        ).format(upgrade=said("upgrade")),
        *(
            _("{upgrade}: {what}").format(
                upgrade=sentence_case(upgrade_name(one)), what=upgrade_help(one)
            )
            for one in found
        ),
    )
