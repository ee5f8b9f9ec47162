"""Child processes of a process, from /proc."""

from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="needs /proc, mounted: Linux"
)


def beacons(pid: int) -> list[int]:
    """Return the process ids of a process's beacons (mDNS announcers)."""
    return [one for one in _children(pid) if is_beacon(one)]


def is_beacon(pid: int) -> bool:
    """Tell whether a process is alive and is a beacon."""
    try:
        return (
            b"coffeerush.joining.discovery.announcing" in Path(f"/proc/{pid}/cmdline").read_bytes()
        )
    except OSError:
        return False


def _children(pid: int) -> list[int]:
    found = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(word) for text in found for word in text.split()]
