"""Every character that is drawn and is no letter, with what stands for it in ASCII."""

from typing import Final

SPECIALTY: Final = "★"
BEST: Final = SPECIALTY
"""The best turn of a player, in a result."""
MINE: Final = "◆"
MINE_OTHER: Final = "◇"
RUSH: Final = "↯"
PENALTY: Final = "✗"
SERVED: Final = "✓"
POINTER: Final = "▸"
BACK: Final = "◂"
ACTIVE: Final = "▣"
INACTIVE: Final = "▢"
CUT: Final = "…"
DOT: Final = "·"
CARET: Final = "▌"
BLOCK, UPPER, LOWER = "█▀▄"
UP: Final = "↑"
DOWN: Final = "↓"
TO: Final = "→"
FROM: Final = "←"
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
"""The path walked, where it crosses the frame of the board, by rows and columns."""

LINE: Final = "─"
WALL: Final = "│"
DOWN_RIGHT, DOWN_LEFT, UP_RIGHT, UP_LEFT = "┌┐└┘"
TEE_DOWN, TEE_UP, TEE_RIGHT, TEE_LEFT, CROSS = "┬┴├┤┼"

ASCII: Final = str.maketrans(
    {
        SPECIALTY: "*",
        MINE: "@",
        MINE_OTHER: "&",
        RUSH: "$",
        PENALTY: "X",
        SERVED: "V",
        POINTER: ">",
        BACK: "<",
        ACTIVE: "#",
        INACTIVE: "o",
        CUT: "~",
        DOT: ".",
        CARET: "_",
        BLOCK: "#",
        UPPER: '"',
        LOWER: "_",
        UP: "^",
        DOWN: "v",
        TO: ">",
        FROM: "<",
        # arrows are the steps that can be made; numbers tell which way the path went
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
    }
)
"""One cell for one cell, so that nothing moves."""
