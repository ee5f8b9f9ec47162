"""`coffeerush host`: a table for the LAN, as the child of a person's screen or headless."""

import shlex
from contextlib import nullcontext
from pathlib import Path
from time import time
from typing import Any, Final

import click
from click.core import ParameterSource
from msgspec.structs import replace

from coffeerush.cli import examples
from coffeerush.errors import UsageError
from coffeerush.host.server.parent import TABLE_NAME, HostOptions
from coffeerush.joining.interfaces import with_port
from coffeerush.local.settings import MAX_TURN_SECONDS
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.words.i18n import _
from protocol import MAX_PLAYERS, MIN_PLAYERS

from .host_options import host_here, owner_keys, records_of
from .options import bot_kinds, person_of, person_options, records_told

HEADLESS_TURN_SECONDS: Final = 120
"""The default where no owner can remove a player who is there and does not move."""
_LAST_DOOR_PORT: Final = 65533
_ON_RECORD: Final = (
    *("table", "seats", "bots", "deck", "starters", "first", "turn_seconds", "resume_latest"),
    *("bot_seconds", "hints"),
)
"""The options that a record determines, so that `--resume` excludes them."""


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
        "coffeerush host --headless --resume Kitchen-20260131-201500-1.record",
    ),
)
@click.option("--table", default=TABLE_NAME, help=_("The name of the table."))
@click.option(
    "--seats",
    type=click.IntRange(MIN_PLAYERS, MAX_PLAYERS),
    help=_("Number of seats (default: 4; with --games, only as many as needed)."),
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
@click.option("--bind", default="*", help=_("The address to listen on (default: all addresses)."))
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
    help=_("Resume the most recently interrupted game, or open a new table."),
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
@click.option("--headless", is_flag=True, help=_("Run without a screen, and log to this terminal."))
@person_options
@click.pass_context
def command(
    context: click.Context,
    /,
    headless: bool,
    bots: str,
    turn_seconds: int | None,
    **more: Any,
) -> None:
    """Run the host, headless or with a screen."""
    if turn_seconds is None:
        turn_seconds = HEADLESS_TURN_SECONDS if headless else 0
    wanted = HostOptions(bots=bot_kinds(bots), turn_seconds=turn_seconds, **more)
    if wanted.resume is not None:
        _check_conflicts_with_resume(context)
    if headless:
        host_here(wanted)
    else:
        for line in host_beside_a_screen(person_of(context), wanted):
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
    from coffeerush.ui.terminal.fullscreen import unechoed

    if wanted.resume is not None:
        load_record(Path(wanted.resume))  # else a key would be left beside what is no record
    name, records = name or person.name, records_of(wanted)
    keys = owner_keys(records, name)
    since = time()
    with nullcontext() if person.plain else unechoed():
        process = spawn_host(replace(wanted, owner=keys.public.decode()))
    goes_on = False
    try:
        run(person, Address(process.address, process.port), "player", keys=keys, host=process)
    finally:
        killed = not process.is_running()
        goes_on = process.leave()
    if killed:
        return _resume_hint(records, since)
    if not goes_on:
        return ()
    text = _(
        "The table stays open for the others until the last of them has left; come "
        "back with: coffeerush join {address} --name {name}"
    )
    address = with_port(process.address, process.port)
    return (text.format(address=address, name=shlex.quote(name)),)


def _resume_hint(records: Path, since: float) -> tuple[str, ...]:
    """Return the command that resumes the game if the host ended in the middle of one."""
    from coffeerush.records.listing import unfinished_game

    game = unfinished_game(records, since)
    if game is None:
        return ()
    text = _("The host has stopped; resume its game with: coffeerush host --resume {path}")
    return (text.format(path=shlex.quote(str(game.path))),)
