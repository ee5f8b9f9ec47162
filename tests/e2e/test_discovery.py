"""Discovering tables by mDNS and joining them by code, in network namespaces on a bridge."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from coffeerush.joining.code import spoken_code
from coffeerush.ui.words.i18n import set_language
from protocol import DOOR_PORT
from tests.soak.lan.network import Network, unavailable
from tests.support.children import beacons, needs_proc
from tests.support.hosts_and_clients import SECONDS, Deadline, Host, Person, hosting, start_child
from tests.support.tmux import needs_tmux, tmux

HOST, GUEST = "host", "guest"
LOOK = "to search again; 0 goes back."
ASKED = "Type the three words of the code"
WRONG = "apple apple apple"


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """Yield two machines on a bridge, or skip with the reason why there can be none."""
    if why := unavailable():
        pytest.skip(why)
    with Network([HOST, GUEST]) as joined:
        yield joined


def hosted(network: Network, state: Path, **options: Any) -> AbstractContextManager[Host]:
    inside = network.command(HOST)
    return hosting(
        state / HOST, inside=inside, **{"table": "Kitchen", "port": DOOR_PORT, **options}
    )


def guest(network: Network, state: Path, *arguments: str) -> Person:
    return Person(
        state / GUEST, *arguments, "--name", "Ann", "--plain", inside=network.command(GUEST)
    )


class Looking:
    """The process that browses for tables, on the guest's machine."""

    def __init__(self, network: Network, state: Path) -> None:
        module, inside = "coffeerush.joining.browsing", network.command(GUEST)
        self.process, self._link = start_child(module, state, subprocess.DEVNULL, inside)
        self._lines: list[bytes] = []

    def until(self, tables: list[tuple[str, str, bool]]) -> None:
        """Wait until exactly these tables are found: name, address, whether they have a code."""
        self._until(("table", "address", "code"), tables)

    def until_owned(self, table: str, owner: str) -> None:
        """Wait until the only table has that name, and belongs to that person."""
        self._until(("table", "owner"), [(table, owner)])

    def until_free(self, seats: int) -> None:
        """Wait until the only table has so many free seats, and no game."""
        self._until(("free", "round"), [(seats, 0)])

    def _until(self, fields: tuple[str, ...], tables: Sequence[tuple[Any, ...]]) -> None:
        """Wait until exactly these tables are found; one of a test before may still be at first."""
        deadline = Deadline()
        told: list[tuple[Any, ...]] | None = None
        while told != tables:
            found = self.line(deadline)["tables"]
            told = [tuple(table[field] for field in fields) for table in found]

    def line(self, deadline: Deadline) -> Any:
        """Wait for the next line, and return what it says."""
        while not self._lines:
            assert select.select([self._link], [], [], deadline.left())[0]
            self._lines += self._link.recv(65536).splitlines()
        return json.loads(self._lines.pop(0))

    def close(self) -> None:
        self._link.close()
        assert self.process.wait(SECONDS) == 0


@pytest.fixture
def looking(network: Network, tmp_path: Path) -> Iterator[Looking]:
    one = Looking(network, tmp_path / GUEST)
    assert one.line(Deadline()) == {"type": "search_begun"}, "it says when it begins"
    yield one
    one.close()


@pytest.mark.parametrize("killed", [False, True])
def test_a_table_is_found_until_its_host_ends(
    network: Network, looking: Looking, tmp_path: Path, killed: bool
) -> None:
    address = network.address(HOST)
    with hosted(network, tmp_path) as host:
        looking.until([("Kitchen", address, True)])
        host.kill() if killed else host.stop()
        looking.until([])
    with hosted(network, tmp_path, open=True, bind=address):
        looking.until([("Kitchen", address, False)])


def test_free_seats_are_announced_as_people_come(
    network: Network, looking: Looking, tmp_path: Path
) -> None:
    with hosted(network, tmp_path, seats=3) as host:
        looking.until_free(3)
        with guest(network, tmp_path, "join", network.address(HOST), host.ready["code"]) as ann:
            ann.read_until("You are at the table as")
            looking.until_free(2)


def test_the_name_of_whose_screen_it_is_is_announced(
    network: Network, looking: Looking, tmp_path: Path
) -> None:
    inside = network.command(HOST)
    with Person(tmp_path / HOST, "host", "--name", "Ann", "--plain", inside=inside) as ann:
        looking.until_owned("Ann's table", "Ann")
        ann.say("leave")
        assert ann.wait() == 0
    looking.until([])


@needs_proc
def test_a_table_survives_the_death_of_its_beacon(
    network: Network, looking: Looking, tmp_path: Path
) -> None:
    with hosted(network, tmp_path) as host, guest(network, tmp_path, "join") as ann:
        looking.until([("Kitchen", network.address(HOST), True)])
        os.kill(beacons(host.process.pid)[0], signal.SIGKILL)
        ann.read_until(LOOK)
        ann.talk((network.address(HOST), ASKED), (host.ready["code"], "You are at the table as"))
        host.stop()
        assert host.text().count("announcer process ended") == 1
    with hosted(network, tmp_path, open=True):  # under the name of one that vanished silently
        looking.until([("Kitchen", network.address(HOST), False)])
    looking.until([])


def test_the_code_is_never_sent_over_the_network(network: Network, tmp_path: Path) -> None:
    script = (
        "import socket, struct, sys;"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1);"
        "s.bind(('224.0.0.251', 5353));"
        f"m = socket.inet_aton('224.0.0.251') + socket.inet_aton('{network.address(GUEST)}');"
        "s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, m);"
        "print('listens', flush=True);"
        "[print(s.recv(9000).hex(), flush=True) for _ in range(2)]"
    )
    program = [*network.command(GUEST), sys.executable, "-c", script]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as listening:
        assert listening.stdout
        assert listening.stdout.readline() == b"listens\n"  # else it could miss what is sent first
        with hosted(network, tmp_path) as host:
            heard = bytes.fromhex(listening.stdout.read().decode())
        assert b"Kitchen" in heard
        words = host.ready["code"].split("-")
        assert len(words) == 3
        # one of them alone may also be the name of a field, such as "key"
        assert not all(word.encode() in heard for word in words)


def test_without_an_address_one_chooses_a_table_and_types_its_code(
    network: Network, tmp_path: Path
) -> None:
    with hosted(network, tmp_path) as host, guest(network, tmp_path, "join") as ann:
        deadline, kitchen = Deadline(), "4 seats free, code needed\n"
        while f"1. Kitchen: {kitchen}" not in ann.read_until(LOOK):
            deadline.left()
            ann.text = ""  # what comes next is another answer
            ann.say("")
        ann.talk(
            ("1", ASKED),
            (WRONG, "That join code is wrong"),
            (host.ready["code"].replace("-", " "), "You are at the table as"),
        )
        assert "This table asks for its join code" in ann.text
        ann.say("leave")
        assert ann.wait() == 0, ann.text
        assert host.ready["code"] not in ann.text
        with guest(network, tmp_path, "join", network.address(HOST)) as again:
            again.read_until("You are at the table as")


def test_a_code_may_follow_the_address(network: Network, tmp_path: Path) -> None:
    with hosted(network, tmp_path) as host:
        code = spoken_code(host.ready["code"], "ko").split()
        with guest(network, tmp_path, "join", network.address(HOST), *code) as ann:
            ann.read_until("You are at the table as")
        wrong = WRONG.split()
        with guest(
            network, tmp_path, "watch", network.address(HOST), *wrong, "--lang", "en"
        ) as bea:
            bea.read_until("That join code is wrong")
            bea.talk((host.ready["code"], "You are watching as"))


@needs_tmux
def test_in_the_menu_a_table_nearby_is_joined_by_its_code(network: Network, tmp_path: Path) -> None:
    set_language("en")
    command = [*network.command(GUEST), sys.executable, "-m", "coffeerush", "--name", "Ann"]
    with hosted(network, tmp_path) as host, tmux(tmp_path / GUEST, command) as terminal:
        terminal.see("Kitchen   4 seats free, code needed")
        terminal.follow(
            ("Up", "▸ 1  Play against bots"), ("Up", "▸ Kitchen"), ("Enter", "Code for Kitchen")
        )
        terminal.enter(WRONG)
        terminal.follow(("Enter", "That join code is wrong"))
        terminal.erase(WRONG)
        terminal.enter(host.ready["code"])
        terminal.follow(("Enter", "open seat"))
        assert host.ready["code"] not in terminal.text


def test_the_owner_sees_the_address_that_the_machine_has_now(
    network: Network, tmp_path: Path
) -> None:
    """As when all join a phone's hotspot after the host was started."""
    before, after = network.address(HOST), "10.47.90.1"
    where = network.command(HOST)
    with Person(tmp_path / HOST, "host", "--name", "Ann", "--plain", inside=where) as ann:
        ann.read_until(f"coffeerush join {before} ")
        network.move(HOST, after)
        try:
            told = ann.read_until(f"coffeerush join {after} ")
        finally:
            network.move(HOST, before)
        ann.say("leave")
        assert ann.wait() == 0
    assert "This machine's address has changed." in told


def test_a_second_table_of_a_screen_takes_other_ports(network: Network, tmp_path: Path) -> None:
    where = network.command(HOST)
    with (
        hosted(network, tmp_path / "first"),
        Person(tmp_path / HOST, "host", "--name", "Ann", "--plain", inside=where) as ann,
    ):
        ann.read_until(f"coffeerush join {network.address(HOST)}:{DOOR_PORT + 10} ")
        ann.say("leave")
        assert ann.wait() == 0
