"""Load the system fonts for drawing a terminal's characters."""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct
from PIL import ImageFont
from PIL.ImageFont import FreeTypeFont

CELL: Final = (10, 20)
"""The width and height of a cell in pixels."""
LATIN_SIZE: Final = 16.6
"""The font size at which a character of DejaVu Sans Mono is as wide as a cell."""
WIDE_SIZE: Final = 18.0
DESCENT, WIDE_DESCENT = 5, 3
"""Pixels between the baseline and the bottom of a cell."""
FOLDERS: Final = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("/Library/Fonts"),
    Path.home() / ".local/share/fonts",
    Path.home() / "Library/Fonts",
)
_COLLECTION_MOST: Final = 16


class Need(Struct, frozen=True):
    """A font file, the family in it, and its Debian and Ubuntu package."""

    file: str
    family: str
    size: float
    package: str


_NEEDS: Final = {
    (False, False): Need("DejaVuSansMono.ttf", "DejaVu Sans Mono", LATIN_SIZE, "fonts-dejavu-core"),
    (False, True): Need(
        "DejaVuSansMono-Bold.ttf", "DejaVu Sans Mono", LATIN_SIZE, "fonts-dejavu-core"
    ),
    (True, False): Need(
        "NotoSansCJK-Regular.ttc", "Noto Sans Mono CJK KR", WIDE_SIZE, "fonts-noto-cjk"
    ),
    (True, True): Need(
        "NotoSansCJK-Bold.ttc", "Noto Sans Mono CJK KR", WIDE_SIZE, "fonts-noto-cjk"
    ),
}
"""Fonts by (is two cells wide, is bold)."""


@cache
def font(wide: bool, bold: bool) -> FreeTypeFont:
    """Return a font; if it is missing, exit with the name of the package to install."""
    need = _NEEDS[wide, bold]
    for folder in FOLDERS:
        for path in sorted(folder.rglob(need.file)):
            for found in _faces(path, need.size):
                if found.getname()[0] == need.family:
                    return found
    sys.exit(
        f"The font {need.family} ({need.file}) is not on this machine: "
        f"on Debian and Ubuntu, apt install {need.package}."
    )


def _faces(path: Path, size: float) -> Iterator[FreeTypeFont]:
    for index in range(_COLLECTION_MOST):
        try:
            yield ImageFont.truetype(path, size, index)
        except OSError:  # no more faces in the file
            return
