"""The fonts of the system that a terminal's characters are drawn with."""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct
from PIL import ImageFont
from PIL.ImageFont import FreeTypeFont

CELL: Final = (10, 20)
"""The pixels of a cell."""
LATIN_SIZE: Final = 16.6
"""What makes a character of DejaVu Sans Mono as wide as a cell."""
WIDE_SIZE: Final = 18.0
DESCENT, WIDE_DESCENT = 5, 3
"""The pixels of a cell below the line that letters stand on."""
FOLDERS: Final = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("/Library/Fonts"),
    Path.home() / ".local/share/fonts",
    Path.home() / "Library/Fonts",
)
_COLLECTION_MOST: Final = 16


class Need(Struct, frozen=True):
    """A font file, the family in it, and the package of Debian and Ubuntu that has it."""

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
"""By whether characters are two cells wide, and whether they are bold."""


@cache
def font(wide: bool, bold: bool) -> FreeTypeFont:
    """Return the font for characters; ends the program with what to install where it lacks."""
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
        except OSError:  # there are no more in it
            return
