"""Errors, refusals and the state of the connection in words."""

from typing import Final

from coffeerush.client.model import Model
from coffeerush.errors import CoffeeRushError
from protocol import Refusal, RefusedError, clean_line, refusal_text

from .i18n import N_, _, translated
from .names import bot_level, item_list, name_heard

# Refusals in the language of the person; the English texts are in `protocol.errors`


def refusal_line(refusal: Refusal, model: Model | None = None) -> str:
    """Return the sentence that explains a refusal to the person who asked.

    It comes from code and data; a host that sends less data, or nonsense, gets a shorter one.

    Args:
        refusal: as the host sent it.
        model: the table that it is about, so that bots are called as elsewhere on the screen.
    """
    params = {name: _shown(name, value, model) for name, value in refusal.params.items()}
    return clean_line(refusal_text(refusal.code, params, translated) or refusal.text)


def _shown(name: str, value: str | int, model: Model | None) -> str | int:
    """Return a datum with what people call a bot instead of the host's word for it."""
    match name, value:
        case "bot" | "bots", str():
            return item_list(map(bot_level, value.split(", ")))
        case "name", str() if model is not None:
            return name_heard(model, value)
    return value


# Errors


SYSTEM: Final = (
    N_("Permission denied"),
    N_("No such file or directory"),
    N_("Is a directory"),
    N_("Not a directory"),
    N_("File exists"),
    N_("File name too long"),
    N_("No space left on device"),
    N_("Disk quota exceeded"),
    N_("Read-only file system"),
    N_("Input/output error"),
    N_("Too many open files"),
    N_("Too many levels of symbolic links"),
    N_("Not a regular file"),
)
"""Texts of system errors that are translated; others stand in brackets, as the system has them."""


def error_line(error: Exception) -> str:
    """Return an error as one sentence that says what to do, without control characters."""
    return clean_line(_said(error))


def _said(error: Exception) -> str:
    match error:
        case CoffeeRushError():
            return error.filled(_(error.text), _said)
        case RefusedError():
            return refusal_line(error.refusal)
        case OSError(strerror=str(reason)):
            return (
                _(reason)
                if reason in SYSTEM
                else _("system error ({reason})").format(reason=reason)
            )
    return str(error)


# The state of the connection, and why it ended


_STATUS: Final = {
    "joining": N_("Joining the table…"),
    "here": N_("You are at the table."),
    "lost": N_("Connection lost; trying again."),
}


def status_line(model: Model) -> str:
    """Return the sentence for the state of the connection to the host."""
    if model.elsewhere and model.trouble:
        return error_line(model.trouble)
    if model.status == "joining" and model.opens:
        return _("Setting up the table…")
    return ending_line(model) if model.status == "over" else _(_STATUS[model.status])


def ending_line(model: Model) -> str:
    """Return the sentence that says why the session ended."""
    match model.ending:
        case "failed":
            return error_line(model.trouble) if model.trouble else ""
        case "refused" if model.refusal:
            return refusal_line(model.refusal, model)
        case "stopping":
            return _("The host has closed the table.")
    return _("You have left the table.")
