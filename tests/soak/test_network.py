"""The simulated network itself: what it does to frames, and what it leaves behind."""

import os
import subprocess
from random import Random

import pytest

from tests.soak.lan.network import PREFIX, Network, unavailable
from tests.soak.lan.switch import Weather

FRAMES = 4000


def delays(weather: Weather) -> list[list[float]]:
    """Return the delays with which many frames arrive, including duplicates."""
    chance = Random(1)
    return [list(weather.delays(chance)) for _frame in range(FRAMES)]


def test_frames_in_calm_weather_arrive_once_and_at_once() -> None:
    assert delays(Weather()) == [[0.0]] * FRAMES


def test_frames_are_late_within_bounds() -> None:
    late = [delay for (delay,) in delays(Weather(delay=0.1, jitter=0.05))]
    assert min(late) >= 0.05
    assert max(late) <= 0.15
    assert late != sorted(late)


def test_frames_are_doubled_as_often_as_said() -> None:
    arrived = [len(one) for one in delays(Weather(doubled=0.1))]
    shares = {count: arrived.count(count) / FRAMES for count in set(arrived)}
    assert shares == pytest.approx({1: 0.9, 2: 0.1}, abs=0.03)


def test_frames_overtake_others() -> None:
    hurried = [delay for (delay,) in delays(Weather(delay=0.1, hurried=0.3))]
    assert set(hurried) == {0.0, 0.1}
    assert hurried.count(0.0) / FRAMES == pytest.approx(0.3, abs=0.03)


def spaces() -> str:
    """Return the names of all network namespaces."""
    return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout


def test_a_network_leaves_nothing_behind() -> None:
    if why := unavailable():
        pytest.skip(why)
    with subprocess.Popen(["true"]) as process:
        killed = f"{PREFIX}{process.pid}-0-Ann"
    subprocess.run(["ip", "netns", "add", killed], check=True)
    with Network(["Ann", "Bob"]) as network:
        assert killed not in spaces()
        words = network.command("Ann", "sh", "-c", "echo here; exec sleep 60")
        inside = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert inside.stdout
        assert inside.stdout.readline() == b"here\n"
        network.lose({})
    with inside:
        assert inside.wait() != 0
    assert f"{PREFIX}{os.getpid()}-" not in spaces()
