"""A canvas as the one window of a prompt_toolkit layout: cell for cell, with the mouse over it."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from prompt_toolkit.layout import DummyControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent

from .canvas import Canvas, Look

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

_char = lru_cache(maxsize=8192)(Char)


class Sheet(Window):
    """Takes canvases as they are: wrapping, scrolling and splitting of text would cost more.

    Args:
        draw: returns a canvas of so many columns and rows.
        look: returns what the terminal can show.
        point: is told what the mouse does; its position is a cell of the canvas.
    """

    def __init__(
        self,
        draw: Callable[[int, int], Canvas],
        look: Callable[[], Look],
        point: Callable[[MouseEvent], "NotImplementedOrNone"],
    ) -> None:
        super().__init__(DummyControl())
        self._draw = draw
        self._look = look
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
        """Copy a canvas of the whole size to the screen."""
        columns, rows = write_position.width, write_position.height
        canvas = self._draw(columns, rows)
        for y, (texts, styles) in enumerate(canvas.cells(self._look())):
            screen.data_buffer[y].update(enumerate(map(_char, texts, styles)))
        screen.width, screen.height = columns, rows
        screen.show_cursor = False
        screen.visible_windows_to_write_positions[self] = write_position
        mouse_handlers.set_mouse_handler_for_range(0, columns, 0, rows, self._point)
