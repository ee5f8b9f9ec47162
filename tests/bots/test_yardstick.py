"""The frozen bots choose as they always did, so that measurements stay comparable."""

from hashlib import sha256
from pathlib import Path

import pytest
from msgspec import json

from coffeerush.arena.plan import play_game
from coffeerush.bots.load import load_bot
from coffeerush.rules import Setup, standard_deck

YARDSTICKS = Path(__file__).parent / "yardstick"
GREEDY = f"{YARDSTICKS}/greedy.py:GreedyBot"
LOOKAHEAD = f"{YARDSTICKS}/lookahead.py:LookaheadBot"


def digest(bot: str, players: int, starters: bool) -> str:
    """Return a digest of the moves of a game among equal bots."""
    played = play_game(
        Setup(players, standard_deck(), 7, starters), [load_bot(bot) for _ in range(players)]
    )
    return sha256(json.encode(played.moves)).hexdigest()[:16]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "starters", "moves"),
    [
        (2, False, "ed530db5fda2b59f"),
        (3, True, "8c29dad252254fc4"),
        (4, False, "0dd7f2613564f488"),
    ],
)
def test_greedy_plays_the_same_games_as_ever(players: int, starters: bool, moves: str) -> None:
    """The digests are of the games that the greedy bot played when it was the built-in one."""
    assert digest(GREEDY, players, starters) == moves


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "starters", "moves"),
    [(2, False, "94a98df67d187a28"), (4, False, "cf4b64434cb1f978")],
)
def test_lookahead_plays_the_same_games_as_ever(players: int, starters: bool, moves: str) -> None:
    assert digest(LOOKAHEAD, players, starters) == moves
