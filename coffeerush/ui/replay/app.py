"""The replay as a program: a record on the full screen, stepped through by keys, mouse and time."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace
from prompt_toolkit.input import Input

from coffeerush.local.settings import Settings
from coffeerush.records.writing import load_record
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.fullscreen import FullScreen
from coffeerush.ui.terminal.output import DiffOutput

from .draw import draw_replay
from .frames import Replay
from .keymap import REPLAY_KEYS
from .on_key import LOOKING, Watch, click, paste, play_on, press, wheel


def show_replay(path: Path, settings: Settings, keep: Callable[[Settings], None]) -> None:
    """Step through the finished game of a record in full screen until the person leaves.

    Args:
        path: of the record.
        settings: what the person has chosen so far.
        keep: is called with the settings after each change.

    Raises:
        RecordError: it is no good record, or its game is not over.
        CoffeeRushError: a bug stopped the screen; its traceback is in a file that is named.
    """
    replay = Replay(load_record(path))
    asyncio.run(ReplayScreen(replay, settings, keep).run())


class ReplayScreen:
    """Brings a replay, where a person is in it, and a terminal together."""

    def __init__(
        self,
        replay: Replay,
        settings: Settings,
        keep: Callable[[Settings], None],
        input: Input | None = None,  # noqa: A002 - the name that prompt_toolkit has for it
        output: DiffOutput | None = None,
    ) -> None:
        self._replay = replay
        self._keep = keep
        self._watch = Watch(page=replace(LOOKING, settings=settings))
        self._next: asyncio.TimerHandle | None = None
        self._fullscreen = FullScreen(self, REPLAY_KEYS.names, input, output)
        self.app = self._fullscreen.app

    async def run(self) -> None:
        """Show the replay until the person leaves, and put the terminal back as it was."""
        try:
            await self._fullscreen.run()
        finally:
            self._pause()

    @property
    def settings(self) -> Settings:
        """What the person has chosen."""
        return self._watch.page.settings

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the moment that is shown."""
        page = replace(self._watch.page, size=(columns, rows))
        self._watch = replace(self._watch, page=page)
        return draw_replay(self._replay, self._watch, columns, rows)

    def press(self, key: str) -> None:
        """Do what a key means."""
        self._go_on(press(self._replay, self._watch, key))

    def paste(self, text: str) -> None:
        """Put a text in where one is typed."""
        self._go_on(paste(self._watch, text))

    def click(self, target: Target) -> None:
        """Do what a click means."""
        self._go_on(click(self._replay, self._watch, target))

    def wheel(self, target: Target | None, lines: int) -> None:
        """Step, or scroll the page that is open."""
        self._go_on(wheel(self._replay, self._watch, lines))

    def _go_on(self, watch: Watch) -> None:
        before, self._watch = self._watch, watch
        if watch.page.settings != before.page.settings:
            self._keep(watch.page.settings)
        if watch.left:
            self._fullscreen.close()
        self._pause()
        if watch.playing:
            loop = asyncio.get_running_loop()
            self._next = loop.call_later(1 / watch.rate, self._play_on)

    def _play_on(self) -> None:
        self._go_on(play_on(self._replay, self._watch))
        self._fullscreen.redraw()

    def _pause(self) -> None:
        if self._next:
            self._next.cancel()
            self._next = None
