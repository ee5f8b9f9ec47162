"""The sealed record: who keeps it, and that it says the same as the host's."""

import pytest
from msgspec.structs import replace

from coffeerush.moving.gathering import Gathering
from coffeerush.records.entries import Record
from protocol import (
    Accepted,
    Bye,
    Chat,
    GetSealed,
    Ready,
    Remove,
    SealedPart,
    SetPause,
    Start,
    encode,
)
from tests.support.keepers import Keeper, lend_all
from tests.support.once import copied
from tests.support.tables import ANN, BOB, CID, DEE, ID, TableDriver, resumed, table_for

FAR = {ANN: "127.0.0.1", BOB: "192.0.2.2", CID: "192.0.2.3", DEE: "192.0.2.4"}


@copied
def table_of(*keys: str, intents: int = 0) -> TableDriver:
    """Return a game at Ann's host, in which the others are at machines of their own."""
    driver = table_for(len(keys))
    driver.machines = {key: FAR[key] for key in keys}
    driver.begin(*keys)
    driver.play(intents)
    return driver


def opened(*keepers: Keeper) -> Record | None:
    """Return the record that some people open, at the first one's machine."""
    first, *others = keepers
    gathering = Gathering(first.replica, first.key)
    for other in others:
        lend_all(other, gathering)
    found = gathering.opened()
    return found and found.record


def followed(driver: TableDriver, *keys: str) -> list[Keeper]:
    keepers = [Keeper(driver, key) for key in keys]
    for keeper in keepers:
        keeper.follow()
    return keepers


def same(found: Record | None, driver: TableDriver) -> bool:
    """Return whether a record replays to the host's, with the same people and the same pause."""
    true = driver.journals.record()
    return found is not None and replace(found, good=0) == replace(true, good=0)


def test_two_of_three_open_what_the_host_wrote() -> None:
    driver = table_of(ANN, BOB, CID, DEE, intents=40)
    bob, cid, dee = followed(driver, BOB, CID, DEE)
    assert same(opened(bob, cid), driver)
    assert same(opened(dee, bob), driver)
    assert opened(bob) is None


def test_the_head_is_sealed_as_it_was_written() -> None:
    """Its term, which only the journals know, is the one after which another host goes on."""
    driver = table_for(3)
    driver.machines = {key: FAR[key] for key in (ANN, BOB, CID)}
    driver.journals.term = 3
    driver.begin(ANN, BOB, CID)
    found = opened(*followed(driver, BOB, CID))
    assert found is not None
    assert found.term == 3
    assert same(found, driver)


def test_every_update_has_what_was_written_since() -> None:
    driver = table_of(ANN, BOB, CID, intents=10)
    bob, cid = followed(driver, BOB, CID)
    seen = len(driver.answers)
    driver.play(30)
    driver.ask(ANN, SetPause(ID, True, "tea"))
    bob.follow()
    cid.follow()
    asked = [key for key, answer in driver.answers[seen:] if isinstance(answer, SealedPart)]
    assert not asked
    assert same(opened(bob, cid), driver)


def test_the_answer_to_an_intent_has_it_too() -> None:
    """Its update may be lost with the host."""
    driver = table_of(ANN, BOB, CID, intents=10)
    while driver.active_key != BOB:
        driver.play(1)
    bob, cid = followed(driver, BOB, CID)
    option = driver.view(BOB).own
    assert option is not None
    answer = driver.submit(BOB, option.options[0].intent)
    assert isinstance(answer, Accepted)
    bob.take(answer)
    assert same(opened(cid, bob), driver)
    assert same(opened(bob, cid), driver)


def test_a_game_to_its_end() -> None:
    driver = table_of(ANN, BOB, CID, intents=100_000)
    found = opened(*followed(driver, BOB, CID))
    assert found is not None
    assert found.end is not None
    assert same(found, driver)


def test_each_game_has_its_own_key() -> None:
    driver = table_of(ANN, BOB, CID, intents=100_000)
    bob, cid = followed(driver, BOB, CID)
    for key in (ANN, BOB, CID):
        driver.now += 1
        driver.ask(key, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    bob.follow()
    cid.follow()
    assert [one.deal.game for one in bob.replica.deals] == [2]
    assert same(opened(bob, cid), driver)


@pytest.mark.parametrize("leave", [Bye(ID, stand_in=True), None], ids=["leaves", "is_removed"])
def test_shares_are_dealt_anew_when_somebody_goes(leave: Bye | None) -> None:
    driver = table_of(ANN, BOB, CID, DEE, intents=20)
    bob, cid, _dee = followed(driver, BOB, CID, DEE)
    if leave:
        driver.ask(DEE, leave)
    else:
        driver.ask(ANN, Remove(ID, driver.hello(DEE).seat or 0))
    driver.play(20)
    before = bob.replica.deals[-1].holders
    bob.follow()
    cid.follow()
    after = bob.replica.deals[-1].holders
    assert (before, after) == ((BOB, CID, DEE), (BOB, CID))
    assert same(opened(bob, cid), driver)
    assert driver.code(DEE, GetSealed(ID, 0, 0)) in ("say_hello", "removed")


def test_who_comes_back_gets_a_share_again() -> None:
    driver = table_of(ANN, BOB, CID, DEE, intents=20)
    driver.ask(DEE, Bye(ID))
    driver.now += 5
    driver.hello(DEE)
    bob, dee = followed(driver, BOB, DEE)
    assert same(opened(dee, bob), driver)


def test_until_the_new_key_is_whole_both_keys_count() -> None:
    """The one before opens what was there, and the new one what has come since."""
    driver = table_of(ANN, BOB, CID, DEE, intents=60)
    bob, cid = followed(driver, BOB, CID)
    first = len(driver.updates)
    driver.ask(DEE, Bye(ID))
    driver.play(3)
    for keeper in (bob, cid):
        keeper.fetch()  # the share, and some of the pieces
        keeper.hear(*driver.updates[first:])
        assert keeper.replica.lacks
    assert same(opened(bob, cid), driver)


@pytest.mark.parametrize(
    ("machines", "able"),
    [
        ({ANN: "127.0.0.1", BOB: "192.0.2.2", CID: "192.0.2.3"}, True),
        ({ANN: "127.0.0.1", BOB: "192.0.2.2", CID: "192.0.2.2"}, False),
        ({ANN: "127.0.0.1", BOB: "::1", CID: "192.0.2.3"}, False),
        ({ANN: "127.0.0.1", BOB: "192.0.2.2"}, False),
        ({ANN: "192.0.2.1", BOB: "192.0.2.2"}, True),
        ({}, False),
    ],
    ids=["each", "one_machine", "host's", "keeps_none", "headless", "old_clients"],
)
def test_a_table_needs_two_people_at_two_other_machines(
    machines: dict[str, str], able: bool
) -> None:
    driver = table_for(3)
    driver.machines = machines
    for key in (ANN, BOB, CID):
        driver.hello(key)
    assert driver.table_view.failover is able
    driver.begin(ANN, BOB, CID)
    driver.play(5)
    assert driver.latest.table.failover is able
    assert any(update.sealed for update in driver.updates) is able


def test_only_who_has_a_share_gets_pieces() -> None:
    driver = table_of(ANN, BOB, CID, intents=5)
    driver.machines[DEE] = FAR[DEE]
    driver.hello(DEE, "spectator")
    for key in (ANN, DEE):
        driver.now += 1
        assert driver.code(key, GetSealed(ID, 0, 0)) == "no_record"


def test_each_has_another_share() -> None:
    driver = table_of(ANN, BOB, CID, DEE)
    keepers = followed(driver, BOB, CID, DEE)
    assert len({keeper.replica.deals[-1].share for keeper in keepers}) == 3


def test_a_resumed_table_deals_its_own_shares() -> None:
    driver = table_of(ANN, BOB, CID, intents=30)
    bob, _cid = followed(driver, BOB, CID)
    again = resumed(driver)
    again.machines = driver.machines
    for key in (ANN, BOB, CID):
        again.hello(key)
    again.play(10)
    news = followed(again, BOB, CID)
    assert same(opened(*news), again)
    assert news[0].replica.deals[-1].deal.epoch != bob.replica.deals[-1].deal.epoch


def test_a_record_that_is_too_long_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = table_of(ANN, BOB, CID)
    while driver.latest.table.failover and driver.rev < 40:
        monkeypatch.setattr("coffeerush.host.table.replication.MAX_PIECES", 30)
        driver.play(1)
    assert not driver.latest.table.failover
    driver.play(3)
    assert driver.latest.sealed is None


def test_an_update_has_at_most_300_bytes_more() -> None:
    driver = table_of(ANN, BOB, CID, intents=60)
    more = [
        len(encode(update)) - len(encode(replace(update, sealed=None)))
        for update in driver.updates
        if update.sealed and update.sealed.pieces
    ]
    assert max(more) <= 300


def test_no_piece_is_published_in_plain_text() -> None:
    driver = table_of(ANN, BOB, CID, intents=60)
    sealed = [update.sealed for update in driver.updates if update.sealed]
    wire = b"".join(piece for one in sealed for piece in one.pieces)
    assert wire
    assert b"intent" not in wire
    assert b"entry" not in wire


def test_chat_adds_nothing() -> None:
    driver = table_of(ANN, BOB, CID)
    driver.ask(BOB, Chat(ID, "hi"))
    assert driver.latest.sealed is None or not driver.latest.sealed.pieces
