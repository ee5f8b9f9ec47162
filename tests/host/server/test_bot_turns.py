"""Bots in a child process: working ones, broken ones, and ones that never answer."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from multiprocessing.connection import wait
from pathlib import Path
from random import Random

import pytest

from coffeerush.bots import RandomBot
from coffeerush.bots.process import MOVE_TIME_LIMIT_SECONDS, BotProcess, BotReply, Task
from coffeerush.errors import BotError
from coffeerush.host.hall.hall import Hall, Published
from coffeerush.host.hall.tournament import Tournaments
from coffeerush.host.server.bot_turns import BotTurns, HallBots
from coffeerush.host.table.config import RETURN_SECONDS, BotTurn
from coffeerush.host.table.table import Buckets
from coffeerush.local.processes import child_environment
from coffeerush.rules import Setup, deal, standard_deck, view_for
from protocol import Intent
from tests.support.hosts_and_clients import SECONDS
from tests.support.tables import EPOCH, Joiner, MemoryCourses

pytestmark = pytest.mark.slow

STATE = deal(Setup(players=2, deck=standard_deck(), seed=1))
VIEW = view_for(STATE, STATE.active)
assert VIEW.own
OPTIONS = [option.intent for option in VIEW.own.options]
BOTS = """
import fcntl, os, signal, subprocess, sys, time
import msgspec
from coffeerush.bots.process import BotReply

held = []

def begin():
    held.append(open("held", "w"))
    fcntl.flock(held[0], fcntl.LOCK_EX)
    with open("pid", "w") as file:
        file.write(str(os.getpid()))

class First:
    def choose(self, view, chance):
        print("bots may print")
        print("my cups are", view.own.cups, file=sys.stderr)
        return view.own.options[0].intent

class Raises:
    def choose(self, view, chance):
        raise RuntimeError(f"my cups are {view.own.cups}")

class Nonsense:
    def choose(self, view, chance):
        return "up"

class Exits:
    def choose(self, view, chance):
        os._exit(1)

class Hangs:
    def choose(self, view, chance):
        begin()
        while True:
            signal.pause()

class Calculates:
    def choose(self, view, chance):
        begin()
        while True:
            pass

class Yields:
    def choose(self, view, chance):
        yields = []
        os.sched_yield = lambda: yields.append(True)
        while len(yields) < 3:
            pass
        return view.own.options[0].intent

class Waits:
    def choose(self, view, chance):
        yields = []
        def waiting():
            yields.append(True)
            time.sleep(0.05)
        os.sched_yield = waiting
        until = time.thread_time() + 0.1
        while time.thread_time() < until:
            pass
        return view.own.options[len(yields) > 11].intent

class Leaves:
    def choose(self, view, chance):
        with open("held", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            subprocess.Popen(["sleep", "1000"], stdout=file)
        return view.own.options[0].intent

class Halves:
    def choose(self, view, chance):
        os.write(int(sys.argv[1]), b"\\0\\0")
        while True:
            signal.pause()

class Chatters:
    def choose(self, view, chance):
        intent = view.own.options[0].intent
        os.write(int(sys.argv[1]), msgspec.json.encode(BotReply(intent)) + b"\\n")
        return intent

class Deep:
    def choose(self, view, chance):
        os.write(int(sys.argv[1]), b'{"intent":null,"x":' + b"[" * 20_000 + b"\\n")
        signal.pause()

class Lacking:
    def choose(self, view, chance):
        reply = BotReply(None, "{what} is lacking.", {"text": "?"})
        os.write(int(sys.argv[1]), msgspec.json.encode(reply) + b"\\n")
        signal.pause()

class Forks:
    def choose(self, view, chance):
        os.fork()
        return view.own.options[0].intent

class Counts:
    turns = 0
    def choose(self, view, chance):
        self.turns += 1
        return view.own.options[self.turns].intent
"""
HOST = """
import signal, sys
from coffeerush.bots.process import BotProcess, Task
from coffeerush.rules import Setup, deal, standard_deck, view_for

state = deal(Setup(players=2, deck=standard_deck(), seed=1))
worker = BotProcess()
worker.ask(Task(sys.argv[1], 1, 0, view_for(state, state.active)))
signal.pause()
"""
"""A program that waits for a bot as a host does."""


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the path of a file with bots, in the directory where bots run."""
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    return str(path)


@pytest.fixture
def worker() -> Iterator[BotProcess]:
    worker = BotProcess()
    yield worker
    worker.stop()


def answer(worker: BotProcess) -> BotReply:
    """Wait for the whole answer of the bots' process, and return it."""
    deadline = time.monotonic() + SECONDS
    while (choice := worker.receive()) is None:
        assert (file := worker.fileno()) is not None
        assert wait([file], deadline - time.monotonic())
    return choice


def test_a_bot_chooses_the_same_in_the_child_process(worker: BotProcess) -> None:
    for seed in range(3):
        worker.ask(Task("random", 1, seed, VIEW))
        assert answer(worker).intent == RandomBot().choose(VIEW, Random(seed))


def test_a_persons_bot_may_print_and_keeps_state_during_a_game(
    worker: BotProcess, bots: str, capfd: pytest.CaptureFixture[str]
) -> None:
    worker.ask(Task(f"{bots}:First", 1, 0, VIEW))
    assert answer(worker).intent == OPTIONS[0]
    assert capfd.readouterr() == ("", "")  # its cups must not leak into the host's log (R-INFO-2)
    chosen = []
    for game in (1, 1, 2):
        worker.ask(Task(f"{bots}:Counts", game, 0, VIEW))
        chosen.append(answer(worker).intent)
    assert chosen == [OPTIONS[turn] for turn in (1, 2, 1)]


@pytest.mark.parametrize(("name", "said"), [("Raises", "RuntimeError on line"), ("Nonsense", "")])
def test_an_invalid_choice_is_reported_without_secrets(
    worker: BotProcess, bots: str, name: str, said: str
) -> None:
    worker.ask(Task(f"{bots}:{name}", 1, 0, VIEW))
    choice = answer(worker)
    assert choice.intent is None
    assert choice.error
    assert said in str(choice.error)
    assert "cups" not in str(choice.error)


def test_a_bot_that_exits_takes_down_only_its_own_process(
    worker: BotProcess, bots: str, capfd: pytest.CaptureFixture[str]
) -> None:
    worker.ask(Task(f"{bots}:Exits", 1, 0, VIEW))
    with pytest.raises(BotError, match="ended"):
        answer(worker)
    assert capfd.readouterr() == ("", "")
    worker.ask(Task("random", 1, 0, VIEW))
    assert answer(worker).intent


@pytest.mark.parametrize("name", ["Deep", "Lacking"])
def test_a_reply_that_is_none_is_an_error(worker: BotProcess, bots: str, name: str) -> None:
    worker.ask(Task(f"{bots}:{name}", 1, 0, VIEW))
    with pytest.raises(BotError, match="sent an invalid message"):
        answer(worker)


BUSY = """
import time
while time.process_time() < 1:
    pass
print("busy", flush=True)
while True:
    pass
"""


@pytest.mark.soak
def test_a_bot_gets_on_beside_busy_processes() -> None:
    with ExitStack() as stack:
        loops = [
            stack.enter_context(
                subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE)
            )
            for _loop in range(2 * (os.cpu_count() or 1))
        ]
        for busy in loops:
            stack.callback(busy.kill)
        for busy in loops:
            assert busy.stdout
            busy.stdout.readline()
        for seed in range(3):
            worker = BotProcess()
            stack.callback(worker.stop)
            worker.ask(Task("casual", 1, seed, VIEW))
            assert worker.receive(MOVE_TIME_LIMIT_SECONDS), "the host would have killed it"


def test_child_processes_of_a_bot_end_with_it(worker: BotProcess, bots: str) -> None:
    worker.ask(Task(f"{bots}:Leaves", 1, 0, VIEW))
    assert answer(worker).intent
    worker.stop()
    wait_for_unlock()


def test_child_processes_of_a_bot_end_when_the_host_is_killed(
    worker: BotProcess, bots: str
) -> None:
    worker.ask(Task(f"{bots}:Leaves", 1, 0, VIEW))
    assert answer(worker).intent
    assert worker._child
    worker._child.link.end.close()  # all that the bots' process sees of it
    wait_for_unlock()


@pytest.mark.parametrize("name", ["Calculates", "Hangs"])
def test_a_bot_that_is_choosing_ends_when_the_host_is_killed(name: str, bots: str) -> None:
    host = subprocess.Popen([sys.executable, "-c", HOST, f"{bots}:{name}"], env=child_environment())
    with host:
        wait_for_pid(Path("pid"))
        host.kill()
    wait_for_unlock()


def test_a_bot_that_is_choosing_lets_others_use_its_core(worker: BotProcess, bots: str) -> None:
    worker.ask(Task(f"{bots}:Yields", 1, 0, VIEW))
    assert answer(worker).intent == OPTIONS[0]


def test_a_bot_gives_way_only_so_long(worker: BotProcess, bots: str) -> None:
    worker.ask(Task(f"{bots}:Waits", 1, 0, VIEW))
    assert answer(worker).intent == OPTIONS[0]


def test_a_bot_that_forks_answers_once(worker: BotProcess, bots: str) -> None:
    for seed in range(5):
        worker.ask(Task(f"{bots}:Forks", 1, 0, VIEW))
        assert answer(worker).intent == OPTIONS[0]
        worker.ask(Task("random", 1, seed, VIEW))
        assert answer(worker).intent == RandomBot().choose(VIEW, Random(seed))


def test_bots_are_checked_before_they_play(worker: BotProcess, bots: str) -> None:
    worker.check(f"{bots}:First")
    for missing in (f"{bots}:Nobody", "nobody", "nowhere.py:Bot"):
        with pytest.raises(BotError):
            worker.check(missing)


@pytest.mark.parametrize("path", [f"{300 * 'x'}.py:Bot", "\udcff.py:Bot"])
def test_a_bot_whose_name_does_not_fit_a_record_is_refused_at_once(
    worker: BotProcess, path: str
) -> None:
    with pytest.raises(BotError, match="cannot be recorded"):
        worker.check(path)
    assert worker.fileno() is None, "no process was started for it"


class Seat:
    """A table with a single bot turn."""

    def __init__(self, bot: str) -> None:
        self.number = 1
        self.turn: BotTurn | None = BotTurn(0, bot, 1, 0, VIEW)
        self.moves: list[Intent | None] = []

    def bot_turn(self) -> BotTurn | None:
        return self.turn

    def bot_move(self, now: float, turn: BotTurn, intent: Intent | None) -> tuple[Published, ...]:
        assert turn is self.turn
        self.turn = None
        self.moves.append(intent)
        return ()


def hear(turns: BotTurns, seat: Seat, now: float) -> None:
    """Wait until the bot has moved."""
    deadline = time.monotonic() + SECONDS
    while seat.turn is not None:
        assert (file := turns.fileno()) is not None
        assert wait([file], deadline - time.monotonic())
        turns.receive(now)


def test_a_hanging_bot_times_out(bots: str) -> None:
    seat = Seat(f"{bots}:Hangs")
    turns = BotTurns(seat, Random(1))
    turns.begin(100.0)
    pid = wait_for_pid(Path("pid"))
    wait_seconds(turns, 100, MOVE_TIME_LIMIT_SECONDS - 1)
    assert not seat.moves
    turns.tick(100.0 + MOVE_TIME_LIMIT_SECONDS)
    assert seat.moves == [None]
    assert not is_alive(pid)
    seat.turn = BotTurn(0, "random", 1, 1, VIEW)
    turns.begin(200.0)
    hear(turns, seat, 200.0)
    assert seat.moves[1] in OPTIONS
    turns.stop()


def test_a_truncated_answer_times_out(bots: str) -> None:
    seat = Seat(f"{bots}:Halves")
    turns = BotTurns(seat, Random(1))
    turns.begin(100.0)
    assert (file := turns.fileno()) is not None
    assert wait([file], SECONDS)
    turns.receive(100.0)
    assert not seat.moves
    wait_seconds(turns, 100, MOVE_TIME_LIMIT_SECONDS)
    assert seat.moves == [None]
    turns.stop()


def test_an_unsolicited_answer_is_ignored(worker: BotProcess, bots: str) -> None:
    worker.ask(Task(f"{bots}:Chatters", 1, 0, VIEW))
    with suppress(BotError):  # if both answers arrive at once, they are invalid
        assert answer(worker).intent == OPTIONS[0]
        assert (file := worker.fileno()) is not None
        assert wait([file], SECONDS)
    worker.ask(Task("random", 1, 3, VIEW))
    assert answer(worker).intent == RandomBot().choose(VIEW, Random(3))


def test_a_process_that_died_while_idle_is_restarted() -> None:
    seat = Seat("random")
    turns = BotTurns(seat, Random(1))
    moves = []
    for rev in range(3):
        seat.turn = BotTurn(0, "random", 1, rev, VIEW)
        turns.begin(0.0)
        hear(turns, seat, 0.0)
        moves.append(seat.moves[-1])
        kill(turns)
    chance = Random(1)
    assert moves == [RandomBot().choose(VIEW, Random(chance.getrandbits(64))) for _ in moves]
    turns.stop()


def test_a_bot_whose_process_is_killed_is_retried_once(bots: str) -> None:
    seat = Seat(f"{bots}:Hangs")
    turns = BotTurns(seat, Random(1))
    turns.begin(100.0)
    first = wait_for_pid(Path("pid"))
    Path("pid").unlink()
    os.kill(first, signal.SIGKILL)
    assert (file := turns.fileno()) is not None
    assert wait([file], SECONDS)
    turns.receive(105.0)
    second = wait_for_pid(Path("pid"))
    assert second != first
    assert not seat.moves
    os.kill(second, signal.SIGKILL)
    hear(turns, seat, 106.0)
    assert seat.moves == [None]
    turns.stop()


def kill(turns: BotTurns) -> None:
    """Kill the bots' process and wait for its exit."""
    process = turns._worker._child
    assert process
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait(SECONDS) == -signal.SIGKILL


@pytest.mark.parametrize("first", ["tick", "begin"])
def test_suspension_of_the_host_does_not_count_against_a_bot(bots: str, first: str) -> None:
    seat = Seat(f"{bots}:Hangs")
    turns = BotTurns(seat, Random(1))
    turns.begin(100.0)
    wait_seconds(turns, 100, 4)
    (turns.tick if first == "tick" else turns.begin)(204.0)
    wait_seconds(turns, 204, MOVE_TIME_LIMIT_SECONDS - 5)
    assert not seat.moves
    turns.tick(200.0 + MOVE_TIME_LIMIT_SECONDS)
    assert seat.moves == [None]
    turns.stop()


def wait_seconds(turns: BotTurns, now: int, seconds: int) -> None:
    """Advance time as the host does, one second at a time."""
    for second in range(1, seconds + 1):
        turns.tick(now + second)
        turns.begin(now + second)


def test_a_bot_is_asked_once_per_turn() -> None:
    seat = Seat("random")
    turns = BotTurns(seat, Random(1))
    assert turns.fileno() is None
    turns.begin(0.0)
    turns.begin(0.0)
    hear(turns, seat, 0.0)
    assert len(seat.moves) == 1
    assert seat.moves[0] in OPTIONS
    assert turns.fileno() is None
    turns.stop()


def wait_for_pid(path: Path) -> int:
    """Wait for the process id that a bot writes when it is asked, and return it."""
    deadline = time.monotonic() + SECONDS
    while not (path.exists() and (text := path.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.005)  # nothing tells when a file is written
    return int(text)


def wait_for_unlock() -> None:
    """Wait for the exit of the bot, or of its own child process, which holds a lock."""
    with open("held") as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_hanging_bot_holds_up_no_other_table(bots: str) -> None:
    buckets = Buckets()
    joiner = Joiner(buckets)
    kinds = (f"{bots}:Hangs", "random"), ("random", "random")
    tables = [joiner.make(number, "", bots=each) for number, each in enumerate(kinds, 1)]
    hall = Hall(tables, joiner, buckets, EPOCH, Tournaments(MemoryCourses(), Random(1)), stay=2)
    hall.tick(100.0)
    turns = HallBots(hall, Random(1))
    deadline = time.monotonic() + SECONDS
    while hall.tables[2].round < 2:  # at a time that stands still
        turns.begin(100.0)
        files = [file for file in turns.filenos() if file is not None]
        turns.receive(100.0, wait(files, deadline - time.monotonic()))
    turn = hall.bot_turn(1)
    assert turn is not None
    assert turn.bot == kinds[0][0], "it is still asked"
    turns.stop()


def test_the_bots_of_a_table_that_has_closed_end(bots: str) -> None:
    buckets = Buckets()
    joiner = Joiner(buckets)
    made = [joiner.make(1, ""), joiner.make(2, "", bots=(f"{bots}:Hangs",) * 2)]
    hall = Hall(made, joiner, buckets, EPOCH, Tournaments(MemoryCourses(), Random(1)), stay=1)
    hall.tick(100.0)
    turns = HallBots(hall, Random(1))
    turns.begin(100.0)
    pid = wait_for_pid(Path("pid"))
    for second in range(RETURN_SECONDS + 1):
        hall.tick(101.0 + second)
    assert 2 not in hall.tables
    turns.tick(100.0)
    assert not is_alive(pid)
    turns.stop()
