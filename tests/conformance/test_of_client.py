"""`coffeerush conformance client` passes our clients, and catches those that break a rule."""

import asyncio
import re
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest
from msgspec.structs import replace

from coffeerush.client.bot_guest import GuestBot, act
from coffeerush.client.connection import Link, Way
from coffeerush.conformance import of_client
from coffeerush.conformance.of_client import CLIENT_RULES
from coffeerush.conformance.rules import PATIENCE, sections, try_rules
from coffeerush.conformance.stage import Stage
from coffeerush.conformance.visitors import Visitor, new_id
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import new_keys
from protocol import (
    PROTOCOL_VERSION,
    Hello,
    Moved,
    Ready,
    Sync,
    Tick,
    decode_publication,
    encode,
    split_publication,
)
from tests.support.gamers import Gamer
from tests.support.hosts_and_clients import ROOT, SECONDS, coffeerush, environment

BOT = ROOT / "examples" / "minimal_bot.py"
BEGINNING = ("joins as a player", "gets ready", "are renumbered")
"""Of the scenes that the others build on."""


@contextmanager
def conforming(state: Path) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        coffeerush("conformance", "client", "--port", "0", "--bind", "127.0.0.1"),
        env=environment(state),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


def watched(process: "subprocess.Popen[str]", start: Callable[[str], None]) -> list[str]:
    """Return the lines that the command printed; start the client whenever it asks for one."""
    lines: list[str] = []
    assert process.stdout
    for line in process.stdout:
        lines.append(line.rstrip())
        again = lines[-2:-1] in ([], ["Start the client again, please."])
        if line.startswith("Join: ") and again:
            start(line.split()[1])
    assert process.wait(SECONDS) == 0, "\n".join(lines)
    return [line for line in lines if line.startswith(("ok", "departs", "not tried"))]


class Insistent(Gamer):
    """A plain-mode client whose refused lines are typed again, and who wants rematches."""

    def __init__(self, state: Path, *arguments: str) -> None:
        super().__init__(state, *arguments)
        self._last = ""
        self._seen = 0

    def say(self, line: str) -> None:
        self._last = line
        super().say(line)

    def catch_up(self) -> None:
        """Answer what was printed, and type refused lines again."""
        refused = len(re.findall(r"please try again|have another look", self.text))
        if refused > self._seen:
            self._seen = refused
            self.say(self._last)
        super().catch_up()
        if self.reader.over:
            self.reader.over = False
            self.say("ready")

    def play_on(self) -> None:
        self.say("ready")
        with suppress(AssertionError, OSError):
            while select.select([self], [], [], SECONDS)[0]:
                self.play()


def lines_of_our_plain_mode(state: Path) -> list[str]:
    people: list[tuple[Insistent, Thread]] = []

    def start(address: str) -> None:
        name = f"Ann {len(people)}"
        person = Insistent(state / "ann", "join", address, "--plain", "--name", name)
        people.append((person, Thread(target=person.play_on)))
        people[-1][1].start()

    try:
        with conforming(state) as process:
            return watched(process, start)
    finally:
        for person, thread in people:
            person.process.kill()
            thread.join(SECONDS)
            person.__exit__()


def lines_of_the_example_bot(state: Path) -> list[str]:
    """Let it be checked; again if the only game that it plays has ended before that is done."""
    lines = _lines_of_a_game(state)
    while any("(the game is over" in line for line in lines):
        lines = _lines_of_a_game(state)
    return lines


def _lines_of_a_game(state: Path) -> list[str]:
    bots = []

    def start(address: str) -> None:
        host, port = address.split(":")
        bots.append(subprocess.Popen([sys.executable, str(BOT), host, port]))

    try:
        with conforming(state) as process:
            return watched(process, start)
    finally:
        for bot in bots:
            bot.kill()
            bot.wait(SECONDS)


@pytest.mark.slow
def test_our_clients_keep_all_rules(tmp_path: Path) -> None:
    with ThreadPoolExecutor() as both:  # they mostly wait
        plain = both.submit(lines_of_our_plain_mode, tmp_path / "plain")
        bot = both.submit(lines_of_the_example_bot, tmp_path / "bot")
    assert [line for line in plain.result() if not line.startswith("ok")] == []
    assert [len(plain.result()), len(bot.result())] == [len(CLIENT_RULES)] * 2
    left = {line[-31:] for line in bot.result() if not line.startswith("ok")}
    assert left == {"(the client does not subscribe)"}


@pytest.mark.slow
def test_a_client_that_falls_silent_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_client, "TURN_SECONDS", 0.5)
    stage = Stage(tmp_path, "127.0.0.1", 0, True, lambda _line: None, tick=0.2)
    peers: list[Visitor] = []

    def join() -> None:
        peers.append(Visitor(Address("127.0.0.1", stage.port), new_keys(), ""))
        peers[0].ask(Hello(new_id(), PROTOCOL_VERSION, "Bo", "player"))
        peers[0].send(b"", encode(Ready(new_id(), True)))

    lines: list[str] = []
    thread = Thread(target=join)
    thread.start()
    try:
        assert not try_rules(CLIENT_RULES, stage, lines.append)
    finally:
        stage.close()
        thread.join(SECONDS)
        peers[0].close()
    outcomes = [line[:9] for line in lines[:-1]]
    silent = ["departs  "] * PATIENCE
    assert outcomes == ["ok       "] * 2 + silent + ["not tried"] * (len(CLIENT_RULES) - 4)
    assert lines[-1] == f"Departures: {PATIENCE}"


def test_each_scene_names_a_section() -> None:
    assert {rule.section for rule in CLIENT_RULES} <= sections().keys()


def caught(
    state: Path, monkeypatch: pytest.MonkeyPatch, text: str, client: Callable[[int], None]
) -> None:
    """Check that a client is caught in the scene with a text."""
    monkeypatch.setattr(of_client, "REACTION_SECONDS", 2.0)
    monkeypatch.setattr(of_client, "_QUIET_SECONDS", 1.0)
    rules = [r for r in CLIENT_RULES if text in r.text or any(w in r.text for w in BEGINNING)]
    assert len(rules) == 1 + len(BEGINNING)
    lines: list[str] = []
    stage = Stage(state, "127.0.0.1", 0, True, lambda _line: None, tick=0.2)
    try:
        client(stage.port)
        assert not try_rules(rules, stage, lines.append)
    finally:
        stage.close()
    assert [line[:7] for line in lines] == ["ok     "] * 3 + ["departs", "Departu"], lines


CHANGES = {
    "resends the same bytes": (
        "            self.socket.send(body)\n",
        '            body = msgpack.packb({"type": kind, "id": os.urandom(16), **fields})\n'
        "            self.socket.send(body)\n",
    ),
    "stops asking once it is removed": ('== "removed"', '== "kicked"'),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", CHANGES)
def test_a_bot_that_breaks_a_rule_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    before, after = CHANGES[text]
    source = BOT.read_text(encoding="utf-8")
    assert before in source
    wrong = tmp_path / "wrong.py"
    wrong.write_text(source.replace(before, after), encoding="utf-8")
    bots: list[subprocess.Popen[bytes]] = []

    def start(port: int) -> None:
        bots.append(subprocess.Popen([sys.executable, str(wrong), "127.0.0.1", str(port)]))

    caught(tmp_path / "table", monkeypatch, text, start)
    bots[0].kill()
    bots[0].wait(SECONDS)


class Careless(Link):
    """A client that ignores gaps: it takes each update for the next."""

    def _publication(self, frame: bytes) -> None:
        message = decode_publication(split_publication(frame)[1])
        assert not isinstance(message, Moved)
        if self.model.epoch == message.epoch:
            before = message.seq - (not isinstance(message, Tick))
            self.model = replace(self.model, seq=before)
        super()._publication(frame)


class Forgetful(Link):
    """A client that drops what is published while it waits for a snapshot."""

    def _publication(self, frame: bytes) -> None:
        if not any(isinstance(asked, Sync) for asked in self.model.pending):
            super()._publication(frame)


@contextmanager
def playing(kind: type[Link]) -> Iterator[Callable[[int], None]]:
    """Yield a function that lets a client play at a port, until the end of the body."""
    stop = Event()
    threads: list[Thread] = []

    async def play(port: int) -> None:
        way = Way(Address("127.0.0.1", port), "Bo", "open", new_keys())
        bot = GuestBot("random", Random(1))
        async with kind(way, "Bo") as link:
            model = await link.joined()
            while not stop.is_set():
                await act(link, model, bot)
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.2):
                        model = await link.changed(model)

    def start(port: int) -> None:
        threads.append(Thread(target=lambda: asyncio.run(play(port))))
        threads[-1].start()

    try:
        yield start
    finally:
        stop.set()
        for thread in threads:
            thread.join(SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Careless, "syncs after a lost update"),
        (Forgetful, "buffers updates while it waits for a snapshot"),
    ],
)
def test_a_client_that_misses_updates_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Link], text: str
) -> None:
    with playing(kind) as start:
        caught(tmp_path, monkeypatch, text, start)


class Keeping(Link):
    """A client that keeps the sealed record."""

    def __init__(self, way: Way, name: str) -> None:
        super().__init__(way, name, keeps=True)


FOLLOWS, LENDS = "follows to a host", "follows no liar"


@pytest.mark.soak
def test_a_client_that_follows_its_table_is_not_caught(tmp_path: Path) -> None:
    rules = [
        rule for rule in CLIENT_RULES if any(w in rule.text for w in (*BEGINNING, FOLLOWS, LENDS))
    ]
    lines: list[str] = []
    stage = Stage(tmp_path, "127.0.0.1", 0, True, lambda _line: None, tick=0.2)
    with playing(Keeping) as start:
        try:
            start(stage.port)
            try_rules(rules, stage, lines.append)
        finally:
            stage.close()
    assert [line[:7] for line in lines] == ["ok     "] * 5 + ["Departu"], lines


@pytest.mark.parametrize(
    ("check", "finds", "text", "seconds"),
    [
        pytest.param("handover.follows", False, FOLLOWS, 3.0, marks=pytest.mark.slow),
        pytest.param("keeping.goes_on", True, LENDS, 15.0, marks=pytest.mark.soak),
        pytest.param("keeping.next_loan_of", None, LENDS, 15.0, marks=pytest.mark.soak),
    ],
    ids=["stays", "believes_a_liar", "lends_nothing"],
)
def test_a_client_that_follows_wrongly_is_caught(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    check: str,
    finds: bool | None,
    text: str,
    seconds: float,
) -> None:
    monkeypatch.setattr(of_client, "TURN_SECONDS", seconds)
    monkeypatch.setattr(f"coffeerush.client.{check}", lambda *_arguments: finds)
    with playing(Keeping) as start:
        caught(tmp_path, monkeypatch, text, start)


@pytest.mark.slow
def test_a_scene_goes_on_in_a_rematch(tmp_path: Path) -> None:
    rules = [rule for rule in CLIENT_RULES if any(words in rule.text for words in BEGINNING)]
    stage = Stage(tmp_path, "127.0.0.1", 0, True, lambda _line: None, tick=0.2)
    with playing(Link) as start:
        try:
            start(stage.port)
            assert try_rules(rules, stage, lambda _line: None)
            assert stage.pump(lambda: stage.stage == "result", SECONDS)
            of_client.in_game(stage)
            assert stage.stage == "game"
        finally:
            stage.close()
