"""The full-screen terminal that all our programs run on: canvases out, keys and clicks in."""

import asyncio
import os
import signal
import traceback
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from msgspec.structs import replace
from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType

from coffeerush.errors import CoffeeRushError
from coffeerush.local.files import state_directory
from coffeerush.local.settings import Settings
from coffeerush.ui.words.i18n import _, set_language

from .canvas import Canvas, Look, Target, shown
from .keys import ESCAPE, INTERRUPT, split_paste
from .output import (
    DEPTHS,
    DiffOutput,
    FrameWindow,
    colours_of,
    look_of,
    notification_code,
    style_for,
    terminal_output,
)

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone


# What a program draws on: the terminal of this process, or what a guest looks at


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


# The full-screen terminal that all our programs run on: canvases out, keys and clicks in


ESCAPE_SECONDS: Final = 0.05
"""How long to wait after Esc for the rest of an escape sequence."""
REDRAW_SECONDS: Final = 0.02
"""Minimum time between two frames that no input caused."""
BUG_LOG: Final = "screen-error.log"
SAVE_TITLE: Final = "\x1b[22;2t"
RESTORE_TITLE: Final = "\x1b[23;2t"
_WHEEL: Final = {MouseEventType.SCROLL_UP: -1, MouseEventType.SCROLL_DOWN: 1}
_FOCUS_IN: Final = Keys.ControlF23
_FOCUS_OUT: Final = Keys.ControlF24
"""Stand for reports of the terminal's focus, for which prompt_toolkit has no names."""
ANSI_SEQUENCES.update({"\x1b[I": _FOCUS_IN, "\x1b[O": _FOCUS_OUT})

_NOT_KEYS: Final = {
    *(Keys.BracketedPaste, Keys.CPRResponse, Keys.Vt100MouseEvent, Keys.Ignore),
    *(_FOCUS_IN, _FOCUS_OUT),
}
"""Events that prompt_toolkit reports as keys but are not."""
_FLUSH: Final = "_Flush"
"""The data of the key that prompt_toolkit sends itself when input pauses."""


class FullScreen:
    """A terminal that runs a program until `close` is called.

    Args:
        program: the program.
        names: prompt_toolkit's names of the keys that are not characters.
        input: where keys come from; by default the terminal.
        output: where frames go; by default the terminal.
    """

    def __init__(
        self,
        program: Program,
        names: Iterable[str],
        input: Input | None = None,  # noqa: A002 - the name that prompt_toolkit has for it
        output: DiffOutput | None = None,
    ) -> None:
        self._program = program
        self._bug: BaseException | None = None
        self._applied: Settings | None = None
        self._title = ""
        self._fresh = True
        self._redrawn_at = float("-inf")
        self._redrawing: asyncio.TimerHandle | None = None
        self.canvas = Canvas(1, 1)
        """The frame on the screen."""
        self.focused: bool | None = None
        """Whether the person looks at this terminal; None if it does not tell."""
        self._output = output or terminal_output()
        self.app: Application[None] = Application(
            layout=Layout(FrameWindow(self._show_frame, self._on_mouse)),
            key_bindings=self._bindings(names),
            full_screen=True,
            mouse_support=Condition(
                lambda: self._program.settings.mouse and not self._output.is_old
            ),
            # frames that a key caused are drawn without delay
            min_redraw_interval=None,
            max_render_postpone_time=None,
            input=input,
            output=self._output,
        )
        self.app.ttimeoutlen = ESCAPE_SECONDS
        self.app.timeoutlen = 2 * ESCAPE_SECONDS
        self._apply_settings()

    async def run(self) -> None:
        """Run until closed, then restore the terminal; raises `CoffeeRushError` for a bug.

        Keys pressed before the first frame are ignored: they were meant for another screen.
        """
        get_typeahead(self.app.input)
        loop = asyncio.get_running_loop()
        before = loop.get_exception_handler()
        # prompt_toolkit's own handler would clear the screen and wait for Enter
        loop.set_exception_handler(self._on_exception)
        loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        loop.add_signal_handler(signal.SIGCONT, self._on_continue)
        try:
            await self.app.run_async(set_exception_handler=False, handle_sigint=False)
        finally:
            loop.remove_signal_handler(signal.SIGTSTP)
            loop.remove_signal_handler(signal.SIGCONT)
            loop.set_exception_handler(before)
            self.title("")
        if self._bug:
            raise saved_bug(self._bug) from self._bug

    def redraw(self) -> None:
        """Schedule a frame, because something other than input has changed it."""
        if self._redrawing is None:
            at = self._redrawn_at + REDRAW_SECONDS
            self._redrawing = asyncio.get_running_loop().call_at(at, self._redraw)

    def _redraw(self) -> None:
        self._redrawn_at = asyncio.get_running_loop().time()
        self.app.invalidate()

    def bell(self) -> None:
        """Ring the terminal's bell."""
        self._output.bell()

    def notify(self, text: str) -> None:
        """Show a desktop notification, if the terminal is known to have them."""
        if not self._output.is_old and (code := notification_code(shown(text, self.look))):
            self._output.write_raw(code)
            self._output.flush()

    def title(self, text: str) -> None:
        """Set the title of the terminal's window; "" restores the original one."""
        output = self._output
        if text != self._title and not output.is_old:
            if text and not self._title:
                output.write_raw(SAVE_TITLE)
            self._title = text
            # a terminal that cannot restore its title keeps the name of the game
            output.set_title(shown(text or _("Coffee Rush"), self.look))
            if not text:
                output.write_raw(RESTORE_TITLE)
            output.flush()

    def close(self, bug: BaseException | None = None) -> None:
        """Close the screen; `run` reports the bug if there was one."""
        self._bug = self._bug or bug
        if self.app.is_running and self.app.future and not self.app.future.done():
            self.app.exit()

    def _suspend(self) -> None:
        """Stop this job with the terminal restored, until it is continued."""
        title = self._title
        self.title("")
        loop = asyncio.get_running_loop()

        def stop() -> None:
            loop.remove_signal_handler(signal.SIGTSTP)  # now it stops the process
            os.kill(0, signal.SIGTSTP)
            loop.add_signal_handler(signal.SIGTSTP, self._suspend)
            self.title(title)

        run_in_terminal(stop)

    def _on_continue(self) -> None:
        """Take the terminal back from a shell, also after a SIGSTOP, which no handler sees."""
        self.app.input.raw_mode().__enter__()  # `run` restores the mode of before
        self._repaint()

    def _repaint(self) -> None:
        """Draw the whole frame again: others may have written to the terminal."""
        self.app.renderer.clear()
        self.app.invalidate()

    def _show_frame(self, columns: int, rows: int) -> None:
        if self.app.is_done:  # the final frame must not run into the same bug again
            return
        if self._redrawing is not None:
            self._redrawing.cancel()
            self._redrawing = None
        if self._fresh:
            self._fresh = False
            self._forget_keys()
        self.look = replace(self._look, slow=self._output.is_slow)
        self.canvas = self._program.frame(columns, rows)
        self._output.show(list(self.canvas.cells(self.look)), self.canvas.caret)

    def _forget_keys(self) -> None:
        """Read all keys that came so far, and ignore them."""
        while self.app.input.read_keys():
            pass
        self.app.input.flush_keys()

    def _on_mouse(self, event: MouseEvent) -> "NotImplementedOrNone":
        """Dispatch a mouse event; one that means nothing does not cause a frame."""
        target = self.canvas.target_at(event.position.x, event.position.y)
        pressed = event.event_type is MouseEventType.MOUSE_DOWN
        if event.event_type in _WHEEL:
            self._program.wheel(target, _WHEEL[event.event_type])
        elif pressed and event.button is MouseButton.LEFT and target is not None:
            self._program.click(target)
        else:
            return NotImplemented
        self._apply_settings()
        return None

    def _bindings(self, names: Iterable[str]) -> KeyBindings:
        bindings = KeyBindings()
        for name in {*names} - {ESCAPE, INTERRUPT}:
            bindings.add(name)(self._on_key)
        bindings.add(ESCAPE, eager=True)(self._on_key)
        bindings.add(INTERRUPT)(self._on_key)
        bindings.add(Keys.Any)(self._on_key)
        bindings.add(Keys.BracketedPaste)(lambda event: self._program.paste(event.data))
        bindings.add(_FOCUS_IN)(lambda _event: self._on_focus(True))
        bindings.add(_FOCUS_OUT)(lambda _event: self._on_focus(False))
        bindings.add(Keys.ControlZ)(lambda _event: self._suspend())
        bindings.add(Keys.ControlL)(lambda _event: self._repaint())
        return bindings

    def _on_key(self, event: KeyPressEvent) -> None:
        """Dispatch a key, and all keys that arrived together with it."""
        waiting = event.key_processor.input_queue
        keys = [event.key_sequence[0].key]
        while waiting and waiting[0].key not in _NOT_KEYS and waiting[0].data != _FLUSH:
            keys.append(waiting.popleft().key)
        names = [key.value if isinstance(key, Keys) else key for key in keys]
        for pasted, pressed in split_paste(names):
            if pasted:
                self._program.paste(pasted)
            for key in pressed:
                self._program.press(key)
        self._apply_settings()

    def _on_focus(self, focused: bool) -> "NotImplementedOrNone":
        """Note a change of focus, which causes no frame."""
        self.focused = focused
        return NotImplemented

    def _apply_settings(self) -> None:
        """Apply changed settings to the terminal."""
        settings, terminal = self._program.settings, self._output
        if settings == self._applied:
            return
        if self._applied and settings.language != self._applied.language:
            set_language(settings.language or None)
        self._applied = settings
        terminal.set_style(style_for(settings, terminal), DEPTHS[colours_of(settings, terminal)])
        self.look = self._look = look_of(settings, terminal)
        """What the terminal can show."""

    def _on_exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Close the screen on an uncaught exception in a key handler or a frame."""
        found = context.get("exception")
        if isinstance(found, Exception):
            self.close(found)


def saved_bug(bug: BaseException) -> CoffeeRushError:
    """Save the traceback of a bug to a file, and return the error that names the file.

    An error with a sentence for the user, such as of a damaged installation, is no bug.
    """
    if isinstance(bug, CoffeeRushError):
        return bug
    lines = "".join(traceback.format_exception(bug))
    try:
        path = state_directory() / BUG_LOG
        path.write_text(lines, encoding="utf-8")
    except OSError as error:
        return CoffeeRushError(
            "The program hit a bug, which could not be logged: {bug} ({reason}).",
            bug=repr(bug),
            reason=error,
        )
    return CoffeeRushError(
        "The program hit a bug; details are in {path}. Restart it to continue.", path=path
    )
