"""Screen benchmarks: frame times, bytes, an idle terminal, and key latency under a flood."""

from .conditions import percentile, report
from .frames import Costs, costs_of_a_game
from .keystrokes import idle, key_to_frame

SIZES = ((80, 24), (120, 36), (160, 50), (200, 60))
FRAME_MS = {(120, 36): 5, (160, 50): 8}
"""Frame budget in milliseconds, for the sizes that have one."""
UPDATE_BYTES = 2000
"""Budget in bytes for an ordinary update."""
KEY_MS = 20
"""Budget in milliseconds from a key to its frame, at the 99th percentile."""


def run() -> None:
    """Report frames and bytes for each size, then the idle screen and the key latency."""
    for columns, rows in SIZES:
        costs = costs_of_a_game(columns, rows)
        _report_frames(costs)
        _report_bytes(costs)
    report("idle screen", budget_bytes=0, **idle())
    for host, seconds, more in key_to_frame():
        report("key to frame", host=host, keys=len(seconds), budget_p99_ms=KEY_MS,
               **_milliseconds(seconds), **more)  # fmt: skip


def _report_frames(costs: Costs) -> None:
    size = f"{costs.columns}x{costs.rows}"
    budget = FRAME_MS.get((costs.columns, costs.rows))
    kinds = {"whole": costs.shown, "canvas alone": costs.drawn, "bare prompt_toolkit": costs.bare}
    for kind, seconds in kinds.items():
        more = {"budget_p50_ms": budget} if budget and kind == "whole" else {}
        report("frame", size=size, of=kind, frames=len(seconds), **_milliseconds(seconds), **more)


def _report_bytes(costs: Costs) -> None:
    size = f"{costs.columns}x{costs.rows}"
    kinds = {
        "a later frame of a moment": costs.moments,
        "within a turn": costs.sent,
        "beginning of a turn": costs.turned,
        "beginning or end of the game": costs.changed,
    }
    for kind, sent in kinds.items():
        figures = {"p50": percentile(sent, 0.5), "p95": percentile(sent, 0.95), "max": max(sent)}
        budgeted = sent is costs.sent or sent is costs.moments
        budget = {"budget_p95": UPDATE_BYTES} if budgeted else {}
        report("bytes of an update", size=size, of=kind, updates=len(sent), **figures, **budget)


def _milliseconds(seconds: list[float]) -> dict[str, object]:
    shares = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99}
    return {name: round(percentile(seconds, share) * 1000, 2) for name, share in shares.items()}
