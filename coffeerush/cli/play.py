"""`coffeerush play`: a table on this machine, for one person and bots."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from coffeerush.cli import examples
from coffeerush.cli.people import NAME, PLAIN, own_name, tell_records
from coffeerush.errors import UsageError
from coffeerush.i18n import _
from protocol import DOOR_PORT, MAX_PLAYERS

if TYPE_CHECKING:
    from coffeerush.client.link import Way

_HERE = "127.0.0.1"


@click.command(
    name="play",
    help=_("Play on this machine against bots. The table is yours alone, and ends when you leave."),
    epilog=examples(
        "coffeerush play",
        "coffeerush play --bots greedy",
        "coffeerush play --bots greedy,random,my_bot.py:MyBot --starters --turn-seconds 60",
    ),
)
@click.option(
    "--bots",
    default="greedy,greedy,random",
    show_default=True,
    help=_("One to three opponents: greedy, random, or FILE.py:Class."),
)
@click.option("--seed", type=int, help=_("Deal the same game each time, to try things out."))
@click.option("--deck", type=click.Path(), help=_("Play with the deck in a file."))
@click.option("--starters", is_flag=True, help=_("Play with the starter orders."))
@click.option("--first", help=_("Name of the start player; drawn if nobody is called so."))
@click.option(
    "--turn-seconds",
    type=click.IntRange(0, 3600),
    help=_("A bot finishes turns that take longer; by default none does."),
)
@NAME
@PLAIN
@click.pass_context
def command(
    context: click.Context,
    bots: str,
    seed: int | None,
    deck: str | None,
    starters: bool,
    first: str | None,
    turn_seconds: int | None,
    name: str | None,
    plain: bool | None,
) -> None:
    """Open the table, start its game, and play."""
    from coffeerush.client.app import run_own

    wanted = {"--seed": seed, "--deck": deck, "--first": first, "--turn-seconds": turn_seconds}
    arguments = [
        *_seats(bots),
        *(["--starters"] if starters else []),
        *(part for key, value in wanted.items() if value is not None for part in (key, str(value))),
    ]
    called = own_name(name)
    with ExitStack() as stack:
        code = run_own(lambda: _open(arguments, called, stack), called, plain=plain)
    # not before the first frame: it is not needed for it
    from coffeerush.cli.plan import records_directory

    tell_records(records_directory())
    context.exit(code)


def _seats(bots: str) -> list[str]:
    kinds = [kind.strip() for kind in bots.split(",") if kind.strip()]
    if not 1 <= len(kinds) < MAX_PLAYERS:
        raise UsageError("--bots takes one to three opponents, as in --bots greedy,random.")
    return ["--bots", ",".join(kinds), "--seats", str(len(kinds) + 1)]


def _open(arguments: list[str], name: str, stack: ExitStack) -> "Way":
    """Start the host of the table, which ends with `stack`."""
    from coffeerush.client.address import Address
    from coffeerush.client.keys import keys_for
    from coffeerush.client.link import Way
    from coffeerush.host.spawn import spawn_host

    # the keys of a table at the usual port: its record can be resumed there
    keys = keys_for(_HERE, DOOR_PORT, name)
    private = ["--bind", _HERE, "--port", "0", "--with-parent", "--owner", keys.public.decode()]
    host = stack.enter_context(spawn_host([*private, *arguments]))
    return Way(Address(host.address, host.port), keys)
