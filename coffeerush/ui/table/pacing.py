"""Others' moves are shown one by one: which model is on the screen now, with the time handed in.

Bots finish a turn within milliseconds, and nobody could follow. What nobody could see anyway, and
what the own seat does, waits for nothing; and the screen is never long behind.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.local.settings import Speed
from protocol import View

STEP_SECONDS: Final[dict[Speed, float]] = {"slow": 0.3, "normal": 0.15, "fast": 0.06, "at-once": 0}
"""How long a move of somebody else stays alone on the screen, at most."""
BEHIND_SECONDS: Final[dict[Speed, float]] = {"slow": 4, "normal": 2, "fast": 0.8, "at-once": 0}
"""How far the screen may be behind the newest that is known."""
MAX_QUEUE: Final = 48
"""More than three others can do in their turns; of a longer queue the oldest is passed over."""


class Arrival(Struct, frozen=True):
    """A model that was heard and is not shown yet."""

    model: Model
    at: float
    """When it was heard."""
    paced: bool
    """Whether it is to be seen by itself."""


class Pace(Struct, frozen=True):
    """What is shown, and what waits for its moment."""

    model: Model
    at: float = float("-inf")
    """When it began to be shown."""
    came: float = float("-inf")
    """When it was heard."""
    queue: tuple[Arrival, ...] = ()


def hear(pace: Pace, model: Model, now: float) -> Pace:
    """Return the pace with a newer model in its queue."""
    newest = pace.queue[-1].model if pace.queue else pace.model
    if model is newest:
        return pace
    arrival = Arrival(model, now, _is_worth_a_look(newest, model))
    if model.status != "here":
        return replace(pace, queue=(arrival,))
    if pace.queue and not arrival.paced:
        # It belongs to the move before, such as the answer with the own part.
        last = pace.queue[-1]
        same = model.table is last.model.table
        arrival = replace(last, model=model, at=last.at if same else now)
        return replace(pace, queue=(*pace.queue[:-1], arrival))
    return replace(pace, queue=(*pace.queue, arrival)[-MAX_QUEUE:])


def due(pace: Pace, speed: Speed) -> float | None:
    """Return when the next model is to be shown; None where none waits."""
    if not pace.queue:
        return None
    if not pace.queue[0].paced:
        return pace.queue[0].at
    left = pace.queue[-1].at + BEHIND_SECONDS[speed] - pace.at
    return pace.at + min(STEP_SECONDS[speed], max(left, 0) / len(pace.queue))


def show_next(pace: Pace, now: float) -> Pace:
    """Return the pace with the first of its queue shown."""
    first, *others = pace.queue
    return Pace(first.model, now, first.at, tuple(others))


def skip(pace: Pace, now: float) -> Pace:
    """Return the pace with the newest shown, and nothing waiting."""
    return show_next(replace(pace, queue=pace.queue[-1:]), now) if pace.queue else pace


def _is_worth_a_look(before: Model, after: Model) -> bool:
    """Tell whether somebody else has done something that can be seen."""
    was, now = before.view, after.view
    if was is None or now is None or after.game != before.game or after.status != "here":
        return False
    others = was.active is not None and was.active != before.seat
    return others and _seen_of(was) != _seen_of(now)


def _seen_of(view: View) -> tuple[object, ...]:
    """Return what is seen of a game by everybody, but for how a hand is poured."""
    return view.players, view.path, view.active, view.closed, view.standings
