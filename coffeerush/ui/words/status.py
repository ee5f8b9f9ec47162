"""The state of the connection in words, and why it ended."""

from typing import Final

from coffeerush.client.model import Model

from .errors import error_line
from .i18n import N_, _
from .refusals import refusal_line

_STATUS: Final = {
    "joining": N_("Joining the table…"),
    "here": N_("You are at the table."),
    "lost": N_("Connection lost; trying again."),
}


def status_line(model: Model) -> str:
    """Return the sentence for the state of the connection to the host."""
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
