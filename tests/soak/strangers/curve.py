"""A CurveZMQ client without libzmq, which sends what libzmq would never let anybody send."""

import ctypes
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import zmq
from zmq.utils import z85

from tests.soak.strangers.zmtp import COMMAND, frame, greeting
from tests.support.hosts_and_clients import KeyPair

HANDSHAKE_SECONDS: Final = 0.5
"""After which somebody who attacks tries again."""
_MAC: Final = 16
_GREETING: Final = 64
_WELCOME: Final = 168
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


class RawConnection:
    """One connection to a host, over which any frame can be sent.

    Args:
        port: of requests or updates.
        host_key: the host's, in Z85.
        keys: of the client, in Z85.
        kind: the type of socket to pose as.
        identity: the routing id to claim.

    Raises:
        OSError: the host does not let it in.
    """

    def __init__(
        self, port: int, host_key: str, keys: KeyPair, kind: str = "DEALER", identity: bytes = b""
    ) -> None:
        self._nonce = 0
        self.link = socket.create_connection(("127.0.0.1", port), HANDSHAKE_SECONDS)
        try:
            self._shake_hands(z85.decode(host_key), keys, kind, identity)
        except BaseException:
            self.link.close()
            raise
        self.link.setblocking(False)

    def _shake_hands(self, host: bytes, keys: KeyPair, kind: str, identity: bytes) -> None:
        public, secret = map(z85.decode, keys)
        short, short_secret = map(z85.decode, zmq.curve_keypair())
        self.link.sendall(greeting(b"CURVE"))
        self._read(_GREETING)
        number = self._count()
        sealed = _box(bytes(64), b"CurveZMQHELLO---" + number, host, short_secret)
        hello = b"\x05HELLO\1\0" + bytes(72) + short + number + sealed
        self.link.sendall(frame(hello, COMMAND))
        welcome = self._read(_WELCOME + 2)[10:]
        opened = _open(welcome[16:], b"WELCOME-" + welcome[:16], host, short_secret)
        self._host, cookie = opened[:32], opened[32:]
        self._secret = short_secret
        vouch = os.urandom(16)
        vouched = _box(short + host, b"VOUCH---" + vouch, self._host, secret)
        told = _property(b"Socket-Type", kind.encode()) + _property(b"Identity", identity)
        number = self._count()
        text = public + vouch + vouched + told
        sealed = _box(text, b"CurveZMQINITIATE" + number, self._host, short_secret)
        self.link.sendall(frame(b"\x08INITIATE" + cookie + number + sealed, COMMAND))
        if not self._read(2 + len(_READY)).endswith(_READY):
            raise ConnectionRefusedError("not let in")

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.link.recv(size - len(data))
            if not more:
                raise ConnectionResetError("cut in the handshake")
            data += more
        return data

    def _count(self) -> bytes:
        self._nonce += 1
        return self._nonce.to_bytes(8)

    def sealed(self, body: bytes, more: bool = False) -> bytes:
        """Return a frame of a message, sealed."""
        number = self._count()
        text = bytes([more]) + body
        sealed = _box(text, b"CurveZMQMESSAGEC" + number, self._host, self._secret)
        return frame(b"\x07MESSAGE" + number + sealed)

    def send(self, data: bytes) -> bool:
        """Send what fits and drop what came; tell whether the host has not cut it."""
        try:
            with suppress(BlockingIOError):
                if not self.link.recv(1 << 16):
                    return False
            with suppress(BlockingIOError):
                self.link.sendall(data)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Close it."""
        self.link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _property(name: bytes, value: bytes) -> bytes:
    return bytes([len(name)]) + name + len(value).to_bytes(4) + value


def connections(
    count: int, port: int, host_key: str, keys: KeyPair, kind: str = "DEALER"
) -> Iterator[RawConnection]:
    """Yield as many of so many connections as the host lets in."""
    for _each in range(count):
        with suppress(OSError):
            yield RawConnection(port, host_key, keys, kind)
