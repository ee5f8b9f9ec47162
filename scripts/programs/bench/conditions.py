"""Print figures as JSON lines, each with the conditions under which it was measured."""

import os
import platform
import statistics
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec
import zmq

from coffeerush import __version__

CONDITIONS = {
    "coffeerush": __version__,
    "python": platform.python_version(),
    "implementation": platform.python_implementation(),
    "machine": f"{platform.system()} {platform.machine()}",
    "cores": os.cpu_count(),
    "msgspec": version("msgspec"),
    "prompt_toolkit": version("prompt_toolkit"),
    "pyzmq": version("pyzmq"),
    "libzmq": zmq.zmq_version(),
}


def report(bench: str, **figures: object) -> None:
    """Print one JSON line: the benchmark, its figures, the conditions."""
    line = {"bench": bench, **figures, "conditions": CONDITIONS}
    print(msgspec.json.encode(line).decode(), flush=True)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0 to 1) of the values lie."""
    if share == 0.5:
        return statistics.median(values)
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def figures(seconds: list[float]) -> dict[str, object]:
    """Return the number of measurements, their median and their 99th percentile."""
    return {
        "n": len(seconds),
        "p50_ms": round(percentile(seconds, 0.5) * 1000, 3),
        "p99_ms": round(percentile(seconds, 0.99) * 1000, 3),
    }


def ratios(seconds: list[float], of: list[float]) -> dict[str, object]:
    """Return the median and the 99th percentile as multiples of those of others."""
    return {
        f"ratio_p{share * 100:.0f}": round(percentile(seconds, share) / percentile(of, share), 2)
        for share in (0.5, 0.99)
    }


def memory(pid: int) -> float:
    """Return the resident memory of a process, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


def computed(pid: int) -> float:
    """Return the CPU time of a process so far, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[11:13]) / os.sysconf("SC_CLK_TCK")
