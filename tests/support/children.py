"""Child processes of a process, from /proc."""

from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="needs /proc, mounted: Linux"
)


def children(pid: int, module: str) -> list[int]:
    """Return the process ids of a process's children that run a module."""
    return [one for one in _children(pid) if _runs(one, module)]


def beacons(pid: int) -> list[int]:
    """Return the process ids of a process's beacons (mDNS announcers)."""
    return [one for one in _children(pid) if is_beacon(one)]


def is_beacon(pid: int) -> bool:
    return _runs(pid, "coffeerush.joining.announcing")


def _runs(pid: int, module: str) -> bool:
    try:
        return module.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _children(pid: int) -> list[int]:
    found = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(word) for text in found for word in text.split()]
