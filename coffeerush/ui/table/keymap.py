"""The keymap of the table: actions, keys, and texts for footer and help."""

from enum import Enum, auto
from typing import Final

from coffeerush.ui.pages.pages import COMMON_MARKS, Help
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.keys import BACKSPACE, ENTER, ESCAPE, INTERRUPT, TAB, Keymap, bound
from coffeerush.ui.words.i18n import N_


class Action(Enum):
    """An action at the table."""

    HELP = auto()
    MOVE = auto()
    DIAGONAL = auto()
    POUR = auto()
    GIVE_BACK = auto()
    SUGGEST = auto()
    NEXT = auto()
    UNDO = auto()
    UNDO_ALL = auto()
    SERVE = auto()
    EMPTY = auto()
    UPGRADES = auto()
    ORDERS = auto()
    MEEPLE = auto()
    READY = auto()
    REPLAY = auto()
    REVIEW = auto()
    ADD_BOT = auto()
    REMOVE = auto()
    AGREE = auto()
    INVITE = auto()
    PAUSE = auto()
    LET_IN = auto()
    TURN_AWAY = auto()
    RENAME = auto()
    LETTER = auto()
    COLOUR = auto()
    CHAT = auto()
    EMOTE = auto()
    PANE = auto()
    SCROLL_BACK = auto()
    SCROLL_ON = auto()
    PICK = auto()
    CLOSE = auto()
    HINT = auto()
    GUIDE = auto()
    RULES = auto()
    SETTINGS = auto()
    LEAVE = auto()


_A = Action
KEYMAP: Final = Keymap(
    bound(_A.HELP, ("?", "f1"), "?", N_("open or close this help (also F1)"), 11, bare=True),
    bound(
        _A.MOVE,
        ("up", "down", "left", "right", "h", "j", "k", "l"),
        N_("arrows"),
        N_("step (also h j k l); each step after the third costs a rush token"),
        6,
        click="",
    ),
    bound(
        _A.DIAGONAL,
        ("y", "o", "b", "n"),
        "y o b n",
        N_("diagonal step, with the upgrade"),
        1,
        click="",
    ),
    bound(
        _A.POUR,
        ("1", "2", "3", "4"),
        "1-3",
        N_("pour the first token in hand into a cup"),
        5,
        click="",
    ),
    bound(_A.GIVE_BACK, ("0",), "0", N_("give the first token in hand back"), 1),
    bound(
        _A.SUGGEST, (" ",), N_("Space"), N_("pour as suggested, and serve what is then ready"), 10
    ),
    bound(_A.NEXT, (ENTER,), N_("Enter"), N_("the next action: the bottom line says which"), 10),
    bound(
        _A.UNDO,
        ("u", BACKSPACE),
        "u",
        N_("undo one action, back to the start of the turn (also Bksp)"),
        9,
    ),
    bound(_A.UNDO_ALL, ("U",), "U", N_("undo the whole turn")),
    bound(_A.SERVE, ("s",), "s", N_("choose which order a cup serves, or none"), 3),
    bound(_A.EMPTY, ("e",), "e", N_("empty a cup: then press 1-3"), 2),
    bound(_A.UPGRADES, ("g",), "g", N_("upgrades: see what they do, and activate one"), 4),
    bound(
        _A.ORDERS,
        ("v",),
        "v",
        N_("see all your orders with whole names, if the screen shows only some"),
        2,
    ),
    bound(_A.MEEPLE, ("m",), "m", N_("move the other meeple (2 players)"), 4),
    bound(_A.READY, ("r",), "r", N_("say that you are ready, or not (before and after a game)"), 7),
    bound(_A.REPLAY, ("v",), "v", N_("replay the game that is over"), 6),
    bound(_A.REVIEW, ("w",), "w", N_("review your turns in the game that is over"), 5),
    bound(_A.ADD_BOT, ("a",), "a", N_("seat a bot (the owner, before the game)"), 5),
    bound(_A.REMOVE, ("x",), "x", N_("remove a bot, a guest or a spectator (the owner)"), 3),
    bound(
        _A.AGREE,
        ("o",),
        "o",
        N_("the setup of the next game: who sits where, who begins, clock, hints (the owner)"),
        3,
    ),
    bound(_A.INVITE, ("c",), "c", N_("how others join: addresses, code, QR code (the owner)"), 3),
    bound(_A.LET_IN, ("d",), "d", N_("let in the guest who is waiting in a browser"), 8),
    bound(_A.TURN_AWAY, ("D",), "D", N_("turn that guest away"), 2),
    bound(_A.RENAME, ("n",), "n", N_("change your name (before the game)"), 2),
    bound(_A.LETTER, ("l",), "l", N_("choose the letter that marks you (before the game)"), 1),
    bound(_A.COLOUR, ("h",), "h", N_("choose the next free colour (before the game)"), 1),
    bound(_A.PAUSE, ("p",), "p", N_("pause the game, or let it go on (the owner)"), 1),
    bound(_A.CHAT, ("t",), "t", N_("write to everybody: Enter sends, Esc cancels"), 2),
    bound(
        _A.EMOTE,
        ("f",),
        "f",
        N_("say quickly, then 1-6: Hello! Bravo! Thanks! Oops! Wow! Hurry up!"),
    ),
    bound(_A.PANE, (TAB, "s-tab"), N_("Tab"), N_("next pane: log, others, chat, menu"), 3),
    bound(_A.SCROLL_BACK, ("pageup",), N_("PgUp"), N_("scroll back")),
    bound(_A.SCROLL_ON, ("pagedown",), N_("PgDn"), N_("scroll forward")),
    bound(_A.PICK, (), "1-9", N_("choose from an open list (also arrows and Enter)"), 9),
    bound(_A.CLOSE, (ESCAPE,), N_("Esc"), N_("close what is open"), 9),
    bound(_A.HINT, ("i",), "i", N_("hint: a good next move, and why"), 4),
    bound(_A.GUIDE, ("f4",), "F4", N_("turn the guide through a first game on or off"), 5),
    bound(_A.RULES, ("f2",), "F2", N_("the rules of the game")),
    bound(_A.SETTINGS, ("f3",), "F3", N_("settings: language, colours, mouse, speed …")),
    bound(_A.LEAVE, ("q", INTERRUPT), "q", N_("leave: press twice (also Ctrl-C)"), 4),
)

STEP_MARKS: Final = {
    (-1, 0): "^",
    (1, 0): "v",
    (0, -1): "<",
    (0, 1): ">",
    (-1, -1): "y",
    (-1, 1): "o",
    (1, -1): "b",
    (1, 1): "n",
}
"""Marks of legal steps: an arrowhead, or the key of a diagonal step."""

HELP: Final = Help(
    ((N_("Keys"), KEYMAP.help_rows()),),
    (
        (glyphs.MINE, N_("your meeple; other meeples are letters, as in the list of players")),
        ("^ < > v", N_("where you can step; numbers are the path you have taken")),
        ("x2 +2", N_("what a step gives, if it is not one token")),
        *COMMON_MARKS,
        ("+B", N_("an order that this player has sent you since your last turn")),
    ),
)
