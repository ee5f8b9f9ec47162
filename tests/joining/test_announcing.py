"""The beacon: a child process whose failures never affect the table."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from coffeerush.joining.announcing import Beacon, _reachable
from coffeerush.local.processes import child_environment
from protocol import PROTOCOL_NAME, PROTOCOL_OLDEST, PROTOCOL_VERSION, Banner
from tests.support.children import beacons, is_beacon, needs_proc
from tests.support.hosts_and_clients import SECONDS

KEY = "k" * 40
BANNER = Banner(PROTOCOL_NAME, PROTOCOL_OLDEST, PROTOCOL_VERSION, "Kitchen", 1001, 1002, KEY)
NOWHERE = "192.0.2.7"
"""Not an address of this machine, so that nothing is sent to any network."""
HOST = f"""
import signal
from protocol import Banner
from coffeerush.joining.announcing import Beacon
beacon = Beacon(Banner("{PROTOCOL_NAME}", 1, 9, "Kitchen", 1001, 1002, "{KEY}"), "{NOWHERE}", 1000)
while True:
    signal.pause()
"""

pytestmark = needs_proc


@pytest.mark.parametrize(
    ("bound", "announced"),
    [
        ("192.168.0.12", ["192.168.0.12"]),
        ("169.254.7.2", ["169.254.7.2"]),
        ("2001:db8::12", ["2001:db8::12"]),
        ("127.0.0.1", []),
        ("::1", []),
        ("fe80::1", []),  # means another machine on each link
    ],
)
def test_only_addresses_valid_everywhere_are_announced(bound: str, announced: list[str]) -> None:
    assert _reachable(bound) == announced


def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)  # nothing tells when /proc changes


def test_a_beacon_that_dies_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    beacon = Beacon(BANNER, NOWHERE, 1000)
    try:
        until(lambda: beacons(os.getpid()))
        with caplog.at_level(logging.WARNING):
            os.kill(beacons(os.getpid())[0], signal.SIGKILL)
            until(lambda: caplog.records)
    finally:
        beacon.stop()
    assert len(caplog.records) == 1
    assert "It can still be joined by its address" in caplog.text


def test_stopping_a_beacon_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    beacon = Beacon(BANNER, NOWHERE, 1000)
    until(lambda: beacons(os.getpid()))
    beacon.stop()
    until(lambda: not beacons(os.getpid()))
    assert not caplog.records


def test_a_beacon_shows_free_seats_without_another_child() -> None:
    beacon = Beacon(BANNER, NOWHERE, 1000)
    until(lambda: beacons(os.getpid()))
    (child,) = beacons(os.getpid())
    for free in range(3):
        beacon.show(free, 0)
    assert beacons(os.getpid()) == [child]
    beacon.stop()
    until(lambda: not is_beacon(child))


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_there_is_no_beacon_for_a_loopback_door(address: str) -> None:
    beacon = Beacon(BANNER, address, 1000)
    assert not beacons(os.getpid())
    beacon.stop()


def test_the_child_ends_with_its_host_however_that_ends() -> None:
    with subprocess.Popen([sys.executable, "-c", HOST], env=child_environment()) as host:
        until(lambda: beacons(host.pid))
        (beacon,) = beacons(host.pid)
        host.kill()
    until(lambda: not is_beacon(beacon))
