"""The state of the start menu, and the errands it can end with."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.joining.nearby import FoundTable
from coffeerush.local.own_tables import OwnTable
from coffeerush.local.settings import Bots, Settings
from coffeerush.ui.pages.page import Mode, Page
from coffeerush.ui.terminal.keys import Draft

from .keymap import MENU_HELP

if TYPE_CHECKING:
    from coffeerush.league.table import League


class Play(Struct, frozen=True):
    """Play against bots on this machine."""

    bots: Bots
    starters: bool
    turn_seconds: int
    guide: bool = False
    """Whether to show the first-game guide."""


class Host(Struct, frozen=True):
    """Host a table on the LAN."""

    table: str
    seats: int
    bots: Bots
    starters: bool
    turn_seconds: int
    is_open: bool = False
    """Whether everybody can join without a code."""
    guests: bool = False
    """Whether guests can join without this program."""


class Join(Struct, frozen=True):
    """Join or watch somebody's table."""

    address: str
    """As typed; it can be parsed."""
    role: Role
    code: str = ""
    """The join code, if the person has given one."""


class ShowReplay(Struct, frozen=True):
    """Watch the replay of a finished game."""

    path: str


class Continue(Struct, frozen=True):
    """Go on with a game that was left, or whose host has crashed."""

    path: str
    """Of its record."""
    name: str
    """The one that the person has in the game."""
    alone: bool
    """Whether all others are bots."""


class Quit(Struct, frozen=True):
    """Quit the program."""


Errand: TypeAlias = Play | Host | Join | ShowReplay | Continue | Quit
"""The user's choice, carried out after the menu."""
MenuPage: TypeAlias = Literal[
    "menu", "play", "host", "join", "watch", "code", "records", "league", "career"
]
CHOOSING: Final[tuple[MenuPage, ...]] = ("join", "watch")
"""The places with a list of tables to choose from."""


class Recorded(Struct, frozen=True):
    """A finished game in the list."""

    path: str
    ended: str
    """When it ended, formatted."""
    players: tuple[tuple[str, int], ...]
    """(Name, score) of each player, best first."""


class Unfinished(Struct, frozen=True):
    """A game to continue."""

    errand: Continue
    table: str
    round: int
    others: tuple[str, ...]
    """The names of the other players."""
    left: str
    """When it was left, formatted."""
    port: int = 0
    """The port at which its table opens again; 0 if unknown."""


class Home(Struct, frozen=True):
    """The state of the start menu."""

    page: Page = Page(help=MENU_HELP)
    """The open page, the settings, and the size of the terminal."""
    place: MenuPage = "menu"
    root: MenuPage = "menu"
    """The place where going back quits the program."""
    row: int = 0
    """The selected line."""
    draft: Draft = Draft()
    """The address, code or table name being typed."""
    menu_row: int = 0
    """The line of the menu that was opened last."""
    games: tuple[Recorded, ...] = ()
    """The finished games, newest first."""
    unfinished: Unfinished | None = None
    """The person's own latest game, if it is not over."""
    own: OwnTable | None = None
    """The person's own table, if its host still runs."""
    league: "League | None" = None
    """The house league; None until it has been read."""
    reading: tuple[int, int | None] = (0, 0)
    """How many records have been read for the league, and how many there are to read."""
    career: int = 0
    """The rank of the player whose career was opened last, from 0."""
    found: tuple[FoundTable, ...] = ()
    """The tables found in the network, in the order they were found."""
    looking: bool = False
    """Whether the search is still on."""
    wanted: Join | None = None
    """The table whose code is being typed."""
    name: str = ""
    """The person's name at tables."""
    kept_in: str = ""
    """The path of the settings file."""
    notes: tuple[str, ...] = ()
    """Sentences on the last action."""
    wrong: bool = False
    """Whether the notes report a problem."""
    errand: Errand | None = None
    """The chosen errand, which ends the menu."""

    @property
    def settings(self) -> Settings:
        """The person's settings."""
        return self.page.settings


class Line(Struct, frozen=True):
    """A line that can be selected."""

    label: str
    value: str = ""
    about: str = ""
    """A sentence on what it is for."""
    opens: MenuPage | None = None
    page: Mode | None = None
    errand: Errand | None = None
    """What Enter does, if it ends the menu."""
    change: Callable[[int], Settings] | None = None
    """Returns the settings with its value advanced by some steps."""
    typed: Literal["", "table", "address", "code"] = ""
    """The text of its text field, if it has one."""
    shorter: tuple[tuple[str, str], ...] = ()
    """Shorter wordings of label and value, for a narrow terminal."""
    letter: str = ""
    """The key that opens it instead of a digit."""


def draft_of(home: Home, line: Line) -> Draft:
    """Return a text field's draft; a table name changed elsewhere has the cursor at its end.

    In a list of tables characters go to the first line, whichever is selected.
    """
    named = line.typed == "table" and line.value != home.draft.text
    return Draft(line.value) if named else home.draft


def settled(home: Home, settings: Settings) -> Home:
    """Replace the settings."""
    return replace(home, page=replace(home.page, settings=settings))
