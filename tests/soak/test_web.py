"""A short form of `scripts/soak web`."""

from pathlib import Path

from tests.soak.parts.web import besiege
from tests.soak.soak import Soak

SHORT_SECONDS = 3.0
"""Enough for strangers who have the lowest priority beside other tests."""
SHORT_ATTACKS = ("garbage", "half", "numbers", "foreign", "flood")


def test_strangers_with_browsers_do_not_get_in(tmp_path: Path) -> None:
    soak = Soak("web", SHORT_SECONDS)
    done = besiege(soak, tmp_path, [[*SHORT_ATTACKS]], SHORT_SECONDS)
    assert not soak.broken
    assert done["tries"]
    assert done["aborted"]
    assert done["connections"] > len(SHORT_ATTACKS)
