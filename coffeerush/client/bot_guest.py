"""A person's own bot as a client at somebody's table."""

import asyncio
from concurrent.futures import Future
from math import inf
from random import Random
from threading import Thread
from typing import Final

from coffeerush.bots import Bot
from coffeerush.bots.load import load_bot
from coffeerush.errors import BotError
from protocol import NO_ID, GetTables, Hello, Intent, Ready, SeatView, TableSummary, View

from .connection import Link
from .model import Model, has_room

LOOK_SECONDS: Final = 2.0
"""How often a bot without a seat looks for one at other tables."""


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


class SeatSearch:
    """Finds the table in the hall at which a bot can play next. Sans-I/O; `now` is in seconds.

    A bot without a seat looks for one all the time. One that has a seat looks after each game: if
    somebody else waits for one more player, it goes there, since at its own table others follow.
    """

    def __init__(self) -> None:
        self._looked_at = -inf
        self._looked_after = (b"", 0)
        """The epoch and the number of the latest game after which it has looked."""
        self._is_looking = False

    def wish(self, model: Model, now: float) -> GetTables | Hello | None:
        """Return what to ask for now, if anything: the list of tables, or a place at another."""
        waits = any(isinstance(request, GetTables | Hello) for request in model.pending)
        if waits or model.status != "here" or model.table is None:
            return None
        if self._is_looking:
            self._is_looking = False
            better = better_table(model)
            return model.going_to(better) if better else None
        self._is_looking = self._is_due(model, now)
        return GetTables(NO_ID) if self._is_looking else None

    def _is_due(self, model: Model, now: float) -> bool:
        if model.seat is None:
            due = now - self._looked_at >= LOOK_SECONDS
            self._looked_at = now if due else self._looked_at
            return due
        game = model.epoch, model.game
        is_over = model.table is not None and model.table.stage == "result"
        due = is_over and game != self._looked_after
        self._looked_after = game if due else self._looked_after
        return due


def better_table(model: Model) -> TableSummary | None:
    """Return a table of those listed to which a bot had better go over, if there is one.

    Without a seat that is any with an open one; else one at which a person or a bot like this one
    needs a single player more. In a tournament the host decides where everybody plays.
    """
    if model.tournament is not None and model.tournament.stage in ("round", "break"):
        return None
    others = [table for table in model.tables if table.number != model.number and has_room(table)]
    if model.seat is not None:
        others = [table for table in others if _lacks_one(table)]
    return next(iter(others), None)


def _lacks_one(table: TableSummary) -> bool:
    statuses = [seat.status for seat in table.seats]
    return statuses.count("open") == 1 and "person" in statuses


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
