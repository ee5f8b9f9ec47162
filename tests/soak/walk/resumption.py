"""Check that a resumed host has everything that the killed one knew."""

from typing import Self

from msgspec import Struct

from coffeerush.host.table.people import Person, SeatedBot
from coffeerush.host.table.table import Table
from coffeerush.records.entries import Record
from coffeerush.rules import State
from protocol import Event, GameEvent, GameStarted

from .checks import hold


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
