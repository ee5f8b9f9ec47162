"""`coffeerush bot`: a bot as a guest at somebody's table, over the wire like anybody."""

import asyncio
from random import Random

import click

from coffeerush.bots import BOTS, Bot
from coffeerush.bots.load import load_bot
from coffeerush.cli import examples
from coffeerush.client.link import Link, way_to
from coffeerush.client.model import Model
from coffeerush.errors import LinkError
from coffeerush.i18n import _
from protocol import NO_ID, Ready, SeatView, clean_name


@click.command(
    name="bot",
    help=_(
        "Send a bot to the table at ADDRESS. It is ready at once, plays game after game, and leaves"
        " when the host stops, with Ctrl-C, or after --games."
    ),
    epilog=examples(
        "coffeerush bot 192.168.0.12 --bot greedy",
        "coffeerush bot localhost:47820 --bot my_bot.py:MyBot --games 1",
    ),
)
@click.argument("address")
@click.option(
    "--bot",
    "spec",
    required=True,
    help=_("{known}, or FILE.py:Class.").format(known=", ".join(BOTS)),
)
@click.option("--name", help=_("How it is called at the table; by default as the bot."))
@click.option("--seed", type=int, default=0, show_default=True, help=_("Seed of its chance."))
@click.option("--games", type=click.IntRange(min=1), help=_("Leave after so many games."))
def command(address: str, spec: str, name: str | None, seed: int, games: int | None) -> None:
    """Play until it is over."""
    called = clean_name(name or spec.rpartition(":")[2]) or "bot"
    asyncio.run(_play(Link(way_to(address, called), called), load_bot(spec), Random(seed), games))


async def _play(link: Link, bot: Bot, chance: Random, games: int | None) -> None:
    finished: set[int] = set()
    async with link:
        model = await link.joined()
        while True:
            if (over := _finished_game(model)) and over not in finished:
                finished.add(over)
                click.echo(_result(model))
            if model.status == "over":
                break
            if len(finished) == games:
                await link.leave()
                break
            await _act(link, model, bot, chance)
            model = await link.changed(model)
    if link.error:
        raise link.error
    if model.ending == "refused" and model.refusal:
        raise LinkError(model.refusal.text)


async def _act(link: Link, model: Model, bot: Bot, chance: Random) -> None:
    """Do what the bot has to do now, if anything; thinking does not hold the link up."""
    view = model.view
    if view is not None and model.can_act:
        link.wish(await asyncio.to_thread(bot.choose, view, chance))
    elif (seat := _own_seat(model)) and not seat.ready and not model.pending:
        link.wish(Ready(NO_ID, True))


def _own_seat(model: Model) -> SeatView | None:
    """Return the own seat while somebody has to be ready for the next game."""
    if model.table is None or model.seat is None or model.table.stage == "game":
        return None
    return model.table.seats[model.seat]


def _finished_game(model: Model) -> int:
    """Return the number of the game that is over, or 0."""
    return model.game if model.view and model.view.standings else 0


def _result(model: Model) -> str:
    assert model.view is not None
    assert model.table is not None
    seats = model.table.seats
    scores = ", ".join(
        _("{name} {score}").format(name=seats[one.seat].name, score=one.score)
        for one in model.view.standings
        if one.seat < len(seats)
    )
    return _("Game {game}: {scores}").format(game=model.game, scores=scores)
