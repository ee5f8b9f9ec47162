"""The start menu as a program: on the full screen, or in sentences."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from msgspec.structs import replace
from prompt_toolkit.input import Input

from coffeerush.joining.discovery.browsing import Tell, find
from coffeerush.joining.discovery.found import FoundTable
from coffeerush.local.settings import Settings
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.stdin import TypedLines
from coffeerush.ui.table.keymap import KEYMAP
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.fullscreen import FullScreen
from coffeerush.ui.terminal.keyboard import DOUBLE_SECONDS
from coffeerush.ui.terminal.output import DiffOutput
from coffeerush.ui.words.i18n import _, set_language
from coffeerush.ui.words.safe_text import as_text

from .draw import draw_home
from .on_key import click, paste, press, with_found
from .plain import answered, told
from .state import Home, Quit, Recorded

MAX_SHOWN: Final = 99
"""How many finished games are listed."""
BROWSE_SECONDS: Final = 2.0
"""How long plain mode looks for tables before it says which there are."""
Finder: TypeAlias = Callable[[Tell], Awaitable[None]]
"""What looks for tables, as `find` does."""


class HomeScreen:
    """Brings the menu, a person and a terminal together; `home` is what it has come to.

    Args:
        person: whose settings are kept.
        home: where the menu begins.
        records: the directory where finished games are.
        input: where keys come from; by default the terminal.
        output: where frames go; by default the terminal.
        finder: looks for tables in the network.
    """

    def __init__(
        self,
        person: LocalPerson,
        home: Home,
        records: Path,
        input: Input | None = None,  # noqa: A002 - the name that prompt_toolkit has for it
        output: DiffOutput | None = None,
        finder: Finder = find,
    ) -> None:
        self.home = home
        self._finder = finder
        self._looking: asyncio.Task[None] | None = None
        self._person = person
        self._records = records
        self._moved_at = float("-inf")
        self._fullscreen = FullScreen(self, KEYMAP.names, input, output)
        self.app = self._fullscreen.app

    async def run(self) -> None:
        """Show the menu until something is chosen that the program has to do."""
        self._look()
        try:
            await self._fullscreen.run()
        finally:
            if self._looking:
                await _ended(self._looking)

    @property
    def settings(self) -> Settings:
        """What the person has chosen."""
        return self.home.settings

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the menu as it is now."""
        self.home = replace(self.home, page=replace(self.home.page, size=(columns, rows)))
        return draw_home(self.home, columns, rows)

    def press(self, key: str) -> None:
        """Do what a key means."""
        self._go_on(press(self.home, key))

    def paste(self, text: str) -> None:
        """Put a text in where one is typed."""
        self._go_on(paste(self.home, text))

    def click(self, target: Target) -> None:
        """Do what a click means; the second half of a double click means nothing elsewhere."""
        now, place = asyncio.get_running_loop().time(), self.home.place
        if now - self._moved_at >= DOUBLE_SECONDS:
            self._go_on(click(self.home, target))
            self._moved_at = now if self.home.place != place else self._moved_at

    def wheel(self, target: Target | None, lines: int) -> None:
        """Choose another line, or scroll the page that is open."""
        self._go_on(press(self.home, "up" if lines < 0 else "down"))

    def _go_on(self, home: Home) -> None:
        if self.home.errand is not None:
            return  # typed while the menu was closing
        self.home = seen(self._person, self.home, home, self._records)
        self._look()
        if home.errand is not None:
            self._fullscreen.close()

    def _look(self) -> None:
        """Look for tables from when one is to be chosen; once more where a search has ended."""
        if self.home.looking and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._find())

    async def _find(self) -> None:
        await self._finder(self._take)
        self.home = replace(self.home, looking=False)  # this machine cannot
        self._fullscreen.redraw()

    def _take(self, tables: tuple[FoundTable, ...]) -> None:
        after = with_found(self.home, tables)
        if self.home.errand is None and after != self.home:
            self.home = after
            self._fullscreen.redraw()


async def ask(
    person: LocalPerson, home: Home, records: Path, typed: TypedLines, finder: Finder = find
) -> Home:
    """Show the menu in sentences until something is chosen; the end of the input ends it."""
    while home.errand is None:
        if home.looking:
            home = await _looked(home, finder)
        write_lines(told(home))
        line = await typed.next()
        if line is None:
            return replace(home, errand=Quit())
        after = seen(person, home, answered(home, line), records)
        if after.settings.language != home.settings.language:
            set_language(after.settings.language or None)
        home = after
    return home


async def _looked(home: Home, finder: Finder) -> Home:
    """Return the menu after a look for tables in the network."""
    write_lines([_("Looking for tables in your network…")])
    found: list[tuple[FoundTable, ...]] = [()]
    looking = asyncio.ensure_future(finder(found.append))
    await asyncio.wait([looking], timeout=BROWSE_SECONDS)
    await _ended(looking)
    return replace(with_found(home, found[-1]), looking=False)


async def _ended(looking: "asyncio.Future[None]") -> None:
    looking.cancel()
    with suppress(asyncio.CancelledError):
        await looking


def write_lines(lines: Iterable[str]) -> None:
    """Write sentences, one a line."""
    sys.stdout.write(as_text(lines))
    sys.stdout.flush()


def seen(person: LocalPerson, before: Home, after: Home, records: Path) -> Home:
    """Return the menu with what only the program knows: keep settings, look for finished games."""
    if after.settings != before.settings:
        person.keep(after.settings)
        after = replace(after, name=person.name)
        if person.complaint:
            after = replace(after, notes=(person.complaint,), wrong=True)
    if after.place == "records" != before.place:
        after = replace(after, games=_games(records))
    return after


def _games(records: Path) -> tuple[Recorded, ...]:
    # only here: the first frame does not wait for the rules
    from coffeerush.records.listing import finished_games

    return tuple(
        Recorded(str(game.path), f"{game.ended:%Y-%m-%d %H:%M}", game.players)
        for game in finished_games(records)[:MAX_SHOWN]
    )
