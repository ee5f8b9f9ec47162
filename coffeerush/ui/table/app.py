"""The full screen as a program: keys in, frames out, around the pure functions of this package."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol, TypeAlias

from msgspec.structs import replace
from prompt_toolkit.input import Input

from coffeerush.client.model import Model, Wish
from coffeerush.local.settings import Settings
from coffeerush.ui.table.draw.screen import draw
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.fullscreen import FullScreen
from coffeerush.ui.terminal.keyboard import decomposed
from coffeerush.ui.terminal.output import DiffOutput
from coffeerush.ui.words.i18n import _

from .actions import Pressed
from .keymap import KEYMAP
from .on_click import click, wheel
from .on_key import go_on, press
from .on_update import see
from .pacing import Pace, due, hear, show_next, skip
from .panes import resized
from .state import Ui
from .text_input import is_typing, paste

BELL_AFTER_SECONDS: Final = 1.0
"""Without a key for so long somebody may not look, and the bell is rung."""


class ScreenLink(Protocol):
    """What a screen needs of a `Link`."""

    on_change: Callable[[Model], None] | None
    """Called with each new model."""

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
    output: DiffOutput | None = None,
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
        output: DiffOutput | None = None,
    ) -> None:
        self._link = link
        self._keep = keep
        self._pace = Pace(link.model)
        self._seen = link.model
        self._ui = Ui(
            settings=settings,
            guide=link.model.role == "player" and not settings.guided,
        )
        self._pressed_at = float("-inf")
        self._timer: asyncio.TimerHandle | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._fullscreen = FullScreen(self, KEYMAP.names, input, output)
        self.app = self._fullscreen.app

    @property
    def settings(self) -> Settings:
        """What the person has chosen."""
        return self._ui.settings

    async def run(self) -> None:
        """Show the table until it is over, and put the terminal back as it was."""
        self._link.on_change = self._hear
        follow = asyncio.create_task(self._follow())
        follow.add_done_callback(self._followed)
        try:
            await self._fullscreen.run()
        finally:
            self._link.on_change = None
            follow.cancel()
            if self._timer:
                self._timer.cancel()
            if self._leaving:
                await self._leaving

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the table as it is now."""
        ascii_only = self._fullscreen.look.ascii
        ui = resized(self._seen, self._ui, (columns, rows))
        self._ui = replace(ui, ascii=ascii_only, now=_now())
        return draw(self._seen, self._ui, columns, rows)

    # Hands

    def press(self, key: str) -> None:
        """Do what a key means; or several, of which an input method has made one character."""
        for one in (key,) if is_typing(self._ui) else decomposed(key):
            self._by_hand(partial(self._pressed, one))

    def _pressed(self, key: str) -> Pressed:
        return press(self._seen, self._ui, key, _now())

    def paste(self, text: str) -> None:
        """Put a text into the line that is typed."""
        self._by_hand(lambda: (paste(self._ui, text, _now()), ()))

    def click(self, target: Target) -> None:
        """Do what a click means."""
        self._by_hand(lambda: click(self._seen, self._ui, target, _now()))

    def wheel(self, target: Target | None, lines: int) -> None:
        """Scroll."""
        self._by_hand(lambda: wheel(self._seen, self._ui, lines, _now()))

    def _by_hand(self, deed: Callable[[], Pressed]) -> None:
        """Do something to what there is now, whatever was still to be shown before it."""
        self._hear(self._link.model)
        self._pressed_at = _now()
        if self._pace.queue:
            self._show(skip(self._pace, _now()))
        self._do(deed())
        self._show_due()

    def _do(self, done: Pressed) -> None:
        before, (self._ui, wishes) = self._ui.settings, done
        if self._ui.settings != before:
            self._keep(self._ui.settings)
        for wish in wishes:
            self._link.wish(wish)
        if self._ui.leaving and self._leaving is None:
            self._leaving = asyncio.create_task(self._leave())
            self._leaving.add_done_callback(self._ended)

    async def _leave(self) -> None:
        if self._link.model.status != "over":
            await self._link.leave()

    # The table

    async def _follow(self) -> None:
        """Keep up with the model, to its end: nothing comes after that."""
        while (known := self._link.model).status != "over":
            self._hear(known)
            self._show_due()
            await self._link.changed(known)

    def _hear(self, model: Model) -> None:
        self._pace = hear(self._pace, model, _now())

    def _show_due(self) -> None:
        """Show all that is to be shown by now, and come back for the rest."""
        self._go_on()
        while (at := due(self._pace, self._ui.settings.speed)) is not None and at <= _now():
            self._show(show_next(self._pace, _now()))
            self._go_on()
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if (at := self._ui.sure_at if at is None else at) is not None:
            self._timer = asyncio.get_running_loop().call_at(at, self._show_due)

    def _go_on(self) -> None:
        if self._pace.queue:
            return
        before = self._ui
        self._do(go_on(self._seen, before, _now()))
        if replace(self._ui, now=before.now) != before:
            self._fullscreen.redraw()

    def _show(self, pace: Pace) -> None:
        before, self._pace, self._seen = self._seen, pace, pace.model
        self._do((see(before, pace.model, self._ui, pace.at, pace.came), ()))
        if self._ui.clock_until is not None or _drawn_of(before) != _drawn_of(pace.model):
            self._fullscreen.redraw()
        if pace.model.my_turn is not before.my_turn:
            self._announce()

    def _announce(self) -> None:
        """Say beyond the screen that the own turn begins, or has ended."""
        mine, settings = self._seen.my_turn, self._ui.settings
        self._fullscreen.title(_("Your turn — Coffee Rush") if mine and settings.title else "")
        # who has just pressed a key looks at the screen
        if mine and settings.bell and self._pace.came - self._pressed_at > BELL_AFTER_SECONDS:
            self._fullscreen.bell()

    # The end

    def _followed(self, task: "asyncio.Task[None]") -> None:
        """End the screen with the table, but for one that its host closed: that can be read."""
        if task.cancelled() or task.exception() or self._link.model.ending != "stopping":
            self._ended(task)
            return
        self._hear(self._link.model)
        self._show_due()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        """End the screen: the table is over or left, or a task has met a bug."""
        if not task.cancelled():
            self._fullscreen.close(task.exception())


def _drawn_of(model: Model) -> tuple[object, ...]:
    """Return what a frame shows of a model; ticks and signs of life change none of it."""
    return (
        *(model.status, model.trouble, model.seat, model.owner, model.name, model.game, model.rev),
        *(model.table, model.view, model.history, model.refusal, model.invitation),
    )


def _now() -> float:
    return asyncio.get_running_loop().time()
