"""Large letters of half blocks, for codes and addresses that are read across a room."""

from typing import Final
from unicodedata import normalize

from coffeerush.ui.terminal import glyphs

_FONT: Final = {
    "0": "### #.# #.# #.# ###",
    "1": ".#. ##. .#. .#. ###",
    "2": "### ..# ### #.. ###",
    "3": "### ..# ### ..# ###",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ### ..# ###",
    "6": "### #.. ### #.# ###",
    "7": "### ..# ..# ..# ..#",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ###",
    ".": ". . . . #",
    ":": ". # . # .",
    " ": ".. .. .. .. ..",
    "A": "### #.# ### #.# #.#",
    "B": "##. #.# ##. #.# ##.",
    "C": "### #.. #.. #.. ###",
    "D": "##. #.# #.# #.# ##.",
    "E": "### #.. ##. #.. ###",
    "F": "### #.. ##. #.. #..",
    "G": "#### #... #.## #..# ####",
    "H": "#.# #.# ### #.# #.#",
    "I": "### .#. .#. .#. ###",
    "J": "..# ..# ..# #.# ###",
    "K": "#.# #.# ##. #.# #.#",
    "L": "#.. #.. #.. #.. ###",
    "M": "#...# ##.## #.#.# #...# #...#",
    "N": "#..# ##.# #.## #..# #..#",
    "O": "### #.# #.# #.# ###",
    "P": "### #.# ### #.. #..",
    "Q": "####. #..#. #..#. ####. ...##",
    "R": "##. #.# ##. #.# #.#",
    "S": "### #.. ### ..# ###",
    "T": "### .#. .#. .#. .#.",
    "U": "#.# #.# #.# #.# ###",
    "V": "#.# #.# #.# #.# .#.",
    "W": "#...# #...# #.#.# ##.## #...#",
    "X": "#.# #.# .#. #.# #.#",
    "Y": "#.# #.# ### .#. .#.",
    "Z": "### ..# .#. #.. ###",
    "А": "### #.# ### #.# #.#",
    "Б": "### #.. ### #.# ###",
    "В": "##. #.# ##. #.# ##.",
    "Г": "### #.. #.. #.. #..",
    "Д": ".###. .#.#. .#.#. ##### #...#",
    "Е": "### #.. ##. #.. ###",
    "Ж": "#.#.# #.#.# .###. #.#.# #.#.#",
    "З": "### ..# .## ..# ###",
    "И": "#..# #..# #.## ##.# #..#",
    "К": "#.# #.# ##. #.# #.#",
    "Л": ".### .#.# .#.# .#.# #..#",
    "М": "#...# ##.## #.#.# #...# #...#",
    "Н": "#.# #.# ### #.# #.#",
    "О": "### #.# #.# #.# ###",
    "П": "### #.# #.# #.# #.#",
    "Р": "### #.# ### #.. #..",
    "С": "### #.. #.. #.. ###",
    "Т": "### .#. .#. .#. .#.",
    "У": "#.# #.# ### ..# ###",
    "Ф": "##### #.#.# ##### ..#.. ..#..",
    "Х": "#.# #.# .#. #.# #.#",
    "Ц": "#.#. #.#. #.#. #### ...#",
    "Ч": "#.# #.# ### ..# ..#",
    "Ш": "#.#.# #.#.# #.#.# #.#.# #####",
    "Щ": "#.#.#. #.#.#. #.#.#. ###### .....#",
    "Ъ": "##.. .#.. .### .#.# .###",
    "Ы": "#...# #...# ###.# #.#.# ###.#",
    "Ь": "#.. #.. ### #.# ###",
    "Э": "### ..# .## ..# ###",
    "Ю": "#.### #.#.# ###.# #.#.# #.###",
    "Я": ".## #.# .## #.# #.#",
}
"""Five rows of pixels per character, for the letters of join codes and the title."""
_HALVES: Final = {"..": " ", "#.": glyphs.UPPER, ".#": glyphs.LOWER, "##": glyphs.BLOCK}
"""The glyph of a cell by its upper and lower pixel."""


def big_words(text: str, columns: int, ascii_only: bool = False) -> list[str]:
    """Return large words, wrapped to at most `columns`; [] if they do not fit or lack a letter."""
    lines: list[str] = []
    for word in text.upper().split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _columns(longer) <= columns:
            lines[-1] = longer
        else:
            lines.append(word)
    if any(not 0 < _columns(line) <= columns for line in lines):
        return []
    return [row for line in lines for row in big(line, ascii_only=ascii_only)]


def _columns(text: str) -> int:
    rows = big(text)
    return len(rows[0]) if rows else 0


def big(text: str, scale: int = 1, ascii_only: bool = False) -> list[str]:
    """Return the rows of `text`; [] if it has a character without a large form.

    Args:
        text: digits with the dots and colons of an address, or Latin and Russian capitals; accents
            are dropped.
        scale: 1 for three rows, 2 for five.
        ascii_only: use whole blocks and twice as many rows: half blocks are hard to read in ASCII.
    """
    text = "".join(one if one in _FONT else normalize("NFD", one)[0] for one in text)
    if not text or not set(text) <= _FONT.keys():
        return []
    letters = [_FONT[character].split() for character in text]
    rows = [".".join(parts) for parts in zip(*letters, strict=True)]
    pixels = ["".join(one * scale for one in row) for row in rows for _ in range(scale)]
    if ascii_only:
        return [row.replace("#", glyphs.BLOCK).replace(".", " ") for row in [*pixels, ""]]
    if len(pixels) % 2:  # a gap to the line below
        pixels.append("." * len(pixels[0]))
    pairs = zip(pixels[::2], pixels[1::2], strict=True)
    return ["".join(_HALVES[a + b] for a, b in zip(*pair, strict=True)) for pair in pairs]
