"""The deck: 80 order cards, read from a TOML file and validated (R-COMP-3)."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from coffeerush.errors import DeckError
from protocol import MAX_CARDS, MAX_DRINKS, NAME_CELLS, Drink, Name, clean_name

from .deck_text import DeckSection, located, read_drink, read_name, split_sections

STARTERS: Final = 4
MAX_TOKENS: Final = 6
"""The most tokens in a recipe; the supply has at least 12 of each ingredient (R-COMP-2)."""


class Deck(Struct, frozen=True, forbid_unknown_fields=True):
    """The cards of a game, by kind."""

    name: Name
    drinks: Annotated[tuple[Drink, ...], Meta(min_length=1, max_length=MAX_DRINKS)]
    """The menu: one entry per kind of card, in the order of the file."""

    @property
    def cards(self) -> int:
        """The number of cards."""
        return sum(drink.count for drink in self.drinks)


class Fault(NamedTuple):
    """A rule that a deck breaks."""

    drink: int | None
    """The index of the drink at fault; None for the name of the deck."""
    key: str
    """The key at fault; empty if it is the drink as a whole."""
    reason: DeckError
    """The mistake, and how to correct it."""


def deck_fault(deck: Deck) -> Fault | None:
    """Return the first rule that `deck` breaks, or None."""
    return next(_faults(deck), None)


def card_fault(deck: Deck) -> Fault | None:
    """Return the first rule that `deck` breaks, or None; its names are not checked.

    For decks in records: the host that wrote one may have had other rules for names.
    """
    return next((fault for fault in _faults(deck) if fault.key != "name"), None)


def parse_deck(text: str) -> Deck:
    """Parse and validate the TOML text of a deck; raises `DeckError` that starts with `line N:`."""
    head, *sections = split_sections(text)
    name = read_name(head)
    if not sections:
        raise located(1, DeckError("the deck has no drinks; put each one under a [[drink]] line"))
    deck = Deck(name, tuple(read_drink(section) for section in sections))
    fault = deck_fault(deck)
    if fault is not None:
        raise _located(fault, head, sections)
    return deck


@cache
def standard_deck() -> Deck:
    """Return the deck that is included in the package."""
    return parse_deck((files("coffeerush") / "decks" / "standard.toml").read_text(encoding="utf-8"))


def _located(fault: Fault, head: DeckSection, sections: list[DeckSection]) -> DeckError:
    section = head if fault.drink is None else sections[fault.drink]
    return located(section.line_of(fault.key) if fault.key else section.line, fault.reason)


def _faults(deck: Deck) -> Iterator[Fault]:
    yield from _name_faults(None, deck.name)
    for index, drink in enumerate(deck.drinks):
        if index == MAX_DRINKS:
            reason = DeckError("a deck has at most {most} drinks; leave some out", most=MAX_DRINKS)
            yield Fault(index, "", reason)
        yield from _name_faults(index, drink.name)
        yield from _drink_faults(index, drink)
        yield from _twin_faults(index, deck.drinks)
    yield from _sum_faults(deck)


def _name_faults(index: int | None, name: str) -> Iterator[Fault]:
    cleaned = clean_name(name)
    if not cleaned:
        yield Fault(index, "name", DeckError("the name is empty; give one with visible characters"))
    elif cleaned != name:
        reason = DeckError(
            "this name is wider than {most} cells, or has line breaks, extra spaces or "
            "invisible characters; change it, for example to “{cleaned}”",
            most=NAME_CELLS,
            cleaned=cleaned,
        )
        yield Fault(index, "name", reason)


def _drink_faults(index: int, drink: Drink) -> Iterator[Fault]:
    if not 1 <= drink.count <= MAX_CARDS:
        reason = DeckError(
            "the count of “{name}” must be between 1 and {most}; correct it or leave the drink out",
            name=drink.name,
            most=MAX_CARDS,
        )
        yield Fault(index, "count", reason)
    tokens = sum(drink.recipe)
    if not 1 <= tokens <= MAX_TOKENS:
        reason = DeckError(
            "a recipe has 1 to {most} tokens, but that of “{name}” has {tokens}",
            most=MAX_TOKENS,
            name=drink.name,
            tokens=tokens,
        )
        yield Fault(index, "recipe", reason)


def _twin_faults(index: int, drinks: tuple[Drink, ...]) -> Iterator[Fault]:
    drink = drinks[index]
    for earlier in drinks[:index]:
        if earlier.name.casefold() == drink.name.casefold():
            reason = DeckError(
                "there is already a drink “{name}”; give this one another name", name=earlier.name
            )
            yield Fault(index, "name", reason)
        if earlier.recipe == drink.recipe:
            reason = DeckError(
                "“{name}” has the same recipe as “{other}”; change one of them",
                name=drink.name,
                other=earlier.name,
            )
            yield Fault(index, "recipe", reason)


def _sum_faults(deck: Deck) -> Iterator[Fault]:
    """Yield wrong totals of cards and starters, at the drink where they go wrong (R-COMP-3)."""
    cards = starters = 0
    last_starter = len(deck.drinks) - 1
    for index, drink in enumerate(deck.drinks):
        cards += drink.count
        if cards > MAX_CARDS:
            yield Fault(index, "count", _wrong_cards(cards))
        if drink.starter:
            last_starter = index
            starters += drink.count
            if starters > STARTERS:
                yield Fault(index, "starter", _wrong_starters(starters))
    if cards < MAX_CARDS:
        yield Fault(len(deck.drinks) - 1, "count", _wrong_cards(cards))
    if starters < STARTERS:
        yield Fault(last_starter, "", _wrong_starters(starters))


def _wrong_cards(cards: int) -> DeckError:
    return DeckError(
        "a deck has exactly {wanted} cards, but the counts so far add up to {cards}; change one",
        cards=cards,
        wanted=MAX_CARDS,
    )


def _wrong_starters(starters: int) -> DeckError:
    return DeckError(
        "a deck has exactly {wanted} starter cards, but the counts of drinks with "
        "starter = true add up to {cards} so far; change one",
        cards=starters,
        wanted=STARTERS,
    )
