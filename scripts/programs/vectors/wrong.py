"""Malformed messages, each with its error code."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgpack

from protocol import (
    MAX_CARDS,
    MAX_DEPTH,
    MAX_DOOR_BYTES,
    MAX_ELEMENTS,
    MAX_PIECE_BYTES,
    MAX_REQUEST_BYTES,
    MAX_TALLY_ROUNDS,
    MAX_TEXT_BYTES,
    NO_ID,
    WireCode,
)

from .valid import EPOCH, ID, KEY


class Wrong(NamedTuple):
    """A malformed case."""

    name: str
    kind: str
    body: bytes
    code: str
    other: str = ""
    """The code of a second fault, which would come later."""

    @property
    def id(self) -> bytes:
        """The id in the answer to such a request; zeros if the bytes cannot be read."""
        try:
            value = msgpack.unpackb(self.body, strict_map_key=True, ext_hook=_no_extension)
        except (ValueError, RecursionError):
            return NO_ID
        found = value.get("id") if isinstance(value, dict) and self.code != "too_large" else None
        return found if isinstance(found, bytes) and len(found) == len(NO_ID) else NO_ID


def _no_extension(_code: int, _data: bytes) -> None:
    raise ValueError


_SYNC: Final[dict[Any, Any]] = {"type": "sync", "id": ID}
_HELLO: Final = {"type": "hello", "id": ID, "protocol": 6, "name": "Ann", "role": "player"}
_ADD_BOT: Final = {"type": "add_bot", "id": ID, "seat": 1, "bot": "regular"}
_STEP: Final = {"type": "step", "meeple": 1, "cell": 9}
_SUBMIT: Final = {"type": "intent", "id": ID, "game": 1, "rev": 1, "intent": _STEP}
_TICK: Final = {
    "type": "tick",
    "epoch": EPOCH,
    "seq": 1,
    "game": 1,
    "rev": 1,
    "private_revs": [0, 0],
}


def _pack(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


def _key(packed: bytes) -> bytes:
    """Return a sync whose third key is `packed`, with nil as its value."""
    return b"\x83" + _pack(_SYNC)[1:] + packed + b"\xc0"


def _too_much() -> Iterator[tuple[str, bytes, WireCode]]:
    yield "more bytes than a request has", bytes(MAX_REQUEST_BYTES + 1), "too_large"
    yield "a long array", _pack(_SYNC | {"x": [0] * (MAX_ELEMENTS + 1)}), "too_large"
    yield "a long map", _pack({str(n): 0 for n in range(MAX_ELEMENTS + 1)}), "too_large"
    yield "a long text", _pack(_HELLO | {"name": "x" * (MAX_TEXT_BYTES + 1)}), "too_large"
    yield "a long binary", _pack(_SYNC | {"id": bytes(MAX_PIECE_BYTES + 1)}), "too_large"
    yield "arrays too deep", b"\x91" * (MAX_DEPTH + 1) + b"\xc0", "too_deep"
    yield "maps too deep", b"\x81\xa1x" * (MAX_DEPTH + 1) + b"\xc0", "too_deep"
    yield "as deep as bytes allow", b"\x91" * (MAX_REQUEST_BYTES - 1) + b"\xc0", "too_deep"


def _not_messagepack() -> Iterator[tuple[str, bytes, WireCode]]:
    whole = _pack(_SYNC)
    yield "no bytes", b"", "not_messagepack"
    yield "the byte that is never used", b"\xc1", "not_messagepack"
    yield "cut off", whole[:-1], "not_messagepack"
    yield "followed by more", whole + b"\xc0", "not_messagepack"
    yield "two values", whole * 2, "not_messagepack"
    yield "invalid UTF-8", whole.replace(b"sync", b"syn\xff"), "not_messagepack"
    yield "a surrogate", whole.replace(b"\xa4sync", b"\xa3\xed\xa0\x80"), "not_messagepack"
    yield "an array that promises too little", b"\x92\xc0", "not_messagepack"
    yield "an HTTP request", b"GET / HTTP/1.1\r\n\r\n", "not_messagepack"


def _values() -> Iterator[tuple[str, Any]]:
    yield "nil", None
    yield "an array", ["sync", ID]
    yield "an empty map", {}
    yield "an unknown type", _SYNC | {"type": "cheat"}
    yield "an answer", {"type": "done", "id": ID}
    yield "a type that is a number", _SYNC | {"type": 1}
    yield "no type", {"id": ID}
    yield "no id", {"type": "sync"}
    yield "an id of zeros", _SYNC | {"id": NO_ID}
    yield "a short id", _SYNC | {"id": ID[1:]}
    yield "a long id", _SYNC | {"id": ID + b"x"}
    yield "an id that is text", _SYNC | {"id": "x" * 16}
    yield "an id that is text in Base64", _SYNC | {"id": "AAECAwQFBgcICQoLDA0ODw=="}
    yield "an unknown field", _SYNC | {"seat": 1}
    yield "a name that is binary", _HELLO | {"name": b"Ann"}
    yield "an empty name", _HELLO | {"name": ""}
    yield "a long name", _HELLO | {"name": "x" * 25}
    yield "an unknown role", _HELLO | {"role": "owner"}
    yield "a long chat line", {"type": "chat", "id": ID, "text": "x" * 81}
    yield "true for a number", _ADD_BOT | {"seat": True}
    yield "text for a number", _ADD_BOT | {"seat": "1"}
    yield "a number for true", {"type": "ready", "id": ID, "ready": 1}
    yield "a seat too many", _ADD_BOT | {"seat": 4}
    yield "an offset too great", {"type": "record", "id": ID, "game": 1, "offset": 2**21}
    yield "a negative rev", _SUBMIT | {"rev": -1}
    yield "a rev too great", _SUBMIT | {"rev": 2**53}
    yield "the greatest integer", _SUBMIT | {"rev": 2**64 - 1}
    yield "the least integer", _SUBMIT | {"rev": -(2**63)}
    yield "a float", _ADD_BOT | {"seat": 1.0}
    yield "not a number", _ADD_BOT | {"seat": float("nan")}
    yield "infinity", _ADD_BOT | {"seat": float("inf")}
    yield "a float in a field unknown", _SYNC | {"x": [[0.5]]}
    yield "an extension", _SYNC | {"id": msgpack.ExtType(5, ID)}
    yield "an empty extension", _SYNC | {"id": msgpack.ExtType(5, b"")}
    yield "a timestamp", _SYNC | {"id": msgpack.Timestamp(1, 0)}
    yield "a key that is a number", {1: 2}
    yield "a key that is binary", _SYNC | {b"x": 1}
    yield "no intent", _SUBMIT | {"intent": None}
    yield "an unknown intent", _SUBMIT | {"intent": {"type": "resign"}}
    yield "an intent that is an array", _SUBMIT | {"intent": ["step", 1, 9]}
    yield "a cell outside of the board", _SUBMIT | {"intent": _STEP | {"cell": 16}}
    yield "cup 0", _SUBMIT | {"intent": {"type": "empty_cup", "cup": 0}}
    yield (
        "an ingredient too many",
        _SUBMIT | {"intent": {"type": "pour", "ingredient": 8, "cup": 1}},
    )


def _requests() -> Iterator[tuple[str, bytes, WireCode]]:
    yield from _too_much()
    yield from _not_messagepack()
    for name, value in _values():
        yield name, _pack(value), "wrong_shape"
    for name, packed in (("nil", b"\xc0"), ("an array", b"\x90"), ("a map", b"\x80")):
        yield f"a key that is {name}", _key(packed), "wrong_shape"
    yield "protocol 0", _pack(_HELLO | {"protocol": 0}), "wrong_version"
    yield "an older protocol", _pack(_HELLO | {"protocol": 3}), "wrong_version"
    newer = _HELLO | {"protocol": 7, "language": "pt"}
    yield "a newer protocol with a field unknown", _pack(newer), "wrong_version"


def _two_faults() -> Iterator[Wrong]:
    """Yield requests with two faults, of which the first counts."""
    deep: Any = 0
    for _level in range(MAX_DEPTH):
        deep = [deep]
    newer = _HELLO | {"protocol": 7}
    whole = bytes(MAX_REQUEST_BYTES + 1)
    for code, other, body in (
        ("too_large", "not_messagepack", b"\xc1" + whole),
        ("too_large", "wrong_version", _pack(newer | {"name": "x" * (MAX_TEXT_BYTES + 1)})),
        ("too_large", "wrong_shape", _pack(_SYNC | {"x": [0.5] * (MAX_ELEMENTS + 1)})),
        ("not_messagepack", "wrong_version", _pack(newer) + b"\xc0"),
        ("not_messagepack", "too_deep", _pack(_SYNC | {"x": deep}) + b"\xc0"),
        ("not_messagepack", "wrong_shape", _pack(_SYNC | {"x": 0.5}) + b"\xc0"),
        ("wrong_version", "too_deep", _pack(newer | {"x": deep})),
        ("wrong_version", "wrong_shape", _pack(newer | {"name": 0.5})),
        ("too_deep", "wrong_shape", _pack(_SYNC | {"x": 0.5, "y": deep})),
    ):
        yield Wrong(f"{code}, and {other}", "request", body, code, other)
    cheat = _pack({"type": "cheat", "id": ID, "y": deep})
    yield Wrong("too_deep, and an unknown type", "request", cheat, "too_deep", "wrong_shape")


def _door() -> Iterator[tuple[str, str, bytes, str]]:
    banner = (
        f'{{"game":"coffeerush","oldest":4,"newest":4,"table":"A","requests":1,"key":"{KEY}"}}\n'
    )
    yield "a banner without updates", "banner", banner.encode(), "wrong_shape"
    yield "an HTTP answer", "banner", b"HTTP/1.1 400 Bad Request\r\n", "wrong_shape"
    yield "an SSH banner", "banner", b"SSH-2.0-OpenSSH_9.6\r\n", "wrong_shape"
    yield "no line", "enrol", b"", "bad_key"
    yield "a short key", "enrol", b'{"type":"enrol","key":"short"}\n', "bad_key"
    yield "no key", "enrol", b'{"type":"enrol"}\n', "bad_key"
    yield "another type", "enrol", f'{{"type":"hi","key":"{KEY}"}}\n'.encode(), "bad_key"
    unknown = f'{{"type":"enrol","key":"{KEY}","x":1}}\n'
    yield "an unknown field of an enrol", "enrol", unknown.encode(), "bad_key"
    yield "invalid UTF-8 in an enrol", "enrol", b'{"type":"enrol","key":"\xff"}\n', "bad_key"
    yield "arrays very deep", "enrol", b"[" * MAX_DOOR_BYTES, "bad_key"
    yield "a long line", "enrol", b" " * (MAX_DOOR_BYTES + 1), "bad_key"
    long = f'{{"type":"enrol","key":"{KEY}","share":"{"0" * 65}"}}\n'
    yield "a share that is too long", "enrol", long.encode(), "bad_key"
    for name, share in (("no hex", "g" * 64), ("capitals", "A" * 64), ("a short share", "00")):
        line = f'{{"type":"enrol","key":"{KEY}","share":"{share}"}}\n'
        yield f"a share: {name}", "enrol", line.encode(), "bad_key"
    no_key = f'{{"type":"enrol","key":"{"#" * 40}"}}\n'
    yield "a key of more than 32 bytes", "enrol", no_key.encode(), "bad_key"
    yield "a short proof", "proof", b'{"type":"proof","proof":"00"}\n', "wrong_code"
    yield "no proof", "proof", b'{"type":"proof"}\n', "wrong_code"
    yield "a challenge without a share", "door_answer", b'{"type":"challenge"}\n', "wrong_shape"
    yield "an unknown answer", "door_answer", b'{"type":"welcome"}\n', "wrong_shape"
    empty_code = b'{"type":"refused","refusal":{"code":"","text":""}}\n'
    yield "an empty code at the door", "door_answer", empty_code, "wrong_shape"


def _result(tallies: Any) -> dict[Any, Any]:
    """Return an update in the stage `result`."""
    table = {
        "name": "A",
        "stage": "result",
        "seats": [{"status": "open"}] * 2,
        "owner": None,
        "bots": [],
        "spectators": [],
        "starters": False,
        "turn_seconds": 0,
        "clock": None,
        "tallies": tallies,
    }
    return _TICK | {"type": "update", "events": [], "table": table, "view": None}


def _tallies() -> Iterator[tuple[str, Any]]:
    tally: dict[Any, Any] = {"scores": [0, 2], "best_served": 2, "best_round": 2}
    yield "five tallies", [tally] * 5
    yield "a tally without a score", [tally | {"scores": []}]
    yield "a tally with a score too great", [tally | {"scores": [MAX_CARDS + 1]}]
    yield "a tally with four orders in a turn", [tally | {"best_served": 4}]
    yield "a tally without its round", [{"scores": [0], "best_served": 0}]
    yield "a tally with more", [tally | {"cups": []}]
    yield "a tally that is an array", [[[0, 2], 2, 2]]


def wrong() -> Iterator[Wrong]:
    """Yield every malformed case."""
    for name, body, code in _requests():
        yield Wrong(name, "request", body, code)
    yield from _two_faults()
    for case in (*_answers(), *_publications(), *_door()):
        yield Wrong(*case)


def _answers() -> Iterator[tuple[str, str, bytes, WireCode]]:
    done = {"type": "done", "id": ID}
    yield "a request for an answer", "answer", _pack(_SYNC), "wrong_shape"
    yield "an answer with more", "answer", _pack(done | {"x": 1}), "wrong_shape"
    yield "a float in an answer", "answer", _pack(done | {"x": 0.5}), "wrong_shape"
    yield "an answer cut off", "answer", _pack(done)[:-1], "not_messagepack"
    no_code = {"type": "malformed", "id": ID, "code": "", "text": ""}
    yield "an empty code", "answer", _pack(no_code), "wrong_shape"


def _publications() -> Iterator[tuple[str, str, bytes, WireCode]]:
    yield "a short epoch", "publication", _pack(_TICK | {"epoch": EPOCH[1:]}), "wrong_shape"
    yield (
        "five private revs",
        "publication",
        _pack(_TICK | {"private_revs": [0] * 5}),
        "wrong_shape",
    )
    yield "a tick without seq", "publication", _pack({"type": "tick"}), "wrong_shape"
    for name, tallies in _tallies():
        yield name, "publication", _pack(_result(tallies)), "wrong_shape"
    rounds = [{"scores": [0] * (MAX_TALLY_ROUNDS + 1), "best_served": 0, "best_round": 0}]
    yield "a tally of too many rounds", "publication", _pack(_result(rounds)), "too_large"
