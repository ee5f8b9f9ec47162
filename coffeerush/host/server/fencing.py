"""Ask the doors of standbys whether a game of this host goes on there."""

import os
import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Final, NamedTuple

from coffeerush.moving.fencing import NONCE_BYTES, Fence
from protocol import (
    MAX_DOOR_BYTES,
    AskTerm,
    Destination,
    Successor,
    TableNumber,
    TermProof,
    WireError,
    decode_banner,
    decode_door_answer,
    encode_line,
)

DOOR_SECONDS: Final = 2.0
"""For each line: a machine that is switched off does not answer at all."""


class Lost(NamedTuple):
    """A table that goes on elsewhere."""

    number: TableNumber
    to: Destination


def lost_tables(fences: Iterable[tuple[TableNumber, Fence]]) -> list[Lost]:
    """Ask all standbys at once; takes some seconds if they are silent."""
    asked = [(number, fence, standby) for number, fence in fences for standby in fence.standbys]
    if not asked:
        return []
    with ThreadPoolExecutor(len(asked)) as pool:
        found = [*pool.map(lambda each: _asked(*each), asked)]
    latest: dict[TableNumber, Lost] = {}
    for lost in filter(None, found):
        known = latest.get(lost.number)
        if known is None or known.to.term < lost.to.term:
            latest[lost.number] = lost
    return [*latest.values()]


def _asked(number: TableNumber, fence: Fence, standby: Successor) -> Lost | None:
    """Return where a table goes on, if the host of this standby proves that it is there."""
    for question in fence.questions(os.urandom(NONCE_BYTES)):
        try:
            answer = _answer(standby, question)
        except (OSError, WireError):
            return None
        if answer and fence.proves(question, answer, standby.key):
            there = (standby.address,), standby.port
            return Lost(number, Destination(answer.term, standby.name, standby.key, *there))
    return None


def _answer(standby: Successor, question: AskTerm) -> TermProof | None:
    """Return the answer of a door; raises `OSError`, and `WireError` for other bytes."""
    address = standby.address, standby.port
    with (
        socket.create_connection(address, DOOR_SECONDS) as link,
        link.makefile("rb") as lines,
    ):
        if decode_banner(lines.readline(MAX_DOOR_BYTES)).key != standby.key:
            return None
        link.sendall(encode_line(question))
        answer = decode_door_answer(lines.readline(MAX_DOOR_BYTES))
    return answer if isinstance(answer, TermProof) else None


class Inquiry:
    """Asks in a thread.

    Args:
        fences: what to ask.
        on_end: called from the thread once `lost` is known.
    """

    def __init__(
        self, fences: Iterable[tuple[TableNumber, Fence]], on_end: Callable[[], None]
    ) -> None:
        self.lost: list[Lost] | None = None
        """None while it is not known."""
        self._fences = [*fences]
        self._on_end = on_end
        Thread(target=self._run, name="fencing", daemon=True).start()

    def _run(self) -> None:
        self.lost = lost_tables(self._fences)
        self._on_end()


def awake() -> float:
    """Return a time in seconds that goes on while the machine is asleep."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
