"""What a client knows of its table: pure functions from a model and a message to the next model.

Publications and answers travel on two sockets and are not ordered against each other; some get
lost. The public part is always the newest one seen, the own part that of the newest own answer,
and where the own part is behind, nothing is legal until it has caught up.
"""

from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client import history as log
from coffeerush.errors import CoffeeRushError
from protocol import (
    AddBot,
    Bye,
    Chat,
    Event,
    GameStarted,
    Intent,
    Ready,
    Refusal,
    Remove,
    RemoveSpectator,
    Rename,
    Request,
    Snapshot,
    Start,
    Submit,
    TableView,
    Update,
    View,
)

from .history import ANYTIME, KEPT, History, Moment
from .invitation import UNINVITED, Invitation

Role: TypeAlias = Literal["player", "spectator"]
Status: TypeAlias = Literal["joining", "here", "lost", "over"]
Ending: TypeAlias = Literal["", "left", "stopping", "refused", "failed"]
Wish: TypeAlias = Intent | Chat | Ready | Rename | AddBot | Remove | RemoveSpectator | Start | Bye
"""What a person wants; a request among them has `NO_ID`, the model gives it its own."""
Requests: TypeAlias = tuple[Request, ...]

MAX_HELD: Final = 64
"""Publications kept while a snapshot is awaited; if there are more, another one is asked for."""


class Model(Struct, frozen=True):
    """Everything that a screen draws, and what was asked of the host and not answered yet."""

    role: Role
    name: str
    status: Status = "joining"
    ending: Ending = ""
    """Why the status is `over`."""
    trouble: CoffeeRushError | None = None
    """Why a link failed, or is lost, where that is known; screens put it into words."""
    epoch: bytes = b""
    seq: int = 0
    game: int = 0
    rev: int = 0
    seat: int | None = None
    owner: bool = False
    table: TableView | None = None
    view: View | None = None
    """The newest public part with the newest own part; its options are never out of date."""
    history: History = History()
    refusal: Refusal | None = None
    """Why the latest wish was not granted; None once another one is made."""
    pending: Requests = ()
    """Requests without an answer, oldest first; the link repeats them."""
    own_at: Moment = (0, 0)
    """The position of the own part in `view`."""
    own_due: Moment = (0, 0)
    """The position that last changed the own part, as the host says."""
    held: tuple[Update, ...] = ()
    invitation: Invitation = UNINVITED
    """How others join, where the host is one's own."""

    @property
    def log(self) -> tuple[Event, ...]:
        """The latest events, oldest first."""
        return self.history.events

    @property
    def waiting(self) -> Submit | None:
        """The own intent that the host has not answered yet."""
        return next((one for one in self.pending if isinstance(one, Submit)), None)

    @property
    def my_turn(self) -> bool:
        """Whether the own seat may act."""
        view = self.view
        return view is not None and view.active is not None and view.active == self.seat

    @property
    def own_behind(self) -> bool:
        """Whether this seat's private part in `view` is older than the position it is for."""
        if self.status == "over" or self.view is None or self.seat is None:
            return False
        late = self.my_turn and self.own_at < (self.game, self.rev)
        return late or self.own_at < self.own_due

    @property
    def can_act(self) -> bool:
        """Whether an intent would be sent at once: own turn, options known, none in flight."""
        own = self.view.own if self.view else None
        return self.status == "here" and bool(own and own.options) and self.waiting is None


def end(model: Model, ending: Ending, refusal: Refusal | None = None) -> Model:
    """Return the model of a client that is done; `refusal` says why, if the host does."""
    return replace(model, status="over", ending=ending, refusal=refusal, pending=(), held=())


def take_snapshot(model: Model, snapshot: Snapshot) -> Model:
    """Begin anew with a snapshot, then take in what was published since.

    What stays `held` needs another snapshot.
    """
    same = snapshot.epoch == model.epoch
    fresh = replace(
        model,
        status="here",
        epoch=snapshot.epoch,
        seq=snapshot.seq,
        seat=snapshot.seat,
        owner=snapshot.owner,
        table=snapshot.table,
        history=log.resume(
            model.history, snapshot, _gapless(model, snapshot), same or not model.epoch
        ),
    )
    if not same:
        fresh = replace(fresh, game=0, rev=0, view=None, own_at=(0, 0), own_due=(0, 0))
    taken = _named(take_own(fresh, snapshot.game, snapshot.rev, snapshot.view))
    newer = [one for one in model.held if one.epoch == taken.epoch and one.seq > taken.seq]
    while newer and newer[0].seq == taken.seq + 1 and not moves_me(taken, newer[0]):
        taken = take_update(taken, newer.pop(0))
    return replace(taken, held=tuple(newer))


def _gapless(model: Model, snapshot: Snapshot) -> log.Updates:
    """Return the held updates that lead up to a snapshot; None if some are missing."""
    wanted = range(model.seq + 1, snapshot.seq + 1)
    held = {one.seq: one for one in model.held if one.epoch == snapshot.epoch}
    if snapshot.epoch != model.epoch or not all(seq in held for seq in wanted):
        return None
    return tuple(held[seq] for seq in wanted)


def moves_me(model: Model, update: Update) -> bool:
    """Tell whether an update may seat this client elsewhere, as the start of a game does."""
    was, now = model.table, update.table
    if was is None or was.stage != now.stage or update.game != model.game:
        return True
    seat = model.seat
    return seat is not None and (seat >= len(now.seats) or now.seats[seat].name != model.name)


def take_update(model: Model, update: Update) -> Model:
    """Return the model with the next update, whole."""
    heard = replace(
        model,
        seq=update.seq,
        table=update.table,
        owner=_owns(model, update.table),
        history=log.hear(model.history, update),
        own_due=max(due(model, update.game, update.private_revs), model.own_due),
    )
    if (update.game, update.rev) < (model.game, model.rev):
        return heard
    view = update.view
    if view is not None and model.view is not None and update.game == model.game:
        view = replace(view, own=model.view.own)
    return replace(heard, game=update.game, rev=update.rev, view=view)


def _owns(model: Model, table: TableView) -> bool:
    """Tell whether this client owns the table; of an owner who watches, an update does not tell."""
    if model.seat is None:
        return model.owner and table.owner is None
    return table.owner == model.seat


def take_own(model: Model, game: int, rev: int, view: View | None) -> Model:
    """Return the model with an answer's View: all of it, or its own part where it is older."""
    moment = (game, rev)
    if moment >= (model.game, model.rev):
        return replace(model, game=game, rev=rev, view=view, own_at=moment)
    behind = moment < model.own_at or game != model.game
    if behind or view is None or model.view is None:
        return model
    return replace(model, view=replace(model.view, own=view.own), own_at=moment)


def without_stale_options(model: Model) -> Model:
    """Return the model without its options, unless they are for its position and turn."""
    view = model.view
    if view is None or view.own is None or not view.own.options:
        return model
    if model.my_turn and not model.own_behind:
        return model
    return replace(model, view=replace(view, own=replace(view.own, options=(), undo=0)))


def due(model: Model, game: int, private_revs: tuple[int, ...]) -> Moment:
    """Return the position that last changed what only this seat knows."""
    seated = model.seat is not None and model.seat < len(private_revs)
    return (game, private_revs[model.seat or 0]) if seated else (0, 0)


def _named(model: Model) -> Model:
    """Return the model with the name that the table has for this client."""
    seats = model.table.seats if model.table else ()
    if model.seat is None or model.seat >= len(seats):
        return model
    return replace(model, name=seats[model.seat].name or model.name)


def tellable(model: Model, latest: int = KEPT) -> list[Event]:
    """Return those of the latest events that the people and drinks known now can tell.

    What an earlier game left in the log speaks of seats and a menu that are not there any more.
    """
    log = model.log
    starts = (place for place, event in enumerate(log) if isinstance(event, GameStarted))
    begin = len(log) if model.view is None else max(starts, default=0)
    first = max(len(log) - latest, 0)
    return [
        event
        for place, event in enumerate(log[first:], start=first)
        if place >= begin or isinstance(event, ANYTIME)
    ]
