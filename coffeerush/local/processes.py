"""Start child processes, and limit the memory, descriptors and CPU time that a process uses."""

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
"""The interpreter's switch interval. A request that coincides with a proof at the door takes 15 ms
with the default of 5 ms, and 2.4 ms with 0.5 ms. When strangers keep the door and the flood guard
busy, the slowest 1% of moves take twice as long as without load at 0.5 ms, 1.5 times at this."""
SPARE_DESCRIPTORS: Final = 16
"""Reserved for inspecting the descriptors in use when all others are taken."""
MULTICAST_MEMORY_BYTES: Final = 256 << 20
NICENESS: Final = 10
"""Added to the niceness of discovery and bots: the table and the screen have priority."""
_INPUT: Final = 0


def limit_process() -> None:
    """Raise the limit on descriptors, limit memory, and shorten the thread switch interval.

    Out of memory, the process ends, and the record brings the table back. Only soft limits, so
    that a bot's process can lift its own.
    """
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    bounded = most != resource.RLIM_INFINITY
    _set_soft(resource.RLIMIT_NOFILE, most - SPARE_DESCRIPTORS if bounded else most)
    _set_soft(resource.RLIMIT_AS, HOST_MEMORY_BYTES)


@contextlib.contextmanager
def spare_descriptors() -> Iterator[None]:
    """Temporarily allow `SPARE_DESCRIPTORS` more descriptors."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        yield
        return
    _set_soft(resource.RLIMIT_NOFILE, soft + SPARE_DESCRIPTORS)
    try:
        yield
    finally:
        _set_soft(resource.RLIMIT_NOFILE, soft)


def exit_if_a_thread_fails() -> None:
    """End this process if one of its threads fails, for example out of memory.

    Otherwise a host without its door or flood guard would look healthy. What was acknowledged is
    on record; no `HostStopping` is sent, so that clients wait for the host to come back.
    """
    threading.excepthook = _end


def _end(failed: threading.ExceptHookArgs) -> None:
    try:
        threading.__excepthook__(failed)
    finally:
        os._exit(os.EX_SOFTWARE)


def lift_memory_limit() -> None:
    """Lift the memory limit inherited from the host, in a child process."""
    _set_soft(resource.RLIMIT_AS, resource.getrlimit(resource.RLIMIT_AS)[1])


def _set_soft(kind: int, wanted: int) -> None:
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        wanted = hard if wanted == resource.RLIM_INFINITY else min(wanted, hard)
    # Some systems refuse a limit that they report, or one that the process already exceeds.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (wanted, hard))


def child_environment() -> dict[str, str]:
    """Return the environment in which a child process imports this same package."""
    root = str(Path(coffeerush.__file__).parents[1])
    others = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, others] if others else [root])}


def child(module: str, *words: str, **options: Any) -> tuple[list[str], dict[str, Any]]:
    """Return the command line and the `Popen` options to run one of our modules as a child process.

    It imports nothing from the working directory. Unless `options` override that, its standard
    streams are /dev/null and it has its own process group, so that Ctrl-C reaches only the parent.
    """
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    options = {"env": child_environment(), **streams, "process_group": 0, **options}
    return [sys.executable, "-P", "-m", module, *words], options


class LinkedChild:
    """A child process connected by a socket pair; its last argument is its socket's descriptor.

    `options` of `Popen` are in addition to those of `child`; it must keep its own process group.
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
        """Return whether it is still running."""
        return self._process.poll() is None

    def wait(self, seconds: float) -> bool:
        """Wait for it to end, with a timeout; tell whether it has."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is not None

    def end(self, seconds: float = 0.0) -> None:
        """Terminate it, and after `seconds` kill its process group; with 0 kill it at once."""
        if seconds:
            self._process.terminate()
            self.wait(seconds)
        if self._process.returncode is None:
            # The group exists until its process is reaped; macOS says EPERM if that has ended.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        self.link.close()


def serve(work: Coroutine[Any, Any, None]) -> None:
    """Run this discovery work until it is done or standard input closes: the parent has ended."""
    os.nice(NICENESS)
    _set_soft(resource.RLIMIT_AS, MULTICAST_MEMORY_BYTES)
    asyncio.run(_until_orphaned(work))


async def _until_orphaned(work: Coroutine[Any, Any, None]) -> None:
    loop, orphaned = asyncio.get_running_loop(), asyncio.Event()
    loop.set_exception_handler(_on_loop_error)
    loop.add_reader(_INPUT, orphaned.set)
    working, waiting = asyncio.create_task(work), asyncio.create_task(orphaned.wait())
    await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
    loop.remove_reader(_INPUT)
    waiting.cancel()
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


def _on_loop_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Ignore what zeroconf raises at malformed packets; exit if out of memory."""
    if isinstance(context.get("exception"), MemoryError):
        os._exit(1)
