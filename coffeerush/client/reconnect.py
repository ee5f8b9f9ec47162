"""Reconnect: retry at the door of a host that has fallen silent."""

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

RETRY_DELAY_SECONDS: Final = (0.2, 1.0)
"""Bounds of the random delay between tries at the door, so that clients do not retry in step."""


async def wait_for_retry() -> None:
    """Sleep for a random delay before the next try."""
    await asyncio.sleep(random.uniform(*RETRY_DELAY_SECONDS))


class Reconnector:
    """Retries the door handshake in the background of the `with`, until the host answers.

    `on_change` is called whenever `trouble` or `ended` may have changed.
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
        """Why the latest try failed."""

    def __enter__(self) -> Self:
        self._retrying = asyncio.create_task(self._retry())
        self._retrying.add_done_callback(lambda _task: self._on_change())
        return self

    def __exit__(self, *_error: object) -> None:
        # on a failed task this also marks the error as retrieved, else asyncio would complain
        self._retrying.cancel()

    @property
    def ended(self) -> bool:
        """Whether it has stopped retrying."""
        return self._retrying.done()

    def table(self) -> Enrolment:
        """Return the endpoints that the door gave; raises `LinkError` if it will never."""
        return self._retrying.result()

    async def _retry(self) -> Enrolment:
        while True:
            await wait_for_retry()
            try:
                return await self._enrol(self._way)
            except Unreachable as error:
                self.trouble = self._why(error)
                self._on_change()

    def _why(self, error: Unreachable) -> LinkError:
        """Return the error, reworded for somebody waiting for their host to come back."""
        address = self._way.address
        match error:
            case NobodyHosts():
                return LinkError(
                    "No host is running at {address}; you will be reconnected once it is back.",
                    address=address,
                )
            case StandsStill():
                return LinkError(
                    "The host at {address} is paused; you will be reconnected when its "
                    "computer wakes.",
                    address=address,
                )
            case BrokenOff():
                return error
        return LinkError(
            "{address} does not answer; check your cable or Wi-Fi, and the host's.", address=address
        )
