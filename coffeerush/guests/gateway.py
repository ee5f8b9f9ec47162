"""Who is at the gateway as a guest of the table, and their place at it."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Final, NamedTuple

from msgspec.structs import replace

from coffeerush.client.connection import Link, Way
from coffeerush.client.model import Model, Role, Wish
from coffeerush.client.record_keeper import MemoryShelf
from coffeerush.client.turn import TurnDraft
from coffeerush.host.server.incidents import Incidents
from coffeerush.joining.admission import source_of
from coffeerush.joining.enrolment import CodeNeeded, Enrolment, enrol
from coffeerush.joining.hosts import Address
from coffeerush.local.settings import Settings
from coffeerush.ui.words.names import table_heading
from protocol import STAND_IN_SECONDS, RefusedError, Rename, clean_name, clean_speaker

from .front_end import FrontEnd, Shares
from .places import GUESTS_PER_SOURCE, MAX_GUESTS, Places
from .register import Gate, Identity, KnownGuest, Register, Standing

# A guest at the table: an ordinary client, which outlives a broken connection for a while


_ENDS: Final = " ({kind})"


def marked(name: str, kind: str) -> str:
    """Return a guest's name with a mark that others see: `Ann (ssh)`; empty if nothing is left."""
    end, base = _ENDS.format(kind=kind), clean_speaker(name)
    while base and clean_name(base + end) != base + end:
        base = base[:-1].rstrip()
    return base + end if base else ""


def unmarked(name: str) -> str:
    """Return a guest's name without that mark, as they typed it."""
    return re.sub(r" \((?:ssh|web)\)$", "", name)


def bare_names(names: Iterable[str]) -> dict[str, str]:
    """Return the guests among these, each with the name that they typed, unless others have it."""
    bare = {name: unmarked(name) for name in names}
    owners = Counter(bare.values())
    return {name: typed for name, typed in bare.items() if typed != name and owners[typed] == 1}


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
        super().__init__(way, marked(name, kind), role, shelf=MemoryShelf())
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
        self._drafted = link.model, TurnDraft()
        self._ended = asyncio.Event()
        self._was_awaited = False
        """Whether the table has waited for the guest, whose seat a bot then plays at once."""
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
                    await self.link.leave(stand_in=self._was_awaited)
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
        self._was_awaited = False
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
            self._was_awaited = front.grace_seconds >= STAND_IN_SECONDS
            self._grace = loop.call_later(front.grace_seconds, self._ended.set)

    @property
    def draft(self) -> TurnDraft:
        """What the guest had planned when their screen closed, as far as it still applies."""
        seen, draft = self._drafted
        return draft.seen(seen, self.link.model)

    def keep(self, seen: Model, draft: TurnDraft) -> None:
        """Keep what the guest plans for when they come back."""
        self._drafted = seen, draft

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


# All guests of a table, and who may come in


class HostDoor(NamedTuple):
    """Where a host lets clients in."""

    address: Address
    key: str
    """The host's public key, in Z85."""


class Gateway:
    """The guests of one table.

    Args:
        host: the table's door, and the key of the host behind it: no guest joins another one.
        table: its name; empty if unknown.
        owner: who hosts it; empty if unknown.
        gate: knows its code.
        register: knows the guests.
        on_spent: called when the table needs a new code.
        lets_in: whether people at the table may let in who asks.
        is_here: whether the host is on this machine, where its door asks for no code.
    """

    def __init__(
        self,
        host: HostDoor,
        table: str,
        owner: str,
        gate: Gate,
        register: Register,
        on_spent: Callable[[], None],
        *,
        lets_in: bool = False,
        is_here: bool = True,
    ) -> None:
        self._table = table
        self.owner = owner
        self.lets_in = lets_in
        self.gate = gate
        self.register = register
        self.places = Places()
        self.shares = Shares()
        self.page: tuple[str, int] | None = None
        """The scheme and port of the page for browsers, once there is one."""
        self.incidents = Incidents()
        """What went wrong, for the log."""
        self._host = host
        self._is_here = is_here
        self._stays: dict[Identity, Stay] = {}
        self._proving = asyncio.Lock()
        self._on_spent = on_spent
        self._has_told = False

    @property
    def heading(self) -> str:
        """The name of the table and who hosts it, in the visitor's language; "" if unknown."""
        return table_heading(self._table, self.owner)

    @property
    def guests(self) -> int:
        """How many guests are at the table."""
        return len(self._living)

    @property
    def _living(self) -> dict[Identity, Stay]:
        return {each: stay for each, stay in self._stays.items() if not stay.is_over}

    # The code

    def check_code(self, now: float, source: str, typed: str, spoken: str) -> str:
        """Return the code that was typed; raises what `Gate.check` does."""
        try:
            return self.gate.check(now, source, typed, spoken)
        except RefusedError as error:
            self.incidents.count(error.refusal.code, source)
            raise
        finally:
            if self.gate.is_spent and not self._has_told:
                self._has_told = True
                self._on_spent()

    def new_code(self, code: str) -> None:
        """Ask for another code from now on; who is at the table need not give it."""
        self.gate.renew(code)
        self._has_told = False
        here = [identity for identity, stay in self._living.items() if stay.is_at_table]
        self.register.renew(here, code)

    def code_proved_by(self, identity: Identity | None) -> str | None:
        """Return the table's code if this guest has proved it, or it is empty; else None."""
        code = self.gate.code
        return code if not code or self.register.may_return(identity, code) else None

    # The guests

    def admit(
        self,
        identity: Identity,
        name: str,
        role: Role,
        code: str,
        settings: Settings,
        source: str,
    ) -> KnownGuest:
        """Remember a guest who has proved a code."""
        return self.register.admit(identity, name, role, code, settings, source, self._living)

    def is_taken(self, front: FrontEnd, identity: Identity) -> bool:
        """Return whether somebody else may be at the table under this identity right now."""
        stay = self._living.get(identity)
        return not front.is_own and stay is not None and stay.front not in (None, front)

    async def vacated(self, identity: Identity) -> None:
        """Wait until a guest who is leaving has left: their next client has the same key."""
        stay = self._stays.get(identity)
        if stay and stay.is_over:
            await stay.end()

    def stay_of(
        self, identity: Identity, known: KnownGuest, role: Role, front: FrontEnd
    ) -> Stay | None:
        """Return the place of a guest at the table, a new one if needed; None if it is full.

        The guest must have proved the current code.
        """
        stay = self._living.get(identity)
        if stay is None:
            self._stays = {key: stay for key, stay in self._stays.items() if not stay.is_gone}
            if not self._has_room(front.address):
                return None
            self._follow()
            way = Way(
                *(self._host.address, known.name, self.gate.code, known.keys, self._host.key),
                files_keys=False,
            )
            may_be_known = not self._is_here and known.standing != "came"
            link = GuestLink(
                way, known.name, role, front.kind, self._proving, may_be_known=may_be_known
            )
            note = partial(self.register.note, identity)
            stay = self._stays[identity] = Stay(link, source_of(front.address), note)
        return stay

    def _follow(self) -> None:
        """Let new guests join where the table has gone, if guests have followed it there."""
        for stay in self._stays.values():
            if stay.link.has_moved and stay.link.address:
                self._host = HostDoor(stay.link.address, stay.link.host_key)
                self._is_here = False

    def _has_room(self, address: str) -> bool:
        """Return whether one more guest may come from an address."""
        source = source_of(address)
        same = sum(stay.source == source for stay in self._living.values())
        is_here = ip_address(address.partition("%")[0]).is_loopback
        return self.guests < MAX_GUESTS and (is_here or same < GUESTS_PER_SOURCE)

    async def close(self) -> None:
        """Take all guests from the table, and wait until they have left."""
        await asyncio.gather(*(stay.end() for stay in self._stays.values()))
        await self.register.save()
