"""A hall driven by tests: real requests in, real bytes out, no sockets."""

from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec.structs import replace

from coffeerush.host.hall.hall import Hall, Published
from coffeerush.host.hall.tournament import Tournaments
from coffeerush.host.table.table import Buckets
from coffeerush.tournament.course import Announced, Course, TournamentPlan
from protocol import (
    MAX_TABLES,
    PROTOCOL_VERSION,
    Answer,
    Current,
    Done,
    GetTables,
    GetView,
    Hello,
    Ready,
    Refused,
    Request,
    Snapshot,
    Submit,
    Tables,
    Undo,
    Update,
    decode_answer,
    decode_request,
    encode,
)

from .remembered_bots import choose
from .tables import EPOCH, EVE, ID, NAMES, Joiner, MemoryCourses


class HallDriver:
    """Drives a hall for everybody in it, and keeps what was published."""

    def __init__(
        self,
        tables: int = 1,
        most: int = MAX_TABLES,
        plan: TournamentPlan | None = None,
        **settings: Any,
    ) -> None:
        self.now = 1000.0
        self.chance = Random(1)
        self.buckets = Buckets()
        self.joiner = Joiner(self.buckets, **settings)
        self._owner = owner = settings.get("owner", "")
        self._tables, self._most, self._plan = tables, most, plan
        made = [self.joiner.make(number, owner) for number in range(1, tables + 1)]
        self.courses = MemoryCourses()
        given = Tournaments(self.courses, Random(1), plan=plan)
        self.hall = Hall(made, self.joiner, self.buckets, EPOCH, given, tables, most)
        self.published: list[Published] = []

    def restart(self) -> None:
        """Begin again with what is on record, as after a crash."""
        announced, *others = self.courses.entries
        assert isinstance(announced, Announced)
        course = Course(announced)
        for entry in others:
            course.take(entry)  # type: ignore[arg-type]  # only the first one announces it
        tables = [self.joiner.make(number, self._owner) for number in range(1, self._tables + 1)]
        journals = self.joiner.journals
        found = (number for number in course.tables if number in journals)
        tables += [self.joiner.resume(number) for number in found if journals[number].files]
        given = Tournaments(self.courses, Random(2), course, self._plan)
        last = max(course.last, self._tables)
        made = tables, self.joiner, self.buckets, EPOCH, given, self._tables, self._most
        self.hall = Hall(*made, last=last)

    def ask(self, key: str, request: Request) -> Answer:
        if request.id == ID:
            request = replace(request, id=self.chance.randbytes(16))
        self.now += 1
        reply = self.hall.handle(self.now, key, decode_request(encode(request)))
        assert reply.answer.id == request.id
        self.published += reply.published
        return decode_answer(encode(reply.answer))

    def hello(self, key: str, table: Any = None, role: Any = "player") -> int:
        """Join a table; return its number."""
        answer = self.ask(key, Hello(ID, PROTOCOL_VERSION, NAMES.get(key, "Guest"), role, table))
        assert isinstance(answer, Snapshot), answer
        assert (answer.seat is None) == (role == "spectator")
        return answer.number

    def code(self, key: str, request: Request) -> str:
        """Return the code of a refusal."""
        answer = self.ask(key, request)
        assert isinstance(answer, Refused), answer
        return answer.refusal.code

    def go(self, key: str, table: Any, role: Any = "player") -> str:
        """Return the code with which joining a table is refused."""
        return self.code(key, Hello(ID, PROTOCOL_VERSION, NAMES[key], role, table))

    def done(self, key: str, request: Request) -> None:
        """Send a request that is to be carried out."""
        answer = self.ask(key, request)
        assert isinstance(answer, Done), answer

    def begin(self, *keys: str) -> None:
        """Let people get ready at a table without an owner, which starts its game."""
        for key in keys:
            self.done(key, Ready(ID, True))

    def tick(self, seconds: int = 1, present: tuple[str, ...] = ()) -> list[Published]:
        told = []
        for _second in range(seconds):
            self.now += 1
            for key in present:
                self.ask(key, GetView(ID))
            told = [*self.hall.tick(self.now)]
            self.published += told
        return told

    def tables(self, key: str = EVE) -> Tables:
        answer = self.ask(key, GetTables(ID))
        assert isinstance(answer, Tables)
        return answer

    def events(self, table: int) -> list[Any]:
        return [
            event
            for number, message in self.published
            for event in (message.events if isinstance(message, Update) else ())
            if number == table
        ]

    def play(self, *tables: int) -> None:
        """Let bots play games to their end at these tables, in the place of people who are away."""
        for number in tables:
            while turn := self.hall.bot_turn(number):
                intent = choose("casual", turn.view, self.chance)
                self.published += self.hall.bot_move(self.now, number, turn, intent)

    def options(self, *keys: str) -> Iterator[tuple[str, Current]]:
        """Yield whose turn it is among these, and their view."""
        for key in keys:
            answer = self.ask(key, GetView(ID))
            assert isinstance(answer, Current)
            if answer.view and answer.view.own and answer.view.own.options:
                yield key, answer

    def move(self, *keys: str) -> Submit:
        """Return a move of whose turn it is among these; not sent yet."""
        _key, at = next(self.options(*keys))
        assert at.view is not None
        assert at.view.own is not None
        intents = [one.intent for one in at.view.own.options if not isinstance(one.intent, Undo)]
        return Submit(self.chance.randbytes(16), at.game, at.rev, intents[0])
