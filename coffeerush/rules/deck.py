"""The deck: 80 order cards, read from a TOML file and held to the rules (R-COMP-3)."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from coffeerush.errors import DeckError
from protocol import MAX_CARDS, MAX_DRINKS, NAME_CELLS, Drink, Name, clean_name

from .decktext import Section, read_drink, read_name, split_sections

STARTERS: Final = 4
MAX_TOKENS: Final = 6
"""The most tokens of a recipe; the supply has at least 12 of each ingredient (R-COMP-2)."""


class Deck(Struct, frozen=True, forbid_unknown_fields=True):
    """The cards of a game, by kind."""

    name: Name
    drinks: Annotated[tuple[Drink, ...], Meta(min_length=1, max_length=MAX_DRINKS)]
    """The menu: one entry a kind, in the order of the file."""

    @property
    def cards(self) -> int:
        """How many cards there are."""
        return sum(drink.count for drink in self.drinks)


class Fault(NamedTuple):
    """A rule that a deck breaks."""

    drink: int | None
    """The index of the drink it shows at; None where it is the deck's own name."""
    key: str
    """What in the drink is wrong; empty where it is the drink as a whole."""
    reason: str
    advice: str
    other: int | None = None
    """The index of the earlier drink that it collides with."""


def deck_fault(deck: Deck) -> Fault | None:
    """Return the first rule that `deck` breaks, or None; also for decks that came in a record."""
    return next(_faults(deck), None)


def parse_deck(text: str) -> Deck:
    """Return the deck that a TOML text describes.

    Raises:
        DeckError: it breaks a rule; the message begins with `line N:`.
    """
    head, *sections = split_sections(text)
    name = read_name(head)
    if not sections:
        raise DeckError("line 1: the deck has no drinks; write each under a line [[drink]]")
    deck = Deck(name, tuple(read_drink(section) for section in sections))
    fault = deck_fault(deck)
    if fault is not None:
        raise DeckError(_located(fault, head, sections))
    return deck


@cache
def standard_deck() -> Deck:
    """Return the deck that comes with the program."""
    packaged = files("coffeerush") / "decks" / "standard.toml"
    return parse_deck(packaged.read_text(encoding="utf-8"))


def _located(fault: Fault, head: Section, sections: list[Section]) -> str:
    section = head if fault.drink is None else sections[fault.drink]
    line = section.line_of(fault.key) if fault.key else section.line
    other = "" if fault.other is None else f" (line {sections[fault.other].line})"
    return f"line {line}: {fault.reason}{other}; {fault.advice}"


def _faults(deck: Deck) -> Iterator[Fault]:
    yield from _name_faults(None, deck.name)
    for index, drink in enumerate(deck.drinks):
        if index == MAX_DRINKS:
            yield Fault(index, "", f"a deck has at most {MAX_DRINKS} drinks", "leave some out")
        yield from _name_faults(index, drink.name)
        yield from _drink_faults(index, drink)
        yield from _twin_faults(index, deck.drinks)
    yield from _sum_faults(deck)


def _name_faults(index: int | None, name: str) -> Iterator[Fault]:
    cleaned = clean_name(name)
    if not cleaned:
        yield Fault(index, "name", "the name is empty", "write one that can be seen")
    elif cleaned != name:
        reason = f"a name is one line of at most {NAME_CELLS} cells, without invisible characters"
        yield Fault(index, "name", reason, f'write "{cleaned}" or another')


def _drink_faults(index: int, drink: Drink) -> Iterator[Fault]:
    if not 1 <= drink.count <= MAX_CARDS:
        reason = f'the count of "{drink.name}" is not from 1 to {MAX_CARDS}'
        yield Fault(index, "count", reason, "correct it or leave the drink out")
    tokens = sum(drink.recipe)
    if not 1 <= tokens <= MAX_TOKENS:
        reason = f'"{drink.name}" needs {tokens} tokens'
        yield Fault(index, "recipe", reason, f"a recipe has 1 to {MAX_TOKENS}")


def _twin_faults(index: int, drinks: tuple[Drink, ...]) -> Iterator[Fault]:
    drink = drinks[index]
    for other, earlier in enumerate(drinks[:index]):
        if earlier.name.casefold() == drink.name.casefold():
            reason = f'there is a drink "{earlier.name}" already'
            yield Fault(index, "name", reason, "give this one another name", other)
        if earlier.recipe == drink.recipe:
            reason = f'"{drink.name}" has the same recipe as "{earlier.name}"'
            yield Fault(index, "recipe", reason, "change one of them", other)


def _sum_faults(deck: Deck) -> Iterator[Fault]:
    """Yield what the counts add up to, at the drink where it goes wrong (R-COMP-3)."""
    cards = starters = 0
    last_starter = len(deck.drinks) - 1
    for index, drink in enumerate(deck.drinks):
        cards += drink.count
        if cards > MAX_CARDS:
            yield Fault(index, "count", f"with this drink the deck has {cards} cards", _EIGHTY)
        if drink.starter:
            last_starter = index
            starters += drink.count
            if starters > STARTERS:
                reason = f"with this drink the deck has {starters} starter cards"
                yield Fault(index, "starter", reason, _FOUR)
    if cards < MAX_CARDS:
        yield Fault(len(deck.drinks) - 1, "count", f"the deck ends with {cards} cards", _EIGHTY)
    if starters < STARTERS:
        reason = f"the deck has only {starters} starter cards"
        yield Fault(last_starter, "", reason, _FOUR)


_EIGHTY: Final = f"it must have exactly {MAX_CARDS}, so change a count"
_FOUR: Final = f"it must have exactly {STARTERS}, the drinks with starter = true"
