"""The words shown to people, in their language; the one place that translates."""

import gettext
import os
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from .msgfmt import refresh

DOMAIN: Final = "coffeerush"
LOCALE: Final = Path(__file__).parents[2] / "locale"
ENGLISH: Final = "en"
_VARIABLES: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
_PLAIN: Final = {"C", "POSIX"}
"""Locales without a language; what is said there is English."""


def languages_asked(environment: Mapping[str, str]) -> list[str]:
    """Return the locales that an environment asks for, best first."""
    return next((environment[name].split(":") for name in _VARIABLES if environment.get(name)), [])


class _Speech:
    """What is spoken: in this process, or in one task and those that it starts."""

    def __init__(self, asked: Sequence[str]) -> None:
        self.asked = asked
        self.texts = gettext.NullTranslations()
        self.language = ENGLISH


# As the person set it: a language chosen later is written there for others.
_process: Final = _Speech(languages_asked(os.environ))
_speech: Final = ContextVar("speech", default=_process)


def available() -> tuple[str, ...]:
    """Return the languages that can be spoken."""
    return _available_in(LOCALE)


@cache  # a gateway asks for each guest
def _available_in(folder: Path) -> tuple[str, ...]:
    catalogues = folder.glob(f"*/LC_MESSAGES/{DOMAIN}.[mp]o")
    return (ENGLISH, *sorted({path.parents[1].name for path in catalogues}))


def language() -> str:
    """Return the language that is spoken, such as `ko` or `pt_BR`."""
    return _speech.get().language


def best_language(asked: Iterable[str]) -> str:
    """Return the first language of some locales, such as `pt_PT.UTF-8`, that can be spoken.

    Of a language that is spoken elsewhere in another way, that way is better than none.
    """
    known = available()
    for locale in asked:
        name = locale.partition(".")[0].partition("@")[0].replace("-", "_")
        root = name.partition("_")[0].lower()
        kin = [code for code in known if code.partition("_")[0] == root]
        if name in kin:
            return name
        if kin or name in _PLAIN:
            return kin[0] if kin else ENGLISH
    return ENGLISH


def set_language(code: str | None = None) -> None:
    """Speak a language from now on, also in click and child processes; None asks the environment.

    In a task that speaks apart, only there. English stands in for a language without translation.
    Raises `ValueError` for a bad catalogue.
    """
    speech = _speech.get()
    speech.language = best_language(speech.asked if code is None else [code])
    speech.texts = _texts_in(speech.language)
    if speech is not _process:
        return
    # click looks its own texts up in the domain of the process, in the language that this names
    gettext.bindtextdomain(DOMAIN, str(LOCALE))
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = speech.language


def _texts_in(code: str) -> gettext.NullTranslations:
    refresh(LOCALE / code / "LC_MESSAGES" / f"{DOMAIN}.po")
    return gettext.translation(DOMAIN, LOCALE, [code], fallback=True)


def load_languages() -> None:
    """Load all catalogues, which gettext keeps, so that no change of language takes long later."""
    for code in available():
        _texts_in(code)


def speak_apart(asked: Sequence[str]) -> None:
    """Speak the best of some locales in this task, and in those that it starts, but not elsewhere.

    There, `set_language(None)` goes back to that language.
    """
    _speech.set(_Speech(asked))
    set_language()


def _(text: str) -> str:
    """Return `text` in the language of the person."""
    return _speech.get().texts.gettext(text) if text else text


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a text that goes with `count`, in the language of the person.

    A negative count, such as a score, takes the form of its absolute value: rules for plurals
    are only written for others.
    """
    return _speech.get().texts.ngettext(one, many, abs(count))


def pgettext(context: str, text: str) -> str:
    """Return `text` in the language of the person, where one word has several meanings."""
    return _speech.get().texts.pgettext(context, text)


def translated(context: str, text: str) -> str:
    """Return `text` in the language of the person; its context may be empty."""
    return pgettext(context, text) if context else _(text)


def N_(text: str) -> str:  # noqa: N802 - the name by which gettext's tools find marked texts
    """Mark a text for translation and return it unchanged; `_` translates it when it is shown."""
    return text


def NC_(context: str, text: str) -> tuple[str, str]:  # noqa: N802 - as above
    """Mark a text with its context, and return both for `pgettext`."""
    return context, text


set_language()


# Escape text for line-based output: plain mode, the plain start menu, bots
#
# Names, chat, drinks and refusals come from the host, which is not trusted. On the full screen the
# canvas sanitizes them; in line-based output only this module does.


Lines: TypeAlias = tuple[str, ...]
"""Sentences, one per line."""


def as_text(lines: Iterable[str]) -> str:
    """Join lines, each ended by a newline; escape what could end a line or move the cursor."""
    return "".join(f"{''.join(map(_harmless, line))}\n" for line in lines)


def _harmless(character: str) -> str:
    """Replace whitespace by a blank, and drop what is not printable."""
    if character.isspace():
        return " "
    return character if character.isprintable() else ""
