"""Stepping through a finished game: the frames, their sentences, and typed commands."""

import pytest

from coffeerush.client.history import KEPT
from coffeerush.errors import RecordError
from coffeerush.records.entries import Record, read_record
from coffeerush.rules import view_for
from coffeerush.rules.board import unpack
from coffeerush.ui.replay.replay import Frame, Replay, event_lines, follow, table_lines
from protocol import CupEmptied, Event, GameEnded, GameStarted, Poured, TurnStarted
from tests.golden.frames import spoken
from tests.support.records import head_of, lines, play


def record_of(players: int) -> Record:
    return read_record(lines(play(head_of(players))))


def frames_of(record: Record) -> list[Frame]:
    replay = Replay(record)
    return [replay.frame(number) for number in (*range(replay.stop), replay.last)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_there_is_a_frame_for_every_state_with_all_of_it_open(players: int) -> None:
    record = record_of(players)
    for frame, state in zip(frames_of(record), record.states(), strict=True):
        assert frame.model.view is not None
        assert frame.model.view.hand == unpack(state.hand), "also while it is poured"
        assert frame.model.view.players == view_for(state, None).players
        assert frame.cups == tuple(tuple(map(unpack, seat.cups)) for seat in state.players)
        assert frame.events


def test_nothing_of_a_pour_is_left_out() -> None:
    told = [event for frame in frames_of(record_of(2)) for event in frame.events]
    pours = [event for event in told if isinstance(event, Poured)]
    empties = [event for event in told if isinstance(event, CupEmptied)]
    assert pours
    assert all(None not in (event.ingredient, event.cup) for event in pours)
    assert all(event.cup is not None for event in empties)


def test_the_first_and_the_last_frame() -> None:
    first, *_, last = frames_of(record_of(3))
    assert isinstance(first.events[0], GameStarted)
    assert first.model.table is not None
    assert [seat.status for seat in first.model.table.seats] == ["person", "person", "bot"]
    assert first.model.table.stage == "game"
    assert isinstance(last.events[-1], GameEnded)
    assert last.model.table is not None
    assert last.model.table.stage == "result"


def test_the_log_is_what_was_told_so_far() -> None:
    told: list[Event] = []
    for frame in frames_of(record_of(4)):
        told += frame.events
        assert frame.model.log == tuple(told[-KEPT:])
        assert frame.model.history.total == len(told)


def test_a_game_that_is_on_stays_secret() -> None:
    unfinished = read_record(lines(play(head_of())[:-1]))
    with pytest.raises(RecordError, match="not over"):
        Replay(unfinished)


def test_every_sentence_is_about_somebody_by_name() -> None:
    for frame in frames_of(record_of(2)):
        said = event_lines(frame)
        assert said[0].startswith(f"{frame.rev}. ")
        assert len(said) == len(frame.events)
        assert "You" not in " ".join(said)
    assert any("pours milk into cup " in line for line in words_of(record_of(2)))


def words_of(record: Record) -> list[str]:
    return [line for frame in frames_of(record) for line in event_lines(frame)]


def test_the_table_shows_every_cup_and_order() -> None:
    frames = frames_of(record_of(2))
    first, last = table_lines(frames[0]), table_lines(frames[-1])
    assert len(first) == 2
    assert first[0].startswith("Ann: 0 points, 0 rush tokens. Cup 1: nothing. Cup 2: nothing.")
    assert "Orders: slot 1: " in first[0]
    assert [line.split()[0] for line in last[2:]] == [
        *("Rank",) * 2,
        "Ahead",
        *("Award",) * 2,
        *("Regular's",) * 2,
        *("Ann's",) * 2,
    ]
    turns = [frame for frame in frames if frame.begins_turn]
    ends = [isinstance(event, TurnStarted) for frame in frames for event in frame.events]
    assert len(turns) == sum(ends) + 1


@pytest.mark.parametrize(
    ("words", "rev"),
    [
        ("", 6),
        ("  ", 6),
        ("b", 4),
        ("g 0", 0),
        ("g 10", 10),
        ("g 11", None),
        ("g -1", None),
        ("g", None),
        ("g x", None),
        ("g ²", None),
        ("g 1 2", None),
        ("g " + "9" * 5000, None),
        ("back", 4),
        ("GO\t7", 7),
        ("back 2", None),
        ("gone 2", None),
        ("forward", None),
    ],
)
def test_where_words_lead(words: str, rev: int | None) -> None:
    assert follow(words, at=5, last=10) == rev


@pytest.mark.parametrize(
    ("language", "back", "go"),
    [
        ("pt_BR", "voltar", "ir"),
        ("it", "indietro", "vai"),
        ("es", "atras", "ir"),
        ("ko", "이전", "가기"),
        ("ru", "назад", "перейти"),
    ],
)
def test_words_of_every_language_lead_there_and_so_do_the_english_ones(
    language: str, back: str, go: str
) -> None:
    with spoken(language):
        for typed in (back, back[:1], "b", "BACK"):
            assert follow(typed, at=5, last=10) == 4
        for typed in (f"{go} 9", f"{go[:1]} 9", "g 9", "go 9"):
            assert follow(typed, at=5, last=10) == 9


def test_nothing_leads_past_the_ends() -> None:
    assert follow("", at=10, last=10) is None
    assert follow("b", at=0, last=10) is None
