"""Parse a typed line into commands; words may be abbreviated to their first letters."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from coffeerush.client.model import Model
from coffeerush.ui.words.command_words import (
    abbreviated,
    automatic,
    every,
    folded,
    said,
    spelled,
    switched_off,
    switched_on,
    to_all_tables,
)
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import item_list, upgrade_name
from protocol import Phase

from .commands import DIRECTIONS, POUR, ROW_OF, ROWS, fitting_upgrades
from .row import TURN, Command, Kind, Row, Takes
from .sentences import is_game_on

Context: TypeAlias = Literal["lobby", "placing", "moving", "pouring", "serving", "waiting"]

_INFO: Final[tuple[Kind, ...]] = ("look", "manual", "chat", "own")
_TURN: Final[tuple[Kind, ...]] = ("turn", "giving", "placing")
_LOBBY: Final[tuple[Kind, ...]] = ("naming", "table")
_KINDS: Final[dict[Context, tuple[Kind, ...]]] = {
    "lobby": (*_LOBBY, *_INFO, *_TURN, "after"),
    "placing": ("placing", *_INFO, "turn", "giving", *_LOBBY, "after"),
    "moving": ("step", *_TURN, *_INFO, *_LOBBY, "after"),
    "pouring": (*_TURN, *_INFO, "step", *_LOBBY, "after"),
    "serving": (*_TURN, *_INFO, "step", *_LOBBY, "after"),
    "waiting": (*_INFO, *_TURN, "step", *_LOBBY, "after"),
}
"""The order in which a prefix is matched; the first match wins. `leave` cannot be abbreviated."""
_FIRST: Final = {
    context: tuple(word for kind in kinds for row in ROWS if row.kind == kind for word in row.words)
    for context, kinds in _KINDS.items()
}
_ALIASES: Final = {
    **{short: word for row in ROWS for short, word in zip(row.short, row.words, strict=False)},
    **{other: row.words[0] for row in ROWS for other in row.also},
}
"""Other words for a command that are not a prefix of its own."""
_CONTEXTS: Final[dict[Phase, Context]] = {
    Phase.PLACING: "placing",
    Phase.FILLING: "pouring",
    Phase.UPGRADE: "moving",
    Phase.MOVING: "moving",
    Phase.POURING: "pouring",
    Phase.SERVING: "serving",
    Phase.OVER: "waiting",
}


class Parsed(Struct, frozen=True):
    """The commands of a line or, if it is invalid, the `problem`."""

    commands: tuple[Command, ...] = ()
    told: tuple[str, ...] = ()
    """How ambiguous abbreviations were understood."""
    problem: str = ""


def context_of(model: Model) -> Context:
    """Return the context that decides what abbreviations mean."""
    if model.view is None or not is_game_on(model):
        return "lobby"
    return _CONTEXTS[model.view.phase] if model.my_turn else "waiting"


def parse(line: str, context: Context) -> Parsed:
    """Parse a line; one unknown word makes all of it invalid."""
    commands: list[Command] = []
    told: list[str] = []
    tokens = line.split()
    if to_all_tables(line):
        return Parsed((Command("say", text=" ".join(tokens)),))
    while tokens:
        token = tokens.pop(0)
        if _is_number(token):
            commands.append(Command(POUR, (int(token),)))
            continue
        fitting = _fitting(folded(token), context)
        if not fitting:
            return Parsed(problem=_unknown(token))
        word, *others = fitting
        if word in DIRECTIONS:  # for a step, only other directions count as ambiguous
            others = [
                other for other in others if other in DIRECTIONS and not other.startswith(word)
            ]
        if others:
            told.append(_told(token, word, others))
        row = ROW_OF[word]
        commands.append(_with_arguments(row, word, tokens))
        if row.kind not in TURN and tokens and _is_number(tokens[0]):
            problem = _("“{word}” does not take the number {number}.")
            return Parsed(problem=problem.format(word=said(word), number=tokens[0]))
    return Parsed(tuple(commands), tuple(told))


def _fitting(token: str, context: Context) -> list[str]:
    """Return the words that a token may mean, likeliest first; only one if spelled out."""
    if not token:
        return []  # a token of accents only
    whole = spelled(token, ROW_OF)
    if whole is not None:
        return [whole]
    # before the aliases: "quit" is a prefix of the Spanish word for `remove`
    if found := abbreviated(token, _FIRST[context]):
        return found
    alias = spelled(token, _ALIASES)
    return [] if alias is None else [_ALIASES[alias]]


def _with_arguments(row: Row, word: str, tokens: list[str]) -> Command:
    """Remove the arguments of `word` from the tokens: a text, then numbers."""
    named = row.takes == "person" and tokens and not _is_number(tokens[0])
    if row.takes == "line" or named:
        line = " ".join(tokens)
        tokens.clear()
        return Command(word, text=line)
    text: list[str] = []
    while tokens and _belongs(row.takes, folded(tokens[0]), text):
        text.append(folded(tokens.pop(0)))
    most = row.numbers if row.takes == "level" or not text else 0
    numbers: list[int] = []
    while len(numbers) < most and tokens and _is_number(tokens[0]):
        numbers.append(int(tokens.pop(0)))
    return Command(word, tuple(numbers), " ".join(text))


def _belongs(takes: Takes, token: str, taken: list[str]) -> bool:
    """Return whether a token continues the text of a command, of which some is `taken`."""
    is_command = spelled(token, ROW_OF) is not None
    match takes:
        case "upgrades":
            return not is_command and _names_upgrade(taken, token)
        case _ if taken:
            return False
        case "all":
            return token in every()
        case "switch":
            return token in (*switched_on(), *switched_off())
        case "auto":
            return token in automatic()
        case "command":
            return is_command
        case "any":
            return not is_command
        case "word" | "level":
            return not is_command and not _is_number(token)
    return False


def _names_upgrade(taken: list[str], token: str) -> bool:
    """Return whether a token continues an upgrade's name; by whole words only if that is unique."""
    before = fitting_upgrades(" ".join(taken))
    if len(before) == 1:
        return token in folded(upgrade_name(before[0])).split()
    return bool(fitting_upgrades(" ".join((*taken, token))))


def _is_number(token: str) -> bool:
    """Return whether a token is a number of up to four ASCII digits."""
    return token.isascii() and token.isdigit() and len(token) < 5


def _unknown(token: str) -> str:
    if not token.isprintable():  # an escape sequence, for example of an arrow key
        return _("Unknown command; type “{help}” for the list.").format(help=said("help"))
    text = _("“{word}” is not a command; type “{help}” for the list.")
    return text.format(word=token, help=said("help"))


def _told(token: str, word: str, others: list[str]) -> str:
    return _("Took “{token}” to mean {word}; it could also mean: {others}.").format(
        token=token, word=said(word), others=item_list(map(said, others))
    )
