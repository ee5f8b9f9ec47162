"""The documents match the tree: paths, modules, and every package."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layers import PACKAGES

ROOT = Path(__file__).parents[1]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
DOCUMENTS = (CONTRIBUTING, *sorted(ROOT.glob("README*.md")), *sorted(ROOT.glob("docs/*.md")))
BASES = (ROOT, ROOT / "coffeerush", ROOT / "protocol")
"""The folders that a quoted path may be relative to."""
WHOLE = re.compile(
    r"(?<![\w./-])(?:coffeerush|protocol|tests|scripts|docs|examples|\.ci)/[\w./-]*\w"
)
MODULE = re.compile(r"(?<![\w./-])(?:tests|scripts)(?:\.[a-z_]+)+(?![\w/(])")
QUOTED = re.compile(r"`([\w./-]+(?:\.py|\.md|\.toml|/))`")
ANY = re.compile(r"\b(?:NAME|CODE)\b")
"""Placeholders in a path."""
ROW = re.compile(r"^\| `([\w/]+)/` \|.*?\| `(\w+\.py)` \|", re.MULTILINE)
"""A row of the map: a package, and where to start reading."""

BESIDE = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


def is_there(base: Path, name: str) -> bool:
    return any(base.glob(ANY.sub("*", name.rstrip("/"))))


def packages() -> dict[str, str]:
    """Return the packages in the map as dotted names, and where to start reading each."""
    tops = ("coffeerush", "protocol")
    return {
        (row[1] if row[1] in tops else f"coffeerush.{row[1]}").replace("/", "."): row[2]
        for row in ROW.finditer(CONTRIBUTING.read_text(encoding="utf-8"))
    }


@BESIDE
def test_every_path_in_the_documents_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [one[0] for one in WHOLE.finditer(text)]
    found += [one[0].replace(".", "/") for one in MODULE.finditer(text)]
    gone = [one for one in found if not is_there(ROOT, one) and not is_there(ROOT, f"{one}.py")]
    assert not gone


def quoted(text: str) -> Iterator[tuple[str, list[Path]]]:
    """Yield each quoted path and the folders where it may be.

    A file without a folder is next to the path before it on the line, or at the top level; if there
    is no path before it, it may be anywhere.
    """
    for line in text.splitlines():
        near: list[Path] = []
        for name in QUOTED.findall(line):
            if "/" in name:
                yield name, [*BASES]
                homes = [base / name for base in BASES if (base / name).exists()]
                near = [ROOT, *(home if home.is_dir() else home.parent for home in homes)]
            else:
                yield name if near else f"**/{name}", near or [*BASES]


def test_every_short_path_exists() -> None:
    text = CONTRIBUTING.read_text(encoding="utf-8")
    gone = [name for name, bases in quoted(text) if not any(is_there(base, name) for base in bases)]
    assert not gone


def test_every_package_has_a_row_in_the_map() -> None:
    assert packages().keys() == PACKAGES.keys()
    for package, start in packages().items():
        assert ROOT.joinpath(*package.split("."), start).exists(), (package, start)
