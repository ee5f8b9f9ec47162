"""Short forms of `scripts/soak members`: two keys do their worst while the others play."""

import pytest

from tests.soak.parts import members
from tests.soak.soak import Soak

SHORT_SECONDS = 1.0
QUIET_SECONDS = 0.3


@pytest.mark.parametrize("names", [("fuzz", "flood"), ("endless", "mute")])
def test_others_play_on(names: tuple[str, ...]) -> None:
    soak = Soak("members", SHORT_SECONDS)
    members.siege(soak, names, soak.chance, SHORT_SECONDS, QUIET_SECONDS)
    assert not soak.broken
