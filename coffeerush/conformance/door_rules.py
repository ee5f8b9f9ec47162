"""Rules for hosts: the door, the sockets, and what the bytes of a request may be."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Final

import zmq

from coffeerush.errors import LinkError
from coffeerush.joining.door_client import ClientConversation, WrongCode
from coffeerush.joining.trust import Known
from coffeerush.local.keys import KeyPair, new_keys
from protocol import (
    NO_ID,
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Bye,
    Chat,
    Enrol,
    GetView,
    Hello,
    Malformed,
    Ready,
    Refused,
    Sync,
    Tick,
    WireError,
    decode_banner,
    decode_door_answer,
    encode,
    encode_line,
    is_curve_key,
)

from .rules import Departure, NotTried, Rule, expect
from .tour import Tour, described, expected
from .visitor import DoorLine, enrol, new_id

_WRONG_CODE: Final = "wrong-wrong-wrong"
_BAD_LINES: Final = (
    b"{}\n",
    b"GET / HTTP/1.1\n",
    b'{"type":"enrol","key":"short"}\n',
    b'{"type":"enrol","key":"%s"}\n' % (b" " * 40),
    b'{"type":"enrol","key":"%s","share":"%s"}\n' % (b"0" * 40, b"x" * 64),
    b'{"type":"enrol","key":"%s","more":1}\n' % (b"0" * 40),
)


def vectors(name: str) -> Iterator[dict[str, Any]]:
    """Yield the requests in a file of vectors."""
    text = files("protocol").joinpath(f"vectors/{name}.json").read_text(encoding="utf-8")
    yield from (case for case in json.loads(text) if case["kind"] == "request")


def _banner(tour: Tour) -> None:
    with DoorLine(tour.address) as door:
        line = door.read()
    try:
        told = decode_banner(line)
    except WireError as error:
        raise Departure(f"the banner cannot be decoded: {error}") from None
    expect(line.endswith(b"\n"), "the banner does not end with a newline")
    expect(told.game == PROTOCOL_NAME, f"game is {told.game}")
    expect(is_curve_key(told.key), f"key is {told.key}")
    spoken = told.oldest <= PROTOCOL_VERSION and told.newest >= PROTOCOL_OLDEST
    expect(spoken, f"versions {told.oldest} to {told.newest}, without {PROTOCOL_VERSION}")


def enrol_line(keys: KeyPair) -> bytes:
    """Return the line of a client that has no code."""
    return encode_line(Enrol(keys.public.decode()))


def door_refusal(tour: Tour, line: bytes) -> str:
    """Return the code with which the door refuses a line; empty if it does not."""
    with DoorLine(tour.address) as door:
        door.read()
        try:
            answer = decode_door_answer(door.tell(line))
        except WireError as error:
            raise Departure(f"the answer to {line[:40]!r} cannot be decoded: {error}") from None
        expect(not door.read(), "the door stays open after its last line")
    refusal = getattr(answer, "refusal", None)
    return refusal.code if refusal else ""


def _bad_lines(tour: Tour) -> None:
    for line in _BAD_LINES:
        code = door_refusal(tour, line)
        expect(code == "bad_key", f"{line[:40]!r} gets {code or 'no refusal'}")


def _code_is_proved(tour: Tour) -> None:
    if not tour.code:
        raise NotTried("needs the join code")
    try:
        enrol(tour.address, new_keys(), tour.code)
    except LinkError as error:
        raise Departure(str(error)) from None


def _wrong_code(tour: Tour) -> None:
    if not tour.stranger.banner.code:
        raise NotTried("the table is open")
    talk = ClientConversation(tour.address, Known(_WRONG_CODE))
    with DoorLine(tour.address) as door:
        talk.hear_banner(door.read())
        try:
            talk.hear(door.tell(talk.hear(door.tell(talk.enrol(new_keys().public.decode())))))
        except WrongCode:
            return
        except LinkError as error:
            raise Departure(str(error)) from None
    raise Departure("a wrong code is accepted")


def _known_key(tour: Tour) -> None:
    code = door_refusal(tour, enrol_line(tour.spectator.keys))
    expect(not code, f"a known key gets {code}")


def _new_key(tour: Tour) -> None:
    code = door_refusal(tour, enrol_line(new_keys()))
    wanted = "code_needed" if tour.stranger.banner.code and not tour.is_here else ""
    expect(code == wanted, f"{code or 'admitted'} instead of {wanted or 'admitted'}")


def _unknown_key(tour: Tour) -> None:
    peer = tour.stranger
    for kind, port in ((zmq.DEALER, peer.banner.requests), (zmq.SUB, peer.banner.updates)):
        refused = not peer.can_connect(kind, port, new_keys())
        expect(refused, "a key that was not enrolled can connect")


def _tick(tour: Tour) -> None:
    peer = tour.stranger
    peer.wait(lambda heard: sum(isinstance(one, Tick) for one in heard) > 1, "a second tick")
    expect(len({one.epoch for one in peer.heard}) == 1, "the epoch changes")


def _say_hello(tour: Tour) -> None:
    for request in (Sync, GetView, Bye):
        tour.check_refused(tour.stranger, request(new_id()), "say_hello")
    tour.check_refused(tour.stranger, Chat(new_id(), "hi"), "say_hello")
    tour.check_refused(tour.stranger, Ready(new_id(), True), "say_hello")


def _wrong_version(tour: Tour) -> None:
    id_ = new_id()
    answer = expected(Malformed, tour.stranger.ask(Hello(id_, 65535, "Ann", "player")))
    expect(answer.code == "wrong_version", answer.code)
    expect(answer.id == id_, "the id is not repeated")


def _envelope(tour: Tour) -> None:
    frames, answer = tour.stranger.ask_raw(b"1234", b"", encode(Sync(new_id())))
    expect(frames == [b"1234", b""], f"{frames} comes back instead of the frames sent")
    expect(isinstance(answer, Refused), described(answer))


def _bodies(tour: Tour) -> None:
    body = encode(Sync(new_id()))
    for frames in ([b""], [b"", body, body], [body, body]):
        answer = tour.stranger.ask_raw(*frames)[1]
        expect(isinstance(answer, Malformed), f"{len(frames)} frames: {described(answer)}")


def _many_frames(tour: Tour) -> None:
    request = Sync(new_id())
    tour.stranger.send(b"", *[b"x"] * 8)
    tour.stranger.send(b"", encode(request))
    answer = tour.stranger.receive()[1]
    expect(answer.id == request.id, "a request of 9 frames is answered")


def _malformed(tour: Tour) -> None:
    for case in vectors("malformed"):
        body = bytes.fromhex(case["hex"])
        answer = tour.stranger.ask_raw(b"", body)[1]
        wanted = f"malformed, {case['error']}"
        expect(described(answer) == wanted, f"{case['name']}: {described(answer)}, not {wanted}")
        expect(
            answer.id.hex() == case["id"]["$bin"],
            f"{case['name']}: id {answer.id.hex()}",
        )


def _loose(tour: Tour) -> None:
    for case in vectors("loose"):
        answer = tour.stranger.ask_raw(b"", bytes.fromhex(case["hex"]))[1]
        expect(not isinstance(answer, Malformed), f"{case['name']}: {described(answer)}")


def _zero_id(tour: Tour) -> None:
    answer = tour.stranger.ask_raw(b"", encode(Sync(NO_ID)))[1]
    expect(described(answer) == "malformed, wrong_shape", described(answer))


DOOR_RULES: Final = (
    Rule("Banner", "the first line of the door is a banner", _banner),
    Rule("The door", "a malformed line gets `bad_key`, and the door closes", _bad_lines),
    Rule("The join code", "the host proves the code that the client proves", _code_is_proved),
    Rule("The door", "a new key without the code", _new_key),
    Rule("Transport", "keys that the door has not admitted cannot connect", _unknown_key),
    Rule("Tick", "ticks come every second", _tick),
    Rule("Joining", "before `hello`, requests get `say_hello`", _say_hello),
    Rule("Joining", "a version not supported gets `wrong_version`", _wrong_version),
    Rule("Framing", "frames before the empty one are sent back", _envelope),
    Rule("Framing", "a request has one body", _bodies),
    Rule("Framing", "a message of more than 4 frames is dropped", _many_frames),
    Rule("Wire errors", "malformed requests get their codes and ids", _malformed),
    Rule("Values", "unusual but valid bytes are read", _loose),
    Rule("Requests", "an id of zeros is malformed", _zero_id),
)
LAST_DOOR_RULES: Final = (
    Rule("The door", "a key that has joined needs no code", _known_key),
    Rule("The join code", "a wrong code gets `wrong_code`", _wrong_code),
)
