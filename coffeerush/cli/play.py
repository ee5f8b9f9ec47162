"""`coffeerush play`: a table on this machine, for one person and bots."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from coffeerush.cli import examples
from coffeerush.errors import UsageError
from coffeerush.local.directories import records_directory
from coffeerush.ui.words.i18n import _, language
from protocol import MAX_PLAYERS, clean_speaker

from .options import person_of, person_options, records_told

if TYPE_CHECKING:
    from coffeerush.client.connection import Way
    from coffeerush.ui.person import LocalPerson

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
@click.option("--first", help=_("Name of the start player; by default it is drawn."))
@click.option(
    "--turn-seconds",
    type=click.IntRange(0, 3600),
    help=_("A bot finishes turns that take longer; by default none does."),
)
@person_options
@click.pass_context
def command(
    context: click.Context,
    bots: str,
    seed: int | None,
    deck: str | None,
    starters: bool,
    first: str | None,
    turn_seconds: int | None,
) -> None:
    """Open the table, start its game, and play."""
    person = person_of(context)
    kinds = _kinds(bots)
    if first is not None:
        _check_first(first, person.name, kinds)
    wanted = {"--seed": seed, "--deck": deck, "--first": first, "--turn-seconds": turn_seconds}
    arguments = [
        *(["--starters"] if starters else []),
        *(part for key, value in wanted.items() if value is not None for part in (key, str(value))),
    ]
    play(person, kinds, arguments)
    click.echo(records_told(records_directory()))


def play(person: "LocalPerson", bots: Sequence[str], arguments: Sequence[str]) -> None:
    """Open a table, start its game, and play until the person leaves.

    Args:
        person: who plays.
        bots: the kinds of bots, one to three.
        arguments: more of those that `coffeerush host` takes.

    Raises:
        CoffeeRushError: the table cannot be opened, or was lost for good.
    """
    from coffeerush.ui.run import run_own

    seats = ["--bots", ",".join(bots), "--seats", str(len(bots) + 1), "--lang", language()]
    with ExitStack() as stack:
        run_own(person, lambda: _open([*seats, *arguments], person.name, stack))


def _kinds(bots: str) -> list[str]:
    kinds = [kind.strip() for kind in bots.split(",") if kind.strip()]
    if not 1 <= len(kinds) < MAX_PLAYERS:
        raise UsageError("--bots takes one to three opponents, as in --bots greedy,random.")
    return kinds


def _check_first(first: str, own: str, kinds: list[str]) -> None:
    """Refuse a start player whom nobody at the table is going to be."""
    from coffeerush.host.table.people import bot_label, bot_name, is_taken, unique_name

    names: list[str] = []
    for kind in kinds:
        names.append(bot_name(bot_label(kind), names))
    names.insert(0, unique_name(own, names))
    if not is_taken(clean_speaker(first), names):
        raise UsageError(
            "Nobody at this table is called {name}; --first takes one of: {names}.",
            name=first,
            names=", ".join(names),
        )


def _open(arguments: list[str], name: str, stack: ExitStack) -> "Way":
    """Start the host of the table, which ends with `stack`."""
    from coffeerush.client.connection import Way
    from coffeerush.host.spawn import spawn_host
    from coffeerush.joining.address import Address

    from .host_options import owner_keys

    keys = owner_keys(records_directory(), name)
    private = ["--bind", _HERE, "--port", "0", "--with-parent", "--owner", keys.public.decode()]
    host = stack.enter_context(spawn_host([*private, *arguments]))
    return Way(Address(host.address, host.port), name, keys=keys)
