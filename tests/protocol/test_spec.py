"""SPEC.md, MESSAGES.md and the types agree: fields, codes and bounds stand in all of them."""

import json
import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import get_args, get_type_hints

import msgpack
import pytest
from msgspec import inspect

import protocol
from protocol import BOARD, SUPPLY, Ingredient, Phase, Upgrade, decode_request
from scripts.programs.vectors.files import from_plain
from tests.support.refusals import provoked

from .shapes import default, notation, structs

SPEC = Path(protocol.__file__).with_name("SPEC.md")
MESSAGES = SPEC.with_name("MESSAGES.md")
Rows = list[list[str]]


@cache
def _sections(*pages: Path) -> dict[str, str]:
    """Return the text under each heading, up to the next heading at any level."""
    parts = []
    for page in pages or (SPEC, MESSAGES):
        text = page.read_text(encoding="utf-8")
        parts += re.split(r"^#+ (?:[\d.]+ )?(.+)$", text, flags=re.MULTILINE)[1:]
    headings, texts = parts[0::2], parts[1::2]
    if pages:
        assert len(set(headings)) == len(headings)
    return dict(zip(headings, texts, strict=True))


def rows_of(heading: str) -> Rows:
    """Return the cells of the table under a heading, without the header row."""
    lines = [line for line in _sections()[heading].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def _codes(heading: str) -> list[str]:
    return [row[0].strip("`") for row in rows_of(heading)]


def _names(heading: str) -> set[str]:
    """Return the headings below one of the second level."""
    text = MESSAGES.read_text(encoding="utf-8")
    found = re.split(rf"^## {heading}\n", text, flags=re.MULTILINE)[1]
    chapter = re.split(r"^## ", found, flags=re.MULTILINE)[0]
    return set(re.findall(r"^#### (\w+)$", chapter, flags=re.MULTILINE))


def _fields(info: inspect.StructType) -> Rows:
    return [[f"`{f.name}`", notation(f.type), default(f)] for f in info.fields]


@pytest.mark.parametrize("info", structs(), ids=lambda info: str(info.cls.__name__))
def test_fields_with_types_and_defaults(info: inspect.StructType) -> None:
    heading = info.cls.__name__
    rows = rows_of(heading)
    assert [row[:3] for row in rows] == _fields(info)
    assert all(row[3] for row in rows), "a field without its meaning"
    text = _sections()[heading]
    assert re.findall(r"^`type`: `(\w+)`", text, re.MULTILINE) == [info.tag] * bool(info.tag)
    assert ("**An array, not a map**" in text) == info.array_like


def test_no_heading_is_stale() -> None:
    text = MESSAGES.read_text(encoding="utf-8")
    headed = set(re.findall(r"^#### (\w+)$", text, flags=re.MULTILINE))
    assert headed == {info.cls.__name__ for info in structs()}


@pytest.mark.parametrize(
    ("heading", "union", "more"),
    [
        ("Requests", protocol.Request, set()),
        ("Answers", protocol.Answer, {"Refusal"}),
        ("Publications", protocol.Publication, set()),
        ("Intents", protocol.Intent, set()),
        ("Events", protocol.Event, set()),
    ],
)
def test_each_union_has_a_chapter(heading: str, union: object, more: set[str]) -> None:
    assert _names(heading) == {cls.__name__ for cls in get_args(union)} | more


def test_every_request_is_in_the_table_of_who_may_send_it() -> None:
    told = re.findall(
        r"`(\w+)`", " ".join(row[0] for row in rows_of("Who may send what, and when"))
    )
    tags = [cls.__struct_config__.tag for cls in get_args(protocol.Request)]
    assert sorted(told) == sorted(tags)


def test_refusal_codes() -> None:
    rules, table, door = map(
        _codes, ("Codes of the rules", "Codes of the table", "Codes of the door")
    )
    assert tuple(rules + table + door) == protocol.REFUSAL_CODES


def test_data_and_texts_of_refusals() -> None:
    chapters = ("Codes of the rules", "Codes of the table", "Codes of the door")
    told = {row[0].strip("`"): row[2:] for heading in chapters for row in rows_of(heading)}
    for code, reason, *rest in rows_of("Reasons of refusals"):
        told[f"{code}/{reason}".replace("`", "")] = rest
    assert {case: text for case, (_, text) in told.items()} == {
        case: texts[0] for case, texts in protocol.REFUSAL_TEXTS.items()
    }
    meant = {name for row in rows_of("Refusals") for name in re.findall(r"`(\w+)`", row[0])}
    for case, refusal in provoked().items():
        data = re.findall(r"`(\w+)`", told[case][0])
        assert data == [name for name in refusal.params if name != "reason"]
        assert refusal.params.keys() <= meant


def test_wire_codes() -> None:
    assert tuple(_codes("Wire errors")) == get_args(protocol.WireCode)


def test_changes_of_people_have_a_meaning() -> None:
    changes = get_args(get_type_hints(protocol.PeopleChanged)["change"])
    assert sorted(_codes("What people do, as events")) == sorted(changes)


def test_sections_are_numbered_in_order() -> None:
    text = SPEC.read_text(encoding="utf-8")
    chapter = section = 0
    for level, number in re.findall(r"^(###?) ([0-9.]+) ", text, flags=re.MULTILINE):
        chapter, section = (chapter + 1, 0) if level == "##" else (chapter, section + 1)
        assert number == (f"{chapter}." if level == "##" else f"{chapter}.{section}")
    assert chapter == len(re.findall(r"^## ", text, flags=re.MULTILINE))


def test_named_sections_and_references_exist() -> None:
    text = SPEC.read_text(encoding="utf-8")
    both = text + MESSAGES.read_text(encoding="utf-8")
    named = {" ".join(name.split()) for name in re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", both)}
    assert named - _sections(SPEC).keys() == set()
    listed = {row[0] for row in rows_of("References") if row[0].startswith("[")}
    assert set(re.findall(r"\[[A-Z0-9-]{3,}\]", text)) == listed


@pytest.mark.parametrize("heading", ["Limits", "What a bot needs of the rules"])
def test_constants(heading: str) -> None:
    rows = rows_of(heading)
    assert rows
    for name, value, meaning in rows:
        assert str(getattr(protocol, name.strip("`"))) == value, name
        assert meaning


def test_every_limit_of_the_package_is_in_the_text() -> None:
    told = {
        row[0].strip("`") for row in rows_of("Limits") + rows_of("What a bot needs of the rules")
    }
    limits = {name for name in vars(protocol) if re.match(r"(MAX|MIN)_", name)}
    in_bounds_of_fields = {"MAX_ROUND", "MAX_UNDO"}
    assert limits - told == in_bounds_of_fields


def test_ingredients() -> None:
    expected = [[str(i.value), f"`{i.name}`", str(SUPPLY[i])] for i in Ingredient]
    assert rows_of("Ingredients") == expected


def test_upgrades() -> None:
    assert [row[:2] for row in rows_of("Upgrades")] == _numbered(list(Upgrade))


def test_phases() -> None:
    assert _codes("Phases") == [phase.value for phase in Phase]


def test_board() -> None:
    cells = [cell for row in rows_of("Board") for cell in row[1:]]
    assert cells == [f"{cell} `{kind.name}`" for cell, kind in enumerate(BOARD)]
    corners = ", ".join(map(str, protocol.CORNERS[:-1]))
    assert f"Corners are {corners} and {protocol.CORNERS[-1]}" in _sections()["Board"]


def test_versions() -> None:
    text = SPEC.read_text(encoding="utf-8")
    edition, number, _ = rows_of("Changes")[-1]
    assert f"Protocol version {number}. Edition {edition} of this text" in text
    assert number == str(protocol.PROTOCOL_VERSION)
    assert f"One whole number, today {number}." in text
    assert str(protocol.DOOR_PORT) in text
    assert f"`{protocol.PROTOCOL_NAME}`; anything else" in MESSAGES.read_text(encoding="utf-8")


def test_the_frame_byte_by_byte() -> None:
    text = _sections()["A frame, byte by byte"]
    dump, value = re.findall(r"```\w+\n(.*?)```", text, flags=re.DOTALL)
    body = b""
    for line in dump.splitlines():
        digits, _, note = line.partition("  ")
        body += bytes.fromhex(digits)
        if named := re.search(r"text of (\d+) bytes: (\w+)", note):
            assert bytes.fromhex(digits)[1:].decode() == named[2]
            assert len(named[2]) == int(named[1])
    assert f"{len(body)} bytes" in text
    assert msgpack.unpackb(body) == from_plain(json.loads(value))
    assert protocol.encode(decode_request(body)) == body


def _numbered(values: Sequence[IntEnum]) -> Rows:
    return [[str(value.value), f"`{value.name}`"] for value in values]
