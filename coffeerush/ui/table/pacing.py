"""Pacing: a queue of models, so that other players' moves are shown one by one. Pure.

Bots finish a turn within milliseconds, too fast to follow: each of their moves stays for a moment,
and the last one of a turn for a beat before the next player's. Changes that are not visible, and
this player's own moves, are not delayed; and the delay is bounded.
"""

from itertools import accumulate
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.local.settings import Speed
from protocol import View

from .state import Ui

STEP_SECONDS: Final[dict[Speed, float]] = {"slow": 0.3, "normal": 0.15, "fast": 0.06, "at-once": 0}
"""How long another player's move stays on the screen at most before the next."""
BEAT_SECONDS: Final[dict[Speed, float]] = {"slow": 1.2, "normal": 0.6, "fast": 0.2, "at-once": 0}
"""How long the last move of a turn stays before the next player's, unless that is one's own."""
BEHIND_SECONDS: Final[dict[Speed, float]] = {"slow": 10, "normal": 5, "fast": 1.5, "at-once": 0}
"""How far the screen may lag behind the newest model."""
CLOCK_SHARE: Final = 0.1
"""The share of a turn clock that the lag may take."""
MAX_QUEUE: Final = 48
"""More than three players' turns can produce; beyond it the oldest are skipped."""


class Arrival(Struct, frozen=True):
    """A model that was received and is not shown yet."""

    model: Model
    at: float
    """When it was received."""
    paced: bool
    """Whether the model before it stays on the screen for some time."""
    beat: bool = False
    """Whether that time is a beat, because another player's turn ends with it."""


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
    arrival = Arrival(model, now, _is_visible(newest, model), _ends_turn(newest, model))
    if model.status != "here":
        return replace(pace, queue=(arrival,))
    if pace.queue and not arrival.paced:
        # it completes the previous move, such as the answer with this player's own part
        last = pace.queue[-1]
        same = model.table is last.model.table
        arrival = replace(last, model=model, at=last.at if same else now)
        return replace(pace, queue=(*pace.queue[:-1], arrival))
    return replace(pace, queue=(*pace.queue, arrival)[-MAX_QUEUE:])


def speed_of(ui: Ui, model: Model) -> Speed:
    """Return the speed at which others' moves are shown.

    A beginner has to read what the guide says, too; but nobody shall lag behind other people.
    """
    people = sum(seat.status == "person" for seat in model.table.seats) if model.table else 0
    slower = ui.guide and people == 1 and ui.settings.speed == "normal"
    return "slow" if slower else ui.settings.speed


def due(pace: Pace, speed: Speed) -> float | None:
    """Return the time at which the next model is due; None if the queue is empty."""
    if not pace.queue:
        return None
    if not pace.queue[0].paced:
        return pace.queue[0].at
    waits = [(BEAT_SECONDS if one.beat else STEP_SECONDS)[speed] for one in pace.queue]
    latest = _behind(pace, speed) - pace.at
    shares = (
        (one.at + latest) / total
        for one, total in zip(pace.queue, accumulate(waits), strict=True)
        if total
    )
    # with more to show than time left, everything is shown faster
    return pace.at + waits[0] * min(max(min(shares, default=1), 0), 1)


def show_next(pace: Pace, now: float) -> Pace:
    """Show the first model of the queue."""
    first, *others = pace.queue
    return Pace(first.model, now, first.at, tuple(others))


def skip(pace: Pace, now: float) -> Pace:
    """Show the newest model, and drop the rest of the queue."""
    return show_next(replace(pace, queue=pace.queue[-1:]), now) if pace.queue else pace


def _behind(pace: Pace, speed: Speed) -> float:
    """Return the longest lag of the screen, in seconds: less if the player's turn has a clock."""
    table = pace.queue[-1].model.table
    clock = table.turn_seconds if table else 0
    most = BEHIND_SECONDS[speed]
    return min(most, clock * CLOCK_SHARE) if clock else most


def _ends_turn(before: Model, after: Model) -> bool:
    """Return whether a turn of another player ends, and that of yet another one begins."""
    was, now = before.view, after.view
    if was is None or now is None or not now.round or was.active == before.seat:
        return False
    return was.active != now.active and not after.my_turn


def _is_visible(before: Model, after: Model) -> bool:
    """Return whether another player has done something visible."""
    was, now = before.view, after.view
    if was is None or now is None or after.game != before.game or after.status != "here":
        return False
    others = was.active is not None and was.active != before.seat
    return others and _visible_part(was) != _visible_part(now)


def _visible_part(view: View) -> tuple[object, ...]:
    """Return the public, visible part of a game, without the hand."""
    return view.players, view.path, view.active, view.closed, view.standings
