"""Who may join: codes, admitted keys, and how often each source may try."""

import ipaddress
from collections import OrderedDict
from collections.abc import Callable, Set
from math import inf
from random import Random
from typing import Final

from coffeerush.rates import SlidingWindow
from protocol import RefusedError

from .admitted_keys import AdmittedKeyring
from .code import draw_code

TRIES: Final = 5
"""The wrong codes allowed per source in `TRIES_SECONDS`."""
TRIES_SECONDS: Final = 600.0
TABLE_TRIES: Final = 50
"""After this many wrong codes the table gets a new code."""
STARTS: Final = 10
"""The proofs that a source may start in `NUISANCE_SECONDS` without success.

An aborted proof reveals nothing about the code, but costs the host the time to start it.
"""
RIGHT_PROOFS: Final = 32
"""The successful proofs per source in `NUISANCE_SECONDS`: over IPv6, a whole LAN is one source."""
PROOFS_OF_OTHERS: Final = 32
"""The proofs started in `ROUND_SECONDS` by all sources that are not a nuisance, together."""
ROUND_SECONDS: Final = 2.0
PROOFS_OF_NUISANCES: Final = 8
"""The proofs started in `LONG_ROUND_SECONDS` by all nuisances: the cost of a sustained attack.

Each proof takes 6 ms. At one per second it delays less than one move in a hundred; at four per
second the slowest moves took three times as long as without load.
"""
LONG_ROUND_SECONDS: Final = 8.0
NUISANCE_SECONDS: Final = 60.0
"""A source is a nuisance for this long after it timed out, started a proof without success, or
reached `RIGHT_PROOFS`: it has a budget of its own and takes no room from newcomers."""
MAX_SOURCES: Final = 1024
"""The most sources tracked; the least recently used is forgotten first."""


class Admission:
    """The admission policy of one table; it belongs to the door's thread.

    All but `code`, `settle` and `change_code`, that is.

    Args:
        keys: the keys that may connect.
        chance: for drawing codes; unpredictable at a real table.
        is_open: whether the table has no code, and admits everybody.
        code: the code of a table that is resumed; empty to draw one.
        on_change: called with each later code, on any thread, before anybody gets to know it.
    """

    def __init__(
        self,
        keys: AdmittedKeyring,
        chance: Random,
        *,
        is_open: bool = False,
        code: str = "",
        on_change: Callable[[str], None] = lambda _code: None,
    ) -> None:
        self._keys = keys
        self._chance = chance
        self._on_change = on_change
        self._sources: OrderedDict[str, _Source] = OrderedDict()
        self._starts = {
            False: SlidingWindow(ROUND_SECONDS),
            True: SlidingWindow(LONG_ROUND_SECONDS),
        }
        self._wrong = 0
        self.code: str = "" if is_open else code or draw_code(chance)
        """The join code; empty at an open table."""

    def settle(self, keys: Set[str], removed: Set[str]) -> bool:
        """Update the keys that the table knows and those that its owner kicked; thread-safe.

        A kicked person knows the code and may have enrolled several keys. So after each kick the
        code changes, and keys of nobody at the table are forgotten.

        Returns:
            Whether somebody was kicked since the last call.
        """
        with self._keys.lock:
            gone = bool(self._keys.keep(keys, removed))
            if gone:
                self._change_code()
        return gone

    def change_code(self) -> None:
        """Draw another code, unless the table is open; thread-safe."""
        with self._keys.lock:
            self._change_code()

    def check_not_removed(self, key: str) -> None:
        """Raise `removed` for a key that the owner kicked."""
        if self._keys.is_removed(key):
            raise RefusedError("removed")

    def admit_unproven(self, key: str, *, is_local: bool) -> None:
        """Admit a key without a proof of the code; raises `code_needed`."""
        with self._keys.lock:
            if self.code and not is_local and key not in self._keys:
                raise RefusedError("code_needed")
            self._keys.admit(key)

    def begin(self, now: float, source: str) -> None:
        """Let a source start a proof; `prove` or `break_off` must end it.

        Raises:
            RefusedError: `too_many_tries`, or `door_busy` if a retry helps.
        """
        limits = self._of(source)
        wrong = limits.wrong.count(now)
        if wrong >= TRIES:
            raise RefusedError("too_many_tries", minutes=round(TRIES_SECONDS / 60))
        nuisance = self.is_nuisance(now, source)
        starts, most = self._starts[nuisance], PROOFS_OF_NUISANCES if nuisance else PROOFS_OF_OTHERS
        started = limits.starts.count(now)
        if wrong + limits.under_way >= TRIES or started >= STARTS or starts.count(now) >= most:
            raise RefusedError("door_busy")
        limits.under_way += 1
        limits.starts.add(now)
        starts.add(now)

    def prove(self, now: float, source: str, key: str, code: str) -> None:
        """End a proof, and admit the key if it proved the current code.

        Args:
            now: in seconds.
            source: where the proof came from.
            key: to be admitted.
            code: the code that was proved; empty if the proof failed.

        Raises:
            RefusedError: `wrong_code` or `removed`.
        """
        self.break_off(source)
        limits = self._of(source)
        with self._keys.lock:  # a person kicked at this moment must not get another key admitted
            is_right = code != "" and code == self.code
            if is_right:
                self._keys.admit(key)
        if is_right:
            limits.wrong.clear()
            limits.starts.clear()
            limits.right.add(now)
            self.check_not_removed(key)
            return
        if not code:  # else the code has changed since the proof started: not a wrong try
            limits.wrong.add(now)
            self._wrong += 1
            if self._wrong % TABLE_TRIES == 0:
                self.change_code()
        raise RefusedError("wrong_code")

    def break_off(self, source: str) -> None:
        """Abort a proof that was not completed."""
        limits = self._of(source)
        limits.under_way = max(limits.under_way - 1, 0)

    def note_timeout(self, now: float, source: str) -> None:
        """Remember that a visitor from this source timed out."""
        self._of(source).timed_out_at = now

    def is_nuisance(self, now: float, source: str) -> bool:
        """Return whether a source recently wasted the door's time, or took too much of it."""
        limits = self._sources.get(source)
        return limits is not None and (
            now - limits.timed_out_at < NUISANCE_SECONDS
            or limits.starts.count(now) > 0
            or limits.right.count(now) >= RIGHT_PROOFS
        )

    def _change_code(self) -> None:
        if self.code:
            code = draw_code(self._chance)
            self._on_change(code)
            self.code = code

    def _of(self, source: str) -> "_Source":
        limits = self._sources.setdefault(source, _Source())
        self._sources.move_to_end(source)
        if len(self._sources) > MAX_SOURCES:
            self._sources.popitem(last=False)
        return limits


class _Source:
    """The rate limits of one source."""

    def __init__(self) -> None:
        self.wrong = SlidingWindow(TRIES_SECONDS)
        self.starts = SlidingWindow(NUISANCE_SECONDS)
        self.right = SlidingWindow(NUISANCE_SECONDS)
        self.under_way = 0
        self.timed_out_at = -inf


# Addresses of peers, and the sources that rate limits count by


_PREFIX_BITS: Final = 64


def origin(address: str) -> str:
    """Normalize a socket's address: no scope, and IPv4-mapped IPv6 as IPv4."""
    return address.partition("%")[0].removeprefix("::ffff:")


def is_same_machine(address: str, own: str) -> bool:
    """Return whether the two ends of a connection are on one machine; both as `origin` returns."""
    return address == own or ipaddress.ip_address(address).is_loopback


def source_of(address: str) -> str:
    """Return the unit of rate limits: an IPv4 address, or the /64 network of an IPv6 address.

    The owner of an IPv6 address usually controls its whole /64.
    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return str(ipaddress.ip_network((parsed, _PREFIX_BITS), strict=False))
        parsed = parsed.ipv4_mapped
    return str(parsed)
