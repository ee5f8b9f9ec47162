"""Names in words: ingredients, cells, upgrades, drinks, players; counts, lists and numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from coffeerush.client.model import Model
from coffeerush.levels import LEVELS, is_numbered, kind_called, kind_now
from protocol import (
    BOARD,
    BOARD_SIDE,
    CORNERS,
    MAX_PLAYERS,
    SPECIALTY_CELLS,
    Cell,
    Colour,
    Counts,
    Cup,
    Drink,
    DrinkIndex,
    EmoteName,
    Ingredient,
    Letter,
    Phase,
    Rotation,
    Seat,
    SeatView,
    Upgrade,
    and_list as joined,
    clean_name,
)

from .i18n import N_, NC_, Lines, _, language, ngettext, pgettext, translated

_INGREDIENTS: Final = {
    Ingredient.COFFEE: NC_("ingredient", "coffee"),
    Ingredient.MILK: NC_("ingredient", "milk"),
    Ingredient.STEAM: NC_("ingredient", "steam"),
    Ingredient.ICE: NC_("ingredient", "ice"),
    Ingredient.CHOCOLATE: NC_("ingredient", "chocolate"),
    Ingredient.CARAMEL: NC_("ingredient", "caramel"),
    Ingredient.TEA: NC_("ingredient", "tea"),
    Ingredient.WATER: NC_("ingredient", "water"),
}
# Two cells wide each, and unique within a language.
_CODES: Final = {
    Ingredient.COFFEE: NC_("token", "Co"),
    Ingredient.MILK: NC_("token", "Mi"),
    Ingredient.STEAM: NC_("token", "St"),
    Ingredient.ICE: NC_("token", "Ic"),
    Ingredient.CHOCOLATE: NC_("token", "Ch"),
    Ingredient.CARAMEL: NC_("token", "Ca"),
    Ingredient.TEA: NC_("token", "Te"),
    Ingredient.WATER: NC_("token", "Wa"),
}
_UPGRADES: Final = {
    Upgrade.DOUBLE_MEEPLES: NC_("upgrade", "double meeples"),
    Upgrade.DIAGONAL_MOVE: NC_("upgrade", "diagonal move"),
    Upgrade.DOUBLE_CORNERS: NC_("upgrade", "double corners"),
    Upgrade.DOUBLE_SPECIALTIES: NC_("upgrade", "double specialties"),
}
_UPGRADE_WORDS: Final = {
    Upgrade.DOUBLE_MEEPLES: NC_("word for an upgrade", "meeples"),
    Upgrade.DIAGONAL_MOVE: NC_("word for an upgrade", "diagonal"),
    Upgrade.DOUBLE_CORNERS: NC_("word for an upgrade", "corners"),
    Upgrade.DOUBLE_SPECIALTIES: NC_("word for an upgrade", "specialties"),
}
_UPGRADE_HELP: Final = {
    Upgrade.DOUBLE_MEEPLES: N_("Twice the ingredients on a cell with another meeple."),
    Upgrade.DIAGONAL_MOVE: N_("Steps may also be diagonal."),
    Upgrade.DOUBLE_CORNERS: N_("Twice the ingredients on the four corners."),
    Upgrade.DOUBLE_SPECIALTIES: N_("Twice the caramel, chocolate, water and tea."),
}
_PHASES: Final = {
    Phase.PLACING: NC_("phase", "placing meeples"),
    Phase.FILLING: NC_("phase", "filling the first cups"),
    Phase.UPGRADE: NC_("phase", "upgrade or move"),
    Phase.MOVING: NC_("phase", "moving"),
    Phase.POURING: NC_("phase", "pouring"),
    Phase.SERVING: NC_("phase", "serving"),
    Phase.OVER: NC_("phase", "game over"),
}
_DIRECTIONS: Final = {
    (-1, 0): NC_("direction", "up"),
    (1, 0): NC_("direction", "down"),
    (0, -1): NC_("direction", "left"),
    (0, 1): NC_("direction", "right"),
    (-1, -1): NC_("direction", "up-left"),
    (-1, 1): NC_("direction", "up-right"),
    (1, -1): NC_("direction", "down-left"),
    (1, 1): NC_("direction", "down-right"),
}

_LEVELS: Final = {
    "random": NC_("bot", "Random"),
    "casual": NC_("bot", "Casual"),
    "regular": NC_("bot", "Regular"),
    "expert": NC_("bot", "Expert"),
}


def ingredient_name(kind: Ingredient) -> str:
    """Return an ingredient's name, in the form used within a sentence."""
    return pgettext(*_INGREDIENTS[kind])


def ingredient_code(kind: Ingredient) -> str:
    """Return an ingredient's abbreviation on the board, two cells wide."""
    return pgettext(*_CODES[kind])


def upgrade_name(upgrade: Upgrade) -> str:
    """Return an upgrade's name, in the form used within a sentence."""
    return pgettext(*_UPGRADES[upgrade])


def upgrade_word(upgrade: Upgrade) -> str:
    """Return the word that stands for an upgrade beside its player."""
    return pgettext(*_UPGRADE_WORDS[upgrade])


def upgrade_help(upgrade: Upgrade) -> str:
    """Return the sentence that says what an upgrade does (R-UPG-2 to R-UPG-5)."""
    return _(_UPGRADE_HELP[upgrade])


def phase_name(phase: Phase) -> str:
    """Return a phase's name."""
    return pgettext(*_PHASES[phase])


def cell_name(cell: Cell) -> str:
    """Return a cell's row and column, counted from 1, in the form used within a sentence."""
    row, column = divmod(cell, BOARD_SIDE)
    return _("row {row}, column {column}").format(row=row + 1, column=column + 1)


def cell_marks(cell: Cell) -> tuple[str, ...]:
    """Return the words for a corner and for a specialty cell, as they apply (R-COMP-1)."""
    corner = (pgettext("cell", "corner"),) if cell in CORNERS else ()
    return (*corner, pgettext("cell", "specialty")) if cell in SPECIALTY_CELLS else corner


def cell_ingredient(cell: Cell) -> str:
    """Return the name of a cell's ingredient."""
    return ingredient_name(BOARD[cell])


def direction_name(here: Cell, there: Cell) -> str:
    """Return the direction from a cell to an adjacent one."""
    row, column = divmod(here, BOARD_SIDE)
    other_row, other_column = divmod(there, BOARD_SIDE)
    return pgettext(*_DIRECTIONS[other_row - row, other_column - column])


def counts_line(counts: Counts, order: Iterable[Ingredient] = Ingredient) -> str:
    """Return a multiset of ingredients as a list: `2 milk, ice`, or `nothing`."""
    return item_list(counted(counts, order)) or _("nothing")


def counts_phrase(counts: Counts, order: Iterable[Ingredient] = Ingredient) -> str:
    """Return a multiset of ingredients as part of a sentence: `2 milk and ice`, or `nothing`."""
    return and_list(counted(counts, order)) or _("nothing")


def counted(counts: Counts, order: Iterable[Ingredient] = Ingredient) -> tuple[str, ...]:
    """Return the name of each ingredient in a multiset, with its number unless that is 1."""
    return tuple(
        ingredient_name(kind)
        if count == 1
        else _("{count} {ingredient}").format(count=count, ingredient=ingredient_name(kind))
        for kind in dict.fromkeys(order)
        if (count := counts[kind])
    )


def poured_list(
    cups: Iterable[tuple[Cup, Counts]], order: Iterable[Ingredient] = Ingredient
) -> str:
    """Return what goes into each cup: `milk and 2 ice into cup 1; tea into cup 3`."""
    return _("; ").join(
        _("{ingredient} into cup {cup}").format(ingredient=counts_phrase(contents, order), cup=cup)
        for cup, contents in cups
        if any(contents)
    )


def item_list(items: Iterable[str]) -> str:
    """Join items by commas, as after a label or in brackets."""
    return _(", ").join(items)


def table_of(name: str) -> str:
    """Return what a table is called that its owner has not named; the owner's name if too long."""
    text = _("{name}'s table").format(name=name)
    return text if clean_name(text) == text else name


def hosted_by(table: str, owner: str) -> Lines:
    """Return who hosts a table, unless its name says so or nobody is known to."""
    text = _("hosted by {name}").format(name=owner)
    return (text,) if owner and owner not in table else ()


def table_heading(table: str, owner: str) -> str:
    """Return the name of a table, and who hosts it unless that says so; "" if neither is known."""
    return item_list((table, *hosted_by(table, owner)))


def and_list(items: Iterable[str]) -> str:
    """Join items as part of a sentence: `milk, ice and tea`."""
    return joined(items, translated)


def seconds_line(seconds: int) -> str:
    """Return a time limit of a turn, in words; 0 for none."""
    if not seconds:
        return _("Turns have no time limit.")
    text = ngettext(
        "Each turn may take up to {count} second.",
        "Each turn may take up to {count} seconds.",
        seconds,
    )
    return text.format(count=seconds)


def numbered(lines: Iterable[str]) -> tuple[str, ...]:
    """Prefix lines with numbers to choose them by, starting at 1."""
    return tuple(
        _("{number}. {line}").format(number=number, line=line)
        for number, line in enumerate(lines, start=1)
    )


def sentence_case(text: str) -> str:
    """Capitalize the first letter, if its script has capitals."""
    return text[:1].upper() + text[1:]


def after_colon(sentence: str) -> str:
    """Return a sentence with a small first letter, if its script has them."""
    return sentence[:1].lower() + sentence[1:]


def drink_name(model: Model, drink: DrinkIndex) -> str:
    """Return the name of a drink on the menu; standard drinks are translated."""
    return drink_title(menu_drink(model, drink))


def counted_drinks(model: Model, drinks: tuple[DrinkIndex, ...]) -> tuple[str, ...]:
    """Return the name of each of these drinks, with its number unless that is 1."""
    return tuple(
        drink_name(model, drink)
        if count == 1
        else _("{drink}\N{NO-BREAK SPACE}×{count}").format(
            count=count, drink=drink_name(model, drink)
        )
        for drink, count in Counter(drinks).items()
    )


def drink_title(drink: Drink) -> str:
    """Return a drink's name, translated if it is in the standard deck."""
    return pgettext("drink", drink.name)


def menu_drink(model: Model, drink: DrinkIndex) -> Drink:
    """Return a drink on the menu of the current game."""
    assert model.view is not None  # drinks are named in a game only
    return model.view.menu[drink]


def seat_name(model: Model, seat: Seat) -> str:
    """Return the name of the player in a seat, or the seat's number if it is open.

    In a result it is the name of who played the game there.
    """
    name = seat_player(model.players[seat], seat) if model.table else ""
    return name or _("seat {number}").format(number=seat + 1)


def name_or_you(model: Model, seat: Seat) -> str:
    """Return the name of who played a game in a seat; "you" for this player."""
    return pgettext("person", "you") if seat == model.played else seat_name(model, seat)


def seat_name_and_level(model: Model, seat: Seat) -> str:
    """Return the name of the player in a seat, with the level of a bot: `Crema (Regular)`."""
    return seat_name(model, seat) + (level_mark(model.players[seat]) if model.table else "")


def name_question(default: str) -> str:
    """Return the question for a person's name; Enter gives them the default one."""
    return _("Type your name, or press Enter for {name}.").format(name=default)


def seat_player(view: SeatView, seat: Seat) -> str:
    """Return the name of the player in a seat; empty if it is open."""
    return player_name(view.name, view.bot if view.status == "bot" else "", seat)


def seat_title(view: SeatView, seat: Seat) -> str:
    """Return the name of the player in a seat, with the level of a bot: `Crema (Regular)`."""
    return f"{seat_player(view, seat)}{level_mark(view)}"


def level_mark(view: SeatView) -> str:
    """Return what follows a bot's name, ` (Expert)` or another level; empty for a person."""
    if view.status != "bot":
        return ""
    level = bot_level(view.bot) if kind_now(view.bot) in LEVELS else pgettext("person", "bot")
    return f" ({level})"


def bot_mark(view: SeatView) -> str:
    """Return what follows a bot's name where its level has no room, ` (bot)`; as `bot_word`."""
    word = bot_word(view)
    return f" ({word})" if word else ""


def bot_word(view: SeatView) -> str:
    """Return the word for a bot; empty for a person, and for `Bot 1`, which has it in the name."""
    is_named = view.status == "bot" and not is_numbered(view.name, view.bot)
    return pgettext("person", "bot") if is_named else ""


def player_name(name: str, bot: str, seat: Seat) -> str:
    """Return a player's name; that of a bot is `Bot` and its seat, if the host only numbered it.

    Args:
        name: as the host or a record has it.
        bot: the kind of bot; empty for a person.
        seat: where the player sits.
    """
    return _("Bot {number}").format(number=seat + 1) if is_numbered(name, bot) else name


def name_heard(model: Model, name: str, seat: Seat | None = None) -> str:
    """Return the name to show for one that the host put into a sentence or an event.

    Args:
        model: at its table.
        name: as the host has it.
        seat: where its owner sat, if known; they may have gone since.
    """
    if model.table is None:
        return name
    for number, view in enumerate(model.table.seats):
        if view.name == name:
            return seat_player(view, number)
    return name if seat is None else player_name(name, kind_called(name, model.table.bots), seat)


def was_numbered(model: Model, name: str) -> bool:
    """Return whether somebody who is gone was a bot that the host only numbered."""
    kinds = model.table.bots if model.table else ()
    return any(is_numbered(name, kind) for kind in kinds)


def rotation_name(rotation: Rotation) -> str:
    """Return who makes room for people in the queue, in a few words."""
    match rotation:
        case "owner":
            return pgettext("makes room", "owner decides")
        case "loser":
            return pgettext("makes room", "the loser")
        case "everybody":
            return pgettext("makes room", "all in turn")


def bot_level(kind: str) -> str:
    """Return a bot's level in a word; for an unknown kind, the kind itself."""
    level = _LEVELS.get(kind_now(kind))
    return pgettext(*level) if level else kind


def bot_spellings(kind: str) -> tuple[str, ...]:
    """Return the words that people may type for a kind of bot: its level, also in English."""
    return (bot_level(kind), *_LEVELS.get(kind_now(kind), ("", ""))[1:], kind)


def tokens(count: int) -> str:
    """Return a count of rush tokens in words."""
    return ngettext("{count} rush token", "{count} rush tokens", count).format(count=count)


def orders(count: int) -> str:
    """Return a count of orders in words."""
    return ngettext("{count} order", "{count} orders", count).format(count=count)


def upgrades(count: int) -> str:
    """Return a count of active upgrades in words."""
    return ngettext("{count} upgrade", "{count} upgrades", count).format(count=count)


def points(score: int) -> str:
    """Return a score as a number of points."""
    return ngettext("{score} point", "{score} points", score).format(score=score)


def penalties(count: int) -> str:
    """Return a count of penalties in words."""
    return ngettext("{count} penalty", "{count} penalties", count).format(count=count)


def steps(count: int) -> str:
    """Return a count of steps in words."""
    return ngettext("{count} step", "{count} steps", count).format(count=count)


_EMOTES: Final[dict[EmoteName, tuple[str, str]]] = {
    "hello": NC_("emote", "Hello!"),
    "bravo": NC_("emote", "Bravo!"),
    "thanks": NC_("emote", "Thanks!"),
    "oops": NC_("emote", "Oops!"),
    "wow": NC_("emote", "Wow!"),
    "hurry": NC_("emote", "Hurry up!"),
}
EMOTES: Final = tuple(_EMOTES)
"""In the order of their keys."""


def emote_text(emote: EmoteName) -> str:
    """Return the words of an emote."""
    return pgettext(*_EMOTES[emote])


# The letters and the colours that stand for the seats, on the board and elsewhere


LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ORDER: Final = ("person", "bot", "open")
_COLOURS: Final = (
    NC_("seat colour", "orange"),
    NC_("seat colour", "violet"),
    NC_("seat colour", "blue"),
    NC_("seat colour", "yellow"),
)
"""The colours of seats in the dark theme; the others have their own, or one for all seats."""


def seat_letters(seats: Sequence[SeatView]) -> tuple[str, ...]:
    """Return unique letters: chosen ones, else the first free one of each name, people before bots.

    They are the same in every language, and in the lobby as in the game: open seats come last.
    """
    letters = dict.fromkeys(range(len(seats)), "")
    for seat, player in enumerate(seats):
        if player.letter is not None and LETTERS[player.letter] not in letters.values():
            letters[seat] = LETTERS[player.letter]
    rest = [seat for seat, letter in letters.items() if not letter]
    for seat in sorted(rest, key=lambda seat: _ORDER.index(seats[seat].status)):
        player = seats[seat]
        numbered = player.status == "bot" and is_numbered(player.name, player.bot)
        name = "BXYZ" if numbered else player.name.upper()
        wanted = [letter for letter in name + LETTERS if letter in LETTERS]
        letters[seat] = next(letter for letter in wanted if letter not in letters.values())
    return tuple(letters.values())


def seat_colours(seats: Sequence[SeatView]) -> tuple[Colour, ...]:
    """Return unique colours: chosen ones, else the seat's own, or the first one that is free.

    So a choice takes a colour from one other seat at most.
    """
    return _unique_colours(tuple(player.colour for player in seats))


@cache
def _unique_colours(chosen: tuple[Colour | None, ...]) -> tuple[Colour, ...]:
    found: dict[Seat, Colour] = {}
    seats = range(len(chosen))
    own = [(seat, seat) for seat in seats]
    free = [(seat, colour) for seat in seats for colour in range(MAX_PLAYERS)]
    for seat, colour in (*enumerate(chosen), *own, *free):
        if colour is not None and seat not in found and colour not in found.values():
            found[seat] = colour
    return tuple(found[seat] for seat in seats)


def colour_name(colour: Colour) -> str:
    """Return the name of a seat's colour in the dark theme."""
    return pgettext(*_COLOURS[colour])


def letter_named(text: str) -> Letter | None:
    """Return the letter that somebody typed; None if it is not one of A to Z."""
    return LETTERS.index(text.upper()) if len(text) == 1 and text.upper() in LETTERS else None


def seat_style(seats: Sequence[SeatView], seat: Seat) -> str:
    """Return the style of a seat's letter and name."""
    return f"class:seat{seat_colours(seats)[seat]}"


# Numbers with decimals or a percent sign, as the person's language writes them
#
# Only for people to read: JSON and CSV have a point in every language.


_POINT: Final = {"pt_BR": ",", "it": ",", "es": ",", "ru": ","}
"""Between the whole and its decimals; a point in other languages."""
_PERCENT: Final = {"es": "\N{NO-BREAK SPACE}%", "ru": "\N{NO-BREAK SPACE}%"}
"""After a number; without a space in other languages."""


def decimal(value: float, digits: int) -> str:
    """Return a number with so many decimals: `3.10`."""
    return _local(f"{value:z.{digits}f}")


def short_decimal(value: float) -> str:
    """Return a number with one decimal if it needs one: `4`, `3.5`."""
    return _local(f"{round(value, 1):g}")


def percent(share: float, digits: int = 0) -> str:
    """Return a share in percent: `26.5%` for 0.265."""
    return decimal(100 * share, digits) + _PERCENT.get(language(), "%")


def _local(number: str) -> str:
    return number.replace(".", _POINT.get(language(), "."))
