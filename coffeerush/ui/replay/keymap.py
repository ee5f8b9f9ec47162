"""Every key of the replay, in one table: what it asks for, the footer and the help."""

from enum import Enum, auto
from typing import Final

from msgspec import Struct

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.keyboard import ALIASES, BACKSPACE, ENTER, ESCAPE, INTERRUPT, TAB
from coffeerush.ui.words.i18n import N_


class Action(Enum):
    """What a key asks for."""

    HELP = auto()
    BACK = auto()
    ON = auto()
    TURN_BACK = auto()
    TURN_ON = auto()
    START = auto()
    END = auto()
    MARK_BACK = auto()
    MARK_ON = auto()
    PLAY = auto()
    SLOWER = auto()
    FASTER = auto()
    NEXT_EYES = auto()
    EYES_BEFORE = auto()
    GO_TO = auto()
    RULES = auto()
    SETTINGS = auto()
    LEAVE = auto()


class Binding(Struct, frozen=True):
    """Keys that belong together; their names are those of prompt_toolkit."""

    keys: dict[str, Action]
    shown: tuple[tuple[str, str], ...]
    """(the key as the footer and the help show it, the key); words among them are translated."""
    text: str
    """What they do, for the help; to be translated."""
    weight: int = 0
    """Which stay in the footer where there is little room: the heaviest; 0: in the help alone."""


_A = Action
BINDINGS: Final = (
    Binding(
        {"?": _A.HELP, "f1": _A.HELP},
        (("?", "?"),),
        N_("this help, and closes it (also F1)"),
        8,
    ),
    Binding(
        {
            **dict.fromkeys(("left", "h", BACKSPACE), _A.BACK),
            **dict.fromkeys(("right", "l", " ", ENTER), _A.ON),
        },
        ((glyphs.FROM, "left"), (glyphs.TO, "right")),
        N_("back and on by what one player did (also h and l, Backspace and Space or Enter)"),
        10,
    ),
    Binding(
        {
            **dict.fromkeys(("up", "k", "pageup"), _A.TURN_BACK),
            **dict.fromkeys(("down", "j", "pagedown"), _A.TURN_ON),
        },
        ((glyphs.UP, "up"), (glyphs.DOWN, "down")),
        N_("to the turn before and to the next one (also k and j, PgUp and PgDn)"),
        7,
    ),
    Binding(
        {"N": _A.MARK_BACK, "n": _A.MARK_ON},
        (("N", "N"), ("n", "n")),
        N_("to the order before and to the next one that is served or comes too late"),
        3,
    ),
    Binding(
        {"home": _A.START, "end": _A.END},
        ((N_("Home"), "home"), (N_("End"), "end")),
        N_("to the start and to the end"),
    ),
    Binding(
        {**dict.fromkeys("0123456789g", _A.GO_TO)},
        (("g", "g"),),
        N_("to a number: type its digits, then Enter or g; Esc leaves it"),
        2,
    ),
    Binding(
        {"p": _A.PLAY},
        (("p", "p"),),
        N_("play by itself, and stop; it stops at the end"),
        9,
    ),
    Binding(
        {"-": _A.SLOWER, "+": _A.FASTER, "=": _A.FASTER},
        (("-", "-"), ("+", "+")),
        N_("play slower and faster"),
        5,
    ),
    Binding(
        {TAB: _A.NEXT_EYES, "s-tab": _A.EYES_BEFORE},
        ((N_("Tab"), TAB),),
        N_(
            "whose cups and orders are open: whoever moves, or one player (also Shift-Tab, a click)"
        ),
        6,
    ),
    Binding(
        {"f2": _A.RULES},
        (("F2", "f2"),),
        N_("the rules of the game"),
    ),
    Binding(
        {"f3": _A.SETTINGS},
        (("F3", "f3"),),
        N_("settings: language, colours, mouse, speed …"),
    ),
    Binding(
        {"q": _A.LEAVE, ESCAPE: _A.LEAVE, INTERRUPT: _A.LEAVE},
        (("q", "q"),),
        N_("leave the replay (also Esc and Ctrl-C)"),
        4,
    ),
)
"""In the order of the footer and the help."""
ACTIONS: Final = {key: action for binding in BINDINGS for key, action in binding.keys.items()}
NAMES: Final = tuple(key for key in ACTIONS if len(key) > 1)
"""Keys that are no characters."""


def meant(key: str) -> str:
    """Return the key of the table that a key press means, under any layout or caps lock."""
    latin = ALIASES.get(key, key)
    return latin if latin in ACTIONS else latin.lower()
