"""How a host starts, stops and fails: signals, its parent process, bad options, busy ports."""

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest
import zmq

from coffeerush.cli.host import HEADLESS_TURN_SECONDS
from coffeerush.records.writing import load_record
from tests.support.hosts_and_clients import Peer, Person, door_handshake, hosting, port_in

HEADLESS = ("--headless", "--bind", "127.0.0.1", "--port", "0")
GOODBYE = b'{"type":"goodbye"}\n'


def test_a_host_needs_neither_input_nor_standard_error(tmp_path: Path) -> None:
    shell = ("sh", "-c", 'exec "$@" <&- 2>&-', "sh")
    words = (*HEADLESS, "--games", "1", "--bots", "random,random")
    with Person(tmp_path, "host", *words, inside=shell) as host:
        assert host.wait() == 0
    (path,) = (tmp_path / "records").glob("*.record")
    assert load_record(path).end


@pytest.mark.parametrize(
    ("number", "more", "seconds"),
    [
        (signal.SIGTERM, (), HEADLESS_TURN_SECONDS),
        (signal.SIGINT, ("--turn-seconds", "0"), 0),
        (signal.SIGHUP, ("--turn-seconds", "9"), 9),
        (signal.SIGQUIT, (), HEADLESS_TURN_SECONDS),
    ],
)
def test_a_signal_ends_the_host_which_tells_everybody(
    tmp_path: Path, number: int, more: tuple[str, ...], seconds: int
) -> None:
    with Person(tmp_path, "host", *HEADLESS, *more) as host:
        with Peer(port_in(host.read_until("kill"))) as ann:
            assert ann.hello("Ann")["table"]["turn_seconds"] == seconds
            ann.hear_tick()
            host.process.send_signal(number)
            ann.hear_of_its_end()
            assert host.wait() == 0
        assert "Traceback" not in host.text
        assert "The host is stopping." in host.text


def test_a_seed_deals_the_same_games_and_no_secret_is_logged(
    tmp_path: Path, stack: ExitStack
) -> None:
    played = []
    states = (tmp_path / "one", tmp_path / "two")
    options = {"games": 2, "bots": ("regular", "random"), "seed": 7}
    hosts = [stack.enter_context(hosting(state, **options)) for state in states]
    for state, host in zip(states, hosts, strict=True):
        assert host.wait() == 0
        assert "Game 2 is over" in host.text()
        paths = sorted((state / "records").glob("*.record"))
        assert {path.stat().st_mode & 0o777 for path in paths} == {0o644}
        records = [load_record(path) for path in paths]
        assert [(one.head.game, bool(one.end)) for one in records] == [(1, True), (2, True)]
        key = state / "records" / "host.key"
        assert key.stat().st_mode & 0o777 == 0o600
        public, secret = key.read_text().split()
        seeds = [one.head.setup.seed for one in records]
        for kept in (*map(str, seeds), *map("{:x}".format, seeds), secret):
            assert kept not in host.text()
        for path in paths:
            assert secret not in path.read_text()
            assert public not in path.read_text()
        played.append([one.moves for one in records])
    assert played[0] == played[1]


BROKEN_BOTS = """
class Raises:
    def choose(self, view, chance):
        raise RuntimeError(f"my cups are {view.own.cups}")

class Waits:
    def choose(self, view, chance):
        return view.own.options[0].intent
"""


def test_a_broken_bot_does_not_block_the_game(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(BROKEN_BOTS)
    with hosting(tmp_path, games=1, bots=("bots.py:Raises", "random")) as host:
        assert host.wait() == 0
        assert "RuntimeError on line 4 of bots.py" in host.text()
        assert "my cups" not in host.text()
        assert "bot moves replaced: " in host.text()
        assert len(host.text().splitlines()) < 40


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bind", "192.0.2.77"), "not an address of this machine"),
        (("--resume", "nowhere.record"), "nowhere.record"),
    ],
)
def test_a_host_that_cannot_start_says_so_in_one_line(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    with Person(tmp_path, "host", *HEADLESS, *words) as host:
        assert host.wait() == 1
    assert "Traceback" not in host.text
    last = host.text.splitlines()[-1]
    assert last.startswith("Error: ")
    assert said in last


def test_a_host_stops_at_once_when_its_parent_exits(tmp_path: Path) -> None:
    with hosting(tmp_path, stop="at_once") as host, Peer(host.port) as ann:
        ann.hello("Ann")
        host.link.close()
        assert host.wait() == 0


def test_a_detached_host_stops_when_the_last_guest_leaves(tmp_path: Path) -> None:
    with hosting(tmp_path) as host, Peer(host.port) as ann:
        ann.hello("Ann")
        host.link.send(GOODBYE)
        host.link.close()
        # The host gets the goodbye before any later request, while Ann is still there.
        for _tick in range(2):
            ann.hear_tick()
            assert ann.ask("sync")["type"] == "snapshot"
        assert host.process.poll() is None
        ann.ask("bye")
        assert host.wait() == 0


def test_bots_wait_while_the_last_player_leaves(tmp_path: Path) -> None:
    with hosting(tmp_path, seats=2, bots=["regular"]) as host, Peer(host.port) as ann:
        seat = ann.hello("Ann")["seat"]
        ann.ask("ready", ready=True)
        while (view := ann.view()) is None or view["active"] != seat:
            ann.hear()
        rev = ann.ask("sync")["rev"]
        assert ann.ask("bye")["type"] == "done"
        for _tick in range(3):  # the first one may be from before
            tick = ann.hear_tick()
        assert tick["rev"] == rev, "a bot has played for her"
        host.link.send(GOODBYE)
        assert host.wait() == 0


def test_silence_does_not_stop_a_detached_host(tmp_path: Path) -> None:
    with hosting(tmp_path) as host, Peer(host.port) as ann:
        ann.hear_tick()
        ann.hello("Ann")
        host.link.send(GOODBYE)
        away = {"type": "people_changed", "name": "Ann", "change": "away"}
        ann.hear_until(lambda heard: away in heard.get("events", ()))
        for _tick in range(2):
            ann.hear_tick()
        assert ann.ask("sync")["table"]["seats"][0]["name"] == "Ann"
        ann.ask("bye")
        assert host.wait() == 0


def test_a_host_stops_with_an_owner_whose_bye_is_lost(tmp_path: Path) -> None:
    keys = zmq.curve_keypair()
    with hosting(tmp_path, owner=keys[0].decode()) as host, Peer(host.port, keys) as ann:
        ann.hello("Ann")
        host.link.send(GOODBYE)
        assert host.wait() == 0


def test_a_broken_screen_leaves_the_host_running_and_the_next_one_has_its_key(
    tmp_path: Path,
) -> None:
    with hosting(tmp_path) as host:
        host.link.close()
        with Peer(host.port) as ann:
            ann.hello("Ann")
            ann.hear_tick()
            key = ann.banner["key"]
        assert host.process.poll() is None
        host.stop()
    with hosting(tmp_path) as host:
        assert door_handshake(host.port, zmq.curve_keypair()[0])[0]["key"] == key
        host.link.send(GOODBYE)  # nobody is here
        assert host.wait() == 0
