"""The letters that stand for the seats on the board."""

from collections.abc import Sequence
from typing import Final

from protocol import SeatView

from .names import is_made_up

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def seat_letters(seats: Sequence[SeatView]) -> tuple[str, ...]:
    """Return unique letters: the first free one of each name, people before bots.

    They are the same in every language.
    """
    found = dict.fromkeys(range(len(seats)), "")
    for seat in sorted(found, key=lambda seat: seats[seat].status == "bot"):
        one = seats[seat]
        bot = one.status == "bot" and is_made_up(one.name, one.bot)
        name = "BXYZ" if bot else one.name.upper()
        wanted = [letter for letter in name if letter in LETTERS]
        free = (one for one in [*wanted, *LETTERS] if one not in found.values())
        found[seat] = next(free)
    return tuple(found.values())
