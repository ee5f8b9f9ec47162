"""The trails of other players' latest turns: the cells that their meeples walked over."""

from msgspec import Struct

from coffeerush.client.model import Model, tellable
from coffeerush.ui.words.events import without_undone
from protocol import BOARD_SIDE, Cell, MeeplePlaced, Seat, Stepped, TurnStarted


class Trail(Struct, frozen=True):
    """The way of a seat's meeple in a turn."""

    seat: Seat
    cells: tuple[Cell, ...]
    """Where it began, if that is known, and each cell that it entered."""


def trails_of(model: Model) -> tuple[Trail, ...]:
    """Return the trails of the turns that others finished since this player's last turn.

    A spectator gets that of the latest turn. The turn in progress has none: the View has its path.
    Where the log has a gap, as after a lost connection, trails begin again.
    """
    finished: list[Trail] = []
    walked: list[Cell] = []
    standing: dict[tuple[Seat, int], Cell] = {}
    turn: Seat | None = None
    for event in without_undone(tellable(model)):
        match event:
            case MeeplePlaced(seat=seat, meeple=meeple, cell=cell):
                standing[seat, meeple] = cell
            case Stepped(seat=seat, meeple=meeple, cell=cell):
                here = standing.get((seat, meeple))
                led = here is None or _adjacent(here, cell)
                if seat != turn or not led or (walked and walked[-1] != here):
                    finished, walked, standing, turn, here = [], [], {}, seat, None
                begun = [] if here is None else [here]
                walked += [cell] if walked else [*begun, cell]
                standing[seat, meeple] = cell
            case TurnStarted(seat=seat):
                if turn == model.seat or model.seat is None:
                    finished = []
                if turn is not None and turn != model.seat:
                    finished.append(Trail(turn, tuple(walked)))
                walked, turn = [], seat
            case _:
                pass
    return tuple(finished)


def _adjacent(here: Cell, there: Cell) -> bool:
    """Return whether one step, also a diagonal one, leads from a cell to the other."""
    (row, column), (other_row, other_column) = divmod(here, BOARD_SIDE), divmod(there, BOARD_SIDE)
    return max(abs(row - other_row), abs(column - other_column)) == 1
