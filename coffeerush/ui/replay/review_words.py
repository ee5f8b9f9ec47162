"""A review in words: the marked turns, the better lines, luck and what to remember."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from coffeerush.client.history import History
from coffeerush.client.model import Model
from coffeerush.ui.advice.review import Reason, Review, ReviewedTurn
from coffeerush.ui.words.events import digest
from coffeerush.ui.words.i18n import N_, _, ngettext
from coffeerush.ui.words.names import item_list, percent, seat_name
from protocol import EndTurn, Event, Intent, Seat

from .frames import Replay

_LESSONS: Final = {
    Reason.UPGRADE: N_("Remember: an upgrade is worth most while the deck is full."),
    Reason.NO_UPGRADE: N_("Remember: an upgrade that comes late does not pay for itself."),
    Reason.SAVE: N_("Remember: look at slot 4 first, because an order that expires costs a point."),
    Reason.SERVE: N_("Remember: before you step, look for a path that serves one more order."),
    Reason.KEEP_RUSH: N_("Remember: spend a rush token only if it serves another order."),
    Reason.PREPARE: N_("Remember: fill cups that are left over for the orders of your next turn."),
}


def review_lines(replay: Replay, review: Review) -> list[str]:
    """Return a whole review, one line per sentence or per line of play; "you" is its player."""
    seat = review.seat
    lines = [_("Review for {name}").format(name=name_of(replay, seat))]
    for one in review.marked:
        played = deeds(replay, one.turn.rev, one.turn.intents, seat)
        lines += [
            judgement(one),
            _("Played: {deeds}").format(deeds=played),
            _("Better: {deeds} {reason}").format(
                deeds=deeds(replay, one.turn.rev, one.best, seat), reason=why(one)
            ),
        ]
    return [*lines, *costs(review), *whole(review)]


def name_of(replay: Replay, seat: Seat) -> str:
    """Return a player's name."""
    return seat_name(replay.frame(0).model, seat)


def judgement(turn: ReviewedTurn) -> str:
    """Return which turn it is, and what it cost."""
    text = (
        _(
            "Round {round} (action {rev}): a blunder; it cost about {percent}% of your "
            "chance to win."
        )
        if turn.grade == "blunder"
        else _(
            "Round {round} (action {rev}): inexact; it cost about {percent}% of your chance to win."
        )
    )
    return text.format(
        round=turn.turn.begun.round, rev=turn.turn.rev, percent=round(100 * turn.cost)
    )


def why(turn: ReviewedTurn) -> str:
    """Return why the better line is better."""
    match turn.reason:
        case Reason.UPGRADE:
            text = _("The upgrade pays for itself.")
        case Reason.NO_UPGRADE:
            text = _("It saves the orders that the upgrade would cost.")
        case Reason.SAVE:
            text = ngettext("It saves {count} penalty.", "It saves {count} penalties.", turn.count)
        case Reason.SERVE:
            text = ngettext(
                "It serves {count} more order.", "It serves {count} more orders.", turn.count
            )
        case Reason.KEEP_RUSH:
            text = ngettext(
                "It keeps {count} more rush token.",
                "It keeps {count} more rush tokens.",
                turn.count,
            )
        case Reason.PREPARE:
            text = _("It prepares your next turn better.")
    return text.format(count=turn.count)


def costs(review: Review) -> Iterator[str]:
    """Yield what each turn of the person lost, if they had any."""
    if review.costs:
        percents = item_list(map(percent, review.costs))
        yield _("How much of your chance to win each turn cost: {percents}.").format(
            percents=percents
        )


def whole(review: Review) -> Iterator[str]:
    """Yield the sentences on the whole game."""
    if review.by_bot:
        yield ngettext(
            "A bot played {count} turn in your place, which is not judged.",
            "A bot played {count} turns in your place, which are not judged.",
            review.by_bot,
        ).format(count=review.by_bot)
    if review.costs:
        yield balance(review)
        yield lesson(review)


def fine_line(turn: ReviewedTurn) -> str:
    """Return the cost of a turn that is not marked."""
    if turn.turn.by_bot:
        text = _("Round {round}: a bot played this turn in your place.")
        return text.format(round=turn.turn.begun.round)
    text = _("Round {round}: this turn cost about {percent}% of your chance to win.")
    return text.format(round=turn.turn.begun.round, percent=round(100 * turn.cost))


def balance(review: Review) -> str:
    """Return luck apart from skill."""
    return _(
        "Your chance to win, in all: {luck}% by luck (cards, opponents, who began), "
        "{lost}% by your decisions."
    ).format(luck=f"{round(100 * review.luck):+}", lost=f"{round(-100 * review.lost):+}")


def lesson(review: Review) -> str:
    """Return the sentence to take home."""
    if review.lesson is None:
        return _("No turn cost you much.")
    return _(_LESSONS[review.lesson])


def deeds(
    replay: Replay,
    rev: int,
    intents: Iterable[Intent],
    seat: Seat,
    without: tuple[type[Event], ...] = (),
) -> str:
    """Return a turn of a seat in sentences, from its intents; `rev` is its beginning.

    Events of some kinds can be left out; "" if nothing else happens.
    """
    model = _after(replay, rev, tuple(one for one in intents if not isinstance(one, EndTurn)), seat)
    if without:
        events = tuple(one for one in model.log if not isinstance(one, without))
        model = replace(model, history=History(events, len(events)))
    told = " ".join(one for one in digest(model) if isinstance(one, str))
    return told or ("" if without else _("You do nothing."))


@lru_cache(maxsize=8)  # a screen asks again for every frame
def _after(replay: Replay, rev: int, line: tuple[Intent, ...], seat: Seat) -> Model:
    """Return the model of a seat after a line; its log has only that line."""
    played = replay.branch(rev, line)
    events = [event for at in range(rev + 1, played.last + 1) for event in played.frame(at).events]
    return replace(
        played.frame(played.last).model,
        role="player",
        seat=seat,
        history=History(tuple(events), len(events)),
    )
