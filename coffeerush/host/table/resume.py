"""From a record back to a table: the same seats, cups, rev and answers."""

from collections import deque

from msgspec.structs import replace

from coffeerush.host.table import lifecycle, lobby
from coffeerush.records.entries import Head
from coffeerush.records.reading import Record
from coffeerush.rules import view_for
from protocol import MAX_PLAYERS, Epoch, Submit

from .answers import Outcomes
from .config import TableConfig
from .game import Game, TakenIntent
from .guest_list import recall
from .limits import OUTCOMES_KEPT, STAND_IN
from .people import Person, SeatedBot
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
    lifecycle.put_on_table(room, game, _players(head))
    _replay(room, game, outcomes, record, epoch)
    recall(room, record)
    for removal in record.removals:
        if removal.seat is not None:
            lobby.seat_bot(room, removal.seat, STAND_IN)
    room.forget_news()
    room.note("resumed", game=game.number, rev=game.rev)
    if game.over:
        lifecycle.show_result(room)
        if record.end is None:
            lifecycle.record_end(room)


def _players(head: Head) -> list[Person | SeatedBot]:
    return [
        SeatedBot(seated.bot, seated.name)
        if seated.bot or not seated.key
        else Person(seated.key, seated.name, seen=0.0)
        for seated in head.seats
    ]


def _replay(room: TableState, game: Game, outcomes: Outcomes, record: Record, epoch: Epoch) -> None:
    latest: dict[str, deque[TakenIntent]] = {}
    for move in record.moves:
        played = game.play(move, room.now, lambda _: None)
        room.tell(*played.lines())
        if move.key and move.id:
            latest.setdefault(move.key, deque(maxlen=OUTCOMES_KEPT)).append(played)
    for key, some in latest.items():
        for played in some:
            move = played.move
            view = view_for(played.after, move.seat)
            request = Submit(move.id, game.number, move.rev - 1, move.intent)
            outcomes.keep(key, request, played.accepted(epoch, game.number, view))
