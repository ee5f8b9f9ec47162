"""Terminal output that remembers the frame on the screen and sends only the difference.

It replaces prompt_toolkit's renderer, which draws line by line, sends all attributes whenever one
changes, and resets them at the end of each line.
"""

import errno
import os
import re
import sys
import time
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

from .diff import Cells, Pens, cursor_move, frame_diff

_NO_ATTRIBUTES = "\x1b[0m"
_HOME = "\x1b[H"
LATE_SECONDS: Final = 0.075
"""Output that takes longer to send comes too late for the next frame of an animation."""
SLOW_SECONDS: Final = 300.0
"""How long a line counts as slow after such output."""
_OLD: Final = re.compile(r"^vt\d")
"""Values of TERM for terminals without a mouse, which print window titles as text."""


class DiffOutput(Vt100_Output):
    """Shows whole frames; the other methods are about the terminal as a whole."""

    _pens: Pens | None = None
    _current: int | None = None
    """The current pen of the terminal; None if unknown."""
    _shown: Cells | None = None
    """The frame on the terminal; None if unknown."""
    _next: Cells | None = None
    _caret = (0, 0)
    """The column and row at which the next frame leaves the hidden cursor."""
    _left_at: tuple[int, int] | None = None
    """Where the frame on the terminal left it; None if unknown."""
    _captured: str | None = None
    _late_at = float("-inf")
    """When the terminal last took too long to accept output."""
    clock: Callable[[], float] = staticmethod(time.monotonic)

    @property
    def is_slow(self) -> bool:
        """Whether the line to the terminal has been too slow for animations lately."""
        return self.clock() - self._late_at < SLOW_SECONDS

    def note_late(self) -> None:
        """Take the line for slow, for a while."""
        self._late_at = self.clock()

    @property
    def is_old(self) -> bool:
        """Whether the terminal supports neither mouse nor window titles."""
        return _OLD.match(self.term or "") is not None

    def set_style(self, style: BaseStyle, depth: ColorDepth) -> None:
        """Set the style of all following frames."""
        self._pens = Pens(style, depth, lambda attrs: self._code(attrs, depth))
        self._forget()

    def show(self, frame: Cells, caret: tuple[int, int] | None = None) -> None:
        """Show a frame of the terminal's size with the next flush.

        An input method composes its letters at the cursor, though it is hidden: `caret` is the
        column and row of the open text field's.
        """
        self._next, self._caret = frame, caret or (0, 0)

    def flush(self) -> None:
        """Send pending output, and the difference to the next frame."""
        if self._next is not None and self._pens is not None:
            code, self._current = frame_diff(self._shown, self._next, self._pens, self._current)
            self._shown, self._next = self._next, None
            if code or self._caret != self._left_at:
                self._left_at = self._caret
                code += cursor_move(*self._caret)
            self.write_raw(code)
        began = self.clock()
        try:
            super().flush()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            # the terminal is gone: its input ends too, which ends the screen
        if self.clock() - began > LATE_SECONDS:
            self.note_late()

    def reset_attributes(self) -> None:
        """Do nothing: the next frame sets the attributes."""

    def erase_screen(self) -> None:
        """Erase the screen."""
        self._forget()
        self.write_raw(_NO_ATTRIBUTES)
        super().erase_screen()

    def erase_down(self) -> None:
        """Erase the screen: prompt_toolkit calls it with the cursor at the top left only."""
        self._forget()
        self.write_raw(_NO_ATTRIBUTES + _HOME)
        super().erase_down()

    def enter_alternate_screen(self) -> None:
        """Enter the alternate screen, and ask for reports of its focus."""
        super().enter_alternate_screen()
        if not self.is_old:
            self.write_raw("\x1b[?1004h")

    def quit_alternate_screen(self) -> None:
        """Leave the alternate screen with attributes reset, and without reports."""
        self._forget()
        if not self.is_old:
            self.write_raw("\x1b[?1004l")
        self.write_raw(_NO_ATTRIBUTES)
        super().quit_alternate_screen()

    def enable_mouse_support(self) -> None:
        """Enable reports of clicks and the wheel, not of mouse movement."""
        self.write_raw("\x1b[?1000h\x1b[?1006h")

    def disable_mouse_support(self) -> None:
        """Disable mouse reports."""
        self.write_raw("\x1b[?1006l\x1b[?1000l")

    def write_raw(self, data: str) -> None:
        """Write escape sequences unchanged."""
        if self._captured is None:
            super().write_raw(data)
        else:
            self._captured += data

    def _forget(self) -> None:
        self._shown = self._current = self._left_at = None

    def _code(self, attrs: Attrs, depth: ColorDepth) -> str:
        """Return the sequence that prompt_toolkit sends for attributes."""
        self._captured = ""
        super().set_attributes(attrs, depth)
        code, self._captured = self._captured, None
        return code


def terminal_output() -> "DiffOutput":
    """Return the output for the terminal of this process."""
    output = DiffOutput.from_pty(
        sys.stdout, term=os.environ.get("TERM"), default_color_depth=ColorDepth.from_env()
    )
    assert isinstance(output, DiffOutput)
    return output


if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone


class FrameWindow(Window):
    """A prompt_toolkit window that leaves drawing to `show`; `point` gets mouse events, by cell."""

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
        """Show a frame of the whole terminal."""
        columns, rows = write_position.width, write_position.height
        self._show(columns, rows)
        screen.width, screen.height = columns, rows
        screen.show_cursor = False
        screen.visible_windows_to_write_positions[self] = write_position
        # making one handler per cell would take longer than the frame
        mouse_handlers.mouse_handlers = defaultdict(lambda: defaultdict(lambda: self._point))
