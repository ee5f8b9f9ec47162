"""For authors of bots and clients: `coffeerush bot` and `coffeerush conformance`."""

import asyncio
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic

import click

from coffeerush.client.bot_guest import GuestBot, SeatSearch, act
from coffeerush.client.connection import Link, Way
from coffeerush.client.model import Model
from coffeerush.errors import UsageError
from coffeerush.joining.hosts import parse_address
from coffeerush.levels import LEVELS
from coffeerush.local.keys import KeyPair, read_keys
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import _, as_text
from protocol import DOOR_PORT, NO_ID, PeopleChange, PeopleChanged, Queue, clean_name

from . import examples
from .options import bind_option, code_argument


@click.command(
    name="bot",
    help=_(
        "Send a bot to the table at ADDRESS. CODE is the three words shown on the "
        "host's screen. The bot is ready at once and plays game after game; if no seat "
        "is open, it gets in line for one. It leaves when the host stops, on Ctrl-C, or "
        "after --games."
    ),
    epilog=examples(
        "coffeerush bot 192.168.0.12 apple tiger moon --bot regular",
        "coffeerush bot localhost:47820 --bot my_bot.py:MyBot --games 1",
    ),
)
@click.argument("address")
@code_argument
@click.option(
    "--bot",
    "spec",
    required=True,
    help=_("The bot to send: {known}, or FILE.py:Class.").format(known=", ".join(LEVELS)),
)
@click.option("--name", help=_("Its name at the table (default: the bot's name)."))
@click.option("--seed", type=int, default=0, show_default=True, help=_("Random seed of the bot."))
@click.option("--games", type=click.IntRange(min=1), help=_("Leave after this many games."))
def bot_command(
    address: str, code: str, spec: str, name: str | None, seed: int, games: int | None
) -> None:
    """Play until the host stops, or `games` games are over."""
    called = clean_name(name or spec.rpartition(":")[2]) or "bot"
    link = Link(Way(parse_address(address), called, code), called, keeps=True)
    asyncio.run(_play(link, GuestBot(spec, Random(seed)), games))


async def _play(link: Link, bot: GuestBot, games: int | None) -> None:
    finished: set[tuple[bytes, int]] = set()
    search = SeatSearch()
    async with link:
        model = await link.joined()
        if model.seat is None:
            link.wish(Queue(NO_ID, True))
        change: PeopleChange = "waiting" if model.seat is None else "joined"
        told = event_line(PeopleChanged(model.name, change), model)
        click.echo(as_text([told]), nl=False, err=True)
        while True:
            game = model.epoch, model.game
            if model.view and model.view.standings and game not in finished:
                finished.add(game)
                click.echo(as_text([_result(model)]), nl=False)
            if model.status == "over":
                break
            if len(finished) == games:
                await link.leave()
                break
            if wanted := search.wish(model, monotonic()):
                link.wish(wanted)
            await act(link, link.model, bot)
            model = await link.changed(model)
    if link.error:
        raise link.error


def _result(model: Model) -> str:
    assert model.view is not None
    assert model.table is not None
    seats = model.table.seats
    scores = ", ".join(
        _("{name}: {score}").format(name=seats[standing.seat].name, score=standing.score)
        for standing in model.view.standings
        if standing.seat < len(seats)
    )
    return _("Game {game} is over. {scores}.").format(game=model.game, scores=scores)


# `coffeerush conformance`: check hosts and clients in other languages against SPEC.md


@click.group(
    name="conformance",
    help=_(
        "Check a host or a client of your own against the protocol's specification. "
        "Messages about its rules are in English."
    ),
    epilog=examples(
        "coffeerush conformance host 192.168.0.12 apple-tiger-moon",
        "coffeerush conformance client",
    ),
)
def conformance_command() -> None:
    """Group the commands for hosts and for clients."""


@conformance_command.command(
    short_help=_("Check the host at ADDRESS."),
    help=_(
        "Play at the table at ADDRESS, and print for each rule whether the host "
        "follows it. The table must be new, and all its seats open or taken by bots. "
        "CODE is its join code. The exit code is 1 if the host breaks a rule."
    ),
)
@click.argument("address")
@code_argument
@click.option(
    "--key",
    type=click.Path(dir_okay=False),
    help=_(
        "A file with the key pair of the table's owner, to check also what only the owner may do."
    ),
)
@click.pass_context
def host(context: click.Context, address: str, code: str, key: str | None) -> None:
    """Print for each rule whether a host keeps it; exit with 1 if it departs from any."""
    from coffeerush.conformance.of_host import check_host

    owner = None if key is None else _owner(key)
    context.exit(not check_host(parse_address(address), code, owner, click.echo))


def _owner(path: str) -> KeyPair:
    try:
        return read_keys(Path(path))
    except (OSError, ValueError):
        raise UsageError("{path} does not hold a key pair.", path=path) from None


@conformance_command.command(
    short_help=_("Check a client that joins."),
    help=_(
        "Host a table for your client, and print for each rule whether the client "
        "follows it: messages are lost, delayed or duplicated, requests are refused, "
        "the host crashes and comes back. Let the client join, get ready and play. The "
        "exit code is 1 if the client breaks a rule."
    ),
)
@click.option(
    "--port",
    type=click.IntRange(0, 65533),
    default=DOOR_PORT,
    show_default=True,
    help=_("The first of three consecutive ports; 0 picks free ones."),
)
@bind_option
@click.option(
    "--open",
    "is_open",
    is_flag=True,
    help=_("Require no join code: anybody who can reach the port can join."),
)
@click.pass_context
def client(context: click.Context, port: int, bind: str, is_open: bool) -> None:
    """Print for each rule whether a client keeps it; exit with 1 if it departs from any."""
    from coffeerush.conformance.of_client import check_client
    from coffeerush.conformance.stage import Stage

    with TemporaryDirectory() as records:
        stage = Stage(Path(records), bind, port, is_open, click.echo)
        try:
            kept = check_client(stage, click.echo)
        finally:
            stage.close()
    context.exit(not kept)
