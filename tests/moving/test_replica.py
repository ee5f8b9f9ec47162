"""What one who plays keeps of the sealed record, and lends to a standby."""

import pytest

from coffeerush.moving.replica import DealOfShares, Replica, next_loan, with_pieces
from protocol import KeyShare, Lend, Sealed, SealedPart

EPOCH = b"epoch..1"
ID = bytes(15) + b"\1"
HOLDERS = ("a" * 40, "b" * 40)
SHARE = KeyShare(1, bytes(16))


def deal(number: int = 1, game: int = 1) -> DealOfShares:
    return DealOfShares(EPOCH, 1, game, number)


def piece(number: int) -> bytes:
    return b"%017d" % number


def sealed(first: int, end: int, number: int = 1) -> Sealed:
    return Sealed(number, first, tuple(map(piece, range(first, end))))


def part(first: int, end: int, size: int, number: int = 1, game: int = 1) -> SealedPart:
    return SealedPart(
        ID, EPOCH, 1, game, size, sealed(first, end, number), SHARE, 2, HOLDERS
    )  # fmt: skip


def whole(size: int = 3) -> Replica:
    return Replica().told(part(0, size, size))


def test_nothing_is_asked_for_before_a_game() -> None:
    assert not Replica().lacks


def test_what_was_missed_is_asked_for() -> None:
    replica = Replica().heard(deal(), sealed(5, 7))
    assert replica.lacks
    request = replica.request(ID)
    assert (request.deal, request.first) == (1, 0)
    replica = replica.told(part(0, 3, 8))
    assert replica.request(ID).first == 3
    replica = replica.told(part(3, 5, 8))
    assert replica.request(ID).first == 7
    assert not replica.told(part(7, 8, 8)).lacks


def test_after_a_snapshot_the_host_is_asked_once() -> None:
    replica = Replica(is_due=True)
    assert replica.request(ID).deal == 0
    assert not replica.told(part(0, 3, 3)).lacks


def test_an_update_is_enough_once_everything_is_there() -> None:
    replica = whole().heard(deal(), sealed(3, 4))
    assert not replica.lacks
    assert replica.deals[0].pieces[3] == piece(3)


def test_the_deal_before_is_kept_until_the_next_is_whole() -> None:
    replica = whole().heard(deal(2), Sealed(2, 3))
    assert [one.deal.number for one in replica.deals] == [1, 2]
    replica = replica.told(part(0, 2, 3, 2))
    assert [one.deal.number for one in replica.deals] == [1, 2]
    replica = replica.told(part(2, 3, 3, 2))
    assert [one.deal.number for one in replica.deals] == [2]


def test_a_late_message_of_the_deal_before_changes_nothing() -> None:
    replica = whole().heard(deal(2), Sealed(2, 3))
    assert replica.heard(deal(1), sealed(3, 4)) == replica


def test_another_game_replaces_the_one_before() -> None:
    replica = whole().told(part(0, 1, 5, 2, game=2))
    assert [one.deal.game for one in replica.deals] == [2]


def test_one_without_a_share_asks_once_a_deal() -> None:
    replica = Replica().heard(deal(), sealed(3, 4)).without_share()
    assert not replica.lacks
    assert not replica.heard(deal(), sealed(4, 5)).lacks
    assert replica.heard(deal(2), Sealed(2, 5)).lacks


def test_all_is_lent_run_by_run_deal_by_deal() -> None:
    replica = whole(2).heard(deal(2), Sealed(2, 2)).told(part(0, 1, 4, 2))
    replica = replica.heard(deal(2), sealed(3, 4, 2))
    loans: list[Lend] = []
    while loan := next_loan(replica, loans[-1] if loans else None, ID):
        loans.append(loan)
    assert [(one.deal, one.start, one.size) for one in loans] == [(1, 0, 2), (2, 0, 1), (2, 3, 4)]


def test_nothing_is_lent_without_a_share() -> None:
    assert next_loan(Replica().heard(deal(), sealed(0, 3)), None, ID) is None


@pytest.mark.parametrize(("wants", "lent"), [(0, 3), (3, 3), (5, 1)])
def test_pieces_are_lent_a_few_at_a_time(wants: int, lent: int) -> None:
    replica = whole(6)
    loan = next_loan(replica, None, ID)
    assert loan is not None
    more = with_pieces(replica, loan, wants, ID)
    assert more is not None
    assert (more.first, more.pieces) == (wants, tuple(map(piece, range(wants, wants + lent))))


@pytest.mark.parametrize("wants", [6, 8192])
def test_a_standby_that_wants_what_was_not_offered_gets_nothing(wants: int) -> None:
    replica = whole(6)
    loan = next_loan(replica, None, ID)
    assert loan is not None
    assert with_pieces(replica, loan, wants, ID) is None
