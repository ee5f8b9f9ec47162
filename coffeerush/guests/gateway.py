"""Who is at the gateway as a guest of the table, and who may come in."""

import asyncio
from collections.abc import Callable
from functools import partial
from ipaddress import ip_address
from typing import NamedTuple

from coffeerush.client.connection import Way
from coffeerush.client.model import Role
from coffeerush.host.server.incidents import Incidents
from coffeerush.joining.admission import source_of
from coffeerush.joining.hosts import Address
from coffeerush.local.settings import Settings
from protocol import RefusedError

from .front_end import FrontEnd
from .gate import Gate
from .identity import Identity
from .limits import GUESTS_PER_SOURCE, MAX_GUESTS
from .places import Places
from .register import KnownGuest, Register
from .shares import Shares
from .stay import GuestLink, Stay


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
        gate: Gate,
        register: Register,
        on_spent: Callable[[], None],
        *,
        lets_in: bool = False,
        is_here: bool = True,
    ) -> None:
        self.table = table
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
            self._stays = {each: one for each, one in self._stays.items() if not one.is_gone}
            if not self._has_room(front.address):
                return None
            way = Way(self._host.address, known.name, self.gate.code, known.keys, self._host.key)
            may_be_known = not self._is_here and known.standing != "came"
            link = GuestLink(
                way, known.name, role, front.kind, self._proving, may_be_known=may_be_known
            )
            note = partial(self.register.note, identity)
            stay = self._stays[identity] = Stay(link, source_of(front.address), note)
        return stay

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
