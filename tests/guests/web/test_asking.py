"""Letting browsers in by a number that only the host shows."""

from random import Random

from coffeerush.guests.web.asking import (
    ASKS,
    DIGITS,
    GUESTS,
    TRIES,
    TRIES_SECONDS,
    WAITING,
    WAITING_OF_SOURCE,
    Asking,
)


def asking() -> Asking:
    return Asking(Random(1))


def number_of(them: Asking, name: str) -> str:
    return {asked: number for _guest, asked, number in them.waiting}[name]


def ask(them: Asking, visitor: int, name: str, source: str, now: float) -> int:
    return them.ask(visitor, name, source, now, unanswered)


def unanswered(allowed: bool) -> None:
    raise AssertionError(allowed)


def another(number: str) -> str:
    return f"{(int(number) + 1) % 10**DIGITS:0{DIGITS}}"


def test_the_right_number_lets_in_under_the_name_that_was_shown() -> None:
    them = asking()
    assert ask(them, 1, "Ann", "here", 0.0)
    number = number_of(them, "Ann")
    assert len(number) == DIGITS
    assert number.isdigit()
    assert them.enter(1, f" {number[:3]} {number[3:]} ", 1.0) == "Ann"
    assert them.waiting == ()


def test_a_number_is_good_for_one_try() -> None:
    them = asking()
    ask(them, 1, "Ann", "here", 0.0)
    number = number_of(them, "Ann")
    assert them.enter(1, another(number), 1.0) == ""
    assert them.enter(1, number, 2.0) == ""


def test_a_number_is_for_one_visitor() -> None:
    them = asking()
    ask(them, 1, "Ann", "here", 0.0)
    ask(them, 2, "Bob", "there", 0.0)
    assert them.enter(2, number_of(them, "Ann"), 1.0) == ""
    assert them.enter(1, number_of(them, "Ann"), 1.0) == "Ann"


def test_numbers_differ_each_time() -> None:
    them = asking()
    seen = set()
    for _time in range(20):
        ask(them, 1, "Ann", "here", 0.0)
        seen.add(number_of(them, "Ann"))
    assert len(seen) == 20


def test_a_source_has_a_few_wrong_tries_over_all_its_connections() -> None:
    them = asking()
    for visitor in range(TRIES):
        assert ask(them, visitor, "Eve", "there", float(visitor))
        assert them.enter(visitor, another(number_of(them, "Eve")), float(visitor)) == ""
    assert not ask(them, 99, "Eve", "there", 60.0)
    assert ask(them, 100, "Ann", "here", 60.0), "others may"
    assert ask(them, 99, "Eve", "there", TRIES_SECONDS + TRIES)


def test_a_visitor_who_asked_before_the_tries_were_spent_has_none_either() -> None:
    them = asking()
    ask(them, 99, "Eve the second", "there", 0.0)
    for _try in range(TRIES):
        ask(them, 1, "Eve", "there", 0.0)
        them.enter(1, another(number_of(them, "Eve")), 0.0)
    assert them.enter(99, number_of(them, "Eve the second"), 1.0) == ""


def test_few_may_wait_at_a_time() -> None:
    them = asking()
    heard: list[bool] = []
    for visitor in range(WAITING_OF_SOURCE):
        assert them.ask(visitor, "Eve", "there", 0.0, heard.append)
    assert not ask(them, 50, "Eve", "there", 0.0)
    for visitor in range(WAITING_OF_SOURCE, WAITING):
        assert ask(them, visitor, "Ann", f"here {visitor}", 0.0)
    assert ask(them, 99, "Bob", "elsewhere", 0.0), "instead of one of those who ask most"
    assert heard == [False]
    assert len(them.waiting) == WAITING
    assert not ask(them, 0, "Eve", "there", 0.0)
    assert not heard[1:]


def test_strangers_who_ask_from_many_addresses_do_not_keep_anybody_from_asking() -> None:
    them = asking()
    strangers = [f"stranger {number}" for number in range(200)]
    for _time in range(2):
        for visitor, source in enumerate(strangers):
            them.ask(visitor, "Eve", source, 0.0, lambda _allowed: None)
    assert ask(them, 1000, "Ann", "here", 1.0)
    for visitor, source in enumerate(strangers):
        them.ask(visitor, "Eve", source, 2.0, lambda _allowed: None)
    assert them.enter(1000, number_of(them, "Ann"), 3.0) == "Ann"


def test_whoever_is_let_in_hears_it_once() -> None:
    them = asking()
    heard: list[bool] = []
    guest = them.ask(1, "Ann", "here", 0.0, heard.append)
    other = ask(them, 2, "Ann", "there", 0.0)
    assert guest != other
    them.answer(guest, True, 1.0)
    them.answer(guest, False, 1.0)
    assert heard == [True]
    assert [one[0] for one in them.waiting] == [other]
    assert them.enter(1, "123456", 2.0) == ""


def test_an_answer_is_for_nobody_who_asks_later() -> None:
    them = asking()
    guest = ask(them, 1, "Ann", "here", 0.0)
    them.withdraw(1)
    ask(them, 2, "Eve", "there", 0.0)
    them.answer(guest, True, 1.0)
    assert [name for _guest, name, _number in them.waiting] == ["Eve"]


def test_being_turned_away_counts_as_a_wrong_number() -> None:
    them = asking()
    heard: list[bool] = []
    for visitor in range(TRIES):
        them.answer(them.ask(visitor, "Eve", "there", 0.0, heard.append), False, 0.0)
    assert heard == [False] * TRIES
    assert not ask(them, 99, "Eve", "there", 60.0)
    assert ask(them, 99, "Eve", "there", TRIES_SECONDS)


def test_a_source_that_asks_and_withdraws_has_to_wait() -> None:
    them = asking()
    for _time in range(ASKS):
        assert ask(them, 1, "Eve", "there", 0.0)
        them.withdraw(1)
    assert not ask(them, 1, "Eve", "there", 60.0)
    assert ask(them, 2, "Ann", "here", 60.0), "others may"
    assert ask(them, 1, "Eve", "there", TRIES_SECONDS)


def test_the_number_of_a_guest_who_waits_is_nobody_elses() -> None:
    them = asking()
    first = ask(them, 0, "Ann", "here", 0.0)
    times = (TRIES_SECONDS * time for time in range(2 * len(GUESTS)))
    others = {ask(them, 1, "Eve", "there", time) for time in times}
    assert others == {*GUESTS} - {first}
