"""Restore a table from a record: same seats, cups, rev and answers."""

from collections import deque

from msgspec.structs import replace

from coffeerush.host.table import lifecycle, lobby
from coffeerush.records.entries import Head, Record
from coffeerush.rules import view_for
from protocol import MAX_PLAYERS, Epoch, Submit

from .answers import RecentAnswers
from .config import TableConfig
from .game import Game, TakenIntent
from .guest_list import restore_guests
from .limits import ANSWERS_KEPT, STAND_IN
from .people import Person, SeatedBot
from .state import TableState


def agreed_config(config: TableConfig, head: Head) -> TableConfig:
    """Return `config` with the settings that the record's game started with."""
    return replace(
        config,
        name=head.table,
        # an old record lacks the seats; without an owner all were taken
        seats=head.table_seats or (MAX_PLAYERS if head.owner else len(head.seats)),
        deck=head.setup.deck,
        starters=head.setup.starters,
        turn_seconds=head.turn_seconds,
        bot_seconds=head.bot_seconds,
        hints=head.hints,
        owner=head.owner,
        first=head.first,
    )


def restore(room: TableState, answers: RecentAnswers, record: Record, epoch: Epoch) -> None:
    """Restore the game of `record`; absence timers start afresh."""
    head = record.head
    game = Game(head.game, head.setup, tuple(seated.key for seated in head.seats), room.now)
    lifecycle.put_on_table(room, game, _players(head))
    _replay(room, game, answers, record, epoch)
    room.journals.resume(record)
    restore_guests(room, record)
    for removal in record.removals:
        if removal.seat is not None:
            lobby.seat_bot(room, removal.seat, STAND_IN)
    if record.pause is not None:
        game.stop_clock(record.pause, room.now)
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
        else Person(
            seated.key,
            seated.name,
            seen=0.0,
            letter=seated.letter,
            colour=seated.colour,
            heard=False,
        )
        for seated in head.seats
    ]


def _replay(
    room: TableState, game: Game, answers: RecentAnswers, record: Record, epoch: Epoch
) -> None:
    latest: dict[str, deque[TakenIntent]] = {}
    for move in record.moves:
        played = game.play(move, room.now, lambda _: None)
        room.tell(*played.lines())
        if move.key and move.id:
            latest.setdefault(move.key, deque(maxlen=ANSWERS_KEPT)).append(played)
    for key, some in latest.items():
        for played in some:
            move = played.move
            view = view_for(played.after, move.seat)
            request = Submit(move.id, game.number, move.rev - 1, move.intent)
            answers.keep(key, request, played.accepted(epoch, game.number, view))
