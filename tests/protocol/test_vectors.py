"""The golden frames: encoded and decoded by our codec, and decoded by two foreign decoders."""

import json
from pathlib import Path
from typing import Any, get_args

import msgpack
import msgspec
import pytest

import protocol
from protocol import WireError
from scripts.programs.vectors.__main__ import FOLDER
from scripts.programs.vectors.files import contents, from_plain, to_plain

DECODERS = {
    "request": protocol.decode_request,
    "answer": protocol.decode_answer,
    "publication": protocol.decode_publication,
    "banner": protocol.decode_banner,
    "enrol": protocol.decode_enrol,
    "proof": protocol.decode_proof,
    "door_answer": protocol.decode_door_answer,
}
TYPES: dict[str, Any] = {
    "request": protocol.Request,
    "answer": protocol.Answer,
    "publication": protocol.Publication,
    "banner": protocol.Banner,
    "enrol": protocol.Enrol,
    "proof": protocol.Proof,
    "door_answer": protocol.DoorAnswer,
}
LINES = ("banner", "enrol", "proof", "door_answer")
UNUSUAL = ("loose.json", "malformed.json", "door.json")


def _read(path: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return cases


FILES = {path.name: _read(path) for path in sorted(FOLDER.glob("*.json"))}
VALID = [
    pytest.param(case, id=f"{name}-{number}-{case['name']}")
    for name, cases in FILES.items()
    for number, case in enumerate(cases)
    if "value" in case
]
FRAMES = [param for param in VALID if param.values[0]["kind"] not in LINES]  # type: ignore[index]  # pytest types values as objects
CANONICAL = [param for param in FRAMES if str(param.id).split("-")[0] not in UNUSUAL]
MALFORMED = [
    pytest.param(case, id=f"{number}-{case['name']}")
    for number, case in enumerate(FILES["malformed.json"])
]


def test_the_script_writes_these_files() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert contents() == texts


@pytest.mark.parametrize("case", VALID)
def test_bytes_decode_to_the_value(case: dict[str, Any]) -> None:
    message = DECODERS[case["kind"]](bytes.fromhex(case["hex"]))
    from_value = msgspec.convert(
        from_plain(case["value"]), TYPES[case["kind"]], builtin_types=(bytes,)
    )
    assert message == from_value


@pytest.mark.parametrize("case", CANONICAL)
def test_the_value_encodes_to_the_bytes(case: dict[str, Any]) -> None:
    body = bytes.fromhex(case["hex"])
    assert protocol.encode(DECODERS[case["kind"]](body)) == body  # type: ignore[arg-type]  # no line is here
    assert msgpack.packb(from_plain(case["value"])) == body
    assert msgspec.msgpack.encode(from_plain(case["value"])) == body


@pytest.mark.parametrize("case", FRAMES)
def test_independent_decoders_agree(case: dict[str, Any]) -> None:
    body = bytes.fromhex(case["hex"])
    assert to_plain(msgspec.msgpack.decode(body)) == case["value"]
    assert to_plain(msgpack.unpackb(body)) == case["value"]
    typed = msgspec.msgpack.decode(body, type=TYPES[case["kind"]])
    assert typed == DECODERS[case["kind"]](body)


@pytest.mark.parametrize("case", FILES["door.json"], ids=lambda case: str(case["name"]))
def test_door_lines_are_json(case: dict[str, Any]) -> None:
    line = bytes.fromhex(case["hex"])
    assert json.loads(line) == case["value"]
    assert line.endswith(b"\n")


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_bytes_get_their_code(case: dict[str, Any]) -> None:
    with pytest.raises(WireError) as caught:
        DECODERS[case["kind"]](bytes.fromhex(case["hex"]))
    assert caught.value.code == case["error"]


def test_every_class_of_message_has_a_vector() -> None:
    met = {
        struct
        for cases in FILES.values()
        for case in cases
        if "value" in case
        for struct in _classes(DECODERS[case["kind"]](bytes.fromhex(case["hex"])))
    }
    unions = (
        protocol.Request,
        protocol.Intent,
        protocol.Answer,
        protocol.Publication,
        protocol.Event,
        protocol.DoorAnswer,
    )
    wanted = {cls for union in unions for cls in get_args(union)}
    assert wanted | {protocol.Banner, protocol.Enrol, protocol.Proof} <= met


def test_every_wire_code_has_a_vector() -> None:
    met = {case["error"] for case in FILES["malformed.json"]}
    assert met == set(get_args(protocol.WireCode))


def test_views_of_each_table_size_and_of_a_spectator() -> None:
    answers = [protocol.decode_answer(bytes.fromhex(case["hex"])) for case in FILES["views.json"]]
    views = [one.view for one in answers if isinstance(one, protocol.Current) and one.view]
    assert {len(view.players) for view in views if view.own} == {2, 3, 4}
    assert any(view.own is None for view in views)


def _classes(value: Any) -> set[type]:
    if isinstance(value, tuple):
        return {cls for inner in value for cls in _classes(inner)}
    if not isinstance(value, msgspec.Struct):
        return set()
    inner = (getattr(value, name) for name in value.__struct_fields__)
    return {type(value)}.union(*map(_classes, inner))
