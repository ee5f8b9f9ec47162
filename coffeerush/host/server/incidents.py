"""Incidents of a host (attacks, refusals, faults), counted; and the sentences of its log."""

from collections import Counter
from threading import Lock
from typing import Final

from coffeerush.host.table.config import Note

REPORT_SECONDS: Final = 60.0
MAX_KINDS: Final = 6
"""A line names the most frequent kinds; the others are summed up."""
MAX_ORIGINS: Final = 256
"""Addresses counted between two lines: a peer that keeps changing its own must not fill memory."""

WORDS: Final = {
    "bad_key": "invalid requests to join",
    "bot_fell_back": "bot moves replaced",
    "code_needed": "tries to join without a code",
    "door_busy": "tries to join while too many others were joining",
    "late_bot": "bot moves too late",
    "late_visitor": "tries to join that timed out",
    "no_place": "connections closed for having no place at the table",
    "odd_subscription": "subscriptions that no client needs",
    "removed": "tries to join by somebody who was removed",
    "said_nothing": "connections closed for sending nothing",
    "sent_too_much": "connections closed for sending too much",
    "slow": "answers not read in time",
    "stranger": "connections with unknown keys",
    "too_fast": "requests over the rate limit",
    "too_many": "connections closed because there were too many",
    "too_many_frames": "requests with too many or too long frames",
    "too_often": "connections beyond the limit per key",
    "too_many_tries": "tries to join after too many wrong codes",
    "unreachable": "answers to somebody who had left",
    "wrong_code": "wrong codes",
}
"""Words for kinds whose code does not explain itself; all others are shown by their code."""


class Incidents:
    """Counters for a whole host; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kinds: Counter[str] = Counter()
        self._origins: Counter[str] = Counter()
        self._silent_until = float("-inf")

    def count(self, kind: str, address: str = "", times: int = 1) -> None:
        """Count an incident.

        Args:
            kind: one of a closed list, such as a refusal's code; never a peer's text.
            address: the address it came from; "" if it has no sender.
            times: how many occurred.
        """
        with self._lock:
            self._kinds[kind] += times
            if address and (address in self._origins or len(self._origins) < MAX_ORIGINS):
                self._origins[address] += times

    def due(self, now: float) -> str:
        """Return the line due at `now`, in seconds; "" within `REPORT_SECONDS` of the last one."""
        if now < self._silent_until:
            return ""
        line = self.take()
        if line:
            self._silent_until = now + REPORT_SECONDS
        return line

    def take(self) -> str:
        """Return a line with all counts since the last one; "" if there are none."""
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
    worst = "".join(f"; {count} from {address}" for address, count in origins.most_common(1))
    return f"Recent problems: {', '.join(parts)}{worst}."


# The host's log lines, one sentence per note; notes never hold anything private


SENTENCES: Final = {
    "joined": "{name} took a seat.",
    "watching": "{name} is watching.",
    "waiting": "{name} wants to play next.",
    "made_room": "{name} makes room.",
    "left": "{name} left.",
    "went_over": "{name} went over to the table {table}.",
    "away": "{name} stopped answering.",
    "back": "{name} is back.",
    "removed": "The owner removed {name}.",
    "replaced_by_bot": "A bot took the place of {name}.",
    "renamed": "{before} is now called {name}.",
    "table_renamed": "The table {before} is now called {name}.",
    "bot_seated": "Bot {name} took a seat.",
    "game_started": "Game {game} started: {players}; the start player is {first}.",
    "turn_timed_out": "{name}'s time is up; a bot finishes the turn.",
    "paused": "{name} paused the game.",
    "let_in": "{name} let {guest} in.",
    "turned_away": "{name} turned {guest} away.",
    "went_on": "The game continues.",
    "bot_fell_back": "{name} ({bot}) made no valid move ({reason}); another move was made for it.",
    "game_over": "Game {game} is over: {standings}.",
    "back_to_lobby": "Everybody has left the finished game; its seats are open again.",
    "stopping": "The host is stopping.",
    "bot_replaced": "The bot {name} is from a file of the old host; a {bot} bot plays its seat.",
    "moved": "The tables have moved to {name}'s computer, {address}, port {port}.",
    "resumed": "Game {game} was resumed after move {rev}.",
    "record_failed": "The record could not be written: {text}.",
    "tournament": "There is a tournament; anyone who is here can enter.",
    "entered": "{name} plays in the tournament ({count} so far).",
    "withdrawn": "{name} plays no further round.",
    "round": "Round {round} of {rounds} has begun.",
    "rests": "{name} sits out this round.",
    "round_over": "Round {round} is over: {standings}.",
    "round_waits": "The next round cannot begin yet ({reason}).",
    "tournament_over": "The tournament is over; rounds played: {rounds}.",
}


def sentence(note: Note) -> str:
    """Put a note into words."""
    return SENTENCES[note.code].format_map(note.params)
