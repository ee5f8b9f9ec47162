"""Tournament: bots play its rounds, come late and leave, the host is killed; its end is counted."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

import msgspec

from coffeerush.league.table import league_game
from coffeerush.records.entries import Record
from coffeerush.records.writing import load_record
from coffeerush.tournament.course import Course
from coffeerush.tournament.journal import load_course
from coffeerush.tournament.tournament import Ranking
from protocol import NO_ID, Queue
from tests.soak.clients import Client, check_acknowledged
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import SECONDS as PATIENCE, Fields, Host
from tests.support.remembered_bots import choose

SECONDS: Final = 900.0
SIZES: Final = (5, 40)
ROUNDS: Final = 4
KILLS: Final = 6
CHANGES: Final = 5
"""At most so many come late, and as many leave."""
MOST_CHANGES: Final = 20
"""After at most so many changes at any bot the host is killed in a round."""
QUARTER: Final = Fraction(1, 4)
"""What who sits out gets of a win, and of the points."""


def run(soak: Soak) -> None:
    """Play tournaments until the time is up."""
    while True:
        changes = soak.chance.randint(0, CHANGES)
        play(soak, soak.chance.randint(*SIZES), ROUNDS, KILLS, changes)
        if not soak.left():
            break


def play(soak: Soak, players: int, rounds: int, kills: int, changes: int) -> None:
    """Play one tournament that so many begin, and check how it ends."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_Played(soak, Path(folder), players, rounds, kills, changes).run())


class _Bot(Client):
    """Plays whatever game it is called to, until it is over or the bot is to leave."""

    leaves = False

    async def play(self, chance: Random) -> None:
        async with self:
            model = await self.joined()
            if model.seat is None:
                self.wish(Queue(NO_ID, True))
            while model.status != "over":
                if self.leaves:
                    await self.leave()
                    return
                if model.can_act and not model.waiting:
                    assert model.view is not None
                    self.wish(choose("casual", model.view, chance))
                    if sent := self.model.waiting:
                        self.asked[sent.id] = sent
                model = await self.changed(model)


class _Played:
    """A tournament in a host process, and its bots in this one."""

    def __init__(
        self, soak: Soak, state: Path, players: int, rounds: int, kills: int, changes: int
    ) -> None:
        self._soak, self._chance, self._state = soak, soak.chance, state
        self._rounds, self._kills, self._changes = rounds, kills, changes
        rules = {"rounds": rounds, "break_seconds": 1, "turn_seconds": 60}
        self._options: Fields = {
            "tournament": {"players": players, "rules": rules},
            "tables": -(-players // 4) + 1,
            "resume_latest": True,
        }
        self._players = players
        self._news = asyncio.Event()
        self._bots: list[_Bot] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._killed: Counter[str] = Counter()

    async def run(self) -> None:
        began = perf_counter()
        self._host = await asyncio.to_thread(Host, self._state, **self._options)
        try:
            for _each in range(self._players):
                self._send_bot()
            await self._interfere()
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*self._tasks)
                code = await asyncio.to_thread(self._host.wait)
        finally:
            for task in self._tasks:
                task.cancel()
            self._host.close()
        self._soak.hold("the host stops by itself", code == 0, log=self._host.text())
        self._check(perf_counter() - began)

    def _send_bot(self) -> None:
        name = f"Bot {len(self._bots) + 1}"
        bot = _Bot(self._host.port, name, "player", self._news.set)
        self._bots.append(bot)
        chance = Random(self._chance.getrandbits(48))
        self._tasks.append(asyncio.create_task(bot.play(chance)))

    async def _interfere(self) -> None:
        """Let bots leave and come late, and kill the host, in each round and between them."""
        for number in range(1, self._rounds + 1):
            await self._until(partial(_has_begun, number))
            for _each in range(self._changes if number == 1 else 0):
                self._send_bot()
            while not self._is_over() and not all(
                bot.model.status in ("here", "over") for bot in self._bots if not bot.leaves
            ):
                await self._change()
            for _each in range(self._kills_in(number)):
                await self._kill("in a round")
            for _each in range(self._changes if number == 1 else 0):
                staying = [bot for bot in self._bots[: self._players] if not bot.leaves]
                self._chance.choice(staying[2:] or staying).leaves = True
            if number < self._rounds and self._chance.random() < 0.5 and self._left():
                await self._until(partial(_is_over, number))
                await self._kill("between rounds")

    def _left(self) -> int:
        return self._kills - self._killed.total()

    def _kills_in(self, number: int) -> int:
        if number == self._rounds:
            return self._left()
        return self._chance.randint(min(1, self._left()), min(2, self._left()))

    async def _kill(self, when: str) -> None:
        left = self._chance.randrange(MOST_CHANGES) if when == "in a round" else 0
        while left and not self._is_over():
            await self._change()
            left -= 1
        if self._is_over():
            return
        self._killed[when] += 1
        self._host.kill()
        self._host.close()
        options: Fields = {**self._options, "port": self._host.port}
        self._host = await asyncio.to_thread(Host, self._state, **options)
        self._soak.hold("the host comes back", self._host.port, log=self._host.text())

    async def _until(self, happened: Callable[[Course], bool]) -> None:
        """Wait until something has happened, or the tournament is over."""
        while not ((course := self._course()) and (happened(course) or course.stage == "over")):
            await self._change()

    def _is_over(self) -> bool:
        course = self._course()
        return course is not None and course.stage == "over"

    async def _change(self) -> None:
        self._news.clear()
        async with asyncio.timeout(PATIENCE):
            await self._news.wait()

    def _course(self) -> Course | None:
        paths = [*(self._state / "records").glob("*.tournament")]
        return load_course(paths[0]) if paths else None

    def _check(self, took: float) -> None:
        (path,) = (self._state / "records").glob("*.tournament")
        course = load_course(path)
        records = [load_record(each) for each in (self._state / "records").glob("*.record")]
        whole = course.stage == "over" and len(course.life.rounds) == self._rounds
        self._soak.hold("every round ends", whole, stage=course.stage, log=self._host.text())
        counted = _Counted(self._soak, _lines(path), records)
        self._soak.hold("the names are those of the bots", len(course.names) == len(self._bots))
        shown = {line.player: _figures(line) for line in course.life.standings()}
        own = {key: tuple(each) for key, each in counted.figures.items()}
        self._soak.hold("the standings are right", shown == own, shown=shown, counted=own)
        for bot in self._bots:
            is_let_in = bot.model.ending != "refused"
            self._soak.hold("nobody is turned away", is_let_in, refusal=bot.model.refusal)
        for bot in self._bots[: self._players]:
            played = counted.figures[bot.key.public.decode()][3]
            all_of_them = bot.leaves or played == self._rounds
            self._soak.hold("who stays plays every round", all_of_them, name=bot.model.name)
        check_acknowledged(self._soak, self._bots, records)
        self._soak.report(
            "tournament",
            players=self._players,
            late=len(self._bots) - self._players,
            left=sum(bot.leaves for bot in self._bots),
            rounds=len(course.life.rounds),
            games=len(records),
            kills=self._killed,
            acknowledged=sum(len(bot.accepted) for bot in self._bots),
            took_seconds=round(took, 1),
        )


def _figures(line: Ranking) -> tuple[Fraction, ...]:
    return line.score.wins, line.score.points, line.score.penalties, Fraction(line.rounds)


def _has_begun(number: int, course: Course) -> bool:
    return len(course.life.rounds) >= number


def _is_over(number: int, course: Course) -> bool:
    return len(course.life.rounds) > number or course.stage == "break"


def _lines(path: Path) -> list[Fields]:
    """Return the entries of a tournament as they are on disk."""
    return [msgspec.json.decode(line[9:]) for line in path.read_bytes().splitlines()]


class _Counted:
    """The standings, counted from the records by what the specification says.

    Attributes:
        figures: the wins, the share of points, the penalties and the rounds of each key.
    """

    def __init__(self, soak: Soak, lines: Iterable[Fields], records: Iterable[Record]) -> None:
        self._soak = soak
        self._games = {(one.head.hall, one.head.number): one for one in records}
        self.figures: dict[str, list[Fraction]] = {}
        head, *entries = lines
        self._hall = head["hall"]
        again = {one["number"]: one["again"] for one in entries if one["entry"] == "reseated"}
        here: set[str] = set()
        for one in entries:
            match one["entry"]:
                case "registered":
                    here.add(one["key"])
                case "withdrawn":
                    here.remove(one["key"])
                case "round":
                    self._check_pairing(here, one)
                    for key in one["resting"]:
                        self._add(key, QUARTER, QUARTER, Fraction())
                    for table in one["tables"]:
                        self._count(again.get(table["number"], table["number"]), table["players"])

    def _check_pairing(self, here: set[str], begun: Fields) -> None:
        paired = [*begun["resting"]]
        for table in begun["tables"]:
            paired += table["players"]
        self._soak.hold("everybody was paired", sorted(paired) == sorted(here), round=begun)
        sizes = Counter(len(table["players"]) for table in begun["tables"])
        self._soak.hold("tables are of three and four", len(here) < 5 or set(sizes) <= {3, 4})

    def _count(self, number: int, players: list[str]) -> None:
        record = self._games.get((self._hall, number))
        is_counted = record is not None and league_game(record, 0.0) is not None
        self._soak.hold("each game is on record for the league", is_counted, table=number)
        if record is None or record.end is None:
            return
        keys = [seat.key for seat in record.head.seats]
        self._soak.hold("those who were paired have played", sorted(keys) == sorted(players))
        *_others, state = record.states()
        wins = sum(one.rank == 1 for one in record.end.standings)
        total = sum(max(one.score, 0) for one in record.end.standings)
        for one in record.end.standings:
            share = Fraction(max(one.score, 0), total) if total else Fraction(1, len(keys))
            penalties = Fraction(len(state.players[one.seat].penalties))
            self._add(keys[one.seat], Fraction(one.rank == 1, wins), share, penalties)

    def _add(self, key: str, *gained: Fraction) -> None:
        known = self.figures.setdefault(key, [Fraction()] * 4)
        more = (*gained, Fraction(1))
        self.figures[key] = [have + new for have, new in zip(known, more, strict=True)]
