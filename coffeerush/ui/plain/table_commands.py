"""Commands of plain mode that work at any time: information, chat, lobby, leaving."""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from coffeerush.client.model import Model, Wish, rules_of
from coffeerush.levels import kind_now
from coffeerush.ui.advice.advice import hint
from coffeerush.ui.pages.rules_text import RulesSection, game_sections
from coffeerush.ui.words.command_words import folded, said, word_of
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.events import expiring_lines, sent_lines
from coffeerush.ui.words.i18n import Lines, _, ngettext
from coffeerush.ui.words.names import (
    EMOTES,
    and_list,
    bot_level,
    bot_spellings,
    emote_text,
    item_list,
    numbered,
    seat_player,
)
from coffeerush.ui.words.table import hints_line, invitation_lines, lobby_lines
from protocol import (
    CHAT_CHARACTERS,
    NO_ID,
    AddBot,
    Bye,
    Chat,
    Emote,
    MoveSeat,
    Ready,
    Refusal,
    Remove,
    RemoveSpectator,
    Rename,
    SetFirst,
    SetPause,
    SetRules,
    Start,
    TableView,
    View,
    clean_chat,
    clean_line,
    clean_name,
)

from .game_commands import Effect, cannot
from .help import help_lines
from .parsing import Command
from .rule_commands import RULES
from .sentences import (
    board_lines,
    cup_lines,
    log_lines,
    menu_lines,
    order_lines,
    player_lines,
    sentences,
    supply_lines,
)

Tell: TypeAlias = Callable[[Model, Command], Lines]


def _about_game(tell: Callable[[Model, View], Lines]) -> Tell:
    def told(model: Model, command: Command) -> Lines:
        return tell(model, model.view) if model.view else lobby_lines(model)

    return told


def _players(model: Model, command: Command) -> Lines:
    playing = model.view is not None and model.table is not None and model.table.stage == "game"
    lines = player_lines(model, model.view) if playing and model.view else lobby_lines(model)
    return (*lines, *invitation_lines(model.invitation))


def _orders(model: Model, view: View) -> Lines:
    if model.seat is not None and view.own is None:
        return cup_lines(model, view)  # which are being loaded, and with them what is missing
    return (*order_lines(model, view), *expiring_lines(model, model.my_turn), *sent_lines(model))


def _hint(model: Model, command: Command) -> Lines:
    if not model.hints:
        return (hints_line(model.hints),)
    return sentences(hint(model)) or (_("There is no hint: you have nothing to do right now."),)


def _rules(model: Model, command: Command) -> Lines:
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


INFO: Final[dict[str, Tell]] = {
    "orders": _about_game(_orders),
    "cups": _about_game(cup_lines),
    "board": _about_game(board_lines),
    "menu": _about_game(lambda model, view: menu_lines(view)),
    "supply": _about_game(lambda model, view: supply_lines(view)),
    "players": _players,
    "log": lambda model, command: log_lines(model),
    "help": lambda model, command: help_lines(word_of(command.text)),
    "hint": _hint,
    "rules": _rules,
}
"""Information commands, answered at once from the model."""


def _say(model: Model, command: Command) -> Effect:
    over = len(clean_line(command.text)) - CHAT_CHARACTERS
    if over > 0:
        text = ngettext(
            "That is {count} character too long: a message has at most {most}.",
            "That is {count} characters too long: a message has at most {most}.",
            over,
        )
        return cannot(text.format(count=over, most=CHAT_CHARACTERS))
    if text := clean_chat(command.text):
        return Effect(wish=Chat(NO_ID, text))
    return cannot(
        _("Type “{say}” and what you want to say, as in “{say} hello”.").format(say=said("say"))
    )


def _name(model: Model, command: Command) -> Effect:
    if name := clean_name(command.text):
        return Effect(wish=Rename(NO_ID, name))
    return cannot(
        _("Type “{name}” and your new name, as in “{name} Bea”.").format(name=said("name"))
    )


def _ready(model: Model, command: Command) -> Effect:
    if model.owner and model.table and model.table.stage != "game":
        text = _("The table is yours, so you are always ready; type “{start}” to start the game.")
        return cannot(text.format(start=said("start")))
    if command.word == "ready" and model.may_sit:
        return Effect(wish=model.sitting_down)
    return Effect(wish=Ready(NO_ID, command.word == "ready"))


def _bot(model: Model, command: Command) -> Effect:
    table = model.table
    if table is None:
        return cannot(_("You are not at the table yet."))
    kinds = _kinds(table, folded(kind_now(command.text or "regular")))
    seat = command.numbers[0] - 1 if command.numbers else _open_seat(model, table)
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


def _kinds(table: TableView, start: str) -> list[str]:
    """Return the kinds of bots that a typed word may mean; only one if it is spelled out."""
    spelled = {kind: [folded(one) for one in bot_spellings(kind)] for kind in table.bots}
    whole = [kind for kind in table.bots if start in spelled[kind]]
    return whole or [
        kind for kind in table.bots if any(one.startswith(start) for one in spelled[kind])
    ]


def _open_seat(model: Model, table: TableView) -> int:
    """Return the first open seat for which no bot is requested yet; -1 if there is none."""
    requested = [one.seat for one in model.pending if isinstance(one, AddBot)]
    seats = enumerate(table.seats)
    return next((n for n, seat in seats if seat.status == "open" and n not in requested), -1)


def _remove(model: Model, command: Command) -> Effect:
    table = model.table
    if table is None:
        return cannot(_("You are not at the table yet."))
    others = _others(table)
    if command.numbers:
        (number,) = command.numbers
        found = [one for one in others if one.number == number]
        if not found and 1 <= number <= len(table.seats):
            return Effect(wish=Remove(NO_ID, number - 1))  # the host says who is not there
        return Effect(wish=found[0].wish) if found else _who(others)
    start = folded(command.text)
    if not start:  # empty, or accents only
        return _who(others)
    found = [one for one in others if start in one.spelled]
    found = found or [one for one in others if any(map(_begins(start), one.spelled))]
    names = [one.name for one in found]
    if len(found) > 1 and len(set(names)) == len(names):
        text = _("Several names match: {names}. Type the full name.")
        return cannot(text.format(names=item_list(names)))
    return Effect(wish=found[0].wish) if len(found) == 1 else _who(others)


def _begins(start: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(start)


class _Other(NamedTuple):
    """Somebody the owner can remove."""

    number: int
    """The number to type."""
    name: str
    wish: Wish
    spelled: tuple[str, ...]
    """The names to type, folded: that of a bot also as the host has it."""


def _others(table: TableView) -> list[_Other]:
    """Return whom the owner can remove."""
    found = []
    for seat, view in enumerate(table.seats):
        if view.name and seat != table.owner:
            name = seat_player(view, seat)
            spelled = (folded(name), folded(view.name))
            found.append(_Other(seat + 1, name, Remove(NO_ID, seat), spelled))
    for number, name in enumerate(table.spectators, len(table.seats) + 1):
        found.append(_Other(number, name, RemoveSpectator(NO_ID, name), (folded(name),)))
    return found


def _who(others: list[_Other]) -> Effect:
    """Return the list of people to remove, as the reply to an incomplete command."""
    line = _("{number}: {name}.")
    lines = [line.format(number=one.number, name=one.name) for one in others]
    text = _("Type “{remove}” and a number or a name, as in “{remove} 2”.")
    return cannot(*lines, text.format(remove=said("remove")))


def _recorded(model: Model, command: Command) -> Effect:
    """Show the finished game, unless the next one is played."""
    in_game = model.table is not None and model.table.stage == "game"
    if in_game or not (model.record and model.record.path):
        return cannot(_("There is no record of a finished game to show now."))
    return Effect(opens=command.word)


def _emote(model: Model, command: Command) -> Effect:
    (number,) = command.numbers or (0,)
    if 1 <= number <= len(EMOTES):
        return Effect(wish=Emote(NO_ID, EMOTES[number - 1]))
    text = _("Type “{emote}” and a number, as in “{emote} 2”.").format(emote=said("emote"))
    return cannot(*numbered(map(emote_text, EMOTES)), text)


def is_so(model: Model, wish: Wish) -> bool:
    """Return whether a wish would change nothing, so that the host would say nothing either."""
    table = model.table
    if table is None or any(isinstance(one, type(wish)) for one in model.pending):
        return False
    match wish:
        case SetRules():
            return wish == rules_of(model, table)
        case SetFirst(seat=seat):
            return seat == table.first
        case MoveSeat(seat=seat, to=to):
            return seat == to
        case Rename(name=name):
            return name == model.name
        case Ready(ready=ready):
            return model.seat is not None and table.seats[model.seat].ready is ready
    return False


TABLE: Final[dict[str, Callable[[Model, Command], Effect]]] = {
    "say": _say,
    "name": _name,
    "ready": _ready,
    "unready": _ready,
    "start": lambda model, command: Effect(wish=Start(NO_ID)),
    "bot": _bot,
    "remove": _remove,
    **RULES,
    "emote": _emote,
    "pause": lambda model, command: Effect(wish=SetPause(NO_ID, True, clean_chat(command.text))),
    "resume": lambda model, command: Effect(wish=SetPause(NO_ID, False)),
    "replay": _recorded,
    "review": _recorded,
    "leave": lambda model, command: Effect(wish=Bye(NO_ID)),
}
"""Commands that are sent to the host at any time."""
