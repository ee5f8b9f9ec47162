"""What was not right at a host: counted in all its parts, told in a line that a person can read."""

from collections import Counter
from threading import Lock
from typing import Final

REPORT_SECONDS: Final = 60.0
MAX_KINDS: Final = 6
"""A line names the most frequent ones, and counts the others together."""
MAX_ORIGINS: Final = 256
"""So many are told apart between two lines: who takes ever new addresses must not fill memory."""

WORDS: Final = {
    "bad_key": "lines that the door did not understand",
    "bot_fell_back": "moves of bots replaced",
    "code_needed": "visitors without the code",
    "door_busy": "visitors too many for the door",
    "late_bot": "moves of bots too late",
    "late_visitor": "visitors who dawdled at the door",
    "removed": "visits of somebody who was removed",
    "sent_too_much": "connections cut that sent too much",
    "slow": "answers that nobody took",
    "stranger": "connections with keys not let in",
    "too_fast": "requests too fast",
    "too_many": "connections cut as there were too many",
    "too_many_frames": "requests of too many frames",
    "too_many_tries": "visitors after too many wrong codes",
    "unreachable": "answers to somebody who had gone",
    "wrong_code": "wrong codes",
}
"""Kinds that their code does not explain; all others are told by their code."""


class Incidents:
    """Counts for a whole host; any thread may."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kinds: Counter[str] = Counter()
        self._origins: Counter[str] = Counter()
        self._silent_until = float("-inf")

    def count(self, kind: str, whence: str = "", times: int = 1) -> None:
        """Count something of a kind that was not right.

        Args:
            kind: one of a closed list, such as the code of a refusal; never a peer's text.
            whence: the address that it came from; "" where it came from nobody.
            times: how often it was.
        """
        with self._lock:
            self._kinds[kind] += times
            if whence and (whence in self._origins or len(self._origins) < MAX_ORIGINS):
                self._origins[whence] += times

    def due(self, now: float) -> str:
        """Return the line that is due at `now`, in seconds; "" within a minute of the last one."""
        if now < self._silent_until:
            return ""
        line = self.take()
        if line:
            self._silent_until = now + REPORT_SECONDS
        return line

    def take(self) -> str:
        """Return the line of all that was counted since the last one; "" where that is nothing."""
        with self._lock:
            kinds, origins = self._kinds, self._origins
            self._kinds, self._origins = Counter(), Counter()
        return _line(kinds, origins) if kinds else ""


def _line(kinds: Counter[str], origins: Counter[str]) -> str:
    told = kinds.most_common(MAX_KINDS)
    others = kinds.total() - sum(count for _kind, count in told)
    parts = [f"{WORDS.get(kind, kind.replace('_', ' '))}: {count}" for kind, count in told]
    if others:
        parts.append(f"other: {others}")
    whence = "".join(f"; {count} from {most}" for most, count in origins.most_common(1))
    return f"Not right lately: {', '.join(parts)}{whence}."
