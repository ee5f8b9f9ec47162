"""Announcements of plain mode: connection, invitation, new events, what to wait for."""

from functools import partial

from msgspec.structs import replace

from coffeerush.client.model import UNINVITED, Model, tellable
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.errors import error_line, status_line
from coffeerush.ui.words.events import expiring_lines, sent_lines, while_away
from coffeerush.ui.words.i18n import Lines, _
from coffeerush.ui.words.league import together_lines
from coffeerush.ui.words.names import seat_name
from coffeerush.ui.words.table import (
    asking_lines,
    guest_lines,
    hints_line,
    invitation_lines,
    lobby_lines,
    new_code_line,
    result_lines,
    waiting_lines,
)
from protocol import Event, TableView

FIRST_EVENTS = 5
"""How many past events are reported after joining a table."""


def status_lines(before: Model | None, model: Model) -> Lines:
    """Return the state of the connection, if it has changed."""
    was = before.status if before else "joining"
    if before and was == model.status == "lost" and model.trouble is not before.trouble:
        return (error_line(model.trouble),) if model.trouble else ()
    found = (_welcome(model),) if restarted(before, model) else ()
    if was == model.status or model.status == "over":
        return found
    if was == "lost":
        return (_("You are connected again."), *found)
    if model.status == "here":
        return tuple(filter(None, (_welcome(model), while_away(model))))
    return (status_line(model),)


def restarted(before: Model | None, model: Model) -> bool:
    """Return whether the host was restarted, perhaps with a different table."""
    return before is not None and before.epoch not in (b"", model.epoch)


def invited_lines(before: Model | None, model: Model) -> Lines:
    """Return the ways to join for others, if they have changed and are known."""
    known = before.invitation if before else UNINVITED
    if model.invitation == known:
        return ()
    if known.addresses and model.invitation.code == known.code:
        if replace(model.invitation, asking=()) == replace(known, asking=()):
            return asking_lines(model.invitation, known)
        if model.invitation.addresses != known.addresses:
            return (_("This machine's address has changed."), *invitation_lines(model.invitation))
        return guest_lines(model.invitation)
    lines = invitation_lines(model.invitation)
    return (new_code_line(), *lines) if known.code else lines


def _welcome(model: Model) -> str:
    if model.seat is None:
        text = _("You are watching as {name}; type “{help}” for the commands.")
    else:
        text = _("You are at the table as {name}; type “{help}” for the commands.")
    return text.format(name=model.name, help=said("help"))


def record_lines(before: Model | None, model: Model) -> Lines:
    """Return the state of the record of the game whose result is shown."""
    fetch, known = model.record, before.record if before else None
    is_result = model.table is not None and model.table.stage == "result"
    if fetch is None or fetch is known or not is_result or fetch.game != model.game:
        return ()
    if fetch.trouble:
        return (error_line(fetch.trouble),)
    lines: Lines = ()
    if fetch.path and not (known and known.path == fetch.path):
        text = _("The game is recorded: “{replay}” steps through it, “{review}” reviews its turns.")
        lines = (text.format(replay=said("replay"), review=said("review")),)
    if fetch.together is not None:
        lines = (*lines, *together_lines(fetch.together, partial(seat_name, model)))
    return lines


def fresh_events(before: Model | None, model: Model) -> list[Event]:
    """Return the events since `before`."""
    fresh = model.history.total - (before.history.total if before else 0)
    if before is None or before.table is None:
        fresh = min(fresh, FIRST_EVENTS)
    return tellable(model, fresh)


def is_game_on(model: Model | None) -> bool:
    """Return whether a game is played at the table."""
    return model is not None and model.table is not None and model.table.stage == "game"


def closed_line() -> str:
    """Return that a game that was looked at has made room for the next one."""
    return _("The next game has begun, so the last one was closed.")


def is_in_game(model: Model) -> bool:
    """Return whether this person is one of the players of a game that is on."""
    return model.seat is not None and is_game_on(model)


def playing(model: Model) -> bool:
    """Return whether a game is past its setup."""
    return bool(model.table and model.table.stage == "game" and model.view and model.view.round)


def stage_lines(model: Model, before: TableView | None, guided: bool, starting: bool) -> Lines:
    """Return the news before a game, or after it, or why its guide will say nothing.

    Args:
        model: the new model.
        before: the table before, if it was known.
        guided: whether this person has done with the guide.
        starting: whether the first game starts by itself, without an announced lobby.
    """
    table = model.table
    if table is None:
        return ()
    if table.stage == "game":
        silent = before and before.stage != "game" and not table.hints and model.role == "player"
        return (hints_line(table.hints),) if silent and not guided else ()
    if before and before.stage == table.stage:
        return lobby_lines(model, before)
    if table.stage == "lobby" or model.view is None:
        return () if starting else lobby_lines(model)
    return result_lines(model, model.view)


def awaited_lines(model: Model) -> Lines:
    """Return the event that the player waits for, orders received, and orders about to expire."""
    ahead = (*sent_lines(model), *expiring_lines(model)) if playing(model) else ()
    return (*waiting_lines(model), *ahead)


def not_now(model: Model) -> str:
    """Return why game commands are not possible now."""
    if model.table is None or model.table.stage != "game":
        return _("No game is being played right now.")
    if model.my_turn:
        return _("Your time is up; a bot finishes your turn.")
    return _("It is not your turn; wait until it is.")
