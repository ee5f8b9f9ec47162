"""Disks: a record that cannot be written, at each byte of a line, or on a full disk."""

import asyncio
import signal
import subprocess
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from coffeerush.records.writing import load_record
from protocol import Refused
from tests.soak.clients import Client, Party, check_acknowledged
from tests.soak.killing import ask_while_it_stands, limit_files, newest_record
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import Host

SECONDS: Final = 240.0
DISK_KILOBYTES: Final = 512
MOVES: Final = 30
TRIES: Final = 3
SAID: Final = "The record could not be written"
SEATS: Final = 4
_MOUNT: Final = 'mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec "$@"'


def run(soak: Soak) -> None:
    for each in (full, limited):
        run_one(each, soak)


def run_one(each: Callable[[Soak, Path], Coroutine[Any, Any, None]], soak: Soak) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(each(soak, Path(folder)))


async def limited(soak: Soak, state: Path) -> None:
    """Allow only part of a line, cutting it at every byte in turn, until the time is up."""
    host = await asyncio.to_thread(Host, state, seats=SEATS)
    with _ending(host):
        async with Party(host.port) as party:
            await party.play(MOVES, soak.chance)
            part = parts = 0
            while soak.left() or not parts:
                most = await _refuse_at(soak, host, party, state, part)
                parts, part = parts + 1, part + 1
                if part >= most:
                    break
            await party.until(lambda: SAID in host.text())  # a full log would lose it
            await _refuse_with_a_log_that_is_full_too(soak, host, party)
            said = SAID in host.text()
            soak.hold("the host says that it cannot write", said, log=host.text())
            host = await _kill_and_resume_without_room(soak, host, party, state)
            with _ending(host):
                await party.play(MOVES, soak.chance)
                await asyncio.to_thread(host.stop)
    records = [load_record(path) for path in (state / "records").glob("*.record")]
    check_acknowledged(soak, party.players, records)
    refused = sum(len(one.refused) for one in party.players)
    soak.report("room for a part of a line", parts=parts, refused=refused)


async def _refuse_at(soak: Soak, host: Host, party: Party, state: Path, part: int) -> int:
    """Limit a host's write to `part` bytes of a line, then lift that; return the line's size."""
    mover = await party.until(party.mover)
    path = newest_record(state)
    before = path.read_bytes()
    line = ask_while_it_stands(host, mover, soak.chance)
    limit_files(host.process.pid, len(before) + min(part, len(line) - 1))
    host.send_signal(signal.SIGCONT)
    await _check_refusal(soak, party, mover)
    soak.hold("a refused intent leaves the record as it is", path.read_bytes() == before)
    limit_files(host.process.pid, -1)
    await party.play(1, soak.chance)
    soak.hold("the next one is on record", len(path.read_bytes()) > len(before))
    return len(line)


async def _refuse_with_a_log_that_is_full_too(soak: Soak, host: Host, party: Party) -> None:
    """Prevent a host from writing at all for a while."""
    mover = await party.until(party.mover)
    limit_files(host.process.pid, 0)
    mover.act(soak.chance)
    await _check_refusal(soak, party, mover)
    limit_files(host.process.pid, -1)
    await party.play(1, soak.chance)


async def _check_refusal(soak: Soak, party: Party, mover: Client) -> None:
    """Wait for the answer to the pending intent; a refusal must change nothing."""
    rev = mover.model.rev
    answer = await party.until(lambda: _answer(mover))
    code = answer.refusal.code if isinstance(answer, Refused) else "accepted"
    soak.hold("what cannot be written is refused", code == "record_failed", code=code)
    await party.until(party.together)
    revs = [one.model.rev for one in party.everybody]
    soak.hold("a refused intent changes nothing", set(revs) == {rev}, revs=revs)


def _answer(mover: Client) -> object:
    """Wait for the answer to the latest intent, and return it."""
    sent = [*mover.asked][-1]
    if mover.model.waiting is not None:
        return None
    refused = [each for each in mover.refused if each.id == sent]
    return mover.accepted.get(sent) or refused[-1]


async def _kill_and_resume_without_room(soak: Soak, host: Host, party: Party, state: Path) -> Host:
    """Kill a host and restart it on the full disk; return the new one, with space."""
    await party.until(party.mover)  # or else the game may just have ended
    epoch = party.players[0].model.epoch
    path = newest_record(state)
    host.kill()
    size = path.stat().st_size
    options = {"resume": str(path), "bind": "127.0.0.1", "port": host.port}
    inside = ["prlimit", f"--fsize={size}:", "--"]
    again = await asyncio.to_thread(Host, state, inside, **options)
    soak.hold("a host resumes without room", again.port == host.port, log=again.text())
    await party.until(lambda: party.together(unlike=epoch))
    mover = await party.until(party.mover)
    mover.act(soak.chance)
    await _check_refusal(soak, party, mover)
    limit_files(again.process.pid, -1)
    return again


async def full(soak: Soak, state: Path) -> None:
    """Fill a small disk before and during a game."""
    disk = state / "disk"
    disk.mkdir()
    mount = ["unshare", "--mount", "sh", "-c", _MOUNT, "-", f"{DISK_KILOBYTES}k", str(disk)]
    if subprocess.run([*mount, "true"], check=False, capture_output=True).returncode:
        soak.skip("a full disk", "needs root that may mount a tmpfs")
        return
    options = {"bind": "127.0.0.1", "seats": SEATS, "record": str(disk)}
    host = await asyncio.to_thread(Host, state, mount, **options)
    with _ending(host):
        inside = Path(f"/proc/{host.process.pid}/root{disk}")
        async with Party(host.port) as party:
            with _filled(inside):
                await party.until(lambda: party.mover() or SAID in host.text())
                stages = {one.model.table.stage for one in party.players if one.model.table}
                soak.hold("no game begins that is not on record", stages == {"lobby"})
            await party.play(MOVES, soak.chance)
            with _filled(inside):
                accepted = await _play_until_refused(soak, party)
                (path,) = inside.glob("*.record")
                revs = {one.model.rev for one in party.players}
                soak.hold("the record is whole", revs == {len(load_record(path).moves)})
            await party.play(MOVES, soak.chance)
            records = [load_record(path)]
            check_acknowledged(soak, party.players, records)
            await asyncio.to_thread(host.stop)
    soak.hold("the host says that it cannot write", host.text().count(SAID) > 1, log=host.text())
    soak.report("a full disk", kilobytes=DISK_KILOBYTES, accepted_before_refusal=accepted)


async def _play_until_refused(soak: Soak, party: Party) -> int:
    """Play until the disk is full, and keep retrying; return how many intents were accepted."""
    accepted = refused = 0
    while refused < TRIES:
        mover = await party.until(party.mover)
        mover.act(soak.chance)
        if isinstance(await party.until(partial(_answer, mover)), Refused):
            refused += 1
        else:
            accepted += 1
            soak.hold("what cannot be written is refused", not refused)
    await party.until(party.together)
    return accepted


@contextmanager
def _filled(disk: Path) -> Iterator[None]:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        size = 4096
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
    yield
    ballast.unlink()


@contextmanager
def _ending(host: Host) -> Iterator[None]:
    try:
        yield
    finally:
        host.close()
