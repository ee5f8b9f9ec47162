"""Short forms of `scripts/soak members`: some keys do their worst while the others play."""

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


@pytest.mark.parametrize(("name", "keys", "size"), [("unfinished", 1, 50), ("topics", 2, 20)])
def test_swarms_are_cut(name: str, keys: int, size: int) -> None:
    soak = Soak("members", SHORT_SECONDS)
    members.besiege(soak, name, keys, size, SHORT_SECONDS)
    assert not soak.broken


def test_members_come_back_among_half_handshakes() -> None:
    soak = Soak("members", SHORT_SECONDS)
    assert members.come_back(soak, SHORT_SECONDS)
    assert not soak.broken
