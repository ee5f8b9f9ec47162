"""A guest at the table: an ordinary client, which outlives a broken connection for a while."""

import asyncio
from typing import Final

from msgspec.structs import replace

from coffeerush.client.connection import Link, Way
from coffeerush.client.model import Role, Wish
from coffeerush.joining.enrolment import CodeNeeded, Enrolment, enrol
from protocol import Rename, clean_name, clean_speaker

from .front_end import FrontEnd

_ENDS: Final = " ({kind})"


def marked(name: str, kind: str) -> str:
    """Return a guest's name with a mark that others see: `Ann (ssh)`; empty if nothing is left."""
    end, base = _ENDS.format(kind=kind), clean_speaker(name)
    while base and clean_name(base + end) != base + end:
        base = base[:-1].rstrip()
    return base + end if base else ""


class GuestLink(Link):
    """A client with the mark of a guest in its name, whatever the guest calls themselves."""

    def __init__(self, way: Way, name: str, role: Role, kind: str) -> None:
        super().__init__(way, marked(name, kind), role)
        self._kind = kind

    def wish(self, wanted: Wish) -> None:
        """Send a request to the host; a new name gets the mark, too."""
        if isinstance(wanted, Rename):
            wanted = replace(wanted, name=marked(wanted.name, self._kind))
            if not wanted.name:
                return
        super().wish(wanted)

    async def _enrol(self, way: Way) -> Enrolment:
        """Do the handshake, without the code if the host knows the guest's key."""
        try:
            return await enrol(way._replace(code=""))
        except CodeNeeded:
            if not way.code:
                raise
        return await enrol(way)


class Stay:
    """A guest at the table, from `start` until `end`, or until the link is over."""

    def __init__(self, link: GuestLink) -> None:
        self.link = link
        self.screen = asyncio.Lock()
        """Held by whoever shows the table to this guest."""
        self.front: FrontEnd | None = None
        """Through which the guest looks at the table now."""
        self._ended = asyncio.Event()
        self._grace: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async with self.link:
            waiting = [asyncio.create_task(each) for each in (self._ended.wait(), self._over())]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for each in waiting:
                each.cancel()

    async def _over(self) -> bool:
        """Wait until the link is over by itself."""
        while (model := self.link.model).status != "over":
            await self.link.changed(model)
        return True

    def attach(self, front: FrontEnd) -> None:
        """Show the table through a connection; one that did so before is dismissed."""
        if self.front:
            self.front.close_stage()
        self.front = front
        if self._grace:
            self._grace.cancel()
            self._grace = None

    def detach(self, front: FrontEnd) -> None:
        """Leave the table in a while, because the connection broke, unless the guest comes back."""
        if self.front is front:
            self.front = None
            loop = asyncio.get_running_loop()
            self._grace = loop.call_later(front.grace_seconds, self._ended.set)

    async def end(self) -> None:
        """Leave the table."""
        if self._grace:
            self._grace.cancel()
        self._ended.set()
        await self._task

    @property
    def is_over(self) -> bool:
        """Whether this guest is not at the table any more."""
        return self._ended.is_set() or self.link.model.status == "over"
