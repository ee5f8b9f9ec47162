"""A handover: the tables as they were at their next host, and whatever fails leaves them here."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.host.hall.hall import Hall
from coffeerush.host.hall.handover import AGREED_SECONDS, ASKED_SECONDS
from coffeerush.host.hall.tournament import Tournaments
from coffeerush.host.run import KeptCode, Workshop
from coffeerush.host.server.parent import HostOptions
from coffeerush.host.table.config import AWAY_SECONDS, TableConfig
from coffeerush.host.table.table import Buckets, Table
from coffeerush.moving.fencing import next_term
from coffeerush.moving.handover import StateOfBot, StateOfHall
from coffeerush.records.entries import Relocation, encode_entry, read_record
from coffeerush.rules import standard_deck
from protocol import (
    DOOR_PORT,
    HALL,
    MAX_TABLES,
    PROTOCOL_VERSION,
    Accepted,
    Answer,
    Chat,
    Current,
    Destination,
    Done,
    Elsewhere,
    EndTurn,
    GetHandover,
    GetView,
    HandOver,
    HandoverFailed,
    HandoverFault,
    Hello,
    Listening,
    Moved,
    Moving,
    Queue,
    Ready,
    RecordPart,
    Refused,
    Remove,
    RemoveSpectator,
    Request,
    Said,
    SetMark,
    SetPause,
    Snapshot,
    Standby,
    Submit,
    Sync,
    TableMoved,
    TakeOver,
    Tick,
    Update,
    decode_answer,
    encode,
)
from tests.support.tables import (
    ADDRESS,
    ANN,
    BOB,
    CID,
    DEE,
    EVE,
    ID,
    NAMES,
    Joiner,
    MemoryCourses,
    MemoryJournals,
    TableDriver,
    hall_of,
    table_for,
)

HERE, THERE, ELSEWHERE = (letter * 40 for letter in "HTE")
"""The public keys of hosts."""
LISTENING = Listening(ID, THERE, (ADDRESS, "2001:db8::7"), 47820)
TO = Destination(next_term(1), "Bob", THERE, (ADDRESS,), 47820)


def come(driver: TableDriver, key: str, host: str = "", **more: Any) -> Snapshot:
    """Let somebody say hello, whose program could host with this key."""
    standby = Standby(host, 47820) if host else None
    role = more.get("role", "player")
    request = Hello(ID, PROTOCOL_VERSION, NAMES[key], role, standby=standby)
    answer = ask(driver, key, request)
    assert isinstance(answer, Snapshot), answer
    return answer


def ask(driver: TableDriver, key: str, request: Request) -> Answer | None:
    """Return the answer to a request, if there is one; keep what is published."""
    if request.id == ID:
        request = replace(request, id=driver.chance.randbytes(16))
    if driver.hall.defers(request):
        return None
    outcome = driver.hall.handle(driver.now, key, request, ADDRESS)
    keep(driver, outcome.published)
    return decode_answer(encode(outcome.answer))


def keep(driver: TableDriver, published: Any) -> list[Any]:
    """Keep the updates of the driver's table; return all messages."""
    told = [one.message for one in published]
    driver._publish(
        tuple(
            one.message for one in published if isinstance(one.message, Update) and one.table == 1
        )
    )
    return told


def gathered(most: int = MAX_TABLES, **settings: Any) -> TableDriver:
    """Return a game of Ann, who owns the table, Bob and Cid; Bob's program could host."""
    driver = table_for(3, host=HERE, **settings)
    driver.hall = hall_of(driver.table, most)
    for key, host in ((ANN, HERE), (BOB, THERE), (CID, "")):
        come(driver, key, host)
    driver.begin(ANN, BOB, CID)
    come(driver, BOB, THERE)
    return driver


def agreed(driver: TableDriver, leaving: bool = False) -> bytes:
    """Let Bob agree to host the tables; return what he gets."""
    assert isinstance(ask(driver, ANN, HandOver(ID, "Bob", leaving)), Done)
    assert driver.table_view.moving == Moving("Bob")
    assert isinstance(ask(driver, BOB, TakeOver(ID, True)), Done)
    assert driver.table_view.moving == Moving("Bob", agreed=True)
    data = b""
    while True:
        part = ask(driver, BOB, GetHandover(ID, len(data)))
        assert isinstance(part, RecordPart)
        data += part.part
        if len(data) == part.size:
            return data


def settled(driver: TableDriver, reached: tuple[str, ...] = (ADDRESS,)) -> list[Any]:
    """Let Bob's host listen, and be reached at these addresses; return what is published."""
    assert isinstance(ask(driver, BOB, LISTENING), Done)
    candidate = driver.hall.take_candidate()
    assert candidate is not None
    assert candidate.addresses() == (ADDRESS, "2001:db8::7")
    assert driver.hall.take_candidate() is None
    return keep(driver, driver.hall.settle_handover(driver.now, candidate, reached))


def inherited(driver: TableDriver, data: bytes) -> TableDriver:
    """Return the table as the next host begins with it."""
    state = StateOfHall.decode(data)
    one = state.tables[0]
    config = TableConfig("?", 2, standard_deck(), owner=BOB, host=THERE, term=state.term)
    journals = MemoryJournals()
    if one.record:
        rev = len(read_record(one.record).moves)
        where = Relocation(rev, state.term, THERE, "Bob", "Ann", BOB)
        journals.files.append(bytearray(one.record + encode_entry(where)))
    buckets = Buckets()
    table = Table.take_over(one, config, journals, Random(9), buckets)
    there = TableDriver(table, journals)
    there.hall = Hall(
        *([table], Joiner(buckets), buckets, state.epoch),
        *(Tournaments(MemoryCourses(), Random(1)), state.stay, state.most),
        hall=state.hall,
        last=state.last,
    )
    there.updates, there.now, there.chance = [*driver.updates], 50.0, Random(2)
    left = state.owner if state.leaves else ""
    keep(there, there.hall.begin_term(there.now, "Bob", left))
    return there


def seen(driver: TableDriver, key: str) -> Snapshot:
    answer = ask(driver, key, Sync(ID))
    assert isinstance(answer, Snapshot), answer
    return answer


def moved(driver: TableDriver, leaving: bool = False) -> TableDriver:
    data = agreed(driver, leaving)
    assert Moved(TO) in settled(driver)
    return inherited(driver, data)


def comparable(one: Snapshot) -> Snapshot:
    """Return what does not change with the host."""
    table = replace(one.table, owner=None, standbys=(), term=1, moving=None)
    seats = tuple(replace(seat, ready=False) for seat in table.seats)
    log = tuple(event for event in one.log if not isinstance(event, TableMoved))
    return replace(
        one, id=ID, seq=0, owner=False, table=replace(table, seats=seats), standbys=(), log=log
    )


@pytest.mark.parametrize("paused", [False, True])
def test_a_game_goes_on_as_it_was(paused: bool) -> None:
    driver = gathered(turn_seconds=60)
    ask(driver, CID, Chat(ID, "Is it my turn?"))
    come(driver, DEE, role="spectator")
    ask(driver, DEE, Queue(ID, True))
    driver.play_until(1)
    driver.now += 7
    if paused:
        ask(driver, ANN, SetPause(ID, True, "tea"))
        driver.now += 2.5
    before = {key: seen(driver, key) for key in (ANN, BOB, CID, DEE)}
    there = moved(driver)
    for key, old in before.items():
        new = seen(there, key)
        assert comparable(new) == comparable(old)
        assert new.owner is (key == BOB)
        assert new.table.term == next_term(1)
        assert (new.epoch, new.seq) == (old.epoch, len(there.updates))
    assert there.latest.events == (TableMoved("Bob"),)
    assert there.state == driver.state
    if paused:
        ask(there, BOB, SetPause(ID, False))
    there.play()
    assert there.table_view.stage == "result"


def test_the_record_of_a_game_that_moved_reads_as_one() -> None:
    driver = gathered()
    driver.play(40)
    there = moved(driver)
    old, new = driver.journals.record(), there.journals.record()
    assert old.has_left(HERE) == Relocation(40, TO.term, THERE, "Bob", "Ann", BOB, ADDRESS, 47820)
    assert old.has_left(THERE) is None
    assert (new.has_left(HERE), new.has_left(THERE)) == (new.relocations[0], None)
    assert new.relocations == (Relocation(40, TO.term, THERE, "Bob", "Ann", BOB),)
    assert (old.owner, new.owner, old.term, new.term) == (BOB, BOB, *[next_term(1)] * 2)
    assert new.moves == old.moves
    there.play()
    over = there.journals.record()
    assert over.end is not None
    assert over.moves[:40] == old.moves
    assert over.has_left(HERE) is None  # it is over, and every copy can be replayed


def test_requests_without_an_answer_are_carried_out_once() -> None:
    driver = gathered()
    driver.play_until(0)
    turn, chat = EndTurn(), Chat(b"c" * 16, "once")
    done = driver.submit(ANN, _legal(driver), b"a" * 16)
    assert isinstance(done, Accepted)
    request = Submit(b"a" * 16, driver.game, driver.rev - 1, _last(driver))
    assert isinstance(ask(driver, ANN, chat), Done)
    late = Submit(b"b" * 16, driver.game, driver.rev, turn)
    data = agreed(driver)
    assert ask(driver, ANN, late) is None
    assert ask(driver, CID, GetView(ID)) is None
    settled(driver)
    assert ask(driver, ANN, request) == Elsewhere(request.id, TO)
    there = inherited(driver, data)
    assert ask(there, ANN, request) == done
    assert isinstance(ask(there, ANN, chat), Done)
    assert sum(isinstance(one, Said) for one in seen(there, CID).log) == 1
    assert ask(there, ANN, late) is not None
    assert there.game == driver.game


def _legal(driver: TableDriver) -> Any:
    own = driver.view(driver.active_key).own
    assert own is not None
    return own.options[0].intent


def _last(driver: TableDriver) -> Any:
    return driver.journals.record().moves[-1].intent


def test_who_was_kicked_stays_out_and_marks_stay() -> None:
    driver = table_for(4, host=HERE)
    for key, host in ((ANN, HERE), (BOB, THERE), (CID, ""), (DEE, "")):
        come(driver, key, host)
    come(driver, EVE, role="spectator")
    ask(driver, ANN, Remove(ID, 3))
    ask(driver, CID, SetMark(ID, 25, 3))
    ask(driver, ANN, RemoveSpectator(ID, "Eve"))
    there = moved(driver)
    for either in (driver, there):
        for key in (DEE, EVE):
            refused = ask(either, key, Hello(ID, PROTOCOL_VERSION, "Di", "player"))
            assert isinstance(refused, Refused)
            assert refused.refusal.code == "removed"
    seat = seen(there, CID).table.seats[2]
    assert (seat.letter, seat.colour) == (25, 3)
    assert there.table_view.stage == "lobby"


def test_the_limit_of_tables_moves_with_them() -> None:
    there = moved(gathered(most=1))
    answer = ask(there, DEE, Hello(ID, PROTOCOL_VERSION, "Dee", "player", "new"))
    assert isinstance(answer, Refused)
    assert (answer.refusal.code, answer.refusal.params) == ("too_many_tables", {"reason": "one"})


def test_a_result_moves_with_its_record() -> None:
    driver = gathered()
    driver.play()
    there = moved(driver)
    assert there.table_view.stage == "result"
    assert comparable(seen(there, CID)) == comparable(seen(inherited(driver, _data(driver)), CID))
    there.begin(BOB, ANN, CID)
    assert there.game == 2
    assert there.journals.record().head.owner == BOB


def test_who_agreed_to_a_rematch_still_does_after_a_handover() -> None:
    driver = gathered()
    driver.play()
    assert isinstance(ask(driver, CID, Ready(ID, True)), Done)
    before = {seat.name: seat.ready for seat in driver.table_view.seats}
    assert before == {"Ann": True, "Bob": False, "Cid": True}
    there = moved(driver)
    assert all(seat.ready for seat in there.table_view.seats), "Bob owns the table now"


def test_a_result_can_be_handed_on_from_a_real_host(tmp_path: Path) -> None:
    driver = gathered()
    driver.play()
    state = StateOfHall.decode(_data(driver))
    config = TableConfig("?", 2, standard_deck(), owner=BOB, host=THERE)
    workshop = Workshop(HostOptions(), config, tmp_path, KeptCode(), DOOR_PORT, state.hall)
    there = workshop.inherit(state)._state(0.0, leaving=False)
    assert there.tables[0].record == state.tables[0].record
    assert there.term == next_term(state.term)
    workshop.keep()
    assert not [*tmp_path.iterdir()], "it is on record where it was played"


def _data(driver: TableDriver) -> bytes:
    state = driver.hall._state(driver.now, leaving=False)
    return state.encode()


def test_an_owner_who_leaves_with_the_handover_has_left() -> None:
    there = moved(gathered(), leaving=True)
    seat = there.table_view.seats[0]
    assert (seat.away, seat.bot) == (True, "regular")
    assert not there.table.is_playing(ANN)
    assert there.table.has(ANN)  # and may come back


def test_a_bot_from_a_file_gets_a_substitute() -> None:
    driver = table_for(3, host=HERE, bots=("/home/ann/mine.py:Mine",))
    come(driver, ANN, HERE)
    come(driver, BOB, THERE)
    there = moved(driver)
    assert there.table_view.seats[0].bot == "regular"
    assert "bot_replaced" in [one.note.code for one in there.hall.take_notes()]
    assert isinstance(StateOfHall.decode(_data(driver)).tables[0].places[0], StateOfBot)


# Who may ask, and whom


def test_standbys_in_the_order_of_succession() -> None:
    driver = table_for(4, host=HERE)
    for key, host in ((ANN, HERE), (BOB, THERE), (CID, THERE), (DEE, "D" * 40)):
        come(driver, key, host)
    assert driver.table_view.standbys == ("Bob", "Dee")
    snapshot = come(driver, EVE, ELSEWHERE, role="spectator")
    assert snapshot.table.standbys == ("Bob", "Dee", "Eve")
    assert [(one.name, one.key, one.address) for one in snapshot.standbys] == [
        ("Bob", THERE, ADDRESS),
        ("Dee", "D" * 40, ADDRESS),
        ("Eve", ELSEWHERE, ADDRESS),
    ]
    driver.wait(AWAY_SECONDS + 2, (ANN, CID, DEE, EVE))
    assert driver.table_view.standbys == ("Cid", "Dee", "Eve")
    come(driver, CID)
    assert driver.table_view.standbys == ("Dee", "Eve")


def code(driver: TableDriver, key: str, request: Request) -> str:
    answer = ask(driver, key, request)
    assert isinstance(answer, Refused), answer
    return answer.refusal.code


def test_only_the_owner_asks_and_only_who_was_asked_receives() -> None:
    driver = gathered()
    assert code(driver, BOB, HandOver(ID, "Bob")) == "not_owner"
    assert code(driver, ANN, HandOver(ID, "Cid")) == "no_standby"
    assert code(driver, EVE, HandOver(ID, "Bob")) == "say_hello"
    wanted: list[Request] = [TakeOver(ID, True), GetHandover(ID, 0), LISTENING]
    assert [code(driver, BOB, one) for one in wanted] == ["no_handover"] * 3
    ask(driver, ANN, HandOver(ID, "Bob"))
    assert [code(driver, CID, one) for one in wanted] == ["no_handover"] * 3
    assert [code(driver, BOB, one) for one in wanted[1:]] == ["no_handover"] * 2
    assert driver.hall.take_candidate() is None


def test_a_repeated_request_asks_once() -> None:
    driver = gathered()
    request = HandOver(b"h" * 16, "Bob")
    ask(driver, ANN, request)
    ask(driver, BOB, TakeOver(ID, False))
    assert isinstance(ask(driver, ANN, request), Done)
    assert driver.table_view.moving is None


# What fails


def failed(driver: TableDriver) -> HandoverFault:
    """Return why the handover failed, and check that the table goes on."""
    news = [one for one in driver.events() if isinstance(one, HandoverFailed)]
    assert news[-1].name == "Bob"
    assert driver.table_view.moving is None
    assert not driver.hall.stands_still
    assert driver.journals.record().relocations == ()
    driver.play(5)
    assert isinstance(ask(driver, CID, GetView(ID)), Answer)
    return news[-1].reason


def test_somebody_who_declines() -> None:
    driver = gathered()
    ask(driver, ANN, HandOver(ID, "Bob"))
    driver.play(3)
    ask(driver, BOB, TakeOver(ID, False))
    assert failed(driver) == "declined"


def test_an_owner_who_thinks_better_of_it() -> None:
    driver = gathered()
    ask(driver, ANN, HandOver(ID, "Bob"))
    ask(driver, ANN, HandOver(ID, None))
    assert failed(driver) == "withdrawn"
    assert isinstance(ask(driver, ANN, HandOver(ID, None)), Done)


def test_somebody_who_says_neither_yes_nor_no() -> None:
    driver = gathered()
    ask(driver, ANN, HandOver(ID, "Bob"))
    driver.now += ASKED_SECONDS
    keep(driver, driver.hall.tick(driver.now))
    assert failed(driver) == "gone"


def test_somebody_who_agrees_and_is_gone() -> None:
    driver = gathered(turn_seconds=60)
    driver.play_until(0)
    clock = seen(driver, CID).table.clock
    agreed(driver)
    for _each in range(int(AGREED_SECONDS)):
        driver.now += 1
        beats = keep(driver, driver.hall.tick(driver.now))
        assert any(isinstance(one, Tick) for one in beats)
    assert seen(driver, CID).table.clock == clock
    assert not any(seat.away for seat in driver.table_view.seats)
    assert failed(driver) == "gone"


def test_a_host_that_cannot_be_reached() -> None:
    driver = gathered()
    agreed(driver)
    settled(driver, reached=())
    assert failed(driver) == "unreachable"


def test_a_host_that_cannot_be_started() -> None:
    driver = gathered()
    agreed(driver)
    ask(driver, BOB, TakeOver(ID, False))
    assert failed(driver) == "failed"


def test_a_disk_that_is_full() -> None:
    driver = gathered()
    agreed(driver)
    driver.journals.full = True
    settled(driver)
    driver.journals.full = False
    assert failed(driver) == "failed"


def test_a_late_result_of_a_handover_that_has_failed() -> None:
    driver = gathered()
    agreed(driver)
    ask(driver, BOB, LISTENING)
    candidate = driver.hall.take_candidate()
    assert candidate is not None
    ask(driver, BOB, TakeOver(ID, False))
    assert driver.hall.settle_handover(driver.now, candidate, (ADDRESS,)) == ()
    assert failed(driver) == "failed"


# An old host never goes on


def test_an_old_host_only_says_where_the_tables_are() -> None:
    driver = gathered()
    there = moved(driver)
    wanted: list[tuple[str, Request]] = [
        (ANN, GetView(ID)),
        (BOB, HandOver(ID, "Cid")),
        (CID, Hello(ID, PROTOCOL_VERSION, "Cid", "player")),
        (EVE, Hello(ID, PROTOCOL_VERSION, "Eve", "spectator")),
        (BOB, LISTENING),
    ]
    for key, request in wanted:
        answer = ask(driver, key, request)
        assert isinstance(answer, Elsewhere)
        assert answer.to == TO
    assert driver.table.bot_turn() is None or driver.hall.bot_turn(1) is None
    told = driver.hall.tick(driver.now + 100)
    assert {one.table for one in told} == {1, HALL}
    assert {one.message for one in told} == {Moved(TO)}
    assert driver.hall.stop() == ()
    again = moved_on(there)
    assert again.table_view.term == 10


def moved_on(driver: TableDriver) -> TableDriver:
    """Let Bob hand the tables back to Ann."""
    come(driver, ANN, HERE)
    ask(driver, BOB, HandOver(ID, "Ann"))
    ask(driver, ANN, TakeOver(ID, True))
    data = driver.hall._handover.data  # type: ignore[union-attr]
    ask(driver, ANN, replace(LISTENING, key=HERE))
    candidate = driver.hall.take_candidate()
    assert candidate is not None
    assert driver.hall.settle_handover(driver.now, candidate, (ADDRESS,))
    return inherited(driver, data)


@pytest.mark.parametrize("data", [b"", b"x", b"\0" * 100])
def test_what_makes_no_sense_is_not_taken_over(data: bytes) -> None:
    with pytest.raises(RecordError, match="makes no sense"):
        StateOfHall.decode(data)


def test_a_record_of_another_game_is_not_taken_over() -> None:
    driver, other = gathered(), gathered()
    other.play()
    state = StateOfHall.decode(_data(driver))
    wrong = replace(state.tables[0], record=other.journals.read())
    config = TableConfig("?", 2, standard_deck(), owner=BOB)
    with pytest.raises(RecordError, match="another game"):
        Table.take_over(wrong, config, MemoryJournals(), Random(1), Buckets())


def test_nothing_private_is_published_while_a_table_moves() -> None:
    driver = gathered()
    driver.play_until(1)
    begun = len(driver.updates)
    moved(driver)
    for update in driver.updates[begun:]:
        assert update.view is None or update.view.own is None


# A host that was away, and whose game others go on with


def lost(driver: TableDriver, number: int = 1, to: Destination = TO) -> list[Any]:
    """Let the hall hear that a table of its goes on elsewhere; return what is published."""
    return keep(driver, driver.hall.give_way(driver.now, number, to))


def a_game_of_three() -> TableDriver:
    driver = table_for(3)
    driver.machines = {BOB: "192.0.2.2", CID: "192.0.2.3"}
    driver.begin(ANN, BOB, CID)
    driver.play(10)
    return driver


def test_a_host_whose_game_goes_on_elsewhere_answers_nothing_any_more() -> None:
    driver = a_game_of_three()
    rev = driver.rev
    assert lost(driver) == [Moved(TO), Moved(TO)]
    assert all(
        isinstance(ask(driver, key, driver.wish(EndTurn())), Elsewhere) for key in (ANN, BOB)
    )
    assert driver.hall.bot_turn(1) is None
    assert [one.message for one in driver.hall.tick(driver.now + 60)] == [Moved(TO), Moved(TO)]
    assert driver.rev == rev
    (moved,) = driver.journals.record().relocations
    assert (moved.term, moved.host, moved.name, moved.address) == (TO.term, THERE, "Bob", ADDRESS)


def test_only_a_later_term_takes_a_table_away() -> None:
    driver = a_game_of_three()
    assert lost(driver, to=replace(TO, term=1)) == []
    assert driver.hall.moved_at is None
    assert isinstance(ask(driver, ANN, GetView(ID)), Current)


def test_a_table_is_lost_once() -> None:
    driver = a_game_of_three()
    lost(driver)
    assert lost(driver, to=replace(TO, term=TO.term + 1)) == []
    assert len(driver.journals.record().relocations) == 1


def test_a_handover_ends_when_the_game_goes_on_elsewhere() -> None:
    driver = a_game_of_three()
    come(driver, BOB, THERE)
    ask(driver, ANN, HandOver(ID, "Bob"))
    ask(driver, BOB, TakeOver(ID, True))
    lost(driver)
    assert driver.hall.moved_at is not None
    assert not driver.hall.defers(GetView(ID))


def could_go_on(driver: TableDriver, key: str) -> None:
    """Let somebody be a standby, which is on record."""
    standby = Standby(THERE, 47820)
    driver.ask(key, Hello(ID, PROTOCOL_VERSION, NAMES[key], "player", None, standby, keeps=True))
    driver.play(1)


def test_only_standbys_that_are_not_here_are_asked() -> None:
    driver = a_game_of_three()
    could_go_on(driver, BOB)
    assert driver.hall.fences() == []
    ((number, fence),) = driver.hall.fences(all_standbys=True)
    assert (number, [one.name for one in fence.standbys]) == (1, ["Bob"])
    driver.wait(AWAY_SECONDS + 1, (ANN, CID))
    for _time in range(2):
        ((number, fence),) = driver.hall.fences()
        assert (number, [one.name for one in fence.standbys]) == (1, ["Bob"])
    lost(driver)
    assert driver.hall.fences(all_standbys=True) == []


@pytest.mark.parametrize("was_asked", [False, True])
def test_a_standby_that_is_back_is_asked_once_more(was_asked: bool) -> None:
    driver = a_game_of_three()
    could_go_on(driver, BOB)
    driver.wait(AWAY_SECONDS + 1, (ANN, CID))
    if was_asked:
        driver.hall.fences()
    else:
        driver.hall.tick(driver.now)
    driver.ask(BOB, GetView(ID))
    ((_number, fence),) = driver.hall.fences()
    assert [one.name for one in fence.standbys] == ["Bob"]
    assert driver.hall.fences() == []


def test_other_tables_stay_where_they_are() -> None:
    driver = a_game_of_three()
    driver.hello(DEE, table="new")
    lost(driver)
    assert driver.hall.moved_at is None
    assert [*driver.hall.tables] == [2]
    assert isinstance(ask(driver, DEE, Chat(ID, "Here")), Done)
