"""A client's part in a handover: ask, agree, fetch the tables, follow them. Pure."""

from msgspec.structs import replace

from coffeerush.errors import LinkError
from coffeerush.moving.inheritance import Inheritance
from protocol import (
    Answer,
    Destination,
    GetHandover,
    HandOver,
    HandoverRequest,
    Hello,
    Moving,
    Name,
    RecordPart,
    Sync,
    TakeOver,
)

from .model import Handover, Model, Status


def asks(model: Model) -> Moving | None:
    """Return the handover in which this person is asked to host the table."""
    moving = model.table.moving if model.table else None
    is_asked = moving is not None and moving.to == model.name and not moving.agreed
    answered = any(isinstance(request, TakeOver) for request in model.pending)
    can = model.standby is not None and model.status == "here"
    return moving if is_asked and can and not answered else None


def standbys(model: Model) -> tuple[Name, ...]:
    """Return whom this person could ask to host the table; nobody while a tournament is on.

    Only the owner of the first table can, at a table of their own.
    """
    if model.table is None or not model.owner or not hands_over(model) or model.holds_tournament:
        return ()
    return model.table.standbys


def hands_over(model: Model) -> bool:
    """Return whether this person owns the host's first table, as far as the client knows."""
    return model.owns_hall if model.tables else model.owner


def wished(model: Model, wanted: HandoverRequest) -> Model:
    """Note what this person wants."""
    match wanted:
        case HandOver():
            return replace(model, handover=Handover(leaving=wanted.leaving))
        case TakeOver(agreed=True):
            return replace(model, handover=Handover(inherits=Inheritance()))
        case TakeOver():
            return replace(model, handover=None)
    return model


def heard(model: Model) -> Model:
    """Forget a handover that is not under way any more."""
    mine = model.handover
    if mine is None or model.table is None:
        return model
    if model.table.moving is not None:
        return model if mine.begun else replace(model, handover=replace(mine, begun=True))
    return replace(model, handover=None) if mine.begun else model


def next_part(model: Model, new_id: bytes) -> GetHandover | None:
    """Return the request for the next part of the tables, if it is time for it."""
    found = model.handover.inherits if model.handover else None
    moving = model.table.moving if model.table else None
    if found is None or found.is_whole or moving is None or not moving.agreed:
        return None
    waits = Hello | Sync | GetHandover | TakeOver
    if model.status != "here" or any(isinstance(request, waits) for request in model.pending):
        return None
    return GetHandover(new_id, len(found.data))


def take_part(model: Model, asked: GetHandover, answer: Answer) -> Model:
    """Apply the answer to a request for a part; without a fitting one there is no handover."""
    found = model.handover.inherits if model.handover else None
    if model.handover is None or found is None or asked.offset != len(found.data):
        return model
    fits = isinstance(answer, RecordPart) and found.added(answer.size, answer.part)
    return replace(model, handover=replace(model.handover, inherits=fits) if fits else None)


def offered(model: Model, to: Destination) -> Model:
    """Return the model of the person at a host whose game went on at another one."""
    trouble = LinkError(
        "While this computer was cut off, the game continued on {name}'s computer.", name=to.name
    )
    status: Status = "joining" if model.table is None else "lost"
    offer = replace(model, elsewhere=to, may_go_on=True, trouble=trouble)
    return replace(offer, status=status, looking=None)


def follows(model: Model, to: Destination) -> bool:
    """Return whether a client goes where the host says that its table has gone."""
    return model.table is None or to.term > model.table.term
