"""Client state transitions: wishes become requests, messages from the host become the next model.

A gap in `seq` triggers a resync. The functions on parts of a model are in `model`.
"""

from types import UnionType
from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.client import handover, history as log, keeping, recording
from coffeerush.errors import CoffeeRushError, LinkError
from protocol import (
    HALL,
    PROTOCOL_VERSION,
    Accepted,
    Answer,
    Banner,
    BeginTournament,
    Bye,
    Chat,
    Current,
    Destination,
    Done,
    Elsewhere,
    GetHandover,
    GetRecord,
    GetSealed,
    GetTables,
    GetView,
    HandoverRequest,
    Hello,
    HostStopping,
    Intent,
    Lend,
    Lent,
    LookAt,
    Malformed,
    Moved,
    Publication,
    Queue,
    RecordPart,
    Refusal,
    Refused,
    RefusedError,
    Rename,
    Request,
    SealedPart,
    SetMark,
    Snapshot,
    Submit,
    Sync,
    TableNumber,
    Tables,
    Tick,
    TournamentRequest,
    Update,
)

from .model import (
    HALL_UNHEARD,
    MAX_HELD,
    NOBODY,
    UNINVITED,
    CloseHost,
    GoOn,
    Model,
    OpenToGuests,
    Requests,
    Role,
    Wish,
    due,
    end,
    may_change_seat,
    take_own,
    take_snapshot,
    take_update,
    without_stale_options,
)

_ASKED_AGAIN: Final = ("say_hello", "too_fast", "removed")
"""Refusals that are about the asker, not about what was asked."""
Transition: TypeAlias = tuple[Model, Requests]
"""The next model, and the requests to send now; they are in its `pending` too."""


def admitted(model: Model, banner: Banner, key: str) -> Model:
    """Note what the door told: the version to speak, and this client's public key."""
    return replace(model, protocol=min(banner.newest, PROTOCOL_VERSION), key=key)


def join(model: Model, new_id: bytes) -> Transition:
    """Ask to join or rejoin the table, unless leaving it."""
    if _is_pending(model, Bye):
        return model, ()
    rest = tuple(request for request in model.pending if not isinstance(request, Hello | Sync))
    wanted = model.number or None
    who = model.protocol, model.name, model.role
    keeps = model.keeps_replica
    hello = Hello(new_id, *who, wanted, model.standby, keeps)
    return _ask(replace(model, pending=rest), hello)


def lose(model: Model, trouble: CoffeeRushError | None = None) -> Model:
    """Mark the connection as lost; the rest of the model stays until the host is back."""
    known = model.status == "lost" and str(model.trouble) == str(trouble)
    if model.status not in ("here", "lost") or known:
        return model
    return replace(model, status="lost", trouble=trouble, looking=None)


def fail(model: Model, trouble: CoffeeRushError) -> Model:
    """End the session with an error."""
    over = replace(model, status="over", ending="failed", trouble=trouble, pending=())
    return replace(over, looking=None)


def keepalive(model: Model, new_id: bytes) -> Transition:
    """Send a keepalive: ask for this client's View, so that the host knows it is here.

    If nothing has come of another table at which it looks since the last one, look there again.
    """
    if model.looking is not None:
        if model.look_due and not _is_pending(model, LookAt | Bye):
            return _look_again(model, model.looking.number, new_id)
        model = replace(model, look_due=True)
    return (model, ()) if _is_pending(model, GetView | Bye) else _ask(model, GetView(new_id))


def wish(model: Model, wanted: Wish, new_id: bytes) -> Transition:
    """Turn a person's wish into a request.

    Only one intent is in flight at a time: others are dropped until it is answered, and while the
    options are not known. On this seat's turn an intent is sent even if it is not among the
    options: the host's refusal explains why, which this client cannot. A `Bye` drops all other
    requests: nothing may bring back somebody who has left. A `SetMark` waits until it is possible.
    A `Hello` goes over to another table. A `LookAt` at this client's own ends that at another one.
    """
    if isinstance(wanted, GoOn | OpenToGuests | CloseHost):
        return model, ()
    if model.status == "over" or _is_pending(model, Bye):
        return model, ()
    if isinstance(wanted, Bye):
        model = replace(model, pending=())
    asking = replace(model, refusal=None)
    if isinstance(wanted, HandoverRequest):
        asking = handover.wished(asking, wanted)
    if isinstance(wanted, SetMark):
        return _ask_for_mark(replace(asking, mark=wanted, mark_due=True), new_id)
    if isinstance(wanted, LookAt) and wanted.table == model.number:
        rest = tuple(request for request in asking.pending if not isinstance(request, LookAt))
        return replace(asking, looking=None, pending=rest), ()
    if isinstance(wanted, Hello):
        if wanted.table in (None, model.number) or _is_pending(model, Hello):
            return model, ()
        asking = replace(asking, role=wanted.role)
        wanted = replace(wanted, keeps=model.keeps_replica)
    if not isinstance(wanted, Intent):
        return _ask(asking, replace(wanted, id=new_id))
    if not model.my_turn:
        return replace(model, refusal=_not_your_turn(model)), ()
    if not model.can_act:
        return model, ()
    return _ask(asking, Submit(new_id, model.game, model.rev, wanted))


def _not_your_turn(model: Model) -> Refusal:
    active = model.view.active if model.view else None
    named = {} if active is None or not model.table else {"name": model.table.seats[active].name}
    return RefusedError("not_your_turn", **named).refusal


def hear(model: Model, message: Publication, new_id: bytes) -> Transition:
    """Apply a publication; an inconsistent one ends the session."""
    return _checked(model, _hear(model, message, new_id), new_id)


def _hear(model: Model, message: Publication, new_id: bytes) -> Transition:
    if model.status == "over":
        return model, ()
    if model.turned_to:  # nothing of what it says counts before it shows the table
        waits = model.turned_to in model.distrusted or _is_pending(model, Hello)
        return (model, ()) if waits else join(model, new_id)
    if isinstance(message, Moved):
        return _follow(model, message.to), ()
    if isinstance(message, Update) and HostStopping() in message.events:
        return end(replace(model, history=log.hear(model.history, message)), "stopping"), ()
    if _is_pending(model, Hello | Sync):
        return _hold(model, message), ()
    if message.epoch != model.epoch:
        return join(_hold(model, message), new_id)
    back = replace(model, status="here")
    if isinstance(message, Update):
        back = keeping.hear(back, message)
    if isinstance(message, Tick):
        return _hear_tick(back, message, new_id)
    if message.seq <= model.seq:
        return back, ()
    if message.seq > model.seq + 1 or may_change_seat(model, message):
        return _ask(_hold(back, message), Sync(new_id))
    after = keeping.take_table(take_update(back, message), message)
    return _settle(after, new_id) if keeping.knows_standbys(after) else _resync(after, new_id)


def hear_other(
    model: Model, number: TableNumber, message: Publication, new_id: bytes
) -> Transition:
    """Apply a publication of the table at which this client looks; after a gap, look again."""
    looking = model.looking
    if looking is None or number != looking.number or model.status == "over":
        return model, ()
    heard, requests = _hear(looking, message, new_id)
    after = replace(model, looking=heard, look_due=False)
    change = _look_again(after, number, new_id) if requests else (after, ())
    return _checked(model, change, new_id)


def _look_again(model: Model, number: TableNumber, new_id: bytes) -> Transition:
    return (model, ()) if _is_pending(model, LookAt) else _ask(model, LookAt(new_id, number))


def _look_at(model: Model, snapshot: Snapshot, new_id: bytes) -> Transition:
    """Apply the snapshot of another table; of one that has changed meanwhile, get another."""
    before = model.looking
    if before is None or before.number != snapshot.number:
        before = Model("spectator", NOBODY, protocol=model.protocol, home=model.number)
    taken = take_snapshot(replace(before, pending=()), snapshot)
    # nobody there is this person, whatever their names
    model = replace(model, looking=replace(taken, name=NOBODY, held=()), look_due=False)
    return _look_again(model, snapshot.number, new_id) if taken.held else (model, ())


def hear_hall(model: Model, message: Publication, new_id: bytes) -> Transition:
    """Apply a publication of the hall: ask for tables and tournament if there may be others."""
    if not isinstance(message, Tick) or model.table is None or model.status == "over":
        return model, ()
    at = message.epoch, message.rev
    if at == model.hall_at or _is_pending(model, GetTables | Hello | Bye):
        return model, ()
    if not message.rev and model.tournament is None and not model.owner:
        return model, ()  # there is nothing to hear of, and the hall is not this client's
    return _ask(replace(model, hall_at=at), GetTables(new_id))


def answer(model: Model, message: Answer, new_id: bytes) -> Transition:
    """Apply an answer; ignore one that is not awaited. An inconsistent one ends the session."""
    return _checked(model, _answer(model, message, new_id), new_id)


def _answer(model: Model, message: Answer, new_id: bytes) -> Transition:
    asked = next((request for request in model.pending if request.id == message.id), None)
    if asked is None or model.status == "over":
        return model, ()
    trusted = not isinstance(message, Elsewhere) and isinstance(asked, keeping.FOR_STANDBYS)
    if model.turned_to and not trusted:
        return model, ()
    if isinstance(message, Elsewhere):
        return _follow(model, message.to), ()
    rest = tuple(request for request in model.pending if request is not asked)
    free = replace(model, pending=rest)
    if (taken := _take_part(free, asked, message)) is not None:
        return taken, ()
    match message:
        case RecordPart() | SealedPart():
            return free, ()  # nobody asked for it
        case Lent():
            return _lend(free, asked, message, new_id)
        case Tables():
            return _take_tables(model, free, message, new_id)
        case Snapshot() if isinstance(asked, LookAt):
            return _look_at(free, message, new_id)
        case Snapshot() if model.turned_to and not keeping.goes_on(model, message):
            return keeping.distrust(free), ()
        case Snapshot():
            return _take_table(model, free, message, new_id)
        case Refused():
            return _refused(model, free, asked, message, new_id)
        case Malformed():
            return fail(free, LinkError(message.text)), ()
        case Done() if isinstance(asked, Bye):
            return end(free, "left"), ()
        case Done() if isinstance(asked, TournamentRequest):
            return _ask(_with_rules(free, asked), GetTables(new_id))
        case Done():
            return replace(free, name=asked.name) if isinstance(asked, Rename) else free, ()
        case Current() | Accepted() if message.epoch != model.epoch:
            # the host has restarted since: its snapshot will show the outcome
            return free, ()
        case Current() | Accepted() if message.game > model.game:
            # a newer game whose seats this client does not know yet
            return _resync(free, new_id)
        case Accepted():
            told = keeping.hear(replace(free, history=log.tell(free.history, message)), message)
            return _settle(take_own(told, message.game, message.rev, message.view), new_id)
        case Current():
            return _settle(take_own(free, message.game, message.rev, message.view), new_id)


def _take_part(free: Model, asked: Request, message: Answer) -> Model | None:
    """Apply what was sent of something that comes in parts; None if nothing of it was asked for."""
    if isinstance(message, Refused) and message.refusal.code in _ASKED_AGAIN:
        return None
    match asked:
        case GetHandover():
            return handover.take_part(free, asked, message)
        case GetRecord():
            return recording.take_part(free, asked, message)
        case GetSealed():
            return keeping.take_part(free, message)
        case _:
            return None


def _take_tables(model: Model, free: Model, message: Tables, new_id: bytes) -> Transition:
    """Apply the list of tables, and go to the seat to which it calls this client."""
    hall = replace(free, tables=message.tables, tournament=message.tournament)
    told = replace(hall, watching=message.watching, owns_hall=message.owner)
    # a hello that is on its way leads to that seat as well
    calls = _is_called(model, told) and not _is_pending(told, Hello)
    return join(told, new_id) if calls else (told, ())


def _take_table(model: Model, free: Model, snapshot: Snapshot, new_id: bytes) -> Transition:
    """Apply the snapshot of this client's table; `free` is the model without what it answers."""
    is_other = model.number not in (HALL, snapshot.number)
    if is_other:
        free = replace(free, pending=())  # what was asked of the other table
    elif model.epoch not in (b"", snapshot.epoch):
        free = replace(free, pending=_safe_to_retry(free.pending, snapshot))
    taken = _noting_mark(keeping.take_table(take_snapshot(free, snapshot), snapshot))
    if taken.held:
        return _ask(taken, Sync(new_id))
    was_waiting = model.is_queuing and not is_other
    if was_waiting and snapshot.epoch != model.epoch and not taken.is_queuing:
        return _ask(taken, Queue(new_id, True))  # a restarted host knows no spectators
    return _settle(taken, new_id)


def _follow(model: Model, to: Destination) -> Model:
    """Note where the table has gone; all that the old host has not answered is for the new one.

    An owner who wanted to leave with the handover has left. If it was none, the game went on there
    while the host was away: an intent was meant for another position, and the person at the host
    is asked whether to follow.
    """
    if not handover.follows(model, to) or model.elsewhere:
        return model
    if model.handover and model.handover.leaving:
        return end(replace(model, moved=to), "left")
    is_late = model.table is None or model.table.moving is None
    done = HandoverRequest | Hello | Submit if is_late else HandoverRequest | Hello
    kept = tuple(request for request in model.pending if not isinstance(request, done))
    gone = replace(model, pending=kept, held=(), invitation=UNINVITED)
    if is_late and model.invitation != UNINVITED:
        return handover.offered(gone, to)
    return replace(gone, moved=to)


def followed(model: Model) -> Model:
    """Note that this client has found the new host, which knows who owns its tables now."""
    arrived = replace(model, moved=None, elsewhere=None, handover=None)
    return replace(arrived, tables=(), owns_hall=False, hall_at=HALL_UNHEARD)


def _with_rules(model: Model, asked: TournamentRequest) -> Model:
    """Apply the rules of a tournament that the host has agreed to, before it tells them."""
    if not isinstance(asked, BeginTournament) or model.tournament is None:
        return model
    return replace(model, tournament=replace(model.tournament, rules=asked.rules))


def _is_called(before: Model, after: Model) -> bool:
    """Return whether this client has been called to another table for a round."""
    called = after.called_to
    return called is not None and called != before.called_to and called[1] != after.number


def _checked(model: Model, change: Transition, new_id: bytes) -> Transition:
    """Drop stale options from a transition; fail the session if the model is inconsistent.

    Ask for this person's mark, and for the record of a game that is over, unless something else is
    asked at the same time.
    """
    # imported late so that a screen's first frame does not wait for the rules
    from .sanity import ImpossibleError, check

    after, requests = without_stale_options(change[0]), change[1]
    try:
        check(after)
        if after.looking is not None and after.looking is not model.looking:
            check(after.looking)
    except ImpossibleError as error:
        return fail(model, error), ()
    after = handover.heard(recording.after_a_game(model, after))
    if not requests and (part := handover.next_part(after, new_id)):
        return _ask(after, part)
    if not requests:
        after, requests = _ask_for_mark(after, new_id)
    if not requests and (missing := keeping.next_request(after, new_id)):
        return _ask(after, missing)
    if requests or not recording.next_part(after) or after.record is None:
        return after, requests
    return _ask(after, after.record.request(new_id))


def _ask_for_mark(model: Model, new_id: bytes) -> Transition:
    """Ask for this person's letter and colour, if they wait for that and it is possible now."""
    if model.mark is None or not model.mark_due or not _may_mark(model):
        return model, ()
    return _ask(replace(model, mark_due=False), replace(model.mark, id=new_id))


def _noting_mark(model: Model) -> Model:
    """Note whether the seat has another letter or colour: the host may have forgotten them."""
    if model.mark is None or model.seat is None or model.table is None:
        return model
    seat = model.table.seats[model.seat] if model.seat < len(model.table.seats) else None
    wanted = model.mark
    has_it = (
        seat
        and wanted.letter == seat.letter
        and (wanted.colour is None or wanted.colour == seat.colour)
    )
    return model if has_it else replace(model, mark_due=True)


def _may_mark(model: Model) -> bool:
    """Return whether this client can choose a letter and a colour now; one request at a time."""
    between = model.table is not None and model.table.stage in ("lobby", "result")
    seated = model.seat is not None and model.status == "here"
    return between and seated and not _is_pending(model, SetMark)


def _safe_to_retry(pending: Requests, snapshot: Snapshot) -> Requests:
    """Return the requests that are safe to retry on a restarted host, be its game new or resumed.

    A restarted host remembers its answers to recorded intents only, so a retry may be applied
    twice, or to other people. Safe are:

    - `Submit` for the resumed game: it names its position, and is played at most once.
    - `Chat`: the new host has not published it. `Rename` and `Queue` are idempotent. `GetView`
      and `LookAt` change nothing.
    - `Bye`: it applies to any table.

    `Remove`, `AddBot`, `RemoveSpectator` and the rest of `TableRequest` name a seat or a name that
    may be somebody else's now, or were meant for the people who were there, as `Ready` and `Start`:
    they are dropped.
    """

    def is_safe(request: Request) -> bool:
        if isinstance(request, Submit):
            return request.game == snapshot.game and request.rev <= snapshot.rev
        return isinstance(request, Chat | Rename | Queue | GetView | LookAt | Bye)

    return tuple(filter(is_safe, pending))


def _refused(model: Model, free: Model, asked: Request, said: Refused, new_id: bytes) -> Transition:
    """Apply a refusal of `asked`; `free` is the model without that request."""
    code = said.refusal.code
    if isinstance(asked, Bye) and code in ("say_hello", "removed", "gathering"):
        return end(free, "left"), ()
    if code == "say_hello":
        # The host does not know this client; the link retries the request after the hello.
        return (model, ()) if _is_pending(model, Hello) else join(model, new_id)
    if code == "too_fast":
        return model, ()  # the link retries it
    if code == "gathering":
        told = replace(free if isinstance(asked, Hello) else model, refusal=said.refusal)
        return _lend(told, asked, said, new_id) if isinstance(asked, Hello) else (told, ())
    if model.turned_to and isinstance(asked, Hello):
        return keeping.distrust(free), ()
    if isinstance(asked, LookAt):
        return replace(free, looking=None, refusal=said.refusal), ()
    if isinstance(asked, Hello) and code == "no_such_table" and asked.table == model.number:
        gone = replace(free, number=HALL, pending=(), looking=None)
        return join(replace(gone, tables_lost=model.tables_lost + 1), new_id)
    if isinstance(asked, Hello) and model.table and asked.table not in (None, model.number):
        role: Role = "spectator" if model.seat is None else "player"
        return replace(free, refusal=said.refusal, role=role), ()  # and stays where it is
    if code == "no_such_table" and isinstance(asked, Hello):
        return join(replace(free, number=HALL, pending=()), new_id)  # its table has closed
    if code == "table_full" and model.role == "player":
        watching, requests = join(replace(free, role="spectator"), new_id)
        return replace(watching, refusal=said.refusal), requests
    if code == "removed" or isinstance(asked, Hello):
        return end(free, "refused", said.refusal), ()
    if isinstance(asked, GetView | Sync | GetTables | GetSealed | Lend):
        return free, ()
    told = replace(free, refusal=said.refusal)
    if isinstance(asked, HandoverRequest):
        told = replace(told, handover=None)
    if said.view is None:
        return told, ()
    if said.game > model.game:
        return _resync(told, new_id)
    return _settle(take_own(told, said.game, said.rev, said.view), new_id)


def _lend(model: Model, asked: Request, message: Answer, new_id: bytes) -> Transition:
    """Lend a standby what it needs to go on; its next tick shows whether it has."""
    loan = keeping.next_loan_of(model, asked, message, new_id)
    return (model, ()) if loan is None else _ask(model, loan)


def _ask(model: Model, request: Request) -> Transition:
    return replace(model, pending=(*model.pending, request)), (request,)


def _resync(model: Model, new_id: bytes) -> Transition:
    return (model, ()) if _is_pending(model, Hello | Sync) else _ask(model, Sync(new_id))


def _is_pending(model: Model, kind: type | UnionType) -> bool:
    return any(isinstance(request, kind) for request in model.pending)


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
    """Request this seat's private part if it is behind."""
    if model.own_behind and not _is_pending(model, GetView | Hello | Sync):
        return _ask(model, GetView(new_id))
    return model, ()
