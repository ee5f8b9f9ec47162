"""Looks at its door for a host that is not heard any more."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Final, Self

from coffeerush.client.enrol import (
    BrokenOff,
    NobodyHosts,
    StandsStill,
    Table,
    Unreachable,
    Way,
)
from coffeerush.client.error_words import error_line
from coffeerush.i18n import _

BACK_OFF_SECONDS: Final = (0.2, 1.0)
"""Between two tries at the door, at random: not all clients knock at once."""


async def back_off() -> None:
    """Wait until the next try."""
    await asyncio.sleep(random.uniform(*BACK_OFF_SECONDS))


class Search:
    """Knocks again and again inside of the `with`, until somebody is there.

    Args:
        way: to the door.
        enrol: has the host there let this client in.
        on_change: called whenever `trouble` or `ended` may have changed.
    """

    def __init__(
        self,
        way: Way,
        enrol: Callable[[Way], Coroutine[None, None, Table]],
        on_change: Callable[[], None],
    ) -> None:
        self._way = way
        self._enrol = enrol
        self._on_change = on_change
        self.trouble = ""
        """Why the latest try has failed: a sentence that says what to do."""

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

    def table(self) -> Table:
        """Return where the door has led to.

        Raises:
            LinkError: it will never let in.
        """
        return self._knocking.result()

    async def _knock(self) -> Table:
        while True:
            await back_off()
            try:
                return await self._enrol(self._way)
            except Unreachable as error:
                self.trouble = self._said(error)
                self._on_change()

    def _said(self, error: Unreachable) -> str:
        match error:
            case NobodyHosts():
                text = _("No host runs at {address} now; once it goes on, you are back.")
            case StandsStill():
                text = _(
                    "The host at {address} stands still; once its computer wakes, you are back."
                )
            case BrokenOff():
                return error_line(error)
            case _:
                text = _(
                    "{address} does not answer; look at your cable or Wi-Fi, and at the host's."
                )
        return text.format(address=self._way.address)
