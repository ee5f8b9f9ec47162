"""A review in words: each marked turn, the better line, luck apart from choices, the lesson."""

from functools import cache

import pytest
from msgspec.structs import replace

from coffeerush.records.entries import Move, read_record
from coffeerush.ui.advice.review import Reason, Review, ReviewedTurn
from coffeerush.ui.replay.replay import Replay, deeds, fine_line, lesson, review_lines, why
from protocol import EndTurn, OrderServed, Poured, Undo
from tests.support.records import head_of, lines, play


@cache
def replay() -> Replay:
    return Replay(read_record(lines(play(head_of(3)))))


def reviewed(number: int, cost: float, reason: Reason = Reason.SERVE) -> ReviewedTurn:
    """Return a turn of seat 1 whose better line is to end it after its first action."""
    turn = replay().turns_of(1)[number]
    best = (turn.intents[0], EndTurn())
    return ReviewedTurn(turn, best, 0.1, cost, cost, reason, 1)


def review_of(*marked: ReviewedTurn, reason: Reason | None = Reason.SERVE) -> Review:
    costs = (0.0, *(one.cost for one in marked))
    return Review(seat=1, marked=marked, costs=costs, luck=0.254, lost=0.126, lesson=reason)


def test_each_marked_turn_is_told() -> None:
    bad, inexact = reviewed(3, 0.31), reviewed(4, 0.07)
    told = review_lines(replay(), review_of(bad, inexact))
    assert told[0] == "Review for Bob"
    assert told[1] == (
        f"Round 4 (action {bad.turn.rev}): a blunder; it cost about 31% of your chance to win."
    )
    assert told[2].startswith("Played: You ")
    assert told[3].startswith("Better: You ")
    assert told[3].endswith(" It serves 1 more order.")
    assert told[4] == (
        f"Round 5 (action {inexact.turn.rev}): inexact; it cost about 7% of your chance to win."
    )
    assert told[7:] == [
        "How much of your chance to win each turn cost: 0%, 31%, 7%.",
        "Your chance to win, in all: +25% by luck (cards, opponents, who began), "
        "-13% by your decisions.",
        "Remember: before you step, look for a path that serves one more order.",
    ]


def test_a_review_without_marks() -> None:
    told = review_lines(replay(), review_of(reason=None))
    assert len(told) == 4
    assert told[-1] == "No turn cost you much."


def test_turns_that_a_bot_played_are_told_and_not_judged() -> None:
    some = replace(review_of(reason=None), by_bot=2)
    told = review_lines(replay(), some)
    assert told[2] == "A bot played 2 turns in your place, which are not judged."
    assert told[-1] == "No turn cost you much."
    told = review_lines(replay(), replace(some, costs=(), by_bot=1))
    assert told[1:] == ["A bot played 1 turn in your place, which is not judged."]
    turn = reviewed(3, 0.0)
    turn = replace(turn, turn=replace(turn.turn, by_bot=True))
    assert fine_line(turn) == "Round 4: a bot played this turn in your place."


def test_a_stand_in_is_known_by_its_moves() -> None:
    """Bob left in round 3, after his first step."""
    head, *others = play(head_of(3))
    bob = replay().turns_of(1)
    left = [
        replace(one, key="") if isinstance(one, Move) and one.rev > bob[2].rev + 1 else one
        for one in others
    ]
    found = Replay(read_record(lines([head, *left])))
    turns = found.turns_of(1)
    assert [one.by_bot for one in turns] == [number >= 2 for number in range(len(turns))]
    assert not any(one.by_bot for one in found.turns_of(2)), "it is a bot's own"
    review = found.review([found.review_turn(one) for one in turns], 1)
    assert len(review.costs) == 2
    assert not any(one.turn.by_bot for one in review.marked)
    assert review.by_bot == len(turns) - 2


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_has_words_of_its_own(reason: Reason) -> None:
    others = [one for one in Reason if one is not reason]
    assert why(reviewed(3, 0.2, reason)) not in [why(reviewed(3, 0.2, one)) for one in others]
    taught = [lesson(review_of(reason=one)) for one in others]
    assert lesson(review_of(reason=reason)) not in taught


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_what_was_played_is_told_without_what_was_undone(seat: int) -> None:
    """All drinks that the turn served are named, and each pour is counted once."""
    turns = replay().turns_of(seat)
    for turn in turns:
        told = deeds(replay(), turn.rev, turn.intents, seat)
        played = replay().branch(turn.rev, turn.intents[:-1])
        after = [played.frame(rev) for rev in range(turn.rev + 1, played.last + 1)]
        events = [event for frame in after for event in frame.events]
        pours = [event for event in events if isinstance(event, Poured)]
        assert told.count("into cup") == len(pours)
        assert ("You serve" in told) == any(isinstance(one, OrderServed) for one in events)
        assert Undo() not in turn.intents
    frames = [replay().frame(turn.rev) for turn in turns]
    assert all(frame.begins_turn or frame.rev == turns[0].rev for frame in frames)


def test_a_branch_ends_with_the_other_line() -> None:
    turn = replay().turns_of(1)[2]
    other = replay().branch(turn.rev, turn.intents[:2])
    assert other.last == turn.rev + 2
    assert other.frame(turn.rev) == replay().frame(turn.rev)
    assert other.frame(other.last).mover == 1


def test_the_first_person_is_reviewed_unless_another_is_chosen() -> None:
    head = head_of(3)
    first, *others = head.seats
    bots = replace(head, seats=(replace(first, bot="greedy"), *others))
    entries = [bots, *play(head)[1:]]
    assert replay().reviewer == 0
    assert Replay(read_record(lines(entries))).reviewer == 1
