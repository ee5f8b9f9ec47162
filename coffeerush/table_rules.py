"""What is agreed at a table: the rules beside those of the game, and their forms on the wire."""

from typing import Final, Self, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import replace

from protocol import (
    BotSeconds,
    RequestId,
    Rotation,
    SetRules,
    TableView,
    TournamentRules,
    TurnSeconds,
)

TURN_SECONDS: Final = (0, 30, 60, 90, 120, 180, 300)
"""The time limits that lists offer; a command takes any."""
BOT_SECONDS: Final = (0, 1, 2, 3, 5, 8)


class TableRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of a table; its owner may change all but `starters` between games."""

    starters: bool = False
    """Play with the starter orders (R-SETUP-6)."""
    turn_seconds: TurnSeconds = 0
    """Turn time limit; 0 for none."""
    bot_seconds: BotSeconds = 0
    """How long a bot's turn takes at least."""
    hints: bool = True
    """Whether clients may give advice."""
    anybody_lets_in: bool = False
    """Whether anybody at the table may let guests with a browser in, or only the owner."""
    rotation: Rotation = "owner"
    """Who makes room between games for people in the queue."""

    @classmethod
    def shown(cls, table: TableView) -> Self:
        """Return the rules that a table shows."""
        return cls(
            table.starters,
            table.turn_seconds,
            table.bot_seconds,
            table.hints,
            table.letting_in.by_anybody,
            table.next_game.rotation,
        )

    def request(self, request_id: RequestId) -> SetRules:
        """Return the owner's request to play by these rules."""
        return SetRules(
            request_id,
            self.turn_seconds,
            self.bot_seconds,
            self.hints,
            self.anybody_lets_in,
            self.rotation,
        )

    def in_tournament(self, agreed: TournamentRules) -> Self:
        """Return these rules for a game of a tournament."""
        return replace(self, turn_seconds=agreed.turn_seconds)

    def for_tournament(self, agreed: TournamentRules) -> TournamentRules:
        """Return the rules of a tournament whose turns are timed as at this table."""
        return replace(agreed, turn_seconds=self.turn_seconds)

    def changed(self, request: SetRules) -> Self:
        """Return these rules with the changes that the owner requests."""
        return replace(
            self,
            turn_seconds=request.turn_seconds,
            bot_seconds=request.bot_seconds,
            hints=request.hints,
            anybody_lets_in=request.anybody_lets_in,
            rotation=request.rotation,
        )


def changes(rules: SetRules) -> tuple[SetRules, ...]:
    """Return the requests that set one rule each to its next value, after the last to the first.

    They are in the order of the rules in the request.
    """
    rotations: tuple[Rotation, ...] = get_args(Rotation)
    rotation = rotations[(rotations.index(rules.rotation) + 1) % len(rotations)]
    return (
        with_next_time(rules),
        replace(rules, bot_seconds=value_after(rules.bot_seconds, BOT_SECONDS)),
        replace(rules, hints=not rules.hints),
        replace(rules, anybody_lets_in=not rules.anybody_lets_in),
        replace(rules, rotation=rotation),
    )


Timed = TypeVar("Timed", SetRules, TournamentRules)


def with_next_time(rules: Timed) -> Timed:
    """Return rules with the next time limit of a turn."""
    return replace(rules, turn_seconds=value_after(rules.turn_seconds, TURN_SECONDS))


def value_after(value: int, values: tuple[int, ...]) -> int:
    """Return the next greater value; after the greatest the first."""
    return next((other for other in values if other > value), values[0])
