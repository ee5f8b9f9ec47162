"""Commands of plain mode by which a table is ruled: seats, rules, guests who ask to come in."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model, rules_of
from coffeerush.local.settings import MAX_TURN_SECONDS
from coffeerush.ui.words.command_words import said, switched_off, switched_on
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.table import askers_told
from protocol import MAX_PLAYERS, NO_ID, LetIn, MoveSeat, SetFirst

from .game_commands import Effect, cannot
from .parsing import Command


def _swap(model: Model, command: Command) -> Effect:
    if len(command.numbers) != 2 or not all(
        1 <= number <= MAX_PLAYERS for number in command.numbers
    ):
        text = _("Type “{swap}” and two seats, as in “{swap} 1 2”.")
        return cannot(text.format(swap=said("swap")))
    seat, to = command.numbers
    return Effect(wish=MoveSeat(NO_ID, seat - 1, to - 1))


def _first(model: Model, command: Command) -> Effect:
    if not command.numbers:
        return Effect(wish=SetFirst(NO_ID, None))
    (number,) = command.numbers
    if not 1 <= number <= MAX_PLAYERS:
        text = _("Type “{first}” and a seat, as in “{first} 2”, or “{first}” alone.")
        return cannot(text.format(first=said("first")))
    return Effect(wish=SetFirst(NO_ID, number - 1))


def _clock(model: Model, command: Command) -> Effect:
    return _rules_with(model, turn_seconds=min((*command.numbers, 0)[0], MAX_TURN_SECONDS))


def _pace(model: Model, command: Command) -> Effect:
    return _rules_with(model, bot_seconds=min((*command.numbers, 0)[0], 30))


def _hints(model: Model, command: Command) -> Effect:
    if command.text not in (*switched_on(), *switched_off()):
        text = _("Type “{hints} {on}” or “{hints} {off}”.")
        return cannot(text.format(hints=said("hints"), on=said("on"), off=said("off")))
    return _rules_with(model, hints=command.text in switched_on())


def _admit(model: Model, command: Command) -> Effect:
    if command.text:
        return _rules_with(model, anybody_lets_in=command.text in switched_on())
    return _answer(model, command, allowed=True)


def _answer(model: Model, command: Command, allowed: bool) -> Effect:
    """Answer a guest by the number, which may be left out if only one asks."""
    asking = [one.guest for one in model.asking]
    guests = command.numbers or tuple(asking)
    if len(guests) == 1 and guests[0]:
        return Effect(wish=LetIn(NO_ID, guests[0], allowed))
    return cannot(*(askers_told(model) or (_("No guest is waiting to be let in."),)))


def _rules_with(model: Model, **changed: object) -> Effect:
    table = model.table
    if table is None:
        return cannot(_("You are not at the table yet."))
    return Effect(wish=replace(rules_of(model, table), **changed))


RULES: Final[dict[str, Callable[[Model, Command], Effect]]] = {
    "swap": _swap,
    "first": _first,
    "clock": _clock,
    "pace": _pace,
    "hints": _hints,
    "admit": _admit,
    "reject": lambda model, command: _answer(model, command, allowed=False),
}
"""The effect of each of these commands."""
