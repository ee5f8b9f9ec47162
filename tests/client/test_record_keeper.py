"""Records that are kept in memory: checked, the latest only, and counted together."""

from datetime import datetime
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client import recording
from coffeerush.client.model import RecordFetch
from coffeerush.client.record_keeper import MemoryShelf
from coffeerush.errors import RecordError
from coffeerush.records.entries import read_record
from protocol import NO_ID, Ready, Start
from tests.support.local import LocalLink, play
from tests.ui.table.test_result import played

BEGUN = datetime(2026, 1, 1, 20)


def fetched(link: LocalLink) -> RecordFetch:
    """Return the whole record that a link has got."""
    link.wish(Ready(NO_ID, False))  # whose answer brings the next part
    fetch = link.model.record
    assert fetch
    assert fetch.is_whole
    return fetch


@pytest.mark.slow
def test_the_latest_record_is_kept_and_the_games_before_are_counted() -> None:
    local, shelf = played(), MemoryShelf()
    ann, bob = local.links
    first = shelf.keep(fetched(bob), BEGUN)
    assert read_record(first.copy).head.game == bob.model.game
    assert (first.is_done, first.data, first.path) == (True, b"", "")
    assert shelf.together(first) is None
    bob.set(recording.settled(bob.model, first))
    bob.wish(Ready(NO_ID, True))
    ann.wish(Start(NO_ID))
    play(local, Random(2), lambda: None)
    second = shelf.keep(fetched(bob), BEGUN)
    bob.set(recording.settled(bob.model, second))
    assert bob.model.record == second
    together = shelf.together(second)
    assert together
    assert together.games == 2
    assert sum(player.wins for player in together.players) == 2


def test_a_record_that_contradicts_what_was_seen_is_not_kept() -> None:
    (_ann, bob) = played().links
    fetch = fetched(bob)
    other = replace(fetch, witness=replace(fetch.witness, rev=fetch.witness.rev - 1))
    with pytest.raises(RecordError, match="cannot be right"):
        MemoryShelf().keep(other, BEGUN)
