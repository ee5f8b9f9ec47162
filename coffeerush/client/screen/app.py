"""The full screen as a program: keys in, frames out, around the pure functions of this package."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeAlias

from msgspec.structs import replace
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from coffeerush.client.model import Model, Wish
from coffeerush.settings import Settings

from .canvas import Canvas, Target
from .draft import paste
from .draw import draw
from .keys import BINDINGS
from .press import go_on, press, see
from .stage import Stage
from .ui import Ui


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
        self._leaving: asyncio.Task[None] | None = None
        names = (key for binding in BINDINGS for key in binding.keys if len(key) > 1)
        self._stage = Stage(self, names, input, output)
        self.app = self._stage.app

    @property
    def settings(self) -> Settings:
        """What the person has chosen."""
        return self._ui.settings

    async def run(self) -> None:
        """Show the table until it is over, and put the terminal back as it was."""
        follow = asyncio.create_task(self._follow())
        follow.add_done_callback(self._ended)
        try:
            await self._stage.run()
        finally:
            follow.cancel()
            if self._leaving:
                await self._leaving

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the table as it is now."""
        self._ui = replace(self._ui, size=(columns, rows), now=_now())
        return draw(self._seen, self._ui, columns, rows, self._link.addresses)

    # Keys

    def press(self, key: str) -> None:
        """Do what a key means."""
        self._follow_model()
        self._do(press(self._seen, self._ui, key, _now()))
        self._follow_model()

    def paste(self, text: str) -> None:
        """Put a text into the line that is typed."""
        self._ui = paste(self._ui, text)

    def click(self, target: Target) -> None:
        """Press the key that was clicked."""
        if isinstance(target.value, str) and target.kind == "key":
            self.press(target.value)

    def wheel(self, target: Target | None, lines: int) -> None:
        """Scroll."""
        self.press("pageup" if lines < 0 else "pagedown")

    def _do(self, done: tuple[Ui, tuple[Wish, ...]]) -> None:
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
        """Keep up with the model, to its end."""
        while not _is_end(self._link.model):
            self._follow_model()
            await self._link.changed(self._seen)

    def _follow_model(self) -> None:
        while self._link.model is not self._seen:
            before, self._seen = self._seen, self._link.model
            self._ui = see(before, self._seen, self._ui, _now())
            if self._ui.clock_until is not None or _drawn_of(before) != _drawn_of(self._seen):
                self._stage.redraw()
            self._do(go_on(self._seen, self._ui, _now()))

    # The end

    def _ended(self, task: "asyncio.Task[None]") -> None:
        """End the screen: the table is over or left, or a task has met a bug."""
        if not task.cancelled():
            self._stage.close(task.exception())


def _is_end(model: Model) -> bool:
    """Tell whether nothing is left to look at; a table that its host closed still is."""
    return model.status == "over" and model.ending != "stopping"


def _drawn_of(model: Model) -> tuple[object, ...]:
    """Return what a frame shows of a model; a tick of the host changes none of it."""
    return (
        *(model.status, model.seat, model.owner, model.name, model.game, model.rev),
        *(id(model.table), id(model.view), id(model.history), id(model.refusal)),
    )


def _now() -> float:
    return asyncio.get_running_loop().time()
