"""This client's turn: what can be done now, choices that are not sent yet, and the turn clock."""

from functools import cached_property
from math import ceil
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from protocol import (
    BOARD,
    BOARD_SIDE,
    NOTHING,
    SUPPLY,
    ActivateUpgrade,
    Cell,
    Counts,
    DrinkIndex,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Meeple,
    Option,
    OwnView,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Undo,
    Upgrade,
    View,
)

from .model import Model


class TurnDraft(Struct, frozen=True):
    """Choices during a turn, until they become intents or no longer apply."""

    meeple: Meeple = 1
    """The chosen meeple, of two."""
    aside: tuple[Ingredient, ...] = ()
    """Tokens in hand to return once the others are poured: the host takes them in one intent."""
    ahead: tuple[Step, ...] = ()
    """The walk that is planned for the next turn, while others play."""
    asked_to_end: int | None = None
    """The rev at which plain mode asked to confirm `end`."""

    def seen(self, before: Model, after: Model) -> "TurnDraft":
        """Carry the draft over to a new model: drop what no longer applies."""
        if (after.epoch, after.game) != (before.epoch, before.game):
            return TurnDraft()
        over = before.my_turn and not after.my_turn
        walked = over or _own_meeples(after) != _own_meeples(before)
        draft = replace(self, ahead=() if walked else self.ahead)
        own = after.view.own if after.view and after.my_turn else None
        if own and all(self.aside.count(kind) <= own.hand[kind] for kind in self.aside):
            return draft
        return replace(draft, aside=())


Decision: TypeAlias = tuple[tuple[Intent, ...], TurnDraft]
"""The intents to send, one after another, and the draft from then on."""


class Turn:
    """What this client can do now, as the options of its View say, and what that leads to."""

    def __init__(self, model: Model, draft: TurnDraft) -> None:
        self.model = model
        self.draft = draft

    @property
    def view(self) -> View:
        """The game; only available while there is one."""
        assert self.model.view is not None, "a turn is part of a game"
        return self.model.view

    @property
    def own(self) -> OwnView:
        """The part of it that only this player sees; only available while there are options."""
        assert self.view.own is not None, "options are a part of it"
        return self.view.own

    @cached_property
    def is_mine(self) -> bool:
        """Whether this player is the one to act, rather than a bot that finishes their turn."""
        on = self.model.table is not None and self.model.table.stage == "game"
        return on and self.model.my_turn and not self.model.bot_finishes

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The legal options; () if it is not this player's turn, the link is lost or in a pause."""
        here = self.is_mine and self.model.status == "here" and self.model.pause is None
        return self.view.own.options if here and self.view.own else ()

    @cached_property
    def legal(self) -> set[Intent]:
        """The intents of the legal options."""
        return {option.intent for option in self.options}

    # Meeples and steps

    @cached_property
    def places(self) -> list[Cell]:
        """The cells where a meeple can be placed."""
        intents = (option.intent for option in self.options)
        return [intent.cell for intent in intents if isinstance(intent, PlaceMeeple)]

    @cached_property
    def meeple(self) -> Meeple:
        """The meeple that steps: the one that has stepped, else the chosen one."""
        chosen = (self.is_mine and self.view.meeple) or self.draft.meeple
        return chosen if chosen <= len(self.meeples) else 1

    @property
    def other_meeple(self) -> Meeple:
        """The other one of two meeples."""
        return 3 - self.meeple

    @property
    def position(self) -> Cell | None:
        """The cell of the meeple that steps; None before it is placed."""
        return self.meeples[self.meeple - 1] if self.meeples else None

    @property
    def meeples(self) -> tuple[Cell, ...]:
        """The cells of this player's meeples; () for a spectator."""
        return _own_meeples(self.model)

    @cached_property
    def steps(self) -> dict[Cell, Option]:
        """The legal steps of that meeple, by the cell they enter."""
        return {
            option.intent.cell: option
            for option in self.options
            if isinstance(option.intent, Step) and option.intent.meeple == self.meeple
        }

    @cached_property
    def planned(self) -> tuple[Step, ...]:
        """The walk planned ahead, until a step is taken; () if its first step is not legal."""
        ahead = self.draft.ahead
        return ahead if not self.view.path and ahead and ahead[0] in self.legal else ()

    @cached_property
    def can_choose_meeple(self) -> bool:
        """Whether this player can still choose which of two meeples moves (R-MOVE-1)."""
        return len({intent.meeple for intent in self.legal if isinstance(intent, Step)}) > 1

    def step(self, rows: int, columns: int) -> Step | None:
        """Return a step in a direction, legal or not: the host explains; None off the board."""
        assert self.position is not None, "a meeple that steps is placed"
        there = neighbour(self.position, rows, columns)
        return None if there is None else Step(self.meeple, there)

    # Tokens in hand

    @cached_property
    def hand(self) -> Counts | None:
        """The hand: this player's own, or the public one on another turn; None if hidden."""
        if self.is_mine:
            return self.view.own.hand if self.view.own else NOTHING
        return self.view.hand

    @cached_property
    def aside(self) -> tuple[Ingredient, ...]:
        """The tokens in hand that are set aside to be given back."""
        return self.draft.aside if self.is_mine else ()

    @cached_property
    def to_pour(self) -> list[Ingredient]:
        """The tokens in hand that are not set aside, in the order in which they are poured."""
        return tokens_to_pour(self.hand or NOTHING, self.aside, self.view.path)

    @property
    def only_aside(self) -> bool:
        """Whether only tokens that are set aside are left in hand, so that they go back now."""
        return bool(self.aside) and not self.to_pour

    @cached_property
    def can_pour(self) -> bool:
        """Whether a token in hand can be poured now."""
        return any(isinstance(intent, Pour) for intent in self.legal)

    @cached_property
    def must_step_on(self) -> bool:
        """Whether the walk has come to another meeple, where it may not end (R-MOVE-4)."""
        return bool(self.options) and must_step_on(self.view, self.own)

    @cached_property
    def can_return(self) -> bool:
        """Whether the rest of the hand can be given back now."""
        return ReturnRest() in self.legal

    def give_back(self) -> Decision:
        """Give back the first token that is not set aside.

        It is set aside as long as there are others to pour. If nothing can be given back now, the
        host explains why.
        """
        if len(self.to_pour) <= 1 or not self.can_return:
            return (ReturnRest(),), replace(self.draft, aside=())
        return (), replace(self.draft, aside=(*self.aside, self.to_pour[0]))

    # Cups, orders and upgrades

    @cached_property
    def serves(self) -> dict[Serve, DrinkIndex]:
        """The legal serves, cup by cup, and the drinks that they serve."""
        return {
            option.intent: option.order
            for option in self.options
            if isinstance(option.intent, Serve) and option.order is not None
        }

    @cached_property
    def urgent(self) -> list[Serve]:
        """The legal serves, most urgent order first."""
        return sorted(self.serves, key=lambda serve: (-serve.slot, serve.cup))

    @cached_property
    def all_ready(self) -> list[Serve]:
        """A legal serve for each order that is ready, each with a cup of its own, urgent first."""
        found = list[Serve]()
        for serve in self.urgent:
            assert self.model.seat is not None, "only a seat serves"
            orders, drink = self.view.players[self.model.seat].orders, self.serves[serve]
            same = [
                ready for ready in found if ready.slot == serve.slot and self.serves[ready] == drink
            ]
            is_open = len(same) < orders[serve.slot - 1].count(drink)
            if is_open and serve.cup not in [ready.cup for ready in found]:
                found.append(serve)
        return found

    @cached_property
    def emptyable(self) -> set[int]:
        """The cups that can be emptied now."""
        return {intent.cup for intent in self.legal if isinstance(intent, EmptyCup)}

    @cached_property
    def upgrades(self) -> list[Upgrade]:
        """The upgrades that can be activated now (R-UPG-1)."""
        intents = (option.intent for option in self.options)
        return [intent.upgrade for intent in intents if isinstance(intent, ActivateUpgrade)]

    # The end of the turn, and undo

    @cached_property
    def can_end(self) -> bool:
        """Whether `end_turn` is among the options of the View."""
        return EndTurn() in self.legal

    @cached_property
    def undoable(self) -> int:
        """How many intents can be undone now."""
        return self.own.undo if Undo() in self.legal else 0

    def undo(self, whole: bool = False) -> Decision:
        """Undo the last action, or the whole turn; setting a token aside is an action.

        If there is nothing to undo, the host explains why.
        """
        if self.aside and not (whole and self.undoable):  # the host knows of nothing to undo there
            return (), replace(self.draft, aside=() if whole else self.aside[:-1])
        count = max(self.undoable, 1) if whole else 1
        return (Undo(),) * count, replace(self.draft, aside=())


def _own_meeples(model: Model) -> tuple[Cell, ...]:
    seat, players = model.seat, model.view.players if model.view else ()
    return () if seat is None or seat >= len(players) else players[seat].meeples


_STOPS: Final = (Pour, ReturnRest, Serve, EndTurn)
"""What is legal only where a walk may end."""


def must_step_on(view: View, own: OwnView) -> bool:
    """Return whether the walk of a turn has come to another meeple, where it may not end."""
    stops = any(isinstance(option.intent, _STOPS) for option in own.options)
    return bool(view.path) and not stops


def have_tokens(view: View, own: OwnView) -> bool:
    """Return whether there are so many tokens; not so if one of the two is behind the other."""
    hand = own.hand if own.seat == view.active else view.hand or NOTHING
    held = zip(view.supply, hand, *own.cups, SUPPLY, strict=True)
    return all(sum(counts) <= all_ for *counts, all_ in held)


def neighbour(cell: Cell, rows: int, columns: int) -> Cell | None:
    """Return the cell so many rows down and columns to the right; None off the board."""
    row, column = divmod(cell, BOARD_SIDE)
    row, column = row + rows, column + columns
    on_board = 0 <= row < BOARD_SIDE and 0 <= column < BOARD_SIDE
    return BOARD_SIDE * row + column if on_board else None


def tokens_to_pour(
    hand: Counts, aside: tuple[Ingredient, ...], path: tuple[Cell, ...]
) -> list[Ingredient]:
    """Return the tokens in hand that are not set aside, in the order to pour them."""
    kinds = kinds_to_pour(path)
    return [kind for kind in kinds for _ in range(hand[kind] - aside.count(kind))]


def kinds_to_pour(path: tuple[Cell, ...]) -> list[Ingredient]:
    """Return all kinds in the order to pour them.

    That is the order in which the `path` of the turn, if it is given, came to them: the board
    numbers its steps.
    """
    return [*dict.fromkeys([*(BOARD[cell] for cell in path[1:]), *Ingredient])]


# The turn clock, which a client counts down by itself, and when it calls for attention


HURRY_SECONDS: Final = 10
"""With so much time left, a clock looks and sounds different."""
BELL_AFTER_SECONDS: Final = 1.0
"""The bell rings at a turn's start only if nothing was typed for this long."""


def time_limit(model: Model) -> int:
    """Return the time limit of a turn, in seconds; 0 for none."""
    return model.table.turn_seconds if model.table else 0


def seconds_left(model: Model, age: float) -> int | None:
    """Return the seconds left of the turn; None without a turn clock.

    `age` is how old the table is, in seconds: so much less time is left, unless the game is paused.
    """
    table = model.table
    if table is None or table.clock is None:
        return None
    return table.clock if table.pause is not None else max(ceil(table.clock - age), 0)
