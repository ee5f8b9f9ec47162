"""One table, sans-I/O: handles requests and ticks, returns answers and updates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Self

from coffeerush.errors import RecordError
from coffeerush.host.table import lifecycle, lobby, owner
from coffeerush.records.entries import Record
from protocol import (
    NO_ID,
    Answer,
    Asker,
    Bye,
    Current,
    Done,
    Epoch,
    GetRecord,
    GetView,
    GuestNumber,
    Hello,
    HostStopping,
    Intent,
    Malformed,
    Refused,
    RefusedError,
    Request,
    RequestId,
    Submit,
    Sync,
    Tick,
    Undo,
    Update,
    WireError,
    malformed,
    padded,
)

from .answers import RecentAnswers
from .bot_seats import BotSeats
from .config import BotTurn, Journals, Note, Outcome, TableConfig
from .game import LogLine
from .people import Person
from .request_rates import Buckets, is_talk, surcharge
from .resume import agreed_config, restore
from .state import TableState
from .updates import Publisher


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
    ) -> None:
        """Open a table in its lobby.

        Args:
            config: its settings.
            journals: where its games are recorded.
            epoch: random bytes, new at each start of a host.
            chance: source of the games' seeds; must be unpredictable at a real table.
            seated_bots: kinds of bot for the first seats.
        """
        self.epoch = epoch
        self._room = TableState(config, journals, chance)
        self._answers = RecentAnswers()
        self._buckets = Buckets()
        self._publisher = Publisher(self._room, epoch)
        self._bots = BotSeats(self._room)
        for seat, kind in enumerate(seated_bots):
            lobby.seat_bot(self._room, seat, kind)
        self._room.forget_news()

    @classmethod
    def resume(
        cls, record: Record, config: TableConfig, journals: Journals, epoch: Epoch, chance: Random
    ) -> Self:
        """Resume a table where a record ends: same game, rev, seats, cups and owner.

        The game's settings come from the record, the rest from `config`. People have
        `AWAY_SECONDS` to come back before they count as away. A repeated request that is on
        record gets the same answer, but with the new epoch. A finished record shows its result.
        """
        table = cls(agreed_config(config, record.head), journals, epoch, chance)
        restore(table._room, table._answers, record, epoch)
        return table

    @property
    def all_played(self) -> bool:
        """Whether `config.games` games have ended, so that no more are dealt."""
        return self._room.all_played

    @property
    def is_in_use(self) -> bool:
        """Whether a person is at the table, or was given up within the last `RETURN_SECONDS`.

        Somebody who is away still counts as at the table; somebody who said bye does not, nor does
        a player of a resumed game who has not come back to it.
        """
        return self._room.is_in_use

    @property
    def is_abandoned(self) -> bool:
        """Whether no player is here, even away: all have left, or not come back to a resumed game.

        A table without players is not, and one whose owner watches is not.
        """
        people = self._room.people
        persons = [person for _, person in people.seated()]
        if self._room.config.owner in people.spectators:
            return False
        return bool(persons) and not any(person.here for person in persons)

    @property
    def is_unattended(self) -> bool:
        """Whether there are players but all of them are away or have left, and nobody watches."""
        away = [person.away for _, person in self._room.people.seated()]
        return bool(away) and all(away) and not self._room.people.spectators

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the owner and of everybody who is or was at the table: they may come back."""
        people, owner = self._room.people, self._room.config.owner
        here = (person.key for person in people.everybody())
        return frozenset((*here, *people.guests, owner)) - {""}

    @property
    def seated_keys(self) -> frozenset[str]:
        """The keys of the owner and of everybody who has a seat, even if away."""
        seated = (person.key for _, person in self._room.people.seated())
        return frozenset((*seated, self._room.config.owner)) - {""}

    @property
    def keys_here(self) -> frozenset[str]:
        """The keys of the owner and of everybody who has a seat or watches, even if away."""
        return self.seated_keys | self._room.people.spectators.keys()

    @property
    def removed(self) -> frozenset[str]:
        """The keys that the owner kicked: they may not come back."""
        return frozenset(self._room.people.removed)

    def take_counters(self) -> Counter[str]:
        """Return the incidents without a refusal since the last call."""
        return self._room.take_counters()

    def take_notes(self) -> tuple[Note, ...]:
        """Return the notes for the log since the last call, oldest first."""
        return self._room.take_notes()

    # Guests with a browser

    def note_asking(self, asking: Sequence[Asker]) -> None:
        """Note who asks to come in; the next tick publishes it."""
        owner.note_asking(self._room, asking)

    @property
    def let_in(self) -> Mapping[GuestNumber, bool]:
        """Whether those who were answered may come in, until `note_asking` leaves them out."""
        return self._room.let_in

    # Requests

    def handle(self, now: float, key: str, request: Request | WireError) -> Outcome:
        """Handle a request from `key`, or what is wrong with it; never raises, whatever is sent."""
        self._room.set_time(now)
        is_newcomer = self._room.people.find(key) is None
        try:
            answer = self._answer(key, request)
        except (RefusedError, RecordError) as error:
            answer = self._refused(key, request, error)
        is_refused = isinstance(answer, Refused | Malformed)
        if not is_refused:  # a refused request can change nothing but the sender's presence
            lifecycle.advance(self._room)
        updates = self._publisher.publish()
        if updates and is_talk(request) and not is_refused:
            self._buckets.charge_broadcast(key, self._room.now)
        answer = answer or self._publisher.snapshot(key, _id_of(request), is_newcomer)
        return Outcome(padded(answer), updates)

    def _answer(self, key: str, request: Request | WireError) -> Answer | None:
        """Return the answer; None for a snapshot, which is taken after publishing."""
        room = self._room
        if key in room.people.removed:
            raise RefusedError("removed")
        self._buckets.take(key, room.now)
        if isinstance(request, WireError):
            return malformed(request)
        if isinstance(request, Hello):
            lobby.hello(room, key, request)
            return None
        person = room.people.find(key)
        if person is None or person.left:
            raise RefusedError("say_hello")
        lobby.present(room, person)
        earlier = self._answers.find(key, request)
        if earlier is not None:
            return earlier
        if more := surcharge(request, room.game.turn_undos if room.game else 0):
            self._buckets.take(key, room.now, more)
        return self._answer_known(person, request)

    def _answer_known(self, person: Person, request: Request) -> Answer | None:
        key, room = person.key, self._room
        if isinstance(request, Sync):
            return None
        if isinstance(request, GetView):
            return Current(request.id, self.epoch, room.number, room.rev, room.view(key))
        if isinstance(request, GetRecord):
            return room.journals.part(request)
        if isinstance(request, Bye):
            lobby.bye(room, person)
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
        lobby.CHANGES[type(request)](self._room, person, request)
        return Done(request.id)

    def _submit(self, person: Person, request: Submit) -> Answer:
        room = self._room
        seat = room.people.seat_of(person.key)
        if seat is None:
            raise RefusedError("not_seated")
        room.check_stage("game")
        game = room.game
        assert game is not None  # the stage says so
        if game.pause is not None:
            raise RefusedError(
                "paused", **({"why": game.pause.reason} if game.pause.reason else {})
            )
        if (request.game, request.rev) != (game.number, game.rev):
            raise RefusedError("stale")
        active = game.state.active
        if active is not None and seat != active:
            raise RefusedError("not_your_turn", name=room.people.name_at(active))
        if game.timed_out and seat == active:
            raise RefusedError("not_your_turn", reason="time")
        played = lifecycle.play(room, seat, request.intent, person.key, request.id)
        if not isinstance(request.intent, Undo):
            # Intents that move the game on are free, so that fast bots are not throttled.
            self._buckets.refund(person.key, room.now)
        return played.accepted(self.epoch, game.number, game.view(seat))

    def _refused(
        self, key: str, request: Request | WireError, error: RefusedError | RecordError
    ) -> Refused:
        """Return the refusal for the sender; why a record failed goes to the host's log only."""
        room = self._room
        if isinstance(error, RecordError):
            room.note_record_failed(error)
            refusal = RefusedError("record_failed").refusal
        else:
            refusal = error.refusal
        view = room.view(key) if refusal.code == "stale" else None
        return Refused(_id_of(request), refusal, room.number, room.rev, view)

    # Time

    def tick(self, now: float) -> tuple[Update | Tick, ...]:
        """Advance time: absences, the turn clock, games that start automatically.

        Call once per second; the last item returned is the tick message.
        """
        self._room.set_time(now)
        lobby.check_presence(self._room)
        lifecycle.check_clock(self._room)
        lifecycle.check_pause(self._room)
        lifecycle.advance(self._room, ticking=True)
        self._forget_strangers()
        self._buckets.prune(self._room.now)
        return (*self._publisher.publish(), self._publisher.tick())

    def let_owner_go(self, now: float) -> tuple[Update, ...]:
        """Let the owner leave after closing the screen, whose bye may have been lost."""
        self._room.set_time(now)
        lobby.let_owner_go(self._room)
        lifecycle.advance(self._room)
        return self._publisher.publish()

    def stop(self) -> tuple[Update, ...]:
        """Tell everybody that the host stops."""
        self._room.tell(LogLine(HostStopping()))
        self._room.note("stopping")
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
        self._room.set_time(now)
        self._bots.move(turn, intent)
        lifecycle.advance(self._room)
        return self._publisher.publish()

    def _forget_strangers(self) -> None:
        self._answers.keep_only({person.key for person in self._room.people.everybody()})


def _id_of(request: Request | WireError) -> RequestId:
    return (request.request_id or NO_ID) if isinstance(request, WireError) else request.id
