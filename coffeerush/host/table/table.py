"""A table that only thinks: what comes in is a request and a time, what comes out are messages."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final, Self

from coffeerush.errors import RecordError
from coffeerush.host.table import lifecycle, lobby
from coffeerush.records.reading import Record
from protocol import (
    Answer,
    Bye,
    Current,
    Done,
    Epoch,
    GetView,
    Hello,
    HostStopping,
    Intent,
    Refusal,
    Refused,
    RefusedError,
    Request,
    Submit,
    Sync,
    Tick,
    Undo,
    Update,
)

from .answers import Outcomes
from .bot_seats import Substitutes
from .config import BotTurn, Journals, Note, Outcome, TableConfig
from .game import LogLine
from .people import Person
from .request_rates import TALK, Buckets, surcharge
from .resume import agreed, restore
from .state import TableState
from .updates import Bulletin

_UNKNOWN: Final = "The table does not know you; say hello first."
_REMOVED: Final = "The owner of this table sent you away."
_TIMED_OUT: Final = "Your time is up; a bot finishes this turn."
_STALE: Final = "The game has moved on; look at it again."
_UNRECORDED: Final = (
    "The host cannot write its record, so nothing was changed; make room on its disk."
)


class Table:
    """One table, from its lobby over its games to its end.

    Ownership belongs to the key in `config.owner`, also while that person is away: nobody else
    ever starts, adds or removes. A table whose owner has no seat or has left, or that has none,
    starts by itself, as soon as all seats are taken and ready, and the next game as soon as all
    who stay are.

    `now` is in seconds of any clock that does not run backwards, the same one in all calls.
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
            config: what was decided for it.
            journals: where its games are written.
            epoch: random bytes, new at each start of a host.
            chance: for the seeds of games, so unpredictable at a real table.
            seated_bots: kinds of bot that sit on the first seats from the start.
        """
        self.epoch = epoch
        self._room = TableState(config, journals, chance)
        self._outcomes = Outcomes()
        self._buckets = Buckets()
        self._news = Bulletin(self._room, epoch)
        self._bots = Substitutes(self._room)
        for seat, kind in enumerate(seated_bots):
            lobby.seat_bot(self._room, seat, kind)
        self._room.forget_news()

    @classmethod
    def resume(
        cls,
        record: Record,
        config: TableConfig,
        journals: Journals,
        epoch: Epoch,
        chance: Random,
    ) -> Self:
        """Go on where a record ends: same game, rev, seats, cups and owner.

        What was agreed for the game comes from the record, the rest from `config`. Its people are
        not away before they have had `AWAY_SECONDS` to come back. A request that is on record is
        answered again as it was, but for the epoch, which is new. A finished record shows its
        result.
        """
        table = cls(agreed(config, record.head), journals, epoch, chance)
        restore(table._room, table._outcomes, record, epoch)
        return table

    @property
    def all_played(self) -> bool:
        """Whether `config.games` have ended, and no more are dealt."""
        return self._room.all_played

    @property
    def is_in_use(self) -> bool:
        """Whether a person is at the table, or was given up within the last `RETURN_SECONDS`.

        Whoever is only away is still at the table; whoever said bye is not waited for.
        """
        return self._room.is_in_use

    @property
    def keys(self) -> frozenset[str]:
        """The keys of those who are or were at the table: they may come back."""
        people, owner = self._room.people, self._room.config.owner
        here = (person.key for person in people.everybody())
        return frozenset((*here, *people.guests, owner)) - {""}

    @property
    def removed(self) -> frozenset[str]:
        """The keys that the owner sent away: they may not."""
        return frozenset(self._room.people.removed)

    def take_counters(self) -> Counter[str]:
        """Return what was not right, and nobody was refused for, since the last call."""
        return self._room.take_counters()

    def take_notes(self) -> tuple[Note, ...]:
        """Return the facts for the log since the last call, oldest first."""
        return self._room.take_notes()

    # Requests

    def handle(self, now: float, key: str, request: Request) -> Outcome:
        """Answer a request of `key`; nothing that a peer can send makes this raise."""
        self._room.set_time(now)
        try:
            answer = self._answer(key, request)
        except (RefusedError, RecordError) as error:
            answer = self._refused(key, request, error)
        is_refused = isinstance(answer, Refused)
        if not is_refused:  # all that a refusal may change is that the asker is back
            lifecycle.go_on(self._room)
        updates = self._news.publish()
        if updates and isinstance(request, TALK) and not is_refused:
            self._buckets.owe(key, self._room.now)
        return Outcome(answer or self._news.snapshot(key, request.id), updates)

    def _answer(self, key: str, request: Request) -> Answer | None:
        """Return the answer; None for a snapshot, which is taken once all is published."""
        room = self._room
        if key in room.people.removed:
            raise RefusedError("removed", _REMOVED)
        self._buckets.take(key, room.now)
        if isinstance(request, Hello):
            lobby.hello(room, key, request)
            return None
        person = room.people.find(key)
        if person is None or person.left:
            raise RefusedError("say_hello", _UNKNOWN)
        lobby.present(room, person)
        earlier = self._outcomes.find(key, request)
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
        if isinstance(request, Bye):
            lobby.bye(room, person)
            self._forget_strangers()
            return Done(request.id)
        try:
            answer = self._carry_out(person, request)
        except (RefusedError, RecordError) as error:
            answer = self._refused(key, request, error)
        self._outcomes.keep(key, request, answer)
        return answer

    def _carry_out(self, person: Person, request: Request) -> Answer:
        """Do what changes the table: what comes of it is remembered, for a repeat."""
        if isinstance(request, Submit):
            return self._submit(person, request)
        lobby.CHANGES[type(request)](self._room, person, request)
        return Done(request.id)

    def _submit(self, person: Person, request: Submit) -> Answer:
        room = self._room
        room.check_stage("game")
        game = room.game
        assert game is not None  # the stage says so
        seat = game.seat_of(person.key)
        if seat is None:
            raise RefusedError("not_seated", "You look on here; only players move.")
        if (request.game, request.rev) != (game.number, game.rev):
            raise RefusedError("stale", _STALE)
        if game.timed_out and seat == game.state.active:
            raise RefusedError("not_your_turn", _TIMED_OUT)
        played = lifecycle.play(room, seat, request.intent, person.key, request.id)
        if not isinstance(request.intent, Undo):
            # What moves the game on is free, so that a quick bot is not held up.
            self._buckets.give_back(person.key, room.now)
        return played.accepted(self.epoch, game.number, game.view(seat))

    def _refused(self, key: str, request: Request, error: RefusedError | RecordError) -> Refused:
        """Return what the asker is told; why a record failed is for whoever runs the host."""
        room = self._room
        if isinstance(error, RecordError):
            room.note_record_failed(error)
            refusal = Refusal("record_failed", _UNRECORDED)
        else:
            refusal = error.refusal
        view = room.view(key) if refusal.code == "stale" else None
        return Refused(request.id, refusal, room.number, room.rev, view)

    # Time

    def tick(self, now: float) -> tuple[Update | Tick, ...]:
        """Do what time brings: silence, the turn clock, games that start by themselves.

        To be called each second; the last of what it returns is the tick itself.
        """
        self._room.set_time(now)
        lobby.look_around(self._room)
        lifecycle.check_clock(self._room)
        lifecycle.go_on(self._room, ticking=True)
        self._forget_strangers()
        self._buckets.prune(self._room.now)
        return (*self._news.publish(), self._news.tick())

    def let_owner_go(self, now: float) -> tuple[Update, ...]:
        """Let the owner leave who has closed the screen: the bye of that screen may be lost."""
        self._room.set_time(now)
        lobby.let_owner_go(self._room)
        lifecycle.go_on(self._room)
        return self._news.publish()

    def stop(self) -> tuple[Update, ...]:
        """Tell everybody that the host stops."""
        self._room.tell(LogLine(HostStopping()))
        self._room.note("stopping")
        return self._news.publish()

    # Bots

    def bot_turn(self) -> BotTurn | None:
        """Return the turn in which a bot has to move now, the same object until that changes."""
        return self._bots.turn()

    def bot_move(self, now: float, turn: BotTurn, intent: Intent | None) -> tuple[Update, ...]:
        """Let a bot move; None where it had no answer.

        A turn that is no longer the current one is ignored. What is missing or not legal is
        replaced by a legal intent, counted and noted.
        """
        self._room.set_time(now)
        self._bots.move(turn, intent)
        lifecycle.go_on(self._room)
        return self._news.publish()

    def _forget_strangers(self) -> None:
        self._outcomes.keep_only({person.key for person in self._room.people.everybody()})
