"""The frozen greedy bot chooses as it always did, so that measurements stay comparable."""

from hashlib import sha256
from pathlib import Path

import pytest
from msgspec import json

from coffeerush.arena.game import play_game
from coffeerush.bots.load import load_bot
from coffeerush.rules import Setup, standard_deck

YARDSTICK = f"{Path(__file__).parent}/yardstick/greedy.py:GreedyBot"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "starters", "moves"),
    [
        (2, False, "ed530db5fda2b59f"),
        (3, True, "8c29dad252254fc4"),
        (4, False, "0dd7f2613564f488"),
    ],
)
def test_the_yardstick_plays_the_same_games_as_ever(
    players: int, starters: bool, moves: str
) -> None:
    """The digests are of the games that the greedy bot played when it was the built-in one."""
    bots = [load_bot(YARDSTICK) for _ in range(players)]
    played = play_game(Setup(players, standard_deck(), 7, starters), bots)
    assert sha256(json.encode(played.moves)).hexdigest()[:16] == moves
