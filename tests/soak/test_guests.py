"""A short form of `scripts/soak guests`."""

import pytest

from tests.soak.parts import guests
from tests.soak.soak import Soak

SHORT_SECONDS = 3.0


def test_nothing_is_left_of_aborted_connections() -> None:
    soak = Soak("guests", SHORT_SECONDS)
    guests.abort(soak, connections=12)
    assert not soak.broken


@pytest.mark.slow
def test_guests_are_answered_under_attack() -> None:
    soak = Soak("guests", SHORT_SECONDS)
    guests.withstand(soak, [{"sizes": 2, "half_open": 2}], 1.0)
    assert not soak.broken


@pytest.mark.slow
def test_guests_and_strangers_leave_the_table_alone() -> None:
    soak = Soak("guests", SHORT_SECONDS)
    guests.crowd(soak, guests=3, seconds=SHORT_SECONDS)
    assert not soak.broken


@pytest.mark.slow
def test_a_killed_gateway_loses_no_seat() -> None:
    soak = Soak("guests", SHORT_SECONDS)
    guests.kill(soak, SHORT_SECONDS)
    assert not soak.broken
