"""Short forms of the programs of `scripts/soak`; the cables need network namespaces, so root."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.soak.lan.lan import GUESTS
from tests.soak.lan.moving import NAMES
from tests.soak.lan.network import unavailable
from tests.soak.lan.switch import Weather
from tests.soak.oracle.twins import compare
from tests.soak.parts import (
    disk,
    guests,
    hall,
    kills,
    leak,
    long,
    members,
    moves,
    sessions,
    tables,
    tournament,
    web,
)
from tests.soak.parts.links import Cut, cut_cables, play_by_switch
from tests.soak.soak import Soak

SHORT_SECONDS = 3.0
"""Enough for strangers who have the lowest priority beside other tests."""
ATTACK_SECONDS = 1.0
"""Of members, who do not stop before they have been cut off."""
CUTS = [Cut(2.0, GUESTS[0], "to it"), Cut(2.0, GUESTS[1], "from it")]
WI_FI = Weather(delay=0.01, jitter=0.01, doubled=0.1, hurried=0.1)
WEB_ATTACKS = ("garbage", "half", "numbers", "foreign", "flood")


def siege(*names: str) -> Callable[[Soak], object]:
    return lambda soak: members.siege(soak, names, soak.chance, ATTACK_SECONDS, ATTACK_SECONDS / 10)


def swarm(name: str, keys: int, size: int) -> Callable[[Soak], object]:
    return lambda soak: members.besiege(soak, name, keys, size, ATTACK_SECONDS)


FORMS: dict[str, Callable[[Soak], object]] = {
    "guests: aborted connections": lambda soak: guests.abort(soak, connections=12),
    "guests: under attack": lambda soak: guests.withstand(
        soak, [{"sizes": 2, "half_open": 2}], SHORT_SECONDS / 3
    ),
    "guests: a crowd": lambda soak: guests.crowd(soak, guests=3, seconds=SHORT_SECONDS),
    "guests: a killed gateway": lambda soak: guests.kill(soak, SHORT_SECONDS),
    "hall: failing tables": lambda soak: hall.fail(soak, hangs=False),
    "hall: claimed tables": lambda soak: hall.withstand(soak, "rooms", SHORT_SECONDS / 3, tables=3),
    "kills: tables of a hall": lambda soak: kills.run_hall(soak, tables=4, kills=2),
    "leak: between tables": lambda soak: leak.hall(soak, tables=2),
    "kills": lambda soak: kills.run_house(soak, spectators=0, kills=5),
    "leak": lambda soak: leak.one_game(soak, 3, soak.chance),
    "links: cut cables": lambda soak: cut_cables(soak, CUTS, 20, pause=0.0),
    "links: late, doubled and reordered frames": lambda soak: play_by_switch(soak, WI_FI),
    "long": long.run,
    "members: fuzz, flood": siege("fuzz", "flood"),
    "members: endless, mute": siege("endless", "mute"),
    "members: unfinished": swarm("unfinished", 1, 50),
    "members: topics": swarm("topics", 2, 20),
    "moves": lambda soak: moves.Moves(soak, 2, pause=0.05).evening(
        soak.chance, NAMES[:3], ["hand over", "kill"]
    ),
    "moves: a table that falls in two": lambda soak: moves.Moves(soak, 1).split(
        NAMES[:3], soak.chance
    ),
    "sessions": sessions.run,
    "tables": tables.run,
    "tournament": lambda soak: tournament.play(soak, players=4, rounds=2, kills=1, changes=1),
}


@pytest.mark.parametrize("form", FORMS)
def test_nothing_that_is_promised_breaks(form: str) -> None:
    if form.startswith(("links", "moves")) and (why := unavailable()):
        pytest.skip(why)
    soak = Soak(form, SHORT_SECONDS)
    FORMS[form](soak)
    assert not soak.broken


@pytest.mark.parametrize("way", [disk.limited, disk.full])
def test_what_cannot_be_written_is_refused_and_nothing_is_lost(
    way: Callable[[Soak, Path], Coroutine[Any, Any, None]],
) -> None:
    soak = Soak("disk", SHORT_SECONDS)
    disk.run_one(way, soak)
    assert not soak.broken
    if soak.skipped:
        pytest.skip(soak.skipped[0])


def test_the_same_game_with_other_cups_is_the_same_to_others(tmp_path: Path) -> None:
    soak = Soak("leak", 0)
    compare(soak, tmp_path, Random(3))
    assert not soak.broken


def test_members_come_back_among_half_handshakes() -> None:
    soak = Soak("members", SHORT_SECONDS)
    assert members.come_back(soak, SHORT_SECONDS)
    assert not soak.broken


def test_strangers_with_browsers_do_not_get_in(tmp_path: Path) -> None:
    soak = Soak("web", SHORT_SECONDS)
    done = web.besiege(soak, tmp_path, [[*WEB_ATTACKS]], SHORT_SECONDS)
    assert not soak.broken
    assert done["tries"]
    assert done["aborted"]
    assert done["connections"] > len(WEB_ATTACKS)
