"""Ingredient tokens as chips: two cells each, the letters carry the meaning."""

from typing import Final

from coffeerush.ui.words import status
from protocol import Counts, Ingredient

from .canvas import Fragment

_STYLES: Final = {kind: f"class:{kind.name.lower()}" for kind in Ingredient}


def token_style(kind: Ingredient) -> str:
    """Return the style of an ingredient's chip."""
    return _STYLES[kind]


def kinds_of(counts: Counts) -> list[Ingredient]:
    """Return the tokens of a multiset, one entry a token."""
    return [kind for kind, count in zip(Ingredient, counts, strict=True) for _token in range(count)]


def chips(kinds: list[Ingredient]) -> list[Fragment]:
    """Return tokens as chips with a blank between them."""
    found: list[Fragment] = []
    for kind in kinds:
        found += [("", " ")] if found else []
        found.append((_STYLES[kind], status.ingredient_code(kind)))
    return found


def word_chips(kinds: list[Ingredient]) -> list[Fragment]:
    """Return tokens as chips with whole words and a blank between them."""
    found: list[Fragment] = []
    for kind in kinds:
        found += [("", " ")] if found else []
        found.append((_STYLES[kind], status.ingredient_name(kind)))
    return found


def tally(counts: Counts, gap: str = " ") -> list[Fragment]:
    """Return how many there are of each kind: `Co 9 Mi 8`, or without a gap `Co9 Mi8`."""
    found: list[Fragment] = []
    for kind, count in zip(Ingredient, counts, strict=True):
        found += [("", " ")] if found else []
        found += [(_STYLES[kind], status.ingredient_code(kind)), ("class:count", f"{gap}{count}")]
    return found
