"""`coffeerush` without a command: the start menu, and the commands behind its lines."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from coffeerush.client.error_words import error_line
from coffeerush.client.home.app import HomeScreen, ask, write_lines
from coffeerush.client.home.press import gone_to
from coffeerush.client.home.state import Home, Host, Join, Play, Quit, Replay, Wish, settled
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
    while not isinstance(home.wish, Quit):
        home = _shown(person, replace(home, wish=None))
        if home.wish is not None and not isinstance(home.wish, Quit):
            home = done(person, home, home.wish)


def _shown(person: Person, home: Home) -> Home:
    """Show the menu until something is chosen."""
    records = records_directory()
    if person.plain:
        return asyncio.run(ask(person, home, records, STANDARD_INPUT))
    screen = HomeScreen(person, home, records)
    asyncio.run(screen.run())
    return screen.home


def done(person: Person, home: Home, wish: Wish) -> Home:
    """Do what was chosen; what goes wrong is said where it was chosen."""
    try:
        notes = _do(person, wish)
    except (CoffeeRushError, ProtocolError) as error:
        return _settled(person, replace(home, notes=(error_line(error),), wrong=True))
    return _settled(person, replace(gone_to(home, "menu"), notes=notes, wrong=False))


def _settled(person: Person, home: Home) -> Home:
    """Return the menu with what the person has changed meanwhile, away from it."""
    return replace(settled(home, person.settings), name=person.name)


def _do(person: Person, wish: Wish) -> tuple[str, ...]:
    """Do it by the code of the commands, and return what is to be said of it."""
    match wish:
        case Play():
            _play(person, wish)
        case Host():
            return _host(person, wish)
        case Join():
            from coffeerush.client.address import parse_address
            from coffeerush.client.app import run

            run(person, parse_address(wish.address), wish.role)
        case Replay():
            _replay(person, wish)
    return ()


def _play(person: Person, wish: Play) -> None:
    from coffeerush.cli.play import play

    if wish.guide:
        person.keep(replace(person.settings, guided=False))
    play(person, wish.bots, _arguments(wish))


def _host(person: Person, wish: Host) -> tuple[str, ...]:
    from coffeerush.cli.host import TABLE_NAME, host_beside_a_screen

    seats = ["--table", clean_name(wish.table) or TABLE_NAME, "--seats", str(wish.seats)]
    bots = ["--bots", ",".join(wish.bots)]
    arguments = [*seats, *bots, *_arguments(wish)]
    return host_beside_a_screen(person, arguments, records_directory())


def _arguments(wish: Play | Host) -> list[str]:
    """Return what forms have in common, as arguments of `coffeerush host`."""
    starters = ["--starters"] if wish.starters else []
    return [*starters, "--turn-seconds", str(wish.turn_seconds)]


def _replay(person: Person, wish: Replay) -> None:
    path = Path(wish.path)
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
