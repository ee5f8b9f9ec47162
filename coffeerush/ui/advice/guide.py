"""The first-game guide: choose what to explain for the current state of a game.

It is stateless, so it stays right after an undo, a detour, or a reconnect in mid-turn.
"""

from coffeerush.client.model import Model
from protocol import OwnView, View

from .guide_words import first_turn, lobby, second_turn, setup, watching


def guide_lines(model: Model, plain: bool = False) -> tuple[str, ...]:
    """Return what the guide says now, a sentence or two per line; () if nothing.

    Args:
        model: of a player.
        plain: leave out keys, and what plain mode reports anyway.
    """
    table, view = model.table, model.view
    if table is None or model.seat is None or model.status == "over":
        return ()
    if table.stage == "lobby":
        return tuple(lobby(model, table, plain))
    if table.stage == "result" or view is None or view.own is None or view.active is None:
        return ()
    if not view.round:
        return tuple(setup(model, view, view.own, plain))
    turns = _turns(model, view)
    if not model.my_turn:
        return tuple(watching(model, view, turns, plain)) if turns < 2 else ()
    if turns == 1 and not _has_acted(view, view.own):
        return tuple(second_turn(model, view, view.own, plain))
    return tuple(first_turn(model, view, view.own, plain)) if not turns else ()


def guide_over(model: Model) -> bool:
    """Tell whether the guide has just ended, with the first action of the player's second turn.

    For a player who joins later in a game it is silent, not over: they have not seen it yet.
    """
    view = model.view
    if view is None or view.own is None or view.active is None or not view.round:
        return False
    turns = _turns(model, view)
    return turns == 2 or (turns == 1 and model.my_turn and _has_acted(view, view.own))


def _turns(model: Model, view: View) -> int:
    """Return how many turns this player has completed."""
    assert model.seat is not None, "only a player is guided"
    assert view.active is not None, "the game is on"
    count = len(view.players)
    passed = (view.active - view.start) % count > (model.seat - view.start) % count
    return view.round - 1 + passed


def _has_acted(view: View, own: OwnView) -> bool:
    return bool(view.path or own.undo)
