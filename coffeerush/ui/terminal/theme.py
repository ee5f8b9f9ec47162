"""Themes: the prompt_toolkit style of each class. Nothing is conveyed by colour alone.

A theme sets its own background, so it looks the same on every terminal.
"""

from collections.abc import Mapping
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
    "serve": "{good} bold",
    "need": "{soft}",
    "urgent": "{bad} bold",
    "upgrade": "{cool}",
    "fresh": "{cool} bold",
    "cup": "{head}",
    "warning": "{alarm_ink} bg:{alarm} bold",
    "refusal": "{bad} bold",
    "ask": "{gold} bold",
    "draft": "bold",
    "said": "{cool}",
    "guide": "{good}",
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
    lit #25372b  alarm #ffb347  alarm_ink #000000
    key #d8c3a8  key_ink #1a1411
    seat0 #ffb987  seat1 #c9a7ff  seat2 #8fd3ff  seat3 #f3e08a
    coffee #c69c6d  milk #fbf6ec  steam #bcc4ce  ice #9fe0f7
    chocolate #d0856a  caramel #f3b13e  tea #a5d06f  water #86aef7
""")
_LIGHT: Final = _palette("""
    paper #f4eadb  ink #2b1d14  soft #5c4a3c  faint #6a594c
    line #917b65  head #7d3f12  bar #e2cba7  bar_ink #2b1d14
    gold #6b4300  good #14582e  bad #a01515  cool #164a85
    lit #e2efd6  alarm #ffb347  alarm_ink #000000
    key #4a3426  key_ink #fff6ea
    seat0 #8a3a0e  seat1 #5f2f96  seat2 #0f5272  seat3 #5c5200
    coffee #c79a64  milk #ffffff  steam #b3bcc8  ice #8fdcf8
    chocolate #d6866a  caramel #f0a92a  tea #93c653  water #83a9f6
""")
_CONTRAST: Final = _palette("""
    paper #000000  ink #ffffff  soft #ffffff  faint #d8d8d8
    line #ffffff  head #ffff00  bar #000060  bar_ink #ffffff
    gold #ffff00  good #00ff7f  bad #ffb0a0  cool #7fe9ff
    lit #003c1e  alarm #ffff00  alarm_ink #000000
    key #ffffff  key_ink #000000
    seat0 #ffc890  seat1 #ffc890  seat2 #ffc890  seat3 #ffc890
    coffee #e0a868  milk #ffffff  steam #c8d0d8  ice #8ff0ff
    chocolate #ff9a78  caramel #ffc020  tea #9cf050  water #8cb8ff
""")
_COLOUR_BLIND: Final = _DARK | _palette("""
    good #7cc8ff  bad #ffb000  cool #cfd8e6  gold #fff07a
    head #e8cfae  lit #16324a
    seat0 #ffd9b0  seat1 #ffd9b0  seat2 #ffd9b0  seat3 #ffd9b0
    coffee #c78436  milk #f7f5e8  steam #8d9195  ice #66d4fc
    chocolate #6b2d1f  caramel #f3cb1a  tea #cffd9d  water #25458a
""")
"""Chips can be told apart without red or green: they differ in lightness too."""
_RICH: Final[Mapping[Theme, Palette]] = {
    "dark": _DARK,
    "light": _LIGHT,
    "contrast": _CONTRAST,
    "colour-blind": _COLOUR_BLIND,
}

_DARK_16: Final = _palette("""
    paper ansiblack  ink ansigray  soft ansigray  faint ansibrightblack
    line ansibrightblack  head ansiyellow  bar ansiblack  bar_ink ansiwhite
    gold ansibrightyellow  good ansibrightgreen  bad ansibrightred
    cool ansibrightcyan  lit ansiblack
    alarm ansibrightyellow  alarm_ink ansiblack
    key ansigray  key_ink ansiblack
    seat0 ansiyellow  seat1 ansibrightmagenta  seat2 ansicyan
    seat3 ansibrightyellow
    coffee ansiyellow  milk ansiwhite  steam ansigray  ice ansibrightcyan
    chocolate ansibrightmagenta  caramel ansibrightyellow
    tea ansibrightgreen  water ansicyan
""")
_LIGHT_16: Final = _DARK_16 | _palette("""
    ink ansiblack  soft ansiblack  faint ansiblack  bar_ink ansiblack  line ansiblack
    paper ansiwhite  bar ansiwhite  lit ansiwhite
    head ansired  gold ansimagenta  good ansiblue  bad ansired
    cool ansiblue  key ansiblack  key_ink ansiwhite
    seat0 ansimagenta  seat1 ansiblue  seat2 ansired  seat3 ansiblack
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

_WHITE_ON: Final = {"#6b2d1f", "#25458a"}
"""Chip colours that are too dark for black letters."""
CHIPS: Final = tuple(kind.name.lower() for kind in Ingredient)
_ATTRIBUTES: Final = {"bold", "reverse", "underline"}


def style_of(theme: Theme, colours: Colours) -> dict[str, str]:
    """Return the style of each class; without colours there is only bold, reverse and underline."""
    if colours == "none":
        # a QR code is dark on light; the light theme implies that the terminal is light
        dark = "qr" if theme == "light" else "qrdark"
        return _PLAIN | dict.fromkeys(("qr", "qrdark"), "reverse") | {dark: ""}
    palette = (_FEW if colours == "16" else _RICH)[theme]
    chips = {name: _chip(palette[name]) for name in CHIPS}
    style = {name: roles.format_map(palette) for name, roles in _CLASSES.items()}
    # a bar in the colour of the page is set off by an underline
    style["header"] += " underline" if palette["bar"] == palette["paper"] else ""
    return style | chips


def _chip(colour: str) -> str:
    ink = "#ffffff" if colour in _WHITE_ON else "#000000"
    return f"{ink if colour.startswith('#') else 'ansiblack'} bg:{colour} nobold"


_PLAIN: Final = {
    **{
        name: " ".join(word for word in roles.split() if word in _ATTRIBUTES)
        for name, roles in _CLASSES.items()
    },
    **dict.fromkeys(CHIPS, "bold"),
    "header": "reverse",
    "warning": "reverse bold",
    "key": "reverse",
    "legal": "",
}
"""The style without colours; letters and marks make the difference."""
