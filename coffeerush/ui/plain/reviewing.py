"""The review of a finished game in plain mode, line by line while a thread works on it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from coffeerush.records.writing import load_record
from coffeerush.ui.replay.frames import Replay
from coffeerush.ui.replay.review_words import review_lines
from coffeerush.ui.replay.reviewing import Reviewing, added, notes
from protocol import Seat

PROGRESS_TURNS: Final = 5
"""Turns between two lines about the progress."""


def load_replay(path: str) -> Replay:
    """Return the replay of a record; raises `RecordError`."""
    return Replay(load_record(Path(path)))


async def review_lines_of(replay: Replay, seat: Seat | None) -> AsyncIterator[Sequence[str]]:
    """Yield lines about the progress of a review, and at last the review.

    `seat` is the reader's own; without one, the first person's turns are reviewed.
    """
    seat = replay.reviewer if seat is None else seat
    reviewing = Reviewing(seat, replay.turns_of(seat))
    while (turn := reviewing.next) is not None:
        if not len(reviewing.done) % PROGRESS_TURNS:
            yield [next(notes(replay, reviewing, 0))]
        done = await asyncio.to_thread(replay.review_turn, turn)
        reviewing = added(replay, reviewing, done)
    yield review_lines(replay, reviewing.review or replay.review((), seat))
