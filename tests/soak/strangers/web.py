"""Strangers at the port for browsers.

A program with PORT, SECONDS, SEED and names of attacks, each with `/` and the number of addresses.
"""

import hashlib
import json
import resource
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
"""The addresses of an attack, if it does not say otherwise."""
TLS_LINES: Final = 3000
"""The connections, of all addresses together, that never begin TLS."""
IDENTITIES: Final = (
    *("ssh 127.0.0.1 ann", "ssh 127.0.0.1 Ann", "ssh ann", "127.0.0.1 ann", "ann", "ssh", ""),
    *("ssh 127.0.0.0/24 ann", "ssh ::1 ann", "web ann", "web", "browser_token", "ssh_key"),
    '{"type":"address_and_name","address":"127.0.0.1","name":"ann"}',
    '["address_and_name","127.0.0.1","ann"]',
)
"""What a guest's identity may look like, as far as others can know; `forged` adds hashes of it."""
TRIED, IN, ANSWERED = "tries", "let in", "answers"
HELLO: Final = {"is": "hello", "language": "en", "theme": "dark"}


class Stranger:
    """A connection without manners, from an address of its own."""

    def __init__(self, port: int, source: str, done: Counter[str]) -> None:
        self._host = f"127.0.0.1:{port}"
        self._port = port
        self._source = source
        self._done = done
        self._socket = socket.create_connection(
            ("127.0.0.1", port), timeout=2, source_address=(source, 0)
        )

    def again(self) -> "Stranger":
        """Return one more connection from the same address."""
        return Stranger(self._port, self._source, self._done)

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def hear(self) -> bytes:
        """Return what has come, and note if it lets somebody in."""
        heard = self.read()
        self._done[ANSWERED] += 1
        self._done[IN] += b'"token"' in heard or b'"parts"' in heard
        return heard

    def read(self) -> bytes:
        return self._socket.recv(1 << 16)

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


def forged(stranger: Stranger, chance: Random, done: Counter[str]) -> None:
    """Claim to be somebody who is here."""
    if not stranger.open():
        return
    token = chance.choice(IDENTITIES)
    hashed = hashlib.sha256(token.encode()).hexdigest()
    token = chance.choice([token, hashed, hashed[:32]])
    stranger.say(json.dumps({**HELLO, "token": token}).encode())
    done["identities"] += 1
    done[IN] += b'"table"' in stranger.hear()


def gets(stranger: Stranger, chance: Random, done: Counter[str]) -> None:
    """Ask for files, those that there are and others."""
    path = chance.choice(["/en", "/page.js", "/page.css", "/../../etc/passwd", "/x" * 400])
    stranger.send(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    done["files"] += bool(stranger.read())


def big_headers(stranger: Stranger, _chance: Random, done: Counter[str]) -> None:
    """Send as many headers as one may, as long as they may be."""
    stranger.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    for _line in range(127):
        stranger.send(b"X: " + b"x" * 8000 + b"\r\n")
    done["headers"] += 127
    time.sleep(1)  # holds them for a while
    stranger.hear()


def odd_messages(stranger: Stranger, chance: Random, done: Counter[str]) -> None:
    """Open a WebSocket, and send what is no message, or not yet one."""
    if stranger.open():
        for text in (
            b"{}",
            b"[" * 500,
            b'{"is":"key","key":"?"}',
            chance.randbytes(50).hex().encode(),
        ):
            stranger.say(text)
            done["messages"] += 1
        stranger.hear()


def newcomers(stranger: Stranger, chance: Random, done: Counter[str]) -> None:
    """Ask to come in under one new name after another; at an open table, come in and go."""
    if not stranger.open():
        return
    stranger.say(json.dumps(HELLO).encode())
    stranger.hear()
    name = f"Eve {chance.randrange(10**6)}"
    stranger.say(json.dumps({"is": "ask", "name": name, "role": "spectator"}).encode())
    stranger.hear()
    done["newcomers"] += 1


def holders(stranger: Stranger, chance: Random, done: Counter[str]) -> None:
    """Come in at an open table, or ask to, and stay."""
    newcomers(stranger, chance, done)
    with suppress(TimeoutError):
        while stranger.hear():
            pass
    time.sleep(10)


def stalled(stranger: Stranger, _chance: Random, done: Counter[str]) -> None:
    """Hold thousands of connections, and never begin TLS."""
    held = [stranger]
    try:
        while len(held) < TLS_LINES:
            held.append(stranger.again())
            done["held"] += 1
        time.sleep(10)
    finally:
        for one in held[1:]:
            one.abort()


ATTACKS: Final[dict[str, Attack]] = {
    one.__name__: one
    for one in (
        *(garbage, slow, half, numbers, foreign, rebinding, oversized, flood),
        *(forged, gets, big_headers, odd_messages, newcomers),
    )
}
"""What they do at any table."""
OTHERS: Final[dict[str, Attack]] = {one.__name__: one for one in (holders, stalled)}
"""What only some tables are for: open ones, and those with a certificate."""


def attack(name: str, port: int, source: str, end: float, seed: str) -> Counter[str]:
    """Attack from an address until some time; return what was done."""
    done: Counter[str] = Counter()
    chance = Random(f"{seed} {name} {source}")
    while time.monotonic() < end:
        done["connections"] += 1
        with suppress(OSError):
            stranger = Stranger(port, source, done)
            try:
                (ATTACKS | OTHERS)[name](stranger, chance, done)
            finally:
                stranger.abort()
        time.sleep(0.01)  # so that the attackers are not the load
    return done


def main() -> None:
    """Attack, and print what was done."""
    port, seconds, seed, *wanted = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    done: Counter[str] = Counter()
    end = time.monotonic() + float(seconds)

    def run(name: str, source: str) -> None:
        done.update(attack(name, int(port), source, end, seed))

    threads = []
    for one in wanted:
        name, _slash, count = one.partition("/")
        sources = [f"127.0.1.{2 + number}" for number in range(int(count or SOURCES))]
        threads += [Thread(target=run, args=(name, source)) for source in sources]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(done))


if __name__ == "__main__":
    main()
