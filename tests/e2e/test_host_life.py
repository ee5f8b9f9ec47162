"""How a host starts, stops and fails: signals, its parent process, bad options, busy ports."""

import signal
import socket
import subprocess
from pathlib import Path

import pytest
import zmq

from coffeerush.cli.host import HEADLESS_TURN_SECONDS
from coffeerush.records.writing import load_record
from tests.support.hosts_and_clients import (
    SECONDS,
    Peer,
    Person,
    coffeerush,
    door_handshake,
    environment,
    hosting,
    port_in,
)

GOODBYE = b'{"type":"goodbye"}\n'


def test_a_host_needs_neither_input_nor_standard_error(tmp_path: Path) -> None:
    shell = ("sh", "-c", 'exec "$@" <&- 2>&-', "sh")
    words = ("--bind", "127.0.0.1", "--port", "0", "--games", "1", "--bots", "random,random")
    with Person(tmp_path, "host", "--headless", *words, inside=shell) as host:
        assert host.wait() == 0
    (path,) = (tmp_path / "records").glob("*.record")
    assert load_record(path).end


SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_host_which_tells_everybody(tmp_path: Path, number: int) -> None:
    words = ("--headless", "--bind", "127.0.0.1", "--port", "0")
    with Person(tmp_path, "host", *words) as host:
        with Peer(port_in(host.read_until("kill"))) as ann:
            assert ann.hello("Ann")["table"]["turn_seconds"] == HEADLESS_TURN_SECONDS
            ann.hear_until(lambda heard: heard["type"] == "tick")
            host.process.send_signal(number)
            ann.hear_until(lambda heard: {"type": "host_stopping"} in heard.get("events", ()))
            assert host.wait() == 0
        assert "Traceback" not in host.text
        assert "The host is stopping." in host.text


@pytest.mark.parametrize(
    ("words", "seconds"),
    [(("--headless", "--turn-seconds", "0"), 0), (("--plain",), 0)],
    ids=["none", "screen"],
)
def test_turns_have_no_time_limit_where_somebody_rules_or_wants_none(
    tmp_path: Path, words: tuple[str, ...], seconds: int
) -> None:
    with (
        Person(tmp_path, "host", *words, "--bind", "127.0.0.1", "--port", "0") as host,
        Peer(port_in(host.read_until("join 127.0.0.1:"))) as ann,
    ):
        assert ann.hello("Ann")["table"]["turn_seconds"] == seconds


def test_games_are_played_and_counted(tmp_path: Path) -> None:
    with hosting(tmp_path, games=2, bots=("regular", "random", "random")) as host:
        assert host.wait() == 0
        paths = sorted((tmp_path / "records").glob("*.record"))
        records = [load_record(path) for path in paths]
        assert [record.head.game for record in records] == [1, 2]
        assert all(record.end for record in records)
        assert {path.stat().st_mode & 0o777 for path in paths} == {0o644}
        assert (tmp_path / "records" / "host.key").stat().st_mode & 0o777 == 0o600
        assert "Game 2 is over" in host.text()


def test_a_seed_deals_the_same_games_and_no_secret_is_logged(tmp_path: Path) -> None:
    records = []
    for run in ("one", "two"):
        state = tmp_path / run
        with hosting(state, games=1, bots=("regular", "random"), seed=7) as host:
            assert host.wait() == 0
        (path,) = (state / "records").glob("*.record")
        records.append(load_record(path))
        public, secret = (state / "records" / "host.key").read_text().split()
        for kept in (str(records[-1].head.setup.seed), f"{records[-1].head.setup.seed:x}", secret):
            assert kept not in host.text()
        assert secret.encode() not in path.read_bytes()
        assert public.encode() not in path.read_bytes()
    assert records[0].moves == records[1].moves


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


def test_bots_end_with_a_host_that_is_killed(tmp_path: Path) -> None:
    arguments = (
        "--bind",
        "127.0.0.1",
        "--port",
        "0",
        "--seats",
        "2",
        "--bots",
        "random",
        "--first",
        "Ann",
    )
    with Person(tmp_path, "host", "--headless", *arguments) as host:
        port = port_in(host.read_until("kill"))
        with Peer(port) as ann:
            ann.hello("Ann")
            ann.ask("ready", ready=True)
            ann.hear_until(lambda heard: heard["rev"] > 0)
            host.process.kill()
        host.wait()  # until its log is closed, which living bots would keep open


def test_a_port_in_use_is_a_one_line_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        text = failure(tmp_path, "--bind", "127.0.0.1", "--port", port)
    assert f"Port {port} is in use" in text
    assert "--port" in text


def test_the_middle_one_of_three_ports_is_in_use(tmp_path: Path) -> None:
    with hosting(tmp_path / "one") as host:
        assert "is in use" in failure(tmp_path / "two", "--port", str(host.port + 1))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bind", "192.0.2.77"], "not an address of this machine"),
        (["--resume", "nowhere.record"], "nowhere.record"),
        (["--resume", "no.record"], "not a Coffee Rush record"),
    ],
)
def test_a_host_that_cannot_start_says_so_in_one_line(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "no.record").write_text("milk\n")
    assert said in failure(tmp_path, "--port", "0", *arguments)


def failure(state: Path, *arguments: str) -> str:
    """Return the last line of a host that fails to start."""
    state.mkdir(exist_ok=True)
    ended = subprocess.run(
        coffeerush("host", "--headless", *arguments),
        env=environment(state),
        cwd=state,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    return last


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
            ann.hear_until(lambda heard: heard["type"] == "tick")
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
            tick = ann.hear_until(lambda heard: heard["type"] == "tick")
        assert tick["rev"] == rev, "a bot has played for her"
        host.link.send(GOODBYE)
        assert host.wait() == 0


def test_silence_does_not_stop_a_detached_host(tmp_path: Path) -> None:
    with hosting(tmp_path) as host, Peer(host.port) as ann:
        ann.hear_until(lambda heard: heard["type"] == "tick")
        ann.hello("Ann")
        host.link.send(GOODBYE)
        away = {"type": "people_changed", "name": "Ann", "change": "away"}
        ann.hear_until(lambda heard: away in heard.get("events", ()))
        for _tick in range(2):
            ann.hear_until(lambda heard: heard["type"] == "tick")
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
            ann.hear_until(lambda heard: heard["type"] == "tick")
            key = ann.banner["key"]
        assert host.process.poll() is None
        host.stop()
    with hosting(tmp_path) as host:
        assert door_handshake(host.port, zmq.curve_keypair()[0])[0]["key"] == key
        host.link.send(GOODBYE)  # nobody is here
        assert host.wait() == 0
