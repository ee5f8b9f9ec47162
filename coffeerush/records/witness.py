"""What a client saw of a game itself, which the record from its host has to agree with.

Apart from `sharing`, so that a screen's first frame does not wait for the rules.
"""

from msgspec import Struct

from protocol import Game, Rev, Seat, SeatView, View


class Witness(Struct, frozen=True):
    """The latest View of a game, and who played it."""

    table: str
    """The table's name."""
    game: Game
    rev: Rev
    """Of the View."""
    view: View
    """With the private part only if that is as new."""
    seats: tuple[SeatView, ...]
    """As they were dealt; () if that is not known."""
    seat: Seat | None = None
    """The client's own seat in the game."""
    key: str = ""
    """The client's own public key."""
