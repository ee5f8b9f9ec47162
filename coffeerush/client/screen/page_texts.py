"""What is read on the pages over the whole screen: the help and the rules, line by line."""

from collections.abc import Callable
from typing import Final, TypeAlias

from coffeerush.client.replay import keys as replay_keys
from coffeerush.client.rules_text import rules_sections
from coffeerush.i18n import _

from . import glyphs
from .canvas import Fragment, pad, width, wrap
from .keys import BINDINGS
from .ui import Mode, Place

Explained: TypeAlias = list[tuple[str, str]]
"""Keys or marks, each with what it does or means."""


def page_lines(mode: Mode, columns: int, place: Place = "table") -> list[Fragment]:
    """Return the help of a place, or the rules, as (style, line)."""
    return _rules_lines(columns) if mode == "rules" else _help_lines(_KEYS[place](), columns)


def _help_lines(keys: Explained, columns: int) -> list[Fragment]:
    """Return what each key does, then what the marks mean."""
    marks = _marks()
    caps = max(width(cap) for cap, _text in (*keys, *marks)) + 2
    found = [("class:title", _("Keys"))]
    for cap, text in keys:
        found += _explained(cap, text, caps, columns)
    found += [("", ""), ("class:title", _("Marks"))]
    for mark, text in marks:
        found += _explained(mark, text, caps, columns)
    return found


def _table_keys() -> Explained:
    return [(_(binding.cap), _(binding.text)) for binding in BINDINGS]


def _replay_keys() -> Explained:
    return [
        (" ".join(_(cap) for cap, _key in binding.shown), _(binding.text))
        for binding in replay_keys.BINDINGS
    ]


_KEYS: Final[dict[Place, Callable[[], Explained]]] = {
    "table": _table_keys,
    "replay": _replay_keys,
}


def _explained(cap: str, text: str, caps: int, columns: int) -> list[Fragment]:
    first, *others = wrap(text, max(columns - caps, 12), "")
    return [("", pad(cap, caps) + first), *(("", " " * caps + part) for part in others)]


def _marks() -> Explained:
    return [
        (glyphs.SPECIALTY, _("specialty: a cell, or an order that earns a rush token")),
        (glyphs.MINE, _("your meeple; other meeples are letters, as in the list of players")),
        ("^ < > v", _("where you can step; numbers are the path that you walked")),
        ("x2 +2", _("what a step gives, where it is not one token")),
        (glyphs.RUSH, _("rush token: in the board, what a step costs")),
        (
            glyphs.SERVED + " " + glyphs.PENALTY,
            _("orders completed; penalties, and how many end the game"),
        ),
        (glyphs.ACTIVE + glyphs.INACTIVE, _("an upgrade that is active, one that is not")),
        ("4!", _("an order in slot 4 becomes a penalty when your turn ends")),
        ("[ ]", _("in an order: what the best cup still needs")),
        (f"{glyphs.TO}1", _("in an order: its best cup")),
        ("+B", _("an order that this player's serving has brought since your last turn")),
    ]


def _rules_lines(columns: int) -> list[Fragment]:
    found: list[Fragment] = []
    for section in rules_sections():
        found += [("", "")] if found else []
        found.append(("class:title", section.title))
        for paragraph in section.paragraphs:
            found += [("", line) for line in wrap(f"{glyphs.DOT} {paragraph}", columns)]
    return found
