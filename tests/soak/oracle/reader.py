"""A decoder of messages that relies only on the text of `protocol/`, and on msgpack.

The tables in that text are its types: anything that they do not list is an error.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgpack

SPEC: Final = Path(__file__).parents[3] / "protocol" / "SPEC.md"
MESSAGES: Final = SPEC.with_name("MESSAGES.md")
_NUMBERED: Final = ("Ingredient", "Upgrade", "Phase")
_CHOICES: Final = {"Intent": "Intents", "Event": "Events", "Answer": "Answers"}
_COUNT: Final = 2**53 - 1

Fields = dict[str, Any]

_fullmatch = cache(re.fullmatch)  # the types in the text are few


class Unspecified(Exception):
    """A message contains something that the specification does not list."""


def read(body: bytes, kind: str) -> Fields:
    """Return a message of a `kind` (Answer, Publication), with each default filled in.

    Raises:
        Unspecified: it contradicts the specification.
    """
    return _one_of(f"{kind}s", msgpack.unpackb(body), kind)


@cache
def _chapters() -> dict[str, str]:
    """Return the text under each second-level heading."""
    return _split(r"^## (?:[0-9]+\. )?(.+)$")


@cache
def _sections() -> dict[str, str]:
    return _split(r"^#+ (?:[\d.]+ )?(.+)$")


def _split(heading: str) -> dict[str, str]:
    """Return the text under each heading of both pages."""
    found: dict[str, str] = {}
    for page in (SPEC, MESSAGES):
        parts = re.split(heading, page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        found |= dict(zip(parts[1::2], parts[2::2], strict=True))
    return found


@cache
def rows(heading: str) -> tuple[tuple[str, ...], ...]:
    """Return the cells of the table under a heading."""
    lines = [line for line in _sections()[heading].splitlines() if line.startswith("|")]
    return tuple(
        tuple(cell.strip().strip("`") for cell in line.strip("|").split("|")) for line in lines[2:]
    )


@cache
def tagged(chapter: str) -> dict[str, str]:
    """Return for each `type` in a chapter the heading that describes it."""
    found = re.split(r"^#### (\w+)$", _chapters()[chapter], flags=re.MULTILINE)
    tags = [(re.search(r"^`type`: `(\w+)`", text, re.MULTILINE), text) for text in found[2::2]]
    return {
        tag[1]: name for (tag, _), name in zip(tags, found[1::2], strict=True) if tag is not None
    }


@cache
def codes() -> set[str]:
    return {row[0] for where in ("rules", "table", "door") for row in rows(f"Codes of the {where}")}


def _one_of(chapter: str, value: Any, where: str) -> Fields:
    tag = value.get("type") if isinstance(value, dict) else None
    _check(tag in tagged(chapter), where, value)
    return _struct(tagged(chapter)[str(tag)], value, where)


def _struct(name: str, value: Any, where: str) -> Fields:
    """Return the fields of a struct, which may be encoded as an array."""
    if "**An array, not a map**" in _sections()[name]:
        _check(isinstance(value, list) and len(value) == len(rows(name)), where, value)
        value = {row[0]: one for row, one in zip(rows(name), value, strict=True)}
    _check(isinstance(value, dict), where, value)
    tag = {"type": value["type"]} if "type" in value else {}
    found: Fields = dict(tag)
    for field, kind, default, _meaning in rows(name):
        if field in value or not default:
            _check(field in value, f"{where}.{field}", value)
            found[field] = _typed(kind, value[field], f"{where}.{field}")
        else:
            found[field] = _default(default)
        if field == "code":
            known = {row[0] for row in rows("Wire errors")} if name == "Malformed" else codes()
            _check(found[field] in known, f"{where}.code", value)
    _check(value.keys() <= found.keys(), where, value.keys() - found.keys())
    return found


def _default(text: str) -> Any:
    if text in ("nil", "true", "false"):
        return {"nil": None, "true": True, "false": False}[text]
    if text == "{}":
        return {}
    if text.startswith("["):
        return [int(number) for number in text[1:-1].split(",") if number]
    return text.strip('"') if text.startswith('"') else int(text)


def _typed(kind: str, value: Any, where: str) -> Any:
    if kind.endswith(" or nil"):
        return None if value is None else _typed(kind.removesuffix(" or nil"), value, where)
    if kind in _CHOICES:
        return _one_of(_CHOICES[kind], value, where)
    if found := _fullmatch(r"array (\d+)\.\.(\d+) of (.+)", kind):
        _check(isinstance(value, list), where, value)
        _check(int(found[1]) <= len(value) <= int(found[2]), where, value)
        return [_typed(found[3], one, where) for one in value]
    if found := _fullmatch(r"(\d+) x (.+)", kind):
        _check(isinstance(value, list) and len(value) == int(found[1]), where, value)
        return [_typed(found[2], one, where) for one in value]
    if kind == "Counts":
        return _typed("8 x int 0..18", value, where)
    if kind in _sections() and kind not in _NUMBERED:
        return _struct(kind, value, where)
    _check(_is_plain(kind, value), where, value)
    return value


def _is_plain(kind: str, value: Any) -> bool:
    """Return whether a scalar value has its type."""
    if kind in ("Count", *_NUMBERED[:2]):
        most = _COUNT if kind == "Count" else len(rows(f"{kind}s")) - 1
        return type(value) is int and 0 <= value <= most
    if kind == "Phase":
        return value in {row[0] for row in rows("Phases")}
    if kind == "bool":
        return isinstance(value, bool)
    if found := _fullmatch(r"int (-?\d+)\.\.(-?\d+)", kind):
        return type(value) is int and int(found[1]) <= value <= int(found[2])
    if found := _fullmatch(r"text (\d+)(?:\.\.(\d+))?", kind):
        return isinstance(value, str) and int(found[1]) <= len(value) <= int(found[2] or found[1])
    if found := _fullmatch(r"bin (\d+)(?:\.\.(\d+))?", kind):
        return isinstance(value, bytes) and int(found[1]) <= len(value) <= int(found[2] or found[1])
    if kind.startswith('"'):
        return f'"{value}"' in kind.split(" or ")
    if kind.startswith("map "):
        return isinstance(value, dict) and all(type(one) in (int, str) for one in value.values())
    raise Unspecified(f"the specification has no {kind}")


def _check(right: bool, where: str, value: object) -> None:
    if not right:
        raise Unspecified(f"{where}: {value!r:.200}")
