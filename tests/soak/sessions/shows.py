"""A user at the full screen or in plain mode, in simulated time."""

import asyncio
from random import Random
from typing import Final, Protocol

from msgspec.structs import replace

from coffeerush.client.connection import Link
from coffeerush.client.model import Model, Wish
from coffeerush.local.settings import Settings
from coffeerush.ui.plain.conversation import Session
from coffeerush.ui.table.actions import KEYMAP
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import press, run_pending
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.state import Ui
from coffeerush.ui.table.table_app import Pace, due, enqueue, show_next, skip
from coffeerush.ui.terminal.keys import ENTER
from protocol import Bye

SIZES: Final = ((80, 24), (40, 12), (100, 30), (140, 40))
DRAWN: Final = 0.03
"""The share of frames that are drawn: drawing takes as long as the rest of an update."""
SETTINGS: Final = Settings(speed="fast")
_NOT_PRESSED: Final = {"q", "c-c", "i", "f1", "f2", "f3", "?"}
KEYS: Final = (
    *(key for key in KEYMAP.keys if key not in _NOT_PRESSED),
    *("1", "2", "3", "5", ENTER, ENTER, ENTER, " ", "r", "r", "up", "down", "left", "right"),
)
LINES: Final = (
    *("", "right", "left", "up", "down", "right down end", "place 2 3", "place 1 1 end", "1 1 1"),
    *(
        "1",
        "2",
        "3",
        "0",
        "rest",
        "serve 1",
        "serve",
        "end",
        "end end",
        "undo",
        "undo all",
        "other",
    ),
    *("empty 2", "upgrade", "ready", "ready", "start", "say hi", "say more", "name Zoë", "orders"),
    *("cups", "remove 2", "bot random", "other"),
)


class Show(Protocol):
    """A user interface of a link."""

    @property
    def seen(self) -> Model:
        """What the person sees."""

    leaving: bool
    """Whether the person has chosen to leave."""

    def look(self) -> None:
        """Take the newest model."""

    def act(self) -> None:
        """Do something at random."""

    def draw(self) -> None:
        """Show all pending models."""

    def waits(self) -> bool:
        """Return whether something is still to be done or shown."""


class FullScreen:
    """The table's screen without a terminal, like `ui.table.app`."""

    def __init__(self, link: Link, chance: Random) -> None:
        self.leaving = False
        self._link = link
        self._chance = chance
        self._pace = Pace(link.model)
        self._ui = Ui(settings=SETTINGS, guide=chance.random() < 0.2)
        self._timer: asyncio.TimerHandle | None = None

    @property
    def seen(self) -> Model:
        return self._pace.model

    def look(self) -> None:
        """Enqueue the newest model, and show it when it is due."""
        self._pace = enqueue(self._pace, self._link.model, _now())
        self._show_due()

    def act(self) -> None:
        self._pace = enqueue(self._pace, self._link.model, _now())
        if self._pace.queue:
            self._show(skip(self._pace, _now()))
        key = self._chance.choice(KEYS)
        self._do(*press(self.seen, self._ui, key, _now()))
        self._show_due()

    def draw(self) -> None:
        columns, rows = self._chance.choice(SIZES)
        self._ui = replace(self._ui, size=(columns, rows), now=_now())
        draw(self.seen, self._ui, columns, rows)

    def waits(self) -> bool:
        return bool(self._pace.queue or (self._ui.plan and self.seen.can_act))

    def _show_due(self) -> None:
        self._go_on()
        while (at := due(self._pace, self._ui.settings.speed)) is not None and at <= _now():
            self._show(show_next(self._pace, _now()))
            self._go_on()
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if (at := self._ui.commit_at if at is None else at) is not None:
            self._timer = asyncio.get_running_loop().call_at(at, self._show_due)

    def _go_on(self) -> None:
        if not self._pace.queue:
            self._do(*run_pending(self.seen, self._ui, _now()))

    def _show(self, pace: Pace) -> None:
        before, self._pace = self.seen, pace
        self._ui = apply_update(before, pace.model, self._ui, pace.at, pace.came)
        if self._chance.random() < DRAWN:
            self.draw()

    def _do(self, ui: Ui, wishes: tuple[Wish, ...]) -> None:
        self._ui = ui
        for wish in wishes:
            self._link.wish(wish)
        self.leaving = self.leaving or ui.leaving


class PlainLines:
    """Plain mode without a terminal."""

    def __init__(self, link: Link, chance: Random) -> None:
        self.leaving = False
        self.seen = link.model
        self._link = link
        self._chance = chance
        self._session = Session(SETTINGS)

    def look(self) -> None:
        while self._link.model is not self.seen:
            self.seen = self._link.model
            self._do(self._session.changed(self.seen).wishes)

    def act(self) -> None:
        self.look()
        self._do(self._session.line(self._link.model, self._chance.choice(LINES)).wishes)
        self.look()

    def draw(self) -> None:
        """Do nothing: everything was printed at once."""

    def waits(self) -> bool:
        return self._session.busy and self.seen.can_act

    def _do(self, wishes: tuple[Wish, ...]) -> None:
        for wish in wishes:
            if isinstance(wish, Bye):
                self.leaving = True
            else:
                self._link.wish(wish)


def _now() -> float:
    return asyncio.get_running_loop().time()
