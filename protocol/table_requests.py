"""Requests about how a table plays: the order of seats and who begins."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from .terms import Seat

RequestId = Annotated[bytes, Meta(min_length=16, max_length=16)]


class _Request(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Base of these requests."""

    id: RequestId


class MoveSeat(_Request, tag="move_seat", frozen=True):
    """Owner, in the lobby: exchange two seats, with whoever sits there. Answered by `Done`."""

    seat: Seat
    to: Seat


class SetFirst(_Request, tag="set_first", frozen=True):
    """Owner, between games: choose who begins the next one. Answered by `Done`."""

    seat: Seat | None
    """The seat; None to draw one at random."""


TableRequest: TypeAlias = MoveSeat | SetFirst
