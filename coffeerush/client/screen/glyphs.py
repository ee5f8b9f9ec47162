"""Every character that is drawn and is no letter, with what stands for it in ASCII."""

from typing import Final

SPECIALTY: Final = "★"
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
CARET: Final = "█"
UP: Final = "↑"
DOWN: Final = "↓"
TO: Final = "→"

LINE: Final = "─"
WALL: Final = "│"
DOWN_RIGHT, DOWN_LEFT, UP_RIGHT, UP_LEFT = "┌┐└┘"
TEE_DOWN, TEE_UP, TEE_RIGHT, TEE_LEFT, CROSS = "┬┴├┤┼"

ASCII: Final = str.maketrans(
    {
        SPECIALTY: "*",
        MINE: "@",
        MINE_OTHER: "o",
        RUSH: "$",
        PENALTY: "x",
        SERVED: "+",
        POINTER: ">",
        BACK: "<",
        ACTIVE: "#",
        INACTIVE: ".",
        CUT: "~",
        DOT: ".",
        CARET: "_",
        UP: "^",
        DOWN: "v",
        TO: ">",
        LINE: "-",
        WALL: "|",
        **dict.fromkeys("┌┐└┘┬┴├┤┼", "+"),
    }
)
"""One cell for one cell, so that nothing moves."""
