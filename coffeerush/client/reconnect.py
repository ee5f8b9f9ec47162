"""Looks at its door for a host that is not heard any more."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Final, Self

from coffeerush.errors import LinkError
from coffeerush.joining.enrolment import (
    BrokenOff,
    Enrolment,
    NobodyHosts,
    StandsStill,
    Unreachable,
    Way,
)

BACK_OFF_SECONDS: Final = (0.2, 1.0)
"""Between two tries at the door, at random: not all clients knock at once."""


async def back_off() -> None:
    """Wait until the next try."""
    await asyncio.sleep(random.uniform(*BACK_OFF_SECONDS))


class Reconnector:
    """Knocks again and again inside of the `with`, until somebody is there.

    Args:
        way: to the door.
        enrol: has the host there let this client in.
        on_change: called whenever `trouble` or `ended` may have changed.
    """

    def __init__(
        self,
        way: Way,
        enrol: Callable[[Way], Coroutine[None, None, Enrolment]],
        on_change: Callable[[], None],
    ) -> None:
        self._way = way
        self._enrol = enrol
        self._on_change = on_change
        self.trouble: LinkError | None = None
        """Why the latest try has failed."""

    def __enter__(self) -> Self:
        self._knocking = asyncio.create_task(self._knock())
        self._knocking.add_done_callback(lambda _task: self._on_change())
        return self

    def __exit__(self, *_error: object) -> None:
        # of a task that has failed, this also marks the error as read: nobody may look at it now
        self._knocking.cancel()

    @property
    def ended(self) -> bool:
        """Whether nothing more is tried."""
        return self._knocking.done()

    def table(self) -> Enrolment:
        """Return where the door has led to.

        Raises:
            LinkError: it will never let in.
        """
        return self._knocking.result()

    async def _knock(self) -> Enrolment:
        while True:
            await back_off()
            try:
                return await self._enrol(self._way)
            except Unreachable as error:
                self.trouble = self._why(error)
                self._on_change()

    def _why(self, error: Unreachable) -> LinkError:
        """Return the error in the words for somebody who waits for their host."""
        address = self._way.address
        match error:
            case NobodyHosts():
                return LinkError(
                    "No host runs at {address} now; once it goes on, you are back.", address=address
                )
            case StandsStill():
                return LinkError(
                    "The host at {address} stands still; once its computer wakes, you are back.",
                    address=address,
                )
            case BrokenOff():
                return error
        return LinkError(
            "{address} does not answer; look at your cable or Wi-Fi, and at the host's.",
            address=address,
        )
