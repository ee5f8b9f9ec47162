"""An Ethernet switch in user space, over TAP devices, that simulates a bad Wi-Fi.

A thread reads each frame and forwards it when it is due: late, duplicated or out of order.
"""

import fcntl
import os
import select
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from random import Random
from threading import Thread
from time import monotonic
from typing import Final

from msgspec import Struct

_TUNSETIFF: Final = 0x400454CA
_IFF_TAP: Final = 0x0002
TUN: Final = 0x0001
_IFF_NO_PI: Final = 0x1000
_MOST_BYTES: Final = 65536
_ADDRESS_BYTES: Final = 6


class Weather(Struct, frozen=True):
    """The faults of a network; shares are from 0 to 1."""

    delay: float = 0.0
    """The mean delay, in seconds."""
    jitter: float = 0.0
    """The most that a frame's delay may vary, in seconds."""
    doubled: float = 0.0
    """The share that arrives twice."""
    hurried: float = 0.0
    """The share that overtakes earlier frames, because it has no delay."""

    def delays(self, chance: Random) -> Iterator[float]:
        """Yield the delay of each copy of a frame that arrives."""
        hurried = chance.random() < self.hurried
        yield 0.0 if hurried else self._delay(chance)
        if chance.random() < self.doubled:
            yield self._delay(chance)

    def _delay(self, chance: Random) -> float:
        return max(0.0, self.delay + chance.uniform(-self.jitter, self.jitter))


def open_tap(device: str, kind: int = _IFF_TAP) -> int:
    """Make a TAP device, or a `TUN` one, and return its descriptor; closing that removes it."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.ioctl(file, _TUNSETIFF, struct.pack("16sH22x", device.encode(), kind | _IFF_NO_PI))
    except OSError:
        os.close(file)
        raise
    return file


class Switch:
    """Forwards frames between TAP devices, which it closes in the end."""

    def __init__(self, taps: Sequence[int], weather: Weather, seed: int) -> None:
        self.weather = weather
        self.moved = 0
        """The number of frames forwarded."""
        self._taps = taps
        self._chance = Random(seed)
        self._homes: dict[bytes, int] = {}
        self._late: list[tuple[float, int, int, bytes]] = []
        self._woken, self._wake = os.pipe()
        self._thread = Thread(target=self._run, name="switch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop it, and remove its devices."""
        os.write(self._wake, b"\0")
        self._thread.join()
        for file in (self._woken, self._wake, *self._taps):
            os.close(file)

    def _run(self) -> None:
        while True:
            due = max(0.0, self._late[0][0] - monotonic()) if self._late else None
            ready = select.select([*self._taps, self._woken], [], [], due)[0]
            if self._woken in ready:
                return
            for tap in ready:
                self._read(tap)
            self._hand_on()

    def _read(self, tap: int) -> None:
        frame = os.read(tap, _MOST_BYTES)
        target, source = frame[:_ADDRESS_BYTES], frame[_ADDRESS_BYTES : 2 * _ADDRESS_BYTES]
        self._homes[source] = tap
        home = self._homes.get(target)
        for other in (home,) if home else (one for one in self._taps if one != tap):
            for delay in self.weather.delays(self._chance):
                self.moved += 1
                heappush(self._late, (monotonic() + delay, self.moved, other, frame))

    def _hand_on(self) -> None:
        while self._late and self._late[0][0] <= monotonic():
            _due, _number, tap, frame = heappop(self._late)
            with suppress(OSError):  # the device is down: not up yet, or removed with its namespace
                os.write(tap, frame)
