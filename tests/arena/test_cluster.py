"""The arena on a Dask scheduler and two workers, which are killed in the middle."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from coffeerush.arena.cluster import Cluster, is_exposed
from coffeerush.cli.commands import group
from coffeerush.errors import ClusterError
from tests.support.hosts_and_clients import ROOT, Deadline, environment

pytestmark = pytest.mark.soak

ARENA = ("arena", "--json", "--games", "120", "--seed", "50")
MINE = """
from pathlib import Path
from time import sleep
from coffeerush.bots import RandomBot

HERE = Path({folder!r})

class Mine(RandomBot):
    def choose(self, view, chance):
        log = HERE / "log"
        if log.exists() and log.read_text().count("\\n") > int((HERE / "most").read_text()):
            sleep(0.1)
        return RandomBot.choose(self, view, chance)
"""
"""A random bot that plays slowly while the log has as many blocks as the file `most` says."""
BAD = """
import os, signal
from random import Random
from coffeerush.bots import RandomBot

class Unseeded(RandomBot):
    def choose(self, view, chance):
        return RandomBot.choose(self, view, Random())

class Killer(RandomBot):
    def choose(self, view, chance):
        os.kill(os.getppid(), signal.SIGKILL)
"""


def wait_for(held: Callable[[], bool], client: subprocess.Popen[str]) -> None:
    """Wait until something holds while a client runs."""
    while not held():
        with pytest.raises(subprocess.TimeoutExpired):
            client.wait(0.02)


@contextmanager
def dask(
    program: str, *words: str, path: Path = ROOT, more: Mapping[str, str] = {}
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a Dask program; yield it and the address that it prints when it is ready."""
    ready = {"dask_scheduler": "Scheduler at:", "dask_worker": "Registered to:"}[program]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", f"distributed.cli.{program}", *words, "--no-dashboard"],
        env={**os.environ, "PYTHONPATH": str(path), **more},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert process.stderr is not None
    with process:
        try:
            line = next(line for line in process.stderr if ready in line)
            yield process, line.split()[-1]
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def arena(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run an arena in a folder; kill it if it has not ended."""
    with subprocess.Popen(
        [sys.executable, "-m", "coffeerush", *ARENA, *words],
        cwd=folder,
        env=environment(folder / "state", {"PYTHONPATH": str(ROOT)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def blocks_in(path: Path) -> list[int]:
    lines = path.read_text().split("\n")[1:-1] if path.exists() else []
    return [json.loads(line)["block"] for line in lines]


def play_slowly_after(blocks: int, folder: Path) -> None:
    """Let `Mine` play slowly once so many blocks are in the log, so that much is left to play."""
    (folder / "next").write_text(str(blocks))
    (folder / "next").replace(folder / "most")


def test_nothing_is_lost_or_played_twice_if_a_worker_or_the_client_is_killed(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text(MINE.format(folder=str(tmp_path)))
    bots = ("--bots", "random,mine.py:Mine")
    with arena(tmp_path, *bots, "--jobs", "1") as alone:
        expected, _ = alone.communicate()
    log = tmp_path / "log"
    play_slowly_after(4, tmp_path)
    with ExitStack() as stack:
        _, address = stack.enter_context(
            dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        )
        doomed, _ = stack.enter_context(
            dask("dask_worker", address, "--nthreads", "1", "--no-nanny")
        )
        stack.enter_context(dask("dask_worker", address, "--nthreads", "1", "--no-nanny"))
        with arena(tmp_path, *bots, "--cluster", address, "--resume", "log") as client:
            wait_for(lambda: len(blocks_in(log)) >= 3, client)
            client.kill()
        first = blocks_in(log)
        assert 3 <= len(first) < 60
        play_slowly_after(len(first) + 2, tmp_path)
        with arena(tmp_path, *bots, "--cluster", address, "--resume", "log") as client:
            wait_for(lambda: len(blocks_in(log)) > len(first), client)
            doomed.kill()
            play_slowly_after(60, tmp_path)
            printed, errors = client.communicate()
    assert client.returncode == 0, errors
    assert "left the cluster; others play its games." in errors
    assert printed == expected
    found = blocks_in(log)
    assert found[: len(first)] == first
    assert sorted(found) == [*range(60)]


def test_a_scheduler_that_dies_is_told_in_one_sentence(tmp_path: Path) -> None:
    with ExitStack() as stack:
        scheduler, address = stack.enter_context(
            dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        )
        stack.enter_context(dask("dask_worker", address, "--nthreads", "1", "--no-nanny"))
        words = ("--bots", "regular,random", "--games", "5000", "--resume", "log")
        with arena(tmp_path, *words, "--cluster", address) as client:
            wait_for(lambda: bool(blocks_in(tmp_path / "log")), client)
            scheduler.kill()
            _printed, errors = client.communicate()
    assert client.returncode == 1
    *_bar, line = errors.splitlines()
    assert line == "Error: The connection to the Dask scheduler was lost; check that it runs."
    assert "Traceback" not in errors


def test_a_scheduler_that_dies_before_a_task_is_submitted_is_told() -> None:
    def ask_for_long() -> None:
        deadline = Deadline()
        while deadline.left():
            cluster.threads()

    with (
        dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0") as (scheduler, address),
        dask("dask_worker", address, "--nthreads", "1", "--no-nanny"),
        Cluster(address, None, lambda _worker: None, lambda: None) as cluster,
    ):
        assert cluster.threads() == 1
        scheduler.kill()
        with pytest.raises(ClusterError, match="The connection to the Dask scheduler was lost"):
            ask_for_long()


def test_a_cluster_without_workers_is_told_and_given_up_after_a_while() -> None:
    told: list[bool] = []

    def ask_until_told(times: int) -> None:
        deadline = Deadline()
        while len(told) < times:
            assert deadline.left()
            assert cluster.threads() == 1

    with (
        dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0") as (_scheduler, address),
        ExitStack() as workers,
    ):
        worker = ("dask_worker", address, "--nthreads", "1", "--no-nanny")
        first, _ = workers.enter_context(dask(*worker))
        with Cluster(address, None, lambda _one: None, lambda: told.append(True), 0.0) as cluster:
            first.kill()
            ask_until_told(1)
            with dask(*worker) as (second, _):
                assert cluster.threads() == 1, "it goes on"
                second.kill()
                ask_until_told(2)
            with pytest.raises(ClusterError, match="All workers have left the cluster"):
                cluster.threads()


def test_bad_bots_and_mixed_versions_are_named(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    older = tmp_path / "older"
    ignored = shutil.ignore_patterns("locale", "ui", "__pycache__")
    for package in ("coffeerush", "protocol"):
        shutil.copytree(ROOT / package, older / package, ignore=ignored)
    with (older / "coffeerush" / "bots" / "regular.py").open("a") as file:
        file.write("# changed\n")

    def told(*words: str) -> str:
        with arena(tmp_path, *words, "--cluster", address) as client:
            _printed, errors = client.communicate()
        assert client.returncode == 1
        (line,) = (line for line in errors.splitlines() if line.startswith("Error: "))
        return line

    with ExitStack() as stack:
        failures = "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"
        _, address = stack.enter_context(
            dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0", more={failures: "1"})
        )
        assert "has no workers; start one with: dask worker tcp://" in told(
            "--bots", "random,random"
        )
        stack.enter_context(dask("dask_worker", address, "--nthreads", "1"))
        with dask("dask_worker", address, "--nthreads", "1", "--no-nanny", path=older):
            assert re.search(
                r"worker tcp://.* has Coffee Rush .*, but here it is .*; install the same",
                told("--bots", "random,random"),
            )
        with dask("dask_worker", address, "--nthreads", "1", "--no-nanny"):
            assert "Two workers played block 1 differently" in told(
                "--bots", "random,bad.py:Unseeded"
            )
        assert "bad.py:Killer failed in 2 of 2 games, first in game 1 (seat " in (
            line := told("--bots", "random,bad.py:Killer", "--games", "2")
        )
        assert "bad.py:Killer ended every worker that played with it; fix the bot." in line


@pytest.mark.parametrize(
    ("address", "exposed"),
    [
        ("127.0.0.1:8786", False),
        ("tcp://127.0.0.1:8786", False),
        ("tcp://[::1]:8786", False),
        ("localhost:8786", False),
        ("tls://10.0.0.7:8786", False),
        ("10.0.0.7:8786", True),
        ("tcp://cafe.local:8786", True),
        ("tcp://0.0.0.0:8786", True),
    ],
)
def test_an_address_that_others_may_reach_is_exposed(address: str, exposed: bool) -> None:
    assert is_exposed(address) == exposed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cluster", "127.0.0.1:1"), "There is no Dask scheduler at 127.0.0.1:1 ("),
        (("--cluster", "tls://127.0.0.1:1"), "An address with tls:// needs --tls"),
        (("--cluster", "nowhere.invalid"), "There is no Dask scheduler at nowhere.invalid ("),
        (("--cluster", "127.0.0.1:1", "--record", "games"), "write no records"),
        (("--tls", *3 * ["none.pem"]), "File 'none.pem' does not exist"),
        (("--tls", *3 * [__file__]), "--tls needs --cluster with an address such as tls://"),
    ],
)
def test_a_cluster_that_cannot_be_used_is_refused(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(group, [*ARENA, "--bots", "random,random", *words])
    assert done.exit_code in {1, 2}
    assert said in done.stderr
