"""Fencing: how a host that was away finds out that its game goes on elsewhere, in a later term.

It asks at the doors of the standbys that it had. Who goes on with the game has opened its record,
and so knows a key that this host had dealt: the answer is proved with that. So no player alone,
and nobody else, can make a host believe that it has lost a table. Pure.
"""

import hmac
from collections.abc import Iterable
from hashlib import sha256
from typing import Final, NamedTuple

from coffeerush.records.entries import Record, SharedKey
from protocol import MAX_PLAYERS, AskTerm, CurveKey, Seat, Successor, Term, TermProof

NONCE_BYTES: Final = 32


def next_term(term: Term, seat: Seat | None = None) -> Term:
    """Return the term of the next host, for somebody who goes on without the host of `term`.

    Those who go on at once, or while a handover is under way, have different terms, so that the
    earlier one can give way: each seat has every fifth number, and so have handovers. `seat` is
    theirs in the game; None for a handover.
    """
    apart, mine = MAX_PLAYERS + 1, 0 if seat is None else seat + 1
    return term + 1 + (mine - term - 1) % apart


class Fence(NamedTuple):
    """What a host knows of a game that others can go on with if it is gone."""

    term: Term
    """Its own."""
    shares: tuple[SharedKey, ...]
    """The keys that were dealt in this term, in order."""
    standbys: tuple[Successor, ...]
    """Who could go on, and where."""

    def questions(self, nonce: bytes) -> tuple[AskTerm, ...]:
        """Return what to ask at each door, about the latest epoch first."""
        epochs = dict.fromkeys(share.epoch.hex() for share in reversed(self.shares))
        return tuple(AskTerm(epoch, self.term, nonce.hex()) for epoch in epochs)

    def proves(self, asked: AskTerm, answer: TermProof, key: CurveKey) -> bool:
        """Return whether the host with this key has proved that it goes on with the table."""
        if answer.term <= self.term:
            return False
        dealt = ((share.epoch.hex(), share.deal, share.key) for share in self.shares)
        wanted = asked.epoch, answer.deal
        proofs = (
            proof_of(secret, asked, answer.term, deal, key)
            for epoch, deal, secret in dealt
            if (epoch, deal) == wanted
        )
        return any(hmac.compare_digest(proof.encode(), answer.proof.encode()) for proof in proofs)


class Deed:
    """What a host can prove of the games that it has opened or taken over, by their records.

    Args:
        key: its public key.
        term: its own.
        records: those with which it has begun.
    """

    def __init__(self, key: CurveKey, term: Term, records: Iterable[Record]) -> None:
        self._key, self._term = key, term
        self._shares = {
            (share.epoch.hex(), share.term): share
            for record in records
            for share in record.shares
            if share.term < term
        }
        """The latest of each epoch and term."""

    def answer(self, asked: AskTerm) -> TermProof:
        """Return the answer to a host that asks whether its game goes on here."""
        known = self._shares.get((asked.epoch, asked.term))
        if known is None:
            return TermProof(asked.term)
        proof = proof_of(known.key, asked, self._term, known.deal, self._key)
        return TermProof(self._term, known.deal, proof)


def proof_of(secret: bytes, asked: AskTerm, term: Term, deal: int, key: CurveKey) -> str:
    """Return the proof that the host with a public key goes on, in a term; 32 bytes in hex digits.

    `secret` is the key of this deal.
    """
    words = "coffeerush term", asked.epoch, asked.term, deal, term, key, asked.nonce
    return hmac.new(secret, " ".join(map(str, words)).encode(), sha256).hexdigest()
