"""A hall whose guests play at all tables while others claim all the tables and seats they can."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final, Self

import zmq

from coffeerush.host.hall.hall import TABLES_A_PERSON
from protocol import MAX_TABLES
from tests.soak.lan.guests import Guest
from tests.soak.oracle.playing import Players, Vitals
from tests.soak.soak import Soak
from tests.soak.strangers.attacker import Attack
from tests.soak.strangers.attacks import Orders
from tests.support.hosts_and_clients import Deadline, Fields, Host, KeyPair, hosting

PEOPLE: Final = 2
"""Who play at each table."""
CROWD_TRIES: Final = 2
"""How many more people try to open a table than there may be tables."""


class HallSiege:
    """A host with several tables, two players and a spectator at each; open it with `open`."""

    def __init__(
        self, host: Host, state: Path, tables: int, stack: ExitStack, chance: Random
    ) -> None:
        self.host = host
        self.vitals = Vitals()
        self.most_tables = 0
        """How many there were at once."""
        self._state = state
        self._stack = stack
        self._chance = chance
        self._own = tables
        self._tables = [self._at(number) for number in range(1, tables + 1)]
        for table in self._tables:  # all have subscribed by now, and have heard a tick
            table.come(table.players)

    @classmethod
    @contextmanager
    def open(cls, state: Path, tables: int, chance: Random) -> Iterator[Self]:
        """Host a hall, and let its games begin."""
        options = {"tables": tables, "seats": PEOPLE, "seed": chance.getrandbits(32)}
        with hosting(state, **options) as host, ExitStack() as stack:
            yield cls(host, state, tables, stack, chance)

    def _at(self, number: int) -> Players:
        names = ("Honest 1", "Honest 2", "Honest Watcher")
        *players, watcher = (
            self._stack.enter_context(Guest(self.host.port, name, table=number)) for name in names
        )
        return Players(players, watcher, self._chance)

    @property
    def guests(self) -> list[Guest]:
        """All honest guests."""
        return [guest for table in self._tables for guest in table.everybody]

    def play(self, soak: Soak, seconds: float) -> list[float]:
        """Play at all tables in turn, at least a turn at each; look at the hall after each round.

        Returns:
            For each move, the seconds until all at its table had seen it.
        """
        took: list[float] = []
        until, deadline = monotonic() + seconds, Deadline(seconds + 300)
        while not took or monotonic() < until:
            deadline.left()
            for table in self._tables:
                table.view(table.watcher)  # who would be given up without a word
                took += table.play_on(0.0, self.host.process.pid)
            self._look(soak)
            self.vitals.look(self.host.process.pid)
        return took

    def tables(self) -> list[Fields]:
        """Return what the hall shows of its tables."""
        asker = self._tables[0].watcher
        deadline = Deadline()
        while (answer := asker.request("tables"))["type"] != "tables":  # too fast
            deadline.left()
            asker.hear_tick()
        shown: list[Fields] = answer["tables"]
        return shown

    def _look(self, soak: Soak) -> None:
        """Check that nobody has more than a seat, or opens more tables than allowed."""
        shown = self.tables()
        names = Counter(
            seat["name"] for table in shown for seat in table["seats"] if seat.get("name")
        )
        twice = [name for name, times in names.items() if "Mallory" in name and times > 1]
        soak.hold("nobody sits at two tables", not twice, names=twice)
        self.most_tables = max(self.most_tables, len(shown))

    def attack(self, name: str, number: int) -> Attack:
        """Start an attack with a key of its own."""
        keys: KeyPair = zmq.curve_keypair()
        kept = self._state / f"received-{name}-{number}"
        orders = Orders(
            port=self.host.port,
            keys=(keys[0].decode(), keys[1].decode()),
            captured=tuple(guest.sent[-1].hex() for guest in self.guests),
            size=number,
            seed=self._chance.getrandbits(32),
            kept=str(kept),
        )
        attack = Attack("tests.soak.strangers.attacks", name, orders, kept)
        self._stack.callback(attack.close)
        attack.begin()
        return attack

    def hold_tables(self, soak: Soak, attackers: int) -> None:
        """Check how many tables there were at most."""
        most = min(self._own + TABLES_A_PERSON * attackers, MAX_TABLES)
        few = self._own < self.most_tables <= most
        soak.hold("attackers open two tables each", few, most=most, tables=self.most_tables)

    def fill(self, soak: Soak) -> None:
        """Let a crowd open tables until there are as many as a host has; then no more are opened.

        They close once everybody has left, and somebody else can open one.
        """
        codes = Counter[str]()
        before = len(self.tables())
        with ExitStack() as stack:
            for number in range(MAX_TABLES - before + CROWD_TRIES):
                name = f"Crowd {number}"
                guest = stack.enter_context(Guest(self.host.port, name))
                hello = {"protocol": 6, "name": name, "role": "player", "table": "new"}
                answer = guest.request("hello", **hello)
                codes[answer.get("refusal", {}).get("code", answer["type"])] += 1
                if answer["type"] == "snapshot":
                    stack.callback(guest.request, "bye")
            shown = len(self.tables())
            soak.hold("a hall has so many tables at most", shown == MAX_TABLES, tables=shown)
            refused = codes["too_many_tables"] == CROWD_TRIES
            soak.hold("then nobody opens one", refused, codes=codes)
            for table in self._tables:
                table.view(table.watcher)
        deadline = Deadline()  # of those of the crowd, each closes once its only guest has left
        while len(self.tables()) > before:
            deadline.left()
            self._tables[0].watcher.hear_tick()
        soak.report("a full hall", tables=shown, answers=codes)
