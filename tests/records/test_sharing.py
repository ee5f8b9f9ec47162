"""Records that hosts send: what guests get, how it is checked, and where it is filed."""

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.league.table import league_game
from coffeerush.records.entries import End, Entry, Head, Move, Removal, Seated, read_record
from coffeerush.records.listing import file_copy, finished_games, unfinished_game
from coffeerush.records.sharing import checked_copy, shared_head, shared_so_far
from coffeerush.records.witness import Witness
from coffeerush.records.writing import begun_at, load_record
from coffeerush.rules import view_for
from protocol import MAX_SHARED_BYTES, PlaceMeeple, SeatView, Standing
from tests.support.records import KEY, head_of, lines, play

BEGUN = datetime(2026, 1, 31, 20, 15)
OTHER = "o" * 40


def a_game(**fields: object) -> list[Head | Move | End]:
    head = head_of()
    secrets = {"owner": KEY, "port": 47820, "guests": (OTHER,), "turn_seconds": 60, "first": "Ann"}
    return play(replace(head, **secrets, **fields))


def copy_of(entries: Sequence[Entry]) -> bytes:
    return shared_so_far(read_record(lines(entries))).data


def witness_of(data: bytes, rev: int | None = None, seat: int | None = 0) -> Witness:
    """Return what a client knows that saw the game up to a rev, by default to its end."""
    record = read_record(data)
    states = list(record.states())
    rev = len(states) - 1 if rev is None else rev
    seats = tuple(
        SeatView("bot" if one.bot else "person", one.name, one.bot) for one in record.head.seats
    )
    head, view = record.head, view_for(states[rev], seat)
    return Witness(head.table, head.game, rev, view, seats, seat, "" if seat is None else KEY)


@pytest.fixture(name="data")
def copied() -> bytes:
    return copy_of(a_game())


def test_of_the_rules_guests_get_those_that_help_or_show_how_the_bots_played() -> None:
    head = replace(head_of(), turn_seconds=60, bot_seconds=3, hints=False, rotation="loser")
    assert shared_head(head) == replace(head_of(), bot_seconds=3, hints=False)


@pytest.mark.parametrize("rev", [None, 0, 40])
@pytest.mark.parametrize("seat", [0, None])
def test_a_true_record_passes_whatever_the_client_saw(
    data: bytes, rev: int | None, seat: int | None
) -> None:
    assert checked_copy(data, witness_of(data, rev, seat)) == read_record(data)


def without_its_end(data: bytes) -> bytes:
    return data[: data.rstrip().rfind(b"\n") + 1]


def with_a_torn_line(data: bytes) -> bytes:
    return data + b"0000"


def of_another_deal(_data: bytes) -> bytes:
    return copy_of(play(head_of(seed=8)))


def of_another_table(_data: bytes) -> bytes:
    return copy_of(a_game(table="Elsewhere"))


def of_another_number(_data: bytes) -> bytes:
    return copy_of(a_game(game=4))


def with_other_names(_data: bytes) -> bytes:
    seats = (Seated("Mallory", key=KEY), Seated("Regular", bot="regular"))
    return copy_of(a_game(seats=seats))


def with_another_key(_data: bytes) -> bytes:
    seats = (Seated("Ann", key=OTHER), Seated("Regular", bot="regular"))
    return copy_of(a_game(seats=seats))


def with_a_person_for_a_bot(_data: bytes) -> bytes:
    seats = (Seated("Ann", key=KEY), Seated("Regular", key=OTHER))
    return copy_of(a_game(seats=seats))


def with_an_illegal_move(_data: bytes) -> bytes:
    head, first, *others = a_game()
    assert isinstance(first, Move)
    return lines([head, first, replace(first, rev=2, intent=PlaceMeeple(0)), *others[1:]])


def with_another_result(_data: bytes) -> bytes:
    *others, end = a_game()
    assert isinstance(end, End)
    (best, *rest) = end.standings
    return lines([*others, End((Standing(best.seat, best.rank, best.score + 1), *rest))])


def with_a_changed_byte(data: bytes) -> bytes:
    return data.replace(b'"rev":20', b'"rev":21', 1)


def with_no_moves(data: bytes) -> bytes:
    return data[: data.index(b"\n") + 1]


def of_nothing(_data: bytes) -> bytes:
    return b"\x93\x01\x02\x03"


@pytest.mark.slow
@pytest.mark.parametrize(
    "tamper",
    [
        *(without_its_end, with_a_torn_line, with_no_moves, of_nothing, with_a_changed_byte),
        *(of_another_deal, of_another_table, of_another_number, with_other_names),
        *(with_another_key, with_a_person_for_a_bot, with_an_illegal_move, with_another_result),
    ],
)
def test_a_tampered_record_is_refused_with_a_sentence(
    data: bytes, tmp_path: Path, tamper: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(RecordError) as caught:
        file_copy(tmp_path / "records", tamper(data), witness_of(data), BEGUN)
    assert str(caught.value).startswith("The host's record of this game cannot be right (")
    assert str(caught.value).endswith("), so it was not kept.")
    assert not list(tmp_path.rglob("*"))


def test_another_course_is_noticed_at_any_rev(data: bytes) -> None:
    truth = witness_of(data, 40)
    assert truth.view.own
    cups = replace(truth.view, own=replace(truth.view.own, cups=((18, *[0] * 7),) * 3))
    for lie in (
        replace(truth, rev=41),
        replace(truth, rev=10_000),
        replace(truth, view=replace(truth.view, deck=truth.view.deck + 1)),
        replace(truth, view=cups),
        replace(witness_of(data), rev=40),
    ):
        with pytest.raises(RecordError, match="contradicts what was shown"):
            checked_copy(data, lie)


def test_a_kicked_player_may_have_another_name_now() -> None:
    *others, end = a_game()
    data = copy_of([*others, Removal(KEY, 0), end])
    seen = witness_of(data, seat=None)
    kicked = replace(seen, seats=(SeatView("bot", "Bot 1", "regular"), *seen.seats[1:]))
    assert checked_copy(data, kicked).removals == (Removal(KEY, 0),)


def test_the_file_has_what_was_decoded_and_nothing_else(data: bytes, tmp_path: Path) -> None:
    entries = a_game(table="../../etc/“Café”\u202e at six")
    sent = lines(entries)  # with everything that a host should leave out
    witness = witness_of(sent)
    path = file_copy(tmp_path / "records", sent, witness, BEGUN)
    assert path == tmp_path / "records" / "etc-Café-at-six-20260131-201500-3.record"
    assert path.read_bytes() == shared_so_far(read_record(sent)).data
    assert path.stat().st_mode & 0o777 == 0o644
    assert begun_at(path) == BEGUN.timestamp()
    assert OTHER.encode() not in path.read_bytes()
    assert [one.path for one in finished_games(path.parent)] == [path]


def test_a_game_is_filed_once(data: bytes, tmp_path: Path) -> None:
    records, witness = tmp_path / "records", witness_of(data)
    own = records / "Café-at-six-20260131-201459-3.record"
    records.mkdir()
    own.write_bytes(lines(a_game()))  # as the host on this machine wrote it
    assert file_copy(records, data, witness, BEGUN) == own
    own.unlink()
    first = file_copy(records, data, witness, BEGUN)
    again = file_copy(records, data, witness, datetime(2026, 2, 1))
    assert first == again
    assert os.listdir(records) == [first.name]


def test_a_copy_does_not_hide_an_unfinished_game_of_ones_own(data: bytes, tmp_path: Path) -> None:
    records = tmp_path / "records"
    records.mkdir()
    own = records / "Own-20260131-201459-1.record"
    own.write_bytes(lines(a_game(table_seats=2)[:20]))
    os.utime(own, (1e9, 1e9))
    file_copy(records, data, witness_of(data), BEGUN)
    game = unfinished_game(records)
    assert game is not None
    assert game.path == own
    later = records / "Own-20260131-201500-2.record"
    later.write_bytes(lines(a_game(table_seats=2)))
    assert unfinished_game(records) is None


def test_two_clients_of_a_user_file_a_game_once(data: bytes, tmp_path: Path) -> None:
    found: list[Path] = []
    witness = witness_of(data)

    def file() -> None:
        found.append(file_copy(tmp_path / "records", data, witness, datetime.now()))

    threads = [Thread(target=file) for _each in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 8
    assert len(set(found)) == len(os.listdir(tmp_path / "records")) == 1


def test_another_game_with_the_same_name_gets_a_file_of_its_own(
    data: bytes, tmp_path: Path
) -> None:
    other = copy_of(play(head_of(seed=9)))
    first = file_copy(tmp_path / "records", data, witness_of(data), BEGUN)
    second = file_copy(tmp_path / "records", other, witness_of(other), BEGUN)
    assert second.name == f"{first.stem}-2.record"
    assert load_record(first) != load_record(second)


def test_a_directory_that_cannot_be_written_is_a_sentence(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "records").write_text("a file")
    with pytest.raises(RecordError, match="could not be kept"):
        file_copy(tmp_path / "records", data, witness_of(data), BEGUN)


def test_the_league_counts_the_original_and_its_copies_as_one_game() -> None:
    folder = "/home/ann/bots/my_bot.py:MyBot"
    seats = (Seated("Ann", key=KEY), Seated("My bot", bot=folder))
    original = read_record(lines(a_game(seats=seats)))
    copy = read_record(shared_so_far(original).data)
    assert copy.head == shared_head(original.head) != original.head
    assert league_game(original, 1.0) == league_game(copy, 1.0)


def test_a_copy_of_a_copy_is_the_same(data: bytes) -> None:
    assert shared_so_far(read_record(data)).data == data
    assert len(data) < MAX_SHARED_BYTES
