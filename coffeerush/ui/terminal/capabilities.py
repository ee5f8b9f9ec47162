"""Detect what a terminal supports, unless settings say so.

That is colours, Unicode or ASCII, and desktop notifications.
"""

import codecs
import os
import re
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle, Style

from coffeerush.local.settings import Colours, Settings

from .canvas import Look
from .glyphs import is_ascii_locale
from .theme import style_of

DEPTHS: Final[dict[Colours, ColorDepth]] = {
    "none": ColorDepth.DEPTH_1_BIT,
    "16": ColorDepth.DEPTH_4_BIT,
    "256": ColorDepth.DEPTH_8_BIT,
    "true": ColorDepth.DEPTH_24_BIT,
}
_NAMES: Final = {depth: name for name, depth in DEPTHS.items()}
_TRUE_COLOUR: Final = ("truecolor", "24bit")
"""Values of COLORTERM that mean 24-bit colour."""
_FEW: Final[tuple[tuple[re.Pattern[str], Colours], ...]] = (
    (re.compile(r"^vt\d|-mono$|-m$"), "none"),
    (re.compile(r"-16color|^(ansi|cons25|cygwin|rxvt|screen)$"), "16"),
)
"""Values of TERM for terminals with few colours."""

_OSC_9: Final = re.compile("iterm|kitty|wezterm|ghostty", re.IGNORECASE)
_OSC_777: Final = re.compile("foot|rxvt-unicode")
"""Names of terminals that show a desktop notification for the escape sequence OSC 9 or OSC 777."""
_OSC_777_VERSIONS: Final = ("VTE_VERSION", "KONSOLE_VERSION")
"""Variables that such terminals set."""
_TERMINAL_CODEC: Final = re.compile(
    r"ascii|utf-8|iso8859-\d+|cp\d+|koi8-[rtu]|euc_(jp|kr)|gb(k|2312|18030)|big5"
)
"""Encodings of terminals; Python has others that are not about characters."""


def colours_of(
    settings: Settings, output: Output, environ: Mapping[str, str] = os.environ
) -> Colours:
    """Return the colours to draw with, never `auto`: as set, else what the terminal supports."""
    if settings.colours != "auto":
        return settings.colours
    if environ.get("NO_COLOR"):
        return "none"
    depth = output.get_default_color_depth()
    if depth is not ColorDepth.DEPTH_8_BIT:
        return _NAMES[depth]
    if environ.get("COLORTERM") in _TRUE_COLOUR:
        return "true"
    # prompt_toolkit assumes 8 bits for every terminal that it does not know
    return next((few for named, few in _FEW if named.search(environ.get("TERM", ""))), "256")


def style_for(settings: Settings, output: Output) -> BaseStyle:
    """Return the style of every class, for the theme and colours in the settings."""
    return Style.from_dict(style_of(settings.theme, colours_of(settings, output)))


def look_of(settings: Settings, output: Output, environ: Mapping[str, str] = os.environ) -> Look:
    """Return the look for this output: ASCII if set so, or if the output is not UTF-8."""
    look = look_in("ascii" if is_ascii_locale(environ) else output.encoding(), settings)
    return replace(look, still=colours_of(settings, output, environ) == "none")


def look_in(encoding: str, settings: Settings) -> Look:
    """Return the look for an encoding."""
    utf8 = codecs.lookup(encoding).name == "utf-8"
    still = settings.colours == "none"
    return Look(settings.ascii or not utf8, "utf-8" if utf8 else encoding, still)


def notification_code(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the escape sequence for a desktop notification.

    It is "" unless the terminal is known to have them: others might show it as text. tmux drops it
    if it may not pass it on.
    """
    text = "".join(one for one in text if one.isprintable() and one != ";")
    names = " ".join(environ.get(name, "") for name in ("TERM", "TERM_PROGRAM", "LC_TERMINAL"))
    code = f"\x1b]9;{text}\x07"
    if environ.get("TMUX"):
        return "\x1bPtmux;" + code.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if _OSC_9.search(names):
        return code
    if _OSC_777.search(names) or any(environ.get(name) for name in _OSC_777_VERSIONS):
        return f"\x1b]777;notify;{text};\x07"
    return ""


def encoding_of(environ: Mapping[str, str]) -> str:
    """Return the encoding of a terminal elsewhere by its locale; UTF-8 if that says nothing."""
    names = (environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "")
    if locale in ("C", "POSIX"):
        return "ascii"
    named = locale.partition(".")[2].partition("@")[0]
    try:
        found = codecs.lookup(named or "utf-8").name
    except LookupError:
        return "utf-8"
    return found if _TERMINAL_CODEC.fullmatch(found) else "utf-8"
