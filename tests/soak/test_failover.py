"""The host of a game is gone: its players go on at another one's machine, and nothing is lost.

The moments are those of `scripts/soak moves`; this has what no random moment brings about.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.soak.lan.moving import HOST, MovingTable
from tests.soak.lan.network import CUT, Loss, unavailable
from tests.soak.lan.standby import GO_ON

pytestmark = pytest.mark.soak


@contextmanager
def game(tmp_path: Path) -> Iterator[MovingTable]:
    """Let three people play at a headless host, and wait until they have played a while."""
    if why := unavailable():
        pytest.skip(why)
    with MovingTable.open(tmp_path) as table:
        table.until(lambda: all(one.rev >= 20 for one in table.standings()))
        yield table


def is_offered(table: MovingTable) -> bool:
    return table.offered() is not None


def plays_on(table: MovingTable, term: int) -> bool:
    """Let all play on, and return whether that is in this term and nobody may move the table."""
    table.play_past(table.newest())
    return all(one.term == term and not one.may_go_on for one in table.standings())


def test_a_host_that_comes_back_in_time_goes_on(tmp_path: Path) -> None:
    with game(tmp_path) as table:
        table.signal_host(signal.SIGSTOP)
        table.until(lambda: is_offered(table))
        table.signal_host(signal.SIGCONT)
        table.until(lambda: table.are_here(1))
        assert plays_on(table, 1)


def test_a_standby_that_waits_for_others_gives_way_to_the_host(tmp_path: Path) -> None:
    with game(tmp_path) as table:
        table.signal_host(signal.SIGSTOP)
        table.until(lambda: is_offered(table))
        first = table.offered()
        assert first is not None
        others = [one for one in table.players if one is not first]
        for other in others:
            other.process.send_signal(signal.SIGSTOP)
        first.say(GO_ON)
        table.until(lambda: first.now and first.now.refused)
        table.signal_host(signal.SIGCONT)
        for other in others:
            other.process.send_signal(signal.SIGCONT)
        table.until(lambda: table.are_here(1))
        assert plays_on(table, 1)


def test_one_who_is_cut_off_finds_the_table_where_it_goes_on(tmp_path: Path) -> None:
    """The host and a player lose their cables; the others go on, and the player comes back."""
    with game(tmp_path) as table:
        first = next(one for one in table.players if one.now and one.now.standbys[0] == one.name)
        cut, *_others = others = [one for one in table.players if one is not first]
        table.lose({HOST: CUT, cut.name: CUT})
        table.until(lambda: is_offered(table))
        first.say(GO_ON)
        there = [one for one in (first, *others) if one is not cut]
        table.until(lambda: all(one.now and one.now.term > 1 for one in there))
        table.lose({cut.name: Loss()})  # before a bot plays for them
        table.until(lambda: table.are_here(2))
        assert plays_on(table, table.term)
