"""A short form of `scripts/soak long`."""

from tests.soak.parts import long
from tests.soak.soak import Soak

SHORT_SECONDS = 4.0


def test_a_full_house_sees_whole_games() -> None:
    soak = Soak("long", SHORT_SECONDS)
    long.run(soak)
    assert not soak.broken
