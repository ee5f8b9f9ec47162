"""The help and the rules as lines of text, wrapped to a width."""

from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Fragment, pad, width, wrap
from coffeerush.ui.words.i18n import _

from .page import Help, Page
from .rules_text import rules_sections


def page_lines(page: Page, columns: int) -> list[Fragment]:
    """Return the lines of the open page, help or rules, as (style, line)."""
    return _rules_lines(columns) if page.mode == "rules" else _help_lines(page.help, columns)


def _help_lines(explained: Help, columns: int) -> list[Fragment]:
    """Return the explanations of the keys, then of the marks."""
    sections = [
        (_(title), [(" ".join(map(_, caps)), _(text)) for caps, text in rows])
        for title, rows in explained.keys
    ]
    sections.append((_("Symbols"), [(mark, _(text)) for mark, text in explained.marks]))
    caps = max(width(cap) for _title, section in sections for cap, _text in section) + 2
    found: list[Fragment] = []
    for title, section in sections:
        found += [("", "")] if found else []
        found.append(("class:title", title))
        for cap, text in section:
            found += _explained(cap, text, caps, columns)
    return found


def _explained(cap: str, text: str, caps: int, columns: int) -> list[Fragment]:
    first, *others = wrap(text, max(columns - caps, 12), "")
    return [("", pad(cap, caps) + first), *(("", " " * caps + part) for part in others)]


def _rules_lines(columns: int) -> list[Fragment]:
    found: list[Fragment] = []
    for section in rules_sections():
        found += [("", "")] if found else []
        found.append(("class:title", section.title))
        for paragraph in section.paragraphs:
            found += [("", line) for line in wrap(f"{glyphs.DOT} {paragraph}", columns)]
    return found
