"""A terminal's output that knows what the terminal shows, and sends what makes the difference.

The frames are no prompt_toolkit's: it draws line by line, sends all attributes with every change of
one, and takes them back at the end of each line.
"""

import errno
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from prompt_toolkit.layout import DummyControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Attrs, BaseStyle

from .diff import Cells, Pens, painting

_NO_ATTRIBUTES = "\x1b[0m"
_HOME = "\x1b[H"
_OLD: Final = re.compile(r"^vt\d")
"""What TERM is called where there is no mouse, and where a window's title is shown as letters."""


class SparingOutput(Vt100_Output):
    """Shows whole frames; all else that it is asked for is about the terminal as a whole."""

    _pens: Pens | None = None
    _worn: int | None = None
    """The pen that the terminal has; None where that is not known."""
    _shown: Cells | None = None
    """What the terminal shows; None where that is not known."""
    _next: Cells | None = None
    _taken: str | None = None

    @property
    def is_old(self) -> bool:
        """Whether the terminal knows nothing of mice and windows."""
        return _OLD.match(self.term or "") is not None

    def dress(self, style: BaseStyle, depth: ColorDepth) -> None:
        """Show frames in a style from now on."""
        self._pens = Pens(style, depth, lambda attrs: self._code(attrs, depth))
        self._forget()

    def show(self, frame: Cells) -> None:
        """Show a frame of the size of the terminal with the next flush."""
        self._next = frame

    def flush(self) -> None:
        """Send what is to be sent."""
        if self._next is not None and self._pens is not None:
            code, self._worn = painting(self._shown, self._next, self._pens, self._worn)
            self._shown, self._next = self._next, None
            self.write_raw(code)
        try:
            super().flush()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            # the terminal is gone: its input ends, too, and the screen with it

    def reset_attributes(self) -> None:
        """Leave the attributes to the next frame."""

    def erase_screen(self) -> None:
        """Erase everything."""
        self._forget()
        self.write_raw(_NO_ATTRIBUTES)
        super().erase_screen()

    def erase_down(self) -> None:
        """Erase everything: prompt_toolkit asks for it at the upper left only."""
        self._forget()
        self.write_raw(_NO_ATTRIBUTES + _HOME)
        super().erase_down()

    def quit_alternate_screen(self) -> None:
        """Leave the full screen, with no attributes left behind."""
        self._forget()
        self.write_raw(_NO_ATTRIBUTES)
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

    def _forget(self) -> None:
        self._shown = self._worn = None

    def _code(self, attrs: Attrs, depth: ColorDepth) -> str:
        """Return what prompt_toolkit sends for attributes."""
        self._taken = ""
        super().set_attributes(attrs, depth)
        code, self._taken = self._taken, None
        return code


def terminal_output() -> "SparingOutput":
    """Return the output of the terminal that this process runs in."""
    output = SparingOutput.from_pty(
        sys.stdout, term=os.environ.get("TERM"), default_color_depth=ColorDepth.from_env()
    )
    assert isinstance(output, SparingOutput)
    return output


if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone


class Sheet(Window):
    """Leaves its cells to the output, which knows better what of them to send.

    Args:
        show: shows a frame of so many columns and rows.
        point: is told what the mouse does; its position is a cell of the frame.
    """

    def __init__(
        self,
        show: Callable[[int, int], None],
        point: Callable[[MouseEvent], "NotImplementedOrNone"],
    ) -> None:
        super().__init__(DummyControl())
        self._show = show
        self._point = point

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Show a frame of the whole size."""
        columns, rows = write_position.width, write_position.height
        self._show(columns, rows)
        screen.width, screen.height = columns, rows
        screen.show_cursor = False
        screen.visible_windows_to_write_positions[self] = write_position
        # a callback for each cell of its own would take longer than the frame
        mouse_handlers.mouse_handlers = defaultdict(lambda: defaultdict(lambda: self._point))
