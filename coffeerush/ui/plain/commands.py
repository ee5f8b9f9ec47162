"""The commands of plain mode, one row each, in the order of the help: this is their manual."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, get_args

from msgspec.structs import replace

from coffeerush.client.handover import asks, standbys
from coffeerush.client.model import (
    CloseHost,
    GoOn,
    Model,
    OpenToGuests,
    Wish,
    is_kept,
    may_close_host,
    rules_of,
)
from coffeerush.client.tournament import changed_rules
from coffeerush.client.turn import Turn
from coffeerush.levels import kind_now
from coffeerush.local.settings import LANGUAGES, MAX_TURN_SECONDS
from coffeerush.ui.advice.advice import advised, hint, hint_ahead, suggested_pours
from coffeerush.ui.pages.form import cycled
from coffeerush.ui.pages.pages import ROWS as SETTINGS, mark_wish
from coffeerush.ui.pages.rules_text import RulesSection, game_sections
from coffeerush.ui.words.command_words import (
    QUITTING,
    addressed,
    agreed,
    automatic,
    declined,
    folded,
    said,
    spelled,
    switched_off,
    switched_on,
    upgrade_command,
)
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.events import expiring_lines, sent_lines
from coffeerush.ui.words.i18n import N_, Lines, _, language, ngettext
from coffeerush.ui.words.names import (
    EMOTES,
    LETTERS,
    and_list,
    bot_level,
    bot_spellings,
    cell_name,
    colour_name,
    drink_name,
    emote_text,
    ingredient_name,
    item_list,
    letter_named,
    numbered,
    seat_player,
    seat_title,
    upgrade_name,
)
from coffeerush.ui.words.table import (
    asked_told,
    askers_told,
    bot_stays_line,
    end_of_guests_line,
    guests_come_line,
    guests_soon,
    hints_line,
    invitation_lines,
    lobby_lines,
    no_guests_line,
    not_in_a_game,
    outlives_line,
    rotation_line,
    round_lines,
    standby_line,
    step_on_line,
)
from coffeerush.ui.words.tournament import (
    breaking_off_line,
    is_on,
    rule_lines,
    scoring_line,
    standing_lines,
    tournament_line,
)
from protocol import (
    BOARD,
    BOARD_SIDE,
    CHAT_CHARACTERS,
    CUPS,
    MAX_PLAYERS,
    NO_ID,
    ActivateUpgrade,
    AddBot,
    BeginRound,
    BeginTournament,
    Bye,
    Chat,
    CloseTable,
    Emote,
    EmptyCup,
    EndTournament,
    EndTurn,
    Enter,
    GetTables,
    HandOver,
    Intent,
    LetIn,
    LookAt,
    MoveSeat,
    PlaceMeeple,
    Pour,
    Queue,
    QueueFirst,
    Ready,
    Refusal,
    Remove,
    RemoveSpectator,
    Rename,
    RenameTable,
    ReturnRest,
    Rotation,
    Seat,
    SeatView,
    Serve,
    SetFirst,
    SetPause,
    StandUp,
    Start,
    Step,
    TableSummary,
    TableView,
    TakeOver,
    Upgrade,
    clean_chat,
    clean_line,
    clean_name,
)

from .row import Command, Do, Effect, Here, Kind, Row, Takes, already, cannot
from .sentences import (
    board_lines,
    colour_lines,
    cup_lines,
    is_game_on,
    is_in_game,
    letter_lines,
    log_lines,
    menu_lines,
    order_lines,
    player_lines,
    sentences,
    serve_command,
    setting_line,
    supply_lines,
    upgrade_help_lines,
    upgrade_lines,
)

ROWS: Final[list[Row]] = []
"""All commands; of two of the same kind that an abbreviation fits, it means the first."""


def _command(
    kind: Kind,
    *words: str,
    does: str,
    numbers: int = 0,
    takes: Takes = "",
    shows: bool = False,
    short: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    elsewhere: Wish | None = None,
) -> Callable[[Do], Do]:
    """Return a decorator that adds the row of a command; see `Row` for the arguments."""

    def add(do: Do) -> Do:
        ROWS.append(Row(words, kind, does, do, numbers, takes, shows, short, also, elsewhere))
        return do

    return add


_step, _turn, _look = (
    partial(_command, "step"),
    partial(_command, "turn"),
    partial(_command, "look"),
)
_own, _table, _after = (
    partial(_command, "own"),
    partial(_command, "table"),
    partial(_command, "after"),
)


# Steps


_STRAIGHT: Final = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_DIAGONAL: Final = {
    "up-left": (-1, -1),
    "up-right": (-1, 1),
    "down-left": (1, -1),
    "down-right": (1, 1),
}
DIRECTIONS: Final = {**_STRAIGHT, **_DIAGONAL}
"""The rows and columns of a step in each direction."""
_DIRECTION_TO: Final = {there: word for word, there in DIRECTIONS.items()}


@_step(
    *_DIAGONAL,
    does=N_("diagonal steps, with the upgrade; short forms: {short}"),
    short=("ul", "ur", "dl", "dr"),
)
@_step(
    *_STRAIGHT,
    does=N_("one step that way; the first three are free, each further one costs a rush token"),
)
def _go(at: Here, command: Command) -> Effect:
    if at.turn.position is None:
        return cannot(_("Your meeple is not on the board yet; place it first."))
    step = at.turn.step(*DIRECTIONS[command.word])
    return cannot(_("The board ends there.")) if step is None else Effect(wish=step)


# The rest of a turn


POUR: Final = "pour"
"""The word of a command that is mostly typed as a bare number: a cup, or 0."""


@_turn(
    POUR,
    does=N_("pours as suggested; “{word} 2”, or just 2, pours one ingredient into cup 2"),
    numbers=1,
)
def _pour(at: Here, command: Command) -> Effect:
    if not command.numbers:
        return _pour_as_suggested(at)
    (number,) = command.numbers
    if not at.turn.to_pour:
        return cannot(_("Your hand is empty; there is nothing to pour."))
    if number > CUPS:
        return cannot(_("There is no cup {cup}; your cups are 1, 2 and 3.").format(cup=number))
    token = at.turn.to_pour[0]
    if number:
        return Effect(wish=Pour(token, number))
    intents, draft = at.turn.give_back()
    if intents:  # until the host has taken them, those set aside stay so
        return Effect(wish=intents[0])
    text = _("Giving {ingredient} back.").format(ingredient=ingredient_name(token))
    return Effect((text,), draft=draft)


def _pour_as_suggested(at: Here) -> Effect:
    if not at.model.hints:
        return cannot(hints_line(at.model.hints))
    pours = suggested_pours(at.view, at.turn.aside)
    if not pours:
        stuck = at.turn.must_step_on
        return cannot(step_on_line() if stuck else _("You have nothing to pour now."))
    return Effect(wish=pours[0], then=pours[1:])


@_turn(
    "serve",
    does=N_(
        "serves all that is ready; “{word} 1” serves what is in cup 1, “{word} 1 3” serves the "
        "order in slot 3 with it"
    ),
    numbers=2,
)
def _serve(at: Here, command: Command) -> Effect:
    numbers = command.numbers
    if not numbers and (ready := at.turn.all_ready):
        return Effect(wish=ready[0], then=tuple(ready[1:]))
    serves = [
        serve for serve in at.turn.urgent if (serve.cup, serve.slot)[: len(numbers)] == numbers
    ]
    if serves:
        return Effect(wish=serves[0])
    if len(numbers) == 2 and _are_cups(numbers[:1]) and 1 <= numbers[1] <= 4:
        # the host explains why it cannot be served
        return Effect(wish=Serve(*numbers))
    if len(numbers) == 1 and _are_cups(numbers):
        text = _("Cup {cup} does not match any of your orders now.")
        return cannot(text.format(cup=numbers[0]))
    text = _("No cup matches an order now; type “{orders}” to see what they need.")
    return cannot(text.format(orders=said("orders")))


@_turn("empty", does=N_("“{word} 2” empties cup 2 into the supply"), numbers=1)
def _empty(at: Here, command: Command) -> Effect:
    if not _are_cups(command.numbers):
        text = _("Type “{empty}” and the number of a cup, as in “{empty} 2”.")
        return cannot(text.format(empty=said("empty")))
    (cup,) = command.numbers
    return Effect(wish=EmptyCup(cup))


def _are_cups(numbers: tuple[int, ...]) -> bool:
    return bool(numbers) and all(1 <= number <= CUPS for number in numbers)


@_command("giving", "rest", does=N_("gives back everything left in your hand"))
def _rest(at: Here, command: Command) -> Effect:
    return Effect(wish=ReturnRest())


@_turn(
    "undo", does=N_("undoes your last action; “{word} {all}” undoes your whole turn"), takes="all"
)
def _undo(at: Here, command: Command) -> Effect:
    intents, draft = at.turn.undo(whole=bool(command.text))
    return Effect(wish=intents[0] if intents else None, then=intents[1:], draft=draft)


@_turn("end", does=N_("ends your turn"))
def _end(at: Here, command: Command) -> Effect:
    ready, draft = at.turn.serves.values(), at.turn.draft
    if ready and draft.asked_to_end != at.model.rev:
        drinks = and_list(dict.fromkeys(drink_name(at.model, drink) for drink in ready))
        text = _("You could still serve {drinks}; type “{end}” again to end your turn anyway.")
        question = text.format(drinks=drinks, end=said("end"))
        asked = replace(draft, asked_to_end=at.model.rev)
        return Effect((question,), problem=True, draft=asked)
    return Effect(wish=EndTurn())


@_turn(
    "upgrade",
    does=N_("what the upgrades do and cost; with an upgrade's name, it activates that one"),
    takes="upgrades",
    shows=True,
)
def _upgrade(at: Here, command: Command) -> Effect | Lines:
    if not command.text:
        return upgrade_help_lines(at.view)
    found = fitting_upgrades(command.text)
    if len(found) == 1:
        return Effect(wish=ActivateUpgrade(found[0]))
    if open_ones := upgrade_lines(at.turn):
        return cannot(*open_ones)
    text = _("No upgrade can be activated now; type “{upgrade}” to see what they cost.")
    return cannot(text.format(upgrade=said("upgrade")))


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


@_turn("other", does=N_("the next steps move your other meeple (with two players)"))
def _other(at: Here, command: Command) -> Effect:
    if len(at.turn.meeples) < 2:
        return cannot(_("You have only one meeple."))
    if at.view.meeple is not None:
        return cannot(
            _("You can only move one meeple per turn; undo its steps to move the other one.")
        )
    meeple = at.turn.other_meeple
    text = _("Your next steps move meeple {number}.").format(number=meeple)
    return Effect((text,), draft=replace(at.turn.draft, meeple=meeple))


@_command(
    "placing",
    "place",
    does=N_("“{word} 2 3” places a meeple in row 2, column 3"),
    numbers=2,
    takes="word",
)
def _place(at: Here, command: Command) -> Effect:
    numbers = command.numbers
    if len(numbers) == 2 and all(1 <= number <= BOARD_SIDE for number in numbers):
        row, column = numbers
        return Effect(wish=PlaceMeeple(BOARD_SIDE * (row - 1) + column - 1))
    free = [
        cell
        for cell in at.turn.places
        if command.text and folded(ingredient_name(BOARD[cell])).startswith(command.text)
    ]
    if len(free) == 1:
        return Effect(wish=PlaceMeeple(free[0]))
    if free:
        cells = _("; ").join(cell_name(cell) for cell in free)
        return cannot(_("There are several matches: {cells}.").format(cells=cells))
    text = _("Type “{place}”, then a row and a column from 1 to 4, as in “{place} 2 3”.")
    return cannot(text.format(place=said("place")))


# What a player can look at


def _of_game(tell: Callable[[Here], Lines]) -> Do:
    """Return a command about a game; as long as there is none, it describes the lobby."""
    return lambda at, command: lobby_lines(at.model) if at.model.view is None else tell(at)


@_look("orders", does=N_("your orders, the most urgent first, with what they need"))
@_of_game
def _orders(at: Here) -> Lines:
    model = at.model
    if model.seat is not None and at.view.own is None:
        return cup_lines(model, at.view)  # which are being loaded, and with them what is missing
    ahead = expiring_lines(model, model.my_turn)
    return (*order_lines(model, at.view), *ahead, *sent_lines(model))


@_look("cups", does=N_("what is in your cups and in your hand"))
@_of_game
def _cups(at: Here) -> Lines:
    return cup_lines(at.model, at.view)


@_look("board", does=N_("the board, row by row, with all meeples"))
@_of_game
def _board(at: Here) -> Lines:
    return board_lines(at.model, at.view)


@_look(
    "players",
    does=N_("what everybody has, or who sits where; at your own table also how others join"),
)
def _players(at: Here, command: Command) -> Lines:
    playing = at.model.view is not None and is_game_on(at.model)
    lines = lobby_lines(at.model)
    if playing:
        lines = *player_lines(at.model, at.view), *filter(None, [outlives_line(at.model)])
    invitation = at.model.invitation
    lines = *lines, *invitation_lines(invitation)
    if not invitation.decides_on_guests:
        return lines
    shut = invitation.keeps_guests_out
    told, word = (no_guests_line(), "admit") if shut else (guests_come_line(), "reject")
    changing = _("Type “{word}” to change that.").format(word=said(word))
    return (*lines, f"{told} {changing}")


@_look("supply", does=N_("which ingredients, rush tokens and cards are left"))
@_of_game
def _supply(at: Here) -> Lines:
    return supply_lines(at.view)


@_look("menu", does=N_("all drinks with their ingredients"))
@_of_game
def _menu(at: Here) -> Lines:
    return menu_lines(at.view)


@_look("log", does=N_("what happened recently"))
def _log(at: Here, command: Command) -> Lines:
    return log_lines(at.model)


# Help with the game, and a person's settings


@_own("hint", does=N_("a good next move, and why"))
def _hint(at: Here, command: Command) -> Lines:
    if not at.model.hints:
        return (hints_line(at.model.hints),)
    told = (*sentences(hint(at.model)), *hint_commands(at.turn)) or sentences(hint_ahead(at.model))
    return told or (_("There is no hint: you have nothing to do right now."),)


def hint_commands(turn: Turn) -> Lines:
    """Return the sentence with the commands that follow the hint; () if there is none."""
    if not hint(turn.model):
        return ()
    typed = " ".join(_following(turn, advised(turn.view).intents))
    return (_("Type “{command}” to do that.").format(command=typed),)


def _following(turn: Turn, intents: Sequence[Intent]) -> Iterator[str]:
    """Yield the commands for the first part of a plan, as far as the hint's sentences describe it.

    That is an upgrade, the place of a meeple, a walk, the pours, a serve or the end of the turn.
    """
    if any(isinstance(intent, Step) for intent in intents) and not isinstance(
        intents[0], ActivateUpgrade
    ):
        yield from _walk(turn, intents)
        return
    match intents[0]:
        case ActivateUpgrade(upgrade):
            yield upgrade_command(upgrade)
        case PlaceMeeple(cell):
            row, column = divmod(cell, BOARD_SIDE)
            yield f"{said('place')} {row + 1} {column + 1}"
        case Serve() as serve:
            yield serve_command(turn, serve)
        case EndTurn():
            yield said("end")
        case _:
            yield said(POUR)


def _walk(turn: Turn, intents: Sequence[Intent]) -> Iterator[str]:
    """Yield the commands that empty cups and walk, with the meeple of a plan."""
    steps = [intent for intent in intents if isinstance(intent, Step)]
    yield from (
        f"{said('empty')} {intent.cup}" for intent in intents if isinstance(intent, EmptyCup)
    )
    if steps[0].meeple != turn.meeple:
        yield said("other")
    here = turn.meeples[steps[0].meeple - 1]
    for step in steps:
        (row, column), (to_row, to_column) = divmod(here, BOARD_SIDE), divmod(step.cell, BOARD_SIDE)
        yield said(_DIRECTION_TO[to_row - row, to_column - column])
        here = step.cell


@_own(
    "rules",
    does=N_("the chapters of the rules; “{word} 4”: chapter 4; “{word} {all}”: everything"),
    numbers=1,
    takes="all",
)
def _rules(at: Here, command: Command) -> Lines:
    sections = game_sections()
    if command.text:
        return tuple(line for section in sections for line in _section(section))
    if command.numbers and 1 <= command.numbers[0] <= len(sections):
        return _section(sections[command.numbers[0] - 1])
    titles = numbered(section.title for section in sections)
    text = _("Type “{rules}” and a number, as in “{rules} 4”, or “{rules} {all}” for everything.")
    return (*titles, text.format(rules=said("rules"), all=said("all")))


def _section(section: RulesSection) -> Lines:
    title = _("{title}:").format(title=section.title)
    return (title, *(line for text in section.paragraphs for line in sentences(text)))


@_own(
    "guide",
    does=N_("the guide through a first game: “{word} {on}” or “{word} {off}”"),
    takes="switch",
)
def _guide(at: Here, command: Command) -> Effect | Lines:
    if command.text:
        return _changed(at, guided=command.text not in switched_on())
    text = _("The guide is on; type “{guide} {off}” to turn it off.")
    if at.settings.guided:
        text = _("The guide is off; type “{guide} {on}” to turn it on.")
    return (text.format(guide=said("guide"), on=said("on"), off=said("off")),)


def _changed(at: Here, **setting: object) -> Effect:
    after = replace(at.settings, **setting)
    return already() if after == at.settings else Effect(settings=after)


@_own("settings", does=N_("your settings; “{word} 2” changes the second one"), numbers=1)
def _settings(at: Here, command: Command) -> Effect | Lines:
    if not command.numbers:
        rows = numbered(setting_line(at.settings, row) for row in SETTINGS)
        text = _("Type “{settings}” and a number to change that setting.")
        return (*rows, text.format(settings=said("settings")))
    (number,) = command.numbers
    if not 1 <= number <= len(SETTINGS):
        return cannot(_("There is no setting {number}.").format(number=number))
    row = SETTINGS[number - 1]
    if not row.values:
        text = _(
            "Your name is set in the start menu; before a game, change it with “{name}” "
            "and the new name, as in “{name} Bea”."
        )
        return cannot(text.format(name=said("name")))
    after = cycled(at.settings, row, 1)
    marks = row.field in ("letter", "colour")
    return Effect(settings=after, wish=mark_wish(after) if marks else None)


@_own(
    "language",
    does=N_("“{word}” and a code, such as “{word} en”, changes the language"),
    takes="word",
)
def _language(at: Here, command: Command) -> Effect:
    wanted = command.text.replace("-", "_")
    codes = [code for code in LANGUAGES if code]
    fitting = [code for code in codes if wanted and code.casefold().startswith(wanted)]
    if len(fitting) != 1:
        text = _("Type “{language}” and one of these: {codes}.")
        return cannot(text.format(language=said("language"), codes=item_list(codes)))
    return _changed(at, language=fitting[0])


# The table: who is there, and the rules that the owner sets


@_command(
    "chat",
    "say",
    does=N_(
        "says the rest of the line to everybody at the table; after “/{all}”, to all tables of "
        "the host"
    ),
    takes="line",
)
def _say(at: Here, command: Command) -> Effect:
    line, to_all = addressed(command.text)
    over = len(clean_line(line)) - CHAT_CHARACTERS
    if over > 0:
        text = ngettext(
            "That is {count} character too long: a message has at most {most}.",
            "That is {count} characters too long: a message has at most {most}.",
            over,
        )
        return cannot(text.format(count=over, most=CHAT_CHARACTERS))
    if text := clean_chat(line):
        return Effect(wish=Chat(NO_ID, text, to_all))
    return cannot(
        _("Type “{say}” and what you want to say, as in “{say} hello”.").format(say=said("say"))
    )


@_command("chat", "answer", does=N_("answers what has just happened, in one word"))
def _say_back(at: Here, command: Command) -> Effect:
    if at.answer is None:
        return cannot(_("There is nothing to answer now."))
    return Effect(wish=Emote(NO_ID, at.answer))


@_table(
    "ready",
    "unready",
    does=N_(
        "says that you are ready, or not ready, for a game or a rematch; as a "
        "spectator, that you want to play next, or not"
    ),
)
def _ready(at: Here, command: Command) -> Effect:
    model, ready = at.model, command.word == "ready"
    if model.seat is None:
        return Effect(wish=Queue(NO_ID, ready))
    if model.owner and model.table and model.table.stage != "game":
        text = _("The table is yours, so you are always ready; type “{start}” to start the game.")
        return cannot(text.format(start=said("start")))
    return Effect(wish=Ready(NO_ID, ready))


@_table("start", does=N_("starts the game (table owner only, unless the owner is elsewhere)"))
def _start(at: Here, command: Command) -> Effect:
    return Effect(wish=Start(NO_ID))


@_table(
    "bot",
    does=N_("“{word} {level} 3” seats a bot of that level in seat 3 (table owner only)"),
    numbers=1,
    takes="level",
)
def _bot(at: Here, command: Command) -> Effect:
    table = at.model.table
    if table is None:
        return _not_there()
    kinds = _kinds(table, folded(kind_now(command.text or "regular")))
    seat = command.numbers[0] - 1 if command.numbers else _open_seat(at.model, table)
    if len(kinds) != 1:
        text = _(
            "Type “{bot}”, a level and a seat, as in “{bot} {level} 3”; the levels are {levels}."
        )
        levels = [*map(bot_level, table.bots)]
        level = bot_level("regular")
        return cannot(text.format(bot=said("bot"), level=level, levels=and_list(levels)))
    if not 0 <= seat < len(table.seats):
        params: dict[str, str | int] = {"seat": seat, "seats": len(table.seats)}
        missing = refusal_line(Refusal("no_such_seat", "", params))
        return cannot(missing if command.numbers else _("No seat is open."))
    return Effect(wish=AddBot(NO_ID, seat, kinds[0]))


def _not_there() -> Effect:
    return cannot(_("You are not at the table yet."))


def _kinds(table: TableView, start: str) -> list[str]:
    """Return the kinds of bots that a typed word may mean; only one if it is spelled out."""
    spellings = {
        kind: [folded(spelling) for spelling in bot_spellings(kind)] for kind in table.bots
    }
    whole = [kind for kind in table.bots if start in spellings[kind]]
    return whole or [
        kind
        for kind in table.bots
        if any(spelling.startswith(start) for spelling in spellings[kind])
    ]


def _open_seat(model: Model, table: TableView) -> int:
    """Return the first open seat for which no bot is requested yet; -1 if there is none."""
    requested = [request.seat for request in model.pending if isinstance(request, AddBot)]
    seats = enumerate(table.seats)
    return next((n for n, seat in seats if seat.status == "open" and n not in requested), -1)


@_table(
    "remove",
    does=N_("“{word} 2” or “{word} Ann” removes somebody (table owner only)"),
    numbers=1,
    takes="person",
)
def _remove(at: Here, command: Command) -> Effect:
    table = at.model.table
    if table is None:
        return _not_there()
    if command.numbers and 1 <= command.numbers[0] <= len(table.seats):
        return Effect(wish=Remove(NO_ID, command.numbers[0] - 1))  # the host says if it cannot be
    return _meant(command, _others(table))


@_table(
    "stand",
    does=N_(
        "gives up your seat, to watch; “{word} 2” or “{word} Ann” makes somebody else "
        "stand up (table owner only)"
    ),
    numbers=1,
    takes="person",
)
def _stand(at: Here, command: Command) -> Effect:
    if at.model.table is None:
        return _not_there()
    if not command.numbers and not command.text:
        return Effect(wish=StandUp(NO_ID))
    return _meant(command, [*_seated(at.model.table, partial(StandUp, NO_ID))])


@_table(
    "next",
    does=N_("“{word} 2” or “{word} Ann” puts somebody first in line for a seat (table owner only)"),
    numbers=1,
    takes="person",
)
def _next(at: Here, command: Command) -> Effect:
    if not at.model.queued:
        return cannot(_("Nobody is in line for a seat."))
    line = enumerate(at.model.queued, start=1)
    waiting = [
        _Other(number, name, name, QueueFirst(NO_ID, name), (folded(name),))
        for number, name in line
    ]
    return _meant(command, waiting)


@_table(
    "rotation",
    does=N_(
        "lists who can make room for those in line for a seat; “{word} 2” chooses "
        "(table owner only)"
    ),
    numbers=1,
)
def _rotation(at: Here, command: Command) -> Effect:
    ways: tuple[Rotation, ...] = get_args(Rotation)
    (number,) = command.numbers or (0,)
    if 1 <= number <= len(ways):
        return _rules_with(at, rotation=ways[number - 1])
    text = _("Type “{rotation}” and a number, as in “{rotation} 2”.")
    return cannot(*numbered(map(rotation_line, ways)), text.format(rotation=said("rotation")))


def _meant(command: Command, others: "list[_Other]") -> Effect:
    """Return the wish about the person whose number or name, or its beginning, was typed."""
    if command.numbers:
        found = [other for other in others if other.number == command.numbers[0]]
        return Effect(wish=found[0].wish) if found else _who(command, others)
    start = folded(command.text)
    if not start:  # empty, or accents only
        return _who(command, others)
    found = [other for other in others if start in other.spelled]
    found = found or [other for other in others if any(map(_begins(start), other.spelled))]
    names = [other.name for other in found]
    if len(found) > 1 and len(set(names)) == len(names):
        text = _("Several names match: {names}. Type the full name.")
        return cannot(text.format(names=item_list(names)))
    return Effect(wish=found[0].wish) if len(found) == 1 else _who(command, others)


def _begins(start: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(start)


class _Other(NamedTuple):
    """Somebody about whom the owner can decide."""

    number: int
    """The number to type."""
    name: str
    title: str
    """The name, with the level of a bot."""
    wish: Wish
    spelled: tuple[str, ...]
    """The names to type, folded: that of a bot also as the host has it."""


def _seated(table: TableView, wish: Callable[[Seat], Wish]) -> Iterator[_Other]:
    """Yield those who have a seat."""
    for seat, view in enumerate(table.seats):
        if view.name:
            name = seat_player(view, seat)
            names = (folded(name), folded(view.name))
            yield _Other(seat + 1, name, seat_title(view, seat), wish(seat), names)


def _others(table: TableView) -> list[_Other]:
    """Return whom the owner can remove."""
    seated = _seated(table, partial(Remove, NO_ID))
    found = [other for other in seated if other.number - 1 != table.owner]
    for number, name in enumerate(table.spectators, len(table.seats) + 1):
        found.append(_Other(number, name, name, RemoveSpectator(NO_ID, name), (folded(name),)))
    return found


def _who(command: Command, others: list[_Other]) -> Effect:
    """Return the list of people to choose from, as the reply to an incomplete command."""
    line = _("{number}: {name}.")
    lines = [line.format(number=other.number, name=other.title) for other in others]
    text = _("Type “{word}” and a number or a name, as in “{word} 2”.")
    return cannot(*lines, text.format(word=said(command.word)))


@_table("swap", does=N_("“{word} 1 2” exchanges seats 1 and 2 (table owner only)"), numbers=2)
def _swap(at: Here, command: Command) -> Effect:
    if len(command.numbers) != 2 or not all(
        1 <= number <= MAX_PLAYERS for number in command.numbers
    ):
        text = _("Type “{swap}” and two seats, as in “{swap} 1 2”.")
        return cannot(text.format(swap=said("swap")))
    seat, to = command.numbers
    return Effect(wish=MoveSeat(NO_ID, seat - 1, to - 1))


@_table(
    "first",
    does=N_("“{word} 2”: seat 2 begins; “{word}”: drawn at random (table owner only)"),
    numbers=1,
)
def _first(at: Here, command: Command) -> Effect:
    if not command.numbers:
        return Effect(wish=SetFirst(NO_ID, None))
    (number,) = command.numbers
    if not 1 <= number <= MAX_PLAYERS:
        text = _("Type “{first}” and a seat, as in “{first} 2”, or “{first}” alone.")
        return cannot(text.format(first=said("first")))
    return Effect(wish=SetFirst(NO_ID, number - 1))


@_table(
    "clock",
    does=N_("“{word} 60”: 60 seconds per turn; “{word}”: no limit (table owner only)"),
    numbers=1,
)
def _clock(at: Here, command: Command) -> Effect:
    return _rules_with(at, turn_seconds=min((*command.numbers, 0)[0], MAX_TURN_SECONDS))


def _rules_with(at: Here, **changed: object) -> Effect:
    table = at.model.table
    return Effect(wish=replace(rules_of(at.model, table), **changed)) if table else _not_there()


@_table(
    "pace",
    does=N_("“{word} 3”: a bot's turn takes at least 3 seconds (table owner only)"),
    numbers=1,
)
def _pace(at: Here, command: Command) -> Effect:
    return _rules_with(at, bot_seconds=min((*command.numbers, 0)[0], 30))


@_table(
    "hints",
    does=N_("“{word} {on}” or “{word} {off}”: hints at this table (table owner only)"),
    takes="switch",
)
def _hints(at: Here, command: Command) -> Effect:
    if command.text not in (*switched_on(), *switched_off()):
        text = _("Type “{hints} {on}” or “{hints} {off}”.")
        return cannot(text.format(hints=said("hints"), on=said("on"), off=said("off")))
    return _rules_with(at, hints=command.text in switched_on())


@_table(
    "emote",
    does=N_("lists what you can say with a number; “{word} 2” says it to everybody"),
    numbers=1,
)
def _emote(at: Here, command: Command) -> Effect:
    (number,) = command.numbers or (0,)
    if 1 <= number <= len(EMOTES):
        return Effect(wish=Emote(NO_ID, EMOTES[number - 1]))
    text = _("Type “{emote}” and a number, as in “{emote} 2”.").format(emote=said("emote"))
    return cannot(*numbered(map(emote_text, EMOTES)), text)


@_table(
    "pause",
    does=N_("pauses the game; the rest of the line is the reason (table owner only)"),
    takes="line",
)
def _pause(at: Here, command: Command) -> Effect:
    return Effect(wish=SetPause(NO_ID, True, clean_chat(command.text)))


@_table("resume", does=N_("ends the pause (table owner only, or anybody once the owner has gone)"))
def _resume(at: Here, command: Command) -> Effect:
    return Effect(wish=SetPause(NO_ID, False))


@_table(
    "admit",
    does=N_(
        "“{word} 3” lets in guest 3, who is waiting in a browser; “{word} {on}”: "
        "anybody at the table may do that, “{word} {off}”: only its owner"
    ),
    numbers=1,
    takes="switch",
)
def _admit(at: Here, command: Command) -> Effect:
    if command.text:
        return _rules_with(at, anybody_lets_in=command.text in switched_on())
    if at.model.invitation.keeps_guests_out and not (command.numbers or at.model.asking):
        return Effect((guests_soon(),), OpenToGuests(allowed=True))
    return _answer(at, command, allowed=True)


@_table(
    "host",
    does=N_(
        "“{word} Ann” asks Ann to host the table from now on (table owner only); if you are "
        "asked: “{word} {accept}”, “{word} {decline}”"
    ),
    takes="line",
)
def _host(at: Here, command: Command) -> Effect:
    typed = folded(command.text)
    if asks(at.model):
        answers = {**dict.fromkeys(agreed(), True), **dict.fromkeys(declined(), False)}
        if typed in answers:
            return Effect(wish=TakeOver(NO_ID, answers[typed]))
        return cannot(*asked_told(at.model))
    if at.model.may_go_on:
        return Effect(wish=GoOn())
    moving = at.model.table.moving if at.model.table else None
    if moving and at.model.owner and typed in declined():
        return Effect(wish=HandOver(NO_ID, None))
    if not (names := standbys(at.model)):
        return cannot(standby_line(at.model) or _("Nobody else here can host this table."))
    typed = command.text.strip()
    numbers = (int(typed),) if typed.isdecimal() and len(typed) < 3 else ()
    return _meant(
        replace(command, numbers=numbers),
        [
            _Other(number, name, name, HandOver(NO_ID, name), (folded(name),))
            for number, name in enumerate(names, start=1)
        ],
    )


@_table("reject", does=N_("“{word} 3” turns away guest 3, who is waiting in a browser"), numbers=1)
def _reject(at: Here, command: Command) -> Effect:
    if at.model.invitation.ssh and not (command.numbers or at.model.asking):
        return _close_to_guests(at)
    return _answer(at, command, allowed=False)


def _close_to_guests(at: Here) -> Effect:
    if at.sure:
        return Effect(wish=OpenToGuests(allowed=False))
    again = _("Type the same again to confirm.")
    return Effect((f"{end_of_guests_line()} {again}",), problem=True, asks=True)


def _answer(at: Here, command: Command, allowed: bool) -> Effect:
    """Answer a guest by the number, which may be left out if only one asks."""
    guests = command.numbers or tuple(guest.guest for guest in at.model.asking)
    if len(guests) == 1 and guests[0]:
        return Effect(wish=LetIn(NO_ID, guests[0], allowed))
    return cannot(*(askers_told(at.model) or (_("No guest is waiting to be let in."),)))


# The tables of the host


@_table("tables", does=N_("which tables this host has, and who is there"))
def _tables(at: Here, command: Command) -> Effect:
    return Effect(wish=GetTables(NO_ID))


@_table(
    "go",
    does=N_("“{word} 2” goes over to table 2: you sit down if a seat is open, or else you watch"),
    numbers=1,
)
def _go_to(at: Here, command: Command) -> Effect:
    return _at_other(at, command, lambda table: _going(at.model.going_to(table)))


@_table("open", does=N_("opens another table at this host, which is yours"))
def _open(at: Here, command: Command) -> Effect:
    return _going(at.model.going_to(None))


def _going(wish: Wish | None) -> Effect:
    return cannot(not_in_a_game()) if wish is None else Effect(wish=wish)


@_table(
    "look",
    does=N_("“{word} 2” lets you watch table 2 without leaving yours"),
    numbers=1,
)
def _look_at(at: Here, command: Command) -> Effect:
    return _at_other(at, command, lambda table: Effect(wish=LookAt(NO_ID, table.number)))


@_table("back", does=N_("stops watching the other table"), elsewhere=GoOn())
def _look_back(at: Here, command: Command) -> Effect:
    return already() if at.model.looking is None else Effect(wish=LookAt(NO_ID, at.model.number))


@_table(
    "call",
    does=N_("“{word} Garden” renames the table, before a game (table owner only)"),
    takes="line",
)
def _call(at: Here, command: Command) -> Effect:
    if name := clean_name(command.text):
        return Effect(wish=RenameTable(NO_ID, name))
    text = _("Type “{call}” and the new name of the table, as in “{call} Garden”.")
    return cannot(text.format(call=said("call")))


@_table(
    "close",
    does=N_("“{word} 2” closes table 2, if a player has opened it (owner of the first table only)"),
    numbers=1,
)
def _close_table(at: Here, command: Command) -> Effect:
    found = _numbered_table(at, command)
    if found is None:
        return cannot(_which_table(command))
    if not at.sure:
        question = _("Close {table}? Type the same again; anything else cancels.")
        return Effect((question.format(table=found.name),), problem=True, asks=True)
    return Effect(wish=CloseTable(NO_ID, found.number))


def _at_other(at: Here, command: Command, done: Callable[[TableSummary], Effect]) -> Effect:
    """Return what is done about the table that was named, if it is not the person's own."""
    found = _numbered_table(at, command)
    if found is None:
        return cannot(_which_table(command))
    return already() if found.number == at.model.number else done(found)


def _numbered_table(at: Here, command: Command) -> TableSummary | None:
    """Return the table with the number that was typed; None if there is none."""
    return next((table for table in at.model.tables if (table.number,) == command.numbers), None)


def _which_table(command: Command) -> str:
    """Return how to name a table."""
    text = _("Type “{tables}”, then “{word}” and the number of a table, as in “{word} 2”.")
    return text.format(tables=said("tables"), word=said(command.word))


# The tournament of the host


@_table(
    "tournament",
    does=N_(
        "how the tournament of this host stands, and its rules; “{word} {on}” "
        "announces one, “{word} 2” changes rule 2, “{word} {off}” ends it (owner of "
        "the first table only)"
    ),
    numbers=1,
    takes="switch",
)
def _tournament(at: Here, command: Command) -> Effect:
    model, view = at.model, at.model.tournament
    if command.text in switched_on():
        return already() if is_on(view) else Effect(wish=model.new_tournament)
    if view is None:
        return _no_tournament(model)
    if command.text in switched_off():
        return _end_tournament(at)
    if command.numbers:
        changed = changed_rules(model.tournament_rules, model.table.bots if model.table else ())
        if 1 <= command.numbers[0] <= len(changed):
            rules = changed[command.numbers[0] - 1]
            told = rule_lines(replace(view, rules=rules))[command.numbers[0] - 1]
            return Effect((told,), wish=BeginTournament(NO_ID, rules))
    how = tournament_line(model), *round_lines(model)
    return Effect((*how, *numbered(rule_lines(view)), scoring_line()))


def _no_tournament(model: Model) -> Effect:
    if not model.owns_hall:
        return cannot(refusal_line(Refusal("no_tournament", "")))
    text = _("Type “{tournament} {on}” to announce a tournament that everybody here can enter.")
    return cannot(text.format(tournament=said("tournament"), on=said("on")))


def _end_tournament(at: Here) -> Effect:
    if is_on(at.model.tournament) and not at.sure:
        question = _("End the tournament as it stands now? Type the same again to confirm.")
        return Effect((question,), problem=True, asks=True)
    return Effect(wish=EndTournament(NO_ID))


@_table("enter", does=N_("enters the tournament of this host, from the next round on"))
def _enter(at: Here, command: Command) -> Effect:
    return already() if at.model.awaits_round else Effect(wish=Enter(NO_ID, True))


@_table("withdraw", does=N_("withdraws from the tournament, after the current round"))
def _withdraw(at: Here, command: Command) -> Effect:
    return Effect(wish=Enter(NO_ID, False))


@_table("round", does=N_("begins the next round of the tournament (owner of the first table only)"))
def _round(at: Here, command: Command) -> Effect:
    view = at.model.tournament
    if view is None:
        return _no_tournament(at.model)
    if at.model.owns_hall and not at.sure and (question := breaking_off_line(at.model)):
        again = _("Type the same again to confirm.")
        return Effect((f"{question} {again}",), problem=True, asks=True)
    return Effect(wish=BeginRound(NO_ID, view.round + 1))


@_table("standings", does=N_("the standings of the tournament: places, wins, points, penalties"))
def _standings(at: Here, command: Command) -> Effect:
    if at.model.tournament is None:
        return _no_tournament(at.model)
    return Effect((tournament_line(at.model), *standing_lines(at.model)))


# A person's name, and the letter and colour by which full screens mark them


@_command(
    "naming", "name", does=N_("“{word} Bea” changes your name to Bea, before a game"), takes="line"
)
def _name(at: Here, command: Command) -> Effect:
    if name := clean_name(command.text):
        return Effect(wish=Rename(NO_ID, name))
    return cannot(
        _("Type “{name}” and your new name, as in “{name} Bea”.").format(name=said("name"))
    )


@_table(
    "letter",
    does=N_(
        "“{word} B” marks you with B on the full screen; “{word} {auto}”: with a letter of "
        "your name; “{word}”: everybody's letters"
    ),
    takes="any",
)
def _letter(at: Here, command: Command) -> Effect | Lines:
    if not command.text:
        text = _(
            "Type “{letter}” and a letter from A to Z, as in “{letter} B”, or “{letter} {auto}” "
            "for that of your name."
        )
        return (*letter_lines(at.model), text.format(letter=said("letter"), auto=said("auto")))
    if command.text in automatic():
        return _marked(at, letter=None)
    letter = letter_named(command.text)
    if letter is None:
        return cannot(_("Choose one of the letters A to Z."))
    if name := _chosen_by(at.model, lambda seat: seat.letter == letter):
        text = _("{name} has chosen the letter {letter}; choose another one.")
        return cannot(text.format(name=name, letter=LETTERS[letter]))
    return _marked(at, letter=letter)


@_table(
    "colour",
    does=N_("“{word} 2” gives you the second colour on the full screen; “{word}” lists them all"),
    numbers=1,
    takes="auto",
)
def _colour(at: Here, command: Command) -> Effect:
    if command.text:
        return _marked(at, colour=None)
    (number,) = command.numbers or (0,)
    if not 1 <= number <= MAX_PLAYERS:
        text = _(
            "Type “{colour}” and a number, as in “{colour} 2”, or “{colour} {auto}” for that of "
            "your seat."
        )
        typed = text.format(colour=said("colour"), auto=said("auto"))
        return Effect((*colour_lines(at.model), typed), problem=bool(command.numbers))
    if name := _chosen_by(at.model, lambda seat: seat.colour == number - 1):
        text = _("{name} has chosen {colour}; choose another colour.")
        return cannot(text.format(name=name, colour=colour_name(number - 1)))
    return _marked(at, colour=number - 1)


def _chosen_by(model: Model, has_it: Callable[[SeatView], bool]) -> str:
    """Return the player who has chosen a letter or a colour; "" if it is free to choose."""
    seats = model.table.seats if model.table else ()
    others = (seat for seat, other in enumerate(seats) if seat != model.seat and has_it(other))
    return next((seat_player(seats[seat], seat) for seat in others), "")


def _marked(at: Here, **mark: int | None) -> Effect:
    """Change the settings, and ask the host for the same: in a game, once it is over."""
    after = replace(at.settings, **mark)
    rows = [row for row in SETTINGS if row.field in mark and after == at.settings]
    told = tuple(setting_line(after, row) for row in rows)
    if is_in_game(at.model):
        told = (*told, _("At this table it changes once the game is over."))
    return Effect(told, wish=mark_wish(after), settings=after)


# After a game, and leaving


@_after(
    "analysis",
    does=N_("analyses your turns in the finished game, and says what would have been better"),
)
@_after("replay", does=N_("steps through the finished game"))
def _recorded(at: Here, command: Command) -> Effect:
    """Show the finished game, unless the next one is played."""
    if is_game_on(at.model) or not (at.model.record and at.model.record.is_kept):
        return cannot(_("There is no record of a finished game to show now."))
    return Effect(opens=command.word)


@_command(
    "leaving",
    "leave",
    does=N_(
        "leaves the table; this word cannot be shortened; as its owner, “{word} {all}” closes it "
        "for everybody"
    ),
    takes="all",
    also=QUITTING,
    elsewhere=Bye(NO_ID),
)
def _leave(at: Here, command: Command) -> Effect:
    if command.text and not may_close_host(at.model):
        return cannot(refusal_line(Refusal("not_owner", "")))
    if command.text and at.sure:
        return Effect(wish=CloseHost())
    if command.text and at.model.table:
        question = _("Close {table}? Type the same again; anything else cancels.")
        told = question.format(table=at.model.table.name)
        return Effect((told,), problem=True, asks=True)
    costs = is_in_game(at.model) or (at.model.owner and is_kept(at.model))
    if costs and not at.sure and (names := standbys(at.model)):
        question = _(
            "Leave the table? To hand it to {name} first, type “{host} {name}”; to "
            "keep it on this computer, type “{leave}” again. Anything else cancels."
        )
        told = question.format(host=said("host"), leave=said("leave"), name=names[0])
        return Effect((told,), problem=True, asks=True)
    if costs and not at.sure:
        question = _("Leave the table? Type “{leave}” again; anything else cancels.")
        told = question.format(leave=said("leave"))
        if stays := bot_stays_line(at.model):
            told = f"{told} {stays}"
        return Effect((told,), problem=True, asks=True)
    return Effect(wish=Bye(NO_ID))


# The help, which is made of these rows


@_command(
    "manual",
    "help",
    does=N_("this help; “{word}” and a command: help for that command only"),
    takes="command",
    also=("?",),
)
def _help(at: Here, command: Command) -> Lines:
    return help_lines(spelled(command.text, ROW_OF))


def help_lines(word: str | None = None) -> Lines:
    """Return the help for all commands, or for one."""
    if word:
        return (_help_line(ROW_OF[word]),)
    english = () if language() == "en" else (_("The English words also work."),)
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
        *map(_help_line, ROWS),
    )


def _help_line(row: Row) -> str:
    typed = {word: said(word) for word in ("all", "on", "off", "auto", "accept", "decline")}
    short = item_list(map(said, row.short))
    level = bot_level("regular")
    what = _(row.does).format(word=said(row.words[0]), short=short, level=level, **typed)
    return _("{words}: {what}.").format(words=item_list(map(said, row.words)), what=what)


ROW_OF: Final = {word: row for row in ROWS for word in row.words}
"""The row of each command word of a table."""
