"""Attacks by somebody with an admitted key: `python -m tests.soak.strangers.attacks NAME`."""

import os
import select
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import count
from random import Random
from typing import Final

import msgpack
import zmq
from msgspec import Struct

from protocol import HALL, MAX_TABLES, topic
from tests.soak.lan.guests import EVERY_INTENT, INVISIBLE, Guest, body_of
from tests.soak.oracle.mutations import mutated
from tests.soak.oracle.reader import read
from tests.soak.strangers.attacker import Attacker, ordered
from tests.soak.strangers.swarms import SWARMS, Talk, attack
from tests.support.hosts_and_clients import Fields

PATIENCE_MS: Final = 400
"""Requests in transit when the host cuts a connection are never answered."""
WINDOW: Final = 32
"""The most pending requests: the host would drop answers beyond that."""
CROWD: Final = 500
FRAME_BYTES: Final = 16000
FRAMES: Final = 15_000
"""The size of one message: far more than a host may ever buffer."""
SUBSCRIPTION_BYTES: Final = 100
ROUND: Final = 50
PAUSE_SECONDS: Final = 0.2
LOUD: Final = (
    "\x1b[2J\x1b]0;owned\x07",
    "\u202e" + "evil" * 19,
    "字" * 80,
    "e" + "\u0301" * 79,
    "\U0001f468\u200d\U0001f469" * 20,
    INVISIBLE * 80,
    "a" * 80,
)


class Orders(Struct, frozen=True):
    """The target of an attack, and what there is to attack it with."""

    port: int
    keys: tuple[str, str]
    """Admitted ones."""
    captured: tuple[str, ...]
    """Bodies of other people's requests, in hex."""
    size: int
    """Of a swarm, in connections."""
    seed: int
    kept: str
    """The file for everything received."""


class Member(Attacker):
    """Somebody with a key."""

    def __init__(self, guest: Guest, orders: Orders, chance: Random) -> None:
        super().__init__(chance)
        self.guest = guest
        self.captured = [bytes.fromhex(one) for one in orders.captured]
        self.size = orders.size
        self._waiting = 0

    def everything(self) -> Iterable[bytes]:
        return [*self.received, *self.guest.raw]

    def throw(self, body: bytes) -> None:
        """Send a body, and read answers if many are pending."""
        self.guest.dealer.send_multipart([b"", body])
        self.done["sent"] += 1
        self._waiting += 1
        while self._waiting >= WINDOW:
            self.catch()

    def catch(self) -> None:
        """Read an answer, and keep it unless an equal one was kept, apart from its id."""
        try:
            body = self.guest.dealer.recv_multipart()[-1]
        except zmq.Again:
            self.done["unanswered"] += self._waiting
            self._waiting = 0
            return
        self._waiting -= 1
        answer = msgpack.unpackb(body)
        self.done[_outcome(answer)] += 1
        plain = body.replace(answer["id"], b"")
        if plain not in self.received:
            self.received[plain] = None
            read(body, "Answer")


def _outcome(answer: Fields) -> str:
    if answer["type"] == "refused":
        return str(answer["refusal"]["code"])
    return str(answer.get("code", answer["type"]))


def fuzz(member: Member) -> None:
    """Send mutated frames of every kind, including other people's."""
    chance, guest = member.chance, member.guest
    game, rev = 1, 0
    while member.goes_on():
        while guest.may_ask():  # what is too fast is not looked at, and too much of it is cut
            body = chance.choice([*_valid(guest, game, rev, chance), *member.captured])
            member.throw(body if chance.random() < 0.1 else mutated(body, chance))
        select.select([sys.stdin], [], [], PAUSE_SECONDS)
        for heard in guest.hear_rest():
            game, rev = heard["game"], heard["rev"]
        guest.raw.clear()


def _valid(guest: Guest, game: int, rev: int, chance: Random) -> list[bytes]:
    """Return a request of each kind that fits the current state."""
    id_ = guest.new_id()
    intent = {"game": game, "rev": rev, "intent": chance.choice(EVERY_INTENT)}
    name = chance.choice(LOUD)
    role = chance.choice(("player", "spectator"))
    return [
        *[body_of("intent", id_, **intent)] * 3,
        body_of("hello", id_, protocol=6, name=name[:24], role=role),
        *[body_of(kind, id_) for kind in ("sync", "view", "start")],
        body_of("chat", id_, text=name),
        body_of("ready", id_, ready=True),
        body_of("rename", id_, name=name[:24]),
        body_of("add_bot", id_, seat=chance.randrange(4), bot="regular"),
        body_of("remove", id_, seat=chance.randrange(4)),
        body_of("remove_spectator", id_, name=name[:24]),
    ]


def flood(member: Member) -> None:
    """Send requests without a pause: for Views, for a seat, and repeats."""
    guest = member.guest
    same = body_of("chat", guest.new_id(), text="again and again")
    reused = msgpack.unpackb(same) | {"text": "another"}
    bodies = [
        *(same, msgpack.packb(reused), body_of("view", guest.new_id())),
        body_of("sync", guest.new_id()),
        body_of("hello", guest.new_id(), protocol=6, name="Mallory", role="spectator"),
    ]
    while member.goes_on():
        for number in range(ROUND):
            member.throw(bodies[number % len(bodies)])


def rooms(member: Member) -> None:
    """Claim tables and seats within the rate limit: open them, go over to all, have them listed."""
    guest, chance = member.guest, member.chance
    name = f"Mallory {member.size}"
    while member.goes_on():
        while guest.may_ask() and member.goes_on():
            role = chance.choice(("player", "spectator"))
            where = chance.choice(("new", "new", *range(1, MAX_TABLES + 1)))
            body = body_of("hello", guest.new_id(), protocol=6, name=name, role=role, table=where)
            other = chance.choice(("tables", "view", "start"))
            member.throw(body if chance.random() < 0.5 else body_of(other, guest.new_id()))
        select.select([sys.stdin], [], [], PAUSE_SECONDS)


def repeat(member: Member) -> None:
    """Have the largest cached answer repeated again and again."""
    body = body_of("rename", member.guest.new_id(), name="a")
    while member.goes_on():
        for _each in range(ROUND):
            member.throw(body)


def mute(member: Member) -> None:
    """Send requests, and read neither answers nor publications."""
    guest = member.guest
    deaf = [_socket(guest, zmq.SUB), _socket(guest, zmq.DEALER)]
    body = body_of("sync", guest.new_id())
    while member.goes_on():
        with suppress(zmq.Again):
            deaf[1].send_multipart([b"", body], zmq.NOBLOCK)
            member.done["sent"] += 1
    for one in deaf:
        one.close()


def crowd(member: Member) -> None:
    """Connect again and again with one key."""
    guest = member.guest
    sockets: list[zmq.Socket[bytes]] = []
    while member.goes_on():
        if len(sockets) < CROWD:
            kind = (zmq.SUB, zmq.DEALER)[len(sockets) % 2]
            sockets.append(_socket(guest, kind))
            if kind == zmq.DEALER:
                sockets[-1].send_multipart([b"", body_of("view", guest.new_id())])
            member.done["sockets"] += 1
        else:
            select.select([sys.stdin], [], [])
    for one in sockets:
        one.close()


def loud(member: Member) -> None:
    """Chat as much as the rate limit allows, in characters that move the cursor or fill lines."""
    guest, chance = member.guest, member.chance
    while member.goes_on():
        for _each in range(ROUND):
            member.throw(body_of("chat", guest.new_id(), text=chance.choice(LOUD)))


def endless(member: Member) -> None:
    """Send endless messages with frames of the maximum size."""
    frame = bytes(FRAME_BYTES)
    while member.goes_on():
        with _socket(member.guest, zmq.DEALER) as dealer:
            dealer.sndhwm = 0
            for _each in range(FRAMES):
                dealer.send(frame, zmq.SNDMORE, copy=False)
            dealer.send(b"")
            member.done["frames"] += FRAMES
            while member.goes_on() and not dealer.poll(ROUND):
                pass


def subscribe(member: Member) -> None:
    """Subscribe to all possible prefixes, one by one."""
    with _socket(member.guest, zmq.SUB) as sub:
        sub.sndhwm = 0
        for number in count():
            if number % ROUND == 0 and not member.goes_on():
                return
            sub.setsockopt(zmq.SUBSCRIBE, b"%08d" % number + bytes(SUBSCRIPTION_BYTES))
            member.done["subscriptions"] += 1


def _swarming(talk: Talk) -> Callable[[Member], None]:
    def run(member: Member) -> None:
        guest, chance, size = member.guest, member.chance, member.size
        member.done += attack(talk, guest, size, chance, member.goes_on)

    return run


def _socket(guest: Guest, kind: int) -> "zmq.Socket[bytes]":
    port = guest.banner["updates" if kind == zmq.SUB else "requests"]
    made = guest._socket(kind, port)
    made.rcvhwm = 1
    if kind == zmq.SUB:
        made.setsockopt(zmq.SUBSCRIBE, topic(HALL))
    return made


SWARMING: Final = {talk.__name__: _swarming(talk) for talk in SWARMS}
HALL_ATTACKS: Final[dict[str, Callable[[Member], None]]] = {"rooms": rooms}
ATTACKS: Final[dict[str, Callable[[Member], None]]] = {
    each.__name__: each for each in (fuzz, flood, repeat, mute, crowd, loud, endless, subscribe)
}


def main() -> None:
    name, orders = ordered(Orders)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # not ahead of others
    public, secret = (key.encode() for key in orders.keys)
    with Guest(orders.port, "Mallory", keys=(public, secret)) as guest:
        guest.dealer.rcvtimeo = PATIENCE_MS
        member = Member(guest, orders, Random(f"{orders.seed} {name}"))
        member.carry_out((ATTACKS | HALL_ATTACKS | SWARMING)[name], orders.kept)


if __name__ == "__main__":
    main()
