"""A whole Coffee Rush bot in one small file: pyzmq and msgpack, nothing of coffeerush.

    python examples/minimal_bot.py 127.0.0.1 47820

It plays any option at random until the game is over. Everything it does is in protocol/SPEC.md.
"""

import json
import os
import random
import socket
import sys
import time
from typing import Any

import msgpack
import zmq

WAIT_SECONDS = (0.5, 1, 2, 2, 2, 2)
"""How long each try at a request waits for its answer."""


def enter(host: str, port: int, key: bytes) -> dict[str, Any]:
    """Show the own key at the door; return the host's banner."""
    with socket.create_connection((host, port), timeout=5) as door:
        lines = door.makefile("rwb")
        banner: dict[str, Any] = json.loads(lines.readline(512))
        if banner.get("game") != "coffeerush" or not banner["oldest"] <= 3 <= banner["newest"]:
            sys.exit("That is no Coffee Rush host that speaks protocol 3; check address and port.")
        lines.write(json.dumps({"type": "enrol", "key": key.decode()}).encode() + b"\n")
        lines.flush()
        answer = json.loads(lines.readline(512))
        if answer["type"] != "enrolled":
            sys.exit(answer["refusal"]["text"])
    return banner


class Requests:
    """One request at a time, sent again with the same bytes until it is answered."""

    def __init__(self, host: str, banner: dict[str, Any], public: bytes, secret: bytes) -> None:
        self.socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REQ)
        self.socket.setsockopt(zmq.LINGER, 200)
        self.socket.setsockopt(zmq.REQ_RELAXED, 1)
        self.socket.setsockopt(zmq.REQ_CORRELATE, 1)
        self.socket.setsockopt(zmq.CURVE_PUBLICKEY, public)
        self.socket.setsockopt(zmq.CURVE_SECRETKEY, secret)
        self.socket.setsockopt(zmq.CURVE_SERVERKEY, banner["key"].encode())
        self.socket.connect(f"tcp://{host}:{banner['requests']}")

    def ask(self, kind: str, **fields: object) -> dict[str, Any]:
        """Return the host's answer."""
        body = msgpack.packb({"type": kind, "id": os.urandom(16), **fields})
        for seconds in WAIT_SECONDS:
            self.socket.send(body)
            if self.socket.poll(int(seconds * 1000)):
                answer: dict[str, Any] = msgpack.unpackb(self.socket.recv())
                return answer
        sys.exit("The host does not answer any more; try again when it is back.")


def play(table: Requests, name: str) -> None:
    """Sit down, say ready, and play until a game is over."""
    answer = table.ask("hello", protocol=3, name=name, role="player")
    if answer["type"] != "snapshot":
        sys.exit(answer["refusal"]["text"] if answer["type"] == "refused" else answer["text"])
    table.ask("ready", ready=True)
    answer = table.ask("view")
    while True:
        view = answer.get("view")
        if view and view["phase"] == "over":
            print("Scores:", *(player["score"] for player in view["players"]))
            table.ask("bye")
            return
        options = view["own"]["options"] if view and view["own"] else []
        intents = [o["intent"] for o in options if o["intent"]["type"] != "undo"]
        if intents:
            intent = random.choice(intents)
            answer = table.ask("intent", game=answer["game"], rev=answer["rev"], intent=intent)
        else:
            time.sleep(0.2)  # somebody else's turn
            answer = table.ask("view")


if __name__ == "__main__":
    address, door_port = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 47820
    public_key, secret_key = zmq.curve_keypair()
    try:
        host_banner = enter(address, door_port, public_key)
    except OSError as error:
        sys.exit(f"Nobody hosts at {address}, port {door_port}: {error}")
    play(Requests(address, host_banner, public_key, secret_key), name="Minimal")
