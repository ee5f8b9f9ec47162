"""Tallies: the score of each round and the best turn (R-END-2)."""

import pytest

from coffeerush.rules import State, deal, replay, standings, tallies, view_for
from coffeerush.rules.view import score
from protocol import MAX_TALLY_ROUNDS, ActivateUpgrade, Serve, Tally, Undo, Upgrade
from tests.support.positions import Has, begun, dealt, finish, play, position, ready
from tests.support.steering import TABLES, moves_of, setup_of, steered

LATE = Has(("", "", "", "Mocha"), penalties=4)
"""Gets a fifth penalty at the end of this turn, and so closes (R-TIME-2)."""
READY = Has(("Americano, Americano, Americano",), ("coffee water",) * 3)
"""Can serve three orders in this turn."""


def test_there_is_no_tally_before_the_first_round_is_over() -> None:
    assert tallies([]) == ()
    state = begun(dealt(3), 0, 1, 2)
    assert tallies([dealt(3), state]) == ()
    assert tallies([state, finish(state), finish(finish(state))]) == ()


def test_a_score_for_each_round_and_the_turn_with_the_most_orders() -> None:
    # R-END-2: +1 per served order, -1 per penalty
    state = position(READY, Has(("", "", "", "Mocha")), Has(), round=1)
    one = finish(state, (1, 1))
    two = finish(one)
    three = finish(two)
    four = finish(three, (2, 2), (3, 2))
    five = finish(four)
    six = finish(five)
    assert tallies([state, one, two, three, four, five, six]) == (
        Tally(scores=(1, 3), best_served=2, best_round=2),
        Tally(scores=(-1, -1), best_served=0, best_round=0),
        Tally(scores=(0, 0), best_served=0, best_round=0),
    )


def test_the_end_of_the_game_is_the_last_round() -> None:
    # R-END-1: closed by the second of two players, the game is over at once, as is the round
    state = position(READY, LATE, round=4)
    one = finish(state, (1, 1))
    over = finish(one)
    assert over.active is None
    ann, bob = tallies([state, one, over])
    assert (ann.scores, bob.scores) == ((1,), (-5,))
    assert (ann.best_served, ann.best_round) == (1, 4)


def test_orders_that_paid_for_an_upgrade_count_as_served() -> None:
    # R-UPG-1 takes three orders off the pile in the same turn in which one more is served
    state = position(READY._replace(completed=3), Has(), Has(), round=1)
    upgraded = play(state, ActivateUpgrade(Upgrade.DOUBLE_CORNERS))
    states = [state, finish(upgraded, (1, 1))]
    states.append(finish(states[-1]))
    states.append(finish(states[-1]))
    assert tallies(states)[0] == Tally(scores=(3,), best_served=1, best_round=1)


def test_the_first_of_equal_turns_is_the_best() -> None:
    state = position(READY, Has(), Has(), round=1)
    states = [state, finish(state, (1, 1))]
    for _ in range(2):
        states.append(finish(states[-1]))
    states.append(finish(states[-1], (2, 2)))
    for _ in range(2):
        states.append(finish(states[-1]))
    assert tallies(states)[0] == Tally(scores=(1, 2), best_served=1, best_round=1)


def test_undone_serves_do_not_count() -> None:
    state = ready(position(READY, Has(), Has(), round=1))
    served = play(state, Serve(1, 1))
    back = play(served, Undo())
    states = [state, served, back, finish(position(READY, Has(), Has(), round=1))]
    states.append(finish(states[-1]))
    states.append(finish(states[-1]))
    assert tallies(states)[0] == Tally(scores=(0,), best_served=0, best_round=0)


def test_a_very_long_game_keeps_the_latest_rounds() -> None:
    def turns(count: int) -> list[State]:
        seats = [Has(("", "Mocha")), Has(("", "Mocha"))]
        return [
            position(*seats, active=number % 2, round=1 + number // 2, deck="")
            for number in range(2 * count + 1)
        ]

    assert [len(one.scores) for one in tallies(turns(9))] == [9, 9]
    assert [len(one.scores) for one in tallies(turns(70))] == [MAX_TALLY_ROUNDS] * 2


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_tallies_of_whole_games(players: int, starters: bool) -> None:
    """A game has a score per round, the final one last, from all States or only those of turns."""
    setup = setup_of(players, starters, seed=3)
    every = list(replay(setup, moves_of(setup)))
    found = tallies(every)
    assert found == tallies(state for state in every if state.previous is None)
    assert len(found) == players
    over = every[-1]
    for one in standings(over):
        assert len(found[one.seat].scores) == over.round
        assert found[one.seat].scores[-1] == one.score
    for seat, tally in enumerate(found):
        assert (tally.best_served, tally.best_round) == _best(every, seat)


def _best(states: list[State], seat: int) -> tuple[int, int]:
    """Return (orders, round) of the best turn, counted from the Views by a spectator."""
    seen = [view_for(state, None) for state in states]
    counts = [(view.served, -view.round) for view in seen if view.active == seat]
    most, earliest = max(counts)
    return (most, -earliest) if most else (0, 0)


def test_the_scores_are_those_that_everybody_saw() -> None:
    # R-INFO-1: no more than the public score at each round's end
    setup = setup_of(4, False, seed=8)
    games = list(steered(setup))
    states = [deal(setup), *(after for _, _, after in games)]
    ends = [
        after
        for before, _, after in games
        if before.round and (after.round > before.round or after.active is None)
    ]
    for seat, one in enumerate(tallies(states)):
        assert one.scores == tuple(score(state.players[seat]) for state in ends)
