"""Multicast DNS in processes of their own: what strangers send there harms no table and no screen.

Such a process may take little memory and yields to others; it ends when its standard input does,
that is with whoever has started it.
"""

import asyncio
import os
import resource
import subprocess
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final

from .directories import child_environment

MEMORY_BYTES: Final = 256 << 20
YIELDING: Final = 10
"""Added to the niceness: what matters to the table and the screen goes first."""
_INPUT: Final = 0


def child(module: str, *words: str) -> tuple[list[str], dict[str, Any]]:
    """Return how a module is started as such a process: a command line, and options of `Popen`."""
    options = {
        "env": child_environment(),
        "stderr": subprocess.DEVNULL,  # zeroconf complains there of what others send
        "process_group": 0,  # Ctrl-C is for whoever started it
    }
    return [sys.executable, "-m", module, *words], options


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
    wanted = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    with suppress(ValueError, OSError):  # some systems refuse a limit that they report
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
