"""Records are kept and their games counted, in memory for a visit and on disk for an evening."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client import recording
from coffeerush.client.model import RecordFetch
from coffeerush.client.record_keeper import FileShelf, MemoryShelf, RecordKeeper
from coffeerush.errors import RecordError
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.records.entries import Seated, read_record
from protocol import NO_ID, Ready, SeatView, Start, TableSummary
from tests.support.leagues import MINE, NEW_YEAR, game_of, save
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


async def test_games_are_counted_again_once_another_table_has_ended_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    ann, bob = played().links
    records, told = tmp_path / "records", asyncio.Queue[RecordFetch]()
    keeper = RecordKeeper(FileShelf(records), told.put_nowait)
    keeper.follow(replace(bob.model, record=fetched(bob)))
    kept = await told.get()
    assert kept.is_kept
    assert (await told.get()).together is None
    today = (datetime.now() - NEW_YEAR) / timedelta(1)
    cid, dee = Seated("Cid", key="d" * 40), Seated("Dee", key="e" * 40)
    save(records, game_of(dee, Seated("Ann", key=ann.key), cid, MINE), today)
    seats = (SeatView("person", "Dee"),) * 2
    for stage, games in (("game", 2), ("result", 3)):
        tables = (TableSummary(9, "Den", stage, seats),)  # type: ignore[arg-type]
        keeper.follow(replace(bob.model, record=kept, tables=tables))
        together = (await told.get()).together
        assert together
        assert together.games == games
        save(records, game_of(cid, dee, MINE, MINE, number=2), today)
