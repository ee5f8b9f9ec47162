"""Invariants of a table, checked after each step, and of one that was resumed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.history import Moment, public as public_form
from coffeerush.client.model import Model
from coffeerush.host.table.people import Person, SeatedBot
from coffeerush.host.table.state import TableState
from coffeerush.host.table.table import Table
from coffeerush.records.entries import Record
from coffeerush.rules import State, view_for, with_own
from protocol import (
    LOG_LENGTH,
    MAX_PLAYERS,
    MAX_SPECTATORS,
    MIN_PLAYERS,
    Accepted,
    Answer,
    Current,
    Event,
    GameEnded,
    GameEvent,
    GameStarted,
    OwnView,
    Phase,
    Refused,
    Snapshot,
    TableView,
    Update,
    View,
)


class Broken(Exception):
    """A broken invariant."""

    def __init__(self, promise: str, /, **seen: object) -> None:
        super().__init__(promise)
        self.promise = promise
        self.seen = seen


def hold(promise: str, kept: object, /, **seen: object) -> None:
    """Raise `Broken` unless an invariant is `kept`."""
    if not kept:
        raise Broken(promise, **seen)


def timeless(table: TableView | None) -> TableView | None:
    """Return a table without its clock, which runs between two updates."""
    return table and replace(table, clock=None)


def truth(state: TableState) -> tuple[object, ...]:
    """Return everything that a refused request must not change, apart from presence."""
    game, people = state.game, state.people
    played = game and (game.number, game.rev, game.state, game.timed_out, *game.private_revs)
    places = [
        (one.key, one.name, one.ready, one.left) if isinstance(one, Person) else one
        for one in people.places
    ]
    watching = [(one.key, one.name) for one in people.spectators.values()]
    known = ({*people.guests} - {state.config.owner}, tuple(people.removed))
    told = tuple(state.log) if len(state.log) < LOG_LENGTH else tuple(state.log)[1:]
    return (state.stage, played, places, watching, known, state.games_done, state.end_is_due, told)


def check_state(state: TableState, owner: str) -> None:
    """Check the people at the table and their public view against the rules."""
    people, shown = state.people, state.table_view()
    hold("a table has 2 to 4 seats", MIN_PLAYERS <= len(people.places) <= MAX_PLAYERS)
    eager = [one.name for _, one in people.seated() if one.left and one.ready]
    hold("who has left is not ready", not eager, eager=eager)
    hold("at most so many spectators", len(people.spectators) <= MAX_SPECTATORS)
    names = [name.casefold() for name in people.names()]
    hold("names are unique", len({*names}) == len(names), names=names)
    keys = [one.key for one in people.everybody()]
    hold("nobody is at the table twice", len({*keys}) == len(keys), keys=keys)
    hold("who was removed is not there", not {*keys} & {*people.removed}, keys=keys)
    hold("a removed key is no guest", not {*people.guests} & {*people.removed})
    hold("all who are there may return", {*keys} - {owner} <= {*people.guests}, keys=keys)
    place, person = people.seat_of(owner), people.find(owner)
    has_left = person is not None and person.left
    right = None if has_left else place
    hold("the owner is shown", shown.owner == right, shown=shown.owner, right=right)
    if shown.clock is not None:
        hold("the clock runs within its time", 0 <= shown.clock <= state.config.rules.turn_seconds)
    for one, seat in zip(people.places, shown.seats, strict=True):
        status = "person" if isinstance(one, Person) else "bot" if one else "open"
        hold("seats are shown as they are", seat.status == status, seat=seat)
        hold("a seat shows its name", seat.name == (one.name if one else ""), seat=seat)
    if state.stage == "game":
        assert state.game is not None
        hold("a game is not over while it is played", not state.game.over)
        hold("a game has no open seat", None not in people.places)
        if state.game.timed_out:
            time, most = state.now - state.game.turn_since, state.config.rules.turn_seconds
            hold("no turn is timed out early", time >= most > 0, time=time)
        hold("a game has a seat for each player", len(people.places) == state.game.setup.players)
    else:
        hold("all seats are there between games", len(people.places) == state.config.seats)
    if state.stage == "lobby":
        left = [one for _, one in people.seated() if one.left]
        hold("nobody who left has a seat in the lobby", not left)


def check_update(state: TableState, update: Update) -> None:
    """Check an update against the public state."""
    hold("an update shows nobody's own part", update.view is None or update.view.own is None)
    hold("an update has no private event", not any(map(is_private, update.events)))
    _check_hand(update.view)
    if any(isinstance(one, GameEnded) for one in update.events) and update.table.stage == "result":
        persons = [one for one in update.table.seats if one.status == "person"]
        eager = [one.name for one in persons if one.ready]
        owner = state.people.places[update.table.owner] if update.table.owner is not None else None
        is_owner = owner is not None and eager == [owner.name]
        hold("nobody has asked for a rematch at the end", not eager or is_owner, eager=eager)


def check_answer(state: TableState, key: str, answer: Answer) -> None:
    """Check an answer against what the requester may know: their own cups, their own events."""
    seat = None if state.shown is None else state.shown.seat_of(key)
    if isinstance(answer, Snapshot | Current | Accepted | Refused) and answer.view is not None:
        own = answer.view.own
        hold("a View is for its reader", (own and own.seat) == seat, seat=seat, own=own)
        _check_hand(answer.view)
    if isinstance(answer, Snapshot):
        person = state.people.find(key)
        hold("who gets a snapshot is at the table", person and not person.left, seat=answer.seat)
    if isinstance(answer, Snapshot | Accepted):
        events = answer.log if isinstance(answer, Snapshot) else answer.events
        others = [one for one in events if is_private(one) and getattr(one, "seat", 9) != seat]
        hold("nobody is told what others poured", not others, others=others)


def check_published(state: TableState, latest: Update) -> None:
    """Check that the latest update has the complete current state."""
    now, then = timeless(state.table_view()), timeless(latest.table)
    hold("each change of the table is published", now == then, now=now, then=then)
    right = None if state.shown is None else view_for(state.shown.state, None)
    hold("each change of the game is published", latest.view == right)
    hold("the private revs are published", latest.private_revs == state.private_revs())
    where = (latest.game, latest.rev)
    hold("the rev is published", where == (state.number, state.rev), where=where)


def check_recorded(state: TableState, records: Sequence[Record]) -> None:
    """Check the latest record, replayed, against the current game."""
    if state.game is not None:
        record = records[-1]
        *_, last = record.states()
        hold("the record is of this game", record.head.game == state.number)
        hold("the record leads to the game as it is", last == state.game.state)
        is_ended = state.stage != "game" and not state.end_is_due
        hold("the end is on record", (record.end is not None) == is_ended, end=record.end)


class Secrets:
    """The private data of each seat, to check that the host announces its changes."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Moment, OwnView | None]] = {}

    def check(self, state: TableState) -> None:
        """Check the private revs against the changes since the last check."""
        game = state.playing
        for seat in range(game.setup.players if game else 0):
            assert game is not None  # it has seats
            now = (game.number, game.rev)
            own = with_own(game.view(None), game.state, seat).own
            then, known = self._known.get(seat, (now, own))
            told = (game.number, game.private_revs[seat]) > then or game.number != then[0]
            hold("a seat hears that its own part changed", own == known or told, seat=seat)
            self._known[seat] = (now, own)


def check_model(state: TableState, key: str, owner: str, model: Model) -> None:
    """Check a client's state, after all messages arrived, against a snapshot."""
    seat = state.people.seat_of(key)
    hold("a client knows its seat", model.seat == seat, knows=model.seat, seat=seat)
    hold("a client knows the table", timeless(model.table) == timeless(state.table_view()))
    where = (model.game, model.rev)
    hold("a client knows the rev", where == (state.number, state.rev), where=where)
    right = state.view(key)
    if seat is None and right is not None:  # somebody who gave up a seat knows no more than others
        right, knows = replace(right, own=None), model.view and replace(model.view, own=None)
    else:
        knows = model.view
    hold("a client knows its View", knows == right, knows=knows, right=right)
    is_owner = key == owner != ""
    hold("a client knows whether it owns", model.owner == is_owner, knows=model.owner)
    _check_log(state.log_for(key), model)


def _check_log(right: tuple[Event, ...], model: Model) -> None:
    """Check the log since the game began, in whatever order answers and updates came."""
    known, wanted = Counter(_since_start(model.log)), Counter(_since_start(right))
    if len(right) < LOG_LENGTH:
        hold("a client knows the log", not wanted - known, lacks=wanted - known)


def _since_start(events: Iterable[Event]) -> Iterator[Event]:
    found = [public_form(event) for event in events]
    starts = [at for at, event in enumerate(found) if isinstance(event, GameStarted)]
    yield from found[starts[-1] if starts else 0 :]


def _check_hand(view: View | None) -> None:
    """Check that a hand is hidden while it is being poured."""
    if view is not None and view.phase in (Phase.POURING, Phase.FILLING):
        hold("a hand that is poured is hidden", view.hand is None, phase=view.phase)


def is_private(event: Event) -> bool:
    """Return whether an event has data that only the player on its seat may know."""
    fields = ("cup", "ingredient")
    return any(getattr(event, field, None) is not None for field in fields)


class Before(Struct):
    """The state of a host when it was killed."""

    stage: str
    number: int
    rev: int
    state: State | None
    planned: tuple[int, str]
    who: list[tuple[str, str]]
    owner: str
    keys: frozenset[str]
    removed: frozenset[str]
    agreed: object
    private_revs: tuple[int, ...]
    log: list[Event]

    @classmethod
    def of(cls, table: Table, owner: str) -> Self:
        """Copy the state of a table."""
        state = table._state
        return cls(
            stage=state.stage,
            number=state.number,
            rev=state.rev,
            state=state.game.state if state.game else None,
            planned=_planned(table),
            who=_who(table),
            owner=owner,
            keys=table.keys,
            removed=table.removed,
            agreed=_agreed(table),
            private_revs=state.private_revs(),
            log=_game_log(table),
        )


def _agreed(table: Table) -> object:
    config = table._state.config
    return (config.name, config.deck, config.rules.starters, config.rules.turn_seconds)


def _planned(table: Table) -> tuple[int, str]:
    config = table._state.config
    return (config.seats, config.first)


def _who(table: Table) -> list[tuple[str, str]]:
    """Return who is on each seat: a key and a name, or a kind of bot."""
    return [
        (one.key, one.name) if isinstance(one, Person) else (one.kind, "bot") if one else ("", "")
        for one in table._state.people.places
    ]


def _game_log(table: Table) -> list[Event]:
    events = [line.public for line in table._state.log]
    starts = [at for at, event in enumerate(events) if isinstance(event, GameStarted)]
    return [one for one in events[starts[-1] if starts else 0 :] if isinstance(one, GameEvent)]


def check_resumed(before: Before, table: Table, owner: str, record: Record) -> None:
    """Check a resumed table against the earlier state, except for unanswered requests."""
    state = table._state
    game = state.game
    assert game is not None  # it was resumed
    hold("a resumed table has its owner", owner == before.owner, owner=owner)
    agreed = _agreed(table)
    hold("a resumed table plays as agreed", agreed == before.agreed, agreed=agreed)
    planned = _planned(table)
    right = planned == before.planned
    hold("a resumed table has its seats", right, planned=planned, was=before.planned)
    news = (game.number, len(record.moves)) != (before.number, before.rev)
    hold("a resumed table is where the record is", game.rev == len(record.moves))
    hold("no game is lost", (game.number, game.rev) >= (before.number, before.rev))
    if before.stage != "game" or game.number != before.number:
        return
    states = [*record.states()]
    hold("a resumed game is the same", states[before.rev] == before.state)
    hold("nothing comes after it", game.rev <= before.rev + 1, rev=game.rev, was=before.rev)
    extra = {one.key for one in record.removals} - before.removed
    hold("who was removed stays removed", table.removed == before.removed | extra)
    keys = table.keys | {owner} - {""}
    new = {*record.guests} - before.removed
    hold(
        "who was there may return", keys == (before.keys | new) - extra, keys=keys, was=before.keys
    )
    if not extra and state.stage == "game":
        _check_seats(before, table)
    if not news:
        revs = state.private_revs()
        hold("the private revs are the same", revs == before.private_revs, revs=revs)
        log = _game_log(table)
        most = min(len(log), len(before.log))
        same = log[len(log) - most :] == before.log[len(before.log) - most :]
        hold("the log is the same", same, log=log, was=before.log)


def _check_seats(before: Before, table: Table) -> None:
    who = _who(table)
    hold("everybody has the same seat", who == before.who, who=who, was=before.who)
    for place in table._state.people.places:
        kind = place.kind if isinstance(place, SeatedBot) else place and place.key
        hold("a seat in a game is taken", kind)
