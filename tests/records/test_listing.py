"""The list of finished games: contents, order, and what is left out."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.records.entries import End, Head, Move, read_record
from coffeerush.records.listing import (
    discard_unplayed,
    finished_games,
    unfinished_game,
    unfinished_games,
)
from coffeerush.records.sharing import shared_so_far
from coffeerush.records.writing import Journal
from tests.support.records import NAMES, head_of, lines, play

GAME = play(head_of(3))


def put(directory: Path, name: str, data: bytes, at: int = 0) -> Path:
    path = directory / name
    path.write_bytes(data)
    os.utime(path, (at, at))
    return path


@pytest.mark.slow
def test_finished_games_are_listed_newest_first(tmp_path: Path) -> None:
    """By when they began, as in the league: a copy of a game may be written much later."""
    old = put(tmp_path, "z.record", lines(GAME), at=1_000_000)
    new = put(tmp_path, "a.record", lines(play(head_of(2, seed=8))), at=2_000_000)
    named = "cafe-20260131-201500-1.record"
    copied = put(tmp_path, named, lines(play(head_of(2, seed=9))), at=1_500_000)
    games = finished_games(tmp_path)
    assert [game.path for game in games] == [copied, new, old]
    assert f"{games[0].begun:%Y-%m-%d %H:%M}" == "2026-01-31 20:15"
    assert [game.begun.timestamp() for game in games[1:]] == [2_000_000, 1_000_000]
    assert games[2].head.table == "Café at six"
    players = games[2].players
    assert {one.name for _seat, one, _score in players} == {*NAMES[:2], "Regular"}
    assert [score for *_who, score in players] == sorted(
        (score for *_who, score in players), reverse=True
    )


BROKEN = {
    "empty": b"",
    "foreign": b"Not a record, but with a newline\n",
    "head-alone": lines(GAME[:1]),
    "on": lines(GAME[:-1]),
    "torn": lines(GAME)[:-1],
    "damaged-head": lines(GAME).replace(b'"seed":7', b'"seed":8', 1),
    "damaged-end": lines(GAME)[:-3] + b"?}\n",
    "binary": bytes(range(256)) * 20,
    "endless": b"x" * 400_000,
}


def unfinished(directory: Path, since: float) -> Path | None:
    game = unfinished_game(directory, since)
    return game.path if game else None


@pytest.mark.parametrize("name", BROKEN)
def test_broken_and_unfinished_games_are_left_out(tmp_path: Path, name: str) -> None:
    put(tmp_path, f"{name}.record", BROKEN[name])
    assert finished_games(tmp_path) == []


def test_a_result_with_other_players_is_left_out(tmp_path: Path) -> None:
    put(tmp_path, "other.record", lines([*play(head_of(2))[:-1], GAME[-1]]))
    assert finished_games(tmp_path) == []


def test_other_files_and_directories_are_left_out(tmp_path: Path) -> None:
    put(tmp_path, "game.txt", lines(GAME))
    (tmp_path / "folder.record").mkdir()
    (tmp_path / "nothing.record").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.record")
    assert finished_games(tmp_path) == []
    assert unfinished_game(tmp_path, since=0) is None
    assert finished_games(tmp_path / "nowhere") == []


def test_the_latest_game_is_unfinished_if_its_record_has_no_end(tmp_path: Path) -> None:
    on = put(tmp_path, "on.record", BROKEN["on"], at=2_000_000)
    game = unfinished_game(tmp_path, since=1_000_000)
    assert game
    assert game.path == on
    end = GAME[-1]
    assert isinstance(end, End)
    assert game.scores == {standing.seat: standing.score for standing in end.standings}
    assert unfinished_game(tmp_path, since=3_000_000) is None, "it is of an earlier table"
    copy = shared_so_far(read_record(lines(GAME))).data
    put(tmp_path, "copy.record", copy, at=3_000_000)
    assert unfinished(tmp_path, since=1_000_000) == on, "a copy is of another host's game"
    own = [replace(head_of(3), table_seats=4), *GAME[1:]]
    put(tmp_path, "over.record", lines(own), at=3_000_000)
    assert unfinished_game(tmp_path, since=1_000_000) is None
    own[0] = replace(head_of(3), version=2)  # which did not have the number of seats
    put(tmp_path, "over.record", lines(own), at=3_000_000)
    assert unfinished_game(tmp_path, since=1_000_000) is None


@pytest.mark.parametrize("name", ["empty", "foreign", "damaged-head", "binary"])
def test_records_that_cannot_be_resumed_are_skipped(tmp_path: Path, name: str) -> None:
    put(tmp_path, "broken.record", BROKEN[name], at=3_000_000)
    assert unfinished_game(tmp_path, since=1_000_000) is None
    on = put(tmp_path, "on.record", BROKEN["on"], at=2_000_000)
    assert unfinished(tmp_path, since=1_000_000) == on


def test_a_record_deleted_meanwhile_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = put(tmp_path, "gone.record", lines(GAME[:-1]))
    real = Path.stat

    def look_and_delete(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        about = real(path, follow_symlinks=follow_symlinks)
        if path == gone:
            os.unlink(gone)
        return about

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Path, "stat", look_and_delete)
        found = unfinished_game(tmp_path, since=0)
    assert found is None


def test_a_torn_line_after_the_end_is_ignored(tmp_path: Path) -> None:
    over = put(tmp_path, "over.record", lines(GAME) + b"1b2b")
    assert read_record(over.read_bytes()).end is not None
    assert [game.path for game in finished_games(tmp_path)] == [over]
    assert unfinished_game(tmp_path, since=0) is None


def test_an_unfinished_game_tells_its_round_and_its_owner(tmp_path: Path) -> None:
    put(tmp_path, "on.record", BROKEN["on"])
    game = unfinished_game(tmp_path)
    assert game is not None
    assert game.round == [*read_record(BROKEN["on"]).states()][-1].round > 1
    assert game.owner is None, "it has none"
    head = GAME[0]
    assert isinstance(head, Head)
    seats = (
        head.seats[0],
        *(replace(one, key="o" * 40) for one in head.seats[1:2]),
        *head.seats[2:],
    )
    put(tmp_path, "on.record", lines([replace(head, seats=seats, owner="o" * 40), *GAME[1:-1]]))
    game = unfinished_game(tmp_path)
    assert game is not None
    assert game.owner == seats[1]


@pytest.mark.parametrize("year", [1901, 2300, 9999, 12_000])
def test_games_written_at_a_strange_time_are_listed(tmp_path: Path, year: int) -> None:
    at = (year - 1970) * 31_556_952
    put(tmp_path, "over.record", lines(GAME), at)
    (over,) = finished_games(tmp_path)
    put(tmp_path, "over.record", BROKEN["on"], at)
    on = unfinished_game(tmp_path)
    assert on is not None
    assert 1969 <= over.begun.year == on.left.year <= 2262


def test_a_game_that_a_host_is_playing_is_not_to_be_continued(tmp_path: Path) -> None:
    path = put(tmp_path, "on.record", BROKEN["on"])
    journal, _record = Journal.resume(path)
    assert unfinished_game(tmp_path) is None
    journal.close()
    assert unfinished(tmp_path, since=0) == path


def test_all_games_that_can_be_continued_are_found_whatever_was_played_after_them(
    tmp_path: Path,
) -> None:
    older = put(tmp_path, "older.record", BROKEN["on"], at=1_000_000)
    newer = put(tmp_path, "newer.record", BROKEN["on"], at=2_000_000)
    played = put(tmp_path, "played.record", BROKEN["on"], at=3_000_000)
    put(tmp_path, "broken.record", BROKEN["foreign"], at=4_000_000)
    for path in tmp_path.iterdir():
        path.chmod(0o600)
    put(tmp_path, "over.record", lines(GAME), at=5_000_000).chmod(0o644)
    journal, _record = Journal.resume(played)
    assert unfinished_game(tmp_path) is None, "the latest game is over"
    assert [game.path for game in unfinished_games(tmp_path)] == [newer, older]
    assert [game.path for game in unfinished_games(tmp_path, besides=newer)] == [older]
    journal.close()


def test_only_a_game_in_which_its_owner_has_not_moved_is_discarded(tmp_path: Path) -> None:
    head, *moves = GAME[:-1]
    assert isinstance(head, Head)
    begun = next(n for n, move in enumerate(moves) if isinstance(move, Move) and move.seat == 2)
    seats = (*head.seats[:2], replace(head.seats[2], key="o" * 40), *head.seats[3:])
    head = replace(head, seats=seats, owner="o" * 40)
    assert begun > 0, "others moved before"
    for count, is_kept in ((begun, False), (begun + 1, True)):
        path = put(tmp_path, "on.record", lines([head, *moves[:count]]), at=2_000_000)
        discard_unplayed(tmp_path, since=3_000_000)
        assert path.exists(), "it is an earlier game"
        discard_unplayed(tmp_path, since=1_000_000)
        assert path.exists() is is_kept
