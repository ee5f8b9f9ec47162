"""The way to a cell some steps away; of equally short ones, the one that the planner would take."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from msgspec import Struct

from coffeerush.bots.outcomes import sample_state
from coffeerush.bots.planner import most_promising
from coffeerush.rules import State, advance, legal_intents
from coffeerush.rules.board import unpack
from coffeerush.rules.state import acting
from protocol import BOARD_SIDE, Cell, Meeple, Seat, Step, Upgrade, View

from .pours import open_orders, planned

MOST_COMPARED: Final = 4
"""How many gains the planner compares: those with most of what orders need."""

_Way: TypeAlias = tuple[tuple[Step, ...], State]
"""Steps, and the State that they lead to."""


class ShortWalk(Struct, frozen=True):
    """Steps that lead to a cell."""

    steps: tuple[Step, ...]
    rush: int
    """How many rush tokens they cost."""


def walk_to(view: View, meeple: Meeple, cell: Cell) -> ShortWalk | None:
    """Return the shortest legal walk to a cell; None if there is none.

    Args:
        view: of the player who is to move.
        meeple: the one that walks, if both can get there equally fast.
        cell: where to.
    """
    own = view.own
    assert own is not None  # spectators do not move
    me, state = own.seat, sample_state(view, 0)  # any sample will do: what is hidden stays so
    found = [
        (len(steps), number != meeple, steps, end)
        for number in range(1, len(view.players[me].meeples) + 1)
        for steps, end in _walks(state, number, cell)
    ]
    if not found:
        return None
    first = min(one[:2] for one in found)
    # ways with the same gain are equally good
    ways: dict[int, _Way] = {
        end.hand: (steps, end) for *rank, steps, end in reversed(found) if (*rank,) == first
    }
    steps, end = _best(view, state, me, [*ways.values()])
    return ShortWalk(steps, state.players[me].rush - end.players[me].rush)


def _best(view: View, state: State, me: Seat, ways: list[_Way]) -> _Way:
    """Return the way after which the turn is worth most; of about equal ones, that of the hint."""
    if len(ways) == 1:
        return ways[0]
    hinted = tuple(one for one in planned(view).intents if isinstance(one, Step))
    missing = (one.missing for one in open_orders(view, me))
    needs = [sum(kinds) for kinds in zip(*missing, strict=True)]

    def guess(way: _Way) -> tuple[bool, int]:
        steps, end = way
        return steps != hinted[: len(steps)], -_useful(needs, state, end)

    good = sorted(ways, key=guess)[:MOST_COMPARED]
    return good[most_promising([end for _steps, end in good])]


def _walks(
    state: State, meeple: Meeple, cell: Cell, steps: tuple[Step, ...] = ()
) -> Iterator[tuple[tuple[Step, ...], State]]:
    """Yield the legal walks that come closer to the cell with each step, and where they lead."""
    _me, player = acting(state)
    diagonal = bool(player.upgrades >> Upgrade.DIAGONAL_MOVE & 1)
    left = _distance(player.meeples[meeple - 1], cell, diagonal)
    if not left:
        yield steps, state
        return
    for one in legal_intents(state):
        closer = isinstance(one, Step) and _distance(one.cell, cell, diagonal) < left
        if isinstance(one, Step) and closer and one.meeple == meeple:
            yield from _walks(advance(state, one), meeple, cell, (*steps, one))


def _distance(here: Cell, there: Cell, diagonal: bool) -> int:
    """Return the least number of steps from one cell to another."""
    rows = abs(here // BOARD_SIDE - there // BOARD_SIDE)
    columns = abs(here % BOARD_SIDE - there % BOARD_SIDE)
    return max(rows, columns) if diagonal else rows + columns


def _useful(needs: list[int], before: State, after: State) -> int:
    """Return the number of the tokens picked up that the open orders still need."""
    hands = zip(unpack(before.hand), unpack(after.hand), strict=True)
    gained = [there - here for here, there in hands]
    return sum(min(pair) for pair in zip(gained, needs, strict=False))
