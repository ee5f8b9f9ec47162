"""Decides who is let in at the door: the join code, how often it may be tried, and who is known.

Only thinks; `now` is in seconds of any clock that does not run backwards, the same in all calls.
"""

from collections import OrderedDict
from collections.abc import Set
from math import inf
from random import Random
from typing import Final

from coffeerush.rates import SlidingWindow
from protocol import RefusedError

from .admitted_keys import AdmittedKeyring
from .code import draw_code

TRIES: Final = 5
"""Wrong codes of one source in `TRIES_SECONDS`."""
TRIES_SECONDS: Final = 600.0
TABLE_TRIES: Final = 50
"""After so many wrong codes the table gets a new one."""
STARTS: Final = 10
"""Proofs that one source may begin in `NUISANCE_SECONDS` and not end well.

Who breaks one off learns nothing of the code, and has cost the host the time to begin it.
"""
RIGHT_PROOFS: Final = 32
"""Those of one source in `NUISANCE_SECONDS` that end well: a whole LAN may be one, over IPv6."""
PROOFS_OF_OTHERS: Final = 32
"""Proofs begun in `ROUND_SECONDS` by sources that have not been a nuisance, all together."""
ROUND_SECONDS: Final = 2.0
PROOFS_OF_NUISANCES: Final = 8
"""Proofs begun in `LONG_ROUND_SECONDS` by all others: this is what a lasting attack costs.

Each proof takes 6 ms. At one a second it meets less than one move in a hundred; at four the
slowest moves of friends took three times as long as in quiet.
"""
LONG_ROUND_SECONDS: Final = 8.0
NUISANCE_SECONDS: Final = 60.0
"""So long a source is one that dawdled, began a proof that it has not ended well, or ended too many
well: it takes no room from somebody new."""
MAX_SOURCES: Final = 1024
"""So many are told apart; those who tried longest ago are forgotten first."""


class Admission:
    """What the door of one table knows; all but the code and `settle` belongs to the door's thread.

    Args:
        keys: those that may connect.
        chance: for codes, so unpredictable at a real table.
        is_open: whether everybody may sit down.
    """

    def __init__(self, keys: AdmittedKeyring, chance: Random, *, is_open: bool = False) -> None:
        self._keys = keys
        self._chance = chance
        self._sources: OrderedDict[str, _Source] = OrderedDict()
        self._starts = {
            False: SlidingWindow(ROUND_SECONDS),
            True: SlidingWindow(LONG_ROUND_SECONDS),
        }
        self._wrong = 0
        self.code: str = "" if is_open else draw_code(chance)
        """The join code; empty at an open table."""

    def settle(self, keys: Set[str], removed: Set[str]) -> bool:
        """Follow whom the table knows and whom its owner sent away; from any thread.

        Whoever was sent away knows the code and may have brought more keys than one: with each
        the code changes, and keys that nobody at the table has are forgotten.

        Returns:
            Whether somebody was sent away since last time.
        """
        with self._keys.lock:
            gone = bool(self._keys.keep(keys, removed))
            if gone:
                self._change_code()
        return gone

    def check_not_removed(self, key: str) -> None:
        """Raise `removed` for a key that the owner sent away."""
        if self._keys.is_removed(key):
            raise RefusedError("removed", "The owner of this table sent you away.")

    def admit_unproven(self, key: str, *, is_local: bool) -> None:
        """Let a key in that shows no code; raises `code_needed`."""
        with self._keys.lock:
            if self.code and not is_local and key not in self._keys:
                raise RefusedError(
                    "code_needed", "This table asks for its join code; the host's screen shows it."
                )
            self._keys.admit(key)

    def begin(self, now: float, source: str) -> None:
        """Let a source begin a proof; `prove` or `break_off` ends it.

        Raises:
            RefusedError: `too_many_tries`, or `door_busy` where trying again helps.
        """
        one = self._of(source)
        wrong = one.wrong.count(now)
        if wrong >= TRIES:
            raise RefusedError(
                "too_many_tries", "Too many wrong codes came from your address; try again later."
            )
        is_old = self.is_nuisance(now, source)
        starts, most = self._starts[is_old], PROOFS_OF_NUISANCES if is_old else PROOFS_OF_OTHERS
        own = one.starts.count(now)
        if wrong + one.under_way >= TRIES or own >= STARTS or starts.count(now) >= most:
            raise RefusedError("door_busy", "Too many are at the door; try again in a moment.")
        one.under_way += 1
        one.starts.add(now)
        starts.add(now)

    def prove(self, now: float, source: str, key: str, code: str) -> None:
        """End a proof, and let its key in where it is one of today's code.

        Args:
            now: in seconds.
            source: who proved.
            key: to be let in.
            code: what the proof fits; empty where it fits none.

        Raises:
            RefusedError: `wrong_code`, or `removed`.
        """
        self.break_off(source)
        one = self._of(source)
        with self._keys.lock:  # who is removed right now must not slip in another key
            is_right = code != "" and code == self.code
            if is_right:
                self._keys.admit(key)
        if is_right:
            one.wrong.clear()
            one.starts.clear()
            one.right.add(now)
            self.check_not_removed(key)
            return
        if not code:  # else it was right when the proof began, and is another by now
            one.wrong.add(now)
            self._wrong += 1
            if self._wrong % TABLE_TRIES == 0:
                self._change_code()
        raise RefusedError(
            "wrong_code", "That is not this table's join code; the host's screen shows it."
        )

    def break_off(self, source: str) -> None:
        """End a proof that came to no end."""
        one = self._of(source)
        one.under_way = max(one.under_way - 1, 0)

    def note_dawdling(self, now: float, source: str) -> None:
        """Remember that a visitor took all the time there is."""
        self._of(source).dawdled_at = now

    def is_nuisance(self, now: float, source: str) -> bool:
        """Tell whether a source lately took time at the door for nothing, or too much of it."""
        one = self._sources.get(source)
        return one is not None and (
            now - one.dawdled_at < NUISANCE_SECONDS
            or one.starts.count(now) > 0
            or one.right.count(now) >= RIGHT_PROOFS
        )

    def _change_code(self) -> None:
        if self.code:
            self.code = draw_code(self._chance)

    def _of(self, source: str) -> "_Source":
        one = self._sources.setdefault(source, _Source())
        self._sources.move_to_end(source)
        if len(self._sources) > MAX_SOURCES:
            self._sources.popitem(last=False)
        return one


class _Source:
    """What one source has tried."""

    def __init__(self) -> None:
        self.wrong = SlidingWindow(TRIES_SECONDS)
        self.starts = SlidingWindow(NUISANCE_SECONDS)
        self.right = SlidingWindow(NUISANCE_SECONDS)
        self.under_way = 0
        self.dawdled_at = -inf
