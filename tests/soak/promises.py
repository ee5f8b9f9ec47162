"""Check the answers that players got against the records."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from coffeerush.records.entries import Record
from tests.soak.clients import Client
from tests.soak.soak import Soak

PASSING: Final = ("say_hello", "too_fast", "record_failed")
"""Temporary refusals: the client retries, or a copy of a request that a full disk refused
reaches the next host, which has space and does not remember it."""


def check_acknowledged(soak: Soak, players: Sequence[Client], records: Sequence[Record]) -> None:
    """Check players' answers against the records: nothing is missing or applied twice."""
    recorded = [(record.head.game, move) for record in records for move in record.moves if move.id]
    by_id = {(move.key, move.id): (game, move.rev, move.intent) for game, move in recorded}
    soak.hold("no intent is applied twice", len(by_id) == len(recorded))
    for one in players:
        key = one.key.public.decode()
        refused = [each for each in one.refused if each.refusal.code not in PASSING]
        wrong = [each for each in refused if (key, each.id) in by_id]
        soak.hold("what was refused is not on record", not wrong, refused=wrong)
        for id_, answers in one.accepted.items():
            sent = one.asked[id_]
            kept = by_id.get((key, id_)) == (sent.game, sent.rev + 1, sent.intent)
            soak.hold("what was acknowledged is on record", kept, sent=sent)
            first, *others = [replace(answer, epoch=b"") for answer in answers]
            again = all(other == first for other in others)
            soak.hold("a repeat gets the same answer", again, answers=answers)
