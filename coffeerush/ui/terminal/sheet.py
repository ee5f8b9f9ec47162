"""The one window of a prompt_toolkit layout: all of the terminal, with the mouse over it."""

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from prompt_toolkit.layout import DummyControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent

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
