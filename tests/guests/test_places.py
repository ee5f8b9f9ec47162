"""The places of people who have not given the code."""

from functools import partial

from coffeerush.guests.gateway import Places
from coffeerush.guests.limits import MAX_VISITORS, VISITORS_PER_SOURCE


def test_a_source_has_some_of_the_places() -> None:
    places, cut = Places(), list[int]()
    back, *others = (places.take("ann", lambda: cut.append(1)) for _ in range(VISITORS_PER_SOURCE))
    assert back
    assert all(others)
    assert places.take("ann", lambda: None) is None
    assert not cut
    back()
    back()  # giving it back again changes nothing
    assert places.take("ann", lambda: None)
    assert len(places) == VISITORS_PER_SOURCE


def test_a_newcomer_takes_the_place_of_somebody_from_a_crowd() -> None:
    places, cut = Places(), list[int]()
    for number in range(MAX_VISITORS):
        source = f"source {number // VISITORS_PER_SOURCE}"
        assert places.take(source, partial(cut.append, number))
    assert places.take("newcomer", lambda: None)
    assert cut == [VISITORS_PER_SOURCE - 1]
    assert len(places) == MAX_VISITORS


def test_if_everybody_is_alone_the_oldest_makes_room() -> None:
    places = Places()
    cut = list[int]()
    for number in range(MAX_VISITORS):
        assert places.take(f"{number}", partial(cut.append, number))
    assert places.take("one more", lambda: None)
    assert cut == [0]
    assert len(places) == MAX_VISITORS
