"""A validator for the part of JSON Schema (2020-12) that `protocol/schema.json` uses."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

Schema = dict[str, Any]

_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int or (type(value) is float and value.is_integer()),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_BOUNDS: Final[dict[str, tuple[str, Callable[[Any], int], int]]] = {
    "minimum": ("integer", int, 1),
    "maximum": ("integer", int, -1),
    "minLength": ("string", len, 1),
    "maxLength": ("string", len, -1),
    "minItems": ("array", len, 1),
    "maxItems": ("array", len, -1),
    "maxProperties": ("object", len, -1),
}
"""By keyword: the type that it is for, what is compared, and in which direction."""
KEYWORDS: Final = {
    *("type", "const", "enum", "anyOf", "$ref", "pattern", "items", "prefixItems", "default"),
    *("properties", "required", "additionalProperties", "propertyNames"),
    *_BOUNDS,
}


def is_valid(value: Any, schema: Schema, defined: dict[str, Schema]) -> bool:
    """Return whether a value is valid; `defined` has the definitions by name."""
    assert schema.keys() <= KEYWORDS, schema.keys() - KEYWORDS
    return all(_checks(value, schema, defined))


def _checks(value: Any, schema: Schema, defined: dict[str, Schema]) -> Iterator[bool]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        yield is_valid(value, defined[name], defined)
    if "anyOf" in schema:
        yield any(is_valid(value, one, defined) for one in schema["anyOf"])
    if "type" in schema:
        yield _TYPES[schema["type"]](value)
    if "enum" in schema or "const" in schema:
        known = schema.get("enum", [schema.get("const")])
        yield any(type(value) is type(one) and value == one for one in known)
    for keyword, (kind, measure, sign) in _BOUNDS.items():
        if keyword in schema and _TYPES[kind](value):
            yield sign * measure(value) >= sign * schema[keyword]
    if "pattern" in schema and isinstance(value, str):
        yield re.search(schema["pattern"], value) is not None
    if isinstance(value, list):
        starts = schema.get("prefixItems", [])
        yield from (is_valid(*pair, defined) for pair in zip(value, starts, strict=False))
        rest = schema.get("items", {})
        yield from (is_valid(one, rest, defined) for one in value[len(starts) :])
    if isinstance(value, dict):
        yield from _object_checks(value, schema, defined)


def _object_checks(value: Any, schema: Schema, defined: dict[str, Schema]) -> Iterator[bool]:
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
    yield value.keys() >= {*schema.get("required", ())}
    for key, inner in value.items():
        yield is_valid(key, schema.get("propertyNames", {}), defined)
        if key in properties:
            yield is_valid(inner, properties[key], defined)
        else:
            yield rest is not False and is_valid(inner, rest, defined)
