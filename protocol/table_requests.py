"""Requests about how a table plays: seats, who begins, rules, pauses, and emotes."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from .terms import Seat
from .text import CHAT_CHARACTERS

RequestId = Annotated[bytes, Meta(min_length=16, max_length=16)]

TurnSeconds = Annotated[int, Meta(ge=0, le=3600)]
"""The turn clock; 0 for none."""
BotSeconds = Annotated[int, Meta(ge=0, le=30)]
"""How long a bot's turn takes at least."""
EmoteName = Literal["hello", "bravo", "thanks", "oops", "wow", "hurry"]
PauseReason = Annotated[str, Meta(max_length=CHAT_CHARACTERS)]
"""Why a game is paused; empty if no reason was given."""


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


class SetRules(_Request, tag="set_rules", frozen=True):
    """Owner, between games: set the table's rules for the games to come. Answered by `Done`."""

    turn_seconds: TurnSeconds
    bot_seconds: BotSeconds
    hints: bool


class SetPause(_Request, tag="set_pause", frozen=True):
    """Owner, in a game: pause it, or let it go on. Answered by `Done`."""

    paused: bool
    reason: PauseReason = ""


class Emote(_Request, tag="emote", frozen=True):
    """Say one of a few things with a single key. Answered by `Done`."""

    emote: EmoteName


TableRequest: TypeAlias = MoveSeat | SetFirst | SetRules | SetPause | Emote
