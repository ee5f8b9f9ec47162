"""What a person has chosen during a turn that the host need not know yet."""

from msgspec import Struct
from msgspec.structs import replace

from protocol import Counts, Ingredient, Meeple, Seat, View

from .model import Model


class TurnDraft(Struct, frozen=True):
    """Choices of a turn, until they become intents or the turn no longer has them."""

    meeple: Meeple = 1
    """The meeple that steps, of two."""
    aside: tuple[Ingredient, ...] = ()
    """Tokens in hand to be given back once the others are poured: the host takes all at once."""
    asked_to_end: int | None = None
    """The revision at which plain mode answered `end` with a question."""

    def meeple_of(self, view: View, seat: Seat | None) -> Meeple:
        """Return the meeple of a seat that steps: the one that has, else the chosen one."""
        if seat is None or seat >= len(view.players):
            return 1
        chosen = view.meeple or self.meeple
        return chosen if chosen <= len(view.players[seat].meeples) else 1

    def seen(self, before: Model, after: Model) -> "TurnDraft":
        """Return what is left of it in another model: nothing in another game."""
        if (after.epoch, after.game) != (before.epoch, before.game):
            return TurnDraft()
        own = after.view.own if after.view and after.my_turn else None
        if own and all(self.aside.count(kind) <= own.hand[kind] for kind in self.aside):
            return self
        return replace(self, aside=())


def tokens_to_pour(hand: Counts, aside: tuple[Ingredient, ...]) -> list[Ingredient]:
    """Return the tokens in hand that are not set aside, the first to be poured first."""
    return [kind for kind in Ingredient for _ in range(hand[kind] - aside.count(kind))]
