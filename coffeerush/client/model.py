"""Client model of a table: pure functions from a model and a message to the next model."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import CoffeeRushError, RecordError
from coffeerush.levels import kind_called
from coffeerush.moving.inheritance import Inheritance
from coffeerush.moving.replica import Replica
from coffeerush.records.witness import Witness
from coffeerush.table_rules import TableRules
from protocol import (
    HALL,
    NO_ID,
    PROTOCOL_VERSION,
    AddBot,
    Asker,
    BeginTournament,
    Bye,
    Chat,
    CurveKey,
    Destination,
    Event,
    GameStarted,
    GetRecord,
    HallRequest,
    HandoverRequest,
    Hello,
    Intent,
    LetIn,
    Name,
    PeopleChanged,
    Queue,
    Ready,
    RecordPart,
    Refusal,
    Remove,
    RemoveSpectator,
    Rename,
    Request,
    RequestId,
    Said,
    SeatsMoved,
    SeatView,
    SetMark,
    SetRules,
    Snapshot,
    Standby,
    Start,
    Submit,
    Successor,
    TableNumber,
    TableRequest,
    TableSummary,
    TableView,
    TournamentPlayer,
    TournamentRequest,
    TournamentRules,
    TournamentView,
    Update,
    Version,
    View,
    clean_speaker,
)

from . import history as log
from .history import ANYTIME, KEPT, History, Moment

if TYPE_CHECKING:
    from coffeerush.league.table import Together


# How others join this person's own table: addresses and join code


class Invitation(Struct, frozen=True):
    """Addresses and join code, as sent by the host to its owner's screen."""

    addresses: tuple[str, ...] = ()
    """Where others join, most likely first; none if the host is not one's own."""
    code: str = ""
    """In the form of `coffeerush.joining.code`; empty if everybody may join."""
    ssh: str = ""
    """The command with which guests join who do not have this program; empty if they cannot."""
    fingerprint: str = ""
    """The key that ssh shows them."""
    page: str = ""
    """The address of the page for browsers; empty if there is none."""
    asking: tuple[tuple[int, str, str], ...] = ()
    """The guests with a browser who ask to come in, and the number for each to type there."""
    guests_due: bool = False
    """Whether they can come in a moment; how is not known yet."""
    no_guests: str = ""
    """Why they cannot join although they should, a sentence."""
    returned: bool = False
    """Whether the person has come back to a host that goes on without this screen."""

    @property
    def decides_on_guests(self) -> bool:
        """Whether the host is one's own, and can let them in."""
        return bool(self.addresses) and not self.no_guests and not self.returned

    @property
    def keeps_guests_out(self) -> bool:
        """Whether the host is one's own and has not been told to let them in."""
        return self.decides_on_guests and not self.ssh and not self.guests_due


UNINVITED = Invitation()
"""For somebody else's table, or one that nobody else can join."""


# The record of a finished game on its way from the host


RECORDS_SINCE: Final = 5
"""The version of the protocol in which hosts began to send records."""


class RecordFetch(Struct, frozen=True):
    """What has come of a record so far."""

    epoch: bytes
    witness: Witness
    data: bytes = b""
    size: int = 0
    """Of the whole record; 0 before the first part."""
    path: str = ""
    """Where it was filed."""
    copy: bytes = b""
    """The checked record, if it is kept here instead."""
    trouble: CoffeeRushError | None = None
    """Why it was not."""
    together: "Together | None" = None
    """The results of those who played over all their games, once they are counted."""

    @property
    def game(self) -> int:
        """Which of the table's games it is, from 1."""
        return self.witness.game

    @property
    def is_whole(self) -> bool:
        """Whether all parts are there, to be checked and filed."""
        return bool(self.size) and len(self.data) == self.size and not self.is_done

    @property
    def is_kept(self) -> bool:
        """Whether it can be replayed."""
        return bool(self.path or self.copy)

    @property
    def is_done(self) -> bool:
        """Whether nothing more will come of it."""
        return self.is_kept or self.trouble is not None

    @property
    def wants_more(self) -> bool:
        """Whether the next part is to be asked for."""
        return not self.is_whole and not self.is_done

    def request(self, new_id: RequestId) -> GetRecord:
        """Return the request for the next part."""
        return GetRecord(new_id, self.game, len(self.data))

    def added(self, answer: RecordPart) -> "RecordFetch":
        """Return the record with the next part."""
        data = self.data + answer.part
        if self.size not in (0, answer.size) or len(data) > answer.size:
            return self.failed(
                RecordError("The host sent parts of a record that do not fit together.")
            )
        return replace(self, data=data, size=answer.size)

    def filed(self, path: str) -> "RecordFetch":
        """Return the state once the record is filed."""
        return replace(self, data=b"", path=path)

    def remembered(self) -> "RecordFetch":
        """Return the state once the record is checked, to be kept here."""
        return replace(self, data=b"", copy=self.data)

    def failed(self, trouble: CoffeeRushError) -> "RecordFetch":
        """Return the state once it is clear that the record will not be filed."""
        return replace(self, data=b"", trouble=trouble)


# A handover of the table


class Handover(Struct, frozen=True):
    """What this client does in a handover."""

    leaving: bool = False
    """Whether this person, who owns the table, leaves with it."""
    inherits: Inheritance | None = None
    """What has come of the tables, if this person has agreed to host them."""
    begun: bool = False
    """Whether the table has shown it."""


# The model, and how messages change it


Role: TypeAlias = Literal["player", "spectator"]
Status: TypeAlias = Literal["joining", "here", "lost", "over"]
Ending: TypeAlias = Literal["", "left", "stopping", "refused", "failed"]


class GoOn(Struct, frozen=True):
    """The wish to go on with the table: on this machine, as its host is silent, or elsewhere."""


class OpenToGuests(Struct, frozen=True):
    """The wish that one's own host also lets in guests who do not have this program, or no more."""

    allowed: bool


class CloseHost(Struct, frozen=True):
    """The wish that one's own host stops, for everybody."""


Wish: TypeAlias = (
    Intent
    | Chat
    | Ready
    | Rename
    | AddBot
    | Remove
    | RemoveSpectator
    | TableRequest
    | Start
    | Hello
    | HallRequest
    | TournamentRequest
    | HandoverRequest
    | GoOn
    | OpenToGuests
    | CloseHost
    | Bye
)
"""A request from the user; it has `NO_ID` until the model assigns its id. `Hello` goes over to
another table. A `LookAt` at one's own table ends that at another one."""
Requests: TypeAlias = tuple[Request, ...]

NOBODY: Final = "\0"
"""The name in the model of a table at which this person only looks; nobody there has it."""
HALL_UNHEARD: Final = (b"", 0)
MAX_HELD: Final = 64
"""Publications buffered while waiting for a snapshot; beyond that, a second one is requested."""


class Model(Struct, frozen=True):
    """Everything that a screen draws, and the requests without an answer yet."""

    role: Role
    name: str
    status: Status = "joining"
    opens: bool = False
    """Whether this client opens the table, rather than join one."""
    ending: Ending = ""
    """Why the status is `over`."""
    trouble: CoffeeRushError | None = None
    """Why the link failed or is lost, if known; screens put it into words."""
    number: TableNumber = HALL
    """Of the table; `HALL` before the first answer, and once the table has closed."""
    epoch: bytes = b""
    seq: int = 0
    game: int = 0
    rev: int = 0
    seat: int | None = None
    owner: bool = False
    table: TableView | None = None
    dealt: tuple[SeatView, ...] = ()
    """The seats of the latest game as it was dealt; () in a lobby, or if that is not known."""
    found: tuple[SeatView, ...] = ()
    """The seats of the result to which this client came, which may have been those of its game."""
    view: View | None = None
    """The newest public part with the newest private part; its options are never stale."""
    history: History = History()
    refusal: Refusal | None = None
    """Why the latest request was refused; None once another one is made."""
    pending: Requests = ()
    """Requests without an answer, oldest first; the link retries them."""
    own_at: Moment = (0, 0)
    """The position of the private part in `view`."""
    own_due: Moment = (0, 0)
    """The position that last changed the private part, according to the host."""
    held: tuple[Update, ...] = ()
    invitation: Invitation = UNINVITED
    """How others join, if the host is one's own."""
    protocol: Version = PROTOCOL_VERSION
    """The version to speak: the newest that the host also supports."""
    key: str = ""
    """This client's own public key."""
    keeps_records: bool = False
    """Whether to get the record of each finished game from the host."""
    keeps_replica: bool = False
    """Whether to keep the sealed record of the game, and a share of its key."""
    replica: Replica = Replica()
    """What there is of them."""
    successors: tuple[Successor, ...] = ()
    """Where the hosts of the table's standbys would be."""
    successors_of: tuple[Name, ...] | None = None
    """The standbys of the table when the host told that; None if it has not."""
    may_go_on: bool = False
    """Whether this person may go on with the table here, whose host is silent."""
    turned_to: CurveKey = ""
    """The public key of the standby to which this client has turned, until it shows the table."""
    distrusted: frozenset[CurveKey] = frozenset()
    """Standbys that have shown another table, or another game."""
    mark: SetMark | None = None
    """The letter and the colour that this person wants; None for no wish."""
    mark_due: bool = False
    """Whether to ask for them once this client may."""
    record: RecordFetch | None = None
    """The record of the latest finished game, or what has come of it."""
    tables: tuple[TableSummary, ...] = ()
    """The tables of the host, as it told when this person last asked; () before that."""
    tournament: TournamentView | None = None
    """Its tournament, as it told then."""
    standby: Standby | None = None
    """How this program could host the table; None if it cannot, or is not to."""
    handover: Handover | None = None
    """What this client does in a handover; None if nothing."""
    moved: Destination | None = None
    """Where the table has gone, until this client has followed it."""
    elsewhere: Destination | None = None
    """Where it went on while its host on this machine was away; `GoOn` follows it there."""
    watching: tuple[str, ...] = ()
    """The people there without a seat."""
    owns_hall: bool = False
    """Whether this person owns the hall, as the host told then."""
    looking: "Model | None" = None
    """Another table at which this person looks, as its spectators see it."""
    look_due: bool = False
    """Whether nothing has come of that table since the latest keepalive."""
    tables_lost: int = 0
    """How many tables have closed at which this client was."""
    home: TableNumber = HALL
    """In such a model, the person's own table."""
    hall_at: tuple[bytes, int] = HALL_UNHEARD
    """The epoch and the rev of the hall's latest tick that this client has answered to."""

    @property
    def log(self) -> tuple[Event, ...]:
        """The latest events, oldest first."""
        return self.history.events

    def fresh(self, before: "Model | None") -> tuple[Event, ...]:
        """Return the events since another model of this client; all without one."""
        return self.history.since(before.history.total if before else 0)

    @property
    def waiting(self) -> Submit | None:
        """This client's intent in flight: sent but not answered."""
        return next((request for request in self.pending if isinstance(request, Submit)), None)

    @property
    def players(self) -> tuple[SeatView, ...]:
        """The seats of the game that is shown: once it is over, of those who played it.

        By then others may have taken their places; who has none is not away from it.
        """
        seats = self.table.seats if self.table else ()
        if self.table is None or self.table.stage != "result":
            return seats
        here = {seat.name: seat for seat in seats}
        played = self.dealt or self.found
        known = tuple(here.get(seat.name, replace(seat, away=False)) for seat in played)
        return (*known, *seats[len(known) :])

    @property
    def played(self) -> int | None:
        """This client's seat in the game that is shown; None if it has none."""
        if self.table is None or self.table.stage != "result":
            return self.seat
        return self.view.own.seat if self.view and self.view.own else None

    @property
    def may_sit(self) -> bool:
        """Whether this client watches, and a seat is open for it before the next game."""
        table = self.table
        if table is None or self.seat is not None or table.stage == "game":
            return False
        return self.status == "here" and any(seat.status == "open" for seat in table.seats)

    @property
    def is_queuing(self) -> bool:
        """Whether this client waits for a seat, or will once the host has answered."""
        requested = [request.waiting for request in self.pending if isinstance(request, Queue)]
        if requested:
            return requested[-1]
        return self.seat is None and self.name in self.queued

    @property
    def queued(self) -> tuple[str, ...]:
        """The people who wait for a seat, the first one first."""
        return self.table.next_game.queue if self.table else ()

    @property
    def is_late(self) -> bool:
        """Whether this client watches because no seat was free when it came to play."""
        refused = self.refusal is not None and self.refusal.code == "table_full"
        return refused and self.table is not None and self.seat is None

    def has_said(self, said: Said) -> bool:
        """Whether a message is this person's own; at another table somebody may have their name."""
        here = clean_speaker(self.table.name) if self.table else ""
        return said.name == self.name and said.table in ("", here)

    def going_to(self, table: TableSummary | None) -> Hello | None:
        """Return the wish to go over to another table, or without one to open a table.

        One sits down there if a seat is open, else one watches. None for this client's own table,
        and while it plays a game, which it has to leave first.
        """
        plays = self.seat is not None and self.table is not None and self.table.stage == "game"
        if plays or (table and table.number == self.number):
            return None
        if table is None:
            return Hello(NO_ID, self.protocol, self.name, "player", "new", self.standby)
        role: Role = "player" if has_room(table) else "spectator"
        return Hello(NO_ID, self.protocol, self.name, role, table.number, self.standby)

    @property
    def entrant(self) -> TournamentPlayer | None:
        """This client in the tournament; None if it has not entered."""
        view = self.tournament
        if view is None or view.entered is None:
            return None
        return next((player for player in view.players if player.name == view.entered), None)

    @property
    def tournament_rules(self) -> TournamentRules:
        """The rules of the tournament, or those that have been asked for."""
        asked = [request.rules for request in self.pending if isinstance(request, BeginTournament)]
        told = self.tournament.rules if self.tournament else TournamentRules()
        return asked[-1] if asked else told

    @property
    def new_tournament(self) -> BeginTournament:
        """The wish for a tournament whose turns are timed as at this client's table."""
        rules = TableRules.shown(self.table) if self.table else TableRules()
        return BeginTournament(NO_ID, rules.for_tournament(TournamentRules()))

    @property
    def holds_tournament(self) -> bool:
        """Whether the host holds a tournament that is not over."""
        return self.tournament is not None and self.tournament.stage != "over"

    @property
    def awaits_round(self) -> bool:
        """Whether this client plays in a tournament, so that no other game begins for it."""
        own = self.entrant
        return self.holds_tournament and own is not None and not own.withdrawn

    @property
    def called_to(self) -> tuple[int, TableNumber] | None:
        """The round of the tournament that is played, and where this client has a seat in it."""
        view, own = self.tournament, self.entrant
        if view is None or view.stage != "round" or own is None or own.table is None:
            return None
        return view.round, own.table

    @property
    def my_turn(self) -> bool:
        """Whether the View says that this client's seat may act; false for a spectator."""
        view = self.view
        return view is not None and view.active is not None and view.active == self.seat

    @property
    def bot_finishes(self) -> bool:
        """Whether a bot finishes this player's turn because it timed out."""
        if not self.my_turn or self.table is None or self.seat is None:
            return False
        return bool(self.table.seats[self.seat].bot)

    @property
    def pause(self) -> str | None:
        """Why the game is paused, which may be empty; None if it is not."""
        return self.table.pause if self.table else None

    @property
    def hints(self) -> bool:
        """Whether the table's rules allow advice."""
        return self.table is None or self.table.hints

    @property
    def may_start(self) -> bool:
        """Whether this person may start a game: its owner, or without one anybody with a seat."""
        return self.owner or bool(self.seat is not None and self.table and self.table.owner is None)

    @property
    def may_let_in(self) -> bool:
        """Whether this person may let guests with a browser in."""
        return self.owner or bool(self.table and self.table.letting_in.by_anybody)

    @property
    def asking(self) -> tuple[Asker, ...]:
        """The guests whom this person may let in, but for those whom the host is asked to."""
        if self.table is None or not self.may_let_in:
            return ()
        answered = {request.guest for request in self.pending if isinstance(request, LetIn)}
        asking = self.table.letting_in.asking
        return tuple(asker for asker in asking if asker.guest not in answered)

    @property
    def own_behind(self) -> bool:
        """Whether this seat's private part in `view` is older than its latest change."""
        if self.status == "over" or self.view is None or self.seat is None:
            return False
        late = self.my_turn and self.own_at < (self.game, self.rev)
        return late or self.own_at < self.own_due

    @property
    def can_act(self) -> bool:
        """Whether an intent would be sent now: connected, options known, none in flight."""
        own = self.view.own if self.view else None
        return self.status == "here" and bool(own and own.options) and self.waiting is None


def has_room(table: TableSummary) -> bool:
    """Return whether a newcomer can sit down at a table now."""
    return table.stage != "game" and any(seat.status == "open" for seat in table.seats)


def has_left(model: Model, name: str) -> bool:
    """Return whether somebody whose seat is `away` has left, as the host counts who stays.

    Somebody who is silent may still come back; without any news of them they left long ago.
    """
    news = (event for event in reversed(model.log) if isinstance(event, PeopleChanged))
    return next((event.change for event in news if event.name == name), "left") != "away"


def end(model: Model, ending: Ending, refusal: Refusal | None = None) -> Model:
    """Set the status to `over`; `refusal` is the host's reason, if it gave one."""
    over = replace(model, status="over", ending=ending, refusal=refusal, pending=(), held=())
    return replace(over, looking=None)


def take_snapshot(model: Model, snapshot: Snapshot) -> Model:
    """Reset to a snapshot, then apply the publications buffered since.

    If some stay `held`, another snapshot is needed.
    """
    if model.number not in (HALL, snapshot.number):
        model = replace(model, record=None, looking=None)  # of the table that was left
    same = snapshot.epoch == model.epoch
    fresh = replace(
        model,
        status="here",
        number=snapshot.number,
        epoch=snapshot.epoch,
        seq=snapshot.seq,
        role="spectator" if snapshot.seat is None else "player",
        name=snapshot.name,
        seat=snapshot.seat,
        owner=snapshot.owner,
        table=snapshot.table,
        dealt=_dealt(model if same else None, snapshot.game, snapshot.table, snapshot.log),
        found=_found(model if same else None, snapshot),
        history=log.go_on(model.history, snapshot)
        if model.turned_to
        else log.resume(
            model.history, snapshot, _gapless(model, snapshot), same or not model.epoch
        ),
    )
    if not same:
        fresh = replace(fresh, game=0, rev=0, view=None, own_at=(0, 0), own_due=(0, 0))
    taken = take_own(fresh, snapshot.game, snapshot.rev, snapshot.view)
    held = (update for update in model.held if update.epoch == taken.epoch)
    newer = [update for update in held if update.seq > taken.seq]
    while newer and newer[0].seq == taken.seq + 1 and not may_change_seat(taken, newer[0]):
        taken = take_update(taken, newer.pop(0))
    return replace(taken, held=tuple(newer))


def _gapless(model: Model, snapshot: Snapshot) -> log.Updates:
    """Return the buffered updates up to a snapshot; None if some are missing."""
    wanted = range(model.seq + 1, snapshot.seq + 1)
    held = {update.seq: update for update in model.held if update.epoch == snapshot.epoch}
    if snapshot.epoch != model.epoch or not all(seq in held for seq in wanted):
        return None
    return tuple(held[seq] for seq in wanted)


def may_change_seat(model: Model, update: Update) -> bool:
    """Return whether an update leaves open which seat is this client's."""
    starts = any(isinstance(event, GameStarted) for event in update.events)
    if model.table is None or (update.game != model.game and not starts):
        return True
    seat, seats = _seat_after(model, update), update.table.seats
    if model.seat is None and any(seat.name == model.name for seat in seats):
        return True  # the queue has come to this client
    return seat is not None and (seat >= len(seats) or seats[seat].name != model.name)


def _seat_after(model: Model, update: Update) -> int | None:
    """Return this client's seat after an update, which may have moved it."""
    seat = model.seat
    for event in update.events:
        if isinstance(event, GameStarted | SeatsMoved) and seat is not None:
            seat = event.old_seats.index(seat) if seat in event.old_seats else None
    return seat


def take_update(model: Model, update: Update) -> Model:
    """Apply the next update."""
    model = replace(model, seat=_seat_after(model, update))
    heard = replace(
        model,
        seq=update.seq,
        table=update.table,
        dealt=_dealt(model, update.game, update.table, update.events),
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


def _dealt(
    before: Model | None, game: int, table: TableView, events: Iterable[Event]
) -> tuple[SeatView, ...]:
    """Return the seats of a game as it was dealt.

    Args:
        before: the model before; None if it was of another host.
        game: the number of the table's latest game.
        table: as it is now.
        events: the latest, of that game.
    """
    if table.stage == "lobby":
        return ()
    starts = [event for event in events if isinstance(event, GameStarted)]
    if starts:
        here = {seat.name: seat for seat in table.seats}
        return tuple(here.get(name) or _seat_of(name, table) for name in starts[-1].seats)
    if before and before.game == game and before.dealt:
        return before.dealt
    # nobody takes a seat in a game, but at its result
    return table.seats if table.stage == "game" else ()


def _found(before: Model | None, snapshot: Snapshot) -> tuple[SeatView, ...]:
    """Return the seats of a result as this client first saw them."""
    if before and before.found and before.game == snapshot.game:
        return before.found
    return snapshot.table.seats if snapshot.table.stage == "result" else ()


def _seat_of(name: str, table: TableView) -> SeatView:
    """Return the seat of a player who has gone."""
    bot = kind_called(name, table.bots)
    return SeatView("bot" if bot else "person", name, bot)


def _owns(model: Model, table: TableView) -> bool:
    """Return whether this client owns the table; updates do not name an owner who spectates."""
    if model.seat is None:
        return model.owner and table.owner is None
    return table.owner == model.seat


def take_own(model: Model, game: int, rev: int, view: View | None) -> Model:
    """Apply an answer's View: all of it, or only its private part if the answer is older."""
    moment = (game, rev)
    if moment >= (model.game, model.rev):
        return replace(model, game=game, rev=rev, view=view, own_at=moment)
    behind = moment < model.own_at or game != model.game
    if behind or view is None or model.view is None:
        return model
    return replace(model, view=replace(model.view, own=view.own), own_at=moment)


def without_stale_options(model: Model) -> Model:
    """Drop the options unless they are for the current position and this seat's turn."""
    view = model.view
    if view is None or view.own is None or not view.own.options:
        return model
    if model.my_turn and not model.own_behind:
        return model
    return replace(model, view=replace(view, own=replace(view.own, options=(), undo=0)))


def rules_of(model: Model, table: TableView) -> SetRules:
    """Return the rules of a table, or what they will be once the host has answered."""
    requested = [request for request in model.pending if isinstance(request, SetRules)]
    if requested:
        return replace(requested[-1], id=NO_ID)
    return TableRules.shown(table).request(NO_ID)


def has_company(model: Model) -> bool:
    """Return whether other people are at the table."""
    if model.table is None:
        return False
    seats = enumerate(model.table.seats)
    guests = any(player.status == "person" for seat, player in seats if seat != model.seat)
    return guests or any(name != model.name for name in model.table.spectators)


def is_kept(model: Model) -> bool:
    """Return whether the host goes on without this person: for others, who are not away."""
    if model.table is None:
        return False
    own = model.number, model.seat
    tables = {table.number: table.seats for table in model.tables} | {
        model.number: model.table.seats
    }
    return any(name != model.name for name in model.table.spectators) or any(
        sitting.status == "person" and not sitting.away and (number, seat) != own
        for number, seats in tables.items()
        for seat, sitting in enumerate(seats)
    )


def may_close_host(model: Model) -> bool:
    """Return whether this is the owner's screen, on the computer that has the host."""
    return model.owner and model.invitation != UNINVITED


def due(model: Model, game: int, private_revs: tuple[int, ...]) -> Moment:
    """Return the position that last changed this seat's private part."""
    seated = model.seat is not None and model.seat < len(private_revs)
    return (game, private_revs[model.seat or 0]) if seated else (0, 0)


def tellable(model: Model, latest: int = KEPT) -> list[Event]:
    """Return the recent events of this game that the current seats and menu can describe."""
    log = model.log
    starts = (place for place, event in enumerate(log) if isinstance(event, GameStarted))
    begin = len(log) if model.view is None else max(starts, default=0)
    first = max(len(log) - latest, 0)
    return [
        event
        for place, event in enumerate(log[first:], start=first)
        if place >= begin or isinstance(event, ANYTIME)
    ]
