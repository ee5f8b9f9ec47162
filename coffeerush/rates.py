"""Rate limiters: token bucket and sliding window; the time is an argument."""

from collections import deque


class TokenBucket:
    """Holds up to `burst` tokens, starts full, and refills at `rate` tokens per second.

    May be overdrawn: the debt has to be refilled before anything is left.
    """

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._since = now

    def left(self, now: float) -> float:
        """Return the tokens that are left; negative if it is overdrawn."""
        gained = max(now - self._since, 0.0) * self._rate
        return min(self._tokens + gained, self._burst)

    def wait(self, now: float) -> float:
        """Return the seconds until a debt is refilled; 0 if there is none."""
        return max(-self.left(now) / self._rate, 0.0)

    def spend(self, now: float, tokens: float) -> None:
        """Take tokens out, whether or not enough are left; a negative number refunds them."""
        self._tokens = self.left(now) - tokens
        self._since = now


class SlidingWindow:
    """Counts the events of the last `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._times: deque[float] = deque()

    def add(self, now: float) -> None:
        """Count an event; `now` must not be earlier than in the call before."""
        self._times.append(now)

    def clear(self) -> None:
        """Forget all events."""
        self._times.clear()

    def count(self, now: float) -> int:
        """Return the number of events in the window, and forget the older ones."""
        while self._times and now - self._times[0] >= self._seconds:
            self._times.popleft()
        return len(self._times)
