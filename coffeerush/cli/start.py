"""`coffeerush` without a command: the start menu; `join` and `watch` show parts of it."""

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.errors import CoffeeRushError
from coffeerush.joining.door import Removed
from coffeerush.joining.enrolment import WrongCode
from coffeerush.joining.hosts import AnotherHost, CodeNeeded
from coffeerush.local.files import records_directory
from coffeerush.local.settings import settings_path
from coffeerush.ui.menu.menu import (
    Continue,
    Errand,
    Home,
    Host,
    Join,
    MenuPage,
    Play,
    Quit,
    ShowReplay,
    settled,
)
from coffeerush.ui.menu.menu_app import HomeScreen, ask, with_own
from coffeerush.ui.menu.menu_input import asking_for_code, back, gone_to, resettled
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.plain_app import STANDARD_INPUT
from coffeerush.ui.words.errors import error_line
from protocol import ProtocolError, clean_name

from .options import records_told

if TYPE_CHECKING:
    from coffeerush.host.server.parent import HostOptions

GUIDED_SEED: Final = 42
"""Deals a first game in which everything that the guide explains comes up, and that following the
hints wins."""
_CODE_HELPS: Final = (CodeNeeded, WrongCode)


def start(person: LocalPerson) -> None:
    """Show the menu and do what is chosen there, again and again, until the person quits."""
    # preselect the guided game for people who have not seen the guide
    home = with_own(_home(person), records_directory())
    home = replace(home, row=0 if person.settings.guided or home.unfinished or home.own else 1)
    while not isinstance(home.errand, Quit):
        home = _shown(person, replace(home, errand=None))
        if home.errand is not None and not isinstance(home.errand, Quit):
            home = returned(done(person, home, home.errand), home.errand, records_directory())


def join_table(person: LocalPerson, role: Role, address: str, code: str) -> None:
    """Play or watch at a table until it is over; ask for its address or code if necessary.

    `address` and `code` are empty if not given. Raises `CoffeeRushError` if the person gives up.
    """
    home, last = _home(person), None
    if address:
        join = Join(address, role, code)
        last = _try_join(person, join)
        if not isinstance(last, _CODE_HELPS):
            return _ended(last)
        home = replace(failed(home, join, last), root="code")
    else:
        place: MenuPage = "join" if role == "player" else "watch"
        home = replace(gone_to(home, place), root=place)
    while isinstance((home := _shown(person, home)).errand, Join):
        last = _try_join(person, home.errand)
        if last is None or isinstance(last, Removed):
            break
        home = _settled(person, failed(home, home.errand, last))
    return _ended(last)


def _try_join(person: LocalPerson, join: Join) -> Exception | None:
    """Join a table and stay until it is over; return the error if that fails."""
    try:
        for line in _join(person, join):
            click.echo(line)
    except (CoffeeRushError, ProtocolError) as error:
        return error
    return None


def _ended(error: Exception | None) -> None:
    if error is not None:
        raise error


def _home(person: LocalPerson) -> Home:
    return settled(Home(name=person.name, kept_in=str(settings_path())), person.settings)


def _shown(person: LocalPerson, home: Home) -> Home:
    """Show the menu until something is chosen."""
    records = records_directory()
    if person.plain:
        return asyncio.run(ask(person, home, records, STANDARD_INPUT))
    screen = HomeScreen(person, home, records)
    asyncio.run(screen.run())
    return screen.home


def done(person: LocalPerson, home: Home, errand: Errand) -> Home:
    """Do what was chosen in the menu; errors are shown on the same page."""
    try:
        notes = _do(person, errand)
    except (CoffeeRushError, ProtocolError) as error:
        return _settled(person, failed(home, errand, error))
    return _settled(person, replace(gone_to(home, "menu"), notes=notes, wrong=False))


def returned(home: Home, errand: Errand, records: Path) -> Home:
    """Return the menu after `errand`; after a game, Enter goes back to it or plays another."""
    home = with_own(home, records)
    own = (
        isinstance(errand, Play | Continue)
        or (isinstance(errand, Host) and home.unfinished)
        or (isinstance(errand, Host | Join) and home.own)
    )
    return replace(home, row=0) if own and home.place == "menu" and not home.wrong else home


def failed(home: Home, errand: Errand, error: Exception) -> Home:
    """Return the menu with an error on it; ask for the code if that would help."""
    if isinstance(errand, Join) and isinstance(error, _CODE_HELPS):
        home = asking_for_code(home, errand)
    elif home.place == "code" and isinstance(error, Removed):
        home = back(home)  # a code does not help
    wrong = isinstance(error, AnotherHost) or not isinstance(error, CodeNeeded)
    return replace(home, notes=(error_line(error),), wrong=wrong, errand=None)


def _settled(person: LocalPerson, home: Home) -> Home:
    """Update the menu with settings changed elsewhere."""
    return replace(resettled(home, person.settings), name=person.name)


def _do(person: LocalPerson, errand: Errand) -> tuple[str, ...]:
    """Run what was chosen, with the code of the commands; return the notes to show."""
    match errand:
        case Play():
            _play(person, errand)
        case Host():
            return _host(person, errand)
        case Join():
            return _join(person, errand)
        case ShowReplay():
            _replay(person, errand)
        case Continue():
            return _continue(person, errand)
    return ()


def _join(person: LocalPerson, errand: Join) -> tuple[str, ...]:
    """Stay at a table until it is over; return where the records are, if there are new ones."""
    from coffeerush.joining.hosts import parse_address
    from coffeerush.ui.run import run

    kept = run(person, parse_address(errand.address), errand.role, errand.code)
    return (records_told(records_directory()),) if kept else ()


def _play(person: LocalPerson, errand: Play) -> None:
    from .play import play

    if errand.guide:
        person.keep(replace(person.settings, guided=False))
    play(person, lambda: options_of(errand))


def _host(person: LocalPerson, errand: Host) -> tuple[str, ...]:
    from .host import host_beside_a_screen

    return host_beside_a_screen(person, options_of(errand))


def _continue(person: LocalPerson, errand: Continue) -> tuple[str, ...]:
    from coffeerush.host.server.parent import HostOptions

    wanted = HostOptions(resume=errand.path)
    if not errand.alone:
        from .host import host_beside_a_screen

        return host_beside_a_screen(person, wanted, errand.name)
    from .play import play

    play(person, lambda: wanted, errand.name)
    return ()


def options_of(errand: Play | Host) -> "HostOptions":
    """Turn a form of the menu into the options of a host."""
    from coffeerush.host.server.parent import TABLE_NAME, HostOptions

    wanted = HostOptions(
        bots=errand.bots, starters=errand.starters, turn_seconds=errand.turn_seconds
    )
    if isinstance(errand, Play):
        return replace(wanted, seed=GUIDED_SEED if errand.guide else None)
    table = clean_name(errand.table) or TABLE_NAME
    return replace(
        wanted, table=table, seats=errand.seats, open=errand.is_open, guests=errand.guests
    )


def _replay(person: LocalPerson, errand: ShowReplay) -> None:
    path = Path(errand.path)
    if not person.plain:
        from coffeerush.ui.replay.replay_app import show_replay

        show_replay(path, person.settings, person.keep)
        return
    from coffeerush.records.writing import load_record
    from coffeerush.ui.replay.replay import Replay as Steps

    from .replay import step

    step(Steps(load_record(path)), person.tell, partial(_asked, person))


def _asked(person: LocalPerson, prompt: str) -> str | None:
    """Read a line from the menu's standard input, so that no typed-ahead line is lost."""
    person.tell([prompt])
    return asyncio.run(STANDARD_INPUT.next())
