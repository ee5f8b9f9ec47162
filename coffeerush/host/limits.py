"""What the host process may take of the machine."""

import contextlib
import resource
from collections.abc import Iterator
from typing import Final

MEMORY_BYTES: Final = 1 << 30
SPARE_DESCRIPTORS: Final = 16
"""Kept for looking after those that are in use, when there are no others."""


def limit_process() -> None:
    """Raise the limit of descriptors, and end this process rather than eat all memory.

    The record brings the table back. Soft limits only, so that a bot's process can lift its own.
    """
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
