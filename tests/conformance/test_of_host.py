"""`coffeerush conformance host` passes our host, and catches hosts that break a rule."""

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_bytes
from threading import Event, Thread

import pytest
import zmq
from msgspec.structs import replace

from coffeerush.conformance import visitors
from coffeerush.conformance.of_host import HOST_RULES, TABLE_RULES
from coffeerush.conformance.rules import PATIENCE, Silence, sections, try_rules
from coffeerush.conformance.stage import SEATS, Heard, Stage
from coffeerush.conformance.visitors import Peers, Visitor, new_id
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import kept_keys, new_keys
from protocol import (
    Chat,
    GetView,
    Moved,
    Publication,
    Snapshot,
    Standing,
    Tally,
    Update,
    decode_answer,
    encode,
)
from tests.support.hosts_and_clients import SECONDS, Host, coffeerush, environment, hosting


def run(state: Path, host: Host, *more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        coffeerush("conformance", "host", f"127.0.0.1:{host.port}", host.ready["code"], *more),
        env=environment(state),
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
        check=False,
    )


@pytest.mark.slow
def test_our_host_keeps_all_rules(tmp_path: Path) -> None:
    key = tmp_path / "owner.key"
    owner = kept_keys(key).public.decode()
    with hosting(tmp_path / "host", seats=3, bots=("random",), owner=owner) as host:
        done = run(tmp_path, host, "--key", str(key))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ok  ") == len(HOST_RULES)
    assert done.stdout.endswith("Departures: 0\n")


def test_no_host_is_a_departure(tmp_path: Path) -> None:
    lines: list[str] = []
    peers = Peers(Address("127.0.0.1", 1), "", None)
    assert not try_rules(HOST_RULES[:2], peers, lines.append)
    assert lines[0].startswith("departs    Banner: ")
    assert lines[-1] == "Departures: 2"


def test_each_rule_names_a_section() -> None:
    assert {rule.section for rule in HOST_RULES} <= sections().keys()


@contextmanager
def a_host(
    directory: Path, breaks: Callable[[Stage], None], kind: type[Stage] = Stage
) -> Iterator[Stage]:
    """Run a host that breaks a rule, in a thread."""
    stage = kind(directory, "127.0.0.1", 0, True, lambda _line: None, tick=0.1)
    breaks(stage)
    stopped = Event()
    thread = Thread(target=stage.pump, args=(stopped.is_set, SECONDS * 2))
    thread.start()
    try:
        yield stage
    finally:
        stopped.set()
        thread.join()
        stage.close()


def answers_twice(stage: Stage) -> None:
    stage.reply = lambda heard: stage.handle(heard) * 2


def applies_twice(stage: Stage) -> None:
    def reply(heard: Heard) -> Sequence[bytes]:
        if not isinstance(heard.request, Chat):
            return stage.handle(heard)
        fresh = replace(heard.request, id=token_bytes(16))
        [body] = stage.handle(Heard(heard.raw, heard.body, fresh, heard.at))
        return [body.replace(fresh.id, heard.id)]

    stage.reply = reply


def counts_wrong(stage: Stage) -> None:
    def publish(message: Publication) -> Sequence[bytes]:
        assert not isinstance(message, Moved)
        return [encode(replace(message, seq=message.seq * 2))]

    stage.publish = publish


def gives_another_code(stage: Stage) -> None:
    stage.reply = lambda heard: [
        body.replace(b"wrong_stage", b"wrong_phase") for body in stage.handle(heard)
    ]


def loses_tokens(stage: Stage) -> None:
    def publish(message: Publication) -> Sequence[bytes]:
        if isinstance(message, Update) and message.view:
            message = replace(message, view=replace(message.view, rush_supply=0))
        return [encode(message)]

    stage.publish = publish


BREAKS = {
    "each request gets one answer": answers_twice,
    "a repeat gets the same answer and is done once": applies_twice,
    "every update has the next seq, and ticks the latest": counts_wrong,
    "an intent before the game: `wrong_stage`": gives_another_code,
    "a game to its end: views agree and add up": loses_tokens,
}
GAME = ("get the open seats", "spectators join", "a game begins")
"""Of rules that the others build on."""


def tried(
    directory: Path, breaks: Callable[[Stage], None], text: str, kind: type[Stage] = Stage
) -> list[str]:
    """Return what is said of a host, about a rule and those that it builds on."""
    lines: list[str] = []
    rules = [rule for rule in HOST_RULES if rule.text == text or any(w in rule.text for w in GAME)]
    assert len(rules) == 1 + len(GAME)
    with a_host(directory, breaks, kind) as stage:
        peers = Peers(Address("127.0.0.1", stage.port), "", None)
        try:
            kept = try_rules(rules, peers, lines.append)
        finally:
            peers.close()
    assert kept == (lines[-1] == "Departures: 0")
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("text", BREAKS)
def test_a_host_that_breaks_a_rule_is_caught(tmp_path: Path, text: str) -> None:
    lines = tried(tmp_path, BREAKS[text], text)
    assert lines[-1] == "Departures: 1", lines
    assert [line for line in lines if line.startswith("departs")] == [
        line for line in lines if f": {text} (" in line
    ]


class EndedGame(Stage):
    """Shows those who watch a game that is over, and that nobody has won anything."""

    scores, ranks, last = (0,) * SEATS, (1,) * SEATS, 0
    """Of the standings, and at the end of the tallies."""

    def handle(self, heard: Heard) -> list[bytes]:
        """Return the answer of the table, or a result."""
        [body] = super().handle(heard)
        shown = decode_answer(body)
        if not isinstance(shown, Snapshot) or shown.view is None or shown.view.own:
            return [body]
        ranked = tuple(map(Standing, range(SEATS), self.ranks, self.scores))
        tallies = (Tally((self.last,), 0, 0),) * SEATS
        view = replace(shown.view, phase="over", active=None, standings=ranked)
        table = replace(shown.table, stage="result", tallies=tallies)
        return [encode(replace(shown, table=table, view=view))]


class AddsAPoint(EndedGame):
    scores = (1, 0, 0, 0)


class RanksTheLastFirst(EndedGame):
    ranks = (2, 1, 1, 1)


class TalliesAPoint(EndedGame):
    last = 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (EndedGame, "ok "),
        (AddsAPoint, "scores of standings"),
        (RanksTheLastFirst, "order of standings"),
        (TalliesAPoint, "tallies do not end in the scores"),
    ],
)
def test_a_wrong_result_is_caught(tmp_path: Path, kind: type[Stage], said: str) -> None:
    text = "the result shows standings and tallies"
    lines = tried(tmp_path, lambda _stage: None, text, kind)
    [line] = [line for line in lines if text in line]
    assert said in line


@pytest.mark.slow
def test_a_host_that_stops_answering_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors, "ANSWER_SECONDS", 0.5)
    lines: list[str] = []

    def falls_silent(stage: Stage) -> None:
        stage.reply = lambda heard: [] if stage.name else stage.handle(heard)

    with a_host(tmp_path, falls_silent) as stage:
        peers = Peers(Address("127.0.0.1", stage.port), "", None)
        assert not try_rules(TABLE_RULES, peers, lines.append)
        peers.close()
    assert len(lines) == len(TABLE_RULES) + 1
    silent = [n for n, line in enumerate(lines) if "no answer" in line]
    assert [lines[n][:7] for n in silent] == ["departs"] * PATIENCE
    assert all(line.startswith("not tried") for line in lines[silent[-1] + 1 : -1])
    assert lines[-1] == f"Departures: {PATIENCE}"


def test_a_refused_connection_does_not_block_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors, "RETRY_SECONDS", 0.3)
    with a_host(tmp_path, lambda _stage: None) as stage:
        peer = Visitor(Address("127.0.0.1", stage.port), new_keys(), "")
        peer.requests.close()
        peer.requests = peer.connect(peer.socket(zmq.DEALER, new_keys()))
        try:
            for _ in range(2):  # the first is sent before the handshake is refused
                with pytest.raises(Silence):
                    peer.ask(GetView(new_id()), seconds=0.3)
        finally:
            peer.close()


@pytest.mark.slow
def test_what_cannot_be_tried_is_no_departure(tmp_path: Path) -> None:
    text = "starting while somebody is not ready: `not_ready`"
    lines = tried(tmp_path, lambda _stage: None, text)
    assert lines[-1] == "Departures: 0"
    assert lines[2].startswith("not tried  Start: ")
    assert lines[2].endswith("(needs the key of the table's owner: --key)")
