"""The leak detectors work: each test plants a leak that they must find."""

import json
from collections.abc import Callable

import msgpack
import msgspec
import pytest

import protocol
from coffeerush.records.entries import read_record
from coffeerush.records.export import export_lines
from tests.soak.oracle.leaks import Inspection, look_at_network
from tests.soak.oracle.reader import SPEC, Unspecified, read
from tests.soak.oracle.taps import Stream
from tests.soak.oracle.truth import Truth
from tests.soak.soak import Soak
from tests.soak.strangers.zmtp import PlainText, sealed
from tests.support.records import head_of, lines, play

VECTORS = SPEC.with_name("vectors")
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"CURVE".ljust(20, b"\0") + bytes(32)
TICK = {"type": "tick", "epoch": bytes(8), "seq": 1, "game": 0, "rev": 0, "private_revs": []}


def inspection(soak: Soak) -> Inspection:
    head = head_of(3)
    exported = export_lines(read_record(lines(play(head))))
    menu = [json.loads(msgspec.json.encode(drink)) for drink in head.setup.deck.drinks]
    names = protocol.Drink.__struct_fields__
    drinks = [dict(zip(names, drink, strict=True)) for drink in menu]
    return Inspection(soak, Truth([json.loads(line) for line in exported], drinks))


def in_words(cup: tuple[int, ...]) -> bytes:
    counts = ", ".join(map(str, cup))
    params: dict[str, str | int] = {"cup": 2, "contents": counts, "slot": 1, "wanted": "Mocha"}
    return protocol.refusal_text("cup_does_not_match", params).encode()


@pytest.mark.parametrize(
    "planted",
    [
        lambda cup: msgpack.packb({"type": "tick", "more": list(cup)}),
        lambda cup: b"\xc4\x08" + bytes(cup),
        lambda cup: f"cups: {list(cup)}".encode(),
        in_words,
    ],
)
def test_a_cup_is_found_in_what_others_got(planted: Callable[[tuple[int, ...]], bytes]) -> None:
    soak = Soak("finding", 0)
    look = inspection(soak)
    cup = max(look.marks_for(None), key=sum)
    look.look_at_received(b"nothing", None, "Guest")
    assert not soak.broken
    look.look_at_received(b"nothing" + planted(cup) + b"nothing", None, "Guest")
    assert soak.broken


@pytest.mark.parametrize(
    "wrong",
    [
        TICK | {"cups": [0] * 8},
        TICK | {"seq": -1},
        TICK | {"private_revs": [0] * 5},
        TICK | {"epoch": b"short"},
        {name: value for name, value in TICK.items() if name != "rev"},
        TICK | {"type": "tock"},
    ],
)
def test_what_the_specification_does_not_show_is_found(wrong: dict[str, object]) -> None:
    assert read(msgpack.packb(TICK), "Publication") == TICK
    with pytest.raises(Unspecified):
        read(msgpack.packb(wrong), "Publication")


def test_the_golden_frames_are_read_alike() -> None:
    kinds = {"answer": "Answer", "publication": "Publication"}
    read_at_all = 0
    for path in VECTORS.glob("*.json"):
        cases = json.loads(path.read_text())
        for case in (step for one in cases for step in one.get("steps", [one])):
            if case.get("kind") in kinds and "value" in case and path.name != "later.json":
                read(bytes.fromhex(case["hex"]), kinds[case["kind"]])
                read_at_all += 1
    assert read_at_all


def test_what_only_a_later_host_sends_is_found() -> None:
    for case in json.loads((VECTORS / "later.json").read_text()):
        with pytest.raises(Unspecified):
            read(bytes.fromhex(case["hex"]), case["kind"].capitalize())


def frame(body: bytes) -> bytes:
    return bytes([0, len(body)]) + body


def test_plain_text_on_the_network_is_found() -> None:
    message = frame(b"\x07MESSAGE" + bytes(8) + b"sealed")
    assert list(sealed(GREETING + frame(b"\x05HELLO...") + message)) == [b"sealed"]
    for plain in (frame(b"cups"), frame(b""), frame(b"\x04cups")):
        with pytest.raises(PlainText):
            list(sealed(GREETING + message + plain))
    with pytest.raises(PlainText):
        list(sealed(GREETING.replace(b"CURVE", b"NULL\0")))


def test_what_can_be_shortened_is_not_sealed() -> None:
    soak = Soak("finding", 0)
    stream = Stream(2)
    stream.up += GREETING + frame(b"\x07MESSAGE" + bytes(8) + b"a" * 100)
    look_at_network(soak, [stream], door=1)
    assert soak.broken
