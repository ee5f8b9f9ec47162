"""Pieces of a record, sealed under a key that nobody has alone.

The record's first line, which tells the deck and who may not come back, is cut into pieces; each
later line is one. A piece is sealed by AES-GCM with its place as associated data, so it opens at
no other place, in no other game and under no other key. AES-GCM is that of the package
`cryptography`, the sharing of keys that of PyCryptodome.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from protocol import MAX_PIECE_BYTES, KeyShare

from .replica import DealOfShares

KEY_BYTES: Final = 16
TAG_BYTES: Final = 16
MOST_IN_A_PIECE: Final = MAX_PIECE_BYTES - TAG_BYTES
_NONCE_BYTES: Final = 12


class SealingKey:
    """Seals and opens the pieces of a deal; `secret` has `KEY_BYTES`."""

    def __init__(self, secret: bytes, deal: DealOfShares) -> None:
        self.secret = secret
        self._bound = b"coffeerush %b %d %d %d " % (deal.epoch.hex().encode(), *deal[1:])

    def seal(self, number: int, piece: bytes) -> bytes:
        """Return a piece sealed: the same bytes each time, and no other piece has its number."""
        # imported late: most tables need it never
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(self.secret).encrypt(*self._place(number, piece))

    def open(self, number: int, sealed: bytes) -> bytes | None:
        """Return a piece; None if it was not sealed under this key, at this place."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        try:
            return AESGCM(self.secret).decrypt(*self._place(number, sealed))
        except InvalidTag:
            return None

    def _place(self, number: int, piece: bytes) -> tuple[bytes, bytes, bytes]:
        """Return the nonce of a piece, the piece, and the data that is bound to it.

        Each number is sealed once under a key, so it makes a good nonce.
        """
        return number.to_bytes(_NONCE_BYTES), piece, self._bound + b"%d" % number


def pieces_of(line: bytes) -> Iterator[bytes]:
    """Yield the pieces of a line of a record."""
    for start in range(0, len(line), MOST_IN_A_PIECE):
        yield line[start : start + MOST_IN_A_PIECE]


# The key, and its shares


def needed_of(people: int) -> int:
    """Return how many shares are the key: those of more than half of the people who have one.

    A host deals to two people at least, because one share of one would be the whole key.
    """
    return people // 2 + 1


def new_secret() -> bytes:
    """Draw a key at random."""
    from Crypto.Random import get_random_bytes

    return get_random_bytes(KEY_BYTES)


def shares_of(secret: bytes, people: int) -> tuple[KeyShare, ...]:
    """Split a key by Shamir's scheme: fewer than `needed_of(people)` shares tell nothing of it."""
    from Crypto.Protocol.SecretSharing import Shamir

    shares = Shamir.split(needed_of(people), people, secret)
    return tuple(KeyShare(index, value) for index, value in shares)


def secrets_from(shares: Sequence[KeyShare], needed: int) -> Iterator[bytes]:
    """Yield what the key may be: any share may be wrong, so each choice of `needed` is tried."""
    from Crypto.Protocol.SecretSharing import Shamir

    distinct = dict.fromkeys(shares)
    for chosen in combinations(distinct, needed):
        if len({share.index for share in chosen}) == needed:
            yield Shamir.combine([(share.index, share.value) for share in chosen])
