"""Letters several rows high, made of half blocks: for what is read across a room and typed in."""

from typing import Final

from . import glyphs

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
    "C": "### #.. #.. #.. ###",
    "E": "### #.. ##. #.. ###",
    "F": "### #.. ##. #.. #..",
    "H": "#.# #.# ### #.# #.#",
    "O": "### #.# #.# #.# ###",
    "R": "##. #.# ##. #.# #.#",
    "S": "### #.. ### ..# ###",
    "U": "#.# #.# #.# #.# ###",
    "В": "##. #.# ##. #.# ##.",
    "Е": "### #.. ##. #.. ###",
    "К": "#.# #.# ##. #.# #.#",
    "М": "#...# ##.## #.#.# #...# #...#",
    "О": "### #.# #.# #.# ###",
    "Р": "### #.# ### #.. #..",
    "Ф": "##### #.#.# ##### ..#.. ..#..",
    "Я": ".## #.# .## #.# #.#",
}
"""Five rows of pixels for each character."""
_HALVES: Final = {
    "..": " ",
    "#.": glyphs.UPPER,
    ".#": glyphs.LOWER,
    "##": glyphs.BLOCK,
}
"""A cell by its upper and its lower pixel."""


def big(text: str, scale: int = 1) -> list[str]:
    """Return the rows of `text`; none where it has a character without a big form.

    Args:
        text: digits and what parts them in an address, or letters of the game's title.
        scale: 1 for three rows, 2 for five.
    """
    if not text or not set(text) <= _FONT.keys():
        return []
    letters = [_FONT[character].split() for character in text]
    rows = [".".join(parts) for parts in zip(*letters, strict=True)]
    pixels = ["".join(one * scale for one in row) for row in rows for _ in range(scale)]
    if len(pixels) % 2:
        pixels.insert(0, "." * len(pixels[0]))
    pairs = zip(pixels[::2], pixels[1::2], strict=True)
    return ["".join(_HALVES[a + b] for a, b in zip(*pair, strict=True)) for pair in pairs]
