"""Seal pieces of a record, and share the key to them."""

from itertools import combinations

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from coffeerush.moving.replica import DealOfShares
from coffeerush.moving.sealing import (
    KEY_BYTES,
    MOST_IN_A_PIECE,
    SealingKey,
    needed_of,
    new_secret,
    pieces_of,
    secrets_from,
    shares_of,
)
from protocol import MAX_PIECE_BYTES

DEAL = DealOfShares(b"epoch..1", 1, 3, 2)
SECRET = bytes(range(KEY_BYTES))
secrets = st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES)
pieces = st.binary(min_size=1, max_size=MOST_IN_A_PIECE)
numbers = st.integers(0, 8192)


@given(secrets, numbers, pieces)
def test_a_piece_opens_at_its_place(secret: bytes, number: int, piece: bytes) -> None:
    key = SealingKey(secret, DEAL)
    sealed = key.seal(number, piece)
    assert len(sealed) <= MAX_PIECE_BYTES
    assert piece not in sealed or len(piece) < 4
    assert SealingKey(secret, DEAL).open(number, sealed) == piece


@pytest.mark.parametrize(
    "other",
    [
        DEAL._replace(epoch=b"epoch..2"),
        DEAL._replace(term=2),
        DEAL._replace(game=4),
        DEAL._replace(number=3),
    ],
)
def test_a_piece_opens_in_no_other_epoch_term_game_or_deal(other: DealOfShares) -> None:
    sealed = SealingKey(SECRET, DEAL).seal(7, b"a move")
    assert SealingKey(SECRET, other).open(7, sealed) is None


@given(st.data(), secrets, pieces)
def test_a_changed_or_misplaced_piece_does_not_open(
    data: st.DataObject, secret: bytes, piece: bytes
) -> None:
    key = SealingKey(secret, DEAL)
    sealed = key.seal(7, piece)
    at = data.draw(st.integers(0, len(sealed) - 1))
    bit = data.draw(st.integers(0, 7))
    changed = bytes(byte ^ (at == place) << bit for place, byte in enumerate(sealed))
    assert key.open(7, changed) is None
    assert key.open(8, sealed) is None
    assert key.open(7, sealed[:at]) is None


@given(st.binary(min_size=1, max_size=4 * MOST_IN_A_PIECE))
def test_the_pieces_of_a_line_are_the_line(line: bytes) -> None:
    cut = [*pieces_of(line)]
    assert b"".join(cut) == line
    assert max(map(len, cut)) <= MOST_IN_A_PIECE


@pytest.mark.parametrize(("people", "needed"), [(2, 2), (3, 2), (4, 3)])
def test_more_than_half_of_the_people_have_the_key(people: int, needed: int) -> None:
    assert needed_of(people) == needed
    shares = shares_of(SECRET, people)
    for some in combinations(shares, needed):
        assert [*secrets_from(some, needed)] == [SECRET]
    for few in combinations(shares, needed - 1):
        assert not [*secrets_from(few, needed)]


@given(secrets, st.integers(2, 4), st.data())
def test_fewer_shares_open_nothing(secret: bytes, people: int, data: st.DataObject) -> None:
    """With a share of their own making, too few people get another key."""
    sealed = SealingKey(secret, DEAL).seal(0, b"the head")
    shares = shares_of(secret, people)
    own = shares[: needed_of(people) - 1]
    made = replace(shares[-1], value=data.draw(secrets.filter(lambda it: it != shares[-1].value)))
    found = [*secrets_from((*own, made), needed_of(people))]
    assert found
    assert all(SealingKey(one, DEAL).open(0, sealed) is None for one in found)


def test_a_wrong_share_among_enough_right_ones_does_not_matter() -> None:
    right = shares_of(SECRET, 3)
    wrong = replace(right[0], value=bytes(KEY_BYTES))
    assert SECRET in secrets_from((wrong, *right[1:]), 2)
    assert SECRET in secrets_from((wrong, right[0], right[1]), 2)  # two with one number


def test_each_key_is_new() -> None:
    assert new_secret() != new_secret()
