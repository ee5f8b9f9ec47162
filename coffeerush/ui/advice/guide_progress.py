"""What the first-game guide remembers of a game: what it has told, and what the player has tried.

A view does not tell: a cup that was emptied leaves no trace, and a bot may have played the seat.
"""

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model
from protocol import (
    ActivateUpgrade,
    CupEmptied,
    EmptyCup,
    Event,
    Ingredient,
    Intent,
    OwnView,
    PeopleChanged,
    Phase,
    Pour,
    Step,
    Stepped,
    TurnStarted,
    TurnTimedOut,
    View,
)

Lesson: TypeAlias = Literal[
    "closed",
    "upgrade",
    "expiring",
    "received",
    "penalty",
    "signs",
    "specialty",
    "rush",
    "end",
    "emptying",
    "last",
]
"""What the guide explains once, when it first comes up."""
Moment: TypeAlias = Literal["start", "walk", "pour", "serve", "watch"]
"""The part of a turn that the guide speaks about; `watch` is another player's turn."""
Deed: TypeAlias = Literal["rush", "emptying"]
"""What a player can try without a lasting trace in the view."""
Comment: TypeAlias = Literal["", "way", "upgrade", "pour"]
"""In what the player's last action differs from the hint."""


class Told(Struct, frozen=True):
    """When a lesson was told; it stays on the screen to the end of the moment, or of the turn."""

    lesson: Lesson
    turn: int
    moment: Moment


class Progress(Struct, frozen=True):
    """What the guide remembers of a game."""

    game: tuple[bytes, int] = (b"", 0)
    """The epoch and number of the game."""
    is_whole: bool = False
    """Whether nothing of it was missed, such as before somebody continued it later."""
    told: tuple[Told, ...] = ()
    tried: frozenset[Deed] = frozenset()
    """What the player has done in person."""
    away: bool = False
    """Whether the player is away, so that a bot plays."""
    late: bool = False
    """Whether the player's time is up, so that a bot finishes the turn."""
    by_bot: bool = False
    """Whether a bot has played the seat since the player's own last step."""
    comment: Comment = ""
    plan: tuple[Intent, ...] = ()
    """What is left of the hint, or of the suggested pours, as long as the player follows them."""


def moment_of(model: Model, view: View, own: OwnView) -> Moment:
    """Return the part of a turn that comes next."""
    if not model.my_turn:
        return "watch"
    if any(own.hand):
        return "pour" if view.phase is Phase.POURING else "walk"
    if not view.path:
        return "start"
    return "walk" if is_blocked(view) else "serve"


def is_blocked(view: View) -> bool:
    """Return whether the moving meeple shares its cell with another one (R-MOVE-4)."""
    standing = [cell for player in view.players for cell in player.meeples]
    return bool(view.path) and standing.count(view.path[-1]) > 1


def remember(progress: Progress, before: Model, after: Model) -> Progress:
    """Add what has happened between two models of a table."""
    game = (after.epoch, after.game)
    if game != progress.game:
        progress = Progress(game=game, is_whole=after.view is None or not after.view.round)
    new = after.history.total - before.history.total
    for event in after.log[-new:] if new > 0 else ():
        progress = _noted(progress, event, after)
    return progress


def _noted(progress: Progress, event: Event, model: Model) -> Progress:
    """Add an event; what a bot did is not the player's."""
    match event:
        case PeopleChanged(name=name, change=change) if name == model.name:
            return replace(progress, away=change in ("away", "left"))
        case TurnTimedOut(seat=seat) if seat == model.seat:
            return replace(progress, late=True)
        case TurnStarted():
            return replace(progress, late=False)
        case Stepped(seat=seat) | CupEmptied(seat=seat) if seat == model.seat:
            if progress.away or progress.late:
                return replace(progress, by_bot=True)
            by_bot = progress.by_bot and not isinstance(event, Stepped)
            return replace(progress, tried=progress.tried | _deeds(event), by_bot=by_bot)
    return progress


def _deeds(event: Event) -> set[Deed]:
    if isinstance(event, CupEmptied):
        return {"emptying"}
    return {"rush"} if isinstance(event, Stepped) and event.rush_spent else set()


def judge(
    progress: Progress, before: Model, after: Model, aside: tuple[Ingredient, ...] = ()
) -> Progress:
    """Note in what the action between two models of a turn differs from the hint, if it does.

    Tokens set `aside` go back, so other pours are suggested. What was suggested before the last
    action may still be done: between the pours of one suggestion, the next one can be different.
    """
    was, now = before.view, after.view
    unknown = replace(progress, comment="", plan=())
    if was is None or now is None or not (before.my_turn and after.my_turn):
        return unknown
    if (before.game, was.round) != (after.game, now.round) or was.own is None or now.own is None:
        return unknown
    if (was.path, was.own.cups, was.players) == (now.path, now.own.cups, now.players):
        return progress
    done = _done(was, now, was.own, now.own)
    if not (done and was.own.options and now.own.options and was.round) or progress.late:
        return unknown
    from .pours import advised, suggested_pours

    hint = advised(was).intents
    pours = suggested_pours(was, aside) if now.path == was.path else ()
    for plan in (progress.plan, hint, pours):
        rest = _rest(plan, done)
        if rest is not None:
            return replace(unknown, plan=rest)
    return replace(unknown, comment=_differs(hint, done))


def _done(was: View, now: View, before: OwnView, after: OwnView) -> tuple[Intent, ...]:
    """Return the steps taken, the cups emptied and the pours between two models of a turn."""
    steps = [Step(now.meeple or 1, cell) for cell in now.path[max(len(was.path), 1) :]]
    emptied: list[Intent] = []
    poured: list[Intent] = []
    for cup, (old, new) in enumerate(zip(before.cups, after.cups, strict=True), start=1):
        emptied += [EmptyCup(cup)] if any(old) and not any(new) else []
        poured += [Pour(kind, cup) for kind in Ingredient for _ in range(new[kind] - old[kind])]
    is_undone = sum(after.hand) >= sum(before.hand)  # the cup that was emptied is full again
    return (*steps, *emptied, *(() if is_undone else poured))


def _rest(plan: tuple[Intent, ...], done: tuple[Intent, ...]) -> tuple[Intent, ...] | None:
    """Return the rest of a plan; None if something else was done, or another step first."""
    left = [*plan]
    for one in done:
        walk = [step for step in left if isinstance(step, ActivateUpgrade | Step)]
        if one not in left or (isinstance(one, Step) and one != walk[0]):
            return None
        left.remove(one)
    return tuple(left)


def _differs(plan: tuple[Intent, ...], done: tuple[Intent, ...]) -> Comment:
    """Return in what actions differ from a plan that they do not follow."""
    if any(isinstance(one, Step) for one in done):
        return "upgrade" if isinstance(plan[0], ActivateUpgrade) else "way"
    return "pour" if any(isinstance(one, Pour) for one in done) else ""
