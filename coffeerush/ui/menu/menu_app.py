"""The start menu as a program: on the full screen, or in plain mode."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace
from prompt_toolkit.input import Input

from coffeerush.errors import CoffeeRushError
from coffeerush.joining.browsing import OnBegin, Tell, find
from coffeerush.joining.nearby import FoundTable
from coffeerush.local.own_tables import own_tables
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.pages import PAGE_KEYS
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.typed_lines import TypedLines
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.fullscreen import FullScreen
from coffeerush.ui.terminal.keys import DOUBLE_SECONDS
from coffeerush.ui.terminal.output import DiffOutput
from coffeerush.ui.words.i18n import _, set_language
from coffeerush.ui.words.names import player_name

from .draw_menu import draw_home
from .menu import MENU_KEYS, Continue, Home, Quit, Recorded, Unfinished
from .menu_input import answered, click, paste, press, told, with_found, without_league

if TYPE_CHECKING:
    from coffeerush.league.store import Progress


MAX_SHOWN: Final = 99
"""Maximum number of finished games in the list."""
BROWSE_SECONDS: Final = 2.0
"""How long plain mode searches for tables before it lists them."""
BEGIN_SECONDS: Final = 20.0
"""The timeout for the search to begin, which can take long on a busy machine."""
Finder: TypeAlias = Callable[[Tell, OnBegin], Awaitable[None]]
"""Searches for tables, as `find` does."""


class HomeScreen:
    """Connects the menu, the local user and a terminal; `home` is its state.

    Args:
        person: the local user, whose settings are saved.
        home: the initial state.
        records: the directory of finished games.
        input: where keys come from; by default the terminal.
        output: where frames go; by default the terminal.
        finder: searches for tables in the network.
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
        self._search: asyncio.Task[None] | None = None
        self._reading = False
        self._person = person
        self._records = records
        self._moved_at = float("-inf")
        names = (*MENU_KEYS.names, *PAGE_KEYS.names)
        self._fullscreen = FullScreen(self, names, input, output)
        self.app = self._fullscreen.app

    async def run(self) -> None:
        """Show the menu until an errand is chosen."""
        self._start_search()
        try:
            await self._fullscreen.run()
        finally:
            if self._search:
                await _cancelled(self._search)

    @property
    def settings(self) -> Settings:
        """The person's settings."""
        return self.home.settings

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the menu."""
        self.home = replace(self.home, page=replace(self.home.page, size=(columns, rows)))
        return draw_home(self.home, columns, rows)

    def press(self, key: str) -> None:
        """Handle a key."""
        self._update(press(self.home, key))

    def paste(self, text: str) -> None:
        """Handle pasted text."""
        self._update(paste(self.home, text))

    def click(self, target: Target) -> None:
        """Handle a click; ignore the second half of a double click that has changed the place."""
        now, place = asyncio.get_running_loop().time(), self.home.place
        if now - self._moved_at >= DOUBLE_SECONDS:
            self._update(click(self.home, target))
            self._moved_at = now if self.home.place != place else self._moved_at

    def wheel(self, target: Target | None, lines: int) -> None:
        """Move to another line, or scroll the open page."""
        self._update(press(self.home, "up" if lines < 0 else "down"))

    def _update(self, home: Home) -> None:
        if self.home.errand is not None:
            return  # typed while the menu was closing
        self.home = seen(self._person, self.home, home, self._records)
        self._start_search()
        self._start_reading()
        if home.errand is not None:
            self._fullscreen.close()

    def _start_search(self) -> None:
        """Start searching for tables when one is to be chosen, unless a search is running."""
        if self.home.looking and (self._search is None or self._search.done()):
            self._search = asyncio.create_task(self._run_search())

    async def _run_search(self) -> None:
        await self._finder(self._merge_found, lambda: None)
        self.home = replace(self.home, looking=False)  # this machine cannot search
        self._fullscreen.redraw()

    def _start_reading(self) -> None:
        """Start reading the league when its page is opened, unless it is being read.

        In a thread that does not keep the program alive: there may be many records to read, and
        another program may have locked the league.
        """
        if self.home.place == "league" and self.home.league is None and not self._reading:
            self._reading = True
            Thread(target=self._read, args=[asyncio.get_running_loop()], daemon=True).start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        def change(home: Callable[[Home], Home], reading: bool) -> None:
            try:
                loop.call_soon_threadsafe(self._change, home, reading)
            except RuntimeError:  # the loop is closed
                raise asyncio.CancelledError from None

        def progress(done: int, total: int | None) -> None:
            change(lambda home: replace(home, reading=(done, total)), True)

        with suppress(asyncio.CancelledError):  # the menu was left
            change(_league(self._records, progress), False)

    def _change(self, change: Callable[[Home], Home], reading: bool) -> None:
        self.home, self._reading = change(self.home), reading
        self._fullscreen.redraw()

    def _merge_found(self, tables: tuple[FoundTable, ...]) -> None:
        after = with_found(self.home, tables)
        if self.home.errand is None and after != self.home:
            self.home = after
            self._fullscreen.redraw()


async def ask(
    person: LocalPerson, home: Home, records: Path, typed: TypedLines, finder: Finder = find
) -> Home:
    """Run the menu in plain mode until an errand is chosen; at the end of the input, quit."""
    while home.errand is None:
        if home.looking:
            person.tell([_("Looking for tables on your network…")])
            home = await _searched(home, finder)
        if home.place == "league" and home.league is None:
            home = _league(records, partial(_tell_reading, person))(home)
        person.tell(told(home))
        line = await typed.next()
        if line is None:
            return replace(home, errand=Quit())
        after = seen(person, home, answered(home, line), records)
        if after.settings.language != home.settings.language:
            set_language(after.settings.language or None)
        home = after
    return home


async def _searched(home: Home, finder: Finder) -> Home:
    """Search for tables in the network, and return the menu with those found."""
    found: list[tuple[FoundTable, ...]] = [()]
    begun = asyncio.Event()
    search = asyncio.ensure_future(finder(found.append, begun.set))
    beginning = asyncio.ensure_future(begun.wait())
    either = asyncio.FIRST_COMPLETED
    await asyncio.wait([search, beginning], timeout=BEGIN_SECONDS, return_when=either)
    await asyncio.wait([search], timeout=BROWSE_SECONDS)
    beginning.cancel()
    await _cancelled(search)
    return replace(with_found(home, found[-1]), looking=False)


async def _cancelled(search: "asyncio.Future[None]") -> None:
    search.cancel()
    with suppress(asyncio.CancelledError):
        await search


def _league(records: Path, progress: "Progress") -> Callable[[Home], Home]:
    """Read the league, and return what that changes in the menu."""
    # imported here so that the first frame does not wait for it
    from coffeerush.league.store import load_league

    try:
        league = load_league(records, progress)
    except CoffeeRushError as error:
        return partial(without_league, error=error)
    return lambda home: replace(home, league=league)


def _tell_reading(person: LocalPerson, done: int, total: int | None) -> None:
    from coffeerush.ui.words.league import reading_text

    person.tell([reading_text(done, total)])


def seen(person: LocalPerson, before: Home, after: Home, records: Path) -> Home:
    """Do the I/O of a change of state: save changed settings, list finished games."""
    if after.settings != before.settings:
        person.keep(after.settings)
        after = replace(after, name=person.name)
        if person.complaint:
            after = replace(after, notes=(person.complaint,), wrong=True)
    if after.place == "records" and (
        before.place != "records" or before.settings.language != after.settings.language
    ):
        after = replace(after, games=_games(records))
    return after


def with_own(home: Home, records: Path) -> Home:
    """Offer the person's own table that is still open, and their latest game if it is not over."""
    home = replace(home, own=next(iter(own_tables()), None), unfinished=None)
    if not _has_private(records):
        return home
    from coffeerush.records.listing import unfinished_game

    game = unfinished_game(records)
    owner = game.owner if game else None
    if game is None or owner is None:
        return home
    seats = game.record.head.seats
    others = [(seat, other) for seat, other in enumerate(seats) if other is not owner]
    found = Unfinished(
        Continue(str(game.path), owner.name, all(other.bot for _seat, other in others)),
        game.record.head.table,
        game.round,
        tuple(player_name(other.name, other.bot, seat) for seat, other in others),
        f"{game.left:%Y-%m-%d %H:%M}",
        game.record.head.port,
    )
    return replace(home, unfinished=found)


def _has_private(records: Path) -> bool:
    """Return whether a record may be of a game that is not over; imports no rules."""
    with suppress(OSError), os.scandir(records) as files:
        return any(
            not file.stat().st_mode & 0o077 for file in files if file.name.endswith(".record")
        )
    return False


def _games(records: Path) -> tuple[Recorded, ...]:
    # imported here so that the first frame does not wait for the rules
    from coffeerush.records.listing import finished_games

    return tuple(
        Recorded(
            str(game.path),
            f"{game.ended:%Y-%m-%d %H:%M}",
            tuple(
                (player_name(seated.name, seated.bot, seat), score)
                for seat, seated, score in game.players
            ),
        )
        for game in finished_games(records)[:MAX_SHOWN]
    )
