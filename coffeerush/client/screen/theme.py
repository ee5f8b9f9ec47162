"""The colours: what prompt_toolkit takes as a style. Nothing is told by colour alone."""

from typing import Final

from coffeerush.settings import Colours, Theme

CHIP: Final = "fg:#000000 bg:{} nobold"
STYLE: Final = {
    "header": "bg:#3b2a20 #f3e6d8",
    "brand": "#ffcf8f bold",
    "turn": "#ffe08a bold",
    "frame": "#8a7a6c",
    "title": "#d9a066 bold",
    "label": "#b0a090",
    "dim": "#8a8078",
    "name": "",
    "count": "",
    "note": "#c8b8a0",
    "score": "bold",
    "rush": "#f2c14e bold",
    "penalty": "#ff8a75",
    "star": "#f2c14e",
    "mine": "#7fe0a0 bold reverse",
    "meeple": "#ffb07c bold",
    "path": "#9ad0ff",
    "step": "#7fe0a0 bold",
    "gain": "#7fe0a0 bold",
    "cursor": "#7fe0a0 bold reverse",
    "serve": "#7fe0a0 bold",
    "need": "#c8b8a0",
    "urgent": "#ff8a75 bold",
    "upgrade": "#9ad0ff",
    "warning": "#000000 bg:#ffb347 bold",
    "refusal": "#ff8a75 bold",
    "ask": "#ffe08a bold",
    "draft": "bold",
    "said": "#9ad0ff",
    "more": "#b0a090 bold",
    "key": "reverse",
    "keylabel": "",
    "coffee": CHIP.format("#c69c6d"),
    "milk": CHIP.format("#f5f0e6"),
    "steam": CHIP.format("#c5cbd3"),
    "ice": CHIP.format("#9fdcf5"),
    "chocolate": CHIP.format("#d08a70"),
    "caramel": CHIP.format("#f0b354"),
    "tea": CHIP.format("#a8cf7a"),
    "water": CHIP.format("#8fb4f5"),
}
"""Style of each class; ingredients are black on a light chip (contrast above 6)."""


def style_of(theme: Theme, colours: Colours) -> dict[str, str]:
    """Return the style of each class in a theme, for a terminal of so many colours."""
    return STYLE
