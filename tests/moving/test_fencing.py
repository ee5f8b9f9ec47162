"""A host believes that its game goes on elsewhere only if it is proved."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from coffeerush.moving.fencing import Deed, Fence, next_term
from coffeerush.moving.gathering import Gathering
from coffeerush.records.entries import Relocation, encode_entry, read_record
from coffeerush.records.sharing import shared_so_far
from protocol import MAX_PLAYERS, AskTerm, Bye, Hello, Snapshot, Standby, Successor, TermProof
from tests.support.keepers import Keeper, lend_all
from tests.support.once import copied
from tests.support.tables import ANN, BOB, CID, ID, NAMES, TableDriver, resumed, table_for

AT_BOB, AT_CID = "b" * 40, "c" * 40
"""The keys of the hosts at their machines."""
NONCE = bytes(range(32))
MACHINES = {ANN: "127.0.0.1", BOB: "192.0.2.2", CID: "192.0.2.3"}


@copied
def a_game() -> TableDriver:
    """Return a game at Ann's host that Bob or Cid could go on with."""
    driver = table_for(3)
    driver.machines = MACHINES
    driver.begin(ANN, BOB, CID)
    everybody_comes(driver)
    driver.play(20)
    return driver


@pytest.mark.parametrize("term", range(1, 12))
def test_nobody_who_goes_on_at_once_has_the_term_of_another(term: int) -> None:
    next_ones = [next_term(term, seat) for seat in (None, *range(MAX_PLAYERS))]
    assert len({*next_ones}) == len(next_ones)
    assert min(next_ones) == term + 1


def everybody_comes(driver: TableDriver) -> None:
    for key, host in ((ANN, ""), (BOB, AT_BOB), (CID, AT_CID)):
        come(driver, key, host)


def come(driver: TableDriver, key: str, host: str) -> None:
    standby = Standby(host, 47820) if host else None
    hello = Hello(ID, 6, NAMES[key], "player", None, standby, keeps=bool(host))
    driver.now += 1
    assert isinstance(driver.ask(key, hello), Snapshot)


def fence_of(driver: TableDriver) -> Fence:
    fence = driver.table.fence
    assert fence is not None
    return fence


def opened(driver: TableDriver, host: str = AT_BOB, term: int = 2) -> Deed:
    """Return what the host at Bob's machine can prove once the record has opened there."""
    bob, cid = Keeper(driver, BOB), Keeper(driver, CID)
    bob.follow()
    cid.follow()
    gathering = Gathering(bob.replica, BOB)
    lend_all(cid, gathering)
    found = gathering.opened()
    assert found is not None
    where = Relocation(len(found.record.moves), term, host, "Bob", owner=BOB)
    record = read_record(found.data + encode_entry(where))
    return Deed(host, record.term, [record])


def proved(fence: Fence, deed: Deed, host: str = AT_BOB) -> bool:
    return any(fence.proves(one, deed.answer(one), host) for one in fence.questions(NONCE))


def test_who_has_opened_the_record_proves_it() -> None:
    driver = a_game()
    assert proved(fence_of(driver), opened(driver))


def test_the_host_asks_where_its_standbys_were() -> None:
    assert fence_of(a_game()).standbys == (
        Successor("Bob", AT_BOB, MACHINES[BOB], 47820),
        Successor("Cid", AT_CID, MACHINES[CID], 47820),
    )


def test_a_host_that_was_killed_asks_the_same() -> None:
    driver = a_game()
    deed = opened(driver)
    again = fence_of(resumed(driver))
    assert again.standbys == fence_of(driver).standbys
    assert proved(again, deed)


def test_so_does_one_that_has_gone_on_for_a_while() -> None:
    driver = a_game()
    deed = opened(driver)
    again = resumed(driver)
    again.machines = MACHINES
    everybody_comes(again)
    again.play(5)
    assert len(fence_of(again).questions(NONCE)) == 2
    assert proved(fence_of(again), deed)


def test_a_key_from_before_somebody_left_is_still_known() -> None:
    driver = a_game()
    deed = opened(driver)
    driver.ask(CID, Bye(ID))
    driver.play(5)
    assert proved(fence_of(driver), deed)


LIES: dict[str, Callable[[TermProof], TermProof]] = {
    "same_term": lambda answer: replace(answer, term=1),
    "later_term": lambda answer: replace(answer, term=answer.term + 1),
    "other_deal": lambda answer: replace(answer, deal=answer.deal + 1),
    "no_proof": lambda answer: replace(answer, proof=""),
    "not_ascii": lambda answer: replace(answer, proof="é" * 64),
    "wrong_proof": lambda answer: replace(answer, proof="0" * 64),
}


@pytest.mark.parametrize("lie", LIES)
def test_nothing_else_is_believed(lie: str) -> None:
    driver = a_game()
    (asked,) = fence_of(driver).questions(NONCE)
    answer = opened(driver).answer(asked)
    assert not fence_of(driver).proves(asked, LIES[lie](answer), AT_BOB)


def test_a_proof_is_for_one_question_and_one_host() -> None:
    driver = a_game()
    fence, deed = fence_of(driver), opened(driver)
    (asked,), (other,) = fence.questions(NONCE), fence.questions(NONCE[::-1])
    assert not fence.proves(other, deed.answer(asked), AT_BOB)
    assert not fence.proves(asked, deed.answer(asked), AT_CID)


def test_a_host_before_this_one_can_prove_nothing() -> None:
    """It knows the keys that were dealt in its own term, and none of this one's."""
    driver = a_game()
    fence = fence_of(driver)
    before = replace(fence.shares[0], term=1)
    later = Fence(2, (replace(fence.shares[0], term=2, key=b"k" * 16),), fence.standbys)
    record = replace(driver.journals.record(), shares=(before, replace(before, term=2)))
    assert not proved(later, Deed(AT_BOB, 3, [record]))


def test_a_game_of_others_is_not_here() -> None:
    deed = opened(a_game())
    asked = AskTerm("00" * 8, 1, NONCE.hex())
    assert deed.answer(asked) == TermProof(1)


def test_copies_for_guests_do_not_have_the_keys() -> None:
    driver = a_game()
    driver.play()
    record = driver.journals.record()
    assert record.shares
    assert read_record(shared_so_far(record).data).shares == ()
