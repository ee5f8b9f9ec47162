"""Pacing: a queue of models, so that other players' moves are shown one by one. Pure.

Bots finish a turn within milliseconds, too fast to follow. Changes that are not visible, and this
player's own moves, are not delayed; and the delay is bounded.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.local.settings import Speed
from protocol import View

STEP_SECONDS: Final[dict[Speed, float]] = {"slow": 0.3, "normal": 0.15, "fast": 0.06, "at-once": 0}
"""How long another player's move stays on the screen at most before the next."""
BEHIND_SECONDS: Final[dict[Speed, float]] = {"slow": 4, "normal": 2, "fast": 0.8, "at-once": 0}
"""How far the screen may lag behind the newest model."""
MAX_QUEUE: Final = 48
"""More than three players' turns can produce; beyond it the oldest are skipped."""


class Arrival(Struct, frozen=True):
    """A model that was received and is not shown yet."""

    model: Model
    at: float
    """When it was received."""
    paced: bool
    """Whether it is shown for some time before the next."""


class Pace(Struct, frozen=True):
    """The model on the screen, and the queue of those to come."""

    model: Model
    at: float = float("-inf")
    """When it was first shown."""
    came: float = float("-inf")
    """When it was received."""
    queue: tuple[Arrival, ...] = ()


def enqueue(pace: Pace, model: Model, now: float) -> Pace:
    """Enqueue a newer model."""
    newest = pace.queue[-1].model if pace.queue else pace.model
    if model is newest:
        return pace
    arrival = Arrival(model, now, _is_visible(newest, model))
    if model.status != "here":
        return replace(pace, queue=(arrival,))
    if pace.queue and not arrival.paced:
        # it completes the previous move, such as the answer with this player's own part
        last = pace.queue[-1]
        same = model.table is last.model.table
        arrival = replace(last, model=model, at=last.at if same else now)
        return replace(pace, queue=(*pace.queue[:-1], arrival))
    return replace(pace, queue=(*pace.queue, arrival)[-MAX_QUEUE:])


def due(pace: Pace, speed: Speed) -> float | None:
    """Return when the next model is due; None if the queue is empty."""
    if not pace.queue:
        return None
    if not pace.queue[0].paced:
        return pace.queue[0].at
    left = pace.queue[-1].at + BEHIND_SECONDS[speed] - pace.at
    return pace.at + min(STEP_SECONDS[speed], max(left, 0) / len(pace.queue))


def show_next(pace: Pace, now: float) -> Pace:
    """Show the first model of the queue."""
    first, *others = pace.queue
    return Pace(first.model, now, first.at, tuple(others))


def skip(pace: Pace, now: float) -> Pace:
    """Show the newest model, and drop the rest of the queue."""
    return show_next(replace(pace, queue=pace.queue[-1:]), now) if pace.queue else pace


def _is_visible(before: Model, after: Model) -> bool:
    """Tell whether another player has done something visible."""
    was, now = before.view, after.view
    if was is None or now is None or after.game != before.game or after.status != "here":
        return False
    others = was.active is not None and was.active != before.seat
    return others and _visible_part(was) != _visible_part(now)


def _visible_part(view: View) -> tuple[object, ...]:
    """Return the public, visible part of a game, without the hand."""
    return view.players, view.path, view.active, view.closed, view.standings
