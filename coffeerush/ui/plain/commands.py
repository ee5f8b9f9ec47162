"""The commands of plain mode for a turn, how a typed line is parsed, and the help."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, Wish
from coffeerush.client.turn import TurnDraft, tokens_to_pour
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import suggested_pours
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
from coffeerush.ui.words.i18n import N_, Lines, _, language
from coffeerush.ui.words.names import (
    and_list,
    bot_level,
    cell_name,
    drink_name,
    ingredient_name,
    item_list,
    upgrade_name,
)
from coffeerush.ui.words.table import hints_line
from protocol import (
    BOARD,
    BOARD_SIDE,
    CUPS,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Intent,
    OwnView,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Undo,
    Upgrade,
    View,
)

from .sentences import serve_lines, upgrade_lines

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


# The help of plain mode: one line per command


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


# Commands for the player's turn in plain mode: each returns sentences and a wish


class Effect(Struct, frozen=True):
    """What a command prints, sends and changes."""

    lines: Lines = ()
    wish: Wish | None = None
    problem: bool = False
    """Whether the command failed, so that the rest of the line is dropped."""
    then: tuple[Intent, ...] = ()
    """The intents to send after this wish."""
    draft: TurnDraft | None = None
    """Changed choices of the turn, if any."""
    settings: Settings | None = None
    """Changed settings, if any."""
    opens: str = ""
    """What to show of the finished game: "replay" or "review"."""


def already() -> Effect:
    """Return the effect of a command that changes nothing."""
    return Effect((_("That is how it is already."),))


def cannot(*lines: str) -> Effect:
    """Return the effect of a failed command: the reason."""
    return Effect(lines, problem=True)


def _go(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    meeple = draft.meeple_of(view, own.seat)
    meeples = view.players[own.seat].meeples
    if meeple > len(meeples):
        return cannot(_("Your meeple is not on the board yet; place it first."))
    here = meeples[meeple - 1]
    row, column = divmod(here, BOARD_SIDE)
    down, right = DIRECTIONS[command.word]
    if not (0 <= row + down < BOARD_SIDE and 0 <= column + right < BOARD_SIDE):
        return cannot(_("The board ends there."))
    return Effect(wish=Step(meeple, here + BOARD_SIDE * down + right))


def _other(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    if len(view.players[own.seat].meeples) < 2:
        return cannot(_("You have only one meeple."))
    if view.meeple is not None:
        return cannot(
            _("You can only move one meeple per turn; undo its steps to move the other one.")
        )
    meeple = 3 - draft.meeple_of(view, own.seat)
    text = _("Your next steps move meeple {number}.").format(number=meeple)
    return Effect((text,), draft=replace(draft, meeple=meeple))


def _pour(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    if not command.numbers:
        return _pour_as_suggested(draft, model, view)
    (number,) = command.numbers
    left = tokens_to_pour(own.hand, draft.aside, view.path)
    if not left:
        return cannot(_("Your hand is empty; there is nothing to pour."))
    if number > CUPS:
        return cannot(_("There is no cup {cup}; your cups are 1, 2 and 3.").format(cup=number))
    token = left[0]
    if number:
        return Effect(wish=Pour(token, number))
    if not any(isinstance(option.intent, ReturnRest) for option in own.options):
        # the host explains why nothing can be given back now
        return Effect(wish=ReturnRest())
    if len(left) == 1:
        return Effect(wish=ReturnRest())
    text = _("Giving {ingredient} back.").format(ingredient=ingredient_name(token))
    return Effect((text,), draft=replace(draft, aside=(*draft.aside, token)))


def _pour_as_suggested(draft: TurnDraft, model: Model, view: View) -> Effect:
    if not model.hints:
        return cannot(hints_line(model.hints))
    pours = suggested_pours(view, draft.aside)
    if not pours:
        return cannot(_("You have nothing to pour now."))
    return Effect(wish=pours[0], then=pours[1:])


def _empty(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    if not _are_cups(command.numbers):
        text = _("Type “{empty}” and the number of a cup, as in “{empty} 2”.")
        return cannot(text.format(empty=said("empty")))
    (cup,) = command.numbers
    return Effect(wish=EmptyCup(cup))


def _serve(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    serves = [
        option.intent
        for option in own.options
        if isinstance(option.intent, Serve) and _is_meant(option.intent, command.numbers)
    ]
    if serves:
        cups = {serve.cup for serve in serves}
        if len(cups) > 1:
            return cannot(*serve_lines(model, own))
        return Effect(wish=max(serves, key=lambda serve: serve.slot))
    if (
        len(command.numbers) == 2
        and _are_cups(command.numbers[:1])
        and 1 <= command.numbers[1] <= 4
    ):
        # the host explains why it cannot be served
        return Effect(wish=Serve(*command.numbers))
    if len(command.numbers) == 1 and _are_cups(command.numbers):
        text = _("Cup {cup} does not match any of your orders now.")
        return cannot(text.format(cup=command.numbers[0]))
    text = _("No cup matches an order now; type “{orders}” to see what they need.")
    return cannot(text.format(orders=said("orders")))


def _is_meant(serve: Serve, numbers: tuple[int, ...]) -> bool:
    return (serve.cup, serve.slot)[: len(numbers)] == numbers


def _upgrade(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    found = fitting_upgrades(command.text)
    open_ones = [o.intent.upgrade for o in own.options if isinstance(o.intent, ActivateUpgrade)]
    if len(found) == 1 and command.text:
        return Effect(wish=ActivateUpgrade(found[0]))
    if open_ones:
        return cannot(*upgrade_lines(own))
    text = _("No upgrade can be activated now; type “{upgrade}” to see what they cost.")
    return cannot(text.format(upgrade=said("upgrade")))


def _undo(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    if draft.aside and not (command.text and own.undo):  # the host knows of nothing to undo there
        return Effect(draft=replace(draft, aside=() if command.text else draft.aside[:-1]))
    others = (Undo(),) * (own.undo - 1) if command.text else ()
    return Effect(wish=Undo(), then=others, draft=replace(draft, aside=()))


def _end(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    ready = [o.order for o in own.options if isinstance(o.intent, Serve) and o.order is not None]
    if ready and draft.asked_to_end != model.rev:
        drinks = and_list(dict.fromkeys(drink_name(model, drink) for drink in ready))
        text = _("You could still serve {drinks}; type “{end}” again to end your turn anyway.")
        question = text.format(drinks=drinks, end=said("end"))
        asked = replace(draft, asked_to_end=model.rev)
        return Effect((question,), problem=True, draft=asked)
    return Effect(wish=EndTurn())


def _place(draft: TurnDraft, model: Model, view: View, own: OwnView, command: Command) -> Effect:
    numbers = command.numbers
    if len(numbers) == 2 and all(1 <= number <= BOARD_SIDE for number in numbers):
        row, column = numbers
        return Effect(wish=PlaceMeeple(BOARD_SIDE * (row - 1) + column - 1))
    free = [
        option.intent.cell
        for option in own.options
        if isinstance(option.intent, PlaceMeeple)
        and command.text
        and folded(ingredient_name(BOARD[option.intent.cell])).startswith(command.text)
    ]
    if len(free) == 1:
        return Effect(wish=PlaceMeeple(free[0]))
    if free:
        cells = _("; ").join(cell_name(cell) for cell in free)
        return cannot(_("There are several matches: {cells}.").format(cells=cells))
    text = _("Type “{place}”, then a row and a column from 1 to 4, as in “{place} 2 3”.")
    return cannot(text.format(place=said("place")))


def _are_cups(numbers: tuple[int, ...]) -> bool:
    return bool(numbers) and all(1 <= number <= CUPS for number in numbers)


GameCommand = Callable[[TurnDraft, Model, View, OwnView, Command], Effect]
GAME: Final[dict[str, GameCommand]] = {
    **dict.fromkeys(DIRECTIONS, _go),
    "other": _other,
    POUR: _pour,
    "rest": lambda draft, model, view, own, command: Effect(wish=ReturnRest()),
    "empty": _empty,
    "serve": _serve,
    "upgrade": _upgrade,
    "undo": _undo,
    "end": _end,
    "place": _place,
}
"""Commands for this player's turn."""
