"""Encode and decode messages and door lines, with every limit; only this touches MessagePack.

Input is untrusted: its size is checked, it is unpacked with small limits, then validated against
the types. Whatever the bytes are, the decoders raise nothing but `WireError`.
"""

from collections.abc import Iterable
from functools import reduce
from typing import Annotated, Any, Final, TypeAlias, get_args

import msgpack
import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from .errors import NotMessagePack, Refusal, TooDeep, TooLarge, WireError, WrongShape, WrongVersion
from .events import Event
from .messages import (
    MAX_PAD_BYTES,
    MAX_PART_BYTES,
    MAX_PIECE_BYTES,
    NO_ID,
    Answer,
    Count,
    CurveKey,
    Done,
    Elsewhere,
    Lent,
    Malformed,
    Port,
    Publication,
    RecordPart,
    Request,
    SealedPart,
    TableNumber,
    Tables,
    Version,
)
from .text import MAX_TEXT_BYTES, NAME_CELLS, SENTENCE_CHARACTERS, Name, clean_line, clip
from .views import Term

PROTOCOL_NAME: Final = "coffeerush"
PROTOCOL_VERSION: Final = 6
PROTOCOL_OLDEST: Final = 6
"""The oldest version that is still supported."""

MAX_REQUEST_BYTES: Final = 4096
MAX_ANSWER_BYTES: Final = 65536
MAX_DEPTH: Final = 8
MAX_ELEMENTS: Final = 64
TOPIC_BYTES: Final = 4

_TOO_DEEP = f"a message is at most {MAX_DEPTH} levels deep"
_LEAST_PAD: Final = 256
_FILLED_BYTES: Final = MAX_PAD_BYTES + 1 - _LEAST_PAD
_CLASSES: Final = {
    kind: {cls.__struct_config__.tag: cls for cls in get_args(kind)}
    for kind in (Request, Answer, Publication)
}
"""The classes of each kind of message by their tags."""
_EVENTS: Final = {cls.__struct_config__.tag for cls in get_args(Event)}
_NEVER_PADDED = (RecordPart, SealedPart, Lent, Tables, Done, Elsewhere, Malformed)
"""The answers without a View."""
_encoder = msgspec.msgpack.Encoder()


def encode(message: Request | Answer | Publication) -> bytes:
    """Return the MessagePack bytes of a message."""
    return _encoder.encode(message)


def padded(answer: Answer) -> Answer:
    """Fill up the private part of an answer that has options, to a multiple of `_FILLED_BYTES`.

    Encryption does not hide the length of an answer: it would tell how many kinds of ingredients
    are in a hand. The pad is at least `_LEAST_PAD` long, so that its header always is as well.
    """
    if isinstance(answer, _NEVER_PADDED) or not answer.view:
        return answer
    own = answer.view.own
    if own is None or not own.options:
        return answer
    least = len(_encoder.encode(own)) + _LEAST_PAD
    return replace(answer, pad=bytes(_LEAST_PAD + -least % _FILLED_BYTES))


def decode_request(body: bytes) -> Request:
    """Return the request in `body`.

    Raises:
        WireError: the bytes are too large, too deep, not MessagePack or not a request.
    """
    value = _load(body, MAX_REQUEST_BYTES, MAX_PIECE_BYTES)
    try:
        _check_version(value)
        request: Request = _convert(value, Request)
        if request.id == NO_ID:
            raise WrongShape("the id of a request is not all zero")
    except WireError as error:
        error.request_id = _id_in(value)
        raise
    return request


def decode_answer(body: bytes) -> Answer:
    """Return the answer in `body`; raises `WireError`."""
    value = _without_later_events(_load(body, MAX_ANSWER_BYTES, MAX_PART_BYTES))
    answer: Answer = _convert(value, Answer)
    return answer


def decode_publication(body: bytes) -> Publication:
    """Return the publication in `body`; raises `WireError`."""
    value = _without_later_events(_load(body, MAX_ANSWER_BYTES, MAX_PIECE_BYTES))
    publication: Publication = _convert(value, Publication)
    return publication


HALL: Final = 0
"""The topic of what is published to everybody, whatever their table."""


def topic(number: TableNumber) -> bytes:
    """Return what a publication of a table begins with, and what its people subscribe to."""
    return number.to_bytes(TOPIC_BYTES)


def split_publication(frame: bytes) -> tuple[TableNumber, bytes]:
    """Return the number of the table that a frame is about, or `HALL`, and the message."""
    return int.from_bytes(frame[:TOPIC_BYTES]), frame[TOPIC_BYTES:]


def malformed(error: WireError) -> Malformed:
    """Return the answer to bytes for which `decode_request` raised `error`."""
    return Malformed(error.request_id or NO_ID, error.code, _sentence(str(error)))


def _load(body: bytes, most: int, most_binary: int) -> Any:
    if len(body) > most:
        raise TooLarge(f"a message here has at most {most} bytes, this one {len(body)}")
    try:
        return msgpack.unpackb(
            body,
            raw=False,
            strict_map_key=True,
            max_array_len=MAX_ELEMENTS,
            max_map_len=MAX_ELEMENTS,
            max_str_len=MAX_TEXT_BYTES,
            max_bin_len=most_binary,
            max_ext_len=0,
        )
    except (RecursionError, msgpack.StackError):
        raise TooDeep(_TOO_DEEP) from None
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise _unpack_error(str(error)) from None


def _unpack_error(reason: str) -> WireError:
    """Map an error of msgpack to ours by its text: msgpack uses one class for all of them."""
    if "max_ext_len" in reason:
        return WrongShape("no message has an extension type")
    if "exceeds max_" in reason:
        return TooLarge(f"an array, a map or a text is too long: {reason}")
    if "not allowed for map key" in reason:
        return WrongShape("the keys of a map are text")
    return NotMessagePack(f"not one whole MessagePack value: {reason or 'ill-formed'}")


def _without_later_events(value: Any) -> Any:
    """Drop events of unknown types, which a later host may send."""
    for field in ("events", "log"):
        if isinstance(value, dict) and isinstance(value.get(field), list):
            value[field] = [event for event in value[field] if not _is_later(event)]
    return value


def _is_later(event: Any) -> bool:
    kind = event.get("type") if isinstance(event, dict) else None
    return isinstance(kind, str) and kind not in _EVENTS


def _check_depth(value: Any, left: int) -> None:
    """Reject nesting beyond `left` levels."""
    if isinstance(value, (dict, list)):
        if not left:
            raise TooDeep(_TOO_DEEP)
        for inner in _inner(value):
            _check_depth(inner, left - 1)


def _check_floats(value: Any) -> None:
    if isinstance(value, float):
        raise WrongShape("no message has a floating-point number")
    if isinstance(value, (dict, list)):
        for inner in _inner(value):
            _check_floats(inner)


def _inner(value: dict[Any, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _check_version(value: Any) -> None:
    """Raise `WrongVersion` before the shape is checked: a newer hello may have unknown fields."""
    if not isinstance(value, dict) or value.get("type") != "hello":
        return
    spoken = value.get("protocol")
    if type(spoken) is int and not PROTOCOL_OLDEST <= spoken <= PROTOCOL_VERSION:
        raise WrongVersion(
            f"this host speaks protocol {PROTOCOL_OLDEST} to {PROTOCOL_VERSION}, not {spoken}"
        )


def _id_in(value: Any) -> bytes:
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if isinstance(id_, bytes) and len(id_) == len(NO_ID) else b""


def _class_of(value: Any, kind: Any) -> Any:
    """Return the class of a message by its tag, or else the whole union, whose error says why.

    `msgspec.convert` prepares each class of a union for each message: 20 µs, instead of 0.4.
    """
    tag = value.get("type") if isinstance(value, dict) else None
    return _CLASSES[kind].get(tag, kind) if isinstance(tag, str) else kind


def _convert(value: Any, kind: Any) -> Any:
    try:
        # Without builtin_types, Base64 text would be accepted as bytes.
        wanted = _class_of(value, kind)
        return msgspec.convert(value, type=wanted, strict=True, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        # More precise errors than the wrong shape; too deep goes first.
        _check_depth(value, MAX_DEPTH)
        _check_floats(value)
        raise WrongShape(_sentence(str(error))) from None


def _sentence(text: str) -> str:
    """Sanitize the text of an error, which may quote the peer's bytes."""
    return clip(clean_line(text), SENTENCE_CHARACTERS)


# The door handshake: one JSON object per line, before ZeroMQ, which cannot say why it fails


DOOR_PORT: Final = 47820
MAX_DOOR_BYTES: Final = 512

Hex8 = Annotated[str, Meta(min_length=16, max_length=16)]
"""8 bytes in lower-case hex digits."""
Hex32 = Annotated[str, Meta(min_length=64, max_length=64)]
"""32 bytes in lower-case hex digits."""
NoneOrHex32 = Annotated[str, Meta(max_length=64)]
"""32 bytes in lower-case hex digits, or nothing."""

_json = msgspec.json.Encoder()
_Z85: Final = {
    digit: value
    for value, digit in enumerate(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    )
}


def is_curve_key(text: str) -> bool:
    """Return whether a text is 32 bytes in Z85: ZeroMQ accepts no other key."""
    return len(text) == 40 and all(
        _Z85.keys() >= set(five)
        and reduce(lambda value, digit: value * 85 + _Z85[digit], five, 0) < 1 << 32
        for five in (text[at : at + 5] for at in range(0, 40, 5))
    )


class Banner(Struct, frozen=True):
    """The host's first line.

    Every version starts with it, and newer ones may add fields. Unknown fields are ignored, so
    that an older client can still tell which version it needs.
    """

    game: Annotated[str, Meta(max_length=32)]
    """`PROTOCOL_NAME`; anything else is another program."""
    oldest: Version
    newest: Version
    """The range of protocol versions that the host speaks."""
    table: Name
    requests: Port
    updates: Port
    key: CurveKey
    """The host's CURVE public key."""
    code: bool = True
    """Whether a key that the host does not know has to prove the join code."""
    hall: Annotated[str, Meta(max_length=32)] = ""
    """Random; it stays the same when tables move to another host. Empty if there is none."""
    owner: Annotated[str, Meta(max_length=NAME_CELLS)] = ""
    """What the person who hosts is called; empty if there is nobody, or it is unknown."""


class _Line(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Base of the lines after the banner."""


class Enrol(_Line, tag="enrol", frozen=True):
    """The client's first line: asks to admit its key."""

    key: CurveKey
    share: NoneOrHex32 = ""
    """The client's SPAKE2 element, if it has the join code."""


class Challenge(_Line, tag="challenge", frozen=True):
    """The host's second line, to a client that sent a share: both now prove the code."""

    share: Hex32
    """The host's SPAKE2 element."""


class Proof(_Line, tag="proof", frozen=True):
    """The client's second line: proves that it knows the code."""

    proof: Hex32


class Enrolled(_Line, tag="enrolled", frozen=True):
    """The host's last line: the key is admitted, the client may connect."""

    proof: NoneOrHex32 = ""
    """The host's proof, if the client gave one."""


class AskTerm(_Line, tag="ask_term", frozen=True):
    """A host's first line at the door of a standby of its own: does the game go on there?"""

    epoch: Hex8
    term: Term
    """Its epoch and term."""
    nonce: Hex32
    """Random bytes, for the proof."""


class TermProof(_Line, tag="term", frozen=True):
    """The answer: the term in which the game goes on here; only who has opened it has the proof."""

    term: Term
    deal: Count = 0
    """Whose key the proof is made with; 0 if the game does not go on here."""
    proof: NoneOrHex32 = ""


class DoorRefused(_Line, tag="refused", frozen=True):
    """The host's last line: the key is not admitted."""

    refusal: Refusal


DoorRequest: TypeAlias = Enrol | AskTerm
"""The first line of a visitor."""
DoorAnswer: TypeAlias = Challenge | Enrolled | TermProof | DoorRefused
"""The messages that the host sends after its banner."""


def encode_line(message: Banner | DoorRequest | Proof | DoorAnswer) -> bytes:
    """Return a door line, including its newline."""
    return _json.encode(message) + b"\n"


def decode_banner(line: bytes) -> Banner:
    """Return the host's first door line; raises `WireError`."""
    banner: Banner = _decode_line(line, Banner)
    return banner


def decode_door_request(line: bytes) -> DoorRequest:
    """Return a visitor's first door line; raises `WireError`."""
    request: DoorRequest = _decode_line(line, DoorRequest)
    return request


def decode_proof(line: bytes) -> Proof:
    """Return the client's second door line; raises `WireError`."""
    proof: Proof = _decode_line(line, Proof)
    return proof


def decode_door_answer(line: bytes) -> DoorAnswer:
    """Return a door line that the host sent after its banner; raises `WireError`."""
    answer: DoorAnswer = _decode_line(line, DoorAnswer)
    return answer


def _decode_line(line: bytes, kind: Any) -> Any:
    if len(line) > MAX_DOOR_BYTES:
        raise TooLarge(f"a door line has at most {MAX_DOOR_BYTES} bytes, this one {len(line)}")
    try:
        return msgspec.json.decode(line, type=kind, strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WrongShape(_sentence(str(error))) from None
