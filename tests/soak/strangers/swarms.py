"""What a key does over a hundred connections without libzmq, which would not, or many keys do."""

import os
from collections import Counter
from collections.abc import Callable
from random import Random
from time import monotonic
from typing import Final

import zmq

from coffeerush.host.server.sockets import REQUESTS_AFTER_DOOR
from protocol import HALL, topic
from tests.soak.lan.guests import Guest, body_of
from tests.soak.strangers.crowds import Crowd, Script
from tests.soak.strangers.curve import Curve
from tests.support.hosts_and_clients import KeyPair, door_handshake

BYTES_A_SECOND: Final = 230_000
"""Over each connection: the host pings once a second, and each time so much is sent."""
FRAME_SIZES: Final = (0, 100, 16000, 16000)
TOPICS: Final = 110
TOPIC_BYTES: Final = 200
GATHER_SECONDS: Final = 2.0
"""Until all are there and have subscribed, and go at once."""
SYNCS: Final = 20
KEYS: Final = 100

ADDRESSES: Final = 200
HOST: Final = "127.0.0.1"

Talk = Callable[[Curve, Guest, Random], Script]


def unfinished(curve: Curve, _guest: Guest, chance: Random) -> Script:
    """Send frames of a message that never ends."""
    yield from curve.handshake()
    body = bytes(chance.choice(FRAME_SIZES))
    while True:
        frame = curve.sealed(body, more=True)
        count = BYTES_A_SECOND // len(frame)
        yield b"".join([frame, *(curve.sealed(body, more=True) for _each in range(count))])
        yield None


def topics(curve: Curve, _guest: Guest, _chance: Random) -> Script:
    """Subscribe to many things that there are not."""
    yield from curve.handshake()
    yield b"".join(curve.sealed(b"\1" + os.urandom(TOPIC_BYTES)) for _each in range(TOPICS))
    while True:
        yield None


def syncs(curve: Curve, guest: Guest, _chance: Random) -> Script:
    """Ask for everything, again and again, and hear each answer."""
    yield from curve.handshake()
    while True:
        bodies = (body_of("sync", guest.new_id()) for _each in range(SYNCS))
        yield b"".join(curve.sealed(b"", more=True) + curve.sealed(body) for body in bodies)
        yield None


def halves(curve: Curve, _guest: Guest, _chance: Random) -> Script:
    """Begin a handshake, as anybody may from many addresses, and say no more."""
    handshake = curve.handshake()
    yield next(handshake)
    yield next(handshake)
    while True:
        yield None


def newcomers(curve: Curve, guest: Guest, _chance: Random) -> Script:
    """Ask to watch, and then for a View whenever the host sends something."""
    yield from curve.handshake()
    yield curve.sealed(b"\1" + topic(HALL))  # on the other port that is a malformed request
    hello = body_of("hello", guest.new_id(), protocol=6, name="Minion", role="spectator")
    yield curve.sealed(b"", more=True) + curve.sealed(hello)
    while True:
        yield None
        yield curve.sealed(b"", more=True) + curve.sealed(body_of("view", guest.new_id()))


def enrolled(guest: Guest) -> KeyPair:
    """Return a key that may also come to the table."""
    keys = zmq.curve_keypair()
    door_handshake(guest.banner["requests"] - REQUESTS_AFTER_DOOR, keys[0])
    return keys


def swarm(talk: Talk, guest: Guest, size: int, chance: Random) -> Crowd:
    """Return so many connections of a key, or of many, on the ports that they talk to."""
    kinds = [("SUB", "updates")] if talk is topics else [("DEALER", "requests")]
    sources, keys = [HOST], [guest.keys]
    if talk in (halves, newcomers):
        kinds = [("SUB", "updates"), *kinds]
        sources = [f"127.0.1.{number + 1}" for number in range(ADDRESSES)]
    if talk is newcomers:
        keys = [enrolled(guest) for _each in range(KEYS)]

    def begin() -> tuple[int, Script]:
        kind, port = chance.choice(kinds)
        curve = Curve(guest.banner["key"], chance.choice(keys), kind)
        return guest.banner[port], talk(curve, guest, chance)

    return Crowd([(source, HOST) for source in sources], size, begin, lambda _port, _data: None)


def attack(
    talk: Talk, guest: Guest, size: int, chance: Random, goes_on: Callable[[], bool]
) -> Counter[str]:
    """Keep a swarm busy while it `goes_on`; return what became of its connections.

    Subscribers go all at once, and come back. On a busy machine it may take longer until the first
    connection is cut; only half handshakes do not wait for that, which takes seconds anyway.
    """
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # not ahead of others
    os.nice(19)
    done: Counter[str] = Counter()

    def lasts(done: Counter[str]) -> bool:
        return goes_on() or not (done["cut"] or talk is halves)

    while lasts(done):
        with swarm(talk, guest, size, chance) as crowd:
            until = monotonic() + GATHER_SECONDS
            while lasts(done + crowd.done) and (talk is not topics or monotonic() < until):
                crowd.go_on()
        done += crowd.done
    return done


SWARMS: Final = (unfinished, topics, syncs, halves, newcomers)
