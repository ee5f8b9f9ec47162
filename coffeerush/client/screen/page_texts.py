"""What is read on the pages over the whole screen: the help and the rules, line by line."""

from collections.abc import Callable
from typing import Final

from coffeerush.client.rules_text import rules_sections
from coffeerush.i18n import _

from . import glyphs
from .canvas import Fragment, pad, width, wrap
from .keys import BINDINGS
from .ui import Mode


def page_lines(mode: Mode, columns: int) -> list[Fragment]:
    """Return the help or the rules as (style, line)."""
    return _TEXTS[mode](columns)


def _help_lines(columns: int) -> list[Fragment]:
    """Return every binding of the table, then what the marks mean."""
    marks = _marks()
    caps = max(width(cap) for cap, _text in (*_bindings(), *marks)) + 2
    found = [("class:title", _("Keys"))]
    for cap, text in _bindings():
        found += _explained(cap, text, caps, columns)
    found += [("", ""), ("class:title", _("Marks"))]
    for mark, text in marks:
        found += _explained(mark, text, caps, columns)
    return found


def _bindings() -> list[tuple[str, str]]:
    return [(_(binding.cap), _(binding.text)) for binding in BINDINGS]


def _explained(cap: str, text: str, caps: int, columns: int) -> list[Fragment]:
    first, *others = wrap(text, max(columns - caps, 12), "")
    return [("", pad(cap, caps) + first), *(("", " " * caps + part) for part in others)]


def _marks() -> list[tuple[str, str]]:
    return [
        (glyphs.SPECIALTY, _("specialty: a cell, or an order that earns a rush token")),
        (glyphs.MINE, _("your meeple; other meeples are letters, as in the list of players")),
        ("^ < > v", _("where you can step; numbers are the path that you walked")),
        ("x2", _("what a step gives, where it is not one token")),
        (glyphs.RUSH, _("rush token: in the board, what a step costs")),
        (glyphs.SERVED + " " + glyphs.PENALTY, _("orders completed, and penalties")),
        (glyphs.ACTIVE + glyphs.INACTIVE, _("an upgrade that is active, one that is not")),
        ("4!", _("an order in slot 4 becomes a penalty when your turn ends")),
        ("[ ]", _("in an order: what the best cup still needs")),
    ]


def _rules_lines(columns: int) -> list[Fragment]:
    found: list[Fragment] = []
    for section in rules_sections():
        found += [("", "")] if found else []
        found.append(("class:title", section.title))
        for paragraph in section.paragraphs:
            found += [("", line) for line in wrap(f"{glyphs.DOT} {paragraph}", columns)]
    return found


_TEXTS: Final[dict[Mode, Callable[[int], list[Fragment]]]] = {
    "help": _help_lines,
    "rules": _rules_lines,
}
