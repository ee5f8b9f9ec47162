"""A headless table under a service manager: the examples for systemd and a container."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from protocol import DOOR_PORT
from tests.support.hosts_and_clients import ROOT, SECONDS, environment
from tests.support.records import head_of, lines, play

HEADLESS = ROOT / "examples" / "headless"
UNIT = HEADLESS / "coffeerush.service"
CONTAINER = HEADLESS / "Containerfile"
MOVES = 20


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Return a state directory with an interrupted game, and create a `coffeerush` command."""
    command = tmp_path / "bin" / "coffeerush"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m coffeerush "$@"\n')
    command.chmod(0o755)
    records = tmp_path / "state" / "records"
    records.mkdir(parents=True)
    broken_off = records / "Cafe-20260131-201500-3.record"
    broken_off.write_bytes(lines(play(head_of(people=0))[: MOVES + 1]))  # nobody is waited for
    broken_off.chmod(0o600)
    return tmp_path / "state"


def serve(state: Path) -> str:
    """Start a host as a service does, and return the log of the one game played."""
    more = {
        "PATH": f"{state.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "COFFEERUSH_OPTIONS": "--port 0 --bind 127.0.0.1 --games 1",
    }
    done = subprocess.run(
        [HEADLESS / "serve", "--table", "Kitchen", "--bots", "regular,regular"],
        cwd=ROOT,
        env=environment(state, more),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_an_interrupted_game_is_resumed_before_a_new_table_opens(state: Path) -> None:
    (broken_off,) = (state / "records").glob("*.record")
    assert f"Game 3 was resumed after move {MOVES}." in serve(state)
    assert stat.S_IMODE(broken_off.stat().st_mode) == 0o644
    assert "Game 1 started: Crema (regular), Ibrik (regular)" in serve(state)
    names = {path.name.partition("-")[0] for path in (state / "records").glob("*.record")}
    assert names == {"Cafe", "Kitchen"}


def test_records_that_cannot_be_resumed_do_not_stop_the_service(state: Path) -> None:
    later = state / "records" / "Cafe-20260131-20160{}-4.record"
    damaged = {
        Path(str(later).format(second)): text
        for second, text in enumerate([b"", b"?", lines(play(head_of()))[:900]])
    }
    for path, text in damaged.items():
        path.write_bytes(text)
    log = serve(state)
    for path, text in damaged.items():
        assert f"Cannot resume this game: {path}" in log
        assert path.read_bytes() == text
    assert f"Game 3 was resumed after move {MOVES}." in log


def test_a_finished_game_is_recognised_by_its_record_not_its_file_mode(state: Path) -> None:
    over = state / "records" / "Cafe-20260131-201600-4.record"
    over.touch(0o600)
    over.write_bytes(lines(play(replace(head_of(), table_seats=2))))
    assert "Game 1 started: Crema (regular), Ibrik (regular)" in serve(state)


def test_without_any_record_a_table_opens(state: Path) -> None:
    shutil.rmtree(state)
    assert "Game 1 started: Crema (regular), Ibrik (regular)" in serve(state)


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="needs systemd-analyze: install systemd"
)
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    (command,) = re.findall(r"^ExecStart=(\S+)", UNIT.read_text(), re.MULTILINE)
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace(command, str(HEADLESS / "serve")))
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert UNIT.name not in done.stdout + done.stderr


def test_the_container_copies_existing_files_and_exposes_the_ports() -> None:
    text = CONTAINER.read_text()
    for words in re.findall(r"^COPY (.+)$", text, re.MULTILINE):
        *sources, _target = words.split()
        assert all((ROOT / source).exists() for source in sources)
    assert f"EXPOSE {DOOR_PORT}-{DOOR_PORT + 2}\n" in text
