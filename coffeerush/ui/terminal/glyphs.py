"""Every drawn character that is not a letter, and its ASCII replacement."""

from collections.abc import Mapping
from typing import Final

SPECIALTY: Final = "★"
BEST: Final = SPECIALTY
"""Marks a player's best turn in the result."""
MINE: Final = "◆"
MINE_OTHER: Final = "◇"
RUSH: Final = "↯"
PENALTY: Final = "✗"
SERVED: Final = "✓"
REFUSED: Final = "!"
"""Before the reason why something cannot be done."""
POINTER: Final = "▸"
BACK: Final = "◂"
ACTIVE: Final = "▣"
INACTIVE: Final = "▢"
CUT: Final = "…"
DOT: Final = "·"
MISSING: Final = DOT
"""Before an ingredient that an order still needs."""
FREE: Final = "▫"
"""A box for a penalty that has not come yet."""
FULL, EMPTY = "▬", DOT
"""The parts of a bar."""
CARET: Final = "▌"
BLOCK, UPPER, LOWER = "█▀▄"
CUP: Final = "▐▌▝▘"
"""The walls of a cup, and the ends of its bottom."""
HANDLE: Final = ("▙▄▖", "▌ ▌", "▛▀▘")
"""The right wall of a cup with its handle: at its top, in the middle, and at its bottom."""
BODY: Final = CUP[:2]
HEAD: Final = "▗▆▖"
SHOULDERS: Final = "▟▆▙"
"""The edges of a meeple's body, and its head: edges, and what is between; also with shoulders."""
BARS: Final = "▁▂▃▅▆▇█"
"""From the lowest to the highest."""
UP: Final = "↑"
DOWN: Final = "↓"
TO: Final = "→"
FROM: Final = "←"
DIAGONALS: Final = "↖↗↙↘"
"""Where the keys of diagonal steps lead."""
PASS: Final = {UP: "⇡", DOWN: "⇣", TO: "⇢", FROM: "⇠"}
"""Arrows to cells where one may not stop."""
WAYS: Final = {
    (-1, 0): "▴",
    (1, 0): "▾",
    (0, -1): "◄",
    (0, 1): "►",
    (-1, -1): "╲",
    (1, 1): "╲",
    (-1, 1): "╱",
    (1, -1): "╱",
}
"""Marks the path where it crosses the board's grid, by the rows and columns of a step."""

LINE: Final = "─"
WALL: Final = "│"
DOWN_RIGHT, DOWN_LEFT, UP_RIGHT, UP_LEFT = "┌┐└┘"
TEE_DOWN, TEE_UP, TEE_RIGHT, TEE_LEFT, CROSS = "┬┴├┤┼"

ASCII: Final = str.maketrans(
    {
        SPECIALTY: "*",
        MINE: "@",
        MINE_OTHER: "&",
        RUSH: "z",
        PENALTY: "X",
        SERVED: "V",
        POINTER: ">",
        BACK: "<",
        ACTIVE: "#",
        INACTIVE: "o",
        CUT: "~",
        DOT: ".",
        FREE: ".",
        FULL: "=",
        CARET: "_",
        BLOCK: "#",
        UPPER: '"',
        LOWER: "_",
        "▐": "|",
        **dict.fromkeys("▗▖", "."),
        **dict.fromkeys("▝▘", '"'),
        **dict.fromkeys("▟▛", "/"),
        "▙": "\\",
        **dict(zip(BARS, ".:-=+*#", strict=True)),
        UP: "^",
        DOWN: "v",
        TO: ">",
        FROM: "<",
        PASS[UP]: "^",
        PASS[DOWN]: "v",
        PASS[TO]: ">",
        PASS[FROM]: "<",
        **dict(zip(DIAGONALS, "\\//\\", strict=True)),
        # arrowheads mean legal steps; the numbers of the path show which way it went
        **dict.fromkeys("▴▾", ":"),
        **dict.fromkeys("◄►", "="),
        "╲": "\\",
        "╱": "/",
        LINE: "-",
        WALL: "|",
        **dict.fromkeys("┌┐└┘┬┴├┤┼", "+"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’", "'"),
        **dict.fromkeys("–—", "-"),
        "×": "x",
        "±": "~",
    }
)
"""ASCII replacements, each one cell wide like its original, so that nothing moves."""


def is_ascii_locale(environ: Mapping[str, str]) -> bool:
    """Return whether the locale is an ASCII one, for which Python uses UTF-8."""
    return (environ.get("LC_ALL") or environ.get("LANG")) in ("C", "POSIX")
