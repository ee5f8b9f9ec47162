"""A short form of `scripts/soak kills`."""

from tests.soak.parts import kills
from tests.soak.soak import Soak

SHORT_SECONDS = 6.0
KILLS = 5


def test_a_host_that_is_killed_loses_nothing() -> None:
    soak = Soak("kills", SHORT_SECONDS)
    kills.run_house(soak, spectators=0, kills=KILLS)
    assert not soak.broken
