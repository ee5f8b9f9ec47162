"""`coffeerush host`: a table for the LAN; `coffeerush guests`: a gateway beside one."""

import asyncio
import logging
import shlex
from collections.abc import Callable
from functools import partial
from itertools import chain, count
from pathlib import Path
from time import monotonic, time
from typing import Any, Final, get_args

import click
from click.core import ParameterSource
from msgspec.structs import replace

from coffeerush.client.connection import Way
from coffeerush.errors import HostError, UsageError
from coffeerush.host.children import (
    GatewayOptions,
    GatewayProcess,
    HostProcess,
    certificate_of,
    check_installed,
)
from coffeerush.host.run import GuestNotice
from coffeerush.host.server.parent import HostOptions, Ways
from coffeerush.joining.code import OPEN
from coffeerush.joining.enrolment import Enrolment, enrol
from coffeerush.joining.hosts import Address, parse_address
from coffeerush.joining.interfaces import AddressWatch, join_addresses
from coffeerush.local.keys import new_keys
from coffeerush.local.own_tables import own_tables
from coffeerush.local.processes import exit_if_a_thread_fails
from coffeerush.local.settings import MAX_TURN_SECONDS
from coffeerush.table_rules import TableRules
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.words.i18n import _
from protocol import MAX_PLAYERS, MAX_TABLES, MIN_PLAYERS, Rotation, clean_name, name_with_end

from . import examples
from .hosting import host_here, owner_keys, records_of
from .options import (
    bind_option,
    bot_kinds,
    code_argument,
    introduced,
    person_of,
    person_options,
    records_told,
)
from .tournament import check_played, plan_of, print_standings, tables_for, tournament_options

# `coffeerush host`: a table for the LAN, as the child of a person's screen or headless


HEADLESS_TURN_SECONDS: Final = 120
"""The default where no owner can remove a player who is there and does not move."""
_LAST_DOOR_PORT: Final = 65533
_RULES: Final = TableRules.__struct_fields__
_ON_RECORD: Final = ("table", "tables", "seats", "bots", "deck", "first", "resume_latest", *_RULES)
"""The options that a record determines, so that `--resume` excludes them."""


def _limited(context: click.Context, _option: click.Parameter, seconds: int | None) -> int:
    """Return the time limit of a turn; by default, there is one without a screen."""
    unless_told = HEADLESS_TURN_SECONDS if context.params["headless"] else 0
    return unless_told if seconds is None else seconds


@click.command(
    name="host",
    help=_(
        "Host a table on the LAN. The host runs in a separate process: when you leave, "
        "the table stays open for the others until the last of them has left. With "
        "--headless, the host runs in this terminal until Ctrl-C, and games start by "
        "themselves once all seats are taken."
    ),
    epilog=examples(
        "coffeerush host",
        "coffeerush host --table Kitchen --seats 3 --bots regular --turn-seconds 60",
        "coffeerush host --headless --bots regular,regular,my_bot.py:MyBot --games 10",
        "coffeerush host --headless --tables 8 --bots regular,casual",
        "coffeerush host --headless --tournament 12 --rounds 5",
        "coffeerush host --headless --resume Kitchen-20260131-201500-1.record",
    ),
)
@click.option("--table", default="", help=_("The name of the table."))
@click.option(
    "--seats",
    type=click.IntRange(MIN_PLAYERS, MAX_PLAYERS),
    help=_("Number of seats (default: 4; with --games, only as many as needed)."),
)
@click.option(
    "--tables",
    type=click.IntRange(1, MAX_TABLES),
    default=1,
    help=_("Number of tables at which people and bots can sit down (default: 1)."),
)
@click.option(
    "--most-tables",
    type=click.IntRange(1, MAX_TABLES),
    default=MAX_TABLES,
    help=_(
        "Maximum number of tables at once, including those that people open and those "
        "of a tournament (default: {count})."
    ).format(count=MAX_TABLES),
)
@click.option(
    "--bots", default="", help=_("Bots that are seated from the start, such as casual,regular.")
)
@click.option(
    "--port",
    type=click.IntRange(0, _LAST_DOOR_PORT),
    help=_(
        "The first of three consecutive ports (default: 47820, or with --resume the same as "
        "before); 0 picks free ones."
    ),
)
@bind_option
@click.option(
    "--open", is_flag=True, help=_("Require no join code: anybody who can reach the port can join.")
)
@click.option("--deck", type=click.Path(), help=_("Play with the deck in this file."))
@click.option("--starters", is_flag=True, help=_("Play with starter orders."))
@click.option(
    "--first",
    default="",
    help=_("Who begins the first game; drawn at random if nobody has that name."),
)
@click.option(
    "--turn-seconds",
    type=click.IntRange(0, MAX_TURN_SECONDS),
    callback=_limited,
    help=_(
        "Time limit per turn in seconds, 0 for none; a bot finishes longer turns "
        "(default: {seconds} with --headless, otherwise none)."
    ).format(seconds=HEADLESS_TURN_SECONDS),
)
@click.option(
    "--bot-seconds",
    type=click.IntRange(0, 30),
    default=0,
    help=_("Minimum time for a bot's turn in seconds, so that people can follow."),
)
@click.option("--hints/--no-hints", default=True, help=_("Whether players get hints and advice."))
@click.option(
    "--rotation",
    type=click.Choice(get_args(Rotation)),
    default="owner",
    help=_(
        "Who makes room between games for people in line for a seat: whom the owner chooses, the "
        "loser of each game, or everybody in turn."
    ),
)
@click.option("--seed", type=int, help=_("Random seed: the same number deals the same games."))
@click.option(
    "--record",
    type=click.Path(file_okay=False),
    help=_("The directory for game records (default: one inside your home directory)."),
)
@click.option(
    "--resume",
    type=click.Path(dir_okay=False),
    help=_("Resume the game in this record, for example after a crash."),
)
@click.option(
    "--resume-latest",
    is_flag=True,
    help=_("Resume the tables that were interrupted last, or open a new one."),
)
@click.option("--games", type=click.IntRange(0), default=0, help=_("Stop after this many games."))
@click.option(
    "--guests",
    is_flag=True,
    help=_("Also let people join with ssh or a browser, without this program."),
)
@click.option(
    "--tls-cert",
    type=click.Path(),
    default="",
    help=_("The certificate of the page for browsers, for https (with --guests)."),
)
@click.option(
    "--tls-key",
    type=click.Path(),
    default="",
    help=_("Its key, if that is in another file."),
)
@click.option(
    "--headless",
    is_flag=True,
    is_eager=True,
    help=_("Run without a screen, and log to this terminal."),
)
@tournament_options
@person_options
@click.pass_context
def host_command(
    context: click.Context,
    /,
    headless: bool,
    bots: str,
    **more: Any,
) -> None:
    """Run the host, headless or with a screen."""
    rules = TableRules(**{rule: more.pop(rule) for rule in _RULES if rule in more})
    plan = plan_of(context, rules)
    if plan is not None:
        more["tables"] = max(more["tables"], tables_for(plan))
    wanted = HostOptions(bots=bot_kinds(bots), rules=rules, tournament=plan, **more)
    if wanted.resume is not None:
        _check_conflicts_with_resume(context)
    if wanted.tables > wanted.most_tables:
        raise UsageError(
            "--most-tables {most} is less than --tables {tables}.",
            most=wanted.most_tables,
            tables=wanted.tables,
        )
    if headless:
        shown = host_here(wanted)
        if plan is not None and shown is not None:
            print_standings(context, shown)
            check_played(shown)
    else:
        person = person_of(context)
        if wanted.resume is None and not wanted.resume_latest:  # a record has the name
            introduced(person)
        for line in host_beside_a_screen(person, wanted):
            click.echo(line)
        click.echo(records_told(records_of(wanted)))


def _check_conflicts_with_resume(context: click.Context) -> None:
    for parameter in context.command.params:
        name = parameter.name
        typed = name and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and name in _ON_RECORD:
            raise UsageError(
                "The options of a resumed game come from its record; leave out {option}.",
                option=parameter.opts[0],
            )


def host_beside_a_screen(
    person: LocalPerson, wanted: HostOptions, name: str = ""
) -> tuple[str, ...]:
    """Open a table owned by `person`, play there, and return the lines to print afterwards.

    `name` is the one that the person had at a table that is resumed; by default the present one.
    """
    from coffeerush.host.children import spawn_host
    from coffeerush.joining.hosts import Address
    from coffeerush.records.writing import load_record
    from coffeerush.ui.run import run
    from coffeerush.ui.words.names import table_of

    if wanted.resume is not None:
        load_record(Path(wanted.resume))  # else a key would be left beside what is no record
    name, records = name or person.name, records_of(wanted)
    table = wanted.table or _told_apart(table_of(name))
    keys = owner_keys(records, name)
    since = time()
    wanted = replace(wanted, owner=keys.public.decode(), person=name, table=table)
    process = _spawned(person, partial(spawn_host, wanted))
    goes_on = has_moved = False
    try:
        here = Address(process.address, process.port)
        stay = run(person, here, "player", name=name, keys=keys, host=process)
        has_moved = stay.has_moved
    finally:
        killed = not process.is_running()
        goes_on = process.leave(has_moved=has_moved)
    if stay.goes_on:
        return (stays_open(str(stay.address), name),)
    if stay.has_moved:
        return (has_moved_to(str(stay.address), name),)
    if killed:
        return _resume_hint(records, since)
    if not goes_on:
        return ()
    return (stays_open(str(here), name),)


def _told_apart(table: str) -> str:
    """Return a table's name with a number if this user has an open one of that name."""
    taken = {own.table for own in own_tables()}
    numbered = (name_with_end(table, f" {number}") for number in count(2))
    return next(name for name in chain([table], numbered) if name not in taken)


def _spawned(person: LocalPerson, spawn: Callable[[], HostProcess]) -> HostProcess:
    """Return a host that `spawn` starts; on the full screen, a page says so meanwhile."""
    if person.plain:
        return spawn()
    from coffeerush.ui.table.table_app import shown_while
    from coffeerush.ui.terminal.fullscreen import FullScreen

    return asyncio.run(shown_while(person.settings, partial(FullScreen, names=()), spawn))


def has_moved_to(address: str, name: str) -> str:
    """Return the line for somebody whose table has moved to another computer."""
    text = _(
        "The table has moved to another computer; come back with: coffeerush join "
        "{address} --name {name}"
    )
    return text.format(address=address, name=shlex.quote(name))


def stays_open(address: str, name: str) -> str:
    """Return the line for somebody who leaves the table of a host on this machine to others."""
    text = _(
        "The table stays open for the others until the last of them has left; come "
        "back with: coffeerush join {address} --name {name}"
    )
    return text.format(address=address, name=shlex.quote(name))


def _resume_hint(records: Path, since: float) -> tuple[str, ...]:
    """Return the command that resumes the game or the tournament that its end has interrupted."""
    from coffeerush.records.listing import unfinished_game
    from coffeerush.tournament.journal import is_unfinished

    if is_unfinished(records, since):
        text = _("The host has stopped; resume its tournament with: {command}")
        return (text.format(command="coffeerush host --resume-latest"),)
    game = unfinished_game(records, since)
    if game is None:
        return ()
    text = _("The host has stopped; resume its game with: coffeerush host --resume {path}")
    return (text.format(path=shlex.quote(str(game.path))),)


# `coffeerush guests`: a gateway beside somebody's table, for guests without this program


SSH_PORT: Final = 47823
_log: Final = logging.getLogger(__name__)


@click.command(
    name="guests",
    help=_(
        "Let people join the table at ADDRESS with ssh or a browser, without this "
        "program. CODE is the three words shown on the host's screen, or “open” if "
        "there is none. With ssh, guests also type it; with a browser, they type a "
        "number that this command shows next to their name. Runs until Ctrl-C. For "
        "your own table, use coffeerush host --guests."
    ),
    epilog=examples("coffeerush guests 192.168.0.12 apple tiger moon"),
)
@click.argument("address")
@code_argument
@click.option(
    "--port",
    type=click.IntRange(0, 65534),
    default=SSH_PORT,
    show_default=True,
    help=_("The port for ssh; the page for browsers uses the next one. 0 picks free ones."),
)
@bind_option
@click.option(
    "--tls-cert",
    type=click.Path(),
    default="",
    help=_("The certificate of the page for browsers, for https."),
)
@click.option(
    "--tls-key",
    type=click.Path(),
    default="",
    help=_("Its key, if that is in another file."),
)
@click.pass_context
def guests_command(
    context: click.Context,
    address: str,
    code: str,
    port: int,
    bind: str,
    tls_cert: str,
    tls_key: str,
) -> None:
    """Serve guests until a signal ends the program."""
    check_installed()
    certificate_of(tls_cert, tls_key)
    if not code:
        raise UsageError(
            "Guests need the table's code; type it after the address, or “open” if it has none."
        )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    door = parse_address(address)
    table = asyncio.run(_checked(door, code))
    secret = "" if code == OPEN else code
    options = GatewayOptions(
        *(table.host, door.port, table.banner.key, secret, clean_name(table.banner.table)),
        *(bind, port, port and port + 1, tls_cert, tls_key),
        only_these_ports=context.get_parameter_source("port") is ParameterSource.COMMANDLINE,
        is_here=table.is_here,
        owner=clean_name(table.banner.owner),
    )
    exit_if_a_thread_fails()
    addresses = join_addresses(bind)
    notice = GuestNotice(tuple(addresses))
    watch = AddressWatch(bind, addresses, lambda now: notice.move(tuple(now)))

    def tell(ways: Ways) -> None:
        if not ways.failed:  # else the command ends with it
            notice.tell(ways, monotonic())

    gateway = GatewayProcess(options, tell, _tell_spent)
    try:
        failed = gateway.wait()
    finally:
        watch.stop()
        gateway.stop()
    raise HostError(failed)


async def _checked(door: Address, code: str) -> Enrolment:
    """Check the code with the host, and return what it has proved."""
    table = await enrol(Way(door, "", code, new_keys()))
    if table.banner.code and code == OPEN:
        raise UsageError("This table has a code; type it after the address.")
    return table


def _tell_spent() -> None:
    _log.warning("Too many wrong codes were tried: nobody new is let in. Start this command again.")
