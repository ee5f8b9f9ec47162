"""The locked versions of what a host needs, and the warnings of versions that are too old."""

import re
from collections.abc import Iterator
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from scripts.programs.lock import LOCK, requirements
from scripts.programs.old_versions import OLDEST, installed, warnings

TEXT = LOCK.read_text(encoding="utf-8")
PINNED = re.compile(
    r"^(\S+)==(\S+)(?: ; .+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE
)
LOCKED = {name: version for name, version, _hashes in PINNED.findall(TEXT)}


def needed() -> Iterator[tuple[str, Requirement]]:
    """Yield each requirement with who has it: first ours, then those of what they lead to."""
    waiting = [("setup.cfg", one) for one in requirements()]
    seen = set()
    while waiting:
        user, line = waiting.pop()
        requirement = Requirement(line)
        if line in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(line)
        yield user, requirement
        waiting += [(requirement.name, one) for one in requires(requirement.name) or ()]


def test_every_line_is_a_version_with_hashes_and_no_index_is_named() -> None:
    rest = PINNED.sub("", TEXT).strip().splitlines()
    assert all(line.startswith("# ") for line in rest if line)
    assert "://" not in TEXT
    assert list(LOCKED) == sorted(LOCKED)


def test_what_a_host_needs_is_locked_and_nothing_else() -> None:
    found = set()
    for user, requirement in needed():
        name = canonicalize_name(requirement.name)
        assert name in LOCKED, f"{user} needs {requirement}: run scripts.programs.lock"
        assert requirement.specifier.contains(LOCKED[name]), f"{user} needs {requirement}"
        found.add(name)
    assert found == set(LOCKED)


def test_no_locked_version_has_a_known_vulnerability() -> None:
    assert not list(warnings(LOCKED))


@pytest.mark.parametrize("name", OLDEST)
def test_an_old_version_is_warned_of(name: str) -> None:
    oldest, reason = OLDEST[name]
    assert not list(warnings({name: oldest}))
    (line,) = warnings({name: "0.1"})
    assert line == f"Warning: {name} 0.1 is older than {oldest}: {reason}."
    assert Version(installed()[name]).release, "the table names installed packages"
