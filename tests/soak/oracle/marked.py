"""A whole game with unmistakable cups, in which everybody pries all the time."""

import resource
import socket
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Final, Self

import msgspec
import zmq

from coffeerush.bots import BOTS
from coffeerush.joining.admission import TRIES
from coffeerush.joining.code import draw_code
from coffeerush.joining.door_server import MAX_VISITORS
from protocol import MAX_SPECTATORS
from tests.soak.killing import newest_record
from tests.soak.lan.guests import INVISIBLE, PRIES, Guest, Moment, illegal, view_of
from tests.soak.oracle.taps import Taps
from tests.support.hosts_and_clients import Deadline, Fields, Host, door_handshake, hosting

ODD_SHARE: Final = 0.04
"""The share of moves that empty a cup or undo something."""
KEEN: Final = 0.8
"""How often a hoarder pours if possible, and steps if not."""
FULL: Final = 3
"""The cup that hoarders pour into: a full cup does not resemble anything public."""
BYES: Final = 40
"""A player leaves and returns after about this many moves; a bot stands in until then."""
WATCHERS: Final = 2
HURRY: Final = 50
"""Requests at once: one at a time, none is too fast on a slow machine."""
CUT_MS: Final = 2000
"""Anyone who was kicked is cut off within this time, and gets no answer any more."""
_MEEK: Final = ("undo", "empty_cup")


class MarkedGame:
    """A host behind proxies, its players and spectators; construct it with `open`.

    Every player except the first, who plays well, hoards: poured tokens stay in the cups.
    """

    def __init__(self, host: Host, state: Path, players: int, taps: Taps, chance: Random) -> None:
        self.host = host
        self.state = state
        self.taps = taps
        self.secret_modes: set[int] = set()
        self._players = players
        self._chance = chance
        self._bot = BOTS["regular"]()
        self._stack = ExitStack()
        self._fronts = taps.front((host.port, host.ready["requests"], host.ready["updates"]))
        self.players: list[Guest] = []
        self.watchers: list[Guest] = []
        self.moves = 0
        self.asked = 0

    @classmethod
    @contextmanager
    def open(cls, state: Path, players: int, chance: Random) -> Iterator[Self]:
        """Open a table that the first player owns."""
        keys = zmq.curve_keypair()
        options = {"seats": players, "owner": keys[0].decode(), "seed": chance.getrandbits(32)}
        with hosting(state, **options) as host, Taps() as taps:
            game = cls(host, state, players, taps, chance)
            with game._stack:
                owner = Guest(host.port, "Marked Owner", game._fronts, keys)
                game.players.append(game._stack.enter_context(owner))
                yield game

    @property
    def everybody(self) -> list[Guest]:
        return [*self.players, *self.watchers]

    def guest(self, name: str) -> Guest:
        return self._stack.enter_context(Guest(self.host.port, name, self._fronts))

    # Before the game

    def gather(self) -> None:
        """Let everybody join, and provoke all refusals of a lobby."""
        owner = self.players[0]
        owner.request("sync")
        owner.come(name=INVISIBLE)
        owner.come()
        owner.request("start")
        owner.request("add_bot", seat=3, bot="nobody")
        owner.request("remove", seat=1)
        owner.request("add_bot", seat=0, bot="regular")
        owner.request("rename", name=INVISIBLE)
        if self._players < 4:
            owner.request("add_bot", seat=3, bot="regular")
        for number in range(2, self._players + 1):
            guest = self.guest(f"Marked Player {number}")
            guest.come()
            self.players.append(guest)
        for number in range(1, WATCHERS + 1):
            guest = self.guest(f"Marked Watcher {number}")
            guest.come("spectator")
            self.watchers.append(guest)
        self.players[1].request("rename", name="Marked Owner")
        self.players[1].request("start")
        self.guest("Marked Stranger").come()
        owner.request("start")
        for guest in self.players:
            guest.request("ready", ready=True)
        for guest in self.everybody:
            guest.hear()  # without a subscription, the deal would be missed
        owner.request("start")

    # The game

    def play(self) -> None:
        """Play to the end; on the way, provoke what only one table at its host can bear."""
        mover, answer = self._turn_of(0)
        self._stumble(mover, answer)
        for _move in self.moves_to_the_end():
            pass

    def moves_to_the_end(self) -> Iterator[None]:
        """Play to the end, and yield after each move."""
        mover, answer = self._turn_of(0)
        while answer["view"]["phase"] != "over":
            self._pry(answer)
            wanted = self._chosen(mover, answer)
            answer = mover.request("intent", game=answer["game"], rev=answer["rev"], intent=wanted)
            if answer["type"] == "refused":  # too fast, or stale: a stand-in bot has moved
                answer = self._view(mover)
            self.moves += 1
            if self._chance.random() < 1 / BYES:
                self._leave_and_return(mover)
                answer = self._view(mover)
            if answer["view"]["active"] not in (None, mover.seat):
                mover, answer = self._turn_of(answer["view"]["active"])
            yield
        for guest in self.everybody:
            guest.hear_of(answer["rev"])

    def _turn_of(self, seat: int) -> tuple[Guest, Fields]:
        """Return the active guest and their current View, or any guest at the end."""
        deadline = Deadline()
        while True:
            deadline.left()
            guest = self.players[seat]
            answer = self._view(guest)
            active = answer["view"]["active"]
            if active in (None, seat):
                return guest, answer
            seat = active

    def _view(self, guest: Guest) -> Fields:
        deadline = Deadline()
        while True:
            deadline.left()
            if guest.may_ask():
                answer = guest.request("view")
                if answer["type"] == "current":
                    return answer
                if answer["refusal"]["code"] == "say_hello":  # a bye that it had captured
                    guest.come()
            guest.hear_tick()

    def _chosen(self, mover: Guest, answer: Fields) -> Fields:
        options = [option["intent"] for option in answer["view"]["own"]["options"]]
        odd = [one for one in options if one["type"] in _MEEK]
        plain = [one for one in options if one["type"] not in _MEEK]
        if odd and (not plain or self._chance.random() < ODD_SHARE):
            return self._chance.choice(odd)
        if mover is self.players[0]:
            good: Fields = msgspec.to_builtins(self._bot.choose(view_of(answer), self._chance))
            return good
        for kind in ("pour", "step"):
            some = [one for one in plain if one["type"] == kind and one.get("cup", FULL) == FULL]
            if some and self._chance.random() < KEEN:
                return self._chance.choice(some)
        return self._chance.choice(plain)

    def _pry(self, answer: Fields) -> None:
        """Let everybody try everything captured so far."""
        for guest in self.everybody:
            if guest.may_ask():
                seen = [*self.captured(guest)]
                mine = guest.seat is not None and guest.seat == answer["view"]["active"]
                options = answer["view"]["own"]["options"] if mine else []
                legal = [option["intent"] for option in options]
                moment = Moment(answer["game"], answer["rev"], legal, seen, self._chance)
                pry = illegal if mine and self._chance.random() < 0.7 else None
                (pry or self._chance.choice(PRIES))(guest, moment)
                self.asked += 1

    def captured(self, guest: Guest) -> Iterator[bytes]:
        """Yield the requests of others that somebody may replay."""
        yield from (other.sent[-1] for other in self.everybody if other is not guest)

    def _leave_and_return(self, mover: Guest) -> None:
        """Let a player leave in the middle of a turn, and come back."""
        mover.hear_rest()
        if mover.request("bye")["type"] == "done":
            mover.hear_tick()
        deadline = Deadline()
        while mover.come()["type"] != "snapshot":  # the request was too fast
            deadline.left()
            mover.hear_tick()

    def _stumble(self, mover: Guest, answer: Fields) -> None:
        """Provoke an unwritable record, a crowd, the rate limit, and a closed table."""
        record = newest_record(self.state)
        self.secret_modes.add(stat.S_IMODE(record.stat().st_mode))
        pid = self.host.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (record.stat().st_size, before[1]))
        option = answer["view"]["own"]["options"][0]["intent"]
        mover.request("intent", game=answer["game"], rev=answer["rev"], intent=option)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
        late = self.guest("Marked Latecomer")
        late.come()
        late.come("spectator")
        while not late.codes["too_fast"]:
            for _each in range(HURRY):
                late.send("sync")
            answers = [late.receive() for _each in range(HURRY)]
            late.codes.update(each["refusal"]["code"] for each in answers if "refusal" in each)
        for number in range(MAX_SPECTATORS):
            with Guest(self.host.port, f"Crowd {number}") as one:
                one.come("spectator")
                late.codes += one.codes
        self.watchers.append(late)

    # After the game

    def part(self) -> None:
        """Provoke the refusals of a result; the owner kicks somebody."""
        owner, last = self.players[0], self.players[-1]
        owner.hear_tick()  # wait for the rate limit
        last.request("intent", game=1, rev=0, intent={"type": "undo"})
        for guest in self.everybody:
            guest.request("sync")
            guest.hear_rest()
        owner.hear_tick()  # the next kick cuts them
        owner.request("remove", seat=last.seat)
        last.send("view")
        if last.dealer.poll(CUT_MS):  # else they were cut off before they could ask
            last.counted(last.receive())

    def enrol_wrongly(self) -> Counter[str]:
        """Return the codes of refusals at the door: no key, a wrong code, and too many tries."""
        port = self._fronts[self.host.port]
        answers = [door_handshake(port, key)[1] for key in (b"", b"x" * 41, b"x y")]
        for _try in range(TRIES + 1):
            key = zmq.curve_keypair()[0]
            answers.append(door_handshake(port, key, draw_code(self._chance))[1])
        deadline = Deadline()
        while (answer := door_handshake(port, self.players[-1].keys[0])[1])["type"] == "enrolled":
            deadline.left()  # until the tick that follows the removal
        answers.append(answer)
        with ExitStack() as crowd:
            for _visitor in range(MAX_VISITORS):
                visitor = socket.create_connection(("127.0.0.1", port))
                crowd.enter_context(visitor)
                visitor.recv(1)  # the door has accepted it
            answers.append(door_handshake(port, b"one too many")[1])
        return Counter(answer["refusal"]["code"] for answer in answers)
