"""Processes for multicast DNS: what ends them, and what does not."""

import subprocess
import sys

import pytest

from coffeerush.local.processes import child_environment

SECONDS = 30.0
WORK = """
import asyncio, resource
from coffeerush.local.processes import MULTICAST_MEMORY_BYTES, serve

def fail():
    raise {error}

async def work():
    asyncio.get_running_loop().call_soon(fail)
    await asyncio.sleep(0)
    print("goes on", resource.getrlimit(resource.RLIMIT_AS)[0] == MULTICAST_MEMORY_BYTES,
          flush=True)
    await asyncio.get_running_loop().create_future()

serve(work())
"""


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [("ValueError('a packet')", 0, b"goes on True\n"), ("MemoryError", 1, b"")],
)
def test_what_strangers_send_is_passed_over_but_no_lack_of_memory(
    error: str, code: int, said: bytes
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WORK.format(error=error)],
        env=child_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdin
        assert child.stdout
        assert child.stdout.readline() == said
        child.stdin.close()
        assert child.wait(SECONDS) == code
