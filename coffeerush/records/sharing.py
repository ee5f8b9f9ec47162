"""The copy of a finished game's record that guests get, and the check of one from a host; pure."""

from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.rules import view_for
from protocol import MAX_SHARED_BYTES, View

from .entries import (
    End,
    Entry,
    Head,
    Later,
    Move,
    Record,
    Relocation,
    Removal,
    encode_entry,
    read_record,
)
from .witness import Witness


def shared_head(head: Head) -> Head:
    """Return the part of a head that guests may have: players, deal, hints, pace of bots.

    Public keys stay: they tell the league who is who, and open nothing.
    """
    return Head(
        version=head.version,
        protocol=head.protocol,
        program=head.program,
        table=head.table,
        game=head.game,
        setup=head.setup,
        seats=tuple(replace(seat, bot=seat.bot.rpartition("/")[2]) for seat in head.seats),
        bot_seconds=head.bot_seconds,
        hints=head.hints,
    )


class SharedRecord:
    """The copy of a game's record, built up line by line."""

    def __init__(self, head: Head) -> None:
        self.game = head.game
        self._keys = tuple(seat.key for seat in head.seats)
        self._lines: list[bytes] = []
        self._size = 0
        self._removals: list[Removal] = []
        self._add(shared_head(head))

    @property
    def data(self) -> bytes:
        """Its bytes; none if they are more than `MAX_SHARED_BYTES`."""
        return b"".join(self._lines) if self._size <= MAX_SHARED_BYTES else b""

    def append(self, entry: Later) -> None:
        """Add what guests may have of an entry; kicked players come last, before the end."""
        match entry:
            case Move():
                own = entry.key == self._keys[entry.seat]
                self._add(replace(entry, key=entry.key if own else "", id=b""))
            case Removal(seat=int()):
                self._removals.append(entry)
            case Relocation():
                self._add(replace(entry, owner="", address="", port=0))
            case End():
                for removal in self._removals:
                    self._add(removal)
                self._add(entry)

    def _add(self, entry: Entry) -> None:
        line = encode_entry(entry)
        self._size += len(line)
        if self._size <= MAX_SHARED_BYTES:
            self._lines.append(line)


def shared_so_far(record: Record) -> SharedRecord:
    """Return the copy of a record, to which a resumed game is added."""
    copy = SharedRecord(record.head)
    ends = (record.end,) if record.end else ()
    entries: tuple[Later, ...] = (*record.moves, *record.relocations, *record.removals, *ends)
    for entry in entries:
        copy.append(entry)
    return copy


def sound_copy(data: bytes, witness: Witness) -> Record:
    """Return the record in a copy from a host; raises `RecordError` with a sentence for the user.

    Args:
        data: the bytes from the host, which are hostile.
        witness: what the client saw of the game.
    """
    try:
        return checked_copy(data, witness)
    except RecordError as error:
        raise RecordError(
            "The host's record of this game cannot be right ({reason}), so it was not kept.",
            reason=error,
        ) from None


def checked_copy(data: bytes, witness: Witness) -> Record:
    """Return the record in a copy from a host, which is hostile until this is done.

    Every move is replayed by the rules. Then the game has to be the one that was seen: its players,
    and the View at the latest rev that the client knows, with the final scores if it saw the end.

    Raises:
        RecordError: it is not the whole record of that game.
    """
    record = read_record(data)
    if record.end is None or record.good != len(data):
        raise RecordError("the record is cut off before the end of the game")
    if (record.head.table, record.head.game) != (witness.table, witness.game):
        raise RecordError("the record is of another game")
    if not _same_players(record, witness):
        raise RecordError("the record names other players")
    if not _same_course(record, witness):
        raise RecordError("the record contradicts what was shown of the game")
    return record


def _same_players(record: Record, witness: Witness) -> bool:
    """Return whether those played whom the client saw; seats of kicked people have bots."""
    seats, removed = record.head.seats, {removal.seat for removal in record.removals}
    if len(seats) != len(witness.view.players):
        return False
    if witness.seat is not None and seats[witness.seat].key != witness.key:
        return False
    return all(
        seat in removed
        or seen.status == "open"
        or (seen.name, seen.status == "bot") == (seated.name, bool(seated.bot))
        for seat, (seated, seen) in enumerate(zip(seats, witness.seats, strict=False))
    )


def _same_course(record: Record, witness: Witness) -> bool:
    """Return whether the View that the client saw follows from the moves."""
    states, seen = tuple(record.states()), witness.view
    is_last = witness.rev == len(states) - 1
    if witness.rev >= len(states) or bool(seen.standings) != is_last:
        return False
    state = states[witness.rev]
    return _comparable(view_for(state, seen.own.seat if seen.own else None)) == _comparable(seen)


def _comparable(view: View) -> View:
    """Return a View without the options, which a client drops when they are stale."""
    return replace(view, own=replace(view.own, options=(), undo=0)) if view.own else view
