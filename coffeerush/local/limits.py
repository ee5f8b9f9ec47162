"""What the host process may take of the machine."""

import contextlib
import os
import resource
import sys
import threading
from collections.abc import Iterator
from typing import Final

MEMORY_BYTES: Final = 1 << 30
TURN_SECONDS: Final = 0.0001
"""After which a thread of Python lets another go on. With the usual 5 ms a request that meets a
proof at the door takes 15 ms, and with 0.5 ms 2.4; where strangers keep door and guard busy, one
move in a hundred took twice as long as in quiet with 0.5 ms, and one and a half times with this."""
SPARE_DESCRIPTORS: Final = 16
"""Kept for looking after those that are in use, when there are no others."""


def limit_process() -> None:
    """Raise the limit of descriptors, and end this process rather than eat all memory.

    The record brings the table back. Soft limits only, so that a bot's process can lift its own.
    No thread holds up the others for long.
    """
    sys.setswitchinterval(TURN_SECONDS)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    bounded = most != resource.RLIM_INFINITY
    _set_soft(resource.RLIMIT_NOFILE, most - SPARE_DESCRIPTORS if bounded else most)
    _set_soft(resource.RLIMIT_AS, MEMORY_BYTES)


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
