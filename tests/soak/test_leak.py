"""Short forms of `scripts/soak leak`: private data reaches nobody else."""

from pathlib import Path
from random import Random

from tests.soak.oracle.twins import compare
from tests.soak.parts import leak
from tests.soak.soak import Soak


def test_no_byte_of_a_cup_reaches_anybody_else() -> None:
    soak = Soak("leak", 0)
    leak.one_game(soak, 3, soak.chance)
    assert not soak.broken


def test_the_same_game_with_other_cups_is_the_same_to_others(tmp_path: Path) -> None:
    soak = Soak("leak", 0)
    compare(soak, tmp_path, Random(3))
    assert not soak.broken
