"""Themes: the prompt_toolkit style of each class. Nothing is conveyed by colour alone.

A theme sets its own background, so it looks the same on every terminal. In each theme, at each
number of colours, the eight ingredients differ in CIE Lab by 20 or more, and text has a contrast of
4.5 or more, also without red or green.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from math import dist
from typing import Final

from coffeerush.local.settings import Colours, Theme
from protocol import Ingredient

Palette = Mapping[str, str]
"""The colour of each role that `_CLASSES` uses."""

_CLASSES: Final = {
    "": "{ink} bg:{paper}",
    "header": "{bar_ink} bg:{bar}",
    "brand": "{gold} bold",
    "turn": "{gold} bold",
    "frame": "{line}",
    "title": "{head} bold",
    "tab": "{faint}",
    "label": "{soft}",
    "dim": "{faint}",
    "name": "",
    "count": "",
    "note": "{soft}",
    "score": "bold",
    "rush": "{gold} bold",
    "penalty": "{bad}",
    "star": "{gold}",
    "mine": "{good} bold reverse",
    "seat0": "{seat0} bold",
    "seat1": "{seat1} bold",
    "seat2": "{seat2} bold",
    "seat3": "{seat3} bold",
    "path": "{cool} bold",
    "step": "{good} bold",
    "gain": "{good} bold",
    "cursor": "{good} bold reverse",
    "legal": "bg:{lit}",
    "here": "bg:{stand}",
    "foot": "{paper}",
    "serve": "{good} bold",
    "need": "{soft}",
    "urgent": "{bad} bold",
    "upgrade": "{cool}",
    "fresh": "{cool} bold",
    "cup": "{head} bold",
    "hint": "{paper} bg:{gold} bold",
    "flash": "{paper} bg:{gold} bold",
    "bust": "{paper} bg:{bad} bold",
    "warning": "{alarm_ink} bg:{alarm} bold",
    "refusal": "{bad} bold",
    "ask": "{gold} bold",
    "draft": "bold",
    "caret": "",
    "said": "{cool}",
    "guide": "{good}",
    "todo": "{gold} bold",
    "more": "{soft} bold",
    "key": "{key_ink} bg:{key}",
    "keylabel": "",
    "qr": "#000000 bg:#ffffff",
    "qrdark": "#ffffff bg:#000000",
}
"""Each class in terms of roles; unset attributes are inherited from the class before it."""


def _palette(pairs: str) -> dict[str, str]:
    """Parse pairs of role and colour."""
    words = pairs.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_DARK: Final = _palette("""
    paper #1a1411  ink #eee3d6  soft #c4b4a2  faint #9d8f82
    line #86715f  head #e0a972  bar #3b2a20  bar_ink #f6eadc
    gold #ffcf66  good #86e3a4  bad #ff9580  cool #9fd2ff
    lit #25372b  stand #53245c  alarm #ffb347  alarm_ink #000000
    key #d8c3a8  key_ink #1a1411
    seat0 #ffb987  seat1 #c9a7ff  seat2 #72b7ff  seat3 #f3e08a
    coffee #b37d47  milk #faf6ec  steam #99a3ae  ice #90e1f9
    chocolate #4f2114  caramel #eeaf2f  tea #a2de7c  water #3c69d0
    coffee-ink #c79a66  milk-ink #faf6ec  steam-ink #99a3ae  ice-ink #90e1f9
    chocolate-ink #c0827a  caramel-ink #eeaf2f  tea-ink #a2de7c  water-ink #6a89d2
""")
_LIGHT: Final = _DARK | _palette("""
    paper #f4eadb  ink #2b1d14  soft #5c4a3c  faint #6a594c
    line #917b65  head #7d3f12  bar #e2cba7  bar_ink #2b1d14
    gold #6b4300  good #14582e  bad #9e1414  cool #164a85
    lit #e2efd6  stand #ffffaf  alarm #ffb347  alarm_ink #000000
    key #4a3426  key_ink #fff6ea
    seat0 #8a3a0e  seat1 #5f2f96  seat2 #0f5272  seat3 #5c5200
    milk #ffffff
    coffee-ink #8c5530  milk-ink #6b615a  steam-ink #646364  ice-ink #4f6466
    chocolate-ink #4f1d14  caramel-ink #7d5a1f  tea-ink #556936  water-ink #395aaa
""")
_CONTRAST: Final = _palette("""
    paper #000000  ink #ffffff  soft #ffffff  faint #d8d8d8
    line #ffffff  head #ffff00  bar #000060  bar_ink #ffffff
    gold #ffff00  good #00ff7f  bad #ffb0a0  cool #7fe9ff
    lit #003c1e  stand #005f5f  alarm #ffff00  alarm_ink #000000
    key #ffffff  key_ink #000000
    seat0 #ffd0a0  seat1 #f0d4ff  seat2 #afd7ff  seat3 #f4f090
    coffee #c48d5b  milk #fcf6ec  steam #99a2ae  ice #8fe0f6
    chocolate #5a2e1e  caramel #e9a82e  tea #a9ec7e  water #6e9cf3
    coffee-ink #c48d5b  milk-ink #fcf6ec  steam-ink #99a2ae  ice-ink #8fe0f6
    chocolate-ink #95796f  caramel-ink #e9a82e  tea-ink #a9ec7e  water-ink #6e9cf3
""")
_COLOUR_BLIND: Final = _DARK | _palette("""
    good #7cc8ff  bad #ffb000  cool #cfd8e6  gold #fff07a
    head #e8cfae  lit #16324a  stand #401080
    seat0 #fff4e0  seat1 #8cc8ff  seat2 #e8c520  seat3 #b9a9b1
""")
_RICH: Final[Mapping[Theme, Palette]] = {
    "dark": _DARK,
    "light": _LIGHT,
    "contrast": _CONTRAST,
    "colour-blind": _COLOUR_BLIND,
}

# where the nearest of 256 colours would be hard to read, of another hue, or like one next to it
_CHIPS_256: Final = _palette("coffee #af875f  caramel #ffaf00  tea #afff87")
_DARK_256: Final = _CHIPS_256 | _palette("line #767676")
_CHOSEN_256: Final[Mapping[Theme, Palette]] = {
    "dark": _DARK_256,
    "light": _CHIPS_256
    | _palette("""
        gold #5f5f00  good #005f00  cool #005f87  lit #d7ffd7  line #af875f
        coffee-ink #875f00  tea-ink #5f5f00
    """),
    "contrast": _palette("lit #1c1c1c  cool #87d7ff"),
    "colour-blind": _DARK_256,
}
_STEPS_256: Final = (0, 95, 135, 175, 215, 255)
_COLOURS_256: Final = (
    *product(_STEPS_256, repeat=3),
    *((level, level, level) for level in range(8, 248, 10)),
)
"""Red, green and blue of the 256 colours, but for the first 16, which terminals choose."""


@cache
def _many(theme: Theme) -> Palette:
    """Return a palette of the 256 colours."""
    nearest = {role: _nearest(colour) for role, colour in _RICH[theme].items()}
    return {**nearest, **_CHOSEN_256[theme]}


@cache
def _nearest(colour: str) -> str:
    """Return the one of the 256 colours that looks most like `colour`."""
    wanted = _lab(bytes.fromhex(colour[1:]))
    found = min(_COLOURS_256, key=lambda other: dist(_lab(other), wanted))
    return f"#{bytes(found).hex()}"


@cache
def _lab(colour: Iterable[int]) -> tuple[float, float, float]:
    """Return red, green and blue from 0 to 255 in CIE Lab, where distances are as eyes see them."""
    parts = [value / 255 for value in colour]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    x, y, z = (
        sum(share * part for share, part in zip(shares, linear, strict=True)) for shares in _TO_XYZ
    )
    x, y, z = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


_TO_XYZ: Final = (
    (0.4339, 0.3763, 0.1899),
    (0.2126, 0.7152, 0.0722),
    (0.0177, 0.1095, 0.8729),
)
"""From linear sRGB, relative to the white point D65."""

_DARK_16: Final = _palette("""
    paper ansiblack  ink ansigray  soft ansigray  faint ansibrightblack
    line ansibrightblack  head ansiyellow  bar ansiblack  bar_ink ansiwhite
    gold ansibrightyellow  good ansibrightgreen  bad ansibrightmagenta
    cool ansibrightcyan  lit ansiblack  stand ansiblack
    alarm ansibrightyellow  alarm_ink ansiblack
    key ansigray  key_ink ansiblack
    seat0 ansiyellow  seat1 ansibrightmagenta  seat2 ansicyan
    seat3 ansibrightyellow
    coffee ansired  milk ansiwhite  steam ansibrightblack  ice ansicyan
    chocolate ansibrightmagenta  caramel ansibrightyellow
    tea ansigreen  water ansiblue
""")
_LIGHT_16: Final = _DARK_16 | _palette("""
    ink ansiblack  soft ansiblack  faint ansiblack  bar_ink ansiblack  line ansiblack
    paper ansiwhite  bar ansiwhite  lit ansiwhite  stand ansiwhite
    head ansired  gold ansiblue  good ansiblue  bad ansired
    cool ansiblue  key ansiblack  key_ink ansiwhite
    seat0 ansibrightblue  seat1 ansiblue  seat2 ansired  seat3 ansiblack
""")
_CONTRAST_16: Final = _DARK_16 | _palette("""
    ink ansiwhite  soft ansiwhite  faint ansiwhite  line ansiwhite
    head ansibrightyellow  key ansiwhite
""")
_COLOUR_BLIND_16: Final = _DARK_16 | _palette("""
    good ansibrightcyan  bad ansibrightyellow  cool ansiwhite
    seat0 ansiyellow  seat1 ansiyellow  seat2 ansiyellow  seat3 ansiyellow
""")
_FEW: Final[Mapping[Theme, Palette]] = {
    "dark": _DARK_16,
    "light": _LIGHT_16,
    "contrast": _CONTRAST_16,
    "colour-blind": _COLOUR_BLIND_16,
}

_WHITE_ON: Final = {
    "#4f2114",
    "#3c69d0",
    "#5a2e1e",
    "#5f0000",
    "#005fd7",
    "ansired",
    "ansiblue",
}
"""Chip colours that are too dark for black letters."""
CHIPS: Final = tuple(kind.name.lower() for kind in Ingredient)
_ATTRIBUTES: Final = {"bold", "reverse", "underline"}


def style_of(theme: Theme, colours: Colours) -> dict[str, str]:
    """Return the style of each class; without colours there is only bold, reverse and underline."""
    if colours == "none":
        # a QR code is dark on light; the light theme implies that the terminal is light
        dark = "qr" if theme == "light" else "qrdark"
        return _PLAIN | dict.fromkeys(("qr", "qrdark"), "reverse") | {dark: ""}
    palette = _many(theme) if colours == "256" else {"16": _FEW}.get(colours, _RICH)[theme]
    chips = {name: _chip(palette[name]) for name in CHIPS}
    inks = {f"{name}-ink": palette.get(f"{name}-ink", palette["soft"]) for name in CHIPS}
    style = {name: roles.format_map(palette) for name, roles in _CLASSES.items()}
    # a bar in the colour of the page is set off by an underline
    style["header"] += " underline" if palette["bar"] == palette["paper"] else ""
    return style | chips | inks


def _chip(colour: str) -> str:
    return f"{_ink_on(colour)} bg:{colour} nobold"


def _ink_on(colour: str) -> str:
    """Return black or white, whichever can be read on a chip of this colour."""
    white, black = ("#ffffff", "#000000") if colour.startswith("#") else ("ansiwhite", "ansiblack")
    return white if colour in _WHITE_ON else black


def palette_of(theme: Theme) -> Palette:
    """Return the colour of each role in true colours, and of the letters on each chip."""
    palette = _RICH[theme]
    return {**palette, **{f"{name}_ink": _ink_on(palette[name]) for name in CHIPS}}


_PLAIN: Final = {
    **{
        name: " ".join(word for word in roles.split() if word in _ATTRIBUTES)
        for name, roles in _CLASSES.items()
    },
    **dict.fromkeys(CHIPS, "bold"),
    **dict.fromkeys((f"{name}-ink" for name in CHIPS), ""),
    "header": "reverse",
    "warning": "reverse bold",
    "hint": "reverse bold",
    "flash": "reverse bold",
    "bust": "reverse bold",
    "key": "reverse",
    "legal": "",
    "here": "",
}
"""The style without colours; letters and marks make the difference."""
