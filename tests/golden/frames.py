"""Golden frames: every moment in a size, a language and a look, as the text of a file.

Few enough to be read in a diff. `tests/ui/test_moments.py` checks that every language fits every
size; other tests of widths draw only the extremes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from coffeerush.local.settings import LANGUAGES as SETTABLE
from coffeerush.ui.terminal.canvas import Look, width
from coffeerush.ui.words.i18n import set_language
from tests.golden.moments import moments

FOLDER = Path(__file__).parent / "frames"
SIZES = ((40, 12), (80, 24), (120, 36))
LANGUAGES = tuple(code for code in SETTABLE if code)
EXTREMES = ("en", "ko", "ru")
"""The languages with the shortest words, the widest letters and the longest words."""
EDGE = "|"
"""Ends each line, so that blanks before it can be seen."""


class Sheet(Struct, frozen=True):
    """The settings shared by the frames of one file."""

    size: tuple[int, int]
    language: str
    ascii: bool = False

    @property
    def name(self) -> str:
        """The name of its file."""
        columns, rows = self.size
        return f"{columns}x{rows}-{self.language}{'-ascii' if self.ascii else ''}.txt"

    @property
    def path(self) -> Path:
        """The path of its file."""
        return FOLDER / self.name


SHEETS = (
    *(Sheet(size, language) for language in ("en", "ko") for size in SIZES),
    Sheet((40, 12), "ru"),
    Sheet((80, 24), "en", ascii=True),
)
"""All sizes in short words (en) and wide letters (ko), a small one in long words (ru), ASCII."""


def text_of(sheet: Sheet) -> str:
    """Return the content of a sheet's file."""
    with spoken(sheet.language):
        return "\n".join(_lines(sheet)) + "\n"


@contextmanager
def spoken(language: str) -> Iterator[None]:
    """Speak a language, and English again after it, as all tests do."""
    set_language(language)
    try:
        yield
    finally:
        set_language("en")


def _lines(sheet: Sheet) -> Iterator[str]:
    look = Look(ascii=sheet.ascii)
    for moment in moments():
        yield f"== {moment.name} =="
        for line in moment.paint(*sheet.size, sheet.ascii).lines(look):
            assert width(line) == sheet.size[0], (moment.name, line)
            yield line + EDGE
