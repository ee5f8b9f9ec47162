"""Attacks by somebody with an admitted key; each attack runs in its own process.

Run as `python -m tests.soak.strangers.attacks NAME PORT SEED FILE SIZE`, with three lines on
standard input: the public key, the secret key, and bodies of others' requests in hex. It prints
`ready`, attacks until another line arrives, prints its counts, and writes everything received to
the file.
"""

import select
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

import msgpack
import msgspec
import zmq

from tests.soak.lan.guests import EVERY_INTENT, INVISIBLE, Guest, body_of
from tests.soak.oracle.mutations import mutated
from tests.soak.oracle.reader import read
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


class Attacker:
    """Somebody with a key who attacks until told to stop.

    Args:
        guest: with that key.
        captured: bodies of other people's requests.
        chance: the source of random choices.
        size: of a swarm, in connections.
    """

    def __init__(self, guest: Guest, captured: list[bytes], chance: Random, size: int) -> None:
        self.guest = guest
        self.captured = captured
        self.chance = chance
        self.size = size
        self.done: Counter[str] = Counter()
        self.received: dict[bytes, None] = {}
        self._waiting = 0

    def goes_on(self) -> bool:
        """Return whether the attack is to continue."""
        return not select.select([sys.stdin], [], [], 0)[0]

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


def fuzz(attacker: Attacker) -> None:
    """Send mutated frames of every kind, including other people's."""
    chance, guest = attacker.chance, attacker.guest
    game, rev = 1, 0
    while attacker.goes_on():
        while guest.may_ask():  # what is too fast is not looked at, and too much of it is cut
            body = chance.choice([*_valid(guest, game, rev, chance), *attacker.captured])
            attacker.throw(body if chance.random() < 0.1 else mutated(body, chance))
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
        body_of("hello", id_, protocol=5, name=name[:24], role=role),
        *[body_of(kind, id_) for kind in ("sync", "view", "start")],
        body_of("chat", id_, text=name),
        body_of("ready", id_, ready=True),
        body_of("rename", id_, name=name[:24]),
        body_of("add_bot", id_, seat=chance.randrange(4), bot="regular"),
        body_of("remove", id_, seat=chance.randrange(4)),
        body_of("remove_spectator", id_, name=name[:24]),
    ]


def flood(attacker: Attacker) -> None:
    """Send requests without a pause: for Views, for a seat, and repeats."""
    guest = attacker.guest
    same = body_of("chat", guest.new_id(), text="again and again")
    reused = msgpack.unpackb(same) | {"text": "another"}
    bodies = [
        *(same, msgpack.packb(reused), body_of("view", guest.new_id())),
        body_of("sync", guest.new_id()),
        body_of("hello", guest.new_id(), protocol=5, name="Mallory", role="spectator"),
    ]
    while attacker.goes_on():
        for number in range(ROUND):
            attacker.throw(bodies[number % len(bodies)])


def repeat(attacker: Attacker) -> None:
    """Have the largest cached answer repeated again and again."""
    body = body_of("rename", attacker.guest.new_id(), name="a")
    while attacker.goes_on():
        for _each in range(ROUND):
            attacker.throw(body)


def mute(attacker: Attacker) -> None:
    """Send requests, and read neither answers nor publications."""
    guest = attacker.guest
    deaf = [_socket(guest, zmq.SUB), _socket(guest, zmq.DEALER)]
    body = body_of("sync", guest.new_id())
    while attacker.goes_on():
        with suppress(zmq.Again):
            deaf[1].send_multipart([b"", body], zmq.NOBLOCK)
            attacker.done["sent"] += 1
    for one in deaf:
        one.close()


def crowd(attacker: Attacker) -> None:
    """Connect again and again with one key."""
    guest = attacker.guest
    sockets: list[zmq.Socket[bytes]] = []
    while attacker.goes_on():
        if len(sockets) < CROWD:
            kind = (zmq.SUB, zmq.DEALER)[len(sockets) % 2]
            sockets.append(_socket(guest, kind))
            if kind == zmq.DEALER:
                sockets[-1].send_multipart([b"", body_of("view", guest.new_id())])
            attacker.done["sockets"] += 1
        else:
            select.select([sys.stdin], [], [])
    for one in sockets:
        one.close()


def loud(attacker: Attacker) -> None:
    """Chat as much as the rate limit allows, in characters that move the cursor or fill lines."""
    guest, chance = attacker.guest, attacker.chance
    while attacker.goes_on():
        for _each in range(ROUND):
            attacker.throw(body_of("chat", guest.new_id(), text=chance.choice(LOUD)))


def endless(attacker: Attacker) -> None:
    """Send endless messages with frames of the maximum size."""
    frame = bytes(FRAME_BYTES)
    while attacker.goes_on():
        with _socket(attacker.guest, zmq.DEALER) as dealer:
            dealer.sndhwm = 0
            for _each in range(FRAMES):
                dealer.send(frame, zmq.SNDMORE, copy=False)
            dealer.send(b"")
            attacker.done["frames"] += FRAMES
            while attacker.goes_on() and not dealer.poll(ROUND):
                pass


def subscribe(attacker: Attacker) -> None:
    """Subscribe to all possible prefixes, one by one."""
    with _socket(attacker.guest, zmq.SUB) as sub:
        sub.sndhwm = 0
        for number in count():
            if number % ROUND == 0 and not attacker.goes_on():
                return
            sub.setsockopt(zmq.SUBSCRIBE, b"%08d" % number + bytes(SUBSCRIPTION_BYTES))
            attacker.done["subscriptions"] += 1


def _swarming(talk: Talk) -> Callable[[Attacker], None]:
    def run(attacker: Attacker) -> None:
        guest, chance, size = attacker.guest, attacker.chance, attacker.size
        attacker.done += attack(talk, guest, size, chance, attacker.goes_on)

    return run


def _socket(guest: Guest, kind: int) -> "zmq.Socket[bytes]":
    port = guest.banner["updates" if kind == zmq.SUB else "requests"]
    made = guest._socket(kind, port)
    made.rcvhwm = 1
    if kind == zmq.SUB:
        made.setsockopt(zmq.SUBSCRIBE, b"")
    return made


SWARMING: Final = {talk.__name__: _swarming(talk) for talk in SWARMS}
ATTACKS: Final[dict[str, Callable[[Attacker], None]]] = {
    each.__name__: each for each in (fuzz, flood, repeat, mute, crowd, loud, endless, subscribe)
}


def main() -> None:
    """Run the attack on the command line."""
    name, port, seed, kept, size = sys.argv[1:]
    public, secret, captured = (sys.stdin.readline().strip() for _line in range(3))
    bodies = [bytes.fromhex(one) for one in captured.split()]
    with Guest(int(port), "Mallory", keys=(public.encode(), secret.encode())) as guest:
        guest.dealer.rcvtimeo = PATIENCE_MS
        attacker = Attacker(guest, bodies, Random(f"{seed} {name}"), int(size))
        print("ready", flush=True)
        (ATTACKS | SWARMING)[name](attacker)
    Path(kept).write_bytes(b"\xc1".join([*attacker.received, *guest.raw]))
    print(msgspec.json.encode(attacker.done).decode(), flush=True)


if __name__ == "__main__":
    main()
