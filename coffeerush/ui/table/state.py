"""What a screen remembers by itself: what is open, where the cursor is, what is being typed."""

from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from coffeerush.client.turn_draft import TurnDraft
from coffeerush.ui.pages.page import Help, Mode, Page
from coffeerush.ui.terminal.line_edit import Draft
from protocol import Cell, Intent

from .keymap import HELP

Asked: TypeAlias = Literal["", "pour", "end", "start", "leave"]
TYPING: Final[tuple[Mode, ...]] = ("chat", "name")
"""What takes every character as text."""


class Ui(Page, frozen=True):
    """The state of the screen beside the model; times are seconds of one clock, handed in."""

    help: Help = HELP
    pane: str = ""
    """The pane that was chosen; a layout that does not have it shows its first one."""
    cursor: Cell = 5
    """Where a meeple would be placed."""
    turn: TurnDraft = TurnDraft()
    """What was chosen for the turn and the host need not know yet."""
    asked: Asked = ""
    """What was asked and waits for its key a second time."""
    note: str = ""
    """A sentence about the key just pressed."""
    refused: bool = False
    """Whether it says why the host refused."""
    plan: tuple[Intent, ...] = ()
    """Intents still to be sent, one after each answer."""
    typed: tuple[str, ...] = ()
    """Keys that came while the host had not answered yet."""
    turn_at: float = float("-inf")
    """When the own turn began."""
    key: str = ""
    """The key of the keymap that was meant last."""
    key_at: float = float("-inf")
    """When that was: a key that is held repeats itself."""
    sure_at: float | None = None
    """When its deed, which cannot be taken back, is done, unless it turns out to be held."""
    pasted_at: float = float("-inf")
    """When a text was pasted that belonged nowhere."""
    clock_until: float | None = None
    """When the turn clock runs out."""
    now: float = 0.0
    ascii: bool = False
    """Whether the terminal shows ASCII alone."""
    replayed: bool = False
    """Whether a finished game is looked at."""
    guide: bool = False
    """Whether the first-game guide speaks."""
    read: tuple[str, ...] = ()
    """What it said when its box over a narrow table was closed."""
    leaving: bool = False
    """Whether the person has said that it leaves."""


def closed(ui: Ui) -> Ui:
    """Return the state with no page, list or text field open; what was typed there is dropped."""
    if ui.mode == "table":
        return ui
    return replace(ui, mode="table", scroll=0, draft=Draft(), editing=False)
