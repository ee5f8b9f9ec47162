"""When a client asks for the record of a game, over whatever order its messages come in."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from coffeerush.client import recording, session
from coffeerush.client.model import Model, RecordFetch, Role
from coffeerush.records.sharing import checked_copy
from coffeerush.ui.words.errors import error_line
from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Answer,
    Bye,
    Done,
    GetRecord,
    Hello,
    Malformed,
    Ready,
    RecordPart,
    Refused,
    RefusedError,
    Remove,
    Start,
)
from tests.support.local import DrivenClient
from tests.support.once import copied
from tests.support.tables import ANN, BOB, CID, DEE, ID, TableDriver, table_for


class Client(DrivenClient):
    """A client that keeps records."""

    def __init__(self, driver: TableDriver, key: str, role: Role = "player") -> None:
        super().__init__(driver, Model(role, key[:1].upper(), key=key, keeps_records=True))

    @property
    def parts(self) -> list[GetRecord]:
        return [one for one in self.asked if isinstance(one, GetRecord)]

    @property
    def fetch(self) -> RecordFetch:
        assert self.model.record is not None
        return self.model.record


@copied
def a_table() -> tuple[TableDriver, Client, Client]:
    """Return a table with a game of Ann and Bob, and two clients: Bob's, and a spectator's."""
    driver = table_for()
    driver.hello(ANN)
    bob, cid = Client(driver, BOB), Client(driver, CID, "spectator")
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    bob.catch_up()
    cid.catch_up()
    return driver, bob, cid


@copied
def after_a_game() -> tuple[TableDriver, Client, Client]:
    """Return them after the game, of whose end the clients have not heard."""
    table = a_table()
    table[0].play()
    return table


def test_players_and_spectators_get_the_record_when_the_game_is_over() -> None:
    driver, bob, cid = a_table()
    driver.play(60)
    bob.catch_up()
    assert not bob.parts
    driver.play()
    for client in (bob, cid):
        client.catch_up()
        assert [one.offset for one in client.parts] == [0, 16384, 32768]
        assert client.fetch.is_whole
        assert checked_copy(client.fetch.data, client.fetch.witness).end
    assert bob.fetch.witness.seat == 1
    assert cid.fetch.witness.seat is None


def test_a_client_that_missed_the_end_gets_it_during_the_next_game() -> None:
    driver, bob, cid = a_table()
    driver.play(60)
    bob.catch_up()
    cid.catch_up()
    driver.play()
    driver.now += 5
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    for client in (bob, cid):
        client.catch_up(driver.updates[-1:])  # all others are lost
        client.catch_up([])
        client.take(session.keepalive(client.model, client.ids.randbytes(16)))
        assert client.model.game == 2
        assert client.fetch.game == 1
        assert client.fetch.witness.rev <= 60
        assert checked_copy(client.fetch.data, client.fetch.witness).end


def test_a_client_that_missed_the_end_gets_it_in_the_lobby() -> None:
    driver, _bob, cid = a_table()
    driver.play(60)
    cid.catch_up()
    driver.play()
    driver.now += 5
    for key in (ANN, BOB):
        driver.ask(key, Bye(ID))
    assert driver.table_view.stage == "lobby"
    cid.catch_up(driver.updates[-1:])
    cid.take(session.keepalive(cid.model, cid.ids.randbytes(16)))
    assert checked_copy(cid.fetch.data, cid.fetch.witness).end


def test_the_record_is_true_though_others_have_taken_the_seats_since() -> None:
    driver, _bob, cid = after_a_game()
    driver.ask(ANN, Remove(ID, 1))
    driver.ask(ANN, AddBot(ID, 1, "casual"))
    dee = Client(driver, DEE, "spectator")  # somebody new, and somebody with this very record
    again = Client(driver, CID, "spectator")
    cid.catch_up()
    for client in (cid, dee, again):
        assert checked_copy(client.fetch.data, client.fetch.witness).end
    assert [seat.name for seat in dee.fetch.witness.seats] == ["Ann", "B"]


def test_each_game_is_asked_for_once() -> None:
    driver, bob, _cid = after_a_game()
    bob.catch_up()
    bob.model = recording.settled(bob.model, bob.fetch.filed("a.record"))
    before = len(bob.parts)
    driver.now += 5
    driver.ask(ANN, Ready(ID, True))
    bob.catch_up()
    assert len(bob.parts) == before
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    driver.play()
    bob.catch_up()
    assert bob.fetch.game == 2
    assert bob.fetch.is_whole


@pytest.mark.parametrize("change", [{"protocol": 4}, {"keeps_records": False}])
def test_hosts_of_version_4_are_not_asked_and_bots_do_not_ask(change: dict[str, int]) -> None:
    driver, bob, _cid = a_table()
    bob.model = replace(bob.model, **change)
    driver.play()
    bob.catch_up()
    assert bob.model.record is None
    assert not bob.parts


def test_a_client_speaks_the_version_of_an_older_host() -> None:
    from tests.support.hosts import BANNER

    older = session.admitted(Model("player", "Bob"), replace(BANNER, newest=4), BOB)
    _model, (hello,) = session.join(older, b"i" * 16)
    assert isinstance(hello, Hello)
    assert hello.protocol == 4
    newer = session.admitted(older, replace(BANNER, newest=99), BOB)
    assert newer.protocol == PROTOCOL_VERSION


def asking() -> tuple[Client, GetRecord]:
    """Return a client whose request for a record has no answer yet."""
    driver, bob, _cid = after_a_game()
    bob.model = replace(bob.model, keeps_records=False)
    bob.catch_up()
    bob.model = replace(bob.model, keeps_records=True)
    last = driver.updates[-1]
    news = replace(last, seq=last.seq + 1, events=())
    bob.model, (asked,) = session.hear(bob.model, news, b"a" * 16)
    assert isinstance(asked, GetRecord)
    return bob, asked


NO_RECORD = RefusedError("no_record", game=1)


def refused(asked: GetRecord, error: RefusedError) -> Refused:
    return Refused(asked.id, error.refusal, 1, 1)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda asked: refused(asked, NO_RECORD), "The host has no record of game 1."),
        (lambda asked: Malformed(asked.id, "wrong_shape", "?"), "does not send the record"),
        (lambda asked: Done(asked.id), "does not send the record"),
    ],
)
def test_a_host_without_the_record_is_no_reason_to_leave(
    answer: Callable[[GetRecord], Answer], said: str
) -> None:
    client, asked = asking()
    client.hear(answer(asked))
    assert client.model.status == "here"
    assert client.model.refusal is None
    assert client.fetch.trouble
    assert said in error_line(client.fetch.trouble)
    assert not recording.next_part(client.model)


def test_too_fast_is_asked_again() -> None:
    client, asked = asking()
    client.hear(refused(asked, RefusedError("too_fast", most=20)))
    assert asked in client.model.pending
    assert client.fetch.trouble is None


def test_parts_that_do_not_fit_are_an_error() -> None:
    for sizes in ((2, 3), (2, 2)):
        client, asked = asking()
        parts = [RecordPart(asked.id, sizes[0], b"x"), RecordPart(asked.id, sizes[1], b"yz")]
        one = client.fetch.added(parts[0])
        two = one.added(parts[1])
        assert two.trouble
        assert two.data == b""


def test_an_answer_about_an_earlier_game_says_nothing_about_this_one() -> None:
    client, asked = asking()
    fetch = client.fetch
    later = replace(fetch, witness=replace(fetch.witness, game=2))
    model = replace(client.model, record=later)
    for answer in (refused(asked, NO_RECORD), RecordPart(asked.id, 9, b"x")):
        assert recording.take_part(model, asked, answer) is model


def test_nothing_is_asked_while_leaving() -> None:
    client, _asked = asking()
    client.model, (bye,) = session.wish(client.model, Bye(ID), b"b" * 16)
    client.catch_up()
    assert client.model.pending == (bye,)
