"""Open a sealed record with the shares of those who have lost its host."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.moving.failover import Failover
from coffeerush.moving.gathering import Gathering
from coffeerush.moving.replica import Replica, next_loan, with_pieces
from protocol import MAX_PIECES, KeyShare, Lend
from tests.support.keepers import Keeper, lend_all
from tests.support.once import copied
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, TableDriver, table_for


@copied
def played_by_four() -> TableDriver:
    driver = table_for(4)
    driver.machines = {BOB: "192.0.2.2", CID: "192.0.2.3", DEE: "192.0.2.4"}
    driver.begin(ANN, BOB, CID, DEE)
    driver.play(30)
    return driver


def keepers() -> list[Keeper]:
    driver = played_by_four()
    found = [Keeper(driver, key) for key in (BOB, CID, DEE)]
    for keeper in found:
        keeper.follow()
    return found


def first_loan(keeper: Keeper) -> Lend:
    loan = next_loan(keeper.replica, None, ID)
    assert loan is not None
    return loan


def test_it_is_complete_once_everybody_has_lent() -> None:
    bob, cid, dee = keepers()
    gathering = Gathering(bob.replica, BOB)
    assert gathering.lenders == {BOB, CID, DEE}
    assert gathering.shares == (1, 2)
    lend_all(cid, gathering)
    assert gathering.shares == (2, 2)
    assert not gathering.is_complete
    assert gathering.opened()
    lend_all(dee, gathering)
    assert gathering.is_complete


def test_one_share_opens_nothing() -> None:
    bob, _cid, _dee = keepers()
    gathering = Gathering(bob.replica, BOB)
    lend_all(bob, gathering)
    assert gathering.opened() is None


def test_who_has_seen_more_is_asked_for_it() -> None:
    driver = played_by_four()
    bob, cid = Keeper(driver, BOB), Keeper(driver, CID)
    bob.follow()
    driver.play(10)
    cid.follow()
    gathering = Gathering(bob.replica, BOB)
    loan = first_loan(cid)
    wants = gathering.lend(CID, loan)
    assert wants == bob.replica.deals[-1].whole
    assert not gathering.is_complete
    lend_all(cid, gathering)
    opened = gathering.opened()
    assert opened is not None
    assert opened.data == bytes(driver.journals.files[-1])


def test_a_standby_without_any_piece_borrows_all() -> None:
    bob, cid, _dee = keepers()
    bare = Replica(tuple(replace(one, pieces={}, whole=0) for one in bob.replica.deals))
    gathering = Gathering(bare, BOB)
    lend_all(cid, gathering)
    opened = gathering.opened()
    assert opened is not None
    assert opened.record.moves


def test_nobody_else_can_lend_a_share() -> None:
    bob, cid, _dee = keepers()
    gathering = Gathering(bob.replica, BOB)
    for key in (ANN, EVE):
        assert gathering.lend(key, first_loan(cid)) is None
    assert gathering.opened() is None


def test_one_lender_counts_once_with_however_many_shares() -> None:
    bob, cid, dee = keepers()
    own = Replica(tuple(replace(one, share=KeyShare(1, bytes(16))) for one in bob.replica.deals))
    gathering = Gathering(own, BOB)  # whose own share is lost
    lend_all(cid, gathering)
    gathering.lend(CID, replace(first_loan(cid), share=first_loan(dee).share))
    assert gathering.opened() is None


@pytest.mark.parametrize("field", ["epoch", "term", "game", "deal"])
def test_shares_of_another_deal_count_for_nothing(field: str) -> None:
    bob, cid, _dee = keepers()
    gathering = Gathering(bob.replica, BOB)
    loan = first_loan(cid)
    other = b"epoch..9" if field == "epoch" else getattr(loan, field) + 1
    assert gathering.lend(CID, replace(loan, **{field: other})) is None
    assert gathering.opened() is None


def test_a_wrong_share_does_not_keep_the_others_from_opening() -> None:
    bob, cid, dee = keepers()
    gathering = Gathering(bob.replica, BOB)
    gathering.lend(CID, replace(first_loan(cid), share=KeyShare(2, bytes(16))))
    assert gathering.opened() is None
    lend_all(dee, gathering)
    assert gathering.opened() is not None


def test_wrong_pieces_are_passed_over() -> None:
    driver = played_by_four()
    bob, cid, dee = (Keeper(driver, key) for key in (BOB, CID, DEE))
    bob.follow()
    driver.play(10)
    cid.follow()
    dee.follow()
    gathering = Gathering(bob.replica, BOB)
    chance = Random(3)
    made = replace(first_loan(cid), size=MAX_PIECES)
    wants = gathering.lend(CID, made)
    for _each in range(20):
        assert wants is not None
        pieces = tuple(chance.randbytes(200) for _ in range(3))
        wants = gathering.lend(CID, replace(made, first=wants, pieces=pieces))
    lend_all(dee, gathering)
    opened = gathering.opened()
    assert opened is not None
    assert opened.data == bytes(driver.journals.files[-1])


def test_a_lender_hands_out_nothing_that_it_did_not_offer() -> None:
    _bob, cid, _dee = keepers()
    loan = first_loan(cid)
    assert with_pieces(cid.replica, loan, loan.size, ID) is None


def test_the_parent_tells_its_host_all_that_it_has() -> None:
    bob, _cid, _dee = keepers()
    told = Failover(2, "Café at six", "Bob", BOB, bob.replica)
    assert Failover.decode(told.encode()) == told
