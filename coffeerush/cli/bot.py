"""`coffeerush bot`: a bot as a guest at somebody's table, over the wire like anybody."""

import asyncio
from concurrent.futures import Future
from random import Random
from threading import Thread

import click

from coffeerush.bots import BOTS, Bot
from coffeerush.bots.load import load_bot
from coffeerush.cli import examples
from coffeerush.client.connection import Link, Way
from coffeerush.client.model import Model
from coffeerush.errors import BotError
from coffeerush.joining.address import parse_address
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.safe_text import as_text
from coffeerush.ui.words.status import event_line
from protocol import NO_ID, Intent, PeopleChanged, Ready, RefusedError, SeatView, View, clean_name

from .options import code_argument


@click.command(
    name="bot",
    help=_(
        "Send a bot to the table at ADDRESS, whose screen shows its CODE: three words. It is ready"
        " at once, plays game after game, and leaves when the host stops, with Ctrl-C, or after"
        " --games."
    ),
    epilog=examples(
        "coffeerush bot 192.168.0.12 apple tiger moon --bot greedy",
        "coffeerush bot localhost:47820 --bot my_bot.py:MyBot --games 1",
    ),
)
@click.argument("address")
@code_argument
@click.option(
    "--bot",
    "spec",
    required=True,
    help=_("{known}, or FILE.py:Class.").format(known=", ".join(BOTS)),
)
@click.option("--name", help=_("How it is called at the table; by default as the bot."))
@click.option("--seed", type=int, default=0, show_default=True, help=_("Seed of its chance."))
@click.option("--games", type=click.IntRange(min=1), help=_("Leave after so many games."))
def command(
    address: str, code: str, spec: str, name: str | None, seed: int, games: int | None
) -> None:
    """Play until it is over."""
    called = clean_name(name or spec.rpartition(":")[2]) or "bot"
    link = Link(Way(parse_address(address), called, code), called)
    asyncio.run(_play(link, _Thinker(spec, Random(seed)), games))


class _Thinker:
    """A person's bot, which may think for as long as it likes without holding up anything."""

    def __init__(self, spec: str, chance: Random) -> None:
        self._spec = spec
        self._bot: Bot = load_bot(spec)
        self._chance = chance

    async def choose(self, link: Link, view: View) -> Intent | None:
        """Return one of the options of `view`; None where the table is over meanwhile.

        Raises:
            BotError: the bot failed, or chose something else: asked again, it would again.
        """
        thought = self._think(view)
        while not thought.done() and link.model.status != "over":
            changed = asyncio.create_task(link.changed(link.model))
            await asyncio.wait((thought, changed), return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
        if not thought.done():
            return None
        intent = thought.result()
        if view.own is None or intent not in [option.intent for option in view.own.options]:
            raise BotError(
                "{bot} chose {intent}, which is no option of its; mend the bot.",
                bot=self._spec,
                intent=repr(intent),
            )
        return intent

    def _think(self, view: View) -> asyncio.Future[Intent]:
        """Have the bot choose in a thread that ends with the program, whatever the bot does."""
        thought: Future[Intent] = Future()
        thought.set_running_or_notify_cancel()

        def choose() -> None:
            try:
                thought.set_result(self._bot.choose(view, self._chance))
            except BaseException as error:  # noqa: BLE001 - whoever waits gets it, also `sys.exit`
                thought.set_exception(error)

        Thread(target=choose, daemon=True).start()
        return asyncio.wrap_future(thought)


async def _play(link: Link, bot: _Thinker, games: int | None) -> None:
    finished: set[int] = set()
    async with link:
        model = await link.joined()
        seated = event_line(PeopleChanged(model.name, "joined"), model)
        click.echo(as_text([seated]), nl=False, err=True)
        while True:
            if (over := _finished_game(model)) and over not in finished:
                finished.add(over)
                click.echo(as_text([_result(model)]), nl=False)
            if model.status == "over":
                break
            if len(finished) == games:
                await link.leave()
                break
            await _act(link, model, bot)
            model = await link.changed(model)
    if link.error:
        raise link.error
    if model.ending == "refused" and model.refusal:
        raise RefusedError(model.refusal.code, model.refusal.text, **model.refusal.params)


async def _act(link: Link, model: Model, bot: _Thinker) -> None:
    """Do what the bot has to do now, if anything; what is too late is dropped."""
    view = model.view
    if view is not None and model.can_act:
        intent = await bot.choose(link, view)
        if intent and _position(link.model) == _position(model):
            link.wish(intent)
    elif (seat := _own_seat(model)) and not seat.ready and not model.pending:
        link.wish(Ready(NO_ID, True))


def _position(model: Model) -> tuple[bytes, int, int]:
    return model.epoch, model.game, model.rev


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
