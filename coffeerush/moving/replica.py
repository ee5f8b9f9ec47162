"""What one who plays keeps of the sealed record: its pieces, and a share of the key. Pure."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from protocol import (
    MAX_PIECES,
    MAX_PIECES_LENT,
    Count,
    CurveKey,
    Epoch,
    Game,
    GetSealed,
    KeyShare,
    Lend,
    PieceNumber,
    RequestId,
    Sealed,
    SealedPart,
    Term,
)


class DealOfShares(NamedTuple):
    """What a key is for: the record of one game, from when its shares are dealt to the next."""

    epoch: Epoch
    term: Term
    game: Game
    number: Count
    """In its epoch and term, from 1."""


class Dealt(Struct, frozen=True):
    """The pieces under one key, and a share of it."""

    deal: DealOfShares
    size: int = 0
    """How many pieces the record has, as far as is known."""
    pieces: Mapping[int, bytes] = {}
    """By number."""
    whole: int = 0
    """The first piece that is missing."""
    share: KeyShare | None = None
    """None until the host has told it, and the next two."""
    needed: int = 0
    """How many shares are the key."""
    holders: tuple[CurveKey, ...] = ()
    """The public keys of those who have one."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing, as far as is known."""
        return self.share is not None and self.whole == self.size

    def added(self, sealed: Sealed, size: int) -> "Dealt":
        """Return this with more pieces, of a record that has `size` of them by then."""
        more = dict(enumerate(sealed.pieces[: MAX_PIECES - sealed.first], sealed.first))
        pieces = {**more, **self.pieces} if more else self.pieces
        whole = self.whole
        while whole in pieces:
            whole += 1
        return replace(self, size=max(self.size, size), pieces=pieces, whole=whole)

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the first piece and after the last of each run without a gap."""
        starts = sorted(number for number in self.pieces if number - 1 not in self.pieces)
        ends = sorted(number + 1 for number in self.pieces if number + 1 not in self.pieces)
        return zip(starts, ends, strict=True)


class Replica(Struct, frozen=True):
    """The sealed record of the game in progress; it is in memory only.

    The shares of the deal before are kept until everything is there under the latest key.
    """

    deals: tuple[Dealt, ...] = ()
    """The latest last; at most two."""
    is_due: bool = False
    """Whether updates may have been missed."""
    refused: DealOfShares | None = None
    """The deal in which this client has no share."""

    @property
    def lacks(self) -> bool:
        """Whether to ask the host for what is missing."""
        return self.is_due or bool(self.deals and not self.deals[-1].is_whole)

    def request(self, id_: RequestId) -> GetSealed:
        """Return the request for the pieces of the latest deal that are missing, or for all."""
        if not self.deals:
            return GetSealed(id_, 0, 0)
        return GetSealed(id_, self.deals[-1].deal.number, self.deals[-1].whole)

    def heard(self, deal: DealOfShares, sealed: Sealed) -> "Replica":
        """Return this with what an update or an answer has brought."""
        if deal == self.refused:
            return self
        return self._with(self._of(deal).added(sealed, sealed.first + len(sealed.pieces)))

    def told(self, part: SealedPart) -> "Replica":
        """Return this with a part for which the host was asked."""
        deal = DealOfShares(part.epoch, part.term, part.game, part.sealed.deal)
        dealt = replace(
            self._of(deal).added(part.sealed, part.size),
            share=part.share,
            needed=part.needed,
            holders=part.holders,
        )
        return replace(self._with(dealt), is_due=False)

    def without_share(self) -> "Replica":
        """Return this after the host has told that this client has no share."""
        return Replica(refused=self.deals[-1].deal if self.deals else None)

    def _of(self, deal: DealOfShares) -> Dealt:
        return next((dealt for dealt in self.deals if dealt.deal == deal), None) or Dealt(deal)

    def _with(self, dealt: Dealt) -> "Replica":
        """Return this with a deal in its new state; what it makes useless is dropped."""
        if dealt.deal in [other.deal for other in self.deals[:-1]]:
            return self  # late
        others = (other for other in self.deals if other.deal != dealt.deal)
        useful = [
            other for other in others if other.deal.game == dealt.deal.game and other.is_whole
        ]
        kept = () if dealt.is_whole else tuple(useful[-1:])
        return replace(self, deals=(*kept, dealt))


# What a client lends to a standby


def loans_of(replica: Replica, id_: RequestId) -> list[Lend]:
    """Return all that there is to lend, as requests without pieces."""
    return [
        Lend(id_, deal.epoch, deal.term, deal.game, deal.number, dealt.share, start, end)
        for dealt in replica.deals
        for deal in [dealt.deal]
        if dealt.share is not None
        for start, end in dealt.runs()
    ]


def next_loan(replica: Replica, lent: Lend | None, id_: RequestId) -> Lend | None:
    """Return what to lend first, or after `lent`; None once everything was offered."""
    loans = loans_of(replica, id_)
    if lent is not None:
        places = [_place(loan) for loan in loans]
        later = places.index(_place(lent)) + 1 if _place(lent) in places else len(loans)
        loans = loans[later:]
    return loans[0] if loans else None


def with_pieces(replica: Replica, lent: Lend, wants: PieceNumber, id_: RequestId) -> Lend | None:
    """Return `lent` with the pieces that a standby wants; None if they were not on offer."""
    offered = next((dealt for dealt in replica.deals if dealt.deal.number == lent.deal), None)
    if offered is None or not lent.start <= wants < lent.size:
        return None
    numbers = range(wants, min(wants + MAX_PIECES_LENT, lent.size))
    pieces = tuple(offered.pieces[number] for number in numbers)
    return replace(lent, id=id_, first=wants, pieces=pieces)


def _place(loan: Lend) -> tuple[int, int]:
    return loan.deal, loan.start
