"""Serialize test vectors as JSON: hex, and the decoded value."""

import json
from collections.abc import Iterator
from typing import Any, Final

import msgpack

from coffeerush.moving.fencing import proof_of
from protocol import Answer, AskTerm, Publication, Request, Submit, encode, encode_line
from scripts.programs.vectors import valid

from .dialogues import dialogues
from .events import event_messages
from .join_code import join_codes
from .played import Line, Step
from .valid import ID
from .wrong import wrong

_LINES: Final = {"Banner": "banner", "Enrol": "enrol", "AskTerm": "ask_term", "Proof": "proof"}


def to_plain(value: Any) -> Any:
    """Convert an unpacked value to JSON types; binary becomes `{"$bin": hex}`."""
    match value:
        case bytes():
            return {"$bin": value.hex()}
        case dict():
            return {key: to_plain(inner) for key, inner in value.items()}
        case list():
            return [to_plain(inner) for inner in value]
    return value


def from_plain(value: Any) -> Any:
    """Invert `to_plain`."""
    match value:
        case {"$bin": str(digits)}:
            return bytes.fromhex(digits)
        case dict():
            return {key: from_plain(inner) for key, inner in value.items()}
        case list():
            return [from_plain(inner) for inner in value]
    return value


def contents() -> dict[str, str]:
    """Return the text of each vector file by name."""
    submits = [(type(i).__name__, Submit(ID, 1, 41, i)) for i in valid.INTENTS]
    return {
        "requests.json": _text(_case(*named) for named in _by_class(valid.REQUESTS)),
        "intents.json": _text(_case(*named) for named in submits),
        "answers.json": _text(_case(*named) for named in _by_class(valid.ANSWERS)),
        "views.json": _text(_case(*named) for named in valid.VIEWS),
        "publications.json": _text(_case(*named) for named in _by_class(valid.PUBLICATIONS)),
        "events.json": _text(_case(*named) for named in event_messages()),
        "dialogues.json": _text(_dialogues()),
        "loose.json": _text(_loose()),
        "later.json": _text(_later()),
        "door.json": _text(_lines()),
        "join_code.json": _text(join_codes()),
        "term_proof.json": _text(_term_proofs()),
        "malformed.json": _text(_malformed()),
    }


def _by_class(messages: tuple[Any, ...]) -> list[tuple[str, Any]]:
    return [(type(message).__name__, message) for message in messages]


def _kind(message: Request | Answer | Publication) -> str:
    if isinstance(message, Request):
        return "request"
    return "publication" if isinstance(message, Publication) else "answer"


def _case(name: str, message: Request | Answer | Publication) -> dict[str, Any]:
    body = encode(message)
    value = to_plain(msgpack.unpackb(body))
    return {"name": name, "kind": _kind(message), "hex": body.hex(), "value": value}


def _dialogues() -> Iterator[dict[str, Any]]:
    for name, steps in dialogues():
        yield {"name": name, "steps": [_step(step) for step in steps]}


def _step(step: Step) -> dict[str, Any]:
    told = {"from": step.sender, "on": step.on}
    if isinstance(step.message, Line):
        line = encode_line(step.message)
        kind = _LINES.get(type(step.message).__name__, "door_answer")
        return {**told, "kind": kind, "hex": line.hex(), "value": json.loads(line)}
    case = _case("", step.message)
    return {**told, **{key: value for key, value in case.items() if key != "name"}}


def _term_proofs() -> Iterator[dict[str, Any]]:
    """Yield proofs of a host that goes on with a game, with the secret key."""
    secret, asked = bytes(range(16)), AskTerm("00112233aabbccdd", 1, bytes(range(32)).hex())
    for term, deal in ((2, 1), (7, 3)):
        yield {
            "name": f"deal {deal}, term {term}",
            "key": secret.hex(),
            "ask_term": encode_line(asked).decode().removesuffix("\n"),
            "host_key": valid.KEY,
            "term": term,
            "deal": deal,
            "proof": proof_of(secret, asked, term, deal, valid.KEY),
        }


def _later() -> Iterator[dict[str, Any]]:
    """Yield messages of a later host, with what is left of them."""
    event = {"type": "cat_walked_in", "name": "Tom", "paws": [4]}
    update = msgpack.unpackb(encode(valid.PUBLICATIONS[-1]))
    body = msgpack.packb(update | {"events": [event, *update["events"], event]})
    yield _left("an event of a later host", "publication", body, update)
    snapshot = msgpack.unpackb(encode(valid.ANSWERS[1]))
    body = msgpack.packb(snapshot | {"log": [*snapshot["log"], event]})
    yield _left("an event of a later host in the log", "answer", body, snapshot)
    for named, message in valid.LATER_CODES:
        yield _case(named, message)


def _left(name: str, kind: str, body: bytes, value: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "hex": body.hex(), "value": to_plain(value)}


def _lines() -> Iterator[dict[str, Any]]:
    for message in valid.DOOR:
        name = type(message).__name__
        line = encode_line(message)
        kind = _LINES.get(name, "door_answer")
        yield {"name": name, "kind": kind, "hex": line.hex(), "value": json.loads(line)}
    newer = valid.DOOR[0]
    line = encode_line(newer)[:-2] + b',"motto":"slow"}\r\n'
    yield {
        "name": "a banner with a field of a newer version",
        "kind": "banner",
        "hex": line.hex(),
        "value": json.loads(line),
    }


def _loose() -> Iterator[dict[str, Any]]:
    """Yield non-canonical requests that every decoder must accept."""
    add_bot = {"type": "add_bot", "id": ID, "seat": 3, "bot": "regular"}
    short: bytes = msgpack.packb(add_bot)
    backwards: bytes = msgpack.packb(dict(reversed(add_bot.items())))
    for name, body in (
        ("keys in another order", backwards),
        ("a number of eight bytes", short.replace(b"seat\x03", b"seat\xcf" + bytes(7) + b"\x03")),
        ("a signed number", short.replace(b"seat\x03", b"seat\xd0\x03")),
        ("a long form of a text", short.replace(b"\xa6regular", b"\xdb\0\0\0\x06regular")),
        ("a long form of the binary", short.replace(b"\xc4\x10", b"\xc6\0\0\0\x10")),
        ("a long form of the map", b"\xdf\0\0\0\x04" + short[1:]),
    ):
        yield {"name": name, "kind": "request", "hex": body.hex(), "value": to_plain(add_bot)}


def _malformed() -> Iterator[dict[str, Any]]:
    for given in wrong():
        named = {"name": given.name, "kind": given.kind}
        case = named | {"hex": given.body.hex(), "error": given.code}
        answered = {"id": to_plain(given.id)} if given.kind == "request" else {}
        yield case | answered | ({"not": given.other} if given.other else {})


def _text(cases: Iterator[dict[str, Any]]) -> str:
    """Format a JSON array with one line per key of each case, so that diffs are short."""
    blocks = (
        ",\n".join(
            f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
            for key, value in c.items()
        )
        for c in cases
    )
    return "[\n" + ",\n".join(f" {{\n{block}\n }}" for block in blocks) + "\n]\n"
