"""The help of plain mode: one line per command."""

from typing import Final

from coffeerush.ui.words.command_words import DIAGONALS, said
from coffeerush.ui.words.i18n import N_, _, language
from coffeerush.ui.words.names import bot_level, item_list

_HELP: Final = (
    (
        ("up", "down", "left", "right"),
        N_("one step that way; the first three are free, each further one costs a rush token"),
    ),
    (
        ("up-left", "up-right", "down-left", "down-right"),
        N_("diagonal steps, with the upgrade; short forms: {short}"),
    ),
    (("pour",), N_("pours as suggested; “{word} 2”, or just 2, pours one ingredient into cup 2")),
    (
        ("serve",),
        N_("“{word} 1” serves what is in cup 1; “{word} 1 3” serves the order in slot 3 with it"),
    ),
    (("empty",), N_("“{word} 2” empties cup 2 into the supply")),
    (("rest",), N_("gives back everything left in your hand")),
    (("undo",), N_("undoes your last action; “{word} {all}” undoes your whole turn")),
    (("end",), N_("ends your turn")),
    (
        ("upgrade",),
        N_("what the upgrades do and cost; with an upgrade's name, it activates that one"),
    ),
    (("other",), N_("the next steps move your other meeple (with two players)")),
    (("place",), N_("“{word} 2 3” places a meeple in row 2, column 3")),
    (("orders",), N_("your orders, the most urgent first, with what they need")),
    (("cups",), N_("what is in your cups and in your hand")),
    (("board",), N_("the board, row by row, with all meeples")),
    (
        ("players",),
        N_("what everybody has, or who sits where; at your own table also how others join"),
    ),
    (("supply",), N_("which ingredients, rush tokens and cards are left")),
    (("menu",), N_("all drinks with their ingredients")),
    (("log",), N_("what happened recently")),
    (("hint",), N_("a good next move, and why")),
    (
        ("rules",),
        N_("the chapters of the rules; “{word} 4”: chapter 4; “{word} {all}”: everything"),
    ),
    (("guide",), N_("the guide through a first game: “{word} {on}” or “{word} {off}”")),
    (("settings",), N_("your settings; “{word} 2” changes the second one")),
    (("language",), N_("“{word}” and a code, such as “{word} en”, changes the language")),
    (("say",), N_("says the rest of the line to everybody at the table")),
    (("ready", "unready"), N_("says that you are ready, or not ready, for a game or a rematch")),
    (("start",), N_("starts the game (table owner only)")),
    (("bot",), N_("“{word} {level} 3” seats a bot of that level in seat 3 (table owner only)")),
    (("remove",), N_("“{word} 2” or “{word} Ann” removes somebody (table owner only)")),
    (("swap",), N_("“{word} 1 2” exchanges seats 1 and 2 (table owner only)")),
    (("first",), N_("“{word} 2”: seat 2 begins; “{word}”: drawn at random (table owner only)")),
    (
        ("clock",),
        N_("“{word} 60”: 60 seconds per turn; “{word}”: no limit (table owner only)"),
    ),
    (("pace",), N_("“{word} 3”: a bot's turn takes 3 seconds at least (table owner only)")),
    (("hints",), N_("“{word} {on}” or “{word} {off}”: hints at this table (table owner only)")),
    (("emote",), N_("lists what you can say with a number; “{word} 2” says it to everybody")),
    (("pause",), N_("pauses the game; the rest of the line is the reason (table owner only)")),
    (("resume",), N_("ends the pause (table owner only, or anybody once the owner has gone)")),
    (
        ("admit",),
        N_(
            "“{word} 3” lets in guest 3, who is waiting in a browser; “{word} {on}”: "
            "anybody at the table may do that, “{word} {off}”: only its owner"
        ),
    ),
    (("reject",), N_("“{word} 3” turns away guest 3, who is waiting in a browser")),
    (("name",), N_("“{word} Bea” changes your name to Bea, before a game")),
    (
        ("letter",),
        N_(
            "“{word} B” marks you with B on the full screen; “{word} {auto}”: with a letter of "
            "your name; “{word}”: everybody's letters"
        ),
    ),
    (
        ("colour",),
        N_("“{word} 2” gives you the second colour on the full screen; “{word}” lists them all"),
    ),
    (("replay",), N_("steps through the game that is over")),
    (("review",), N_("reviews your turns in the game that is over, and says what was better")),
    (("leave",), N_("leaves the table; this word cannot be shortened")),
    (("help",), N_("this help; “{word}” and a command: help for that command only")),
)
"""The commands, and what they do; `{word}` stands for the command itself."""


def help_lines(word: str | None = None) -> tuple[str, ...]:
    """Return the help for all commands, or for one."""
    lines = tuple(_line(words, text) for words, text in _HELP if word in (None, *words))
    return lines if word else (*_general(), *lines)


def _line(words: tuple[str, ...], text: str) -> str:
    typed = {word: said(word) for word in ("all", "on", "off", "auto")}
    short = item_list(map(said, DIAGONALS))
    what = _(text).format(word=said(words[0]), short=short, level=bot_level("regular"), **typed)
    return _("{words}: {what}.").format(words=item_list(map(said, words)), what=what)


def _general() -> tuple[str, ...]:
    english = () if language() == "en" else (_("The English words work too."),)
    return (
        _(
            "Every command can be shortened to its first letters, and a line can hold "
            "several commands."
        ),
        *english,
        _("An empty line repeats what you can do."),
        _(
            "1, 2 or 3: the next ingredient in hand goes into that cup; 0: it goes back to "
            "the supply."
        ),
    )
