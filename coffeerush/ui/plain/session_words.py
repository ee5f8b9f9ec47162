"""What a session in plain mode says of itself: how it stands with its host, and with the game."""

from coffeerush.client.invitation import UNINVITED
from coffeerush.client.model import Model, tellable
from coffeerush.ui.words.between_turns import expiring_lines, sent_lines
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.invitation import invitation_lines, new_code_line
from coffeerush.ui.words.safe_text import Lines
from coffeerush.ui.words.status import status_line
from coffeerush.ui.words.table import waiting_lines
from protocol import Event

FIRST_EVENTS = 5
"""Events told to somebody who comes to a table that is there already."""


def status_lines(before: Model | None, model: Model) -> Lines:
    """Return how the client stands with its host, where that has changed."""
    was = before.status if before else "joining"
    if before and was == model.status == "lost" and model.trouble is not before.trouble:
        return (error_line(model.trouble),) if model.trouble else ()
    found = (_welcome(model),) if restarted(before, model) else ()
    if was == model.status or model.status == "over":
        return found
    if was == "lost":
        return (_("The connection is back."), *found)
    if model.status == "here":
        return (_welcome(model),)
    return (status_line(model),)


def restarted(before: Model | None, model: Model) -> bool:
    """Tell whether another host answers than before, whose table may be another one, too."""
    return before is not None and before.epoch not in (b"", model.epoch)


def invited_lines(before: Model | None, model: Model) -> Lines:
    """Return how others join, where that is known and was not told yet."""
    known = before.invitation if before else UNINVITED
    if model.invitation == known:
        return ()
    lines = invitation_lines(model.invitation)
    return (new_code_line(), *lines) if known.code else lines


def _welcome(model: Model) -> str:
    if model.seat is None:
        text = _("You look on as {name}; type {help} for the words.")
    else:
        text = _("You sit at the table as {name}; type {help} for the words.")
    return text.format(name=model.name, help=said("help"))


def fresh_events(before: Model | None, model: Model) -> list[Event]:
    """Return the events that were not told yet."""
    fresh = model.history.total - (before.history.total if before else 0)
    if before is None or before.table is None:
        fresh = min(fresh, FIRST_EVENTS)
    return tellable(model, fresh)


def playing(model: Model) -> bool:
    """Tell whether turns are played."""
    return bool(model.table and model.table.stage == "game" and model.view and model.view.round)


def awaited_lines(model: Model) -> Lines:
    """Return what is awaited, and how things will stand at the next own turn."""
    ahead = (*sent_lines(model), *expiring_lines(model)) if playing(model) else ()
    return (*waiting_lines(model), *ahead)


def not_now(model: Model) -> str:
    """Return why nothing can be done in the game at the moment."""
    if model.table is None or model.table.stage != "game":
        return _("No game is on at the moment.")
    if model.my_turn:
        return _("Your time is up; a bot finishes your turn.")
    return _("It is not your turn; wait until it is.")
