"""Guests of a gateway on another machine keep their place when the table's host is gone."""

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.soak.lan.network import CUT, Network, unavailable
from tests.soak.test_handover import NAMES, playing
from tests.soak.test_return import go_on
from tests.support.hosts_and_clients import Person, code_in
from tests.support.ssh import SshScreen, needs_ssh

pytestmark = [pytest.mark.soak, needs_ssh]
GATE = "gate"


def test_a_gateway_follows_the_table_and_keeps_its_guests(tmp_path: Path) -> None:
    if why := unavailable():
        pytest.skip(why)
    with ExitStack() as stack:
        network = stack.enter_context(Network([*NAMES, GATE]))
        ann, bea, cid = playing(stack, network, tmp_path)
        code, inside = code_in(ann.text), network.command(GATE)
        words = ("guests", network.address("Ann"), code, "--port", "0", "--bind", "127.0.0.1")
        gate = stack.enter_context(Person(tmp_path / GATE, *words, inside=inside))
        found = re.search(r"ssh -p (\d+) 127", gate.read_until("SHA256:"))
        assert found
        eve = stack.enter_context(SshScreen(int(found[1]), user="Eve", inside=inside))
        eve.see("Code")
        eve.write(f"{code}\r")
        eve.see("Without a seat: Eve (ssh)")
        network.lose({"Ann": CUT})
        go_on(bea, cid)
        eve.see("The table is on Bea's computer now.")
        cid.read_until("Eve (ssh) is watching")
        cid.say("say Hello, Eve")
        eve.write("\x1b")
        eve.see("<Cid> Hello, Eve")
