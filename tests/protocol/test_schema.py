"""schema.json: every vector is valid against it, and the tables of SPEC.md agree with it."""

import json
import re
from typing import Any, Final

import pytest

import protocol
from scripts.programs.vectors.__main__ import FOLDER, SCHEMA
from scripts.programs.vectors.schema import ROOTS

from .json_schema import is_valid
from .test_spec import rows_of

WHOLE: Final[dict[str, Any]] = json.loads(SCHEMA.read_text(encoding="utf-8"))
DEFINED: Final[dict[str, dict[str, Any]]] = WHOLE["$defs"]
BY_KIND: Final = {re.sub("(?<=.)([A-Z])", r"_\1", root).lower(): root for root in ROOTS}


def _cases() -> list[dict[str, Any]]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.json"))]
    cases = [case for text in texts for case in json.loads(text)]
    return [step for case in cases for step in case.get("steps", [case]) if "kind" in step]


CASES: Final = _cases()


@pytest.mark.slow
@pytest.mark.parametrize("kind", BY_KIND)
def test_every_vector_is_valid(kind: str) -> None:
    values = [case["value"] for case in CASES if case["kind"] == kind and "value" in case]
    assert values
    for value in values:
        assert is_valid(value, DEFINED[BY_KIND[kind]], DEFINED), value
        assert is_valid(value, {"anyOf": WHOLE["anyOf"]}, DEFINED)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BY_KIND)
def test_a_value_with_anything_else_is_not_valid(kind: str) -> None:
    schema = DEFINED[BY_KIND[kind]]
    for case in CASES:
        if case["kind"] != kind or "value" not in case:
            continue
        value = case["value"]
        required = (key for key in value if key in _required(value))
        assert not any(is_valid(_without(value, key), schema, DEFINED) for key in required)
        for key in value.keys() - {"motto"}:
            assert not is_valid(value | {key: {"no": "value"}}, schema, DEFINED), key
        assert is_valid(value | {"more": 1}, schema, DEFINED) == (kind == "banner")


def _required(value: dict[str, Any]) -> set[str]:
    found = [
        schema["required"]
        for schema in DEFINED.values()
        if schema.get("properties", {}).get("type") == {"const": value.get("type", "")}
        and is_valid(value, schema, DEFINED)
    ]
    return set(found[0]) if found else set(DEFINED["Banner"]["required"])


def _without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: inner for name, inner in value.items() if name != key}


def test_a_request_with_an_id_of_zeros_is_not_valid() -> None:
    for case in CASES:
        if case["kind"] == "request" and "value" in case:
            zeros = case["value"] | {"id": {"$bin": "00" * 16}}
            assert not is_valid(zeros, DEFINED["Request"], DEFINED)


@pytest.mark.parametrize("name", [name for name, one in DEFINED.items() if "properties" in one])
def test_the_tables_of_the_text_agree(name: str) -> None:
    if name == "RequestId":
        return
    schema = DEFINED[name]
    fields = {key: one for key, one in schema["properties"].items() if key != "type"}
    assert [row[0].strip("`") for row in rows_of(name)] == [*fields]
    for field, kind, default, _meaning in rows_of(name):
        one = fields[field.strip("`")]
        assert _notation(one) == kind
        assert (field.strip("`") in schema["required"]) == (not default)
        if default:
            assert json.loads(default.replace("nil", "null")) == _plain(one["default"])


def test_the_array_of_a_drink_agrees() -> None:
    assert [_notation(one) for one in DEFINED["Drink"]["prefixItems"]] == [
        row[1] for row in rows_of("Drink")
    ]


def _plain(default: Any) -> Any:
    return "" if default == {"$bin": ""} else default


def _notation(schema: dict[str, Any]) -> str:
    """Return a schema in the notation of SPEC.md."""
    match schema:
        case {"$ref": ref}:
            name = str(ref).removeprefix("#/$defs/")
            return "bin 16" if name == "RequestId" else name
        case {"anyOf": kinds}:
            return " or ".join(sorted(map(_notation, kinds), key="nil".__eq__))
        case {"enum": values}:
            return " or ".join(f'"{value}"' for value in values)
        case {"type": "null"}:
            return "nil"
        case {"type": "boolean"}:
            return "bool"
        case {"type": "integer", "minimum": least, "maximum": most}:
            return f"int {least}..{most}"
        case {"type": "string", "minLength": least, "maxLength": most}:
            return f"text {_span(least, most)}"
        case {"type": "array", "minItems": least, "maxItems": most, "items": item}:
            if least == most:
                return f"{most} x {_notation(item)}"
            return f"array {least}..{most} of {_notation(item)}"
        case {"properties": {"$bin": {"pattern": pattern}}}:
            least, most = str(pattern).rpartition("{")[2].removesuffix("}$").split(",")
            return f"bin {_span(least, most)}"
        case {"propertyNames": key, "additionalProperties": value, "maxProperties": most}:
            return f"map 0..{most} of {_notation(key)} to ({_notation(value)})"
    raise AssertionError(schema)


def _span(least: Any, most: Any) -> str:
    return str(most) if least == most else f"{least}..{most}"


def test_the_schema_is_of_this_version() -> None:
    assert WHOLE["title"] == f"Coffee Rush, protocol {protocol.PROTOCOL_VERSION}"
    assert {one["$ref"] for one in WHOLE["anyOf"]} == {f"#/$defs/{root}" for root in ROOTS}
