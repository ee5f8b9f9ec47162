"""The start menu as a program: on the full screen, or in plain mode."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace
from prompt_toolkit.input import Input

from coffeerush.errors import CoffeeRushError
from coffeerush.joining.browsing import OnBegin, Tell, find
from coffeerush.joining.hosts import Address, parse_address
from coffeerush.joining.nearby import MAX_FOUND, FoundTable
from coffeerush.local.own_tables import OwnTable, own_tables
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.pages import PAGE_KEYS
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.typed_lines import TypedLines
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.fullscreen import FullScreen
from coffeerush.ui.terminal.keys import DOUBLE_SECONDS
from coffeerush.ui.terminal.output import DiffOutput
from coffeerush.ui.words.i18n import _, set_language
from coffeerush.ui.words.league import record_text
from coffeerush.ui.words.names import bot_mark, seat_player
from protocol import SeatView

from .draw_menu import draw_home
from .menu import LEAGUE_PAGES, MENU_KEYS, Continue, Home, Quit, Recorded, Unfinished
from .menu_input import (
    answered,
    click,
    paste,
    press,
    told,
    told_tables,
    with_found,
    without_league,
)

if TYPE_CHECKING:
    from coffeerush.league.store import Progress
    from coffeerush.league.table import OwnRecord
    from coffeerush.records.entries import Seated
    from coffeerush.records.listing import UnfinishedGame


MAX_SHOWN: Final = 99
"""Maximum number of games in a list."""
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
        self._counted = False
        self._person = person
        self._records = records
        self._moved_at = float("-inf")
        names = (*MENU_KEYS.names, *PAGE_KEYS.names)
        self._fullscreen = FullScreen(self, names, input, output)
        self.app = self._fullscreen.app

    async def run(self) -> None:
        """Show the menu until an errand is chosen."""
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
        """Draw the menu; what it looks up begins only now, so that no frame waits for it."""
        self.home = replace(self.home, page=replace(self.home.page, size=(columns, rows)))
        self._start_search()
        self._start_reading()
        self._start_counting()
        return draw_home(self.home, columns, rows, self._fullscreen.look)

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
        if home.errand is not None:
            self._fullscreen.close()

    def _start_search(self) -> None:
        """Start searching for tables where they are listed, unless a search is running."""
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
        if self.home.place in LEAGUE_PAGES and self.home.league is None and not self._reading:
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

    def _start_counting(self) -> None:
        """Start counting the person's results for the menu, once."""
        if self.home.place == "menu" and not self._counted:
            self._counted = True
            _count(self._records, self._show_record)

    def _show_record(self, record: "OwnRecord | None") -> None:
        self.home = replace(self.home, own_record=record)
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
    return await _PlainMenu(person, home, records, typed, finder).run()


class _PlainMenu:
    """The menu in plain mode: lines typed and told."""

    def __init__(
        self, person: LocalPerson, home: Home, records: Path, typed: TypedLines, finder: Finder
    ) -> None:
        self._person = person
        self._home = home
        self._records = records
        self._typed = typed
        self._finder = finder
        self._nearby: tuple[FoundTable, ...] = ()
        self._search: asyncio.Future[None] | None = None

    async def run(self) -> Home:
        """Tell and ask until an errand is chosen."""
        try:
            return await self._run()
        finally:
            if self._search:
                await _cancelled(self._search)

    async def _run(self) -> Home:
        while self._home.errand is None:
            await self._prepare()
            self._person.tell(told(self._home))
            line = await self._typed.next()
            if line is None:
                return replace(self._home, errand=Quit())
            before = self._home
            after = seen(self._person, before, answered(before, line), self._records)
            if after.settings.language != before.settings.language:
                set_language(after.settings.language or None)
            self._home = after
        return self._home

    async def _prepare(self) -> None:
        """Look up what the current place tells; in the menu, what is found later is told then."""
        home, person = self._home, self._person
        if home.place == "menu" and self._search is None:
            self._search = asyncio.ensure_future(self._finder(self._tell_tables, lambda: None))
            _count(self._records, self._tell_record)
        elif home.place == "menu":
            self._home = with_found(home, self._nearby)
        elif home.looking:
            person.tell([_("Looking for tables on your network…")])
            self._home = await _searched(home, self._finder)
        elif home.place in LEAGUE_PAGES and home.league is None:
            self._home = _league(self._records, partial(_tell_reading, person))(home)

    def _tell_tables(self, tables: tuple[FoundTable, ...]) -> None:
        """Tell new tables; those that vanish keep their numbers until the menu is told again."""
        self._nearby = tables
        if self._home.place == "menu":
            known = {table.address for table in self._home.found}
            new = [table for table in tables if table.address not in known]
            if new:
                self._home = replace(self._home, found=(*self._home.found, *new)[:MAX_FOUND])
                self._person.tell(told_tables(self._home))

    def _tell_record(self, record: "OwnRecord | None") -> None:
        """Tell the person's results, unless they are those that the menu has told."""
        if record and record != self._home.own_record:
            self._home = replace(self._home, own_record=record)
            self._person.tell([record_text(record)])


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


def _count(records: Path, tell: "Callable[[OwnRecord | None], None]") -> None:
    """Count the person's results in a thread that does not keep the program alive.

    There are none without records, or if the league cannot be read.
    """
    loop = asyncio.get_running_loop()

    def run() -> None:
        record = _own_record(records)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(tell, record)

    Thread(target=run, daemon=True).start()


def _own_record(records: Path) -> "OwnRecord | None":
    if not _has_records(records):
        return None
    # imported here so that the first frame does not wait for it
    from coffeerush.league.store import load_league
    from coffeerush.league.table import key_id, own_record
    from coffeerush.local.keys import own_public_keys

    try:
        league = load_league(records, lambda _done, _total: None)
    except CoffeeRushError:  # the league's page says why
        return None
    return own_record(league, {key_id(key) for key in own_public_keys()})


def _tell_reading(person: LocalPerson, done: int, total: int | None) -> None:
    from coffeerush.ui.words.league import reading_text

    person.tell([reading_text(done, total)])


def seen(person: LocalPerson, before: Home, after: Home, records: Path) -> Home:
    """Do the I/O of a change of state: save changed settings, list games."""
    if after.settings != before.settings:
        person.keep(after.settings)
        after = replace(after, name=person.name)
        if person.complaint:
            after = replace(after, notes=(person.complaint,), wrong=True)
    is_new = (before.place, before.settings.language) != (after.place, after.settings.language)
    if after.place == "records" and is_new:
        after = replace(after, games=_games(records))
    if after.place == "unfinished" and is_new:
        from coffeerush.records.listing import unfinished_games

        own = filter(None, (_unfinished(game, after.name) for game in unfinished_games(records)))
        after = replace(after, listed=tuple(islice(own, MAX_SHOWN)))
    return after


def with_own(home: Home, records: Path) -> Home:
    """Offer the person's own table that is still open, and their latest game if it is not over."""
    own = next(iter(own_tables()), None)
    addresses = _addresses(own) if own else frozenset()
    home = replace(home, own=own, own_addresses=addresses, unfinished=None, more_unfinished=0)
    if not _has_records(records, private=True):
        return home
    from coffeerush.records.listing import unfinished_game, unfinished_games

    latest = unfinished_game(records)
    more = unfinished_games(records, besides=latest.path if latest else None)
    return replace(
        home,
        unfinished=_unfinished(latest, home.name) if latest else None,
        more_unfinished=sum(game.owner is not None for game in more),
    )


def _unfinished(game: "UnfinishedGame", name: str) -> Unfinished | None:
    """Return a game to continue; None if nobody who played it owns its table.

    `name` is the person's, who may have been host to a table of others.
    """
    if game.owner is None:
        return None
    own = _own_seat(game, game.owner)
    seats, scores = game.record.head.seats, game.scores
    others = [(seat, other) for seat, other in enumerate(seats) if other is not own]
    best = max(scores[seat] for seat, _other in others)
    alone = own is not None and all(other.bot for _seat, other in others)
    return Unfinished(
        Continue(str(game.path), own.name if own else name, alone),
        game.record.head.table,
        game.round,
        tuple(_called(other, seat) for seat, other in others),
        f"{game.left:%Y-%m-%d %H:%M}",
        (scores[seats.index(own)] if own else 0, best),
        game.record.head.port,
    )


def _own_seat(game: "UnfinishedGame", owner: "Seated") -> "Seated | None":
    """Return where the person sat; None if only others played."""
    people = [seat for seat in game.record.head.seats if not seat.bot]
    if len(people) == 1:
        return owner
    from coffeerush.local.keys import own_public_keys  # imported late: few games need ZeroMQ

    own = own_public_keys()
    return next((seat for seat in (owner, *people) if seat.key in own), None)


def _addresses(own: OwnTable) -> frozenset[str]:
    """Return the addresses at which others may find the person's own table."""
    if own.moved:
        return frozenset((own.address,))
    from coffeerush.joining.interfaces import own_interfaces

    port = parse_address(own.address).port
    return frozenset(str(Address(str(interface.ip), port)) for interface in own_interfaces())


def _has_records(records: Path, *, private: bool = False) -> bool:
    """Return whether there are records; `private` ones may be of games that are not over.

    Imports no rules.
    """
    with suppress(OSError), os.scandir(records) as files:
        return any(
            not (private and file.stat().st_mode & 0o077)
            for file in files
            if file.name.endswith(".record")
        )
    return False


def _called(seated: "Seated", seat: int) -> str:
    """Return the name of a player in a record, with a mark for a bot: `Crema (bot)`."""
    view = SeatView("bot" if seated.bot else "person", seated.name, seated.bot)
    return seat_player(view, seat) + bot_mark(view)


def _games(records: Path) -> tuple[Recorded, ...]:
    # imported here so that the first frame does not wait for the rules
    from coffeerush.records.listing import finished_games

    return tuple(
        Recorded(
            str(game.path),
            f"{game.begun:%Y-%m-%d %H:%M}",
            tuple((_called(seated, seat), score) for seat, seated, score in game.players),
        )
        for game in finished_games(records)[:MAX_SHOWN]
    )
