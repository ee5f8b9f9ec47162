"""What is read on the pages over the whole screen: the help and the rules, line by line."""

from typing import TypeAlias

from coffeerush.ui.replay import keymap as replay_keys
from coffeerush.ui.table.keymap import BINDINGS
from coffeerush.ui.table.state import HelpTopic, Mode
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Fragment, pad, width, wrap
from coffeerush.ui.words.i18n import _

from .rules_text import rules_sections

Explained: TypeAlias = list[tuple[str, str]]
"""Keys or marks, each with what it does or means."""


def page_lines(mode: Mode, columns: int, place: HelpTopic = "table") -> list[Fragment]:
    """Return the help of a place, or the rules, as (style, line)."""
    return _rules_lines(columns) if mode == "rules" else _help_lines(place, columns)


def _help_lines(place: HelpTopic, columns: int) -> list[Fragment]:
    """Return what each key does, then what the marks mean."""
    sections = {
        "menu": [(_("Keys"), _menu_keys()), (_("Keys at a table"), _table_keys())],
        "table": [(_("Keys"), _table_keys())],
        "replay": [(_("Keys"), _replay_keys())],
    }[place]
    sections.append((_("Marks"), _marks(place)))
    caps = max(width(cap) for _title, section in sections for cap, _text in section) + 2
    found: list[Fragment] = []
    for title, section in sections:
        found += [("", "")] if found else []
        found.append(("class:title", title))
        for cap, text in section:
            found += _explained(cap, text, caps, columns)
    return found


def _menu_keys() -> Explained:
    return [
        ("?", _("this help, and closes it (also F1)")),
        (_("arrows"), _("choose a line, and change its value (also h j k l)")),
        ("1-9", _("open the line with that digit")),
        (_("Enter"), _("open the line, or start what it is about")),
        (_("Space"), _("change the value of the line")),
        (_("Esc"), _("back to the menu")),
        ("F2", _("the rules of the game")),
        ("F3", _("settings: language, colours, mouse, speed …")),
        ("q", _("back, and from the menu to the shell (also Ctrl-C)")),
    ]


def _table_keys() -> Explained:
    return [(_(binding.cap), _(binding.text)) for binding in BINDINGS]


def _replay_keys() -> Explained:
    return [
        (" ".join(_(cap) for cap, _key in binding.shown), _(binding.text))
        for binding in replay_keys.BINDINGS
    ]


def _explained(cap: str, text: str, caps: int, columns: int) -> list[Fragment]:
    first, *others = wrap(text, max(columns - caps, 12), "")
    return [("", pad(cap, caps) + first), *(("", " " * caps + part) for part in others)]


def _marks(place: HelpTopic) -> Explained:
    if place == "replay":
        return [
            (glyphs.MINE, _("the player whose cups are open; other meeples are letters")),
            ("1 2 3", _("the path that was walked")),
            *_marks_of_all(),
        ]
    return [
        (glyphs.MINE, _("your meeple; other meeples are letters, as in the list of players")),
        ("^ < > v", _("where you can step; numbers are the path that you walked")),
        ("x2 +2", _("what a step gives, where it is not one token")),
        *_marks_of_all(),
        ("+B", _("an order that this player's serving has brought since your last turn")),
    ]


def _marks_of_all() -> Explained:
    return [
        (glyphs.SPECIALTY, _("specialty: a cell, or an order that earns a rush token")),
        (glyphs.RUSH, _("rush token: in the board, what a step costs")),
        (
            glyphs.SERVED + " " + glyphs.PENALTY,
            _("orders completed; penalties, and how many end the game"),
        ),
        (glyphs.ACTIVE + glyphs.INACTIVE, _("an upgrade that is active, one that is not")),
        ("4!", _("an order in slot 4 becomes a penalty when your turn ends")),
        ("[ ]", _("in an order: what the best cup still needs")),
        (f"{glyphs.TO}1", _("in an order: its best cup")),
        (f"-2 {glyphs.SERVED}1", _("in an order: how much it needs; the cup that serves it")),
    ]


def _rules_lines(columns: int) -> list[Fragment]:
    found: list[Fragment] = []
    for section in rules_sections():
        found += [("", "")] if found else []
        found.append(("class:title", section.title))
        for paragraph in section.paragraphs:
            found += [("", line) for line in wrap(f"{glyphs.DOT} {paragraph}", columns)]
    return found
