"""A CurveZMQ client without libzmq, which sends what libzmq would never let anybody send."""

import ctypes
import os
import socket
from pathlib import Path
from typing import Final, Self

import zmq
from zmq.utils import z85

from tests.soak.strangers.crowds import Script
from tests.soak.strangers.zmtp import COMMAND, frame, greeting
from tests.support.hosts_and_clients import KeyPair, Peer

HANDSHAKE_SECONDS: Final = 0.5
"""After which somebody who attacks tries again."""
_MAC: Final = 16
_GREETING: Final = 64
_WELCOME: Final = 170
_READY: Final = b"\x05READY"


def _libsodium() -> ctypes.CDLL:
    """Load the libsodium that pyzmq has loaded already."""
    folder = Path(zmq.__file__).parents[1] / "pyzmq.libs"
    return ctypes.CDLL(str(next(folder.glob("libsodium*"), "libsodium.so.23")))


_sodium: Final = _libsodium()


def _box(text: bytes, nonce: bytes, public: bytes, secret: bytes) -> bytes:
    sealed = ctypes.create_string_buffer(len(text) + _MAC)
    _sodium.crypto_box_easy(sealed, text, ctypes.c_ulonglong(len(text)), nonce, public, secret)
    return sealed.raw


def _open(sealed: bytes, nonce: bytes, public: bytes, secret: bytes) -> bytes:
    text = ctypes.create_string_buffer(len(sealed) - _MAC)
    size = ctypes.c_ulonglong(len(sealed))
    if _sodium.crypto_box_open_easy(text, sealed, size, nonce, public, secret):
        raise ConnectionRefusedError("not sealed by the host")
    return text.raw


class Curve:
    """The client's side of a connection, sans-I/O; all keys are in Z85."""

    def __init__(self, host_key: str, keys: KeyPair, kind: str) -> None:
        self._host = z85.decode(host_key)
        self._public, self._long_secret = map(z85.decode, keys)
        self._short, self._secret = map(z85.decode, zmq.curve_keypair())
        self._told = _property(b"Socket-Type", kind.encode()) + _property(b"Identity", b"")
        self._count = 0
        self._heard = b""

    def handshake(self) -> Script:
        """Yield what to send, and None to be sent what comes; end once let in."""
        yield greeting(b"CURVE")
        yield from self._hear(_GREETING)
        number, sealed = self._box(b"CurveZMQHELLO---", bytes(64))
        yield frame(b"\x05HELLO\1\0" + bytes(72) + self._short + number + sealed, COMMAND)
        yield from self._hear(_GREETING + _WELCOME)
        welcome = self._heard[-_WELCOME + len(b"\x07WELCOME") + 2 :]
        opened = _open(welcome[16:], b"WELCOME-" + welcome[:16], self._host, self._secret)
        long_key, self._host, cookie = self._host, opened[:32], opened[32:]
        vouch = os.urandom(16)
        vouched = _box(self._short + long_key, b"VOUCH---" + vouch, self._host, self._long_secret)
        number, sealed = self._box(b"CurveZMQINITIATE", self._public + vouch + vouched + self._told)
        yield frame(b"\x08INITIATE" + cookie + number + sealed, COMMAND)
        yield from self._hear(_GREETING + _WELCOME + 2 + len(_READY))
        if not self._heard[_GREETING + _WELCOME + 2 :].startswith(_READY):
            raise ConnectionRefusedError("not let in")

    def _hear(self, size: int) -> Script:
        while len(self._heard) < size:
            self._heard += yield None

    def _box(self, nonce: bytes, text: bytes) -> tuple[bytes, bytes]:
        self._count += 1
        number = self._count.to_bytes(8)
        return number, _box(text, nonce + number, self._host, self._secret)

    def sealed(self, body: bytes, more: bool = False, command: bool = False) -> bytes:
        """Return a frame of a message, or a command, sealed."""
        number, sealed = self._box(b"CurveZMQMESSAGEC", bytes([more | command << 1]) + body)
        return frame(b"\x07MESSAGE" + number + sealed)


class RawConnection:
    """A connection of a member on which any frame can be sent; raises `OSError` if refused.

    `seconds` is how long to wait for anything that the host sends.
    """

    def __init__(
        self, member: Peer, kind: str = "DEALER", seconds: float = HANDSHAKE_SECONDS
    ) -> None:
        curve = Curve(member.banner["key"], member.keys, kind)
        port = member.banner["updates" if kind == "SUB" else "requests"]
        self.sealed = curve.sealed
        self.link = socket.create_connection(("127.0.0.1", port), seconds)
        try:
            said = curve.handshake()
            out = next(said, None)
            while True:
                if out is None:
                    heard = self.link.recv(1 << 16)
                    if not heard:
                        raise ConnectionResetError("cut in the handshake")
                    out = said.send(heard)
                else:
                    self.link.sendall(out)
                    out = next(said)
        except StopIteration:
            return
        except OSError:
            self.link.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.link.close()


def _property(name: bytes, value: bytes) -> bytes:
    return bytes([len(name)]) + name + len(value).to_bytes(4) + value
