"""The letters and the colours that stand for the seats, on the board and elsewhere."""

from collections.abc import Sequence
from typing import Final

from coffeerush.levels import is_made_up
from protocol import MAX_PLAYERS, Colour, Letter, Seat, SeatView

from .i18n import NC_, pgettext

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ORDER: Final = ("person", "bot", "open")
_COLOURS: Final = (
    NC_("seat colour", "orange"),
    NC_("seat colour", "violet"),
    NC_("seat colour", "blue"),
    NC_("seat colour", "yellow"),
)
"""The colours of seats in the dark theme; the others have their own, or one for all seats."""


def seat_letters(seats: Sequence[SeatView]) -> tuple[str, ...]:
    """Return unique letters: chosen ones, else the first free one of each name, people before bots.

    They are the same in every language, and in the lobby as in the game: open seats come last.
    """
    found = dict.fromkeys(range(len(seats)), "")
    for seat, one in enumerate(seats):
        if one.letter is not None and LETTERS[one.letter] not in found.values():
            found[seat] = LETTERS[one.letter]
    rest = [seat for seat, letter in found.items() if not letter]
    for seat in sorted(rest, key=lambda seat: _ORDER.index(seats[seat].status)):
        one = seats[seat]
        bot = one.status == "bot" and is_made_up(one.name, one.bot)
        name = "BXYZ" if bot else one.name.upper()
        wanted = [letter for letter in name if letter in LETTERS]
        free = (one for one in [*wanted, *LETTERS] if one not in found.values())
        found[seat] = next(free)
    return tuple(found.values())


def seat_colours(seats: Sequence[SeatView]) -> tuple[Colour, ...]:
    """Return unique colours: chosen ones, else the seat's own, or the first one that is free."""
    found: dict[Seat, Colour] = {}
    for seat, one in enumerate(seats):
        if one.colour is not None and one.colour not in found.values():
            found[seat] = one.colour
    for seat in range(len(seats)):
        if seat not in found:
            free = (one for one in (seat, *range(MAX_PLAYERS)) if one not in found.values())
            found[seat] = next(free)
    return tuple(found[seat] for seat in range(len(seats)))


def colour_name(colour: Colour) -> str:
    """Return the name of a seat's colour in the dark theme."""
    return pgettext(*_COLOURS[colour])


def letter_named(text: str) -> Letter | None:
    """Return the letter that somebody typed; None if it is not one of A to Z."""
    return LETTERS.index(text.upper()) if len(text) == 1 and text.upper() in LETTERS else None


def seat_style(seats: Sequence[SeatView], seat: Seat) -> str:
    """Return the style of a seat's letter and name."""
    return f"class:seat{seat_colours(seats)[seat]}"
