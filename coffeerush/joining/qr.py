"""Render QR codes as text; a terminal shows two modules in one cell, or one in two cells."""

from functools import lru_cache
from typing import Final, TypeAlias

Modules: TypeAlias = tuple[tuple[bool, ...], ...]
"""Whether each module is dark, row by row."""

QUIET: Final = 4
"""The quiet zone of the standard, in modules."""
MIN_QUIET: Final = 2
"""The smallest quiet zone that phones still read."""
_HALVES: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


@lru_cache(maxsize=8)
def qr_modules(text: str, quiet: int = QUIET) -> Modules:
    """Return the smallest QR code of a text, with a quiet zone of `quiet` modules."""
    # imported late: most screens show no code, and the library takes longer to load than to run
    from segno import make

    rows = [[bool(module) for module in row] for row in make(text, error="l", micro=False).matrix]
    blank = [False] * (len(rows) + 2 * quiet)
    side = [False] * quiet
    framed = [*[blank] * quiet, *([*side, *row, *side] for row in rows), *[blank] * quiet]
    return tuple(map(tuple, framed))


def half_blocks(modules: Modules) -> list[str]:
    """Render modules as rows of half blocks: the foreground is dark, the background light."""
    even = modules if len(modules) % 2 == 0 else (*modules, (False,) * len(modules[0]))
    pairs = zip(even[::2], even[1::2], strict=True)
    return ["".join(_HALVES[pair] for pair in zip(*rows, strict=True)) for rows in pairs]
