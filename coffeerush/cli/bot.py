"""`coffeerush bot`: a bot as a guest at somebody's table, over the network like any client."""

import asyncio
from random import Random

import click

from coffeerush.cli import examples
from coffeerush.client.bot_guest import GuestBot, act
from coffeerush.client.connection import Link, Way
from coffeerush.client.model import Model
from coffeerush.joining.hosts import parse_address
from coffeerush.levels import LEVELS
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import _, as_text
from protocol import PeopleChanged, clean_name

from .options import code_argument


@click.command(
    name="bot",
    help=_(
        "Send a bot to the table at ADDRESS. CODE is the three words shown on the "
        "host's screen. The bot is ready at once and plays game after game; it leaves "
        "when the host stops, on Ctrl-C, or after --games."
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
def command(
    address: str, code: str, spec: str, name: str | None, seed: int, games: int | None
) -> None:
    """Play until the host stops, or `games` games are over."""
    called = clean_name(name or spec.rpartition(":")[2]) or "bot"
    link = Link(Way(parse_address(address), called, code), called)
    asyncio.run(_play(link, GuestBot(spec, Random(seed)), games))


async def _play(link: Link, bot: GuestBot, games: int | None) -> None:
    finished: set[int] = set()
    async with link:
        model = await link.joined()
        seated = event_line(PeopleChanged(model.name, "joined"), model)
        click.echo(as_text([seated]), nl=False, err=True)
        while True:
            if model.view and model.view.standings and model.game not in finished:
                finished.add(model.game)
                click.echo(as_text([_result(model)]), nl=False)
            if model.status == "over":
                break
            if len(finished) == games:
                await link.leave()
                break
            await act(link, model, bot)
            model = await link.changed(model)
    if link.error:
        raise link.error


def _result(model: Model) -> str:
    assert model.view is not None
    assert model.table is not None
    seats = model.table.seats
    scores = ", ".join(
        _("{name}: {score}").format(name=seats[one.seat].name, score=one.score)
        for one in model.view.standings
        if one.seat < len(seats)
    )
    return _("Game {game} is over. {scores}.").format(game=model.game, scores=scores)
