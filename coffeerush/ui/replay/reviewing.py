"""The review of a seat's turns in a replay: how far it is, its notes, the better line. Pure."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.ui.advice.review import PlayedTurn, Review, ReviewedTurn
from coffeerush.ui.words.i18n import _
from protocol import EndTurn, Event, Poured, RestReturned, Seat, Stepped

from .frames import Replay
from .review_words import deeds, fine_line, judgement, name_of, whole, why

_WITHOUT: Final[tuple[tuple[type[Event], ...], ...]] = (
    (),
    (Poured, RestReturned),
    (Poured, RestReturned, Stepped),
)
"""What is left out of a better line if there is too little room: it can be stepped through."""


class Reviewing(Struct, frozen=True):
    """A review, finished or not."""

    seat: Seat
    turns: tuple[PlayedTurn, ...]
    """All turns of the seat."""
    done: tuple[ReviewedTurn, ...] = ()
    review: Review | None = None
    """The result; None while turns are left."""
    line: Replay | None = None
    """The game with a better line, if that is shown."""

    @property
    def next(self) -> PlayedTurn | None:
        """The turn to be reviewed next; None after the last one."""
        return None if len(self.done) == len(self.turns) else self.turns[len(self.done)]

    @property
    def marked(self) -> tuple[ReviewedTurn, ...]:
        """The marked turns; none before the review is finished."""
        return self.review.marked if self.review else ()

    def marked_at(self, rev: int) -> ReviewedTurn | None:
        """Return the marked turn in which a frame is."""
        turn = self.turn_at(rev)
        return turn if turn in self.marked else None

    def turn_at(self, rev: int) -> ReviewedTurn | None:
        """Return the reviewed turn in which a frame is."""
        return next((one for one in self.done if one.turn.rev <= rev < one.turn.end), None)


def added(replay: Replay, reviewing: Reviewing, turn: ReviewedTurn) -> Reviewing:
    """Add a reviewed turn, unless it is no longer the next one."""
    if turn.turn is not reviewing.next:
        return reviewing
    done = (*reviewing.done, turn)
    finished = len(done) == len(reviewing.turns)
    review = replay.review(done, reviewing.seat) if finished else None
    return replace(reviewing, done=done, review=review)


def better_line(replay: Replay, turn: ReviewedTurn) -> Replay:
    """Return the game up to a turn, with the better line before its end."""
    best = [intent for intent in turn.best if not isinstance(intent, EndTurn)]
    return replay.branch(turn.turn.rev, best)


def note(replay: Replay, reviewing: Reviewing, at: int) -> str:
    """Return the words of the review for the frame at a rev, or for the whole game."""
    return next(notes(replay, reviewing, at))


def notes(replay: Replay, reviewing: Reviewing, at: int) -> Iterator[str]:
    """Yield the same in wordings that become shorter."""
    if reviewing.line is not None:
        yield _("This is a better line that was not played; Esc returns to the game.")
        return
    name = name_of(replay, reviewing.seat)
    if reviewing.review is None:
        text = _("Reviewing {name}'s turns: {count} of {total} done")
        yield text.format(name=name, count=len(reviewing.done), total=len(reviewing.turns))
        return
    turn = reviewing.turn_at(at)
    if turn is None:
        about = whole(reviewing.review)
        yield " ".join((_("Review for {name}").format(name=name) + ":", *about))
    elif turn not in reviewing.marked:
        yield fine_line(turn)
    else:
        for without in _WITHOUT:
            if done := deeds(replay, turn.turn.rev, turn.best, reviewing.seat, without):
                better = _("Better: {deeds} {reason}").format(deeds=done, reason=why(turn))
                yield f"{judgement(turn)} {better}"
