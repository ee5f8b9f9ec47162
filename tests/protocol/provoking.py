"""Lives of real tables in which everything happens that SPEC.md names; what happened is kept."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final, get_args

import pytest
from msgspec.structs import replace

from coffeerush.conformance.of_host import hasty
from coffeerush.host.table.config import AWAY_SECONDS
from coffeerush.host.table.table import Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.door import HostConversation, Peer
from coffeerush.moving.gathering import Gathering
from coffeerush.rules import State, events
from protocol import (
    PROTOCOL_VERSION,
    STAND_IN_SECONDS,
    ActivateUpgrade,
    AddBot,
    Answer,
    Banner,
    BeginRound,
    BeginTournament,
    Bye,
    Chat,
    CloseTable,
    Current,
    Emote,
    EmoteName,
    EndTournament,
    EndTurn,
    Enrol,
    Enter,
    GameStarted,
    GetHandover,
    GetRecord,
    GetSealed,
    GetTables,
    GetView,
    HandOver,
    Hello,
    Ingredient,
    Intent,
    KeyShare,
    Lend,
    LetIn,
    Listening,
    LookAt,
    MoveSeat,
    PeopleChanged,
    Pour,
    Queue,
    QueueFirst,
    Ready,
    Refused,
    Remove,
    RemoveSpectator,
    Rename,
    RenameTable,
    Request,
    Rotation,
    SeatsMoved,
    SetFirst,
    SetMark,
    SetPause,
    SetRules,
    Standby,
    StandUp,
    Start,
    Sync,
    Tables,
    TakeOver,
    TournamentRules,
    Undo,
    Update,
    Upgrade,
    WireError,
    decode_banner,
    decode_door_answer,
    decode_request,
    encode_line,
)
from scripts.programs.vectors.dialogues import dialogues
from scripts.programs.vectors.events import event_messages
from scripts.programs.vectors.valid import KEY
from scripts.programs.vectors.wrong import wrong
from tests.support.halls import HallDriver
from tests.support.keepers import Keeper, lend_all
from tests.support.positions import Has, play, position, ready
from tests.support.tables import (
    ADDRESS,
    ANN,
    BOB,
    CID,
    DEE,
    EPOCH,
    EVE,
    ID,
    MemoryJournals,
    TableDriver,
    resumed,
    table_for,
)

THE_HOST: Final = "the host"
RESUMED: Final = "resumes"
Tag = str


def tag_of(request: Request) -> Tag:
    """Return the `type` of a request."""
    return str(type(request).__struct_config__.tag)


class Happenings:
    """What was said at tables, and how they changed."""

    def __init__(self) -> None:
        self.messages: list[object] = []
        self.stages: set[tuple[str, str, Tag]] = set()
        """From, to and cause: the type of a request, `THE_HOST` or `RESUMED`."""
        self.seats: set[tuple[str, str, Tag]] = set()
        """The same for `SeatView.status`."""
        self.people: set[tuple[str, Tag]] = set()
        """`PeopleChanged.change`, and its cause."""
        self.outcomes: set[tuple[Tag, str, str]] = set()
        """Request, stage, and the code of its refusal, if any."""


class WatchedTable(TableDriver):
    """A driven table whose happenings are kept."""

    def __init__(self, seen: Happenings, table: Table, journals: MemoryJournals) -> None:
        super().__init__(table, journals)
        self.seen = seen
        self._cause = THE_HOST
        self._last: Update | None = None

    def ask(self, key: str, request: Request) -> Answer:
        """Keep a request, its answer, and what it changes."""
        self.now += 0.1  # within the rate limit
        stage, self._cause = self.table_view.stage, tag_of(request)
        answer = super().ask(key, request)
        self._cause = THE_HOST
        code = answer.refusal.code if isinstance(answer, Refused) else ""
        self.seen.outcomes.add((tag_of(request), stage, code))
        self.seen.messages += [request, answer]
        return answer

    def _publish(self, updates: tuple[Update, ...]) -> None:
        super()._publish(updates)
        for update in updates:
            self._note(update)

    def _note(self, update: Update) -> None:
        seen, cause, table = self.seen, self._cause, update.table
        seen.messages.append(update)
        changes = (one.change for one in update.events if isinstance(one, PeopleChanged))
        seen.people |= {(change, cause) for change in changes}
        before = self._last.table if self._last else None
        self._last = update
        if before is None:
            return
        if before.stage != table.stage:
            seen.stages.add((before.stage, table.stage, cause))
        renumbered = any(isinstance(one, GameStarted | SeatsMoved) for one in update.events)
        if not renumbered:
            pairs = zip(before.seats, table.seats, strict=False)  # a result has more of them
            seen.seats |= {(a.status, b.status, cause) for a, b in pairs if a.status != b.status}


def opened(seen: Happenings, *arguments: Any, **settings: Any) -> WatchedTable:
    """Return a new table that Ann owns, unless `settings` say otherwise."""
    made = table_for(*arguments, **settings)
    return WatchedTable(seen, made.table, made.journals)


def again(seen: Happenings, table: WatchedTable) -> WatchedTable:
    """Return the table that resumes the latest record of another."""
    made = resumed(table)
    result = WatchedTable(seen, made.table, made.journals)
    result.now, result.chance = made.now, table.chance
    seen.stages.add(("", result.table_view.stage, RESUMED))
    return result


def at_a_table_with_an_owner(seen: Happenings) -> None:
    """Join, change places, play two games, and go back to the lobby."""
    table = opened(seen, seats=4, starters=True, turn_seconds=30)
    for key in (ANN, BOB, CID):
        table.hello(key)
    try_everything(table)
    for wanted in ("new", 1):
        table.hello(BOB, table=wanted)
        table.now += 1
    table.ask(BOB, Rename(ID, "Roberto"))
    for _ in range(2):
        table.ask(ANN, MoveSeat(ID, 1, 3))
    table.hello(DEE, "spectator")
    table.hello(DEE)
    table.hello(DEE, "spectator")
    table.ask(CID, Bye(ID))
    table.wait(62, (ANN, DEE))  # Bob is silent, and leaves
    table.hello(BOB)
    for bot in ("regular", "random"):
        table.ask(ANN, AddBot(ID, 2, bot))
        table.ask(ANN, Remove(ID, 2))
    table.hello(EVE)
    table.ask(ANN, Remove(ID, 2))
    table.ask(BOB, Ready(ID, True))
    table.ask(BOB, Ready(ID, False))
    table.ask(ANN, AddBot(ID, 2, "random"))  # it soon has the penalties that end a game
    table.ask(BOB, Ready(ID, True))
    table.ask(ANN, Start(ID))
    try_everything(table)
    go_away_and_come_back(table)
    table.play()
    try_everything(table)
    table.ask(BOB, Ready(ID, True))
    table.ask(ANN, Start(ID))
    table.ask(BOB, GetRecord(ID, 1, 0))
    table.ask(ANN, Remove(ID, 1))
    hurry(table)
    table.ask(ANN, Bye(ID))


def at_a_table_with_a_queue(seen: Happenings) -> None:
    """Wait for a seat in a game, and get one for each reason after it."""
    table = opened(seen, seats=2)
    table.begin(ANN, BOB)
    for key in (CID, DEE, EVE):
        table.hello(key, "spectator")
        table.ask(key, Queue(ID, True))
    table.ask(ANN, QueueFirst(ID, "Dee"))
    table.ask(CID, Queue(ID, False))
    table.ask(BOB, StandUp(ID))
    hurry(table)
    table.ask(BOB, StandUp(ID))  # Dee sits down
    make_room(table, "everybody")  # Eve sits down for Ann
    start_again(table)
    hurry(table)  # Ann sits down for one of them
    start_again(table)
    table.wait(AWAY_SECONDS + STAND_IN_SECONDS + 2, (DEE, EVE))
    hurry(table)  # bots play for those who are away: another change


def at_a_table_with_a_queue_in_the_lobby(seen: Happenings) -> None:
    """Wait for a seat that somebody gives up, and for a bot to make room."""
    table = opened(seen, seats=2)
    for key in (ANN, BOB):
        table.hello(key)
    for key in (CID, DEE):
        table.hello(key, "spectator")
        table.ask(key, Queue(ID, True))
    table.ask(ANN, QueueFirst(ID, "Dee"))
    table.ask(BOB, Bye(ID))
    table.ask(ANN, Remove(ID, 1))
    table.ask(CID, StandUp(ID))
    table.ask(CID, Queue(ID, True))
    table.ask(CID, StandUp(ID))
    for _ in range(2):
        table.now += 3
        table.ask(ANN, AddBot(ID, 1, "casual"))
        table.ask(ANN, StandUp(ID, 1))
    table.now += 3
    table.ask(ANN, AddBot(ID, 1, "casual"))
    make_room(table, "loser")
    table.ask(ANN, Start(ID))
    hurry(table)
    table.ask(CID, Queue(ID, True))
    table.hello(EVE, "spectator")
    table.ask(EVE, Queue(ID, True))  # sits down for Ann
    table.ask(ANN, QueueFirst(ID, "Ann"))


def make_room(table: WatchedTable, rotation: Rotation) -> None:
    table.ask(ANN, SetRules(ID, 0, 0, True, rotation=rotation))


def start_again(table: WatchedTable) -> None:
    """Let everybody who has a seat be ready."""
    for key in (ANN, BOB, CID, DEE, EVE):
        table.ask(key, Ready(ID, True))
    table.ask(ANN, Start(ID))


def at_a_table_that_is_left_in_a_pause(seen: Happenings) -> None:
    """Leave a paused game."""
    table = opened(seen)
    table.begin(ANN, BOB)
    table.ask(ANN, SetPause(ID, True))
    for key in (ANN, BOB):
        table.ask(key, Bye(ID))
    table.wait(1)


def at_a_table_that_goes_on_without_its_host(seen: Happenings) -> None:
    """Keep the sealed record, and lend it to a standby, piece by piece."""
    table = opened(seen, seats=3)
    table.machines = {BOB: "192.0.2.2", CID: "192.0.2.3"}
    for key in (ANN, BOB, CID):
        table.hello(key)
    lending = Lend(ID, EPOCH, 1, 1, 1, KeyShare(1, bytes(16)), 0, 0)
    for request in (GetSealed(ID, 0, 0), lending):
        table.ask(BOB, request)
    table.begin(ANN, BOB, CID)
    bob, cid = Keeper(table, BOB), Keeper(table, CID)
    bob.follow()
    while table.active_key != CID:
        table.play(1)
    table.play(3)
    table.ask(BOB, lending)
    table.ask(ANN, GetSealed(ID, 0, 0))
    cid.follow()
    loans, gathering = lend_all(cid, Gathering(bob.replica, BOB)), Gathering(bob.replica, BOB)
    for loan in loans:
        seen.messages += (loan, gathering.answer(CID, loan))
    seen.messages.append(gathering.answer(CID, GetView(ID)))
    seen.outcomes.add(("lend", "game", ""))
    hurry(table)
    for request in (GetSealed(ID, 0, 0), lending):
        table.ask(BOB, request)


def try_everything(table: WatchedTable) -> None:
    """Ask for what one may ask for in this stage, and for what one may not."""
    zoe = f"{table.now:040}"
    table.hello(zoe, "spectator", name="Zoe")
    table.ask(zoe, Chat(ID, "Oi", hall=True))
    for key, request in (
        *((BOB, request) for request in (GetView(ID), Sync(ID), GetTables(ID), Chat(ID, "Oi"))),
        *((ANN, request) for request in (RemoveSpectator(ID, "Zoe"), AddBot(ID, 3, "regular"))),
    ):
        table.ask(key, request)
    for change in (
        MoveSeat(ID, 0, 0),
        SetFirst(ID, 0),
        SetFirst(ID, None),
        SetRules(ID, 30, 0, False),
        SetRules(ID, 30, 0, True, anybody_lets_in=True),
        SetRules(ID, 30, 0, True),
        SetMark(ID, 25, 3),
        SetMark(ID),
    ):
        table.ask(ANN, change)
    opened_now = table.hello(f"{table.now:039}o", name="Opener", table="new").number
    for key, of_hall in (
        (ANN, GetTables(ID)),
        (BOB, LookAt(ID, opened_now)),
        (ANN, RenameTable(ID, "Pátio")),
        (ANN, CloseTable(ID, opened_now)),
    ):
        table.ask(key, of_hall)
    table.ask_to_come_in((1, "Ute"), (2, "Ute"))
    for guest, allowed in ((1, True), (2, False), (2, True)):
        table.ask(ANN, LetIn(ID, guest, allowed))
    table.ask_to_come_in()
    for name in get_args(EmoteName):
        table.ask(BOB, Emote(ID, name))
        table.now += 1
    stage = table.table_view.stage
    for pause in (SetPause(ID, True, "Pizza!"), SetPause(ID, True), SetPause(ID, False)):
        table.ask(ANN, pause)
    if stage == "game":
        pours: list[Intent] = [Pour(one, 1) for one in Ingredient]
        for intent in (*pours, *map(ActivateUpgrade, Upgrade)):
            table.submit(BOB, intent)
        table.ask(BOB, Ready(ID, True))
        table.ask(ANN, Start(ID))
    else:
        table.ask(BOB, table.wish(EndTurn()))
        table.ask(ANN, Remove(ID, 3))
    if stage != "lobby":
        table.ask(ANN, Rename(ID, "Anna"))
    table.ask(BOB, GetRecord(ID, 1, 0))
    ask_to_host(table)


def ask_to_host(table: WatchedTable) -> None:
    """Ask Bob to host, who agrees and then does not."""
    hello = Hello(ID, PROTOCOL_VERSION, "Bob", "player")
    table.ask(BOB, replace(hello, standby=Standby(KEY, 47820)))
    (bob,) = table.table_view.standbys
    wanted: tuple[tuple[str, Request], ...] = (
        *((ANN, HandOver(ID, name)) for name in (bob, None)),
        (ANN, HandOver(ID, bob, leaving=True)),
        (BOB, TakeOver(ID, True)),
        *((BOB, GetHandover(ID, offset)) for offset in (0, 1)),
        (BOB, Listening(ID, KEY, (ADDRESS,), 47820)),
        (BOB, TakeOver(ID, False)),
        (BOB, hello),
    )
    for key, request in wanted:
        table.ask(key, request)
        table.now += 1


def go_away_and_come_back(table: WatchedTable) -> None:
    """Fall silent, run out of time, and leave during a game."""
    table.wait(8, (ANN, DEE))
    table.ask(BOB, GetView(ID))
    table.wait(31, (ANN, BOB, DEE))
    table.ask(BOB, Bye(ID, stand_in=True))
    table.hello(BOB)


def at_a_table_without_an_owner(seen: Happenings) -> None:
    """Start by itself, undo, and resume both a game in progress and a finished one."""
    table = opened(seen, seats=2, owner="")
    table.begin(ANN, BOB)
    while not undoes(table):
        table.play(1)
    table = again(seen, table)
    table.ask(BOB, Chat(ID, "Olá"))
    hurry(table)
    table = again(seen, table)
    for key in (ANN, BOB):
        table.ask(key, Ready(ID, True))
    hurry(table)
    table.ask(BOB, Bye(ID))
    table.hello(CID)
    table.ask(CID, GetRecord(ID, table.game, 0))


def hurry(table: WatchedTable) -> None:
    """Play the shortest game."""
    while table.table_view.stage == "game":
        if not table.bot():
            at = table.ask(table.active_key, GetView(ID))
            assert isinstance(at, Current)
            table.submit(table.active_key, hasty(at))


def undoes(table: WatchedTable) -> bool:
    """Undo the last intent, if possible; return whether it was."""
    own = table.view(table.active_key).own
    return bool(own and own.undo and table.submit(table.active_key, Undo()))


def at_tournaments(seen: Happenings) -> None:
    """Hold one that is announced before, in and after a game, and one with five people."""
    for most in (0, 1, 100_000):
        table = opened(seen, seats=2)
        table.hello(ANN)
        table.hello(BOB)
        if most:
            table.ask(BOB, Ready(ID, True))
            table.ask(ANN, Start(ID))
        table.play(most)
        before = table.ask(BOB, GetTables(ID))
        assert isinstance(before, Tables)
        assert before.tournament is None
        hold(table)
    hall = HallDriver(tables=2, seats=4, owner=ANN)
    for key in (ANN, BOB, CID, DEE, EVE):
        hall.hello(key)
    rules = TournamentRules(2, break_seconds=9)
    for request in (BeginTournament(ID, rules), *(Enter(ID, True),) * 2):
        hall.done(ANN, request)
    for key in (BOB, CID, DEE, EVE):
        hall.done(key, Enter(ID, True))
    hall.done(ANN, BeginRound(ID, 1))
    seen.messages += [hall.tables(key) for key in (EVE, "f" * 40)]
    for key in (ANN, BOB, CID, DEE):
        hall.hello(key)
    hall.tick(AWAY_SECONDS + STAND_IN_SECONDS + 2)
    hall.play(*hall.hall.tables)
    hall.tick()
    hall.done(DEE, Enter(ID, False))
    seen.messages.append(hall.tables())
    hall.done(ANN, EndTournament(ID))
    seen.messages += [hall.tables(), *(one.message for one in hall.published)]


def hold(table: WatchedTable) -> None:
    """Announce a tournament at a table, let people enter it, play a round, and end it."""
    rules = TournamentRules(1, 30, "casual", False, 60)
    for key, request in (
        (ANN, EndTournament(ID)),
        (ANN, BeginTournament(ID, rules)),
        (BOB, Enter(ID, True)),
        (BOB, Enter(ID, False)),
        (ANN, Enter(ID, True)),
        (BOB, Enter(ID, True)),
        (BOB, GetTables(ID)),
        (ANN, BeginRound(ID, 1)),
        (BOB, GetTables(ID)),
    ):
        table.ask(key, request)
        table.now += 1
    table.hello(ANN)
    table.ask(ANN, EndTournament(ID))


def at_the_door() -> Iterator[object]:
    """Yield the lines of a host to a client without a code, at an open table and another."""
    for is_open in (True, False):
        gate = Admission(AdmittedKeyring(), Random(1), is_open=is_open)
        more = () if is_open else ("0f" * 16, "Ann")
        banner = Banner("coffeerush", 6, 6, "Café", 1001, 1002, KEY, not is_open, *more)
        line = encode_line(banner)
        host = HostConversation(gate, KEY, line, Peer("192.0.2.1", is_local=False))
        yield decode_banner(line)
        yield decode_door_answer(host.hear(0.0, encode_line(Enrol(KEY))))


def what_is_malformed() -> Iterator[object]:
    """Yield a table's answers to the malformed requests among the vectors."""
    table, now = table_for().table, 1000.0
    for one in wrong():
        if one.kind == "request":
            now += 1
            with pytest.raises(WireError) as caught:
                decode_request(one.body)
            yield table.handle(now, ANN, caught.value).answer


def in_rare_positions() -> Iterator[object]:
    """Yield the events of each upgrade, and of the ends of turns that close the game."""
    before = position(Has(completed=3, meeples=(5,)), Has(), Has())
    turns: list[tuple[State, Intent]] = [(before, ActivateUpgrade(upgrade)) for upgrade in Upgrade]
    for closing in (position(Has(), Has(), Has()), position(Has(("Mocha",)), Has(), deck="")):
        turns.append((ready(closing), EndTurn()))
    for state, intent in turns:
        yield events(state, intent, play(state, intent), None)


def happenings() -> Happenings:
    """Return what happens at all tables and doors of this module, and in the dialogues."""
    seen = Happenings()
    at_a_table_with_an_owner(seen)
    at_a_table_without_an_owner(seen)
    at_a_table_with_a_queue(seen)
    at_a_table_with_a_queue_in_the_lobby(seen)
    at_a_table_that_is_left_in_a_pause(seen)
    at_tournaments(seen)
    at_a_table_that_goes_on_without_its_host(seen)
    seen.messages += at_the_door()
    seen.messages += what_is_malformed()
    seen.messages += in_rare_positions()
    seen.messages += (step.message for _name, steps in dialogues() for step in steps)
    seen.messages += (message for _name, message in event_messages())
    return seen
