"""Short forms of `scripts/soak disk`: a record that cannot be written."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.soak.parts import disk
from tests.soak.soak import Soak

SHORT_SECONDS = 3.0


@pytest.mark.parametrize("way", [disk.limited, disk.full, disk.forbidden])
def test_what_cannot_be_written_is_refused_and_nothing_is_lost(
    way: Callable[[Soak, Path], Coroutine[Any, Any, None]],
) -> None:
    soak = Soak("disk", SHORT_SECONDS)
    disk.run_one(way, soak)
    assert not soak.broken
    if soak.skipped:
        pytest.skip(soak.skipped[0])
