"""Attacks by strangers on the door: wrong codes, unfinished proofs, malformed lines."""

import json
import os
from collections.abc import Generator
from itertools import count
from typing import Final

import msgspec
import zmq

from coffeerush.joining.code import draw_code
from coffeerush.joining.door import CodeProof
from tests.soak.strangers.crowds import Script
from tests.soak.strangers.stranger import ENROLLED, KNOWN, Attack, Stranger

FEW: Final = 40
HUNDREDS: Final = 300
EARNEST: Final = 0.02
"""The share of tries that compute the correct proof for the code that they guess."""
_Q: Final = 2**255 - 19
_NUMBERS: Final = (0, 1, 2, _Q - 1, _Q, _Q + 1, (1 << 255) - 1, 1 << 255, (1 << 256) - 1)
ODD_POINTS: Final = (
    *(number.to_bytes(32, "little") for number in _NUMBERS),
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
)
"""Shares outside the group, of small order, or in a non-canonical encoding."""


def wrong_codes(stranger: Stranger) -> None:
    """Guess the code, with new keys, as often as the door allows."""
    stranger.crowd(FEW, lambda: (stranger.ports[0], _guess(stranger)))


def _guess(stranger: Stranger) -> Script:
    key = zmq.curve_keypair()[0].decode()
    earnest = stranger.chance.random() < EARNEST
    said = yield from _banner(stranger)
    if not said:
        return
    if earnest:
        proof = CodeProof("client", draw_code(stranger.chance), key, json.loads(said)["key"])
        share = proof.share
    else:
        share = _SHARES[stranger.chance.randrange(len(_SHARES))]
    enrol = _enrol(key, share)
    yield enrol
    answer = yield from _line()
    if _kind(answer) == "challenge":
        shown = os.urandom(32).hex()
        if earnest:
            shown = proof.proofs(json.loads(answer)["share"], said + enrol + answer).client
        yield json.dumps({"type": "proof", "proof": shown}).encode() + b"\n"
        stranger.done["tries"] += 1
        answer = yield from _line()
    _count(stranger, answer)


def unfinished(stranger: Stranger) -> None:
    """Make the door compute its share again and again, and never send a proof."""
    stranger.crowd(FEW, lambda: (stranger.ports[0], _unfinished(stranger)))


def _unfinished(stranger: Stranger) -> Script:
    yield _enrol(zmq.curve_keypair()[0].decode(), stranger.chance.choice(_SHARES))
    if not (yield from _banner(stranger)):
        return
    answer = yield from _line()
    _count(stranger, answer)
    while _kind(answer) == "challenge" and stranger.chance.random() < 0.5:
        yield None


def odd_shares(stranger: Stranger) -> None:
    """Send shares that are not a point, or that would reveal the key."""
    stranger.crowd(FEW, lambda: (stranger.ports[0], _odd_share(stranger)))


def _odd_share(stranger: Stranger) -> Script:
    chance = stranger.chance
    share = chance.choice((*ODD_POINTS, chance.randbytes(32), chance.randbytes(31))).hex()
    yield _enrol(zmq.curve_keypair()[0].decode(), chance.choice((share, share.upper(), "x" * 64)))
    if not (yield from _banner(stranger)):
        return
    yield json.dumps({"type": "proof", "proof": os.urandom(32).hex()}).encode() + b"\n"
    answer = yield from _line()
    _count(stranger, answer)


def handshakes(stranger: Stranger) -> None:
    """Enrol without a code, with valid and malformed lines."""
    stranger.crowd(FEW, lambda: (stranger.ports[0], _handshake(stranger)))


def _handshake(stranger: Stranger) -> Script:
    chance = stranger.chance
    key = zmq.curve_keypair()[0].decode()
    known = chance.choice(stranger.orders.known)
    said = chance.choice([_enrol(key, ""), _enrol(known, ""), *_no_enrolments(key)])
    if not (yield from _banner(stranger)):
        return
    yield said
    answer = yield from _line()
    if _count(stranger, answer) == ENROLLED and known.encode() in said:
        stranger.done[KNOWN] += 1


def _no_enrolments(key: str) -> list[bytes]:
    """Return malformed enrolments, some of which other JSON parsers would accept."""
    return [
        b"\n",
        b"[" * 500 + b"\n",
        b'{"type":"enrol","key":"' + b"\\u0000" * 40 + b'"}\n',
        b'{"type":"enrol","key":"' + key.encode()[:39] + b'"}\n',
        b'{"type":"enrol","key":"' + b"\xff" * 40 + b'"}\n',
        b'{"type":"enrol","key":' + b"9" * 400 + b"}\n",
        b'{"type":"enrol","key":null}\n',
        b'{"type":"enrolled","proof":""}\n',
        b'{"type":"proof","proof":"' + b"0" * 64 + b'"}\n',
        _enrol(key, "")[:-2] + b',"code":""}\n',
        _enrol(key, "") * 3,
    ]


def long_lines(stranger: Stranger) -> None:
    """Send endless lines, empty lines, and single bytes."""
    stranger.crowd(FEW, lambda: (stranger.ports[0], _long_line(stranger)))


def _long_line(stranger: Stranger) -> Script:
    what = stranger.chance.choice((b"a" * 4096, b"\n" * 4096, b" ", b"\0" * 4096))
    while True:
        yield what


def visitors(stranger: Stranger) -> None:
    """Occupy the door with hundreds of connections for as long as possible."""
    stranger.crowd(HUNDREDS, lambda: (stranger.ports[0], _visitor(stranger)))


def _visitor(stranger: Stranger) -> Script:
    for _each in count():
        heard = yield None
        stranger.done["busy"] += b"door_busy" in heard


def _banner(stranger: Stranger) -> Generator[None, bytes, bytes]:
    """Return the first line received; empty if the door is busy."""
    heard = yield from _line()
    if heard.count(b"\n") > 1:
        _count(stranger, heard)
        return b""
    return heard


def _line() -> Generator[None, bytes, bytes]:
    """Return everything received up to the end of a line."""
    heard = b""
    while not heard.endswith(b"\n"):
        heard += yield None
    return heard


def _enrol(key: str, share: str) -> bytes:
    return msgspec.json.encode({"type": "enrol", "key": key, "share": share}) + b"\n"


def _count(stranger: Stranger, line: bytes) -> str:
    """Count and return the type of a line; admissions are counted by the stranger itself."""
    kind = _kind(line)
    stranger.done[kind] += kind != ENROLLED
    return kind


def _kind(line: bytes) -> str:
    """Return the type of a line, or the code of its refusal."""
    said = json.loads(line.splitlines()[-1])
    refusal = said.get("refusal")
    return str(refusal["code"] if refusal else said["type"])


_SHARES: Final = tuple(CodeProof("client", "a-b-c", "", "").share for _each in range(4))

ATTACKS: Final[tuple[Attack, ...]] = (
    wrong_codes,
    unfinished,
    odd_shares,
    handshakes,
    long_lines,
    visitors,
)
