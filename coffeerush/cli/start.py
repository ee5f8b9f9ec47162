"""`coffeerush` without a command: the start menu; `join`, `watch` and `play` are parts of it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.errors import CoffeeRushError, UsageError
from coffeerush.joining.door import Removed, Unreachable
from coffeerush.joining.enrolment import WrongCode
from coffeerush.joining.hosts import AnotherHost, CodeNeeded
from coffeerush.levels import LEVELS
from coffeerush.local.files import records_directory
from coffeerush.local.own_tables import own_tables
from coffeerush.local.settings import settings_path
from coffeerush.table_rules import TableRules
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
    lines_of,
    moved_on,
    settled,
)
from coffeerush.ui.menu.menu_app import HomeScreen, ask, with_own
from coffeerush.ui.menu.menu_input import asking_for_code, back, gone_to, resettled, with_found
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.typed_lines import STANDARD_INPUT
from coffeerush.ui.terminal.canvas import width
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _
from protocol import MAX_PLAYERS, ProtocolError, clean_name, clean_speaker

from . import examples
from .options import (
    bot_kinds,
    code_argument,
    introduced,
    person_of,
    person_options,
    records_told,
    typed_answer,
)

if TYPE_CHECKING:
    from coffeerush.client.connection import Way
    from coffeerush.host.server.parent import HostOptions


GUIDED_SEED: Final = 37
"""Deals a first game in which nearly all that the guide explains comes up, and that following the
hints wins."""
_CODE_HELPS: Final = (CodeNeeded, WrongCode)


def start(person: LocalPerson) -> None:
    """Show the menu and do what is chosen there, again and again, until the person quits."""
    # preselect the guided game for people who have not seen the guide
    home = with_own(_home(person), records_directory())
    home = replace(home, row=0 if person.settings.guided or home.unfinished or home.own else 1)
    home = gone_to(home, "menu" if person.settings.is_introduced else "name")
    while not isinstance(home.errand, Quit):
        home = _shown(person, replace(home, errand=None))
        if home.errand is not None and not isinstance(home.errand, Quit):
            home = returned(done(person, home, home.errand), home.errand, records_directory())
    person.tell(_left_open(person))


def _left_open(person: LocalPerson) -> Iterator[str]:
    """Yield that the person's own table goes on, and how to come back, as the menu's key did."""
    own = next((table for table in own_tables() if not table.guest), None)
    if own:
        from .host import has_moved_to, stays_open  # not before the first frame, it is slow to load

        yield (has_moved_to if own.moved else stays_open)(own.address, own.name or person.name)


def _join_table(person: LocalPerson, role: Role, address: str, code: str) -> None:
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
        lines, kept = _join(person, join)
        for line in (*lines, *([records_told(records_directory())] if kept else [])):
            click.echo(line)
    except (CoffeeRushError, ProtocolError) as error:
        return error
    return None


def _ended(error: Exception | None) -> None:
    if error is not None:
        raise error


def _home(person: LocalPerson) -> Home:
    home = Home(name=person.name, kept_in=str(settings_path()), looking=True)
    return settled(home, person.settings)


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
        with _waiting(person, errand):
            notes = _do(person, errand)
        if own_tables():  # a key leads back
            notes = ()
    except (CoffeeRushError, ProtocolError) as error:
        is_gone = isinstance(error, Unreachable)
        if is_gone and isinstance(errand, Join) and (there := moved_on(home, errand)):
            return done(person, home, there)
        return _settled(person, failed(home, errand, error))
    after = home if isinstance(errand, ShowReplay) else gone_to(home, "menu")
    return _settled(person, replace(after, notes=notes, wrong=False))


@contextmanager
def _waiting(person: LocalPerson, errand: Errand) -> Iterator[None]:
    """Say what begins while no screen is shown: that of a table takes seconds on a busy machine."""
    text = ""
    if not person.plain and not isinstance(errand, ShowReplay):
        is_join = isinstance(errand, Join)
        text = _("Joining the table…") if is_join else _("Setting up the table…")
    click.echo(text, nl=False)
    try:
        yield
    finally:
        click.echo("\r" + " " * width(text) + "\r" if text else "", nl=False)


def returned(home: Home, errand: Errand, records: Path) -> Home:
    """Return the menu after `errand`; after a game, Enter goes back to it or plays another."""
    before = home
    home = with_own(home, records)
    own = (
        isinstance(errand, Play | Continue)
        or (isinstance(errand, Host) and home.unfinished)
        or (isinstance(errand, Host | Join) and home.own)
    )
    if home.place != "menu":
        return home
    if own and not home.wrong:
        return replace(home, row=0)
    # the same line stays selected, whatever has come above it, or has gone
    return replace(home, row=max(home.row + len(lines_of(home)) - len(lines_of(before)), 0))


def failed(home: Home, errand: Errand, error: Exception) -> Home:
    """Return the menu with an error on it; ask for the code if that would help."""
    if isinstance(errand, Join) and isinstance(error, _CODE_HELPS):
        home = asking_for_code(home, errand)
    elif home.place == "code" and isinstance(error, Removed | Unreachable):
        home = back(home)  # a code does not help
    if isinstance(errand, Join) and isinstance(error, Unreachable):
        home = with_found(home, [game for game in home.found if game.address != errand.address])
    wrong = isinstance(error, AnotherHost) or not isinstance(error, CodeNeeded)
    return replace(home, notes=(error_line(error),), wrong=wrong, errand=None)


def _settled(person: LocalPerson, home: Home) -> Home:
    """Update the menu with settings changed elsewhere."""
    return replace(resettled(home, person.settings), name=person.name)


def _do(person: LocalPerson, errand: Errand) -> tuple[str, ...]:
    """Run what was chosen, with the code of the commands; return the notes to show.

    Where the records are is none of them: the menu has a line for them.
    """
    match errand:
        case Play():
            if errand.guide:
                person.keep(replace(person.settings, guided=False))
            since = time()
            play(person, lambda: options_of(errand))
            if errand.guide:  # it deals the same game again
                from coffeerush.records.listing import discard_unplayed

                discard_unplayed(records_directory(), since)
        case Host():
            from .host import host_beside_a_screen

            return host_beside_a_screen(person, options_of(errand))
        case Join():
            return _join(person, errand)[0]
        case ShowReplay():
            _replay(person, errand)
        case Continue():
            return _continue(person, errand)
    return ()


def _join(person: LocalPerson, errand: Join) -> tuple[tuple[str, ...], bool]:
    """Stay at a table until it is over; return what to say, and whether there are new records."""
    from coffeerush.joining.hosts import parse_address
    from coffeerush.local.own_tables import moved_table
    from coffeerush.ui.run import run

    name, address = errand.name or person.name, parse_address(errand.address)
    stay = run(person, address, errand.role, errand.code, name=name)
    lines: tuple[str, ...] = ()
    moved = moved_table() if stay.has_moved else None
    from .host import has_moved_to, stays_open  # not before the first frame, it is slow to load

    if stay.goes_on:
        lines = (stays_open(str(stay.address), name),)
    elif moved and moved.address == str(stay.address):  # it is this person's own
        lines = (has_moved_to(moved.address, name),)
    return lines, stay.kept


def _continue(person: LocalPerson, errand: Continue) -> tuple[str, ...]:
    from coffeerush.host.server.parent import HostOptions

    wanted = HostOptions(resume=errand.path)
    if not errand.alone:
        from .host import host_beside_a_screen

        return host_beside_a_screen(person, wanted, errand.name)
    play(person, lambda: wanted, errand.name)
    return ()


def options_of(errand: Play | Host) -> "HostOptions":
    """Turn a form of the menu into the options of a host."""
    from coffeerush.host.server.parent import HostOptions

    wanted = HostOptions(bots=errand.bots, rules=errand.rules)
    if isinstance(errand, Play):
        return replace(wanted, seed=GUIDED_SEED if errand.guide else None)
    table = clean_name(errand.table)
    return replace(
        wanted, table=table, seats=errand.seats, open=errand.is_open, guests=errand.guests
    )


def _replay(person: LocalPerson, errand: ShowReplay) -> None:
    path = Path(errand.path)
    if not person.plain:
        from coffeerush.ui.replay.replay_app import show_replay

        show_replay(path, person.settings, person.keep, from_menu=True)
        return
    from coffeerush.records.writing import load_record
    from coffeerush.ui.replay.replay import Replay

    from .records import step

    step(Replay(load_record(path)), person.tell, partial(typed_answer, person))


# `coffeerush join`: sit down at somebody's table


@click.command(
    name="join",
    help=_(
        "Join the table at ADDRESS. CODE is the three words shown on the host's "
        "screen. Without an address, choose from the tables found on your network. If "
        "you come back under the same name, you get your seat and your cups back, "
        "without the code."
    ),
    epilog=examples(
        "coffeerush join",
        "coffeerush join 192.168.0.12 apple tiger moon",
        "coffeerush join 192.168.0.12:47830 apple-tiger-moon --name Ann",
        "coffeerush join [fe80::1%eth0]:47820 --plain",
    ),
)
@click.argument("address", default="")
@code_argument
@person_options
@click.pass_context
def join_command(context: click.Context, address: str, code: str) -> None:
    """Play at the table until the person leaves."""
    _join_table(introduced(person_of(context)), "player", address, code)


# `coffeerush watch`: watch somebody's table as a spectator


@click.command(
    name="watch",
    help=_(
        "Watch a game at the table at ADDRESS. CODE is the three words shown on the "
        "host's screen. Without an address, choose from the tables found on your "
        "network. You see what everybody sees, but not what is in anybody's cups."
    ),
    epilog=examples(
        "coffeerush watch",
        "coffeerush watch 192.168.0.12 apple tiger moon",
        "coffeerush watch cafe.local:47830 apple-tiger-moon --plain",
    ),
)
@click.argument("address", default="")
@code_argument
@person_options
@click.pass_context
def watch_command(context: click.Context, address: str, code: str) -> None:
    """Watch until it is over."""
    _join_table(introduced(person_of(context)), "spectator", address, code)


# `coffeerush play`: a table on this machine, for one person and bots


_HERE = "127.0.0.1"


@click.command(
    name="play",
    help=_(
        "Play on this machine against bots. The table is yours alone, and closes when you leave."
    ),
    epilog=examples(
        "coffeerush play",
        "coffeerush play --bots regular",
        "coffeerush play --bots casual,regular,my_bot.py:MyBot --starters --turn-seconds 60",
    ),
)
@click.option(
    "--bots",
    default="casual,regular",
    show_default=True,
    help=_("One to three opponents: {known}, or FILE.py:Class.").format(known=", ".join(LEVELS)),
)
@click.option("--seed", type=int, help=_("Random seed: the same number deals the same game."))
@click.option("--deck", type=click.Path(), help=_("Play with the deck in this file."))
@click.option("--starters", is_flag=True, help=_("Play with starter orders."))
@click.option("--first", help=_("Name of the start player (default: drawn at random)."))
@click.option(
    "--turn-seconds",
    type=click.IntRange(0, 3600),
    default=0,
    help=_("Time limit per turn in seconds; a bot finishes longer turns (default: no limit)."),
)
@person_options
@click.pass_context
def play_command(
    context: click.Context,
    /,
    bots: str,
    seed: int | None,
    deck: str | None,
    first: str | None,
    **rules: Any,
) -> None:
    """Open the table, start its game, and play."""
    person = person_of(context)
    kinds = bot_kinds(bots)
    if not 1 <= len(kinds) < MAX_PLAYERS:
        raise UsageError("--bots takes one to three opponents, as in --bots casual,regular.")
    introduced(person)
    start_player = "" if first is None else _start_player(first, person.name, kinds)

    def wanted() -> "HostOptions":
        from coffeerush.host.server.parent import HostOptions

        return HostOptions(
            bots=kinds,
            seed=seed,
            deck=deck,
            rules=TableRules(**rules),
            first=start_player,
        )

    since = time()
    play(person, wanted)
    # imported here so that the first frame does not wait for the rules
    from coffeerush.records.listing import unfinished_game

    if unfinished_game(records_directory(), since):
        click.echo(_("Your game is not over; continue it from the menu: coffeerush"))
    click.echo(records_told(records_directory()))


def play(person: "LocalPerson", wanted: "Callable[[], HostOptions]", name: str = "") -> None:
    """Open a table, start or resume its game, and play until the person leaves.

    Args:
        person: the local user.
        wanted: called after the first frame; the options have one to three bots, or `resume`.
        name: the one that the person had in a game that is resumed; by default the present one.
    """
    from coffeerush.ui.run import run_own

    with ExitStack() as stack:
        run_own(person, lambda: _open(wanted(), name or person.name, stack))


def _start_player(first: str, own: str, kinds: Sequence[str]) -> str:
    """Return the host's name of the player called `first` at the table; raises `UsageError`."""
    from coffeerush.host.table.people import bot_name, is_taken, unique_name
    from coffeerush.ui.words.names import item_list, player_name

    bots: list[str] = []
    for seat, kind in enumerate(kinds):
        bots.append(bot_name(kind, seat, bots))
    own = unique_name(own, bots)
    shown = [player_name(bots[seat], kind, seat) for seat, kind in enumerate(kinds)]
    for name, *spellings in ((own,), *zip(bots, shown, strict=True)):
        if is_taken(clean_speaker(first), (name, *spellings)):
            return name
    raise UsageError(
        "Nobody at this table is called {name}; --first takes one of: {names}.",
        name=first,
        names=item_list((own, *shown)),
    )


def _open(wanted: "HostOptions", name: str, stack: ExitStack) -> "Way":
    """Start the host of the table; `stack` stops it."""
    from coffeerush.client.connection import Way
    from coffeerush.host.children import spawn_host
    from coffeerush.joining.hosts import Address

    from .hosting import owner_keys

    keys = owner_keys(records_directory(), name)
    seats = None if wanted.resume else len(wanted.bots) + 1
    owner = keys.public.decode()
    private = replace(wanted, seats=seats, bind=_HERE, port=0, owner=owner, stop="at_once")
    host = stack.enter_context(spawn_host(private))
    return Way(Address(host.address, host.port), name, keys=keys)
