"""The JSON Schema of all messages, from the types; binary is `{"$bin": hex}`, as in the vectors."""

import json
from collections.abc import Iterator
from typing import Any, Final, TypeAlias, get_args

import msgspec
from msgspec import inspect

import protocol

Schema: TypeAlias = dict[str, Any]

ROOTS: Final = {
    "Request": protocol.Request,
    "Answer": protocol.Answer,
    "Publication": protocol.Publication,
    "Banner": protocol.Banner,
    "Enrol": protocol.Enrol,
    "AskTerm": protocol.AskTerm,
    "Proof": protocol.Proof,
    "DoorAnswer": protocol.DoorAnswer,
}
"""All messages on the wire."""
_NAMED: Final = {
    name: inspect.type_info(kind)
    for name, kind in (
        *((name, kind) for name, kind in ROOTS.items() if get_args(kind)),
        ("Count", protocol.Count),
        ("Counts", protocol.Counts),
        ("Event", protocol.Event),
        ("Intent", protocol.Intent),
        ("RequestId", protocol.RequestId),
    )
}


def schema() -> str:
    """Return the text of the schema file."""
    defined = {
        **{name: _schema(info, top=True) for name, info in _NAMED.items()},
        **{info.cls.__name__: _defined(info) for info in _classes()},
    }
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Coffee Rush, protocol {protocol.PROTOCOL_VERSION}",
        "anyOf": [_ref(name) for name in ROOTS],
        "$defs": dict(sorted(defined.items())),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _classes() -> Iterator[inspect.StructType | inspect.EnumType]:
    """Yield each struct and enumeration on the wire, once."""
    seen: list[inspect.Type] = []
    todo = [inspect.type_info(kind) for kind in ROOTS.values()]
    while todo:
        info = todo.pop()
        if info in seen:
            continue
        seen.append(info)
        match info:
            case inspect.StructType(fields=fields):
                todo += (field.type for field in fields)
                yield info
            case inspect.EnumType():
                yield info
            case inspect.UnionType(types=types) | inspect.TupleType(item_types=types):
                todo += types
            case inspect.VarTupleType(item_type=item):
                todo.append(item)


def _defined(info: inspect.StructType | inspect.EnumType) -> Schema:
    if isinstance(info, inspect.EnumType):
        return {"enum": sorted(member.value for member in info.cls)}
    if info.array_like:
        return _tuple([_schema(field.type) for field in info.fields])
    properties = {field.name: _field(info, field) for field in info.fields}
    required = [field.name for field in info.fields if field.required]
    if info.tag is not None:
        properties = {"type": {"const": info.tag}, **properties}
        required = ["type", *required]
    rest = {} if info.cls is protocol.Banner else {"additionalProperties": False}
    return {"type": "object", "properties": properties, "required": required, **rest}


def _field(info: inspect.StructType, field: inspect.Field) -> Schema:
    if field.name == "id" and issubclass(info.cls, get_args(protocol.Request)):
        return _ref("RequestId")
    found = _schema(field.type)
    if field.default is not msgspec.NODEFAULT:
        empty = isinstance(field.default, bytes)
        default = {"$bin": ""} if empty else msgspec.to_builtins(field.default)
        return {**found, "default": default}
    if field.default_factory is not msgspec.NODEFAULT:
        return {**found, "default": field.default_factory()}
    return found


def _schema(info: inspect.Type, *, top: bool = False) -> Schema:
    """Return the schema of a type; at the `top`, a named one is defined instead of referred to."""
    for name, named in _NAMED.items():
        if not top and name != "RequestId" and info == named:
            return _ref(name)
    match info:
        case inspect.NoneType():
            return {"type": "null"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType(ge=least, le=most):
            return {"type": "integer", "minimum": least, "maximum": most}
        case inspect.StrType(min_length=least, max_length=most):
            return {"type": "string", "minLength": least or 0, "maxLength": most}
        case inspect.BytesType(min_length=least, max_length=most):
            return _binary(least or 0, most or 0, nonzero=top)
        case inspect.LiteralType(values=values):
            return {"enum": list(values)}
        case inspect.EnumType(cls=cls) | inspect.StructType(cls=cls):
            return _ref(cls.__name__)
        case inspect.TupleType(item_types=items):
            return _tuple([_schema(item) for item in items])
        case inspect.VarTupleType(item_type=item, min_length=least, max_length=most):
            bounds = {"minItems": least or 0, "maxItems": most}
            return {"type": "array", "items": _schema(item), **bounds}
        case inspect.DictType(key_type=key, value_type=value, max_length=most):
            inner = {"propertyNames": _schema(key), "additionalProperties": _schema(value)}
            return {"type": "object", "maxProperties": most, **inner}
        case inspect.UnionType(types=types):
            return {"anyOf": [_schema(kind) for kind in types]}
    raise AssertionError(f"the wire has no {info}")


def _tuple(items: list[Schema]) -> Schema:
    size = {"minItems": len(items), "maxItems": len(items)}
    if all(item == items[0] for item in items):
        return {"type": "array", "items": items[0], **size}
    return {"type": "array", "prefixItems": items, **size}


def _binary(least: int, most: int, *, nonzero: bool) -> Schema:
    """Return the schema of `{"$bin": hex}`; a request's id may not be all zero."""
    start = "^(?!0*$)" if nonzero else "^"
    digits = {"type": "string", "pattern": f"{start}([0-9a-f]{{2}}){{{least},{most}}}$"}
    return {
        "type": "object",
        "properties": {"$bin": digits},
        "required": ["$bin"],
        "additionalProperties": False,
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}
