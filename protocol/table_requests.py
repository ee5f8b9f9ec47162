"""Requests about how a table plays: seats, who begins, rules, pauses, marks, letting guests in."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from .table_views import (
    BotSeconds,
    Colour,
    EmoteName,
    GuestNumber,
    Letter,
    PauseReason,
    TurnSeconds,
)
from .terms import Seat

RequestId = Annotated[bytes, Meta(min_length=16, max_length=16)]


class _Request(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Base of these requests."""

    id: RequestId


class MoveSeat(_Request, tag="move_seat", frozen=True):
    """Owner, in the lobby: exchange two seats and those who sit there. Answered by `Done`."""

    seat: Seat
    to: Seat


class SetFirst(_Request, tag="set_first", frozen=True):
    """Owner, between games: choose who begins the next one. Answered by `Done`."""

    seat: Seat | None
    """The seat; None to draw one at random."""


class SetRules(_Request, tag="set_rules", frozen=True):
    """Owner, between games: set the table's rules for the games to come. Answered by `Done`."""

    turn_seconds: TurnSeconds
    bot_seconds: BotSeconds
    hints: bool
    anybody_lets_in: bool = False


class SetPause(_Request, tag="set_pause", frozen=True):
    """Owner, in a game: pause it, or let it go on. Answered by `Done`."""

    paused: bool
    reason: PauseReason = ""


class Emote(_Request, tag="emote", frozen=True):
    """Say one of a few things with a single key. Answered by `Done`."""

    emote: EmoteName


class LetIn(_Request, tag="let_in", frozen=True):
    """Let a guest come in who asks to, or turn them away. Answered by `Done`."""

    guest: GuestNumber
    allowed: bool = True


class SetMark(_Request, tag="set_mark", frozen=True):
    """Between games: choose the letter and the colour of the sender's seat. Answered by `Done`."""

    letter: Letter | None = None
    colour: Colour | None = None


TableRequest: TypeAlias = MoveSeat | SetFirst | SetRules | SetPause | Emote | LetIn | SetMark
