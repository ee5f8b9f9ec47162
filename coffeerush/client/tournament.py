"""A tournament: its podium, the tables of its round, and the rules as the owner changes them."""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol, TypeVar

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.table_rules import value_after, with_next_time
from protocol import SeatView, TableSummary, TournamentRules

UNIT: Final = 1000
"""Of wins and points on the wire."""
LAST_PLACE: Final = 3
"""The last place on the podium."""
MAX_STEPS: Final = 4
"""More who share these places are only in the standings."""

ROUNDS: Final = (0, *range(1, 11))
"""The numbers of rounds to choose from; 0 for the usual one."""
BREAK_SECONDS: Final = (0, 30, 60, 120, 300, 600)


def changed_rules(rules: TournamentRules, bots: Sequence[str]) -> tuple[TournamentRules, ...]:
    """Return the rules with a change of each: rounds, clock, bots that fill up, break, replay."""
    fills = (None, *bots)
    at = fills.index(rules.fill) if rules.fill in fills else -1
    return (
        replace(rules, rounds=value_after(rules.rounds, ROUNDS)),
        with_next_time(rules),
        replace(rules, fill=fills[(at + 1) % len(fills)]),
        replace(rules, break_seconds=value_after(rules.break_seconds, BREAK_SECONDS)),
        replace(rules, replay=not rules.replay),
    )


class Placed(Protocol):
    """A line of the standings."""

    @property
    def place(self) -> int:
        """From 1; 0 for those without a place."""


Line = TypeVar("Line", bound=Placed)


def podium(standings: Iterable[Line]) -> tuple[Line, ...]:
    """Return those on the podium, of standings with the best first."""
    best = (line for line in standings if 0 < line.place <= LAST_PLACE)
    return (*best,)[:MAX_STEPS]


def broken_off(model: Model) -> tuple[TableSummary, ...]:
    """Return the tables whose game loses a player who has entered once the next round begins."""
    view = model.tournament
    if view is None or view.stage == "round":
        return ()
    called = {player.name for player in view.players if not player.withdrawn}

    def loses(seat: SeatView) -> bool:
        return seat.status == "person" and seat.name in called and not seat.away

    return tuple(
        table for table in model.tables if table.stage == "game" and any(map(loses, table.seats))
    )


def meeting_table(model: Model) -> TableSummary | None:
    """Return where everybody meets after a tournament: the host's first table.

    None if there was no tournament, and for who is there or plays a game.
    """
    if model.tournament is None or model.holds_tournament or not model.tables:
        return None
    first = min(model.tables, key=lambda table: table.number)
    return first if model.going_to(first) else None


def tables_of_round(model: Model) -> tuple[TableSummary, ...]:
    """Return the tables of the round that is played, this person's own first; () between rounds."""
    view, own = model.tournament, model.entrant
    if view is None or view.stage != "round":
        return ()
    numbers = {player.table for player in view.players}
    tables = [table for table in model.tables if table.number in numbers]
    return tuple(sorted(tables, key=lambda table: own is None or table.number != own.table))
