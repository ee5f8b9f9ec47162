"""A person's own bot as a client at somebody's table."""

import asyncio
from concurrent.futures import Future
from random import Random
from threading import Thread

from coffeerush.bots import Bot
from coffeerush.bots.load import load_bot
from coffeerush.errors import BotError
from protocol import NO_ID, Intent, Ready, SeatView, View

from .connection import Link
from .model import Model


class GuestBot:
    """A person's bot; it chooses in a thread, so it may take its time without blocking the link."""

    def __init__(self, spec: str, chance: Random) -> None:
        self._spec = spec
        self._bot: Bot = load_bot(spec)
        self._chance = chance

    async def choose(self, link: Link, view: View) -> Intent | None:
        """Return one of the options of `view`; None if the link ends in the meantime.

        Raises:
            BotError: the bot failed or chose no option; a retry would fail the same way.
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
                "{bot} chose {intent}, which was not one of its options; fix the bot.",
                bot=self._spec,
                intent=repr(intent),
            )
        return intent

    def _think(self, view: View) -> asyncio.Future[Intent]:
        """Let the bot choose in a daemon thread, which cannot keep the program alive."""
        thought: Future[Intent] = Future()
        thought.set_running_or_notify_cancel()

        def think() -> None:
            try:
                thought.set_result(self._bot.choose(view, self._chance))
            except BaseException as error:  # noqa: BLE001 - raised in the awaiting task, even `sys.exit`
                thought.set_exception(error)

        Thread(target=think, daemon=True).start()
        return asyncio.wrap_future(thought)


async def act(link: Link, model: Model, bot: GuestBot) -> None:
    """Move for the bot or mark it ready, if due; drop a move that comes too late."""
    view = model.view
    if view is not None and model.can_act and model.pause is None:
        intent = await bot.choose(link, view)
        if intent and _position(link.model) == _position(model):
            link.wish(intent)
    elif (seat := _own_seat(model)) and not seat.ready and not model.pending:
        link.wish(Ready(NO_ID, True))


def _position(model: Model) -> tuple[bytes, int, int]:
    return model.epoch, model.game, model.rev


def _own_seat(model: Model) -> SeatView | None:
    """Return this client's seat between games, when players have to get ready."""
    if model.table is None or model.seat is None or model.table.stage == "game":
        return None
    return model.table.seats[model.seat]
