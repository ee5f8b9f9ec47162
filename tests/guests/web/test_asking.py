"""Letting browsers in by a number that only the host shows."""

from functools import partial
from random import Random

from coffeerush.guests.register import BrowserToken
from coffeerush.guests.web.asking import (
    ASKS,
    AWAY_SECONDS,
    DIGITS,
    GIVEN,
    GUESTS,
    REQUEST_SECONDS,
    TRIES,
    TRIES_SECONDS,
    WAITING,
    WAITING_OF_SOURCE,
    Asking,
    Ticket,
    Waiting,
)

CODE = "apple-tiger-moon"


def asking() -> Asking:
    return Asking(Random(1))


def ticket(visitor: int) -> Ticket:
    return Ticket(f"{visitor}")


def number_of(them: Asking, name: str) -> str:
    return {asked: number for _guest, asked, number in them.waiting}[name]


def ask(them: Asking, visitor: int, name: str, source: str, now: float) -> Waiting | None:
    return them.ask(ticket(visitor), name, "player", source, now, unanswered)


def enter(them: Asking, visitor: int, number: str, now: float) -> bool:
    return them.enter(ticket(visitor), number, now, CODE)


def unanswered() -> None:
    raise AssertionError


def another(number: str) -> str:
    return f"{(int(number) + 1) % 10**DIGITS:0{DIGITS}}"


def test_the_right_number_lets_in_under_the_name_that_was_shown() -> None:
    them = asking()
    one = ask(them, 1, "Ann", "here", 0.0)
    number = number_of(them, "Ann")
    assert len(number) == DIGITS
    assert number.isdigit()
    assert enter(them, 1, f" {number[:3]} {number[3:]} ", 1.0)
    assert one
    assert (one.name, one.allowed, one.code) == ("Ann", True, CODE)
    assert them.waiting == ()


def test_a_number_is_good_for_one_try() -> None:
    them = asking()
    ask(them, 1, "Ann", "here", 0.0)
    number = number_of(them, "Ann")
    assert not enter(them, 1, another(number), 1.0)
    assert not enter(them, 1, number, 2.0)


def test_a_number_is_for_one_visitor() -> None:
    them = asking()
    ask(them, 1, "Ann", "here", 0.0)
    ask(them, 2, "Bob", "there", 0.0)
    assert not enter(them, 2, number_of(them, "Ann"), 1.0)
    assert enter(them, 1, number_of(them, "Ann"), 1.0)


def test_numbers_differ_each_time() -> None:
    them = asking()
    seen = set()
    for _time in range(20):
        ask(them, 1, "Ann", "here", 0.0)
        seen.add(number_of(them, "Ann"))
        them.renew_numbers()
        seen.add(number_of(them, "Ann"))
    assert len(seen) == 40


def test_a_source_has_a_few_wrong_tries_over_all_its_connections() -> None:
    them = asking()
    for visitor in range(TRIES):
        assert ask(them, visitor, "Eve", "there", float(visitor))
        assert not enter(them, visitor, another(number_of(them, "Eve")), float(visitor))
    assert not ask(them, 99, "Eve", "there", 60.0)
    assert ask(them, 100, "Ann", "here", 60.0), "others may"
    assert ask(them, 99, "Eve", "there", TRIES_SECONDS + TRIES)


def test_a_visitor_who_asked_before_the_tries_were_spent_has_none_either() -> None:
    them = asking()
    ask(them, 99, "Eve the second", "there", 0.0)
    for _try in range(TRIES):
        ask(them, 1, "Eve", "there", 0.0)
        enter(them, 1, another(number_of(them, "Eve")), 0.0)
    assert not enter(them, 99, number_of(them, "Eve the second"), 1.0)


def test_few_may_wait_at_a_time() -> None:
    them = asking()
    heard: list[int] = []
    first = [
        them.ask(ticket(visitor), "Eve", "player", "there", 0.0, partial(heard.append, visitor))
        for visitor in range(WAITING_OF_SOURCE)
    ]
    assert all(first)
    assert not ask(them, 50, "Eve", "there", 0.0)
    for visitor in range(WAITING_OF_SOURCE, WAITING):
        assert ask(them, visitor, "Ann", f"here {visitor}", 0.0)
    assert ask(them, 99, "Bob", "elsewhere", 0.0), "instead of one of those who ask most"
    assert heard == [0]
    assert first[0]
    assert first[0].allowed is False
    assert len(them.waiting) == WAITING
    assert not ask(them, 0, "Eve", "there", 0.0)
    them.withdraw(ticket(1))
    assert ask(them, 100, "Cid", "anywhere", 0.0)
    assert heard == [0]


def test_strangers_who_ask_from_many_addresses_do_not_keep_anybody_from_asking() -> None:
    them = asking()

    def flood(now: float) -> None:
        for visitor in range(200):
            them.ask(ticket(visitor), "Eve", "player", f"stranger {visitor}", now, lambda: None)

    flood(0.0)
    flood(0.0)
    assert ask(them, 1000, "Ann", "here", 1.0)
    flood(2.0)
    assert enter(them, 1000, number_of(them, "Ann"), 3.0)


def test_a_guest_who_is_let_in_hears_it_once() -> None:
    them = asking()
    heard: list[None] = []
    one = them.ask(ticket(1), "Ann", "player", "here", 0.0, lambda: heard.append(None))
    other = ask(them, 2, "Ann", "there", 0.0)
    assert one
    assert other
    them.answer(one.guest, True, 1.0, CODE)
    them.answer(one.guest, False, 1.0, CODE)
    assert len(heard) == 1
    assert (one.allowed, one.code) == (True, CODE)
    assert [guest for guest, _name, _number in them.waiting] == [other.guest]


def test_an_answer_is_for_nobody_who_asks_later() -> None:
    them = asking()
    one = ask(them, 1, "Ann", "here", 0.0)
    assert one
    them.withdraw(ticket(1))
    ask(them, 2, "Eve", "there", 0.0)
    them.answer(one.guest, True, 1.0, CODE)
    assert [name for _guest, name, _number in them.waiting] == ["Eve"]


def test_being_turned_away_counts_as_a_wrong_number() -> None:
    them = asking()
    for visitor in range(TRIES):
        one = them.ask(ticket(visitor), "Eve", "player", "there", 0.0, lambda: None)
        assert one
        them.answer(one.guest, False, 0.0, CODE)
        them.withdraw(ticket(visitor))
    assert not ask(them, 99, "Eve", "there", 60.0)
    assert ask(them, 99, "Eve", "there", TRIES_SECONDS)


def test_a_source_that_asks_and_withdraws_has_to_wait() -> None:
    them = asking()
    for _time in range(ASKS):
        assert ask(them, 1, "Eve", "there", 0.0)
        them.withdraw(ticket(1))
    assert not ask(them, 1, "Eve", "there", 60.0)
    assert ask(them, 2, "Ann", "here", 60.0), "others may"
    assert ask(them, 1, "Eve", "there", TRIES_SECONDS)


def test_the_number_of_a_guest_who_waits_is_nobody_elses() -> None:
    them = asking()
    taken = set()
    for time in range(2 * len(GUESTS)):
        first = ask(them, 0, "Ann", "here", TRIES_SECONDS * time)
        other = ask(them, 1, "Eve", "there", TRIES_SECONDS * time)
        assert first
        assert other
        assert first.guest != other.guest
        taken |= {first.guest, other.guest}
    assert taken == {*GUESTS}


# Requests whose connection is broken


def test_who_comes_back_finds_the_request_as_it_was() -> None:
    them = asking()
    one = ask(them, 1, "Ann", "here", 0.0)
    before = them.waiting
    assert them.leave(ticket(1), 10.0, unanswered)
    assert them.waiting == before
    assert them.resume(ticket(1), 10.0 + AWAY_SECONDS - 1, lambda: None) is one
    assert them.waiting == before
    assert them.resume(ticket(2), 10.0, lambda: None) is None
    them.expire(AWAY_SECONDS + 20)
    assert them.waiting == before


def test_a_request_ends_if_its_visitor_stays_away_or_waits_for_too_long() -> None:
    them = asking()
    ask(them, 1, "Ann", "here", 0.0)
    ask(them, 2, "Bob", "there", 0.0)
    them.leave(ticket(1), 10.0, unanswered)
    assert them.resume(ticket(1), 10.0 + AWAY_SECONDS, lambda: None) is None
    assert [name for _guest, name, _number in them.waiting] == ["Bob"]
    them.expire(REQUEST_SECONDS)
    assert them.waiting == ()


def test_a_decision_waits_for_a_visitor_who_is_away() -> None:
    them = asking()
    one = ask(them, 1, "Ann", "here", 0.0)
    assert one
    them.leave(ticket(1), 10.0, unanswered)
    them.answer(one.guest, True, 20.0, CODE)
    assert them.waiting == ()
    assert them.resume(ticket(1), 70.0, lambda: None) is one
    assert (one.allowed, one.code) == (True, CODE)


def test_the_latest_connection_has_the_request() -> None:
    them = asking()
    heard: list[str] = []
    first, second = (lambda: heard.append("first")), (lambda: heard.append("second"))
    one = them.ask(ticket(1), "Ann", "player", "here", 0.0, first)
    assert one
    them.resume(ticket(1), 1.0, second)
    assert heard == ["first"]
    assert not them.leave(ticket(1), 2.0, first), "the older connection ends late"
    them.answer(one.guest, True, 3.0, CODE)
    assert heard == ["first", "second"]


def test_somebody_who_is_away_makes_room_unless_they_are_let_in() -> None:
    them = asking()
    for visitor in range(WAITING_OF_SOURCE):
        one = ask(them, visitor, f"Ann {visitor}", "here", 0.0)
        assert one
        them.leave(ticket(visitor), 1.0, unanswered)
        if visitor == 0:
            them.answer(one.guest, True, 1.0, CODE)
    assert ask(them, 50, "Bea", "here", 2.0)
    assert [name for _guest, name, _number in them.waiting] == ["Ann 2", "Ann 3", "Bea"]
    for visitor in range(100, 98 + WAITING):
        assert ask(them, visitor, f"Cid {visitor}", f"there {visitor}", 3.0)
    names = [name for _guest, name, _number in them.waiting]
    assert names == ["Bea", *(f"Cid {visitor}" for visitor in range(100, 98 + WAITING))]
    assert them.resume(ticket(0), 4.0, lambda: None)


def test_a_token_that_got_lost_can_be_fetched_for_a_while() -> None:
    them = asking()
    ask(them, 1, "Ann", "here", 0.0)
    token = BrowserToken("secret")
    them.give(ticket(1), token, 1.0)
    assert them.waiting == ()
    assert them.given(ticket(1), REQUEST_SECONDS) == token
    assert them.given(ticket(1), 1.0 + REQUEST_SECONDS) is None
    assert them.given(ticket(2), 1.0) is None
    for visitor in range(2, 2 + GIVEN):
        them.give(ticket(visitor), token, 2.0)
    assert them.given(ticket(1), 2.0) is None
