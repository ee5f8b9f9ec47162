"""`coffeerush` without a command: the start menu, and the commands behind its lines."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from coffeerush.client.error_words import error_line
from coffeerush.client.home.app import HomeScreen, ask, write_lines
from coffeerush.client.home.press import gone_to
from coffeerush.client.home.state import Errand, Home, Host, Join, Play, Quit, Replay, settled
from coffeerush.client.person import Person
from coffeerush.client.screen.ui import Ui
from coffeerush.client.typed import STANDARD_INPUT
from coffeerush.errors import CoffeeRushError
from coffeerush.places import records_directory
from coffeerush.settingsfile import settings_path
from protocol import ProtocolError, clean_name


def start(person: Person) -> None:
    """Show the menu, do what is chosen there, and show it again, until the person has enough."""
    home = Home(
        ui=Ui(settings=person.settings),
        # whoever has not seen the guide yet may be new here
        row=0 if person.settings.guided else 1,
        name=person.name,
        kept_in=str(settings_path()),
    )
    while not isinstance(home.errand, Quit):
        home = _shown(person, replace(home, errand=None))
        if home.errand is not None and not isinstance(home.errand, Quit):
            home = done(person, home, home.errand)


def _shown(person: Person, home: Home) -> Home:
    """Show the menu until something is chosen."""
    records = records_directory()
    if person.plain:
        return asyncio.run(ask(person, home, records, STANDARD_INPUT))
    screen = HomeScreen(person, home, records)
    asyncio.run(screen.run())
    return screen.home


def done(person: Person, home: Home, errand: Errand) -> Home:
    """Do what was chosen; what goes wrong is said where it was chosen."""
    try:
        notes = _do(person, errand)
    except (CoffeeRushError, ProtocolError) as error:
        return _settled(person, replace(home, notes=(error_line(error),), wrong=True))
    return _settled(person, replace(gone_to(home, "menu"), notes=notes, wrong=False))


def _settled(person: Person, home: Home) -> Home:
    """Return the menu with what the person has changed meanwhile, away from it."""
    return replace(settled(home, person.settings), name=person.name)


def _do(person: Person, errand: Errand) -> tuple[str, ...]:
    """Do it by the code of the commands, and return what is to be said of it."""
    match errand:
        case Play():
            _play(person, errand)
        case Host():
            return _host(person, errand)
        case Join():
            from coffeerush.client.address import parse_address
            from coffeerush.client.app import run

            run(person, parse_address(errand.address), errand.role)
        case Replay():
            _replay(person, errand)
    return ()


def _play(person: Person, errand: Play) -> None:
    from coffeerush.cli.play import play

    if errand.guide:
        person.keep(replace(person.settings, guided=False))
    play(person, errand.bots, _arguments(errand))


def _host(person: Person, errand: Host) -> tuple[str, ...]:
    from coffeerush.cli.host import TABLE_NAME, host_beside_a_screen

    seats = ["--table", clean_name(errand.table) or TABLE_NAME, "--seats", str(errand.seats)]
    bots = ["--bots", ",".join(errand.bots)]
    arguments = [*seats, *bots, *_arguments(errand)]
    return host_beside_a_screen(person, arguments, records_directory())


def _arguments(errand: Play | Host) -> list[str]:
    """Return what forms have in common, as arguments of `coffeerush host`."""
    starters = ["--starters"] if errand.starters else []
    return [*starters, "--turn-seconds", str(errand.turn_seconds)]


def _replay(person: Person, errand: Replay) -> None:
    path = Path(errand.path)
    if not person.plain:
        from coffeerush.client.replay.app import show_replay

        show_replay(path, person.settings, person.keep)
        return
    from coffeerush.cli.replay import step
    from coffeerush.client.replay.frames import Replay as Steps
    from coffeerush.host.journal import load_record

    step(Steps(load_record(path)), _asked)


def _asked(prompt: str) -> str | None:
    """Ask where the menu asks: a line is typed once, and read in one place."""
    write_lines([prompt])
    return asyncio.run(STANDARD_INPUT.next())
