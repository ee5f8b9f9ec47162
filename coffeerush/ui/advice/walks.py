"""The way to a cell some steps away; of equally short ones, that with most of what orders need."""

from collections.abc import Iterator

from msgspec import Struct

from coffeerush.bots.sampling import sample_state
from coffeerush.rules import State, advance, legal_intents
from coffeerush.rules.multiset import unpack
from coffeerush.rules.state import acting
from protocol import BOARD_SIDE, Cell, Meeple, Step, Upgrade, View

from .pours import open_orders


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
    missing = (one.missing for one in open_orders(view, me))
    needs = [sum(kinds) for kinds in zip(*missing, strict=True)]
    found = [
        (len(steps), number != meeple, -_useful(needs, state, end), steps, end)
        for number in range(1, len(view.players[me].meeples) + 1)
        for steps, end in _walks(state, number, cell)
    ]
    if not found:
        return None
    *_rank, steps, end = min(found, key=lambda one: one[:3])
    return ShortWalk(steps, state.players[me].rush - end.players[me].rush)


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
    """Return how many of the tokens picked up the open orders still need."""
    hands = zip(unpack(before.hand), unpack(after.hand), strict=True)
    gained = [there - here for here, there in hands]
    return sum(min(pair) for pair in zip(gained, needs, strict=False))
