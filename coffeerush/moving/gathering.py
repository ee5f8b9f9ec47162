"""Open a sealed record with the shares of those who have lost its host. Pure."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from coffeerush.errors import RecordError
from coffeerush.records.entries import Record, read_record
from protocol import (
    MAX_PIECES,
    CurveKey,
    KeyShare,
    Lend,
    Lent,
    PieceNumber,
    Refused,
    RefusedError,
    Request,
)

from .replica import DealOfShares, Dealt, Replica
from .sealing import SealingKey, secrets_from


class OpenedRecord(NamedTuple):
    """A record that has opened, and the bytes of its file."""

    data: bytes
    record: Record


class _Collected:
    """What has been lent of one deal; `own` is what this client has itself."""

    def __init__(self, own: Dealt, key: CurveKey) -> None:
        self.own = own
        self.shares: dict[CurveKey, KeyShare] = {key: own.share} if own.share else {}
        self.lent: dict[CurveKey, dict[int, bytes]] = {}
        self.wanting: set[CurveKey] = set()
        """Lenders who have pieces that they were asked for."""
        self._key: SealingKey | None = None

    def lend(self, key: CurveKey, request: Lend) -> PieceNumber | None:
        """Note what somebody lends; return the first piece that they have and is lacking."""
        self.shares[key] = request.share
        lent = self.lent.setdefault(key, {})
        lent.update(enumerate(request.pieces[: MAX_PIECES - request.first], request.first))
        offered = range(request.start, request.size)
        lacks = (number for number in offered if number not in self.own.pieces)
        wants = next((number for number in lacks if number not in lent), None)
        if wants is None:
            self.wanting.discard(key)
        else:
            self.wanting.add(key)
        return wants

    def piece(self, number: int) -> bytes | None:
        """Return a piece of the record; None if nobody has it, or the key is not known."""
        key = self._opened()
        if key is None:
            return None
        opened = (key.open(number, sealed) for sealed in self._sealed(number))
        return next((piece for piece in opened if piece is not None), None)

    def _opened(self) -> SealingKey | None:
        if self._key is None:
            self._key = next(self._keys_that_open(), None)
        return self._key

    def _keys_that_open(self) -> Iterator[SealingKey]:
        for secret in secrets_from(tuple(self.shares.values()), self.own.needed):
            key = SealingKey(secret, self.own.deal)
            if any(key.open(number, sealed) is not None for number, sealed in self._samples()):
                yield key

    def _samples(self) -> Iterator[tuple[int, bytes]]:
        """Yield sealed pieces of which one opens: the host has sent those that are its own."""
        if self.own.pieces:
            yield next(iter(self.own.pieces.items()))
            return
        for lent in self.lent.values():
            yield from lent.items()

    def _sealed(self, number: int) -> Iterator[bytes]:
        for pieces in (self.own.pieces, *self.lent.values()):
            if number in pieces:
                yield pieces[number]


class Gathering:
    """Collects shares and pieces until the record opens.

    All that others lend is hostile: a wrong share or piece is passed over, because it opens
    nothing. Each of those to whom the host dealt a share counts once.

    Args:
        own: what this client has itself.
        key: its public key at the host that is gone.
    """

    def __init__(self, own: Replica, key: CurveKey) -> None:
        told = [dealt for dealt in own.deals if dealt.share is not None]
        assert told, "only one who has a share goes on with a table"
        self._deals = {dealt.deal: _Collected(dealt, key) for dealt in told}
        self._latest = self._deals[told[-1].deal]

    @property
    def lenders(self) -> frozenset[CurveKey]:
        """The keys of those to whom the host dealt shares."""
        return frozenset(key for collected in self._deals.values() for key in collected.own.holders)

    @property
    def is_complete(self) -> bool:
        """Whether everybody has lent all that they have."""
        latest = self._latest
        return latest.shares.keys() >= {*latest.own.holders} and not latest.wanting

    @property
    def shares(self) -> tuple[int, int]:
        """Return how many shares of the latest deal there are, and how many are needed."""
        return len(self._latest.shares), self._latest.own.needed

    def answer(self, key: CurveKey, request: Request) -> Lent | Refused:
        """Return the answer to a request: before the record opens, there is no table here."""
        if isinstance(request, Lend):
            return Lent(request.id, self.lend(key, request))
        have, needs = self.shares
        refusal = RefusedError("gathering", needs=needs, have=have).refusal
        return Refused(request.id, refusal, 0, 0)

    def lend(self, key: CurveKey, request: Lend) -> PieceNumber | None:
        """Take what somebody lends; return the first piece that they have and is lacking."""
        named = request.epoch, request.term, request.game, request.deal
        deal = self._deals.get(DealOfShares(*named))
        if deal is None or key not in deal.own.holders:
            return None
        return deal.lend(key, request)

    def opened(self) -> OpenedRecord | None:
        """Return the record, checked and replayed; None as long as it does not open.

        Deals of one epoch seal the same pieces, so that one may supply what another lacks. The
        longest record is the one to go on with.
        """
        epochs = dict.fromkeys((deal.epoch, deal.term) for deal in self._deals)
        found = [opened for opened in map(self._record, epochs) if opened is not None]
        return max(found, key=lambda opened: len(opened.record.moves), default=None)

    def _record(self, epoch: tuple[bytes, int]) -> OpenedRecord | None:
        deals = [
            collected for deal, collected in self._deals.items() if (deal.epoch, deal.term) == epoch
        ]
        pieces = []
        for number in count():
            found = (collected.piece(number) for collected in reversed(deals))
            piece = next((piece for piece in found if piece is not None), None)
            if piece is None:
                break
            pieces.append(piece)
        data = b"".join(pieces)
        try:
            return OpenedRecord(data, read_record(data))
        except RecordError:
            return None  # the first line is not there yet, or the host itself wrote nonsense
