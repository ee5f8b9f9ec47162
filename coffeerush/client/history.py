"""The log of a client: each event once, in the fullest form that this client may know.

An own intent is told twice, by its answer with the private fields and by the publication without
them, in either order.
"""

from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from protocol import (
    Accepted,
    CupEmptied,
    Event,
    GameStarted,
    HostStopping,
    OrderServed,
    PeopleChanged,
    Poured,
    Renamed,
    Said,
    Snapshot,
    Update,
)

KEPT: Final = 200
"""Events that a client remembers."""
TOLD_KEPT: Final = 64
ANYTIME: Final = (GameStarted, Said, PeopleChanged, Renamed, HostStopping)
"""Events that need no seat and no menu of the game that is on to be told."""
Moment: TypeAlias = tuple[int, int]
"""A game and a rev: the order of all positions at a table."""
Events: TypeAlias = tuple[Event, ...]
Updates: TypeAlias = tuple[Update, ...] | None
"""Publications without a gap; None where some are missing."""


class History(Struct, frozen=True):
    """The events known, oldest first."""

    events: Events = ()
    total: int = 0
    """How many there were ever; what a reader has not yet seen is counted with it."""
    heard: Moment = (0, 0)
    """The newest position that a publication told of."""
    told: tuple[tuple[Moment, Events], ...] = ()
    """Own intents of newer positions, as their answers told them."""


def hear(history: History, update: Update) -> History:
    """Return the history with the events of a publication, as fully as an answer has told them."""
    moment = (update.game, update.rev)
    heard = replace(_append(history, update.events), heard=max(moment, history.heard))
    for told, events in history.told:
        if told == moment:
            heard = replace(heard, events=_fill(heard.events, events))
    return replace(heard, told=_still_ahead(heard))


def tell(history: History, answer: Accepted) -> History:
    """Return the history with the private fields of an own intent.

    Its events come with their publication, or with a snapshot: whatever happened before them may
    not be known yet.
    """
    moment = (answer.game, answer.rev)
    if moment <= history.heard:
        return replace(history, events=_fill(history.events, answer.events))
    return replace(history, told=(*history.told, (moment, answer.events))[-TOLD_KEPT:])


def resume(history: History, snapshot: Snapshot, held: Updates, same_host: bool) -> History:
    """Return the history that goes on with a snapshot.

    Args:
        history: what was known.
        snapshot: its log is the latest that the host has.
        held: publications that came since; where none is missing they tell all that is new.
        same_host: False after a restart of the host: nothing in its log counts as new then.
    """
    heard = (snapshot.game, snapshot.rev)
    if not same_host:
        return replace(history, events=snapshot.log, heard=heard, told=())
    if held is not None:
        for update in held:
            history = hear(history, update)
        return history
    events = history.events
    if snapshot.game != history.heard[0]:
        # its beginning was missed: nothing else would tell this game from the one before
        events = tuple(one for one in events if isinstance(one, ANYTIME))
    known = _overlap(events, snapshot.log)
    kept = _fill(events, snapshot.log[:known])
    going_on = replace(history, events=kept, heard=heard)
    going_on = replace(going_on, told=_still_ahead(going_on))
    return _append(going_on, snapshot.log[known:])


def _still_ahead(history: History) -> tuple[tuple[Moment, Events], ...]:
    """Return what was told of positions that are not heard of yet."""
    return tuple(one for one in history.told if one[0] > history.heard)


def _append(history: History, events: Events) -> History:
    kept = (*history.events, *events)[-KEPT:]
    return replace(history, events=kept, total=history.total + len(events))


def _overlap(old: Events, new: Events) -> int:
    """Return how many events at the start of `new` are those at the end of `old`."""
    was = [public(event) for event in old]
    now = [public(event) for event in new]
    longest = min(len(was), len(now))
    return next(size for size in range(longest, -1, -1) if was[len(was) - size :] == now[:size])


def _fill(events: Events, fuller: Events) -> Events:
    """Return `events` with the latest of each that `fuller` knows better in its better form."""
    filled = list(events)
    for event in reversed(fuller):
        bare = public(event)
        if bare != event and bare in filled:
            last = len(filled) - 1 - filled[::-1].index(bare)
            filled[last] = event
    return tuple(filled)


def public(event: Event) -> Event:
    """Return an event as everybody may know it."""
    if isinstance(event, Poured):
        return replace(event, ingredient=None, cup=None)
    if isinstance(event, CupEmptied | OrderServed):
        return replace(event, cup=None)
    return event
