"""A host that was away comes back: its game goes on elsewhere, and its person can follow."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from coffeerush.records.writing import load_record, newest_records
from protocol import DOOR_PORT
from tests.soak.lan.network import CUT, Network, unavailable
from tests.soak.test_handover import NAMES, playing
from tests.support.hosts_and_clients import Person, host_of

pytestmark = pytest.mark.soak
WENT_ON = "While this computer was cut off, the game continued on Bea's computer."


@pytest.fixture
def network() -> Iterator[Network]:
    if why := unavailable():
        pytest.skip(why)
    with Network(NAMES) as network:
        yield network


def go_on(bea: Person, cid: Person) -> None:
    """Let Bea and Cid go on at Bea's machine, once Ann's has been silent for long."""
    bea.read_until("Type “host” to continue on this computer")
    bea.say("host")
    cid.read_until("The table is on Bea's computer now.")


@contextmanager
def door_only_for(network: Network, name: str, guest: str) -> Iterator[None]:
    """Let nobody else reach the door on a machine, not even the programs on it."""
    rule = f"ip saddr != {network.address(guest)} tcp dport {DOOR_PORT} reject with tcp reset"
    lines = (
        "add table inet lock",
        "add chain inet lock input { type filter hook input priority 0; }",
        f"add rule inet lock input {rule}",
    )
    network.filter(name, *lines)
    yield
    network.filter(name, "delete table inet lock")


def check_follows(ann: Person, cid: Person) -> None:
    """Let Ann sit down again where the game goes on: she is the same player there."""
    ann.read_until(WENT_ON)
    ann.say("cups")
    ann.talk(("back", "The table is on Bea's computer now."))
    ann.talk(("say I am back", "Ann says: I am back"))
    cid.read_until("Ann says: I am back")


def check_fenced(state: Path, network: Network) -> None:
    """Check that the old record says where the game is, and that the new one goes on."""
    (old,) = newest_records(state / "Ann" / "records")
    (new,) = newest_records(state / "Bea" / "records")
    for path in (old, new):
        (moved,) = load_record(path).relocations
        assert moved.name == "Bea"
        assert moved.term > 1
    assert load_record(old).relocations[0].address == network.address("Bea")


def test_a_host_that_was_cut_off_gives_way(network: Network, tmp_path: Path) -> None:
    with ExitStack() as stack:
        ann, bea, cid = playing(stack, network, tmp_path)
        network.lose({"Ann": CUT})
        go_on(bea, cid)
        network.lose({})
        check_follows(ann, cid)
        check_fenced(tmp_path, network)


def test_a_host_that_is_heard_first_gives_way(network: Network, tmp_path: Path) -> None:
    """Bea's program hears it again before it can see that Cid already plays at her own host."""
    with ExitStack() as stack:
        ann, bea, cid = playing(stack, network, tmp_path)
        network.lose({"Ann": CUT})
        with door_only_for(network, "Bea", "Cid"):
            go_on(bea, cid)
            network.lose({})
            bea.read_until("You are connected again.")
        bea.read_until("The table is on your computer now.")
        check_follows(ann, cid)
        check_fenced(tmp_path, network)


def test_a_host_whose_lid_was_closed_gives_way(network: Network, tmp_path: Path) -> None:
    """Its person's program was asleep as well."""
    with ExitStack() as stack:
        ann, bea, cid = playing(stack, network, tmp_path)
        asleep = (ann.process.pid, host_of(tmp_path / "Ann"))
        for process in asleep:
            os.kill(process, signal.SIGSTOP)
        go_on(bea, cid)
        for process in asleep:
            os.kill(process, signal.SIGCONT)
        check_follows(ann, cid)
        check_fenced(tmp_path, network)


def test_who_was_gone_when_the_game_went_on_comes_back(network: Network, tmp_path: Path) -> None:
    """The owner's machine has died, and its programs remember nothing but their keys."""
    with ExitStack() as stack:
        ann, bea, cid = playing(stack, network, tmp_path)
        for process in (host_of(tmp_path / "Ann"), ann.process.pid):
            os.kill(process, signal.SIGKILL)
        go_on(bea, cid)
        words = ("join", network.address("Bea"), "--plain", "--lang", "en", "--name", "Ann")
        again = stack.enter_context(Person(tmp_path / "Ann", *words, inside=network.command("Ann")))
        again.read_until("You are at the table as Ann;")
        again.talk(("say I am back", "Ann says: I am back"))


@pytest.mark.parametrize("is_cut", [False, True], ids=["at_once", "once_it_hears_others"])
def test_a_host_that_was_killed_and_started_again_gives_way(
    network: Network, tmp_path: Path, is_cut: bool
) -> None:
    with ExitStack() as stack:
        ann, bea, cid = playing(stack, network, tmp_path)
        for process in (host_of(tmp_path / "Ann"), ann.process.pid):
            os.kill(process, signal.SIGKILL)
        go_on(bea, cid)
        network.lose({"Ann": CUT} if is_cut else {})
        words = ("host", "--resume-latest", "--plain", "--lang", "en", "--name", "Ann")
        again = stack.enter_context(Person(tmp_path / "Ann", *words, inside=network.command("Ann")))
        if is_cut:
            again.read_until("You are at the table as Ann")
            network.lose({})
        check_follows(again, cid)
        check_fenced(tmp_path, network)


def test_one_who_closes_instead_is_told_how_to_come_back(network: Network, tmp_path: Path) -> None:
    with ExitStack() as stack:
        ann, bea, cid = playing(stack, network, tmp_path)
        network.lose({"Ann": CUT})
        go_on(bea, cid)
        network.lose({})
        ann.read_until(WENT_ON)
        ann.say("leave")
        assert ann.wait() == 0
        assert f"coffeerush join {network.address('Bea')} --name Ann" in ann.text
