"""What was not right, counted by many threads and told once a minute."""

from threading import Thread

from coffeerush.host.server.incidents import MAX_KINDS, MAX_ORIGINS, REPORT_SECONDS, Incidents
from coffeerush.joining.sources import origin


def test_a_line_says_what_how_often_and_whence_most_came() -> None:
    tally = Incidents()
    for _each in range(3):
        tally.count("wrong_code", "192.168.7.2")
    tally.count("too_fast", "192.168.7.3")
    tally.count("late_bot")
    assert tally.due(0.0) == (
        "Not right lately: wrong codes: 3, requests too fast: 1, moves of bots too late: 1; "
        "3 from 192.168.7.2."
    )


def test_the_first_line_comes_at_once_and_then_one_a_minute() -> None:
    tally = Incidents()
    assert not tally.due(0.0)
    tally.count("late_bot")
    assert tally.due(1.0)
    for second in range(2, 60):
        tally.count("late_bot")
        assert not tally.due(float(second))
    assert "too late: 58." in tally.due(1.0 + REPORT_SECONDS)
    assert not tally.due(2.0 + 2 * REPORT_SECONDS)


def test_what_is_left_at_the_end_is_told_at_once() -> None:
    tally = Incidents()
    tally.count("late_bot")
    assert tally.due(1.0)
    tally.count("late_bot")
    assert not tally.due(2.0)
    assert tally.take()
    assert not tally.take()


def test_many_kinds_stay_one_line() -> None:
    tally = Incidents()
    for number in range(MAX_KINDS + 3):
        tally.count(f"kind_{number}")
    line = tally.due(0.0)
    assert line.count("kind") == MAX_KINDS
    assert "other: 3" in line


def test_ever_new_addresses_fill_no_memory_and_hide_nobody() -> None:
    tally = Incidents()
    tally.count("wrong_code", "192.168.7.2")
    for number in range(2 * MAX_ORIGINS):
        tally.count("wrong_code", f"fd00::{number:x}")
    tally.count("wrong_code", "192.168.7.2")
    assert tally.due(0.0) == (
        f"Not right lately: wrong codes: {2 * MAX_ORIGINS + 2}; 2 from 192.168.7.2."
    )


def test_threads_count_together() -> None:
    tally = Incidents()

    def count() -> None:
        for _each in range(1000):
            tally.count("wrong_code", "192.168.7.2")

    threads = [Thread(target=count) for _each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tally.take() == "Not right lately: wrong codes: 4000; 4000 from 192.168.7.2."


def test_an_address_is_the_same_however_it_is_told() -> None:
    assert origin("::ffff:192.168.7.2") == origin("192.168.7.2")
    assert origin("fe80::1%eth0") == origin("fe80::1")
