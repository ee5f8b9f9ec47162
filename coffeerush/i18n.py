"""The words shown to people, in their language; the one place that translates.

Texts are English in the source. `_` and `ngettext` look them up when they are called, so that a
language can be changed while a game is on. Where a translation is missing, English is said.
"""

import gettext
import os
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Final

_DOMAIN: Final = "coffeerush"
_LOCALE: Final = Path(__file__).parent / "locale"
_VARIABLES: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
_ENGLISH: Final = {"en", "C", "POSIX"}

_current = gettext.NullTranslations()


def set_language(code: str | None = None) -> None:
    """Speak a language from now on.

    Args:
        code: such as `ko` or `pt_BR`; None takes what the environment asks for. English stands in
            for a language that nobody has translated to yet.
    """
    global _current
    wanted = _preferred() if code is None else [code]
    _current = gettext.translation(_DOMAIN, _LOCALE, list(_until_english(wanted)), fallback=True)


def _(text: str) -> str:
    """Return `text` in the language of the person."""
    return _current.gettext(text) if text else text


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a text that goes with `count`, in the language of the person."""
    return _current.ngettext(one, many, count)


def pgettext(context: str, text: str) -> str:
    """Return `text` in the language of the person, where one word has several meanings."""
    return _current.pgettext(context, text)


def N_(text: str) -> str:  # noqa: N802 - the name by which gettext's tools find marked texts
    """Mark a text for translation and return it as it is; `_` translates it where it is shown."""
    return text


def _preferred() -> list[str]:
    """Return the languages that the environment asks for, best first."""
    return next((os.environ[name].split(":") for name in _VARIABLES if os.environ.get(name)), [])


def _until_english(codes: Iterable[str]) -> Iterable[str]:
    # English has no file, so gettext would pass over it to a language that was only second choice
    return takewhile(lambda code: code.partition(".")[0].partition("_")[0] not in _ENGLISH, codes)


set_language()
