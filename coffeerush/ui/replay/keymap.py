"""The keymap of the replay: actions, keys, and texts for footer and help."""

from enum import Enum, auto
from typing import Final

from coffeerush.ui.pages.page import COMMON_MARKS, Help
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.keys import (
    BACKSPACE,
    ENTER,
    ESCAPE,
    INTERRUPT,
    TAB,
    Binding,
    Keymap,
    bound,
)
from coffeerush.ui.words.i18n import N_


class ReplayAction(Enum):
    """An action in a replay."""

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
    NEXT_VIEWPOINT = auto()
    PREVIOUS_VIEWPOINT = auto()
    ORDERS = auto()
    GO_TO = auto()
    REVIEW = auto()
    LINE = auto()
    RULES = auto()
    SETTINGS = auto()
    LEAVE = auto()


_A = ReplayAction
REPLAY_KEYS: Final = Keymap(
    bound(_A.HELP, ("?", "f1"), "?", N_("open or close this help (also F1)"), 8),
    Binding(
        _A.BACK,
        {
            **dict.fromkeys(("left", "h", BACKSPACE), _A.BACK),
            **dict.fromkeys(("right", "l", " ", ENTER), _A.ON),
        },
        ((glyphs.FROM, "left"), (glyphs.TO, "right")),
        N_("one action back or forward (also “h” and “l”, Backspace and Space or Enter)"),
        10,
    ),
    Binding(
        _A.TURN_BACK,
        {
            **dict.fromkeys(("up", "k", "pageup"), _A.TURN_BACK),
            **dict.fromkeys(("down", "j", "pagedown"), _A.TURN_ON),
        },
        ((glyphs.UP, "up"), (glyphs.DOWN, "down")),
        N_("to the previous or next turn (also “k” and “j”, PgUp and PgDn)"),
        7,
    ),
    Binding(
        _A.MARK_BACK,
        {"N": _A.MARK_BACK, "n": _A.MARK_ON},
        (("N", "N"), ("n", "n")),
        N_("to the previous or next order that is served or expires"),
        2,
    ),
    Binding(
        _A.START,
        {"home": _A.START, "end": _A.END},
        ((N_("Home"), "home"), (N_("End"), "end")),
        N_("to the start or to the end"),
    ),
    bound(
        _A.GO_TO,
        "g0123456789",
        "g",
        N_("to a number: type its digits, then Enter or “g”; Esc cancels"),
        1,
    ),
    bound(_A.PLAY, ("p",), "p", N_("play automatically, or stop; it stops at the end"), 9),
    Binding(
        _A.SLOWER,
        {"-": _A.SLOWER, "+": _A.FASTER, "=": _A.FASTER},
        (("-", "-"), ("+", "+")),
        N_("play slower or faster"),
        5,
    ),
    Binding(
        _A.NEXT_VIEWPOINT,
        {TAB: _A.NEXT_VIEWPOINT, "s-tab": _A.PREVIOUS_VIEWPOINT},
        ((N_("Tab"), TAB),),
        N_(
            "whose cups and orders are shown: the current player's, or always the same "
            "player's (also Shift-Tab, a click)"
        ),
        6,
    ),
    bound(_A.ORDERS, ("v",), "v", N_("all orders of that player, if the screen shows only some")),
    bound(
        _A.REVIEW,
        ("r",),
        "r",
        N_("review a player's turns; again: to the next marked turn"),
        3,
    ),
    bound(
        _A.LINE,
        ("b",),
        "b",
        N_("show the better line of a marked turn, or what was played"),
        11,
    ),
    bound(_A.RULES, ("f2",), "F2", N_("the rules of the game")),
    bound(_A.SETTINGS, ("f3",), "F3", N_("settings: language, colours, mouse, speed …")),
    bound(_A.LEAVE, ("q", ESCAPE, INTERRUPT), "q", N_("leave the replay (also Esc and Ctrl-C)"), 4),
)

REPLAY_HELP: Final = Help(
    ((N_("Keys"), REPLAY_KEYS.help_rows()),),
    (
        (glyphs.MINE, N_("the player whose cups are shown; other meeples are letters")),
        ("1 2 3", N_("the path that was taken")),
        *COMMON_MARKS,
    ),
)
