"""The screen's own state: open list or page, cursor, queued keys, moments; and the layout."""

from collections.abc import Awaitable, Callable
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, Wish
from coffeerush.client.talk import AnswerOffer
from coffeerush.client.turn import TurnDraft
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.guide_lessons import Progress
from coffeerush.ui.pages.pages import Mode, Page
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Cells, Kind, Look, kind_of
from coffeerush.ui.terminal.fullscreen import Display, Inset
from coffeerush.ui.terminal.keys import Draft
from protocol import BOARD_SIDE, Cell, DrinkIndex, EmoteName, Intent, Seat, Slot, Upgrade

# The layout of a game, computed from the size of the terminal


class Layout(Struct, frozen=True):
    """The areas of a game between the header and the message line."""

    kind: Kind
    cell: tuple[int, int]
    """Columns and rows of a board cell, without its frame."""
    framed: bool
    """Whether there is a line of cells around each cell of the board."""
    tiled: bool
    """Whether the board is of tiles, with numbers and gaps in place of these lines."""
    board: Area
    side: Area
    """The area right of the board."""
    belt: Area
    """The belt of orders; without rows if the orders are right of the board."""
    cards: int
    """The line with the hand and the supply."""
    below: Area
    """The area from there down to the message line."""

    @property
    def named(self) -> bool:
        """Whether cells have room for the names of ingredients, but for the end of the longest."""
        return self.framed and self.cell[0] >= NAMED_CELL

    @property
    def counted(self) -> bool:
        """Whether cells have room for what a step to them gains and costs."""
        return self.cell[0] >= COUNTED_CELL


NAMED_CELL: Final = 8
COUNTED_CELL: Final = 11
"""The columns of a cell from which on this is so."""
BIG: Final = 160
"""Columns from which on a wide terminal has a bigger board, and the recipes of rivals' orders."""
_BOARD_SHARE: Final = 0.42
"""The share of a wide terminal's columns that the board may take."""


MIDDLE: Final = 100
"""The columns from which on a normal terminal has a layout of its own."""


def _cell_of(kind: Kind, columns: int, rows: int) -> tuple[int, int]:
    """Return the columns and rows of a cell, which grow with the terminal."""
    match kind:
        case "wide" if columns >= BIG:
            # the larger, the more of it is for people and log
            return _within(16, 5 + columns * 3 // 40, 24), _within(3, 3 + (rows - 36) // 7, 8)
        case "wide":
            room = int(columns * _BOARD_SHARE)
            return _within(12, room // BOARD_SIDE - 1, 20), _within(3, 3 + (rows - 36) // 8, 6)
        case "normal":
            return _within(6, 6 + (columns - 80) // 8, 12), _within(2, 2 + (rows - 24) // 6, 4)
    return _within(5, 5 + (columns - 40) // 13, 8), 2 + (rows >= 18)


def _within(least: int, wanted: int, most: int) -> int:
    return max(least, min(wanted, most))


def layout_of(columns: int, rows: int, tiles: bool = False) -> Layout:
    """Return the layout for a terminal size; with `tiles`, all areas are the same."""
    kind = kind_of(columns, rows)
    cell = _cell_of(kind, columns, rows)
    framed = kind in ("wide", "normal")
    wide = BOARD_SIDE * cell[0] + (BOARD_SIDE + 1) * framed
    high = BOARD_SIDE * cell[1] + (BOARD_SIDE + 1) * framed
    belt_rows = _within(8, 8 + (rows - 36) // 3, 16) if kind == "wide" else 0
    cards = 1 + high + belt_rows
    return Layout(
        kind=kind,
        cell=cell,
        framed=framed,
        tiled=tiles,
        board=Area(0, 1, wide, high),
        side=Area(wide + 1, 1, columns - wide - 1, high),
        belt=Area(0, 1 + high, columns, belt_rows),
        cards=cards,
        below=Area(0, cards + 1, columns, rows - 3 - cards),
    )


# Moments: what is worth a short animation, and which of its frames to draw when


MOMENT_SECONDS: Final = 1.2
FRAMES: Final = 6
"""The frames of a moment."""
FRAME_SECONDS: Final = MOMENT_SECONDS / FRAMES
ENDING_TIMES: Final = 2
"""How many times slower a game's last moment is: the result covers it."""
WIN_FRAMES: Final = 14
"""The frames of a result: the players appear, then confetti falls for two seconds."""

What: TypeAlias = Literal["serve", "arrive", "upgrade", "penalty", "last round", "over", "win"]


class Moment(Struct, frozen=True):
    """Something that happened."""

    what: What
    seat: Seat = 0
    drinks: tuple[DrinkIndex, ...] = ()
    """The order that was served, or those that arrive or expired."""
    upgrade: Upgrade = Upgrade.DOUBLE_MEEPLES
    rush: int = 0
    """How many rush tokens it brought."""
    places: tuple[Area, ...] = ()
    """Where this player's orders were on the screen that are gone now."""
    count: int = 1
    """How many orders have been served in this turn, with this one."""
    cup: tuple[Area, Cells] | None = None
    """Where this player's cup is on the screen that was served from, and what was in it."""
    sender: Seat = 0
    """Who has sent the orders that arrive."""


def gained(points: int, rush: int) -> str:
    """Return points and, apart from them, the rush tokens that came with them."""
    return f"{points:+} +{rush}{glyphs.RUSH}" if rush else f"{points:+}"


class OrdersBefore(Struct, frozen=True):
    """This player's orders on the screen before some of them were gone, beside the cups of now."""

    area: Area
    cells: Cells
    rows: tuple[tuple[Slot, DrinkIndex, Area], ...]
    """Where the orders that are not gone yet are."""
    orders: tuple[tuple[DrinkIndex, ...], ...]
    """All of them, by slot."""


class Moments(Struct, frozen=True):
    """Moments that are shown at the same time."""

    moments: tuple[Moment, ...]
    at: float
    """When they began."""
    size: tuple[int, int]
    """The size of the screen; on another one they are not shown."""
    frame: int = 0
    """The number of the frame to draw, from 0."""
    orders: OrdersBefore | None = None
    """What is drawn in place of the orders, so that each is seen to go from its own row."""
    ending: Model | None = None
    """The table before the game ended, which is shown with them: the result comes after them."""
    still: bool = False
    """Whether the first frame is all that is drawn of them, for as long as all frames take."""

    @property
    def frames(self) -> int:
        """How many frames they have."""
        return WIN_FRAMES if any(moment.what == "win" for moment in self.moments) else FRAMES

    @property
    def frame_seconds(self) -> float:
        """For how long each frame is shown."""
        return FRAME_SECONDS * (1 if self.ending is None else ENDING_TIMES)

    @property
    def next_at(self) -> float:
        """When the next frame is due, or the end."""
        return self.at + (FRAMES if self.still else self.frame + 1) * self.frame_seconds


def advanced(shown: Moments | None, now: float) -> Moments | None:
    """Return the moments shown `now`: the same until the next frame is due.

    After the last frame there are none, or those of the result.
    """
    if shown is None or now < shown.next_at:
        return shown
    frame = max(int((now - shown.at) / shown.frame_seconds), shown.frame + 1)
    is_over = shown.still or frame >= shown.frames
    return followed_by(shown, now) if is_over else replace(shown, frame=frame)


def followed_by(shown: Moments, now: float) -> Moments | None:
    """Return the moments that follow: the end of a game is followed by its result."""
    is_end = shown.ending is not None and not shown.still
    return Moments((Moment("win"),), now, shown.size) if is_end else None


# The screen's own state: open list or page, cursor, text field, queued keys, timing


Showing: TypeAlias = Literal["", "replay", "analysis"]
OpenInset: TypeAlias = Callable[[Model, Showing, Settings, Display], Awaitable[Inset]]
"""Opens what is shown on a display; raises `CoffeeRushError`."""
Keep: TypeAlias = Callable[[Settings], None]
"""Saves settings."""
Playing: TypeAlias = Literal["", "moves", "reading"]
"""`reading`: only what the guide says about them keeps the screen, until a person can have read."""
Asked: TypeAlias = Literal["", "pour", "walk", "end", "start", "remove", "leave"]
TYPING: Final[tuple[Mode, ...]] = ("chat", "name", "table_name", "letter", "pause")
"""Modes in which characters go to a text field."""
READING: Final[tuple[Mode, ...]] = ("invitation", "orders")
"""Modes in which a text covers the table."""


class ScreenLink(Protocol):
    """The part of `Link` that a screen uses."""

    on_change: Callable[[Model], None] | None
    """Called with each new model."""
    table_at: float
    """When the model's table was received, by the clock of the event loop."""
    said_at: float
    """When its newest message was, by the same clock."""

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
    is_remark: bool = False
    """Whether it is a bot's: then it is shown at its seat and meeple only."""


class Hint(Struct, frozen=True):
    """A hint that was asked for: it stays until it is followed, or no longer true."""

    text: str
    walk: tuple[Cell, ...]
    """What `hinted_walk` returned."""
    at: tuple[object, ...]
    """The turn that it is about or, without a walk, the position."""


FIRST_CELL: Final[Cell] = 5
"""Where the cursor stands when a game begins."""


class Ui(Page, frozen=True):
    """The screen's state apart from the model; times are seconds of a monotonic clock."""

    pane: str = ""
    """The selected pane; layouts without it show their first one."""
    cursor: Cell = FIRST_CELL
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
    spoken: str = ""
    """The language of the note and the hint; "" before the first frame."""
    note: str = ""
    """A message about the last key or update."""
    note_at: float = float("inf")
    """When an update set it, or the news; keys clear it, or set another that has no age."""
    news: tuple[str, ...] = ()
    """The latest sentences about other people; like a note, but the next turn leaves them."""
    hint: Hint | None = None
    """The latest hint."""
    refused: bool = False
    """Whether the note reports a refusal."""
    plan: tuple[Intent, ...] = ()
    """Queued intents, sent one by one after each answer."""
    typed: tuple[str, ...] = ()
    """Keys queued while waiting for the host's answer."""
    trails: bool = True
    """Whether no key has acted since the turn began: others' trails are shown until then."""
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
    result_at: float = float("-inf")
    """When the result came on the screen, where Enter begins another game."""
    pasted_at: float = float("-inf")
    """When text was pasted outside a text field."""
    clock_until: float | None = None
    """When the turn clock runs out."""
    said_until: float = float("inf")
    """Until when the newest chat message is shown outside the chat."""
    emotes: tuple[ShownEmote, ...] = ()
    """The emotes that are shown now, the newest last; one per player."""
    offer: AnswerOffer = AnswerOffer()
    """What this player may say to what has just happened."""
    asker: int = 0
    """The guest who is shown as asking to come in; 0 for none."""
    asker_at: float = float("-inf")
    """Since when."""
    now: float = 0.0
    ascii: bool = False
    """Whether to draw with ASCII only."""
    tiles: bool = False
    """Whether the board is of whole coloured tiles, instead of a grid."""
    replayed: bool = False
    """Whether this is a replay."""
    heading: str = ""
    """What the top line calls it instead of the game; "" outside a replay."""
    guide: bool = False
    """Whether the first-game guide is on."""
    progress: Progress = Progress()
    """What the guide remembers of the game."""
    playing: Playing = ""
    """What of others' moves is being shown; a key that skips it clears this."""
    played_at: float = float("-inf")
    """When that ended, or a key skipped it."""
    reads_until: float | None = None
    """Until when the guide's words keep others waiting; None if they wait as long as one likes."""
    up_next: Seat | None = None
    """Who plays next, where a turn that has ended is being read; None while it goes on."""
    shown_to: int = 0
    """How many events of the history there were when the newest message was last shown in full."""
    read_to: int = 0
    """How many of them there were at the first key after that, and so have been read."""
    read: tuple[object, ...] = ()
    """What the guide was about when its box was closed."""
    showing: Showing = ""
    """What is shown instead of the result, or is being opened."""
    animated: bool = False
    """Whether moments may be shown: the terminal has colours."""
    slow: bool = False
    """Whether its line is slow, so that only this player's own moments are shown, as one frame."""
    moments: Moments | None = None
    """The moments that are being shown."""
    leaving: bool = False
    """Whether the person is leaving."""
    round_at: float | None = None
    """When the next round of the tournament begins; None if that does not happen by itself."""
    podium_at: float | None = None
    """When the podium of a tournament that is over is shown by itself; None if it is not due."""
    moved_at: float = float("inf")
    """When the game last went on."""
    met: int = 0
    """How many events there had been when this person came to the host."""
    tables_at: float = float("-inf")
    """When the open list last asked for the host's tables."""


def looking_as(ui: Ui, look: Look) -> Ui:
    """Return the state for a screen of that look."""
    tiles = look.rich and not look.ascii
    return replace(
        ui,
        ascii=look.ascii,
        tiles=tiles,
        animated=not look.still,
        slow=look.slow,
        touch=look.touch,
        is_guest=look.is_guest,
    )


def closed(ui: Ui) -> Ui:
    """Close any open page, list or text field, and discard its text; the next key counts."""
    if ui.mode == "table":
        return ui
    lost_at = float("-inf")
    return replace(ui, mode="table", scroll=0, draft=Draft(), editing=False, lost_at=lost_at)


def ending_of(ui: Ui) -> Model | None:
    """Return the table before the game ended, as long as it is shown in place of the result."""
    shown = ui.moments
    return shown.ending if shown and ui.animated and shown.size == ui.size else None


def age_minutes(ui: Ui) -> int:
    """Return the age of the note in whole minutes."""
    return max(int((ui.now - ui.note_at) // 60), 0) if ui.note_at <= ui.now else 0
