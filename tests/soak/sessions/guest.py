"""Somebody at a simulated table who joins, acts at random, leaves, and comes back."""

import asyncio
from contextlib import suppress
from random import Random
from typing import Final

from coffeerush.client.connection import Link, RequestSender
from coffeerush.client.model import Model, Role
from coffeerush.errors import CoffeeRushError
from coffeerush.joining.enrolment import Enrolment as Place, Way
from coffeerush.joining.hosts import Address
from coffeerush.ui.table.actions import may_pause
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from protocol import NO_ID, Ready, SetPause, Start, Undo
from tests.soak.clients import CountingOutbox

from .clock import elapse
from .shows import FullScreen, PlainLines, Show
from .wire import KEYS, Host, Line, SimulatedSockets, enrol

ADDRESS: Final = Address("192.0.2.1", 47820)
THINKING_SECONDS: Final = (0.02, 0.25)
AWAY_SECONDS: Final = (0.2, 15.0)
WELL_MEANT: Final = 0.6
"""The share of actions that advance the game."""
LEAVING: Final = 0.004
OVERFULL: Final = {"table_full", "too_many_spectators"}


class SimulatedLink(Link):
    """A link over a `Line`."""

    def __init__(self, host: Host, line: Line, key: str, name: str, role: Role) -> None:
        super().__init__(Way(ADDRESS, name, "", KEYS), name, role)
        self._outbox = self.outbox = CountingOutbox()
        self._host = host
        self._line = line
        self._key = key

    def _channels_to(self, table: Place) -> RequestSender:
        return SimulatedSockets(
            *(self._host, self._line, self._key), *(self._publication, self._answer, self._wake.set)
        )

    async def _enrol(self, way: Way) -> Place:
        return await enrol(self._host, self._line, self._key, way)


class Guest:
    """A person with a key, who uses one program after another."""

    def __init__(self, host: Host, line: Line, key: str, role: Role, chance: Random) -> None:
        self.key = key
        self.role: Role = role
        self.line = line
        self.acts = True
        self.is_owner = False
        self.visits = 0
        self.faults: list[str] = []
        """Ends that nobody intended."""
        self.link: SimulatedLink | None = None
        """The link of the running program."""
        self.show: Show | None = None
        self._host = host
        self._chance = chance

    async def run(self) -> None:
        while True:
            await elapse(self._chance.uniform(0.0, 2.0))
            await self._visit()
            if self.key in self._host.table.removed:
                return
            back = self._chance.uniform(*AWAY_SECONDS)
            while self.acts and back > 0:  # once the wire is good, everybody stays
                await elapse(0.5)
                back -= 0.5

    async def _visit(self) -> None:
        self.visits += 1
        name = f"P{self.key[0]}"
        link = SimulatedLink(self._host, self.line, self.key, name, self.role)
        async with link:
            try:
                await link.joined()
            except CoffeeRushError:
                self._judge(link, came=False)
                return
            full = self._chance.random() < 0.5
            show = FullScreen(link, self._chance) if full else PlainLines(link, self._chance)
            self.link, self.show = link, show
            following = asyncio.create_task(self._follow(link, show))
            try:
                await self._stay(link, show)
            finally:
                self.link = None
                following.cancel()
                with suppress(asyncio.CancelledError):
                    await following
        self._judge(link, came=True)

    async def _follow(self, link: Link, show: Show) -> None:
        while (known := link.model).status != "over":
            show.look()
            await link.changed(known)

    async def _stay(self, link: Link, show: Show) -> None:
        while link.model.status != "over":
            await elapse(self._chance.uniform(*THINKING_SECONDS))
            if not self.acts:
                continue
            if show.leaving or self._chance.random() < LEAVING:
                if self._chance.random() < 0.7:
                    await link.leave()
                return  # or close the program, which also says goodbye
            if self._chance.random() < WELL_MEANT:
                self.go_on()
            else:
                show.act()

    def go_on(self) -> None:
        """Do something that advances the game."""
        link = self.link
        if link is None or link.model.table is None:
            return
        model = link.model
        own = model.view.own if model.view else None
        if model.pause is not None:
            if may_pause(Scene(model, Ui())):
                link.wish(SetPause(NO_ID, False))
        elif model.can_act and own:
            onwards = [one.intent for one in own.options if not isinstance(one.intent, Undo)]
            link.wish(self._chance.choice(onwards or [Undo()]))
        elif link.model.table.stage != "game" and not model.pending and model.seat is not None:
            link.wish(Start(NO_ID) if model.owner else Ready(NO_ID, True))

    def _judge(self, link: Link, came: bool) -> None:
        """Note an end that neither this person nor the owner intended."""
        model, table = link.model, self._host.table
        code = model.refusal.code if model.refusal else ""
        meant = (
            model.ending == "left"
            or (came and model.status != "over")
            or (not came and model.ending == "failed" and type(link.error).__name__ in _NOBODY)
            or self.key in table.removed
            or (model.ending == "refused" and code in OVERFULL)
        )
        if not meant:
            self.faults.append(f"{model.name}: {_ended(model)}, {link.error!r}, {came}")


_NOBODY: Final = {"NobodyHosts", "Unreachable", "BrokenOff", "LinkError"}
"""Over a bad wire, joining may need a retry."""


def _ended(model: Model) -> str:
    return f"{model.status} {model.ending} {model.trouble}"
