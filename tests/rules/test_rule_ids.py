"""Every rule's id is in the code that implements it and in a test."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOW_MANY = {
    "COMP": 5,
    "SETUP": 6,
    "UPG": 6,
    "MOVE": 5,
    "POUR": 3,
    "SERVE": 2,
    "RUSH": 2,
    "TIME": 3,
    "END": 4,
    "INFO": 2,
}
IDS = {f"R-{part}-{n}" for part, count in HOW_MANY.items() for n in range(1, count + 1)}


def ids_below(folder: str) -> set[str]:
    files = [path for path in (ROOT / folder).rglob("*.py") if path != Path(__file__)]
    return {
        found for path in files for found in re.findall(r"R-[A-Z]+-\d+", path.read_text("utf-8"))
    }


@pytest.mark.parametrize("folder", ["tests", "coffeerush/rules"])
def test_every_rule_is_found(folder: str) -> None:
    assert len(IDS) == 38
    assert IDS - ids_below(folder) == set()


@pytest.mark.parametrize("folder", ["tests", "coffeerush", "protocol", "scripts", "examples"])
def test_no_other_rule_is_named(folder: str) -> None:
    """An unknown id is a typo."""
    assert ids_below(folder) - IDS == set()
