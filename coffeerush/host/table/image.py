"""A table as its successor's host gets it, and the table that this host makes of it."""

from collections.abc import Iterable
from typing import Final

from coffeerush.errors import RecordError
from coffeerush.levels import LEVELS
from coffeerush.moving.handover import (
    StateOfAnswer,
    StateOfBot,
    StateOfLine,
    StateOfPerson,
    StateOfTable,
    StateOfTurn,
)
from coffeerush.records.entries import read_record
from protocol import (
    Accepted,
    Answer,
    Request,
    TableNumber,
    WireError,
    clean_line,
    clean_speaker,
    decode_answer,
    decode_request,
    encode,
)

from . import lifecycle
from .config import STAND_IN
from .people import Occupant, Person, SeatedBot
from .state import LogLine, TableState

_KINDS: Final = ("random", *LEVELS)
"""The kinds of bots that every host has; a file of the old host is not on the new one."""


def state_of(
    table: TableState,
    number: TableNumber,
    answers: Iterable[tuple[str, Request, Answer]],
    epoch: bytes,
    seq: int,
) -> StateOfTable:
    """Return a table for its successor; raises `RecordError` if its record cannot be read.

    Args:
        table: as it is.
        number: its number in the hall.
        answers: those that may be asked for again, with their keys and requests.
        epoch: of its updates.
        seq: of the latest update.
    """
    config, people, chosen = table.config, table.people, table.chosen_first
    if isinstance(chosen, Person | SeatedBot):
        first = people.places.index(chosen) if chosen in people.places else None
    return StateOfTable(
        number=number,
        name=config.name,
        seats=config.seats,
        deck=config.deck,
        rules=config.rules,
        owner=config.owner,
        first=clean_speaker(config.first),
        games=config.games,
        games_done=table.games_done,
        stage=table.stage,
        record=table.journals.read() if table.game else b"",
        end_is_due=table.end_is_due,
        places=tuple(map(_occupant, people.places)),
        spectators=tuple(map(_person, people.spectators.values())),
        queue=tuple(person.key for person in people.queue),
        guests=tuple(people.guests),
        removed=tuple(people.removed),
        began=table.began,
        chosen_first=first if isinstance(chosen, Person | SeatedBot) else chosen,
        log=tuple(StateOfLine(line.public, line.seat, line.own) for line in table.log),
        turn=_turn(table),
        epoch=epoch,
        seq=seq,
        answers=tuple(
            StateOfAnswer(key, encode(request), encode(answer))
            for key, request, answer in answers
            if not isinstance(answer, Accepted)  # these follow from the record
        ),
    )


def _occupant(place: Occupant) -> StateOfPerson | StateOfBot | None:
    if isinstance(place, SeatedBot):
        return StateOfBot(place.kind, place.name)
    return None if place is None else _person(place)


def _person(person: Person) -> StateOfPerson:
    names = StateOfPerson.__struct_fields__
    return StateOfPerson(**{name: getattr(person, name) for name in names})


def _turn(table: TableState) -> StateOfTurn:
    game = table.playing
    if game is None:
        return StateOfTurn()
    until = game.pause.since if game.pause else table.now
    return StateOfTurn(
        max(until - game.turn_since, 0.0),
        game.bot_intents,
        game.turn_undos,
        game.timed_out,
        game.bot_failed,
    )


def check(state: StateOfTable) -> None:
    """Raise `RecordError` unless the record of a table's game fits its stage and its seats."""
    if not state.record:
        return
    record = read_record(state.record)
    *_others, last = record.states()
    plays = state.stage == "game"
    seats = len(record.head.seats) if plays else state.seats
    fits = record.good == len(state.record) and len(state.places) == seats
    if not fits or plays != (last.active is not None):
        raise RecordError("The table cannot be taken over: its record belongs to another game.")


def restore_state(table: TableState, state: StateOfTable) -> tuple[str, ...]:
    """Put people, log and turn on a table whose game has been replayed; call it at time 0.

    Returns the names of the bots from files, in whose place the program's own bots play.
    """
    replaced: list[str] = []
    places: list[Occupant] = []
    for place in state.places:
        if isinstance(place, StateOfBot):
            known = place.kind in _KINDS
            replaced += [] if known else [place.name]
            places.append(SeatedBot(place.kind if known else STAND_IN, _clean(place.name)))
        else:
            places.append(None if place is None else _restored(place))
    table.people.take_up(places, map(_restored, state.spectators), state.queue)
    lifecycle.take_up(table, state)
    chosen = state.chosen_first
    first = places[chosen] if isinstance(chosen, int) else chosen
    log = [LogLine(line.public, line.seat, line.own) for line in state.log]
    table.take_up(state.began, first, log)
    if table.playing:
        table.playing.take_up(state.turn)
    return tuple(map(_clean, replaced))


def _restored(person: StateOfPerson) -> Person:
    names = StateOfPerson.__struct_fields__
    values = {name: getattr(person, name) for name in names}
    return Person(**{**values, "name": _clean(person.name)}, seen=0.0)


def _clean(name: str) -> str:
    return clean_speaker(name) or "?"


def answers_in(state: StateOfTable) -> Iterable[tuple[str, Request, Answer]]:
    """Yield the answers that were kept, with their keys and requests; raises `RecordError`."""
    for kept in state.answers:
        try:
            yield kept.key, decode_request(kept.request), decode_answer(kept.answer)
        except WireError as error:
            raise RecordError(
                "The table cannot be taken over: what its host has sent makes no sense ({reason}).",
                reason=clean_line(str(error)),
            ) from None
