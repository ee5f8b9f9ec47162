"""Requests about how a table plays: seats, who begins, rules, pauses, marks, letting guests in."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from .terms import MAX_PLAYERS, Seat
from .text import CHAT_CHARACTERS, Name

RequestId = Annotated[bytes, Meta(min_length=16, max_length=16)]

TurnSeconds = Annotated[int, Meta(ge=0, le=3600)]
"""The turn clock; 0 for none."""
BotSeconds = Annotated[int, Meta(ge=0, le=30)]
"""How long a bot's turn takes at least."""
LETTERS: Final = 26
Letter = Annotated[int, Meta(ge=0, le=LETTERS - 1)]
"""A letter that a player has chosen: A is 0, Z is 25. No others: each is one cell, and unlike."""
Colour = Annotated[int, Meta(ge=0, le=MAX_PLAYERS - 1)]
"""A colour that a player has chosen, by the number of the seat whose colour it is by default."""
EmoteName = Literal["hello", "bravo", "thanks", "oops", "wow", "hurry"]
PauseReason = Annotated[str, Meta(max_length=CHAT_CHARACTERS)]
"""Why a game is paused; empty if no reason was given."""
GuestNumber = Annotated[int, Meta(ge=1, le=999)]
"""Given to each guest who asks to come in; after 999, they begin again."""


class Asker(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody with a browser who asks to come in."""

    guest: GuestNumber
    name: Name


class LettingIn(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who asks to come in, and who may let them in."""

    asking: Annotated[tuple[Asker, ...], Meta(max_length=16)] = ()
    """The first one first."""
    by_anybody: bool = False
    """Whether anybody at the table may let them in, or only the owner."""


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
