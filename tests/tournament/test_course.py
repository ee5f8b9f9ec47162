"""The course of a tournament: what the entries that a host has written down come to."""

from fractions import Fraction

import pytest

from coffeerush.tournament.course import (
    Announced,
    Course,
    Ended,
    Finished,
    Paired,
    Registered,
    Reseated,
    RoundBegun,
    RulesChanged,
    Withdrawn,
    result,
)
from coffeerush.tournament.tournament import RESTING, Score
from protocol import TournamentRules

ANN, BOB, CID = (letter * 40 for letter in "abc")


def course(*entries: object, rounds: int = 0) -> Course:
    """Return the course of a tournament that three people have entered."""
    made = Course(Announced(7, TournamentRules(rounds)))
    for key, name in ((ANN, "Ann"), (BOB, "Bob"), (CID, "Cid")):
        made.take(Registered(key, name))
    for entry in entries:
        made.take(entry)  # type: ignore[arg-type]
    return made


BEGUN = RoundBegun((Paired(4, (ANN, BOB)),), (CID,))
RESULT = Finished(4, ((BOB, 2, 3, 1), (ANN, 1, 6, 0)))


def test_a_round_is_over_with_its_last_result() -> None:
    playing = course(BEGUN)
    assert (playing.stage, playing.open, playing.rounds) == ("round", (4,), 2)
    playing.take(RESULT)
    assert (playing.stage, playing.open) == ("break", ())
    ann, bob, cid = playing.standings()
    assert (ann.player, ann.score) == (ANN, Score(Fraction(1), Fraction(2, 3)))
    assert (cid.player, cid.score) == (CID, RESTING)
    assert (bob.player, bob.score) == (BOB, Score(Fraction(0), Fraction(1, 3), Fraction(1)))
    playing.take(Ended())
    assert playing.stage == "over"
    assert playing.standings() == [ann, bob, cid]


def test_without_a_finished_round_there_are_no_standings() -> None:
    others = Paired(5, (CID,))
    playing = course(RoundBegun((Paired(4, (ANN, BOB)), others), ()), RESULT)
    assert len(playing.standings()) == 2
    playing.take(Ended())
    assert playing.standings() == []


def test_players_who_are_seated_again_have_another_table() -> None:
    playing = course(BEGUN, Reseated(4, 9))
    assert (playing.open, playing.again, playing.tables) == ((9,), {9}, {9: (ANN, BOB)})
    with pytest.raises(KeyError):
        playing.take(RESULT)
    playing.take(Finished(9, RESULT.seats))
    assert not playing.open


def test_the_names_of_those_who_have_played_are_kept() -> None:
    playing = course(Withdrawn(BOB))
    assert BOB not in playing.names
    playing = course(BEGUN, RESULT, Withdrawn(BOB))
    assert playing.names[BOB] == "Bob"
    assert BOB not in playing.life.here
    playing.take(Registered(BOB, "Bob"))
    assert BOB in playing.life.here


def test_the_number_of_rounds_is_fixed_with_the_first() -> None:
    playing = course(RulesChanged(TournamentRules(5)), BEGUN, RESULT)
    assert playing.rounds == 5
    assert course(BEGUN).rounds == 2


def test_without_a_game_everybody_counts_as_sitting_out() -> None:
    assert result((ANN, BOB), ()) == {ANN: RESTING, BOB: RESTING}


def test_who_had_no_seat_in_the_game_has_nothing() -> None:
    gained = result((ANN, BOB), ((ANN, 1, 3, 0), ("", 2, 1, 0)))
    assert gained[BOB] == Score()
    assert gained[ANN].points == Fraction(3, 4)
