"""Play the same public game twice with different cups: others must receive the same bytes.

Two hosts deal from the same seed. In the second game a player who serves nothing pours everything
into other cups and in another order, and one who plays well has its cups in another order.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Final, Self

import msgpack
import msgspec
from msgspec import Struct

from coffeerush.bots import BOTS
from tests.soak.lan.guests import EVERY_INTENT, Guest, body_of, view_of
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import Fields, Host, hosting

PLAYERS: Final = 3
HOARDER, SERVER, WITNESS = range(PLAYERS)
ORDER: Final = {1: 1, 2: 3, 3: 2}  # the setup fills everybody's first cup
"""The cup in the second game for each cup of the server in the first."""
PRIES: Final = 22
"""Below the burst of the rate limit, so that timing does not matter."""
PRY_EVERY: Final = 5
TURN_ENDS: Final = 0.3
"""How often a hoarder takes no further step."""
_CUPS: Final = ("empty_cup", "serve", "pour")


class Move(Struct):
    """One move of the first game."""

    seat: int
    intent: Fields
    pries: tuple[tuple[str, Fields], ...] = ()
    """The requests of the witness and the watcher before it."""


class Course:
    """One of the two games, at a host of its own with the same seed."""

    def __init__(self, host: Host, stack: ExitStack) -> None:
        self.players = [
            stack.enter_context(Guest(host.port, f"Twin {seat}")) for seat in range(PLAYERS)
        ]
        self.watcher = stack.enter_context(Guest(host.port, "Twin Watcher"))
        self.watcher.hear()  # after the first tick, it misses nothing
        self.watcher.come("spectator")
        for guest in self.players:
            guest.come()
        for guest in self.players:
            guest.request("ready", ready=True)
        self.heard: list[bytes] = []
        """The answers to the witness and the watcher, without random parts."""
        self.answer = self.players[0].request("view")
        self.epoch = self.answer["epoch"]

    @classmethod
    @contextmanager
    def open(cls, state: Path, seed: int) -> Iterator[Self]:
        """Open a table, let everybody join, and start the game."""
        with hosting(state, seats=PLAYERS, seed=seed) as host, ExitStack() as stack:
            yield cls(host, stack)

    @property
    def active(self) -> int | None:
        seat: int | None = self.answer["view"]["active"]
        return seat

    def look(self) -> list[Fields]:
        assert self.active is not None
        view = self.answer["view"]
        if view["own"] is None or view["own"]["seat"] != self.active:
            self.answer = self.players[self.active].request("view")
        options = self.answer["view"]["own"]["options"]
        return [option["intent"] for option in options]

    def do(self, move: Move) -> None:
        """Let others pry, then move."""
        for kind, fields in move.pries:
            for guest in (self.players[WITNESS], self.watcher):
                guest.put(body_of(kind, guest.new_id(), **fields))
                self.heard.append(self._plain(guest.raw[-1]))
        where = {"game": self.answer["game"], "rev": self.answer["rev"]}
        self.answer = self.players[move.seat].request("intent", **where, intent=move.intent)
        assert self.answer["type"] == "accepted", self.answer
        if move.seat == WITNESS:
            self.heard.append(self._plain(self.players[WITNESS].raw[-1]))

    def published(self) -> list[bytes]:
        """Return all updates, and each different tick once."""
        last = self.answer["rev"]
        self.watcher.hear_until(lambda heard: heard["type"] == "tick" and heard["rev"] == last)
        updates = {msgpack.unpackb(one)["seq"]: self._plain(one) for one in self._all("update")}
        return [updates[seq] for seq in sorted(updates)]

    def ticks_agree(self) -> bool:
        """Return whether no tick has anything that the update before it lacks."""
        names = ("seq", "game", "rev", "private_revs")
        told = {one["seq"]: one for one in map(msgpack.unpackb, self._all("update"))}
        return all(
            tick[name] == told[tick["seq"]][name]
            for tick in map(msgpack.unpackb, self._all("tick"))
            if tick["seq"] in told
            for name in names
        )

    def _all(self, kind: str) -> list[bytes]:
        frames = self.watcher.publications
        return [frame for frame in frames if msgpack.unpackb(frame)["type"] == kind]

    def _plain(self, body: bytes) -> bytes:
        """Return a body without the host's epoch and the guest's id, which are random."""
        answer = msgpack.unpackb(body)
        body = body.replace(self.epoch, b"epoch..1")
        return body.replace(answer["id"], b"id") if "id" in answer else body


def compare(soak: Soak, folder: Path, chance: Random) -> dict[str, int]:
    """Play both games, compare their traffic, and return figures."""
    seed = chance.getrandbits(32)
    with Course.open(folder / "one", seed) as course:
        moves = [*_first(course, chance)]
        one, heard, agree = course.published(), course.heard, course.ticks_agree()
    with Course.open(folder / "two", seed) as course:
        changed = _second(course, moves, chance)
        two, others, both = course.published(), course.heard, course.ticks_agree()
    soak.hold("publications do not depend on cups", one == two, unlike=_unlike(one, two))
    soak.hold("answers to others do not depend on cups", heard == others)
    soak.hold("ticks tell no more than updates", agree and both)
    soak.hold("the twin games differ", changed)
    return {"moves": len(moves), "changed": changed, "updates": len(one), "answers": len(heard)}


def _unlike(one: list[bytes], two: list[bytes]) -> object:
    pairs = zip(one, two, strict=False)
    return next(((a, b) for a, b in pairs if a != b), (len(one), len(two)))


def _first(course: Course, chance: Random) -> Iterator[Move]:
    """Play the first game, and yield its moves."""
    bot = BOTS["regular"]()
    number = asked = 0
    while course.active is not None:
        options = course.look()
        seat = course.active
        if seat == HOARDER:
            intent = _hoarded(options, chance)
        else:
            intent = msgspec.to_builtins(bot.choose(view_of(course.answer), chance))
        pries: tuple[tuple[str, Fields], ...] = ()
        if number % PRY_EVERY == 0 and asked < PRIES and seat != WITNESS:
            pries = (_pry(course, chance),)
            asked += 1
        move = Move(seat, intent, pries)
        course.do(move)
        number += 1
        yield move


def _hoarded(options: list[Fields], chance: Random) -> Fields:
    """Return an option that brings more into the cups, if there is one."""
    kinds = ["pour", "step", "place_meeple", "end_turn", "return_rest"]
    if chance.random() < TURN_ENDS:
        kinds.insert(1, "end_turn")
    return next(
        chance.choice(some)
        for kind in kinds
        if (some := [one for one in options if one["type"] == kind])
    )


def _pry(course: Course, chance: Random) -> tuple[str, Fields]:
    """Return a request of an inactive seat: for a View, or an intent that is refused."""
    kind = chance.choice(("view", "sync", "intent"))
    if kind != "intent":
        return kind, {}
    where = {"game": 1, "rev": course.answer["rev"] - chance.choice((0, 1))}
    return kind, {**where, "intent": chance.choice(EVERY_INTENT)}


def _second(course: Course, moves: list[Move], chance: Random) -> int:
    """Play the second game; return how many intents differ from those of the first."""
    changed = 0
    for move in moves:
        options = course.look()
        intent = move.intent
        if move.seat == HOARDER and intent["type"] == "pour":
            intent = chance.choice([one for one in options if one["type"] == "pour"])
        elif move.seat == SERVER and intent["type"] in _CUPS:
            intent = {**intent, "cup": ORDER[intent["cup"]]}
        changed += intent != move.intent
        course.do(Move(move.seat, intent, move.pries))
    return changed
