"""The sealed record of a table's game, which those who play keep, and their shares of its key."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import chain
from typing import Final

from coffeerush.errors import RecordError
from coffeerush.moving.fencing import Fence
from coffeerush.moving.replica import DealOfShares
from coffeerush.moving.sealing import (
    SealingKey,
    needed_of,
    new_secret,
    pieces_of,
    shares_of,
)
from coffeerush.records.entries import (
    MAX_PLACES,
    End,
    Entry,
    Guest,
    Head,
    Later,
    Paused,
    Record,
    SharedKey,
    encode_entry,
)
from protocol import (
    MAX_PIECES,
    MAX_PIECES_AT_ONCE,
    Count,
    CurveKey,
    Epoch,
    Game,
    GetSealed,
    RefusedError,
    Sealed,
    SealedPart,
    Successor,
    Term,
)

from .config import Journals
from .people import People

FEWEST_HOLDERS: Final = 2
"""One share alone would be the key."""
MOST_SHARES: Final = 64
"""How many entries about dealt keys a record has at most: people who come and go must not fill it.
"""


def holders_of(people: People, own: Collection[str]) -> tuple[str, ...]:
    """Return the keys of those who get a share; () if they are too few.

    Those are the players who keep it: one at each machine, and nobody at the host's, which has the
    `own` addresses, because that share would be lost with it.
    """
    found: dict[str, str] = {}
    for _, person in people.seated():
        at = person.address
        if person.keeps and not person.left and at and at not in own and not is_loopback(at):
            found.setdefault(at, person.key)
    return tuple(found.values()) if len(found) >= FEWEST_HOLDERS else ()


def is_loopback(address: str) -> bool:
    """Return whether an address is of the machine that uses it."""
    return address == "::1" or address.startswith("127.")


class _Key:
    """The key of a deal, and who has which share."""

    def __init__(self, deal: DealOfShares, holders: tuple[str, ...]) -> None:
        secret = new_secret()
        self.deal = deal
        self.holders = holders
        self.sealing = SealingKey(secret, deal)
        self.shares = dict(zip(holders, shares_of(secret, len(holders)), strict=True))


class Replication:
    """Passes entries on to a table's journals, and keeps those on disk for `Sealed`.

    Args:
        journals: where the table writes its record.
        epoch: of the table.
        term: of its host.
        own: the addresses of the host's machine.
    """

    def __init__(self, journals: Journals, epoch: Epoch, term: Term, own: Collection[str]) -> None:
        self._journals = journals
        self._epoch, self._term, self._own = epoch, term, own
        self._number = 0
        self._pieces: list[bytes] = []
        self._told = 0
        """How many of them were told in updates."""
        self._deals: Count = 0
        self._is_news = False
        """Whether the latest deal was not told yet."""
        self._news: tuple[int, Sealed] | None = None
        """What `news` returned last, when there were so many pieces."""
        self._key: _Key | None = None
        self._is_over = False
        """Whether the game is over, so that its record has no more entries."""
        self._shares: list[SharedKey] = []
        """The keys dealt in this game, as on record."""
        self._standbys: dict[CurveKey, Successor] = {}
        """All who could have gone on with this game, the latest last."""

    def begin(self, head: Head) -> Head:
        """Open the record of a new game, and return its head as written; raises `RecordError`."""
        written = self._journals.begin(head)
        self._shares.clear()
        self._standbys.clear()
        self._restart((written,), head.game)
        return written

    def append(self, entry: Later) -> None:
        """Write an entry durably before returning; raises `RecordError`."""
        self._journals.append(entry)
        self._add(entry)

    def read(self) -> bytes:
        """Return the record of the latest game; raises `RecordError`."""
        return self._journals.read()

    def resume(self, record: Record) -> None:
        """Go on with a record that a host resumes."""
        paused = () if record.pause is None else (Paused(record.pause),)
        ended = () if record.end is None else (record.end,)
        guests = map(Guest, record.guests)
        played = record.moves, record.removals, record.shares, record.relocations
        entries: Iterable[Entry] = chain((record.head,), guests, *played, paused, ended)
        self._shares = [*record.shares]
        self._standbys = {
            standby.key: standby for dealt in record.shares for standby in dealt.standbys
        }
        self._restart(entries, record.head.game)

    def _restart(self, entries: Iterable[Entry], game: Game) -> None:
        self._number, self._key, self._is_over = game, None, False
        self._pieces.clear()
        for entry in entries:
            self._add(entry)
        self._told = len(self._pieces)

    def _add(self, entry: Entry) -> None:
        self._is_over = self._is_over or isinstance(entry, End)
        self._pieces += pieces_of(encode_entry(entry))

    def holders(self, people: People) -> tuple[str, ...]:
        """Return the keys of those who get a share; () if the game could not go on with them."""
        return holders_of(people, self._own) if len(self._pieces) <= MAX_PIECES else ()

    @property
    def fence(self) -> Fence | None:
        """What others need to go on with the latest game; None if they cannot."""
        ours = tuple(share for share in self._shares if share.term == self._term)
        return Fence(self._term, ours, (*self._standbys.values(),)) if ours else None

    def settle(self, people: People, standbys: Iterable[Successor]) -> bool:
        """Deal shares anew for a game, and whenever others get them; return whether to tell.

        `standbys` are those who could go on with the table now.
        """
        holders = self.holders(people) if self._pieces else ()
        known = self._key.holders if self._key else ()
        if holders != known:
            self._deals += 1
            self._key = self._dealt(holders) if holders else None
            self._told, self._is_news, self._news = len(self._pieces), True, None
            self._note_dealt(standbys)
            return True
        self._note_dealt(standbys)
        return self._key is not None and self._told < len(self._pieces)

    def _note_dealt(self, standbys: Iterable[Successor]) -> None:
        """Write down the latest key and who could go on with it, if that has changed.

        What cannot be written is known only as long as the host runs.
        """
        if self._key is None:
            return
        for standby in standbys:
            if self._standbys.get(standby.key) != standby:
                self._standbys.pop(standby.key, None)
                self._standbys[standby.key] = standby
        while len(self._standbys) > MAX_PLACES:
            del self._standbys[next(iter(self._standbys))]
        deal = self._key.deal
        places = (*self._standbys.values(),)
        dealt = SharedKey(deal.epoch, deal.term, deal.number, self._key.sealing.secret, places)
        if self._shares and self._shares[-1] == dealt:
            return
        if not self._is_over and len(self._shares) < MOST_SHARES:
            with suppress(RecordError):
                self.append(dealt)
        self._shares = [*self._shares[-MOST_SHARES:], dealt]

    def _dealt(self, holders: tuple[str, ...]) -> _Key:
        return _Key(DealOfShares(self._epoch, self._term, self._number, self._deals), holders)

    def news(self) -> Sealed | None:
        """Return what was added to the sealed record since `note_told`."""
        if self._key is None or not (self._is_news or self._told < len(self._pieces)):
            return None
        if self._news is None or self._news[0] != len(self._pieces):
            self._news = len(self._pieces), self._sealed(self._key, self._told)
        return self._news[1]

    def note_told(self) -> None:
        """Note that `news` was published."""
        self._told, self._is_news, self._news = len(self._pieces), False, None

    def part(self, key: str, request: GetSealed) -> SealedPart:
        """Return pieces for somebody who has a share; raises `no_record`."""
        if self._key is None or key not in self._key.shares:
            raise RefusedError("no_record", game=self._number)
        first = request.first if request.deal == self._key.deal.number else 0
        return SealedPart(
            request.id,
            self._epoch,
            self._term,
            self._number,
            len(self._pieces),
            self._sealed(self._key, first),
            self._key.shares[key],
            needed_of(len(self._key.holders)),
            self._key.holders,
        )

    def _sealed(self, key: _Key, first: int) -> Sealed:
        pieces = self._pieces[first : first + MAX_PIECES_AT_ONCE]
        sealed = tuple(
            key.sealing.seal(number, piece) for number, piece in enumerate(pieces, first)
        )
        return Sealed(key.deal.number, first, sealed)
