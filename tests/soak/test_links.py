"""Short forms of `scripts/soak links`; they need network namespaces, and so root."""

import pytest

from tests.soak.lan.lan import GUESTS
from tests.soak.lan.network import unavailable
from tests.soak.lan.switch import Weather
from tests.soak.parts.links import Cut, cut_cables, play_by_switch
from tests.soak.soak import Soak

LOSS = 20
CUTS = [Cut(2.0, GUESTS[0], "to it"), Cut(2.0, GUESTS[1], "from it")]
WI_FI = Weather(delay=0.01, jitter=0.01, doubled=0.1, hurried=0.1)


@pytest.fixture(autouse=True, scope="module")
def network() -> None:
    """Skip if such a network cannot be made, and say why."""
    if why := unavailable():
        pytest.skip(why)


def test_cables_that_lose_frames_and_are_pulled() -> None:
    soak = Soak("links", 0)
    cut_cables(soak, CUTS, LOSS, pause=0.0)
    assert not soak.broken


def test_frames_that_come_late_twice_and_out_of_turn() -> None:
    soak = Soak("links", 0)
    play_by_switch(soak, WI_FI)
    assert not soak.broken
