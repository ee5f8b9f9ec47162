"""What styles are drawn with: each look a terminal can be given is a pen, known by its number."""

from collections.abc import Callable
from typing import Final

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import DEFAULT_ATTRS, Attrs, BaseStyle

_SWITCHES: Final = {
    "bold": ("1", "22"),
    "dim": ("2", "22"),
    "italic": ("3", "23"),
    "underline": ("4", "24"),
    "blink": ("5", "25"),
    "reverse": ("7", "27"),
    "hidden": ("8", "28"),
    "strike": ("9", "29"),
}
"""What begins and what ends each attribute but the colours."""


class Pens(dict[str, int]):
    """The number of the pen of each style; styles that look the same share one.

    Args:
        style: what each style looks like.
        depth: the colours that the terminal has.
        code: returns what gives the terminal a look, whatever it had before.
    """

    def __init__(self, style: BaseStyle, depth: ColorDepth, code: Callable[[Attrs], str]) -> None:
        super().__init__()
        self.blanks = _Blanks(self)
        """The ground of each style, as a negative number: all that is seen of it in a blank."""
        self._style = style
        self._depth = depth
        self._code = code
        self._attrs: list[Attrs] = []
        self._grounds: list[int] = []
        self._changes: dict[tuple[int | None, int], str] = {}

    def __missing__(self, style: str) -> int:
        attrs = self._style.get_attrs_for_style_str(style)
        if attrs not in self._attrs:
            self._attrs.append(attrs)
            self._grounds.append(self._ground(attrs))
        self[style] = self._attrs.index(attrs)
        return self[style]

    def ground(self, pen: int) -> int:
        """Return the ground of a pen, as `blanks` numbers it."""
        return self._grounds[pen]

    def change(self, worn: int | None, pen: int) -> str:
        """Return the shortest code that leads from one pen, or from one unknown, to another."""
        code = self._changes.get((worn, pen))
        if code is None:
            code = self._changes[worn, pen] = self._shortest(worn, self._attrs[pen])
        return code

    def _ground(self, attrs: Attrs) -> int:
        """Return the number of the first pen that leaves the same blank."""
        if not self._shows_in_a_blank(attrs):
            for pen, other in enumerate(self._attrs):
                if other.bgcolor == attrs.bgcolor and not self._shows_in_a_blank(other):
                    return -1 - pen
        return -1 - self._attrs.index(attrs)

    def _shows_in_a_blank(self, attrs: Attrs) -> bool:
        # The 16 colours of ink and paper depend on each other.
        few = self._depth is ColorDepth.DEPTH_4_BIT
        return bool(few or attrs.reverse or attrs.underline or attrs.strike)

    def _shortest(self, worn: int | None, attrs: Attrs) -> str:
        whole = self._code(attrs)
        if worn is None or self._depth is ColorDepth.DEPTH_4_BIT:
            return whole
        had = self._attrs[worn]
        parts = [
            off
            for name, (_on, off) in _SWITCHES.items()
            if getattr(had, name) and not getattr(attrs, name)
        ]
        parts += [
            on
            for name, (on, off) in _SWITCHES.items()
            if getattr(attrs, name) and (off in parts or not getattr(had, name))
        ]
        if attrs.color != had.color:
            parts += self._inner(DEFAULT_ATTRS._replace(color=attrs.color)) or ["39"]
        if attrs.bgcolor != had.bgcolor:
            parts += self._inner(DEFAULT_ATTRS._replace(bgcolor=attrs.bgcolor)) or ["49"]
        return min(whole, f"\x1b[{';'.join(parts)}m" if parts else "", key=len)

    def _inner(self, attrs: Attrs) -> list[str]:
        code = self._code(attrs).removeprefix("\x1b[0").removesuffix("m").removeprefix(";")
        return [code] if code else []


class _Blanks(dict[str, int]):
    def __init__(self, pens: Pens) -> None:
        super().__init__()
        self._pens = pens

    def __missing__(self, style: str) -> int:
        self[style] = self._pens.ground(self._pens[style])
        return self[style]
