"""The checks of what LAN guests report against the record find every kind of mistake."""

from functools import cache

import pytest
from msgspec.structs import replace

from coffeerush.records.entries import Record, read_record
from coffeerush.rules import view_for
from tests.soak.lan.lan import faults
from tests.soak.lan.lan_guest import Account, Sight, own_mark, public_mark
from tests.support.records import KEY, head_of, lines, play

REV = 100


@cache
def game() -> Record:
    """Return a game in which a person has the first seat."""
    return read_record(lines(play(head_of())))


def account() -> Account:
    """Return the report of somebody who got correct answers."""
    first = game().moves[0].id.hex()
    return Account(KEY, {first: 2}, ("refused",), 2, 1)


def sight() -> Sight:
    """Return the report of somebody who has the correct state at `REV`."""
    state = list(game().states())[REV]
    own = view_for(state, 0)
    number = game().head.game
    marks = ("all", public_mark(view_for(state, None)), own_mark(own))
    return Sight(0.0, "here", "", b"epoch", 1, number, REV, "game", False, *marks)


def found(record: Record, told: Account, seen: Sight) -> list[str]:
    """Return the mistakes found in one guest's game."""
    return list(faults([record], [(told, [seen])]))


def test_nothing_is_found_where_all_is_right() -> None:
    assert found(game(), account(), sight()) == []
    between = replace(sight(), public="", own="")
    assert found(game(), account(), between) == []


def test_what_was_acknowledged_is_missed() -> None:
    told = replace(account(), accepted={"00": 1})
    assert found(game(), told, sight()) == ["00 was accepted and is lost"]


def test_what_was_refused_is_not_applied() -> None:
    id_ = game().moves[1].id.hex()
    told = replace(account(), refused=(id_,))
    assert found(game(), told, sight()) == [f"{id_} was refused and is kept"]


def test_nothing_is_applied_twice_and_games_end() -> None:
    first, second, *rest = game().moves
    twice = replace(game(), moves=(first, replace(second, id=first.id), *rest), end=None)
    said = found(twice, account(), sight())
    assert said == ["game 3 has no end", f"{first.id.hex()} is on record 2 times"]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"public": "?"}, "saw another game 3"),
        ({"own": "?"}, "saw other cups of its own in game 3"),
    ],
)
def test_other_views_are_noticed(wrong: dict[str, str], text: str) -> None:
    seen = replace(sight(), **wrong)
    assert found(game(), account(), seen) == [f"{KEY} {text} at {REV}"]
    late = replace(sight(), rev=REV - 1)
    assert found(game(), account(), late)
