"""Frame benchmark: render time and bytes per frame, over a game in this process."""

import asyncio
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from random import Random
from time import perf_counter
from typing import Any, Final, TypeVar

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from coffeerush.bots import RegularBot
from coffeerush.client.model import Model
from coffeerush.local.settings import Settings
from coffeerush.ui.table.actions import KEYMAP
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.state import Ui
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.terminal.canvas import Fragment, Look
from coffeerush.ui.terminal.fullscreen import FullScreen, Program
from coffeerush.ui.terminal.output import DiffOutput
from tests.support.local import LocalLink, LocalTable, acting, invited
from tests.support.screen_terminal import QuickLoop

NAMES: Final = ("Ann", "Bob", "Cid", "Dee")
SECONDS_A_FRAME: Final = 0.5
"""Timeout for a frame; an update that changes nothing has none."""
SETTINGS: Final = Settings(speed="at-once", bell=False, title=False, guided=True)
"""Others' moves are not paced, so that every update has its own frame."""
SPEEDUP: Final = 5
"""Seconds of the screen's clock per real second: moments take a third of one."""


Kind = TypeVar("Kind", bound=Vt100_Output)


class Meter(io.RawIOBase):
    """An output stream that counts bytes and discards them."""

    def __init__(self) -> None:
        self.sent = 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Count the bytes."""
        self.sent += len(data)
        return len(data)


@dataclass
class Costs:
    """The costs of a game's frames."""

    columns: int
    rows: int
    drawn: list[float] = field(default_factory=list)
    """Seconds to draw the canvas and its text, without prompt_toolkit."""
    shown: list[float] = field(default_factory=list)
    """Seconds for whole frames."""
    sent: list[int] = field(default_factory=list)
    """Bytes per update after an intent within a turn."""
    turned: list[int] = field(default_factory=list)
    """Bytes per update that starts a turn, which changes much of the screen."""
    changed: list[int] = field(default_factory=list)
    """Bytes of the updates that start and end the game, which change the whole screen."""
    moments: list[int] = field(default_factory=list)
    """Bytes of each frame of a moment after its first, which comes with the update."""
    bare: list[float] = field(default_factory=list)
    """Seconds to render the same precomputed text with bare prompt_toolkit."""


class _Watch:
    """Measures each frame of an application."""

    def __init__(self, app: Application[None], meter: Meter) -> None:
        self.seconds: list[float] = []
        self.sent: list[int] = []
        self._meter = meter
        self._begun = (0.0, 0)
        self._drawn = asyncio.Event()
        app.before_render += self._begin
        app.after_render += self._end

    def _begin(self, _app: object) -> None:
        self._begun = perf_counter(), self._meter.sent

    def _end(self, _app: object) -> None:
        began, sent = self._begun
        self.seconds.append(perf_counter() - began)
        self.sent.append(self._meter.sent - sent)
        self._drawn.set()

    def forget(self) -> None:
        """Reset the counts: the first frames fill the screen."""
        self.seconds, self.sent = [], []

    async def after(self, act: Callable[[], object]) -> None:
        """Do something, and wait for its frame if it has one."""
        self._drawn.clear()
        act()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._drawn.wait(), SECONDS_A_FRAME * SPEEDUP)


def costs_of_a_game(columns: int, rows: int) -> Costs:
    """Play a four-player game on a screen of that size, then render its frames bare."""
    with asyncio.Runner(loop_factory=lambda: QuickLoop(SPEEDUP)) as runner:
        return runner.run(_costs(columns, rows))


async def _costs(columns: int, rows: int) -> Costs:
    costs = Costs(columns, rows)
    await _game(costs)
    await _bare(costs)
    return costs


def _output(kind: type[Kind], meter: Meter, costs: Costs) -> Kind:
    return kind(
        io.TextIOWrapper(io.BufferedWriter(meter), encoding="utf-8", write_through=True),
        lambda: Size(rows=costs.rows, columns=costs.columns),
        term="xterm-256color",
        default_color_depth=ColorDepth.DEPTH_24_BIT,
        enable_cpr=False,
    )


def _moves() -> Iterator[tuple[LocalLink, Callable[[], None]]]:
    """Yield the first link of a table, always the same one, with a function that plays one move."""
    local = LocalTable(4, seed=4)
    first, *_others = [local.link(name) for name in NAMES]
    yield first, local.start
    bot, chance = RegularBot(), Random(1)
    while (link := acting(local)) is not None and link.model.view is not None:
        intent = bot.choose(link.model.view, chance)
        yield first, partial(link.wish, intent)


async def _game(costs: Costs) -> None:
    """Play the game on the real screen."""
    meter, moves = Meter(), _moves()
    link, start = next(moves)
    with create_pipe_input() as keys:
        shown: list[FullScreen] = []

        def show(program: Program) -> FullScreen:
            shown.append(FullScreen(program, KEYMAP.names, keys, _output(DiffOutput, meter, costs)))
            return shown[0]

        screen = Screen(link, SETTINGS, lambda _settings: None, show)
        app = shown[0].app
        watch = _Watch(app, meter)
        running = asyncio.create_task(screen.run())
        await watch.after(lambda: None)
        watch.forget()
        for move in chain([start], map(itemgetter(1), moves)):
            before, sent = link.model, sum(watch.sent)
            await watch.after(move)
            _kind(costs, before, link.model).append(sum(watch.sent) - sent)
            if _moves_on(screen):
                drawn = len(watch.sent)
                while _moves_on(screen):
                    await watch.after(lambda: None)
                await watch.after(app.invalidate)  # without it, if that is not drawn yet
                costs.moments += watch.sent[drawn:]
            began = perf_counter()
            _text(link, costs)
            costs.drawn.append(perf_counter() - began)
        app.exit()
        await asyncio.wait([running])
    costs.shown = watch.seconds


def _moves_on(screen: Screen) -> bool:
    """Return whether a moment is being shown."""
    return screen._ui.moments is not None


def _kind(costs: Costs, before: Model, after: Model) -> list[int]:
    """Return the list that counts the bytes of an update."""
    old, new = before.view, after.view
    if old is None or new is None or _stage(before) != _stage(after):
        return costs.changed
    same = (old.active, old.round) == (new.active, new.round)
    return costs.sent if same else costs.turned


def _stage(model: Model) -> str:
    return model.table.stage if model.table else ""


def _text(link: LocalLink, costs: Costs) -> list[Fragment]:
    ui = Ui(settings=SETTINGS, size=(costs.columns, costs.rows), tiles=True)
    found: list[Fragment] = []
    for texts, styles in draw(invited(link.model), ui, *ui.size).cells(Look()):
        runs = groupby(zip(styles, texts, strict=True), itemgetter(0))
        found += [(style, "".join(text for _style, text in run)) for style, run in runs]
        found.append(("", "\n"))
    return found[:-1]


async def _bare(costs: Costs) -> None:
    """Render the same text in a bare application."""
    meter, moves = Meter(), _moves()
    shown: list[list[Fragment]] = [[]]
    with create_pipe_input() as keys:
        app: Application[None] = Application(
            Layout(Window(FormattedTextControl(lambda: [*shown[0]]), always_hide_cursor=True)),
            full_screen=True,
            input=keys,
            output=_output(Vt100_Output, meter, costs),
        )
        watch = _Watch(app, meter)
        running = asyncio.create_task(app.run_async())
        await watch.after(lambda: None)
        watch.forget()
        for link, move in moves:
            move()
            shown[0] = _text(link, costs)
            await watch.after(app.invalidate)
        app.exit()
        await asyncio.wait([running])
    costs.bare = watch.seconds
