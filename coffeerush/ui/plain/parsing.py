"""Parse a typed line into commands; words may be abbreviated to their first letters."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from coffeerush.client.model import Model
from coffeerush.ui.words.command_words import (
    DIAGONALS,
    QUITTING,
    abbreviated,
    automatic,
    every,
    folded,
    said,
    switched_off,
    switched_on,
    word_of,
)
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import item_list, upgrade_name
from protocol import Phase, Upgrade

Context: TypeAlias = Literal["lobby", "placing", "moving", "pouring", "serving", "waiting"]

DIRECTIONS: Final = {
    "up": (-1, 0),
    "down": (1, 0),
    "left": (0, -1),
    "right": (0, 1),
    "up-left": (-1, -1),
    "up-right": (-1, 1),
    "down-left": (1, -1),
    "down-right": (1, 1),
}
"""The rows and columns of a step in each direction."""
POUR: Final = "pour"
"""The word of a command that is mostly typed as a bare number: a cup, or 0."""
_ALIASES: Final = {**DIAGONALS, **dict.fromkeys(QUITTING, "leave"), "?": "help"}
"""Other words for a command that are not a prefix of its own."""
_INFO: Final = (
    *("orders", "cups", "board", "players", "supply", "menu", "log", "help", "say"),
    *("hint", "rules", "guide", "settings", "language"),
)
_TURN: Final = (POUR, "serve", "empty", "undo", "rest", "end", "upgrade", "other", "place")
_LOBBY: Final = (
    *("ready", "unready", "start", "bot", "remove", "name"),
    *("swap", "first", "clock", "pace", "hints", "emote", "pause", "resume"),
    *("admit", "reject", "letter", "colour"),
)
_AFTER: Final = ("replay", "review")
_FIRST: Final[dict[Context, tuple[str, ...]]] = {
    "lobby": (*_LOBBY, *_INFO, *_TURN, *_AFTER),
    "placing": tuple(dict.fromkeys(("place", *_INFO, *_TURN, *_LOBBY, *_AFTER))),
    "moving": (*DIRECTIONS, *_TURN, *_INFO, *_LOBBY, *_AFTER),
    "pouring": (*_TURN, *_INFO, *DIRECTIONS, *_LOBBY, *_AFTER),
    "serving": (*_TURN, *_INFO, *DIRECTIONS, *_LOBBY, *_AFTER),
    "waiting": (*_INFO, *_TURN, *DIRECTIONS, *_LOBBY, *_AFTER),
}
"""The order in which a prefix is matched; the first match wins. `leave` cannot be abbreviated."""
_CONTEXTS: Final[dict[Phase, Context]] = {
    Phase.PLACING: "placing",
    Phase.FILLING: "pouring",
    Phase.UPGRADE: "moving",
    Phase.MOVING: "moving",
    Phase.POURING: "pouring",
    Phase.SERVING: "serving",
    Phase.OVER: "waiting",
}
_TAKES_ALL: Final = ("say", "name", "pause")
"""Words that take the rest of the line as text; so does `remove` with a name."""
_MAX_NUMBERS: Final = {
    "serve": 2,
    "place": 2,
    "swap": 2,
    **dict.fromkeys((POUR, "empty", "bot", "remove", "first", "rules", "settings"), 1),
    **dict.fromkeys(("clock", "pace", "emote", "admit", "reject", "colour"), 1),
}
"""How many numbers a word takes at most; after a command of the turn further numbers are pours."""


class Command(Struct, frozen=True):
    """A command with its arguments, as typed."""

    word: str
    numbers: tuple[int, ...] = ()
    text: str = ""


class Parsed(Struct, frozen=True):
    """The commands of a line or, if it is invalid, the `problem`."""

    commands: tuple[Command, ...] = ()
    told: tuple[str, ...] = ()
    """How ambiguous abbreviations were understood."""
    problem: str = ""


def context_of(model: Model) -> Context:
    """Return the context that decides what abbreviations mean."""
    if model.table is None or model.table.stage != "game" or model.view is None:
        return "lobby"
    return _CONTEXTS[model.view.phase] if model.my_turn else "waiting"


def parse(line: str, context: Context) -> Parsed:
    """Parse a line; one unknown word makes all of it invalid."""
    commands: list[Command] = []
    told: list[str] = []
    tokens = line.split()
    while tokens:
        token = tokens.pop(0)
        if is_number(token):
            commands.append(Command(POUR, (int(token),)))
            continue
        fitting = _fitting(folded(token), context)
        if not fitting:
            return Parsed(problem=_unknown(token))
        word, *others = fitting
        if word in DIRECTIONS:  # for a step, only other directions count as ambiguous
            others = [one for one in others if one in DIRECTIONS and not one.startswith(word)]
        if others:
            told.append(_told(token, word, others))
        if word in _TAKES_ALL or (word == "remove" and tokens and not is_number(tokens[0])):
            commands.append(Command(word, text=" ".join(tokens)))
            break
        numbers, text = _arguments(word, tokens)
        if word not in (*DIRECTIONS, *_TURN) and tokens and is_number(tokens[0]):
            problem = _("“{word}” does not take the number {number}.")
            return Parsed(problem=problem.format(word=said(word), number=tokens[0]))
        commands.append(Command(word, numbers, text))
    return Parsed(tuple(commands), tuple(told))


def _fitting(token: str, context: Context) -> list[str]:
    """Return the words that a token may mean, likeliest first; only one if spelled out."""
    if not token:
        return []  # a token of accents only
    whole = word_of(token)
    if whole is not None:
        return [whole]
    words = _FIRST[context]
    # before the aliases: "quit" is a prefix of the Spanish word for `remove`
    if found := abbreviated(token, words):
        return found
    short = word_of(token, tuple(DIAGONALS)) or token
    return [_ALIASES[short]] if short in _ALIASES else []


def _arguments(word: str, tokens: list[str]) -> tuple[tuple[int, ...], str]:
    """Remove the arguments of `word` from the tokens and return them: words, then numbers."""
    text: list[str] = []
    while tokens and _belongs(word, folded(tokens[0]), text):
        text.append(folded(tokens.pop(0)))
    most = _MAX_NUMBERS.get(word, 0) if word == "bot" or not text else 0
    numbers: list[int] = []
    while len(numbers) < most and tokens and is_number(tokens[0]):
        numbers.append(int(tokens.pop(0)))
    return tuple(numbers), " ".join(text)


def _belongs(word: str, token: str, taken: list[str]) -> bool:
    if word in ("undo", "rules"):
        return not taken and token in every()
    if word in ("guide", "hints", "admit"):
        return not taken and token in (*switched_on(), *switched_off())
    if word == "colour":
        return not taken and token in automatic()
    spelled = word_of(token) is not None
    if word == "help":
        return not taken and spelled
    if spelled:
        return False
    if word == "upgrade":
        return _names_upgrade(taken, token)
    if taken:
        return False
    return word == "letter" or (word in ("bot", "place", "language") and not is_number(token))


def _names_upgrade(taken: list[str], token: str) -> bool:
    """Return whether a token continues an upgrade's name; by whole words only if that is unique."""
    before = fitting_upgrades(" ".join(taken))
    if len(before) == 1:
        return token in folded(upgrade_name(before[0])).split()
    return bool(fitting_upgrades(" ".join((*taken, token))))


def is_number(token: str) -> bool:
    """Return whether a token is a number of up to four ASCII digits."""
    return token.isascii() and token.isdigit() and len(token) < 5


def fitting_upgrades(text: str) -> list[Upgrade]:
    """Return the upgrades where each word of `text` is a prefix of a word in their name."""
    return [
        upgrade
        for upgrade in Upgrade
        if all(
            any(word.startswith(token) for word in folded(upgrade_name(upgrade)).split())
            for token in folded(text).split()
        )
    ]


def _unknown(token: str) -> str:
    if not token.isprintable():  # an escape sequence, for example of an arrow key
        return _("Unknown command; type “{help}” for the list.").format(help=said("help"))
    text = _("“{word}” is not a command; type “{help}” for the list.")
    return text.format(word=token, help=said("help"))


def _told(token: str, word: str, others: list[str]) -> str:
    return _("Took “{token}” to mean {word}; it could also mean: {others}.").format(
        token=token, word=said(word), others=item_list(map(said, others))
    )
