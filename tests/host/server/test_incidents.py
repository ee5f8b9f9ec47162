"""Incidents: counted from many threads, reported once per minute."""

from threading import Thread

from coffeerush.host.server.incidents import MAX_KINDS, MAX_ORIGINS, REPORT_SECONDS, Incidents
from coffeerush.joining.admission import origin


def test_a_line_has_kinds_counts_and_the_most_frequent_address() -> None:
    incidents = Incidents()
    for _each in range(3):
        incidents.count("wrong_code", "192.168.7.2")
    incidents.count("too_fast", "192.168.7.3")
    incidents.count("late_bot")
    assert incidents.due(0.0) == (
        "Recent problems: wrong codes: 3, requests over the rate limit: 1, bot moves too late: 1; "
        "3 from 192.168.7.2."
    )


def test_the_first_line_comes_at_once_and_then_one_per_minute() -> None:
    incidents = Incidents()
    assert not incidents.due(0.0)
    incidents.count("late_bot")
    assert incidents.due(1.0)
    for second in range(2, 60):
        incidents.count("late_bot")
        assert not incidents.due(float(second))
    assert "too late: 58." in incidents.due(1.0 + REPORT_SECONDS)
    assert not incidents.due(2.0 + 2 * REPORT_SECONDS)


def test_remaining_counts_are_reported_at_the_end() -> None:
    incidents = Incidents()
    incidents.count("late_bot")
    assert incidents.due(1.0)
    incidents.count("late_bot")
    assert not incidents.due(2.0)
    assert incidents.take()
    assert not incidents.take()


def test_many_kinds_still_make_one_line() -> None:
    incidents = Incidents()
    for number in range(MAX_KINDS + 3):
        incidents.count(f"kind_{number}")
    line = incidents.due(0.0)
    assert line.count("kind") == MAX_KINDS
    assert "other: 3" in line


def test_changing_addresses_neither_fill_memory_nor_hide_known_ones() -> None:
    incidents = Incidents()
    incidents.count("wrong_code", "192.168.7.2")
    for number in range(2 * MAX_ORIGINS):
        incidents.count("wrong_code", f"fd00::{number:x}")
    incidents.count("wrong_code", "192.168.7.2")
    assert incidents.due(0.0) == (
        f"Recent problems: wrong codes: {2 * MAX_ORIGINS + 2}; 2 from 192.168.7.2."
    )


def test_threads_count_together() -> None:
    incidents = Incidents()

    def count() -> None:
        for _each in range(1000):
            incidents.count("wrong_code", "192.168.7.2")

    threads = [Thread(target=count) for _each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert incidents.take() == "Recent problems: wrong codes: 4000; 4000 from 192.168.7.2."


def test_an_address_is_counted_once_whatever_its_notation() -> None:
    assert origin("::ffff:192.168.7.2") == origin("192.168.7.2")
    assert origin("fe80::1%eth0") == origin("fe80::1")
