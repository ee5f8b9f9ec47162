"""What has to be the same wherever games are compared."""

import shutil
from pathlib import Path

import pytest

from coffeerush.arena.plan import hash_of, report
from tests.support.hosts_and_clients import ROOT


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of our packages, or of what matters of them."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("locale", "ui", "guests", "__pycache__")
    for package in ("coffeerush", "protocol"):
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "protocol/terms.py",
        "coffeerush/levels.py",
        "coffeerush/rules/engine.py",
        "coffeerush/bots/weights.json",
        "coffeerush/bots/planner.py",
        "coffeerush/decks/standard.toml",
        "coffeerush/arena/plan.py",
    ],
)
def test_a_change_that_matters_has_another_hash(root: Path, name: str) -> None:
    ours = report().code
    assert hash_of(root) == ours
    path = root / name
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    changed = hash_of(root)
    path.write_bytes(before)
    assert changed != ours


def test_a_change_that_does_not_matter_has_the_same_hash(root: Path) -> None:
    for name in ("coffeerush/cli/main.py", "protocol/SPEC.md"):
        with (root / name).open("a") as file:
            file.write("\n")
    assert hash_of(root) == report().code
