"""The deck: 80 order cards, its rules, and the TOML file that people write one in (R-COMP-3)."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, NamedTuple, cast

from msgspec import Meta, Struct

from coffeerush.errors import DeckError
from protocol import (
    MAX_CARDS,
    MAX_DRINKS,
    NAME_CELLS,
    Counts,
    Drink,
    Ingredient,
    Name,
    clean_line,
    clean_name,
)

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
        """How many order cards there are, of all drinks together."""
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


# The file of a deck, split at its `[[drink]]` lines so that every error has a line number
#
# tomllib reports lines for syntax errors only, so each section is parsed by itself. That each one
# is valid TOML also proves that no string or list spans a `[[drink]]` line.


INGREDIENTS: Final = tuple(kind.name.lower() for kind in Ingredient)
"""The words of a recipe, by `Ingredient` value."""

MAX_LINE: Final = 500
"""The longest line, in characters: tomllib takes quadratic time for the dots in a key."""

_HEADER: Final = re.compile(r"[ \t]*\[\[[ \t]*drink[ \t]*\]\]([ \t]*(?:#.*)?\r?\n?)")
_LINE_START: Final = re.compile(r"(?<=\n)")
_POSITION: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_QUOTED_CHARACTERS: Final = 80


class _Key(NamedTuple):
    """A key in the file of a deck."""

    kind: type
    example: str
    """A line that an error proposes."""


_DECK_KEYS: Final = {"name": _Key(str, 'name = "My deck"')}
_DRINK_KEYS: Final = {
    "name": _Key(str, 'name = "Mocha"'),
    "count": _Key(int, "count = 3"),
    "recipe": _Key(list, 'recipe = ["coffee", "milk"]'),
    "specialty": _Key(bool, "specialty = true"),
    "starter": _Key(bool, "starter = true"),
}
_OPTIONAL: Final = {"specialty", "starter"}


def parse_deck(text: str) -> Deck:
    """Parse and validate the TOML text of a deck; raises `DeckError` that starts with `line N:`."""
    head, *sections = _split_sections(text)
    name = _read_name(head)
    if not sections:
        raise _located(1, DeckError("the deck has no drinks; put each one under a [[drink]] line"))
    deck = Deck(name, tuple(_read_drink(section) for section in sections))
    fault = deck_fault(deck)
    if fault is not None:
        section = head if fault.drink is None else sections[fault.drink]
        raise _located(section.line_of(fault.key) if fault.key else section.line, fault.reason)
    return deck


@cache
def standard_deck() -> Deck:
    """Return the deck that is included in the package."""
    return parse_deck((files("coffeerush") / "decks" / "standard.toml").read_text(encoding="utf-8"))


class _DeckSection(NamedTuple):
    """A part of the text: the head or a drink; `body` starts on `line`, counted from 1."""

    line: int
    body: str

    def line_of(self, key: str) -> int:
        """Return the line on which `key` is set; the section's first line if it is not found."""
        given = re.compile(rf"[ \t\[]*[\"']?{re.escape(key)}[\"']?[ \t]*[=.\]]")
        lines = enumerate(self.body.split("\n"), self.line)
        return next((number for number, line in lines if given.match(line)), self.line)

    def refuse(self, key: str, reason: DeckError) -> DeckError:
        """Return the error for `key`, with its line."""
        return _located(self.line_of(key), reason)


def _located(line: int, reason: DeckError) -> DeckError:
    """Return an error with its line number in front."""
    return DeckError("line {line}: {reason}", line=line, reason=reason)


def _split_sections(text: str) -> list[_DeckSection]:
    """Return the head, then one section per `[[drink]]`; raise DeckError if a line is too long."""
    starts = [1]
    bodies: list[list[str]] = [[]]
    for number, line in enumerate(_LINE_START.split(text), 1):
        if len(line) > MAX_LINE:
            reason = DeckError("a line may have at most {most} characters; split it", most=MAX_LINE)
            raise _located(number, reason)
        header = _HEADER.fullmatch(line)
        if header is None:
            bodies[-1].append(line)
        else:
            starts.append(number)
            bodies.append([header[1]])
    return [_DeckSection(start, "".join(body)) for start, body in zip(starts, bodies, strict=True)]


def _read_name(head: _DeckSection) -> str:
    """Return the deck's name; raise DeckError if anything in the head is wrong."""
    return cast(str, _values(head, _DECK_KEYS)["name"])


def _read_drink(section: _DeckSection) -> Drink:
    """Return the drink in a section; its numbers are not validated yet."""
    values = _values(section, _DRINK_KEYS)
    return Drink(
        name=values["name"],
        recipe=_recipe(section, values["recipe"]),
        count=values["count"],
        specialty=values.get("specialty", False),
        starter=values.get("starter", False),
    )


def _recipe(section: _DeckSection, words: list[Any]) -> Counts:
    for word in words:
        if not isinstance(word, str):
            raise section.refuse("recipe", _wrong_type("recipe", _DRINK_KEYS["recipe"]))
        if word not in INGREDIENTS:
            reason = DeckError(
                "“{word}” is not an ingredient; use {known}",
                word=_shown(word),
                known=", ".join(INGREDIENTS),
            )
            raise section.refuse("recipe", reason)
    return cast(Counts, tuple(words.count(word) for word in INGREDIENTS))


def _values(section: _DeckSection, keys: dict[str, _Key]) -> dict[str, Any]:
    """Return the section's values; check that it has no other keys, none missing, right types."""
    values = _parsed(section)
    for key, value in values.items():
        if key == "drink":
            reason = DeckError("put each drink under its own [[drink]] line")
            raise section.refuse(key, reason)
        if key not in keys:
            reason = DeckError(
                "“{key}” is not a known key here; use {known}",
                key=_shown(key),
                known=", ".join(keys),
            )
            raise section.refuse(key, reason)
        if type(value) is not keys[key].kind:  # isinstance would accept true as an int
            raise section.refuse(key, _wrong_type(key, keys[key]))
    for key, wanted in keys.items():
        if key not in values and key not in _OPTIONAL:
            reason = DeckError(
                "the {key} is missing; write it like {example}", key=key, example=wanted.example
            )
            raise section.refuse(key, reason)
    return values


def _wrong_type(key: str, wanted: _Key) -> DeckError:
    return DeckError(
        "this is not a valid value for {key}; write it like {example}",
        key=key,
        example=wanted.example,
    )


def _parsed(section: _DeckSection) -> dict[str, Any]:
    try:
        return tomllib.loads(section.body)
    except tomllib.TOMLDecodeError as error:
        raise _broken_syntax(section, str(error)) from None
    except (RecursionError, ValueError):
        # Thousands of brackets or digits: tomllib itself does not guard against them.
        reason = DeckError(
            "a list is nested too deeply or a number is too long here; a deck needs neither"
        )
        raise _located(section.line, reason) from None


def _broken_syntax(section: _DeckSection, error: str) -> DeckError:
    position = _POSITION.search(error)
    end = section.body.rstrip().count("\n")
    offset = int(position[1]) - 1 if position and position[1] else end
    said = _shown(_POSITION.sub("", error))
    return _located(
        section.line + offset, DeckError("this is not valid TOML ({problem})", problem=said)
    )


def _shown(text: str) -> str:
    """Sanitize foreign text for a message: one line, no control characters, not too long."""
    return clean_line(text)[:_QUOTED_CHARACTERS]
