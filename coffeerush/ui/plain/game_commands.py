"""Commands for the player's turn in plain mode: each returns sentences and a wish."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, Wish
from coffeerush.client.turn import TurnDraft, tokens_to_pour
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import suggested_pours
from coffeerush.ui.words.command_words import folded, said
from coffeerush.ui.words.i18n import Lines, _
from coffeerush.ui.words.names import and_list, cell_name, drink_name, ingredient_name
from coffeerush.ui.words.table import hints_line
from protocol import (
    BOARD,
    BOARD_SIDE,
    CUPS,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Intent,
    OwnView,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Undo,
    View,
)

from .parsing import DIRECTIONS, POUR, Command, fitting_upgrades
from .prompts import serve_lines, upgrade_lines


class Effect(Struct, frozen=True):
    """What a command prints, sends and changes."""

    lines: Lines = ()
    wish: Wish | None = None
    problem: bool = False
    """Whether the command failed, so that the rest of the line is dropped."""
    then: tuple[Intent, ...] = ()
    """The intents to send after this wish."""
    draft: TurnDraft | None = None
    """Changed choices of the turn, if any."""
    settings: Settings | None = None
    """Changed settings, if any."""
    opens: str = ""
    """What to show of the finished game: "replay" or "review"."""


def already() -> Effect:
    """Return the effect of a command that changes nothing."""
    return Effect((_("That is how it is already."),))


def cannot(*lines: str) -> Effect:
    """Return the effect of a failed command: the reason."""
    return Effect(lines, problem=True)


def _go(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    meeple = draft.meeple_of(view, own.seat)
    meeples = view.players[own.seat].meeples
    if meeple > len(meeples):
        return cannot(_("Your meeple is not on the board yet; place it first."))
    here = meeples[meeple - 1]
    row, column = divmod(here, BOARD_SIDE)
    down, right = DIRECTIONS[command.word]
    if not (0 <= row + down < BOARD_SIDE and 0 <= column + right < BOARD_SIDE):
        return cannot(_("The board ends there."))
    return Effect(wish=Step(meeple, here + BOARD_SIDE * down + right))


def _other(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    if len(view.players[own.seat].meeples) < 2:
        return cannot(_("You have only one meeple."))
    if view.meeple is not None:
        return cannot(
            _("You can only move one meeple per turn; undo its steps to move the other one.")
        )
    meeple = 3 - draft.meeple_of(view, own.seat)
    text = _("Your next steps move meeple {number}.").format(number=meeple)
    return Effect((text,), draft=replace(draft, meeple=meeple))


def _pour(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    if not command.numbers:
        return _pour_as_suggested(draft, model, view)
    (number,) = command.numbers
    left = tokens_to_pour(own.hand, draft.aside, view.path)
    if not left:
        return cannot(_("Your hand is empty; there is nothing to pour."))
    if number > CUPS:
        return cannot(_("There is no cup {cup}; your cups are 1, 2 and 3.").format(cup=number))
    token = left[0]
    if number:
        return Effect(wish=Pour(token, number))
    if not any(isinstance(option.intent, ReturnRest) for option in own.options):
        # the host explains why nothing can be given back now
        return Effect(wish=ReturnRest())
    if len(left) == 1:
        return Effect(wish=ReturnRest())
    text = _("Giving {ingredient} back.").format(ingredient=ingredient_name(token))
    return Effect((text,), draft=replace(draft, aside=(*draft.aside, token)))


def _pour_as_suggested(draft: TurnDraft, model: Model, view: View) -> Effect:
    if not model.hints:
        return cannot(hints_line(model.hints))
    pours = suggested_pours(view, draft.aside)
    if not pours:
        return cannot(_("You have nothing to pour now."))
    return Effect(wish=pours[0], then=pours[1:])


def _empty(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    if not _are_cups(command.numbers):
        text = _("Type “{empty}” and the number of a cup, as in “{empty} 2”.")
        return cannot(text.format(empty=said("empty")))
    (cup,) = command.numbers
    return Effect(wish=EmptyCup(cup))


def _serve(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    serves = [
        option.intent
        for option in own.options
        if isinstance(option.intent, Serve) and _is_meant(option.intent, command.numbers)
    ]
    if serves:
        cups = {serve.cup for serve in serves}
        if len(cups) > 1:
            return cannot(*serve_lines(model, own))
        return Effect(wish=max(serves, key=lambda serve: serve.slot))
    if (
        len(command.numbers) == 2
        and _are_cups(command.numbers[:1])
        and 1 <= command.numbers[1] <= 4
    ):
        # the host explains why it cannot be served
        return Effect(wish=Serve(*command.numbers))
    if len(command.numbers) == 1 and _are_cups(command.numbers):
        text = _("Cup {cup} does not match any of your orders now.")
        return cannot(text.format(cup=command.numbers[0]))
    text = _("No cup matches an order now; type “{orders}” to see what they need.")
    return cannot(text.format(orders=said("orders")))


def _is_meant(serve: Serve, numbers: tuple[int, ...]) -> bool:
    return (serve.cup, serve.slot)[: len(numbers)] == numbers


def _upgrade(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    found = fitting_upgrades(command.text)
    open_ones = [o.intent.upgrade for o in own.options if isinstance(o.intent, ActivateUpgrade)]
    if len(found) == 1 and command.text:
        return Effect(wish=ActivateUpgrade(found[0]))
    if open_ones:
        return cannot(*upgrade_lines(own))
    text = _("No upgrade can be activated now; type “{upgrade}” to see what they cost.")
    return cannot(text.format(upgrade=said("upgrade")))


def _undo(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    if draft.aside and not (command.text and own.undo):  # the host knows of nothing to undo there
        return Effect(draft=replace(draft, aside=() if command.text else draft.aside[:-1]))
    others = (Undo(),) * (own.undo - 1) if command.text else ()
    return Effect(wish=Undo(), then=others, draft=replace(draft, aside=()))


def _end(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    ready = [o.order for o in own.options if isinstance(o.intent, Serve) and o.order is not None]
    if ready and draft.asked_to_end != model.rev:
        drinks = and_list(dict.fromkeys(drink_name(model, drink) for drink in ready))
        text = _("You could still serve {drinks}; type “{end}” again to end your turn anyway.")
        question = text.format(drinks=drinks, end=said("end"))
        asked = replace(draft, asked_to_end=model.rev)
        return Effect((question,), problem=True, draft=asked)
    return Effect(wish=EndTurn())


def _place(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    numbers = command.numbers
    if len(numbers) == 2 and all(1 <= number <= BOARD_SIDE for number in numbers):
        row, column = numbers
        return Effect(wish=PlaceMeeple(BOARD_SIDE * (row - 1) + column - 1))
    free = [
        option.intent.cell
        for option in own.options
        if isinstance(option.intent, PlaceMeeple)
        and command.text
        and folded(ingredient_name(BOARD[option.intent.cell])).startswith(command.text)
    ]
    if len(free) == 1:
        return Effect(wish=PlaceMeeple(free[0]))
    if free:
        cells = _("; ").join(cell_name(cell) for cell in free)
        return cannot(_("There are several matches: {cells}.").format(cells=cells))
    text = _("Type “{place}”, then a row and a column from 1 to 4, as in “{place} 2 3”.")
    return cannot(text.format(place=said("place")))


def _are_cups(numbers: tuple[int, ...]) -> bool:
    return bool(numbers) and all(1 <= number <= CUPS for number in numbers)


GameCommand = Callable[[TurnDraft, Model, View, OwnView, Command], Effect]
GAME: Final[dict[str, GameCommand]] = {
    **dict.fromkeys(DIRECTIONS, _go),
    "other": _other,
    POUR: _pour,
    "rest": lambda draft, model, view, own, command: Effect(wish=ReturnRest()),
    "empty": _empty,
    "serve": _serve,
    "upgrade": _upgrade,
    "undo": _undo,
    "end": _end,
    "place": _place,
}
"""Commands for this player's turn."""
