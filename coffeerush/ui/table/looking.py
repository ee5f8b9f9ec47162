"""Another table, shown in place of the person's own for as long as they look at it."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model, Wish
from coffeerush.local.settings import Settings
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.fullscreen import Display
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT
from coffeerush.ui.words.table import look_note
from protocol import NO_ID, Chat, LookAt, Said

from .actions import Pressed
from .draw_game import draw
from .input import click, press, wheel
from .on_update import apply_update, opened
from .panes import resized, said_line
from .scene import Scene
from .state import Ui, looking_as
from .text_input import is_typing, paste

_BACK: Final = (ESCAPE, ENTER, "w", "q", INTERRUPT)
"""The keys that lead back from the table, but not from a page over it."""


def scene_from(home: Model, ui: Ui) -> Scene:
    """Return what somebody sees of the table at which they look from their own."""
    assert home.looking is not None, "there is something to look at"
    note = look_note(home, keyed=not ui.touch) if home.my_turn or not ui.note else ui.note
    return Scene(home.looking, replace(ui, note=note, refused=home.my_turn))


class LookProgram:
    """Shows the table at which a person looks, as its spectators see it.

    Args:
        model: of the person's own table, with the other one in `looking`.
        settings: the person's.
        display: shows it.
        wish: sends a request to the host.
        now: tells the time.
    """

    left = False
    """The model says when the person has come back."""

    def __init__(
        self,
        model: Model,
        settings: Settings,
        display: Display,
        wish: Callable[[Wish], None],
        now: Callable[[], float],
    ) -> None:
        assert model.looking is not None, "there is something to look at"
        self.settings = settings
        self._display = display
        self._wish = wish
        self._now = now
        self._home, self._seen = model, model.looking
        ui = opened(model.looking, Ui(settings=settings), self._now(), self._now())
        self._ui = replace(ui, note="")

    def show(self, model: Model) -> None:
        """Go on with a newer model, which may have another table to look at.

        What is said at the own table meanwhile is shown until a key is pressed.
        """
        assert model.looking is not None, "else it is closed"
        if model.looking is not self._seen:
            ui = apply_update(self._seen, model.looking, self._ui, self._now())
            self._ui = replace(ui, note=self._ui.note, news=(), moments=None)
        fresh = model.fresh(self._home)
        said = [event for event in fresh if isinstance(event, Said) and not model.has_said(event)]
        if said and model.table:
            self._ui = replace(self._ui, note=f"{model.table.name}: {said_line(said[-1])}")
        self._home, self._seen = model, model.looking

    def scene(self, columns: int, rows: int) -> Scene:
        """Return what a display shows that draws no cells."""
        ui = replace(resized(self._seen, self._ui, (columns, rows)), now=self._now())
        self._ui = replace(looking_as(ui, self._display.look), animated=False)
        return scene_from(self._home, self._ui)

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the table."""
        return draw(self._seen, self.scene(columns, rows).ui, columns, rows)

    def press(self, key: str) -> None:
        """Handle a key: scroll, show another pane or a page, write to all tables, or go back."""
        if self._ui.mode == "table" and key in _BACK:
            self._wish(LookAt(NO_ID, self._home.number))
        else:
            self._take(press(self._seen, self._ui, key, self._now()))

    def paste(self, text: str) -> None:
        """Take pasted text into the chat, if it is open."""
        if is_typing(self._ui):
            self._ui = paste(self._ui, text, self._now())

    def click(self, target: Target) -> None:
        """Handle a click."""
        if target.kind == "key":
            self.press(str(target.value))
        else:
            self._take(click(self._seen, self._ui, target, self._now()))

    def wheel(self, target: Target | None, lines: int) -> None:
        """Scroll."""
        self._take(wheel(self._seen, self._ui, lines, self._now()))

    def close(self) -> None:
        """Do nothing: it does nothing by itself."""

    def _take(self, done: Pressed) -> None:
        """Keep what a key has changed on the screen, and send what was written; nothing else."""
        ui: Ui = done[0]
        for wish in done[1]:
            if isinstance(wish, Chat):
                self._wish(wish)
        self._ui = replace(ui, leaving=False, showing="", asked="", settings=self.settings)
