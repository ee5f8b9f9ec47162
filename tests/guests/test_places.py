"""The places of people who have not given the code, and how many connections a source may make."""

from functools import partial

from coffeerush.guests.places import (
    FAILED_SECONDS,
    MAX_FAILED,
    MAX_GUESTS,
    MAX_VISITORS,
    VISITORS_PER_SOURCE,
    Arrivals,
    Place,
    Places,
)
from coffeerush.guests.web.server import ARRIVALS, PAGE_CONNECTIONS


def taken(places: Places, source: str, cut: list[str], now: float = 0.0) -> Place:
    """Take a place; its source is noted if the connection is cut."""
    place = places.take(now, source, partial(cut.append, source))
    assert place
    return place


def test_a_source_has_some_of_the_places() -> None:
    places, cut = Places(), list[str]()
    first, *_others = (taken(places, "ann", cut) for _ in range(VISITORS_PER_SOURCE))
    assert places.take(0, "ann", lambda: None) is None
    first.give_back()
    first.give_back()  # giving it back again changes nothing
    taken(places, "ann", cut)
    assert len(places) == VISITORS_PER_SOURCE
    assert not cut


def test_a_newcomer_takes_the_place_of_somebody_from_a_crowd() -> None:
    places, cut = Places(), list[str]()
    crowd = [taken(places, "crowd", cut) for _ in range(2)]
    for number in range(MAX_VISITORS - 2):
        taken(places, f"{number}", cut)
    taken(places, "newcomer", cut)
    assert cut == ["crowd"]
    assert [each.is_cut for each in crowd] == [False, True]
    assert len(places) == MAX_VISITORS


def test_if_everybody_is_alone_the_oldest_makes_room() -> None:
    places, cut = Places(), list[str]()
    for number in range(MAX_VISITORS):
        taken(places, f"{number}", cut)
    taken(places, "one more", cut)
    assert cut == ["0"]


def test_strangers_who_sit_still_from_many_addresses_keep_nobody_out() -> None:
    places, cut = Places(), list[str]()
    for number in range(MAX_VISITORS):
        taken(places, f"{number}", cut).begin()
    ann = taken(places, "ann", cut)
    assert cut == ["0"]
    for number in range(MAX_VISITORS):
        places.take(1, f"{number}", partial(cut.append, f"{number}"))
    assert not ann.is_cut


def test_somebody_who_is_asked_for_the_code_makes_room_last() -> None:
    places, cut = Places(), list[str]()
    for number in range(MAX_VISITORS):
        place = taken(places, f"{number}", cut)
        if number != 5:
            place.begin()
    taken(places, "one more", cut)
    assert cut == ["5"]


def test_strangers_who_keep_coming_from_many_addresses_do_not_keep_anybody_out() -> None:
    places, cut = Places(), list[str]()
    strangers = [f"stranger {number}" for number in range(200)]
    for now in range(3):
        for each in strangers:
            places.take(now, each, partial(cut.append, each))
    ann = taken(places, "ann", cut, 3)
    for each in strangers * 3:
        places.take(4, each, partial(cut.append, each))
    assert not ann.is_cut
    assert len(places) == MAX_VISITORS
    ann.end(5)  # and one failure does not make her a stranger
    taken(places, "ann", cut, 6)


def test_who_came_in_has_not_failed_and_failures_are_forgotten() -> None:
    places, cut = Places(), list[str]()
    for _ in range(3):
        came_in = taken(places, "ann", cut)
        came_in.give_back()
        came_in.end(0)
        taken(places, "bea", cut).end(0)
    taken(places, "bea", cut, FAILED_SECONDS - 1)
    for number in range(MAX_VISITORS - 1):
        taken(places, f"{number}", cut, FAILED_SECONDS - 1)
    taken(places, "ann", cut, FAILED_SECONDS - 1)
    assert cut == ["bea"]
    again, cut = Places(), []
    taken(again, "bea", cut).end(0)
    taken(again, "cid", cut, FAILED_SECONDS)
    taken(again, "bea", cut, FAILED_SECONDS)
    for number in range(MAX_VISITORS - 1):
        taken(again, f"{number}", cut, FAILED_SECONDS)
    assert cut == ["cid"]


def test_many_failures_take_no_more_memory() -> None:
    places = Places()
    for number in range(MAX_FAILED + 10):
        taken(places, f"{number}", []).end(0)
    assert len(places._failed) == MAX_FAILED


def test_a_connection_that_is_cut_before_it_is_served_ends_once_it_is() -> None:
    cut = list[str]()
    place = taken(Places(), "ann", cut)
    place.cut()
    place.set_cut(partial(cut.append, "served"))
    assert cut == ["ann", "served"]


def test_one_source_may_connect_so_often_within_that_time() -> None:
    arrivals = Arrivals(seconds=20, most=3, capacity=1000)
    assert [arrivals.may_come(now, "ann") for now in range(5)] == [True] * 3 + [False] * 2
    assert arrivals.may_come(20, "ann")


def test_all_guests_may_open_the_page_at_once_by_one_proxy() -> None:
    arrivals = Arrivals(*ARRIVALS)
    assert all(arrivals.may_come(0, "proxy") for _ in range(MAX_GUESTS * PAGE_CONNECTIONS))


def test_a_source_that_makes_fewer_connections_than_others_always_may() -> None:
    arrivals = Arrivals(seconds=20, most=60, capacity=4000)
    strangers = [f"stranger {number}" for number in range(200)]
    came = sum(arrivals.may_come(0, each) for _ in range(60) for each in strangers)
    assert came <= 4000 / 4
    assert all(arrivals.may_come(1, "ann") for _ in range(3))
