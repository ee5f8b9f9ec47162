"""Latency baseline: a bare ROUTER that answers and a PUB that publishes, with or without a record.

It sends a real host's messages at the pace of real players, who decode them in between.
"""

import multiprocessing
import os
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, sleep

import zmq

from coffeerush.local.files import sync
from tests.support.hosts_and_clients import curve_client

from .people import DEADLINE_MS, TURN_SECONDS, Silence, check

REQUEST_BYTES = 80
RECORD_BYTES = 120
"""About a line of a record."""
ROUNDS_A_TURN = 5


def _guarded(
    context: zmq.Context[zmq.Socket[bytes]], kind: int, keys: tuple[bytes, bytes]
) -> zmq.Socket[bytes]:
    made = context.socket(kind)
    made.linger = 0
    made.setsockopt(zmq.CURVE_SERVER, 1)
    made.setsockopt(zmq.CURVE_PUBLICKEY, keys[0])
    made.setsockopt(zmq.CURVE_SECRETKEY, keys[1])
    return made


def _serve(
    ready: Connection,
    keys: tuple[bytes, bytes],
    answer: bytes,
    publication: bytes,
    record: Path | None,
) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    requests = _guarded(context, zmq.ROUTER, keys)
    updates = _guarded(context, zmq.PUB, keys)
    ports = [bound.bind_to_random_port("tcp://127.0.0.1") for bound in (requests, updates)]
    file = None if record is None else os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    ready.send(ports)
    while True:
        *envelope, _body = requests.recv_multipart()
        if file is not None:
            os.write(file, bytes(RECORD_BYTES))
            sync(file)
        requests.send_multipart([*envelope, answer])
        updates.send(publication)


class Echo:
    """A bare server in a child process, with a client and its subscribers.

    Args:
        sample: the answer and the publication to send.
        subscribers: how many receive each publication.
        record: a file to which it appends, and which it syncs, before each answer; None for none.
    """

    def __init__(self, sample: tuple[bytes, bytes], subscribers: int, record: Path | None) -> None:
        keys, own = zmq.curve_keypair(), zmq.curve_keypair()
        ours, theirs = multiprocessing.Pipe()
        self._server = multiprocessing.get_context("spawn").Process(
            target=_serve, args=(theirs, keys, *sample, record), daemon=True
        )
        self._server.start()
        requests_port, updates_port = ours.recv()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._requests = curve_client(self._context, zmq.DEALER, keys[0], own)
        self._requests.connect(f"tcp://127.0.0.1:{requests_port}")
        self._subscribers = [
            curve_client(self._context, zmq.SUB, keys[0], own) for _ in range(subscribers)
        ]
        for subscriber in self._subscribers:
            subscriber.setsockopt(zmq.SUBSCRIBE, b"")
            subscriber.connect(f"tcp://127.0.0.1:{updates_port}")
        _until_subscribed(self._requests, self._subscribers)
        self.took: list[float] = []
        """The seconds from each request until the answer and all publications have arrived."""

    def play(self, rounds: int) -> None:
        """Send so many requests, at the pace of a game."""
        for number in range(rounds):
            self.took.append(_round(self._requests, self._subscribers))
            if number % ROUNDS_A_TURN == 0:
                sleep(TURN_SECONDS)  # the pace of a game

    def close(self) -> None:
        """End the server and close the sockets."""
        self._server.kill()
        self._server.join()
        self._context.destroy(linger=0)


def _round(requests: zmq.Socket[bytes], subscribers: list[zmq.Socket[bytes]]) -> float:
    began = perf_counter()
    requests.send_multipart([b"", bytes(REQUEST_BYTES)])
    frames = [_receive(subscriber) for subscriber in subscribers]
    body = _receive(requests)
    took = perf_counter() - began
    check(body, frames)
    return took


def _receive(subscriber: zmq.Socket[bytes]) -> bytes:
    if not subscriber.poll(DEADLINE_MS):
        raise Silence
    return subscriber.recv_multipart()[-1]


def _until_subscribed(requests: zmq.Socket[bytes], subscribers: list[zmq.Socket[bytes]]) -> None:
    """Send requests until every subscriber has received something, then drain the sockets."""
    waiting = list(subscribers)
    while waiting:
        requests.send_multipart([b"", bytes(REQUEST_BYTES)])
        requests.recv_multipart()
        waiting = [subscriber for subscriber in waiting if not subscriber.poll(50)]
    for subscriber in subscribers:
        while subscriber.poll(20):
            subscriber.recv()
