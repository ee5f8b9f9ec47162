"""Strangers at the port for browsers: a program with PORT, SECONDS, SEED and names of attacks."""

import json
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from threading import Thread
from typing import Final

SOURCES: Final = 8
"""The addresses of each attack."""
TRIED, IN, ANSWERED = "tries", "let in", "answers"
HELLO: Final = {"is": "hello", "language": "en", "theme": "dark", "columns": 40, "rows": 27}


class Stranger:
    """A connection without manners, from an address of its own."""

    def __init__(self, port: int, source: str, done: Counter[str]) -> None:
        self._host = f"127.0.0.1:{port}"
        self._done = done
        self._socket = socket.create_connection(
            ("127.0.0.1", port), timeout=2, source_address=(source, 0)
        )

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self._socket.sendall(data)

    def hear(self) -> bytes:
        """Return what has come, and note if it lets somebody in."""
        heard = self._socket.recv(1 << 16)
        self._done[ANSWERED] += 1
        self._done[IN] += b'"token"' in heard or b'"rows"' in heard
        return heard

    def open(self, host: str = "", origin: str = "") -> bool:
        """Do the handshake; return whether the WebSocket is open."""
        host = host or self._host
        lines = (
            f"GET /socket HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin or f'http://{host}'}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        self.send(lines.encode())
        return b" 101 " in self.hear().partition(b"\r\n")[0]

    def say(self, text: bytes) -> None:
        """Send a message, masked with zeros."""
        size = (
            bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + struct.pack(">H", len(text))
        )
        self.send(b"\x81" + size + bytes(4) + text)

    def abort(self) -> None:
        """Reset the connection."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()


Attack = Callable[[Stranger, Random, Counter[str]], None]


def garbage(stranger: Stranger, chance: Random, _done: Counter[str]) -> None:
    """Send bytes at random, or TLS."""
    stranger.send(b"\x16\x03\x01\x02\x00" + chance.randbytes(chance.randrange(5000)))
    stranger.hear()


def slow(stranger: Stranger, chance: Random, _done: Counter[str]) -> None:
    """Never finish a request."""
    stranger.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    for _line in range(50):
        stranger.send(b"X: " + chance.randbytes(20).hex().encode() + b"\r\n")
        time.sleep(0.05)  # as slowly as that


def half(stranger: Stranger, _chance: Random, _done: Counter[str]) -> None:
    """Open a WebSocket, and say nothing."""
    stranger.open()
    stranger.hear()


def numbers(stranger: Stranger, chance: Random, done: Counter[str]) -> None:
    """Guess numbers as fast as possible."""
    if not stranger.open():
        return
    stranger.say(json.dumps(HELLO).encode())
    stranger.hear()
    stranger.say(b'{"is":"ask","name":"Eve","role":"player"}')
    while b'"enter"' in stranger.hear():
        stranger.say(f'{{"is":"enter","number":"{chance.randrange(10**6):06}"}}'.encode())
        done[TRIED] += 1


def foreign(stranger: Stranger, _chance: Random, done: Counter[str]) -> None:
    """Be somebody else's page."""
    done[IN] += stranger.open(origin="http://evil.example")


def rebinding(stranger: Stranger, _chance: Random, done: Counter[str]) -> None:
    """Come under somebody else's name."""
    done[IN] += stranger.open(host="evil.example:80")


def oversized(stranger: Stranger, chance: Random, _done: Counter[str]) -> None:
    """Send a message that is too long, or never ends."""
    stranger.open()
    stranger.send(b"\x01\xff" + struct.pack(">Q", 1 << 40) + bytes(4) + chance.randbytes(9999))
    stranger.hear()


def flood(stranger: Stranger, _chance: Random, _done: Counter[str]) -> None:
    """Send messages without a pause."""
    stranger.open()
    stranger.say(json.dumps(HELLO).encode())
    while True:
        stranger.say(b'{"is":"key","key":"?"}')


ATTACKS: Final[dict[str, Attack]] = {
    one.__name__: one
    for one in (garbage, slow, half, numbers, foreign, rebinding, oversized, flood)
}


def attack(name: str, port: int, source: str, end: float, seed: str) -> Counter[str]:
    """Attack from an address until some time; return what was done."""
    done: Counter[str] = Counter()
    chance = Random(f"{seed} {name} {source}")
    while time.monotonic() < end:
        done["connections"] += 1
        with suppress(OSError):
            stranger = Stranger(port, source, done)
            try:
                ATTACKS[name](stranger, chance, done)
            finally:
                stranger.abort()
        time.sleep(0.01)  # so that the attackers are not the load
    return done


def main() -> None:
    """Attack, and print what was done."""
    port, seconds, seed, *names = sys.argv[1:]
    done: Counter[str] = Counter()
    end = time.monotonic() + float(seconds)

    def run(name: str, source: str) -> None:
        done.update(attack(name, int(port), source, end, seed))

    sources = [f"127.0.1.{2 + number}" for number in range(SOURCES)]
    threads = [Thread(target=run, args=(name, source)) for name in names for source in sources]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(done))


if __name__ == "__main__":
    main()
