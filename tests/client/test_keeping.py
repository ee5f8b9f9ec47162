"""A client keeps the sealed record of its game, lends it, and finds out a standby that lies."""

from collections.abc import Callable
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client import keeping, session
from coffeerush.client.model import Model
from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Table
from coffeerush.moving.gathering import Gathering
from coffeerush.records.entries import Relocation, encode_entry, read_record
from coffeerush.rules import standard_deck
from protocol import (
    MAX_PLAYERS,
    NO_ID,
    PROTOCOL_VERSION,
    Bye,
    Chat,
    EndTurn,
    GetSealed,
    Hello,
    HostStopping,
    Lend,
    Moved,
    Refused,
    Remove,
    Request,
    Said,
    SetPause,
    Standby,
    Tick,
    Update,
)
from scripts.programs.vectors.valid import TO
from tests.support.local import DrivenClient
from tests.support.once import copied
from tests.support.tables import ANN, BOB, CID, DEE, ID, TableDriver, table_for

STANDBY = "s" * 40
"""The key of the host at Bob's machine."""


class Client(DrivenClient):
    """A client that keeps the sealed record."""

    def __init__(self, driver: TableDriver, key: str, *, keeps: bool = True) -> None:
        self.gathering: Gathering | None = None
        super().__init__(driver, Model("player", key[:1].upper(), key=key, keeps_replica=keeps))

    def send(self, request: Request) -> None:
        if self.gathering:
            self.hear(self.gathering.answer(self.model.key, request))
        else:
            super().send(request)

    def lose_host(self) -> None:
        """Hear nothing any more, and turn to the standby."""
        self.driver = None
        lost = session.lose(self.model)
        self.model = keeping.turned(lost, STANDBY)

    @property
    def loans(self) -> list[Lend]:
        return [one for one in self.asked if isinstance(one, Lend)]


@copied
def a_game() -> tuple[TableDriver, Client, Client]:
    """Return a game of Ann, whose host it is, Bob and Cid, and the clients of the latter."""
    driver = table_for(3)
    driver.machines = {ANN: "127.0.0.1", BOB: "192.0.2.2", CID: "192.0.2.3"}
    driver.hello(ANN)
    bob, cid = Client(driver, BOB), Client(driver, CID)
    driver.begin(ANN, BOB, CID)
    for client in (bob, cid):
        client.catch_up()
    for _each in range(40):
        driver.play(1)
        bob.catch_up()
        cid.catch_up()
    return driver, bob, cid


def gone_on(driver: TableDriver, *, term: int = 2, moves: int | None = None) -> TableDriver:
    """Return the table at a standby, perhaps in another term, or with fewer moves."""
    data = bytes(driver.journals.files[-1])
    lines = data.splitlines(keepends=True)
    if moves is not None:
        lines = lines[: moves + 1]
    record = read_record(b"".join(lines))
    if term > 1:
        where = Relocation(len(record.moves), term, STANDBY, "Bob", owner=BOB)
        record = read_record(b"".join(lines) + encode_entry(where))
    config = TableConfig(name="?", seats=MAX_PLAYERS, deck=standard_deck())
    table = Table.resume(record, config, driver.journals, b"epoch..2", Random(9))
    again = TableDriver(table, driver.journals)
    again.machines = driver.machines
    return again


def test_a_client_has_all_of_the_record_and_asks_once() -> None:
    driver, bob, cid = a_game()
    gathering = Gathering(bob.model.replica, BOB)
    cid.gathering, cid.driver = gathering, None
    cid.model = keeping.turned(session.lose(cid.model), STANDBY)
    cid.join()
    opened = gathering.opened()
    assert opened is not None
    assert opened.data == bytes(driver.journals.files[-1])
    assert len([one for one in bob.asked if isinstance(one, GetSealed)]) == 1


def test_a_gap_is_filled() -> None:
    driver, bob, _cid = a_game()
    driver.play(3)
    bob.heard = len(driver.updates)  # these are lost
    driver.play(1)
    bob.catch_up()
    assert not bob.model.replica.lacks
    assert not bob.model.replica.is_due


def test_a_client_that_keeps_nothing_asks_for_nothing() -> None:
    driver = table_for(3)
    driver.machines = {BOB: "192.0.2.2", CID: "192.0.2.3"}
    dee = Client(driver, DEE, keeps=False)
    driver.begin(ANN, BOB, DEE)
    driver.play(5)
    dee.catch_up()
    assert not dee.model.replica.deals
    assert not [one for one in dee.asked if isinstance(one, GetSealed)]


def test_all_is_forgotten_once_nobody_could_go_on() -> None:
    driver, bob, _cid = a_game()
    driver.ask(CID, Bye(NO_ID.replace(b"\0", b"\1")))
    bob.catch_up()
    assert bob.model.table
    assert not bob.model.table.failover
    assert not bob.model.replica.deals


def test_a_standby_is_in_the_order_of_succession() -> None:
    _driver, bob, _cid = a_game()
    assert keeping.rank(bob.model) is None
    able = replace(bob.model, standby=Standby(STANDBY, 47820))
    assert able.table is not None
    named = replace(able, table=replace(able.table, standbys=("C", "B")))
    assert keeping.rank(named) == 1
    assert keeping.is_safe(named)
    over = replace(named, table=replace(able.table, standbys=("B",), stage="result"))
    assert keeping.rank(over) is None


def test_the_table_goes_on_where_a_standby_shows_it() -> None:
    driver, _bob, cid = a_game()
    cid.lose_host()
    cid.driver = gone_on(driver)
    cid.join()
    model = cid.model
    assert (model.status, model.turned_to) == ("here", "")
    assert model.table is not None
    assert model.table.term == 2


def test_the_table_is_as_it_was_where_it_goes_on() -> None:
    driver = table_for(4, turn_seconds=60, bot_seconds=3)
    driver.machines = {ANN: "127.0.0.1", BOB: "192.0.2.2", CID: "192.0.2.3", DEE: "192.0.2.4"}
    driver.hello(ANN)
    cid = Client(driver, CID)
    driver.begin(ANN, BOB, CID, DEE)
    cid.catch_up()
    driver.ask(CID, Chat(ID, "Is it my turn?"))
    for _each in range(40):
        driver.play(1)
        cid.catch_up()
    for request in (Remove(ID, _seat(driver, DEE)), SetPause(ID, True, "tea")):
        driver.now += 1
        driver.ask(ANN, request)
        cid.catch_up()
    before = driver.table_view
    cid.lose_host()
    cid.driver = there = gone_on(driver)
    cid.join()
    after = there.table_view
    lines = [event.text for event in cid.model.log if isinstance(event, Said)]
    assert lines == ["Is it my turn?"]
    for what in ("name", "turn_seconds", "bot_seconds", "starters", "tallies", "pause", "hints"):
        assert getattr(after, what) == getattr(before, what), what
    kept = [(seat.name, seat.letter, seat.colour) for seat in before.seats]
    assert [(seat.name, seat.letter, seat.colour) for seat in after.seats] == kept
    assert after.owner == _seat(driver, BOB)
    assert there.state == driver.state
    refused = there.ask(DEE, Hello(ID, PROTOCOL_VERSION, "Dee", "player"))
    assert isinstance(refused, Refused)
    assert refused.refusal.code == "removed"


def test_a_turn_has_all_its_time_again_where_the_table_goes_on() -> None:
    driver = table_for(3, turn_seconds=60)
    driver.begin(ANN, BOB, CID)
    driver.play_until(1)
    driver.now += 50
    there = gone_on(driver)
    there.hello(BOB)
    assert there.table_view.clock is not None
    assert there.table_view.clock > 50


def _seat(driver: TableDriver, key: str) -> int:
    return [seat.key for seat in driver.journals.record().head.seats].index(key)


@copied
def another_game() -> TableDriver:
    driver = table_for(3, seed=6)
    driver.begin(ANN, BOB, CID)
    driver.play(40)
    return driver


def other_seats(driver: TableDriver) -> TableDriver:
    """Return a table of another deal, with the same people on other seats."""
    other = table_for(3, seed=7, owner=BOB)
    other.begin(BOB, CID, ANN)
    other.play(driver.rev)
    return other


LIES: dict[str, Callable[[TableDriver], TableDriver]] = {
    "the same term": lambda driver: gone_on(driver, term=1),
    "fewer moves": lambda driver: gone_on(driver, moves=driver.rev - 1),
    "another game": lambda driver: gone_on(another_game()),
    "another seat": lambda driver: gone_on(other_seats(driver)),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_standby_that_lies_is_left(lie: str) -> None:
    driver, _bob, cid = a_game()
    seen = cid.model.view
    cid.lose_host()
    cid.driver = LIES[lie](driver)
    cid.join()
    model = cid.model
    assert model.distrusted == {STANDBY}
    assert model.view == seen
    assert model.table is not None
    assert model.table.term == 1


@pytest.mark.parametrize(
    "what",
    ["update", "moved", "stops"],
)
def test_nothing_counts_that_a_standby_says_before_it_shows_the_table(what: str) -> None:
    driver, _bob, cid = a_game()
    last = driver.latest
    cid.lose_host()
    news: Update | Moved = Moved(replace(TO, term=9))
    if what != "moved":
        events = (HostStopping(),) if what == "stops" else ()
        news = replace(last, seq=last.seq + 1, rev=last.rev + 1, events=events)
    before = cid.model
    cid.hear(news)
    after = cid.model
    assert (after.rev, after.seq, after.status, after.moved) == (
        before.rev,
        before.seq,
        "lost",
        None,
    )


def test_a_call_of_a_gathering_standby_is_answered_by_a_hello() -> None:
    _driver, bob, cid = a_game()
    cid.lose_host()
    cid.gathering = Gathering(bob.model.replica, BOB)
    asked = len(cid.asked)
    cid.hear(Tick(b"epoch..9", 0, 0, 0, ()))
    assert [type(one).__name__ for one in cid.asked[asked:]] == ["Hello", "Lend"]
    assert cid.model.refusal
    assert cid.model.refusal.code == "gathering"


def test_what_the_host_has_not_answered_waits_for_the_next() -> None:
    driver, bob, cid = a_game()
    chat = Chat(bytes(15) + b"\7", "Where are you?")
    cid.model = replace(cid.model, pending=(chat,))
    cid.lose_host()
    cid.gathering = Gathering(bob.model.replica, BOB)
    cid.join()
    assert chat in cid.model.pending
    cid.gathering, cid.driver = None, gone_on(driver)
    cid.join()
    assert chat in cid.model.pending


def test_nothing_is_lent_to_a_host_that_is_known() -> None:
    """Only the refusal of a standby makes a client lend: its own host has the key anyway."""
    driver, bob, _cid = a_game()
    driver.play(3)
    bob.catch_up()
    assert not bob.loans


def test_an_intent_in_flight_is_kept_for_the_next_host() -> None:
    driver, bob, cid = a_game()
    while driver.active_key != CID:
        driver.play(1)
        cid.catch_up()
    submit = driver.wish(EndTurn(), bytes(15) + b"\7")
    cid.model = replace(cid.model, pending=(submit,))
    cid.lose_host()
    cid.gathering = Gathering(bob.model.replica, BOB)
    cid.join()
    assert submit in cid.model.pending


def test_a_snapshot_at_a_later_rev_is_believed() -> None:
    driver, _bob, cid = a_game()
    driver.play(2)  # which Cid does not see
    cid.lose_host()
    cid.driver = gone_on(driver)
    cid.join()
    assert cid.model.rev == driver.rev
    assert not cid.model.distrusted


def test_a_standby_with_other_cups_is_left() -> None:
    driver, _bob, cid = a_game()
    seat = cid.model.seat or 0
    while driver.state.players[seat].cups[0] == driver.state.players[seat].cups[1]:
        driver.play(1)
        cid.catch_up()
    view = cid.model.view
    assert view is not None
    assert view.own is not None
    first, second, third = view.own.cups
    swapped = replace(view.own, cups=(second, first, third))
    cid.model = replace(cid.model, view=replace(view, own=swapped))
    cid.lose_host()
    cid.driver = gone_on(driver)
    cid.join()
    assert cid.model.distrusted == {STANDBY}
