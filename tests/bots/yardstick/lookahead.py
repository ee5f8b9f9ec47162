"""A planner with one round of lookahead and two samples, frozen: `FILE.py:LookaheadBot`.

The first expert bot searched as little as this. The planner and its weights are those of today, so
that it measures the expert's search alone.
"""

from random import Random
from statistics import fmean
from typing import Final

from coffeerush.bots.outcomes import after, outcomes
from coffeerush.bots.planner import Candidate, PlannerBot, candidates
from coffeerush.bots.sampling import sample_state
from coffeerush.bots.weights import Weights, result, scores_of
from coffeerush.rules import State
from coffeerush.rules.turn_end import end_turn
from protocol import View

SAMPLES: Final = 2
MANY_COMPARED: Final = 8
CLOSE: Final = 0.1
MANY_NEXT: Final = 4


class LookaheadBot(PlannerBot):
    def best(self, view: View, found: list[Candidate], chance: Random) -> Candidate:
        near = [one for one in found[:MANY_COMPARED] if one.value > found[0].value - CLOSE]
        drawn = [
            sample_state(view, int(chance.random() * 2**32), likely=True) for _ in range(SAMPLES)
        ]

        def worth(one: Candidate) -> float:
            later = (_next_turn(after(state, one.outcome), self._weights) for state in drawn)
            return fmean([one.value, *later])

        return max(near, key=worth)


def _next_turn(state: State, weights: Weights) -> float:
    seat = state.active
    assert seat is not None  # a turn is to be ended
    state = end_turn(state)
    while state.active not in (seat, None):
        [hasty] = outcomes(state, 1, upgrades=False, most_rush=1)
        state = end_turn(after(state, hasty))
    if state.active is None:
        return result(scores_of(state), seat)
    return candidates(state, weights, MANY_NEXT, upgrades=False)[0].value
