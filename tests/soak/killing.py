"""Kill a host at chosen moments of its work, and check what it leaves behind."""

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from coffeerush.records.entries import Move, encode_entry
from coffeerush.records.writing import Journal, load_record
from tests.soak.clients import Client
from tests.support.hosts_and_clients import Host, start_host

MOST_DELAY_SECONDS: Final = 0.003
"""An upper bound on the time to answer an intent."""
GROWTH_SECONDS: Final = 0.5
START_SECONDS: Final = 0.8
"""About the time until a host is listening."""


def newest_record(state: Path) -> Path:
    """Return the record of the latest game; the end of one and the next may have the same time."""
    records = (state / "records").glob("*.record")
    return max(records, key=lambda path: (path.stat().st_mtime_ns, load_record(path).head.game))


class Kill:
    """Ways to kill a host while `mover` acts."""

    def __init__(self, host: Host, path: Path, mover: Client, chance: Random) -> None:
        self._host = host
        self._path = path
        self._mover = mover
        self._chance = chance
        self._before = path.stat().st_size

    def soon(self) -> None:
        """Kill it at a random moment after an intent was sent."""
        self._mover.act(self._chance)
        wait_busily(lambda: False, self._chance.uniform(0, MOST_DELAY_SECONDS))
        self._host.kill()

    def when_written(self) -> None:
        """Kill it as soon as the intent is recorded, before anybody is likely to know."""
        self._mover.act(self._chance)
        self._wait_for_growth()
        self._host.kill()

    def in_mid_line(self) -> None:
        """Leave as much of the intent's line as a kill during the write might leave."""
        line = ask_while_it_stands(self._host, self._mover, self._chance)
        self._host.kill()
        with self._path.open("ab") as file:
            file.write(line[: self._chance.randrange(len(line))])

    def in_mid_write(self) -> None:
        """Kill it during the write, with a size limit that lets it write only part of the line."""
        line = ask_while_it_stands(self._host, self._mover, self._chance)
        part = self._chance.randrange(1, len(line))
        limit_files(self._host.process.pid, self._before + part)
        self._host.send_signal(signal.SIGCONT)
        self._wait_for_growth()
        self._host.kill()

    def _wait_for_growth(self) -> None:
        wait_busily(lambda: os.stat(self._path).st_size > self._before, GROWTH_SECONDS)


def ask_while_it_stands(host: Host, mover: Client, chance: Random) -> bytes:
    """Suspend a host, send it an intent, and return the line that it would record."""
    host.send_signal(signal.SIGSTOP)
    sent = mover.act(chance)
    seat = mover.model.seat
    assert seat is not None
    key = mover.key.public.decode()
    return encode_entry(Move(sent.rev + 1, seat, sent.intent, key, sent.id))


def limit_files(pid: int, size: int) -> None:
    """Limit the files that a process may write to `size` bytes; -1 for no limit."""
    hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


def kill_while_it_starts(state: Path, options: Mapping[str, Any], chance: Random) -> None:
    """Kill a host while it starts."""
    process, link = start_host(state, subprocess.DEVNULL, **options)
    with link, suppress(subprocess.TimeoutExpired):
        process.wait(chance.uniform(0, START_SECONDS))
    process.kill()
    process.wait()


def wait_busily(happened: Callable[[], bool], seconds: float) -> None:
    """Wait until something has happened, up to a deadline; any sleep would be longer."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end and not happened():
        pass


def cut_everywhere(path: Path) -> int:
    """Resume copies of a record truncated at each byte of its last line; return how many.

    Each must restore everything but the last entry, and be unchanged once that is appended again.
    """
    whole = path.read_bytes()
    record = load_record(path)
    last = record.end or record.moves[-1]
    others = record.moves if record.end else record.moves[:-1]
    begin = whole.rindex(b"\n", 0, -1) + 1
    copy = path.with_suffix(".cut")
    for size in range(begin, len(whole)):
        copy.write_bytes(whole[:size])
        journal, found = Journal.resume(copy)
        assert found.moves == others, size
        journal.append(last)
        journal.close()
        assert copy.read_bytes() == whole, size
    copy.unlink()
    return len(whole) - begin
