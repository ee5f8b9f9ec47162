"""The host of a game is gone: its players go on at another one's machine, and nothing is lost."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import pytest

from coffeerush.records.writing import load_record
from tests.soak.lan.network import CUT, Network, unavailable
from tests.soak.lan.standby import GO_ON, Standing
from tests.support.hosts_and_clients import Deadline, Host, environment

pytestmark = pytest.mark.soak

HOST, NAMES = "host", ("Ann", "Bea", "Cid")
PORT = 47820
_standings = msgspec.json.Decoder(Standing)


class Player:
    """A client's process on a machine of its own."""

    def __init__(self, network: Network, state: Path, address: str, code: str, name: str) -> None:
        self.name, self.state = name, state / name
        self.now: Standing | None = None
        self.seen: list[Standing] = []
        self._rest = b""
        self.errors = state / f"{name}.errors"
        words = ("-m", "tests.soak.lan.standby", address, code, name, "1")
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                network.command(name, sys.executable, *words),
                env=environment(self.state),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )

    def fileno(self) -> int:
        assert self.process.stdout
        return self.process.stdout.fileno()

    def read(self) -> None:
        data = os.read(self.fileno(), 1 << 16)
        assert data, f"{self.name} has ended: {self.now}\n{self.errors.read_text()}"
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.seen += map(_standings.decode, lines)
        self.now = self.seen[-1] if self.seen else None

    def press(self, order: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(order)
        self.process.stdin.flush()

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        for end in (self.process.stdin, self.process.stdout):
            assert end
            end.close()

    @property
    def records(self) -> list[Path]:
        return sorted(self.state.rglob("*.record"))


def wait(players: list[Player], until: Callable[[], bool]) -> None:
    """Read what all players see until something is so."""
    deadline = Deadline(40)
    while not until():
        ready, _, _ = select.select(players, [], [], deadline.left())
        for player in ready:
            player.read()
        if not ready:
            raise AssertionError(
                [(player.name, player.now, player.errors.read_text()) for player in players]
            )


@contextmanager
def game(tmp_path: Path) -> Iterator[tuple[Network, Host, list[Player]]]:
    """Let three people play at a headless host, each at a machine of their own."""
    if why := unavailable():
        pytest.skip(why)
    with ExitStack() as stack:
        network = stack.enter_context(Network([HOST, *NAMES]))
        host = Host(tmp_path / HOST, network.command(HOST), port=PORT, seats=len(NAMES))
        stack.callback(host.close)
        players = []
        for name in NAMES:
            address = network.address(HOST)
            players.append(Player(network, tmp_path, address, host.ready["code"], name))
            stack.callback(players[-1].close)
        wait(players, lambda: all(one.now and one.now.whole for one in players))
        yield network, host, players


@pytest.mark.parametrize("moment", [1, 30])
def test_a_game_goes_on_after_its_host_was_killed(tmp_path: Path, moment: int) -> None:
    with game(tmp_path) as (_network, host, players):
        wait(players, lambda: any(one.now and one.now.rev >= moment for one in players))
        host.kill()
        wait(players, lambda: any(one.now and one.now.may_go_on for one in players))
        last = max(one.now.rev for one in players if one.now)
        acknowledged = max(one.now.accepted for one in players if one.now)
        first = next(one for one in players if one.now and one.now.may_go_on)
        first.press(GO_ON)
        wait(players, lambda: all(one.now and one.now.term == 2 for one in players))
        wait(players, lambda: all(one.now and one.now.rev >= last + 10 for one in players))
        assert first.now
        assert first.now.owner
        assert [one.name for one in players if one.now and one.now.owner] == [first.name]
        record = load_record(first.records[-1])
        assert record.term == 2
        moves = [move.id for move in record.moves if move.id]
        assert len(moves) == len({*moves})
        assert len(record.moves) >= max(last, acknowledged)


def test_a_host_that_comes_back_in_time_goes_on(tmp_path: Path) -> None:
    with game(tmp_path) as (_network, host, players):
        wait(players, lambda: all(one.now and one.now.rev >= 20 for one in players))
        host.send_signal(signal.SIGSTOP)
        wait(players, lambda: any(one.now and one.now.may_go_on for one in players))
        host.send_signal(signal.SIGCONT)
        wait(players, lambda: all(one.now and one.now.status == "here" for one in players))
        last = max(one.now.rev for one in players if one.now)
        wait(players, lambda: all(one.now and one.now.rev >= last + 10 for one in players))
        assert all(one.now and one.now.term == 1 and not one.now.may_go_on for one in players)


def test_a_standby_that_waits_for_others_gives_way_to_the_host(tmp_path: Path) -> None:
    with game(tmp_path) as (_network, host, players):
        wait(players, lambda: all(one.now and one.now.rev >= 20 for one in players))
        host.send_signal(signal.SIGSTOP)
        wait(players, lambda: any(one.now and one.now.may_go_on for one in players))
        first, *others = sorted(players, key=lambda one: not (one.now and one.now.may_go_on))
        for other in others:
            other.process.send_signal(signal.SIGSTOP)
        first.press(GO_ON)
        wait([first], lambda: bool(first.now and first.now.refused))
        host.send_signal(signal.SIGCONT)
        for other in others:
            other.process.send_signal(signal.SIGCONT)
        wait(players, lambda: all(one.now and one.now.status == "here" for one in players))
        last = max(one.now.rev for one in players if one.now)
        wait(players, lambda: all(one.now and one.now.rev >= last + 10 for one in players))
        assert all(one.now and one.now.term == 1 for one in players)


def test_one_who_is_cut_off_finds_the_table_where_it_goes_on(tmp_path: Path) -> None:
    """The host and a player lose their cables; the others go on, and the player comes back."""
    with game(tmp_path) as (network, _host, players):
        wait(players, lambda: all(one.now and one.now.rev >= 20 for one in players))
        first = next(one for one in players if one.now and one.now.standbys[0] == one.name)
        cut = next(one for one in players if one is not first)
        network.lose({HOST: CUT, cut.name: CUT})
        wait(players, lambda: bool(first.now and first.now.may_go_on))
        first.press(GO_ON)
        others = [one for one in players if one is not cut]
        wait(players, lambda: all(one.now and one.now.term == 2 for one in others))
        network.lose({HOST: CUT})  # before a bot plays for them
        wait(players, lambda: bool(cut.now and cut.now.term == 2 and cut.now.status == "here"))
        last = max(one.now.rev for one in players if one.now)
        wait(players, lambda: all(one.now and one.now.rev >= last + 10 for one in players))
