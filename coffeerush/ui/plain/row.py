"""A command of plain mode: its row in the table of commands, what it sees, what it does."""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct

from coffeerush.client.model import Model, Wish
from coffeerush.client.turn import Turn, TurnDraft
from coffeerush.local.settings import Settings
from coffeerush.ui.words.i18n import Lines, _
from protocol import EmoteName, Intent, View


class Command(Struct, frozen=True):
    """A command with its arguments, as typed."""

    word: str
    numbers: tuple[int, ...] = ()
    text: str = ""


class Effect(Struct, frozen=True):
    """What a command prints, sends and changes."""

    lines: Lines = ()
    wish: Wish | None = None
    problem: bool = False
    """Whether the command failed, so that the rest of the line is dropped."""
    asks: bool = False
    """Whether the lines ask for the same command once more, which is then sure."""
    then: tuple[Intent, ...] = ()
    """The intents to send after this wish."""
    draft: TurnDraft | None = None
    """Changed choices of the turn, if any."""
    settings: Settings | None = None
    """Changed settings, if any."""
    opens: str = ""
    """What to show of the finished game: "replay" or "analysis"."""


def already() -> Effect:
    """Return the effect of a command that changes nothing."""
    return Effect((_("That is how it is already."),))


def cannot(*lines: str) -> Effect:
    """Return the effect of a failed command: the reason."""
    return Effect(lines, problem=True)


class Here(NamedTuple):
    """What a command sees."""

    turn: Turn
    settings: Settings
    sure: bool
    """Whether the command was typed again because its effect asked for it."""
    answer: EmoteName | None
    """What the player may say to what has just happened."""

    @property
    def model(self) -> Model:
        """The table."""
        return self.turn.model

    @property
    def view(self) -> View:
        """The game; only for commands that run while there is one, as those of a turn do."""
        return self.turn.view


Do: TypeAlias = Callable[[Here, Command], Effect | Lines]
"""What a command does; lines are printed, and that is all."""

TurnKind: TypeAlias = Literal["step", "turn", "giving", "placing"]
"""The kinds that wait for the player's turn; a number that follows them is a pour."""
OtherKind: TypeAlias = Literal[
    "look", "manual", "chat", "own", "naming", "table", "after", "leaving"
]
Kind: TypeAlias = TurnKind | OtherKind
"""What a command is about: the situation decides which kind an abbreviation means first.

Some commands are a kind of their own, so that the help can list them in another order.
"""
TURN: Final[tuple[Kind, ...]] = get_args(TurnKind)

Takes: TypeAlias = Literal[
    "", "line", "person", "all", "switch", "auto", "command", "upgrades", "any", "word", "level"
]
"""The text that may follow a command word, before or instead of numbers.

`line` is the rest of the line; so is `person`, unless it begins with a number. The name of one of
the `upgrades` may have several words. All others are one word: `all`, `auto`, a `switch` (`on` or
`off`), a `command`, `any` word that is no command, a `word` that is also no number, or a `level`,
which is a word that numbers may follow.
"""


class Row(Struct, frozen=True):
    """One or several command words that do the same."""

    words: tuple[str, ...]
    kind: Kind
    does: str
    """What they do; `{word}` stands for the first of them; untranslated."""
    do: Do
    numbers: int
    """How many numbers may follow."""
    takes: Takes
    shows: bool
    """Whether the word alone shows something at any time, although its kind is of the turn."""
    short: tuple[str, ...]
    """Abbreviations that are not a prefix: one for each word, or none."""
    also: tuple[str, ...]
    """Other spellings of the only word, the same in every language."""
    elsewhere: Wish | None
    """What it sends at a host whose game goes on at another one; None if it does nothing there."""
