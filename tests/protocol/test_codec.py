"""Whatever the bytes are, decoding gives a message within its bounds or a WireError."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import assume, example, given, strategies as st
from msgspec import inspect

import protocol
from protocol import (
    MAX_ANSWER_BYTES,
    MAX_DOOR_BYTES,
    MAX_INTEGER,
    MAX_REQUEST_BYTES,
    MAX_TEXT_BYTES,
    NO_ID,
    PROTOCOL_VERSION,
    Answer,
    Banner,
    DoorAnswer,
    DoorRefused,
    Enrol,
    Hello,
    Malformed,
    Publication,
    Refusal,
    RefusedError,
    Request,
    Submit,
    Sync,
    TooDeep,
    WireError,
    WrongShape,
    decode_answer,
    decode_banner,
    decode_door_answer,
    decode_door_request,
    decode_proof,
    decode_publication,
    decode_request,
    encode,
    encode_line,
    malformed,
)
from scripts.programs.vectors.valid import ANSWERS, DOOR, ID, PUBLICATIONS, REQUESTS

from .shapes import ROOTS, values, walk

BODIES: tuple[Callable[[bytes], Any], ...] = (decode_request, decode_answer, decode_publication)
LINES: tuple[Callable[[bytes], Any], ...] = (
    decode_banner,
    decode_door_request,
    decode_proof,
    decode_door_answer,
)
FRAMES = [encode(message) for message in (*REQUESTS, *ANSWERS, *PUBLICATIONS)]

KEYS = st.one_of(
    st.sampled_from(["type", "id", "protocol", "name", "role", "game", "rev", "intent", "seat"]),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.integers(-5, 5),
    st.none(),
    st.booleans(),
    st.floats(),
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.text(max_size=300),
    st.binary(max_size=70),
    st.sampled_from(["hello", "sync", "intent", "step", "done", "tick", ID]),
    st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=4)),
    st.builds(msgpack.Timestamp, st.integers(0, 2**33), st.integers(0, 999)),
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
PACKED = ANYTHING.map(msgpack.packb)


@st.composite
def _mutated(draw: st.DrawFn) -> bytes:
    """Return a valid frame with some bytes changed, inserted or cut."""
    body = bytearray(draw(st.sampled_from(FRAMES)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(body)))
        body[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(body)


@st.composite
def _replaced(draw: st.DrawFn) -> bytes:
    """Return a valid message with one value replaced by anything."""
    value = msgpack.unpackb(draw(st.sampled_from(FRAMES)))
    value[draw(st.sampled_from([*value, "more"]))] = draw(ANYTHING)
    packed: bytes = msgpack.packb(value)
    return packed


@given(st.one_of(st.binary(max_size=200), PACKED, _mutated(), _replaced()))
@example(b"\x91" * 10_000 + b"\xc0")
@example(b"\x81\xa1x" * 10_000 + b"\xc0")
@example(b"\x91" * 60_000)
@example(b"\xdd\xff\xff\xff\xff")
@example(b"\xdf\xff\xff\xff\xff")
@example(b"\xc6\xff\xff\xff\xff")
@example(b"\x81\x91\xc0\xc0")
@example(b"\x81\x81\xc0\xc0\xc0")
@example(b"\xc7\x00\xff")
@example(bytes(MAX_ANSWER_BYTES + 1))
def test_only_wire_errors_come_out(body: bytes) -> None:
    for decode in BODIES:
        try:
            message = decode(body)
        except WireError as error:
            answer = malformed(error)
            assert decode_answer(encode(answer)) == answer
        else:
            assert decode(encode(message)) == message


@given(
    st.one_of(
        st.binary(max_size=100),
        st.text(max_size=100).map(str.encode),
        ANYTHING.map(repr).map(lambda text: text.encode(errors="replace")),
        st.sampled_from([encode_line(line) for line in DOOR]).flatmap(
            lambda line: st.integers(0, len(line)).map(lambda at: line[:at] + b"\xff" + line[at:])
        ),
    )
)
@example(b"[" * MAX_DOOR_BYTES)
@example(b'{"type":' * 60)
@example(b'{"type":"enrol","key":"' + b"\\ud800" * 40 + b'"}')
@example(b'{"type":"enrol","key":NaN}')
@example(b'{"type":"enrol","key":' + b"9" * 400 + b"}")
@example(b" " * (MAX_DOOR_BYTES + 1))
def test_only_wire_errors_come_out_of_lines(line: bytes) -> None:
    for decode in LINES:
        with suppress(WireError):
            decode(line)


@pytest.mark.slow
@given(values(Request))
def test_requests_round_trip(message: Request) -> None:
    assume(message.id != NO_ID)
    if isinstance(message, Hello):  # any other version is refused
        message = msgspec.structs.replace(message, protocol=PROTOCOL_VERSION)
    body = encode(message)
    assert len(body) <= MAX_REQUEST_BYTES
    assert decode_request(body) == message
    assert msgspec.msgpack.decode(body, type=Request) == message


@given(values(Answer))
def test_answers_round_trip(message: Answer) -> None:
    assert decode_answer(encode(message)) == message


@given(values(Publication))
def test_publications_round_trip(message: Publication) -> None:
    assert decode_publication(encode(message)) == message


@given(values(Banner))
def test_banners_round_trip(line: Banner) -> None:
    assert len(encode_line(line)) <= MAX_DOOR_BYTES
    assert decode_banner(encode_line(line)) == line


@given(values(Enrol))
def test_enrol_lines_round_trip(line: Enrol) -> None:
    assert decode_door_request(encode_line(line)) == line


def test_the_longest_refusal_fits_a_door_line() -> None:
    for text in ('"' * 200, "한" * 85, "👍" * 64):
        answer: DoorAnswer = DoorRefused(Refusal("bad_key", text))
        assert decode_door_answer(encode_line(answer)) == answer


def test_everything_on_the_wire_is_bounded() -> None:
    for info in walk(*ROOTS):
        match info:
            case inspect.IntType(ge=least, le=most):
                assert least is not None
                assert most is not None
                assert -MAX_INTEGER <= least <= most <= MAX_INTEGER
            case inspect.StrType(max_length=most) | inspect.BytesType(max_length=most):
                assert most is not None
            case inspect.VarTupleType(max_length=most) | inspect.DictType(max_length=most):
                assert most is not None
                assert most <= protocol.MAX_ELEMENTS
            case inspect.StructType(cls=cls):
                config = cls.__struct_config__
                assert config.frozen
                assert config.forbid_unknown_fields or cls is Banner
            case other:
                assert not isinstance(other, (inspect.FloatType, inspect.AnyType))
                assert not isinstance(other, (inspect.ListType, inspect.SetType))


@pytest.mark.parametrize("key", ["id", "type"])
def test_the_last_of_two_duplicate_keys_wins(key: str) -> None:
    body = b"\x83" + encode(Sync(ID))[1:] + msgpack.packb(key) + msgpack.packb("x")
    with pytest.raises(WrongShape):
        decode_request(body)


def test_nesting_is_checked_before_anything_else() -> None:
    for deep in (9, 100, 1_000, 4_000):
        with pytest.raises(TooDeep):
            decode_request(b"\x91" * deep + b"\xc0")


def _packed(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


def _deep(levels: int) -> list[Any]:
    return [_deep(levels - 1)] if levels else []


_NEWER = {"type": "hello", "id": ID, "protocol": PROTOCOL_VERSION + 1}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (msgpack.packb({"id": ID, "type": "cheat"}), ID),
        (msgpack.packb({"id": ID, "x": 1.5}), ID),
        (msgpack.packb({"id": ID, "type": "hello", "protocol": 99}), ID),
        (msgpack.packb({"id": ID, "x": [[[[[[[[[[0]]]]]]]]]]}), ID),
        (msgpack.packb({"id": ID[1:]}), NO_ID),
        (msgpack.packb({"id": "x" * 16}), NO_ID),
        (msgpack.packb([ID]), NO_ID),
        (encode(Sync(ID))[:-1], NO_ID),
        (b"", NO_ID),
    ],
)
def test_the_request_id_is_recovered_if_possible(body: bytes, found: bytes) -> None:
    with pytest.raises(WireError) as caught:
        decode_request(body)
    assert malformed(caught.value).id == found


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"\xc1" * (MAX_REQUEST_BYTES + 1), "too_large"),
        (_packed(_deep(9)) + b"\xc1", "not_messagepack"),
        (_packed(_NEWER) + b"\xc1", "not_messagepack"),
        (_packed(_NEWER | {"name": "x" * 300}), "too_large"),
        (_packed(_NEWER | {"x": _deep(9)}), "wrong_version"),
        (_packed(_NEWER | {"name": 0.5}), "wrong_version"),
        (_packed({"type": "sync", "id": ID, "x": 0.5, "y": _deep(9)}), "too_deep"),
        (_packed({"type": "cheat", "id": ID, "y": _deep(9)}), "too_deep"),
    ],
)
def test_of_several_wire_errors_the_earlier_one_counts(body: bytes, code: str) -> None:
    with pytest.raises(WireError) as caught:
        decode_request(body)
    assert caught.value.code == code


def test_an_id_of_zeros_is_not_one() -> None:
    for request in REQUESTS:
        with pytest.raises(WrongShape) as caught:
            decode_request(encode(msgspec.structs.replace(request, id=NO_ID)))
        assert malformed(caught.value).id == NO_ID


def test_a_malformed_answer_never_quotes_control_characters() -> None:
    body = msgpack.packb({"type": "sync", "id": ID, "\x1b[2J\u202e" + "한" * 80: 1})
    with pytest.raises(WrongShape) as caught:
        decode_request(body)
    answer = malformed(caught.value)
    assert answer.id == ID
    assert answer.code == "wrong_shape"
    assert answer.text.isprintable()
    assert len(answer.text.encode()) <= MAX_TEXT_BYTES


def test_a_malformed_answer_truncates_long_errors() -> None:
    answer = malformed(WrongShape("👍\x1b" * 300))
    assert decode_answer(encode(answer)) == answer
    assert isinstance(answer, Malformed)


def test_a_refusal_always_fits() -> None:
    refusal = RefusedError("name_taken", name="한" * 300, rev=7).refusal
    answer: Answer = protocol.Refused(ID, refusal, 1, 7)
    assert decode_answer(encode(answer)) == answer


def test_requests_at_their_upper_bounds_pass() -> None:
    message = Submit(b"\xff" * 16, MAX_INTEGER, MAX_INTEGER, protocol.Step(2, 15))
    assert decode_request(encode(message)) == message


LATER = {"type": "cat_walked_in", "name": "Tom", "paws": [0.5]}


@pytest.mark.parametrize("message", [*ANSWERS, *PUBLICATIONS])
def test_events_of_a_later_host_are_passed_over(message: Answer | Publication) -> None:
    value = msgpack.unpackb(encode(message))
    for field in {"events", "log"} & value.keys():
        value[field] = [LATER, *value[field], LATER][: protocol.MAX_EVENTS]
    decode = decode_answer if isinstance(message, Answer) else decode_publication
    assert decode(msgpack.packb(value)) == message


def test_a_topic_is_the_number_of_a_table_in_four_bytes() -> None:
    """SPEC.md, section 2.1."""
    assert protocol.topic(0x01020304) == b"\1\2\3\4"
    assert protocol.split_publication(b"\0\0\1\0message") == (256, b"message")


def test_an_event_must_have_a_type() -> None:
    value = msgpack.unpackb(encode(PUBLICATIONS[-1]))
    events: tuple[Any, ...] = ({"name": "Tom"}, {"type": 1}, "cat_walked_in", [], None)
    for event in events:
        with pytest.raises(WrongShape):
            decode_publication(msgpack.packb(value | {"events": [event]}))


def test_codes_of_a_later_host_are_kept() -> None:
    refusal = Refusal("no_cats", "Cats are not allowed.", {"paws": 4})
    answers: tuple[Answer, ...] = (
        protocol.Refused(ID, refusal, 1, 7),
        Malformed(ID, "too_furry", "A request has no fur."),
    )
    for answer in answers:
        assert decode_answer(encode(answer)) == answer
    assert decode_door_answer(encode_line(DoorRefused(refusal))) == DoorRefused(refusal)


def _with_a_float(value: Any) -> Iterator[Any]:
    """Yield variants of a value, each with one of its integers as a float."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            for inner in _with_a_float(value[key]):
                other = value.copy()
                other[key] = inner
                yield other
    elif type(value) is int:
        yield float(value)


@pytest.mark.parametrize(
    ("decode", "messages"),
    [(decode_request, REQUESTS), (decode_answer, ANSWERS), (decode_publication, PUBLICATIONS)],
)
def test_no_number_is_a_float(decode: Callable[[bytes], Any], messages: Iterable[Any]) -> None:
    floats = [
        msgpack.packb(other, use_single_float=single)
        for message in messages
        for single in (False, True)
        for other in _with_a_float(msgpack.unpackb(encode(message)))
    ]
    assert floats
    for body in floats:
        with pytest.raises(WrongShape, match="no message has a floating-point number"):
            decode(body)
