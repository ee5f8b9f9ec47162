"""How many taps a turn takes on a phone to somebody who taps where to go."""

from statistics import median

import pytest

from tests.guests.web.taps_a_turn import turns_of

MEDIAN = 6
MOST = 8


@pytest.mark.slow
@pytest.mark.parametrize(("others", "seed"), [(1, 3), (1, 4), (1, 18), (2, 3)])
def test_a_turn_takes_few_taps(others: int, seed: int) -> None:
    """In the second and third of these games, an upgrade comes before the longest walk.

    A turn takes at most seven taps, and one more to read what an upgrade costs.
    """
    counts = [*map(len, turns_of(seed, ("regular",) * others))]
    assert len(counts) > 5
    assert max(counts) <= MOST
    assert median(counts) <= MEDIAN
