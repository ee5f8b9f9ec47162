"""The commands of plain mode outside a turn: information, chat, lobby, rules, settings."""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from coffeerush.client.model import Model, Wish, rules_of
from coffeerush.levels import kind_now
from coffeerush.local.settings import LANGUAGES, MAX_TURN_SECONDS, Settings
from coffeerush.ui.advice.advice import hint
from coffeerush.ui.pages.pages import ROWS, SettingRow, cycled, mark_wish, value_word
from coffeerush.ui.pages.rules_text import RulesSection, game_sections
from coffeerush.ui.words.command_words import (
    automatic,
    folded,
    said,
    switched_off,
    switched_on,
    word_of,
)
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.events import expiring_lines, sent_lines
from coffeerush.ui.words.i18n import Lines, _, ngettext
from coffeerush.ui.words.names import (
    EMOTES,
    LETTERS,
    and_list,
    bot_level,
    bot_spellings,
    colour_name,
    emote_text,
    item_list,
    letter_named,
    numbered,
    seat_colours,
    seat_letters,
    seat_player,
    sentence_case,
)
from coffeerush.ui.words.table import askers_told, hints_line, invitation_lines, lobby_lines
from protocol import (
    CHAT_CHARACTERS,
    MAX_PLAYERS,
    NO_ID,
    AddBot,
    Bye,
    Chat,
    Colour,
    Emote,
    LetIn,
    MoveSeat,
    Ready,
    Refusal,
    Remove,
    RemoveSpectator,
    Rename,
    SeatView,
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

from .commands import Command, Effect, already, cannot, help_lines
from .sentences import (
    board_lines,
    cup_lines,
    is_in_game,
    log_lines,
    menu_lines,
    order_lines,
    player_lines,
    sentences,
    supply_lines,
)

# Commands of plain mode by which a table is ruled: seats, rules, guests who ask to come in


def _swap(model: Model, command: Command) -> Effect:
    if len(command.numbers) != 2 or not all(
        1 <= number <= MAX_PLAYERS for number in command.numbers
    ):
        text = _("Type “{swap}” and two seats, as in “{swap} 1 2”.")
        return cannot(text.format(swap=said("swap")))
    seat, to = command.numbers
    return Effect(wish=MoveSeat(NO_ID, seat - 1, to - 1))


def _first(model: Model, command: Command) -> Effect:
    if not command.numbers:
        return Effect(wish=SetFirst(NO_ID, None))
    (number,) = command.numbers
    if not 1 <= number <= MAX_PLAYERS:
        text = _("Type “{first}” and a seat, as in “{first} 2”, or “{first}” alone.")
        return cannot(text.format(first=said("first")))
    return Effect(wish=SetFirst(NO_ID, number - 1))


def _clock(model: Model, command: Command) -> Effect:
    return _rules_with(model, turn_seconds=min((*command.numbers, 0)[0], MAX_TURN_SECONDS))


def _pace(model: Model, command: Command) -> Effect:
    return _rules_with(model, bot_seconds=min((*command.numbers, 0)[0], 30))


def _hints(model: Model, command: Command) -> Effect:
    if command.text not in (*switched_on(), *switched_off()):
        text = _("Type “{hints} {on}” or “{hints} {off}”.")
        return cannot(text.format(hints=said("hints"), on=said("on"), off=said("off")))
    return _rules_with(model, hints=command.text in switched_on())


def _admit(model: Model, command: Command) -> Effect:
    if command.text:
        return _rules_with(model, anybody_lets_in=command.text in switched_on())
    return _answer(model, command, allowed=True)


def _answer(model: Model, command: Command, allowed: bool) -> Effect:
    """Answer a guest by the number, which may be left out if only one asks."""
    asking = [one.guest for one in model.asking]
    guests = command.numbers or tuple(asking)
    if len(guests) == 1 and guests[0]:
        return Effect(wish=LetIn(NO_ID, guests[0], allowed))
    return cannot(*(askers_told(model) or (_("No guest is waiting to be let in."),)))


def _rules_with(model: Model, **changed: object) -> Effect:
    table = model.table
    if table is None:
        return cannot(_("You are not at the table yet."))
    return Effect(wish=replace(rules_of(model, table), **changed))


RULES: Final[dict[str, Callable[[Model, Command], Effect]]] = {
    "swap": _swap,
    "first": _first,
    "clock": _clock,
    "pace": _pace,
    "hints": _hints,
    "admit": _admit,
    "reject": lambda model, command: _answer(model, command, allowed=False),
}
"""The effect of each of these commands."""


# Commands of plain mode that work at any time: information, chat, lobby, leaving


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


# Commands of plain mode for the person's settings, language and guide


_CODES: Final = tuple(code for code in LANGUAGES if code)


def _settings(settings: Settings, command: Command) -> Effect:
    if not command.numbers:
        rows = numbered(_row_line(settings, row) for row in ROWS)
        text = _("Type “{settings}” and a number to change that setting.")
        return Effect((*rows, text.format(settings=said("settings"))))
    (number,) = command.numbers
    if not 1 <= number <= len(ROWS):
        return cannot(_("There is no setting {number}.").format(number=number))
    row = ROWS[number - 1]
    if not row.values:
        text = _(
            "Your name is set in the start menu; before a game, change it with “{name}” "
            "and the new name, as in “{name} Bea”."
        )
        return cannot(text.format(name=said("name")))
    after = cycled(settings, row, 1)
    marks = row.field in ("letter", "colour")
    return Effect(settings=after, wish=mark_wish(after) if marks else None)


def _language(settings: Settings, command: Command) -> Effect:
    wanted = command.text.replace("-", "_")
    fitting = [code for code in _CODES if wanted and code.casefold().startswith(wanted)]
    if len(fitting) != 1:
        text = _("Type “{language}” and one of these: {codes}.")
        return cannot(text.format(language=said("language"), codes=item_list(_CODES)))
    return _changed(settings, replace(settings, language=fitting[0]))


def _changed(before: Settings, after: Settings) -> Effect:
    return already() if after == before else Effect(settings=after)


def setting_line(settings: Settings, field: str) -> str:
    """Return the line with the value of a setting."""
    return next(_row_line(settings, row) for row in ROWS if row.field == field)


def _row_line(settings: Settings, row: SettingRow) -> str:
    return _("{label}: {value}.").format(label=_(row.label), value=value_word(settings, row))


def changed_lines(before: Settings, after: Settings) -> tuple[str, ...]:
    """Describe the settings that changed, in the new language."""
    rows = [row for row in ROWS if getattr(before, row.field) != getattr(after, row.field)]
    told = tuple(_row_line(after, row) for row in rows)
    if before.guided == after.guided:
        return told
    return (*told, _("The guide is off.") if after.guided else _("The guide is on."))


def _guide(settings: Settings, command: Command) -> Effect:
    on = command.text in switched_on()
    if not command.text:
        text = _("The guide is off; type “{guide} {on}” to turn it on.")
        text = (
            text if settings.guided else _("The guide is on; type “{guide} {off}” to turn it off.")
        )
        return Effect((text.format(guide=said("guide"), on=said("on"), off=said("off")),))
    return _changed(settings, replace(settings, guided=not on))


PERSONAL: Final[dict[str, Callable[[Settings, Command], Effect]]] = {
    "settings": _settings,
    "language": _language,
    "guide": _guide,
}
"""Commands that only change the person's settings."""


# Commands of plain mode for the letter and the colour by which full screens mark a person


Mark: TypeAlias = tuple[str, Colour]
"""The letter and the colour of a seat."""


def _letter(model: Model, settings: Settings, command: Command) -> Effect:
    """Choose a letter, or tell everybody's."""
    if not command.text:
        text = _(
            "Type “{letter}” and a letter from A to Z, as in “{letter} B”, or “{letter} {auto}” "
            "for that of your name."
        )
        typed = text.format(letter=said("letter"), auto=said("auto"))
        return Effect((*_everybodys_letters(model), typed))
    if command.text in automatic():
        return _marked(model, settings, letter=None)
    letter = letter_named(command.text)
    if letter is None:
        return cannot(_("Choose one of the letters A to Z."))
    if name := _chosen_by(model, lambda seat: seat.letter == letter):
        text = _("{name} has chosen the letter {letter}; choose another one.")
        return cannot(text.format(name=name, letter=LETTERS[letter]))
    return _marked(model, settings, letter=letter)


def _everybodys_letters(model: Model) -> Lines:
    if model.table is None:
        return ()
    seats = model.table.seats
    shown = _("{name} has {letter}")
    letters = item_list(
        shown.format(name=seat_player(one, seat), letter=letter)
        for seat, (one, letter) in enumerate(zip(seats, seat_letters(seats), strict=True))
        if one.status != "open"
    )
    text = _("On the full screen, a letter marks each player: {letters}.")
    return (text.format(letters=letters),)


def _colour(model: Model, settings: Settings, command: Command) -> Effect:
    """Choose a colour, or list who has which."""
    if command.text:
        return _marked(model, settings, colour=None)
    (number,) = command.numbers or (0,)
    if not 1 <= number <= MAX_PLAYERS:
        text = _(
            "Type “{colour}” and a number, as in “{colour} 2”, or “{colour} {auto}” for that of "
            "your seat."
        )
        typed = text.format(colour=said("colour"), auto=said("auto"))
        return Effect((*_everybodys_colours(model), typed), problem=bool(command.numbers))
    if name := _chosen_by(model, lambda seat: seat.colour == number - 1):
        text = _("{name} has chosen {colour}; choose another colour.")
        return cannot(text.format(name=name, colour=colour_name(number - 1)))
    return _marked(model, settings, colour=number - 1)


def _everybodys_colours(model: Model) -> Lines:
    seats = model.table.seats if model.table else ()
    names = {
        colour: seat_player(seats[seat], seat)
        for seat, colour in enumerate(seat_colours(seats))
        if seats[seat].status != "open"
    }
    line = _("{colour}: {name}.")
    lines = (
        line.format(colour=name, name=names[colour]) if colour in names else f"{name}."
        for colour in range(MAX_PLAYERS)
        for name in (sentence_case(colour_name(colour)),)
    )
    head = _("The colours of letters and names on the full screen, as in the dark theme:")
    return (head, *numbered(lines))


def _chosen_by(model: Model, has_it: Callable[[SeatView], bool]) -> str:
    """Return the player who has chosen a letter or a colour; "" if it is free to choose."""
    seats = model.table.seats if model.table else ()
    others = (seat for seat, one in enumerate(seats) if seat != model.seat and has_it(one))
    return next((seat_player(seats[seat], seat) for seat in others), "")


def _marked(model: Model, before: Settings, **mark: int | None) -> Effect:
    """Change the settings, and ask the host for the same: in a game, once it is over."""
    after = replace(before, **mark)
    told = () if before != after else tuple(setting_line(after, field) for field in mark)
    if is_in_game(model):
        told = (*told, _("At this table it changes once the game is over."))
    return Effect(told, wish=mark_wish(after), settings=after)


def mark_of(model: Model) -> Mark | None:
    """Return the letter and the colour by which this person is marked now."""
    if model.table is None or model.seat is None or model.seat >= len(model.table.seats):
        return None
    seats = model.table.seats
    return seat_letters(seats)[model.seat], seat_colours(seats)[model.seat]


def mark_news(before: Mark | None, now: Mark | None, chosen: Settings) -> Lines:
    """Return the letter and the colour that a person was given, other than those chosen."""
    if before is None or now is None:
        return ()
    (letter, colour), lines = now, []
    if letter != before[0] and letter_named(letter) != chosen.letter:
        lines.append(_("Your letter is now {letter}.").format(letter=letter))
    if colour not in (before[1], chosen.colour):
        lines.append(_("Your colour is now {colour}.").format(colour=colour_name(colour)))
    return tuple(lines)


MARKS: Final[dict[str, Callable[[Model, Settings, Command], Effect]]] = {
    "letter": _letter,
    "colour": _colour,
}
"""Commands that change the person's settings and what others see."""
