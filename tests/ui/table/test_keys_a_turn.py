"""How many keys a turn takes to somebody who follows the footer."""

from statistics import median

import pytest

from tests.ui.table.keys_a_turn import ambiguous, turns_of

MOST = 6


@pytest.mark.slow
def test_a_turn_takes_few_keys_each_with_one_purpose() -> None:
    turns = [turn for seed in range(2) for turn in turns_of(seed)]
    assert len(turns) > 10
    assert median(map(len, turns)) <= MOST
    assert not [pair for turn in turns for pair in ambiguous(turn)]
    served = [turn for turn in turns if any(one.purpose == "pour" for one in turn)]
    assert served
