"""Everything that is drawn and pressed, worked out once from a model and the screen's own state.

Legality comes from the options alone.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Final

from coffeerush.client.model import Model
from coffeerush.client.turn_draft import tokens_to_pour
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.pages.chips import kinds_of
from coffeerush.ui.words.between_turns import Sent, bot_finishes, received
from protocol import (
    NOTHING,
    ActivateUpgrade,
    Cell,
    Counts,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Option,
    OwnView,
    Phase,
    PlaceMeeple,
    PlayerView,
    Pour,
    ReturnRest,
    Seat,
    SeatView,
    Serve,
    Step,
    TableView,
    Undo,
    Upgrade,
    View,
)

from .state import Ui

if TYPE_CHECKING:
    # it loads bots and rules, and the first frame has no table yet
    from coffeerush.ui.advice.pours import OpenOrder

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Scene:
    """A moment of a table, as its screen sees it."""

    def __init__(self, model: Model, ui: Ui) -> None:
        self.model = model
        self.ui = ui

    @cached_property
    def stage(self) -> str:
        """`joining`, `lobby`, `game` or `result`."""
        table = self.model.table
        if table is None:
            return "joining"
        if table.stage != "lobby" and self.model.view is None:
            return "joining"
        return table.stage

    @cached_property
    def table(self) -> TableView:
        """The table; only to be asked for when the stage is not `joining`."""
        assert self.model.table is not None, "a scene without a table is only `joining`"
        return self.model.table

    @cached_property
    def view(self) -> View:
        """The game; only to be asked for in the stages `game` and `result`."""
        assert self.model.view is not None, "a scene without a view is no game"
        return self.model.view

    @cached_property
    def guide(self) -> tuple[str, ...]:
        """What the first-game guide says now; nothing where it is put away, or before the game."""
        return guide_lines(self.model) if self.ui.guide and self.stage == "game" else ()

    # People

    @cached_property
    def me(self) -> Seat | None:
        """The own seat."""
        return self.model.seat

    @cached_property
    def seats(self) -> tuple[SeatView, ...]:
        """Who sits where."""
        return self.table.seats

    @cached_property
    def others(self) -> list[Seat]:
        """The other seats, the next to play first; all of them for a spectator."""
        count = len(self.view.players)
        if self.me is None:
            return list(range(count))
        return [(self.me + turn) % count for turn in range(1, count)]

    def name(self, seat: Seat) -> str:
        """Return the name of a seat."""
        return self.seats[seat].name or self.letter(seat)

    def player(self, seat: Seat) -> PlayerView:
        """Return what everybody knows of a seat."""
        return self.view.players[seat]

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The letter of each seat: the first of its name that is free, people choose first."""
        found = dict.fromkeys(range(len(self.seats)), "")
        for seat in sorted(found, key=lambda seat: self.seats[seat].status == "bot"):
            wanted = [letter for letter in self.seats[seat].name.upper() if letter in LETTERS]
            free = (one for one in [*wanted, *LETTERS] if one not in found.values())
            found[seat] = next(free)
        return tuple(found.values())

    def letter(self, seat: Seat) -> str:
        """Return the letter that stands for a seat on the board."""
        return self.letters[seat]

    @cached_property
    def standing(self) -> dict[Cell, list[tuple[Seat, int]]]:
        """The meeples of each cell, as (seat, number of the meeple)."""
        found: dict[Cell, list[tuple[Seat, int]]] = {}
        for seat, player in enumerate(self.view.players):
            for number, cell in enumerate(player.meeples, start=1):
                found.setdefault(cell, []).append((seat, number))
        return found

    # The own seat

    @cached_property
    def own(self) -> OwnView | None:
        """What only this seat knows."""
        return self.view.own

    @cached_property
    def my_turn(self) -> bool:
        """Whether this seat is the one that may act."""
        return self.stage == "game" and self.model.my_turn and not self.bot_finishes

    @cached_property
    def bot_finishes(self) -> bool:
        """Whether the own time was up, so that a bot plays the own turn to its end."""
        return bot_finishes(self.model)

    @cached_property
    def sent(self) -> tuple[Sent, ...]:
        """The orders that rivals' turns brought since the own last one, oldest first."""
        return () if self.me is None else received(self.model)

    @cached_property
    def busy(self) -> bool:
        """Whether the host has to answer before anything more can be done on the own turn."""
        return self.my_turn and not self.model.can_act

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """What is legal now."""
        here = self.my_turn and self.model.status == "here"
        return self.own.options if here and self.own else ()

    @cached_property
    def legal(self) -> set[Intent]:
        """The intents of the options."""
        return {option.intent for option in self.options}

    @cached_property
    def meeple(self) -> int:
        """The meeple that steps: the one that has, else the chosen one, if there is one."""
        return self.ui.turn.meeple_of(self.view, self.me)

    @cached_property
    def steps(self) -> dict[Cell, Option]:
        """The legal steps of the meeple, by the cell they enter."""
        return {
            option.intent.cell: option
            for option in self.options
            if isinstance(option.intent, Step) and option.intent.meeple == self.meeple
        }

    @cached_property
    def places(self) -> dict[Cell, Option]:
        """The cells where a meeple can be placed."""
        return {
            option.intent.cell: option
            for option in self.options
            if isinstance(option.intent, PlaceMeeple)
        }

    @cached_property
    def serves(self) -> list[Option]:
        """The legal serves, the most urgent order first."""
        found = [option for option in self.options if isinstance(option.intent, Serve)]
        return sorted(found, key=_by_urgency)

    @cached_property
    def upgrades(self) -> set[int]:
        """The upgrades that can be activated now."""
        return {intent.upgrade for intent in self.legal if isinstance(intent, ActivateUpgrade)}

    @cached_property
    def emptyable(self) -> set[int]:
        """The cups that can be emptied."""
        return {intent.cup for intent in self.legal if isinstance(intent, EmptyCup)}

    @cached_property
    def can_pour(self) -> bool:
        """Whether a token of the hand can be poured now."""
        return any(isinstance(intent, Pour) for intent in self.legal)

    @cached_property
    def can_return(self) -> bool:
        """Whether the rest of the hand can go back now."""
        return ReturnRest() in self.legal

    @cached_property
    def can_end(self) -> bool:
        """Whether the turn can end now."""
        return EndTurn() in self.legal

    @cached_property
    def undo(self) -> int:
        """How many intents can be taken back now."""
        return self.own.undo if self.own and Undo() in self.legal else 0

    @cached_property
    def can_choose_meeple(self) -> bool:
        """Whether either of two own meeples may still be the one that moves (R-MOVE-1)."""
        found = {option.intent.meeple for option in self.options if isinstance(option.intent, Step)}
        return len(found) > 1

    @cached_property
    def diagonal(self) -> bool:
        """Whether the own steps may be diagonal (R-UPG-3)."""
        if self.me is None or self.stage != "game":
            return False
        return self.player(self.me).upgrades[Upgrade.DIAGONAL_MOVE]

    @cached_property
    def hand(self) -> Counts | None:
        """What is in hand: one's own on the own turn, else what the player is seen to hold."""
        if self.my_turn:
            return self.own.hand if self.own else NOTHING
        return self.view.hand

    @cached_property
    def aside(self) -> tuple[Ingredient, ...]:
        """The tokens in hand that shall go back."""
        return self.ui.turn.aside if self.my_turn else ()

    @cached_property
    def to_pour(self) -> list[Ingredient]:
        """The tokens in hand that are not set aside, the first to be poured first."""
        return tokens_to_pour(self.hand or NOTHING, self.aside)

    @cached_property
    def given_back(self) -> list[Ingredient]:
        """The tokens that the suggestion does not pour."""
        left = kinds_of(self.hand or NOTHING)
        for intent in self.suggestion:
            if isinstance(intent, Pour):
                left.remove(intent.ingredient)
        return left

    @cached_property
    def orders(self) -> "tuple[OpenOrder, ...]":
        """The own orders, the most urgent first; none for a spectator."""
        from coffeerush.ui.advice.pours import open_orders

        return () if self.me is None else open_orders(self.view, self.me)

    @cached_property
    def senders(self) -> tuple[Seat | None, ...]:
        """Whose turn brought each of `orders`; None for those of before the own last turn."""
        left = list(self.sent)
        found: list[Seat | None] = []
        for order in self.orders:
            new = (one for one in left if order.slot == 1 and one.drink == order.drink)
            sent = next(new, None)
            found.append(sent.seat if sent else None)
            if sent:
                left.remove(sent)
        return tuple(found)

    @cached_property
    def suggestion(self) -> tuple[Intent, ...]:
        """What Space would do."""
        from coffeerush.ui.advice.pours import suggested_pours

        return suggested_pours(self.view, self.aside) if self.my_turn else ()

    @cached_property
    def setting_up(self) -> bool:
        """Whether the first turn is still to come."""
        return self.view.phase in (Phase.PLACING, Phase.FILLING)

    @cached_property
    def clock(self) -> int | None:
        """Seconds left of the turn, where a turn clock runs."""
        until = self.ui.clock_until
        return None if until is None else max(int(until - self.ui.now), 0)


def _by_urgency(option: Option) -> tuple[int, int]:
    assert isinstance(option.intent, Serve)
    return -option.intent.slot, option.intent.cup
