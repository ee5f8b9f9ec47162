"""Everything that SPEC.md names happens at a real table: messages, fields, codes, transitions.

What there is to provoke is derived from the types and from the tables of SPEC.md; what is
provoked comes from `provoking.py`, and the refusals from `tests/support/refusals.py`.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec
import pytest
from msgspec import inspect

from protocol import Malformed
from tests.support.refusals import provoked

from .provoking import RESUMED, THE_HOST, Happenings, happenings
from .shapes import structs
from .test_spec import rows_of

pytestmark = pytest.mark.slow  # all share the same happenings
NEVER: Final = {
    ("Banner", "game", "empty"),  # the name of the game, or it is no host
    ("Malformed", "text", "empty"),  # a sentence
    ("Refusal", "text", "empty"),  # a sentence
}
"""Kinds of value that no host of ours sends, though the types allow them."""
STAGES: Final[dict[str, set[str]]] = {
    "`start`": {"start"},
    "by itself, see *Who starts a game*": {"ready"},
    "the last turn ends": {"intent", THE_HOST},
    "every person on a seat has left": {"bye", THE_HOST},
    "a newcomer says `hello` to play while fewer than two players stay": {"hello"},
    "a host resumes the record of an unfinished game": {RESUMED},
    "a host resumes the record of a finished game": {RESUMED},
}
"""The causes that the text gives for a change of stage, as `Happenings` has them."""
SEATS: Final = {
    ("open", "person", "hello"),
    ("person", "open", "bye"),
    ("person", "open", THE_HOST),
    ("person", "open", "remove"),
    ("person", "open", "hello"),
    ("open", "person", "queue"),
    ("person", "open", "stand_up"),
    ("person", "open", "begin_round"),
    ("bot", "open", "stand_up"),
    ("bot", "person", "queue"),
    ("open", "bot", "add_bot"),
    ("bot", "open", "remove"),
    ("person", "bot", "remove"),
}
"""The arrows of the drawing in *Seats*; silence counts as caused by the host."""
Aspect = tuple[str, str, object]
"""A field of a struct, and a kind of its values."""


@cache
def seen() -> Happenings:
    return happenings()


def kinds(info: inspect.Type) -> set[object]:
    """Return the kinds of value of a type: each literal, nil, none or some elements, or any."""
    match info:
        case inspect.LiteralType(values=values):
            return {*values}
        case inspect.EnumType(cls=cls):
            return {*cls}
        case inspect.BoolType():
            return {True, False}
        case inspect.NoneType():
            return {None}
        case inspect.UnionType(types=types):
            return set().union(*map(kinds, types))
        case inspect.VarTupleType(min_length=0) | inspect.DictType():
            return {"empty", "not empty"}
        case inspect.StrType(min_length=None | 0) | inspect.BytesType(min_length=None | 0):
            return {"empty", "not empty"}
    return {"some"}


def kind_of(value: Any, wanted: set[object]) -> object:
    """Return which of the `wanted` kinds a value is."""
    if isinstance(value, bool | str | int | None) and value in wanted:
        return value
    if "empty" in wanted:
        return "not empty" if value else "empty"
    return "some"


@cache
def fields() -> dict[tuple[str, str], set[object]]:
    """Return the kinds of value of each field."""
    all_ = ((info.cls.__name__, field) for info in structs() for field in info.fields)
    return {(name, field.name): kinds(field.type) for name, field in all_}


def aspects(value: object) -> Iterator[Aspect]:
    """Yield the fields of a message, and of all that is in it, with the kinds of their values."""
    if isinstance(value, tuple | list):
        for one in value:
            yield from aspects(one)
    elif isinstance(value, msgspec.Struct):
        name = type(value).__name__
        yield name, "", ""
        for field in value.__struct_fields__:
            held = getattr(value, field)
            yield name, field, kind_of(held, fields()[name, field])
            yield from aspects(held)


@cache
def met() -> set[Aspect]:
    return {one for message in seen().messages for one in aspects(message)}


def test_every_message_is_provoked() -> None:
    assert {info.cls.__name__ for info in structs()} == {name for name, _field, _kind in met()}


def test_every_field_is_provoked_with_every_kind_of_value() -> None:
    wanted = {(*field, kind) for field, kinds_ in fields().items() for kind in kinds_}
    assert wanted - met() == NEVER


def test_every_code_is_provoked() -> None:
    headings = ("Codes of the rules", "Codes of the table", "Codes of the door")
    codes = {row[0].strip("`") for heading in headings for row in rows_of(heading)}
    reasons = {f"{row[0]}/{row[1]}".replace("`", "") for row in rows_of("Reasons of refusals")}
    assert codes | reasons == provoked().keys() | {key.partition("/")[0] for key in provoked()}
    wire = {one.code for one in seen().messages if isinstance(one, Malformed)}
    assert wire == {row[0].strip("`") for row in rows_of("Wire errors")}


def test_every_change_of_stage_is_provoked() -> None:
    rows = rows_of("Stages")
    ways = [
        (start, end, way)
        for start, end, when, _changes in rows
        for way in when.replace("as from the lobby", rows[0][2]).split("; or ")
    ]
    assert {way for *_, way in ways} == STAGES.keys()
    missing = [
        (start, end, way)
        for start, end, way in ways
        if not any((start, end, cause) in seen().stages for cause in STAGES[way])
    ]
    assert not missing


def test_every_change_of_a_seat_is_provoked() -> None:
    assert {status for one in SEATS for status in one[:2]} == fields()["SeatView", "status"]
    assert seen().seats == SEATS


def test_every_change_of_people_is_provoked_by_every_cause() -> None:
    told = {
        (change.strip("`"), cause)
        for change, _what, causes in rows_of("What people do, as events")
        for cause in re.findall(rf"`(\w+)`|({THE_HOST}|any request)", causes)
    }
    wanted = {(change, request or other) for change, (request, other) in told}
    others = {(change, "any request") for change, cause in seen().people if cause == "view"}
    assert wanted == {one for one in seen().people if one[1] != "view"} | others


def test_every_request_is_sent_in_every_stage() -> None:
    wrong = []
    for requests, _who, *cells in rows_of("Who may send what, and when"):
        for tag in re.findall(r"`(\w+)`", requests):
            for stage, cell in zip(("lobby", "game", "result"), cells, strict=True):
                outcomes = {code for one, at, code in seen().outcomes if (one, at) == (tag, stage)}
                is_possible = not cell.startswith("no")
                expected = ("" if is_possible else "wrong_stage") in outcomes
                if not expected or is_possible != ("" in outcomes):
                    wrong.append((tag, stage, cell, outcomes))
    assert not wrong
