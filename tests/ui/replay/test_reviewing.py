"""The review in a replay: its notes, marks on the progress bar, and the better line."""

from functools import cache

import pytest
from msgspec.structs import replace

from coffeerush.records.entries import read_record
from coffeerush.ui.advice.review import Reason, ReviewedTurn
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import Replay
from coffeerush.ui.replay.replay_input import REPLAY_UI, Watch, press, review_on, wheel
from coffeerush.ui.terminal.keys import ESCAPE
from protocol import EndTurn
from tests.support.records import head_of, lines, play

MARKED = (2, 4)


@cache
def replay() -> Replay:
    return Replay(read_record(lines(play(head_of(3)))))


def watched(*keys: str, columns: int = 80, rows: int = 24) -> Watch:
    watch = Watch(page=replace(REPLAY_UI, size=(columns, rows)))
    return pressed(watch, *keys)


def pressed(watch: Watch, *keys: str) -> Watch:
    for key in keys:
        watch = press(replay(), watch, key)
    return watch


def reviewed(columns: int = 80, rows: int = 24) -> Watch:
    """Return a finished review of the first seat, with two marked turns."""
    watch = watched("r", columns=columns, rows=rows)
    for number, turn in enumerate(replay().turns_of(0)):
        watch = review_on(replay(), watch, judged(watch, number))
        assert turn == judged(watch, number).turn
    return watch


def judged(watch: Watch, number: int) -> ReviewedTurn:
    assert watch.reviewing is not None
    turn = watch.reviewing.turns[number]
    cost = 0.3 if number in MARKED else 0.0
    best = (*turn.intents[:2], EndTurn())
    return ReviewedTurn(turn, best, 0.0, cost, cost, Reason.SERVE, 1)


def drawn(watch: Watch) -> str:
    return "\n".join(draw_replay(replay(), watch, *watch.page.size).lines())


def test_progress_is_shown_turn_by_turn() -> None:
    watch = watched("r")
    count = len(replay().turns_of(0))
    assert f"Reviewing Ann's turns: 0 of {count} done" in drawn(watch)
    watch = review_on(replay(), watch, judged(watch, 0))
    assert f"Reviewing Ann's turns: 1 of {count} done" in drawn(watch)
    # a turn that is no longer asked for changes nothing
    assert review_on(replay(), watch, judged(watch, 0)) == watch
    closed = pressed(watch, ESCAPE)
    assert closed.reviewing is None
    assert review_on(replay(), closed, judged(watch, 1)) == closed
    assert not closed.left


def test_a_turn_without_a_mark_tells_what_it_cost() -> None:
    watch = reviewed()
    assert watch.reviewing is not None
    first = watch.reviewing.turns[0]
    shown = drawn(replace(watch, at=first.rev))
    assert "Round 1: this turn cost about 0% of your chance to win." in " ".join(shown.split())


def test_another_seat_is_reviewed_from_its_point_of_view() -> None:
    watch = pressed(replace(reviewed(), viewpoint=1), "r")
    assert watch.reviewing is not None
    assert (watch.reviewing.seat, watch.reviewing.done) == (1, ())


def test_the_key_goes_from_one_marked_turn_to_the_next() -> None:
    turns, watch = replay().turns_of(0), reviewed()
    assert "-60% by your decisions. Remember: " in " ".join(drawn(watch).split())
    for number in (*MARKED, *MARKED):
        watch = pressed(watch, "r")
        assert watch.at == turns[number].rev
        assert f"Round {number + 1} (action {watch.at}): a blunder" in drawn(watch)
        last = pressed(watch, *(["right"] * (turns[number].end - watch.at - 1)))
        assert "a blunder" in drawn(last)
        assert "a blunder" not in drawn(pressed(last, "right"))


def test_marked_turns_have_a_mark_on_the_progress_bar() -> None:
    bar = drawn(reviewed()).splitlines()[-2]
    assert bar.count("✗") == len(MARKED)
    assert "✗" not in drawn(watched()).splitlines()[-2]


@pytest.mark.parametrize("back", ["b", ESCAPE])
def test_the_better_line_is_played_step_by_step(back: str) -> None:
    marked = pressed(reviewed(), "r")
    turn = replay().turns_of(0)[MARKED[0]]
    line = pressed(marked, "b")
    assert line.at == turn.rev
    assert "better line that was not played" in drawn(line)
    best = replay().branch(turn.rev, turn.intents[:2])
    ends = (pressed(line, "right", "right", "right"), pressed(line, "end"))
    for end in (*ends, wheel(replay(), line, 9)):
        assert end.at == best.last == turn.rev + 2
        assert end.shown(replay()).frame(end.at) == best.frame(best.last)
        assert "better line that was not played" in drawn(end)
    returned = pressed(ends[0], back)
    assert returned.at == turn.rev
    assert returned.shown(replay()) is replay()
    assert returned.reviewing == marked.reviewing
    assert pressed(line, "r").at == replay().turns_of(0)[MARKED[1]].rev


def test_without_a_marked_turn_there_is_no_better_line() -> None:
    for watch in (watched(), reviewed()):
        assert pressed(watch, "b") == watch
        assert " better" not in drawn(watch).splitlines()[-1]


@pytest.mark.parametrize("size", [(40, 12), (60, 16), (120, 36)])
def test_a_note_fits_above_the_progress_bar(size: tuple[int, int]) -> None:
    watch = pressed(reviewed(*size), "r")
    for shown in (watch, pressed(watch, "b"), pressed(watch, "end")):
        rows = drawn(shown).splitlines()
        assert len(rows) == size[1]
        assert rows[-2].split()[0] == f"{shown.at}/{shown.shown(replay()).last}"
