"""Updates, ticks and snapshots that a table sends to its clients."""

from protocol import Epoch, RequestId, Snapshot, Tick, Update

from .state import TableState


class Publisher:
    """Builds updates, ticks and snapshots; numbers the updates of an epoch."""

    def __init__(self, room: TableState, epoch: Epoch) -> None:
        self._room = room
        self._epoch = epoch
        self._seq = 0

    def publish(self) -> tuple[Update, ...]:
        """Return pending changes as updates, split if there are too many events for one."""
        room = self._room
        updates = []
        while room.changed:
            events = room.take_news()
            self._seq += 1
            updates.append(
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
        return tuple(updates)

    def tick(self) -> Tick:
        """Return a tick with the current seq, game and revs."""
        room = self._room
        return Tick(self._epoch, self._seq, room.number, room.rev, room.private_revs())

    def snapshot(self, key: str, request_id: RequestId, is_newcomer: bool) -> Snapshot:
        """Return everything that the person with `key` may see, as of the latest update."""
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
            log=room.log_for(key, is_newcomer),
        )
