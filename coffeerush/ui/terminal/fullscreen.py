"""A terminal in full screen, set up once for every screen: canvases out, keys and clicks in."""

import asyncio
import traceback
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType

from coffeerush.errors import CoffeeRushError
from coffeerush.local.directories import state_directory
from coffeerush.local.settings import Settings
from coffeerush.ui.words.i18n import _, set_language

from .canvas import Canvas, Target
from .capabilities import DEPTHS, colours_of, look_of, style_for
from .keyboard import ESCAPE, INTERRUPT, sift
from .output import Sheet, SparingOutput, terminal_output

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

ESCAPE_SECONDS: Final = 0.05
"""How long an Esc waits for the rest of an arrow key."""
REDRAW_SECONDS: Final = 0.02
"""Least time between two frames that nobody has pressed a key for."""
BUG_LOG: Final = "screen-error.log"
_KEEP_TITLE: Final = "\x1b[22;2t"
_GIVE_TITLE_BACK: Final = "\x1b[23;2t"
_WHEEL: Final = {MouseEventType.SCROLL_UP: -1, MouseEventType.SCROLL_DOWN: 1}


_NO_KEYS: Final = {
    *(Keys.BracketedPaste, Keys.CPRResponse, Keys.Vt100MouseEvent, Keys.SIGINT, Keys.Ignore),
}
"""What comes the way of keys and is none."""
_FLUSH: Final = "_Flush"
"""The data of what prompt_toolkit sends itself when no key has come for a while."""


class Show(Protocol):
    """What a stage shows, and hands everything on to that a person does there."""

    @property
    def settings(self) -> Settings:
        """What the person has chosen; a change is seen at once."""

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw what is shown now."""

    def press(self, key: str) -> None:
        """Take a key: a character, or a name of prompt_toolkit."""

    def paste(self, text: str) -> None:
        """Take a pasted text."""

    def click(self, target: Target) -> None:
        """Take a click on what the canvas marked."""

    def wheel(self, target: Target | None, lines: int) -> None:
        """Take a turn of the wheel over what the canvas marked there; `lines` is -1 or 1."""


class FullScreen:
    """A terminal that shows a `Show` until `close` is called.

    Args:
        show: what is shown.
        names: of the keys that are no characters, as prompt_toolkit calls them.
        input: where keys come from; by default the terminal.
        output: where frames go; by default the terminal.
    """

    def __init__(
        self,
        show: Show,
        names: Iterable[str],
        input: Input | None = None,  # noqa: A002 - the name that prompt_toolkit has for it
        output: SparingOutput | None = None,
    ) -> None:
        self._show = show
        self._bug: BaseException | None = None
        self._worn: Settings | None = None
        self._titled = False
        self._redrawn_at = float("-inf")
        self._redrawing: asyncio.TimerHandle | None = None
        self.canvas = Canvas.of(1, 1)
        """The frame that is shown."""
        self._output = output or terminal_output()
        self.app: Application[None] = Application(
            layout=Layout(Sheet(self._show_frame, self._pointed)),
            key_bindings=self._bindings(names),
            full_screen=True,
            mouse_support=Condition(lambda: self._show.settings.mouse and not self._output.is_old),
            # the frame of a key waits for nothing
            min_redraw_interval=None,
            max_render_postpone_time=None,
            input=input,
            output=self._output,
        )
        self.app.ttimeoutlen = ESCAPE_SECONDS
        self.app.timeoutlen = 2 * ESCAPE_SECONDS
        self._dress()

    async def run(self) -> None:
        """Show it until it is closed, and put the terminal back as it was.

        Raises:
            CoffeeRushError: a bug stopped it; its traceback is in a file that is named.
        """
        loop = asyncio.get_running_loop()
        before = loop.get_exception_handler()
        # prompt_toolkit's own handler would wipe the screen and wait for Enter.
        loop.set_exception_handler(self._broken)
        try:
            await self.app.run_async(set_exception_handler=False)
        finally:
            loop.set_exception_handler(before)
            self.title("")
        if self._bug:
            raise _told(self._bug) from self._bug

    def redraw(self) -> None:
        """Draw a frame soon: what is shown has changed by itself."""
        if self._redrawing is None:
            at = self._redrawn_at + REDRAW_SECONDS
            self._redrawing = asyncio.get_running_loop().call_at(at, self._redraw)

    def _redraw(self) -> None:
        self._redrawn_at = asyncio.get_running_loop().time()
        self.app.invalidate()

    def bell(self) -> None:
        """Ring."""
        self._output.bell()

    def title(self, text: str) -> None:
        """Give the terminal's window a title; an empty one gives it back its own."""
        output = self._output
        if bool(text) is not self._titled and not output.is_old:
            self._titled = bool(text)
            if text:
                output.write_raw(_KEEP_TITLE)
            # where the terminal keeps no title, that of before is not known
            output.set_title(text or _("Coffee Rush"))
            if not text:
                output.write_raw(_GIVE_TITLE_BACK)
            output.flush()

    def close(self, bug: BaseException | None = None) -> None:
        """End the screen, with the sentence of a bug if there was one."""
        self._bug = self._bug or bug
        if self.app.is_running and self.app.future and not self.app.future.done():
            self.app.exit()

    def _show_frame(self, columns: int, rows: int) -> None:
        if self.app.is_done:  # the last frame of the program: it must not meet a bug again
            return
        if self._redrawing is not None:
            self._redrawing.cancel()
            self._redrawing = None
        self.canvas = self._show.frame(columns, rows)
        self._output.show(list(self.canvas.cells(self.look)))

    def _pointed(self, event: MouseEvent) -> "NotImplementedOrNone":
        """Hand on what the mouse did; where that means nothing, nothing is drawn."""
        target = self.canvas.target_at(event.position.x, event.position.y)
        pressed = event.event_type is MouseEventType.MOUSE_DOWN
        if event.event_type in _WHEEL:
            self._show.wheel(target, _WHEEL[event.event_type])
        elif pressed and event.button is MouseButton.LEFT and target is not None:
            self._show.click(target)
        else:
            return NotImplemented
        self._dress()
        return None

    def _bindings(self, names: Iterable[str]) -> KeyBindings:
        bindings = KeyBindings()
        for name in {*names} - {ESCAPE, INTERRUPT}:
            bindings.add(name)(self._key)
        bindings.add(ESCAPE, eager=True)(self._key)
        bindings.add(INTERRUPT)(self._key)
        bindings.add(Keys.Any)(self._key)
        bindings.add(Keys.BracketedPaste)(self._pasted)
        bindings.add(Keys.SIGINT)(self._interrupted)
        bindings.add(Keys.ControlZ)(self._suspended)
        bindings.add(Keys.ControlL)(self._repainted)
        return bindings

    def _key(self, event: KeyPressEvent) -> None:
        """Take a key, and those that came together with it."""
        waiting = event.key_processor.input_queue
        came = [event.key_sequence[0].key]
        while waiting and waiting[0].key not in _NO_KEYS and waiting[0].data != _FLUSH:
            came.append(waiting.popleft().key)
        pasted, pressed = sift([key.value if isinstance(key, Keys) else key for key in came])
        if pasted:
            self._show.paste(pasted)
        for key in pressed:
            self._show.press(key)
        self._dress()

    def _interrupted(self, event: KeyPressEvent) -> None:
        self._show.press(INTERRUPT)

    def _suspended(self, event: KeyPressEvent) -> None:
        """Go to the background, as a shell's job control wants it, and give it the terminal."""
        self.app.suspend_to_background()

    def _repainted(self, event: KeyPressEvent) -> None:
        """Draw all anew, over what another program has written to the terminal."""
        self.app.renderer.clear()

    def _pasted(self, event: KeyPressEvent) -> None:
        self._show.paste(event.data)

    def _dress(self) -> None:
        """Bring settings that have changed to the terminal."""
        settings, terminal = self._show.settings, self._output
        if settings == self._worn:
            return
        if self._worn and settings.language != self._worn.language:
            set_language(settings.language or None)
        self._worn = settings
        depth = DEPTHS[colours_of(settings, terminal)]
        terminal.dress(style_for(settings, terminal), depth)
        self.look = look_of(settings, terminal)
        """What the terminal can show."""

    def _broken(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End the screen on an exception that nobody caught, be it in a key or in a frame."""
        found = context.get("exception")
        if isinstance(found, Exception):
            self.close(found)


def _told(bug: BaseException) -> CoffeeRushError:
    """Keep the traceback of a bug for its report, and return the error that names it."""
    lines = "".join(traceback.format_exception(bug))
    try:
        path = state_directory() / BUG_LOG
        path.write_text(lines, encoding="utf-8")
    except OSError as error:
        return CoffeeRushError(
            "The screen met a bug, which could not be logged: {bug} ({reason}).",
            bug=repr(bug),
            reason=error,
        )
    return CoffeeRushError(
        "The screen met a bug; what happened is in {path}. Start it again to go on.", path=path
    )
