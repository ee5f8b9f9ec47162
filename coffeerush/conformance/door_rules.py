"""Rules for hosts: the door, the sockets, and what the bytes of a request may be."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Final

import zmq

from coffeerush.joining.enrolment import WrongCode
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

from .rules import Departure, NotTried, Rules, expect
from .tour import Tour, described, expected
from .visitor import DoorLine, enrolled, new_id

_BAD_LINES: Final = (
    b"{}\n",
    b"GET / HTTP/1.1\n",
    b'{"type":"enrol","key":"short"}\n',
    b'{"type":"enrol","key":"%s"}\n' % (b" " * 40),
    b'{"type":"enrol","key":"%s","share":"%s"}\n' % (b"0" * 40, b"x" * 64),
    b'{"type":"enrol","key":"%s","more":1}\n' % (b"0" * 40),
)
_BURST: Final = 30
"""Requests that one key may send at once; a few less than the rate limit allows."""
DOOR_RULES: Final = Rules()
LAST_DOOR_RULES: Final = Rules()


def vectors(name: str) -> Iterator[dict[str, Any]]:
    """Yield the requests in a file of vectors."""
    text = files("protocol").joinpath(f"vectors/{name}.json").read_text(encoding="utf-8")
    yield from (case for case in json.loads(text) if case["kind"] == "request")


@DOOR_RULES("Banner", "the first line of the door is a banner")
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


def door_code(tour: Tour, line: bytes) -> str:
    """Return the code with which the door refuses a line; `enrolled` if it does not."""
    with DoorLine(tour.address) as door:
        door.read()
        try:
            answer = decode_door_answer(door.tell(line))
        except WireError as error:
            raise Departure(f"the answer to {line[:40]!r} cannot be decoded: {error}") from None
        expect(not door.read(), "the door stays open after its last line")
    refusal = getattr(answer, "refusal", None)
    return refusal.code if refusal else "enrolled"


def check_door(tour: Tour, line: bytes | KeyPair, wanted: str) -> None:
    """Check what the door answers to a line, or to a client with these keys and no code."""
    line = line if isinstance(line, bytes) else encode_line(Enrol(line.public.decode()))
    code = door_code(tour, line)
    expect(code == wanted, f"{line[:40]!r} gets {code} instead of {wanted}")


@DOOR_RULES("The door", "a malformed line gets `bad_key`, and the door closes")
def _bad_lines(tour: Tour) -> None:
    for line in _BAD_LINES:
        check_door(tour, line, "bad_key")


@DOOR_RULES("The join code", "the host proves the code that the client proves")
def _code_is_proved(tour: Tour) -> None:
    if not tour.code:
        raise NotTried("needs the join code")
    enrolled(tour.address, new_keys(), tour.code)


@DOOR_RULES("The door", "a new key without the code")
def _new_key(tour: Tour) -> None:
    is_needed = tour.stranger.banner.code and not tour.is_here
    check_door(tour, new_keys(), "code_needed" if is_needed else "enrolled")


@DOOR_RULES("Transport", "keys that the door has not admitted cannot connect")
def _unknown_key(tour: Tour) -> None:
    connected = [one for one in (zmq.DEALER, zmq.SUB) if tour.stranger.can_connect(one, new_keys())]
    expect(not connected, "a key that was not enrolled can connect")


@DOOR_RULES("Tick", "ticks come every second")
def _tick(tour: Tour) -> None:
    peer = tour.stranger
    peer.wait(lambda heard: sum(isinstance(one, Tick) for one in heard) > 1, "a second tick")
    expect(len({one.epoch for one in peer.heard}) == 1, "the epoch changes")


@DOOR_RULES("Joining", "before `hello`, requests get `say_hello`")
def _say_hello(tour: Tour) -> None:
    id_ = new_id()
    for request in (Sync(id_), GetView(id_), Bye(id_), Chat(id_, "hi"), Ready(id_, True)):
        tour.check_refused(tour.stranger, request, "say_hello")


@DOOR_RULES("Joining", "a version not supported gets `wrong_version`")
def _wrong_version(tour: Tour) -> None:
    id_ = new_id()
    answer = expected(Malformed, tour.stranger.ask(Hello(id_, 65535, "Ann", "player")))
    expect(answer.code == "wrong_version", answer.code)
    expect(answer.id == id_, "the id is not repeated")


@DOOR_RULES("Framing", "frames before the empty one are sent back")
def _envelope(tour: Tour) -> None:
    frames, answer = tour.stranger.ask_raw(b"1234", b"", encode(Sync(new_id())))
    expect(frames == [b"1234", b""], f"{frames} comes back instead of the frames sent")
    expect(isinstance(answer, Refused), described(answer))


@DOOR_RULES("Framing", "a request has one body")
def _bodies(tour: Tour) -> None:
    body = encode(Sync(new_id()))
    for frames in ([b""], [b"", body, body], [body, body]):
        answer = tour.stranger.ask_raw(*frames)[1]
        expect(isinstance(answer, Malformed), f"{len(frames)} frames: {described(answer)}")


@DOOR_RULES("Framing", "a message of more than 4 frames is dropped")
def _many_frames(tour: Tour) -> None:
    request = Sync(new_id())
    tour.stranger.send(b"", *[b"x"] * 8)
    answer = tour.stranger.ask_raw(b"", encode(request))[1]
    expect(answer.id == request.id, "a request of 9 frames is answered")


@DOOR_RULES("Wire errors", "malformed requests get their codes and ids")
def _malformed(tour: Tour) -> None:
    cases = [*vectors("malformed")]
    for start in range(0, len(cases), _BURST):
        peer = tour.new_visitor()
        for case in cases[start : start + _BURST]:
            answer = peer.ask_raw(b"", bytes.fromhex(case["hex"]))[1]
            found = f"{described(answer)}, id {answer.id.hex()}"
            wanted = f"malformed, {case['error']}, id {case['id']['$bin']}"
            expect(found == wanted, f"{case['name']}: {found}, not {wanted}")
        tour.part(peer)


@DOOR_RULES("Values", "unusual but valid bytes are read")
def _loose(tour: Tour) -> None:
    for case in vectors("loose"):
        answer = tour.stranger.ask_raw(b"", bytes.fromhex(case["hex"]))[1]
        expect(not isinstance(answer, Malformed), f"{case['name']}: {described(answer)}")


@DOOR_RULES("Requests", "an id of zeros is malformed")
def _zero_id(tour: Tour) -> None:
    answer = tour.stranger.ask_raw(b"", encode(Sync(NO_ID)))[1]
    expect(described(answer) == "malformed, wrong_shape", described(answer))


@LAST_DOOR_RULES("The door", "a key that has joined needs no code")
def _known_key(tour: Tour) -> None:
    check_door(tour, tour.spectator.keys, "enrolled")


@LAST_DOOR_RULES("The join code", "a wrong code gets `wrong_code`")
def _wrong_code(tour: Tour) -> None:
    if not tour.stranger.banner.code:
        raise NotTried("the table is open")
    try:
        enrolled(tour.address, new_keys(), "wrong-wrong-wrong")
    except WrongCode:
        return
    raise Departure("a wrong code is accepted")
