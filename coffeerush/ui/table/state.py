"""The screen's own state: open list or page, cursor, text field, queued keys, timing."""

from collections.abc import Awaitable, Callable
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, Wish
from coffeerush.client.turn import TurnDraft
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.guide_lessons import Progress
from coffeerush.ui.pages.pages import Help, Mode, Page
from coffeerush.ui.terminal.fullscreen import Inset
from coffeerush.ui.terminal.keys import Draft
from protocol import Cell, EmoteName, Intent

from .keymap import HELP
from .moments.moment import Moments

Showing: TypeAlias = Literal["", "replay", "review"]
OpenInset: TypeAlias = Callable[[Model, Showing, Settings, Callable[[], None]], Awaitable[Inset]]
"""Opens what is shown, with a function that schedules a frame; raises `CoffeeRushError`."""
Keep: TypeAlias = Callable[[Settings], None]
"""Saves settings."""
Asked: TypeAlias = Literal["", "pour", "walk", "end", "start", "remove", "leave"]
TYPING: Final[tuple[Mode, ...]] = ("chat", "name", "letter", "pause")
"""Modes in which characters go to a text field."""


class ScreenLink(Protocol):
    """The part of `Link` that a screen uses."""

    on_change: Callable[[Model], None] | None
    """Called with each new model."""
    table_at: float
    """When the model's table was received, by the clock of the event loop."""

    @property
    def model(self) -> Model:
        """The current model of the table."""

    def wish(self, wanted: Wish) -> None:
        """Send a request to the host."""

    async def changed(self, since: Model) -> Model:
        """Wait until the model is not `since` any more, and return it."""

    async def leave(self) -> None:
        """Leave the table."""


class ShownEmote(Struct, frozen=True):
    """An emote that is shown for a moment."""

    name: str
    emote: EmoteName
    until: float


class Ui(Page, frozen=True):
    """The screen's state apart from the model; times are seconds of a monotonic clock."""

    help: Help = HELP
    pane: str = ""
    """The selected pane; layouts without it show their first one."""
    cursor: Cell = 5
    """The cell where a meeple would be placed, or to which the open question is whether to walk."""
    turn: TurnDraft = TurnDraft()
    """Choices of the turn that are not sent to the host yet."""
    marked: str = ""
    """The key of the marked entry of the open list; "" for the first that can be chosen.

    If that entry is gone, nothing is marked.
    """
    asked: Asked = ""
    """The open question; pressing the same key again confirms it."""
    removing: str = ""
    """The key of the person whose removal is the open question."""
    note: str = ""
    """A message about the last key or update."""
    note_at: float = float("inf")
    """When an update set it; keys clear it, or set another that has no age."""
    refused: bool = False
    """Whether the note reports a refusal."""
    plan: tuple[Intent, ...] = ()
    """Queued intents, sent one by one after each answer."""
    typed: tuple[str, ...] = ()
    """Keys queued while waiting for the host's answer."""
    trails: bool = True
    """Whether no key was pressed since the turn began: others' trails are shown until then."""
    turn_at: float = float("-inf")
    """When this player's turn began."""
    key: str = ""
    """The last key, as the keymap names it."""
    key_at: float = float("-inf")
    """When it was pressed, to detect held keys."""
    commit_at: float | None = None
    """When its irreversible action is done unless it turns out to be held; None if none waits."""
    commit: tuple[Wish, ...] = ()
    """What that action sends; it is dropped if the key means something else by then."""
    drawn_at: float = float("inf")
    """When the last frame was drawn: keys before the first one of a turn were not meant for it."""
    lost_at: float = float("-inf")
    """When an update closed a list or what was shown instead, or removed a marked entry."""
    pasted_at: float = float("-inf")
    """When text was pasted outside a text field."""
    clock_until: float | None = None
    """When the turn clock runs out."""
    said_until: float = float("inf")
    """Until when the newest chat message is shown outside the chat."""
    emotes: tuple[ShownEmote, ...] = ()
    """The emotes that are shown now, the newest last; one per player."""
    asker: int = 0
    """The guest who is shown as asking to come in; 0 for none."""
    asker_at: float = float("-inf")
    """Since when."""
    now: float = 0.0
    ascii: bool = False
    """Whether to draw with ASCII only."""
    replayed: bool = False
    """Whether this is a replay."""
    guide: bool = False
    """Whether the first-game guide is on."""
    progress: Progress = Progress()
    """What the guide remembers of the game."""
    shown_to: int = 0
    """How many events of the history there were when the newest message was last shown in full."""
    read_to: int = 0
    """How many of them there were at the first key after that, and so have been read."""
    read: tuple[object, ...] = ()
    """What the guide was about when its box was closed."""
    showing: Showing = ""
    """What is shown instead of the result, or is being opened."""
    animated: bool = False
    """Whether moments may be shown: the terminal has colours, and its line is fast."""
    moments: Moments | None = None
    """The moments that are being shown."""
    leaving: bool = False
    """Whether the person is leaving."""


def closed(ui: Ui) -> Ui:
    """Close any open page, list or text field, and discard its text."""
    if ui.mode == "table":
        return ui
    return replace(ui, mode="table", scroll=0, draft=Draft(), editing=False)


def age_minutes(ui: Ui) -> int:
    """Return the age of the note in whole minutes."""
    return max(int((ui.now - ui.note_at) // 60), 0) if ui.note_at <= ui.now else 0
