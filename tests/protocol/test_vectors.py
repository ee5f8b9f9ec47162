"""The golden frames: encoded and decoded by our codec, and decoded by two foreign decoders."""

import hmac
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from secrets import token_bytes
from typing import Any, get_args, get_type_hints

import msgpack
import msgspec
import pytest
from msgspec.structs import replace

import protocol
from coffeerush.client import session
from coffeerush.client.model import Model
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.door import CodeProof, HostConversation, Peer
from protocol import WireError
from scripts.programs.vectors.__main__ import FOLDER, SCHEMA
from scripts.programs.vectors.files import contents, from_plain, to_plain
from scripts.programs.vectors.schema import schema
from scripts.programs.vectors.valid import KEY

DECODERS: dict[str, Callable[[bytes], Any]] = {
    "request": protocol.decode_request,
    "answer": protocol.decode_answer,
    "publication": protocol.decode_publication,
    "banner": protocol.decode_banner,
    "enrol": protocol.decode_door_request,
    "ask_term": protocol.decode_door_request,
    "proof": protocol.decode_proof,
    "door_answer": protocol.decode_door_answer,
}
TYPES: dict[str, Any] = {
    "request": protocol.Request,
    "answer": protocol.Answer,
    "publication": protocol.Publication,
    "banner": protocol.Banner,
    "enrol": protocol.Enrol,
    "ask_term": protocol.AskTerm,
    "proof": protocol.Proof,
    "door_answer": protocol.DoorAnswer,
}
LINES = ("banner", "enrol", "ask_term", "proof", "door_answer")
UNUSUAL = ("loose.json", "later.json", "malformed.json", "door.json")


def _read(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file; each step of a dialogue is one."""
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return [{"name": case["name"], **step} for case in cases for step in case.get("steps", [case])]


FILES = {path.name: _read(path) for path in sorted(FOLDER.glob("*.json"))}
NAMED = {
    f"{name}-{number}-{case['name']}": case
    for name, cases in FILES.items()
    for number, case in enumerate(cases)
    if "value" in case
}
FRAMES = {name: case for name, case in NAMED.items() if case["kind"] not in LINES}


def test_the_names_of_malformed_messages_are_unique() -> None:
    names = [case["name"] for case in FILES["malformed.json"]]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_the_script_writes_these_files() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert contents() == texts
    assert schema() == SCHEMA.read_text(encoding="utf-8")


def test_bytes_decode_to_the_value() -> None:
    for name, case in NAMED.items():
        message = DECODERS[case["kind"]](bytes.fromhex(case["hex"]))
        from_value = msgspec.convert(
            from_plain(case["value"]), TYPES[case["kind"]], builtin_types=(bytes,)
        )
        assert message == from_value, name


def shortest(body: bytes, value: Any) -> bytes:
    """Return a message with the length of its table, if it has one, in the shortest form."""
    table = value.get("table") if isinstance(value, dict) else None
    if not isinstance(table, dict) or len(table) > 15:
        return body
    pairs = len(table)
    return body.replace(b"\xa5table\xde\0" + bytes([pairs]), b"\xa5table" + bytes([0x80 | pairs]))


def test_the_value_encodes_to_the_bytes() -> None:
    for name, case in FRAMES.items():
        if name.split("-")[0] not in UNUSUAL:
            body = bytes.fromhex(case["hex"])
            assert protocol.encode(DECODERS[case["kind"]](body)) == body, name
            body = shortest(body, case["value"])
            assert msgpack.packb(from_plain(case["value"])) == body, name
            assert msgspec.msgpack.encode(from_plain(case["value"])) == body, name


def test_independent_decoders_agree() -> None:
    for name, case in FRAMES.items():
        if "an event of" not in name:
            body = bytes.fromhex(case["hex"])
            assert to_plain(msgspec.msgpack.decode(body)) == case["value"], name
            assert to_plain(msgpack.unpackb(body)) == case["value"], name
            typed = msgspec.msgpack.decode(body, type=TYPES[case["kind"]])
            assert typed == DECODERS[case["kind"]](body), name


def test_door_lines_are_json() -> None:
    for case in FILES["door.json"]:
        line = bytes.fromhex(case["hex"])
        assert json.loads(line) == case["value"]
        assert line.endswith(b"\n")


def test_the_proofs_of_a_term_are_made_as_the_text_says() -> None:
    for case in FILES["term_proof.json"]:
        asked = json.loads(case["ask_term"])
        said = (
            f"coffeerush term {asked['epoch']} {asked['term']} {case['deal']} {case['term']} "
            f"{case['host_key']} {asked['nonce']}"
        )
        proof = hmac.new(bytes.fromhex(case["key"]), said.encode(), "sha256").hexdigest()
        assert proof == case["proof"]


def test_malformed_bytes_get_their_code() -> None:
    for case in FILES["malformed.json"]:
        body = bytes.fromhex(case["hex"])
        if case["kind"] in ("enrol", "proof"):
            assert _refused_at_the_door(case["kind"], body) == case["error"], case["name"]
            continue
        with pytest.raises(WireError) as caught:
            DECODERS[case["kind"]](body)
        assert caught.value.code == case["error"], case["name"]
        assert (case["kind"] == "request") == ("id" in case), case["name"]
        if "id" in case:
            assert protocol.malformed(caught.value).id == from_plain(case["id"]), case["name"]


def _refused_at_the_door(kind: str, line: bytes) -> str:
    """Return the code with which a host answers a line instead of an `Enrol` or a `Proof`."""
    admission = Admission(AdmittedKeyring(), Random(1))
    host = HostConversation(admission, KEY, b"", Peer("192.0.2.1", is_local=False))
    if kind == "proof":
        share = CodeProof("client", admission.code, KEY, KEY).share
        assert b"challenge" in host.hear(0.0, protocol.encode_line(protocol.Enrol(KEY, share)))
    host.hear(0.0, line)
    return host.refused


@pytest.mark.parametrize("case", json.loads((FOLDER / "join_code.json").read_text("utf-8")))
def test_a_share_that_is_no_element_is_a_wrong_code(case: dict[str, Any]) -> None:
    if "wrong_share" not in case:
        return
    admission = Admission(AdmittedKeyring(), Random(1))
    host = HostConversation(admission, KEY, b"", Peer("192.0.2.1", is_local=False))
    enrol = protocol.Enrol(KEY, case["wrong_share"])
    assert b"challenge" in host.hear(0.0, protocol.encode_line(enrol))
    host.hear(0.0, protocol.encode_line(protocol.Proof("0" * 64)))
    assert host.refused == "wrong_code"


def test_a_second_fault_has_a_later_code() -> None:
    """In the order of *Wire errors*; both codes are the text's."""
    steps = ("too_large", "not_messagepack", "wrong_version", "too_deep", "wrong_shape")
    pairs = [(case["error"], case["not"]) for case in FILES["malformed.json"] if "not" in case]
    assert {code for code, _ in pairs} == {*steps[:-1]}
    assert all(steps.index(code) < steps.index(other) for code, other in pairs)


ENDINGS = {"here": "", "over": "refused"}


def _fold(model: Model, message: Any) -> Model:
    """Let our client take a step of a dialogue."""
    if isinstance(message, protocol.Request):
        return replace(model, pending=(*model.pending, message))
    if isinstance(message, protocol.Answer):
        return session.answer(model, message, token_bytes(16))[0]
    return session.hear(model, message, token_bytes(16))[0] if model.epoch else model


@pytest.mark.parametrize(
    ("name", "status", "seat"),
    [
        ("hello, ready, and a start that gives another seat", "here", 1),
        ("a turn, with a repeat, an undo and refusals", "here", 0),
        ("a gap, and a sync", "here", 0),
        ("a host that is killed and resumes its record", "here", 0),
        ("kicked during a game", "over", 1),
    ],
)
def test_our_client_follows_a_dialogue(name: str, status: str, seat: int | None) -> None:
    model, view = Model("player", ""), None
    for case in FILES["dialogues.json"]:
        if case["name"] == name:
            message = DECODERS[case["kind"]](bytes.fromhex(case["hex"]))
            model = _fold(model, message)
            if isinstance(message, protocol.Snapshot | protocol.Current):
                view = message.view
    assert (model.status, model.seat, model.ending) == (status, seat, ENDINGS[status])
    assert status == "over" or model.view == view


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


def test_every_change_of_people_has_a_vector() -> None:
    messages = [DECODERS[case["kind"]](bytes.fromhex(case["hex"])) for case in FILES["events.json"]]
    told = [event for one in messages if isinstance(one, protocol.Update) for event in one.events]
    changes = {event.change for event in told if isinstance(event, protocol.PeopleChanged)}
    assert changes == set(get_args(get_type_hints(protocol.PeopleChanged)["change"]))


def test_every_wire_code_has_a_vector() -> None:
    requests = [case for case in FILES["malformed.json"] if case["kind"] == "request"]
    assert {case["error"] for case in requests} == set(get_args(protocol.WireCode))


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
