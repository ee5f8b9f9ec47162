"""Ingredient tokens as coloured chips: two-letter codes, whole names, or counts per kind."""

from collections.abc import Iterable
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
    return spaced([(_STYLES[kind], ingredient_code(kind))] for kind in kinds)


def word_chips(kinds: list[Ingredient]) -> list[Fragment]:
    """Return tokens as chips with their whole names, separated by blanks."""
    return spaced([(_STYLES[kind], ingredient_name(kind))] for kind in kinds)


def tally(counts: Counts, gap: str = " ") -> list[Fragment]:
    """Return the count of each kind: `Co 9 Mi 8`, or `Co9 Mi8` if `gap` is empty."""
    return spaced(
        [(_STYLES[kind], ingredient_code(kind)), ("class:count", f"{gap}{count}")]
        for kind, count in zip(Ingredient, counts, strict=True)
    )


def spaced(pieces: Iterable[list[Fragment]]) -> list[Fragment]:
    """Join pieces with blanks."""
    return [part for piece in pieces for part in (("", " "), *piece)][1:]
