"""A complete Coffee Rush bot in one file that needs only pyzmq and msgpack, not coffeerush.

    python examples/minimal_bot.py 127.0.0.1 47830
    python examples/minimal_bot.py 192.168.0.12 apple-tiger-moon

It plays random legal intents until the game is over; protocol/SPEC.md specifies all that it does.
The join code, which hosts on other machines ask for, also needs the package spake2.
"""

import hmac
import json
import os
import random
import socket
import sys
import time
from io import BufferedRWPair
from typing import Any

import msgpack
import zmq

WAIT_SECONDS = (0.5, 1, 2, 2, 2, 2)
"""The timeout of each attempt to send a request."""


def enter(host: str, port: int, key: bytes, code: str) -> dict[str, Any]:
    """Do the handshake at the door, so that our key is admitted; return the host's banner."""
    with socket.create_connection((host, port), timeout=5) as door:
        lines = door.makefile("rwb")
        first = lines.readline(512)
        banner: dict[str, Any] = json.loads(first)
        if banner.get("game") != "coffeerush" or not banner["oldest"] <= 6 <= banner["newest"]:
            sys.exit(
                "No Coffee Rush host with protocol version 6 answers there; check address and port."
            )
        if code:
            prove(lines, first, key, code)
        else:
            tell(lines, {"type": "enrol", "key": key.decode()})
    return banner


def tell(lines: BufferedRWPair, message: dict[str, str]) -> tuple[bytes, dict[str, Any]]:
    """Send a line; return both lines exchanged, and the host's answer decoded."""
    line = json.dumps(message).encode() + b"\n"
    lines.write(line)
    lines.flush()
    answered = lines.readline(512)
    answer: dict[str, Any] = json.loads(answered)
    if answer["type"] == "refused":
        sys.exit(answer["refusal"]["text"])
    return line + answered, answer


def prove(lines: BufferedRWPair, banner: bytes, key: bytes, code: str) -> None:
    """Prove to the host that we know the code, and verify that the host also knows it."""
    from spake2 import SPAKE2_A

    spake = SPAKE2_A(code.encode(), idA=key, idB=json.loads(banner)["key"].encode())
    enrol = {"type": "enrol", "key": key.decode(), "share": spake.start()[1:].hex()}
    said, answer = tell(lines, enrol)
    if answer["type"] != "challenge":
        sys.exit("That host does not ask for the code: it may be a different host.")
    shared = spake.finish(b"B" + bytes.fromhex(answer["share"]))
    mine, theirs = (
        hmac.new(shared, side + banner + said, "sha256").hexdigest()
        for side in (b"coffeerush client\n", b"coffeerush host\n")
    )
    answer = tell(lines, {"type": "proof", "proof": mine})[1]
    if not hmac.compare_digest(answer["proof"], theirs):
        sys.exit("That host does not know the code: it is a different host.")


class Requests:
    """Sends one request at a time, and retries it with the same bytes until it is answered."""

    def __init__(self, host: str, banner: dict[str, Any], public: bytes, secret: bytes) -> None:
        self.socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REQ)
        self.socket.setsockopt(zmq.LINGER, 200)
        for option in (zmq.REQ_RELAXED, zmq.REQ_CORRELATE, zmq.IPV6):
            self.socket.setsockopt(option, 1)
        self.socket.setsockopt(zmq.CURVE_PUBLICKEY, public)
        self.socket.setsockopt(zmq.CURVE_SECRETKEY, secret)
        self.socket.setsockopt(zmq.CURVE_SERVERKEY, banner["key"].encode())
        name = f"[{host}]" if ":" in host else host
        self.socket.connect(f"tcp://{name}:{banner['requests']}")

    def ask(self, kind: str, **fields: object) -> dict[str, Any]:
        """Send a request and return the host's answer."""
        body = msgpack.packb({"type": kind, "id": os.urandom(16), **fields})
        for seconds in WAIT_SECONDS:
            self.socket.send(body)
            if self.socket.poll(int(seconds * 1000)):
                answer: dict[str, Any] = msgpack.unpackb(self.socket.recv())
                if answer.get("refusal", {}).get("code") == "removed":
                    sys.exit(answer["refusal"]["text"])
                return answer
        sys.exit("The host has stopped answering; try again when it is back.")


def play(table: Requests, name: str) -> None:
    """Take a seat, get ready, and play until the game is over."""
    answer = table.ask("hello", protocol=6, name=name, role="player")
    if answer["type"] != "snapshot":
        sys.exit(answer["refusal"]["text"] if answer["type"] == "refused" else answer["text"])
    table.ask("ready", ready=True)
    answer = table.ask("view")
    while True:
        if answer.get("refusal", {}).get("code") == "say_hello":  # a seat waits at another table
            answer = table.ask("hello", protocol=6, name=name, role="player")
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
    address, *more = sys.argv[1:] or sys.exit(__doc__)
    door_port = int(more.pop(0)) if more and more[0].isdigit() else 47820
    join_code = "-".join(word for word in more if word != "open")
    public_key, secret_key = zmq.curve_keypair()
    try:
        host_banner = enter(address, door_port, public_key, join_code)
        play(Requests(address, host_banner, public_key, secret_key), name="Minimal")
    except OSError as error:
        sys.exit(f"No host at {address}, port {door_port}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
