"""From a record back to a table: the same seats, cups, rev and answers."""

from collections import deque

from msgspec.structs import replace

from coffeerush.host.table import lifecycle, lobby
from coffeerush.records.reading import MAX_KEYS, Head, Record
from coffeerush.rules import view_for
from protocol import MAX_PLAYERS, Epoch, Submit

from .answers import Outcomes
from .config import OUTCOMES_KEPT, STAND_IN, TableConfig
from .game import Game, TakenIntent
from .guest_list import MAX_GUESTS, forget_oldest
from .people import Occupant, Person, SeatedBot
from .state import TableState


def agreed(config: TableConfig, head: Head) -> TableConfig:
    """Return `config` with all that was agreed when the game of the record began."""
    return replace(
        config,
        name=head.table,
        seats=head.table_seats or _seats_of_old(head),
        deck=head.setup.deck,
        starters=head.setup.starters,
        turn_seconds=head.turn_seconds,
        owner=head.owner,
        first=head.first,
    )


def _seats_of_old(head: Head) -> int:
    """Return the seats at a table whose record does not say: without an owner all were taken."""
    return MAX_PLAYERS if head.owner else len(head.seats)


def restore(room: TableState, outcomes: Outcomes, record: Record, epoch: Epoch) -> None:
    """Put the game of `record` on the table; its people have as long as ever to be heard."""
    head = record.head
    keys = tuple(seated.key for seated in head.seats)
    game = Game(head.game, head.setup, keys, room.now)
    room.people.places = _places(head)
    room.game, room.stage = game, "game"
    room.log.extend(game.opening(tuple(seated.name for seated in head.seats)))
    _replay(room, game, outcomes, record, epoch)
    _settle_people(room, record)
    room.note("resumed", game=game.number, rev=game.rev)
    if game.over:
        lifecycle.show_result(room)
        if record.end is None:
            room.end_is_due = True
            lifecycle.try_alone(room, lifecycle.write_end)


def _places(head: Head) -> list[Occupant]:
    return [
        SeatedBot(seated.bot, seated.name)
        if seated.bot or not seated.key
        else Person(seated.key, seated.name, seen=0.0)
        for seated in head.seats
    ]


def _settle_people(room: TableState, record: Record) -> None:
    """Know the guests again, and keep out who was removed, before the game or during it."""
    people, head = room.people, record.head
    persons = (seated.key for seated in head.seats if seated.key)
    people.guests = dict.fromkeys((*persons, *head.guests, *record.guests))
    people.removed = dict.fromkeys((*head.removed, *(one.key for one in record.removals)))
    for removal in record.removals:
        if removal.seat is not None:
            lobby.seat_bot(room, removal.seat, STAND_IN)
    room.take_news()  # nobody has seen the table before
    for key in people.removed:
        people.guests.pop(key, None)
    forget_oldest(people.guests, MAX_GUESTS)
    forget_oldest(people.removed, MAX_KEYS)


def _replay(room: TableState, game: Game, outcomes: Outcomes, record: Record, epoch: Epoch) -> None:
    latest: dict[str, deque[TakenIntent]] = {}
    for move in record.moves:
        played = game.play(move, room.now, lambda _: None)
        room.log.extend(played.lines())
        if move.key and move.id:
            latest.setdefault(move.key, deque(maxlen=OUTCOMES_KEPT)).append(played)
    for key, some in latest.items():
        for played in some:
            move = played.move
            view = view_for(played.after, move.seat)
            request = Submit(move.id, game.number, move.rev - 1, move.intent)
            outcomes.keep(key, request, played.accepted(epoch, game.number, view))
