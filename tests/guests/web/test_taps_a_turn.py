"""How many taps a turn takes on a phone to somebody who taps where to go."""

from statistics import median

import pytest

from tests.guests.web.taps_a_turn import turns_of

MEDIAN = 6
MOST = 7
"""Two more at most, and rarely, if the turn begins with an upgrade."""


@pytest.mark.slow
@pytest.mark.parametrize("others", [1, 2])
def test_a_turn_takes_at_most_seven_taps(others: int) -> None:
    turns = turns_of(3, ("regular",) * others)
    assert len(turns) > 5
    counts = [len(taps) for taps in turns if taps[0].value != "g"]
    assert max(counts) <= MOST
    assert median(map(len, turns)) <= MEDIAN
