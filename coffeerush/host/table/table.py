"""A table: a time, a key and a request in, answers and updates out."""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Final, Self

from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.moving.fencing import Fence
from coffeerush.moving.handover import StateOfTable
from coffeerush.rates import TokenBucket
from coffeerush.records.entries import Head, Record, Relocation, read_record
from coffeerush.rules import view_for
from coffeerush.table_rules import TableRules
from protocol import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    NO_ID,
    Accepted,
    Answer,
    Asker,
    Bye,
    Chat,
    Count,
    Current,
    Done,
    Epoch,
    Event,
    GetRecord,
    GetSealed,
    GetView,
    GuestNumber,
    Hello,
    HostStopping,
    Intent,
    Lend,
    Malformed,
    Moving,
    Ready,
    Refused,
    RefusedError,
    Rename,
    Request,
    RequestId,
    Said,
    SeatView,
    Snapshot,
    Submit,
    Successor,
    Sync,
    TableNumber,
    TableRequest,
    TableSummary,
    Tick,
    TournamentRules,
    Undo,
    Update,
    WireError,
    clean_name,
    malformed,
    padded,
)

from . import image, lifecycle, requests
from .config import (
    ANSWERS_KEPT,
    BROADCAST_COST,
    HALL_TALK_COST,
    PART_COST,
    REQUESTS_A_SECOND,
    REQUESTS_BURST,
    STAND_IN,
    UNDOS_A_TURN,
    BotTurn,
    Journals,
    Note,
    Outcome,
    TableConfig,
)
from .lifecycle import BotSeats, restore_guests
from .people import Called, Person, SeatedBot
from .state import Game, LogLine, SeatScore, Stage, TableState, TakenIntent

# Cache of the latest answers by key, which makes repeated requests idempotent


class RecentAnswers:
    """The latest answers of each key by request id: a repeat is answered, not applied again."""

    def __init__(self) -> None:
        self._kept: dict[str, OrderedDict[bytes, tuple[Request, Answer]]] = {}

    def find(self, key: str, request: Request) -> Answer | None:
        """Return the earlier answer to this request, or None; raises `id_reused`."""
        answers = self._kept.get(key)
        if answers is None or request.id not in answers:
            return None
        earlier, answer = answers[request.id]
        if earlier != request:
            raise RefusedError("id_reused")
        return answer

    def keep(self, key: str, request: Request, answer: Answer) -> None:
        """Remember an answer; drop this key's oldest beyond `ANSWERS_KEPT`."""
        answers = self._kept.setdefault(key, OrderedDict())
        answers[request.id] = (request, answer)
        if len(answers) > ANSWERS_KEPT:
            answers.popitem(last=False)

    def __iter__(self) -> Iterator[tuple[str, Request, Answer]]:
        """Yield all answers, each key's oldest first."""
        for key, answers in self._kept.items():
            for request, answer in answers.values():
                yield key, request, answer

    def keep_only(self, keys: Collection[str]) -> None:
        """Drop the answers of all other keys."""
        for key in [key for key in self._kept if key not in keys]:
            del self._kept[key]


# Updates, ticks and snapshots that a table sends to its clients


class Publisher:
    """Builds updates, ticks and snapshots; numbers the updates of an epoch."""

    def __init__(self, table: TableState, epoch: Epoch, number: TableNumber) -> None:
        self._table = table
        self._epoch = epoch
        self._number = number
        self.seq: Count = 0
        """The number of the latest update."""

    def publish(self) -> tuple[Update, ...]:
        """Return pending changes as updates, split if there are too many events for one."""
        table = self._table
        if table.replication.settle(table.people, table.successors()):
            table.tell()
        updates = []
        while table.changed:
            events = table.take_news()
            sealed = table.replication.news()
            table.replication.note_told()
            self.seq += 1
            updates.append(
                Update(
                    epoch=self._epoch,
                    seq=self.seq,
                    game=table.number,
                    rev=table.rev,
                    private_revs=table.private_revs(),
                    events=events,
                    table=table.table_view(),
                    view=table.view(),
                    sealed=sealed,
                )
            )
        return tuple(updates)

    def tick(self) -> Tick:
        """Return a tick with the current seq, game and revs."""
        table = self._table
        return Tick(self._epoch, self.seq, table.number, table.rev, table.private_revs())

    def snapshot(self, key: str, request_id: RequestId, from_start: bool) -> Snapshot:
        """Return everything that the person with `key` may see, as of the latest update."""
        person = self._table.people.find(key)
        assert person is not None, "it is for people at the table"
        return self._snapshot(key, request_id, person.name, from_start)

    def from_outside(self, request_id: RequestId, name: str) -> Snapshot:
        """Return what spectators may see, for somebody called `name` who is not at the table."""
        return self._snapshot("", request_id, name, from_start=True)

    def _snapshot(self, key: str, request_id: RequestId, name: str, from_start: bool) -> Snapshot:
        table = self._table
        return Snapshot(
            id=request_id,
            epoch=self._epoch,
            seq=self.seq,
            game=table.number,
            rev=table.rev,
            seat=table.people.seat_of(key),
            owner=bool(key) and key == table.config.owner,
            table=table.table_view(),
            view=table.view(key),
            log=table.log_for(key, from_start),
            name=name,
            number=self._number,
            standbys=table.successors(),
        )


# Rate limit of each key: requests, broadcasts such as chat, parts of records, excessive undo


_TALK: Final = Bye | Chat | Hello | Rename | TableRequest


def _is_talk(request: Request | WireError) -> bool:
    """Return whether a request may broadcast something each time that it is repeated.

    Getting ready moves a table on, so that it is free of that; taking it back is not.
    """
    return isinstance(request, _TALK) or (isinstance(request, Ready) and not request.ready)


def _surcharge(request: Request, turn_undos: int) -> int:
    """Return the cost of a request beyond the usual token, after `turn_undos` in this turn."""
    if isinstance(request, GetRecord | GetSealed):
        return PART_COST - 1
    undoes = isinstance(request, Submit) and isinstance(request.intent, Undo)
    return REQUESTS_A_SECOND - 1 if undoes and turn_undos >= UNDOS_A_TURN else 0


class Buckets:
    """A token bucket per key; full ones are dropped."""

    def __init__(self) -> None:
        self._buckets: dict[str, TokenBucket] = {}

    def take(self, key: str, now: float, cost: int = 1) -> None:
        """Charge a request; raises `too_fast`."""
        new = TokenBucket(REQUESTS_A_SECOND, REQUESTS_BURST, now)
        bucket = self._buckets.setdefault(key, new)
        if bucket.left(now) < cost:
            raise RefusedError("too_fast", most=REQUESTS_A_SECOND)
        bucket.spend(now, cost)

    def charge_broadcast(self, key: str, now: float, cost: int = BROADCAST_COST) -> None:
        """Charge a broadcast, even into debt: the key then waits until it is paid off."""
        self._buckets[key].spend(now, cost - 1)

    def refund(self, key: str, now: float) -> None:
        """Refund a request that moved the game on."""
        self._buckets[key].spend(now, -1)

    def prune(self, now: float) -> None:
        """Drop buckets that are full again."""
        for key in [
            key for key, bucket in self._buckets.items() if bucket.left(now) >= REQUESTS_BURST
        ]:
            del self._buckets[key]


# Restore a table from a record: same seats, cups, rev and answers


def agreed_config(config: TableConfig, head: Head) -> TableConfig:
    """Return `config` with the settings that the record's game started with."""
    return replace(
        config,
        name=head.table,
        # an old record lacks the seats; without an owner all were taken
        seats=head.table_seats or (MAX_PLAYERS if head.owner else len(head.seats)),
        deck=head.setup.deck,
        rules=head.rules,
        owner=head.owner,
        first=head.first,
    )


def restore(table: TableState, answers: RecentAnswers, record: Record, epoch: Epoch) -> None:
    """Restore the game of `record`; absence timers start afresh."""
    game = _played_on(table, answers, record, epoch)
    restore_guests(table, record)
    for removal in record.removals:
        if removal.seat is not None:
            requests.seat_bot(table, removal.seat, STAND_IN)
    table.forget_news()
    table.note("resumed", game=game.number, rev=game.rev)
    if game.over:
        lifecycle.show_result(table)
        if record.end is None:
            lifecycle.record_end(table)


def take_over(table: TableState, answers: RecentAnswers, state: StateOfTable) -> None:
    """Restore a table that another host has handed over; raises `RecordError`."""
    image.check(state)
    if state.record:
        _played_on(table, answers, read_record(state.record), state.epoch)
    for key, request, answer in image.answers_in(state):
        answers.keep(key, request, answer)
    for name in image.restore_state(table, state):
        table.note("bot_replaced", name=name, bot=STAND_IN)
    before = table.people.find(state.owner)
    if before and table.people.seat_of(before.key) is not None:
        before.ready = True  # as an owner always is, who may not be one any more


def _played_on(table: TableState, answers: RecentAnswers, record: Record, epoch: Epoch) -> Game:
    """Put the game of a record on a table, as far as it goes, and return it."""
    head = record.head
    game = Game(head.game, head.setup, tuple(seated.key for seated in head.seats), table.now)
    lifecycle.put_on_table(table, game, _players(head))
    _replay(table, game, answers, record, epoch)
    table.journals.resume(record)
    table.replication.resume(record)
    if record.pause is not None:
        game.stop_clock(record.pause, table.now)
    return game


def _players(head: Head) -> list[Person | SeatedBot]:
    return [
        SeatedBot(seated.bot, seated.name)
        if seated.bot or not seated.key
        else Person(
            seated.key,
            seated.name,
            seen=0.0,
            letter=seated.letter,
            colour=seated.colour,
            heard=False,
        )
        for seated in head.seats
    ]


def _replay(
    table: TableState, game: Game, answers: RecentAnswers, record: Record, epoch: Epoch
) -> None:
    latest: dict[str, deque[TakenIntent]] = {}
    for move in record.moves:
        played = game.play(move, table.now, lambda _: None)
        table.tell(*played.lines())
        if move.key and move.id:
            latest.setdefault(move.key, deque(maxlen=ANSWERS_KEPT)).append(played)
    for key, some in latest.items():
        for played in some:
            move = played.move
            view = view_for(played.after, move.seat)
            request = Submit(move.id, game.number, move.rev - 1, move.intent)
            answers.keep(key, request, played.accepted(epoch, game.number, view))


# One table, sans-I/O: handles requests and ticks, returns answers and updates


class Table:
    """One table: its lobby, its games and their results.

    The key in `config.owner` owns the table even while that person is away: nobody else can ever
    start, add or remove. Without a seated owner the first game starts automatically once
    all seats are taken and ready, and each next game once all who stay are ready.

    `now` is in seconds of any monotonic clock, the same one in all calls.
    """

    def __init__(
        self,
        config: TableConfig,
        journals: Journals,
        epoch: Epoch,
        chance: Random,
        seated_bots: Sequence[str] = (),
        number: TableNumber = 1,
        buckets: Buckets | None = None,
    ) -> None:
        """Open a table in its lobby.

        Args:
            config: its settings.
            journals: where its games are recorded.
            epoch: random bytes, new at each start of a host.
            chance: source of the games' seeds; must be unpredictable at a real table.
            seated_bots: kinds of bot for the first seats.
            number: the table's in its hall.
            buckets: the rations of all keys in its hall.
        """
        self.epoch = epoch
        self.number = number
        self._state = TableState(config, journals, epoch, chance)
        self._answers = RecentAnswers()
        self._buckets = buckets or Buckets()
        self._publisher = Publisher(self._state, epoch, number)
        self._bots = BotSeats(self._state)
        for seat, kind in enumerate(seated_bots):
            requests.seat_bot(self._state, seat, kind)
        self._state.forget_news()

    @classmethod
    def resume(
        cls,
        record: Record,
        config: TableConfig,
        journals: Journals,
        epoch: Epoch,
        chance: Random,
        number: TableNumber = 1,
        buckets: Buckets | None = None,
    ) -> Self:
        """Resume a table where a record ends: same game, rev, seats, cups and owner.

        The game's settings come from the record, the rest from `config`. People have
        `AWAY_SECONDS` to come back before they count as away. A repeated request that is on
        record gets the same answer, but with the new epoch. A finished record shows its result.
        """
        agreed = agreed_config(config, record.head)
        agreed = replace(agreed, owner=record.owner, term=record.term)
        table = cls(agreed, journals, epoch, chance, number=number, buckets=buckets)
        restore(table._state, table._answers, record, epoch)
        return table

    @classmethod
    def take_over(
        cls,
        state: StateOfTable,
        config: TableConfig,
        journals: Journals,
        chance: Random,
        buckets: Buckets,
    ) -> Self:
        """Go on with a table that another host has handed over, at time 0; raises `RecordError`.

        For everybody there it is the same table: the same epoch, updates, answers, people and log.
        `config` has what is new: owner, host and term.
        """
        agreed = replace(
            config,
            name=clean_name(state.name) or "?",
            seats=state.seats,
            deck=state.deck,
            rules=state.rules,
            first=state.first,
            games=state.games,
        )
        table = cls(agreed, journals, state.epoch, chance, number=state.number, buckets=buckets)
        take_over(table._state, table._answers, state)
        table._publisher.seq = state.seq
        return table

    # A handover to another host

    def name_of(self, key: str) -> str:
        """Return what somebody is called here; empty if they are not at this table."""
        person = self._state.people.find(key) if key else None
        return person.name if person else ""

    def standby(self, name: str) -> str:
        """Return the key of the standby with this name; empty if there is none."""
        found = (standby.key for standby in self._state.standbys() if standby.name == name)
        return next(found, "")

    def is_standby(self, key: str) -> bool:
        """Return whether somebody's program could host the table."""
        return any(standby.key == key for standby in self._state.standbys())

    def show_moving(self, now: float, moving: Moving | None, *news: Event) -> tuple[Update, ...]:
        """Show how far a handover is, or how it ended."""
        self._state.set_time(now)
        self._state.show_moving(moving, *news)
        return self._publisher.publish()

    def pass_over(self, now: float, seconds: float) -> None:
        """Count the latest seconds, in which the table stood still, as if they had not been."""
        self._state.stand_still(now, seconds)

    def state(self, now: float) -> StateOfTable:
        """Return all that its next host needs; raises `RecordError`."""
        self._state.set_time(now)
        return image.state_of(
            self._state, self.number, self._answers, self.epoch, self._publisher.seq
        )

    def record_move(self, where: Relocation) -> None:
        """Write into the record of a game that is not over where it goes; raises `RecordError`."""
        game = self._state.game
        if game and (self._state.stage == "game" or self._state.end_is_due):
            self._state.journals.append(replace(where, rev=game.rev))

    @property
    def fence(self) -> Fence | None:
        """What this host knows of a game that others can go on with; None if they cannot."""
        return self._state.replication.fence

    def is_away(self, standby: Successor) -> bool:
        """Return whether somebody who could go on with the game is not here."""
        return all(successor.key != standby.key for successor in self._state.successors())

    def beat(self) -> Tick:
        """Return a tick of a table that stands still."""
        return self._publisher.tick()

    @property
    def bot_names(self) -> tuple[str, ...]:
        """The names of the bots that are seated here."""
        places = self._state.people.places
        return tuple(place.name for place in places if isinstance(place, SeatedBot))

    @property
    def free_seats(self) -> int:
        """How many seats people can take now."""
        return 0 if self._state.stage == "game" else self._state.people.vacant_seats

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._state.config.name

    @property
    def term(self) -> int:
        """How often the table's host has changed, from 1."""
        return self._state.config.term

    @property
    def owner(self) -> str:
        """The key that owns the table; empty for none."""
        return self._state.config.owner

    @property
    def takes_players(self) -> bool:
        """Whether a newcomer can sit down now."""
        return self.free_seats > 0

    @property
    def round(self) -> int:
        """The round of the game; 0 if none is being played."""
        return self._state.playing.state.round if self._state.playing else 0

    @property
    def all_played(self) -> bool:
        """Whether `config.games` games have ended, so that no more are dealt."""
        return self._state.all_played

    @property
    def is_in_use(self) -> bool:
        """Whether a person is at the table, or was given up within the last `RETURN_SECONDS`.

        Somebody who is away still counts as at the table; somebody who said bye does not, nor does
        a player of a resumed game who has not come back to it.
        """
        return self._state.is_in_use

    @property
    def is_abandoned(self) -> bool:
        """Whether no player is here, even away: all have left, or not come back to a resumed game.

        A table without players is not, and one whose owner watches is not.
        """
        people = self._state.people
        persons = [person for _, person in people.seated()]
        if self._state.config.owner in people.spectators:
            return False
        return bool(persons) and not any(person.here for person in persons)

    @property
    def is_unattended(self) -> bool:
        """Whether there are players but all of them are away or have left, and nobody watches."""
        away = [person.away for _, person in self._state.people.seated()]
        return bool(away) and all(away) and not self._state.people.spectators

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the owner and of everybody who is or was at the table: they may come back."""
        people, owner = self._state.people, self._state.config.owner
        here = (person.key for person in people.everybody())
        return frozenset((*here, *people.guests, owner)) - {""}

    @property
    def seated_keys(self) -> frozenset[str]:
        """The keys of the owner and of everybody who has a seat, even if away."""
        seated = (person.key for _, person in self._state.people.seated())
        return frozenset((*seated, self._state.config.owner)) - {""}

    @property
    def keys_here(self) -> frozenset[str]:
        """The keys of the owner and of everybody who has a seat or watches, even if away."""
        return self.seated_keys | self._state.people.spectators.keys()

    @property
    def removed(self) -> frozenset[str]:
        """The keys that the owner kicked: they may not come back."""
        return frozenset(self._state.people.removed)

    def wait_for_return(self) -> None:
        """Count as in use for `RETURN_SECONDS`: the players of a resumed game may come back."""
        self._state.wait_for_return()

    def has(self, key: str) -> bool:
        """Return whether somebody is at the table, if only by a seat that is kept."""
        return self._state.people.find(key) is not None

    def has_only(self, key: str) -> bool:
        """Return whether somebody is alone at a table that has played no game yet."""
        everybody = [person.key for person in self._state.people.everybody()]
        return self._state.game is None and everybody == [key]

    def is_playing(self, key: str) -> bool:
        """Return whether somebody has a seat in a game, and has not left it."""
        person = self._state.people.find(key)
        seated = person is not None and self._state.people.seat_of(key) is not None
        return self._state.stage == "game" and seated and person is not None and not person.left

    def summary(self) -> TableSummary:
        """Return what everybody in the hall may know of the table.

        A seat that was left after a game is open, as it is for anybody who comes.
        """
        state, shown = self._state.table_view(), self._state.shown
        scores = () if shown is None else tuple(player.score for player in shown.view(None).players)
        stay = self._state.people.staying()
        seats = tuple(
            seat if state.stage != "result" or place in stay else SeatView("open")
            for seat, place in zip(state.seats, self._state.people.places, strict=True)
        )
        return TableSummary(
            self.number, state.name, state.stage, seats, scores, self.round,
            len(state.spectators),
        )  # fmt: skip

    @property
    def watching(self) -> tuple[str, ...]:
        """The names of the spectators."""
        return tuple(person.name for person in self._state.people.spectators.values())

    def take_counters(self) -> Counter[str]:
        """Return the incidents without a refusal since the last call."""
        return self._state.take_counters()

    def take_notes(self) -> tuple[Note, ...]:
        """Return the notes for the log since the last call, oldest first."""
        return self._state.take_notes()

    # The tournament of its hall

    def hold_for(self, plays_elsewhere: Callable[[str], bool]) -> None:
        """Begin no game while somebody has a seat of whom this is true."""
        self._state.plays_elsewhere = plays_elsewhere

    def hear(self, now: float, key: str) -> str:
        """Note a request by somebody here that changes the tournament; return their name.

        Raises:
            RefusedError: `removed`, `too_fast` or `say_hello`.
        """
        self._state.set_time(now)
        self._admit(key)
        self._buckets.charge_broadcast(key, now)
        return self._present(key).name

    def seat_for_round(
        self,
        now: float,
        players: Sequence[Called],
        rules: TournamentRules,
        bots: Collection[str],
    ) -> tuple[Update, ...]:
        """Seat people at this new table, with bots up to four if wanted, and begin their game.

        `bots` are the names of those at the other tables of the round.

        Until somebody says hello, whatever else they ask is refused; after `AWAY_SECONDS` a bot
        stands in.
        """
        self._state.set_time(now)
        requests.seat_for_round(self._state, players, rules, bots)
        lifecycle.advance(self._state)
        return self._publisher.publish()

    def calls(self, key: str) -> bool:
        """Return whether somebody was seated for a round and has not come yet."""
        person = self._state.people.find(key)
        return person is not None and person.called

    def called(self, key: str, name: str) -> Called:
        """Return somebody as they are to be seated at another table, with the marks they chose."""
        person = self._state.people.find(key)
        if person is None:
            return Called(key, name)
        return Called(key, name, person.letter, person.colour)

    def is_here(self, key: str) -> bool:
        """Return whether somebody is at the table, even if away."""
        person = self._state.people.find(key)
        return person is not None and not person.left and not person.called

    @property
    def players(self) -> Mapping[str, str]:
        """The names of the people here who have a seat or want one, by key."""
        people = self._state.people
        persons = [*(person for _, person in people.seated() if person.here), *people.queue]
        return {person.key: person.name for person in persons}

    @property
    def stage(self) -> Stage:
        """What the table is doing."""
        return self._state.stage

    @property
    def is_over(self) -> bool:
        """Whether the latest game is over; false before the first."""
        return self._state.game is not None and self._state.game.over

    @property
    def can_play(self) -> bool:
        """Whether a game is being played, or enough people are there for one."""
        return self._state.stage == "game" or len(self._state.people.staying()) >= MIN_PLAYERS

    @property
    def rules(self) -> TableRules:
        """What is agreed for the next game."""
        return self._state.config.rules

    @property
    def bots(self) -> tuple[str, ...]:
        """The kinds of bot that can be seated."""
        return self._state.config.bots

    @property
    def round_scores(self) -> tuple[SeatScore, ...]:
        """How each seat of the latest game stands, by seat; () before a game."""
        game = self._state.game
        return () if game is None else game.seat_scores()

    # The hall, and people at other tables

    def note_present(self, now: float, key: str) -> tuple[Update, ...]:
        """Note a sign of life of somebody at the table who has asked something of the hall."""
        self._state.set_time(now)
        person = self._state.people.find(key)
        if person is not None and not person.left and not person.called:
            requests.present(self._state, person)
        return self._publisher.publish()

    def seen_from_outside(self, now: float, request_id: RequestId, name: str) -> Snapshot:
        """Return what spectators may see, for somebody called `name` who is not at the table."""
        self._state.set_time(now)
        return self._publisher.from_outside(request_id, name)

    def overhear(self, now: float, said: Said) -> tuple[Update, ...]:
        """Pass on a line of chat that was said at another table to the whole hall."""
        self._state.set_time(now)
        self._state.tell(LogLine(said))
        return self._publisher.publish()

    def check_lobby(self) -> None:
        """Raise `wrong_stage` unless the table is in its lobby."""
        self._state.check_stage("lobby")

    def rename(self, now: float, name: str) -> tuple[Update, ...]:
        """Rename the table."""
        self._state.set_time(now)
        requests.rename_table(self._state, name)
        return self._publisher.publish()

    def name_here(self, key: str) -> str:
        """Return the name of somebody at the table; empty if they are not there."""
        person = self._state.people.find(key)
        is_here = person is not None and not person.left and not person.called
        return person.name if person is not None and is_here else ""

    # Guests with a browser

    def note_asking(self, asking: Sequence[Asker]) -> None:
        """Note who asks to come in; the next tick publishes it."""
        requests.note_asking(self._state, asking)

    @property
    def let_in(self) -> Mapping[GuestNumber, bool]:
        """Whether those who were answered may come in, until `note_asking` leaves them out."""
        return self._state.let_in

    # Requests

    def handle(
        self, now: float, key: str, request: Request | WireError, address: str = ""
    ) -> Outcome:
        """Handle a request from `key`, or what is wrong with it; never raises, whatever is sent.

        `address` is the sender's, as far as it is known.
        """
        self._state.set_time(now)
        try:
            answer = self._answer(key, request, address)
        except (RefusedError, RecordError) as error:
            answer = self._refused(key, request, error)
        is_refused = isinstance(answer, Refused | Malformed)
        if not is_refused:  # a refused request can change nothing but the sender's presence
            lifecycle.advance(self._state)
        if isinstance(answer, Accepted):
            answer = replace(answer, sealed=self._state.replication.news())
        updates = self._publisher.publish()
        if updates and _is_talk(request) and not is_refused:
            to_all = isinstance(request, Chat) and request.hall
            cost = HALL_TALK_COST if to_all else BROADCAST_COST
            self._buckets.charge_broadcast(key, self._state.now, cost)
        answer = answer or self._publisher.snapshot(
            key, _id_of(request), from_start=isinstance(request, Hello)
        )
        return Outcome(padded(answer), updates)

    def _answer(self, key: str, request: Request | WireError, address: str) -> Answer | None:
        """Return the answer; None for a snapshot, which is taken after publishing."""
        state = self._state
        self._admit(key)
        if isinstance(request, WireError):
            return malformed(request)
        if isinstance(request, Hello):
            requests.hello(state, key, request, address)
            return None
        person = self._present(key)
        earlier = self._answers.find(key, request)
        if earlier is not None:
            return earlier
        if more := _surcharge(request, state.game.turn_undos if state.game else 0):
            self._buckets.take(key, state.now, more)
        return self._answer_known(person, request)

    def _admit(self, key: str) -> None:
        """Charge a request of any sender; raises `removed` or `too_fast`."""
        if key in self._state.people.removed:
            raise RefusedError("removed")
        self._buckets.take(key, self._state.now)

    def _present(self, key: str) -> Person:
        """Return who has sent a request, after noting this sign of life; raises `say_hello`."""
        person = self._state.people.find(key)
        if person is None or person.left or person.called:
            raise RefusedError("say_hello")
        requests.present(self._state, person)
        return person

    def _answer_known(self, person: Person, request: Request) -> Answer | None:
        key, state = person.key, self._state
        if isinstance(request, Sync):
            return None
        if isinstance(request, GetView):
            return Current(request.id, self.epoch, state.number, state.rev, state.view(key))
        if isinstance(request, GetRecord):
            return state.journals.part(request)
        if isinstance(request, GetSealed):
            state.check_stage("game", "result")
            return state.replication.part(key, request)
        if isinstance(request, Lend):
            state.check_stage("game")
            raise RefusedError("say_hello")  # the game goes on here already
        if isinstance(request, Bye):
            requests.bye(state, person, request.stand_in)
            self._forget_strangers()
            return Done(request.id)
        try:
            answer = self._carry_out(person, request)
        except (RefusedError, RecordError) as error:
            answer = self._refused(key, request, error)
        self._answers.keep(key, request, answer)
        return answer

    def _carry_out(self, person: Person, request: Request) -> Answer:
        """Carry out a request that changes the table; its answer is kept for repeats."""
        if isinstance(request, Submit):
            return self._submit(person, request)
        requests.CHANGES[type(request)](self._state, person, request)
        return Done(request.id)

    def _submit(self, person: Person, request: Submit) -> Answer:
        state = self._state
        seat = state.people.seat_of(person.key)
        if seat is None:
            raise RefusedError("not_seated")
        state.check_stage("game")
        game = state.game
        assert game is not None  # the stage says so
        if game.pause is not None:
            raise RefusedError(
                "paused", **({"why": game.pause.reason} if game.pause.reason else {})
            )
        if (request.game, request.rev) != (game.number, game.rev):
            raise RefusedError("stale")
        active = game.state.active
        if active is not None and seat != active:
            raise RefusedError("not_your_turn", name=state.people.name_at(active))
        if game.timed_out and seat == active:
            raise RefusedError("not_your_turn", reason="time")
        played = lifecycle.play(state, seat, request.intent, person.key, request.id)
        if not isinstance(request.intent, Undo):
            # Intents that move the game on are free, so that fast bots are not throttled.
            self._buckets.refund(person.key, state.now)
        return played.accepted(self.epoch, game.number, game.view(seat))

    def _refused(
        self, key: str, request: Request | WireError, error: RefusedError | RecordError
    ) -> Refused:
        """Return the refusal for the sender; why a record failed goes to the host's log only."""
        state = self._state
        if isinstance(error, RecordError):
            state.note_record_failed(error)
            refusal = RefusedError("record_failed").refusal
        else:
            refusal = error.refusal
        view = state.view(key) if refusal.code == "stale" else None
        return Refused(_id_of(request), refusal, state.number, state.rev, view)

    # Time

    def tick(self, now: float) -> tuple[Update | Tick, ...]:
        """Advance time: absences, the turn clock, games that start automatically.

        Call once per second; the last item returned is the tick message.
        """
        self._state.set_time(now)
        requests.check_presence(self._state)
        lifecycle.check_clock(self._state)
        lifecycle.check_pause(self._state)
        lifecycle.advance(self._state, ticking=True)
        self._forget_strangers()
        return (*self._publisher.publish(), self._publisher.tick())

    def let_go(
        self, now: float, key: str, stand_in: bool = False, to: str = ""
    ) -> tuple[Update, ...]:
        """Let somebody leave who says no bye, or whose bye may have been lost.

        If `stand_in`, a bot plays for them at once. `to` is the name of the table that they go over
        to; empty if they leave the hall.
        """
        self._state.set_time(now)
        requests.let_go(self._state, key, stand_in, to)
        lifecycle.advance(self._state)
        return self._publisher.publish()

    def stop(self) -> tuple[Update, ...]:
        """Tell everybody that the host stops."""
        self._state.tell(LogLine(HostStopping()))
        self._state.note("stopping")
        return self._publisher.publish()

    # Bots

    def bot_turn(self) -> BotTurn | None:
        """Return the bot's turn, if a bot has to move now; the same object until that changes."""
        return self._bots.turn()

    def bot_move(self, now: float, turn: BotTurn, intent: Intent | None) -> tuple[Update, ...]:
        """Play a bot's intent; None if it gave no answer.

        A turn that is no longer current is ignored. A missing or illegal intent is replaced by a
        legal one, counted and noted.
        """
        self._state.set_time(now)
        self._bots.move(turn, intent)
        lifecycle.advance(self._state)
        return self._publisher.publish()

    def _forget_strangers(self) -> None:
        self._answers.keep_only({person.key for person in self._state.people.everybody()})


def _id_of(request: Request | WireError) -> RequestId:
    return (request.request_id or NO_ID) if isinstance(request, WireError) else request.id
