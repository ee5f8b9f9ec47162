"""Bytes to messages and back, with every limit; the only module that touches MessagePack.

The outer side of the wire is hostile: bytes are measured, then unpacked with small limits, then
held against the types, and only then looked at.
"""

from typing import Any, Final, TypeVar

import msgpack
import msgspec

from .errors import NotMessagePack, TooDeep, TooLarge, WrongShape, WrongVersion
from .messages import (
    NO_ID,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Answer,
    Banner,
    DoorAnswer,
    Enrol,
    Publication,
    Request,
)

MAX_REQUEST_BYTES: Final = 4096
MAX_ANSWER_BYTES: Final = 65536
MAX_DOOR_BYTES: Final = 512
MAX_DEPTH: Final = 8
MAX_ELEMENTS: Final = 64
MAX_TEXT_BYTES: Final = 256
MAX_BINARY_BYTES: Final = 64

_T = TypeVar("_T")
_encoder = msgspec.msgpack.Encoder()
_json = msgspec.json.Encoder()


def encode(message: Request | Answer | Publication) -> bytes:
    """Return the MessagePack bytes of a message."""
    return _encoder.encode(message)


def decode_request(body: bytes) -> Request:
    """Return the request in `body`.

    Raises:
        WireError: the bytes are too large, too deep, no MessagePack or no request.
    """
    value = _unpack(body, MAX_REQUEST_BYTES)
    _check_version(value)
    return _convert(value, Request)


def decode_answer(body: bytes) -> Answer:
    """Return the answer in `body`; raises `WireError`."""
    return _convert(_unpack(body, MAX_ANSWER_BYTES), Answer)


def decode_publication(body: bytes) -> Publication:
    """Return the publication in `body`; raises `WireError`."""
    return _convert(_unpack(body, MAX_ANSWER_BYTES), Publication)


def request_id(body: bytes) -> bytes:
    """Return the id of a request that could not be decoded, or `NO_ID`; never raises."""
    try:
        value = _unpack(body, MAX_REQUEST_BYTES)
    except (NotMessagePack, TooLarge, TooDeep):
        return NO_ID
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, bytes) and len(found) == len(NO_ID) else NO_ID


def encode_line(message: Banner | Enrol | DoorAnswer) -> bytes:
    """Return a door line, its newline included."""
    return _json.encode(message) + b"\n"


def decode_banner(line: bytes) -> Banner:
    """Return the host's first door line; raises `WireError`."""
    return _decode_line(line, Banner)


def decode_enrol(line: bytes) -> Enrol:
    """Return the client's door line; raises `WireError`."""
    return _decode_line(line, Enrol)


def decode_door_answer(line: bytes) -> DoorAnswer:
    """Return the host's second door line; raises `WireError`."""
    return _decode_line(line, DoorAnswer)


def _decode_line(line: bytes, kind: Any) -> Any:
    if len(line) > MAX_DOOR_BYTES:
        raise TooLarge(f"a door line has at most {MAX_DOOR_BYTES} bytes, this one {len(line)}")
    try:
        return msgspec.json.decode(line, type=kind, strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WrongShape(str(error)) from None


def _unpack(body: bytes, most: int) -> Any:
    if len(body) > most:
        raise TooLarge(f"a message here has at most {most} bytes, this one {len(body)}")
    try:
        value = msgpack.unpackb(
            body,
            raw=False,
            strict_map_key=True,
            max_array_len=MAX_ELEMENTS,
            max_map_len=MAX_ELEMENTS,
            max_str_len=MAX_TEXT_BYTES,
            max_bin_len=MAX_BINARY_BYTES,
            max_ext_len=0,
        )
    except (RecursionError, msgpack.StackError):
        raise TooDeep(f"a message is at most {MAX_DEPTH} levels deep") from None
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise NotMessagePack(f"not one whole MessagePack value: {error}") from None
    _check_depth(value, MAX_DEPTH)
    return value


def _check_depth(value: Any, left: int) -> None:
    if isinstance(value, float):
        raise WrongShape("no message has a floating-point number")
    if isinstance(value, (dict, list)):
        if not left:
            raise TooDeep(f"a message is at most {MAX_DEPTH} levels deep")
        for inner in value.values() if isinstance(value, dict) else value:
            _check_depth(inner, left - 1)


def _check_version(value: Any) -> None:
    """Tell another version apart from a wrong shape: its hello may have fields we do not know."""
    if not isinstance(value, dict) or value.get("type") != "hello":
        return
    spoken = value.get("protocol")
    if type(spoken) is int and not PROTOCOL_OLDEST <= spoken <= PROTOCOL_VERSION:
        raise WrongVersion(
            f"this host speaks protocol {PROTOCOL_OLDEST} to {PROTOCOL_VERSION}, not {spoken}"
        )


def _convert(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, type=kind, strict=True)
    except msgspec.ValidationError as error:
        raise WrongShape(str(error)) from None
