"""When a client asks for the record of a game that is over, and what the answers mean. Pure."""

from msgspec.structs import replace

from coffeerush.errors import LinkError, RecordError
from coffeerush.joining.door import HOST_SAYS
from coffeerush.records.witness import Witness
from protocol import Answer, Bye, GetRecord, Hello, RecordPart, Refused, RefusedError, Sync

from .model import RECORDS_SINCE, Model, RecordFetch

_WAITS: tuple[type, ...] = (Hello, Sync, Bye, GetRecord)


def after_a_game(before: Model, after: Model) -> Model:
    """Note that a game is over whose record is wanted, even if its end was missed."""
    if not after.keeps_records or after.protocol < RECORDS_SINCE:
        return after
    seen = after if _shows_result(after) else before if _missed_end(before, after) else None
    known = after.record
    if seen is None or (known and (known.epoch, known.game) == (seen.epoch, seen.game)):
        return after
    return replace(after, record=RecordFetch(seen.epoch, _witness(seen)))


def _shows_result(model: Model) -> bool:
    is_result = model.table is not None and model.table.stage == "result"
    return is_result and model.view is not None and bool(model.view.standings)


def _missed_end(before: Model, after: Model) -> bool:
    """Return whether a game that was seen is over, though its result was never shown."""
    if before.table is None or before.table.stage != "game" or before.view is None:
        return False
    if after.table is None or after.epoch != before.epoch:
        return False
    return after.game > before.game or after.table.stage == "lobby"


def _witness(model: Model) -> Witness:
    assert model.table is not None  # a game was seen
    assert model.view is not None
    own = model.view.own
    is_new = model.own_at == (model.game, model.rev)
    return Witness(
        table=model.table.name,
        game=model.game,
        rev=model.rev,
        view=model.view if is_new else replace(model.view, own=None),
        seats=model.dealt,
        seat=own.seat if own else None,
        key=model.key,
    )


def next_part(model: Model) -> bool:
    """Return whether to ask for the next part of a record now."""
    fetch = model.record
    if fetch is None or not fetch.wants_more or model.status != "here":
        return False
    waits = any(isinstance(request, _WAITS) for request in model.pending)
    return fetch.epoch == model.epoch and not waits


def take_part(model: Model, asked: GetRecord, answer: Answer) -> Model:
    """Apply the answer to a request for a part; whatever it is, the session goes on."""
    fetch = model.record
    if fetch is None or (asked.game, asked.offset) != (fetch.game, len(fetch.data)):
        return model  # another game has ended since
    if isinstance(answer, RecordPart):
        return replace(model, record=fetch.added(answer))
    if isinstance(answer, Refused):
        why = RefusedError.received(answer.refusal)
        return replace(model, record=fetch.failed(LinkError(HOST_SAYS, reason=why)))
    wrong = RecordError("The host does not send the record of this game.")
    return replace(model, record=fetch.failed(wrong))


def is_on_its_way(model: Model) -> bool:
    """Return whether a record may still arrive."""
    fetch = model.record
    return fetch is not None and not fetch.is_done and model.status == "here"


def settled(model: Model, fetch: RecordFetch) -> Model:
    """Apply what has come of checking and filing a record."""
    now = model.record
    if now is None or (now.epoch, now.game) != (fetch.epoch, fetch.game):
        return model
    return replace(model, record=fetch)
