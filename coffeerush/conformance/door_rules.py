"""Rules for hosts: the door, the sockets, and what the bytes of a request may be."""

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import starmap
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
    DoorRefused,
    Enrol,
    GetView,
    Hello,
    Ready,
    Sync,
    Tick,
    WireError,
    decode_banner,
    decode_door_answer,
    encode,
    encode_line,
    is_curve_key,
)

from .rules import Departure, NotTried, Rule, Rules, expect
from .tour import Tour, described
from .visitor import DoorLine, Visitor, enrolled, new_id

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


def check_door(tour: Tour, sent: bytes | KeyPair, wanted: str) -> None:
    """Check what the door answers to a line, or to a client with these keys and no code.

    Args:
        tour: has the address.
        sent: the line, or the keys.
        wanted: the code of a refusal, or `enrolled`.
    """
    line = sent if isinstance(sent, bytes) else encode_line(Enrol(sent.public.decode()))
    with DoorLine(tour.address) as door:
        door.read()
        try:
            answer = decode_door_answer(door.tell(line))
        except WireError as error:
            raise Departure(f"the answer to {line[:40]!r} cannot be decoded: {error}") from None
        expect(not door.read(), "the door stays open after its last line")
    code = answer.refusal.code if isinstance(answer, DoorRefused) else "enrolled"
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


_SYNC: Final = encode(Sync(b"0123456789abcdef"))
_ID: Final = "30313233343536373839616263646566"
_ZEROS: Final = NO_ID.hex()
FRAMES: Final[tuple[tuple[str, str, tuple[bytes, ...], str], ...]] = (
    ("Framing", "frames before the empty one are sent back",
     (b"1234", b"", _SYNC), f"refused, say_hello, id {_ID}"),
    ("Framing", "a request has a body", (b"",), f"malformed, wrong_shape, id {_ZEROS}"),
    ("Framing", "a request has no second body",
     (b"", _SYNC, _SYNC), f"malformed, wrong_shape, id {_ZEROS}"),
    ("Framing", "a request has an empty frame",
     (_SYNC, _SYNC), f"malformed, wrong_shape, id {_ZEROS}"),
    ("Requests", "an id of zeros is malformed",
     (b"", encode(Sync(NO_ID))), f"malformed, wrong_shape, id {_ZEROS}"),
    ("Joining", "a version not supported gets `wrong_version`",
     (b"", encode(Hello(b"0123456789abcdef", 65535, "Ann", "player"))),
     f"malformed, wrong_version, id {_ID}"),
)  # fmt: skip
"""Section, text, the frames of a request, and its answer."""


def check_answer(peer: Visitor, frames: Sequence[bytes], wanted: str, name: str = "") -> None:
    """Check the answer to the frames of a request, and that those before the body come back."""
    envelope, answer = peer.ask_raw(*frames)
    found = f"{described(answer)}, id {answer.id.hex()}"
    expect(found == wanted, f"{name}{': ' * bool(name)}{found}, not {wanted}")
    sent = [*frames[: frames.index(b"") + 1]] if b"" in frames[:-1] else [b""]
    expect(envelope == sent, f"{envelope} comes back instead of {sent}")


def framing(section: str, text: str, frames: Sequence[bytes], wanted: str) -> Rule:
    """Return the rule that a request gets an answer."""
    return Rule(section, text, lambda tour: check_answer(tour.stranger, frames, wanted))


DOOR_RULES.extend(starmap(framing, FRAMES))


@DOOR_RULES("Joining", "before `hello`, requests get `say_hello`")
def _say_hello(tour: Tour) -> None:
    id_ = new_id()
    for request in (Sync(id_), GetView(id_), Bye(id_), Chat(id_, "hi"), Ready(id_, True)):
        tour.check_refused(tour.stranger, request, "say_hello")


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
            wanted = f"malformed, {case['error']}, id {case['id']['$bin']}"
            check_answer(peer, (b"", bytes.fromhex(case["hex"])), wanted, case["name"])
        tour.part(peer)


@DOOR_RULES("Values", "unusual but valid bytes are read")
def _loose(tour: Tour) -> None:
    for case in vectors("loose"):
        wanted = f"refused, say_hello, id {case['value']['id']['$bin']}"
        check_answer(tour.stranger, (b"", bytes.fromhex(case["hex"])), wanted, case["name"])


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
