"""The replay as a program on the full screen: keys, mouse and a timer step through a record."""

import asyncio
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace
from prompt_toolkit.input import Input

from coffeerush.client.model import Model
from coffeerush.local.settings import Settings
from coffeerush.records.entries import read_record
from coffeerush.records.writing import load_record
from coffeerush.ui.advice.review import ReviewedTurn
from coffeerush.ui.table.state import looking_as
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.fullscreen import Display, DisplayFor, FullScreen, Program
from coffeerush.ui.terminal.output import DiffOutput

from .draw_replay import draw_replay
from .replay import Replay
from .replay_input import (
    REPLAY_KEYS,
    REPLAY_UI,
    Watch,
    at_review,
    click,
    paste,
    play_on,
    press,
    review_on,
    wheel,
)


def show_replay(
    path: Path, settings: Settings, keep: Callable[[Settings], None], *, from_menu: bool = False
) -> None:
    """Show the replay of a record in full screen until the person leaves; raises `RecordError`."""
    watch = Watch(goes_back=from_menu)
    asyncio.run(ReplayScreen(Replay(load_record(path)), settings, keep, watch).run())


class ReplayProgram:
    """A replay and the position in it, as a program on somebody's full screen.

    Args:
        replay: the replay.
        settings: the person's.
        keep: saves settings.
        display: shows it.
        watch: where to begin.
    """

    def __init__(
        self,
        replay: Replay,
        settings: Settings,
        keep: Callable[[Settings], None],
        display: DisplayFor,
        watch: Watch = Watch(),  # noqa: B008 - frozen
    ) -> None:
        self.replay = replay
        self._keep = keep
        self._watch = replace(watch, page=replace(REPLAY_UI, settings=settings))
        self._next: asyncio.TimerHandle | None = None
        self._turn: asyncio.Future[ReviewedTurn] | None = None
        """The turn that a thread is reviewing."""
        self._display = display(self)

    @property
    def left(self) -> bool:
        """Whether the person has left the replay."""
        return self._watch.left

    def close(self) -> None:
        """Stop playback, and the review: after the turn that a thread has begun."""
        self._watch = replace(self._watch, left=True)
        self._pause()
        if self._turn:
            self._turn.cancel()

    @property
    def settings(self) -> Settings:
        """The person's settings."""
        return self._watch.page.settings

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the current frame."""
        return draw_replay(self.replay, self.watch(columns, rows), columns, rows)

    def watch(self, columns: int, rows: int) -> Watch:
        """Return the position, for a display of that size."""
        page = looking_as(self._watch.page, self._display.look)
        self._watch = replace(self._watch, page=replace(page, size=(columns, rows)))
        return self._watch

    def press(self, key: str) -> None:
        """Handle a key."""
        self._update(press(self.replay, self._watch, key))

    def paste(self, text: str) -> None:
        """Handle pasted text."""
        self._update(paste(self._watch, text))

    def click(self, target: Target) -> None:
        """Handle a click."""
        self._update(click(self.replay, self._watch, target))

    def wheel(self, target: Target | None, lines: int) -> None:
        """Step, or scroll the open page."""
        self._update(wheel(self.replay, self._watch, lines))

    def begin(self) -> None:
        """Start the review, or the playback, with which the replay opens."""
        self._update(self._watch)

    def _update(self, watch: Watch) -> None:
        before, self._watch = self._watch, watch
        if watch.page.settings != before.page.settings:
            self._keep(watch.page.settings)
        self._review_next()
        self._pause()
        if watch.playing and not watch.left:
            self._next = asyncio.get_running_loop().call_later(1 / watch.rate, self._play_on)

    def _review_next(self) -> None:
        """Review the next turn in a thread, so that the screen goes on."""
        reviewing = self._watch.reviewing
        if self._turn is None and reviewing is not None and reviewing.next is not None:
            loop = asyncio.get_running_loop()
            review = self.replay.review_turn
            self._turn = loop.run_in_executor(None, review, reviewing.next)
            self._turn.add_done_callback(self._reviewed)

    def _reviewed(self, turn: asyncio.Future[ReviewedTurn]) -> None:
        self._turn = None
        if not self._watch.left and not turn.cancelled():
            self._watch = review_on(self.replay, self._watch, turn.result())
            self._review_next()
            self._display.redraw()

    def _play_on(self) -> None:
        self._update(play_on(self.replay, self._watch))
        self._display.redraw()

    def _pause(self) -> None:
        if self._next:
            self._next.cancel()
            self._next = None


class ReplayScreen(ReplayProgram):
    """A replay with a terminal of its own."""

    def __init__(
        self,
        replay: Replay,
        settings: Settings,
        keep: Callable[[Settings], None],
        watch: Watch = Watch(),  # noqa: B008 - frozen
        input: Input | None = None,  # noqa: A002 - the name that prompt_toolkit has for it
        output: DiffOutput | None = None,
    ) -> None:
        def show(program: Program) -> FullScreen:
            self._fullscreen = FullScreen(program, REPLAY_KEYS.names, input, output)
            return self._fullscreen

        super().__init__(replay, settings, keep, show, watch)
        self.app = self._fullscreen.app

    async def run(self) -> None:
        """Show the replay until the person leaves, then restore the terminal."""
        try:
            await self._fullscreen.run()
        finally:
            self.close()

    def _update(self, watch: Watch) -> None:
        super()._update(watch)
        if watch.left:
            self._fullscreen.close()


async def open_replay(
    keep: Callable[[Settings], None],
    model: Model,
    showing: str,
    settings: Settings,
    display: Display,
) -> ReplayProgram:
    """Return the replay of the game whose result a table shows; raises `RecordError`.

    Args:
        keep: saves settings.
        model: of the table.
        showing: "analysis" to begin with a review of this person's turns; else it begins at the
            start of the game.
        settings: the person's.
        display: shows it.
    """
    fetch = model.record
    assert fetch is not None  # a replay is offered once the record is filed
    # in a thread: the host may have sent a long game
    replay = await asyncio.to_thread(_replay_of, fetch.path, fetch.copy)
    own = fetch.witness.seat
    watch = Watch(viewpoint=own, own=own, goes_back=True)
    if showing == "analysis":
        watch = at_review(replay, watch)
    program = ReplayProgram(replay, settings, keep, lambda _program: display, watch)
    program.begin()
    return program


@lru_cache(maxsize=1)  # a review that was left goes on where it was
def _replay_of(path: str, copy: bytes) -> Replay:
    """Return the replay of a game, from its file or from memory; raises `RecordError`."""
    return Replay(load_record(Path(path)) if path else read_record(copy))
