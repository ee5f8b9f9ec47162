"""The public names of the two packages that others build on are pinned.

After a deliberate change, `python -m tests.test_exports` rewrites the list.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

PACKAGES = ("protocol", "coffeerush.rules")
PINNED = Path(__file__).with_name("exports.txt")


def exports() -> list[str]:
    """Return every public name of the packages, sorted."""
    return sorted(
        f"{package}.{name}"
        for package in PACKAGES
        for name, value in vars(import_module(package)).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    )


def test_exports_are_the_pinned_ones() -> None:
    assert exports() == PINNED.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    PINNED.write_text("\n".join(exports()) + "\n", encoding="utf-8")
