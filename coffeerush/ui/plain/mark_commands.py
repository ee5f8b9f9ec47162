"""Commands of plain mode for the letter and the colour by which full screens mark a person."""

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.setting_rows import mark_wish
from coffeerush.ui.words.command_words import automatic, said
from coffeerush.ui.words.i18n import Lines, _
from coffeerush.ui.words.names import (
    LETTERS,
    colour_name,
    item_list,
    letter_named,
    numbered,
    seat_colours,
    seat_letters,
    seat_player,
    sentence_case,
)
from protocol import MAX_PLAYERS, Colour, SeatView

from .game_commands import Effect, cannot
from .parsing import Command
from .personal_commands import setting_line
from .session_words import is_in_game

Mark: TypeAlias = tuple[str, Colour]
"""The letter and the colour of a seat."""


def _letter(model: Model, settings: Settings, command: Command) -> Effect:
    """Choose a letter, or tell everybody's."""
    if not command.text:
        text = _(
            "Type “{letter}” and a letter from A to Z, as in “{letter} B”, or “{letter} {auto}” "
            "for that of your name."
        )
        typed = text.format(letter=said("letter"), auto=said("auto"))
        return Effect((*_everybodys_letters(model), typed))
    if command.text in automatic():
        return _marked(model, settings, letter=None)
    letter = letter_named(command.text)
    if letter is None:
        return cannot(_("Choose one of the letters A to Z."))
    if name := _chosen_by(model, lambda seat: seat.letter == letter):
        text = _("{name} has chosen the letter {letter}; choose another one.")
        return cannot(text.format(name=name, letter=LETTERS[letter]))
    return _marked(model, settings, letter=letter)


def _everybodys_letters(model: Model) -> Lines:
    if model.table is None:
        return ()
    seats = model.table.seats
    shown = _("{name} has {letter}")
    letters = item_list(
        shown.format(name=seat_player(one, seat), letter=letter)
        for seat, (one, letter) in enumerate(zip(seats, seat_letters(seats), strict=True))
        if one.status != "open"
    )
    text = _("On the full screen, a letter marks each player: {letters}.")
    return (text.format(letters=letters),)


def _colour(model: Model, settings: Settings, command: Command) -> Effect:
    """Choose a colour, or list who has which."""
    if command.text:
        return _marked(model, settings, colour=None)
    (number,) = command.numbers or (0,)
    if not 1 <= number <= MAX_PLAYERS:
        text = _(
            "Type “{colour}” and a number, as in “{colour} 2”, or “{colour} {auto}” for that of "
            "your seat."
        )
        typed = text.format(colour=said("colour"), auto=said("auto"))
        return Effect((*_everybodys_colours(model), typed), problem=bool(command.numbers))
    if name := _chosen_by(model, lambda seat: seat.colour == number - 1):
        text = _("{name} has chosen {colour}; choose another colour.")
        return cannot(text.format(name=name, colour=colour_name(number - 1)))
    return _marked(model, settings, colour=number - 1)


def _everybodys_colours(model: Model) -> Lines:
    seats = model.table.seats if model.table else ()
    names = {
        colour: seat_player(seats[seat], seat)
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


def _chosen_by(model: Model, has_it: Callable[[SeatView], bool]) -> str:
    """Return the player who has chosen a letter or a colour; "" if it is free to choose."""
    seats = model.table.seats if model.table else ()
    others = (seat for seat, one in enumerate(seats) if seat != model.seat and has_it(one))
    return next((seat_player(seats[seat], seat) for seat in others), "")


def _marked(model: Model, before: Settings, **mark: int | None) -> Effect:
    """Change the settings, and ask the host for the same: in a game, once it is over."""
    after = replace(before, **mark)
    told = () if before != after else tuple(setting_line(after, field) for field in mark)
    if is_in_game(model):
        told = (*told, _("At this table it changes once the game is over."))
    return Effect(told, wish=mark_wish(after), settings=after)


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


MARKS: Final[dict[str, Callable[[Model, Settings, Command], Effect]]] = {
    "letter": _letter,
    "colour": _colour,
}
"""Commands that change the person's settings and what others see."""
