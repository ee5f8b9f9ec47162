"""A client's event log: each event once, with the private fields that this client may see.

The events of this client's own intents arrive twice, with private fields in the answer and
without them in the publication, in either order.
"""

from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from protocol import (
    Accepted,
    CupEmptied,
    Emoted,
    Event,
    GamePaused,
    GameResumed,
    GameStarted,
    HandoverFailed,
    HostStopping,
    OrderServed,
    PeopleChanged,
    Poured,
    Renamed,
    Said,
    SeatsMoved,
    Snapshot,
    TableMoved,
    Update,
)

KEPT: Final = 200
"""Events kept, with the newest messages before them."""
SAID_KEPT: Final = 50
TOLD_KEPT: Final = 64
ANYTIME: Final = (
    *(GameStarted, Said, PeopleChanged, Renamed, SeatsMoved),
    *(Emoted, GamePaused, GameResumed, HandoverFailed, HostStopping, TableMoved),
)
"""Events that can be described without the seats and the menu of their game."""
Moment: TypeAlias = tuple[int, int]
"""A position: game and rev, ordered."""
Events: TypeAlias = tuple[Event, ...]
Updates: TypeAlias = tuple[Update, ...] | None
"""Consecutive publications; None if some are missing."""


class History(Struct, frozen=True):
    """The events known, oldest first."""

    events: Events = ()
    total: int = 0
    """Events so far, dropped ones included; readers count unseen events with it."""
    heard: Moment = (0, 0)
    """The newest position known from a publication."""
    told: tuple[tuple[Moment, Events], ...] = ()
    """Events from answers to this client's intents whose publications have not arrived yet."""

    def since(self, total: int) -> Events:
        """Return the events that came after the first `total`; a new host may count from 0.

        Messages kept for longer than other events count as old.
        """
        new = min(self.total - total, KEPT)
        return self.events[-new:] if new > 0 else ()


def hear(history: History, update: Update) -> History:
    """Add a publication's events, with private fields from an earlier answer."""
    moment = (update.game, update.rev)
    heard = replace(_append(history, update.events), heard=max(moment, history.heard))
    for told, events in history.told:
        if told == moment:
            heard = replace(heard, events=_fill(heard.events, events))
    return replace(heard, told=_still_ahead(heard))


def tell(history: History, answer: Accepted) -> History:
    """Add the private fields from the answer to this client's own intent.

    Its events are added by their publication or a snapshot, since earlier events may be missing.
    """
    moment = (answer.game, answer.rev)
    if moment <= history.heard:
        return replace(history, events=_fill(history.events, answer.events))
    return replace(history, told=(*history.told, (moment, answer.events))[-TOLD_KEPT:])


def resume(history: History, snapshot: Snapshot, held: Updates, same_host: bool) -> History:
    """Continue the history from a snapshot.

    Args:
        history: the history so far.
        snapshot: its log holds the host's latest events.
        held: the publications up to the snapshot, if none is missing: they hold all that is new.
        same_host: False after a restart of the host: then nothing in its log counts as new.
    """
    heard = (snapshot.game, snapshot.rev)
    if not same_host:
        return replace(history, events=snapshot.log, heard=heard, told=())
    if held is not None:
        for update in held:
            history = hear(history, update)
        return history
    events, latest = history.events, snapshot.log
    if snapshot.game != history.heard[0]:
        # the start of this game was missed, so nothing else separates it from the previous one
        events = tuple(event for event in events if isinstance(event, ANYTIME))
    elif isinstance(latest[0] if latest else None, GameStarted):
        latest = latest[1:]  # it is told again, before events that may not follow it
    known = _overlap(events, latest)
    kept = _fill(events, latest[:known])
    going_on = replace(history, events=kept, heard=heard)
    going_on = replace(going_on, told=_still_ahead(going_on))
    return _append(going_on, latest[known:])


def go_on(history: History, snapshot: Snapshot) -> History:
    """Continue the history where another host goes on with the same game, which knows no chat.

    Nothing in that host's log counts as new.
    """
    log = snapshot.log
    at = [number for number, event in enumerate(log) if not isinstance(event, ANYTIME)]
    seen = tuple(event for event in history.events if not isinstance(event, ANYTIME))
    known = _overlap(seen, tuple(log[number] for number in at))
    rest = log[at[known - 1] + 1 :] if known else log
    kept = _fill((*history.events, *rest)[-KEPT:], log)
    return replace(history, events=kept, heard=(snapshot.game, snapshot.rev), told=())


def _still_ahead(history: History) -> tuple[tuple[Moment, Events], ...]:
    """Return the answers' events whose publications have not arrived yet."""
    return tuple(told for told in history.told if told[0] > history.heard)


def _append(history: History, events: Events) -> History:
    all_of_them = (*history.events, *events)
    said = [event for event in all_of_them[:-KEPT] if isinstance(event, Said)]
    kept = (*said[-SAID_KEPT:], *all_of_them[-KEPT:])
    return replace(history, events=kept, total=history.total + len(events))


def _overlap(old: Events, new: Events) -> int:
    """Return the number of events at the end of `old` that are also the start of `new`."""
    was = [public(event) for event in old]
    now = [public(event) for event in new]
    longest = min(len(was), len(now))
    return next(size for size in range(longest, -1, -1) if was[len(was) - size :] == now[:size])


def _fill(events: Events, fuller: Events) -> Events:
    """Replace events by their fuller form in `fuller`; of equal ones, the latest."""
    filled = list(events)
    for event in reversed(fuller):
        bare = public(event)
        if bare != event and bare in filled:
            last = len(filled) - 1 - filled[::-1].index(bare)
            filled[last] = event
    return tuple(filled)


def public(event: Event) -> Event:
    """Return an event without its private fields."""
    if isinstance(event, Poured):
        return replace(event, ingredient=None, cup=None)
    return replace(event, cup=None) if isinstance(event, CupEmptied | OrderServed) else event
