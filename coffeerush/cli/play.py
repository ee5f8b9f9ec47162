"""`coffeerush play`: a table on this machine, for one person and bots."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from time import time
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from coffeerush.cli import examples
from coffeerush.errors import UsageError
from coffeerush.levels import LEVELS
from coffeerush.local.files import records_directory
from coffeerush.ui.words.i18n import _
from protocol import MAX_PLAYERS, clean_speaker

from .options import bot_kinds, person_of, person_options, records_told

if TYPE_CHECKING:
    from coffeerush.client.connection import Way
    from coffeerush.host.server.parent import HostOptions
    from coffeerush.ui.person import LocalPerson

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
def command(
    context: click.Context,
    bots: str,
    seed: int | None,
    deck: str | None,
    starters: bool,
    first: str | None,
    turn_seconds: int,
) -> None:
    """Open the table, start its game, and play."""
    person = person_of(context)
    kinds = _kinds(bots)
    start_player = "" if first is None else _start_player(first, person.name, kinds)

    def wanted() -> "HostOptions":
        from coffeerush.host.server.parent import HostOptions

        return HostOptions(
            bots=kinds,
            seed=seed,
            deck=deck,
            starters=starters,
            first=start_player,
            turn_seconds=turn_seconds,
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


def _kinds(bots: str) -> tuple[str, ...]:
    kinds = bot_kinds(bots)
    if not 1 <= len(kinds) < MAX_PLAYERS:
        raise UsageError("--bots takes one to three opponents, as in --bots casual,regular.")
    return kinds


def _start_player(first: str, own: str, kinds: Sequence[str]) -> str:
    """Return the host's name of the player called `first` at the table; raises `UsageError`."""
    from coffeerush.host.table.people import bot_label, bot_name, is_taken, unique_name
    from coffeerush.ui.words.names import item_list, player_name

    bots: list[str] = []
    for kind in kinds:
        bots.append(bot_name(bot_label(kind), bots))
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

    from .host_options import owner_keys

    keys = owner_keys(records_directory(), name)
    seats = None if wanted.resume else len(wanted.bots) + 1
    owner = keys.public.decode()
    private = replace(wanted, seats=seats, bind=_HERE, port=0, owner=owner, stop="at_once")
    host = stack.enter_context(spawn_host(private))
    return Way(Address(host.address, host.port), name, keys=keys)
