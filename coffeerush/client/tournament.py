"""The rules of a tournament, each changed to its next value, as the owner of a host does it."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from coffeerush.table_rules import TURN_SECONDS, value_after
from protocol import TournamentRules

ROUNDS: Final = (0, *range(1, 11))
"""The numbers of rounds to choose from; 0 for the usual one."""
BREAK_SECONDS: Final = (0, 30, 60, 120, 300, 600)


def changed_rules(rules: TournamentRules, bots: Sequence[str]) -> tuple[TournamentRules, ...]:
    """Return the rules with a change of each: rounds, clock, bots that fill up, break, replay."""
    fills = (None, *bots)
    at = fills.index(rules.fill) if rules.fill in fills else -1
    return (
        replace(rules, rounds=value_after(rules.rounds, ROUNDS)),
        replace(rules, turn_seconds=value_after(rules.turn_seconds, TURN_SECONDS)),
        replace(rules, fill=fills[(at + 1) % len(fills)]),
        replace(rules, break_seconds=value_after(rules.break_seconds, BREAK_SECONDS)),
        replace(rules, replay=not rules.replay),
    )
