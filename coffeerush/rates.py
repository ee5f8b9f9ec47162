"""Rate limiters; both are told the time."""

from collections import deque


class TokenBucket:
    """Holds up to `burst` tokens, full at first, and gains `rate` of them a second.

    More may be spent than it holds: the debt is paid off before anything is left again.
    """

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._since = now

    def left(self, now: float) -> float:
        """Return the tokens that may be spent; below zero for a debt."""
        gained = max(now - self._since, 0.0) * self._rate
        return min(self._tokens + gained, self._burst)

    def spend(self, now: float, tokens: float) -> None:
        """Take tokens out, whether or not there are as many; a negative number gives them back."""
        self._tokens = self.left(now) - tokens
        self._since = now


class SlidingWindow:
    """Counts how often something happened within the last `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._times: deque[float] = deque()

    def add(self, now: float) -> None:
        """Note that it happens; never earlier than the time before."""
        self._times.append(now)

    def clear(self) -> None:
        """Forget that it ever happened."""
        self._times.clear()

    def count(self, now: float) -> int:
        """Return how often it happened lately, and forget what is older."""
        while self._times and now - self._times[0] >= self._seconds:
            self._times.popleft()
        return len(self._times)
