"""QR codes as rows of characters: a terminal shows two modules in a cell, or one in two."""

from functools import lru_cache
from typing import Final, TypeAlias

Modules: TypeAlias = tuple[tuple[bool, ...], ...]
"""Whether each module is dark, row by row."""

QUIET: Final = 4
"""Light modules around a code, as the standard asks."""
MIN_QUIET: Final = 2
"""With which phones still read it."""
_HALVES: Final = {
    (False, False): " ",
    (True, False): "▀",
    (False, True): "▄",
    (True, True): "█",
}


@lru_cache(maxsize=8)
def qr_modules(text: str, quiet: int = QUIET) -> Modules:
    """Return the smallest code of a text, with a light edge of `quiet` modules."""
    # only here: most screens show no code, and the library takes longer to load than to draw one
    from segno import make

    rows = [[bool(module) for module in row] for row in make(text, error="l", micro=False).matrix]
    blank = [False] * (len(rows) + 2 * quiet)
    side = [False] * quiet
    framed = [*[blank] * quiet, *([*side, *row, *side] for row in rows), *[blank] * quiet]
    return tuple(map(tuple, framed))


def half_blocks(modules: Modules) -> list[str]:
    """Return rows of half blocks: ink is dark, paper light."""
    light = (False,) * len(modules[0])
    even = modules if len(modules) % 2 == 0 else (*modules, light)
    pairs = zip(even[::2], even[1::2], strict=True)
    return ["".join(_HALVES[pair] for pair in zip(*rows, strict=True)) for rows in pairs]
