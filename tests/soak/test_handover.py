"""Whole programs on machines of a simulated LAN: a table goes to another machine, or cannot."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from coffeerush.moving.fencing import next_term
from coffeerush.records.writing import load_record, newest_records
from tests.soak.lan.network import Network, unavailable
from tests.support.hosts_and_clients import Person, code_in

pytestmark = pytest.mark.soak
NAMES = ("Ann", "Bea", "Cid")


@pytest.fixture
def network() -> Iterator[Network]:
    if why := unavailable():
        pytest.skip(why)
    with Network(NAMES) as network:
        yield network


def playing(stack: ExitStack, network: Network, state: Path) -> tuple[Person, Person, Person]:
    """Return Ann, who hosts, Bea and Cid in a game, each on their machine."""

    def person(name: str, *words: str) -> Person:
        arguments = (*words, "--plain", "--lang", "en", "--name", name)
        return stack.enter_context(Person(state / name, *arguments, inside=network.command(name)))

    ann = person("Ann", "host", "--seats", "3")
    ann.read_until("Others join with")
    code = code_in(ann.text)
    bea = person("Bea", "join", network.address("Ann"), code)
    bea.read_until("You are at the table as Bea")
    cid = person("Cid", "join", network.address("Ann"), code)
    cid.read_until("You are at the table as Cid")
    for seat, one in (("Seat 2: Bea", bea), ("Seat 3: Cid", cid)):
        one.say("ready")
        ann.read_until(f"{seat}, ready.")  # either may be the later one
    ann.say("start")
    for one in (ann, bea, cid):
        one.read_until("meeple", "turn")
    for name, one in 2 * (("Bea", bea), ("Cid", cid)):  # then they have the sealed record as well
        one.talk(("say We begin", f"{name} says: We begin"))
    return ann, bea, cid


def forbid(network: Network, name: str) -> None:
    """Let a machine drop all that others send to it first."""
    lines = (
        "add table inet wall",
        "add chain inet wall input { type filter hook input priority 0; policy drop; }",
        "add rule inet wall input ct state established,related accept",
        'add rule inet wall input iif "lo" accept',
    )
    network.filter(name, *lines)


def test_a_table_goes_on_at_another_machine_and_the_first_one_is_switched_off(
    network: Network, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        ann, bea, cid = playing(stack, network, tmp_path)
        ann.say("host Bea")
        bea.read_until("Type “host accept” or “host decline”.")
        bea.say("host accept")
        bea.read_until("The table is on your computer now.")
        cid.read_until("The table is on Bea's computer now.")
        ann.read_until("The table is on Bea's computer now.")
        ann.talk(("leave", "Leave the table?"))
        ann.say("leave")
        assert ann.wait() == 0
        either = (network.address("Bea"), network.address6("Bea"))  # whichever answered first
        assert any(f"coffeerush join {one} --name Ann" in ann.text for one in either)
        subprocess.run(network.command("Ann", "ip", "link", "set", "lan", "down"), check=True)
        cid.say("say Still here")
        bea.read_until("Cid says: Still here")
        bea.talk(("leave", "Leave the table?"))
        bea.say("leave")
        assert bea.wait() == 0
        assert "The table stays open for the others" in bea.text
        cid.talk(("leave", "Leave the table?"))
        (old,) = newest_records(tmp_path / "Ann" / "records")
        (new,) = newest_records(tmp_path / "Bea" / "records")
        for path in (old, new):
            (moved,) = load_record(path).relocations
            assert (moved.before, moved.name, moved.term) == ("Ann", "Bea", next_term(1))


def test_a_firewall_in_front_of_the_next_host_leaves_the_table_where_it_is(
    network: Network, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        ann, bea, cid = playing(stack, network, tmp_path)
        forbid(network, "Bea")
        ann.say("host Bea")
        bea.read_until("Type “host accept” or “host decline”.")
        bea.say("host accept")
        for one in (ann, bea, cid):
            one.read_until("Bea's computer cannot be reached from here")
        cid.say("say Here")
        ann.read_until("Cid says: Here")
        assert newest_records(tmp_path / "Bea" / "records") == []
        (record,) = newest_records(tmp_path / "Ann" / "records")
        assert load_record(record).relocations == ()
