"""How often the loop of the host goes round."""

from collections.abc import Callable
from contextlib import ExitStack
from random import Random

import pytest

from coffeerush.host.hall.hall import Hall, Published
from coffeerush.host.server.bot_turns import HallBots
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.members import Guard, Members
from coffeerush.host.server.server import Server
from coffeerush.host.server.sockets import open_sockets
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.local.keys import new_keys
from tests.support.tables import hall_of, table_for

MOST_ROUNDS = 20
"""Of a loop that waits for its next tick, and then goes round once or twice."""


class CountingBots(HallBots):
    """Counts the rounds, and stops the server at its second tick."""

    def __init__(self, hall: Hall) -> None:
        super().__init__(hall, Random(1))
        self.rounds = 0
        self.ticks = 0
        self.stop_server: Callable[[], None] = lambda: None

    def begin(self, now: float) -> tuple[Published, ...]:
        self.rounds += 1
        return super().begin(now)

    def tick(self, now: float) -> tuple[Published, ...]:
        self.ticks += 1
        if self.ticks == 2:
            self.stop_server()
        return super().tick(now)


@pytest.mark.slow
def test_who_wakes_the_loop_wakes_it_once() -> None:
    hall, incidents, keyring = hall_of(table_for().table), Incidents(), AdmittedKeyring()
    with ExitStack() as stack:
        sockets = open_sockets("127.0.0.1", 0, new_keys())
        stack.callback(sockets.close)
        guard = Guard({}, incidents)
        stack.callback(guard.stop)
        admission = Admission(keyring, Random(1))
        bots = CountingBots(hall)
        members = Members(keyring, guard, admission)
        server = Server(sockets, hall, members, bots, admission, incidents)
        bots.stop_server = server.stop
        server._wake_up()  # as the thread does that finds out whether a host can be reached
        server.run()
    assert bots.ticks == 2
    assert bots.rounds < MOST_ROUNDS
