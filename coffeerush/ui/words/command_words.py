"""The words that people type in plain mode, in English and in their language."""

from collections.abc import Iterable
from typing import Final
from unicodedata import combining, normalize

from protocol import Upgrade

from .i18n import pgettext
from .names import upgrade_name

QUITTING: Final = ("quit", "exit")
"""Other words for `leave`."""


def folded(text: str) -> str:
    """Normalize a text for comparison: drop case and accents."""
    return "".join(c for c in normalize("NFKD", text.casefold()) if not combining(c))


def said(word: str) -> str:
    """Return a command word in the person's language."""
    return pgettext("command", word)


def upgrade_command(upgrade: Upgrade) -> str:
    """Return what activates an upgrade."""
    return f"{said('upgrade')} {upgrade_name(upgrade)}"


def every() -> tuple[str, str]:
    """Return the spellings of the argument `all`: English and the person's language."""
    return "all", folded(pgettext("command", "all"))


def to_all_tables(text: str) -> bool:
    """Return whether a line of chat begins with `/all`, and so is for all tables of the host."""
    first, *_rest = text.split(maxsplit=1) or [""]
    return first.startswith("/") and folded(first[1:]) in every()


def addressed(text: str) -> tuple[str, bool]:
    """Return what a line of chat says, and whether it is for all tables of the host."""
    if not to_all_tables(text):
        return text, False
    return "".join(text.split(maxsplit=1)[1:]), True


def switched_on() -> tuple[str, str]:
    """Return the spellings of the argument `on`: English and the person's language."""
    return "on", folded(pgettext("command", "on"))


def switched_off() -> tuple[str, str]:
    """Return the spellings of the argument `off`: English and the person's language."""
    return "off", folded(pgettext("command", "off"))


def automatic() -> tuple[str, str]:
    """Return the spellings of the argument `auto`: English and the person's language."""
    return "auto", folded(pgettext("command", "auto"))


def agreed() -> tuple[str, str]:
    """Return the spellings of the argument `accept`: English and the person's language."""
    return "accept", folded(pgettext("command", "accept"))


def declined() -> tuple[str, str]:
    """Return the spellings of the argument `decline`: English and the person's language."""
    return "decline", folded(pgettext("command", "decline"))


def spelled(token: str, words: Iterable[str]) -> str | None:
    """Return the word that is spelled out in English or the person's language, if any."""
    token = folded(token)
    return next((word for word in words if token in (word, folded(said(word)))), None)


def abbreviated(token: str, words: Iterable[str]) -> list[str]:
    """Return the words that begin with a token in the person's language, else those in English."""
    own = [word for word in words if folded(said(word)).startswith(token)]
    return own or [word for word in words if word.startswith(token)]
