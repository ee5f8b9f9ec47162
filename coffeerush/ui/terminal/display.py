"""What a program draws on: the terminal of this process, or what a guest looks at."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from coffeerush.local.settings import Settings

from .canvas import Canvas, Look, Target


class Program(Protocol):
    """A program on the full screen: draws frames, and handles input."""

    @property
    def settings(self) -> Settings:
        """The person's settings; changes are applied after each input."""

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the current frame."""

    def press(self, key: str) -> None:
        """Handle a key: a character, or one of prompt_toolkit's key names."""

    def paste(self, text: str) -> None:
        """Handle pasted text."""

    def click(self, target: Target) -> None:
        """Handle a click on a zone of the canvas."""

    def wheel(self, target: Target | None, lines: int) -> None:
        """Handle the mouse wheel over a zone of the canvas, if any; `lines` is -1 or 1."""


class Inset(Program, Protocol):
    """A program that is shown instead of another for a while."""

    @property
    def left(self) -> bool:
        """Whether the person has left it."""

    def close(self) -> None:
        """Stop what it does by itself."""


class Display(Protocol):
    """Shows a program until `close` is called; draws a frame after each input."""

    look: Look
    """Which characters can be shown."""
    focused: bool | None
    """Whether the person looks at it; None if unknown."""

    async def run(self) -> None:
        """Show the program until closed; raises `CoffeeRushError` for a bug."""

    def redraw(self) -> None:
        """Schedule a frame, because something other than input has changed it."""

    def bell(self) -> None:
        """Ring the bell."""

    def notify(self, text: str) -> None:
        """Show a notification on the desktop, if there is one."""

    def title(self, text: str) -> None:
        """Set the title of the window; "" restores the original one."""

    def close(self, bug: BaseException | None = None) -> None:
        """Close the display; `run` reports the bug if there was one."""


DisplayFor: TypeAlias = Callable[[Program], Display]
"""Makes the display of a program."""
