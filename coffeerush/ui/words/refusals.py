"""Refusals in the language of the person; the English texts are in `protocol.refusals`."""

from protocol import Refusal, clean_line, refusal_text

from .i18n import _, pgettext


def refusal_line(refusal: Refusal) -> str:
    """Return the sentence that explains a refusal to the person who asked.

    It comes from code and data; a host that sends less data, or nonsense, gets a shorter one.
    """
    return clean_line(refusal_text(refusal.code, refusal.params, _said))


def _said(context: str, text: str) -> str:
    return pgettext(context, text) if context else _(text)
