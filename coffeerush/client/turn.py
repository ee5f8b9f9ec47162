"""This client's turn: its clock, and choices that are not sent to the host yet."""

from math import ceil
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from protocol import BOARD, Cell, Counts, Ingredient, Meeple, Seat, View

from .model import Model


class TurnDraft(Struct, frozen=True):
    """Choices during a turn, until they become intents or no longer apply."""

    meeple: Meeple = 1
    """The chosen meeple, of two."""
    aside: tuple[Ingredient, ...] = ()
    """Tokens in hand to return once the others are poured: the host takes them in one intent."""
    asked_to_end: int | None = None
    """The rev at which plain mode asked to confirm `end`."""

    def meeple_of(self, view: View, seat: Seat | None) -> Meeple:
        """Return the seat's meeple to move: the one that has stepped, else the chosen one."""
        if seat is None or seat >= len(view.players):
            return 1
        chosen = view.meeple or self.meeple
        return chosen if chosen <= len(view.players[seat].meeples) else 1

    def seen(self, before: Model, after: Model) -> "TurnDraft":
        """Carry the draft over to a new model: drop what no longer applies."""
        if (after.epoch, after.game) != (before.epoch, before.game):
            return TurnDraft()
        own = after.view.own if after.view and after.my_turn else None
        if own and all(self.aside.count(kind) <= own.hand[kind] for kind in self.aside):
            return self
        return replace(self, aside=())


def tokens_to_pour(
    hand: Counts, aside: tuple[Ingredient, ...], path: tuple[Cell, ...]
) -> list[Ingredient]:
    """Return the tokens in hand that are not set aside, in the order to pour them.

    That is the order in which the `path` of the turn, if it is given, came to their kinds: the
    board numbers its steps.
    """
    kinds = dict.fromkeys([*(BOARD[cell] for cell in path[1:]), *Ingredient])
    return [kind for kind in kinds for _ in range(hand[kind] - aside.count(kind))]


# The turn clock, which a client counts down by itself, and when it calls for attention


HURRY_SECONDS: Final = 10
"""With so much time left, a clock looks and sounds different."""
BELL_AFTER_SECONDS: Final = 1.0
"""The bell rings at a turn's start only if nothing was typed for this long."""


def seconds_left(model: Model, age: float) -> int | None:
    """Return the seconds left of the turn; None without a turn clock.

    `age` is how old the table is, in seconds: so much less time is left, unless the game is paused.
    """
    table = model.table
    if table is None or table.clock is None:
        return None
    return table.clock if table.pause is not None else max(ceil(table.clock - age), 0)
