"""Moments: what is worth a short animation, and which of its frames to draw when."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.ui.terminal.canvas import Area, Cells
from protocol import DrinkIndex, Seat, Slot, Upgrade

MOMENT_SECONDS: Final = 1.0
FRAMES: Final = 4
"""The frames of a moment."""
FRAME_SECONDS: Final = MOMENT_SECONDS / FRAMES

What: TypeAlias = Literal["serve", "upgrade", "penalty", "last round", "win"]


class Moment(Struct, frozen=True):
    """Something that happened."""

    what: What
    seat: Seat = 0
    drinks: tuple[DrinkIndex, ...] = ()
    """The order that was served, or those that expired."""
    upgrade: Upgrade = Upgrade.DOUBLE_MEEPLES
    rush: int = 0
    """How many rush tokens it brought."""
    places: tuple[Area, ...] = ()
    """Where this player's orders were on the screen that are gone now."""


class OrdersBefore(Struct, frozen=True):
    """This player's orders on the screen before some of them were gone."""

    area: Area
    cells: Cells
    rows: tuple[tuple[Slot, DrinkIndex, Area], ...]
    """Where the orders that are not gone yet are."""


class Moments(Struct, frozen=True):
    """Moments that are shown at the same time."""

    moments: tuple[Moment, ...]
    at: float
    """When they began."""
    size: tuple[int, int]
    """The size of the screen; on another one they are not shown."""
    frame: int = 0
    """The number of the frame to draw, from 0."""
    orders: OrdersBefore | None = None
    """What is drawn in place of the orders, so that each is seen to go from its own row."""

    @property
    def next_at(self) -> float:
        """When the next frame is due, or the end."""
        return self.at + (self.frame + 1) * FRAME_SECONDS


def advanced(shown: Moments | None, now: float) -> Moments | None:
    """Return the moments shown `now`: the same until the next frame is due, None after the last."""
    if shown is None or now < shown.next_at:
        return shown
    frame = max(int((now - shown.at) / FRAME_SECONDS), shown.frame + 1)
    return replace(shown, frame=frame) if frame < FRAMES else None
