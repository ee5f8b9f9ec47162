"""Letting browsers in by a number that only the host shows."""

from random import Random

from coffeerush.guests.web.asking import (
    DIGITS,
    TRIES,
    TRIES_SECONDS,
    WAITING,
    WAITING_OF_SOURCE,
    Asking,
)


def asking() -> Asking:
    return Asking(Random(1))


def number_of(them: Asking, name: str) -> str:
    return dict(them.waiting)[name]


def another(number: str) -> str:
    return f"{(int(number) + 1) % 10**DIGITS:0{DIGITS}}"


def test_the_right_number_lets_in_under_the_name_that_was_shown() -> None:
    them = asking()
    assert them.ask(1, "Ann", "here", 0.0)
    number = number_of(them, "Ann")
    assert len(number) == DIGITS
    assert number.isdigit()
    assert them.enter(1, f" {number[:3]} {number[3:]} ", 1.0) == "Ann"
    assert them.waiting == ()


def test_a_number_is_good_for_one_try() -> None:
    them = asking()
    them.ask(1, "Ann", "here", 0.0)
    number = number_of(them, "Ann")
    assert them.enter(1, another(number), 1.0) == ""
    assert them.enter(1, number, 2.0) == ""


def test_a_number_is_for_one_visitor() -> None:
    them = asking()
    them.ask(1, "Ann", "here", 0.0)
    them.ask(2, "Bob", "there", 0.0)
    assert them.enter(2, number_of(them, "Ann"), 1.0) == ""
    assert them.enter(1, number_of(them, "Ann"), 1.0) == "Ann"


def test_numbers_differ_each_time() -> None:
    them = asking()
    seen = set()
    for _time in range(20):
        them.ask(1, "Ann", "here", 0.0)
        seen.add(number_of(them, "Ann"))
    assert len(seen) == 20


def test_a_source_has_a_few_wrong_tries_over_all_its_connections() -> None:
    them = asking()
    for visitor in range(TRIES):
        assert them.ask(visitor, "Eve", "there", float(visitor))
        assert them.enter(visitor, another(number_of(them, "Eve")), float(visitor)) == ""
    assert not them.ask(99, "Eve", "there", 60.0)
    assert them.ask(100, "Ann", "here", 60.0), "others may"
    assert them.ask(99, "Eve", "there", TRIES_SECONDS + TRIES)


def test_a_visitor_who_asked_before_the_tries_were_spent_has_none_either() -> None:
    them = asking()
    them.ask(99, "Eve the second", "there", 0.0)
    for _try in range(TRIES):
        them.ask(1, "Eve", "there", 0.0)
        them.enter(1, another(number_of(them, "Eve")), 0.0)
    assert them.enter(99, number_of(them, "Eve the second"), 1.0) == ""


def test_few_may_wait_at_a_time() -> None:
    them = asking()
    for visitor in range(WAITING_OF_SOURCE):
        assert them.ask(visitor, "Eve", "there", 0.0)
    assert not them.ask(50, "Eve", "there", 0.0)
    for visitor in range(WAITING_OF_SOURCE, WAITING):
        assert them.ask(visitor, "Ann", f"here {visitor}", 0.0)
    assert not them.ask(99, "Bob", "elsewhere", 0.0)
    them.withdraw(0)
    assert them.ask(99, "Bob", "elsewhere", 0.0)
    assert len(them.waiting) == WAITING
