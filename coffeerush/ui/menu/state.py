"""What the start menu remembers, and what it can come to."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.joining.discovery.found import FoundTable
from coffeerush.local.settings import Bots, Settings
from coffeerush.ui.pages.page import Mode, Page
from coffeerush.ui.terminal.line_edit import Draft

from .keymap import MENU_HELP


class Play(Struct, frozen=True):
    """A table on this machine, with bots."""

    bots: Bots
    starters: bool
    turn_seconds: int
    guide: bool = False
    """Whether the first-game guide speaks."""


class Host(Struct, frozen=True):
    """A table for the LAN."""

    table: str
    seats: int
    bots: Bots
    starters: bool
    turn_seconds: int
    is_open: bool = False
    """Whether everybody who reaches it can sit down, without a code."""


class Join(Struct, frozen=True):
    """Somebody's table."""

    address: str
    """As it was typed; it can be read."""
    role: Role
    code: str = ""
    """The join code, if the person has given one."""


class ShowReplay(Struct, frozen=True):
    """A finished game."""

    path: str


class Quit(Struct, frozen=True):
    """Nothing more."""


Errand: TypeAlias = Play | Host | Join | ShowReplay | Quit
"""What a person sends the program to do."""
MenuPage: TypeAlias = Literal["menu", "play", "host", "join", "watch", "code", "records"]
CHOOSING: Final[tuple[MenuPage, ...]] = ("join", "watch")
"""The places where a table of the network is chosen."""


class Recorded(Struct, frozen=True):
    """A finished game that can be looked at."""

    path: str
    ended: str
    """When it ended, as people read it."""
    players: tuple[tuple[str, int], ...]
    """The name and the score of each player, best first."""


class Home(Struct, frozen=True):
    """The start menu at a moment."""

    page: Page = Page(help=MENU_HELP)
    """Pages, settings, and the size of the terminal."""
    place: MenuPage = "menu"
    root: MenuPage = "menu"
    """The place whose end is the end of the program."""
    row: int = 0
    """The line that is chosen."""
    draft: Draft = Draft()
    """The address, the code or the name of the table that is being typed."""
    menu_row: int = 0
    """The line of the menu that led here."""
    games: tuple[Recorded, ...] = ()
    """The finished games, newest first."""
    found: tuple[FoundTable, ...] = ()
    """The tables found in the network, in the order in which they were."""
    looking: bool = False
    """Whether they are still looked for."""
    wanted: Join | None = None
    """The table whose code is asked for."""
    name: str = ""
    """What the person is called at tables."""
    kept_in: str = ""
    """Where the settings are."""
    notes: tuple[str, ...] = ()
    """Sentences about what was done last."""
    wrong: bool = False
    """Whether they say that something went wrong."""
    errand: Errand | None = None
    """What was chosen, for the program to do."""

    @property
    def settings(self) -> Settings:
        """What the person has chosen for all tables."""
        return self.page.settings


class Line(Struct, frozen=True):
    """A line that can be chosen."""

    label: str
    value: str = ""
    about: str = ""
    """What it is for, in a sentence."""
    opens: MenuPage | None = None
    page: Mode | None = None
    errand: Errand | None = None
    """What Enter comes to."""
    change: Callable[[int], Settings] | None = None
    """The settings with its value moved on by so many."""
    typed: Literal["", "table", "address", "code"] = ""
    """What is typed on it."""


def draft_of(home: Home, line: Line) -> Draft:
    """Return what is typed on a line; a name that was changed elsewhere has its cursor at the end.

    Among tables all characters go to the first line, whichever is chosen.
    """
    named = line.typed == "table" and line.value != home.draft.text
    return Draft(line.value) if named else home.draft


def settled(home: Home, settings: Settings) -> Home:
    """Return the menu with other settings."""
    return replace(home, page=replace(home.page, settings=settings))
