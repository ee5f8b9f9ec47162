"""Who is at the gateway as a guest of the table, and who may come in."""

import asyncio
from collections.abc import Callable

from coffeerush.client.connection import Way
from coffeerush.client.model import Role
from coffeerush.host.server.incidents import Incidents
from coffeerush.joining.address import Address
from protocol import RefusedError

from .front_end import FrontEnd
from .gate import Gate
from .limits import MAX_GUESTS
from .places import Places
from .register import KnownGuest, Register
from .stay import GuestLink, Stay


class Gateway:
    """The guests of one table.

    Args:
        address: of the table's door.
        table: its name; empty if unknown.
        gate: knows its code.
        register: knows the guests.
        on_spent: called when the table needs a new code.
        lets_in: whether people at the table may let in who asks.
    """

    def __init__(
        self,
        address: Address,
        table: str,
        gate: Gate,
        register: Register,
        on_spent: Callable[[], None],
        *,
        lets_in: bool = False,
    ) -> None:
        self.table = table
        self.lets_in = lets_in
        self.gate = gate
        self.register = register
        self.places = Places()
        self.incidents = Incidents()
        """What went wrong, for the log."""
        self._address = address
        self._stays: dict[str, Stay] = {}
        self._on_spent = on_spent

    @property
    def guests(self) -> int:
        """How many guests are at the table."""
        return sum(not stay.is_over for stay in self._stays.values())

    def check_code(self, now: float, source: str, typed: str, spoken: str) -> None:
        """Check a code; raises what `Gate.check` does."""
        try:
            self.gate.check(now, source, typed, spoken)
        except RefusedError as error:
            self.incidents.count(error.refusal.code, source)
            raise
        finally:
            if self.gate.is_spent:
                self._on_spent()

    def new_code(self, code: str) -> None:
        """Ask for another code from now on; who is at the table need not give it."""
        self.gate.renew(code)
        here = [identity for identity, stay in self._stays.items() if not stay.is_over]
        self.register.renew(here, code)

    def is_taken(self, front: FrontEnd, identity: str) -> bool:
        """Tell whether somebody else may be at the table under this identity right now."""
        stay = self._stays.get(identity)
        return not front.is_own and stay is not None and stay.front is not None

    def stay_of(self, identity: str, known: KnownGuest, role: Role, kind: str) -> Stay | None:
        """Return the place of a guest at the table, a new one if needed; None if it is full."""
        self._forget_over()
        stay = self._stays.get(identity)
        if stay is None:
            if len(self._stays) >= MAX_GUESTS:
                return None
            way = Way(self._address, known.name, self.gate.code, known.keys)
            stay = self._stays[identity] = Stay(GuestLink(way, known.name, role, kind))
        return stay

    def _forget_over(self) -> None:
        self._stays = {each: stay for each, stay in self._stays.items() if not stay.is_over}

    async def close(self) -> None:
        """Take all guests from the table, and wait until they have left."""
        await asyncio.gather(*(stay.end() for stay in self._stays.values()))
