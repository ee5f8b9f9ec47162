"""Latency baseline: a bare ROUTER that answers and a PUB that publishes.

It sends a real host's messages at the pace of real players, who decode them in between.
"""

import multiprocessing
from multiprocessing.connection import Connection
from time import perf_counter, sleep

import zmq

from .people import DEADLINE_MS, TURN_SECONDS, Silence, check, curve_client

REQUEST_BYTES = 80
SUBSCRIBERS = 5
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


def _serve(ready: Connection, keys: tuple[bytes, bytes], answer: bytes, publication: bytes) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    requests = _guarded(context, zmq.ROUTER, keys)
    updates = _guarded(context, zmq.PUB, keys)
    ports = [one.bind_to_random_port("tcp://127.0.0.1") for one in (requests, updates)]
    ready.send(ports)
    while True:
        *envelope, body = requests.recv_multipart()
        requests.send_multipart([*envelope, answer])
        updates.send(publication)
        if not body:
            return


def bare_echo(rounds: int, sample: tuple[bytes, bytes]) -> list[float]:
    """Return the seconds from each request until the answer and all publications have arrived.

    Args:
        rounds: the number of requests.
        sample: the answer and the publication to send.
    """
    keys = zmq.curve_keypair()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(theirs, keys, *sample)
    )
    server.start()
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    try:
        requests_port, updates_port = ours.recv()
        own = zmq.curve_keypair()
        requests = curve_client(context, zmq.DEALER, keys[0], own)
        requests.connect(f"tcp://127.0.0.1:{requests_port}")
        subscribers = [curve_client(context, zmq.SUB, keys[0], own) for _ in range(SUBSCRIBERS)]
        for one in subscribers:
            one.setsockopt(zmq.SUBSCRIBE, b"")
            one.connect(f"tcp://127.0.0.1:{updates_port}")
        _until_subscribed(requests, subscribers)
        took = []
        for number in range(rounds):
            took.append(_round(requests, subscribers))
            if number % ROUNDS_A_TURN == 0:
                sleep(TURN_SECONDS)
        return took
    finally:
        server.kill()
        server.join()
        context.destroy(linger=0)


def _round(requests: zmq.Socket[bytes], subscribers: list[zmq.Socket[bytes]]) -> float:
    began = perf_counter()
    requests.send_multipart([b"", bytes(REQUEST_BYTES)])
    frames = [_receive(one) for one in subscribers]
    body = _receive(requests)
    took = perf_counter() - began
    check(body, frames)
    return took


def _receive(one: zmq.Socket[bytes]) -> bytes:
    if not one.poll(DEADLINE_MS):
        raise Silence
    return one.recv_multipart()[-1]


def _until_subscribed(requests: zmq.Socket[bytes], subscribers: list[zmq.Socket[bytes]]) -> None:
    """Send requests until every subscriber has received something, then drain the sockets."""
    waiting = list(subscribers)
    while waiting:
        requests.send_multipart([b"", bytes(REQUEST_BYTES)])
        requests.recv_multipart()
        waiting = [one for one in waiting if not one.poll(50)]
    for one in subscribers:
        while one.poll(20):
            one.recv()
