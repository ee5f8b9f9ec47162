"""`scripts/train`: the same options give the same weights; and the bots that measure them."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec import json

from coffeerush import __version__
from coffeerush.arena.plan import play_game
from coffeerush.bots.load import load_bot
from coffeerush.bots.values import parse_weights
from coffeerush.rules import Setup, standard_deck

ROOT = Path(__file__).parents[1]
YARDSTICK = ROOT / "scripts" / "programs" / "yardstick"


def trained(output: Path, processes: int) -> bytes:
    """Run a very short training and return the file that it writes."""
    options = ["--seed", "3", "--generations", "1", "--games", "2", "--last", "4", "--block", "2"]
    options += ["--processes", str(processes), "--output", str(output)]
    command = [sys.executable, "-m", "scripts.programs.train", *options]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return output.read_bytes()


@pytest.mark.soak
def test_one_and_two_processes_train_the_same_weights(tmp_path: Path) -> None:
    one, two = (trained(tmp_path / f"{count}.json", count) for count in (1, 2))
    assert one == two
    weights = parse_weights(one)
    assert weights.command.startswith("scripts/train --seed 3 --generations 1 ")
    assert weights.version == __version__
    assert all(own["positions"] > 20 for own in weights.figures.values())


@pytest.mark.slow
@pytest.mark.parametrize("output", ["/dev/full", "/nowhere/weights.json"])
def test_a_file_that_cannot_be_written_is_refused_before_the_training(output: str) -> None:
    command = [sys.executable, "-m", "scripts.programs.train", "--output", output]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"scripts/train cannot write {output}: ")
    assert done.stderr.count("\n") == 1
    assert not done.stdout


@pytest.mark.soak
@pytest.mark.parametrize(
    ("bot", "players", "starters", "moves"),
    [
        ("greedy.py:GreedyBot", 2, False, "ed530db5fda2b59f"),
        ("greedy.py:GreedyBot", 3, True, "8c29dad252254fc4"),
        ("lookahead.py:LookaheadBot", 2, False, "94a98df67d187a28"),
    ],
)
def test_a_frozen_bot_chooses_as_ever(bot: str, players: int, starters: bool, moves: str) -> None:
    """The digests are of the games that these bots played when they were the built-in ones."""
    bots = [load_bot(f"{YARDSTICK / bot}") for _ in range(players)]
    played = play_game(Setup(players, standard_deck(), 7, starters), bots)
    assert sha256(json.encode(played.moves)).hexdigest()[:16] == moves
