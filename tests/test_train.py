"""`scripts/train`: the same options give the same weights, whatever the number of processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from coffeerush import __version__
from coffeerush.bots.values import parse_weights

ROOT = Path(__file__).parents[1]


def trained(output: Path, processes: int) -> bytes:
    """Run a very short training and return the file that it writes."""
    options = ["--seed", "3", "--generations", "1", "--games", "2", "--last", "4", "--block", "2"]
    options += ["--processes", str(processes), "--output", str(output)]
    command = [sys.executable, "-m", "scripts.programs.train", *options]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return output.read_bytes()


@pytest.mark.slow
def test_one_and_two_processes_train_the_same_weights(tmp_path: Path) -> None:
    one, two = (trained(tmp_path / f"{count}.json", count) for count in (1, 2))
    assert one == two
    weights = parse_weights(one)
    assert weights.command.startswith("scripts/train --seed 3 --generations 1 ")
    assert weights.version == __version__
    assert all(own["positions"] > 20 for own in weights.figures.values())


@pytest.mark.parametrize("output", ["/dev/full", "/nowhere/weights.json"])
def test_a_file_that_cannot_be_written_is_refused_before_the_training(output: str) -> None:
    command = [sys.executable, "-m", "scripts.programs.train", "--output", output]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"scripts/train cannot write {output}: ")
    assert done.stderr.count("\n") == 1
    assert not done.stdout
