"""Detect what a terminal supports, unless settings say so: colours, and Unicode or ASCII."""

import codecs
import os
import re
from collections.abc import Mapping
from typing import Final

from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle, Style

from coffeerush.local.settings import Colours, Settings

from .canvas import Look
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
    """Return which characters can be shown; ASCII if set so, or if the output is not UTF-8."""
    # these locales are ASCII, but Python uses UTF-8 for them
    c_locale = (environ.get("LC_ALL") or environ.get("LANG")) in ("C", "POSIX")
    encoding = "ascii" if c_locale else output.encoding()
    utf8 = codecs.lookup(encoding).name == "utf-8"
    return Look(settings.ascii or not utf8, "utf-8" if utf8 else encoding)
