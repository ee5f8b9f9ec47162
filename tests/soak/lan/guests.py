"""Guests who know the wire, keep every frame that reached them, and pry."""

import json
import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

import msgpack
import msgspec
import zmq

from coffeerush.joining.code_proof import CodeProof
from protocol import View
from tests.soak.oracle.mutations import mutated
from tests.soak.oracle.reader import tagged
from tests.support.hosts_and_clients import Fields, KeyPair, Peer

REQUESTS_A_SECOND: Final = 18.0
"""A bit less than a key may send, so that what is asked is answered."""
REQUESTS_BURST: Final = 30.0
DOOR_SECONDS: Final = 5.0
"""No exchange at the door takes longer."""
INVISIBLE: Final = "\u200b"


class Guest(Peer):
    """A key at a table.

    Args:
        port: the door's, or that of a tap in front of it.
        name: to be known by.
        taps: for each port of the host the one to use in its place.
        keys: of its own; new ones by default.
        code: to prove at the door; none is needed on the host's own machine.
    """

    def __init__(
        self,
        port: int,
        name: str,
        taps: Mapping[int, int] | None = None,
        keys: KeyPair | None = None,
        code: str = "",
    ) -> None:
        self._code = code
        self._taps = taps or {}
        self.name = name
        self.seat: int | None = None
        self.sent: list[bytes] = []
        """The bodies of all requests."""
        self.codes: Counter[str] = Counter()
        """Of the refusals and wire errors it got."""
        self._tokens, self._since = REQUESTS_BURST, time.monotonic()
        super().__init__(self._taps.get(port, port), keys)

    def _handshake(self, port: int, key: bytes) -> tuple[Fields, Fields]:
        return prove(port, key, self._code) if self._code else super()._handshake(port, key)

    def _socket(self, kind: int, port: int) -> "zmq.Socket[bytes]":
        return super()._socket(kind, self._taps.get(port, port))

    def may_ask(self) -> bool:
        """Tell whether one more request is within what a key may send, and count it."""
        now = time.monotonic()
        filled = self._tokens + (now - self._since) * REQUESTS_A_SECOND
        self._tokens, self._since = min(filled, REQUESTS_BURST), now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def put(self, body: bytes) -> Fields:
        """Send a body as it is, and return the answer."""
        self.sent.append(body)
        self.dealer.send_multipart([b"", body])
        answer = self.receive()
        if answer["type"] in ("refused", "malformed"):
            self.codes[answer.get("code") or answer["refusal"]["code"]] += 1
        return answer

    def request(self, kind: str, **fields: object) -> Fields:
        """Send a request, however fast that is, and return the answer."""
        return self.put(body_of(kind, self.new_id(), **fields))

    def come(self, role: str = "player", name: str = "") -> Fields:
        """Say hello, and keep the seat that this gives."""
        answer = self.request("hello", protocol=3, name=name or self.name, role=role)
        if answer["type"] == "snapshot":
            self.seat = answer["seat"]
        return answer

    def hear_of(self, rev: int) -> None:
        """Read publications until one knows of a rev."""
        self.hear_until(lambda heard: bool(heard["rev"] >= rev))

    @property
    def answers(self) -> list[bytes]:
        """The answers that came, as they came."""
        kinds = tagged("Answers")
        return [body for body in self.raw if body and msgpack.unpackb(body)["type"] in kinds]

    @property
    def publications(self) -> list[bytes]:
        """The publications that came, as they came."""
        kinds = tagged("Publications")
        return [body for body in self.raw if body and msgpack.unpackb(body)["type"] in kinds]


def prove(port: int, key: bytes, code: str) -> tuple[Fields, Fields]:
    """Enrol a public key by the join code; return the banner and the last answer."""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=DOOR_SECONDS) as door,
        door.makefile("rb") as lines,
    ):
        said = lines.readline()
        banner = json.loads(said)
        proof = CodeProof("client", code, key.decode(), banner["key"])
        line = {"type": "enrol", "key": key.decode(), "share": proof.share}
        said += _say(door, line)
        said += (last := lines.readline())
        answer = json.loads(last)
        if answer["type"] == "challenge":
            proofs = proof.proofs(answer["share"], said)
            _say(door, {"type": "proof", "proof": proofs.client})
            answer = json.loads(lines.readline())
            assert answer["type"] != "enrolled" or proofs.host_fits(answer["proof"])
        return banner, answer


def _say(door: socket.socket, line: Fields) -> bytes:
    said = json.dumps(line).encode() + b"\n"
    door.sendall(said)
    return said


def body_of(kind: str, id_: bytes, **fields: object) -> bytes:
    """Return the body of a request."""
    body: bytes = msgpack.packb({"type": kind, "id": id_, **fields})
    return body


def view_of(answer: Fields) -> View:
    """Return the View of an answer, for a bot to choose by."""
    view: View = msgspec.convert(answer["view"], View, builtin_types=(bytes,))
    return view


class Moment:
    """A rev of a game at which somebody pries.

    Args:
        game: its number.
        rev: of the game.
        legal: the intents of the seat that may act.
        seen: bodies of requests that others have sent.
        chance: what to pry for.
    """

    def __init__(
        self, game: int, rev: int, legal: list[Any], seen: list[bytes], chance: Random
    ) -> None:
        self.game, self.rev = game, rev
        self.legal = legal
        self.seen = seen
        self.chance = chance


def _intent(guest: Guest, moment: Moment, rev: int) -> Fields:
    kind = moment.chance.choice([*{one["type"]: None for one in EVERY_INTENT}])
    wrong = [one for one in EVERY_INTENT if one not in moment.legal]
    wanted = moment.chance.choice([one for one in wrong if one["type"] == kind] or wrong)
    return guest.request("intent", game=moment.game, rev=rev, intent=wanted)


def _captured(guest: Guest, moment: Moment) -> Fields:
    """Send what somebody else has sent, under this guest's key."""
    return guest.put(moment.chance.choice(moment.seen))


def _reused(guest: Guest, moment: Moment) -> Fields:
    """Take an id that came before for another request."""
    changed = [body for body in guest.sent[-200:] if b"\xa6intent" in body[:16]]
    id_ = msgpack.unpackb(changed[-1])["id"] if changed else os.urandom(16)
    return guest.put(body_of("chat", id_, text="again"))


def _malformed(guest: Guest, moment: Moment) -> Fields:
    """Send what is no request, or nearly one: it must not come to be an intent of this seat."""
    body = mutated(body_of("sync", guest.new_id()), moment.chance)
    return guest.put(body)


def _simply(kind: str, **fields: object) -> Callable[[Guest, Moment], Fields]:
    return lambda guest, _moment: guest.request(kind, **fields)


def illegal(guest: Guest, moment: Moment) -> Fields:
    """Try an intent that is not legal now."""
    return _intent(guest, moment, moment.rev)


PRIES: Final[list[Callable[[Guest, Moment], Fields]]] = [
    *[illegal] * 10,
    *[_simply("view")] * 4,
    *[_simply("sync")] * 4,
    lambda guest, moment: _intent(guest, moment, moment.rev - 1),
    lambda guest, moment: guest.come("spectator"),
    *[_captured] * 2,
    *[_reused] * 2,
    *[_malformed] * 4,
    _simply("chat", text="what is in your cups?"),
    _simply("chat", text=INVISIBLE),
    _simply("rename", name="Somebody"),
    _simply("ready", ready=True),
    _simply("add_bot", seat=0, bot="greedy"),
    _simply("remove", seat=0),  # the owner's own, for the owner too may send what was captured
    _simply("remove_spectator", name="Nobody"),
    _simply("start"),
]
"""What a guest may do in a game without changing it."""

EVERY_INTENT: Final[list[Fields]] = [
    *({"type": "place_meeple", "cell": cell} for cell in range(16)),
    *({"type": "activate_upgrade", "upgrade": upgrade} for upgrade in range(4)),
    *({"type": "step", "meeple": meeple, "cell": cell} for meeple in (1, 2) for cell in range(16)),
    *({"type": "empty_cup", "cup": cup} for cup in (1, 2, 3)),
    *({"type": "pour", "ingredient": kind, "cup": cup} for kind in range(8) for cup in (1, 2, 3)),
    {"type": "return_rest"},
    *({"type": "serve", "cup": cup, "slot": slot} for cup in (1, 2, 3) for slot in range(1, 5)),
    {"type": "end_turn"},
    {"type": "undo"},
]
