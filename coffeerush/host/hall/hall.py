"""A hall: the tables of a host by number, and who is at which."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import chain, islice
from typing import Final, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.host.table.config import NOTES_KEPT, PART_COST, BotTurn, Note
from coffeerush.host.table.table import Buckets, Table
from coffeerush.moving.fencing import Fence, next_term
from coffeerush.moving.handover import StateOfHall
from coffeerush.records.entries import Relocation
from coffeerush.table_rules import TableRules
from protocol import (
    HALL,
    MAX_PART_BYTES,
    MAX_SHARED_BYTES,
    MAX_TABLES,
    MAX_WATCHING,
    NO_ID,
    Answer,
    Asker,
    Chat,
    CloseTable,
    CurveKey,
    Destination,
    Done,
    Elsewhere,
    Enter,
    Epoch,
    Event,
    GetHandover,
    GetTables,
    GuestNumber,
    HallRequest,
    HandOver,
    HandoverFailed,
    HandoverFault,
    HandoverRequest,
    Hello,
    HostAddress,
    Intent,
    Listening,
    LookAt,
    Moved,
    Moving,
    Name,
    RecordPart,
    Refused,
    RefusedError,
    RenameTable,
    Request,
    RequestId,
    Said,
    Snapshot,
    TableMoved,
    TableNumber,
    Tables,
    TakeOver,
    Tick,
    TournamentRequest,
    TournamentRules,
    TournamentView,
    Update,
    WireError,
    clean_name,
    clean_speaker,
    param_list,
)

from .handover import AGREED_SECONDS, ASKED_SECONDS, Agreed, Gone, Handover, Offered
from .tournament import Director, Tournaments

TABLES_A_PERSON: Final = 2
"""The most tables that one person has opened and that are still open."""


class Published(NamedTuple):
    """A publication, and the number of the table that it is about, or `HALL`."""

    table: TableNumber
    message: Update | Tick | Moved


class HallOutcome(Struct, frozen=True):
    """The result of a request: an answer to the sender, and publications."""

    answer: Answer
    published: Sequence[Published] = ()
    table: TableNumber = HALL
    """The table that has answered, if one has."""


class Noted(NamedTuple):
    """A note for the log, and the name of its table; "" if it is about none."""

    table: str
    note: Note


class Accident(NamedTuple):
    """A table that an error has ended; the others go on."""

    table: str
    error: Exception


class Carpenter(Protocol):
    """Makes the tables of a hall, and puts away what belongs to them."""

    def make(self, number: TableNumber, owner: str, rules: TableRules) -> Table:
        """Return a new table in its lobby, for its owner's key."""

    def clear(self, number: TableNumber) -> None:
        """Close the record of a table that is gone."""

    def sync(self) -> Mapping[TableNumber, Exception]:
        """Sync the moves that tables have written; return what went wrong at which table."""


class Hall:
    """The tables of a host. A host with one table has a hall with one table.

    Those of the host stay; others are opened by people, who then own them, and close once
    everybody has left. An error at one table ends that table, or if there is no other,
    it is raised.

    Args:
        tables: those with which it begins, at least one.
        carpenter: makes the others.
        buckets: the rations of all keys, which all tables share.
        epoch: random bytes, new at each start of a host.
        tournaments: with what those of the hall begin.
        stay: the highest number of the tables that stay; the others were opened by people.
        most: how many tables there may be.
        hall: what the records of all tables have in common.
        last: the highest number that any table has had, before a crash too.
    """

    def __init__(
        self,
        tables: Iterable[Table],
        carpenter: Carpenter,
        buckets: Buckets,
        epoch: Epoch,
        tournaments: Tournaments,
        stay: int = 1,
        most: int = MAX_TABLES,
        hall: str = "",
        last: TableNumber = 1,
    ) -> None:
        self._tables = {table.number: table for table in tables}
        self._stay = stay
        self._last = max(last, *self._tables)
        """The highest number that any table has had."""
        self._notes: deque[Noted] = deque(maxlen=NOTES_KEPT)
        self._director = Director(self, tournaments)
        others = {number: table for number, table in self._tables.items() if number > stay}
        for table in others.values():
            table.wait_for_return()
        self._openers = {
            number: table.owner
            for number, table in others.items()
            if not self._director.has(number)
        }
        self._carpenter = carpenter
        self._buckets = buckets
        self._epoch = epoch
        self._most = most
        self._hall = hall
        self._away: set[tuple[TableNumber, CurveKey]] = set()
        """The standbys of each table that were not here since they were asked last."""
        self._handover: Handover = None
        self._asked_by = NO_ID
        """The latest request of the owner about a handover that was carried out."""
        self._candidate: Listening | None = None
        self.completed: Callable[[StateOfHall], StateOfHall] | None = None
        """Adds what the process knows of how people join."""
        self._still_since = 0.0
        """When the tables began to stand still, if they do."""
        self._owner = self.main.owner
        self._at = _tables_of_keys(self._tables)
        """The latest table of each key."""
        self._touched: dict[TableNumber, None] = dict.fromkeys(self._tables)
        self._accidents: list[Accident] = []
        self._waiting: list[Published] = []
        """What a tournament has caused, until it is published."""
        for table in self._tables.values():
            self._hold(table)

    # What the host has to know of all tables

    @property
    def tables(self) -> Mapping[TableNumber, Table]:
        """The tables by number."""
        return self._tables

    @property
    def main(self) -> Table:
        """The first table: that of the hall's owner, as long as it lasts."""
        return self._tables[min(self._tables)]

    @property
    def free_seats(self) -> int:
        """How many seats people can take now."""
        return sum(table.free_seats for table in self._tables.values())

    @property
    def round(self) -> int:
        """The round of the game at the first table; 0 if none is being played."""
        return self.main.round

    @property
    def has_many(self) -> bool:
        """Whether there is more than one table."""
        return len(self._tables) > 1

    @property
    def is_abandoned(self) -> bool:
        """Whether there is one table only, and no player is at it; see `Table.is_abandoned`."""
        return not self.has_many and self.main.is_abandoned

    @property
    def is_unattended(self) -> bool:
        """Whether there is one table only, and all players are away; see `Table.is_unattended`."""
        return not self.has_many and self.main.is_unattended

    @property
    def all_played(self) -> bool:
        """Whether all tables have played their games, or the planned tournament is over."""
        return self._director.is_done or all(table.all_played for table in self._tables.values())

    @property
    def is_in_use(self) -> bool:
        """Whether somebody is at a table; see `Table.is_in_use`."""
        return any(table.is_in_use for table in self._tables.values())

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all owners and of everybody who is or was at a table, but for `removed`.

        Also of those who have entered a tournament.
        """
        return (self._all(lambda table: table.keys) | self._director.keys) - self.removed

    @property
    def seated_keys(self) -> frozenset[str]:
        """The keys of all owners and of everybody who has a seat, even if away."""
        return self._all(lambda table: table.seated_keys)

    @property
    def keys_here(self) -> frozenset[str]:
        """The keys of all owners and of everybody who has a seat or watches, even if away."""
        return self._all(lambda table: table.keys_here)

    @property
    def removed(self) -> frozenset[str]:
        """The keys that the hall's owner kicked from a table of theirs: they may not come back.

        Those whom the owner of another table kicked may still sit down elsewhere.
        """
        own = (table for table in self._tables.values() if table.owner == self._owner)
        return frozenset(chain.from_iterable(table.removed for table in own))

    def _all(self, keys: Callable[[Table], Set[str]]) -> frozenset[str]:
        return frozenset(chain.from_iterable(map(keys, self._tables.values())))

    def take_touched(self) -> tuple[TableNumber, ...]:
        """Return the tables at which something may have happened since the last call."""
        touched = tuple(number for number in self._touched if number in self._tables)
        self._touched.clear()
        return touched

    def take_notes(self) -> tuple[Noted, ...]:
        """Return the notes for the log since the last call, oldest first."""
        notes = tuple(self._notes)
        self._notes.clear()
        return notes

    def take_counters(self) -> Counter[str]:
        """Return the incidents without a refusal since the last call."""
        counters = Counter[str]()
        for table in self._tables.values():
            counters += table.take_counters()
        return counters

    def take_accidents(self) -> tuple[Accident, ...]:
        """Return the tables that an error has ended since the last call."""
        accidents = tuple(self._accidents)
        self._accidents.clear()
        return accidents

    # Guests with a browser, who ask at the first table

    def note_asking(self, asking: Sequence[Asker]) -> None:
        """Note who asks to come in; the next tick publishes it."""
        self.main.note_asking(asking)

    @property
    def let_in(self) -> Mapping[GuestNumber, bool]:
        """Whether those who were answered may come in, until `note_asking` leaves them out."""
        return self.main.let_in

    # Requests

    def handle(
        self, now: float, key: str, request: Request | WireError, address: str = ""
    ) -> HallOutcome:
        """Handle a request from `key`, or what is wrong with it; `address` is the sender's."""
        if isinstance(self._handover, Gone):
            return HallOutcome(self._where(self._handover.to, key, request))
        try:
            if isinstance(request, HandoverRequest):
                return self._handing_over(now, key, request, address)
            if isinstance(request, HallRequest):
                reply = self._of_hall(now, key, request)
                own = self._own_table(key) or HALL
                here = self._run(own, lambda table: table.note_present(now, key))
                return HallOutcome(reply.answer, (*reply.published, *here))
            if isinstance(request, Hello):
                return self._hello(now, key, request, address)
            if isinstance(request, TournamentRequest):
                return self._direct(now, key, request)
        except RefusedError as error:
            return HallOutcome(_refused(request, error))
        number = self._table_of(key)
        reply = self._ask(number, now, key, request)
        if isinstance(request, Chat) and request.hall:
            return self._said_to_all(now, number, reply)
        return reply

    def _of_hall(self, now: float, key: str, request: HallRequest) -> HallOutcome:
        """Answer a request about the tables of the host."""
        if key in self.removed:
            raise RefusedError("removed")
        self._buckets.take(key, now, PART_COST)
        match request:
            case GetTables():
                return HallOutcome(self._list(now, key, request))
            case LookAt():
                return HallOutcome(self._look(now, key, request))
            case RenameTable():
                return self._rename(now, key, request)
            case CloseTable():
                return self._close(key, request)

    def _list(self, now: float, key: str, request: GetTables) -> Tables:
        tables = [
            replace(table.summary(), opened=number in self._openers)
            for number, table in self._tables.items()
        ]
        watching = chain.from_iterable(table.watching for table in self._tables.values())
        named = tuple(islice(watching, MAX_WATCHING))
        tournament = self._director.view(now, key)
        return Tables(request.id, tuple(tables), tournament, named, self._owns(key))

    def _owns(self, key: str) -> bool:
        """Return whether somebody owns the hall."""
        return bool(key) and key == self._owner

    def _look(self, now: float, key: str, request: LookAt) -> Snapshot:
        """Return another table as its spectators see it; nothing in it is private."""
        name = self._tables[self._table_of(key)].name_here(key)
        if not name:
            raise RefusedError("say_hello")
        table = self._tables.get(request.table)
        if table is None:
            raise RefusedError("no_such_table", reason="gone")
        try:
            return table.seen_from_outside(now, request.id, name)
        except Exception as error:
            self._end(request.table, error)
            raise RefusedError("no_such_table", reason="gone") from error

    def _rename(self, now: float, key: str, request: RenameTable) -> HallOutcome:
        """Rename the table where somebody is, who owns it or the hall."""
        own = self._tables[self._table_of(key)]
        if not own.name_here(key):
            raise RefusedError("say_hello")
        if not self._owns(key) and (not key or key != own.owner):
            raise RefusedError("not_owner")
        own.check_lobby()
        name = clean_speaker(request.name)
        if not name:
            raise RefusedError("bad_text")
        others = (table.name for table in self._tables.values() if table is not own)
        if name.casefold() in {other.casefold() for other in others}:
            raise RefusedError("name_taken", reason="table")
        self._buckets.charge_broadcast(key, now)
        published = self._run(own.number, lambda table: table.rename(now, name))
        return HallOutcome(Done(request.id), published)

    def _close(self, key: str, request: CloseTable) -> HallOutcome:
        """Close a table that somebody has opened; who was there has to join another one."""
        if not self._owns(key):
            raise RefusedError("not_owner", reason="hall")
        if request.table not in self._tables:
            raise RefusedError("no_such_table", reason="gone")
        if request.table not in self._openers or not self.has_many:
            raise RefusedError("no_such_table", reason="stays")
        self._remove(request.table)
        return HallOutcome(Done(request.id))

    def _said_to_all(self, now: float, number: TableNumber, reply: HallOutcome) -> HallOutcome:
        """Pass on to the other tables what was said at one of them to the whole hall."""
        events = (event for published in reply.published for event in _events(published.message))
        said = next((event for event in events if isinstance(event, Said) and event.table), None)
        if said is None:  # it was refused, or is a repeat
            return reply
        line = said
        others = [other for other in self._tables if other != number]
        heard = [self._run(other, lambda table: table.overhear(now, line)) for other in others]
        return HallOutcome(reply.answer, (*reply.published, *chain.from_iterable(heard)))

    def _hello(self, now: float, key: str, request: Hello, address: str) -> HallOutcome:
        """Let somebody join a table, and leave the one where they were.

        In a round of a tournament, a player's seat is their table, whatever a request says that was
        on its way when they were called there.
        """
        before = self._own_table(key)
        if before is not None:
            own = self._tables[before]
            plays = own.is_playing(key)
            if own.calls(key) or (plays and self._director.has(before)):
                return self._ask(before, now, key, request, address)
            if plays and request.table not in (None, before):
                self._buckets.take(key, now)
                stages = param_list(("lobby", "result"))
                raise RefusedError("wrong_stage", stage="game", stages=stages)
        number = self._wanted(now, key, request)
        reply = self._ask(number, now, key, request, address)
        if before in (None, number) or not isinstance(reply.answer, Snapshot):
            return reply
        left = self._run(before, _let_go(now, key, self._tables[number].name))
        return HallOutcome(reply.answer, (*reply.published, *left), number)

    def sync(self) -> None:
        """Sync what is on record; call before anything of the tables is answered or published.

        A table whose record fails ends: nobody must hear any more of it.
        """
        for number, error in self._carpenter.sync().items():
            self._end(number, error)

    def settled(self, request: Request | WireError, outcome: HallOutcome) -> HallOutcome:
        """Return an outcome after `sync`: a refusal, if its table has ended since."""
        if outcome.table == HALL or outcome.table in self._tables:
            return outcome
        return HallOutcome(_refused(request, RefusedError("no_such_table")))

    def _ask(
        self,
        number: TableNumber,
        now: float,
        key: str,
        request: Request | WireError,
        address: str = "",
    ) -> HallOutcome:
        table = self._tables[number]
        try:
            outcome = table.handle(now, key, request, address)
        except Exception as error:  # noqa: BLE001 - the other tables must go on
            self._end(number, error)
            return HallOutcome(_refused(request, RefusedError("no_such_table")))
        self._collect(table)
        if isinstance(request, Hello) and isinstance(outcome.answer, Snapshot):
            self._at[key] = number
        published = [Published(number, update) for update in outcome.updates]
        return HallOutcome(outcome.answer, published, number)

    def _own_table(self, key: str) -> TableNumber | None:
        """Return the table where somebody has a place, even if only a seat that is kept."""
        number = self._at.get(key)
        if number is None or number not in self._tables or not self._tables[number].has(key):
            return None
        return number

    def _table_of(self, key: str) -> TableNumber:
        """Return the latest table of somebody, or the first one."""
        number = self._at.get(key)
        return number if number in self._tables else self.main.number

    def _wanted(self, now: float, key: str, request: Hello) -> TableNumber:
        """Return the table that somebody wants to join, which may be a new one."""
        wanted = request.table
        if wanted == "new":
            return self._opened(now, key)
        if wanted is None:
            return self._own_table(key) or self._fitting(key, request)
        if wanted not in self._tables:
            self._buckets.take(key, now)
            raise RefusedError("no_such_table")
        return wanted

    def _fitting(self, key: str, request: Hello) -> TableNumber:
        """Return the first table that would take somebody, or else the first one."""
        allowed = [table for table in self._tables.values() if key not in table.removed]
        plays = request.role == "player"
        fitting = (table.number for table in allowed if table.takes_players or not plays)
        return next(fitting, (allowed or [self.main])[0].number)

    def _opened(self, now: float, key: str) -> TableNumber:
        """Return a new table, or the one that somebody has just opened, if the request is late."""
        own = [number for number, opener in self._openers.items() if opener == key]
        for number in own:
            if self._at.get(key) == number and self._tables[number].has_only(key):
                return number
        if key in self.removed:
            raise RefusedError("removed")
        self._buckets.take(key, now)
        if len(own) >= TABLES_A_PERSON:
            raise RefusedError("too_many_tables", reason="own", most=TABLES_A_PERSON)
        if len(self._tables) >= self._most:
            if self._most == 1:
                raise RefusedError("too_many_tables", reason="one")
            raise RefusedError("too_many_tables", most=self._most)
        number = self.next_number
        self._made(number, key, self._tables[self._table_of(key)])
        self._openers[number] = key
        return number

    def _made(self, number: TableNumber, owner: str, like: Table) -> Table:
        """Return a new table with the rules of another one, as they are now."""
        self._last = max(self._last, number)
        table = self._tables[number] = self._carpenter.make(number, owner, like.rules)
        self._hold(table)
        return table

    # The tournament

    def _direct(self, now: float, key: str, request: TournamentRequest) -> HallOutcome:
        """Carry out a request about the tournament."""
        name = self._tables[self._table_of(key)].hear(now, key)
        if not isinstance(request, Enter) and (not key or key != self._owner):
            raise RefusedError("not_owner", reason="hall")
        try:
            self._director.handle(now, key, name, request)
        except RecordError:
            raise RefusedError("record_failed") from None
        return HallOutcome(Done(request.id), self._take_waiting())

    def _hold(self, table: Table) -> None:
        """Let no game begin at a table while its players play elsewhere in a tournament."""
        table.hold_for(partial(self._plays_elsewhere, table.number))

    def _plays_elsewhere(self, number: TableNumber, key: str) -> bool:
        return self._director.plays(key) or self._director.keeps(number)

    def _take_waiting(self) -> tuple[Published, ...]:
        waiting = tuple(self._waiting)
        self._waiting.clear()
        return waiting

    def tournament(self, now: float) -> TournamentView | None:
        """Return the latest tournament as everybody may know it; None before the first."""
        return self._director.view(now, "")

    @property
    def players(self) -> Mapping[str, str]:
        """The names of all who are here and have a seat or want one, by key."""
        return {key: name for table in self._tables.values() for key, name in table.players.items()}

    def note(self, code: str, **params: str | int) -> None:
        """Write a line in the log that is about no table."""
        self._notes.append(Noted("", Note(code, params)))

    @property
    def room(self) -> int:
        """How many tables more there may be."""
        return self._most - len(self._tables)

    def is_here(self, key: str) -> bool:
        """Return whether somebody is at a table, even if away."""
        number = self._own_table(key)
        return number is not None and self._tables[number].is_here(key)

    @property
    def next_number(self) -> TableNumber:
        """The number that a new table gets: none is ever used twice."""
        return self._last + 1

    @property
    def bots(self) -> tuple[str, ...]:
        """The kinds of bot that can be seated."""
        return self.main.bots

    def seat(
        self,
        now: float,
        number: TableNumber,
        players: Sequence[tuple[str, str]],
        rules: TournamentRules,
    ) -> Table:
        """Take people, by key and name, from where they are to a new table, and begin a game."""
        called = []
        others = (table for at, table in self._tables.items() if self._director.has(at))
        bots = tuple(chain.from_iterable(table.bot_names for table in others))
        table = self._made(number, self._owner, self.main)
        for key, name in players:
            before = self._tables[self._table_of(key)]
            called.append(before.called(key, name))
            self._waiting += self._run(before.number, _let_go(now, key, table.name))
            self._at[key] = table.number
        self._waiting += self._run(
            table.number,
            lambda seating: seating.seat_for_round(now, called, rules, bots),
        )
        return table

    def close(self, number: TableNumber) -> None:
        """Close a table, if it is still there."""
        if number in self._tables:
            self._remove(number)

    # Time

    def tick(self, now: float) -> tuple[Published, ...]:
        """Advance time at all tables, and close those that people opened and all have left.

        Call once per second; the last item returned is the hall's own tick.
        """
        if isinstance(self._handover, Gone):
            return self._told(self._handover.to)
        late = self._check_handover(now)
        if self.stands_still:
            beats = [Published(number, table.beat()) for number, table in self._tables.items()]
            return (*late, *beats, Published(HALL, self._beat()))
        published = [*late]
        published += [
            update for number in [*self._tables] for update in self._run(number, _ticked(now))
        ]
        self._director.tick(now)
        published += self._take_waiting()
        for number, table in [*self._tables.items()]:
            if number > self._stay and not (table.is_in_use or self._director.keeps(number)):
                self._remove(number)
        self._at = {key: number for key, number in self._at.items() if number in self._tables}
        self._buckets.prune(now)  # once for all tables: it looks at every key
        self._note_away()
        return (*published, Published(HALL, self._beat()))

    def _beat(self) -> Tick:
        """Return the tick that tells of changes in the tournament, and of another table."""
        return Tick(self._epoch, 0, 0, self._director.changes + self._last - 1, ())

    def let_owner_go(self, now: float) -> tuple[Published, ...]:
        """Let the hall's owner leave after closing the screen, whose bye may have been lost."""
        number = None if self.stands_still else self._own_table(self._owner)
        return () if number is None else self._run(number, _let_go(now, self._owner))

    def stop(self) -> tuple[Published, ...]:
        """Tell everybody that the host stops, unless its tables have another one."""
        if self.moved_at is not None:
            return ()
        return tuple(
            update for number in [*self._tables] for update in self._run(number, Table.stop)
        )

    # A handover of all tables to another host

    @property
    def stands_still(self) -> bool:
        """Whether nothing happens at any table: their successor has, or fetches, what they are."""
        return isinstance(self._handover, Agreed | Gone)

    @property
    def moved_at(self) -> float | None:
        """When the tables got another host; None if they have none."""
        return self._handover.since if isinstance(self._handover, Gone) else None

    def defers(self, request: Request | WireError) -> bool:
        """Return whether a request gets no answer for now: the sender sends it again."""
        is_part = isinstance(request, HandoverRequest)
        return isinstance(self._handover, Agreed) and not is_part

    def take_candidate(self) -> Agreed | None:
        """Return, once, the successor whose host listens, for `settle_handover`."""
        now = self._handover
        if not isinstance(now, Agreed) or not now.listening or now.listening is self._candidate:
            return None
        self._candidate = now.listening
        return now

    def settle_handover(
        self, now: float, tried: Agreed, reached: tuple[HostAddress, ...]
    ) -> tuple[Published, ...]:
        """Let the tables go to a successor who was reached at these addresses, if at any.

        From the first record that tells it there is no way back.
        """
        if tried is not self._handover or tried.listening is None:
            return ()  # it has failed meanwhile
        if not reached:
            return self._fail(now, "unreachable")
        there = tried.listening
        to = Destination(next_term(self.main.term), tried.name, there.key, reached, there.port)
        before = self.main.name_of(self._owner)
        where = Relocation(0, to.term, to.key, to.name, before, tried.key, reached[0], to.port)
        written = 0
        for table in self._tables.values():
            try:
                table.record_move(where)
                written += 1
            except RecordError as error:
                if not written:
                    return self._fail(now, "failed")
                self._accidents.append(Accident(table.name, error))
        self._handover = Gone(to, now)
        self._note_moved(self.main, to)
        return self._told(to)

    def _note_moved(self, table: Table, to: Destination) -> None:
        params: dict[str, str | int] = {"name": to.name, "address": to.addresses[0]}
        params["port"] = to.port
        self._notes.append(Noted(table.name, Note("moved", params)))

    def _told(self, to: Destination) -> tuple[Published, ...]:
        return tuple(Published(number, Moved(to)) for number in (*self._tables, HALL))

    def _where(self, to: Destination, key: str, request: Request | WireError) -> Answer:
        """Return where the tables have gone, but not to those whom the owner kicked."""
        if key in self.removed:
            return _refused(request, RefusedError("removed"))
        return Elsewhere(_id_of(request), to)

    def _handing_over(
        self, now: float, key: str, request: HandoverRequest, address: str
    ) -> HallOutcome:
        number = self._own_table(key)
        if key in self.removed:
            raise RefusedError("removed")
        if not isinstance(request, GetHandover):
            self._buckets.take(key, now)
        if number is None:
            raise RefusedError("say_hello")
        if isinstance(request, HandOver):
            return HallOutcome(Done(request.id), self._ask_standby(now, key, number, request))
        state = self._handover
        if not isinstance(state, Offered | Agreed) or state.key != key:
            raise RefusedError("no_handover")
        if isinstance(request, TakeOver):
            answer, published = Done(request.id), self._hear_standby(now, request)
            return HallOutcome(answer, published)
        if not isinstance(state, Agreed):
            raise RefusedError("no_handover")
        if isinstance(request, GetHandover):
            part = state.data[request.offset : request.offset + MAX_PART_BYTES]
            if not part:
                raise RefusedError("no_handover")
            return HallOutcome(RecordPart(request.id, len(state.data), part))
        if state.listening is None:
            self._handover = replace(state, listening=request, address=address)
        return HallOutcome(Done(request.id))

    def _ask_standby(
        self, now: float, key: str, number: TableNumber, request: HandOver
    ) -> tuple[Published, ...]:
        """Ask somebody to host the tables, instead of anybody else who was asked before."""
        if key != self._owner:
            raise RefusedError("not_owner", reason="hall")
        if request.id == self._asked_by:
            return ()  # asked already, whatever has come of it
        if isinstance(self._handover, Agreed):
            if request.to == self._handover.name:
                return ()
            raise RefusedError("no_standby", name=clean_name(request.to or ""))
        self._asked_by = request.id
        if self._director.is_on and request.to is not None:  # it stays at its host
            raise RefusedError("no_standby", reason="tournament")
        if request.to is None:
            return self._fail(now, "withdrawn") if self._handover else ()
        successor = self._tables[number].standby(request.to)
        if not successor:
            raise RefusedError("no_standby", name=clean_name(request.to))
        asked = Offered(successor, request.to, request.leaving, now + ASKED_SECONDS)
        self._handover = asked
        return self._run(number, lambda table: table.show_moving(now, asked.shown))

    def _hear_standby(self, now: float, request: TakeOver) -> tuple[Published, ...]:
        """Let the tables stand still for who has agreed to host them."""
        state = self._handover
        if not request.agreed:
            return self._fail(now, "declined" if isinstance(state, Offered) else "failed")
        if not isinstance(state, Offered):
            return ()
        agreed = Agreed(state.key, state.name, b"", now + AGREED_SECONDS)
        published = self._show(now, agreed.shown)
        try:
            data = self._state(now, state.leaving).encode()
        except RecordError as error:
            self._accidents.append(Accident(self.main.name, error))
            return (*published, *self._fail(now, "failed"))
        if len(data) > MAX_SHARED_BYTES:
            return (*published, *self._fail(now, "too_large"))
        self._handover, self._still_since = replace(agreed, data=data), now
        return published

    def _state(self, now: float, leaving: bool) -> StateOfHall:
        tables = self._tables.items()
        state = StateOfHall(
            term=next_term(self.main.term),
            hall=self._hall,
            epoch=self._epoch,
            owner=self._owner,
            name=self.main.name_of(self._owner),
            leaves=leaving,
            stay=self._stay,
            most=self._most,
            last=self._last,
            tables=tuple(table.state(now) for _number, table in tables),
        )
        return self.completed(state) if self.completed else state

    def _check_handover(self, now: float) -> tuple[Published, ...]:
        """Give up a handover that takes too long, or whose successor is not here any more."""
        state = self._handover
        if not isinstance(state, Offered | Agreed):
            return ()
        number = self._own_table(state.key)
        here = number is not None and self._tables[number].is_standby(state.key)
        return () if here and now < state.until else self._fail(now, "gone")

    def _fail(self, now: float, reason: HandoverFault) -> tuple[Published, ...]:
        """Let the tables go on here, and tell at the owner's why."""
        state = self._handover
        assert isinstance(state, Offered | Agreed), "there is a handover to fail"
        self._handover = self._candidate = None
        if isinstance(state, Agreed) and state.data:
            for table in self._tables.values():
                table.pass_over(now, now - self._still_since)
        self._touched.update(dict.fromkeys(self._tables))
        return self._show(now, None, HandoverFailed(state.name, reason))

    def _show(self, now: float, moving: Moving | None, *news: Event) -> tuple[Published, ...]:
        """Show at all tables how far the handover is; the news are for that of the owner."""
        own = self._own_table(self._owner)

        def show(table: Table) -> Iterable[Update]:
            return table.show_moving(now, moving, *(news if table.number == own else ()))

        return tuple(update for number in [*self._tables] for update in self._run(number, show))

    # A table that has gone on elsewhere while this host was away

    def fences(self, *, all_standbys: bool = False) -> list[tuple[TableNumber, Fence]]:
        """Return what there is to ask about each table, and the standbys to ask.

        Without `all_standbys`, those are the ones that are not here, or were not since the last
        time: somebody may be back with a new program, while the host here that they left runs on.
        """
        before, self._away = self._away, set()
        self._note_away()
        suspected = before | self._away
        found = []
        for number, fence in self._fenced():
            asked = tuple(
                standby
                for standby in fence.standbys
                if all_standbys or (number, standby.key) in suspected
            )
            if asked:
                found.append((number, fence._replace(standbys=asked)))
        return found

    def _fenced(self) -> Iterator[tuple[TableNumber, Fence]]:
        """Yield the tables with a game that others can go on with."""
        for number, table in self._tables.items():
            if self.moved_at is None and (fence := table.fence):
                yield number, fence

    def _note_away(self) -> None:
        self._away.update(
            (number, standby.key)
            for number, fence in self._fenced()
            for standby in fence.standbys
            if self._tables[number].is_away(standby)
        )

    def give_way(self, now: float, number: TableNumber, to: Destination) -> tuple[Published, ...]:
        """Leave a table to the host that goes on with its game; other tables stay here."""
        table = self._tables.get(number)
        if table is None or self.moved_at is not None or to.term <= table.term:
            return ()
        if self._handover:
            self._fail(now, "failed")
        where = Relocation(0, to.term, to.key, to.name, address=to.addresses[0], port=to.port)
        try:
            table.record_move(where)
        except RecordError as error:
            self._accidents.append(Accident(table.name, error))
        self._note_moved(table, to)
        if self.has_many:
            self._remove(number)
            return ()
        self._handover = Gone(to, now)
        return self._told(to)

    def begin_term(self, now: float, name: Name, left: str) -> tuple[Published, ...]:
        """Tell everybody whose computer they play at from now on; `left` is the key of who left."""
        published: tuple[Published, ...] = ()
        told = TableMoved(name)
        for number in [*self._tables]:
            published += self._run(number, lambda table: table.show_moving(now, None, told))
        if left and (own := self._own_table(left)):
            published += self._run(own, lambda table: table.let_go(now, left, stand_in=True))
        return published

    # Bots

    def bot_turn(self, number: TableNumber) -> BotTurn | None:
        """Return the bot's turn at a table, if there is one now; see `Table.bot_turn`."""
        table = None if self.stands_still else self._tables.get(number)
        try:
            return None if table is None else table.bot_turn()
        except Exception as error:  # noqa: BLE001 - the other tables must go on
            self._end(number, error)
            return None

    def bot_move(
        self, now: float, number: TableNumber, turn: BotTurn, intent: Intent | None
    ) -> tuple[Published, ...]:
        """Play a bot's intent; None if it gave no answer. See `Table.bot_move`."""
        if self.stands_still:
            return ()  # it is asked again
        return self._run(number, lambda table: table.bot_move(now, turn, intent))

    # Each step at a table goes through here

    def _run(
        self, number: TableNumber, step: Callable[[Table], Iterable[Update | Tick]]
    ) -> tuple[Published, ...]:
        """Let a table take a step; return what it published, or nothing if it is gone."""
        table = self._tables.get(number)
        if table is None:
            return ()
        try:
            published = tuple(Published(number, update) for update in step(table))
        except Exception as error:  # noqa: BLE001 - the other tables must go on
            self._end(number, error)
            return ()
        self._collect(table)
        return published

    def _collect(self, table: Table) -> None:
        self._touched[table.number] = None
        if notes := table.take_notes():
            self._notes.extend([Noted(table.name, note) for note in notes])

    def _end(self, number: TableNumber, error: Exception) -> None:
        """End a table at which an error has happened; raise the error if there is no other."""
        if len(self._tables) == 1:
            raise error
        self._accidents.append(Accident(self._tables[number].name, error))
        self._remove(number)

    def _remove(self, number: TableNumber) -> None:
        del self._tables[number]
        self._openers.pop(number, None)
        self._carpenter.clear(number)


def _tables_of_keys(tables: Mapping[TableNumber, Table]) -> dict[str, TableNumber]:
    """Return the table that each key is at; of several the last one."""
    return {
        key: number for number, table in tables.items() for key in table.keys_here if table.has(key)
    }


def _events(message: Update | Tick | Moved) -> tuple[Event, ...]:
    return message.events if isinstance(message, Update) else ()


def _ticked(now: float) -> Callable[[Table], Iterable[Update | Tick]]:
    return lambda table: table.tick(now)


def _let_go(now: float, key: str, to: str = "") -> Callable[[Table], Iterable[Update | Tick]]:
    return lambda table: table.let_go(now, key, to=to)


def _refused(request: Request | WireError, error: RefusedError) -> Refused:
    return Refused(_id_of(request), error.refusal, 0, 0)


def _id_of(request: Request | WireError) -> RequestId:
    return (request.request_id or NO_ID) if isinstance(request, WireError) else request.id
