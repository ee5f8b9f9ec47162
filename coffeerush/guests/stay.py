"""A guest at the table: an ordinary client, which outlives a broken connection for a while."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from coffeerush.client.connection import Link, Way
from coffeerush.client.model import Model, Role, Wish
from coffeerush.joining.admission import source_of
from coffeerush.joining.enrolment import CodeNeeded, Enrolment, enrol
from protocol import Rename, clean_name, clean_speaker

from .front_end import FrontEnd
from .register import Standing

_ENDS: Final = " ({kind})"


def marked(name: str, kind: str) -> str:
    """Return a guest's name with a mark that others see: `Ann (ssh)`; empty if nothing is left."""
    end, base = _ENDS.format(kind=kind), clean_speaker(name)
    while base and clean_name(base + end) != base + end:
        base = base[:-1].rstrip()
    return base + end if base else ""


class GuestLink(Link):
    """A client with the mark of a guest in its name, whatever the guest calls themselves.

    Args:
        way: to the table, with the code that the guest has proved.
        name: what they call themselves.
        role: player or spectator.
        kind: of their front end.
        proving: held during a proof: the door throttles a machine that starts several at once.
        may_be_known: whether to try without the code first: the host may know the key. Only for a
            host on another machine, which then lets in no other keys.
    """

    def __init__(
        self,
        way: Way,
        name: str,
        role: Role,
        kind: str,
        proving: asyncio.Lock,
        *,
        may_be_known: bool = False,
    ) -> None:
        super().__init__(way, marked(name, kind), role)
        self._kind = kind
        self._proved = way.code
        self._proving = proving
        self._may_be_known = may_be_known

    def wish(self, wanted: Wish) -> None:
        """Send a request to the host; a new name also gets the mark."""
        if isinstance(wanted, Rename):
            wanted = replace(wanted, name=marked(wanted.name, self._kind))
            if not wanted.name:
                return
        super().wish(wanted)

    async def _enrol(self, way: Way) -> Enrolment:
        """Do the handshake: until the guest is at the table, with the code that they have proved.

        The door asks for no code on its own machine. Only the proof shows whether the code has
        changed meanwhile.
        """
        if self.model.status != "joining":
            return await enrol(way)
        if self._may_be_known:
            with suppress(CodeNeeded):
                return await enrol(way._replace(code=""))
        async with self._proving:
            return await enrol(way._replace(code=self._proved))


class Stay:
    """A guest at the table, until `end`, or until the link is over.

    Args:
        link: the guest's client.
        source: where the guest comes from.
        note: called with what the guest would lose, whenever that may have changed.
    """

    def __init__(self, link: GuestLink, source: str, note: Callable[[Standing], None]) -> None:
        self.link = link
        self.source = source
        self._note = note
        self.screen = asyncio.Lock()
        """Held by the line that shows the table to this guest."""
        self.front: FrontEnd | None = None
        """Through which the guest looks at the table now."""
        self._ended = asyncio.Event()
        self._grace: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            async with self.link:
                ended = asyncio.create_task(self._ended.wait())
                watching = asyncio.create_task(self._watch())
                await asyncio.wait((ended, watching), return_when=asyncio.FIRST_COMPLETED)
                ended.cancel()
                watching.cancel()
                if self.is_at_table:  # before the guest may come again, with the same key
                    await self.link.leave()
        finally:
            self._ended.set()

    async def _watch(self) -> None:
        """Follow the guest's client until it is over by itself."""
        while (model := self.link.model).status != "over":
            if self.is_at_table:
                self._note(_standing(model))
                if self.front:
                    self.front.admitted()
            await self.link.changed(model)

    def attach(self, front: FrontEnd) -> None:
        """Show the table through a connection; one that did so before is dismissed."""
        if self.front:
            self.front.close_stage()
        self.front = front
        self.source = source_of(front.address)
        if self.is_at_table:
            front.admitted()
        if self._grace:
            self._grace.cancel()
            self._grace = None

    def detach(self, front: FrontEnd) -> None:
        """Leave the table in a while, unless the guest comes back: the connection has ended."""
        if self.front is front:
            self.front = None
            if self.is_over:
                return
            loop = asyncio.get_running_loop()
            self._grace = loop.call_later(front.grace_seconds, self._ended.set)

    async def end(self) -> None:
        """Leave the table."""
        if self._grace:
            self._grace.cancel()
        self._ended.set()
        await asyncio.wait([self._task])

    @property
    def is_at_table(self) -> bool:
        """Whether the host has this guest at the table."""
        return self.link.model.status in ("here", "lost")

    @property
    def is_over(self) -> bool:
        """Whether this guest is leaving the table, or is not there any more."""
        return self._ended.is_set() or self.link.model.status == "over"

    @property
    def is_gone(self) -> bool:
        """Whether the guest's client has ended."""
        return self._task.done()


def _standing(model: Model) -> Standing:
    """Return the standing of the guest at the table."""
    if model.seat is None or model.table is None:
        return "came"
    return "plays" if model.table.stage == "game" else "sat"
