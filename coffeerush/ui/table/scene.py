"""A scene: what drawing and input handling derive, once, from a model and the screen's state."""

from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING

from msgspec import Struct

from coffeerush.client.model import Model, RecordFetch, tellable
from coffeerush.client.turn import Turn
from coffeerush.ui.advice.guide import guide_lines, guide_topic, hint_line
from coffeerush.ui.advice.guide_signs import SIGNS, Sign, signs_of
from coffeerush.ui.pages.pages import kinds_of
from coffeerush.ui.words.events import (
    Sent,
    has_turn_ahead,
    has_turn_left,
    received,
    senders_of,
    without_undone,
)
from coffeerush.ui.words.names import seat_letters, seat_player
from protocol import (
    BOARD_SIDE,
    NOTHING,
    SLOTS,
    Cell,
    Counts,
    Cup,
    CupEmptied,
    DrinkIndex,
    Ingredient,
    Intent,
    MeeplePlaced,
    OrderServed,
    OwnView,
    Phase,
    PlayerView,
    Pour,
    Poured,
    Seat,
    SeatView,
    Slot,
    Stepped,
    TableView,
    TurnStarted,
    Upgrade,
    View,
)

from .state import MIDDLE, Hint, Ui

if TYPE_CHECKING:
    from coffeerush.ui.advice.advice import OpenOrder


# The trails of other players' latest turns: the cells that their meeples walked over


class Trail(Struct, frozen=True):
    """The way of a seat's meeple in a turn."""

    seat: Seat
    cells: tuple[Cell, ...]
    """Where it began, if that is known, and each cell that it entered."""


def trails_of(model: Model) -> tuple[Trail, ...]:
    """Return the trails of the turns that others finished since this player's last turn.

    A spectator gets that of the latest turn. The turn in progress has none: the View has its path.
    Where the log has a gap, as after a lost connection, trails begin again.
    """
    finished: list[Trail] = []
    walked: list[Cell] = []
    standing: dict[tuple[Seat, int], Cell] = {}
    turn: Seat | None = None
    for event in without_undone(tellable(model)):
        match event:
            case MeeplePlaced(seat=seat, meeple=meeple, cell=cell):
                standing[seat, meeple] = cell
            case Stepped(seat=seat, meeple=meeple, cell=cell):
                here = standing.get((seat, meeple))
                led = here is None or _adjacent(here, cell)
                if seat != turn or not led or (walked and walked[-1] != here):
                    finished, walked, standing, turn, here = [], [], {}, seat, None
                begun = [] if here is None else [here]
                walked += [cell] if walked else [*begun, cell]
                standing[seat, meeple] = cell
            case TurnStarted(seat=seat):
                if turn == model.seat or model.seat is None:
                    finished = []
                if turn is not None and turn != model.seat:
                    finished.append(Trail(turn, tuple(walked)))
                walked, turn = [], seat
            case _:
                pass
    return tuple(finished)


def _adjacent(here: Cell, there: Cell) -> bool:
    """Return whether one step, also a diagonal one, leads from a cell to the other."""
    (row, column), (other_row, other_column) = divmod(here, BOARD_SIDE), divmod(there, BOARD_SIDE)
    return max(abs(row - other_row), abs(column - other_column)) == 1


def hinted_at(model: Model, walk: tuple[Cell, ...]) -> tuple[object, ...]:
    """Return what a hint is about.

    That is the turn if it has a walk, which can be begun, with the cups and upgrades; else the rev.
    """
    view, own = model.view, model.view.own if model.view else None
    turn = (view.round, view.active, view.phase is Phase.PLACING) if view else ()
    held = (own.cups, view.players[own.seat].upgrades) if view and own else ()
    rev = None if len(walk) > 1 else model.rev
    return (model.epoch, model.game, model.my_turn, *turn, *held, rev)


def _layers(contents: Counts, poured: list[Ingredient]) -> tuple[Ingredient, ...]:
    """Return the contents of a cup in the order poured, above those of which that is not known."""
    below = kinds_of(contents)
    if any(poured.count(kind) > contents[kind] for kind in poured):
        return tuple(below)
    for kind in poured:
        below.remove(kind)
    return (*below, *poured)


# A scene: what drawing and input handling derive, once, from a model and the screen's state


class Scene:
    """The table at one moment, with the state of its screen."""

    def __init__(self, model: Model, ui: Ui, bare: bool = False) -> None:
        """Derive it; if `bare`, without walks, which would stick out from what is written over."""
        self.model = model
        self.ui = ui
        self.bare = bare

    @cached_property
    def stage(self) -> str:
        """`joining`, `lobby`, `game` or `result`."""
        table = self.model.table
        if (
            self.model.elsewhere
            or table is None
            or (table.stage != "lobby" and self.model.view is None)
        ):
            return "joining"
        return table.stage

    @cached_property
    def table(self) -> TableView:
        """The table; not available in the stage `joining`."""
        assert self.model.table is not None, "a scene without a table is only `joining`"
        return self.model.table

    @cached_property
    def view(self) -> View:
        """The game; only available in the stages `game` and `result`."""
        assert self.model.view is not None, "a scene without a view is no game"
        return self.model.view

    @property
    def ended(self) -> bool:
        """Whether the game has ended, and its last move is still shown."""
        return self.stage == "game" and self.view.active is None

    @property
    def guided(self) -> bool:
        """Whether the first-game guide is on, in a game or at its result."""
        return self.ui.guide and self.stage in ("game", "result") and self.model.hints

    @cached_property
    def guide(self) -> tuple[str, ...]:
        """The text of the first-game guide; () if it is off, or before a game.

        It ends with the whole hint if that was asked for.
        """
        if not self.guided:
            return ()
        waits = self.ui.playing == "reading"
        lines = guide_lines(self.model, self.ui.progress, touch=self.ui.touch, waits=waits)
        if not self.hint or not lines:
            return lines
        from coffeerush.ui.advice.advice import hint

        if lines[-1] != hint_line(hint(self.model, brief=True)):
            return lines
        return (*lines[:-1], hint_line(hint(self.model)))

    @cached_property
    def signs(self) -> frozenset[Sign]:
        """The signs to show: in a guided game those that its player has met, else all."""
        if not self.guided or self.me is None or self.stage != "game" or self.ended:
            return SIGNS
        return signs_of(self.ui.progress, self.view, self.me)

    @cached_property
    def offers_upgrade(self) -> bool:
        """Whether an upgrade can be activated and may pay off: with the guide on, if it hints one.

        In the last round an upgrade costs more than it scores.
        """
        may = bool(self.turn.upgrades) and not self.view.closed
        if not may or not self.guide:
            return may
        from coffeerush.ui.advice.advice import hinted_upgrade

        return hinted_upgrade(self.view) is not None

    @cached_property
    def is_late_for_upgrade(self) -> bool:
        """Whether too few rounds are left for an upgrade to pay off."""
        from coffeerush.ui.advice.advice import is_late_for_upgrade

        return is_late_for_upgrade(self.view)

    @cached_property
    def topic(self) -> tuple[object, ...]:
        """What the guide is about; once read, it is told again when that changes."""
        return guide_topic(self.model, self.ui.progress, self.ui.touch)

    @cached_property
    def record(self) -> RecordFetch | None:
        """The record of the game whose result is shown, or what has come of it."""
        fetch = self.model.record
        return fetch if fetch and self.stage == "result" and fetch.game == self.model.game else None

    # People

    @cached_property
    def me(self) -> Seat | None:
        """This player's seat; None for a spectator."""
        return self.model.seat

    @cached_property
    def seats(self) -> tuple[SeatView, ...]:
        """All seats of the table."""
        return self.table.seats

    @cached_property
    def others(self) -> list[Seat]:
        """The other players' seats, next to play first; all seats for a spectator."""
        count = len(self.view.players)
        if self.me is None:
            return list(range(count))
        return [(self.me + turn) % count for turn in range(1, count)]

    @cached_property
    def players(self) -> tuple[SeatView, ...]:
        """The seats of the game that is shown, in a result of those who played it."""
        return self.model.players

    def name(self, seat: Seat) -> str:
        """Return the name of the player in a seat, or its letter."""
        return seat_player(self.players[seat], seat) or self.letter(seat)

    def player(self, seat: Seat) -> PlayerView:
        """Return the public part of a player."""
        return self.view.players[seat]

    def is_expiring(self, seat: Seat, slot: Slot) -> bool:
        """Return whether the orders in a slot become penalties when the seat's turn ends."""
        return slot == SLOTS and has_turn_left(seat, self.view)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Unique letters for the seats."""
        return seat_letters(self.players)

    def letter(self, seat: Seat) -> str:
        """Return a seat's letter on the board."""
        return self.letters[seat]

    @cached_property
    def standing(self) -> dict[Cell, list[tuple[Seat, int]]]:
        """The meeples on each cell, as (seat, number of the meeple)."""
        found: dict[Cell, list[tuple[Seat, int]]] = {}
        for seat, player in enumerate(self.view.players):
            for number, cell in enumerate(player.meeples, start=1):
                found.setdefault(cell, []).append((seat, number))
        return found

    @cached_property
    def trails(self) -> tuple[Trail, ...]:
        """Others' trails since this player's last turn, until the first key of their next one.

        While another player walks, only their path is shown, as a trail beside a walk that is
        planned, which has the numbers. In this player's turn, a walk that is advised or taken
        replaces the trails, and on a small board the marks of the steps do, among which they would
        be riddles.
        """
        if self.ui.replayed or self.bare:
            return ()
        walker, walked = self.view.active, self.view.path
        if not self.turn.is_mine and len(walked) > 1:
            return () if walker is None or self.path == walked else (Trail(walker, walked),)
        is_small = self.ui.size[0] < MIDDLE
        over = is_small or not self.ui.trails or self.advised or len(self.path) > 1
        if self.turn.is_mine and over:
            return ()
        return trails_of(self.model)

    # This player

    @cached_property
    def turn(self) -> Turn:
        """What this player can do now."""
        return Turn(self.model, self.ui.turn)

    @cached_property
    def plans(self) -> bool:
        """Whether keys plan a walk for this player's next turn, as others play."""
        return has_turn_ahead(self.model)

    @property
    def path(self) -> tuple[Cell, ...]:
        """The path to number on the board: a walk that is planned, else that of the turn."""
        if self.bare:
            return ()
        steps = self.ui.turn.ahead if self.plans else self.turn.planned
        if not steps or self.me is None:
            return self.view.path
        begin = self.player(self.me).meeples[steps[0].meeple - 1]
        return (begin, *(step.cell for step in steps))

    @cached_property
    def hint(self) -> Hint | None:
        """The hint that was asked for, as long as it is true and not followed to its end."""
        hint = self.ui.hint
        if self.stage != "game" or hint is None:
            return None
        if self.ui.replayed:
            return hint
        if hint.at != hinted_at(self.model, hint.walk):
            return None
        walked = self._walked if len(hint.walk) > 1 else ()
        follows = walked == hint.walk[: len(walked)] != hint.walk
        return hint if follows or not walked else None

    @cached_property
    def advised(self) -> tuple[Cell, ...]:
        """The walk that a hint or the guide advises, or a single cell to place a meeple on.

        A walk that this player has planned, which Enter takes, comes before it.
        """
        if self.bare or self.turn.planned:
            return ()
        if self.hint:
            return self.hint.walk
        if not self.guide or not self.turn.options:
            return ()
        from coffeerush.ui.advice.advice import hinted_walk

        return hinted_walk(self.view)

    @cached_property
    def advised_steps(self) -> dict[int, Cell]:
        """The steps that are left of it, by their numbers, after where it goes on from."""
        begun = max(len(self._walked) - 1, 0)
        return dict([*enumerate(self.advised)][begun:])

    @property
    def tells_pours(self) -> bool:
        """Whether to tell what Space pours: not while a hint or the guide tells of more steps."""
        walks_on = bool(self.guide or self.hint) and len(self.advised_steps) > 1
        return bool(self.turn.options and self.suggestion) and not walks_on

    @property
    def _walked(self) -> tuple[Cell, ...]:
        """The path of this player's turn."""
        return self.view.path if self.turn.is_mine and not self.ui.replayed else ()

    @cached_property
    def own(self) -> OwnView | None:
        """The part of the view that only this player sees."""
        return self.view.own

    @cached_property
    def sent(self) -> tuple[Sent, ...]:
        """The orders that rivals have sent since this player's last turn, oldest first."""
        return () if self.me is None else received(self.model)

    @cached_property
    def busy(self) -> bool:
        """Whether a key of this player's turn has to wait: for the host, or for earlier keys."""
        queued = bool(self.ui.plan or self.ui.typed)
        return self.turn.is_mine and (queued or not self.model.can_act)

    @cached_property
    def diagonal(self) -> bool:
        """Whether this player may step diagonally (R-UPG-3)."""
        if self.me is None or self.stage != "game":
            return False
        return self.player(self.me).upgrades[Upgrade.DIAGONAL_MOVE]

    @cached_property
    def given_back(self) -> list[Ingredient]:
        """The tokens in hand that the suggestion does not pour."""
        left = kinds_of(self.turn.hand or NOTHING)
        for intent in self.suggestion:
            if isinstance(intent, Pour):
                left.remove(intent.ingredient)
        return left

    @cached_property
    def orders(self) -> "tuple[OpenOrder, ...]":
        """This player's orders, most urgent first; () for a spectator."""
        from coffeerush.ui.advice.advice import open_orders

        return () if self.me is None else open_orders(self.view, self.me)

    @cached_property
    def layers(self) -> tuple[tuple[Ingredient, ...], ...]:
        """What is in each of this player's cups, from the bottom, as far as it was seen poured."""
        assert self.own is not None, "only an owner sees cups (R-INFO-2)"
        poured: list[list[Ingredient]] = [[] for _cup in self.own.cups]
        for event in without_undone(tellable(self.model)):
            match event:
                case Poured(seat=self.me, ingredient=Ingredient() as kind, cup=int() as cup):
                    poured[cup - 1].append(kind)
                case OrderServed(seat=self.me, cup=int() as cup):
                    poured[cup - 1].clear()
                case CupEmptied(seat=self.me, cup=int() as cup):
                    poured[cup - 1].clear()
        return tuple(map(_layers, self.own.cups, poured))

    @cached_property
    def purposes(self) -> "dict[Cup, OpenOrder | None]":
        """The order that each filled cup is for, as `cup_purposes` assigns them."""
        from coffeerush.ui.advice.advice import cup_purposes

        return {} if self.own is None else cup_purposes(self.view, self.own, self.orders)

    @cached_property
    def senders(self) -> tuple[Seat | None, ...]:
        """Who sent each of `orders` since this player's last turn; None for other orders."""
        return senders_of([(order.slot, order.drink) for order in self.orders], self.sent)

    @cached_property
    def suggestion(self) -> tuple[Intent, ...]:
        """The suggested pours, which Space sends."""
        from coffeerush.ui.advice.advice import suggested_pours

        advised = self.turn.is_mine and self.model.hints
        return suggested_pours(self.view, self.turn.aside) if advised else ()

    @cached_property
    def then_served(self) -> tuple[Intent, ...]:
        """The serves that Space sends after the suggested pours."""
        from coffeerush.ui.advice.advice import following_serves

        return following_serves(self.view, self.turn.aside) if self.suggestion else ()

    @property
    def then_drinks(self) -> tuple[DrinkIndex, ...]:
        """The drinks of these serves."""
        from coffeerush.ui.advice.advice import following_drinks

        return following_drinks(self.view, self.turn.aside) if self.suggestion else ()

    @cached_property
    def why_not_sooner(self) -> str:
        """Why Space does not serve what expires sooner; "" if it does, or a hint tells it."""
        from coffeerush.ui.advice.advice import why_not_sooner

        if not self.suggestion or self.guide or self.hint:
            return ""
        return why_not_sooner(self.model, self.view, self.turn.aside)

    @cached_property
    def setting_up(self) -> bool:
        """Whether the game is in its setup, before the first turn."""
        return self.view.phase in (Phase.PLACING, Phase.FILLING)

    @cached_property
    def round_left(self) -> int | None:
        """Seconds until the next round of a tournament; None if none begins by itself."""
        at = self.ui.round_at
        return None if at is None else max(ceil(at - self.ui.now), 0)

    @cached_property
    def clock(self) -> int | None:
        """Seconds left of the turn; None without a turn clock."""
        until = self.ui.clock_until
        if self.model.pause is not None:
            return self.table.clock
        return None if until is None else max(int(until - self.ui.now), 0)
