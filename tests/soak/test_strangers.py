"""A short form of `scripts/soak strangers`; it needs network namespaces, and so to be root."""

import pytest

from scripts.soaking.network import unavailable
from scripts.soaking.parts.strangers import TOGETHER, besiege
from scripts.soaking.soak import Soak
from scripts.soaking.strangers import ATTACKS

SHORT_SECONDS = 2.0


def test_strangers_do_not_get_in() -> None:
    if why := unavailable():
        pytest.skip(why)
    soak = Soak("strangers", SHORT_SECONDS)
    done = besiege(soak, {TOGETHER: [*ATTACKS]}, SHORT_SECONDS)
    assert not soak.broken
    assert done["connections"]
    assert done["tries"]
    assert done["datagrams"]
