"""The command words of plain mode, in English and in the person's language."""

from typing import Final
from unicodedata import combining, normalize

from .i18n import NC_, pgettext

WORDS: Final = tuple(
    word
    # TRANSLATORS: typed by people: one word each, no two alike
    for _context, word in (
        NC_("command", "up"),
        NC_("command", "down"),
        NC_("command", "left"),
        NC_("command", "right"),
        NC_("command", "up-left"),
        NC_("command", "up-right"),
        NC_("command", "down-left"),
        NC_("command", "down-right"),
        NC_("command", "orders"),
        NC_("command", "cups"),
        NC_("command", "board"),
        NC_("command", "players"),
        NC_("command", "supply"),
        NC_("command", "menu"),
        NC_("command", "log"),
        NC_("command", "help"),
        NC_("command", "say"),
        NC_("command", "pour"),
        NC_("command", "serve"),
        NC_("command", "empty"),
        NC_("command", "undo"),
        NC_("command", "rest"),
        NC_("command", "end"),
        NC_("command", "upgrade"),
        NC_("command", "other"),
        NC_("command", "place"),
        NC_("command", "ready"),
        NC_("command", "unready"),
        NC_("command", "start"),
        NC_("command", "bot"),
        NC_("command", "remove"),
        NC_("command", "name"),
        NC_("command", "letter"),
        NC_("command", "colour"),
        NC_("command", "swap"),
        NC_("command", "first"),
        NC_("command", "clock"),
        NC_("command", "pace"),
        NC_("command", "hints"),
        NC_("command", "emote"),
        NC_("command", "pause"),
        NC_("command", "resume"),
        NC_("command", "admit"),
        NC_("command", "reject"),
        NC_("command", "leave"),
        NC_("command", "hint"),
        NC_("command", "rules"),
        NC_("command", "guide"),
        NC_("command", "settings"),
        NC_("command", "language"),
        NC_("command", "replay"),
        NC_("command", "review"),
    )
)
"""Every command word of a table. Arguments are not in it."""
DIAGONALS: Final = {
    short: word
    # TRANSLATORS: typed instead of up-left, up-right, down-left and down-right; no two alike
    for (_context, short), word in (
        (NC_("command", "ul"), "up-left"),
        (NC_("command", "ur"), "up-right"),
        (NC_("command", "dl"), "down-left"),
        (NC_("command", "dr"), "down-right"),
    )
}
"""Abbreviations that are not a prefix of their word, by their English form."""
REPLAY_WORDS: Final = (
    *(word for _context, word in (NC_("command", "back"), NC_("command", "go"))),
    "review",
)
"""The command words of a replay, apart from `leave`, which cannot be abbreviated."""
QUITTING: Final = ("quit", "exit")
"""Other words for `leave`."""


def folded(text: str) -> str:
    """Normalize a text for comparison: drop case and accents."""
    return "".join(one for one in normalize("NFKD", text.casefold()) if not combining(one))


def said(word: str) -> str:
    """Return a command word in the person's language."""
    return pgettext("command", word)


def every() -> tuple[str, str]:
    """Return the spellings of the argument `all`: English and the person's language."""
    return "all", folded(pgettext("command", "all"))


def switched_on() -> tuple[str, str]:
    """Return the spellings of the argument `on`: English and the person's language."""
    return "on", folded(pgettext("command", "on"))


def switched_off() -> tuple[str, str]:
    """Return the spellings of the argument `off`: English and the person's language."""
    return "off", folded(pgettext("command", "off"))


def automatic() -> tuple[str, str]:
    """Return the spellings of the argument `auto`: English and the person's language."""
    return "auto", folded(pgettext("command", "auto"))


def word_of(token: str, words: tuple[str, ...] = WORDS) -> str | None:
    """Return the command word that is spelled out in English or the person's language, if any."""
    return next((word for word in words if folded(token) in (word, folded(said(word)))), None)


def abbreviated(token: str, words: tuple[str, ...]) -> list[str]:
    """Return the words that begin with a token in the person's language, else those in English."""
    own = [word for word in words if folded(said(word)).startswith(token)]
    return own or [word for word in words if word.startswith(token)]


def replay_command(line: str) -> tuple[str, str]:
    """Return the command word that a line in a replay begins with, and the rest of the line.

    The word is "" if the line is empty, and the first word of the line if it is no command.
    """
    token, rest = (*line.split(maxsplit=1), "", "")[:2]
    first = folded(token)
    if not first:
        return token, rest.strip()
    if first in ("q", *QUITTING) or word_of(first, ("leave",)):
        return "leave", rest.strip()
    found = word_of(first, REPLAY_WORDS) or next(iter(abbreviated(first, REPLAY_WORDS)), token)
    return found, rest.strip()
