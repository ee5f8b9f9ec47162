"""The rate limiters."""

from hypothesis import given, strategies as st

from coffeerush.rates import SlidingWindow, TokenBucket


def test_a_bucket_is_full_at_first_and_never_fuller() -> None:
    bucket = TokenBucket(rate=2, burst=5, now=100.0)
    assert bucket.left(100.0) == bucket.left(1000.0) == 5
    bucket.spend(1000.0, -3)
    assert bucket.left(1000.0) == 5


def test_a_bucket_fills_up_again() -> None:
    bucket = TokenBucket(rate=2, burst=5, now=0.0)
    bucket.spend(0.0, 4)
    assert [bucket.left(now) for now in (0.0, 0.5, 1.0, 2.0, 3.0)] == [1, 2, 3, 5, 5]


def test_a_debt_is_refilled_first() -> None:
    bucket = TokenBucket(rate=2, burst=5, now=0.0)
    bucket.spend(0.0, 8)
    assert [bucket.left(now) for now in (0.0, 1.0, 1.5, 2.0)] == [-3, -1, 0, 1]


def test_refunded_tokens_can_be_spent() -> None:
    bucket = TokenBucket(rate=2, burst=5, now=0.0)
    bucket.spend(0.0, 5)
    bucket.spend(0.0, -1)
    assert bucket.left(0.0) == 1


def test_a_clock_that_runs_backwards_takes_no_tokens() -> None:
    bucket = TokenBucket(rate=2, burst=5, now=10.0)
    bucket.spend(10.0, 4)
    assert bucket.left(3.0) == 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_spending_is_limited_by_burst_and_rate(wishes: list[tuple[int, int]]) -> None:
    bucket = TokenBucket(rate=2, burst=5, now=0.0)
    now = spent = 0
    for seconds, wanted in wishes:
        now += seconds
        if bucket.left(now) >= wanted:
            bucket.spend(now, wanted)
            spent += wanted
    assert spent <= 5 + 2 * now


def test_a_window_counts_recent_events() -> None:
    window = SlidingWindow(10.0)
    assert window.count(0.0) == 0
    for now in (0.0, 0.0, 4.0):
        window.add(now)
    assert [window.count(now) for now in (4.0, 9.9, 10.0, 13.9, 14.0)] == [3, 3, 1, 1, 0]


def test_a_window_forgets_old_events() -> None:
    window = SlidingWindow(10.0)
    window.add(1.0)
    window.clear()
    assert window.count(1.0) == 0


@given(st.lists(st.integers(0, 100)), st.integers(0, 100))
def test_a_window_counts_like_a_full_log(times: list[int], later: int) -> None:
    window = SlidingWindow(10.0)
    for now in sorted(times):
        window.add(now)
    now = max(times, default=0) + later
    assert window.count(now) == sum(now - one < 10 for one in times)
