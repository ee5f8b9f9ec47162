"""Errors in words: in the language of the person, wherever they were raised."""

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
)
"""Reasons that a system gives, in its own words; of others it knows, those are shown."""


def error_line(error: Exception) -> str:
    """Return what went wrong, one sentence that says what to do.

    Some of its words may come from another machine: none of them moves the cursor.
    """
    return clean_line(_said(error))


def _said(error: Exception) -> str:
    match error:
        case CoffeeRushError():
            return error.filled(_(error.text), _said)
        case RefusedError():
            return refusal_line(error.refusal)
        case OSError(strerror=str(reason)):
            return _(reason)
    return str(error)
