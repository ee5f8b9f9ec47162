"""The guide through a first game: choose what to explain for the current state of a game.

What it says depends on the model and on its `Progress`, which `follow` keeps up to date.
"""

from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.words.between_turns import bot_finishes, turns_of
from protocol import Ingredient, Upgrade

from .guide_lessons import FULL_TURNS, GOOD_FIRST, Now, learn
from .guide_progress import Progress, is_blocked, judge, moment_of, remember
from .guide_words import lobby, proposes_upgrade, setup, turn, watching

UNKNOWN: Final = Progress()


def follow(
    progress: Progress, before: Model, after: Model, aside: tuple[Ingredient, ...] = ()
) -> Progress:
    """Return the progress after another model of the table; tokens set `aside` go back."""
    known = remember(progress, before, after)
    if _hints(known, before):
        known = judge(known, before, after, aside)
    else:
        known = replace(known, comment="", plan=())
    if after.seat is None or after.status == "over" or bot_finishes(after):
        return known
    return learn(known, after)


def _hints(progress: Progress, model: Model) -> bool:
    """Return whether the guide shows a hint in this turn."""
    view = model.view
    if view is None or view.own is None or view.active is None or not view.round:
        return False
    turns = turns_of(view.own.seat, view)
    return turns < FULL_TURNS or any(one.turn == turns for one in progress.told)


def guide_topic(model: Model, progress: Progress = UNKNOWN) -> tuple[object, ...]:
    """Return the subject of the guide now: the same while only hint and hand change."""
    view = model.view
    if view is None or view.own is None or view.active is None or not view.round:
        return guide_lines(model, progress)
    moment = moment_of(model, view, view.own)
    turns = turns_of(view.own.seat, view)
    here = tuple(one for one in progress.told if (one.turn, one.moment) == (turns, moment))
    if moment == "watch":
        return (turns, moment, here)
    state = (is_blocked(view), not view.steps_left, view.served, progress.comment)
    return (turns, moment, here, *state)


def proposed_upgrade(model: Model, progress: Progress) -> Upgrade | None:
    """Return the upgrade that the guide proposes in this turn; None if it leaves that to hints."""
    view = model.view
    if view is None or view.own is None:
        return None
    now = Now(model, view, view.own, progress, turns_of(view.own.seat, view))
    return GOOD_FIRST if proposes_upgrade(now) else None


def guide_lines(
    model: Model, progress: Progress = UNKNOWN, plain: bool = False, touch: bool = False
) -> tuple[str, ...]:
    """Return the words of the guide now, a sentence or two per line; () if there are none.

    Args:
        model: of a player.
        progress: what the guide remembers of this game.
        plain: leave out keys, and what plain mode reports anyway.
        touch: speak of taps instead of keys.
    """
    table, view = model.table, model.view
    if table is None or model.seat is None or model.status == "over":
        return ()
    if table.stage == "lobby":
        return tuple(lobby(model, table, plain))
    if view is None:
        return ()
    if table.stage == "result":
        from .guide_result import result

        return tuple(result(model, view, progress, plain))
    if view.own is None or view.active is None or bot_finishes(model):
        return ()
    if not view.round:
        return tuple(setup(model, view, view.own, plain, touch))
    now = Now(model, view, view.own, progress, turns_of(view.own.seat, view), plain, touch)
    return tuple(turn(now) if model.my_turn else watching(now))
