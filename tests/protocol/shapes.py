"""Introspection of the wire types: their notation in SPEC.md, and strategies for their values."""

from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

import protocol

ROOTS = (
    protocol.Request,
    protocol.Answer,
    protocol.Publication,
    protocol.Banner,
    protocol.Enrol,
    protocol.AskTerm,
    protocol.Proof,
    protocol.DoorAnswer,
)
"""All messages on the wire."""

NAMED = [
    ("Count", inspect.type_info(protocol.Count)),
    ("Counts", inspect.type_info(protocol.Counts)),
    ("Intent", inspect.type_info(protocol.Intent)),
    ("Event", inspect.type_info(protocol.Event)),
]

# At most three bytes each, so that the longest text stays within the byte limit.
_ALPHABET = st.characters(codec="utf-8", max_codepoint=0xFFFF)
_ASCII = st.characters(min_codepoint=32, max_codepoint=126)


def inner(info: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the types directly inside another."""
    match info:
        case inspect.StructType(fields=fields):
            yield from (field.type for field in fields)
        case inspect.UnionType(types=types):
            yield from types
        case inspect.TupleType(item_types=items):
            yield from items
        case inspect.VarTupleType(item_type=item):
            yield item
        case inspect.DictType(key_type=key, value_type=value):
            yield from (key, value)


def walk(*kinds: Any) -> Iterator[inspect.Type]:
    """Yield each type reachable from `kinds`, including those, once."""
    seen: list[inspect.Type] = []
    todo = [inspect.type_info(kind) for kind in kinds]
    while todo:
        info = todo.pop()
        if info not in seen:
            seen.append(info)
            yield info
            todo += inner(info)


def structs() -> list[inspect.StructType]:
    """Return all structs on the wire, by name."""
    found = [info for info in walk(*ROOTS) if isinstance(info, inspect.StructType)]
    return sorted(found, key=lambda info: info.cls.__name__)


def notation(info: inspect.Type) -> str:
    """Return a type in the notation of SPEC.md."""
    for name, known in NAMED:
        if info == known:
            return name
    match info:
        case inspect.NoneType():
            return "nil"
        case inspect.BoolType():
            return "bool"
        case inspect.IntType(ge=ge, le=le):
            return f"int {ge}..{le}"
        case inspect.StrType(min_length=least, max_length=most):
            return f"text {_span(least, most)}"
        case inspect.BytesType(min_length=least, max_length=most):
            return f"bin {_span(least, most)}"
        case inspect.LiteralType(values=values):
            return " or ".join(f'"{value}"' for value in values)
        case inspect.EnumType(cls=cls) | inspect.StructType(cls=cls):
            return cls.__name__
        case inspect.TupleType(item_types=items):
            assert len(set(map(notation, items))) == 1
            return f"{len(items)} x {notation(items[0])}"
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            return f"array {_span(least, most)} of {notation(item)}"
        case inspect.DictType(key_type=key, value_type=value, max_length=most):
            return f"map {_span(0, most)} of {notation(key)} to ({notation(value)})"
        case inspect.UnionType(types=types):
            return " or ".join(sorted(map(notation, types), key="nil".__eq__))
    raise AssertionError(f"the wire has no {info}")


def _span(least: int | None, most: int | None) -> str:
    return f"{most}" if least == most else f"{least or 0}..{most}"


def default(field: inspect.Field) -> str:
    """Return a field's default as SPEC.md shows it; empty if it has none."""
    if field.default is not msgspec.NODEFAULT:
        return msgspec.json.encode(field.default).decode().replace("null", "nil")
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.json.encode(field.default_factory()).decode()
    return ""


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for values within every bound of a type."""
    return _values(inspect.type_info(kind))


def _values(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType(ge=ge, le=le):
            return st.integers(ge, le)
        case inspect.StrType(min_length=least, max_length=most):
            letters = _ALPHABET if most and most <= protocol.CHAT_CHARACTERS else _ASCII
            return st.text(letters, min_size=least or 0, max_size=most)
        case inspect.BytesType(min_length=least, max_length=most):
            return st.binary(min_size=least or 0, max_size=most)
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case inspect.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case inspect.TupleType(item_types=items):
            return st.tuples(*map(_values, items))
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            few = st.lists(_values(item), min_size=least or 0, max_size=min(most or 0, 6))
            return few.map(tuple)
        case inspect.DictType(key_type=key, value_type=value, max_length=most):
            return st.dictionaries(_values(key), _values(value), max_size=most)
        case inspect.UnionType(types=types):
            return st.one_of(*map(_values, types))
        case inspect.StructType(cls=cls, fields=fields):
            return st.builds(cls, **{field.name: _values(field.type) for field in fields})
    raise AssertionError(f"the wire has no {info}")
