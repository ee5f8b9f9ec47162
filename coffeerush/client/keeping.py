"""When a client asks for the sealed record of its game, and what it lends to a standby. Pure."""

from msgspec.structs import replace

from coffeerush.errors import LinkError
from coffeerush.moving.failover import Failover
from coffeerush.moving.replica import DealOfShares, Replica, next_loan, with_pieces
from protocol import (
    Accepted,
    Answer,
    Bye,
    CurveKey,
    GetSealed,
    Hello,
    Lend,
    Lent,
    Request,
    RequestId,
    Sealed,
    SealedPart,
    Snapshot,
    Sync,
    Update,
    View,
)

from .model import Model

_WAITS: tuple[type, ...] = (Hello, Sync, Bye, GetSealed, Lend)
FOR_STANDBYS: tuple[type, ...] = (Hello, Lend, Bye)
"""What a standby is asked before it shows the table."""


def hear(model: Model, message: Update | Accepted) -> Model:
    """Keep what an update, or the answer to an intent, adds to the sealed record."""
    if message.sealed is None or not _keeps(model) or message.epoch != model.epoch:
        return model
    return _heard(model, message.game, message.sealed)


def _heard(model: Model, game: int, sealed: Sealed) -> Model:
    assert model.table is not None, "a client without a table keeps nothing"
    deal = DealOfShares(model.epoch, model.table.term, game, sealed.deal)
    return replace(model, replica=model.replica.heard(deal, sealed))


def take_table(model: Model, message: Update | Snapshot) -> Model:
    """Ask for what may have been missed, after a snapshot; drop it all if it is of no use now."""
    if isinstance(message, Snapshot):
        model = replace(
            model,
            successors=message.standbys,
            successors_of=message.table.standbys,
            turned_to="",
            may_go_on=False,
        )
    if not _keeps(model) or model.table is None or not model.table.failover:
        return replace(model, replica=Replica()) if model.replica != Replica() else model
    if isinstance(message, Snapshot) and model.table.stage != "lobby":
        return replace(model, replica=replace(model.replica, is_due=True))
    return model


def _keeps(model: Model) -> bool:
    return model.keeps_replica and model.seat is not None and model.table is not None


def next_request(model: Model, new_id: RequestId) -> Request | None:
    """Return the request for what is missing of the sealed record, if there is to be one now."""
    waits = any(isinstance(request, _WAITS) for request in model.pending)
    if waits or model.status != "here" or not model.replica.lacks:
        return None
    return model.replica.request(new_id)


def take_part(model: Model, answer: Answer) -> Model:
    """Apply the answer to a request for what is missing."""
    if isinstance(answer, SealedPart) and answer.epoch == model.epoch:
        return replace(model, replica=model.replica.told(answer))
    return replace(model, replica=model.replica.without_share())


def knows_standbys(model: Model) -> bool:
    """Return whether this client knows where the hosts of the table's standbys would be."""
    return model.table is None or model.successors_of in (None, model.table.standbys)


# Once the host is silent


def is_safe(model: Model) -> bool:
    """Return whether the game can go on without its host."""
    table = model.table
    return table is not None and table.failover and table.stage == "game"


def rank(model: Model) -> int | None:
    """Return this person's place in the order of succession, from 0; None if they cannot host."""
    can = is_safe(model) and model.standby is not None
    if not can or model.table is None or not any(dealt.share for dealt in model.replica.deals):
        return None
    names = model.table.standbys
    return names.index(model.name) if model.name in names else None


def failover_of(model: Model) -> Failover:
    """Return what the host on this machine has to know to go on with the table."""
    assert model.table is not None, "there is a table to go on with"
    return Failover(model.number, model.table.name, model.name, model.key, model.replica)


def turned(model: Model, standby: CurveKey) -> Model:
    """Note that this client turns to a standby, as its host does not answer; or back, with ""."""
    if model.turned_to == standby:
        return model
    rest = tuple(request for request in model.pending if not isinstance(request, Hello | Lend))
    return replace(model, turned_to=standby, pending=rest)


def goes_on(model: Model, snapshot: Snapshot) -> bool:
    """Return whether a standby shows the game that this client has lost, in a later term.

    What has happened in it since cannot be checked before it is over: then its record shows all.
    """
    if model.table is None or snapshot.table.term <= model.table.term:
        return False
    if (snapshot.game, snapshot.seat) != (model.game, model.seat) or snapshot.rev < model.rev:
        return False
    return snapshot.rev > model.rev or _same(model, snapshot.view)


def _same(model: Model, shown: View | None) -> bool:
    """Return whether a View of the same position shows what this client has seen of it."""
    seen = model.view
    if seen is None or shown is None:
        return seen is shown
    if replace(seen, own=None) != replace(shown, own=None):
        return False
    if model.own_at != (model.game, model.rev) or seen.own is None or shown.own is None:
        return True
    return (seen.own.cups, seen.own.hand) == (shown.own.cups, shown.own.hand)


def distrust(model: Model) -> Model:
    """Note that a standby does not go on with the game: this client turns to others."""
    return replace(model, distrusted=model.distrusted | {model.turned_to})


def silence(model: Model) -> LinkError:
    """Return what to say of a host that is silent while its game is safe."""
    owner = model.table.owner if model.table else None
    if model.table is None or owner is None:
        return LinkError("The host's computer is not responding. The game is safe.")
    name = model.table.seats[owner].name
    return LinkError("{name}'s computer is not responding. The game is safe.", name=name)


def next_loan_of(model: Model, asked: Request, answer: Answer, new_id: RequestId) -> Lend | None:
    """Return what to lend next, after the answer to a hello or to a loan."""
    if not isinstance(asked, Lend):
        return next_loan(model.replica, None, new_id)
    if isinstance(answer, Lent) and answer.wants is not None:
        return with_pieces(model.replica, asked, answer.wants, new_id)
    return next_loan(model.replica, asked, new_id)
