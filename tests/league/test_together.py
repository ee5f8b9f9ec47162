"""The results of the people at a table in all games that they have played together."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.league.store import league_directory, load_together
from coffeerush.league.table import Together, merge
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.records.entries import Seated
from coffeerush.records.sharing import shared_so_far
from coffeerush.records.writing import load_record
from tests.support.leagues import ANN, BOB, MINE, OTHER_ANN, game_of, save

CID = Seated("Cid", key="d" * 40)
CASUAL, EXPERT = Seated("casual 3", bot="casual"), Seated("expert 4", bot="expert")


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory of the records, next to that of the league."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return tmp_path / "records"


def played(records: Path, *games: Sequence[Seated]) -> Together | None:
    """Save games, each with its players best first, and count those of the people of the last."""
    saved = [save(records, game_of(*one, number=day), day) for day, one in enumerate(games, 1)]
    return load_together(records, saved[-1])


def test_games_with_all_of_the_people_count_whoever_else_played(records: Path) -> None:
    together = played(
        records,
        (ANN, BOB, CASUAL, EXPERT),
        (CID, BOB, ANN, MINE),
        (ANN, CID, CASUAL, EXPERT),  # without Bob
        (BOB, ANN, CASUAL, MINE),
        (BOB, CASUAL, ANN, EXPERT),
    )
    assert together
    assert together.games == 4
    people = {one.career.entry.name: one for one in together.people}
    assert [*people] == [one.career.entry.name for one in together.players]
    assert sorted(people) == ["Ann", "Bob"]
    ann, bob = people["Ann"], people["Bob"]
    assert (ann.wins, ann.career.entry.streak) == (1, 0)
    assert (bob.wins, bob.career.entry.streak) == (2, 2)
    against = bob.against(ann)
    assert against
    assert (against.ahead, against.level, against.behind) == (3, 0, 1)
    assert bob.against(bob) is None
    (record,) = records.glob("*-5.record")
    seats = load_record(record).head.seats
    assert [seats[one.seats[0]].name for one in together.people] == [*people]


def test_somebody_alone_is_compared_with_the_bots(records: Path) -> None:
    game = (ANN, CASUAL, CASUAL, EXPERT)
    together = played(records, game, (CASUAL, ANN, CASUAL, EXPERT), (ANN, BOB, CID, MINE), game)
    assert together
    assert together.games == 3
    (ann,) = together.people
    assert ann.wins == 2
    others = [one for one in together.players if one is not ann]
    assert sorted(len(one.seats) for one in others) == [1, 2]
    casual = next(one for one in others if len(one.seats) == 2)
    met = ann.against(casual)
    assert met
    assert (met.ahead, met.behind) == (5, 1)


def test_the_first_game_together_is_not_compared(records: Path) -> None:
    assert played(records, (ANN, BOB, CASUAL, EXPERT), (ANN, CID, CASUAL, EXPERT)) is None
    assert played(records, (CASUAL, EXPERT, MINE, CASUAL)) is None


def test_the_game_just_over_counts_once_however_many_copies_there_are(records: Path) -> None:
    games = [game_of(ANN, BOB, CASUAL, EXPERT, number=number) for number in (1, 2)]
    save(records, games[0], 1)
    own = save(records, games[1], 2)
    copy = own.with_name("copy.record")
    copy.write_bytes(shared_so_far(load_record(own)).data)
    for path in (own, copy, own):
        together = load_together(records, path)
        assert together
        assert together.games == 2


def test_a_person_with_two_keys_is_one(records: Path) -> None:
    before = replace(OTHER_ANN, name="Annie")
    assert played(records, (before, BOB, CID, MINE), (ANN, BOB, CID, MINE)) is None
    known = load_together(records, save(records, game_of(ANN, BOB, CID, MINE, number=3), 3))
    assert known
    ids = {one.career.entry.name: one.career.entry.id for one in known.people}
    again = load_together(records, save(records, game_of(before, BOB, CID, MINE, number=4), 4))
    assert again
    annie = next(o.career.entry.id for o in again.people if o.career.entry.name == "Annie")
    merge(league_directory(), annie, ids["Ann"])
    (path,) = records.glob("*-3.record")
    together = load_together(records, path)
    assert together
    assert together.games == 4


def test_without_the_record_there_is_nothing_to_compare(records: Path) -> None:
    path = save(records, game_of(ANN, BOB, CID, MINE), 1)
    path.write_bytes(path.read_bytes()[:-5])
    assert load_together(records, path) is None
