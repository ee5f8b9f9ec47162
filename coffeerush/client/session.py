"""Client state transitions: wishes become requests, messages from the host become the next model.

A gap in `seq` makes the client resync. `model` has the parts of a model that this builds on.
"""

from types import UnionType
from typing import TypeAlias

from msgspec.structs import replace

from coffeerush.client import history as log
from coffeerush.errors import CoffeeRushError, LinkError
from protocol import (
    PROTOCOL_VERSION,
    Accepted,
    Answer,
    Bye,
    Chat,
    Current,
    Done,
    GetView,
    Hello,
    HostStopping,
    Intent,
    Malformed,
    Publication,
    Refusal,
    Refused,
    Rename,
    Request,
    Snapshot,
    Submit,
    Sync,
    Tick,
    Update,
)

from .model import (
    MAX_HELD,
    Model,
    Requests,
    Wish,
    due,
    end,
    moves_me,
    take_own,
    take_snapshot,
    take_update,
    without_stale_options,
)

Transition: TypeAlias = tuple[Model, Requests]
"""The next model, and the requests to send now; they are in its `pending` too."""


def join(model: Model, new_id: bytes) -> Transition:
    """Ask to come to the table, or back to it; not while leaving it."""
    if _asks(model, Bye):
        return model, ()
    rest = tuple(one for one in model.pending if not isinstance(one, Hello | Sync))
    return _ask(
        replace(model, pending=rest), Hello(new_id, PROTOCOL_VERSION, model.name, model.role)
    )


def lose(model: Model, trouble: CoffeeRushError | None = None) -> Model:
    """The host is not heard any more; what is on the screen stands until it is back.

    Args:
        model: as it was.
        trouble: why it is not found, where that is known.
    """
    known = model.status == "lost" and str(model.trouble) == str(trouble)
    if model.status not in ("here", "lost") or known:
        return model
    return replace(model, status="lost", trouble=trouble)


def fail(model: Model, trouble: CoffeeRushError) -> Model:
    """Nothing will come any more; `trouble` says why."""
    return replace(model, status="over", ending="failed", trouble=trouble, pending=())


def sign_of_life(model: Model, new_id: bytes) -> Transition:
    """Ask for the own View, so that the host knows that somebody is here."""
    return (model, ()) if _asks(model, GetView | Bye) else _ask(model, GetView(new_id))


def wish(model: Model, wanted: Wish, new_id: bytes) -> Transition:
    """Ask for what a person wants.

    One intent is in flight at a time: others that come meanwhile are dropped, as are those made
    while the options are not known. An intent that is not among the options is sent on the own
    turn: the host says in its refusal what stands against it, and this client cannot. A `Bye`
    drops everything else that was asked: nothing may bring back somebody who has left.
    """
    if model.status == "over" or _asks(model, Bye):
        return model, ()
    if isinstance(wanted, Bye):
        model = replace(model, pending=())
    asking = replace(model, refusal=None)
    if not isinstance(wanted, Intent):
        return _ask(asking, replace(wanted, id=new_id))
    if not model.my_turn:
        refusal = Refusal("not_your_turn", "It is another player's turn; wait for yours.")
        return replace(model, refusal=refusal), ()
    if not model.can_act:
        return model, ()
    return _ask(asking, Submit(new_id, model.game, model.rev, wanted))


def hear(model: Model, message: Publication, new_id: bytes) -> Transition:
    """Take in what the host published; what cannot be ends it."""
    return _checked(model, _hear(model, message, new_id))


def _hear(model: Model, message: Publication, new_id: bytes) -> Transition:
    if model.status == "over":
        return model, ()
    if isinstance(message, Update) and HostStopping() in message.events:
        told = replace(model, history=log.hear(model.history, message))
        return end(told, "stopping"), ()
    if _asks(model, Hello | Sync):
        return _hold(model, message), ()
    if message.epoch != model.epoch:
        return join(_hold(model, message), new_id)
    back = replace(model, status="here")
    if isinstance(message, Tick):
        return _hear_tick(back, message, new_id)
    if message.seq <= model.seq:
        return back, ()
    if message.seq > model.seq + 1 or moves_me(model, message):
        return _ask(_hold(back, message), Sync(new_id))
    return _settle(take_update(back, message), new_id)


def answer(model: Model, message: Answer, new_id: bytes) -> Transition:
    """Take in an answer; one that is not awaited (any more) changes nothing.

    What cannot be ends it.
    """
    return _checked(model, _answer(model, message, new_id))


def _answer(model: Model, message: Answer, new_id: bytes) -> Transition:
    asked = next((one for one in model.pending if one.id == message.id), None)
    if asked is None or model.status == "over":
        return model, ()
    rest = tuple(one for one in model.pending if one is not asked)
    free = replace(model, pending=rest)
    match message:
        case Snapshot():
            if model.epoch not in (b"", message.epoch):
                free = replace(free, pending=_still_meant(rest, message))
            taken = take_snapshot(free, message)
            return _ask(taken, Sync(new_id)) if taken.held else _settle(taken, new_id)
        case Refused():
            return _refused(model, free, asked, message, new_id)
        case Malformed():
            return fail(free, LinkError(message.text)), ()
        case Done():
            return _done(free, asked), ()
        case Current() | Accepted() if message.epoch != model.epoch:
            # of a host that was restarted since: its snapshot will say what became of it
            return free, ()
        case Current() | Accepted() if message.game > model.game:
            # a game of which this client does not know yet who sits where
            return _resync(free, new_id)
        case Accepted():
            told = replace(free, history=log.tell(free.history, message))
            return _settle(take_own(told, message.game, message.rev, message.view), new_id)
        case Current():
            return _settle(take_own(free, message.game, message.rev, message.view), new_id)


def _checked(model: Model, change: Transition) -> Transition:
    """Return a change without outdated options, or the failure of an impossible one."""
    # the rules are loaded with the first message: the first frame does not wait for them
    from .sanity import ImpossibleError, check

    after, requests = without_stale_options(change[0]), change[1]
    try:
        check(after)
    except ImpossibleError as error:
        return fail(model, error), ()
    return after, requests


def _still_meant(pending: Requests, snapshot: Snapshot) -> Requests:
    """Return the requests that may go to a restarted host, be it another table or a resumed game.

    A restarted host remembers its answers to recorded intents and to nothing else, so a repeat may
    be done twice, or to other people. What is safe:

    - `Submit` for the game that goes on: it names its position, and is played at most once.
    - `Chat`: the new host has not said it. `Rename`: it is idempotent. `GetView` changes nothing.
    - `Bye`: whoever leaves means whatever table is there.

    `Remove` and `AddBot` name a seat and `RemoveSpectator` a name that may be somebody else's now,
    and `Ready` and `Start` meant the people who were there: they are dropped.
    """
    return tuple(
        one
        for one in pending
        if isinstance(one, Chat | Rename | GetView | Bye)
        or (isinstance(one, Submit) and one.game == snapshot.game and one.rev <= snapshot.rev)
    )


def _done(model: Model, asked: Request) -> Model:
    if isinstance(asked, Bye):
        return end(model, "left")
    if isinstance(asked, Rename):
        return replace(model, name=asked.name)
    return model


def _refused(model: Model, free: Model, asked: Request, said: Refused, new_id: bytes) -> Transition:
    """Take in a refusal of `asked`; `free` is the model without it."""
    code = said.refusal.code
    if isinstance(asked, Bye) and code in ("say_hello", "removed"):
        return end(free, "left"), ()
    if code == "say_hello":
        # The host does not know this client yet; the link repeats the request after the hello.
        return (model, ()) if _asks(model, Hello) else join(model, new_id)
    if code == "too_fast":
        return model, ()  # the link repeats it
    if code == "removed" or isinstance(asked, Hello):
        return end(free, "refused", said.refusal), ()
    if isinstance(asked, GetView | Sync):
        return free, ()
    told = replace(free, refusal=said.refusal)
    if said.view is None:
        return told, ()
    if said.game > model.game:
        return _resync(told, new_id)
    return _settle(take_own(told, said.game, said.rev, said.view), new_id)


def _ask(model: Model, request: Request) -> Transition:
    return replace(model, pending=(*model.pending, request)), (request,)


def _resync(model: Model, new_id: bytes) -> Transition:
    return (model, ()) if _asks(model, Hello | Sync) else _ask(model, Sync(new_id))


def _asks(model: Model, kind: type | UnionType) -> bool:
    return any(isinstance(one, kind) for one in model.pending)


def _hold(model: Model, message: Publication) -> Model:
    if isinstance(message, Tick):
        return model
    return replace(model, held=(*model.held, message)[-MAX_HELD:])


def _hear_tick(model: Model, tick: Tick, new_id: bytes) -> Transition:
    if tick.seq > model.seq:
        return _ask(model, Sync(new_id))
    moment = max(due(model, tick.game, tick.private_revs), model.own_due)
    return _settle(replace(model, own_due=moment), new_id)


def _settle(model: Model, new_id: bytes) -> Transition:
    """Ask for this seat's private part if it is behind."""
    if model.own_behind and not _asks(model, GetView | Hello | Sync):
        return _ask(model, GetView(new_id))
    return model, ()
