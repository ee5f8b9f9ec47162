"""A terminal's output that sends no attribute which the terminal has already.

prompt_toolkit sends all attributes with every change of one, and takes them back at the end of each
line: two thirds of what a frame of many colours sends.
"""

import os
import sys
from typing import Final

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import DEFAULT_ATTRS, Attrs

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


class SparingOutput(Vt100_Output):
    """Puts off what is asked for until something is drawn that it can be seen on."""

    _wanted: tuple[Attrs, ColorDepth] = (DEFAULT_ATTRS, ColorDepth.DEPTH_1_BIT)
    _worn: tuple[Attrs, ColorDepth] | None = None
    """What the terminal has; None where that is not known."""
    _taken: str | None = None

    def set_attributes(self, attrs: Attrs, color_depth: ColorDepth) -> None:
        """Want attributes from now on."""
        self._wanted = attrs, color_depth

    def reset_attributes(self) -> None:
        """Want no attributes from now on."""
        self._wanted = DEFAULT_ATTRS, self._wanted[1]

    def write(self, data: str) -> None:
        """Write text, in the wanted attributes."""
        if data == " ":
            self._wear(self._for_a_blank())
        elif data[:1] != "\r":
            self._wear(self._wanted)
        super().write(data)

    def erase_screen(self) -> None:
        """Erase everything."""
        self._wear(self._wanted)
        super().erase_screen()

    def erase_end_of_line(self) -> None:
        """Erase from the cursor on."""
        self._wear(self._wanted)
        super().erase_end_of_line()

    def erase_down(self) -> None:
        """Erase this line and those below."""
        self._wear(self._wanted)
        super().erase_down()

    def quit_alternate_screen(self) -> None:
        """Leave the full screen, with no attributes left behind."""
        self._wear(self._wanted)
        super().quit_alternate_screen()

    def enable_mouse_support(self) -> None:
        """Ask for presses and the wheel only: a mouse that is moved has nothing to tell."""
        self.write_raw("\x1b[?1000h\x1b[?1006h")

    def disable_mouse_support(self) -> None:
        """Ask for nothing of the mouse any more."""
        self.write_raw("\x1b[?1006l\x1b[?1000l")

    def write_raw(self, data: str) -> None:
        """Write codes as they are."""
        if self._taken is None:
            super().write_raw(data)
        else:
            self._taken += data

    def _for_a_blank(self) -> "_Worn":
        """Return what is worn, changed as far as it is seen where there is no ink."""
        attrs, depth = self._wanted
        if self._worn is None or self._worn[1] is not depth or depth is ColorDepth.DEPTH_4_BIT:
            return self._wanted
        worn = self._worn[0]
        if attrs.reverse or worn.reverse or attrs.underline or attrs.strike:
            return self._wanted
        return worn._replace(bgcolor=attrs.bgcolor, underline=False, strike=False), depth

    def _wear(self, look: "_Worn") -> None:
        if self._worn == look:
            return
        code = _CHANGES.get((self._worn, look))
        if code is None:
            code = _CHANGES[self._worn, look] = self._change(look)
        self._worn = look
        super().write_raw(code)

    def _change(self, look: "_Worn") -> str:
        """Return the shortest code that leads to a look."""
        attrs, depth = look
        whole = self._code(attrs)
        # The 16 colours of ink and paper depend on each other.
        if self._worn is None or self._worn[1] is not depth or depth is ColorDepth.DEPTH_4_BIT:
            return whole
        worn = self._worn[0]
        parts = [
            off
            for name, (_on, off) in _SWITCHES.items()
            if getattr(worn, name) and not getattr(attrs, name)
        ]
        parts += [
            on
            for name, (on, off) in _SWITCHES.items()
            if getattr(attrs, name) and (off in parts or not getattr(worn, name))
        ]
        if attrs.color != worn.color:
            parts += self._inner(DEFAULT_ATTRS._replace(color=attrs.color)) or ["39"]
        if attrs.bgcolor != worn.bgcolor:
            parts += self._inner(DEFAULT_ATTRS._replace(bgcolor=attrs.bgcolor)) or ["49"]
        return min(whole, f"\x1b[{';'.join(parts)}m" if parts else "", key=len)

    def _inner(self, attrs: Attrs) -> list[str]:
        code = self._code(attrs).removeprefix("\x1b[0").removesuffix("m").removeprefix(";")
        return [code] if code else []

    def _code(self, attrs: Attrs) -> str:
        """Return what prompt_toolkit sends for attributes."""
        self._taken = ""
        super().set_attributes(attrs, self._wanted[1])
        code, self._taken = self._taken, None
        return code


_Worn = tuple[Attrs, ColorDepth]
_CHANGES: Final[dict[tuple[_Worn | None, _Worn], str]] = {}
"""The codes worked out so far; there are few styles."""


def terminal_output() -> Vt100_Output:
    """Return the output of the terminal that this process runs in."""
    return SparingOutput.from_pty(
        sys.stdout, term=os.environ.get("TERM"), default_color_depth=ColorDepth.from_env()
    )
