"""The state of the pages over a screen, and the contents of a program's help."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from coffeerush.local.settings import Settings
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.keys import Draft, HelpRows
from coffeerush.ui.words.i18n import N_

Mode: TypeAlias = Literal[
    "table",
    "chat",
    "name",
    "letter",
    "help",
    "rules",
    "settings",
    "upgrades",
    "empty",
    "serve",
    "orders",
    "bots",
    "seats",
    "agreed",
    "emotes",
    "pause",
    "invitation",
]
"""The page, list or field that is open over a table or menu; `table` if nothing is."""
Marks: TypeAlias = tuple[tuple[str, str], ...]
"""Marks and their meanings; untranslated."""


class Help(Struct, frozen=True):
    """The contents of a program's help; untranslated."""

    keys: tuple[tuple[str, HelpRows], ...] = ()
    """Sections of keys: (title, rows)."""
    marks: Marks = ()


COMMON_MARKS: Final[Marks] = (
    (glyphs.SPECIALTY, N_("specialty: a cell, or an order that earns a rush token")),
    (glyphs.RUSH, N_("rush token; on the board, what a step costs")),
    (
        glyphs.SERVED + " " + glyphs.PENALTY,
        N_("orders completed; penalties, and how many end the game"),
    ),
    (glyphs.ACTIVE + glyphs.INACTIVE, N_("an active upgrade; one that is not active")),
    ("4!", N_("an order in slot 4 becomes a penalty when your turn ends")),
    ("[ ]", N_("in an order: what is still missing")),
    (f"{glyphs.TO}1", N_("in an order: the cup that fits it best")),
    (
        f"+2 {glyphs.SERVED}1",
        N_("in an order: how much is missing; the cup that serves it"),
    ),
)
"""The marks that all screens with a board use."""


class Page(Struct, frozen=True):
    """The page that is open over a screen, and its state."""

    mode: Mode = "table"
    help: Help = Help()
    """The contents of the help page."""
    scroll: int = 0
    """How many lines the page, or a pane of the screen, is scrolled."""
    row: int = 0
    """The selected row of the settings."""
    editing: bool = False
    """Whether the name on the settings page is being typed, in `draft`."""
    draft: Draft = Draft()
    """The text being typed."""
    size: tuple[int, int] = (80, 24)
    """Columns and rows of the terminal."""
    touch: bool = False
    """Whether the person taps on the screen."""
    settings: Settings = Settings()
    """The person's settings; the program applies changes to the terminal."""
