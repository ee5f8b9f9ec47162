"""Ingredient tokens as coloured chips: two-letter codes, whole names, or counts per kind."""

from typing import Final

from coffeerush.ui.terminal.canvas import Fragment
from coffeerush.ui.words.names import ingredient_code, ingredient_name
from protocol import Counts, Ingredient

_STYLES: Final = {kind: f"class:{kind.name.lower()}" for kind in Ingredient}


def token_style(kind: Ingredient) -> str:
    """Return the style of an ingredient's chip."""
    return _STYLES[kind]


def kinds_of(counts: Counts) -> list[Ingredient]:
    """Expand a multiset to a list with one entry per token."""
    return [kind for kind, count in zip(Ingredient, counts, strict=True) for _token in range(count)]


def chips(kinds: list[Ingredient]) -> list[Fragment]:
    """Return tokens as chips of two cells each, separated by blanks."""
    found: list[Fragment] = []
    for kind in kinds:
        found += [("", " ")] if found else []
        found.append((_STYLES[kind], ingredient_code(kind)))
    return found


def word_chips(kinds: list[Ingredient]) -> list[Fragment]:
    """Return tokens as chips with their whole names, separated by blanks."""
    found: list[Fragment] = []
    for kind in kinds:
        found += [("", " ")] if found else []
        found.append((_STYLES[kind], ingredient_name(kind)))
    return found


def tally(counts: Counts, gap: str = " ") -> list[Fragment]:
    """Return the count of each kind: `Co 9 Mi 8`, or `Co9 Mi8` if `gap` is empty."""
    found: list[Fragment] = []
    for kind, count in zip(Ingredient, counts, strict=True):
        found += [("", " ")] if found else []
        found += [(_STYLES[kind], ingredient_code(kind)), ("class:count", f"{gap}{count}")]
    return found
