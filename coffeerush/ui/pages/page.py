"""What the pages over a screen remember, and what the help of a program explains."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from coffeerush.local.settings import Settings
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.keymap import HelpRows
from coffeerush.ui.terminal.line_edit import Draft
from coffeerush.ui.words.i18n import N_

Mode: TypeAlias = Literal[
    "table",
    "chat",
    "name",
    "help",
    "rules",
    "settings",
    "upgrades",
    "empty",
    "serve",
    "bots",
    "seats",
    "invitation",
]
"""What is open over a table or a menu; `table` where nothing is."""
Marks: TypeAlias = tuple[tuple[str, str], ...]
"""Marks, each with what it means; to be translated."""


class Help(Struct, frozen=True):
    """What the help of a program explains."""

    keys: tuple[tuple[str, HelpRows], ...] = ()
    """Titles, each with the keys below it."""
    marks: Marks = ()


COMMON_MARKS: Final[Marks] = (
    (glyphs.SPECIALTY, N_("specialty: a cell, or an order that earns a rush token")),
    (glyphs.RUSH, N_("rush token: in the board, what a step costs")),
    (
        glyphs.SERVED + " " + glyphs.PENALTY,
        N_("orders completed; penalties, and how many end the game"),
    ),
    (glyphs.ACTIVE + glyphs.INACTIVE, N_("an upgrade that is active, one that is not")),
    ("4!", N_("an order in slot 4 becomes a penalty when your turn ends")),
    ("[ ]", N_("in an order: what the best cup still needs")),
    (f"{glyphs.TO}1", N_("in an order: its best cup")),
    (f"-2 {glyphs.SERVED}1", N_("in an order: how much it needs; the cup that serves it")),
)
"""Marks of every screen with a board."""


class Page(Struct, frozen=True):
    """The page that is open over a screen, and what it shows."""

    mode: Mode = "table"
    help: Help = Help()
    """What the help explains."""
    scroll: int = 0
    """Lines that a page, or a pane of the screen, is scrolled."""
    row: int = 0
    """The row of the settings that the arrow keys change."""
    editing: bool = False
    """Whether `draft` is the name on the page of settings."""
    draft: Draft = Draft()
    """What is being typed."""
    size: tuple[int, int] = (80, 24)
    """Columns and rows of the terminal."""
    settings: Settings = Settings()
    """What the person has chosen; who runs the screen brings a change to the terminal."""
