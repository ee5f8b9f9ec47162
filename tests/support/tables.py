"""A table driven by tests: real requests in, real bytes out, no sockets."""

from random import Random
from typing import Any

from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.host.hall.hall import Hall
from coffeerush.host.hall.tournament import Tournaments
from coffeerush.host.table.config import Note, TableConfig
from coffeerush.host.table.table import Buckets, Table
from coffeerush.records.entries import End, Head, Later, Record, encode_entry, read_record
from coffeerush.rules import State, standard_deck, view_for
from coffeerush.table_rules import TableRules
from coffeerush.tournament import course
from protocol import (
    MAX_PLAYERS,
    MAX_TABLES,
    PROTOCOL_VERSION,
    Accepted,
    Answer,
    Asker,
    Current,
    GetView,
    Hello,
    Intent,
    Ready,
    Refused,
    Request,
    Seat,
    Snapshot,
    Start,
    Submit,
    Sync,
    Tick,
    Update,
    View,
    decode_answer,
    decode_publication,
    decode_request,
    encode,
)
from tests.support.once import copied
from tests.support.remembered_bots import choose

ANN, BOB, CID, DEE, EVE = (letter * 40 for letter in "abcde")
NAMES = {ANN: "Ann", BOB: "Bob", CID: "Cid", DEE: "Dee", EVE: "Eve"}
EPOCH = b"epoch..1"
ADDRESS = "192.0.2.7"
"""Of all clients."""
ID = b"\0" * 16
"""Placeholder for an id that `TableDriver.ask` chooses."""


class MemoryJournals:
    """In-memory journals of a table, on a disk that can be full."""

    def __init__(self) -> None:
        self.files: list[bytearray] = []
        self.full = False
        self.full_at_end = False
        self.term = 1

    def begin(self, head: Head) -> Head:
        self._check()
        head = replace(head, term=self.term)
        self.files.append(bytearray(encode_entry(head)))
        return head

    def append(self, entry: Later) -> None:
        self.full = self.full or (self.full_at_end and isinstance(entry, End))
        self._check()
        self.files[-1] += encode_entry(entry)

    def read(self) -> bytes:
        return bytes(self.files[-1]) if self.files else b""

    def record(self, game: int = -1) -> Record:
        """Return a record, read back from its bytes and so replayed."""
        return read_record(bytes(self.files[game]))

    def _check(self) -> None:
        if self.full:
            raise RecordError("no space is left; make room")


class TableDriver:
    """Drives a table for everybody at it, and keeps all answers and updates."""

    def __init__(self, table: Table, journals: MemoryJournals) -> None:
        self.table = table
        self.hall = hall_of(table)
        self.journals = journals
        self.now = 1000.0
        self.chance = Random(1)
        self.machines: dict[str, str] = {}
        """The addresses of those who keep the sealed record, by key; empty for the host's."""
        self.updates: list[Update] = []
        self.answers: list[tuple[str, Answer]] = []
        self._noted: list[Note] = []

    # Requests

    def ask(self, key: str, request: Request) -> Answer:
        """Return the answer to a request, with a new id if it has none."""
        if request.id == ID:
            request = replace(request, id=self.chance.randbytes(16))
        at = self.machines.get(key, ADDRESS)
        outcome = self.hall.handle(self.now, key, decode_request(encode(request)), at)
        told = (one.message for one in outcome.published if one.table == self.table.number)
        self._publish(tuple(one for one in told if isinstance(one, Update)))
        self._noted += (one.note for one in self.hall.take_notes())
        assert outcome.answer.id == request.id
        self.answers.append((key, outcome.answer))
        return decode_answer(encode(outcome.answer))

    def code(self, key: str, request: Request) -> str:
        """Return the refusal code of a request, and check that it changes nothing."""
        before = self.truth()
        seen = len(self.updates)
        answer = self.ask(key, request)
        assert isinstance(answer, Refused), answer
        assert self.truth() == before
        assert len(self.updates) == seen
        return answer.refusal.code

    def hello(self, key: str, role: Any = "player", name: str = "", table: Any = None) -> Snapshot:
        keeps = key in self.machines
        who = PROTOCOL_VERSION, name or NAMES[key], role, table
        answer = self.ask(key, Hello(ID, *who, keeps=keeps))
        assert isinstance(answer, Snapshot), answer
        return answer

    def ask_to_come_in(self, *asking: tuple[int, str]) -> None:
        """Let these guests ask, and no others, and publish that."""
        self.table.note_asking([Asker(guest, name) for guest, name in asking])
        self._publish(tuple(one for one in self.table.tick(self.now) if isinstance(one, Update)))

    def sync(self, key: str) -> Snapshot:
        answer = self.ask(key, Sync(ID))
        assert isinstance(answer, Snapshot), answer
        return answer

    def view(self, key: str) -> View:
        answer = self.ask(key, GetView(ID))
        assert isinstance(answer, Current)
        assert answer.view is not None
        return answer.view

    def begin(self, *keys: str) -> None:
        """Let people join and get ready; the first one starts the game if it is the owner."""
        for key in keys:
            self.hello(key)
        self.now += 1
        for key in keys:
            self.ask(key, Ready(ID, True))
        if self.table_view.owner is not None:
            self.ask(keys[0], Start(ID))
        assert self.table_view.stage == "game"

    # Time

    def wait(self, seconds: float, present: tuple[str, ...] = ()) -> list[Update]:
        """Let time pass with one tick per second; those `present` ask for their view."""
        seen = len(self.updates)
        for _ in range(int(seconds)):
            self.now += 1
            for key in present:
                self.ask(key, GetView(ID))
            *updates, tick = self.table.tick(self.now)
            assert isinstance(tick, Tick)
            assert decode_publication(encode(tick)) == tick
            self._publish(tuple(one for one in updates if isinstance(one, Update)))
            assert tick.seq == len(self.updates)
        return self.updates[seen:]

    # Playing

    def submit(self, key: str, intent: Intent, id_: bytes = ID) -> Answer:
        return self.ask(key, self.wish(intent, id_))

    def wish(self, intent: Intent, id_: bytes = ID) -> Submit:
        return Submit(id_, self.game, self.rev, intent)

    def bot(self, intent: Intent | bool | None = True) -> bool:
        """Move for the bot whose turn it is, as it chooses or as told; False if there is none."""
        turn = self.table.bot_turn()
        if turn is None:
            return False
        assert turn is self.table.bot_turn()
        if isinstance(intent, bool):
            intent = choose(turn.bot, turn.view, self.chance)
        self._publish(self.table.bot_move(self.now, turn, intent))
        return True

    def person(self) -> None:
        """Play a good option for the person whose turn it is."""
        assert self.state.active is not None
        intent = choose("regular", view_for(self.state, self.state.active), self.chance)
        assert isinstance(self.submit(self.active_key, intent), Accepted)
        self.now += 0.1

    def play(self, most: int = 100_000) -> None:
        """Play on, people and bots, for `most` intents or to the end of the game."""
        while most and self.table_view.stage == "game":
            if not self.bot():
                self.person()
            most -= 1

    def play_until(self, seat: Seat) -> None:
        """Play on until `seat` may act and has something in its cups."""
        while self.state.active != seat or self.state.round < 2:
            self.play(1)

    # State

    @property
    def latest(self) -> Update:
        return self.updates[-1]

    @property
    def table_view(self) -> Any:
        return self.table._state.table_view()

    @property
    def game(self) -> int:
        return self.latest.game

    @property
    def rev(self) -> int:
        return self.latest.rev

    @property
    def state(self) -> State:
        """The full State, which nobody at the table may see."""
        assert self.table._state.game is not None
        return self.table._state.game.state

    @property
    def active_key(self) -> str:
        assert self.table._state.game is not None
        assert self.state.active is not None
        return self.table._state.game.keys[self.state.active]

    def truth(self) -> object:
        """Return everything that a refused request must not change."""
        game = self.table._state.game
        files = [bytes(one) for one in self.journals.files]
        return (game and (game.state, game.rev), self.table_view, files)

    def events(self) -> list[Any]:
        return [event for update in self.updates for event in update.events]

    def noted(self) -> list[Note]:
        self._noted += self.table.take_notes()
        return self._noted

    def notes(self) -> list[str]:
        return [note.code for note in self.noted()]

    def _publish(self, updates: tuple[Update, ...]) -> None:
        for update in updates:
            assert decode_publication(encode(update)) == update
            assert update.seq == len(self.updates) + 1
            self.updates.append(update)


class MemoryCourses:
    """Keeps what has been written down of the latest tournament; may fail."""

    def __init__(self) -> None:
        self.entries: list[course.Announced | course.Later] = []
        self.fails = False

    def begin(self, announced: course.Announced) -> None:
        self.entries = []
        self._write(announced)

    def append(self, entry: course.Later) -> None:
        self._write(entry)

    def _write(self, entry: course.Announced | course.Later) -> None:
        if self.fails:
            raise RecordError("the disk is full")
        self.entries.append(entry)


class Joiner:
    """Makes the tables of a hall in memory; an entry in `cleared` for each that is gone."""

    def __init__(self, buckets: Buckets, **settings: Any) -> None:
        self.journals: dict[int, MemoryJournals] = {}
        self.cleared: list[int] = []
        self.failing: dict[int, Exception] = {}
        """What goes wrong when moves are synced, by table."""
        self._buckets = buckets
        self._config = config_for(settings.pop("seats", 2), **{"name": "Kitchen", **settings})

    def make(
        self,
        number: int,
        owner: str,
        rules: TableRules | None = None,
        bots: tuple[str, ...] = (),
    ) -> Table:
        journals = self.journals[number] = MemoryJournals()
        config = replace(
            self._config,
            name=f"{self._config.name} {number}",
            owner=owner,
            rules=rules or self._config.rules,
        )
        epoch, chance = b"table" + number.to_bytes(3), Random(number)
        return Table(config, journals, epoch, chance, bots, number, self._buckets)

    def resume(self, number: int) -> Table:
        """Return a table as its latest record has it."""
        journals = self.journals[number]
        epoch, chance = b"again" + number.to_bytes(3), Random(number)
        return Table.resume(
            journals.record(), self._config, journals, epoch, chance, number, self._buckets
        )

    def clear(self, number: int) -> None:
        self.cleared.append(number)

    def sync(self) -> dict[int, Exception]:
        failing, self.failing = self.failing, {}
        return failing


def hall_of(table: Table, most: int = MAX_TABLES) -> Hall:
    """Return a hall with one table."""
    buckets = Buckets()
    given = Tournaments(MemoryCourses(), Random(1))
    return Hall([table], Joiner(buckets), buckets, EPOCH, given, most=most)


def config_for(seats: int, **settings: Any) -> TableConfig:
    """Return a table's settings; those among them that are its rules need not be in a struct."""
    rules = {name: settings.pop(name) for name in TableRules.__struct_fields__ if name in settings}
    return TableConfig(seats=seats, deck=standard_deck(), rules=TableRules(**rules), **settings)


def table_for(
    seats: int = 2, bots: tuple[str, ...] = (), seed: int = 5, **settings: Any
) -> TableDriver:
    """Return a table that Ann owns, unless `settings` say otherwise."""
    settings = {"owner": ANN, "name": "Café at six", **settings}
    journals = MemoryJournals()
    config = config_for(seats, **settings)
    return TableDriver(Table(config, journals, EPOCH, Random(seed), bots), journals)


@copied
def played(*keys: str, **table: Any) -> TableDriver:
    """Return a table, with these arguments of `table_for`, after a game of these people."""
    driver = table_for(**table)
    driver.begin(*keys)
    driver.play()
    return driver


def resumed(driver: TableDriver, epoch: bytes = b"epoch..2") -> TableDriver:
    """Return the table that a new host with default options resumes from the latest record."""
    config = TableConfig(name="?", seats=MAX_PLAYERS, deck=standard_deck())
    table = Table.resume(driver.journals.record(), config, driver.journals, epoch, Random(9))
    again = TableDriver(table, driver.journals)
    again.now = 50.0
    again.chance = Random(2)
    return again
