"""Parse the text of a deck, split at its `[[drink]]` lines so that every error has a line number.

tomllib reports lines for syntax errors only, so each section is parsed by itself. That each one
is valid TOML also proves that no string or list spans a `[[drink]]` line.
"""

import re
import tomllib
from typing import Any, Final, NamedTuple, cast

from coffeerush.errors import DeckError
from protocol import Counts, Drink, Ingredient, clean_line

INGREDIENTS: Final = tuple(kind.name.lower() for kind in Ingredient)
"""The words of a recipe, by `Ingredient` value."""

MAX_LINE: Final = 500
"""The longest line, in characters: tomllib takes quadratic time for the dots in a key."""

_HEADER: Final = re.compile(r"[ \t]*\[\[[ \t]*drink[ \t]*\]\]([ \t]*(?:#.*)?\r?\n?)")
_LINE_START: Final = re.compile(r"(?<=\n)")
_POSITION: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_QUOTED_CHARACTERS: Final = 80


class _Key(NamedTuple):
    kind: type
    example: str


_DECK_KEYS: Final = {"name": _Key(str, 'name = "My deck"')}
_DRINK_KEYS: Final = {
    "name": _Key(str, 'name = "Mocha"'),
    "count": _Key(int, "count = 3"),
    "recipe": _Key(list, 'recipe = ["coffee", "milk"]'),
    "specialty": _Key(bool, "specialty = true"),
    "starter": _Key(bool, "starter = true"),
}
_OPTIONAL: Final = {"specialty", "starter"}


class DeckSection(NamedTuple):
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
        return located(self.line_of(key), reason)


def located(line: int, reason: DeckError) -> DeckError:
    """Return an error with its line number in front."""
    return DeckError("line {line}: {reason}", line=line, reason=reason)


def split_sections(text: str) -> list[DeckSection]:
    """Return the head, then one section per `[[drink]]`; raise DeckError if a line is too long."""
    starts = [1]
    bodies: list[list[str]] = [[]]
    for number, line in enumerate(_LINE_START.split(text), 1):
        if len(line) > MAX_LINE:
            reason = DeckError("a line may have at most {most} characters; split it", most=MAX_LINE)
            raise located(number, reason)
        header = _HEADER.fullmatch(line)
        if header is None:
            bodies[-1].append(line)
        else:
            starts.append(number)
            bodies.append([header[1]])
    return [DeckSection(start, "".join(body)) for start, body in zip(starts, bodies, strict=True)]


def read_name(head: DeckSection) -> str:
    """Return the deck's name; raise DeckError if anything in the head is wrong."""
    return cast(str, _values(head, _DECK_KEYS)["name"])


def read_drink(section: DeckSection) -> Drink:
    """Return the drink in a section; its numbers are not validated yet."""
    values = _values(section, _DRINK_KEYS)
    return Drink(
        name=values["name"],
        recipe=_recipe(section, values["recipe"]),
        count=values["count"],
        specialty=values.get("specialty", False),
        starter=values.get("starter", False),
    )


def _recipe(section: DeckSection, words: list[Any]) -> Counts:
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


def _values(section: DeckSection, keys: dict[str, _Key]) -> dict[str, Any]:
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


def _parsed(section: DeckSection) -> dict[str, Any]:
    try:
        return tomllib.loads(section.body)
    except tomllib.TOMLDecodeError as error:
        raise _broken_syntax(section, str(error)) from None
    except (RecursionError, ValueError):
        # Thousands of brackets or digits: tomllib itself does not guard against them.
        reason = DeckError(
            "a list is nested too deeply or a number is too long here; a deck needs neither"
        )
        raise located(section.line, reason) from None


def _broken_syntax(section: DeckSection, error: str) -> DeckError:
    position = _POSITION.search(error)
    end = section.body.rstrip().count("\n")
    offset = int(position[1]) - 1 if position and position[1] else end
    said = _shown(_POSITION.sub("", error))
    return located(
        section.line + offset, DeckError("this is not valid TOML ({problem})", problem=said)
    )


def _shown(text: str) -> str:
    """Sanitize foreign text for a message: one line, no control characters, not too long."""
    return clean_line(text)[:_QUOTED_CHARACTERS]
