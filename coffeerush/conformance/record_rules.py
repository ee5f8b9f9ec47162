"""Rules for hosts: the record of a finished game, while the next one is played."""

from typing import Final

from coffeerush.errors import RecordError
from coffeerush.records.entries import read_record
from protocol import MAX_PART_BYTES, GetRecord, RecordPart, Refused

from .rules import Departure, NotTried, Rules, expect
from .tour import Tour, expected
from .visitor import new_id

RECORD_RULES: Final = Rules()


def finished_game(tour: Tour) -> int:
    """Return the number of the latest game that is over; raise `NotTried` if there is none."""
    snapshot = tour.snapshot(tour.player)
    game = snapshot.game - (snapshot.table.stage == "game")
    if not game:
        raise NotTried("no game has been played")
    return game


@RECORD_RULES("Records", "nobody gets the record of a game in progress, or of none")
def _no_record(tour: Tour) -> None:
    snapshot = tour.snapshot(tour.player)
    wrong = snapshot.game + (snapshot.table.stage != "game")
    for peer in (tour.player, tour.spectator):
        tour.check_refused(peer, GetRecord(new_id(), wrong, 0), "no_record")
    tour.check_refused(tour.stranger, GetRecord(new_id(), wrong, 0), "say_hello")


@RECORD_RULES("Records", "players and spectators get the record of the latest finished game")
def _record(tour: Tour) -> None:
    game = finished_game(tour)
    first = tour.player.ask(GetRecord(new_id(), game, 0))
    if isinstance(first, Refused) and first.refusal.code == "no_record":
        raise NotTried("the host keeps no record")
    size, data = expected(RecordPart, first).size, b""
    for peer in (tour.player, tour.spectator):
        before, data = data, b""
        while not data or len(data) < size:
            answer = expected(RecordPart, peer.ask(GetRecord(new_id(), game, len(data))))
            expect(answer.size == size, "the size has changed")
            data += answer.part
            is_whole = len(answer.part) == MAX_PART_BYTES or len(data) == size
            expect(is_whole and len(data) <= size, f"{len(answer.part)} of {size} bytes")
        expect(before in (b"", data), "the record has changed")
    tour.check_refused(tour.player, GetRecord(new_id(), game, size), "no_record")
    try:
        record = read_record(data)
    except RecordError as error:
        raise Departure(f"{error}") from None
    expect(record.end and record.head.game == game, "it is not the record of that game")
