"""What is published, and the snapshot that goes with it."""

from coffeerush.host.table import lifecycle
from protocol import MAX_EVENTS, Epoch, RequestId, Snapshot, Tick, Update

from .state import TableState


class Bulletin:
    """Numbers the updates of an epoch and keeps them until they are sent."""

    def __init__(self, room: TableState, epoch: Epoch) -> None:
        self._room = room
        self._epoch = epoch
        self._seq = 0
        self._outbox: list[Update] = []

    def settle(self, ticking: bool = False) -> None:
        """Let the table do what it does by itself, and put all that changed into updates."""
        lifecycle.go_on(self._room, ticking)
        self.publish()

    def publish(self) -> None:
        """Put what changed into updates, more than one where there are too many events."""
        room = self._room
        while room.changed:
            events = tuple(room.news[:MAX_EVENTS])
            del room.news[:MAX_EVENTS]
            room.changed = bool(room.news)
            self._seq += 1
            self._outbox.append(
                Update(
                    epoch=self._epoch,
                    seq=self._seq,
                    game=room.number,
                    rev=room.rev,
                    private_revs=room.private_revs(),
                    events=events,
                    table=room.table_view(),
                    view=room.view(),
                )
            )

    def take(self) -> tuple[Update, ...]:
        """Return the updates that wait to be sent."""
        updates = tuple(self._outbox)
        self._outbox.clear()
        return updates

    def tick(self) -> Tick:
        """Return how far the table is."""
        room = self._room
        return Tick(self._epoch, self._seq, room.number, room.rev, room.private_revs())

    def snapshot(self, key: str, request_id: RequestId) -> Snapshot:
        """Return everything that the person with `key` may know, after all that has happened."""
        self.settle()
        room = self._room
        return Snapshot(
            id=request_id,
            epoch=self._epoch,
            seq=self._seq,
            game=room.number,
            rev=room.rev,
            seat=room.people.seat_of(key),
            owner=bool(key) and key == room.config.owner,
            table=room.table_view(),
            view=room.view(key),
            log=room.log_for(key),
        )
