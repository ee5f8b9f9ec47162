"""The list of a user's own tables: they are on it while their hosts run."""

import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from coffeerush.local import own_tables as module
from coffeerush.local.files import STATE_VARIABLE, state_directory
from coffeerush.local.own_tables import OwnTable, forget_moved, keep_moved, listed, own_tables

KITCHEN = OwnTable("Kitchen", "127.0.0.1", 2.0)
HOST = f"""
import signal
from {module.__name__} import OwnTable, listed
with listed(OwnTable("Terrace", "127.0.0.1:47830", 1.0)):
    print(flush=True)
    signal.pause()
"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_table_is_listed_while_its_host_runs() -> None:
    assert own_tables() == []
    with listed(KITCHEN):
        assert own_tables() == own_tables() == [KITCHEN]
    assert own_tables() == []


def test_the_table_of_a_killed_host_is_forgotten() -> None:
    with ExitStack() as stack:
        stack.enter_context(listed(KITCHEN))
        host = subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE)
        stack.enter_context(host)
        stack.callback(host.kill)
        assert host.stdout
        host.stdout.readline()
        assert [found.table for found in own_tables()] == ["Kitchen", "Terrace"]
        host.send_signal(signal.SIGKILL)
        host.wait()
        assert own_tables() == [KITCHEN]


def test_how_others_join_a_table_is_kept_for_its_owner_alone() -> None:
    with listed(replace(KITCHEN, addresses=("192.0.2.7",), code="apple-tiger-moon")) as change:
        change(addresses=("192.0.2.7:47911", "[2001:db8::7]:47911"))
        change(code="a-b-c")
        (found,) = own_tables()
        assert (len(found.addresses), found.code, found.table) == (2, "a-b-c", "Kitchen")
        change(addresses=("10.0.0.7",))
        (found,) = own_tables()
        assert found == replace(KITCHEN, addresses=("10.0.0.7",), code="a-b-c")
        (path,) = (state_directory() / "open").glob("*.json")
        assert path.stat().st_mode & 0o077 == 0
    change(code="too-late-now")
    assert own_tables() == []


def test_a_table_that_has_moved_is_listed_until_another_is_opened() -> None:
    keep_moved("Kitchen", "192.0.2.7", "Ann")
    keep_moved("Kitchen", "192.0.2.8", "Ann")
    (found,) = own_tables()
    assert (found.table, found.address, found.moved) == ("Kitchen", "192.0.2.8", True)
    forget_moved()
    assert own_tables() == []
    keep_moved("Kitchen", "192.0.2.7", "Ann")
    with listed(KITCHEN):
        assert own_tables() == [KITCHEN]
    assert own_tables() == []


def test_the_way_back_to_a_table_of_somebody_else_is_kept_too() -> None:
    keep_moved("Kitchen", "192.0.2.7", "Ann", guest=True)
    (found,) = own_tables()
    assert (found.table, found.guest, found.moved) == ("Kitchen", True, False)


def test_a_table_that_has_moved_is_forgotten_after_the_evening() -> None:
    keep_moved("Kitchen", "192.0.2.7", "Ann")
    path = state_directory() / "open" / "moved"
    path.write_bytes(msgspec.json.encode(replace(own_tables()[0], opened=1.0)))
    assert own_tables() == []


def test_damaged_files_are_left_out() -> None:
    with listed(KITCHEN):
        damaged = {"1.json": b"\xff{}", "2.json": b"{}", "3.json": b"", "moved": b"{"}
        for name, content in damaged.items():
            (state_directory() / "open" / name).write_bytes(content)
        assert own_tables() == [KITCHEN]


def test_a_host_runs_though_its_table_cannot_be_listed(directory: Path) -> None:
    directory.mkdir()
    (directory / "open").touch()
    with listed(KITCHEN) as change:
        change(code="a-b-c")
        assert own_tables() == []
