"""What the host process may take of the machine."""

import contextlib
import resource
from typing import Final

MEMORY_BYTES: Final = 1 << 30


def limit_process() -> None:
    """Raise the limit of descriptors, and end this process rather than eat all memory.

    The record brings the table back. Soft limits only, so that a bot's process can lift its own.
    """
    _set_soft(resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    _set_soft(resource.RLIMIT_AS, MEMORY_BYTES)


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
