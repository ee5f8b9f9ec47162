"""Moves: hosts that die, lose their cable, sleep or hand over at random moments of games."""

import os
import signal
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import combinations, count, repeat
from pathlib import Path
from random import Random
from threading import Lock
from time import monotonic
from typing import Final

import msgspec
from msgspec.structs import asdict

from coffeerush.moving.sealing import needed_of
from coffeerush.records.writing import load_record
from coffeerush.rules import view_for
from scripts.programs.bench.conditions import percentile
from tests.soak.lan.lan import faults
from tests.soak.lan.moving import HOST, NAMES, MovingTable
from tests.soak.lan.network import CUT, Loss, unavailable
from tests.soak.lan.reports import StuckError
from tests.soak.lan.standby import GO_ON, PLAY, REST
from tests.soak.oracle.leaks import Inspection
from tests.soak.oracle.truth import Truth, exported
from tests.soak.soak import Soak

SECONDS: Final = 3600.0
MOMENTS: Final = 300
MOMENTS_A_TABLE: Final = 12
TABLES_AT_ONCE: Final = 3
PLAYERS: Final = (3, 4, 2, 4, 3)
PAUSE_SECONDS: Final = 0.1
"""The mean thinking time of a player: a game lasts some moments."""
LATE_SECONDS: Final = 11.0
"""After which those later in the order may go on as well, once the first one may."""
SLEEP_SECONDS: Final = (0.5, 14.0)
HANDOVER_SECONDS: Final = 2.0
"""In about this time a handover is over."""
BACK_SECONDS: Final = 1.5
"""How long a host that has lost its table is there again before it ends."""
SLOW: Final = Loss(10, 10)
PRESS_SECONDS: Final = 3.0
"""Between two presses of the key with which somebody goes on."""
MOVED: Final = frozenset({"kill", "power", "cut"})
"""After these the table has another host."""


def run(soak: Soak) -> None:
    """Let tables move until there were enough moments, or the time is up."""
    if why := unavailable():
        soak.skip("all", why)
        return
    moves = Moves(soak, MOMENTS)
    chances = [Random(soak.chance.random()) for _ in range(TABLES_AT_ONCE)]
    with ThreadPoolExecutor(TABLES_AT_ONCE) as pool:
        [*pool.map(moves.keep_moving, chances)]
        [*pool.map(moves.split, splits(NAMES), repeat(soak.chance))]
    moves.report()


def splits(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield who may be apart from the host, in every way."""
    for size in range(1, len(names) + 1):
        yield from combinations(names, size)


class Moves:
    """The moments so far, and what they took; may be used from several threads."""

    def __init__(self, soak: Soak, moments: int, pause: float = PAUSE_SECONDS) -> None:
        self._soak = soak
        self._most = moments
        self._pause = pause
        self._tables = count()
        self._lock = Lock()
        self._kinds: Counter[str] = Counter()
        self._took: dict[str, list[float]] = defaultdict(list)
        self._figures: Counter[str] = Counter()

    def keep_moving(self, chance: Random) -> None:
        """Open one table after the other."""
        while self._may_go_on():
            players = PLAYERS[next(self._tables) % len(PLAYERS)]
            self.evening(chance, NAMES[:players])

    def _may_go_on(self) -> bool:
        return self._kinds.total() < self._most and self._soak.left() > 0

    def evening(self, chance: Random, names: Sequence[str], kinds: Sequence[str] = ()) -> None:
        """Let a table move as `kinds` say or at random, and check what all saw."""
        kind = "gathering"
        with tempfile.TemporaryDirectory() as folder:
            seed = chance.getrandbits(32)
            try:
                with MovingTable.open(Path(folder), names, seed, self._pause) as table:
                    for number in range(len(kinds) or MOMENTS_A_TABLE):
                        possible = _possible(table)
                        if not kinds and (not possible or not self._may_go_on()):
                            break
                        kind = kinds[number] if kinds else chance.choice(possible)
                        self._count(kind)
                        took = Moment(table, chance).live(kind)
                        if took is None:
                            with self._lock:
                                self._figures["over_with_its_game"] += 1
                            break
                        self._note(kind, took)
                    table.finish()
            except StuckError as error:
                self._soak.hold("all find the table again", False, kind=kind, seen=error)
            else:
                self._check(table)

    def split(self, apart: Collection[str], chance: Random) -> None:
        """Let a table fall in two: all of them find it where more than half of the shares are.

        Nobody plays at the host meanwhile: that would not be part of the game.
        """
        kind = f"split, {len(apart)} apart"
        self._count(kind)
        with tempfile.TemporaryDirectory() as folder:
            try:
                with MovingTable.open(Path(folder), NAMES, chance.getrandbits(32)) as table:
                    self._note(kind, Moment(table, chance).fall_apart(apart))
                    table.finish()
            except StuckError as error:
                self._soak.hold("all find the table again", False, kind=kind, seen=error)
            else:
                self._check(table)

    def _count(self, kind: str) -> None:
        with self._lock:
            self._kinds[kind] += 1

    def _note(self, kind: str, took: float) -> None:
        with self._lock:
            self._took[kind].append(took)

    # Promises

    def _check(self, table: MovingTable) -> None:
        """Check what players have seen and were told against the records of the last hosts."""
        hold = self._soak.hold
        for term, epochs in table.terms().items():
            hold("a term has one host", len(epochs) == 1, term=term, epochs=epochs)
        for one in table.players:
            terms = [seen.term for seen in one.seen if seen.term]
            hold("nobody follows to an earlier term", terms == sorted(terms), who=one.name)
            revs = [(seen.game, seen.rev) for seen in one.seen if seen.term]
            hold("nobody sees a game go back", revs == sorted(revs), who=one.name)
        paths = table.records()
        records = [load_record(path) for path in paths]
        told = [(one.account, one.sights) for one in table.players if one.account]
        for fault in faults(records, told, are_over=False):
            hold("what was answered is on record, once", False, seen=fault)
        ended = [path for path, record in zip(paths, records, strict=True) if record.end]
        marks = sum(self._look_for_leaks(table, path) for path in ended)
        with self._lock:
            self._figures += Counter(
                tables=1,
                games_ended=len(ended),
                acknowledged=sum(len(account.accepted) for account, _sights in told),
                answered_again=sum(
                    sum(account.accepted.values()) - len(account.accepted) for account, _s in told
                ),
                recorded=sum(len(record.moves) for record in records),
                sights=sum(len(sights) for _account, sights in told),
                marks=marks,
            )

    def _look_for_leaks(self, table: MovingTable, path: Path) -> int:
        """Look for others' cups in what each player received in a finished game."""
        lines = [line for line in exported(path) if line["type"] != "moved"]
        record = load_record(path)
        menu = [
            msgspec.json.decode(msgspec.json.encode(asdict(drink)))
            for drink in view_for(next(iter(record.states())), None).menu
        ]
        look = Inspection(self._soak, Truth(lines, menu))
        seats = {seat["name"]: number for number, seat in enumerate(lines[0]["seats"])}
        for one in (*table.players, *table.gone):
            if (kept := one.kept / f"game-{record.head.game}").exists():
                look.look_at_received(kept.read_bytes(), seats.get(one.name), one.name)
        return look.marks

    def report(self) -> None:
        """Report how many moments there were, and how long after each everybody played on."""
        self._soak.report(
            "moves",
            moments=self._kinds.total(),
            **self._figures,
        )
        for kind, took in self._took.items():
            self._soak.report(
                f"moves: {kind}",
                moments=self._kinds[kind],
                played_on_after_p50=round(percentile(took, 0.5), 2),
                played_on_after_max=round(max(took), 2),
            )
        self._soak.hold("there were moments", self._took)


def _possible(table: MovingTable) -> list[str]:
    """Return what may happen to a table now."""
    found = []
    if any(one.owner and one.standbys for one in table.standings()):
        found += ["hand over"]
    if any(one.failover for one in table.standings()):
        found += ["kill", "sleep"]
        if table.at == HOST:
            found += ["cut"]
        else:
            found += ["hand over and kill", "power"]
    return found


class Moment:
    """What happens to a table at a random moment of its game."""

    def __init__(self, table: MovingTable, chance: Random) -> None:
        self._table = table
        self._chance = chance
        self._pressed: dict[str, float] = {}
        self._goes_on_at = 0.0
        """Before that nobody presses the key."""

    def live(self, kind: str) -> float | None:
        """Let it happen; return the seconds until everybody plays on.

        None if the game had just ended: there is nothing to go on with then.
        """
        table, chance = self._table, self._chance
        table.play_on(chance.uniform(0, 1))
        table.until(lambda: table.are_here(0) and (table.are_safe() or not _fails_over(table)))
        begun, term = monotonic(), table.term
        if chance.random() < 0.2:
            self._goes_on_at = begun + LATE_SECONDS + 6
        with self._slowed():
            getattr(self, "_" + kind.replace(" ", "_"))()
            self._settle(term + (kind in MOVED))
        if self._is_over():
            return None
        table.play_past(table.newest())
        return monotonic() - begun

    def fall_apart(self, apart: Collection[str]) -> float:
        """Let these reach each other only for a while; return the seconds until all play on."""
        table, others = self._table, [one for one in self._table.players if one.name not in apart]
        moves_on = len(apart) >= needed_of(len(table.players))
        for one in others:
            one.say(REST)
        table.play_on(BACK_SECONDS)  # whatever they have sent is answered
        host, begun = table.host(), monotonic()
        table.split(apart)
        if moves_on:
            there = [table.player(name) for name in apart]
            self._settle_until(lambda: all(one.now and one.now.term > 1 for one in there))
        else:
            while monotonic() < begun + LATE_SECONDS + 6:
                self._press()
                table.play_on(0.1)
        table.split(())
        self._settle_until(lambda: table.are_here(1 + moves_on))
        table.note_host()
        if moves_on:
            end(host)
        for one in others:
            one.say(PLAY)
        table.play_past(table.newest())
        return monotonic() - begun

    # What happens

    def _kill(self) -> None:
        self._table.signal_host(signal.SIGKILL)

    def _power(self) -> None:
        """The machine of the host goes out, with its player."""
        self._table.power_off(self._table.at)

    def _cut(self) -> None:
        """The host loses its cable, and gets it back when it has lost the table."""
        table, host = self._table, self._table.host()
        table.lose({HOST: CUT})
        self._settle(table.term + 1)
        table.lose({HOST: Loss()})
        table.play_on(BACK_SECONDS)
        end(host)

    def _sleep(self) -> None:
        """The host is suspended for a while, and wakes when it has another one or not."""
        table, term = self._table, self._table.term
        host = table.signal_host(signal.SIGSTOP)
        wakes_at = monotonic() + self._chance.uniform(*SLEEP_SECONDS)
        while monotonic() < wakes_at:
            self._press()
            table.play_on(0.1)
        os.kill(host, signal.SIGCONT)
        self._settle(term)
        if table.term > term:
            table.play_on(BACK_SECONDS)
            end(host)

    def _hand_over(self) -> None:
        table, term = self._table, self._table.term
        table.hand_over(
            until=lambda: table.term > term or any(one.moves for one in table.standings())
        )

    def _hand_over_and_kill(self) -> None:
        self._hand_over()
        self._table.play_on(self._chance.uniform(0, HANDOVER_SECONDS))
        self._table.signal_host(signal.SIGKILL)

    # Until it is over

    def _settle(self, term: int) -> None:
        table = self._table
        self._settle_until(lambda: table.are_here(term) or self._is_over())
        if not self._is_over():
            table.note_host()

    def _settle_until(self, happened: Callable[[], bool]) -> None:
        """Let the one who may go on press the key until something has happened."""

        def has_happened() -> bool:
            self._press()
            return happened()

        self._table.until(has_happened)

    def _is_over(self) -> bool:
        """Return whether the host is gone for all, and somebody has seen the end of its game."""
        seen = self._table.standings()
        gone = all(one.status == "lost" and not one.may_go_on for one in seen)
        return gone and any(one.stage == "result" for one in seen)

    def _press(self) -> None:
        """Press the key for a player who may go on."""
        now = monotonic()
        player = self._table.offered()
        if player is None or now < self._goes_on_at:
            return
        if now - self._pressed.get(player.name, 0.0) > PRESS_SECONDS:
            self._pressed[player.name] = now
            player.say(GO_ON)

    @contextmanager
    def _slowed(self) -> Iterator[None]:
        """Let the cables of some players lose frames."""
        slow = {one.name: SLOW for one in self._table.players if self._chance.random() < 0.3}
        self._table.lose(slow)
        try:
            yield
        finally:
            self._table.lose({name: Loss() for name in slow if name in self._table.names()})


def end(process: int) -> None:
    """Kill a process if it still runs."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _fails_over(table: MovingTable) -> bool:
    return any(one.failover for one in table.standings())
