"""The options of a host: their defaults, and passing them to its child process."""

import socket
import subprocess
import sys
from pathlib import Path

from coffeerush.cli.host import host_command
from coffeerush.cli.options import bot_kinds
from coffeerush.host.server.parent import HostOptions
from coffeerush.local.processes import LineLink, first_message
from coffeerush.table_rules import TableRules

ROOT = Path(__file__).parents[2]


def test_options_default_to_the_struct() -> None:
    typed = host_command.make_context("host", []).params
    bots = bot_kinds(typed.pop("bots"))
    assert typed.pop("headless") is False
    rules = {name: typed.pop(name) for name in TableRules.__struct_fields__ if name in typed}
    assert HostOptions(bots=bots, rules=TableRules(**rules), **typed) == HostOptions()


def test_options_reach_the_child_unchanged() -> None:
    """Including file names that are not UTF-8, and numbers of more than 64 bits."""
    options = HostOptions(table="Caf\u00e9", seed=-(10**40), deck="\udcff.toml", bots=("a.py:B",))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        link: LineLink[None] = LineLink(ours, None)
        link.send(options)
        assert first_message(theirs, HostOptions) == options


def test_a_host_and_its_bots_load_nothing_that_only_screens_need() -> None:
    """A table opens, and a bot moves, once all that is loaded."""
    code = "import sys, coffeerush.cli.host_child as one; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "coffeerush.bots.process" in done.stdout.split()
    assert not {"asyncio", "click", "prompt_toolkit", "zeroconf"} & {*done.stdout.split()}
