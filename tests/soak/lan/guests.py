"""Protocol-level guests that keep every frame they receive, and pry."""

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

import msgpack
import msgspec
import zmq

from coffeerush.rates import TokenBucket
from protocol import View
from tests.soak.oracle.mutations import mutated
from tests.soak.oracle.reader import tagged
from tests.support.hosts_and_clients import Fields, KeyPair, Peer

REQUESTS_A_SECOND: Final = 18.0
"""Slightly below the rate limit, so that every request is answered."""
REQUESTS_BURST: Final = 30.0
INVISIBLE: Final = "\u200b"


class Guest(Peer):
    """A key at a table.

    `taps` are, by port of the host, the proxy ports to use instead. It joins `table`, or any.
    """

    def __init__(
        self,
        port: int,
        name: str,
        taps: Mapping[int, int] | None = None,
        keys: KeyPair | None = None,
        code: str = "",
        table: int | None = None,
    ) -> None:
        self._taps = taps or {}
        self.at = table
        self.name = name
        self.seat: int | None = None
        self.sent: list[bytes] = []
        """The bodies of all requests sent."""
        self.codes: Counter[str] = Counter()
        """The codes of the refusals and wire errors received."""
        self._bucket = TokenBucket(REQUESTS_A_SECOND, REQUESTS_BURST, time.monotonic())
        super().__init__(self._taps.get(port, port), keys, code=code, table=table or 1)

    def _socket(self, kind: int, port: int) -> "zmq.Socket[bytes]":
        return super()._socket(kind, self._taps.get(port, port))

    def may_ask(self) -> bool:
        """Return whether the rate limit allows one more request, and count it."""
        now = time.monotonic()
        if self._bucket.left(now) < 1:
            return False
        self._bucket.spend(now, 1)
        return True

    def put(self, body: bytes) -> Fields:
        """Send a body unchanged until it is answered, and return the answer."""
        self.sent.append(body)
        self.dealer.send_multipart([b"", body])
        return self.counted(self.answer_to(body))

    def counted(self, answer: Fields) -> Fields:
        """Count an answer if it is a refusal or a wire error, and return it."""
        if answer["type"] in ("refused", "malformed"):
            self.codes[answer.get("code") or answer["refusal"]["code"]] += 1
        return answer

    def request(self, kind: str, **fields: object) -> Fields:
        """Send a request regardless of the rate limit, and return the answer."""
        return self.put(body_of(kind, self.new_id(), **fields))

    def come(self, role: str = "player", name: str = "") -> Fields:
        """Send a hello, and remember the seat in the answer."""
        where = {"table": self.at} if self.at else {}
        answer = self.request("hello", protocol=6, name=name or self.name, role=role, **where)
        if answer["type"] == "snapshot":
            self.seat = answer["seat"]
        return answer

    def hear_of(self, rev: int) -> None:
        """Read publications until one reaches a rev."""
        self.hear_until(lambda heard: bool(heard["rev"] >= rev))

    @property
    def answers(self) -> list[bytes]:
        """The answers received, as raw bytes."""
        kinds = tagged("Answers")
        return [body for body in self.raw if body and msgpack.unpackb(body)["type"] in kinds]

    @property
    def publications(self) -> list[bytes]:
        """The publications received, as raw bytes."""
        kinds = tagged("Publications")
        return [body for body in self.raw if body and msgpack.unpackb(body)["type"] in kinds]


def body_of(kind: str, id_: bytes, **fields: object) -> bytes:
    body: bytes = msgpack.packb({"type": kind, "id": id_, **fields})
    return body


def view_of(answer: Fields) -> View:
    """Return the View in an answer, for a bot to choose from."""
    view: View = msgspec.convert(answer["view"], View, builtin_types=(bytes,))
    return view


class Moment:
    """A rev of a game at which somebody pries; `seen` are others' requests."""

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
    """Replay somebody else's request under this guest's key."""
    return guest.put(moment.chance.choice(moment.seen))


def _reused(guest: Guest, moment: Moment) -> Fields:
    """Reuse an earlier id for a different request."""
    changed = [body for body in guest.sent[-200:] if b"\xa6intent" in body[:16]]
    id_ = msgpack.unpackb(changed[-1])["id"] if changed else os.urandom(16)
    return guest.put(body_of("chat", id_, text="again"))


def _malformed(guest: Guest, moment: Moment) -> Fields:
    """Send an invalid or almost valid request: it must never become an intent of this seat."""
    body = mutated(body_of("sync", guest.new_id()), moment.chance)
    return guest.put(body)


def _simply(kind: str, **fields: object) -> Callable[[Guest, Moment], Fields]:
    return lambda guest, _moment: guest.request(kind, **fields)


def illegal(guest: Guest, moment: Moment) -> Fields:
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
    _simply("add_bot", seat=0, bot="regular"),
    _simply("remove", seat=0),  # the owner's seat: the owner may also send it
    _simply("remove_spectator", name="Nobody"),
    _simply("start"),
]
"""Everything a guest may try in a game without changing it."""

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
