"""Print figures as JSON lines, each with the conditions under which it was measured."""

import os
import platform
import statistics
from collections.abc import Sequence
from importlib.metadata import version

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
