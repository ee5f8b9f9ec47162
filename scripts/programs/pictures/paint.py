"""Paint a terminal's cells as pixels; box and block characters reach the edges of their cells."""

from typing import Final

import pyte
from PIL import Image, ImageDraw
from pyte.screens import Char

from .fonts import CELL, DESCENT, WIDE_DESCENT, font

PAPER, INK = "#16110d", "#e8ddd0"
"""Default background and foreground colours."""
COLOURS: Final = 128
"""Palette size: enough for antialiased letters."""
_NAMES: Final = {
    "black": "#000000",
    "red": "#cc4444",
    "green": "#44aa55",
    "brown": "#bb9933",
    "blue": "#5588dd",
    "magenta": "#bb55bb",
    "cyan": "#44aaaa",
    "white": "#cccccc",
    "brightblack": "#807870",
    "brightred": "#ff7766",
    "brightgreen": "#77dd88",
    "brightbrown": "#ffdd66",
    "brightblue": "#88aaff",
    "brightmagenta": "#ee88ee",
    "bfightmagenta": "#ee88ee",
    "brightcyan": "#77dddd",
    "brightwhite": "#ffffff",
}
"""The 16 colours, as pyte calls them: one of them has a misspelt name as a background."""
_ARMS: Final = {
    "─": "rl",
    "│": "ud",
    "┌": "rd",
    "┐": "ld",
    "└": "ur",
    "┘": "ul",
    "├": "udr",
    "┤": "udl",
    "┬": "rld",
    "┴": "rlu",
    "┼": "udrl",
    "╴": "l",
    "╵": "u",
    "╶": "r",
    "╷": "d",
}
"""The arms of each box-drawing character: up, down, right, left."""
_BLOCKS: Final = {
    "█": (0.0, 0.0, 1.0, 1.0),
    "▀": (0.0, 0.0, 1.0, 0.5),
    **{bar: (0.0, 1 - height / 8, 1.0, 1.0) for height, bar in enumerate("▁▂▃▄▅▆▇", start=1)},
    "▌": (0.0, 0.0, 0.5, 1.0),
    "▐": (0.5, 0.0, 1.0, 1.0),
    "▖": (0.0, 0.5, 0.5, 1.0),
    "▗": (0.5, 0.5, 1.0, 1.0),
    "▘": (0.0, 0.0, 0.5, 0.5),
    "▝": (0.5, 0.0, 1.0, 0.5),
}
"""The part of a cell that each block character fills: left, top, right, bottom."""
_TWO_BLOCKS: Final = {"▟": "▄▐", "▙": "▄▌"}
"""Block characters that are two of these over each other."""
_SLANTS: Final = {"╱": (0, 1, 1, 0), "╲": (0, 0, 1, 1)}

Box = tuple[int, int, int, int]


def paint(screen: pyte.Screen) -> Image.Image:
    """Paint a picture of a screen."""
    width, height = CELL
    image = Image.new("RGB", (screen.columns * width, screen.lines * height), PAPER)
    pen = ImageDraw.Draw(image)
    for y in range(screen.lines):
        row = screen.buffer[y]
        for x in range(screen.columns):
            cells = 2 if x + 1 < screen.columns and row[x + 1].data == "" else 1
            if row[x].data:
                box = x * width, y * height, (x + cells) * width, (y + 1) * height
                _cell(pen, row[x], box, wide=cells == 2)
    return image


def with_fewer_colours(image: Image.Image) -> Image.Image:
    """Reduce a picture's palette, so that its file is small."""
    return image.quantize(COLOURS, dither=Image.Dither.NONE)


def _cell(pen: ImageDraw.ImageDraw, cell: Char, box: Box, wide: bool) -> None:
    ink, paper = _colour(cell.fg, INK), _colour(cell.bg, PAPER)
    if cell.reverse:
        ink, paper = paper, ink
    left, top, right, bottom = box
    pen.rectangle((left, top, right - 1, bottom - 1), fill=paper)
    character = cell.data
    if character in _ARMS:
        _lines(pen, _ARMS[character], box, ink)
    elif all(part in _BLOCKS for part in _TWO_BLOCKS.get(character, character)):
        for part in _TWO_BLOCKS.get(character, character):
            _block(pen, _BLOCKS[part], box, ink)
    elif character in _SLANTS:
        x, y, to_x, to_y = _SLANTS[character]
        ends = (left, right - 1), (top, bottom - 1)
        pen.line((ends[0][x], ends[1][y], ends[0][to_x], ends[1][to_y]), ink)
    elif character.strip():
        middle = (left + right) / 2, bottom - (WIDE_DESCENT if wide else DESCENT)
        pen.text(middle, character, ink, font(wide, cell.bold), anchor="ms")
    if cell.underscore:
        pen.line((left, bottom - 3, right - 1, bottom - 3), ink)


def _lines(pen: ImageDraw.ImageDraw, arms: str, box: Box, ink: str) -> None:
    left, top, right, bottom = box
    x, y = (left + right) // 2, (top + bottom) // 2
    ends = {"u": (x, top), "d": (x, bottom - 1), "l": (left, y), "r": (right - 1, y)}
    for arm in arms:
        pen.line(((x, y), ends[arm]), ink)


def _block(
    pen: ImageDraw.ImageDraw, part: tuple[float, float, float, float], box: Box, ink: str
) -> None:
    (left, top), (width, height) = box[:2], CELL
    begin_x, begin_y, end_x, end_y = part
    pen.rectangle(
        (
            left + int(begin_x * width),
            top + int(begin_y * height),
            left + int(end_x * width) - 1,
            top + int(end_y * height) - 1,
        ),
        fill=ink,
    )


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return _NAMES.get(name, f"#{name}")
