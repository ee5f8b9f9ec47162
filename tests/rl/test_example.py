"""`examples/train_agent.py` trains and evaluates an agent."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULT = re.compile(r"wins [\d.]+% ± [\d.]+% of 5 games against 3 x random")


@pytest.mark.slow
def test_it_trains_and_says_how_often_it_wins() -> None:
    ran = subprocess.run(
        [sys.executable, "examples/train_agent.py", "random", "2", "1"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.stderr
    *progress, result = ran.stdout.splitlines()
    assert progress == ["generation 1 of 2", "generation 2 of 2"]
    assert RESULT.fullmatch(result)


def test_it_stays_short() -> None:
    lines = (ROOT / "examples" / "train_agent.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 100
