"""The full screen as a program: keys in, frames out, around the pure functions of this package."""

import asyncio
import traceback
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from msgspec.structs import replace
from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import Output
from prompt_toolkit.styles import DynamicStyle

from coffeerush.client.model import Model, Wish
from coffeerush.errors import CoffeeRushError
from coffeerush.i18n import _, set_language
from coffeerush.places import state_directory
from coffeerush.settings import Settings

from .draft import paste
from .draw import draw
from .keys import BINDINGS, ESCAPE, INTERRUPT
from .look import DEPTHS, colours_of, look_of, style_for
from .press import go_on, press, see
from .ui import Ui

ESCAPE_SECONDS = 0.05
"""How long an Esc waits for the rest of an arrow key."""
REDRAW_SECONDS = 0.02
BUG_LOG = "screen-error.log"


class ScreenLink(Protocol):
    """What a screen needs of a `Link`."""

    addresses: tuple[str, ...]

    @property
    def model(self) -> Model:
        """What is known of the table now."""

    def wish(self, wanted: Wish) -> None:
        """Ask the host for something."""

    async def changed(self, since: Model) -> Model:
        """Return the model as soon as it is another one than `since`."""

    async def leave(self) -> None:
        """Say good-bye."""


Keep: TypeAlias = Callable[[Settings], None]
"""Keeps settings for the next time."""


async def run_screen(
    link: ScreenLink,
    *,
    settings: Settings,
    keep: Keep,
    input: Input | None = None,  # noqa: A002 - the name that prompt_toolkit has for it
    output: Output | None = None,
) -> None:
    """Be at a table in full screen until it is over or left.

    Args:
        link: to the table; it may still be on its way there.
        settings: what the person has chosen so far.
        keep: is called with the settings after each change.
        input: where keys come from; by default the terminal.
        output: where frames go; by default the terminal.

    Raises:
        CoffeeRushError: a bug stopped the screen; its traceback is in a file that is named.
    """
    await Screen(link, settings, keep, input, output).run()


class Screen:
    """Brings a link, the screen's own state and a terminal together."""

    def __init__(
        self,
        link: ScreenLink,
        settings: Settings,
        keep: Keep,
        input: Input | None = None,  # noqa: A002 - as above
        output: Output | None = None,
    ) -> None:
        self._link = link
        self._keep = keep
        self._seen = link.model
        self._ui = Ui(settings=settings)
        self._bug: BaseException | None = None
        self._leaving: asyncio.Task[None] | None = None
        self.app: Application[None] = Application(
            layout=Layout(Window(FormattedTextControl(self._frame), always_hide_cursor=True)),
            key_bindings=self._bindings(),
            style=DynamicStyle(lambda: self._style),
            color_depth=lambda: self._depth,
            full_screen=True,
            mouse_support=Condition(lambda: self._ui.settings.mouse),
            min_redraw_interval=REDRAW_SECONDS,
            input=input,
            output=output,
        )
        self.app.ttimeoutlen = ESCAPE_SECONDS
        self.app.timeoutlen = 2 * ESCAPE_SECONDS
        self._dress()

    def _dress(self) -> None:
        """Bring the settings to the terminal."""
        settings, terminal = self._ui.settings, self.app.output
        self._style = style_for(settings, terminal)
        self._depth = DEPTHS[colours_of(settings, terminal)]
        self._look = look_of(settings, terminal)

    async def run(self) -> None:
        """Show the table until it is over, and put the terminal back as it was."""
        loop = asyncio.get_running_loop()
        before = loop.get_exception_handler()
        # prompt_toolkit's own handler would wipe the screen and wait for Enter.
        loop.set_exception_handler(self._broken)
        follow = asyncio.create_task(self._follow())
        follow.add_done_callback(self._ended)
        try:
            await self.app.run_async(set_exception_handler=False)
        finally:
            follow.cancel()
            loop.set_exception_handler(before)
        if self._leaving:
            await self._leaving
        if self._bug:
            raise CoffeeRushError(_told(self._bug)) from self._bug

    def _frame(self) -> StyleAndTextTuples:
        if self._bug:  # the last frame of the program: it must not meet the bug again
            return []
        size = self.app.output.get_size()
        self._ui = replace(self._ui, size=(size.columns, size.rows), now=_now())
        canvas = draw(self._seen, self._ui, *self._ui.size, self._link.addresses)
        return [*canvas.fragments(self._look)]

    # Keys

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        named = {key for binding in BINDINGS for key in binding.keys if len(key) > 1}
        for key in named - {ESCAPE}:
            bindings.add(key)(self._key)
        bindings.add(ESCAPE, eager=True)(self._key)
        bindings.add(Keys.Any)(self._key)
        bindings.add(Keys.BracketedPaste)(self._pasted)
        bindings.add(Keys.SIGINT)(self._interrupted)
        return bindings

    def _key(self, event: KeyPressEvent) -> None:
        key = event.key_sequence[0].key
        self._press(key.value if isinstance(key, Keys) else key)

    def _interrupted(self, event: KeyPressEvent) -> None:
        self._press(INTERRUPT)

    def _pasted(self, event: KeyPressEvent) -> None:
        self._ui = paste(self._ui, event.data)

    def _press(self, key: str) -> None:
        self._follow_model()
        self._do(press(self._seen, self._ui, key, _now()))
        self._follow_model()

    def _do(self, done: tuple[Ui, tuple[Wish, ...]]) -> None:
        before, (self._ui, wishes) = self._ui.settings, done
        if self._ui.settings != before:
            self._change(before)
        for wish in wishes:
            self._link.wish(wish)
        if self._ui.leaving and self._leaving is None:
            self._leaving = asyncio.create_task(self._leave())
            self._leaving.add_done_callback(self._ended)

    def _change(self, before: Settings) -> None:
        """Live by changed settings from now on, and keep them."""
        settings = self._ui.settings
        if settings.language != before.language:
            set_language(settings.language or None)
        self._dress()
        self._keep(settings)

    async def _leave(self) -> None:
        if self._link.model.status != "over":
            await self._link.leave()

    # The table

    async def _follow(self) -> None:
        """Keep up with the model, to its end."""
        while not _is_end(self._link.model):
            self._follow_model()
            await self._link.changed(self._seen)

    def _follow_model(self) -> None:
        while self._link.model is not self._seen:
            before, self._seen = self._seen, self._link.model
            self._ui = see(before, self._seen, self._ui, _now())
            if self._ui.clock_until is not None or _drawn_of(before) != _drawn_of(self._seen):
                self.app.invalidate()
            self._do(go_on(self._seen, self._ui, _now()))

    # The end

    def _ended(self, task: "asyncio.Task[None]") -> None:
        """End the screen: the table is over or left, or a task has met a bug."""
        if not task.cancelled():
            self._bug = self._bug or task.exception()
            self._exit()

    def _broken(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End the screen on an exception that nobody caught, be it in a key or in a frame."""
        found = context.get("exception")
        if isinstance(found, Exception):
            self._bug = self._bug or found
            self._exit()

    def _exit(self) -> None:
        if self.app.is_running and self.app.future and not self.app.future.done():
            self.app.exit()


def _is_end(model: Model) -> bool:
    """Tell whether nothing is left to look at; a table that its host closed still is."""
    return model.status == "over" and model.ending != "stopping"


def _drawn_of(model: Model) -> tuple[object, ...]:
    """Return what a frame shows of a model; a tick of the host changes none of it."""
    return (
        *(model.status, model.seat, model.owner, model.name, model.game, model.rev),
        *(id(model.table), id(model.view), id(model.history), id(model.refusal)),
    )


def _told(bug: BaseException) -> str:
    """Keep the traceback of a bug for its report, and return the sentence that names it."""
    lines = "".join(traceback.format_exception(bug))
    try:
        path = state_directory() / BUG_LOG
        path.write_text(lines, encoding="utf-8")
    except OSError as error:
        text = _("The screen met a bug, which could not be logged: {bug} ({reason}).")
        return text.format(bug=repr(bug), reason=error)
    text = _("The screen met a bug; what happened is in {path}. Join again to play on.")
    return text.format(path=path)


def _now() -> float:
    return asyncio.get_running_loop().time()
