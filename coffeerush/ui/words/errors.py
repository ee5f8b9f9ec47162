"""Errors in words, in the person's language."""

from typing import Final

from coffeerush.errors import CoffeeRushError
from protocol import RefusedError, clean_line

from .i18n import N_, _
from .refusals import refusal_line

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
