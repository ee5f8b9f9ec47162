"""Processes of ours: how a child is started, and what each may take of the machine."""

import asyncio
import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import coffeerush

HOST_MEMORY_BYTES: Final = 1 << 30
THREAD_SWITCH_SECONDS: Final = 0.0001
"""After which a thread of Python lets another go on. With the usual 5 ms a request that meets a
proof at the door takes 15 ms, and with 0.5 ms 2.4; where strangers keep door and guard busy, one
move in a hundred took twice as long as in quiet with 0.5 ms, and one and a half times with this."""
SPARE_DESCRIPTORS: Final = 16
"""Kept for looking after those that are in use, when there are no others."""
MULTICAST_MEMORY_BYTES: Final = 256 << 20
YIELDING: Final = 10
"""Added to the niceness: what matters to the table and the screen goes first."""
_INPUT: Final = 0


def limit_process() -> None:
    """Raise the limit of descriptors, and end this process rather than eat all memory.

    The record brings the table back. Soft limits only, so that a bot's process can lift its own.
    No thread holds up the others for long.
    """
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    bounded = most != resource.RLIM_INFINITY
    _set_soft(resource.RLIMIT_NOFILE, most - SPARE_DESCRIPTORS if bounded else most)
    _set_soft(resource.RLIMIT_AS, HOST_MEMORY_BYTES)


@contextlib.contextmanager
def spare_descriptors() -> Iterator[None]:
    """Allow a few descriptors more for a moment."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        yield
        return
    _set_soft(resource.RLIMIT_NOFILE, soft + SPARE_DESCRIPTORS)
    try:
        yield
    finally:
        _set_soft(resource.RLIMIT_NOFILE, soft)


def end_with_any_thread() -> None:
    """End this process where one of its threads fails, such as for want of memory.

    A host without its door or its guard would look as if all were well. What was acknowledged is on
    record; nobody is told that the host stops, so that everybody waits for it to come back.
    """
    threading.excepthook = _end


def _end(failed: threading.ExceptHookArgs) -> None:
    try:
        threading.__excepthook__(failed)
    finally:
        os._exit(os.EX_SOFTWARE)


def lift_memory_limit() -> None:
    """Take the limit of memory back, for a process that the host has started."""
    _set_soft(resource.RLIMIT_AS, resource.getrlimit(resource.RLIMIT_AS)[1])


def _set_soft(kind: int, wanted: int) -> None:
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        wanted = hard if wanted == resource.RLIM_INFINITY else min(wanted, hard)
    # Some systems refuse a limit that they report, or that the process is already above.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (wanted, hard))


def child_environment() -> dict[str, str]:
    """Return the environment in which a child process finds this very package."""
    root = str(Path(coffeerush.__file__).parents[1])
    others = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, others] if others else [root])}


def child(module: str, *words: str, **options: Any) -> tuple[list[str], dict[str, Any]]:
    """Return how a module of ours is started as a child: a command line, and options of `Popen`.

    It imports nothing of the working directory. Unless `options` say otherwise it reads and writes
    nothing, and Ctrl-C is for whoever started it.
    """
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    options = {"env": child_environment(), **streams, "process_group": 0, **options}
    return [sys.executable, "-P", "-m", module, *words], options


class LinkedChild:
    """A child process at the other end of a socket, whose descriptor is the last of its words.

    Args:
        module: what it runs; see `child`.
        words: its arguments before that.
        options: of `Popen`, beside those of `child`; a group of its own it must have.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, module: str, *words: str, **options: Any) -> None:
        self.link, theirs = socket.socketpair()
        with theirs:
            end = theirs.fileno()
            command, options = child(module, *words, str(end), pass_fds=[end], **options)
            try:
                self._process = subprocess.Popen(command, **options)
            except OSError:
                self.link.close()
                raise
        self.pid = self._process.pid

    def is_running(self) -> bool:
        """Tell whether it still lives."""
        return self._process.poll() is None

    def wait(self, seconds: float) -> bool:
        """Wait for it to end, and tell whether it has."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is not None

    def end(self, seconds: float = 0.0) -> None:
        """Have it stop in so many seconds; without any, or after them, kill it and its group."""
        if seconds:
            self._process.terminate()
            self.wait(seconds)
        if self._process.returncode is None:
            # The group lasts until its process is waited for; of one that ended macOS says EPERM.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        self.link.close()


def serve(work: Coroutine[Any, Any, None]) -> None:
    """Do this work in this process until it is done, or standard input ends."""
    _limit()
    asyncio.run(_until_alone(work))


async def _until_alone(work: Coroutine[Any, Any, None]) -> None:
    loop, alone = asyncio.get_running_loop(), asyncio.Event()
    loop.set_exception_handler(_broken)
    loop.add_reader(_INPUT, alone.set)
    working, waiting = asyncio.create_task(work), asyncio.create_task(alone.wait())
    await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
    loop.remove_reader(_INPUT)
    waiting.cancel()
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


def _broken(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Pass over what somebody sent and zeroconf does not bear; out of memory, make a clean end."""
    if isinstance(context.get("exception"), MemoryError):
        os._exit(1)


def _limit() -> None:
    os.nice(YIELDING)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = (
        MULTICAST_MEMORY_BYTES
        if hard == resource.RLIM_INFINITY
        else min(MULTICAST_MEMORY_BYTES, hard)
    )
    with suppress(ValueError, OSError):  # some systems refuse a limit that they report
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
