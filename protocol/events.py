"""Events: what happened, as data that each client puts into words in its language.

A field that only the seat's owner may know is None for everybody else (R-INFO-2).
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from .terms import (
    MAX_ROUND,
    Cell,
    Counts,
    Cup,
    DrinkIndex,
    Drinks,
    Ingredient,
    Meeple,
    RushCount,
    Seat,
    Slot,
    Upgrade,
)
from .text import NAME_CELLS, ChatText, Name
from .views import EmoteName, PauseReason

DrawReason = Literal["deal", "order_rush", "flow_of_time"]
CloseReason = Literal["deck", "penalties", "no_orders"]


class _Event(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True, omit_defaults=True):
    """Base of the events."""


class MeeplePlaced(_Event, tag="meeple_placed", frozen=True):
    """A meeple was placed (R-SETUP-3)."""

    seat: Seat
    meeple: Meeple
    cell: Cell


class StartTaken(_Event, tag="start_taken", frozen=True):
    """The ingredients under a seat's meeples were taken (R-SETUP-5)."""

    seat: Seat
    gain: Counts


class UpgradeActivated(_Event, tag="upgrade_activated", frozen=True):
    """An upgrade was activated; the discarded orders are public (R-UPG-1)."""

    seat: Seat
    upgrade: Upgrade
    discarded: Drinks


class Stepped(_Event, tag="stepped", frozen=True):
    """A meeple entered a cell; `gain` came from the supply (R-MOVE-3)."""

    seat: Seat
    meeple: Meeple
    cell: Cell
    gain: Counts
    rush_spent: RushCount = 0


class CupEmptied(_Event, tag="cup_emptied", frozen=True):
    """A cup was emptied into the supply; which one is private (R-POUR-3, R-INFO-2)."""

    seat: Seat
    returned: Counts
    cup: Cup | None = None


class Poured(_Event, tag="poured", frozen=True):
    """A token was poured; which one, and into which cup, is private (R-POUR-1, R-INFO-2)."""

    seat: Seat
    ingredient: Ingredient | None = None
    cup: Cup | None = None


class RestReturned(_Event, tag="rest_returned", frozen=True):
    """The rest of the hand was returned to the supply (R-POUR-1)."""

    seat: Seat
    returned: Counts


class OrderServed(_Event, tag="order_served", frozen=True):
    """An order was completed; which cup served it is private (R-SERVE-1, R-SERVE-2)."""

    seat: Seat
    drink: DrinkIndex
    slot: Slot
    rush_gained: RushCount = 0
    cup: Cup | None = None


class IntentUndone(_Event, tag="intent_undone", frozen=True):
    """The active player undid the last intent of this turn."""

    seat: Seat


class OrdersDrawn(_Event, tag="orders_drawn", frozen=True):
    """A seat drew orders from the deck (R-SETUP-2, R-RUSH-1, R-TIME-3)."""

    seat: Seat
    drinks: Drinks
    reason: DrawReason


class PenaltiesTaken(_Event, tag="penalties_taken", frozen=True):
    """Orders in slot 4 expired and became penalties (R-TIME-1)."""

    seat: Seat
    drinks: Drinks
    rush_gained: RushCount = 0


class TokenClosed(_Event, tag="token_closed", frozen=True):
    """The OPEN token turned to CLOSED (R-RUSH-2, R-TIME-2, R-TIME-3, R-END-4)."""

    reason: CloseReason


class TurnStarted(_Event, tag="turn_started", frozen=True):
    """A seat's turn began; `round` counts from 1."""

    seat: Seat
    round: Annotated[int, Meta(ge=1, le=MAX_ROUND)]


class GameEnded(_Event, tag="game_ended", frozen=True):
    """The game is over; `winners` holds several seats if the victory is shared (R-END-3)."""

    winners: Annotated[tuple[Seat, ...], Meta(min_length=1, max_length=4)]


class GameStarted(_Event, tag="game_started", frozen=True):
    """A game was dealt; `seats` holds the names in seat order.

    Seats are renumbered, because open ones are dropped.
    """

    seats: Annotated[tuple[Name, ...], Meta(min_length=2, max_length=4)]
    old_seats: Annotated[tuple[Seat, ...], Meta(min_length=2, max_length=4)]
    """The number that each seat had before."""
    start: Seat


class Said(_Event, tag="said", frozen=True):
    """Somebody sent a chat line."""

    name: Name
    text: ChatText
    table: Annotated[str, Meta(max_length=NAME_CELLS)] = ""
    """The name of the speaker's table if they said it to all tables; else empty."""


PeopleChange = Literal[
    "joined",
    "watching",
    "waiting",
    "made_room",
    "left",
    "away",
    "back",
    "removed",
    "replaced_by_bot",
]


class PeopleChanged(_Event, tag="people_changed", frozen=True):
    """Somebody joined, left, went away or came back, or waits or makes room for a seat."""

    name: Name
    change: PeopleChange
    table: Annotated[str, Meta(max_length=NAME_CELLS)] = ""
    """The name of the table to which somebody who left went over; else empty."""


class Renamed(_Event, tag="renamed", frozen=True):
    """Somebody changed their name."""

    before: Name
    name: Name


class SeatsMoved(_Event, tag="seats_moved", frozen=True):
    """The owner exchanged two seats."""

    old_seats: Annotated[tuple[Seat, ...], Meta(min_length=2, max_length=4)]
    """The number that each seat had before."""


class Emoted(_Event, tag="emoted", frozen=True):
    """A player said one of a few things; it is shown for a moment, and not in a snapshot's log."""

    name: Name
    emote: EmoteName


class GamePaused(_Event, tag="game_paused", frozen=True):
    """The owner paused the game."""

    name: Name
    reason: PauseReason = ""


class GameResumed(_Event, tag="game_resumed", frozen=True):
    """The pause is over."""

    name: Name | None
    """Who ended it; None if it ended by itself."""


class TurnTimedOut(_Event, tag="turn_timed_out", frozen=True):
    """The turn clock ran out; a bot finishes the turn."""

    seat: Seat


HandoverFault = Literal["declined", "withdrawn", "gone", "unreachable", "too_large", "failed"]


class HandoverFailed(_Event, tag="handover_failed", frozen=True):
    """Somebody who was asked to host the table will not; it stays with its host."""

    name: Name
    reason: HandoverFault


class TableMoved(_Event, tag="table_moved", frozen=True):
    """The table has another host; the first event that this one publishes."""

    name: Name
    """Whose computer it is."""


class HostStopping(_Event, tag="host_stopping", frozen=True):
    """The host is stopping; nothing follows."""


GameEvent: TypeAlias = (
    MeeplePlaced
    | StartTaken
    | UpgradeActivated
    | Stepped
    | CupEmptied
    | Poured
    | RestReturned
    | OrderServed
    | IntentUndone
    | OrdersDrawn
    | PenaltiesTaken
    | TokenClosed
    | TurnStarted
    | GameEnded
)
TableEvent: TypeAlias = (
    GameStarted
    | Said
    | PeopleChanged
    | Renamed
    | SeatsMoved
    | Emoted
    | GamePaused
    | GameResumed
    | TurnTimedOut
    | HandoverFailed
    | TableMoved
    | HostStopping
)
Event: TypeAlias = GameEvent | TableEvent
